"""The fewest errors by brute force: every set of rows that some halfspace gets right, found exactly.

Rows of the data are z = s(x, 1), or s·x. A halfspace that gets the rows of a set right exists iff no
combination of them with multipliers from 0 up, not all 0, is 0 (Gordan). Some halfspace with the fewest
errors can be moved until D - 1 independent rows lie on its hyperplane, the others staying where they are, so
all cells are met by looking at each such hyperplane and, within it, at the rows that lie on it, again.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations


def fewest_errors(X, signs, costs=None, intercept=True):
    """The least total cost of the rows with z·w <= 0, over all w."""
    rows = [
        [Fraction(s) * Fraction(a) for a in ([*x, 1] if intercept else x)]
        for x, s in zip(X, signs, strict=True)
    ]
    costs = [1] * len(rows) if costs is None else [Fraction(c) for c in costs]
    return _least(rows, costs)


def _least(rows, costs):
    """Over all w, the zero vector too, in the span of the rows."""
    everything = sum(costs)
    basis = _basis(rows)
    rank = len(basis)
    if rank == 0:
        return everything
    # In coordinates of the span: scores of the basis vectors.
    points = [[sum(a * b for a, b in zip(row, vector, strict=True)) for vector in basis] for row in rows]
    best = everything
    seen = set()
    for chosen in combinations(range(len(points)), rank - 1):
        normal = _normal([points[i] for i in chosen], rank)
        if normal is None or normal in seen:
            continue
        seen.add(normal)
        for w in (normal, tuple(-a for a in normal)):
            scores = [sum(a * b for a, b in zip(point, w, strict=True)) for point in points]
            off = sum(c for s, c in zip(scores, costs, strict=True) if s < 0)
            if off >= best:
                continue
            on = [i for i, s in enumerate(scores) if s == 0]
            best = min(best, off + _least([points[i] for i in on], [costs[i] for i in on]))
    return best


def _basis(rows):
    left, found = [list(row) for row in rows], []
    for row in left:
        vector = list(row)
        for other, pivot in found:
            if vector[pivot]:
                factor = vector[pivot] / other[pivot]
                vector = [a - factor * b for a, b in zip(vector, other, strict=True)]
        pivot = next((j for j, a in enumerate(vector) if a), None)
        if pivot is not None:
            found.append((vector, pivot))
    return [vector for vector, _ in found]


def _normal(points, rank):
    """The direction orthogonal to rank - 1 independent points, or None."""
    reduced, pivots = [], []
    for point in points:
        vector = list(point)
        for other, pivot in zip(reduced, pivots, strict=True):
            if vector[pivot]:
                factor = vector[pivot] / other[pivot]
                vector = [a - factor * b for a, b in zip(vector, other, strict=True)]
        pivot = next((j for j, a in enumerate(vector) if a), None)
        if pivot is None:
            return None
        reduced.append(vector)
        pivots.append(pivot)
    (free,) = set(range(rank)) - set(pivots)
    normal = [Fraction(0)] * rank
    normal[free] = Fraction(1)
    for vector, pivot in reversed(list(zip(reduced, pivots, strict=True))):
        rest = sum(a * b for j, (a, b) in enumerate(zip(vector, normal, strict=True)) if j != pivot)
        normal[pivot] = -rest / vector[pivot]
    largest = max(map(abs, normal))
    return tuple(a / largest for a in normal)
