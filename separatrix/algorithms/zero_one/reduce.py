"""From signed rows and costs to a `Problem`: merge, cancel, count what is paid in any case."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from separatrix.algorithms.zero_one.problem import Problem, least_exponent, primitive


def reduced(X: np.ndarray, signs: np.ndarray, costs: Any = None, *, intercept: bool = True) -> Problem:
    """The problem of rows ``X`` (doubles) with signs ±1 and costs (doubles, whole numbers or fractions).

    >>> problem = reduced(np.array([[0.0], [0.0], [1.0], [1.0], [1.0]]), np.array([1, 1, 1, -1, 1]))
    >>> problem.weights, problem.offset, problem.members, problem.Z
    ((2, 1), 1, ((0, 1), (2, 4)), ((0, 1), (1, 1)))
    """
    X = np.ascontiguousarray(X, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    weights, unit = whole_costs(costs, len(X))
    keep = np.flatnonzero(np.array([w > 0 for w in weights], dtype=bool))
    exponents = tuple(least_exponent(X[:, j]) for j in range(X.shape[1])) + (0,) * intercept
    values = np.column_stack((X, np.ones(len(X)))) if intercept else X
    values = values * signs[:, None] + 0.0
    groups = _points(X, signs, keep) if intercept else _directions(values, exponents, keep)
    offset, rows, twins = 0, [], []
    for ours, theirs in groups:
        mine, other = (sum(weights[i] for i in side) for side in (ours, theirs))
        offset += min(mine, other)
        if mine and other:
            twins.append((_whole_row(values[ours[0]], exponents), min(mine, other)))
        if mine != other:
            members = ours if mine > other else theirs
            rows.append((members, abs(mine - other)))
    offset += sum(weights[i] for i in keep.tolist()) - sum(
        weights[i] for ours, theirs in groups for side in (ours, theirs) for i in side
    )
    rows.sort(key=lambda row: row[0][0])
    kept = [members[0] for members, _ in rows]
    return Problem(
        values=np.ascontiguousarray(values[kept]),
        exponents=exponents,
        weights=tuple(weight for _, weight in rows),
        offset=offset,
        unit=unit,
        members=tuple(tuple(members) for members, _ in rows),
        names=tuple(kept),
        intercept=intercept,
        n_rows=len(X),
        twins=tuple(twins),
    )


def _whole_row(row: np.ndarray, exponents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(Fraction(a) * (1 << e)) for a, e in zip(row.tolist(), exponents, strict=True))


def whole_costs(costs: Any, n_rows: int) -> tuple[list[int], Fraction]:
    """Costs as whole numbers without a common divisor, and what one of them is worth.

    >>> whole_costs([0.5, 1.5, 0.0], 3)
    ([1, 3, 0], Fraction(1, 2))
    """
    if costs is None:
        return [1] * n_rows, Fraction(1)
    exact = [Fraction(cost) for cost in (costs.tolist() if hasattr(costs, "tolist") else costs)]
    common = lcm(*(cost.denominator for cost in exact))
    wholes = [int(cost * common) for cost in exact]
    divisor = gcd(*wholes) or 1
    return [whole // divisor for whole in wholes], Fraction(divisor, common)


def _points(X: np.ndarray, signs: np.ndarray, keep: np.ndarray) -> list[tuple[list[int], list[int]]]:
    """Equal points: their rows of sign +1 and of sign −1, each ascending."""
    _, place = np.unique(X[keep], axis=0, return_inverse=True)
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for i, point, sign in zip(keep.tolist(), place.ravel().tolist(), signs[keep].tolist(), strict=True):
        groups.setdefault(point, ([], []))[0 if sign > 0 else 1].append(i)
    return list(groups.values())


def _directions(
    values: np.ndarray, exponents: tuple[int, ...], keep: np.ndarray
) -> list[tuple[list[int], list[int]]]:
    """Rows of equal and of opposite direction; rows of zeros are left out."""
    groups: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    for i in keep.tolist():
        exact = [Fraction(a) * (1 << e) for a, e in zip(values[i].tolist(), exponents, strict=True)]
        direction = primitive(exact)
        lead = next((a for a in direction if a), 0)
        if lead:
            key = direction if lead > 0 else tuple(-a for a in direction)
            groups.setdefault(key, ([], []))[0 if lead > 0 else 1].append(i)
    return list(groups.values())
