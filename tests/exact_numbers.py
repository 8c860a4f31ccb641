"""Fractions of JSON numbers, products of vectors, and linear equations solved without rounding."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

Vector = tuple[Fraction, ...]


def number(value: Any) -> Fraction:
    return Fraction(int(value, 16)) if isinstance(value, str) else Fraction(value)


def vector(values: Iterable[Any]) -> Vector:
    return tuple(map(number, values))


def dot(a: Iterable[Fraction], b: Iterable[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def solution(rows: list[list[Fraction]]) -> list[Fraction]:
    """A solution of the equations [A | b] with square A, if there is one; unknowns that are free are 0."""
    n, used, places = len(rows), 0, {}
    for k in range(n):
        pivot = next((i for i in range(used, n) if rows[i][k]), None)
        if pivot is None:
            continue
        rows[used], rows[pivot] = rows[pivot], rows[used]
        rows[used] = [value / rows[used][k] for value in rows[used]]
        for i in range(n):
            if i != used and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[used], strict=True)]
        places[k] = used
        used += 1
    return [rows[places[k]][n] if k in places else Fraction(0) for k in range(n)]
