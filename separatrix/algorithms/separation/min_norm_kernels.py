"""The point of a convex hull nearest to the origin, in floats (Wolfe, 1976).

One call is Wolfe's whole method on the rows of ``points``, or on the differences of two classes of them. The
corral (affinely independent points whose hull holds the current point) is kept as an orthogonal factorisation
of the vectors ``(1, p)``, so that a margin near the square root of the rounding unit is still seen; Wolfe's
own normal equations lose it. With Q the orthonormal rows of ``basis`` and T of ``triangle``,

    (1)  (1, p_i) = Σ_k T_ki Q_k.

The multipliers μ of the affine minimiser, the point of the corral's affine hull nearest to 0, solve

    (2)  T μ = Q e_0 up to a factor, Σ μ = 1.

The part h of e_0 = (1, 0) that is orthogonal to every (1, p) has p·h' = −h_0 for all p of the corral, h'
being h without h_0. So all of them are equally far in that direction, and the affine minimiser is

    (3)  −h'·h_0/‖h'‖², with the squared length h_0²/‖h'‖²; exactly, h_0 = ‖h‖².

x is the nearest point of the polytope up to a share of ``tol`` if for every vertex v

    (4)  v·x ≥ (1 − tol)·x·x.
"""

from __future__ import annotations

import math

import numpy as np

from separatrix.kernels import inner_kernel, kernel


@kernel
def _append(point: np.ndarray, size: int, basis: np.ndarray, triangle: np.ndarray) -> float:
    """Add the vector (1, point) as the last column, as in (1) above; its new part's length relative to its
    own."""
    width = point.shape[0]
    column = basis[size]
    column[0] = 1.0
    length = 1.0
    for j in range(width):
        column[j + 1] = point[j]
        length += point[j] * point[j]
    for i in range(size):
        triangle[i, size] = 0.0
    squared_residual = length
    for _ in range(2):  # once leaves rounding of the first length
        for i in range(size):
            row = basis[i]
            dot = 0.0
            for j in range(width + 1):
                dot += row[j] * column[j]
            triangle[i, size] += dot
            for j in range(width + 1):
                column[j] -= dot * row[j]
        squared_residual = 0.0
        for j in range(width + 1):
            squared_residual += column[j] * column[j]
    norm = math.sqrt(squared_residual)
    triangle[size, size] = norm
    if norm > 0.0:
        for j in range(width + 1):
            column[j] /= norm
    return norm / math.sqrt(length)


@kernel
def _remove(place: int, size: int, basis: np.ndarray, triangle: np.ndarray) -> int:
    """Take one column out of the factorisation and make it triangular again."""
    for j in range(place, size - 1):
        for i in range(j + 2):
            triangle[i, j] = triangle[i, j + 1]
    width = basis.shape[1]
    for j in range(place, size - 1):
        a = triangle[j, j]
        b = triangle[j + 1, j]
        length = math.hypot(a, b)
        if length == 0.0:
            continue
        c = a / length
        s = b / length
        for m in range(j, size - 1):
            upper = triangle[j, m]
            lower = triangle[j + 1, m]
            triangle[j, m] = c * upper + s * lower
            triangle[j + 1, m] = c * lower - s * upper
        first = basis[j]
        second = basis[j + 1]
        for m in range(width):
            upper = first[m]
            lower = second[m]
            first[m] = c * upper + s * lower
            second[m] = c * lower - s * upper
    return size - 1


@kernel
def _find_affine_minimiser(size: int, basis: np.ndarray, triangle: np.ndarray, target: np.ndarray) -> bool:
    """The affine minimiser's multipliers, (2) above, into ``target``; False when they are not finite."""
    total = 0.0
    for i in range(size - 1, -1, -1):
        value = basis[i, 0]
        for j in range(i + 1, size):
            value -= triangle[i, j] * target[j]
        if triangle[i, i] == 0.0:
            return False
        value /= triangle[i, i]
        target[i] = value
        total += value
    if not (total > 0.0 and math.isfinite(total)):
        return False
    for i in range(size):
        target[i] /= total
    return True


