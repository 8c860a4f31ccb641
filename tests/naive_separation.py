"""Separation by brute force: every small set of rows, in fractions. Written to be obviously right.

A conflict is a combination of rows with positive multipliers that is zero. Every conflict is a sum of
circuits, which are conflicts with no smaller conflict inside; a circuit's rows have one linear dependency, of
one sign. So the rows that take part in any conflict are those of all circuits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

Row = tuple[Fraction, ...]


def signed_rows(X: Sequence[Sequence[float]], signs: Sequence[int], intercept: bool) -> list[Row]:
    return [
        tuple(s * Fraction(float(v)) for v in (*row, *([1.0] if intercept else [])))
        for row, s in zip(X, signs, strict=True)
    ]


def dependencies(rows: Sequence[Row]) -> list[list[Fraction]]:
    """A basis of all λ with Σ λ_i row_i = 0, by elimination on the rows with the identity beside them."""
    count, width = len(rows), len(rows[0])
    table = [[*row, *(Fraction(int(i == j)) for j in range(count))] for i, row in enumerate(rows)]
    done = 0
    for column in range(width):
        pivot = next((i for i in range(done, count) if table[i][column]), None)
        if pivot is None:
            continue
        table[done], table[pivot] = table[pivot], table[done]
        for i in range(done + 1, count):
            factor = table[i][column] / table[done][column]
            table[i] = [a - factor * b for a, b in zip(table[i], table[done], strict=True)]
        done += 1
    return [line[width:] for line in table[done:]]


def circuits(rows: Sequence[Row]) -> Iterator[tuple[int, ...]]:
    width = len(rows[0])
    for size in range(1, min(len(rows), width + 1) + 1):
        for chosen in combinations(range(len(rows)), size):
            basis = dependencies([rows[i] for i in chosen])
            if len(basis) == 1 and (all(v > 0 for v in basis[0]) or all(v < 0 for v in basis[0])):
                yield chosen


def in_conflict(rows: Sequence[Row]) -> set[int]:
    return {i for circuit in circuits(rows) for i in circuit}


def kind_of(rows: Sequence[Row]) -> str:
    face = in_conflict(rows)
    if not face:
        return "complete"
    return "overlap" if len(face) == len(rows) else "quasi"


def unbounded(rows: Sequence[Row]) -> list[str]:
    """w_j ≥ 0 on the recession cone when e_j is in the cone of the rows: when -e_j is in a conflict."""
    width = len(rows[0])
    words = []
    for j in range(width):
        unit = tuple(Fraction(int(i == j)) for i in range(width))
        never_negative = len(rows) in in_conflict([*rows, tuple(-v for v in unit)])
        never_positive = len(rows) in in_conflict([*rows, unit])
        if never_negative and never_positive:
            words.append("finite")
        elif never_negative:
            words.append("+inf")
        elif never_positive:
            words.append("-inf")
        else:
            words.append("undetermined")
    return words
