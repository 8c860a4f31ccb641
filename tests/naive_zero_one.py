"""The fewest errors by brute force: every set of rows that some halfspace gets right, found exactly.

Rows of the data are z = s(x, 1), or s·x. Let Z, the matrix of all rows, have rank r. The scores Z·w of all w
are those of all w that are zero but for r independent columns, so the other columns are left out.

Some halfspace with the fewest errors can be moved until r - 1 independent rows lie on its hyperplane, the
others staying where they are. So each such hyperplane is looked at, from both sides: rows behind it are
errors, and the rows on it are the same question again, for a small turn of it decides them alone.

Nothing here uses a float: doubles are whole numbers times a power of two.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from math import gcd, lcm
from operator import mul


def fewest_errors(X, signs, costs=None, intercept=True):
    """The least total cost of the rows with z·w <= 0, over all w."""
    rows = whole_rows(X, signs, intercept)
    return _least(rows, [1] * len(rows) if costs is None else [Fraction(c) for c in costs])


def kind(X, signs, intercept=True):
    """Of Albert and Anderson's three: "complete", "quasi" or "overlap"."""
    rows = whole_rows(X, signs, intercept)
    if _least(rows, [1] * len(rows)) == 0:
        return "complete"
    points = _independent_columns(rows)
    # The w with Z·w >= 0 are a pointed cone: its edges have r - 1 independent rows on them.
    for normal in _normals(points) if points[0] else ():
        scores = _scores(points, normal)
        if min(scores) >= 0 or max(scores) <= 0:
            return "quasi"
    return "overlap"


def whole_rows(X, signs, intercept=True):
    """The rows z, each times a positive number that makes it whole."""
    rows = []
    for x, s in zip(X, signs, strict=True):
        exact = [Fraction(a) * int(s) for a in ([*x, 1] if intercept else x)]
        common = lcm(*(a.denominator for a in exact))
        rows.append(_short([int(a * common) for a in exact]))
    return rows


def _least(rows, costs):
    """Over all w, the zero vector too."""
    points = _independent_columns(rows)
    if not points[0]:
        return sum(costs)
    if len(points[0]) == len(points):
        return 0
    best = sum(costs)
    for normal in _normals(points):
        scores = _scores(points, normal)
        behind = [sum(c for s, c in zip(scores, costs, strict=True) if side * s < 0) for side in (1, -1)]
        if min(behind) < best:
            on = [i for i, s in enumerate(scores) if s == 0]
            best = min(
                best, min(behind) + (_least([points[i] for i in on], [costs[i] for i in on]) if on else 0)
            )
    return best


def _scores(points, normal):
    return [sum(map(mul, point, normal)) for point in points]


def _short(numbers):
    divisor = gcd(*numbers) or 1
    return [a // divisor for a in numbers]


def _independent_columns(rows):
    """The rows without the columns that depend on earlier ones."""
    chosen, reduced = [], []
    for column in zip(*rows, strict=True):
        vector = list(column)
        for other, pivot in reduced:
            if vector[pivot]:
                vector = _short(
                    [a * other[pivot] - b * vector[pivot] for a, b in zip(vector, other, strict=True)]
                )
        pivot = next((i for i, a in enumerate(vector) if a), None)
        if pivot is not None:
            chosen.append(column)
            reduced.append((vector, pivot))
    return [list(point) for point in zip(*chosen, strict=True)] if chosen else [[] for _ in rows]


def _normals(points):
    """A normal of each hyperplane through 0 and r - 1 independent points of r dimensions."""
    rank = len(points[0])
    seen = set()
    for some in combinations(points, rank - 1):
        normal = _short([(-1) ** j * _determinant([p[:j] + p[j + 1 :] for p in some]) for j in range(rank)])
        if any(normal):
            lead = next(a for a in normal if a)
            normal = tuple(normal) if lead > 0 else tuple(-a for a in normal)
            if normal not in seen:
                seen.add(normal)
                yield normal


def _determinant(square):
    if not square:
        return 1
    first, *rest = square
    return sum(
        (-1) ** j * a * _determinant([row[:j] + row[j + 1 :] for row in rest])
        for j, a in enumerate(first)
        if a
    )


# The kernels, one twin each, on whole numbers or Fractions.


def cheapest_vertex(scores, slopes, costs, active):
    """The least cost of a vertex on the lines ±(w + t·u), of rows z·w, z·u no two of which cross at one t."""
    every = zip(scores, slopes, costs, strict=True)
    rows = [row for row, is_active in zip(every, active, strict=True) if not is_active]
    found = []
    for place, (score, slope, _) in enumerate(rows):
        if slope:
            t = Fraction(-score, slope)
            others = rows[:place] + rows[place + 1 :]
            found += [sum(c for s, u, c in others if not side * (s + t * u) > 0) for side in (1, -1)]
    return min(found, default=float("inf"))


def cost_at(scores, slopes, costs, t):
    return sum(c for s, u, c in zip(scores, slopes, costs, strict=True) if not s + t * u > 0)


def cheapest_step(scores, slopes, costs):
    """The least cost of w + t·u between two crossings, or beyond all of them."""
    crossings = sorted({Fraction(-s, u) for s, u in zip(scores, slopes, strict=True) if u}) or [Fraction(0)]
    places = [(a + b) / 2 for a, b in pairwise(crossings)]
    return min(cost_at(scores, slopes, costs, t) for t in (crossings[0] - 1, *places, crossings[-1] + 1))


def have_conflict(first, second):
    """Whether ρ·first + second ≤ 0 for all ρ of some open interval of positive numbers."""
    low, high = Fraction(0), None
    for a, b in zip(first, second, strict=True):
        if a > 0:
            high = Fraction(-b, a) if high is None else min(high, Fraction(-b, a))
        elif a < 0:
            low = max(low, Fraction(-b, a))
        elif b > 0:
            return False
    return high is None or low < high
