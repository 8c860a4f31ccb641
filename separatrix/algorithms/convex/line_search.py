"""Where the objective is least along a line: derivatives in one dimension, which need the scores alone."""

from __future__ import annotations

from math import inf, isfinite
from typing import Protocol

import numpy as np

CLOSE = 0.1  # the slope left over, as a share of the slope at the start
MOST = 40


class AlongALine(Protocol):
    """An objective that knows its value, slope and curvature on a line."""

    def along(self, moves: np.ndarray, direction: np.ndarray, step: float) -> tuple[float, float, float]:
        """At ``step`` along ``direction``, which changes the scores by ``moves``."""


def step_along(problem: AlongALine, moves: np.ndarray, direction: np.ndarray, slope: float) -> float:
    """A step at which a tenth of the slope is left, or 0 where the direction does not descend.

    The full step comes first, since near the optimum it is the right one. Otherwise Newton's method on the
    derivative, kept between a point with negative slope and one with positive slope.
    """
    if not slope < 0:
        return 0.0
    low, high, step = 0.0, inf, 1.0
    for _ in range(MOST):
        value, rise, curvature = problem.along(moves, direction, step)
        if isfinite(value) and abs(rise) <= CLOSE * -slope:
            return step
        if isfinite(value) and rise < 0:
            low = step
        else:
            high = step
        newton = step - rise / curvature if isfinite(rise) and curvature > 0 else inf
        if high == inf:
            step = min(max(newton, 2.0 * step), 10.0 * step)
        else:
            step = newton if low < newton < high else 0.5 * (low + high)
    return low
