"""Pairs of open rows that no halfspace of a cone has both right."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.zero_one.lower.cones.stack_kernels import (
    COUNT,
    EVENTS,
    LEVEL,
    PAIRED,
    PAIRS,
    START,
    Stack,
)
from separatrix.kernels import kernel


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
def match(
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
