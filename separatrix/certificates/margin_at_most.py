"""A few rows that prove that no halfspace has a larger margin.

**Weak duality.** Let z = s(x, 1), or s·x without an intercept, and l_i > 0. Then min z·w ≤ ‖Σ l_i z_i‖‖w‖ / Σ
l_i for every w. If the constant's entry of the sum is 0, both classes weigh the same, the intercept drops
out, and the bound is half the distance of two points of the two hulls: it holds for the geometric margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.inseparable import combination, require_pairs
from separatrix.certificates.margin_at_least import of_what
from separatrix.certificates.source import Source
from separatrix.certificates.witness import Counts, Flag, Number, RowNumbers, several


@dataclass(frozen=True, repr=False)
class MarginAtMost(Certificate):
    """No halfspace has a larger margin.

    Parameters
    ----------
    rows, multipliers
        Numbers of rows, ascending, and a positive whole number for each.
    margin
        The bound, not below 0.
    geometric
        True: the distance of the rows from the hyperplane. False: the margin of the rows (x, 1).
    intercept
        Whether halfspaces with an intercept are bounded too.

    Examples
    --------
    >>> X, y = [[1.0], [2.0], [3.0]], [0, 0, 1]
    >>> MarginAtMost((1, 2), (1, 1), margin=0.5, geometric=True, intercept=True).verify(X, y).holds
    True
    >>> MarginAtMost((1, 2), (1, 1), margin=0.4, geometric=True, intercept=True).verify(X, y)
    Verdict(holds=False, reason='Its rows allow a larger margin than that.')
    """

    rows: RowNumbers
    multipliers: Counts
    margin: Number
    geometric: Flag
    intercept: Flag

    def __post_init__(self) -> None:
        super().__post_init__()
        require_pairs(self.rows, self.multipliers)

    @property
    def claim(self) -> str:
        return f"No halfspace has a margin above {self.margin!r}{of_what(self.geometric)}."

    def _prove(self, source: Source) -> Verdict:
        if self.rows[-1] >= source.n_rows:
            return Verdict(False, f"It names row {self.rows[-1]}; this data has {source.n_rows} rows.")
        total = combination(source, self.rows, self.multipliers, self.intercept)
        if self.geometric and self.intercept and total.wholes[-1]:
            return Verdict(False, "Its multipliers do not weigh both classes the same.")
        bound = total.squared_norm() / sum(self.multipliers) ** 2
        if self.margin < 0 or bound > Fraction(self.margin) ** 2:
            return Verdict(False, "Its rows allow a larger margin than that.")
        allow = several(len(self.rows), "row", ("allows", "allow"))
        return Verdict(True, f"{allow} no margin above {self.margin!r}.")
