"""Gordan's alternative on a few whole-number points, exactly.

**Theorem** (Gordan, 1873). For points a_1, ..., a_m exactly one holds: some u has a_i·u > 0 for all i, or
some multipliers λ ≥ 0, not all zero, have Σ λ_i a_i = 0.

`decide_alternative` is Wolfe's minimum-norm-point method (1976) in rational arithmetic: it ends because the
squared norm falls strictly from one corral to the next and there are finitely many. It stops early at the
first current point that is itself a separator. `find_circuit` is the short cut when the right points are
already known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import NamedTuple

from separatrix.algorithms.separation.integers import (
    divide_by_gcd,
    find_pivots,
    take_submatrix,
    to_coprime_integers,
    to_fmpz_matrix,
    to_ints,
)
from separatrix.certificates.arithmetic.linear_algebra import fmpq, fmpq_mat, fmpz_mat

Point = Sequence[int]


class GordanAlternative(NamedTuple):
    """Either a direction with a·u > 0 at every point, or places and positive multipliers that cancel."""

    direction: list[int] | None
    places: list[int]
    multipliers: list[int]


def find_dependency(points: Sequence[Point]) -> list[int] | None:
    """Coprime multipliers, up to sign, of the one linear dependency of these points; None if not just one."""
    count, width = len(points), len(points[0])
    matrix = to_fmpz_matrix(points, width)
    pivot_rows = find_pivots(matrix.transpose())
    if len(pivot_rows) != count - 1:
        return None
    (dependent,) = set(range(count)) - set(pivot_rows)
    coefficients = [0] * count
    coefficients[dependent] = 1
    if pivot_rows:
        pivot_columns = find_pivots(matrix)
        solved = (
            take_submatrix(matrix, pivot_rows, pivot_columns)
            .transpose()
            .solve(take_submatrix(matrix, [dependent], pivot_columns).transpose())
        )
        assert isinstance(solved, fmpq_mat)
        numerators, denominator = solved.numer_denom()
        coefficients[dependent] = -int(denominator)
        for place, value in zip(pivot_rows, to_ints(numerators), strict=True):
            coefficients[place] = value
    multipliers = divide_by_gcd(coefficients)
    if any(v != 0 for v in (fmpz_mat(1, count, multipliers) * matrix).entries()):
        return None
    return multipliers


def find_circuit(points: Sequence[Point]) -> tuple[list[int], list[int]] | None:
    """Places and positive multipliers of the one dependency of these points, or None when it is not that
    simple.

    What is found is irreducible: there is no other dependency among these points.
    """
    multipliers = find_dependency(points)
    if multipliers is None:
        return None
    if max(multipliers) <= 0:
        multipliers = [-value for value in multipliers]
    if min(multipliers) < 0:
        return None
    places = [i for i, value in enumerate(multipliers) if value]
    return places, [multipliers[i] for i in places]


def decide_alternative(
    points: Sequence[Point],
    start: Sequence[int] = (),
    shares: Sequence[float] = (),
    check_time: Callable[[], None] = lambda: None,
) -> GordanAlternative:
    """Decide Gordan's alternative for these points, beginning with a mixture of the points ``start``."""
    zero = next((i for i, point in enumerate(points) if not any(point)), None)
    if zero is not None:
        return GordanAlternative(None, [zero], [1])
    points = equalise_bits(points)
    width = len(points[0])
    all_points = to_fmpz_matrix(points, width)
    corral = select_independent(points, start)
    exact = normalise_shares(corral, dict(zip(start, shares, strict=False)))
    while True:
        check_time()
        kept, exact = run_minor_cycle([points[i] for i in corral], exact)
        corral = [corral[i] for i in kept]
        multipliers = to_coprime_integers(exact)
        nearest = divide_by_gcd(combine([points[i] for i in corral], multipliers))
        if not any(nearest):
            return GordanAlternative(None, corral, multipliers)
        margins = (all_points * fmpz_mat(width, 1, nearest)).entries()
        worst = min(range(len(points)), key=margins.__getitem__)
        if margins[worst] > 0:
            return GordanAlternative(nearest, [], [])
        corral.append(worst)
        exact.append(fmpq(0))


class ExactNearestPoint(NamedTuple):
    """The point x / scale of a polytope nearest to the origin, as a mixture of vertices (pairs of places)."""

    nearest: list[int]
    scale: int
    corral: list[tuple[int, int]]
    multipliers: list[int]


