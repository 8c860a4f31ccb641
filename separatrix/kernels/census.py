"""Margins with a proven error: which rows are right or wrong for certain, and which are in doubt.

**The bound.** Let u = 2⁻⁵³ and k the number of values that a row stores. A score x·w + b, summed in any order
with or without fused multiply-add, meets at most k + 2 roundings in each term, so it is off by at most
(k + 2)u(1 + …)S with S = Σ|x_j w_j| + |b| (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1); S
as computed is low by no larger a share. `census` calls a row right or wrong when its score is beyond
2(k + 4)u of the computed S, which covers both, and the rounding of the bound itself. It holds for columns
that are stored more than once.

**Underflow and overflow.** A product that underflows loses at most 2⁻¹⁰²². Where another library has
switched on flush-to-zero, an entry below that is read as zero too: with a weight of at most 10¹⁴⁰ it loses
10⁻¹⁶⁷. With S above 10⁻¹⁴⁰ all of that is far below uS for any number of columns that memory holds. A weight
that is read as zero could lose any amount, since entries may be large: where a weight is below 2⁻¹⁰²², by its
bits, every row is in doubt. No partial sum is above S(1 + …). Rows with S outside 10^±140, and weights beyond
10¹⁴⁰, are in doubt, and so is all that is no number.

`reaching_census` adds rows that are within reach (`separatrix.kernels.reach`): at w their score is at least
‖w‖‖z‖ sin x, x being what is left of their reach, and sin x ≥ x − x³/6. They are read only if that leaves
open whether their margin is the smallest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.reach import (
    CONSTANT,
    GROUP,
    LARGEST,
    LEAST_NOTED,
    LONG,
    MOST_NOTED,
    SHORT,
    SPARE,
    SQUARE,
    TURNED,
    UNIT,
    Sight,
    length,
    turn,
)
from separatrix.kernels.row import n_rows, row_dot, row_sizes, row_square

LOWEST, WRONG = range(2)
MAGNITUDE = 2**63 - 1  # the bits of a double without that of its sign
NORMAL = 2**52  # the bits of 2⁻¹⁰²², the least double that flush-to-zero leaves alone


@kernel
def census(X: Any, signs: np.ndarray, weights: np.ndarray, doubtful: np.ndarray, found: np.ndarray) -> int:
    """The rows in doubt into ``doubtful``; returns how many.

    ``found[LOWEST]`` is lowered to the least margin of the others, ``found[WRONG]`` gains the wrong ones.
    """
    bias = weights[-1]
    bits = weights.view(np.int64)
    sound = True
    for j in range(weights.shape[0]):
        size = bits[j] & MAGNITUDE
        sound = sound and abs(weights[j]) < LONG and (size == 0 or size >= NORMAL)
    open_rows = 0
    for i in range(n_rows(X)):
        score, among, terms = row_sizes(X, i, weights)
        whole = among + abs(bias)
        margin = float(signs[i]) * (score + bias)
        bound = (terms + 4.0) * 2.0**-52 * whole
        if sound and whole > SHORT and whole < LONG and abs(margin) > bound:
            found[LOWEST] = min(found[LOWEST], margin)
            found[WRONG] += margin < 0.0
        else:
            doubtful[open_rows] = i
            open_rows += 1
    return open_rows


@kernel
def square_of(X: Any, i: int, squares: np.ndarray) -> float:
    """‖x‖² as noted, rounded up; made anew where float32 does not hold it."""
    square = float(squares[i])
    return square if square > LEAST_NOTED and square < MOST_NOTED else row_square(X, i) * (1.0 + 1e-9)


@kernel
def nearest_of(reach: np.ndarray) -> int:
    """A row with the least reach."""
    nearest = 0
    for start in range(0, reach.shape[0], GROUP):
        group, least = reach[start : start + GROUP], reach[nearest]
        nearer = 0
        for k in range(group.shape[0]):
            nearer += group[k] < least
        if nearer:
            for k in range(group.shape[0]):
                nearest = start + k if group[k] < reach[nearest] else nearest
    return nearest


@kernel
def is_open(left: float, square: float, least: float, lowest: float) -> bool:
    """Whether a row with so much reach left, and that ‖z‖² rounded up, could be wrong or below the lowest
    margin."""
    rest = left if left < 1.0 else 1.0
    low = least * rest * (1.0 - rest * rest / 6.0)
    return not (left > 0.0 and low * low * square * (1.0 - 1e-6) > lowest * lowest)


@kernel
def reaching_census(
    X: Any, signs: np.ndarray, sight: Sight, weights: np.ndarray, doubtful: np.ndarray, found: np.ndarray
) -> int:
    """`census` that reads no row which is right for certain and not the one with the least margin.

    A row that is wrong is in doubt here.
    """
    squares, reach, ledger = sight.squares, sight.reach, sight.ledger
    constant, unit = ledger[CONSTANT], ledger[UNIT]
    added = constant * constant
    away = (ledger[TURNED] + turn(ledger)) * (1.0 + 1e-12) + 4.0 * unit
    most = length(ledger)
    least = np.sqrt(max(ledger[SQUARE] - ledger[SPARE] * ledger[LARGEST], 0.0)) * (1.0 - 1e-9)
    awake = np.empty(GROUP, np.int64)
    n = signs.shape[0]
    nearest = nearest_of(reach)
    open_rows = 0
    start = -1  # the row with the least reach first: its margin may rule out all the others
    while start < n:
        stop = min(start + GROUP, n) if start >= 0 else 0
        group, sizes, lowest = reach[max(start, 0) : stop], squares[max(start, 0) : stop], found[LOWEST]
        ahead = 0
        for k in range(group.shape[0]):
            ahead += is_open(float(group[k]) - away, float(sizes[k]) + added, least, lowest)
        if ahead:
            ahead = 0
            for k in range(group.shape[0]):
                awake[ahead] = start + k
                still = is_open(float(group[k]) - away, float(sizes[k]) + added, least, lowest)
                ahead += still and start + k != nearest
        if start < 0:
            awake[0] = nearest
            ahead = 1
        start = stop
        for k in range(ahead):
            i = awake[k]
            square = square_of(X, i, squares) + constant * constant
            margin = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant)
            if square > SHORT and square < LONG and margin > unit * most * np.sqrt(square):
                found[LOWEST] = min(found[LOWEST], margin)
            else:
                doubtful[open_rows] = i
                open_rows += 1
    return open_rows
