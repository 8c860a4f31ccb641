"""The affine function w·x + b with its true sign: by doubles where they are sure, else by whole numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Rational, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.kernels.arrow_layout import fault_of
from separatrix.kernels.sparse_layout import by_rows

Number = int | float | Fraction

_EPSILON = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
_LEAST_DOUBLE = math.ulp(0.0)

_NOT_FINITE = "points must be finite numbers"


@dataclass(frozen=True)
class Affine:
    """x -> w·x + b; `numbers` are the d weights, then b."""

    numbers: tuple[Number, ...]

    def __call__(self, X: Any, exponent: int) -> NDArray[np.float64]:
        """(w·x + b)/2**exponent at each point, with its true sign: never 0 unless it is 0."""
        points = as_points(X, len(self.numbers) - 1)
        if points.dtype == object:
            return self._of_fractions(points, exponent)
        weights = self._doubles
        # A term meets a rounded weight, a product and at most d sums, each off by a factor 1 ± eps/2 or
        # (underflow) by less than the smallest normal double; twice that pays for rounding here too.
        slack = (len(weights) + 3) * _EPSILON * np.abs(weights) + _TINY
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            value = np.atleast_1d(points @ weights[:-1] + weights[-1])
            error = abs(points) @ slack[:-1] + slack[-1] + 2 * len(weights) * _TINY
            certain = np.isfinite(value) & (np.abs(value) > error)
            scaled = np.ldexp(value, self.magnitude - exponent)
        value = np.where(certain & (scaled == 0), np.copysign(_LEAST_DOUBLE, value), scaled)
        doubtful = np.flatnonzero(~certain)
        if doubtful.size and isinstance(points, np.ndarray):
            value[doubtful] = self._exact(np.atleast_2d(points)[doubtful], self.integers[:-1], exponent)
        else:
            for row in doubtful:
                entries = slice(points.indptr[row], points.indptr[row + 1])
                weights_there = self.integers[points.indices[entries]]
                value[row] = self._exact(points.data[None, entries], weights_there, exponent).item()
        return value.reshape(points.shape[:-1])

    def _exact(
        self, values: NDArray[np.float64], weights: NDArray[np.object_], exponent: int
    ) -> NDArray[np.float64]:
        mantissas, powers = np.frexp(np.column_stack([values, np.ones(len(values))]))
        digits = np.ldexp(mantissas, 53).astype(np.int64).astype(object)
        lowest = powers.min(axis=1)
        shifts = (powers - lowest[:, None]).astype(object)
        totals = (digits << shifts) @ np.append(weights, self.integers[-1])
        powers_left = (lowest - 53 - exponent).tolist()
        return np.array(
            [
                quotient(total, self.divisor, power, least=_LEAST_DOUBLE)
                for total, power in zip(totals, powers_left, strict=True)
            ]
        )

    def _of_fractions(self, points: NDArray[np.object_], exponent: int) -> NDArray[np.float64]:
        totals = np.atleast_1d(points @ self.integers[:-1] + self.integers[-1]).tolist()
        ratios = [total.as_integer_ratio() for total in totals]
        values = [
            quotient(top, bottom * self.divisor, -exponent, least=_LEAST_DOUBLE) for top, bottom in ratios
        ]
        return np.array(values).reshape(points.shape[:-1])

    @cached_property
    def magnitude(self) -> int:
        return magnitude(self.numbers)

    @cached_property
    def _doubles(self) -> NDArray[np.float64]:
        """The numbers over 2**magnitude, the largest between 1/2 and 2."""
        return rounded(self.numbers, self.magnitude)

    @cached_property
    def divisor(self) -> int:
        return math.lcm(*(number.as_integer_ratio()[1] for number in self.numbers))

    @cached_property
    def integers(self) -> NDArray[np.object_]:
        """The numbers times `divisor`: whole."""
        ratios = (number.as_integer_ratio() for number in self.numbers)
        return np.array([top * (self.divisor // bottom) for top, bottom in ratios], dtype=object)


def as_number(value: Any, wanted: str) -> Number:
    """A whole number, a fraction or a finite float, with the value as given."""
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return Fraction(value)
    if isinstance(value, Real) and math.isfinite(value):
        if float(value) != value:
            raise ValueError(f"{wanted}, not {value!r}, which has more digits than doubles have")
        return float(value)
    raise ValueError(f"{wanted}, not {value!r}")


def as_points(X: Any, columns: int) -> Any:
    """A float array of one or two dimensions, or a CSR matrix of floats, with the values as given; where no
    doubles equal them, an array of Python's whole numbers and fractions."""
    fault = fault_of(X)
    if fault:
        raise ValueError(f"X {fault}")
    sparse = hasattr(X, "tocsr")
    points: Any = by_rows(X) if sparse else np.asarray(X)
    if points.ndim not in (1, 2):
        raise ValueError("points must be one point or a table of points, one a row")
    if points.shape[-1] != columns:
        plural = "" if points.shape[-1] == 1 else "s"
        raise ValueError(f"{points.shape[-1]} column{plural}, but the halfspace has {columns} weights")
    kind, size = points.dtype.kind, points.dtype.itemsize
    if kind == "O" and not sparse:
        return _exact_points(points)
    if kind not in "biuf":
        raise ValueError(f"{_NOT_FINITE}, not of type {points.dtype}")
    with np.errstate(over="ignore"):
        floats = points.astype(np.float64, copy=False)
    given, entries = (points.data, floats.data) if sparse else (points, floats)
    if not np.isfinite(entries).all():
        raise ValueError(_NOT_FINITE)
    if kind == "f" and size > 8 and (given != entries).any():
        raise ValueError(f"{_NOT_FINITE}, and these have more digits than doubles have")
    # NumPy makes doubles of a list or a frame that holds whole numbers beside others.
    rounded_already = kind == "f" and not (sparse or isinstance(X, np.ndarray))
    if (rounded_already or (kind in "iu" and size == 8)) and (np.abs(entries) >= 2.0**53).any():
        if sparse:  # dense, they might fill the memory
            if any(map(operator.ne, given.tolist(), entries.tolist())):
                raise ValueError(f"{_NOT_FINITE}, and a sparse table of them has one that no double equals")
            return floats
        return _exact_points(np.array(X.astype(object) if hasattr(X, "astype") else X, object))
    return floats


