"""Where a cone is cut in two, and the two halves."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.zero_one.lower.cones.stack_kernels import (
    BASE,
    COUNT,
    DOUBTS,
    EVENTS,
    FIRST,
    LEVEL,
    MAX_LEVELS,
    PAIRED,
    PAIRS,
    SECOND,
    STAGE,
    START,
    Stack,
    U,
)
from separatrix.kernels import kernel


@kernel
def _find_simplest(low: float, high: float, found: np.ndarray) -> bool:
    """The p/2^q with the least q in the open interval, near its middle."""
    unit = 1.0
    for q in range(48):
        p = np.floor(0.5 * (low + high) * unit + 0.5)
        if p > low * unit and p < high * unit:
            found[0] = p
            found[1] = q
            return True
        unit *= 2.0
    return False


@kernel
def _choose_row(stack: Stack, costs: np.ndarray) -> int:
    """The open row with the most zeros among its scores, of those the dearest.

    Cut on its own hyperplane again and again, a row is settled after at most D − 1 cuts on every path, since
    each cut turns a score that is not 0 into one that is. So cutting always the row that was begun ends.
    """
    level = stack.levels[stack.counters[LEVEL]]
    most_zeros = -1
    highest_cost = 0
    chosen = -1
    for i in range(level[START], level[START] + level[COUNT]):
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
    level = stack.levels[stack.counters[LEVEL]]
    start, n = level[START], level[COUNT]
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


@kernel
def split_cone(stack: Stack, costs: np.ndarray, names: np.ndarray, scale: np.ndarray) -> bool:
    """Choose edge and point, write them, compute the new column; False where doubles give out."""
    depth = stack.counters[LEVEL]
    level = stack.levels[depth]
    start, n = level[START], level[COUNT]
    D = stack.scores.shape[1]
    # Few rows, or cuts that settled hardly any: a ray common to many rows may lie inside. Only cuts on the
    # rows' own hyperplanes come to an end then.
    is_stale = n <= 3 * D or (depth >= 4 and 20 * n > 19 * stack.levels[depth - 4, COUNT])
    defining = _choose_row(stack, costs) if is_stale else -1
    edge = _choose_edge(stack, costs, defining)
    if edge < 0 or depth >= MAX_LEVELS or start + 2 * n >= stack.rows.shape[0]:
        return False
    j, k = edge // D, edge % D
    places = np.empty(n)
    crossing = np.empty(n, np.int64)
    count = 0
    for i in range(start, start + n):
        a, b = stack.scores[i, j], stack.scores[i, k]
        if a * b < 0.0:
            places[count] = b / (b - a)
            crossing[count] = i
            count += 1
    order = np.argsort(places[:count])
    half = count // 2
    found = np.empty(2)
    error_bound = max(stack.error_bounds[depth, j], stack.error_bounds[depth, k])
    point = -1.0
    most_ties = 1
    ties = 1
    for g in range(1, count):
        ties = ties + 1 if places[order[g]] - places[order[g - 1]] < 1e-13 else 1
        if ties > most_ties:
            most_ties = ties
            half = g
    if 5 * most_ties < count or most_ties == 1:
        half = count // 2
        most_ties = 1
    if count > 3 and most_ties == 1 and not is_stale:
        for width in (1e-4, 1e-8, 1e-12):
            for step in range(count // 2 + 1):
                for side in range(2):
                    g = half - step if side == 0 else half + step
                    if g < 1 or g >= count or 10 * min(g, count - g) < count:
                        continue
                    low, high = places[order[g - 1]], places[order[g]]
                    gap = high - low
                    if gap > width and _find_simplest(low + 0.25 * gap, high - 0.25 * gap, found):
                        point = found[0] / 2.0 ** found[1]
                        break
                if point > 0.0:
                    break
            if point > 0.0:
                break
    if point > 0.0:
        left, right = point, 1.0 - point
        error_bound += 4.0 * U
    else:
        steepest = 0.0
        for g in range(count if defining < 0 else 0):
            i = crossing[order[g]]
            if (most_ties == 1 and 3 * abs(g - half) <= count // 2) or g == half:
                width = (abs(stack.scores[i, j]) + abs(stack.scores[i, k])) / scale[stack.rows[i]]
                if width > steepest or (g == half and most_ties > 1):
                    steepest = width
                    defining = i
        largest = 0.0
        for i in range(start, start + n):
            size = max(abs(stack.scores[i, j]), abs(stack.scores[i, k])) / scale[stack.rows[i]]
            largest = max(largest, size)
        steepest = (abs(stack.scores[defining, j]) + abs(stack.scores[defining, k])) / scale[
            stack.rows[defining]
        ]
        left, right = abs(stack.scores[defining, k]), abs(stack.scores[defining, j])
        power = np.ceil(np.log2(left + right))
        scale_down = 2.0**-power
        # The exact crossing is off by at most a share slack/steep of the scores at both ends.
        error_bound = error_bound + 4.0 * U + 2.0 * error_bound * largest / steepest
        left *= scale_down
        right *= scale_down
        found[0] = names[stack.rows[defining]]
        found[1] = power
    if not error_bound < 2.0**-25:
        return False
    at = stack.counters[EVENTS]
    stack.events[at] = j
    stack.events[at + 1] = k
    stack.events[at + 2] = 0 if defining < 0 else 1
    stack.events[at + 3] = int(found[0])
    stack.events[at + 4] = int(found[1])
    n_doubtful = 0
    for i in range(start, start + n):
        a, b = stack.scores[i, j], stack.scores[i, k]
        s = left * a + right * b
        if i == defining:
            s = 0.0
        elif (a != 0.0 or b != 0.0) and not abs(s) > error_bound * scale[stack.rows[i]]:
            s = 0.0
            stack.events[at + 6 + n_doubtful] = names[stack.rows[i]]
            n_doubtful += 1
        stack.new_scores[i] = s
    stack.events[at + 5] = n_doubtful
    stack.counters[EVENTS] += 6 + n_doubtful
    stack.counters[DOUBTS] += n_doubtful
    level[FIRST] = j
    level[SECOND] = k
    for c in range(D):
        stack.error_bounds[depth + 1, c] = stack.error_bounds[depth, c]
        for b in range(D):
            stack.vertices[depth + 1, c, b] = stack.vertices[depth, c, b]
    # The first child's place holds the new vertex and its error until the second child is made.
    for b in range(D):
        stack.vertices[depth + 1, j, b] = (
            left * stack.vertices[depth, j, b] + right * stack.vertices[depth, k, b]
        )
    stack.error_bounds[depth + 1, j] = error_bound
    return True


@kernel
def make_child(stack: Stack, costs: np.ndarray, is_second: bool) -> None:
    """Make the first or the second child of the node on top, one level up."""
    depth = stack.counters[LEVEL]
    level = stack.levels[depth]
    child = stack.levels[depth + 1]
    start, n = level[START], level[COUNT]
    D = stack.scores.shape[1]
    j, k = level[FIRST], level[SECOND]
    if is_second:
        for b in range(D):
            new = stack.vertices[depth + 1, j, b]
            stack.vertices[depth + 1, j, b] = stack.vertices[depth, j, b]
            stack.vertices[depth + 1, k, b] = new
        error_bound = stack.error_bounds[depth + 1, j]
        for c in range(D):
            stack.error_bounds[depth + 1, c] = stack.error_bounds[depth, c]
        stack.error_bounds[depth + 1, k] = error_bound
    column = k if is_second else j
    at = start + n
    count = 0
    base = level[BASE]
    place = np.empty(n, np.int64)
    for i in range(start, start + n):
        has_positive = False
        has_negative = False
        for c in range(D):
            s = stack.new_scores[i] if c == column else stack.scores[i, c]
            stack.scores[at + count, c] = s
            has_positive |= s > 0.0
            has_negative |= s < 0.0
        place[i - start] = -1
        if not has_positive:
            base += costs[stack.rows[i]]
        elif has_negative:
            stack.rows[at + count] = stack.rows[i]
            stack.unpaired_costs[at + count] = costs[stack.rows[i]]
            place[i - start] = count
            count += 1
    child[START] = at
    child[COUNT] = count
    child[BASE] = base
    child[STAGE] = 0
    child[PAIRS] = level[PAIRS] + level[PAIRED]
    child[PAIRED] = 0
    for p in range(level[PAIRS], level[PAIRS] + level[PAIRED]):
        a, b = place[stack.pairs[p, 0]], place[stack.pairs[p, 1]]
        amount = stack.pairs[p, 2]
        if a >= 0 and b >= 0 and amount > 0:
            q = child[PAIRS] + child[PAIRED]
            stack.pairs[q, 0], stack.pairs[q, 1], stack.pairs[q, 2] = a, b, amount
            child[PAIRED] += 1
            stack.unpaired_costs[at + a] -= amount
            stack.unpaired_costs[at + b] -= amount
    stack.counters[LEVEL] = depth + 1
