"""The lowest point along a line: derivatives in one dimension, for which no row is read.

**Idea.** Newton's method on the slope, kept between a point with negative slope and one with positive slope.

**Theorem.** The slope of a convex function rises along a line, so (1) the lowest point lies between any two
such points, and halving the distance between them ends there.

**Cost.** One evaluation in nearly all searches: the full step comes first, since near the optimum it is the
right one.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite

import numpy as np

MAX_STEPS = 60


def search_line(
    slope_at: Callable[[float], tuple[float, float]],
    slope: float,
    *,
    slope_share: float = 0.1,
    growth: tuple[float, float] = (2.0, 10.0),
) -> float:
    """A step at which ``slope_share`` of the slope is left, or 0 where the direction does not descend.

    ``slope_at`` returns slope and curvature at a step, an infinite slope where the function overflows;
    ``slope`` is that at 0. Until there is a positive slope a step grows by the least factor of ``growth`` at
    least and by the largest at most.

    >>> search_line(lambda t: (max(t - 3.0, -1.0), float(t > 2.0)), -1.0, slope_share=0.0)
    3.0
    """
    if not slope < 0:
        return 0.0
    low, high, step, slope_at_high = 0.0, inf, 1.0, inf
    for _ in range(MAX_STEPS):
        slope_there, curvature = slope_at(step)
        if abs(slope_there) <= slope_share * -slope:
            return step
        if slope_there < 0:  # (1) above
            low = step
        else:
            high, slope_at_high = step, slope_there
        newton_step = step - slope_there / curvature if isfinite(slope_there) and curvature > 0 else inf
        if high == inf:
            shortest, longest = growth[0] * step, growth[1] * step
            step = min(max(newton_step, shortest), longest)
        else:
            step = newton_step if low < newton_step < high else _bisect(low, high)
    return step if isfinite(slope_at_high) else low  # the slope jumps there, from below 0 to above


def _bisect(low: float, high: float) -> float:
    """The middle; of ends of different magnitude that of their logarithms."""
    return float(np.sqrt(low * high)) if 0.0 < 16.0 * low < high else 0.5 * (low + high)
