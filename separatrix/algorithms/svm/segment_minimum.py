"""The lowest point along a segment: margins are linear there, so no row need be read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

SLOPE_SHARE = 0.02  # of the slope at the start
MAX_STEPS = 60
MAX_EXPANSION_FACTOR = 256.0  # of the last step at most: past a kink a curvature of nearly 0 says nothing


def find_root_of_slope(slope_at: Callable[[float], tuple[float, float]]) -> float:
    """Where a rising, piecewise linear slope is near 0, from its values and rates; 0 if it does not fall.

    >>> find_root_of_slope(lambda t: (max(t - 3.0, -1.0), float(t > 2.0)))
    3.0
    """
    initial_slope, _ = slope_at(0.0)
    if not initial_slope < 0.0:
        return 0.0
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(MAX_STEPS):
        slope, curvature = slope_at(t)
        if abs(slope) <= SLOPE_SHARE * abs(initial_slope):
            break
        low, high = (t, high) if slope < 0.0 else (low, t)
        trial_step = min(t - slope / curvature, MAX_EXPANSION_FACTOR * t) if curvature > 0.0 else np.inf
        if not low < trial_step < high:
            trial_step = 2.0 * t if high == np.inf else _bisect(low, high)
        t = trial_step
    return t


def _bisect(low: float, high: float) -> float:
    """The middle; of ends of different magnitude that of their logarithms."""
    return float(np.sqrt(low * high)) if 0.0 < 16.0 * low < high else 0.5 * (low + high)


def find_lowest_point(slope_at: Callable[[float], float], end: float = 1.0) -> float:
    """Where a rising slope crosses 0 between 0 and ``end``, by halving.

    >>> round(find_lowest_point(lambda t: t - 0.3), 6)
    0.3
    """
    if not slope_at(0.0) < 0.0:
        return 0.0
    if slope_at(end) <= 0.0:
        return end
    low, high = 0.0, end
    for _ in range(30):
        midpoint = 0.5 * (low + high)
        low, high = (midpoint, high) if slope_at(midpoint) < 0.0 else (low, midpoint)
    return 0.5 * (low + high)
