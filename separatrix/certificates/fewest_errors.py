"""The fewest errors of any halfspace, from both sides."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.check.fewest_errors import whole_costs
from separatrix.certificates.check.record import Refused
from separatrix.certificates.errors_at_least import CostsOrNone, ErrorsAtLeast, Proof, amount
from separatrix.certificates.errors_at_most import ErrorsAtMost
from separatrix.certificates.exact import Margins
from separatrix.certificates.source import Source
from separatrix.certificates.witness import CertificateError, NumberOrNone, Numbers, Whole


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

    def _prove(self, source: Source) -> Verdict:
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
