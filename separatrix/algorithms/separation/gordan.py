"""Gordan's alternative on a few whole-number points, exactly.

**Theorem** (Gordan, 1873). For points a_1, ..., a_m exactly one holds: some u has a_i·u > 0 for all i, or some
multipliers λ ≥ 0, not all zero, have Σ λ_i a_i = 0.

`settle` is Wolfe's minimum-norm-point method (1976) in rational arithmetic: it ends because the squared norm falls
strictly from one corral to the next and there are finitely many. It stops early at the first current point that is
itself a separator. `circuit` is the short cut when the right points are already known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from flint import fmpq, fmpz_mat

from separatrix.algorithms.separation.whole import matrix, numbers, pivots, primitive, submatrix, whole

Point = Sequence[int]


class Answer(NamedTuple):
    """Either a direction with a·u > 0 at every point, or places and positive multipliers that cancel."""

    direction: list[int] | None
    places: list[int]
    multipliers: list[int]


def dependency(points: Sequence[Point]) -> list[int] | None:
    """The coprime multipliers of the one linear dependency of these points (up to sign); None if not just one."""
    count, width = len(points), len(points[0])
    m = matrix(points, width)
    base = pivots(m.transpose())
    if len(base) != count - 1:
        return None
    (rest,) = set(range(count)) - set(base)
    found: list[fmpq] = [fmpq(0)] * count
    found[rest] = fmpq(1)
    if base:
        lead = pivots(m)
        solved = submatrix(m, base, lead).transpose().solve(submatrix(m, [rest], lead).transpose())
        for i, place in enumerate(base):
            found[place] = -solved[i, 0]
    multipliers = whole(found)
    if any(v != 0 for v in (fmpz_mat(1, count, multipliers) * m).entries()):
        return None
    return multipliers


def circuit(points: Sequence[Point]) -> tuple[list[int], list[int]] | None:
    """Places and positive multipliers of the one dependency of these points, or None when it is not that simple.

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


def settle(points: Sequence[Point], start: Sequence[int] = (), tick: Callable[[], None] = lambda: None) -> Answer:
    """Decide Gordan's alternative for these points, beginning with the corral ``start``."""
    zero = next((i for i, point in enumerate(points) if not any(point)), None)
    if zero is not None:
        return Answer(None, [zero], [1])
    points = levelled(points)
    width = len(points[0])
    every = matrix(points, width)
    corral = _independent(every, start)
    shares = [fmpq(1, len(corral))] * len(corral)
    while True:
        tick()
        corral, shares = _inside(every, corral, shares)
        multipliers = whole(shares)
        chosen = submatrix(every, corral, range(width))
        nearest = primitive(numbers(fmpz_mat(1, len(corral), multipliers) * chosen))
        if not any(nearest):
            return Answer(None, corral, multipliers)
        margins = (every * fmpz_mat(width, 1, nearest)).entries()
        worst = min(range(len(points)), key=margins.__getitem__)
        if margins[worst] > 0:
            return Answer(nearest, [], [])
        corral = [*corral, worst]
        shares = [*shares, fmpq(0)]


def levelled(points: Sequence[Point]) -> list[list[int]]:
    """Points times powers of two, so that their largest entries have the same number of bits."""
    bits = [max(abs(value).bit_length() for value in point) for point in points]
    top = max(bits)
    return [[value << (top - b) for value in point] for point, b in zip(points, bits, strict=True)]


def _independent(every: fmpz_mat, start: Sequence[int]) -> list[int]:
    """An affinely independent part of ``start``; the first point when there is none."""
    start = list(dict.fromkeys(start))
    if not start:
        return [0]
    lifted = [[1, *(int(every[i, j]) for j in range(every.ncols()))] for i in start]
    return [start[i] for i in pivots(matrix(lifted, every.ncols() + 1).transpose())]


def _inside(every: fmpz_mat, corral: list[int], shares: list[fmpq]) -> tuple[list[int], list[fmpq]]:
    """Wolfe's minor cycle: shrink the corral until its affine minimiser lies inside its hull."""
    while True:
        target = _affine_minimiser(submatrix(every, corral, range(every.ncols())))
        outside = [i for i, value in enumerate(target) if value <= 0]
        if not outside:
            return corral, target
        step = min(shares[i] / (shares[i] - target[i]) if shares[i] != target[i] else fmpq(0) for i in outside)
        moved = [share + step * (goal - share) for share, goal in zip(shares, target, strict=True)]
        kept = [i for i, value in enumerate(moved) if value > 0]
        corral = [corral[i] for i in kept]
        shares = [moved[i] for i in kept]


def _affine_minimiser(chosen: fmpz_mat) -> list[fmpq]:
    """Coefficients, with sum 1, of the point of the affine hull nearest to the origin."""
    count = chosen.nrows()
    gram = chosen * chosen.transpose()
    bordered = fmpz_mat(count + 1, count + 1)
    for i in range(count):
        bordered[0, i + 1] = bordered[i + 1, 0] = 1
        for j in range(count):
            bordered[i + 1, j + 1] = gram[i, j]
    unit = fmpz_mat(count + 1, 1, [1] + [0] * count)
    solved = bordered.solve(unit)
    return [solved[i + 1, 0] for i in range(count)]
