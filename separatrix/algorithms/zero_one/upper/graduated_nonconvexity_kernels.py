"""How hard each row pulls at each of some halfspaces, under a loss that flattens out.

With a margin m, a sharpness k and a flatness f from 0 to 1 the slope of the loss is

    (1)  p'(x)/((1 + p)(1 + f(√(1 + p) − 1))) with x = 1 − k·m,
         p = (x + √(1 + x²))/2 and p'(x) = (1 + x/√(1 + x²))/2;

p is about the positive part of x. For f = 0 it is the slope of log(1 + p), for f = 1 it is p'(x)/(1 +
p)^(3/2), that of a loss with an upper end.
"""

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
    """The cost times (1) above at each margin, and what the errors cost; returns the least of that.

    Margins, costs and pulls have one column per halfspace.
    """
    wrong[:] = 0.0
    scale = np.float32(sharpness)
    for i in range(margins.shape[0]):
        margin, cost, slope, weight = margins[i], costs[i], pulls[i], weights[i]
        for b in range(margins.shape[1]):
            x = ONE - scale * margin[b]
            root = np.sqrt(ONE + x * x)
            size = ONE + HALF * (x + root)
            derivative = HALF * (ONE + x / root)  # p'(x) of (1) above; ``size`` is 1 + p
            slope[b] = cost[b] * derivative / (size * (ONE + flatness[b] * (np.sqrt(size) - ONE)))
            wrong[b] += weight if margin[b] <= 0.0 else 0.0
    least = np.inf
    for b in range(wrong.shape[0]):
        least = min(least, wrong[b])
    return least
