"""What passes that skip rows know of the weights: how far they have turned, and how long they are.

`angle_bound_kernels` has the proof: its (2) bounds the rounding of what is kept here. Records are structured
arrays, and fields are read by name: ``turn["square"]``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.certain_signs import LONG, SHORT
from separatrix.kernels.row import row_add, row_dot, row_square

REMEASURING_MISTAKES = 256

# How far and how long the weights w are. ``total`` adds up the turns before the reference a, and is 0 while
# ``is_unknown``: then turns are not measured. The others are w·a, ‖w‖², ‖a‖² and, since a was set, the
# largest ‖w‖² and the number of updates.
TURN_TYPE = np.dtype([
    *((name, np.float64) for name in ("total", "inner_product", "square", "reference_square", "max_square")),
    ("updates", np.int64),
    ("is_unknown", np.bool_),
])  # fmt: skip
# Of a first pass, which may come in blocks: the rows and mistakes so far, and how many rows were recorded
# before turns were known, so that their budgets do not count.
FIRST_PASS_TYPE = np.dtype([(name, np.int64) for name in ("rows", "mistakes", "invalid_rows")])


class AngleRule(NamedTuple):
    """What stays the same in all passes; the errors are those of `angle_bound_kernels`."""

    constant: float  # the constant feature
    step: float
    relative_error: float
    norm_error: float


class AngleState(NamedTuple):
    """What a pass knows of the rows and the weights."""

    squares: np.ndarray  # float32, (rows,): ‖x‖² rounded up
    angle_budgets: np.ndarray  # float32, (rows,)
    reference: np.ndarray
    rule: AngleRule
    turn: np.void  # of TURN_TYPE
    first_pass: np.void  # of FIRST_PASS_TYPE


def make_angle_state(squares: np.ndarray, terms: int, d: int, constant: float, step: float) -> AngleState:
    """The state before the first reference, of rows with d columns; ``terms`` is the most that one stores."""
    rule = AngleRule(
        constant,
        step,
        relative_error=(d + 9) * 2.0**-52,  # (1) of `angle_bound_kernels`
        norm_error=(REMEASURING_MISTAKES * (12 * (terms + 1) + 100) + 4 * (d + 8)) * 2.0**-52,  # (2)
    )
    budgets, reference = np.empty(len(squares), np.float32), np.zeros(d + 1)
    turn, first_pass = np.zeros(1, TURN_TYPE)[0], np.zeros(1, FIRST_PASS_TYPE)[0]
    return AngleState(squares, budgets, reference, rule, turn, first_pass)


@kernel
def bound_turn(turn: Any, norm_error: float) -> float:
    """A bound from above on the angle between the weights and the reference."""
    if turn["updates"] == 0:
        return 0.0
    square, reference_square = turn["square"], turn["reference_square"]
    product = turn["max_square"] * reference_square
    across = max(square * reference_square - turn["inner_product"] * turn["inner_product"], 0.0)
    across += norm_error * product  # (2) of `angle_bound_kernels`, as in the next line
    along = turn["inner_product"] - norm_error * np.sqrt(product)
    if not (reference_square > SHORT and along > 0.0 and square < LONG and product < LONG * LONG):
        return np.inf
    return np.arctan2(np.sqrt(across), along) * (1.0 + 1e-12)


@kernel
def bound_norm(turn: Any, norm_error: float) -> float:
    """A bound from above on ‖w‖; infinite where products could underflow or overflow."""
    if not (turn["square"] > SHORT and turn["max_square"] < LONG):
        return np.inf
    # (2) of `angle_bound_kernels`
    return np.sqrt(turn["square"] + norm_error * turn["max_square"]) * (1.0 + 1e-12)


@kernel
def measure_weights(reference: np.ndarray, weights: np.ndarray, turn: Any) -> float:
    """‖w‖² and w·reference as they are; returns the former."""
    square, along = 0.0, 0.0
    for j in range(weights.shape[0]):
        square += weights[j] * weights[j]
        along += weights[j] * reference[j]
    turn["square"], turn["inner_product"] = square, along
    turn["max_square"] = max(turn["max_square"], square)
    return square


@kernel
def set_reference(weights: np.ndarray, state: AngleState) -> float:
    """Makes the weights the reference; returns the turn since the last one, which ``total`` has gained.

    Where that is not known it is infinite: ``total`` is 0 then, and no budget recorded before counts.
    """
    reference, turn = state.reference, state.turn
    turned = bound_turn(turn, state.rule.norm_error)
    if turn["is_unknown"] or not turn["reference_square"] > SHORT:
        turned = np.inf
    # (3) of `angle_bound_kernels`
    turn["total"] = (turn["total"] + turned) * (1.0 + 2.0**-50) if turned < np.inf else 0.0
    for j in range(weights.shape[0]):
        reference[j] = weights[j]
    turn["max_square"], turn["updates"], turn["is_unknown"] = 0.0, 0, False
    turn["reference_square"] = measure_weights(reference, weights, turn)
    return turned


@kernel
def apply_update(X: Any, i: int, s: float, margin: float, state: AngleState, weights: np.ndarray) -> float:
    """The update of `sweep` at a mistake, and what it does to the turn; returns the new ‖w‖²."""
    reference, turn = state.reference, state.turn
    constant, step = state.rule.constant, state.rule.step
    row_add(X, i, step * s, weights)
    weights[-1] += step * s * constant
    turn["updates"] += 1
    if turn["updates"] % REMEASURING_MISTAKES == 0:
        return measure_weights(reference, weights, turn)
    # The recurrences of (2) of `angle_bound_kernels`.
    turn["square"] += 2.0 * step * margin + step * step * (row_square(X, i) + constant * constant)
    turn["max_square"] = max(turn["max_square"], turn["square"])
    if not turn["is_unknown"]:
        turn["inner_product"] += step * s * (row_dot(X, i, reference) + reference[-1] * constant)
    return turn["square"]
