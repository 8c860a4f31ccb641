"""A few rows that prove that no halfspace has every row strictly on its side.

**Gordan's theorem** (1873), the easy half. Let z = s(x, 1), or s·x without an intercept. If Σ l_i z_i = 0
with l_i > 0, then Σ l_i z_i·w = 0 for every w, so that z_i·w > 0 for all these i is impossible. With an
intercept the same numbers describe a point that lies in the convex hulls of both classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.combination import weighted_sum
from separatrix.certificates.dyadic import Dyadic
from separatrix.certificates.source import Source
from separatrix.certificates.witness import CertificateError, Counts, Flag, RowNumbers, several


@dataclass(frozen=True, repr=False)
class Inseparable(Certificate):
    """The rows are not linearly separable: some of them, with positive multipliers, cancel exactly.

    Parameters
    ----------
    rows, multipliers
        Numbers of rows, ascending, and a positive whole number for each.
    intercept
        Whether halfspaces with an intercept are excluded too.

    Examples
    --------
    >>> proof = Inseparable(rows=(0, 1, 2, 3), multipliers=(1, 1, 1, 1), intercept=True)
    >>> proof.verify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).holds
    True
    >>> proof.verify([[0, 0], [0, 1], [1, 0], [1, 2]], [0, 1, 1, 0])
    Verdict(holds=False, reason='The combination of its rows is not zero.')
    """

    rows: RowNumbers
    multipliers: Counts
    intercept: Flag

    def __post_init__(self) -> None:
        super().__post_init__()
        require_pairs(self.rows, self.multipliers)

    @property
    def claim(self) -> str:
        through = "" if self.intercept else " through the origin"
        rows = f"{len(self.rows)} rows contradict each other" if len(self.rows) > 1 else "one row is zero"
        return f"No hyperplane{through} has every row strictly on its side: {rows}."

    def _prove(self, source: Source) -> Verdict:
        refusal = not_zero(source, self.rows, self.multipliers, self.intercept)
        if refusal is not None:
            return Verdict(False, refusal)
        added = several(len(self.rows), "row", ("is", "with positive multipliers add up to"))
        return Verdict(True, f"{added} exactly zero.")


def require_pairs(rows: Sequence[int], multipliers: Sequence[int]) -> None:
    if len(rows) != len(multipliers):
        raise CertificateError(f"It has {len(rows)} rows but {len(multipliers)} multipliers.")
    if not rows:
        raise CertificateError("It names no rows.")


def combination(source: Source, rows: Sequence[int], multipliers: Sequence[int], constant: bool) -> Dyadic:
    """Σ l_i s_i (x_i, 1), or without the constant, exactly."""
    total = Dyadic((0,) * (source.n_columns + constant), 0)
    for X, signs, part in source.gather(rows):
        pairs = zip(multipliers[part], signs.tolist(), strict=True)
        total += weighted_sum(X, [multiplier * sign for multiplier, sign in pairs], constant)
    return total


def not_zero(source: Source, rows: Sequence[int], multipliers: Sequence[int], constant: bool) -> str | None:
    """Why these rows do not cancel, or None."""
    if rows[-1] >= source.n_rows:
        return f"It names row {rows[-1]}; this data has {source.n_rows} rows."
    if any(combination(source, rows, multipliers, constant).wholes):
        return "The combination of its rows is not zero."
    return None
