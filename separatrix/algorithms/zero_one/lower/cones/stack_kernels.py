"""The open nodes of a depth-first search over cones, and where its numbers lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MAX_LEVELS = 300
U = 2.0**-53
# columns of ``levels``
START, COUNT, BASE, STAGE, FIRST, SECOND, PAIRS, PAIRED = range(8)
# entries of ``counters``
LEVEL, EVENTS, NODES, LOWEST, DOUBTS, GIVEN_UP, CHEAPEST = range(7)


class Stack(NamedTuple):
    """The open nodes on the way from the root, one level each, and what was written."""

    scores: np.ndarray  # (capacity, D)
    rows: np.ndarray  # (capacity,)
    unpaired_costs: np.ndarray  # (capacity,): cost that no pair has used
    new_scores: np.ndarray  # (capacity,): scores at the new vertex
    levels: np.ndarray  # (MAX_LEVELS + 2, 8)
    error_bounds: np.ndarray  # (MAX_LEVELS + 2, D)
    vertices: np.ndarray  # (MAX_LEVELS + 2, D, D): in coordinates of the root's vertices
    pairs: np.ndarray  # (capacity, 3): local i, local k, amount
    events: np.ndarray
    counters: np.ndarray
    candidate: np.ndarray  # (D,): a cheaper halfspace met, in the same coordinates
