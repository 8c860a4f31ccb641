"""Where the origin is while a method runs: where the user has it, or in the middle of the rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from separatrix.rows import Rows
from separatrix.rows.centred import CentredRows, mean_of


class Frame:
    """Rows as the learners see them, and the way for weights in and out.

    A hyperplane (w, b) is (w, b + w·c) for rows x − c. The sum is made exactly and rounded once: far from the
    origin its terms nearly cancel.
    """

    def __init__(self, rows: Rows, *, center: bool) -> None:
        self.given = rows
        self.centre = mean_of(rows) if center else None
        self.rows = rows if self.centre is None else CentredRows(rows, self.centre)

    def inwards(self, weights: np.ndarray | None) -> np.ndarray | None:
        if weights is None or self.centre is None:
            return weights
        return np.append(weights[:-1], _double(Fraction(weights[-1]) + self._shift(weights)))

    def outwards(self, weights: np.ndarray) -> np.ndarray:
        if self.centre is None or not np.isfinite(weights).all():
            return np.array(weights)
        return np.append(weights[:-1], _double(Fraction(weights[-1]) - self._shift(weights)))

    def whole(self, weights: np.ndarray) -> tuple[int, ...]:
        """The hyperplane outside as whole numbers, the intercept last: the same one, without rounding."""
        exact = [Fraction(w) for w in weights]
        exact[-1] -= self._shift(weights)
        common = max(value.denominator for value in exact)  # powers of two all: the largest serves every one
        return tuple(int(value * common) for value in exact)

    def _shift(self, weights: np.ndarray) -> Fraction:
        if self.centre is None:
            return Fraction(0)
        return sum(
            (Fraction(w) * Fraction(c) for w, c in zip(weights, self.centre, strict=False)), Fraction(0)
        )


def _double(value: Fraction) -> float:
    """The nearest double, an infinity beyond the largest: such weights are reported as overflowed."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
