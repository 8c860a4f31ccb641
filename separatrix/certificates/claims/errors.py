"""How few errors a halfspace makes, or can make: three claims.

`ErrorsAtMost` counts the errors of one halfspace exactly. `ErrorsAtLeast` replays a proof in whole numbers.
The methods of proof are described where they are checked, in ``check/errors.py`` and the files beside
it. Their code needs nothing but whole numbers, and serves here too, with faster ways through its inner loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np

from separatrix.certificates.arithmetic.margin_signs import Margins, errors_of
from separatrix.certificates.certificate import NO_FEWER_ERRORS, Certificate, Verdict
from separatrix.certificates.check.errors import METHODS, grouped, lower_bound, whole_costs
from separatrix.certificates.check.errors_circuits import circuits
from separatrix.certificates.check.errors_cone import cones
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable
from separatrix.certificates.claims.error_proofs import PROOF
from separatrix.certificates.data.reading import RowSource, refuse_infinite
from separatrix.certificates.fields import (
    ANY_NUMBER,
    CertificateError,
    Flag,
    NumberOrNone,
    Numbers,
    Whole,
)
from separatrix.certificates.forms import limited, optional, some
from separatrix.certificates.replay.circuits import cancel
from separatrix.certificates.replay.cones import least

_NO_SIGN = {"not": {"type": "string", "pattern": "^-"}}
COST = limited(
    ANY_NUMBER, "number ≥ 0 and < 2¹⁰²⁴", lambda cost: 0 <= cost < 1 << 1024, minimum=0, **_NO_SIGN
)
Proof: TypeAlias = Annotated[dict[str, Any], PROOF]
CostsOrNone: TypeAlias = Annotated[tuple[float | int, ...] | None, optional(some(COST))]

FAST_METHODS = {
    **METHODS,
    "cones": partial(cones, least=least),
    "circuits": partial(circuits, cancels=cancel),
}
"""The methods of proof, their inner loops in arrays where doubles settle them, else in whole numbers."""


@dataclass(frozen=True, repr=False)
class ErrorsAtLeast(Certificate):
    """Every halfspace makes at least so many errors.

    Parameters
    ----------
    bound
        The number; with costs, in the largest unit of which every cost is a whole multiple.
    costs
        What an error costs, row by row; None: 1 each.
    proof
        A record that names its ``method``: ``cones``, ``circuits``, or ``none`` where contradicting rows
        alone prove the bound.
    intercept
        Whether halfspaces with an intercept are meant.

    Examples
    --------
    Two rows that are equal but for their labels:

    >>> proof = ErrorsAtLeast(1, None, {"method": "none"}, intercept=True)
    >>> proof.verify([[0.0], [1.0], [1.0]], [0, 0, 1])
    Verdict(holds=True, reason='Every halfspace makes at least 1 error.')
    """

    title = "bound on errors"

    bound: Whole
    costs: CostsOrNone
    proof: Proof
    intercept: Flag

    @property
    def unit(self) -> Fraction:
        return whole_costs(None if self.costs is None else list(self.costs), len(self.costs or ()))[1]

    @property
    def claim(self) -> str:
        through = "" if self.intercept else " through the origin"
        return f"Every halfspace{through} makes {priced(self.bound, self.unit, self.costs is not None)}."

    def _prove(self, source: RowSource) -> Verdict:
        try:
            costs, unit = whole_costs(None if self.costs is None else list(self.costs), source.n_rows)
            proven = lower_bound(
                self.proof, grouped(signed_rows(source), self.intercept, costs), FAST_METHODS
            )
        except (Refused, Unreadable) as refused:
            return Verdict(False, str(refused))
        if proven < self.bound:
            return Verdict(False, f"Its proof shows {proven}, less than the {self.bound} claimed.")
        return Verdict(True, f"Every halfspace makes {priced(self.bound, unit, self.costs is not None)}.")


def signed_rows(source: RowSource) -> Iterator[tuple[list[float], int]]:
    """Values and sign of each row."""
    for piece in source.pieces():
        X = piece.X
        refuse_infinite(X, range(piece.start, piece.stop))
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        yield from zip(dense.tolist(), piece.signs.tolist(), strict=True)


def priced(bound: int, unit: Fraction, costly: bool) -> str:
    """The bound in words."""
    if costly:
        return f"errors that cost at least {amount(bound, unit)}"
    return f"at least {bound} error{'s' * (bound != 1)}"


def amount(cost: int, unit: Fraction) -> str:
    exact = cost * unit
    if exact.denominator == 1 or exact > 1 << 1000:  # beyond it no fraction is left to see
        return str(round(exact))
    return repr(float(exact))


@dataclass(frozen=True, repr=False)
class ErrorsAtMost(Certificate):
    """At most so many rows have s(w·x + b) ≤ 0, in exact arithmetic: an upper bound on the fewest errors.

    A row on the hyperplane is an error, as it is in training.

    Parameters
    ----------
    weights, intercept
        The halfspace; doubles or whole numbers, and None for no intercept.
    errors
        How many rows it may have on the wrong side or on the hyperplane.

    Examples
    --------
    >>> bound = ErrorsAtMost((1.0, 1.0), intercept=-0.5, errors=1)
    >>> bound.verify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    Verdict(holds=True, reason='1 of 4 rows is an error.')
    """

    title = "errors"
    leaves_open = NO_FEWER_ERRORS

    weights: Numbers
    intercept: NumberOrNone
    errors: Whole

    @property
    def claim(self) -> str:
        return f"A halfspace makes at most {self.errors} error{'s' * (self.errors != 1)} on the rows."

    def _prove(self, source: RowSource) -> Verdict:
        errors = errors_of(source, self.weights, self.intercept)
        counted = f"{errors} of {source.n_rows} rows {'is an error' if errors == 1 else 'are errors'}"
        if errors > self.errors:
            return Verdict(False, f"{counted}, more than the {self.errors} claimed.")
        return Verdict(True, f"{counted}.")


@dataclass(frozen=True, repr=False)
class FewestErrors(Certificate):
    """A halfspace with so many errors, and a proof that none has fewer than so many.

    Parameters
    ----------
    weights, intercept
        The halfspace; doubles or whole numbers, and None for one through the origin.
    errors
        What its errors cost, and
    bound
        what those of any halfspace cost at least: in the largest unit of which every cost is a whole
        multiple, which is one error where ``costs`` is None.
    costs
        What an error costs, row by row; None: 1 each.
    proof
        Of the bound; see `ErrorsAtLeast`.

    Examples
    --------
    >>> proof = FewestErrors((1.0,), -0.5, errors=1, bound=1, costs=None, proof={"method": "none"})
    >>> proof.claim
    'The fewest errors of any halfspace are 1.'
    >>> proof.verify([[0.0], [1.0], [1.0]], [0, 0, 1]).holds
    True
    """

    title = "fewest errors"

    weights: Numbers
    intercept: NumberOrNone
    errors: Whole
    bound: Whole
    costs: CostsOrNone
    proof: Proof

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bound > self.errors:
            raise CertificateError(f"Its bound of {self.bound} is above the {self.errors} of its halfspace.")

    @property
    def at_least(self) -> ErrorsAtLeast:
        """The lower end alone."""
        return ErrorsAtLeast(self.bound, self.costs, self.proof, self.intercept is not None, about=self.about)

    @property
    def at_most(self) -> ErrorsAtMost | None:
        """The upper end alone, where every error costs 1."""
        if self.costs is not None:
            return None
        return ErrorsAtMost(self.weights, self.intercept, self.errors, about=self.about)

    @property
    def unit(self) -> Fraction:
        return self.at_least.unit

    @property
    def claim(self) -> str:
        through = "" if self.intercept is not None else " through the origin"
        what = "fewest errors" if self.costs is None else "least cost of the errors"
        verb = "are" if self.costs is None else "is"
        low, high = amount(self.bound, self.unit), amount(self.errors, self.unit)
        between = low if self.bound == self.errors else f"between {low} and {high}"
        return f"The {what} of any halfspace{through} {verb} {between}."

    def _prove(self, source: RowSource) -> Verdict:
        try:
            costs, _ = whole_costs(None if self.costs is None else list(self.costs), source.n_rows)
        except Refused as refused:
            return Verdict(False, str(refused))
        margins = Margins(self.weights, self.intercept)
        spent = 0
        for piece in source.pieces():
            wrong = margins.compare(piece.X, piece.signs, piece.start) <= 0
            spent += sum(costs[piece.start + i] for i in np.flatnonzero(wrong).tolist())
        if spent > self.errors:
            return Verdict(False, f"The halfspace costs {spent}, more than the {self.errors} claimed.")
        lower = self.at_least._prove(source)
        if not lower:
            return lower
        low, high = amount(self.bound, self.unit), amount(spent, self.unit)
        return Verdict(True, f"A halfspace costs {high}; none costs less than {low}.")
