"""A search that goes from vertex to vertex of the arrangement of the rows' hyperplanes.

A *vertex* is a halfspace with D − 1 independent
rows on its hyperplane. Those rows can be made right all at once by a turn as small as one likes, so a vertex
costs what its other rows cost, and some vertex is as cheap as the cheapest halfspace. Leaving out row d of
the D − 1 frees a line, along

    (1)  u = M⁻¹e_d, where the rows of M are those of the vertex, and w: u is orthogonal to all but row d,

and the best vertex of that line is found by one sweep (`line_kernels`).

Everything here proposes: costs are counted again, exactly, by whoever takes a proposal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.algorithms.zero_one.upper.line_kernels import (
    LineVertex,
    sweep_line,
)
from separatrix.kernels import inner_kernel, kernel

MAX_COLUMN_SIZE = 1e12  # of a column of the inverse: beyond, its rows are nearly dependent
# Costs of the vertex here, of the last accepted and of the best; sweeps since one helped, random exchanges to
# make, and about how many times the walk went back since it went on.
WALK_TYPE = np.dtype([
    ("current", np.float64),
    ("accepted", np.float64),
    ("lowest", np.float64),
    ("n_stuck", np.int64),
    ("n_kicks", np.int64),
    ("n_failed", np.float64),
])  # fmt: skip


class Vertex(NamedTuple):
    """A halfspace, and the D − 1 rows on its hyperplane."""

    rows: np.ndarray
    plane: np.ndarray


class VertexWalk(NamedTuple):
    """Where a walk stands, so that it can be continued."""

    here: Vertex
    best: Vertex
    accepted: Vertex
    active: np.ndarray  # of each row, whether it makes the vertex here
    state: np.void  # of WALK_TYPE


@kernel
def _normalise(vector: np.ndarray) -> None:
    size = 0.0
    for j in range(vector.shape[0]):
        size += vector[j] * vector[j]
    size = np.sqrt(size)
    if size > 0.0:
        for j in range(vector.shape[0]):
            vector[j] /= size


@inner_kernel
def _orthogonalise(vector: np.ndarray, basis: np.ndarray, size: int) -> None:
    """Against the first rows of an orthonormal basis; twice, as once leaves rounding of the first length."""
    for _ in range(2):
        for b in range(size):
            dot = 0.0
            for j in range(vector.shape[0]):
                dot += basis[b, j] * vector[j]
            for j in range(vector.shape[0]):
                vector[j] -= dot * basis[b, j]


@kernel
def descend_to_vertex(
    Z: np.ndarray, costs: np.ndarray, active: np.ndarray, chosen: np.ndarray, weights: np.ndarray
) -> float:
    """From any halfspace to a vertex: D − 1 sweeps along random lines, each of which fixes one more row.

    ``chosen`` receives the rows; ``active`` marks them; ``weights`` becomes the vertex. Returns its cost, or
    inf where fewer than D − 1 independent rows were met.
    """
    n, D = Z.shape
    basis = np.zeros((D, D))
    scores = np.empty(n)
    slopes = np.empty(n)
    active[:] = False
    best = np.inf
    for size in range(D - 1):
        direction = np.random.standard_normal((D,))
        _orthogonalise(direction, basis, size)
        _normalise(direction)
        for i in range(n):
            a = 0.0
            s = 0.0
            for j in range(D):
                a += Z[i, j] * weights[j]
                s += Z[i, j] * direction[j]
            scores[i] = a
            slopes[i] = s
        found = sweep_line(scores, slopes, costs, active)
        if found.row < 0:
            return np.inf
        best = found.cost
        for j in range(D):
            weights[j] = found.sign * (weights[j] + found.t * direction[j])
        _normalise(weights)
        active[found.row] = True
        chosen[size] = found.row
        vector: np.ndarray = basis[size, :]
        vector[:] = Z[found.row]
        _orthogonalise(vector, basis, size)
        _normalise(vector)
    return best


@inner_kernel
def _copy_vertex(origin: Vertex, copy: Vertex) -> None:
    copy.rows[:] = origin.rows
    copy.plane[:] = origin.plane


@kernel
def _return_to_accepted(walk: VertexWalk) -> None:
    """Back to the vertex accepted last."""
    _copy_vertex(walk.accepted, walk.here)
    walk.state["current"] = walk.state["accepted"]
    walk.active[:] = False
    for a in range(walk.here.rows.shape[0]):
        walk.active[walk.here.rows[a]] = True


@kernel
def _choose_kick(scores: np.ndarray, slopes: np.ndarray, active: np.ndarray) -> LineVertex:
    """Some row whose crossing is near by, or none; what it costs is not asked."""
    for _ in range(40):
        k = np.random.randint(0, scores.shape[0])
        if not active[k] and abs(slopes[k]) > 1e-6 and abs(scores[k]) < 0.3 * abs(slopes[k]):
            return LineVertex(k, np.inf, -scores[k] / slopes[k], 1.0)  # (1) above
    return LineVertex(-1, np.inf, 0.0, 1.0)


@inner_kernel
def _score_rows(Z: np.ndarray, weights: np.ndarray, scores: np.ndarray) -> None:
    for i in range(Z.shape[0]):
        s = 0.0
        for j in range(Z.shape[1]):
            s += Z[i, j] * weights[j]
        scores[i] = s


@inner_kernel
def _move(
    walk: VertexWalk, found: LineVertex, Z: np.ndarray, inverse: np.ndarray, dropped: int, size: float
) -> None:
    """To a vertex on the line, which the row found makes in place of the one dropped."""
    here, state = walk.here, walk.state
    walk.active[here.rows[dropped]] = False
    walk.active[found.row] = True
    here.rows[dropped] = found.row
    for j in range(Z.shape[1]):
        here.plane[j] = found.sign * (here.plane[j] + found.t * inverse[j, dropped] / size)
    _normalise(here.plane)
    state["current"] = min(state["current"], found.cost)
    if state["current"] < state["lowest"]:
        state["lowest"] = state["current"]
        _copy_vertex(here, walk.best)


@inner_kernel
def _accept_or_return(walk: VertexWalk) -> bool:
    """Go on from the vertex here if it costs no more than the last accepted; whether the walk went back.

    Then a few random exchanges are due, more of them the longer this has not helped.
    """
    state = walk.state
    state["n_stuck"] = 0
    has_returned = not state["current"] <= state["accepted"]
    if has_returned:
        state["n_failed"] += 1.0
        _return_to_accepted(walk)
    else:
        state["n_failed"] = 0.0 if state["current"] < state["accepted"] else state["n_failed"] + 0.3
        _copy_vertex(walk.here, walk.accepted)
        state["accepted"] = state["current"]
    most_kicks = min(walk.here.rows.shape[0], 2 + int(state["n_failed"]) // 10)
    state["n_kicks"] = 1 + np.random.randint(0, most_kicks)
    return has_returned


@kernel
def exchange_rows(Z: np.ndarray, costs: np.ndarray, max_sweeps: int, walk: VertexWalk) -> float:
    """Walk from vertex to vertex for so many sweeps: the lowest cost met on the whole walk.

    A line whose best vertex is cheaper is taken at once, an equal one now and then. When no line has helped
    for a while, the vertex is accepted if it is no dearer than the last one, else the walk goes back; then a
    few random exchanges are the kick.
    """
    n, D = Z.shape
    here, active, state = walk.here, walk.active, walk.state
    scores = np.empty(n)
    slopes = np.empty(n)
    system = np.empty((D, D))
    inverse: np.ndarray = np.empty((D, D))
    has_moved = True
    for _ in range(max_sweeps):
        if has_moved:
            for a in range(D - 1):
                system[a] = Z[here.rows[a]]
            system[D - 1] = here.plane
            inverse = np.linalg.inv(system)  # (1) above
            _score_rows(Z, here.plane, scores)
            has_moved = False
        dropped = np.random.randint(0, D - 1)
        size = 0.0
        for j in range(D):
            size += inverse[j, dropped] ** 2
        size = np.sqrt(size)
        if not (size > 0.0 and size < MAX_COLUMN_SIZE):
            if state["accepted"] == np.inf:
                return float(state["lowest"])
            _return_to_accepted(walk)
            state["n_kicks"] = 1
            has_moved = True
            continue
        for i in range(n):
            s = 0.0
            for j in range(D):
                s += Z[i, j] * inverse[j, dropped]
            slopes[i] = s / size
        dropped_row = here.rows[dropped]
        active[dropped_row] = False
        if state["n_kicks"] > 0:
            found = _choose_kick(scores, slopes, active)
            has_moved = found.row >= 0 and found.row != dropped_row
            state["n_kicks"] -= 1
            state["current"] = np.inf
        else:
            found = sweep_line(scores, slopes, costs, active)
            is_cheaper = found.row >= 0 and found.cost < state["current"]
            is_equal = found.row >= 0 and found.row != dropped_row and found.cost == state["current"]
            has_moved = is_cheaper or (is_equal and state["n_stuck"] % 3 == 0)
            state["n_stuck"] = 0 if is_cheaper else state["n_stuck"] + 1
        active[dropped_row] = True
        if has_moved:
            _move(walk, found, Z, inverse, dropped, size)
        if state["n_stuck"] > 2 * D and _accept_or_return(walk):
            has_moved = True
    return float(state["lowest"])


@kernel
def seed_draws(seed: int) -> None:
    """Start the draws of this thread's kernels from a seed."""
    np.random.seed(seed)
