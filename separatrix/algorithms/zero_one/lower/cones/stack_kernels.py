"""The open nodes of a depth-first search over cones, and where its numbers lie.

Records are structured arrays, and fields are read by name: ``level["start"]``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
