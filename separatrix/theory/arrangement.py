"""Every strict pattern of signs that a vector can show to given rows, in whole numbers alone.

**Idea.** The rows are normals of hyperplanes through the origin, and a pattern is one of the cells between
them. A hyperplane that is added cuts exactly those cells whose patterns it shows itself: they are the cells
of an arrangement in one dimension less, listed in the same way.

**Theorem** (the recursion behind Schläfli's and Cover's count). Let z be no multiple of a row before it. The
cells of the first k rows that the hyperplane of z cuts are one to one with the cells of those rows
restricted to it. Restricting is one step of elimination.

**Certificate.** Each pattern comes with a whole-number vector that shows it: its own proof.

**Cost.** Over all depths of the recursion no more than D cells are made for each pattern, D being the length
of a row, and each costs one exact scalar product with every row: time proportional to the number of patterns.

References
----------
T. M. Cover, *Geometrical and statistical properties of systems of linear inequalities*, IEEE Transactions on
Electronic Computers EC-14 (1965), Theorem 1; L. Schläfli, *Theorie der vielfachen Kontinuität* (1852).
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from operator import mul

import numpy as np
from numpy.typing import NDArray

Wholes = list[int]
Cells = dict[int, Wholes]


def cells(rows: list[Wholes], width: int, watch: Callable[[int, int], None] | None = None) -> Cells:
    """A vector for every pattern: bit i of the key is set where its product with row i is positive.

    A row of zeros shows no strict sign, so with one of them there are no patterns. After each row ``watch``
    gets the number of rows so far and the number of their patterns, which never falls; it may raise.

    >>> sorted(cells([[1, 0], [0, 1], [1, 1]], 2))
    [0, 1, 2, 5, 6, 7]
    """
    if not rows:
        return {0: [0] * width}
    half, everything = _half(rows, width, watch), (1 << len(rows)) - 1
    return half | {everything ^ pattern: [-number for number in vector] for pattern, vector in half.items()}


def _half(rows: list[Wholes], width: int, watch: Callable[[int, int], None] | None = None) -> Cells:
    """The cells on the positive side of the first row: the others are their mirror images."""
    if not all(map(any, rows)):
        return {}
    if not rows:
        return {0: [0] * width}
    found: Cells = {1: rows[0]}
    for k in range(1, len(rows)):
        if watch is not None:
            watch(k, 2 * len(found))
        before, row = rows[:k], rows[k]
        cut = _restricted(before, row)
        grown: Cells = {}
        for (pattern, vector), product in zip(found.items(), _products(found, row), strict=True):
            shown = pattern | (1 << k)
            if pattern not in cut:
                grown[shown if product > 0 else pattern] = vector
                continue
            if product > 0:
                grown[shown] = vector
            elif product < 0:
                grown[pattern] = vector
            within = vector if product == 0 else _lifted(cut[pattern], row)
            if product <= 0:
                grown[shown] = _nudged(within, row, before, 1)
            if product >= 0:
                grown[pattern] = _nudged(within, row, before, -1)
        found = grown
    if watch is not None:
        watch(len(rows), 2 * len(found))
    return found


def _products(found: Cells, row: Wholes) -> list[int]:
    table: NDArray[np.object_] = np.array(list(found.values()), dtype=object)
    return (table @ np.array(row, dtype=object)).tolist()


def _restricted(rows: list[Wholes], normal: Wholes) -> Cells:
    """The cells of the rows on the hyperplane of ``normal``, in the coordinates left by its pivot."""
    pivot = _pivot(normal)
    head = normal[pivot]
    size, turn = abs(head), (1 if head > 0 else -1)
    others = [j for j in range(len(normal)) if j != pivot]
    left = []
    for row in rows:
        factor = turn * row[pivot]
        short = [size * row[j] - factor * normal[j] for j in others]
        divisor = gcd(*short)
        if not divisor:
            return {}
        left.append([number // divisor for number in short])
    return _half(left, len(others))


def _lifted(short: Wholes, normal: Wholes) -> Wholes:
    """The vector on the hyperplane of ``normal`` with these other coordinates, times a positive number."""
    pivot = _pivot(normal)
    head = normal[pivot]
    others = normal[:pivot] + normal[pivot + 1 :]
    along = sum(map(mul, short, others))
    vector = [abs(head) * number for number in short]
    vector.insert(pivot, -along if head > 0 else along)
    return vector


def _nudged(vector: Wholes, normal: Wholes, rows: list[Wholes], side: int) -> Wholes:
    """A vector beside ``vector``, on one side of the hyperplane it is on and still in its cell."""
    times = 1
    for row in rows:
        gap, push = abs(sum(map(mul, row, vector))), abs(sum(map(mul, row, normal)))
        times = max(times, push // gap + 1)
    moved = [times * a + side * b for a, b in zip(vector, normal, strict=True)]
    divisor = gcd(*moved)
    return [number // divisor for number in moved]


def _pivot(normal: Wholes) -> int:
    """The smallest entry that is not zero: it keeps the numbers short."""
    return min((j for j, number in enumerate(normal) if number), key=lambda j: abs(normal[j]))
