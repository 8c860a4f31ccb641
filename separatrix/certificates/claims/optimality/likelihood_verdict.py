"""The verdict on a claim about a likelihood: by doubles, and where these leave it open in 60 digits.

Bounds in doubles allow for their rounding errors. Where a claim is met by less than that, or weights are of
extreme size, they decide nothing. Then the functions of `check` decide, so that `verify` and `check` give the
same verdict. They take about 0.2 ms for each row: a claim that doubles leave open is refused if the table is
larger than the limits below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.certificate import Verdict
from separatrix.certificates.check.record import Refused
from separatrix.certificates.data.reading import RowSource, refuse_infinite
from separatrix.certificates.duality.soft_margin import nearest

MAX_ROWS = 10_000
MAX_COLUMNS = 60
MAX_VALUES = 100_000


class Proven(NamedTuple):
    """The objective of the weights from above, None if it overflows, and that of any weights from below; and
    why ``lower`` is 0, if it should not be."""

    upper: Fraction | None
    lower: Fraction
    reason: str | None = None


@dataclass(frozen=True)
class SignedTable:
    """Rows as the functions of `check` read them.

    Parameters
    ----------
    sources
        The same rows once for each class, which is the positive one there; one source for two classes.
    classes
        The labels; none where signs are enough.
    """

    sources: list[RowSource]
    classes: tuple[Any, ...] = ()

    @property
    def columns(self) -> int:
        return self.sources[0].n_columns

    def rows(self) -> Iterator[tuple[list[float], int]]:
        """Values and sign of each row."""
        for values, signs in self._signed():
            yield values, signs[0]

    def labelled(self) -> Iterator[tuple[list[float], Any]]:
        """Values and label of each row."""
        for values, signs in self._signed():
            yield values, self.classes[signs.index(1)]

    def _signed(self) -> Iterator[tuple[list[float], list[int]]]:
        """Values of each row, and its signs in all sources."""
        for pieces in zip(*(source.pieces() for source in self.sources), strict=True):
            X = pieces[0].X
            refuse_infinite(X, range(pieces[0].start, pieces[0].stop))
            dense = X if isinstance(X, np.ndarray) else X.toarray()
            signs = np.array([piece.signs for piece in pieces]).T
            yield from zip(dense.tolist(), signs.tolist(), strict=True)


def verdict(
    claim: Any,
    proven: Callable[[], Proven],
    check: Callable[[dict[str, Any], Any], str],
    table: SignedTable,
) -> Verdict:
    """Whether ``claim.upper`` and ``claim.lower`` hold.

    Parameters
    ----------
    proven
        Computes what doubles prove.
    check
        The function of `check` for this kind of claim.
    """
    try:
        with np.errstate(all="ignore"):
            found = proven()
    except OverflowError:
        found = Proven(None, Fraction(0))
    refusal = _refusal(claim, found)
    if refusal is None and found.upper is not None:
        ends = f"{claim.upper!r} and no weights reach below {claim.lower!r}"
        return Verdict(True, f"The objective is at most {ends}.")
    if _is_open(claim, found, table.sources[0]):
        refusal = _refusal_by_check(claim, check, table)
    return Verdict(refusal is None, refusal or "Both ends hold, in arithmetic of 60 digits.")


def _refusal(claim: Any, found: Proven) -> str | None:
    """Why doubles do not prove the claim, or None."""
    if found.upper is None:
        return "The objective is too large for doubles."
    if found.upper > Fraction(claim.upper):
        return f"The objective of its weights may be as large as {nearest(found.upper)!r}."
    if Fraction(claim.lower) > max(found.lower, Fraction(0)):
        return f"What it proves from below is {found.reason or repr(nearest(found.lower))}."
    return None


def _is_open(claim: Any, found: Proven, source: RowSource) -> bool:
    """Whether doubles leave the claim open, and the table is small enough to settle it.

    An upper end below a bound of all objectives is wrong, and so is a lower end above some objective.
    """
    wrong = Fraction(claim.upper) < found.lower
    wrong |= found.upper is not None and Fraction(claim.lower) > found.upper
    small = source.n_rows <= MAX_ROWS and source.n_columns <= MAX_COLUMNS
    return small and source.n_rows * source.n_columns <= MAX_VALUES and not wrong


def _refusal_by_check(
    claim: Any, check: Callable[[dict[str, Any], Any], str], table: SignedTable
) -> str | None:
    witness = {item.name: getattr(claim, item.name) for item in fields(claim) if item.name != "about"}
    try:
        check(witness, table)
    except Refused as refused:
        return str(refused)
    return None
