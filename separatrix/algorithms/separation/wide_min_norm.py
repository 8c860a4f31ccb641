"""Rows with more columns than there are of them: the same geometry in as many dimensions as rows.

Everything Wolfe's method asks of its points are inner products and mixtures. The Gram matrix has the former;
its factor L, with a row for each point, has them too, in n dimensions instead of d. The mixture found there
is taken back to the points themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array

from separatrix.algorithms.separation.active_set import NearestPoint, solve_min_norm
from separatrix.algorithms.separation.integers import split_mantissas
from separatrix.certificates.arithmetic.dyadic import power_of_two

MIN_COLUMNS = 1000  # with fewer, nothing is won


def solve_wide(
    points: csr_array,
    signs: np.ndarray,
    tol: float,
    corral: Sequence[tuple[int, int]],
    shares: Sequence[float],
) -> NearestPoint:
    """`solve_min_norm`, for points with many columns."""
    solved = solve_min_norm(_factor_gram(points), signs, tol, corral, shares)
    mixture = np.zeros(points.shape[0])
    for (i, j), share in zip(solved.corral.tolist(), solved.shares.tolist(), strict=True):
        mixture[i] += share
        if j >= 0:
            mixture[j] -= share
    return solved._replace(nearest=np.asarray(points.T @ mixture))


def _factor_gram(points: csr_array) -> np.ndarray:
    """L with L Lᵀ = P Pᵀ, up to rounding."""
    gram = (points @ points.T).toarray()
    try:
        return np.asarray(np.linalg.cholesky(gram))
    except np.linalg.LinAlgError:
        sizes, vectors = np.linalg.eigh(gram)
        return np.ascontiguousarray(vectors * np.sqrt(np.maximum(sizes, 0.0)))


def sum_exactly(
    X: np.ndarray, signs: np.ndarray, intercept: bool, multipliers: Sequence[int]
) -> tuple[list[int], Fraction]:
    """Σ l z in whole numbers, zeros left out of the work, and the unit they are written in."""
    places, columns = np.nonzero(X)
    mantissa, exponent = split_mantissas(X[places, columns])
    low = min(int(exponent.min(initial=0)), 0)
    total = [0] * (X.shape[1] + intercept)
    signed = [int(sign) * multiplier for sign, multiplier in zip(signs.tolist(), multipliers, strict=True)]
    for place, column, value, shift in zip(
        places.tolist(), columns.tolist(), mantissa.tolist(), (exponent - low).tolist(), strict=True
    ):
        total[column] += signed[place] * value << shift
    if intercept:
        total[-1] = sum(signed) << -low
    return total, power_of_two(low)
