"""Where the origin is while a method runs, and how long a unit: as the user has them, or in the middle of the
rows, or changed so that squares neither overflow nor underflow."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from separatrix.rows import Rows
from separatrix.rows.centred import CentredRows, mean_of
from separatrix.rows.scaled import ScaledRows, change_of_units

FAR = 2.0**500


class Frame:
    """Rows as the learners see them, and the way for weights in and out.

    A hyperplane (w, b) is (w, b + w·c) for rows x − c. The sum is made exactly and rounded once: far from the
    origin its terms nearly cancel. A sum of rows without a constant is 2^k times as long in units 2^k times
    as small, and ``any_units`` says that this is all that units do to the method. The ``starts`` change with
    them, and where that would round one they stay.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        center: bool,
        any_units: bool = False,
        starts: Iterable[np.ndarray | None] = (),
    ) -> None:
        self.given = rows
        self.centre = mean_of(rows) if center else None
        self.exponent = 0
        self.rows = rows
        if self.centre is not None:
            self.rows = CentredRows(rows, self.centre)
        elif any_units:
            exponent = change_of_units(rows)
            if exponent and all(start is None or _same_after(start, exponent) for start in starts):
                self.exponent, self.rows = exponent, ScaledRows(rows, exponent)

    @property
    def counted(self) -> Rows:
        """The rows on which errors and margins are counted: those given, in units in which they can be."""
        return self.rows if self.exponent else self.given

    def for_counted(self, weights: np.ndarray) -> np.ndarray:
        """The weights of the method for those, with what rounding does to them on their way out."""
        outside = self.outwards(weights)
        return np.ldexp(outside, self.exponent) if self.exponent else outside

    def length_outside(self, length: float) -> float:
        """A length on the rows that are counted, as one on the rows given."""
        with np.errstate(over="ignore", under="ignore"):
            return float(np.ldexp(length, -self.exponent)) if self.exponent else length

    def inwards(self, weights: np.ndarray | None) -> np.ndarray | None:
        if weights is not None and self.exponent:
            return np.ldexp(weights, self.exponent)
        if weights is None or self.centre is None:
            return weights
        return np.append(weights[:-1], _double(Fraction(weights[-1]) + self._shift(weights)))

    def outwards(self, weights: np.ndarray) -> np.ndarray:
        if self.exponent:
            with np.errstate(over="ignore", under="ignore"):
                return np.ldexp(weights, -self.exponent)
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


@np.errstate(over="ignore", under="ignore")
def _same_after(start: np.ndarray, exponent: int) -> bool:
    """Whether a change of units rounds none of these numbers, and the squares of all are doubles still."""
    changed = np.ldexp(start, exponent)
    usual = bool(np.all(np.abs(changed) < FAR) and np.all((np.abs(changed) > 1 / FAR) | (start == 0)))
    return usual and np.array_equal(np.ldexp(changed, -exponent), start)


def _double(value: Fraction) -> float:
    """The nearest double, an infinity beyond the largest: such weights are reported as overflowed."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
