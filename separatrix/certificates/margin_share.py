"""A halfspace whose margin is a given share of the best one, without knowing the best one.

**Weak duality.** Let z = s(x, 1), or s·x without an intercept. For any unit vector v and multipliers l ≥ 0
that are not all 0, min_i z_i·v ≤ Σ l_i z_i·v / Σ l_i ≤ ‖Σ l_i z_i‖ / Σ l_i. So every halfspace has a margin
of at most the right-hand side, and one that reaches ``share`` times it reaches that share of the best
margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.combination import weighted_sum
from separatrix.certificates.dyadic import Dyadic, dyadic
from separatrix.certificates.exact import Margins
from separatrix.certificates.source import Source
from separatrix.certificates.witness import CertificateError, Counts, NumberOrNone, Numbers, RowNumbers, Share


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

    weights: Numbers
    intercept: NumberOrNone
    rows: RowNumbers
    multipliers: Counts
    share: Share

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.rows) != len(self.multipliers):
            raise CertificateError(f"It has {len(self.rows)} rows but {len(self.multipliers)} multipliers.")
        if not self.rows:
            raise CertificateError("It has no rows to bound the best margin with.")

    @property
    def claim(self) -> str:
        rows = "x" if self.intercept is None else "(x, 1)"
        return f"A halfspace has at least {self.share!r} of the largest possible margin of the rows {rows}."

    def _prove(self, source: Source) -> Verdict:
        if self.rows[-1] >= source.n_rows:
            return Verdict(False, f"It names row {self.rows[-1]}; this data has {source.n_rows} rows.")
        best = self._combination(source).squared_norm() / sum(self.multipliers) ** 2
        if not best:
            return Verdict(False, "Its multipliers prove that no halfspace separates the rows.")
        weights = self.weights if self.intercept is None else (*self.weights, self.intercept)
        floor = Fraction(self.share) ** 2 * dyadic(weights).squared_norm() * best
        if not floor:
            return Verdict(False, "Its weights are all zero.")
        margins = Margins(self.weights, self.intercept, floor)
        for piece in source.pieces():
            wrong = np.flatnonzero(margins.compare(piece.X, piece.signs, piece.start) < 0)
            if wrong.size:
                row = piece.start + int(wrong[0])
                return Verdict(False, f"Row {row} (counted from 0) has a smaller margin than that.")
        return Verdict(True, f"All {source.n_rows} rows have at least {self.share!r} of the largest margin.")

    def _combination(self, source: Source) -> Dyadic:
        constant = self.intercept is not None
        total = Dyadic((0,) * (source.n_columns + constant), 0)
        for X, signs, part in source.gather(self.rows):
            pairs = zip(self.multipliers[part], signs.tolist(), strict=True)
            total += weighted_sum(X, [multiplier * sign for multiplier, sign in pairs], constant)
        return total
