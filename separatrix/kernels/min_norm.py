"""The point of a convex hull nearest to the origin, in floats (Wolfe, 1976).

One call is Wolfe's whole method on the rows of ``points``. The corral (affinely independent points whose hull holds
the current point) is kept as an orthogonal factorisation of the vectors ``(1, p)``, so that a margin near the
square root of the rounding unit is still seen; Wolfe's own normal equations lose it.
"""

from __future__ import annotations

import math

import numpy as np

from separatrix.kernels import kernel


@kernel
def _append(point, size, basis, triangle):
    """Add the vector (1, point) as the last column of the factorisation; its new length relative to its own."""
    width = point.shape[0]
    fresh = basis[size]
    fresh[0] = 1.0
    length = 1.0
    for j in range(width):
        fresh[j + 1] = point[j]
        length += point[j] * point[j]
    for i in range(size):
        triangle[i, size] = 0.0
    left = length
    for _ in range(2):
        for i in range(size):
            row = basis[i]
            dot = 0.0
            for j in range(width + 1):
                dot += row[j] * fresh[j]
            triangle[i, size] += dot
            for j in range(width + 1):
                fresh[j] -= dot * row[j]
        left = 0.0
        for j in range(width + 1):
            left += fresh[j] * fresh[j]
    norm = math.sqrt(left)
    triangle[size, size] = norm
    if norm > 0.0:
        for j in range(width + 1):
            fresh[j] /= norm
    return norm / math.sqrt(length)


@kernel
def _remove(place, size, basis, triangle):
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
def _flat(size, basis, triangle, target):
    """The affine minimiser's coefficients into ``target``; False when they are not finite."""
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
def _combine(points, corral, multipliers, size, nearest):
    """``nearest`` = the combination of the corral; returns its squared length."""
    width = nearest.shape[0]
    for j in range(width):
        nearest[j] = 0.0
    for i in range(size):
        row = points[corral[i]]
        scale = multipliers[i]
        for j in range(width):
            nearest[j] += scale * row[j]
    square = 0.0
    for j in range(width):
        square += nearest[j] * nearest[j]
    return square


@kernel
def min_norm(points, gap, rounds, basis, triangle, corral, multipliers, nearest):
    """Wolfe's method from the first ``corral[-1]`` entries of ``corral``; the size of the final corral.

    Stops when min p·x >= (1 - gap) x·x, when nothing moves any more, or after ``rounds`` major cycles.
    ``corral`` has one slot more than a corral can have points: the last one carries the size in and out.
    """
    count = points.shape[0]
    width = points.shape[1]
    room = corral.shape[0] - 1
    target = np.empty(room)
    size = 0
    for i in range(corral[room]):
        if _append(points[corral[i]], size, basis, triangle) > 1e-10:
            corral[size] = corral[i]
            multipliers[size] = multipliers[i]
            size += 1
    if size == 0:
        best = math.inf
        for i in range(count):
            square = 0.0
            for j in range(width):
                square += points[i, j] * points[i, j]
            if square < best:
                best = square
                corral[0] = i
        _append(points[corral[0]], 0, basis, triangle)
        multipliers[0] = 1.0
        size = 1
    else:
        total = 0.0
        for i in range(size):
            total += multipliers[i]
        for i in range(size):
            multipliers[i] = multipliers[i] / total if total > 0.0 else 1.0 / size
    inside = False
    last = math.inf
    stalls = 0
    for _ in range(rounds):
        while not inside:
            if not _flat(size, basis, triangle, target):
                corral[room] = size
                return _finish(points, corral, multipliers, nearest)
            step = 1.0
            place = -1
            for i in range(size):
                if target[i] <= 1e-15:
                    ratio = multipliers[i] / (multipliers[i] - target[i]) if multipliers[i] > target[i] else 0.0
                    if ratio < step or place < 0:
                        step = ratio
                        place = i
            for i in range(size):
                multipliers[i] += step * (target[i] - multipliers[i])
            if place < 0:
                inside = True
            else:
                multipliers[place] = 0.0
                for i in range(size - 1, -1, -1):
                    if multipliers[i] <= 1e-16 and size > 1:
                        for m in range(i, size - 1):
                            corral[m] = corral[m + 1]
                            multipliers[m] = multipliers[m + 1]
                        size = _remove(i, size, basis, triangle)
        square = _combine(points, corral, multipliers, size, nearest)
        stalls = stalls + 1 if square >= last * (1.0 - 1e-14) else 0
        last = min(last, square)
        lowest = math.inf
        worst = 0
        for i in range(count):
            row = points[i]
            dot = 0.0
            for j in range(width):
                dot += row[j] * nearest[j]
            if dot < lowest:
                lowest = dot
                worst = i
        if lowest >= (1.0 - gap) * square or stalls > 3 or size == room or square < 1e-28:
            break
        known = False
        for i in range(size):
            known = known or corral[i] == worst
        if known or _append(points[worst], size, basis, triangle) < 1e-13:
            break
        corral[size] = worst
        multipliers[size] = 0.0
        size += 1
        inside = False
    corral[room] = size
    return size


@kernel
def _finish(points, corral, multipliers, nearest):
    size = corral[corral.shape[0] - 1]
    _combine(points, corral, multipliers, size, nearest)
    return size