@kernel
def _combine(vertices: np.ndarray, multipliers: np.ndarray, size: int, nearest: np.ndarray) -> float:
    """``nearest`` = the combination of the corral's points; returns its squared length."""
    width = nearest.shape[0]
    for j in range(width):
        nearest[j] = 0.0
    for i in range(size):
        row = vertices[i]
        scale = multipliers[i]
        for j in range(width):
            nearest[j] += scale * row[j]
    square = 0.0
    for j in range(width):
        square += nearest[j] * nearest[j]
    return square


@kernel
def _find_hull_point(size: int, basis: np.ndarray, workspace: np.ndarray, nearest: np.ndarray) -> float:
    """``nearest`` = the point of the corral's affine hull nearest to the origin; its squared length, or 0 if
    lost.

    By (3) above. Made orthogonal more than once, h is right relative to its own length, where the mixture of
    the points is right relative to theirs only. Where rounding has broken h_0 = ‖h‖², nothing is left of h.
    """
    width = nearest.shape[0]
    workspace[0] = 1.0
    for j in range(width):
        workspace[j + 1] = 0.0
    for _ in range(3):
        for i in range(size):
            row = basis[i]
            dot = 0.0
            for j in range(width + 1):
                dot += row[j] * workspace[j]
            for j in range(width + 1):
                workspace[j] -= dot * row[j]
    tail = 0.0
    for j in range(width):
        tail += workspace[j + 1] * workspace[j + 1]
    head = workspace[0]
    squared_length = tail + head * head
    if not (head > 0.5 * squared_length and head < 2.0 * squared_length and tail > 0.0):
        return 0.0
    for j in range(width):
        nearest[j] = -workspace[j + 1] * (head / tail)  # (3) above
    return head * (head / tail)


@kernel
def _run_minor_cycle(
    size: int,
    basis: np.ndarray,
    triangle: np.ndarray,
    target: np.ndarray,
    corral: np.ndarray,
    vertices: np.ndarray,
    multipliers: np.ndarray,
) -> int:
    """Wolfe's minor cycle: drop points until the affine minimiser lies inside; the new size, -1 if lost."""
    width = vertices.shape[1]
    while True:
        if not _find_affine_minimiser(size, basis, triangle, target):
            return -1
        step = 1.0
        place = -1
        for i in range(size):
            if target[i] <= 0.0:
                ratio = multipliers[i] / (multipliers[i] - target[i]) if multipliers[i] > target[i] else 0.0
                if ratio < step or place < 0:
                    step = ratio
                    place = i
        if place < 0:
            for i in range(size):
                multipliers[i] = target[i]
            return size
        for i in range(size):
            multipliers[i] += step * (target[i] - multipliers[i])
        multipliers[place] = 0.0
        for i in range(size - 1, -1, -1):
            if multipliers[i] <= 1e-18 and size > 1:
                for m in range(i, size - 1):
                    corral[m, 0] = corral[m + 1, 0]
                    corral[m, 1] = corral[m + 1, 1]
                    multipliers[m] = multipliers[m + 1]
                    for j in range(width):
                        vertices[m, j] = vertices[m + 1, j]
                size = _remove(i, size, basis, triangle)


@kernel
def _find_extreme_vertex(
    points: np.ndarray, signs: np.ndarray, nearest: np.ndarray, pair: np.ndarray
) -> float:
    """The vertex with the least product with ``nearest``, as a pair of rows (the second -1 for one hull).

    With signs the polytope is the difference of two hulls: the least among +1 rows minus the greatest among
    -1.
    """
    low = math.inf
    high = -math.inf
    pair[0] = -1
    pair[1] = -1
    for i in range(points.shape[0]):
        row = points[i]
        dot = 0.0
        for j in range(row.shape[0]):
            dot += row[j] * nearest[j]
        if signs.shape[0] > 0 and signs[i] < 0:
            if dot > high:
                high = dot
                pair[1] = i
        elif dot < low:
            low = dot
            pair[0] = i
    return low if signs.shape[0] == 0 else low - high


@kernel
def _write_vertex(points: np.ndarray, pair: np.ndarray, out: np.ndarray) -> None:
    for j in range(out.shape[0]):
        out[j] = points[pair[0], j]
        if pair[1] >= 0:
            out[j] -= points[pair[1], j]


