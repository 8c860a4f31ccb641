"""Where a cone is cut in two, and the two halves.

**The cut.** The edge from v_j to v_k is cut at a point, which becomes the new vertex. It is either

    (1)  p/2^q·v_j + (1 − p/2^q)·v_k, with a simple p/2^q between two of the crossings of the rows, or
    (2)  2^-x (|s_k|·v_j + |s_j|·v_k), where the score of one row is 0; 2^-x brings the sum of both factors to
         (1/2, 1].

**The error.** Let the scores at v_j and v_k be wrong by at most ε·scale_i. At (1) the factors are exact and
add up to 1. The sum of two products rounds by 2u·scale_i at most, for which 4u is added:

    (3)  ε + 4u at (1).

At (2) the factors are the scores of the row d whose score vanishes, wrong by ε·scale_d, and 2^-x is at most
1/(|s_j| + |s_k|). With σ = (|s_j| + |s_k|)/scale_d, and L the largest |score|/scale of any row at either end,

    (4)  ε + 4u + 2εL/σ at (2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.algorithms.zero_one.lower.cones.stack_kernels import (
    MAX_LEVELS,
    NO_RATIO,
    ConeRows,
    DyadicRatio,
    Stack,
    U,
)
from separatrix.kernels import inner_kernel, kernel

MAX_ERROR_VALUE = 2.0**-25  # beyond it too many scores would be in doubt
TIE_WIDTH = 1e-13  # crossings that are nearer to each other are taken for one point


class EdgeCut(NamedTuple):
    """The new vertex is left·v_j + right·v_k; ``row`` is the open row whose score is 0 there, or -1."""

    j: int
    k: int
    row: int
    left: float
    right: float
    error_bound: float


@kernel
def _find_simplest(low: float, high: float) -> DyadicRatio:
    """The p/2^q with the least q in the open interval, near its middle."""
    unit = 1.0
    for q in range(48):
        p = np.floor(0.5 * (low + high) * unit + 0.5)
        if p > low * unit and p < high * unit:
            return DyadicRatio(p, q)
        unit *= 2.0
    return NO_RATIO


@kernel
def _choose_row(stack: Stack, costs: np.ndarray) -> int:
    """The open row with the most zeros among its scores, of those the dearest.

    EdgeCut on its own hyperplane again and again, a row is decided after at most D − 1 cuts on every path,
    since each cut turns a score that is not 0 into one that is. So cutting always the row that was begun
    ends.
    """
    level = stack.levels[stack.progress["depth"]]
    most_zeros = -1
    highest_cost = 0
    chosen = -1
    for i in range(level["start"], level["start"] + level["count"]):
        zeros = 0
        for j in range(stack.scores.shape[1]):
            zeros += stack.scores[i, j] == 0.0
        cost = costs[stack.rows[i]]
        if zeros > most_zeros or (zeros == most_zeros and cost > highest_cost):
            most_zeros = zeros
            highest_cost = cost
            chosen = i
    return chosen


@kernel
def _choose_edge(stack: Stack, costs: np.ndarray, row: int) -> int:
    """The edge that most of the open cost crosses, as j·D + k; -1 if none is crossed.

    If a row is given, of the edges that it crosses.
    """
    level = stack.levels[stack.progress["depth"]]
    start, n = level["start"], level["count"]
    D = stack.scores.shape[1]
    crossed = np.zeros((D, D), np.int64)
    for i in range(start, start + n):
        cost = costs[stack.rows[i]]
        for j in range(D - 1):
            s = stack.scores[i, j]
            if s == 0.0:
                continue
            for k in range(j + 1, D):
                if s * stack.scores[i, k] < 0.0:
                    crossed[j, k] += cost
    highest_cost = 0
    edge = -1
    for j in range(D - 1):
        for k in range(j + 1, D):
            if row >= 0 and not stack.scores[row, j] * stack.scores[row, k] < 0.0:
                continue
            if crossed[j, k] > highest_cost:
                highest_cost = crossed[j, k]
                edge = j * D + k
    return edge


@inner_kernel
def _find_crossings(scores: np.ndarray, j: int, k: int, places: np.ndarray, crossing: np.ndarray) -> int:
    """The rows that cross the edge, and where: the factor of v_j at which their score is 0; how many."""
    count = 0
    for i in range(scores.shape[0]):
        a, b = scores[i, j], scores[i, k]
        if a * b < 0.0:
            places[count] = b / (b - a)
            crossing[count] = i
            count += 1
    return count


@inner_kernel
def _find_target(places: np.ndarray, order: np.ndarray) -> tuple[int, int]:
    """The crossing at which to cut, by its place in the order, and how many rows cross there.

    That is where a fifth of the rows or more cross at one point, the most of them, else the middle.
    """
    count = order.shape[0]
    target = count // 2
    most_ties = 1
    ties = 1
    for g in range(1, count):
        ties = ties + 1 if places[order[g]] - places[order[g - 1]] < TIE_WIDTH else 1
        if ties > most_ties:
            most_ties = ties
            target = g
    if 5 * most_ties < count or most_ties == 1:
        target = count // 2
        most_ties = 1
    return target, most_ties


@inner_kernel
def _choose_point(places: np.ndarray, order: np.ndarray, middle: int) -> DyadicRatio:
    """A simple point in a gap between two crossings, as near the middle as may be; wide gaps first."""
    count = order.shape[0]
    for width in (1e-4, 1e-8, 1e-12):
        for step in range(count // 2 + 1):
            for side in range(2):
                g = middle - step if side == 0 else middle + step
                if g < 1 or g >= count or 10 * min(g, count - g) < count:
                    continue
                low, high = places[order[g - 1]], places[order[g]]
                gap = high - low
                if gap > width:
                    point = _find_simplest(low + 0.25 * gap, high - 0.25 * gap)
                    if point.numerator > 0.0:
                        return point
    return NO_RATIO


@inner_kernel
def _choose_steepest(
    scores: np.ndarray,
    scale: np.ndarray,
    j: int,
    k: int,
    crossing: np.ndarray,
    order: np.ndarray,
    target: int,
    most_ties: int,
) -> int:
    """The row on whose hyperplane to cut: one at the target if rows tie there, else the steepest near it."""
    count = order.shape[0]
    steepest = 0.0
    chosen = -1
    for g in range(count):
        i = crossing[order[g]]
        if (most_ties == 1 and 3 * abs(g - target) <= count // 2) or g == target:
            steepness = (abs(scores[i, j]) + abs(scores[i, k])) / scale[i]  # σ of (4) above
            if steepness > steepest or (g == target and most_ties > 1):
                steepest = steepness
                chosen = i
    return chosen


@inner_kernel
def _cut_at_row(
    scores: np.ndarray, scale: np.ndarray, j: int, k: int, row: int, error_bound: float
) -> tuple[EdgeCut, int]:
    """(2) and (4) above, with ε = ``error_bound``; and x."""
    largest = 0.0
    for i in range(scores.shape[0]):
        largest = max(largest, max(abs(scores[i, j]), abs(scores[i, k])) / scale[i])
    steepness = (abs(scores[row, j]) + abs(scores[row, k])) / scale[row]
    left, right = abs(scores[row, k]), abs(scores[row, j])
    power = np.ceil(np.log2(left + right))
    scale_down = 2.0**-power
    error_bound = error_bound + 4.0 * U + 2.0 * error_bound * largest / steepness
    return EdgeCut(j, k, row, left * scale_down, right * scale_down, error_bound), int(power)


@inner_kernel
def _score_new_vertex(
    scores: np.ndarray, scale: np.ndarray, cut: EdgeCut, new_scores: np.ndarray, doubtful: np.ndarray
) -> int:
    """The scores at the new vertex; rows in doubt, whose score is set to 0, into ``doubtful``: how many."""
    n_doubtful = 0
    for i in range(scores.shape[0]):
        a, b = scores[i, cut.j], scores[i, cut.k]
        s = cut.left * a + cut.right * b
        if i == cut.row:
            s = 0.0  # exactly, by the choice of the vertex
        elif (a != 0.0 or b != 0.0) and not abs(s) > cut.error_bound * scale[i]:
            s = 0.0
            doubtful[n_doubtful] = i
            n_doubtful += 1
        new_scores[i] = s
    return n_doubtful


@inner_kernel
def _place_new_vertex(vertices: np.ndarray, error_bounds: np.ndarray, depth: int, cut: EdgeCut) -> None:
    """The vertices of the first child. Until the second is made, they hold the new one and its error."""
    D = error_bounds.shape[1]
    for c in range(D):
        error_bounds[depth + 1, c] = error_bounds[depth, c]
        for b in range(D):
            vertices[depth + 1, c, b] = vertices[depth, c, b]
    for b in range(D):
        vertices[depth + 1, cut.j, b] = (
            cut.left * vertices[depth, cut.j, b] + cut.right * vertices[depth, cut.k, b]
        )
    error_bounds[depth + 1, cut.j] = cut.error_bound


@kernel
def split_cone(stack: Stack, rows: ConeRows) -> bool:
    """Choose edge and point, write them, compute the new column; False where doubles give out."""
    progress = stack.progress
    depth = progress["depth"]
    level = stack.levels[depth]
    start, n = level["start"], level["count"]
    D = stack.scores.shape[1]
    # Few rows, or cuts that decided hardly any: a ray common to many rows may lie inside. Only cuts on the
    # rows' own hyperplanes come to an end then.
    is_stale = n <= 3 * D or (depth >= 4 and 20 * n > 19 * stack.levels[depth - 4]["count"])
    row = _choose_row(stack, rows.costs) if is_stale else -1
    edge = _choose_edge(stack, rows.costs, row)
    if edge < 0 or depth >= MAX_LEVELS or start + 2 * n >= stack.rows.shape[0]:
        return False
    j, k = edge // D, edge % D
    row -= start if row >= 0 else 0
    scores, scale = stack.scores[start : start + n], rows.scale[stack.rows[start : start + n]]
    names = rows.names[stack.rows[start : start + n]]
    places, crossing = np.empty(n), np.empty(n, np.int64)
    count = _find_crossings(scores, j, k, places, crossing)
    order = np.argsort(places[:count])
    target, most_ties = _find_target(places, order)
    point = NO_RATIO
    if count > 3 and most_ties == 1 and not is_stale:
        point = _choose_point(places, order, target)
    error_bound = max(stack.error_bounds[depth, j], stack.error_bounds[depth, k])
    if point.numerator > 0.0:
        left = point.numerator / 2.0**point.exponent
        cut = EdgeCut(j, k, -1, left, 1.0 - left, error_bound + 4.0 * U)  # (1) and (3) above
        kind, number, power = 0, int(point.numerator), point.exponent
    else:
        if row < 0:
            row = _choose_steepest(scores, scale, j, k, crossing, order, target, most_ties)
        cut, power = _cut_at_row(scores, scale, j, k, row, error_bound)
        kind, number = 1, names[row]
    if not cut.error_bound < MAX_ERROR_VALUE:
        return False
    doubtful = crossing  # no longer needed, and of the same length
    n_doubtful = _score_new_vertex(scores, scale, cut, stack.new_scores[start : start + n], doubtful)
    events: np.ndarray = stack.events[progress["n_events"] :]
    events[0], events[1], events[2], events[3], events[4], events[5] = j, k, kind, number, power, n_doubtful
    for x in range(n_doubtful):
        events[6 + x] = names[doubtful[x]]
    progress["n_events"] += 6 + n_doubtful
    progress["n_doubtful"] += n_doubtful
    level["first_vertex"] = j
    level["second_vertex"] = k
    _place_new_vertex(stack.vertices, stack.error_bounds, depth, cut)
    return True
