"""Branch and bound over simplicial cones of halfspaces.

A node is a cone with D vertices. A row is known there by its scores s_j = z·v_j at the vertices: all ≤ 0, and
it is an error on the whole cone; all ≥ 0, and it is counted as right; else it is open. Two open rows i, k
*conflict* if ρ·s_i + s_k ≤ 0 at every vertex for some ρ > 0: no halfspace of the cone has both right. Pairs
of conflicting rows, each row used up to its cost, add to the bound. A cone whose bound stays below the target
is cut in two through a point of one edge.

Scores are doubles with a proven error: at vertex v a score of row i is wrong by at most ``error[v] ·
scale[i]``. A sign is taken for certain only beyond that; a score within it is set to 0, counted in the
tally and written down, and has to be confirmed in whole numbers by the caller.

What is done is written to ``events``, node by node, children after their parent: the number of new pairs and
of shortened ones; each new pair as i, k, a, e, amount, for ρ = a/2^e; each shortened one as place, amount;
then -1 for a leaf, -2 for one where doubles gave out, all of whose pairs are taken back, or an edge j, k with 0, p, q for the new vertex (p·v_j + (2^q − p)·v_k)/2^q, or with
1, row, x for 2^-x·(|s_k|·v_j + |s_j|·v_k), where that row's score is 0; and the rows whose score there is
taken for 0, their number first. The first child has the new vertex in
place of j, the second in place of k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

LEVELS = 300
U = 2.0**-53
# columns of ``levels``
START, COUNT, BASE, STAGE, FIRST, SECOND, PAIRS, PAIRED = range(8)
# entries of ``tally``
LEVEL, EVENTS, NODES, LOWEST, DOUBTS, GIVEN_UP, CHEAPEST = range(7)


class Stack(NamedTuple):
    """The open nodes on the way from the root, one level each, and what was written."""

    scores: np.ndarray  # (room, D)
    rows: np.ndarray  # (room,)
    left: np.ndarray  # (room,): cost that no pair has used
    fresh: np.ndarray  # (room,): scores at the new vertex
    levels: np.ndarray  # (LEVELS + 2, 8)
    error: np.ndarray  # (LEVELS + 2, D)
    vertices: np.ndarray  # (LEVELS + 2, D, D): in coordinates of the root's vertices
    pairs: np.ndarray  # (room, 3): local i, local k, amount
    events: np.ndarray
    tally: np.ndarray
    candidate: np.ndarray  # (D,): a cheaper halfspace met, in the same coordinates


@kernel
def plant(scores: np.ndarray, signs: np.ndarray, costs: np.ndarray, error: float, stack: Stack) -> None:
    """The root: the cone of the vertices ±, ``scores`` being those at the vertices +, of the right sign."""
    m, D = scores.shape
    count = 0
    base = 0
    for i in range(m):
        above = False
        below = False
        for j in range(D):
            s = scores[i, j] * signs[j]
            stack.scores[count, j] = s
            above |= s > 0.0
            below |= s < 0.0
        if not above:
            base += costs[i]
        elif below:
            stack.rows[count] = i
            stack.left[count] = costs[i]
            count += 1
    level = stack.levels[0]
    level[:] = 0
    level[COUNT] = count
    level[BASE] = base
    for j in range(D):
        stack.error[0, j] = error
        for k in range(D):
            stack.vertices[0, j, k] = 1.0 if j == k else 0.0
    stack.tally[LEVEL] = 0


@kernel
def _ratio(
    scores: np.ndarray, i: int, k: int, slack: np.ndarray, sizes: np.ndarray, found: np.ndarray
) -> bool:
    """Whether rows i and k conflict beyond doubt; ``found`` gets a and e of ρ = a/2^e."""
    D = scores.shape[1]
    low = 0.0
    high = 1e300
    for j in range(D):
        a = scores[i, j]
        b = scores[k, j]
        if a > 0.0:
            high = min(high, -b / a)
        elif b > 0.0:
            if a == 0.0:
                return False
            low = max(low, -b / a)
        if not low < high:
            return False
    power = 0
    unit = 1.0
    a = np.ceil(low)
    if a < 1.0:
        a = 1.0
    while not (a > low and a < high):
        power += 1
        if power > 60:
            return False
        unit *= 2.0
        a = np.floor(0.5 * (low + min(high, 2.0 * low + 1.0)) * unit)
        if a < 1.0:
            a = 1.0
        if a > low * unit and a < high * unit:
            break
    if a > 2.0**52:
        return False
    ratio = a / unit
    for j in range(D):
        doubt = 0.0
        if scores[i, j] != 0.0:
            doubt += ratio * slack[j] * sizes[0]
        if scores[k, j] != 0.0:
            doubt += slack[j] * sizes[1]
        if ratio * scores[i, j] + scores[k, j] > -doubt and (scores[i, j] != 0.0 or scores[k, j] != 0.0):
            return False
    found[0] = a
    found[1] = power
    return True


@kernel
def _add_pair(
    stack: Stack, i: int, k: int, amount: int, names: np.ndarray, found: np.ndarray, level: np.ndarray
) -> None:
    """Write the pair of local rows i and k, and use up their cost."""
    start = level[START]
    place = level[PAIRS] + level[PAIRED]
    stack.pairs[place, 0] = i
    stack.pairs[place, 1] = k
    stack.pairs[place, 2] = amount
    level[PAIRED] += 1
    stack.left[start + i] -= amount
    stack.left[start + k] -= amount
    at = stack.tally[EVENTS]
    stack.events[at] = names[stack.rows[start + i]]
    stack.events[at + 1] = names[stack.rows[start + k]]
    stack.events[at + 2] = int(found[0])
    stack.events[at + 3] = int(found[1])
    stack.events[at + 4] = amount
    stack.tally[EVENTS] += 5


@kernel
def _match(
    stack: Stack, costs: np.ndarray, names: np.ndarray, scale: np.ndarray, target: int, bound: int
) -> int:
    """New pairs, greedily and then along paths of three, until the bound reaches the target: the bound.

    Writes the counts and the pairs to the events.
    """
    level = stack.levels[stack.tally[LEVEL]]
    slack = stack.error[stack.tally[LEVEL]]
    start, n = level[START], level[COUNT]
    D = stack.scores.shape[1]
    head = stack.tally[EVENTS]
    stack.events[head] = 0
    stack.events[head + 1] = 0
    stack.tally[EVENTS] += 2
    free = 0
    for i in range(start, start + n):
        free += stack.left[i]
    if bound >= target or 2 * bound + free < 2 * target:
        return bound
    found = np.empty(2)
    sizes = np.empty(2)
    masks = np.empty(n, np.int64)
    order = np.empty(n, np.int64)
    for i in range(n):
        mask = 0
        size = 0
        for j in range(D):
            if stack.scores[start + i, j] > 0.0:
                mask |= 1 << j
                size += 1
        masks[i] = mask
        order[i] = size
    # Rows that are right at most vertices have the fewest partners and go first.
    ranked = np.argsort(-order, kind="mergesort")
    count = 0
    for x in range(n):
        if stack.left[start + ranked[x]] > 0:
            order[count] = ranked[x]
            count += 1
    added = 0
    for x in range(count):
        i = order[x]
        sizes[0] = scale[stack.rows[start + i]]
        tries = 0
        for y in range(x + 1, count):
            if stack.left[start + i] <= 0 or tries > 600:
                break
            k = order[y]
            if masks[i] & masks[k] or stack.left[start + k] <= 0:
                continue
            tries += 1
            sizes[1] = scale[stack.rows[start + k]]
            if _ratio(stack.scores, start + i, start + k, slack, sizes, found):
                amount = min(stack.left[start + i], stack.left[start + k])
                _add_pair(stack, i, k, amount, names, found, level)
                added += 1
                bound += amount
                free -= 2 * amount
                if bound >= target:
                    stack.events[head] = added
                    return bound
    # A pair i-k between two free rows u-i, k-v becomes two pairs.
    count = 0
    free = 0
    for i in range(n):
        if stack.left[start + i] > 0:
            order[count] = i
            count += 1
            free += stack.left[start + i]
    cuts = np.empty((level[PAIRED], 2), np.int64)
    cut = 0
    first = np.empty(2)
    for p in range(level[PAIRED]):
        if 2 * bound + free < 2 * target or count < 2 or added > n:
            break
        place = level[PAIRS] + p
        if stack.pairs[place, 2] <= 0:
            continue
        ends = (stack.pairs[place, 0], stack.pairs[place, 1])
        u = -1
        v = -1
        for side in range(2):
            end = ends[side]
            other = ends[1 - side]
            sizes[1] = scale[stack.rows[start + end]]
            u = -1
            for x in range(count):
                f = order[x]
                if stack.left[start + f] <= 0 or masks[f] & masks[end]:
                    continue
                sizes[0] = scale[stack.rows[start + f]]
                if _ratio(stack.scores, start + f, start + end, slack, sizes, first):
                    u = f
                    break
            if u < 0:
                break
            v = -1
            sizes[1] = scale[stack.rows[start + other]]
            for x in range(count):
                f = order[x]
                if f == u or stack.left[start + f] <= 0 or masks[f] & masks[other]:
                    continue
                sizes[0] = scale[stack.rows[start + f]]
                if _ratio(stack.scores, start + f, start + other, slack, sizes, found):
                    v = f
                    break
            if v >= 0:
                amount = min(stack.pairs[place, 2], min(stack.left[start + u], stack.left[start + v]))
                stack.pairs[place, 2] -= amount
                stack.left[start + end] += amount
                stack.left[start + other] += amount
                _add_pair(stack, u, end, amount, names, first, level)
                _add_pair(stack, v, other, amount, names, found, level)
                cuts[cut, 0] = p
                cuts[cut, 1] = amount
                cut += 1
                added += 2
                bound += amount
                free -= 2 * amount
                break
        if bound >= target:
            break
    stack.events[head] = added
    stack.events[head + 1] = cut
    at = stack.tally[EVENTS]
    for c in range(cut):
        stack.events[at + 2 * c] = cuts[c, 0]
        stack.events[at + 2 * c + 1] = cuts[c, 1]
    stack.tally[EVENTS] += 2 * cut
    return bound


@kernel
def _look(stack: Stack, costs: np.ndarray, target: int) -> None:
    """The cost of the cone's middle, and of a few halfspaces that a perceptron reaches from it."""
    depth = stack.tally[LEVEL]
    level = stack.levels[depth]
    start, n = level[START], level[COUNT]
    D = stack.scores.shape[1]
    middle = np.ones(D)
    push = np.empty(D)
    for turn in range(12 if n <= 5 * D else 1):
        cost = level[BASE]
        push[:] = 0.0
        for i in range(start, start + n):
            s = 0.0
            size = 0.0
            for j in range(D):
                s += stack.scores[i, j] * middle[j]
                size += abs(stack.scores[i, j])
            if not s > 1e-9 * size:
                cost += costs[stack.rows[i]]
                for j in range(D):
                    push[j] += stack.scores[i, j] / size
        if cost < target and cost < stack.tally[CHEAPEST]:
            stack.tally[CHEAPEST] = cost
            for k in range(D):
                s = 0.0
                for j in range(D):
                    s += middle[j] * stack.vertices[depth, j, k]
                stack.candidate[k] = s
        for j in range(D):
            middle[j] = max(0.01, middle[j] + push[j] * 2.0 / (turn + 1.0))


