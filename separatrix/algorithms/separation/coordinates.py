"""The coordinates in which floats search: columns shifted and scaled by exact amounts, or a subspace of them.

A row z = s·(x, 1) is seen as a = z·B for a whole-number matrix B with one column a coordinate. The search
works on the a's; a direction u among them is the hyperplane w = B·u of the user's coordinates, and a·u = z·w
exactly. The first coordinates shift and scale columns by powers of two (`from_rows`); later ones hold
only the w that vanish on given rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from separatrix.algorithms.separation.integers import (
    divide_by_gcd,
    strip_powers_of_two,
    to_fmpz_matrix,
    to_integer_row,
    to_ints,
)
from separatrix.certificates.arithmetic.linear_algebra import fmpz_mat

MAX_COLUMN_EXPONENT = 300  # column exponents beyond this would take weights out of the range of floats


class ScaledCoordinates:
    """Scaled columns ``(x_j - shift_j) / 2**exponent_j``; the constant stays 1.

    Attributes
    ----------
    width : int
        D: the number of columns, the constant included where there is one.
    exponents, shifts : ndarray
    """

    def __init__(self, exponents: np.ndarray, shifts: np.ndarray, intercept: bool) -> None:
        self.exponents = exponents
        self.shifts = shifts
        self.intercept = intercept
        self.columns = len(exponents)
        self.width = self.columns + intercept
        self.extreme = bool(len(exponents)) and int(np.abs(exponents).max()) > MAX_COLUMN_EXPONENT

    @classmethod
    def from_rows(cls, X: np.ndarray, intercept: bool) -> ScaledCoordinates:
        """Coordinates in which these rows are near the origin and about 1 in size."""
        X = np.asarray(X, np.float64)
        low, high = X.min(axis=0), X.max(axis=0)
        with np.errstate(over="ignore"):
            spread = np.where(np.isfinite(high - low), high - low, high)
            threshold = 2 * spread
        largest = np.maximum(np.abs(low), np.abs(high))
        shifts = np.zeros(X.shape[1])
        if intercept:
            # Far from the origin only: there x - shift is exact, so that ties stay ties.
            is_distant = (
                (np.minimum(np.abs(low), np.abs(high)) > threshold)
                & (np.sign(low) == np.sign(high))
                & (spread > 0)
            )
            unit = np.ldexp(1.0, np.clip(np.frexp(spread)[1] - 2, -1000, 1000))
            with np.errstate(over="ignore", invalid="ignore"):
                middle = np.rint((low / 2 + high / 2) / unit) * unit
            is_distant &= np.isfinite(middle)
            shifts[is_distant] = middle[is_distant]
            largest = np.where(is_distant, spread, largest)
        exponents = np.where(largest > 0, np.frexp(largest)[1], 0).astype(np.int64)
        return cls(exponents, shifts, intercept)

    def to_points(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        """Rows as float points, each divided by a power of two so that its largest entry is about 1."""
        out = np.empty((len(X), self.width))
        d = self.columns
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            np.subtract(X, self.shifts, out=out[:, :d])
            np.ldexp(out[:, :d], -self.exponents, out=out[:, :d])
            if self.intercept:
                out[:, d] = 1.0
            out *= signs[:, None]
            return scale_rows(out)

    @cached_property
    def basis(self) -> fmpz_mat:
        """B, as whole numbers: D rows, D columns, all columns times one power of two."""
        d = self.columns
        shifts = [split_float(value) for value in self.shifts.tolist()]
        needed = [int(e) - low for e, (_, low) in zip(self.exponents.tolist(), shifts, strict=True)]
        top = max([0, *(int(e) for e in self.exponents.tolist()), *needed])
        B = fmpz_mat(self.width, self.width)
        for j in range(d):
            scale = top - int(self.exponents[j])
            B[j, j] = 1 << scale
            mantissa, low = shifts[j]
            if mantissa:
                B[d, j] = -mantissa << (scale + low)
        if self.intercept:
            B[d, d] = 1 << top
        return B

    def to_exact_points(self, X: np.ndarray, signs: np.ndarray) -> list[list[int]]:
        """Rows as whole-number points, each times a positive number."""
        return transform_rows(self.basis, X, signs, self.intercept)

    def transform_row(self, row: Sequence[int]) -> list[int]:
        """One row in whole numbers as a point."""
        return to_ints(fmpz_mat(1, len(row), list(row)) * self.basis)

    def to_float_weights(self, direction: np.ndarray) -> np.ndarray | None:
        """w = B·u in floats (length d + 1, the bias last), or None when floats cannot hold it."""
        d = self.columns
        weights = np.zeros(d + 1)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            weights[:d] = np.ldexp(direction[:d], -self.exponents)
            if self.intercept:
                weights[d] = direction[d] - float(np.sum(self.shifts * weights[:d]))
        underflowed = (weights[:d] == 0) != (direction[:d] == 0)
        return None if self.extreme or underflowed.any() or not np.isfinite(weights).all() else weights

    def to_exact_weights(self, direction: Sequence[int]) -> list[int]:
        """w = B·u in whole numbers (length d + 1, the bias last)."""
        return to_user_weights(self.basis, direction, self.intercept)

    def find_vanishing(self, X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        """None: a row that every w vanishes on is a conflict by itself here."""
        return np.zeros(len(X), bool)


def transform_rows(basis: fmpz_mat, X: np.ndarray, signs: np.ndarray, intercept: bool) -> list[list[int]]:
    """z·B of every row in whole numbers, each row times a positive number."""
    points = to_fmpz_matrix(to_exact_rows(X, signs, intercept), basis.nrows()) * basis
    return [strip_powers_of_two([int(v) for v in row]) for row in points.tolist()]


def append_constant(X: np.ndarray, signs: np.ndarray, intercept: bool) -> np.ndarray:
    """Rows z = s·(x, 1) as one dense float64 array."""
    Z = np.empty((len(X), X.shape[1] + intercept))
    Z[:, : X.shape[1]] = X
    if intercept:
        Z[:, -1] = 1.0
    Z *= signs[:, None]
    return Z


def to_exact_rows(X: np.ndarray, signs: np.ndarray, intercept: bool) -> list[list[int]]:
    """Rows z as whole numbers, each times a power of two of its own."""
    return [to_integer_row(row) for row in append_constant(X, signs, intercept)]


def to_common_rows(X: np.ndarray, signs: np.ndarray, intercept: bool) -> list[list[int]]:
    """Rows z as whole numbers, all times the same power of two."""
    Z = append_constant(X, signs, intercept)
    flat = to_integer_row(Z.reshape(-1))
    width = Z.shape[1]
    return [flat[i * width : (i + 1) * width] for i in range(len(Z))]


def scale_rows(points: np.ndarray) -> np.ndarray:
    """Each row over a power of two that puts its largest entry between 1/2 and 1; not finite: zero."""
    largest = np.abs(points).max(axis=1, initial=0.0)
    is_invalid = ~np.isfinite(largest)
    points[is_invalid] = 0.0
    exponents = np.where(is_invalid | (largest == 0), 0, np.frexp(largest)[1])
    return np.ldexp(points, -exponents[:, None])


def split_float(value: float) -> tuple[int, int]:
    """(mantissa, exponent) of a float."""
    if value == 0.0:
        return 0, 0
    numerator, denominator = value.as_integer_ratio()
    if denominator > 1:
        return numerator, 1 - denominator.bit_length()
    low = (numerator & -numerator).bit_length() - 1
    return numerator >> low, low


def to_user_weights(basis: fmpz_mat, direction: Sequence[int], intercept: bool) -> list[int]:
    weights = to_ints(basis * fmpz_mat(len(direction), 1, list(direction)))
    if not intercept:
        weights.append(0)
    return divide_by_gcd(weights)
