"""Errors along a line of halfspaces, and a search that goes from vertex to vertex of their arrangement.

The halfspaces w + t·u, for all t, meet each row's hyperplane z·w = 0 once. Sorted by t, these crossings give
the cost of every halfspace of the line in one pass. A *vertex* is a halfspace with D − 1 independent rows on
its hyperplane. Those rows can be made right all at once by a turn as small as one likes, so a vertex costs
what its other rows cost, and some vertex is as cheap as the cheapest halfspace. Leaving out one of the D − 1
rows frees a line, and the best vertex of that line is found by one sweep.

Everything here proposes: costs are counted again, exactly, by whoever takes a proposal.
"""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel

FLAT_TOLERANCE = 1e-11


@kernel
def sweep_line(
    scores: np.ndarray, slopes: np.ndarray, costs: np.ndarray, active: np.ndarray, found: np.ndarray
) -> int:
    """The cheapest vertex on the lines ±(w + t·u): the row that makes it.

    ``scores`` and ``slopes`` are z·w and z·u; rows that are ``active`` lie on the whole line and cost
    nothing. ``found`` is filled with the vertex's cost, its t, and its sign. Ties go to the vertex met first.
    """
    n = scores.shape[0]
    places = np.empty(n)
    rows = np.empty(n, np.int64)
    count = 0
    total = 0.0
    fixed_cost = 0.0
    cost = 0.0
    for i in range(n):
        if active[i]:
            continue
        if not abs(slopes[i]) > FLAT_TOLERANCE:
            if scores[i] > FLAT_TOLERANCE:
                total += costs[i]
            elif scores[i] < -FLAT_TOLERANCE:
                total += costs[i]
                cost += costs[i]
            else:
                fixed_cost += costs[i]
            continue
        total += costs[i]
        if slopes[i] > 0.0:
            cost += costs[i]
        places[count] = -scores[i] / slopes[i]
        rows[count] = i
        count += 1
    order = np.argsort(places[:count])
    best = np.inf
    chosen = -1
    for k in range(count):
        i = rows[order[k]]
        if slopes[i] > 0.0:
            cost -= costs[i]
        forward_cost = cost  # the others, at this crossing
        if forward_cost + fixed_cost < best:
            best, chosen = forward_cost + fixed_cost, i
            found[1], found[2] = places[order[k]], 1.0
        backward_cost = total - costs[i] - forward_cost
        if backward_cost + fixed_cost < best:
            best, chosen = backward_cost + fixed_cost, i
            found[1], found[2] = places[order[k]], -1.0
        if slopes[i] < 0.0:
            cost += costs[i]
    found[0] = best
    return chosen


@kernel
def find_best_step(scores: np.ndarray, slopes: np.ndarray, costs: np.ndarray, found: np.ndarray) -> float:
    """The cheapest w + t·u between two crossings: its cost; ``found[0]`` is t, in the middle of its interval.

    Of several intervals that cost the same the widest in angle is taken.
    """
    n = scores.shape[0]
    places = np.empty(n)
    rows = np.empty(n, np.int64)
    count = 0
    cost = 0.0
    for i in range(n):
        if slopes[i] == 0.0:
            if not scores[i] > 0.0:
                cost += costs[i]
            continue
        if slopes[i] > 0.0:
            cost += costs[i]
        places[count] = -scores[i] / slopes[i]
        rows[count] = i
        count += 1
    order = np.argsort(places[:count])
    best = np.inf
    widest_angle = -1.0
    for k in range(count + 1):
        if k > 0:
            i = rows[order[k - 1]]
            cost += -costs[i] if slopes[i] > 0.0 else costs[i]
        low = places[order[k - 1]] if k > 0 else -np.inf
        high = places[order[k]] if k < count else np.inf
        if not high > low or cost > best:
            continue
        angle = np.arctan(high) - np.arctan(low)
        if cost < best or angle > widest_angle:
            best, widest_angle = cost, angle
            if low == -np.inf:
                found[0] = high - 1.0 - abs(high) if high < np.inf else 0.0
            elif high == np.inf:
                found[0] = low + 1.0 + abs(low)
            else:
                found[0] = 0.5 * (low + high)
    return best


@kernel
def _normalise(vector: np.ndarray) -> None:
    size = 0.0
    for j in range(vector.shape[0]):
        size += vector[j] * vector[j]
    size = np.sqrt(size)
    if size > 0.0:
        for j in range(vector.shape[0]):
            vector[j] /= size


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
    found = np.empty(3)
    scores = np.empty(n)
    slopes = np.empty(n)
    active[:] = False
    best = np.inf
    for size in range(D - 1):
        direction = np.random.standard_normal((D,))
        for _ in range(2):
            for b in range(size):
                dot = 0.0
                for j in range(D):
                    dot += basis[b, j] * direction[j]
                for j in range(D):
                    direction[j] -= dot * basis[b, j]
        _normalise(direction)
        for i in range(n):
            a = 0.0
            s = 0.0
            for j in range(D):
                a += Z[i, j] * weights[j]
                s += Z[i, j] * direction[j]
            scores[i] = a
            slopes[i] = s
        k = sweep_line(scores, slopes, costs, active, found)
        if k < 0:
            return np.inf
        best = found[0]
        for j in range(D):
            weights[j] = found[2] * (weights[j] + found[1] * direction[j])
        _normalise(weights)
        active[k] = True
        chosen[size] = k
        vector: np.ndarray = basis[size, :]
        vector[:] = Z[k]
        for _ in range(2):
            for b in range(size):
                dot = 0.0
                for j in range(D):
                    dot += basis[b, j] * vector[j]
                for j in range(D):
                    vector[j] -= dot * basis[b, j]
        _normalise(vector)
    return best


