"""The cheapest halfspace of a line: errors along w + t·u, for all t, in one sweep.

Each row's hyperplane z·w = 0 is met once, at

    (1)  t = −(z·w)/(z·u),

and the row is right behind that crossing where z·u > 0, before it where z·u < 0. Sorted by t, these crossings
give the cost of every halfspace of the line in one pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

FLAT_TOLERANCE = 1e-11


class LineVertex(NamedTuple):
    """The vertex sign·(w + t·u) of a line, and the row that makes it, -1 for none."""

    row: int
    cost: float
    t: float
    sign: float


@kernel
def sweep_line(scores: np.ndarray, slopes: np.ndarray, costs: np.ndarray, active: np.ndarray) -> LineVertex:
    """The cheapest vertex on the lines ±(w + t·u); of several the one met first.

    ``scores`` and ``slopes`` are z·w and z·u; rows that are ``active`` lie on the whole line and cost
    nothing.
    """
    n = scores.shape[0]
    places = np.empty(n)
    rows = np.empty(n, np.int64)
    count = 0
    total = 0.0
    fixed_cost = 0.0
    cost = 0.0
    for i in range(n):
        if active[i]:
            continue
        if not abs(slopes[i]) > FLAT_TOLERANCE:  # parallel to the line: no crossing
            if scores[i] > FLAT_TOLERANCE:
                total += costs[i]
            elif scores[i] < -FLAT_TOLERANCE:
                total += costs[i]
                cost += costs[i]
            else:
                fixed_cost += costs[i]
            continue
        total += costs[i]
        if slopes[i] > 0.0:
            cost += costs[i]
        places[count] = -scores[i] / slopes[i]  # (1) above
        rows[count] = i
        count += 1
    order = np.argsort(places[:count])
    best, t, sign = np.inf, 0.0, 1.0
    chosen = -1
    for k in range(count):
        i = rows[order[k]]
        if slopes[i] > 0.0:
            cost -= costs[i]
        forward_cost = cost  # the others, at this crossing
        if forward_cost + fixed_cost < best:
            best, chosen = forward_cost + fixed_cost, i
            t, sign = places[order[k]], 1.0
        backward_cost = total - costs[i] - forward_cost
        if backward_cost + fixed_cost < best:
            best, chosen = backward_cost + fixed_cost, i
            t, sign = places[order[k]], -1.0
        if slopes[i] < 0.0:
            cost += costs[i]
    return LineVertex(chosen, best, t, sign)


@kernel
def find_best_step(scores: np.ndarray, slopes: np.ndarray, costs: np.ndarray) -> tuple[float, float]:
    """The cost and the t of the cheapest w + t·u between two crossings; t is in the middle of its interval.

    Of several intervals that cost the same the widest in angle is taken.
    """
    n = scores.shape[0]
    places = np.empty(n)
    rows = np.empty(n, np.int64)
    count = 0
    cost = 0.0
    for i in range(n):
        if slopes[i] == 0.0:
            if not scores[i] > 0.0:
                cost += costs[i]
            continue
        if slopes[i] > 0.0:
            cost += costs[i]
        places[count] = -scores[i] / slopes[i]  # (1) above
        rows[count] = i
        count += 1
    order = np.argsort(places[:count])
    best, t = np.inf, 0.0
    widest_angle = -1.0
    for k in range(count + 1):
        if k > 0:
            i = rows[order[k - 1]]
            cost += -costs[i] if slopes[i] > 0.0 else costs[i]
        low = places[order[k - 1]] if k > 0 else -np.inf
        high = places[order[k]] if k < count else np.inf
        if not high > low or cost > best:
            continue
        angle = np.arctan(high) - np.arctan(low)
        if cost < best or angle > widest_angle:
            best, widest_angle = cost, angle
            if low == -np.inf:  # the first and the last interval have no middle
                t = high - 1.0 - abs(high) if high < np.inf else 0.0
            elif high == np.inf:
                t = low + 1.0 + abs(low)
            else:
                t = 0.5 * (low + high)
    return best, t
