"""The lowest point along a segment: margins are linear there, so the slope is piecewise linear."""

from __future__ import annotations

from collections.abc import Callable

from separatrix.algorithms.convex.line_search import search_line

SLOPE_SHARE = 0.02  # of the slope at the start
# Of the last step: at most, since past a kink a curvature of nearly 0 says nothing.
MAX_GROWTH_FACTOR = 256.0
HALVING_STEPS = 30


def search_segment(slope_at: Callable[[float], tuple[float, float]]) -> float:
    """Where a rising slope is near 0, from its values and rates; 0 if it does not fall.

    A Newton step from one kink to the next is right however short it is.
    """
    return search_line(slope_at, slope_at(0.0)[0], slope_share=SLOPE_SHARE, growth=(1.0, MAX_GROWTH_FACTOR))


def find_lowest_point(slope_at: Callable[[float], float]) -> float:
    """Where a rising slope that may jump crosses 0 between 0 and 1.

    >>> round(find_lowest_point(lambda t: t - 0.3), 6)
    0.3
    """
    if not slope_at(0.0) < 0.0:
        return 0.0
    if slope_at(1.0) <= 0.0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVING_STEPS):
        midpoint = 0.5 * (low + high)
        low, high = (midpoint, high) if slope_at(midpoint) < 0.0 else (low, midpoint)
    return 0.5 * (low + high)
