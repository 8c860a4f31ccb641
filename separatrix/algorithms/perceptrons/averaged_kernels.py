"""Rosenblatt's rule, with what the mean of the weights must leave out."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot


@kernel
def averaged_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    rows_before: float,
    weighted_updates: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Rosenblatt's rule, with ``weighted_updates`` = Σ (rows seen before the update)·update: after T rows the
    mean is w − weighted_updates/T.

    ``rows_before`` is the number of rows seen before this call.
    """
    mistakes = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
            row_add(X, i, s, weights)
            weights[-1] += s * constant
            row_add(X, i, s * (rows_before + k), weighted_updates)
            weighted_updates[-1] += s * constant * (rows_before + k)
            mistakes += 1
    return mistakes
