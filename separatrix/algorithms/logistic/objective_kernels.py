"""The logistic loss of many scores at once, and the weighted sums over rows that Newton's method needs.

The exponential and the logarithm are polynomials here, written as plain loops over arrays, so that the
compiler takes several rows at a time; they are good to a few units in the last place, and nothing is proven
with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_add, row_dot

LOG2E = 1.4426950408889634
LN2_HIGH = 0.693147180369123816490  # 33 bits, so that a product with a small whole number is exact
LN2_LOW = 1.90821492927058770002e-10
CACHE_BYTES = 2**17  # bytes of rows that a core's cache holds while they are read twice


@kernel
def differentiate_losses(
    scores: np.ndarray,
    signs: np.ndarray,
    costs: np.ndarray,
    powers: np.ndarray,
    slopes: np.ndarray,
    curvatures: np.ndarray,
) -> float:
    """Σ c·log(1 + exp(−s·score)); ``slopes`` becomes −c·s·p and ``curvatures`` c·p(1 − p), p = 1/(1 +
    exp(s·score)).

    ``powers`` is room for as many 64-bit whole numbers as there are scores.
    """
    scales = powers.view(np.float64)
    n = scores.shape[0]
    for i in range(n):
        size = min(abs(scores[i]), 700.0)
        k = np.int64(size * LOG2E + 0.5)
        powers[i] = (np.int64(1023) - k) << np.int64(52)
        slopes[i] = np.float64(k)
    total = 0.0
    for i in range(n):
        score = scores[i]
        size = min(abs(score), 700.0)
        r = (slopes[i] * LN2_HIGH - size) + slopes[i] * LN2_LOW
        e = 1.0 / 6227020800.0
        e = e * r + 1.0 / 479001600.0
        e = e * r + 1.0 / 39916800.0
        e = e * r + 1.0 / 3628800.0
        e = e * r + 1.0 / 362880.0
        e = e * r + 1.0 / 40320.0
        e = e * r + 1.0 / 5040.0
        e = e * r + 1.0 / 720.0
        e = e * r + 1.0 / 120.0
        e = e * r + 1.0 / 24.0
        e = e * r + 1.0 / 6.0
        e = e * r + 0.5
        e = e * r + 1.0
        e = (e * r + 1.0) * scales[i]
        z = e / (2.0 + e)
        q = z * z
        t = 1.0 / 31.0
        t = t * q + 1.0 / 29.0
        t = t * q + 1.0 / 27.0
        t = t * q + 1.0 / 25.0
        t = t * q + 1.0 / 23.0
        t = t * q + 1.0 / 21.0
        t = t * q + 1.0 / 19.0
        t = t * q + 1.0 / 17.0
        t = t * q + 1.0 / 15.0
        t = t * q + 1.0 / 13.0
        t = t * q + 1.0 / 11.0
        t = t * q + 1.0 / 9.0
        t = t * q + 1.0 / 7.0
        t = t * q + 1.0 / 5.0
        t = t * q + 1.0 / 3.0
        t = 2.0 * z * (t * q + 1.0)
        s = float(signs[i])
        margin = s * score
        cost = costs[i]
        share = 1.0 / (1.0 + e)
        p = share * (e if margin > 0.0 else 1.0)
        total += cost * (t + max(-margin, 0.0))
        slopes[i] = -cost * s * p
        curvatures[i] = cost * e * share * share
    return total


@kernel
def add_rows(X: Any, factors: np.ndarray, constant: float, total: np.ndarray) -> float:
    """Adds Σ f_i·(x_i, constant) to ``total``; returns Σ f_i."""
    mass = 0.0
    for i in range(n_rows(X)):
        row_add(X, i, factors[i], total)
        mass += factors[i]
    total[-1] += constant * mass
    return mass


@kernel
def differentiate_dense_rows(
    X: np.ndarray,
    signs: np.ndarray,
    costs: np.ndarray,
    weights: np.ndarray,
    has_scores: bool,
    scores: np.ndarray,
    curvatures: np.ndarray,
    total: np.ndarray,
) -> tuple[float, float]:
    """The loss of dense rows at the weights, and Σ of the slopes; ``total`` gains Σ slope·(x, 1).

    Rows are taken a few at a time, so that they are in the cache when they are read again. ``scores`` is
    filled unless ``has_scores``, and ``curvatures`` always.
    """
    chunk_rows = max(16, CACHE_BYTES // (X.itemsize * max(1, X.shape[1])))
    powers, slopes = np.empty(chunk_rows, np.int64), np.empty(chunk_rows)
    loss, mass = 0.0, 0.0
    for start in range(0, X.shape[0], chunk_rows):
        stop = min(start + chunk_rows, X.shape[0])
        rows, chunk_scores, m = X[start:stop], scores[start:stop], stop - start
        if not has_scores:
            for i in range(m):
                chunk_scores[i] = row_dot(rows, i, weights) + weights[-1]
        loss += differentiate_losses(
            chunk_scores, signs[start:stop], costs[start:stop], powers[:m], slopes[:m], curvatures[start:stop]
        )
        mass += add_rows(rows, slopes[:m], 1.0, total)
    return loss, mass


@kernel
def scale_rows(
    X: np.ndarray, centre: np.ndarray, curvatures: np.ndarray, constant: float, scaled: np.ndarray
) -> int:
    """Row i of ``scaled`` becomes √h_i·(x_i − centre, constant); returns the number of rows."""
    n, d = X.shape
    for i in range(n):
        root = np.sqrt(curvatures[i])
        row = X[i]
        scaled_row = scaled[i]
        for j in range(d):
            scaled_row[j] = root * (row[j] - centre[j])
        scaled_row[d] = root * constant
    return n


@kernel
def add_gram(X: Any, curvatures: np.ndarray, constant: float, gram: np.ndarray) -> int:
    """Adds Σ h_i·(x_i, constant)(x_i, constant)ᵀ of sparse rows to ``gram``, its upper part; returns the
    rows used.

    Columns of a row may come in any order: the pair (j, k) goes where j ≤ k.
    """
    data, indices, indptr = X[0], X[1], X[2]
    last = np.uint64(gram.shape[0] - 1)
    used = 0
    for i in range(n_rows(X)):
        h = curvatures[i]
        if h == 0.0:
            continue
        used += 1
        start, stop = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        for q in range(start, stop):
            j = np.uint64(indices[q])
            scaled = h * np.float64(data[q])
            for r in range(q, stop):
                k = np.uint64(indices[r])
                gram[min(j, k), max(j, k)] += scaled * np.float64(data[r])
            gram[j, last] += scaled * constant
        gram[last, last] += h * constant * constant
    return used


@kernel
def add_hessian_product(
    X: Any, curvatures: np.ndarray, constant: float, direction: np.ndarray, total: np.ndarray
) -> float:
    """Adds Σ h_i (z_i·v) z_i of the rows z = (x, constant) to ``total``: the Hessian times v, in one
    reading."""
    bias = direction[-1] * constant
    mass = 0.0
    for i in range(n_rows(X)):
        h = curvatures[i]
        if h == 0.0:
            continue
        factor = h * (row_dot(X, i, direction) + bias)
        row_add(X, i, factor, total)
        mass += factor
    total[-1] += mass * constant
    return mass


@kernel
def add_squares(X: Any, curvatures: np.ndarray, constant: float, total: np.ndarray) -> int:
    """Adds Σ h_i z_ij² of sparse rows to ``total``: the diagonal of the Hessian; returns the rows."""
    data, indices, indptr = X[0], X[1], X[2]
    n = n_rows(X)
    for i in range(n):
        h = curvatures[i]
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            value = np.float64(data[q])
            total[np.uint64(indices[q])] += h * value * value
        total[-1] += h * constant * constant
    return n
