"""The lowest point along a segment: margins are linear there, so no row need be read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

ENOUGH = 0.02  # of the slope at the start
TRIES = 60
FURTHER = 256.0  # times as far at most as was looked before: past a kink a rate of nearly 0 says nothing


def root_of_slope(slope_at: Callable[[float], tuple[float, float]]) -> float:
    """Where a rising, piecewise linear slope is near 0, from its values and rates; 0 if it does not fall.

    >>> root_of_slope(lambda t: (max(t - 3.0, -1.0), float(t > 2.0)))
    3.0
    """
    start, _ = slope_at(0.0)
    if not start < 0.0:
        return 0.0
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(TRIES):
        value, rate = slope_at(t)
        if abs(value) <= ENOUGH * abs(start):
            break
        low, high = (t, high) if value < 0.0 else (low, t)
        guess = min(t - value / rate, FURTHER * t) if rate > 0.0 else np.inf
        if not low < guess < high:
            guess = 2.0 * t if high == np.inf else _between(low, high)
        t = guess
    return t


def _between(low: float, high: float) -> float:
    """The middle; of ends of different magnitude that of their logarithms."""
    return float(np.sqrt(low * high)) if 0.0 < 16.0 * low < high else 0.5 * (low + high)


def lowest_along(slope_at: Callable[[float], float], furthest: float = 1.0) -> float:
    """Where a rising slope crosses 0 between 0 and ``furthest``, by halving.

    >>> round(lowest_along(lambda t: t - 0.3), 6)
    0.3
    """
    if not slope_at(0.0) < 0.0:
        return 0.0
    if slope_at(furthest) <= 0.0:
        return furthest
    low, high = 0.0, furthest
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope_at(middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)
