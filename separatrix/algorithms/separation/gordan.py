"""Gordan's alternative on a few whole-number points, exactly.

**Theorem** (Gordan, 1873). For points a_1, ..., a_m exactly one holds: some u has a_i·u > 0 for all i, or
some multipliers λ ≥ 0, not all zero, have Σ λ_i a_i = 0.

`settle` is Wolfe's minimum-norm-point method (1976) in rational arithmetic: it ends because the squared norm
falls strictly from one corral to the next and there are finitely many. It stops early at the first current
point that is itself a separator. `circuit` is the short cut when the right points are already known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import NamedTuple, cast

from separatrix.algorithms.separation.integers import matrix, numbers, pivots, primitive, submatrix, whole
from separatrix.certificates.arithmetic.linear_algebra import fmpq, fmpq_mat, fmpz_mat

Point = Sequence[int]


class Answer(NamedTuple):
    """Either a direction with a·u > 0 at every point, or places and positive multipliers that cancel."""

    direction: list[int] | None
    places: list[int]
    multipliers: list[int]


def dependency(points: Sequence[Point]) -> list[int] | None:
    """Coprime multipliers, up to sign, of the one linear dependency of these points; None if not just one."""
    count, width = len(points), len(points[0])
    m = matrix(points, width)
    base = pivots(m.transpose())
    if len(base) != count - 1:
        return None
    (rest,) = set(range(count)) - set(base)
    found = [0] * count
    found[rest] = 1
    if base:
        lead = pivots(m)
        solved = submatrix(m, base, lead).transpose().solve(submatrix(m, [rest], lead).transpose())
        above, below = cast(fmpq_mat, solved).numer_denom()
        found[rest] = -int(below)
        for place, value in zip(base, numbers(above), strict=True):
            found[place] = value
    multipliers = primitive(found)
    if any(v != 0 for v in (fmpz_mat(1, count, multipliers) * m).entries()):
        return None
    return multipliers


def circuit(points: Sequence[Point]) -> tuple[list[int], list[int]] | None:
    """Places and positive multipliers of the one dependency of these points, or None when it is not that
    simple.

    What is found is irreducible: there is no other dependency among these points.
    """
    multipliers = dependency(points)
    if multipliers is None:
        return None
    if max(multipliers) <= 0:
        multipliers = [-value for value in multipliers]
    if min(multipliers) < 0:
        return None
    places = [i for i, value in enumerate(multipliers) if value]
    return places, [multipliers[i] for i in places]


def settle(
    points: Sequence[Point],
    start: Sequence[int] = (),
    shares: Sequence[float] = (),
    tick: Callable[[], None] = lambda: None,
) -> Answer:
    """Decide Gordan's alternative for these points, beginning with a mixture of the points ``start``."""
    zero = next((i for i, point in enumerate(points) if not any(point)), None)
    if zero is not None:
        return Answer(None, [zero], [1])
    points = levelled(points)
    width = len(points[0])
    every = matrix(points, width)
    corral = independent(points, start)
    exact = mixture(corral, dict(zip(start, shares, strict=False)))
    while True:
        tick()
        kept, exact = inside([points[i] for i in corral], exact)
        corral = [corral[i] for i in kept]
        multipliers = whole(exact)
        nearest = primitive(combined([points[i] for i in corral], multipliers))
        if not any(nearest):
            return Answer(None, corral, multipliers)
        margins = (every * fmpz_mat(width, 1, nearest)).entries()
        worst = min(range(len(points)), key=margins.__getitem__)
        if margins[worst] > 0:
            return Answer(nearest, [], [])
        corral.append(worst)
        exact.append(fmpq(0))


class Foot(NamedTuple):
    """The point x / scale of a polytope nearest to the origin, as a mixture of vertices (pairs of places)."""

    nearest: list[int]
    scale: int
    corral: list[tuple[int, int]]
    multipliers: list[int]