@inner_kernel
def _restore_corral(
    points: np.ndarray,
    basis: np.ndarray,
    triangle: np.ndarray,
    corral: np.ndarray,
    vertices: np.ndarray,
    multipliers: np.ndarray,
) -> int:
    """Factorise the known pairs that are affinely independent; returns how many, 0 if nothing is known."""
    size = 0
    total = 0.0
    for i in range(vertices.shape[0]):
        if corral[i, 0] < 0:
            break
        _write_vertex(points, corral[i], vertices[size])
        if _append(vertices[size], size, basis, triangle) > 1e-13:
            corral[size, 0] = corral[i, 0]
            corral[size, 1] = corral[i, 1]
            multipliers[size] = multipliers[i]
            total += multipliers[i]
            size += 1
    if size == 0 or not total > 0.0:
        return 0
    for i in range(size):
        multipliers[i] /= total
    return size


@inner_kernel
def _find_first_pair(points: np.ndarray, signs: np.ndarray, nearest: np.ndarray, pair: np.ndarray) -> None:
    """The row nearest to 0; of two hulls, any pair."""
    if signs.shape[0] > 0:
        for j in range(points.shape[1]):
            nearest[j] = 0.0
        _find_extreme_vertex(points, signs, nearest, pair)
        return
    least = math.inf
    for i in range(points.shape[0]):
        square = 0.0
        for j in range(points.shape[1]):
            square += points[i, j] * points[i, j]
        if square < least:
            least = square
            pair[0] = i
            pair[1] = -1


@kernel
def minimise_norm(
    points: np.ndarray,
    signs: np.ndarray,
    tol: float,
    max_rounds: int,
    basis: np.ndarray,
    triangle: np.ndarray,
    corral: np.ndarray,
    vertices: np.ndarray,
    multipliers: np.ndarray,
    nearest: np.ndarray,
) -> int:
    """Wolfe's method; the size of the final corral.

    Starts from the pairs of rows in ``corral`` before the first whose entry is -1. Stops at (4) above, when
    nothing moves any more, or after ``max_rounds`` major cycles. With no ``signs`` the polytope is the hull
    of the points; with signs, the hull of the +1 points less that of the -1 points.
    """
    capacity = vertices.shape[0]
    target = np.empty(capacity)
    pair = np.zeros(2, np.int64)
    workspace = np.empty(points.shape[1] + 1)
    size = _restore_corral(points, basis, triangle, corral, vertices, multipliers)
    if size == 0:
        _find_first_pair(points, signs, nearest, pair)
        corral[0, 0] = pair[0]
        corral[0, 1] = pair[1]
        _write_vertex(points, pair, vertices[0])
        _append(vertices[0], 0, basis, triangle)
        multipliers[0] = 1.0
        size = 1
    least_square = math.inf
    stalls = 0
    for _ in range(max_rounds):
        new_size = _run_minor_cycle(size, basis, triangle, target, corral, vertices, multipliers)
        is_lost = new_size < 0
        size = size if is_lost else new_size
        square = 0.0 if is_lost else _find_hull_point(size, basis, workspace, nearest)
        if square == 0.0:
            square = _combine(vertices, multipliers, size, nearest)
            is_lost = True
        stalls = stalls + 1 if square >= least_square * (1.0 - 1e-14) else 0
        least_square = min(least_square, square)
        lowest = _find_extreme_vertex(points, signs, nearest, pair)
        has_converged = lowest >= (1.0 - tol) * square  # (4) above
        if is_lost or has_converged or stalls > 3 or size == capacity or square < 1e-34:
            break
        is_known = False
        for i in range(size):
            is_known = is_known or (corral[i, 0] == pair[0] and corral[i, 1] == pair[1])
        _write_vertex(points, pair, vertices[size])
        if is_known or _append(vertices[size], size, basis, triangle) < 1e-15:
            break
        corral[size, 0] = pair[0]
        corral[size, 1] = pair[1]
        multipliers[size] = 0.0
        size += 1
    return size
