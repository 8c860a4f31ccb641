"""Claims about sides, conflicts, margins and mistakes: true or false by brute force in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations
from math import gcd, lcm
from typing import Any, NamedTuple

import naive_separation
import naive_zero_one
from exact_numbers import Vector, dot, number, solution, vector

ULP = Fraction(1, 2**53)


class Plane(NamedTuple):
    """A halfspace, and the rows z = s(x, 1), or s·x if it has no intercept."""

    w: Vector
    z: tuple[Vector, ...]

    @property
    def margins(self) -> list[Fraction]:
        return [dot(self.w, row) for row in self.z]


def signed(rows: Any, signs: Any, constant: bool) -> tuple[Vector, ...]:
    return tuple(
        tuple(s * v for v in ((*row, Fraction(1)) if constant else row))
        for row, s in zip(rows, signs, strict=True)
    )


def plane(record: Any, rows: Any, signs: Any) -> Plane:
    constant = record["intercept"] is not None
    w = (*vector(record["weights"]), *([number(record["intercept"])] if constant else []))
    return Plane(w, signed(rows, signs, constant))


def separable(record: Any, rows: Any, signs: Any) -> str | None:
    return None if min(plane(record, rows, signs).margins) > 0 else "a row is not on its side"


def errors_at_most(record: Any, rows: Any, signs: Any) -> str | None:
    errors = sum(margin <= 0 for margin in plane(record, rows, signs).margins)
    return None if errors <= number(record["errors"]) else f"{errors} errors"


def unit_of(costs: Vector) -> Fraction:
    """The largest number of which all costs are whole multiples."""
    common = lcm(*(cost.denominator for cost in costs))
    return Fraction(gcd(*(int(cost * common) for cost in costs)) or common, common)


@cache
def fewest(z: tuple[Vector, ...], costs: Vector) -> Fraction:
    return Fraction(naive_zero_one.fewest_errors(z, [1] * len(z), costs, intercept=False))


def _costs(record: Any, rows: Any) -> Vector:
    return (Fraction(1),) * len(rows) if record["costs"] is None else vector(record["costs"])


def errors_at_least(record: Any, rows: Any, signs: Any) -> str | None:
    costs, z = _costs(record, rows), signed(rows, signs, record["intercept"] not in (None, False))
    if len(costs) != len(rows) or min(costs) < 0:
        return "costs that are none"
    least = fewest(z, costs)
    return None if number(record["bound"]) * unit_of(costs) <= least else f"the least cost is {least}"


def fewest_errors(record: Any, rows: Any, signs: Any) -> str | None:
    refuted = errors_at_least(record, rows, signs)
    if refuted:
        return refuted
    costs = _costs(record, rows)
    margins = plane(record, rows, signs).margins
    spent = sum((cost for cost, margin in zip(costs, margins, strict=True) if margin <= 0), Fraction(0))
    return None if spent <= number(record["errors"]) * unit_of(costs) else f"the halfspace costs {spent}"


@cache
def in_conflict(z: tuple[Vector, ...]) -> frozenset[int]:
    return frozenset(naive_separation.in_conflict(z))


def inseparable(record: Any, rows: Any, signs: Any) -> str | None:
    return None if in_conflict(signed(rows, signs, record["intercept"])) else "the rows are separable"


def overlapping(record: Any, rows: Any, signs: Any) -> str | None:
    conflict = in_conflict(signed(rows, signs, record["intercept"]))
    return None if len(conflict) == len(rows) else "the classes do not overlap"


def weakly_separable(record: Any, rows: Any, signs: Any) -> str | None:
    on = plane(record, rows, signs)
    if min(on.margins) < 0 or max(on.margins) == 0:
        return "a row is on the wrong side, or all are on the hyperplane"
    tied = frozenset(i for i, margin in enumerate(on.margins) if margin == 0)
    conflict = in_conflict(on.z)
    return None if tied == conflict and tied else "the rows on the hyperplane are not those that must be"


@cache
def shortest(points: tuple[Vector, ...]) -> Fraction:
    """The least squared length in the convex hull: of the points of affine hulls within their simplex."""
    best = min(dot(point, point) for point in points)
    distinct = sorted(set(points))
    for size in range(2, len(points[0]) + 2):
        for chosen in combinations(distinct, size):
            # The point of least length has the same product with every corner, and shares that add up to 1.
            rows = [[*(dot(p, q) for q in chosen), Fraction(-1), Fraction(0)] for p in chosen]
            rows.append([*[Fraction(1)] * size, Fraction(0), Fraction(1)])
            shares = solution(rows)
            if min(shares[:-1]) >= 0:
                best = min(best, shares[-1])
    return best


def largest_margin(rows: Any, signs: Any, constant: bool, geometric: bool) -> Fraction | None:
    """Its square; None if it is unbounded: all rows of one class, the intercept free."""
    if not (geometric and constant):
        return shortest(signed(rows, signs, constant))
    sides = [[row for row, s in zip(rows, signs, strict=True) if s == side] for side in (1, -1)]
    pairs = tuple(tuple((a - b) / 2 for a, b in zip(p, q, strict=True)) for p in sides[0] for q in sides[1])
    return shortest(pairs) if pairs else None


def margin_at_least(record: Any, rows: Any, signs: Any) -> str | None:
    kept = plane(record, rows, signs)
    margin, least = number(record["margin"]), min(kept.margins)
    normal = vector(record["weights"]) if record["geometric"] else kept.w
    ok = margin > 0 and least > 0 and least**2 >= margin**2 * dot(normal, normal)
    return None if ok else "a smaller margin"


def margin_at_most(record: Any, rows: Any, signs: Any) -> str | None:
    best = largest_margin(rows, signs, record["intercept"], record["geometric"])
    margin = number(record["margin"])
    return None if best is not None and margin >= 0 and best <= margin**2 else "a larger margin is possible"


def margin_between(record: Any, rows: Any, signs: Any) -> str | None:
    constant = record["intercept"] is not None
    return margin_at_least({**record, "margin": record["lower"]}, rows, signs) or margin_at_most(
        {**record, "margin": record["upper"], "intercept": constant}, rows, signs
    )


def margin_share(record: Any, rows: Any, signs: Any) -> str | None:
    kept, share = plane(record, rows, signs), number(record["share"])
    least = min(kept.margins)
    ok = 0 < share <= 1 and least > 0
    return None if ok and least**2 >= share**2 * shortest(kept.z) * dot(kept.w, kept.w) else "a smaller share"


def mistake_run(record: Any, rows: Any, signs: Any) -> str | None:
    run = plane(record, rows, signs)
    counts = dict(zip(map(int, record["rows"]), map(int, record["counts"]), strict=True))
    mistakes = record["mistakes"]
    if sum(counts.values()) != mistakes or min(counts.values(), default=1) < 1:
        return "the counts do not add up"
    if any(not 0 <= i < len(rows) for i in counts):
        return "a row that is not there"
    for j, w in enumerate(run.w):
        total = sum((count * run.z[i][j] for i, count in counts.items()), Fraction(0))
        sizes = sum((count * abs(run.z[i][j]) for i, count in counts.items()), Fraction(0))
        if abs(w - total) > mistakes * (ULP * sizes + Fraction(1, 2**1022)):
            return f"weight {j} is not that sum"
    total_run = [sum((c * run.z[i][j] for i, c in counts.items()), Fraction(0)) for j in range(len(run.w))]
    if record["converged"] and min(Plane(tuple(total_run), run.z).margins) <= 0:
        return "the sum does not separate the rows"
    return None


def mistakes_at_most(record: Any, rows: Any, signs: Any) -> str | None:
    kept, most = plane(record, rows, signs), number(record["mistakes"])
    radius, least = max(dot(row, row) for row in kept.z), min(kept.margins)
    if least <= 0 or least**2 * (most + 1) <= radius * dot(kept.w, kept.w):
        return "Novikoff's bound is larger"
    return None if perceptron_mistakes(kept.z) <= most else "a perceptron makes more"


@cache
def perceptron_mistakes(z: tuple[Vector, ...]) -> int:
    """The most mistakes over a few orders."""
    worst = 0
    for order in (z, z[::-1], sorted(z)):
        w, mistakes, calm = [Fraction(0)] * len(z[0]), 0, 0
        while calm < len(z):
            for row in order:
                calm += 1
                if dot(w, row) <= 0:
                    w, mistakes, calm = [a + b for a, b in zip(w, row, strict=True)], mistakes + 1, 0
        worst = max(worst, mistakes)
    return worst


def undecided(record: Any, rows: Any, signs: Any) -> str | None:
    return "nothing was proven"


CLAIMS = {
    "separable": separable,
    "errors-at-most": errors_at_most,
    "errors-at-least": errors_at_least,
    "fewest-errors": fewest_errors,
    "inseparable": inseparable,
    "overlapping": overlapping,
    "weakly-separable": weakly_separable,
    "margin-at-least": margin_at_least,
    "margin-at-most": margin_at_most,
    "margin-between": margin_between,
    "margin-share": margin_share,
    "mistake-run": mistake_run,
    "mistakes-at-most": mistakes_at_most,
    "undecided": undecided,
}
