"""Which rows are right for certain, reading only those that the angle bound leaves open.

The rule of `separatrix.kernels.certain_signs` for the rows that are read. A row within its angle bound
(`angle_bound_kernels`) is not read: at w its score is at least ‖w‖‖z‖ sin x, where x is what is left of
its bound, and sin x ≥ x − x³/6. It is read only if that leaves open whether its margin is the smallest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.skipping.angle_bound_kernels import (
    CONSTANT,
    GROUP,
    LARGEST,
    LEAST_NOTED,
    MOST_NOTED,
    SPARE,
    SQUARE,
    TURNED,
    UNIT,
    AngleState,
    length,
    turn,
)
from separatrix.kernels import kernel
from separatrix.kernels.certain_signs import LONG, LOWEST, SHORT
from separatrix.kernels.row import row_dot, row_square


@kernel
def square_of(X: Any, i: int, squares: np.ndarray) -> float:
    """‖x‖² as noted, rounded up; made anew where float32 does not hold it."""
    square = float(squares[i])
    return square if square > LEAST_NOTED and square < MOST_NOTED else row_square(X, i) * (1.0 + 1e-9)


@kernel
def nearest_of(angle_budgets: np.ndarray) -> int:
    """A row with the least angle budget."""
    nearest = 0
    for start in range(0, angle_budgets.shape[0], GROUP):
        group, least = angle_budgets[start : start + GROUP], angle_budgets[nearest]
        nearer = 0
        for k in range(group.shape[0]):
            nearer += group[k] < least
        if nearer:
            for k in range(group.shape[0]):
                nearest = start + k if group[k] < angle_budgets[nearest] else nearest
    return nearest


@kernel
def is_open(left: float, square: float, least: float, lowest: float) -> bool:
    """Whether a row with so much of its budget left, and that ‖z‖² rounded up, could be wrong or below the
    lowest margin."""
    release_row_data = left if left < 1.0 else 1.0
    low = least * release_row_data * (1.0 - release_row_data * release_row_data / 6.0)
    return not (left > 0.0 and low * low * square * (1.0 - 1e-6) > lowest * lowest)


@kernel
def skipping_certain_signs(
    X: Any,
    signs: np.ndarray,
    state: AngleState,
    weights: np.ndarray,
    doubtful: np.ndarray,
    found: np.ndarray,
) -> int:
    """`rows_in_doubt` that reads no row which is right for certain and not the one with the least margin.

    A row that is wrong is in doubt here.
    """
    squares, angle_budgets, scalars = state.squares, state.angle_budgets, state.scalars
    constant, unit = scalars[CONSTANT], scalars[UNIT]
    added = constant * constant
    away = (scalars[TURNED] + turn(scalars)) * (1.0 + 1e-12) + 4.0 * unit
    most = length(scalars)
    least = np.sqrt(max(scalars[SQUARE] - scalars[SPARE] * scalars[LARGEST], 0.0)) * (1.0 - 1e-9)
    candidates = np.empty(GROUP, np.int64)
    n = signs.shape[0]
    nearest = nearest_of(angle_budgets)
    open_rows = 0
    start = -1  # the row with the least budget first: its margin may rule out all the others
    while start < n:
        stop = min(start + GROUP, n) if start >= 0 else 0
        group, sizes, lowest = (
            angle_budgets[max(start, 0) : stop],
            squares[max(start, 0) : stop],
            found[LOWEST],
        )
        ahead = 0
        for k in range(group.shape[0]):
            ahead += is_open(float(group[k]) - away, float(sizes[k]) + added, least, lowest)
        if ahead:
            ahead = 0
            for k in range(group.shape[0]):
                candidates[ahead] = start + k
                still = is_open(float(group[k]) - away, float(sizes[k]) + added, least, lowest)
                ahead += still and start + k != nearest
        if start < 0:
            candidates[0] = nearest
            ahead = 1
        start = stop
        for k in range(ahead):
            i = candidates[k]
            square = square_of(X, i, squares) + constant * constant
            margin = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant)
            if square > SHORT and square < LONG and margin > unit * most * np.sqrt(square):
                found[LOWEST] = min(found[LOWEST], margin)
            else:
                doubtful[open_rows] = i
                open_rows += 1
    return open_rows
