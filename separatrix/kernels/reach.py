"""Rosenblatt's rule without reading rows that have not had time to go wrong.

Let a row z have had margin m = s·w·z > 0 when it was last read, and c = m/‖w‖‖z‖. The weights made an angle
of 90° − arcsin c with it, so it stays on its side until they have turned by arcsin c ≥ c. That they grow
longer does not count. Turns are measured from an anchor, the weights at the start of a pass, and add up from
anchor to anchor by the triangle inequality for angles. So with T the turns so far, the row is right while

    T + turn(anchor, w) < reach = c + T_then − turn(anchor_then, w_then).

**Rounding.** A computed score differs from the exact one by at most (d + 3)·2^-53·‖w‖‖z‖ (1 + …), for any
order of summation: UNIT is more than twice that, relative to ‖w‖‖z‖. A row is passed over only if it is
4·UNIT within reach; then its exact score is at least sin(4·UNIT)‖w‖‖z‖ on the right side, and `sweep` would
compute it so. The squares of lengths are carried along a pass by a recurrence whose error is below SPARE of
their largest value for 10⁶ mistakes; the turn is made larger, and c smaller, by more than that. Rows and
weights so short or long that their products could underflow or overflow are always read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot

CONSTANT, STEP, UNIT, TURNED, ALONG, SQUARE, ANCHOR, LARGEST, FULL = range(9)
LEDGER = 9
SPARE = 1e-9
CHUNK = 1024  # rows whose reach is looked at before the first of them is read
SHORT, LONG = 1e-140, 1e140


class Sight(NamedTuple):
    """What a pass knows of the rows: squared lengths, reach, the anchor, and a ledger of scalars.

    The ledger: the constant feature, the step, UNIT, the turns so far; w·anchor, ‖w‖², ‖anchor‖² and the
    largest ‖w‖² of the pass as carried along; FULL, not zero when every row is to be read, and its reach
    noted.
    """

    squares: np.ndarray
    reach: np.ndarray
    anchor: np.ndarray
    ledger: np.ndarray


@kernel
def turn(ledger: np.ndarray) -> float:
    """A bound from above on the angle between the weights and the anchor."""
    across = ledger[SQUARE] * ledger[ANCHOR] - ledger[ALONG] * ledger[ALONG]
    across = max(across, 0.0) + SPARE * ledger[LARGEST] * ledger[ANCHOR]
    if not (ledger[ANCHOR] > SHORT and ledger[ALONG] > 0.0 and across < LONG * LONG):
        return np.inf
    return np.arctan2(np.sqrt(across), ledger[ALONG])


@kernel
def reaching_sweep(X: Any, signs: np.ndarray, sight: Sight, counts: np.ndarray, weights: np.ndarray) -> int:
    """`sweep` over all rows in order, reading only those out of reach; returns the number of mistakes."""
    squares, reach, anchor, ledger = sight.squares, sight.reach, sight.anchor, sight.ledger
    constant, step = ledger[CONSTANT], ledger[STEP]
    awake = np.empty(CHUNK, np.int64)
    n = signs.shape[0]
    mistakes = 0
    start = 0
    while start < n:
        turned = turn(ledger)
        home = ledger[TURNED] - turned
        limit = (ledger[TURNED] + turned) * (1.0 + 1e-12) + 4.0 * ledger[UNIT]
        size = np.sqrt(ledger[SQUARE]) * (1.0 + SPARE)
        steady = size > SHORT and size < LONG and home > -np.inf
        stop = min(start + CHUNK, n)
        found = 0
        # Gathered first, so that the reads below run ahead of one another instead of waiting for a guess.
        for i in range(start, stop):
            awake[found] = i
            found += ledger[FULL] > 0.0 or not reach[i] > limit
        start = stop
        for k in range(found):
            i = awake[k]
            s = float(signs[i])
            margin = s * (row_dot(X, i, weights) + weights[-1] * constant)
            square = squares[i] + constant * constant
            reach[i] = -np.inf
            if margin > 0.0:
                if steady and square > SHORT and square < LONG:
                    reach[i] = home + margin / (size * np.sqrt(square))
                continue
            row_add(X, i, step * s, weights)
            weights[-1] += step * s * constant
            counts[i] += 1
            mistakes += 1
            ledger[SQUARE] += 2.0 * step * margin + step * step * square
            ledger[ALONG] += step * s * (row_dot(X, i, anchor) + anchor[-1] * constant)
            ledger[LARGEST] = max(ledger[LARGEST], ledger[SQUARE])
            start = i + 1
            break
    return mistakes
