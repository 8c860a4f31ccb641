"""Objectives of convex models at given weights, and points that nearly minimise them: exact for the soft
margin, in 50 digits for likelihoods. Every value returned is that of some weights, so no true lower bound
exceeds it, up to the last of these digits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
from exact_numbers import Vector, solution

DIGITS = 50
STEPS = 150
EDGE = Fraction(1, 10**6)


def _dot(a: Any, b: Any) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0 * a[0])


def soft_margin(w: Vector, z: tuple[Vector, ...], costs: Vector, constant: bool, squared: bool) -> Fraction:
    short = [max(Fraction(0), 1 - _dot(w, row)) for row in z]
    normal = w[:-1] if constant else w
    loss = sum((c * (t * t if squared else t) for c, t in zip(costs, short, strict=True)), Fraction(0))
    return _dot(normal, normal) / 2 + loss


@cache
def least_soft_margin(z: Any, costs: Vector, constant: bool, squared: bool, w: Vector) -> Fraction:
    """The least value found by Newton's method on the rows within the margin, from w; exact steps."""
    best, least = w, soft_margin(w, z, costs, constant, squared)
    for _ in range(20):
        step = (_squared_step if squared else _hinge_step)(best, z, costs, constant)
        value = soft_margin(step, z, costs, constant, squared)
        if value >= least:
            break
        best, least = step, value
    return least


def _squared_step(w: Vector, z: Any, costs: Vector, constant: bool) -> Vector:
    """The minimiser if the rows within the margin stay the same."""
    active = [(c, row) for c, row in zip(costs, z, strict=True) if _dot(w, row) < 1]
    d = len(w)
    rows = []
    for j in range(d):
        line = [2 * sum((c * row[j] * row[k] for c, row in active), Fraction(0)) for k in range(d)]
        line[j] += not (constant and j == d - 1)
        rows.append([*line, 2 * sum((c * row[j] for c, row in active), Fraction(0))])
    return tuple(solution(rows))


def _hinge_step(w: Vector, z: Any, costs: Vector, constant: bool) -> Vector:
    """The minimiser if the rows on the margin, and those within it, stay the same."""
    margins = [_dot(w, row) for row in z]
    on = [row for row, m in zip(z, margins, strict=True) if abs(1 - m) <= EDGE]
    d, k = len(w), len(on)
    # Unknown: w, and a multiplier for each row on the margin. w = Σ c z + Σ a z (intercept: 0), w·z = 1.
    rows = []
    for j in range(d):
        fixed = (c * row[j] for c, row, m in zip(costs, z, margins, strict=True) if m < 1 - EDGE)
        penalised = not (constant and j == d - 1)
        line = [Fraction(int(i == j and penalised)) for i in range(d)] + [-row[j] for row in on]
        rows.append([*line, sum(fixed, Fraction(0))])
    rows += [[*row, *[Fraction(0)] * k, Fraction(1)] for row in on]
    return tuple(solution(rows)[:d])


Found = tuple[Fraction, Fraction]


@cache
def least_logistic(z: Any, v: Vector, cost: Fraction | None, constant: bool, w: Vector, seek: bool) -> Found:
    """The objective at w, and the least found from there."""
    with mpmath.workdps(DIGITS):
        z, v = [list(map(_mp, row)) for row in z], list(map(_mp, v))
        C = mpmath.mpf(1) if cost is None else _mp(cost)
        d = len(w)
        penalty = [0 if cost is None or (constant and j == d - 1) else 1 for j in range(d)]

        def value(w: Any) -> Any:
            loss = sum(one * mpmath.log1p(mpmath.exp(-_dot(w, row))) for one, row in zip(v, z, strict=True))
            return C * loss + sum(p * b * b for p, b in zip(penalty, w, strict=True)) / 2

        def slopes(w: Any) -> tuple[Any, Any]:
            g = mpmath.matrix([p * b for p, b in zip(penalty, w, strict=True)])
            H = mpmath.diag(penalty)
            for one, row in zip(v, z, strict=True):
                q = 1 / (1 + mpmath.exp(_dot(w, row)))
                for j in range(d):
                    g[j] -= C * one * q * row[j]
                    for k in range(d):
                        H[j, k] += C * one * q * (1 - q) * row[j] * row[k]
            return g, H

        return _newton(list(map(_mp, w)), value, slopes, None, seek)


@cache
def least_joint(
    x: Any,
    own: Any,
    v: Vector,
    cost: Fraction | None,
    constant: bool,
    W: Any,
    radius: Fraction | None,
    seek: bool,
) -> Found:
    """The objective at W, and the least found from there among weights no longer than the radius."""
    with mpmath.workdps(DIGITS):
        x, v = [list(map(_mp, row)) for row in x], list(map(_mp, v))
        C = mpmath.mpf(1) if cost is None else _mp(cost)
        count, d = len(W), len(x[0])
        penalty = [0 if cost is None or (constant and j == d - 1) else 1 for j in range(d)] * count

        def shares(w: Any, row: Any) -> tuple[list[Any], Any, Any]:
            scores = [_dot(w[k * d : k * d + d], row) for k in range(count)]
            top = max(scores)
            powers = [mpmath.exp(score - top) for score in scores]
            total = sum(powers)
            return [power / total for power in powers], top + mpmath.log(total), scores

        def value(w: Any) -> Any:
            loss = 0
            for one, row, k in zip(v, x, own, strict=True):
                _, log_sum, scores = shares(w, row)
                loss += one * (log_sum - scores[k])
            return C * loss + sum(p * b * b for p, b in zip(penalty, w, strict=True)) / 2

        def slopes(w: Any) -> tuple[Any, Any]:
            g = mpmath.matrix([p * b for p, b in zip(penalty, w, strict=True)])
            H = mpmath.diag(penalty)
            for one, row, mine in zip(v, x, own, strict=True):
                p, _, _ = shares(w, row)
                for a in range(count):
                    for j in range(d):
                        g[a * d + j] += C * one * (p[a] - (a == mine)) * row[j]
                        for b in range(count):
                            for k in range(d):
                                H[a * d + j, b * d + k] += (
                                    C * one * p[a] * ((a == b) - p[b]) * row[j] * row[k]
                                )
            return g, H

        return _newton(
            [_mp(b) for row in W for b in row], value, slopes, None if radius is None else _mp(radius), seek
        )


def _mp(number: Fraction) -> Any:
    return mpmath.mpf(number.numerator) / number.denominator


def _newton(w: list[Any], value: Any, slopes: Any, radius: Any, seek: bool) -> Found:
    """Values at w and at the best of damped Newton steps, as fractions."""
    start = now = value(w)
    least = start if radius is None or mpmath.norm(w) <= radius else mpmath.inf
    for _ in range(STEPS if seek else 0):
        g, H = slopes(w)
        small = mpmath.mpf(10) ** -30 * (1 + max(abs(H[j, j]) for j in range(len(w))))
        step = mpmath.lu_solve(H + small * mpmath.eye(len(w)), g)
        size = mpmath.mpf(1)
        while size > 1e-12:
            moved = [b - size * s for b, s in zip(w, step, strict=True)]
            then = value(moved)
            if then < now:
                break
            size /= 4
        else:
            break
        done = now - then < mpmath.mpf(10) ** -30 * abs(now)
        w, now = moved, then
        if radius is None or mpmath.norm(w) <= radius:
            least = min(least, now)
        if done:
            break
    return _fraction(start), _fraction(least)


def _fraction(value: Any) -> Fraction:
    if not mpmath.isfinite(value):
        return Fraction(10) ** 10000
    sign, mantissa, exponent, _ = value._mpf_
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** exponent
