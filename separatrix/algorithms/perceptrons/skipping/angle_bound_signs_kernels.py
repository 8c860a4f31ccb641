"""Which rows are right for certain, reading only those that the angle bound leaves open.

The rule of `separatrix.kernels.certain_signs` for the rows that are read. A row within its angle bound
(`angle_bound_kernels`) is not read: where x is what is left of its bound, its score at w is at least

    ‖w‖‖z‖ sin x ≥ ‖w‖‖z‖ (x − x³/6).   (1)

It is read only if that leaves open whether its margin is the smallest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.skipping.angle_bound_kernels import (
    GROUP_ROWS,
    MAX_SQUARE_VALUE,
    MIN_SQUARE_VALUE,
)
from separatrix.algorithms.perceptrons.skipping.angle_state_kernels import (
    AngleState,
    bound_norm,
    bound_turn,
)
from separatrix.kernels import kernel
from separatrix.kernels.certain_signs import LONG, LOWEST, SHORT
from separatrix.kernels.row import row_dot, row_square


@kernel
def bound_row_square(X: Any, i: int, squares: np.ndarray) -> float:
    """‖x‖² as noted, rounded up; made anew where float32 does not hold it."""
    square = float(squares[i])
    return (
        square if square > MIN_SQUARE_VALUE and square < MAX_SQUARE_VALUE else row_square(X, i) * (1.0 + 1e-9)
    )


@kernel
def find_nearest(angle_budgets: np.ndarray) -> int:
    """A row with the least angle budget."""
    nearest = 0
    for start in range(0, angle_budgets.shape[0], GROUP_ROWS):
        group, least = angle_budgets[start : start + GROUP_ROWS], angle_budgets[nearest]
        n_nearer = 0
        for k in range(group.shape[0]):
            n_nearer += group[k] < least
        if n_nearer:
            for k in range(group.shape[0]):
                nearest = start + k if group[k] < angle_budgets[nearest] else nearest
    return nearest


@kernel
def is_open(remaining: float, square: float, min_norm: float, lowest: float) -> bool:
    """Whether a row with so much of its budget left, and that ‖z‖² rounded up, could be wrong or below the
    lowest margin."""
    angle = remaining if remaining < 1.0 else 1.0
    # (1) above
    sine_bound = min_norm * angle * (1.0 - angle * angle / 6.0)
    return not (remaining > 0.0 and sine_bound * sine_bound * square * (1.0 - 1e-6) > lowest * lowest)


@kernel
def skipping_certain_signs(
    X: Any,
    signs: np.ndarray,
    state: AngleState,
    weights: np.ndarray,
    doubtful: np.ndarray,
    found: np.ndarray,
) -> int:
    """`find_doubtful_rows` that reads no row which is right for certain and not the one with the least
    margin.

    A row that is wrong is in doubt here.
    """
    squares, angle_budgets, turn, rule = state.squares, state.angle_budgets, state.turn, state.rule
    constant, relative_error, norm_error = rule.constant, rule.relative_error, rule.norm_error
    constant_square = constant * constant
    # (0), (4) and (2) of `angle_bound_kernels`
    turn_bound = (turn["total"] + bound_turn(turn, norm_error)) * (1.0 + 1e-12) + 4.0 * relative_error
    max_norm = bound_norm(turn, norm_error)
    min_norm = np.sqrt(max(turn["square"] - norm_error * turn["max_square"], 0.0)) * (1.0 - 1e-9)
    candidates = np.empty(GROUP_ROWS, np.int64)
    n = signs.shape[0]
    nearest = find_nearest(angle_budgets)
    n_doubtful = 0
    start = -1  # the row with the least budget first: its margin may rule out all the others
    while start < n:
        stop = min(start + GROUP_ROWS, n) if start >= 0 else 0
        group, group_squares, lowest = (
            angle_budgets[max(start, 0) : stop],
            squares[max(start, 0) : stop],
            found[LOWEST],
        )
        n_candidates = 0
        for k in range(group.shape[0]):
            n_candidates += is_open(
                float(group[k]) - turn_bound, float(group_squares[k]) + constant_square, min_norm, lowest
            )
        if n_candidates:
            n_candidates = 0
            for k in range(group.shape[0]):
                candidates[n_candidates] = start + k
                is_candidate = is_open(
                    float(group[k]) - turn_bound, float(group_squares[k]) + constant_square, min_norm, lowest
                )
                n_candidates += is_candidate and start + k != nearest
        if start < 0:
            candidates[0] = nearest
            n_candidates = 1
        start = stop
        for k in range(n_candidates):
            i = candidates[k]
            square = bound_row_square(X, i, squares) + constant * constant
            margin = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant)
            if square > SHORT and square < LONG and margin > relative_error * max_norm * np.sqrt(square):
                found[LOWEST] = min(found[LOWEST], margin)
            else:
                doubtful[n_doubtful] = i
                n_doubtful += 1
    return n_doubtful
