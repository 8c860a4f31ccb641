"""Residuals of a linear prediction and what they pull at, in one reading of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_add, row_dot

RUN = 128  # rows added up before they are added to the others, so that few roundings add up


@kernel
def add_residuals(X: Any, targets: np.ndarray, base: float, weights: np.ndarray, total: np.ndarray) -> float:
    """Adds Σ r_i·x_i with r_i = target_i − base − w·x_i to ``total``; returns Σ r_i."""
    n = n_rows(X)
    part, rest = np.empty_like(total), np.empty(RUN)
    lean = 0.0
    for start in range(0, n, RUN):
        part[:] = 0.0
        some = 0.0
        stop = min(start + RUN, n)
        for i in range(start, stop):  # apart, or the base would be added to the product, where it is large
            rest[i - start] = targets[i] - base
        for i in range(start, stop):
            r = rest[i - start] - row_dot(X, i, weights)
            row_add(X, i, r, part)
            some += r
        for j in range(total.shape[0]):
            total[j] += part[j]
        lean += some
    return lean


@kernel
def single_rows(
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
        row, copy = X[i], out[i]
        for j in range(d):
            rest = np.float64(row[j]) - centre[j]
            sums[j] += rest
            copy[j] = np.float32(rest * units[j])
        rest = targets[i] - centre[d]
        sums[d] += rest
        copy[d] = np.float32(rest * units[d])
    return n