def foot(
    points: Sequence[Point],
    signs: Sequence[int] | None,
    start: Sequence[tuple[int, int]],
    shares: Sequence[float],
    tick: Callable[[], None] = lambda: None,
) -> Foot:
    """The nearest point itself, for points in their own units; with signs, of the difference of two hulls."""

    def vertex(pair: tuple[int, int]) -> list[int]:
        one, other = pair
        return (
            list(points[one])
            if other < 0
            else [a - b for a, b in zip(points[one], points[other], strict=True)]
        )

    width = len(points[0])
    every = matrix(points, width)
    chosen = independent([vertex(pair) for pair in start], range(len(start)))
    corral = [start[i] for i in chosen]
    exact = mixture(chosen, dict(enumerate(shares)))
    while True:
        tick()
        kept, exact = inside([vertex(pair) for pair in corral], exact)
        corral = [corral[i] for i in kept]
        multipliers = whole(exact)
        nearest = combined([vertex(pair) for pair in corral], multipliers)
        scale = sum(multipliers)
        margins = (every * fmpz_mat(width, 1, nearest)).entries()
        if signs is None:
            pair = (min(range(len(points)), key=margins.__getitem__), -1)
            lowest = margins[pair[0]]
        else:
            low = min((i for i, s in enumerate(signs) if s > 0), key=margins.__getitem__)
            high = max((i for i, s in enumerate(signs) if s < 0), key=margins.__getitem__)
            pair, lowest = (low, high), margins[low] - margins[high]
        if lowest * scale >= sum(v * v for v in nearest):
            return Foot(nearest, scale, corral, multipliers)
        corral.append(pair)
        exact.append(fmpq(0))


def combined(points: Sequence[Point], multipliers: Sequence[int]) -> list[int]:
    """Σ λ a."""
    return numbers(fmpz_mat(1, len(points), list(multipliers)) * matrix(points, len(points[0])))


def levelled(points: Sequence[Point]) -> list[list[int]]:
    """Points times powers of two, so that their largest entries have the same number of bits."""
    bits = [max(abs(value).bit_length() for value in point) for point in points]
    top = max(bits)
    return [[value << (top - b) for value in point] for point, b in zip(points, bits, strict=True)]


def independent(points: Sequence[Point], start: Sequence[int]) -> list[int]:
    """An affinely independent part of ``start``; the first point when there is none."""
    start = list(dict.fromkeys(start)) or [0]
    lifted = [[1, *points[i]] for i in start]
    return [start[i] for i in pivots(matrix(lifted, len(lifted[0])).transpose())]


def mixture(corral: Sequence[int], shares: dict[int, float]) -> list[fmpq]:
    """Positive shares that add up to 1, near those given."""
    known = [shares.get(i, 0.0) for i in corral]
    given = [share if isfinite(share) and share > 0 else 2.0**-200 for share in known]
    exact = [fmpq(*share.as_integer_ratio()) for share in given]
    total = sum(exact, fmpq(0))
    return [share / total for share in exact]


def inside(corral: Sequence[Point], shares: list[fmpq]) -> tuple[list[int], list[fmpq]]:
    """Wolfe's minor cycle: which points stay for their affine minimiser to lie inside; its coefficients."""
    kept = list(range(len(corral)))
    while True:
        target = _affine_minimiser(matrix([corral[i] for i in kept], len(corral[0])))
        outside = [i for i, value in enumerate(target) if value <= 0]
        if not outside:
            return kept, target
        step = min(
            shares[i] / (shares[i] - target[i]) if shares[i] != target[i] else fmpq(0) for i in outside
        )
        moved = [share + step * (goal - share) for share, goal in zip(shares, target, strict=True)]
        stay = [i for i, value in enumerate(moved) if value > 0]
        kept = [kept[i] for i in stay]
        shares = [moved[i] for i in stay]


def _affine_minimiser(chosen: fmpz_mat) -> list[fmpq]:
    """Coefficients, with sum 1, of the point of the affine hull nearest to the origin."""
    count = chosen.nrows()
    gram = (chosen * chosen.transpose()).tolist()
    bordered: list[list[int]] = [[0] + [1] * count]
    bordered.extend([1, *map(int, row)] for row in gram)
    unit = fmpz_mat(count + 1, 1, [1] + [0] * count)
    solved = matrix(bordered, count + 1).solve(unit)
    return [solved[i + 1, 0] for i in range(count)]
