"""Residuals of a linear prediction and what they pull at, in one reading of the rows:

(1)  r_i = (target_i − constant) − w·x_i, Σ r_i and Σ r_i·x_i.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_add, row_dot

RUN_ROWS = 128  # rows added up before they are added to the others, so that few roundings add up


@kernel
def add_residuals(
    X: Any, targets: np.ndarray, constant: float, weights: np.ndarray, total: np.ndarray
) -> float:
    """(1) above: adds Σ r_i·x_i to ``total``; returns Σ r_i."""
    n = n_rows(X)
    run_total, shifted_targets = np.empty_like(total), np.empty(RUN_ROWS)
    residual_sum = 0.0
    for start in range(0, n, RUN_ROWS):
        run_total[:] = 0.0
        run_sum = 0.0
        stop = min(start + RUN_ROWS, n)
        # In a loop of its own, or the compiler might add the constant to the product, where it is large.
        for i in range(start, stop):
            shifted_targets[i - start] = targets[i] - constant
        for i in range(start, stop):
            residual = shifted_targets[i - start] - row_dot(X, i, weights)  # (1) above
            row_add(X, i, residual, run_total)
            run_sum += residual
        for j in range(total.shape[0]):
            total[j] += run_total[j]
        residual_sum += run_sum
    return residual_sum


@kernel
def scale_to_float32(
    X: np.ndarray,
    targets: np.ndarray,
    centre: np.ndarray,
    units: np.ndarray,
    out: np.ndarray,
    sums: np.ndarray,
) -> int:
    """Row i of ``out`` becomes ((x − centre)·units, target likewise) in float32, and ``sums`` gains what
    remains after the centre is taken off, in float64; returns how many rows there are."""
    n, d = X.shape
    for i in range(n):
        row, scaled_row = X[i], out[i]
        for j in range(d):
            shifted = np.float64(row[j]) - centre[j]
            sums[j] += shifted
            scaled_row[j] = np.float32(shifted * units[j])
        shifted = targets[i] - centre[d]
        sums[d] += shifted
        scaled_row[d] = np.float32(shifted * units[d])
    return n