@kernel
def _simplest(low: float, high: float, found: np.ndarray) -> bool:
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
def _begun(stack: Stack, costs: np.ndarray) -> int:
    """The open row with the most zeros among its scores, of those the dearest.

    Cut on its own hyperplane again and again, a row is settled after at most D − 1 cuts on every path, since
    each cut turns a score that is not 0 into one that is. So cutting always the row that was begun ends.
    """
    level = stack.levels[stack.tally[LEVEL]]
    most = -1
    dear = 0
    chosen = -1
    for i in range(level[START], level[START] + level[COUNT]):
        zeros = 0
        for j in range(stack.scores.shape[1]):
            zeros += stack.scores[i, j] == 0.0
        cost = costs[stack.rows[i]]
        if zeros > most or (zeros == most and cost > dear):
            most = zeros
            dear = cost
            chosen = i
    return chosen


@kernel
def _edge(stack: Stack, costs: np.ndarray, row: int) -> int:
    """The edge that most of the open cost crosses, as j·D + k; -1 if none is crossed.

    If a row is given, of the edges that it crosses.
    """
    level = stack.levels[stack.tally[LEVEL]]
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
    most = 0
    edge = -1
    for j in range(D - 1):
        for k in range(j + 1, D):
            if row >= 0 and not stack.scores[row, j] * stack.scores[row, k] < 0.0:
                continue
            if crossed[j, k] > most:
                most = crossed[j, k]
                edge = j * D + k
    return edge