# entries of ``walk_state``
CURRENT, ACCEPTED, LOWEST, STUCK, FAILED, KICKS = range(6)
# rows of ``planes`` and of ``sets``
HERE, BEST, RETURN = range(3)


@kernel
def _return_to_accepted(
    planes: np.ndarray, sets: np.ndarray, walk_state: np.ndarray, active: np.ndarray
) -> None:
    """Back to the vertex accepted last."""
    planes[HERE] = planes[RETURN]
    sets[HERE] = sets[RETURN]
    walk_state[CURRENT] = walk_state[ACCEPTED]
    active[:] = False
    for a in range(sets.shape[1]):
        active[sets[HERE, a]] = True


@kernel
def _choose_kick(scores: np.ndarray, slopes: np.ndarray, active: np.ndarray, found: np.ndarray) -> int:
    """Some row whose crossing is near by, or -1."""
    for _ in range(40):
        k = np.random.randint(0, scores.shape[0])
        if not active[k] and abs(slopes[k]) > 1e-6 and abs(scores[k]) < 0.3 * abs(slopes[k]):
            found[0], found[1], found[2] = np.inf, -scores[k] / slopes[k], 1.0
            return k
    return -1


@kernel
def exchange_rows(
    Z: np.ndarray,
    costs: np.ndarray,
    max_sweeps: int,
    active: np.ndarray,
    sets: np.ndarray,
    planes: np.ndarray,
    walk_state: np.ndarray,
) -> float:
    """Walk from vertex to vertex for so many sweeps: the lowest cost met on the whole walk.

    A line whose best vertex is cheaper is taken at once, an equal one now and then. When no line has helped
    for a while, the vertex is accepted if it is no dearer than the last one, else the walk goes back; then a
    few random exchanges are the kick. ``planes`` and ``sets`` hold the vertex here, the best and the last
    accepted, and ``walk_state`` the costs and counters, so that a walk can be continued.
    """
    n, D = Z.shape
    found = np.empty(3)
    scores = np.empty(n)
    slopes = np.empty(n)
    system = np.empty((D, D))
    inverse: np.ndarray = np.empty((D, D))
    has_moved = True
    for _ in range(max_sweeps):
        if has_moved:
            for a in range(D - 1):
                system[a] = Z[sets[HERE, a]]
            system[D - 1] = planes[HERE]
            inverse = np.linalg.inv(system)
            for i in range(n):
                s = 0.0
                for j in range(D):
                    s += Z[i, j] * planes[HERE, j]
                scores[i] = s
            has_moved = False
        dropped = np.random.randint(0, D - 1)
        size = 0.0
        for j in range(D):
            size += inverse[j, dropped] ** 2
        size = np.sqrt(size)
        if not (size > 0.0 and size < 1e12):
            if walk_state[ACCEPTED] == np.inf:
                return walk_state[LOWEST]
            _return_to_accepted(planes, sets, walk_state, active)
            walk_state[KICKS] = 1.0
            has_moved = True
            continue
        for i in range(n):
            s = 0.0
            for j in range(D):
                s += Z[i, j] * inverse[j, dropped]
            slopes[i] = s / size
        dropped_row = sets[HERE, dropped]
        active[dropped_row] = False
        if walk_state[KICKS] > 0.0:
            k = _choose_kick(scores, slopes, active, found)
            walk_state[KICKS] -= 1.0
            has_moved = k >= 0 and k != dropped_row
            walk_state[CURRENT] = np.inf
        else:
            k = sweep_line(scores, slopes, costs, active, found)
            is_cheaper = k >= 0 and found[0] < walk_state[CURRENT]
            is_equal = (
                k >= 0 and k != dropped_row and found[0] == walk_state[CURRENT] and walk_state[STUCK] % 3 == 0
            )
            has_moved = is_cheaper or is_equal
            walk_state[STUCK] = 0.0 if is_cheaper else walk_state[STUCK] + 1.0
        active[dropped_row] = True
        if has_moved:
            active[dropped_row] = False
            active[k] = True
            sets[HERE, dropped] = k
            for j in range(D):
                planes[HERE, j] = found[2] * (planes[HERE, j] + found[1] * inverse[j, dropped] / size)
            _normalise(planes[HERE])
            walk_state[CURRENT] = min(walk_state[CURRENT], found[0])
            if walk_state[CURRENT] < walk_state[LOWEST]:
                walk_state[LOWEST] = walk_state[CURRENT]
                planes[BEST] = planes[HERE]
                sets[BEST] = sets[HERE]
        if walk_state[STUCK] > 2 * D:
            walk_state[STUCK] = 0.0
            if walk_state[CURRENT] <= walk_state[ACCEPTED]:
                walk_state[FAILED] = (
                    0.0 if walk_state[CURRENT] < walk_state[ACCEPTED] else walk_state[FAILED] + 0.3
                )
                planes[RETURN] = planes[HERE]
                sets[RETURN] = sets[HERE]
                walk_state[ACCEPTED] = walk_state[CURRENT]
            else:
                walk_state[FAILED] += 1.0
                _return_to_accepted(planes, sets, walk_state, active)
                has_moved = True
            walk_state[KICKS] = 1.0 + np.random.randint(0, min(D - 1, 2 + int(walk_state[FAILED]) // 10))
    return walk_state[LOWEST]


@kernel
def seed_draws(seed: int) -> None:
    """Start the draws of this thread's kernels anew."""
    np.random.seed(seed)
