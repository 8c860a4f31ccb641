"""Where the origin is while a method runs, and how long a unit: as the user has them, or in the middle of the
rows, or changed so that squares neither overflow nor underflow."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from separatrix.algorithms.perceptrons.learner import is_exact_after_scaling, ldexp
from separatrix.rows import Rows
from separatrix.rows.views.centred import mean_of
from separatrix.rows.views.scaled import change_of_units


class InternalCoordinates:
    """Rows as the learners see them, and the way for weights in and out.

    A hyperplane (w, b) is (w, b + w·c) for rows x − c. The sum is made exactly and rounded once: far from the
    origin its terms nearly cancel. In units 2^k times as small, rows without a constant are 2^k times as
    long, and ``is_scale_equivariant`` says that weights 2^(k·degree) times as long are all that this does to
    the method: sums of rows have the degree 1. The ``starts`` change with them, and where that would round
    one they stay.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        center: bool,
        is_scale_equivariant: bool = False,
        degree: int = 1,
        starts: Iterable[np.ndarray | None] = (),
    ) -> None:
        self.given = rows
        self.centre = mean_of(rows) if center else None
        self.exponent, self.degree = 0, degree
        self.rows = rows
        if self.centre is not None:
            self.rows = rows.centred(self.centre)
        elif is_scale_equivariant:
            exponent = change_of_units(rows)
            if exponent and all(
                start is None or is_exact_after_scaling(start, degree * exponent) for start in starts
            ):
                self.exponent, self.rows = exponent, rows.scaled(exponent)

    @property
    def counted_rows(self) -> Rows:
        """The rows on which errors and margins are counted: those given, in units in which they can be."""
        return self.rows if self.exponent else self.given

    def counted_weights(self, weights: np.ndarray) -> np.ndarray:
        """The weights of the method for those, with what rounding does to them on their way out."""
        user_weights = self.to_user(weights)
        return np.ldexp(user_weights, self.degree * self.exponent) if self.exponent else user_weights

    def user_length(self, length: float, degree: int = 1) -> float:
        """A length on the rows that are counted, as one on the rows given."""
        return float(ldexp(length, -degree * self.exponent)) if self.exponent else length

    def to_internal(self, weights: np.ndarray | None) -> np.ndarray | None:
        if weights is not None and self.exponent:
            return np.ldexp(weights, self.degree * self.exponent)
        if weights is None or self.centre is None:
            return weights
        return np.append(weights[:-1], _double(Fraction(weights[-1]) + self._shift(weights)))

    def to_user(self, weights: np.ndarray) -> np.ndarray:
        if self.exponent:
            return ldexp(weights, -self.degree * self.exponent)
        if self.centre is None or not np.isfinite(weights).all():
            return np.array(weights)
        return np.append(weights[:-1], _double(Fraction(weights[-1]) - self._shift(weights)))

    def to_integers(self, weights: np.ndarray) -> tuple[int, ...]:
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