@kernel
def _split(stack: Stack, costs: np.ndarray, names: np.ndarray, scale: np.ndarray) -> bool:
    """Choose edge and point, write them, compute the new column; False where doubles give out."""
    depth = stack.tally[LEVEL]
    level = stack.levels[depth]
    start, n = level[START], level[COUNT]
    D = stack.scores.shape[1]
    # Few rows, or cuts that settled hardly any: a ray common to many rows may lie inside. Only cuts on the
    # rows' own hyperplanes come to an end then.
    stale = n <= 3 * D or (depth >= 4 and 20 * n > 19 * stack.levels[depth - 4, COUNT])
    defining = _begun(stack, costs) if stale else -1
    edge = _edge(stack, costs, defining)
    if edge < 0 or depth >= LEVELS or start + 2 * n >= stack.rows.shape[0]:
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
    slack = max(stack.error[depth, j], stack.error[depth, k])
    point = -1.0
    tied = 1
    ties = 1
    for g in range(1, count):
        ties = ties + 1 if places[order[g]] - places[order[g - 1]] < 1e-13 else 1
        if ties > tied:
            tied = ties
            half = g
    if 5 * tied < count or tied == 1:
        half = count // 2
        tied = 1
    if count > 3 and tied == 1 and not stale:
        for width in (1e-4, 1e-8, 1e-12):
            for step in range(count // 2 + 1):
                for side in range(2):
                    g = half - step if side == 0 else half + step
                    if g < 1 or g >= count or 10 * min(g, count - g) < count:
                        continue
                    low, high = places[order[g - 1]], places[order[g]]
                    gap = high - low
                    if gap > width and _simplest(low + 0.25 * gap, high - 0.25 * gap, found):
                        point = found[0] / 2.0 ** found[1]
                        break
                if point > 0.0:
                    break
            if point > 0.0:
                break
    if point > 0.0:
        left, right = point, 1.0 - point
        slack += 4.0 * U
    else:
        steep = 0.0
        for g in range(count if defining < 0 else 0):
            i = crossing[order[g]]
            if (tied == 1 and 3 * abs(g - half) <= count // 2) or g == half:
                width = (abs(stack.scores[i, j]) + abs(stack.scores[i, k])) / scale[stack.rows[i]]
                if width > steep or (g == half and tied > 1):
                    steep = width
                    defining = i
        largest = 0.0
        for i in range(start, start + n):
            size = max(abs(stack.scores[i, j]), abs(stack.scores[i, k])) / scale[stack.rows[i]]
            largest = max(largest, size)
        steep = (abs(stack.scores[defining, j]) + abs(stack.scores[defining, k])) / scale[
            stack.rows[defining]
        ]
        left, right = abs(stack.scores[defining, k]), abs(stack.scores[defining, j])
        power = np.ceil(np.log2(left + right))
        shrink = 2.0**-power
        # The exact crossing is off by at most a share slack/steep of the scores at both ends.
        slack = slack + 4.0 * U + 2.0 * slack * largest / steep
        left *= shrink
        right *= shrink
        found[0] = names[stack.rows[defining]]
        found[1] = power
    if not slack < 2.0**-25:
        return False
    at = stack.tally[EVENTS]
    stack.events[at] = j
    stack.events[at + 1] = k
    stack.events[at + 2] = 0 if defining < 0 else 1
    stack.events[at + 3] = int(found[0])
    stack.events[at + 4] = int(found[1])
    doubts = 0
    for i in range(start, start + n):
        s = left * stack.scores[i, j] + right * stack.scores[i, k]
        if i == defining:
            s = 0.0
        elif s != 0.0 and not abs(s) > slack * scale[stack.rows[i]]:
            s = 0.0
            stack.events[at + 6 + doubts] = names[stack.rows[i]]
            doubts += 1
        stack.fresh[i] = s
    stack.events[at + 5] = doubts
    stack.tally[EVENTS] += 6 + doubts
    stack.tally[DOUBTS] += doubts
    level[FIRST] = j
    level[SECOND] = k
    for c in range(D):
        stack.error[depth + 1, c] = stack.error[depth, c]
        for b in range(D):
            stack.vertices[depth + 1, c, b] = stack.vertices[depth, c, b]
    # The first child's place holds the new vertex and its error until the second child is made.
    for b in range(D):
        stack.vertices[depth + 1, j, b] = (
            left * stack.vertices[depth, j, b] + right * stack.vertices[depth, k, b]
        )
    stack.error[depth + 1, j] = slack
    return True


@kernel
def _child(stack: Stack, costs: np.ndarray, second: bool) -> None:
    """Make the first or the second child of the node on top, one level up."""
    depth = stack.tally[LEVEL]
    level = stack.levels[depth]
    child = stack.levels[depth + 1]
    start, n = level[START], level[COUNT]
    D = stack.scores.shape[1]
    j, k = level[FIRST], level[SECOND]
    if second:
        for b in range(D):
            new = stack.vertices[depth + 1, j, b]
            stack.vertices[depth + 1, j, b] = stack.vertices[depth, j, b]
            stack.vertices[depth + 1, k, b] = new
        slack = stack.error[depth + 1, j]
        for c in range(D):
            stack.error[depth + 1, c] = stack.error[depth, c]
        stack.error[depth + 1, k] = slack
    column = k if second else j
    at = start + n
    count = 0
    base = level[BASE]
    place = np.empty(n, np.int64)
    for i in range(start, start + n):
        above = False
        below = False
        for c in range(D):
            s = stack.fresh[i] if c == column else stack.scores[i, c]
            stack.scores[at + count, c] = s
            above |= s > 0.0
            below |= s < 0.0
        place[i - start] = -1
        if not above:
            base += costs[stack.rows[i]]
        elif below:
            stack.rows[at + count] = stack.rows[i]
            stack.left[at + count] = costs[stack.rows[i]]
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
            stack.left[at + a] -= amount
            stack.left[at + b] -= amount
    stack.tally[LEVEL] = depth + 1


@kernel
def _give_up(stack: Stack, head: int, handed: np.ndarray) -> None:
    """Write the node on top anew, without pairs and as a leaf of its own kind: the caller goes on with it."""
    stack.events[head] = 0
    stack.events[head + 1] = handed.shape[0]
    for p in range(handed.shape[0]):
        stack.events[head + 2 + 2 * p] = p
        stack.events[head + 3 + 2 * p] = handed[p]
    at = head + 2 + 2 * handed.shape[0]
    stack.events[at] = -2
    stack.tally[EVENTS] = at + 1


@kernel
def grow(
    costs: np.ndarray, names: np.ndarray, scale: np.ndarray, target: int, turns: int, stack: Stack
) -> int:
    """Visit so many nodes, depth first; returns the number visited. The tree is done at level -1.

    A target of 0 turns every open node into a leaf at once.
    """
    visited = 0
    room = stack.events.shape[0] - 9 * costs.shape[0] - 100
    while stack.tally[LEVEL] >= 0 and visited < turns and stack.tally[EVENTS] < room:
        depth = stack.tally[LEVEL]
        level = stack.levels[depth]
        if level[STAGE] == 0:
            visited += 1
            bound = level[BASE]
            head = stack.tally[EVENTS]
            handed = np.empty(level[PAIRED], np.int64)
            for p in range(level[PAIRED]):
                handed[p] = stack.pairs[level[PAIRS] + p, 2]
                bound += handed[p]
            bound = _match(stack, costs, names, scale, target, bound)
            if bound < target:
                _look(stack, costs, target)
                if _split(stack, costs, names, scale):
                    level[STAGE] = 1
                    _child(stack, costs, False)
                    continue
                stack.tally[GIVEN_UP] += 1
                _give_up(stack, head, handed)
            else:
                stack.events[stack.tally[EVENTS]] = -1
                stack.tally[EVENTS] += 1
                stack.tally[LOWEST] = min(stack.tally[LOWEST], bound)
            stack.tally[LEVEL] = depth - 1
        elif level[STAGE] == 1:
            level[STAGE] = 2
            _child(stack, costs, True)
        else:
            stack.tally[LEVEL] = depth - 1
    stack.tally[NODES] += visited
    return visited
