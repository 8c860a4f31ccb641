"""How large a margin is, or can be: four claims.

**Weak duality.** Let z = s(x, 1), or s·x without an intercept, and let l_i ≥ 0, not all 0. For every unit
vector v,

    min_i z_i·v ≤ Σ l_i z_i·v / Σ l_i ≤ ‖Σ l_i z_i‖ / Σ l_i.                                            (1)

So no halfspace has a larger margin than the right-hand side, and one that reaches a share of it reaches that
share of the largest margin. If the constant's entry of the sum is 0, both classes weigh the same, the
intercept drops out, and the bound is half the distance of two points of the two hulls: it then holds for the
geometric margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.arithmetic.dyadic import dyadic
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.claims.named_rows import NamedRows
from separatrix.certificates.claims.separation import (
    combination,
    first_wrong,
    missing_row,
    require_pairs,
)
from separatrix.certificates.data.reading import RowSource
from separatrix.certificates.fields import (
    Counts,
    Flag,
    Number,
    NumberOrNone,
    Numbers,
    RowNumbers,
    Share,
    several,
)


@dataclass(frozen=True, repr=False)
class MarginAtLeast(Certificate):
    """Every row has s(w·x + b)/‖w‖ ≥ margin, in exact arithmetic.

    Parameters
    ----------
    weights, intercept
        The halfspace; None for one through the origin.
    margin
        Above 0.
    geometric
        True: the distance of the rows from the hyperplane, b not in the norm. False: the margin of the rows
        (x, 1), b in the norm, which is the one of the mistake bound.

    Examples
    --------
    >>> MarginAtLeast((1.0,), -2.5, margin=0.5, geometric=True).verify([[1.0], [2.0], [3.0]], [0, 0, 1]).holds
    True
    >>> MarginAtLeast((1.0,), -2.5, margin=0.5, geometric=False).verify([[1.0], [2.0], [3.0]], [0, 0, 1])
    Verdict(holds=False, reason='Row 1 (counted from 0) has a smaller margin than that.')
    """

    title = "margin"

    weights: Numbers
    intercept: NumberOrNone
    margin: Number
    geometric: Flag

    @property
    def claim(self) -> str:
        return f"A halfspace has a margin of at least {self.margin!r}{of_what(self.geometric)}."

    def _prove(self, source: RowSource) -> Verdict:
        if self.margin <= 0:
            return Verdict(False, "A margin is a number above 0.")
        normal = self.weights if self.geometric else (*self.weights, self.intercept or 0)
        floor = Fraction(self.margin) ** 2 * dyadic(normal).squared_norm()
        if not floor:
            return Verdict(False, "Its weights are all zero.")
        row = first_wrong(source, Margins(self.weights, self.intercept, floor), np.greater_equal)
        if row is not None:
            return Verdict(False, f"Row {row} (counted from 0) has a smaller margin than that.")
        return Verdict(True, f"All {source.n_rows} rows have a margin of at least {self.margin!r}.")


def of_what(geometric: bool) -> str:
    return "" if geometric else " for the rows (x, 1)"


@dataclass(frozen=True, repr=False)
class MarginAtMost(NamedRows):
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

    title = "bound on margins"

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

    def _prove(self, source: RowSource) -> Verdict:
        missing = missing_row(source, self.rows)
        if missing is not None:
            return Verdict(False, missing)
        total = combination(source, self.rows, self.multipliers, self.intercept)
        if self.geometric and self.intercept and total.wholes[-1]:
            return Verdict(False, "Its multipliers do not weigh both classes the same.")
        bound = total.squared_norm() / sum(self.multipliers) ** 2  # (1) above
        if self.margin < 0 or bound > Fraction(self.margin) ** 2:
            return Verdict(False, "Its rows allow a larger margin than that.")
        allow = several(len(self.rows), "row", ("allows", "allow"))
        return Verdict(True, f"{allow} no margin above {self.margin!r}.")


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

    title = "largest margin"

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

    def _prove(self, source: RowSource) -> Verdict:
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


@dataclass(frozen=True, repr=False)
class MarginShare(Certificate):
    """The margin min z·w/‖w‖ of the halfspace is at least ``share`` times the largest there is.

    The margin is that of the rows z = s(x, 1), with the intercept in w and in its norm; without an intercept,
    that of the rows s·x.

    Parameters
    ----------
    weights, intercept
        The halfspace; None for rows without the constant.
    rows, multipliers
        Numbers of rows, ascending, and a whole-number multiplier for each.
    share
        Above 0, at most 1.

    Examples
    --------
    >>> proof = MarginShare((1.0,), intercept=0.0, rows=(1, 2), multipliers=(1, 1), share=1.0)
    >>> proof.verify([[-5.0], [-2.0], [2.0]], [0, 0, 1]).holds
    True
    """

    title = "share of the largest margin"

    weights: Numbers
    intercept: NumberOrNone
    rows: RowNumbers
    multipliers: Counts
    share: Share

    def __post_init__(self) -> None:
        super().__post_init__()
        require_pairs(self.rows, self.multipliers, "It has no rows to bound the best margin with.")

    @property
    def claim(self) -> str:
        rows = "x" if self.intercept is None else "(x, 1)"
        return f"A halfspace has at least {self.share!r} of the largest possible margin of the rows {rows}."

    def _prove(self, source: RowSource) -> Verdict:
        missing = missing_row(source, self.rows)
        if missing is not None:
            return Verdict(False, missing)
        total = combination(source, self.rows, self.multipliers, self.intercept is not None)
        best = total.squared_norm() / sum(self.multipliers) ** 2  # (1) above
        if not best:
            return Verdict(False, "Its multipliers prove that no halfspace separates the rows.")
        weights = self.weights if self.intercept is None else (*self.weights, self.intercept)
        floor = Fraction(self.share) ** 2 * dyadic(weights).squared_norm() * best
        if not floor:
            return Verdict(False, "Its weights are all zero.")
        row = first_wrong(source, Margins(self.weights, self.intercept, floor), np.greater_equal)
        if row is not None:
            return Verdict(False, f"Row {row} (counted from 0) has a smaller margin than that.")
        return Verdict(True, f"All {source.n_rows} rows have at least {self.share!r} of the largest margin.")
