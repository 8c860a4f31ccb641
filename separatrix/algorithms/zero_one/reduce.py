"""From signed rows and costs to a `ReducedProblem`: merge, cancel, count what is paid in any case."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from separatrix.algorithms.zero_one.problem import ReducedProblem, find_least_exponent, to_primitive_vector
from separatrix.rows import Rows


def to_dense_arrays(rows: Rows, positive: int) -> tuple[np.ndarray, np.ndarray]:
    """All rows as doubles, and their signs."""
    X = rows.whole().matrix()
    X = X.toarray() if rows.is_sparse else X
    return X.astype(np.float64), rows.signs(positive).astype(np.float64)


def reduce_problem(
    X: np.ndarray, signs: np.ndarray, costs: Any = None, *, intercept: bool = True
) -> ReducedProblem:
    """The problem of rows ``X`` (doubles) with signs ±1 and costs (doubles, whole numbers or fractions).

    >>> problem = reduce_problem(np.array([[0.0], [0.0], [1.0], [1.0], [1.0]]), np.array([1, 1, 1, -1, 1]))
    >>> problem.weights, problem.offset, problem.members, problem.Z
    ((2, 1), 1, ((0, 1), (2, 4)), ((0, 1), (1, 1)))
    """
    X = np.ascontiguousarray(X, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    weights, unit = to_integer_costs(costs, len(X))
    kept_indices = np.flatnonzero(np.array([w > 0 for w in weights], dtype=bool))
    exponents = tuple(find_least_exponent(X[:, j]) for j in range(X.shape[1])) + (0,) * intercept
    values = np.column_stack((X, np.ones(len(X)))) if intercept else X
    values = values * signs[:, None] + 0.0
    groups = (
        _group_points(X, signs, kept_indices)
        if intercept
        else _group_directions(values, exponents, kept_indices)
    )
    offset, rows, contradictions = 0, [], []
    for positive, negative in groups:
        positive_cost, negative_cost = (sum(weights[i] for i in side) for side in (positive, negative))
        offset += min(positive_cost, negative_cost)
        if positive_cost and negative_cost:
            contradictions.append(
                (_to_integer_row(values[positive[0]], exponents), min(positive_cost, negative_cost))
            )
        if positive_cost != negative_cost:
            members = positive if positive_cost > negative_cost else negative
            rows.append((members, abs(positive_cost - negative_cost)))
    offset += sum(weights[i] for i in kept_indices.tolist()) - sum(
        weights[i] for positive, negative in groups for side in (positive, negative) for i in side
    )
    rows.sort(key=lambda row: row[0][0])
    names = [members[0] for members, _ in rows]
    return ReducedProblem(
        values=np.ascontiguousarray(values[names]),
        exponents=exponents,
        weights=tuple(weight for _, weight in rows),
        offset=offset,
        unit=unit,
        members=tuple(tuple(members) for members, _ in rows),
        names=tuple(names),
        intercept=intercept,
        n_rows=len(X),
        contradictions=tuple(contradictions),
    )


def _to_integer_row(row: np.ndarray, exponents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(Fraction(a) * (1 << e)) for a, e in zip(row.tolist(), exponents, strict=True))


def to_integer_costs(costs: Any, n_rows: int) -> tuple[list[int], Fraction]:
    """Costs as whole numbers without a common divisor, and what one of them is worth.

    >>> to_integer_costs([0.5, 1.5, 0.0], 3)
    ([1, 3, 0], Fraction(1, 2))
    """
    if costs is None:
        return [1] * n_rows, Fraction(1)
    exact = [Fraction(cost) for cost in (costs.tolist() if hasattr(costs, "tolist") else costs)]
    denominator = lcm(*(cost.denominator for cost in exact))
    integers = [int(cost * denominator) for cost in exact]
    divisor = gcd(*integers) or 1
    return [integer // divisor for integer in integers], Fraction(divisor, denominator)


def _group_points(
    X: np.ndarray, signs: np.ndarray, kept_indices: np.ndarray
) -> list[tuple[list[int], list[int]]]:
    """Equal points: their rows of sign +1 and of sign −1, each ascending."""
    _, places = np.unique(X[kept_indices], axis=0, return_inverse=True)
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for i, point, sign in zip(
        kept_indices.tolist(), places.ravel().tolist(), signs[kept_indices].tolist(), strict=True
    ):
        groups.setdefault(point, ([], []))[0 if sign > 0 else 1].append(i)
    return list(groups.values())


def _group_directions(
    values: np.ndarray, exponents: tuple[int, ...], kept_indices: np.ndarray
) -> list[tuple[list[int], list[int]]]:
    """Rows of equal and of opposite direction; rows of zeros are left out."""
    groups: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    for i in kept_indices.tolist():
        exact = [Fraction(a) * (1 << e) for a, e in zip(values[i].tolist(), exponents, strict=True)]
        direction = to_primitive_vector(exact)
        leading = next((a for a in direction if a), 0)
        if leading:
            key = direction if leading > 0 else tuple(-a for a in direction)
            groups.setdefault(key, ([], []))[0 if leading > 0 else 1].append(i)
    return list(groups.values())
