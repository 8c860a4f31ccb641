"""The open nodes of a depth-first search over cones: where their numbers lie, and how a child is made.

Records are structured arrays, and fields are read by name: ``level["start"]``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

MAX_LEVELS = 300
U = 2.0**-53
# A node on the way from the root. Its open rows are ``count`` of them from ``start``, its pairs ``n_pairs``
# from ``first_pair``; ``base`` is the cost of the rows that are errors on the whole cone, ``n_children`` how
# many were made, and the edge that was cut goes from ``first_vertex`` to ``second_vertex``.
LEVEL_TYPE = np.dtype([
    (name, np.int64)
    for name in (
        "start", "count", "base", "n_children", "first_vertex", "second_vertex", "first_pair", "n_pairs"
    )
])  # fmt: skip
# Two open rows by their place in the level, and how much of the cost of each the pair uses.
PAIR_TYPE = np.dtype([(name, np.int64) for name in ("first", "second", "amount")])
# Of the whole search: the depth of the node on top, the events written, the nodes visited, the lowest bound
# of a leaf, scores taken for 0, nodes at which doubles gave out, and the cost of the cheapest halfspace.
PROGRESS_TYPE = np.dtype([
    (name, np.int64)
    for name in ("depth", "n_events", "n_nodes", "lowest", "n_doubtful", "n_given_up", "cheapest")
])  # fmt: skip


class Stack(NamedTuple):
    """The open nodes on the way from the root, one level each, and what was written."""

    scores: np.ndarray  # (capacity, D)
    rows: np.ndarray  # (capacity,)
    unpaired_costs: np.ndarray  # (capacity,): cost that no pair has used
    new_scores: np.ndarray  # (capacity,): scores at the new vertex
    levels: np.ndarray  # (MAX_LEVELS + 2,) of LEVEL_TYPE
    error_bounds: np.ndarray  # (MAX_LEVELS + 2, D)
    vertices: np.ndarray  # (MAX_LEVELS + 2, D, D): in coordinates of the root's vertices
    pairs: np.ndarray  # (4·capacity,) of PAIR_TYPE
    events: np.ndarray
    progress: np.void  # of PROGRESS_TYPE
    candidate: np.ndarray  # (D,): a cheaper halfspace met, in the same coordinates


class ConeRows(NamedTuple):
    """What stays the same in all cones, one entry per row of the problem."""

    costs: np.ndarray
    names: np.ndarray
    scale: np.ndarray  # above the absolute scores of a row at the vertices of the root


class DyadicRatio(NamedTuple):
    """numerator/2^exponent; a numerator of 0 stands for none."""

    numerator: float
    exponent: int


NO_RATIO = DyadicRatio(0.0, 0)


@kernel
def make_child(stack: Stack, costs: np.ndarray, is_second: bool) -> None:
    """Make the first or the second child of the node on top, one level up.

    A row with no positive score is an error on the whole child, one with no negative score counts as right.
    """
    depth = stack.progress["depth"]
    level = stack.levels[depth]
    child = stack.levels[depth + 1]
    start, n = level["start"], level["count"]
    D = stack.scores.shape[1]
    j, k = level["first_vertex"], level["second_vertex"]
    if is_second:  # the new vertex is where the first child had it
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
    base = level["base"]
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
    child["start"] = at
    child["count"] = count
    child["base"] = base
    child["n_children"] = 0
    child["first_pair"] = level["first_pair"] + level["n_pairs"]
    child["n_pairs"] = 0
    for p in range(level["first_pair"], level["first_pair"] + level["n_pairs"]):
        pair = stack.pairs[p]
        a, b = place[pair["first"]], place[pair["second"]]
        if a >= 0 and b >= 0 and pair["amount"] > 0:
            inherited = stack.pairs[child["first_pair"] + child["n_pairs"]]
            inherited["first"] = a
            inherited["second"] = b
            inherited["amount"] = pair["amount"]
            child["n_pairs"] += 1
            stack.unpaired_costs[at + a] -= pair["amount"]
            stack.unpaired_costs[at + b] -= pair["amount"]
    stack.progress["depth"] = depth + 1
