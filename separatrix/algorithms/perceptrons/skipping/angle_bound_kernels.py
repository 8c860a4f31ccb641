"""Rosenblatt's rule without reading rows that have not had time to go wrong.

Let a row z have had margin m = s·w·z > 0 when it was last read, and c = m/‖w‖‖z‖. The weights made an angle
of 90° − arcsin c with it, so it stays on its side until they have turned by arcsin c ≥ c. That they grow
longer does not count. Turns are measured from a reference, some earlier weights, and add up from one
reference to the next by the triangle inequality for angles. So with T the turns up to the reference, the row
is right while

    T + turn(reference, w) < budget = c + T_then − turn(reference_then, w_then).

**Rounding.** Let u = 2⁻⁵³, k the number of terms of a score (at most d + 1, since no column is stored twice)
and M the largest ‖w‖² since the reference was set. All bounds hold for any order of summation, with or
without fused multiply-add.

1. A computed score is off by at most (k + 2)u(1 + …)‖w‖‖z‖ (Cauchy and Schwarz for Σ|w_j z_j|), a computed
   ‖z‖² by a share (k + 2)u. So c is too large by at most (2k + 6)u < UNIT = 2(d + 9)u.
2. The weights are rounded at a mistake: ‖w'‖² is off by 6uM, as η‖z‖ ≤ ‖w‖ + ‖w'‖. Its recurrence
   ‖w'‖² = ‖w‖² + 2ηm + η²‖z‖² adds (8k + 51)uM, and that of w·a, a the reference, (2k + 20)u√M‖a‖. Both are
   measured afresh after every `MEASURED` mistakes, with a share (d + 4)u. So ‖w‖²‖a‖² − (w·a)² is off by
   less than SPARE·M‖a‖², where SPARE = 2u(MEASURED·(12k + 100) + 4(d + 8)), ‖w‖² by less than SPARE·M and w·a
   by less than SPARE·√M‖a‖. `turn` and `length` take the unfavourable end of each.
3. A sum of turns is rounded upwards, so that differences of T are at least the turns between.
4. A row is skipped only if it is 4·UNIT within its budget. Then its exact score is at least 2·UNIT·‖w‖‖z‖ on
   the right side, and `sweep` would compute it so.

**Records** are kept in float32: ‖x‖² rounded up, by less than 3 in 10⁷, and a budget rounded down. Where a
row is measured again its norm counts as a little larger, so that its budget is smaller.

**Underflow and overflow.** Rows with ‖z‖² outside 10⁻³⁶ to 10³⁸, for the sake of float32, and weights with
‖w‖² outside 10^±140 are always read; `turn` is infinite if ‖a‖² is below that or ‖w‖²‖a‖² above its square,
and near 90° where ‖w‖ has shrunk much since the reference. So no product of a skipped row comes near
2^±1022, and what single entries lose to underflow is far below u‖w‖‖z‖.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.certain_signs import LONG, SHORT
from separatrix.kernels.row import row_add, row_dot, row_moments, row_square

CONSTANT, STEP, UNIT, SPARE, TURNED, ALONG, SQUARE, REFERENCE, LARGEST, MOVED, FULL, LOST = range(12)
SEEN, MADE, N_INVALID = range(12, 15)
N_SCALARS = 15
MEASURED = 256
CHUNK = 1024  # rows whose budgets are looked at before the first of them is read
GROUP = 64  # of them, looked at together
STRETCH = 4096  # rows of a first pass between two references
FEW, BATCH = 4, 32  # rows of a first pass read before the first is looked at: after a mistake, and at most
LEAST_NOTED, MOST_NOTED = 1e-36, 1e38  # ‖z‖²


class AngleState(NamedTuple):
    """What a pass knows of the rows: squared norms and angle budgets in float32, the reference and scalars.

    The scalars: the constant feature, the step, UNIT, SPARE, the turns up to the reference; w·reference,
    ‖w‖², ‖reference‖² and the largest ‖w‖² since; the mistakes since the reference; FULL if every row is to
    be read and its budget recorded; LOST if turns were not measured to the end. Of a first pass, which may
    come in blocks: the rows SEEN, the mistakes MADE, and N_INVALID rows recorded before turns were known.
    """

    squares: np.ndarray
    angle_budgets: np.ndarray
    reference: np.ndarray
    scalars: np.ndarray


def empty_scalars(terms: int, n_columns: int, constant: float, step: float) -> np.ndarray:
    """The scalars before the first reference; ``terms`` is the most that a row stores."""
    scalars = np.zeros(N_SCALARS)
    scalars[CONSTANT], scalars[STEP] = constant, step
    scalars[UNIT] = (n_columns + 9) * 2.0**-52
    scalars[SPARE] = (MEASURED * (12 * (terms + 1) + 100) + 4 * (n_columns + 8)) * 2.0**-52
    return scalars


@kernel
def turn(scalars: np.ndarray) -> float:
    """A bound from above on the angle between the weights and the reference."""
    if scalars[MOVED] == 0.0:
        return 0.0
    bound = scalars[LARGEST] * scalars[REFERENCE]
    across = max(scalars[SQUARE] * scalars[REFERENCE] - scalars[ALONG] * scalars[ALONG], 0.0)
    across += scalars[SPARE] * bound
    along = scalars[ALONG] - scalars[SPARE] * np.sqrt(bound)
    if not (scalars[REFERENCE] > SHORT and along > 0.0 and scalars[SQUARE] < LONG and bound < LONG * LONG):
        return np.inf
    return np.arctan2(np.sqrt(across), along) * (1.0 + 1e-12)


@kernel
def length(scalars: np.ndarray) -> float:
    """A bound from above on ‖w‖; infinite where products could underflow or overflow."""
    if not (scalars[SQUARE] > SHORT and scalars[LARGEST] < LONG):
        return np.inf
    return np.sqrt(scalars[SQUARE] + scalars[SPARE] * scalars[LARGEST]) * (1.0 + 1e-12)


@kernel
def measure(reference: np.ndarray, weights: np.ndarray, scalars: np.ndarray) -> float:
    """‖w‖² and w·reference as they are; returns the former."""
    square, along = 0.0, 0.0
    for j in range(weights.shape[0]):
        square += weights[j] * weights[j]
        along += weights[j] * reference[j]
    scalars[SQUARE], scalars[ALONG] = square, along
    scalars[LARGEST] = max(scalars[LARGEST], square)
    return square


@kernel
def set_reference(weights: np.ndarray, state: AngleState) -> float:
    """Makes the weights the reference; returns the turn since the last one, which TURNED has gained.

    Where that is not known it is infinite: TURNED is 0 then, and no budget recorded before counts any more.
    """
    reference, scalars = state.reference, state.scalars
    turned = turn(scalars)
    if scalars[LOST] > 0.0 or not scalars[REFERENCE] > SHORT:
        turned = np.inf
    scalars[TURNED] = (scalars[TURNED] + turned) * (1.0 + 2.0**-50) if turned < np.inf else 0.0
    for j in range(weights.shape[0]):
        reference[j] = weights[j]
    scalars[LARGEST] = scalars[LOST] = scalars[MOVED] = 0.0
    scalars[REFERENCE] = measure(reference, weights, scalars)
    return turned


@kernel
def apply_update(X: Any, i: int, s: float, margin: float, state: AngleState, weights: np.ndarray) -> float:
    """The update of `sweep` at a mistake, and what it does to the scalars; returns the new ‖w‖²."""
    reference, scalars = state.reference, state.scalars
    constant, step = scalars[CONSTANT], scalars[STEP]
    row_add(X, i, step * s, weights)
    weights[-1] += step * s * constant
    scalars[MOVED] += 1.0
    if scalars[MOVED] % MEASURED == 0.0:
        return measure(reference, weights, scalars)
    scalars[SQUARE] += 2.0 * step * margin + step * step * (row_square(X, i) + constant * constant)
    scalars[LARGEST] = max(scalars[LARGEST], scalars[SQUARE])
    if scalars[LOST] == 0.0:
        scalars[ALONG] += step * s * (row_dot(X, i, reference) + reference[-1] * constant)
    return scalars[SQUARE]


@kernel
def lowered(angle_budgets: float) -> np.float32:
    """A float32 that is no larger."""
    return np.float32(angle_budgets - abs(angle_budgets) * 2.0**-23 - 1e-30)


@kernel
def raised(square: float) -> np.float32:
    """A float32 that is no smaller, of a number that is none of the smallest."""
    return np.float32(square * (1.0 + 2.0**-23))


@kernel
def measure_rows(
    X: Any,
    first: int,
    stop: int,
    weights: np.ndarray,
    threshold: float,
    sizes: np.ndarray,
    scores: np.ndarray,
) -> int:
    """‖x‖² and x·w of some rows, from place 0 on; returns how many squares are above ``threshold``."""
    start = np.uint64(first)
    for i in range(start, np.uint64(stop)):
        sizes[i - start], scores[i - start] = row_moments(X, i, weights)
    n_above = 0
    for k in range(np.uint64(stop) - start):
        n_above += not sizes[k] <= threshold
    return n_above


@kernel
def raise_largest(
    X: Any, first: int, stop: int, sizes: np.ndarray, centre: np.ndarray, largest: np.ndarray
) -> float:
    """What `measure_norms` does with the squares of some rows, from place 0 on; returns one that a row must
    exceed to raise anything, or -1."""
    middle = 0.0
    for j in range(centre.shape[0]):
        middle += centre[j] * centre[j]
    for i in range(first, stop):
        square = sizes[i - first]
        largest[2] += not square < np.inf
        largest[0] = max(largest[0], square)
        largest[1] = max(largest[1], square - 2.0 * row_dot(X, i, centre) + middle)
    short = np.sqrt(largest[1]) - np.sqrt(middle)  # ‖x − c‖ ≤ ‖x‖ + ‖c‖
    return min(largest[0], short * short * (1.0 - 1e-9)) if short > 0.0 else -1.0


@kernel
def note_rows(
    first: int,
    stop: int,
    signs: np.ndarray,
    bias: float,
    size: float,
    angle_offset: float,
    state: AngleState,
    sizes: np.ndarray,
    scores: np.ndarray,
) -> int:
    """Margins over ‖w‖‖z‖ in the place of the scores, -inf where z is too short or too long, and notes of
    each row; returns how many are so near the plane that another order of summation could differ."""
    squares, angle_budgets = state.squares, state.angle_budgets
    added, unit = state.scalars[CONSTANT] * state.scalars[CONSTANT], state.scalars[UNIT]
    start = np.uint64(first)
    near = 0
    for i in range(start, np.uint64(stop)):
        square = sizes[i - start] + added
        share = float(signs[i]) * (scores[i - start] + bias) / (size * np.sqrt(square))
        share = share if square > LEAST_NOTED and square < MOST_NOTED else -np.inf
        near += not share > unit
        scores[i - start] = share
        angle_budgets[i] = lowered(angle_offset + share)
        squares[i] = raised(sizes[i - start])
    return near


@kernel
def recording_pass(
    X: Any,
    signs: np.ndarray,
    centre: np.ndarray,
    state: AngleState,
    largest: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` and `measure_norms` over a block in one reading, which records each row's angle budget.

    Blocks come in order, each with its part of the state and the same scalars. Returns the number of
    mistakes. ``largest[2]`` counts squares that are not finite. Once mistakes are too many for any row to be
    skipped, turns are not measured any more. Rows are measured in groups, again after a mistake.
    """
    angle_budgets, scalars = state.angle_budgets, state.scalars
    constant = scalars[CONSTANT]
    before, made, mistakes = int(scalars[SEEN]), int(scalars[MADE]), 0
    n = signs.shape[0]
    sizes, scores = np.empty(BATCH), np.empty(BATCH)
    angle_offset, size, threshold = 0.0, 0.0, -1.0
    stale = True
    start, span = 0, FEW
    while start < n:
        seen = before + start
        moved = scalars[MOVED] > 0.0 and scalars[LOST] == 0.0
        if seen == 0 or (moved and (seen % STRETCH == 0 or not scalars[REFERENCE] > SHORT)):
            if not set_reference(weights, state) < np.inf:
                scalars[N_INVALID] = seen  # what was noted before does not count
            stale = True
        if stale:
            angle_offset = scalars[TURNED] - turn(scalars) if scalars[LOST] == 0.0 else -np.inf
            size = length(scalars)
            stale = False
        first, stop = start, min(start + span, start + STRETCH - seen % STRETCH, n)
        start, span = stop, min(2 * span, BATCH)
        if measure_rows(X, first, stop, weights, threshold, sizes, scores):
            threshold = raise_largest(X, first, stop, sizes, centre, largest)
        if not note_rows(
            first, stop, signs, weights[-1] * constant, size, angle_offset, state, sizes, scores
        ):
            continue
        for i in range(first, stop):
            if scores[i - first] > scalars[UNIT]:
                continue
            s = float(signs[i])
            margin = s * (row_dot(X, i, weights) + weights[-1] * constant)  # `sweep` has the word
            if margin > 0.0:
                continue
            angle_budgets[i] = -np.inf
            apply_update(X, i, s, margin, state, weights)
            counts[i] += 1
            mistakes += 1
            stale = True
            if made + mistakes > 256 + (before + i) // 8:
                scalars[LOST] = 1.0
            start, span = i + 1, FEW
            break
    scalars[SEEN] += n
    scalars[MADE] += mistakes
    return mistakes