def _exact_points(points: NDArray[np.object_]) -> NDArray[Any]:
    numbers = [as_number(value, _NOT_FINITE) for value in points.flat]
    if all(map(_is_double, numbers)):
        return np.array(numbers, dtype=np.float64).reshape(points.shape)
    exact = np.empty(len(numbers), dtype=object)
    exact[:] = [Fraction(number) for number in numbers]
    return exact.reshape(points.shape)


def _is_double(number: Number) -> bool:
    try:
        return float(number) == number
    except OverflowError:
        return False


def magnitude(numbers: Sequence[Any]) -> int:
    """k with the largest of the numbers between 2**(k - 1) and 2**(k + 1)."""
    top, bottom = max(map(abs, numbers)).as_integer_ratio()
    return top.bit_length() - bottom.bit_length()


def rounded(numbers: Sequence[Number], exponent: int) -> NDArray[np.float64]:
    """The doubles nearest to the numbers over 2**exponent."""
    if all(isinstance(number, float) for number in numbers):
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(np.array(numbers, dtype=np.float64), -exponent)
    return np.array([quotient(*number.as_integer_ratio(), -exponent) for number in numbers])


def quotient(top: int, bottom: int, power: int, least: float = 0.0) -> float:
    """top/bottom·2**power, rounded once: infinite beyond the doubles, ± `least` where it would vanish."""
    try:
        value = (top << power) / bottom if power >= 0 else top / (bottom << -power)
    except OverflowError:
        return math.inf if top > 0 else -math.inf
    if value or not top:
        return value
    return least if top > 0 else -least
