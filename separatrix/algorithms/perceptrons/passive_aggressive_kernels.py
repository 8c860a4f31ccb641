"""The smallest step that gets a row right by a margin of 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot, row_square


@kernel
def passive_aggressive_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    max_step: float,
    softening: float,
    totals: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Where the hinge loss ℓ = 1 − s·score is positive: w ← w + min(cap, ℓ/(‖z‖² + soft)) z; returns the
    updates.

    ``totals``, one `TOTALS` record, gains the number of wrong answers and the sum of ℓ².
    """
    updates = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        margin = s * (row_dot(X, i, weights) + weights[-1] * constant)
        if margin >= 1.0:
            continue
        if not margin > 0.0:
            totals[0]["mistakes"] += 1
        totals[0]["squared_loss"] += (1.0 - margin) ** 2
        row_norm_square = row_square(X, i) + constant * constant + softening
        if row_norm_square > 0.0:
            step = min(max_step, (1.0 - margin) / row_norm_square)
            row_add(X, i, s * step, weights)
            weights[-1] += s * constant * step
        updates += 1
    return updates
