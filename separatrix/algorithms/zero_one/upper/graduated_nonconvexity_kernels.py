"""How hard each row pulls at each of some halfspaces, under a loss that flattens out."""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel

ONE, HALF = np.float32(1.0), np.float32(0.5)


@kernel
def compute_pulls(
    margins: np.ndarray,
    costs: np.ndarray,
    weights: np.ndarray,
    sharpness: float,
    flatness: np.ndarray,
    pulls: np.ndarray,
    wrong: np.ndarray,
) -> float:
    """The slope of the loss at each margin, and what the errors cost; returns the least of that.

    With x = 1 − sharpness·margin and p = (x + √(1 + x²))/2, about the positive part of x, the slope is
    p'(x)/(1 + p), that of a logarithm, up to p'(x)/(1 + p)^(3/2), that of a loss with an upper end, as
    ``flatness`` goes from 0 to 1. Margins, costs and pulls have a column a halfspace.
    """
    wrong[:] = 0.0
    scale = np.float32(sharpness)
    for i in range(margins.shape[0]):
        margin, cost, slope, weight = margins[i], costs[i], pulls[i], weights[i]
        for b in range(margins.shape[1]):
            x = ONE - scale * margin[b]
            root = np.sqrt(ONE + x * x)
            size = ONE + HALF * (x + root)
            derivative = HALF * (ONE + x / root)
            slope[b] = cost[b] * derivative / (size * (ONE + flatness[b] * (np.sqrt(size) - ONE)))
            wrong[b] += weight if margin[b] <= 0.0 else 0.0
    least = np.inf
    for b in range(wrong.shape[0]):
        least = min(least, wrong[b])
    return least
