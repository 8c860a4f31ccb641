"""Exact second moments: the sums of products of columns, without a rounding anywhere.

A double is a whole number times a power of two. Each column is cut into slices of 21 bits on a grid of its
own,

    x_j = Σ_l q_l · 2^(a_j − 21 l),   |q_l| ≤ 2^20,

so that the product of two slices, summed over so many rows, is at most

    4096 · 2^20 · 2^20 = 2^52:                                                                          (1)

BLAS adds whole numbers below 2^53 there and cannot round, in whatever order it works (Ozaki, Ogita, Oishi,
Rump, *Error-free transformations of matrix multiplication by using fast routines of matrix multiplication*,
2012). The sums of the slices go into
whole numbers of any size. So the moments of two data sets add up to those of both, to the last bit, however
the rows are cut into blocks; least squares needs nothing else of the data.

A row weight s is cut into slices too. The products of its slices with those of x, whole numbers below 2^43,
are cut again into 21 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from separatrix.certificates.arithmetic.linear_algebra import fmpz, fmpz_mat
from separatrix.certificates.arithmetic.slices import (
    SLICE_BITS,
    ZERO_EXPONENT,
    Doubles,
    grids_of,
    product_of,
    slices_of,
    symmetric_products,
    tops_of,
    values_of,
    weighted_slices,
)
from separatrix.certificates.data.reading import refuse_infinite
from separatrix.certificates.fields import CertificateError, from_decimal, to_decimal

PRODUCT_ROWS = 4096  # (1) above
MAX_EXPONENT = 10_000  # in size: doubles and their squares stay within it
FLUSH_PRODUCTS = 400  # sums of so many products, each below 2^53, fit in 64 bits
SLACK_BITS = 3  # bits: a column that grows a little needs no new grid

Part: TypeAlias = tuple[Any, Doubles, Doubles | None]  # rows, targets, weights


@dataclass(frozen=True)
class Moments:
    """Σ s z zᵀ over rows z = (x, 1, y), or (x, 1) without targets, exactly.

    Entry (i, j) is ``wholes[i, j]`` times 2 to the power ``unit + exponents[i] + exponents[j]``. Models keep
    moments, so the fields are plain Python: ``upper`` holds the upper triangle of ``wholes``, row by row.
    """

    n_rows: int
    exponents: tuple[int, ...]
    unit: int
    upper: tuple[int, ...]

    @classmethod
    def of(cls, n_rows: int, exponents: tuple[int, ...], unit: int, wholes: Any) -> Moments:
        """The moments with these whole numbers, a symmetric matrix."""
        size, entries = len(exponents), wholes.entries()
        upper: list[int] = []
        for i in range(size):
            upper += map(int, entries[i * size + i : (i + 1) * size])
        return cls(n_rows, exponents, unit, tuple(upper))

    @property
    def wholes(self) -> Any:
        """The whole numbers as a matrix for exact linear algebra, built at each call."""
        size, start = len(self.exponents), 0
        full = [0] * size**2
        for i in range(size):
            row = self.upper[start : start + size - i]
            full[i * size + i : (i + 1) * size] = full[i * size + i :: size] = row
            start += size - i
        return fmpz_mat(size, size, full)

    def of_columns(self, columns: Sequence[int]) -> Moments:
        """The moments of these columns, the constant and the target."""
        kept, whole = [*columns, self.constant, self.constant + 1], self.wholes
        part = fmpz_mat([[whole[i, j] for j in kept] for i in kept])
        return Moments.of(self.n_rows, tuple(self.exponents[j] for j in kept), self.unit, part)

    def __add__(self, other: Moments) -> Moments:
        """The moments of both sets of rows together."""
        if len(self.exponents) != len(other.exponents):
            raise ValueError("Moments of different columns cannot be added.")
        exponents = tuple(map(min, self.exponents, other.exponents))
        unit = min(self.unit, other.unit)
        wholes = self._over(exponents, unit) + other._over(exponents, unit)
        return Moments.of(self.n_rows + other.n_rows, exponents, unit, wholes)

    def _over(self, exponents: tuple[int, ...], unit: int) -> Any:
        shifts = [mine - common for mine, common in zip(self.exponents, exponents, strict=True)]
        wholes = self.wholes * (fmpz(1) << (self.unit - unit))
        if not any(shifts):
            return wholes
        size = len(shifts)
        scale = fmpz_mat(size, size)
        for j, shift in enumerate(shifts):
            scale[j, j] = fmpz(1) << shift
        return scale * wholes * scale

    @property
    def total(self) -> Any:
        """Σ s, in units of 2 to the power ``unit``; the constant column is the one after the features."""
        return fmpz(self.upper[-3])

    @property
    def constant(self) -> int:
        return len(self.exponents) - 2

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.n_rows,
            "exponents": list(self.exponents),
            "unit": self.unit,
            "upper": [to_decimal(whole) for whole in self.upper],
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Moments:
        exponents, upper = tuple(record["exponents"]), record["upper"]
        size = len(exponents)
        if len(upper) != size * (size + 1) // 2:
            raise CertificateError("The moments are damaged: their sizes do not match.")
        rows, unit = record["rows"], record["unit"]
        if not all(type(e) is int and abs(e) <= MAX_EXPONENT for e in (*exponents, unit)):
            raise CertificateError("The moments are damaged: an exponent is no whole number, or too large.")
        if type(rows) is not int or rows < 0:
            raise CertificateError("The moments are damaged: they are of no number of rows.")
        return cls(rows, exponents, unit, tuple(map(from_decimal, upper)))


def nearest(whole: Any, exponent: int) -> float:
    """The double next to ``whole * 2**exponent``."""
    number = int(whole)
    try:
        return number / (1 << -exponent) if exponent < 0 else float(number << exponent)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def moments_of(parts: Iterable[Part], n_columns: int) -> Moments:
    """The exact moments of rows that come in parts: matrix (dense or CSR), targets, weights or None."""
    sums = _MomentSums(n_columns + 2)
    start = 0
    for X, targets, weights in parts:
        for first in range(0, X.shape[0], PRODUCT_ROWS):
            some = slice(first, first + PRODUCT_ROWS)
            s = None if weights is None else np.asarray(weights[some], np.float64)
            Z = _with_constant(X[some], targets[some])
            if not np.isfinite(values_of(Z)).all():
                refuse_infinite(Z, range(start + first, start + first + PRODUCT_ROWS))
            sums.add(Z, s)
        start += X.shape[0]
    return sums.moments(start)


@cache
def blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def products_of(Z: Doubles) -> tuple[tuple[int, ...], Any]:
    """ZᵀZ exactly, as exponents of the columns and whole numbers: entry (i, j) is
    ``wholes[i, j] * 2**(exponents[i] + exponents[j])``.
    """
    sums = _MomentSums(Z.shape[1])
    for first in range(0, Z.shape[0], PRODUCT_ROWS):
        sums.add(Z[first : first + PRODUCT_ROWS], None)
    moments = sums.moments(Z.shape[0])
    return moments.exponents, moments.wholes * (fmpz(1) << moments.unit)


def _with_constant(X: Any, targets: Doubles) -> Any:
    n, d = X.shape
    if isinstance(X, np.ndarray):
        Z = np.empty((n, d + 2))
        Z[:, :d], Z[:, d], Z[:, d + 1] = X, 1.0, targets
        return Z
    from scipy.sparse import csr_array, hstack

    right = csr_array(np.column_stack([np.ones(n), targets]))
    return csr_array(hstack([X.astype(np.float64), right], format="csr"))


class _MomentSums:
    """Whole-number sums, kept by the grids of the columns and by the level within them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._tops = np.full(size, ZERO_EXPONENT, np.int64)  # grow when larger values come
        self._unit: int | None = None
        self._levels: dict[int, npt.NDArray[np.int64]] = {}
        self._added = 0
        self._done: list[Moments] = []

    def add(self, Z: Any, weights: Doubles | None) -> None:
        # Two threads of BLAS wait for one another on products as small as these.
        with blas().limit(limits=1):
            self._add(Z, weights)

    def _add(self, Z: Any, weights: Doubles | None) -> None:
        self._grow(Z, weights)
        left = dict(slices_of(Z, self._tops))
        if weights is None:
            for level, product in symmetric_products(left):
                self._put(level, product)
        else:
            heavy = dict(slices_of(weights[:, np.newaxis], np.array([self._unit])))
            for level, right in weighted_slices(left, heavy).items():
                for other, first in left.items():
                    self._put(level + other, product_of(first, right))
        self._added += 1
        if self._added == FLUSH_PRODUCTS // 8:
            self._flush()

    def _grow(self, Z: Any, weights: Doubles | None) -> None:
        tops = tops_of(Z)
        wider = np.where(tops > self._tops, tops + SLACK_BITS, self._tops)
        unit = 0 if weights is None else int(tops_of(weights[:, np.newaxis])[0])
        if self._unit is not None and weights is not None:
            unit = max(unit, self._unit)
        if unit != self._unit or (wider != self._tops).any():
            self._flush()
            self._tops, self._unit = wider, unit

    def _put(self, level: int, product: Doubles) -> None:
        whole = product.astype(np.int64)
        if level in self._levels:
            self._levels[level] += whole
        else:
            self._levels[level] = whole

    def _flush(self) -> None:
        if self._levels:
            last = max(self._levels)
            last += last % 2
            wholes = fmpz_mat(self._size, self._size)
            for level, part in self._levels.items():
                exact = fmpz_mat(self._size, self._size, part.ravel().tolist())
                wholes += exact * (fmpz(1) << (SLICE_BITS * (last - level)))
            exponents = tuple((grids_of(self._tops) - SLICE_BITS * last // 2).tolist())
            some = Moments.of(0, exponents, self._unit or 0, wholes)
            self._done = [self._done[0] + some] if self._done else [some]
        self._levels, self._added = {}, 0

    def moments(self, n_rows: int) -> Moments:
        self._flush()
        if self._done:
            return replace(self._done[0], n_rows=n_rows)
        return Moments.of(n_rows, (0,) * self._size, 0, fmpz_mat(self._size, self._size))
