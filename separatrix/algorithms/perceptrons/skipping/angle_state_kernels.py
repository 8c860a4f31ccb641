"""What passes that skip rows know of the weights: how far they have turned, and how long they are.

`angle_bound_kernels` has the proof: its point 2 bounds the rounding of what is kept here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.certain_signs import LONG, SHORT
from separatrix.kernels.row import row_add, row_dot, row_square

(
    CONSTANT,
    STEP,
    RELATIVE_ERROR,
    NORM_ERROR,
    TOTAL_TURN,
    INNER_PRODUCT,
    SQUARED_NORM,
    REFERENCE_SQUARED_NORM,
    MAX_SQUARED_NORM,
    UPDATES,
    READS_ALL,
    TURN_UNKNOWN,
    ROWS_SEEN,
    MISTAKES_MADE,
    INVALID_ROWS,
) = range(15)
SCALAR_COUNT = 15
REMEASURING_MISTAKES = 256


class AngleState(NamedTuple):
    """What a pass knows of the rows: squared norms and angle budgets in float32, the reference and scalars.

    The scalars: the constant feature, the step, RELATIVE_ERROR, NORM_ERROR, the turns up to the reference;
    w·reference, ‖w‖², ‖reference‖² and the largest ‖w‖² since; the updates since the reference; READS_ALL if
    every row is to be read and its budget recorded; TURN_UNKNOWN if turns were not measured to the end. Of a
    first pass, which may come in blocks: ROWS_SEEN, MISTAKES_MADE, and how many rows were recorded before
    turns were known, INVALID_ROWS.
    """

    squares: np.ndarray
    angle_budgets: np.ndarray
    reference: np.ndarray
    scalars: np.ndarray


def make_scalars(terms: int, n_columns: int, constant: float, step: float) -> np.ndarray:
    """The scalars before the first reference; ``terms`` is the most that a row stores."""
    scalars = np.zeros(SCALAR_COUNT)
    scalars[CONSTANT], scalars[STEP] = constant, step
    scalars[RELATIVE_ERROR] = (n_columns + 9) * 2.0**-52
    scalars[NORM_ERROR] = (REMEASURING_MISTAKES * (12 * (terms + 1) + 100) + 4 * (n_columns + 8)) * 2.0**-52
    return scalars


@kernel
def bound_turn(scalars: np.ndarray) -> float:
    """A bound from above on the angle between the weights and the reference."""
    if scalars[UPDATES] == 0.0:
        return 0.0
    product = scalars[MAX_SQUARED_NORM] * scalars[REFERENCE_SQUARED_NORM]
    square, reference_square = scalars[SQUARED_NORM], scalars[REFERENCE_SQUARED_NORM]
    across = max(square * reference_square - scalars[INNER_PRODUCT] * scalars[INNER_PRODUCT], 0.0)
    across += scalars[NORM_ERROR] * product
    along = scalars[INNER_PRODUCT] - scalars[NORM_ERROR] * np.sqrt(product)
    if not (reference_square > SHORT and along > 0.0 and square < LONG and product < LONG * LONG):
        return np.inf
    return np.arctan2(np.sqrt(across), along) * (1.0 + 1e-12)


@kernel
def bound_norm(scalars: np.ndarray) -> float:
    """A bound from above on ‖w‖; infinite where products could underflow or overflow."""
    if not (scalars[SQUARED_NORM] > SHORT and scalars[MAX_SQUARED_NORM] < LONG):
        return np.inf
    return np.sqrt(scalars[SQUARED_NORM] + scalars[NORM_ERROR] * scalars[MAX_SQUARED_NORM]) * (1.0 + 1e-12)


@kernel
def measure_weights(reference: np.ndarray, weights: np.ndarray, scalars: np.ndarray) -> float:
    """‖w‖² and w·reference as they are; returns the former."""
    square, along = 0.0, 0.0
    for j in range(weights.shape[0]):
        square += weights[j] * weights[j]
        along += weights[j] * reference[j]
    scalars[SQUARED_NORM], scalars[INNER_PRODUCT] = square, along
    scalars[MAX_SQUARED_NORM] = max(scalars[MAX_SQUARED_NORM], square)
    return square


@kernel
def set_reference(weights: np.ndarray, state: AngleState) -> float:
    """Makes the weights the reference; returns the turn since the last one, which TOTAL_TURN has gained.

    Where that is not known it is infinite: TOTAL_TURN is 0 then, and no budget recorded before counts.
    """
    reference, scalars = state.reference, state.scalars
    turned = bound_turn(scalars)
    if scalars[TURN_UNKNOWN] > 0.0 or not scalars[REFERENCE_SQUARED_NORM] > SHORT:
        turned = np.inf
    scalars[TOTAL_TURN] = (scalars[TOTAL_TURN] + turned) * (1.0 + 2.0**-50) if turned < np.inf else 0.0
    for j in range(weights.shape[0]):
        reference[j] = weights[j]
    scalars[MAX_SQUARED_NORM] = scalars[TURN_UNKNOWN] = scalars[UPDATES] = 0.0
    scalars[REFERENCE_SQUARED_NORM] = measure_weights(reference, weights, scalars)
    return turned


@kernel
def apply_update(X: Any, i: int, s: float, margin: float, state: AngleState, weights: np.ndarray) -> float:
    """The update of `sweep` at a mistake, and what it does to the scalars; returns the new ‖w‖²."""
    reference, scalars = state.reference, state.scalars
    constant, step = scalars[CONSTANT], scalars[STEP]
    row_add(X, i, step * s, weights)
    weights[-1] += step * s * constant
    scalars[UPDATES] += 1.0
    if scalars[UPDATES] % REMEASURING_MISTAKES == 0.0:
        return measure_weights(reference, weights, scalars)
    scalars[SQUARED_NORM] += 2.0 * step * margin + step * step * (row_square(X, i) + constant * constant)
    scalars[MAX_SQUARED_NORM] = max(scalars[MAX_SQUARED_NORM], scalars[SQUARED_NORM])
    if scalars[TURN_UNKNOWN] == 0.0:
        scalars[INNER_PRODUCT] += step * s * (row_dot(X, i, reference) + reference[-1] * constant)
    return scalars[SQUARED_NORM]
