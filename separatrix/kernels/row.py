"""One row of a block, dense or sparse: the only place where a kernel knows which.

A block is a C-ordered array or a ``(data, indices, indptr)`` tuple. `row_dot`, `row_add` and the others work
on row ``i`` of either; the weights are longer than the row by the constant's place, which they leave alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from separatrix.kernels import POLICY


def n_rows(X: Any) -> int:
    """How many rows the block has."""
    return X[2].shape[0] - 1 if isinstance(X, tuple) else X.shape[0]


def row_dot(X: Any, i: int, weights: np.ndarray) -> float:
    """x_i · w, summed in float64 whatever the type of the values."""
    if isinstance(X, tuple):
        span = slice(X[2][i], X[2][i + 1])
        return float(np.sum(X[0][span].astype(np.float64) * weights[X[1][span]]))
    return float(np.sum(X[i].astype(np.float64) * weights[: X.shape[1]]))


def row_add(X: Any, i: int, scale: float, weights: np.ndarray) -> None:
    """w ← w + scale · x_i."""
    if isinstance(X, tuple):
        span = slice(X[2][i], X[2][i + 1])
        for q, value in zip(X[1][span], X[0][span], strict=True):
            weights[q] += scale * value
    else:
        weights[: X.shape[1]] += scale * X[i].astype(np.float64)


def row_square(X: Any, i: int) -> float:
    """‖x_i‖²."""
    values = X[0][X[2][i] : X[2][i + 1]] if isinstance(X, tuple) else X[i]
    return float(np.sum(values.astype(np.float64) ** 2))


def row_moments(X: Any, i: int, centre: np.ndarray) -> tuple[float, float]:
    """‖x_i‖² and x_i · c in one reading."""
    return row_square(X, i), row_dot(X, i, centre)


def row_sizes(X: Any, i: int, weights: np.ndarray) -> tuple[float, float, int]:
    """x_i · w, Σ|x_ij w_j| and the number of terms."""
    if isinstance(X, tuple):
        span = slice(X[2][i], X[2][i + 1])
        terms = X[0][span].astype(np.float64) * weights[X[1][span]]
    else:
        terms = X[i].astype(np.float64) * weights[: X.shape[1]]
    return float(np.sum(terms)), float(np.sum(np.abs(terms))), len(terms)


# Unsigned indices: with signed ones numba adds a wrap-around test to each access and the loop runs several
# times slower. SparseRows has checked that every index lies inside.


@overload(n_rows, jit_options=POLICY, strict=False)
def _n_rows(X: Any) -> Any:
    if isinstance(X, types.BaseTuple):
        return lambda X: X[2].shape[0] - 1
    return lambda X: X.shape[0]


@overload(row_dot, jit_options=POLICY, strict=False)
def _row_dot(X: Any, i: Any, weights: Any) -> Any:
    def sparse(X, i, weights):  # type: ignore[no-untyped-def]
        data, indices, indptr = X[0], X[1], X[2]
        total = 0.0
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += np.float64(data[q]) * weights[np.uint64(indices[q])]
        return total

    def dense(X, i, weights):  # type: ignore[no-untyped-def]
        row = X[i]
        total = 0.0
        for j in range(row.shape[0]):
            total += np.float64(row[j]) * weights[j]
        return total

    return sparse if isinstance(X, types.BaseTuple) else dense


@overload(row_add, jit_options=POLICY, strict=False)
def _row_add(X: Any, i: Any, scale: Any, weights: Any) -> Any:
    def sparse(X, i, scale, weights):  # type: ignore[no-untyped-def]
        data, indices, indptr = X[0], X[1], X[2]
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            weights[np.uint64(indices[q])] += scale * np.float64(data[q])

    def dense(X, i, scale, weights):  # type: ignore[no-untyped-def]
        row = X[i]
        for j in range(row.shape[0]):
            weights[j] += scale * np.float64(row[j])

    return sparse if isinstance(X, types.BaseTuple) else dense


@overload(row_square, jit_options=POLICY, strict=False)
def _row_square(X: Any, i: Any) -> Any:
    def sparse(X, i):  # type: ignore[no-untyped-def]
        data, indptr = X[0], X[2]
        total = 0.0
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            total += np.float64(data[q]) ** 2
        return total

    def dense(X, i):  # type: ignore[no-untyped-def]
        row = X[i]
        total = 0.0
        for j in range(row.shape[0]):
            total += np.float64(row[j]) ** 2
        return total

    return sparse if isinstance(X, types.BaseTuple) else dense


@overload(row_moments, jit_options=POLICY, strict=False)
def _row_moments(X: Any, i: Any, centre: Any) -> Any:
    def sparse(X, i, centre):  # type: ignore[no-untyped-def]
        data, indices, indptr = X[0], X[1], X[2]
        square, inner = 0.0, 0.0
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            value = np.float64(data[q])
            square += value * value
            inner += value * centre[np.uint64(indices[q])]
        return square, inner

    def dense(X, i, centre):  # type: ignore[no-untyped-def]
        row = X[i]
        square, inner = 0.0, 0.0
        for j in range(row.shape[0]):
            value = np.float64(row[j])
            square += value * value
            inner += value * centre[j]
        return square, inner

    return sparse if isinstance(X, types.BaseTuple) else dense


@overload(row_sizes, jit_options=POLICY, strict=False)
def _row_sizes(X: Any, i: Any, weights: Any) -> Any:
    def sparse(X, i, weights):  # type: ignore[no-untyped-def]
        data, indices, indptr = X[0], X[1], X[2]
        total, size = 0.0, 0.0
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = np.float64(data[q]) * weights[np.uint64(indices[q])]
            total += term
            size += abs(term)
        return total, size, indptr[i + 1] - indptr[i]

    def dense(X, i, weights):  # type: ignore[no-untyped-def]
        row = X[i]
        total, size = 0.0, 0.0
        for j in range(row.shape[0]):
            term = np.float64(row[j]) * weights[j]
            total += term
            size += abs(term)
        return total, size, row.shape[0]

    return sparse if isinstance(X, types.BaseTuple) else dense
