"""The rows as the engines see them: exact, merged, cancelled.

A halfspace is a vector w, a row is z = s(x, 1) (s·x without an intercept), and the row is an error iff
z·w ≤ 0. Three things change nothing of the question and are done once, exactly:

- each column is multiplied by the least power of two, from 1 up, that makes all its entries whole numbers;
- rows of one direction are one row with the sum of their weights;
- of two rows in opposite directions exactly one or both are errors: the smaller weight is paid in any case,
  and the difference stays with the heavier one. A row of zeros is always an error.

What is paid in any case is the ``offset``. A row that stays has the number of the first row of the data that
lies in its direction, its *name*. Proofs speak of rows by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from operator import mul
from typing import Any

import numpy as np

IntegerVector = tuple[int, ...]

DWARFED_SHARE = 0.02  # of the largest entry of a column
MAX_COST_BITS = 1000  # bits of a cost as a double


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """Distinct directions with positive whole weights.

    Attributes
    ----------
    values
        The rows that stay as doubles, (m, D): s·x and, with an intercept, s in the last column.
    exponents
        Column j of ``Z`` is column j of ``values`` times 2 to this power (0 or more).
    weights
        Whole, positive, one a row.
    offset
        What every halfspace pays, in the same unit.
    unit
        One unit of cost in the user's numbers: 1 where all rows weigh 1.
    members
        For each row that stays, the rows of the data in its direction.
    names
        The first of each.
    intercept
        Whether the last column is the constant.
    n_rows
        Of the data.
    contradictions
        Directions in which rows contradict each other, each with the smaller of the two costs: a halfspace
        with such a row on its hyperplane pays that once more.
    """

    values: np.ndarray
    exponents: IntegerVector
    weights: IntegerVector
    offset: int
    unit: Fraction
    members: tuple[IntegerVector, ...]
    names: IntegerVector
    intercept: bool
    n_rows: int
    contradictions: tuple[tuple[IntegerVector, int], ...] = ()

    @property
    def D(self) -> int:
        return int(self.values.shape[1])

    @property
    def m(self) -> int:
        return len(self.names)

    @cached_property
    def total(self) -> int:
        """The cost of erring everywhere, the offset included."""
        return self.offset + sum(self.weights)

    @cached_property
    def Z(self) -> tuple[IntegerVector, ...]:
        """The rows as whole numbers."""
        columns = [_to_integers(column, e) for column, e in zip(self.values.T, self.exponents, strict=True)]
        return tuple(zip(*columns, strict=True)) if self.m else ()

    @cached_property
    def scale_exponents(self) -> np.ndarray:
        """``floats`` is ``values`` times 2 to minus these, so that no entry is above 1 in size."""
        largest = abs(self.values).max(axis=0, initial=0.0)
        return np.where(largest > 0, np.frexp(largest)[1], 0).astype(np.int64)

    @cached_property
    def floats(self) -> np.ndarray:
        """The rows as doubles in handy units, C order: for proposals."""
        with np.errstate(under="ignore"):
            return np.ascontiguousarray(np.ldexp(self.values, -self.scale_exponents.astype(np.intc)))

    @cached_property
    def has_exact_floats(self) -> bool:
        """Whether ``floats`` has lost no bits to underflow, and may prove something."""
        return bool((np.ldexp(self.floats, self.scale_exponents.astype(np.intc)) == self.values).all())

    @cached_property
    def equilibrated(self) -> tuple[np.ndarray, np.ndarray]:
        """``floats`` and ones; but where a few entries of a column dwarf the others, rows of length 1 in the
        units of typical entries, and those units, which are powers of two."""
        sizes = np.where(self.floats == 0.0, np.nan, abs(self.floats))
        units = np.ones(self.D)
        for j in np.flatnonzero(~np.isnan(sizes).all(axis=0)):
            units[j] = np.ldexp(1.0, max(int(np.frexp(np.nanmedian(sizes[:, j]))[1]), -900))
        if units.min(initial=1.0) > DWARFED_SHARE:
            return self.floats, np.ones(self.D)
        rows = self.floats / units
        rows /= np.maximum(abs(rows).max(axis=1, keepdims=True, initial=0.0), 1e-300)
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        return rows / np.where(lengths > 0, lengths, 1.0), units

    @property
    def is_badly_scaled(self) -> bool:
        """Whether the largest entries of a column dwarf its typical ones."""
        return bool(self.equilibrated[1].min(initial=1.0) < 1.0)

    @cached_property
    def float_weights(self) -> np.ndarray:
        """The weights as doubles, in units of 2 to the power :attr:`cost_shift`: for proposals."""
        return np.array([self.to_float_cost(weight) for weight in self.weights], dtype=np.float64)

    @cached_property
    def cost_shift(self) -> int:
        """0 unless the costs add up to more than doubles hold."""
        return max(0, self.total.bit_length() - MAX_COST_BITS)

    def to_float_cost(self, cost: int) -> float:
        """The nearest double to a cost, in the unit of :attr:`float_weights`."""
        return cost / (1 << self.cost_shift)

    def take(self, rows: Sequence[int]) -> ReducedProblem:
        """The problem of some of the rows."""
        return replace(
            self,
            values=np.ascontiguousarray(self.values[list(rows)]),
            weights=tuple(self.weights[i] for i in rows),
            members=tuple(self.members[i] for i in rows),
            names=tuple(self.names[i] for i in rows),
        )

    def from_floats(self, w: Sequence[float] | np.ndarray) -> IntegerVector:
        """Whole numbers for ``Z`` that are a positive multiple of a vector for ``floats``, exactly."""
        shifts = [int(-h) - e for h, e in zip(self.scale_exponents, self.exponents, strict=True)]
        return to_primitive_vector(
            [Fraction(float(a)) * _power_of_two(k) for a, k in zip(w, shifts, strict=True)]
        )

    def to_floats(self, w: Sequence[int]) -> np.ndarray:
        """The nearest doubles for ``floats``, at most 1 in size, to a vector for ``Z``."""
        shifts = [int(h) + e for h, e in zip(self.scale_exponents, self.exponents, strict=True)]
        exact = [Fraction(a) * _power_of_two(k) for a, k in zip(w, shifts, strict=True)]
        largest = max(map(abs, exact), default=Fraction(0)) or Fraction(1)
        return np.array([float(a / largest) for a in exact])

    def to_user(self, w: Sequence[int]) -> IntegerVector:
        """Whole-number weights for the columns as given (intercept last, if there is one)."""
        return to_primitive_vector([a << e for a, e in zip(w, self.exponents, strict=True)])

    def from_user(self, w: Sequence[float | int]) -> IntegerVector:
        """A vector for ``Z`` from weights for the columns as given (intercept last, if there is one)."""
        return to_primitive_vector(
            [Fraction(a) * _power_of_two(-e) for a, e in zip(w, self.exponents, strict=True)]
        )

    def find_wrong(self, w: Sequence[int]) -> np.ndarray:
        """Which rows have z·w ≤ 0, exactly; ``w`` is for ``Z``."""
        rounded = self.to_floats(w)
        with np.errstate(under="ignore"):
            scores = self.floats @ rounded
            error_bounds = (self.D + 4) * 2.0**-51 * (abs(self.floats) @ abs(rounded)) + 2.0**-960
        is_wrong = scores <= 0
        for i in np.flatnonzero(abs(scores) <= error_bounds).tolist():
            is_wrong[i] = sum(map(mul, self.Z[i], w)) <= 0
        return np.asarray(is_wrong)

    def avoid_contradictions(self, w: Sequence[int]) -> IntegerVector:
        """The same halfspace, turned so little that strict sides stay, with no contradiction on it."""
        if any(w) and all(sum(map(mul, z, w)) for z, _ in self.contradictions):
            return tuple(w)
        random = np.random.default_rng(0)
        while True:
            perturbation = [int(a) for a in random.integers(-1000, 1000, self.D)]
            if all(sum(map(mul, z, perturbation)) for z, _ in self.contradictions) and any(perturbation):
                break
        rows = (*self.Z, *(z for z, _ in self.contradictions))
        factor = 1 + max((abs(sum(map(mul, z, perturbation))) for z in rows), default=0)
        return tuple(factor * a + b for a, b in zip(w, perturbation, strict=True))

    def compute_cost(self, w: Sequence[int]) -> int:
        """What the halfspace ``w`` (for ``Z``) costs, the offset included, exactly."""
        chosen = np.flatnonzero(self.find_wrong(w)).tolist()
        contradicted = sum(cost for z, cost in self.contradictions if not sum(map(mul, z, w)))
        return self.offset + contradicted + sum(self.weights[i] for i in chosen)


def to_primitive_vector(numbers: Sequence[Any]) -> IntegerVector:
    """The shortest vector of whole numbers in a direction.

    >>> to_primitive_vector([Fraction(1, 2), Fraction(-3, 4), 0])
    (2, -3, 0)
    """
    denominator = lcm(*(a.denominator for a in numbers))
    integers = [int(a * denominator) for a in numbers]
    divisor = gcd(*integers) or 1
    return tuple(a // divisor for a in integers)


def _power_of_two(k: int) -> Fraction:
    return Fraction(1 << k) if k >= 0 else Fraction(1, 1 << -k)


def find_least_exponent(column: np.ndarray) -> int:
    """The least k from 0 up such that 2^k times every entry is whole.

    >>> find_least_exponent(np.array([0.75, -3.0])), find_least_exponent(np.array([4.0, 0.0]))
    (2, 0)
    """
    if (np.rint(column) == column).all():
        return 0
    mantissas, exponents = np.frexp(column)
    bits = np.ldexp(mantissas, 53).astype(np.int64)
    low = np.frexp((bits & -bits).astype(np.float64))[1] - 1
    return max(0, int((53 - low - exponents)[bits != 0].max(initial=0)))


def _to_integers(column: np.ndarray, exponent: int) -> list[int]:
    if exponent < 900 and abs(column).max(initial=0.0) < 2.0**100:
        return [int(a) for a in np.ldexp(column, exponent).tolist()]
    ratios = [a.as_integer_ratio() for a in column.tolist()]
    return [(numerator << exponent) // denominator for numerator, denominator in ratios]
