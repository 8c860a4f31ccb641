"""Exact sums over rows: Σ f_i x_i and Σ f_i ‖x_i‖² with whole-number factors.

Every entry is a whole number m below 2^53 times a power of two. Entries of one power are added up together in
doubles, m in two halves, which is exact while the sums stay below 2^53; Python integers join the powers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from separatrix.certificates.arithmetic.dyadic import Doubles, Dyadic, mantissas
from separatrix.certificates.data.reading import Matrix

_HALF_MANTISSA = 2.0**27
_NO_EXPONENT = 9999
_MAX_FACTOR_SUM = 2**26  # factors of one column may add up to this: half a mantissa times it is at most 2^53


def weighted_sum(X: Matrix, factors: Sequence[int], constant: bool = False) -> Dyadic:
    """Σ f_i x_i, or Σ f_i (x_i, 1) with ``constant``, exactly.

    >>> weighted_sum(np.array([[0.1, 2.0], [0.3, -6.0]]), (3, 1), constant=True).fractions()[1:]
    (Fraction(0, 1), Fraction(4, 1))
    """
    values, rows, columns = _entries(X)
    wholes, exponents = mantissas(values)
    sums = _sums(wholes, exponents, rows, columns, factors, X.shape[1])
    if not constant:
        return sums
    return Dyadic((*sums.wholes, sum(factors) << -sums.exponent), sums.exponent)


def weighted_squares(X: Matrix, factors: Sequence[int]) -> Fraction:
    """Σ f_i ‖x_i‖², exactly.

    >>> weighted_squares(np.array([[3.0, 4.0], [0.5, 0.0]]), (2, 4))
    Fraction(51, 1)
    """
    values, rows, _ = _entries(X)
    wholes, exponents = mantissas(values)
    # m = 2^27 h + l with |h|, |l| <= 2^26, so m^2 is a sum of three products that doubles hold.
    high = np.rint(wholes / _HALF_MANTISSA)
    low = wholes - high * _HALF_MANTISSA
    products = np.concatenate((high * high, high * low, low * low))
    powers = np.concatenate((2 * exponents + 54, 2 * exponents + 28, 2 * exponents))
    rows = np.tile(rows, 3)
    return _sums(products, powers, rows, np.zeros_like(rows), factors, 1).fractions()[0]


def _entries(X: Matrix) -> tuple[Doubles, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Values with their row and column."""
    if isinstance(X, np.ndarray):
        rows, columns = np.indices(X.shape)
        return X.ravel(), rows.ravel(), columns.ravel()
    return X.data, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices.astype(np.intp)


def _sums(
    wholes: Doubles,
    exponents: npt.NDArray[np.int64],
    rows: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
    factors: Sequence[int],
    n_columns: int,
) -> Dyadic:
    """Column sums of ``factors[row] * wholes * 2**exponents``, over an exponent of at most 0."""
    base = int(exponents.min(initial=0))
    totals = [0] * n_columns
    if not _fit(columns, rows, factors):
        entries = (wholes, exponents - base, rows, columns)
        for whole, shift, i, j in zip(*(each.tolist() for each in entries), strict=True):
            totals[j] += factors[i] * int(whole) << shift
        return Dyadic(tuple(totals), base)
    weights = np.array(factors, dtype=np.float64)[rows]
    high = np.rint(wholes / _HALF_MANTISSA)
    low = wholes - high * _HALF_MANTISSA
    order = np.argsort(exponents.astype(np.int16), kind="stable")
    exponents, columns = exponents[order], columns[order]
    halves = ((weights * low)[order], 0), ((weights * high)[order], 27)
    ends = np.flatnonzero(np.diff(exponents, append=_NO_EXPONENT)) + 1
    for start, end in pairwise((0, *ends.tolist())):
        shift = int(exponents[start]) - base
        for half, more in halves:
            sums = np.bincount(columns[start:end], half[start:end], n_columns)
            for j in np.flatnonzero(sums).tolist():
                totals[j] += int(sums[j]) << shift + more
    return Dyadic(tuple(totals), base)


def _fit(columns: npt.NDArray[np.intp], rows: npt.NDArray[np.intp], factors: Sequence[int]) -> bool:
    """Whether the factors met in any one column add up to at most 2^26 in size."""
    if max(map(abs, factors), default=0) > _MAX_FACTOR_SUM:
        return False
    sizes = abs(np.array(factors, dtype=np.float64))[rows]
    return bool(np.bincount(columns, sizes).max(initial=0.0) <= _MAX_FACTOR_SUM)
