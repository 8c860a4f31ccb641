"""Where the objective is least along a line: derivatives in one dimension, which need the scores alone."""

from __future__ import annotations

from math import inf, isfinite
from typing import Protocol

import numpy as np

MAX_SLOPE_SHARE = 0.1  # the slope left over, as a share of the slope at the start
MAX_STEPS = 40


class LineObjective(Protocol):
    """An objective that knows its value, slope and curvature on a line."""

    def evaluate_along(
        self, score_changes: np.ndarray, direction: np.ndarray, step: float
    ) -> tuple[float, float, float]:
        """At ``step`` along ``direction``, which changes the scores by ``score_changes``."""


def search_line(
    problem: LineObjective, score_changes: np.ndarray, direction: np.ndarray, slope: float
) -> float:
    """A step at which a tenth of the slope is left, or 0 where the direction does not descend.

    The full step comes first, since near the optimum it is the right one. Otherwise Newton's method on the
    derivative, kept between a point with negative slope and one with positive slope.
    """
    if not slope < 0:
        return 0.0
    low, high, step = 0.0, inf, 1.0
    for _ in range(MAX_STEPS):
        value, slope_there, curvature = problem.evaluate_along(score_changes, direction, step)
        if isfinite(value) and abs(slope_there) <= MAX_SLOPE_SHARE * -slope:
            return step
        if isfinite(value) and slope_there < 0:
            low = step
        else:
            high = step
        newton_step = step - slope_there / curvature if isfinite(slope_there) and curvature > 0 else inf
        if high == inf:
            step = min(max(newton_step, 2.0 * step), 10.0 * step)
        else:
            step = newton_step if low < newton_step < high else 0.5 * (low + high)
    return low