def find_exact_nearest_point(
    points: Sequence[Point],
    signs: Sequence[int] | None,
    start: Sequence[tuple[int, int]],
    shares: Sequence[float],
    check_time: Callable[[], None] = lambda: None,
) -> ExactNearestPoint:
    """The nearest point itself, for points in their own units; with signs, of the difference of two hulls."""

    def make_vertex(pair: tuple[int, int]) -> list[int]:
        one, other = pair
        return (
            list(points[one])
            if other < 0
            else [a - b for a, b in zip(points[one], points[other], strict=True)]
        )

    width = len(points[0])
    all_points = to_fmpz_matrix(points, width)
    chosen = select_independent([make_vertex(pair) for pair in start], range(len(start)))
    corral = [start[i] for i in chosen]
    exact = normalise_shares(chosen, dict(enumerate(shares)))
    while True:
        check_time()
        kept, exact = run_minor_cycle([make_vertex(pair) for pair in corral], exact)
        corral = [corral[i] for i in kept]
        multipliers = to_coprime_integers(exact)
        nearest = combine([make_vertex(pair) for pair in corral], multipliers)
        scale = sum(multipliers)
        margins = (all_points * fmpz_mat(width, 1, nearest)).entries()
        if signs is None:
            pair = (min(range(len(points)), key=margins.__getitem__), -1)
            lowest = margins[pair[0]]
        else:
            low = min((i for i, s in enumerate(signs) if s > 0), key=margins.__getitem__)
            high = max((i for i, s in enumerate(signs) if s < 0), key=margins.__getitem__)
            pair, lowest = (low, high), margins[low] - margins[high]
        if lowest * scale >= sum(v * v for v in nearest):
            return ExactNearestPoint(nearest, scale, corral, multipliers)
        corral.append(pair)
        exact.append(fmpq(0))


def combine(points: Sequence[Point], multipliers: Sequence[int]) -> list[int]:
    """Σ λ a."""
    return to_ints(fmpz_mat(1, len(points), list(multipliers)) * to_fmpz_matrix(points, len(points[0])))


def equalise_bits(points: Sequence[Point]) -> list[list[int]]:
    """Points times powers of two, so that their largest entries have the same number of bits."""
    bits = [max(abs(value).bit_length() for value in point) for point in points]
    top = max(bits)
    return [[value << (top - b) for value in point] for point, b in zip(points, bits, strict=True)]


def select_independent(points: Sequence[Point], start: Sequence[int]) -> list[int]:
    """An affinely independent part of ``start``; the first point when there is none."""
    start = list(dict.fromkeys(start)) or [0]
    lifted = [[1, *points[i]] for i in start]
    return [start[i] for i in find_pivots(to_fmpz_matrix(lifted, len(lifted[0])).transpose())]


def normalise_shares(corral: Sequence[int], shares: dict[int, float]) -> list[fmpq]:
    """Positive shares that add up to 1, near those given."""
    floats = [shares.get(i, 0.0) for i in corral]
    positive = [share if isfinite(share) and share > 0 else 2.0**-200 for share in floats]
    exact = [fmpq(*share.as_integer_ratio()) for share in positive]
    total = sum(exact, fmpq(0))
    return [share / total for share in exact]


def run_minor_cycle(corral: Sequence[Point], shares: list[fmpq]) -> tuple[list[int], list[fmpq]]:
    """Wolfe's minor cycle: which points stay for their affine minimiser to lie inside; its coefficients."""
    kept = list(range(len(corral)))
    while True:
        minimiser = _find_affine_minimiser(to_fmpz_matrix([corral[i] for i in kept], len(corral[0])))
        negative = [i for i, value in enumerate(minimiser) if value <= 0]
        if not negative:
            return kept, minimiser
        step = min(
            shares[i] / (shares[i] - minimiser[i]) if shares[i] != minimiser[i] else fmpq(0) for i in negative
        )
        moved = [
            share + step * (coefficient - share) for share, coefficient in zip(shares, minimiser, strict=True)
        ]
        positive = [i for i, value in enumerate(moved) if value > 0]
        kept = [kept[i] for i in positive]
        shares = [moved[i] for i in positive]


def _find_affine_minimiser(chosen: fmpz_mat) -> list[fmpq]:
    """Coefficients, with sum 1, of the point of the affine hull nearest to the origin."""
    count = chosen.nrows()
    gram = (chosen * chosen.transpose()).tolist()
    bordered: list[list[int]] = [[0] + [1] * count]
    bordered.extend([1, *map(int, row)] for row in gram)
    unit = fmpz_mat(count + 1, 1, [1] + [0] * count)
    solved = to_fmpz_matrix(bordered, count + 1).solve(unit)
    return [solved[i + 1, 0] for i in range(count)]
