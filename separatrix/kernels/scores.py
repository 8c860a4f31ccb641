"""The first look at a block, and scores of all its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_add, row_dot, row_moments


@kernel
def measure_norms(X: Any, centre: np.ndarray, squares: np.ndarray, largest: np.ndarray) -> int:
    """‖x_i‖² of every row into ``squares``; returns how many of them are not finite.

    ``largest`` is raised to the largest ‖x_i‖² and ‖x_i − c‖²; the latter is ‖x‖² − 2x·c + ‖c‖², a figure to
    report, not one to prove with.
    """
    middle = 0.0
    for j in range(centre.shape[0]):
        middle += centre[j] * centre[j]
    odd = 0
    for i in range(n_rows(X)):
        square, inner = row_moments(X, i, centre)
        squares[i] = square
        odd += not square < np.inf
        largest[0] = max(largest[0], square)
        largest[1] = max(largest[1], square - 2.0 * inner + middle)
    return odd


@kernel
def scores(X: Any, constant: float, weights: np.ndarray, out: np.ndarray) -> float:
    """w · (x_i, constant) of every row into ``out``; returns the largest in absolute value."""
    bias = weights[-1] * constant
    largest = 0.0
    for i in range(n_rows(X)):
        out[i] = row_dot(X, i, weights) + bias
        largest = max(largest, abs(out[i]))
    return largest


@kernel
def add_violators(X: Any, signs: np.ndarray, constant: float, weights: np.ndarray, total: np.ndarray) -> int:
    """Adds s·(x, constant) of every row with s·score ≤ 0 to ``total``; returns how many there are."""
    found = 0
    for i in range(n_rows(X)):
        s = float(signs[i])
        if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
            row_add(X, i, s, total)
            total[-1] += s * constant
            found += 1
    return found
