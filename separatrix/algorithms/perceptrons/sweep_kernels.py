"""Rosenblatt's rule: one visit to each row, the weights changed at every mistake."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot, row_sizes

UNIT_ROUNDOFF = 2.0**-53
MAX_UNDERFLOW = 2.0**-1000  # more than products below the range of doubles can lose


@kernel
def sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    steps: np.ndarray,
    constant: float,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """w ← w + η s (x, constant) at each row of ``places`` where s·score ≤ 0; returns the number of mistakes.

    ``steps[m]`` is the step of the m-th mistake made here, one for every visit at least; ``counts[i]``
    grows with every mistake at row ``i``.
    """
    mistakes = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        # Not "<= 0": a score that overflowed to NaN is a mistake too, so no pass over it ends clean.
        if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
            row_add(X, i, steps[mistakes] * s, weights)
            weights[-1] += steps[mistakes] * s * constant
            counts[i] += 1
            mistakes += 1
    return mistakes


@kernel
def bound_margin(X: Any, sign: float, constant: float, weights: np.ndarray) -> float:
    """What s·score of the first row is at least, by whatever sum; never more than 0 if it is not finite.

    Two sums of n terms differ by at most 2 n u Σ|x w|, in whatever order they were added.
    """
    total, absolute_sum, n = row_sizes(X, 0, weights)
    offset = weights[-1] * constant
    return sign * (total + offset) - (
        4 * (n + 4) * UNIT_ROUNDOFF * (absolute_sum + abs(offset)) + MAX_UNDERFLOW
    )