@kernel
def gather(angle_budgets: np.ndarray, first: int, limit: float, candidates: np.ndarray) -> int:
    """Numbers the rows with a budget of at most ``limit``, from ``first`` on; returns how many they are."""
    most = np.float32(limit * (1.0 + 2.0**-22) + 1e-30)  # no smaller
    found = 0
    for start in range(0, angle_budgets.shape[0], GROUP):
        group = angle_budgets[start : start + GROUP]
        some = 0
        for k in range(group.shape[0]):
            some += not group[k] > most
        if some:
            for k in range(group.shape[0]):
                candidates[found] = first + start + k
                found += not group[k] > most
    return found


@kernel
def skipping_pass(
    X: Any, signs: np.ndarray, state: AngleState, counts: np.ndarray, weights: np.ndarray
) -> int:
    """`sweep` over the rows of a block in order, reading only those without budget; returns the number of
    mistakes."""
    squares, angle_budgets, scalars = state.squares, state.angle_budgets, state.scalars
    constant, full = scalars[CONSTANT], scalars[FULL] > 0.0
    candidates = np.empty(CHUNK + 1, np.int64)
    n = signs.shape[0]
    # After a mistake the rest of a chunk is looked at again: where all are read, chunks are short.
    span = CHUNK // 16 if full else CHUNK
    mistakes = 0
    start = 0
    turned = turn(scalars)
    size = length(scalars)
    while start < n:
        angle_offset = scalars[TURNED] - turned
        limit = (scalars[TURNED] + turned) * (1.0 + 1e-12) + 4.0 * scalars[UNIT]
        stop = min(start + span, n)
        # Gathered first, so that the reads below run ahead of one another instead of waiting for a guess.
        found = gather(angle_budgets[start:stop], start, np.inf if full else limit, candidates)
        start = stop
        for k in range(found):
            i = candidates[k]
            s = float(signs[i])
            margin = s * (row_dot(X, i, weights) + weights[-1] * constant)
            if margin > 0.0:
                square = float(squares[i]) + constant * constant
                share = margin / (size * np.sqrt(square))
                noted = square > LEAST_NOTED and square < MOST_NOTED
                angle_budgets[i] = lowered(angle_offset + share) if noted else np.float32(-np.inf)
                continue
            angle_budgets[i] = -np.inf
            apply_update(X, i, s, margin, state, weights)
            counts[i] += 1
            mistakes += 1
            turned = turn(scalars)
            size = length(scalars)
            start = i + 1
            break
    return mistakes
