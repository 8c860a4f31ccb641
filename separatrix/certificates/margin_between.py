"""The largest margin, from both sides: a halfspace that has nearly it, and rows that allow no more."""

from __future__ import annotations

from dataclasses import dataclass

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.inseparable import require_pairs
from separatrix.certificates.margin_at_least import MarginAtLeast, of_what
from separatrix.certificates.margin_at_most import MarginAtMost
from separatrix.certificates.source import Source
from separatrix.certificates.witness import Counts, Flag, Number, NumberOrNone, Numbers, RowNumbers


@dataclass(frozen=True, repr=False)
class MarginBetween(Certificate):
    """`MarginAtLeast` and `MarginAtMost` in one: the halfspace is the best there is, up to the gap.

    Parameters
    ----------
    weights, intercept
        The halfspace; None for one through the origin.
    rows, multipliers
        Numbers of rows, ascending, and a positive whole number for each.
    lower, upper
        The ends: what the halfspace has, and what none exceeds.
    geometric
        True: the distance of the rows from the hyperplane. False: the margin of the rows (x, 1).

    Examples
    --------
    >>> proof = MarginBetween((1.0,), -2.5, (1, 2), (1, 1), lower=0.5, upper=0.5, geometric=True)
    >>> proof.verify([[1.0], [2.0], [3.0]], [0, 0, 1]).holds
    True
    """

    weights: Numbers
    intercept: NumberOrNone
    rows: RowNumbers
    multipliers: Counts
    lower: Number
    upper: Number
    geometric: Flag

    def __post_init__(self) -> None:
        super().__post_init__()
        require_pairs(self.rows, self.multipliers)

    @property
    def claim(self) -> str:
        return f"The largest margin{of_what(self.geometric)} is between {self.lower!r} and {self.upper!r}."

    def _prove(self, source: Source) -> Verdict:
        constant = self.intercept is not None
        ends: tuple[Certificate, Certificate] = (
            MarginAtLeast(self.weights, self.intercept, self.lower, self.geometric),
            MarginAtMost(self.rows, self.multipliers, self.upper, self.geometric, constant),
        )
        for end in ends:
            verdict = end._prove(source)
            if not verdict:
                return verdict
        return Verdict(True, f"A halfspace has the margin {self.lower!r}; none has one above {self.upper!r}.")
