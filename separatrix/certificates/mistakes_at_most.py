"""How many mistakes a perceptron can make on these rows, whatever their order.

**Novikoff's theorem** (1962). Let z = s(x, 1), or s·x without an intercept, ‖z‖ ≤ R, and let some w have
z·w/‖w‖ ≥ γ > 0 on every row. From zero with unit steps a perceptron makes at most (R/γ)² mistakes on any
sequence of these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.dyadic import dyadic
from separatrix.certificates.exact import Margins
from separatrix.certificates.source import Matrix, Source, doubles, refuse_infinite
from separatrix.certificates.witness import NumberOrNone, Numbers, Whole


@dataclass(frozen=True, repr=False)
class MistakesAtMost(Certificate):
    """A perceptron from zero with unit steps makes at most so many mistakes, in any order, however often.

    Parameters
    ----------
    weights, intercept
        A halfspace; None for rows without the constant.
    mistakes
        The bound.

    Examples
    --------
    >>> MistakesAtMost((1.0, 1.0), None, mistakes=2).verify([[1.0, 0.0], [0.0, -1.0]], [1, 0]).holds
    True
    >>> MistakesAtMost((1.0, 1.0), None, mistakes=1).verify([[1.0, 0.0], [0.0, -1.0]], [1, 0])
    Verdict(holds=False, reason='Row 0 (counted from 0) has too small a margin for that.')
    """

    weights: Numbers
    intercept: NumberOrNone
    mistakes: Whole

    @property
    def claim(self) -> str:
        mistakes = "1 mistake" if self.mistakes == 1 else f"{self.mistakes} mistakes"
        return f"A perceptron from zero makes at most {mistakes} on these rows, in any order."

    def _prove(self, source: Source) -> Verdict:
        constant = self.intercept is not None
        normal = (*self.weights, self.intercept or 0)
        radius = Fraction(0)
        for piece in source.pieces():
            refuse_infinite(piece.X, range(piece.start, piece.stop))
            radius = max(radius, squared_radius(piece.X))
        radius += constant
        # Mistakes are whole, so (R/γ)² < mistakes + 1 is enough: γ² > R²/(mistakes + 1).
        margins = Margins(
            self.weights, self.intercept, dyadic(normal).squared_norm() * radius / (self.mistakes + 1)
        )
        for piece in source.pieces():
            wrong = np.flatnonzero(margins.compare(piece.X, piece.signs, piece.start) <= 0)
            if wrong.size:
                row = piece.start + int(wrong[0])
                return Verdict(False, f"Row {row} (counted from 0) has too small a margin for that.")
        return Verdict(True, f"(R/γ)² is below {self.mistakes + 1}.")


def squared_radius(X: Matrix) -> Fraction:
    """The largest ‖x‖², exactly: floats say which rows can have it, fractions which of them does."""
    if X.shape[0] == 0:
        return Fraction(0)
    X = doubles(X)  # the bound below is about doubles
    with np.errstate(all="ignore"):
        squares = np.asarray(
            np.vecdot(X, X) if isinstance(X, np.ndarray) else X.multiply(X).sum(axis=1)
        ).ravel()
    terms = X.shape[1] + 3
    floor = squares.max() * (1 - 4 * terms * 2.0**-53) - terms * 2.0**-1020
    near = np.flatnonzero(~(squares < floor)) if np.isfinite(squares).all() else np.arange(X.shape[0])
    rows = X[near] if isinstance(X, np.ndarray) else X[near].toarray()
    if squares.max() > 2.0**-900 and len(near) > 64:
        # Many rows of nearly the largest norm: equal ones need one look only.
        rows = np.unique(abs(rows), axis=0)
    return max(dyadic(row).squared_norm() for row in rows.tolist())
