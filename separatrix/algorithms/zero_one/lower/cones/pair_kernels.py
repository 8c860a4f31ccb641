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
def _find_ratio(
    scores: np.ndarray, i: int, k: int, error_bounds: np.ndarray, sizes: np.ndarray, found: np.ndarray
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
        error_bound = 0.0
        if scores[i, j] != 0.0:
            error_bound += ratio * error_bounds[j] * sizes[0]
        if scores[k, j] != 0.0:
            error_bound += error_bounds[j] * sizes[1]
        if ratio * scores[i, j] + scores[k, j] > -error_bound and (
            scores[i, j] != 0.0 or scores[k, j] != 0.0
        ):
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
    stack.unpaired_costs[start + i] -= amount
    stack.unpaired_costs[start + k] -= amount
    at = stack.counters[EVENTS]
    stack.events[at] = names[stack.rows[start + i]]
    stack.events[at + 1] = names[stack.rows[start + k]]
    stack.events[at + 2] = int(found[0])
    stack.events[at + 3] = int(found[1])
    stack.events[at + 4] = amount
    stack.counters[EVENTS] += 5


@kernel
def match_pairs(
    stack: Stack, costs: np.ndarray, names: np.ndarray, scale: np.ndarray, target: int, bound: int
) -> int:
    """New pairs, greedily and then along paths of three, until the bound reaches the target: the bound.

    Writes the counts and the pairs to the events.
    """
    level = stack.levels[stack.counters[LEVEL]]
    error_bounds = stack.error_bounds[stack.counters[LEVEL]]
    start, n = level[START], level[COUNT]
    D = stack.scores.shape[1]
    head = stack.counters[EVENTS]
    stack.events[head] = 0
    stack.events[head + 1] = 0
    stack.counters[EVENTS] += 2
    free_cost = 0
    for i in range(start, start + n):
        free_cost += stack.unpaired_costs[i]
    if bound >= target or 2 * bound + free_cost < 2 * target:
        return bound
    found = np.empty(2)
    sizes = np.empty(2)
    positive_masks = np.empty(n, np.int64)
    order = np.empty(n, np.int64)
    for i in range(n):
        mask = 0
        size = 0
        for j in range(D):
            if stack.scores[start + i, j] > 0.0:
                mask |= 1 << j
                size += 1
        positive_masks[i] = mask
        order[i] = size
    # Rows that are right at most vertices have the fewest partners and go first.
    ranked = np.argsort(-order, kind="mergesort")
    count = 0
    for x in range(n):
        if stack.unpaired_costs[start + ranked[x]] > 0:
            order[count] = ranked[x]
            count += 1
    n_added = 0
    for x in range(count):
        i = order[x]
        sizes[0] = scale[stack.rows[start + i]]
        n_tries = 0
        for y in range(x + 1, count):
            if stack.unpaired_costs[start + i] <= 0 or n_tries > 600:
                break
            k = order[y]
            if positive_masks[i] & positive_masks[k] or stack.unpaired_costs[start + k] <= 0:
                continue
            n_tries += 1
            sizes[1] = scale[stack.rows[start + k]]
            if _find_ratio(stack.scores, start + i, start + k, error_bounds, sizes, found):
                amount = min(stack.unpaired_costs[start + i], stack.unpaired_costs[start + k])
                _add_pair(stack, i, k, amount, names, found, level)
                n_added += 1
                bound += amount
                free_cost -= 2 * amount
                if bound >= target:
                    stack.events[head] = n_added
                    return bound
    # A pair i-k between two free rows u-i, k-v becomes two pairs.
    count = 0
    free_cost = 0
    for i in range(n):
        if stack.unpaired_costs[start + i] > 0:
            order[count] = i
            count += 1
            free_cost += stack.unpaired_costs[start + i]
    cuts = np.empty((level[PAIRED], 2), np.int64)
    n_cuts = 0
    first = np.empty(2)
    for p in range(level[PAIRED]):
        if 2 * bound + free_cost < 2 * target or count < 2 or n_added > n:
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
                if stack.unpaired_costs[start + f] <= 0 or positive_masks[f] & positive_masks[end]:
                    continue
                sizes[0] = scale[stack.rows[start + f]]
                if _find_ratio(stack.scores, start + f, start + end, error_bounds, sizes, first):
                    u = f
                    break
            if u < 0:
                break
            v = -1
            sizes[1] = scale[stack.rows[start + other]]
            for x in range(count):
                f = order[x]
                if (
                    f == u
                    or stack.unpaired_costs[start + f] <= 0
                    or positive_masks[f] & positive_masks[other]
                ):
                    continue
                sizes[0] = scale[stack.rows[start + f]]
                if _find_ratio(stack.scores, start + f, start + other, error_bounds, sizes, found):
                    v = f
                    break
            if v >= 0:
                amount = min(
                    stack.pairs[place, 2],
                    min(stack.unpaired_costs[start + u], stack.unpaired_costs[start + v]),
                )
                stack.pairs[place, 2] -= amount
                stack.unpaired_costs[start + end] += amount
                stack.unpaired_costs[start + other] += amount
                _add_pair(stack, u, end, amount, names, first, level)
                _add_pair(stack, v, other, amount, names, found, level)
                cuts[n_cuts, 0] = p
                cuts[n_cuts, 1] = amount
                n_cuts += 1
                n_added += 2
                bound += amount
                free_cost -= 2 * amount
                break
        if bound >= target:
            break
    stack.events[head] = n_added
    stack.events[head + 1] = n_cuts
    at = stack.counters[EVENTS]
    for c in range(n_cuts):
        stack.events[at + 2 * c] = cuts[c, 0]
        stack.events[at + 2 * c + 1] = cuts[c, 1]
    stack.counters[EVENTS] += 2 * n_cuts
    return bound
