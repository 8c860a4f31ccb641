"""Rows with positive multipliers, what they add up to, and the dimensions that they span.

Rows cancel, with multipliers l > 0, if

    sum l z = 0.                                                                                        (1)

Which rows lie in a span is settled by counting dimensions: a rank is at least what it is modulo a prime, and
is computed exactly where that is too little; rows that are orthogonal to k independent vectors, the normals,
span at most D - k. The span is all of what the normals leave if

    (rank of the rows) + k = D.                                                                         (2)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd
from operator import mul, neg
from typing import Any

from .field_types import any_number, ascending, listed, positive
from .halfspaces import row_over_common
from .record import Refused
from .table import Table

PRIMES = (2**61 - 1, 2**31 - 1, None)  # None: exactly, which takes longer


def named(witness: dict[str, Any], table: Table, constant: bool) -> Iterator[tuple[list[int], int, int]]:
    """The rows it names, signed, over a common denominator each, with their multipliers."""
    for i, multiplier in zip(witness["rows"], witness["multipliers"], strict=True):
        if i not in table.kept:
            raise Refused(f"It names row {max(witness['rows'])}, which this data does not have.")
        values, sign = table.kept[i]
        row, common = row_over_common(values, constant)
        yield row if sign > 0 else list(map(neg, row)), common, multiplier


def combination(rows: Sequence[tuple[list[int], int, int]]) -> tuple[list[int], int]:
    """sum l z: numerators over one denominator."""
    common = max(below for _, below, _ in rows)
    times = [multiplier * (common // below) for _, below, multiplier in rows]
    columns = zip(*(row for row, _, _ in rows), strict=True)
    return [sum(map(mul, times, column)) for column in columns], common


def rank(vectors: Sequence[Sequence[int]], prime: int | None) -> int:
    """The rank modulo a prime, which is never above the rank; with None the rank."""

    def reduced(row: Sequence[int]) -> list[int]:
        if prime is not None:
            return [entry % prime for entry in row]
        divisor = gcd(*row) or 1
        return [entry // divisor for entry in row]

    left = list(map(reduced, vectors))
    found = 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left if row[column]), None)
        if pivot is not None:
            found += 1
            left.remove(pivot)
            for k, row in enumerate(left):
                lead, factor = pivot[column], row[column]
                if factor:
                    left[k] = reduced([lead * a - factor * b for a, b in zip(row, pivot, strict=True)])
    return found


def solve(rows: Sequence[list[Fraction]], goal: list[Fraction]) -> list[Fraction]:
    """The multipliers with which independent rows add up to the goal, exactly."""
    r, width = len(rows), len(goal)
    left = [[rows[k][j] for k in range(r)] + [goal[j]] for j in range(width)]
    for k in range(r):
        pivot = max(range(k, width), key=lambda j: abs(left[j][k]))
        if not left[pivot][k]:
            raise Refused("The rows it names are not independent.")
        left[k], left[pivot] = left[pivot], left[k]
        for j in range(k + 1, width):
            if left[j][k]:
                factor = left[j][k] / left[k][k]
                left[j] = [a - factor * b for a, b in zip(left[j], left[k], strict=True)]
    if any(row[r] for row in left[r:]):
        raise Refused("The rows it names do not span what is left.")
    found = [Fraction(0)] * r
    for k in range(r - 1, -1, -1):
        rest = left[k][r] - sum(left[k][m] * found[m] for m in range(k + 1, r))
        found[k] = rest / left[k][k]
    return found


def cancelling(witness: dict[str, Any], table: Table, constant: bool) -> list[list[int]]:
    """The rows it names, once they are seen to add up to zero."""
    if not witness["rows"]:
        raise Refused("It names no rows.")
    rows = list(named(witness, table, constant))
    if any(combination(rows)[0]):  # against (1) above
        raise Refused("The combination of its rows is not zero.")
    return [row for row, _, _ in rows]


def require_dimensions(rows: list[list[int]], normals: list[list[int]]) -> None:
    width = len(rows[0])
    if any(len(normal) != width for normal in normals):
        raise Refused(f"A normal has the wrong length; rows have {width} dimensions here.")
    if all(rank(normals, prime) < len(normals) for prime in PRIMES):
        raise Refused("Its normals are not independent.")
    if all(rank(rows, prime) + len(normals) < width for prime in PRIMES):  # against (2) above
        raise Refused("Its rows and normals leave dimensions open.")


def integer(value: Any) -> int:
    value = any_number(value)
    if isinstance(value, float):
        raise ValueError
    return value


BALANCE = {"rows": ascending, "multipliers": listed(positive)}
NORMALS = {"normals": listed(listed(integer))}
