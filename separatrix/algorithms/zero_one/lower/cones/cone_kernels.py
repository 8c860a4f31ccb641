"""Branch and bound over simplicial cones of halfspaces.

A node is a cone with D vertices. A row is known there by its scores s_j = z·v_j at the vertices: all ≤ 0, and
it is an error on the whole cone; all ≥ 0, and it is counted as right; else it is open. Two open rows i, k
*conflict* if for some ρ > 0

    (1)  ρ·s_i + s_k ≤ 0 at every vertex:

no halfspace of the cone has both right. Pairs of conflicting rows, each row used up to its cost, add to the
bound:

    (2)  cost of the cone ≥ cost of the errors on all of it + Σ amounts of the pairs.

A cone whose bound stays below the target is cut in two through a point of one edge.

Scores are doubles with a proven error: at vertex v a score of row i is wrong by at most ``error_bounds[v] ·
scale[i]``. A sign is taken for certain only beyond that; a score within it is set to 0, counted
and written down, and has to be confirmed in whole numbers by the caller.

What is done is written to ``events``, node by node, children after their parent: the number of new pairs and
of shortened ones; each new pair as i, k, a, e, amount, for ρ = a/2^e; each shortened one as place, amount;
then -1 for a leaf, -2 for one where doubles gave out, all of whose pairs are taken back, or an edge j, k
with 0, p, q for the new vertex (p·v_j + (2^q − p)·v_k)/2^q, or with
1, row, x for 2^-x·(|s_k|·v_j + |s_j|·v_k), where that row's score is 0; and the rows whose score there is
taken for 0, their number first. The first child has the new vertex in
place of j, the second in place of k.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.zero_one.lower.cones.cut_kernels import split_cone
from separatrix.algorithms.zero_one.lower.cones.pair_kernels import match_pairs
from separatrix.algorithms.zero_one.lower.cones.stack_kernels import ConeRows, Stack, make_child
from separatrix.kernels import kernel


@kernel
def initialise_root(
    scores: np.ndarray, signs: np.ndarray, costs: np.ndarray, error_bound: float, stack: Stack
) -> None:
    """The root: the cone of the vertices ±, ``scores`` being those at the vertices +, of the right sign."""
    m, D = scores.shape
    count = 0
    base = 0
    for i in range(m):
        has_positive = False
        has_negative = False
        for j in range(D):
            s = scores[i, j] * signs[j]
            stack.scores[count, j] = s
            has_positive |= s > 0.0
            has_negative |= s < 0.0
        if not has_positive:
            base += costs[i]
        elif has_negative:
            stack.rows[count] = i
            stack.unpaired_costs[count] = costs[i]
            count += 1
    level = stack.levels[0]
    level["start"] = level["first_pair"] = level["n_pairs"] = level["n_children"] = 0
    level["count"] = count
    level["base"] = base
    for j in range(D):
        stack.error_bounds[0, j] = error_bound
        for k in range(D):
            stack.vertices[0, j, k] = 1.0 if j == k else 0.0
    stack.progress["depth"] = 0


@kernel
def propose_halfspaces(stack: Stack, costs: np.ndarray, target: int) -> None:
    """The cost of the cone's middle, and of a few halfspaces that a perceptron reaches from it."""
    progress = stack.progress
    depth = progress["depth"]
    level = stack.levels[depth]
    start, n = level["start"], level["count"]
    D = stack.scores.shape[1]
    middle = np.ones(D)
    correction = np.empty(D)
    for step in range(12 if n <= 5 * D else 1):
        cost = level["base"]
        correction[:] = 0.0
        for i in range(start, start + n):
            s = 0.0
            size = 0.0
            for j in range(D):
                s += stack.scores[i, j] * middle[j]
                size += abs(stack.scores[i, j])
            if not s > 1e-9 * size:  # the caller counts exactly
                cost += costs[stack.rows[i]]
                for j in range(D):
                    correction[j] += stack.scores[i, j] / size
        if cost < target and cost < progress["cheapest"]:
            progress["cheapest"] = cost
            for k in range(D):
                s = 0.0
                for j in range(D):
                    s += middle[j] * stack.vertices[depth, j, k]
                stack.candidate[k] = s
        for j in range(D):
            middle[j] = max(0.01, middle[j] + correction[j] * 2.0 / (step + 1.0))  # stays in the cone


@kernel
def _give_up(stack: Stack, head: int, inherited: np.ndarray) -> None:
    """Write the node on top again, without pairs and as a leaf of its own kind: the caller goes on with
    it."""
    stack.events[head] = 0
    stack.events[head + 1] = inherited.shape[0]
    for p in range(inherited.shape[0]):
        stack.events[head + 2 + 2 * p] = p
        stack.events[head + 3 + 2 * p] = inherited[p]
    at = head + 2 + 2 * inherited.shape[0]
    stack.events[at] = -2
    stack.progress["n_events"] = at + 1


@kernel
def expand_nodes(stack: Stack, rows: ConeRows, target: int, max_nodes: int) -> int:
    """Visit so many nodes, depth first; returns the number visited. The tree is done at depth -1.

    A target of 0 turns every open node into a leaf at once.
    """
    progress = stack.progress
    n_visited = 0
    # What one node writes at most has to fit behind the last event.
    capacity = stack.events.shape[0] - 9 * rows.costs.shape[0] - 100
    while progress["depth"] >= 0 and n_visited < max_nodes and progress["n_events"] < capacity:
        depth = progress["depth"]
        level = stack.levels[depth]
        if level["n_children"] == 0:
            n_visited += 1
            head = progress["n_events"]
            bound = level["base"]
            inherited = np.empty(level["n_pairs"], np.int64)
            for p in range(level["n_pairs"]):  # (2) above
                inherited[p] = stack.pairs[level["first_pair"] + p]["amount"]
                bound += inherited[p]
            bound = match_pairs(stack, rows, target, bound)
            if bound < target:
                propose_halfspaces(stack, rows.costs, target)
                if split_cone(stack, rows):
                    level["n_children"] = 1
                    make_child(stack, rows.costs, False)
                    continue
                progress["n_given_up"] += 1
                _give_up(stack, head, inherited)
            else:
                stack.events[progress["n_events"]] = -1
                progress["n_events"] += 1
                progress["lowest"] = min(progress["lowest"], bound)
            progress["depth"] = depth - 1
        elif level["n_children"] == 1:
            level["n_children"] = 2
            make_child(stack, rows.costs, True)
        else:
            progress["depth"] = depth - 1
    progress["n_nodes"] += n_visited
    return n_visited
