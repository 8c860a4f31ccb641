"""Pairs of open rows that no halfspace of a cone has both right.

**The ratio.** At vertex v let a = s_i, b = s_k be the scores of the two rows as doubles, and ε_v the error
bound. Some ρ > 0 has ρ·a + b ≤ 0 at every vertex iff

    (1)  ρ ≤ −b/a where a > 0,  ρ ≥ −b/a where a < 0 < b,  and never a = 0 < b or a > 0, b > 0

leaves an interval. A dyadic number near its middle is taken for ρ, and what doubles say of it is beyond doubt
if

    (2)  ρ·a + b ≤ −ε_v (ρ·scale_i + scale_k), without the terms of scores that are 0, at every vertex.

A score that is 0 is exact: a doubtful one that was set to 0 is confirmed elsewhere. The left side rounds by
at most 2u(ρ·scale_i + scale_k), and the error bounds exceed the errors of the scores by that much: 4u is
added for every vertex, of which the scores use 2u (`cut_kernels`).
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.zero_one.lower.cones.stack_kernels import NO_RATIO, ConeRows, DyadicRatio, Stack
from separatrix.kernels import inner_kernel, kernel

MAX_TRIES_COUNT = 600  # partners that are tried for one row


@inner_kernel
def find_ratio(
    scores: np.ndarray, i: int, k: int, error_bounds: np.ndarray, first_scale: float, second_scale: float
) -> DyadicRatio:
    """ρ if rows i and k conflict beyond doubt, else `NO_RATIO`."""
    D = scores.shape[1]
    low = 0.0
    high = 1e300
    for j in range(D):  # (1) above
        a = scores[i, j]
        b = scores[k, j]
        if a > 0.0:
            high = min(high, -b / a)
        elif b > 0.0:
            if a == 0.0:
                return NO_RATIO
            low = max(low, -b / a)
        if not low < high:
            return NO_RATIO
    power = 0
    unit = 1.0
    a = np.ceil(low)
    if a < 1.0:
        a = 1.0
    while not (a > low and a < high):
        power += 1
        if power > 60:
            return NO_RATIO
        unit *= 2.0
        # The interval may have no end: then a ratio a little above its start is as good as any.
        a = np.floor(0.5 * (low + min(high, 2.0 * low + 1.0)) * unit)
        if a < 1.0:
            a = 1.0
        if a > low * unit and a < high * unit:
            break
    if a > 2.0**52:
        return NO_RATIO
    ratio = a / unit
    for j in range(D):  # (2) above
        error_bound = 0.0
        if scores[i, j] != 0.0:
            error_bound += ratio * error_bounds[j] * first_scale
        if scores[k, j] != 0.0:
            error_bound += error_bounds[j] * second_scale
        if ratio * scores[i, j] + scores[k, j] > -error_bound and (
            scores[i, j] != 0.0 or scores[k, j] != 0.0
        ):
            return NO_RATIO
    return DyadicRatio(a, power)


@kernel
def _add_pair(stack: Stack, i: int, k: int, amount: int, ratio: DyadicRatio, names: np.ndarray) -> None:
    """Write the pair of local rows i and k, and use up their cost."""
    progress = stack.progress
    level = stack.levels[progress["depth"]]
    start = level["start"]
    pair = stack.pairs[level["first_pair"] + level["n_pairs"]]
    pair["first"] = i
    pair["second"] = k
    pair["amount"] = amount
    level["n_pairs"] += 1
    stack.unpaired_costs[start + i] -= amount
    stack.unpaired_costs[start + k] -= amount
    at = progress["n_events"]
    stack.events[at] = names[stack.rows[start + i]]
    stack.events[at + 1] = names[stack.rows[start + k]]
    stack.events[at + 2] = int(ratio.numerator)
    stack.events[at + 3] = ratio.exponent
    stack.events[at + 4] = amount
    progress["n_events"] += 5


@inner_kernel
def _rank_candidates(
    scores: np.ndarray, unpaired_costs: np.ndarray, positive_masks: np.ndarray, candidates: np.ndarray
) -> int:
    """The rows with unpaired cost; returns how many.

    Rows that are right at most vertices have the fewest partners and go first. ``positive_masks`` becomes the
    set of vertices at which each row is right: two rows that share one are in no conflict.
    """
    n, D = scores.shape
    for i in range(n):
        mask = 0
        size = 0
        for j in range(D):
            if scores[i, j] > 0.0:
                mask |= 1 << j
                size += 1
        positive_masks[i] = mask
        candidates[i] = size
    ranked = np.argsort(-candidates, kind="mergesort")
    count = 0
    for x in range(n):
        if unpaired_costs[ranked[x]] > 0:
            candidates[count] = ranked[x]
            count += 1
    return count


@inner_kernel
def _pair_greedily(
    stack: Stack,
    rows: ConeRows,
    target: int,
    bound: int,
    positive_masks: np.ndarray,
    candidates: np.ndarray,
) -> tuple[int, int]:
    """Pair each candidate with later ones as far as its cost goes; returns the number of pairs and the
    bound."""
    depth = stack.progress["depth"]
    error_bounds, start = stack.error_bounds[depth], stack.levels[depth]["start"]
    scores, numbers, unpaired_costs, scale = stack.scores, stack.rows, stack.unpaired_costs, rows.scale
    count = candidates.shape[0]
    n_added = 0
    for x in range(count):
        i = candidates[x]
        n_tries = 0
        for y in range(x + 1, count):
            if unpaired_costs[start + i] <= 0 or n_tries > MAX_TRIES_COUNT or bound >= target:
                break
            k = candidates[y]
            if positive_masks[i] & positive_masks[k] or unpaired_costs[start + k] <= 0:
                continue
            n_tries += 1
            ratio = find_ratio(
                scores,
                start + i,
                start + k,
                error_bounds,
                scale[numbers[start + i]],
                scale[numbers[start + k]],
            )
            if ratio.numerator > 0.0:
                amount = min(unpaired_costs[start + i], unpaired_costs[start + k])
                _add_pair(stack, i, k, amount, ratio, rows.names)
                n_added += 1
                bound += amount
    return n_added, bound


@inner_kernel
def _find_partner(
    stack: Stack, scale: np.ndarray, end: int, taken: int, positive_masks: np.ndarray, free_rows: np.ndarray
) -> tuple[int, DyadicRatio]:
    """The first free row but ``taken`` that conflicts with local row ``end``, and the ratio; -1 if none
    does."""
    depth = stack.progress["depth"]
    error_bounds, start = stack.error_bounds[depth], stack.levels[depth]["start"]
    scores, numbers, unpaired_costs = stack.scores, stack.rows, stack.unpaired_costs
    end_scale = scale[numbers[start + end]]
    for x in range(free_rows.shape[0]):
        f = free_rows[x]
        if f == taken or unpaired_costs[start + f] <= 0 or positive_masks[f] & positive_masks[end]:
            continue
        ratio = find_ratio(scores, start + f, start + end, error_bounds, scale[numbers[start + f]], end_scale)
        if ratio.numerator > 0.0:
            return f, ratio
    return -1, NO_RATIO


@inner_kernel
def _pair_along_paths(
    stack: Stack, rows: ConeRows, target: int, bound: int, n_added: int, positive_masks: np.ndarray
) -> tuple[int, int, int]:
    """Make two pairs u-i, k-v of a pair i-k and two free rows u, v; write by how much i-k is shortened.

    Returns the number of pairs added at this node, of pairs shortened, and the bound.
    """
    level = stack.levels[stack.progress["depth"]]
    start, n, first_pair = level["start"], level["count"], level["first_pair"]
    unpaired_costs, scale, names = stack.unpaired_costs, rows.scale, rows.names
    free_rows = np.empty(n, np.int64)
    count = 0
    free_cost = 0
    for i in range(n):
        if unpaired_costs[start + i] > 0:
            free_rows[count] = i
            count += 1
            free_cost += unpaired_costs[start + i]
    shortened = np.empty((level["n_pairs"], 2), np.int64)
    n_shortened = 0
    for p in range(level["n_pairs"]):
        # What is free can raise the bound by half its cost at most.
        if bound >= target or 2 * bound + free_cost < 2 * target or count < 2 or n_added > n:
            break
        pair = stack.pairs[first_pair + p]
        if pair["amount"] <= 0:
            continue
        for side in range(2):
            end, other = pair["first"], pair["second"]
            if side == 1:
                end, other = other, end
            u, first_ratio = _find_partner(stack, scale, end, -1, positive_masks, free_rows[:count])
            if u < 0:
                break
            v, ratio = _find_partner(stack, scale, other, u, positive_masks, free_rows[:count])
            if v >= 0:
                amount = min(pair["amount"], min(unpaired_costs[start + u], unpaired_costs[start + v]))
                pair["amount"] -= amount
                unpaired_costs[start + end] += amount
                unpaired_costs[start + other] += amount
                _add_pair(stack, u, end, amount, first_ratio, names)
                _add_pair(stack, v, other, amount, ratio, names)
                shortened[n_shortened, 0] = p
                shortened[n_shortened, 1] = amount
                n_shortened += 1
                n_added += 2
                bound += amount
                free_cost -= 2 * amount
                break
    at = stack.progress["n_events"]
    for c in range(n_shortened):
        stack.events[at + 2 * c] = shortened[c, 0]
        stack.events[at + 2 * c + 1] = shortened[c, 1]
    stack.progress["n_events"] += 2 * n_shortened
    return n_added, n_shortened, bound


@kernel
def match_pairs(stack: Stack, rows: ConeRows, target: int, bound: int) -> int:
    """New pairs, greedily and then along paths of three, until the bound reaches the target: the bound.

    Writes the counts and the pairs to the events.
    """
    progress = stack.progress
    level = stack.levels[progress["depth"]]
    start, n = level["start"], level["count"]
    head = progress["n_events"]
    stack.events[head] = 0
    stack.events[head + 1] = 0
    progress["n_events"] += 2
    free_cost = 0
    for i in range(start, start + n):
        free_cost += stack.unpaired_costs[i]
    if bound >= target or 2 * bound + free_cost < 2 * target:
        return bound
    positive_masks, candidates = np.empty(n, np.int64), np.empty(n, np.int64)
    count = _rank_candidates(
        stack.scores[start : start + n], stack.unpaired_costs[start : start + n], positive_masks, candidates
    )
    n_added, bound = _pair_greedily(stack, rows, target, bound, positive_masks, candidates[:count])
    n_shortened = 0
    if bound < target:
        n_added, n_shortened, bound = _pair_along_paths(stack, rows, target, bound, n_added, positive_masks)
    stack.events[head] = n_added
    stack.events[head + 1] = n_shortened
    return bound
