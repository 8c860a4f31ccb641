"""Rosenblatt's rule without reading rows that have not had time to go wrong.

Let a row z have had margin m = s·w·z > 0 when it was last read, and c = m/‖w‖‖z‖. The weights made an angle
of 90° − arcsin c with it, so it stays on its side until they have turned by arcsin c ≥ c. That they grow
longer does not count. Turns are measured from a reference, some earlier weights, and add up from one
reference to the next by the triangle inequality for angles. So with T the turns up to the reference, the row
is right while

    T + turn(reference, w) < budget = c + T_then − turn(reference_then, w_then).   (0)

**Rounding.** Let u = 2⁻⁵³, k the number of terms of a score (at most d + 1, since no column is stored twice)
and M the largest ‖w‖² since the reference was set. All bounds hold for any order of summation, with or
without fused multiply-add.

(1) A computed score is off by at most (k + 2)u(1 + …)‖w‖‖z‖ (Cauchy and Schwarz for Σ|w_j z_j|), a computed
    ‖z‖² by a share (k + 2)u. So c is too large by at most (2k + 6)u < relative_error = 2(d + 9)u.
(2) The weights are rounded at a mistake: ‖w'‖² is off by 6uM, as η‖z‖ ≤ ‖w‖ + ‖w'‖. Its recurrence
    ‖w'‖² = ‖w‖² + 2ηm + η²‖z‖² adds (8k + 51)uM, and that of w·a, a the reference, (2k + 20)u√M‖a‖. Both are
    measured afresh after every `REMEASURING_MISTAKES` mistakes, with a share (d + 4)u. Let norm_error =
    2u(REMEASURING_MISTAKES·(12k + 100) + 4(d + 8)). Then ‖w‖²‖a‖² − (w·a)² is off by less than
    norm_error·M‖a‖², ‖w‖² by less than norm_error·M and w·a by less than norm_error·√M‖a‖. `bound_turn` and
    `bound_norm` take the unfavourable end of each.
(3) A sum of turns is rounded upwards, so that differences of T are at least the turns between.
(4) A row is skipped only if it is 4·relative_error within its budget. Then its exact score is at least
    2·relative_error·‖w‖‖z‖ on the right side, and `sweep` would compute it so.

**Records** are kept in float32: ‖x‖² rounded up, by less than 3 in 10⁷, and a budget rounded down. Where a
row is measured again its norm counts as a little larger, so that its budget is smaller.

**Underflow and overflow.** Rows with ‖z‖² outside 10⁻³⁶ to 10³⁸, for the sake of float32, and weights with
‖w‖² outside 10^±140 are always read; `bound_turn` is infinite if ‖a‖² is below that or ‖w‖²‖a‖² above its
square, and near 90° where ‖w‖ has shrunk much since the reference. So no product of a skipped row comes near
2^±1022, and what single entries lose to underflow is far below u‖w‖‖z‖.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.skipping.angle_state_kernels import (
    AngleState,
    apply_update,
    bound_norm,
    bound_turn,
    set_reference,
)
from separatrix.kernels import kernel
from separatrix.kernels.certain_signs import SHORT
from separatrix.kernels.row import row_dot, row_moments

CHUNK_ROWS = 1024  # rows whose budgets are looked at before the first of them is read
GROUP_ROWS = 64  # of them, looked at together
REFERENCE_INTERVAL_ROWS = 4096  # rows of a first pass between two references
# Rows of a first pass read before the first of them is looked at: after a mistake, and at most.
MIN_BATCH_ROWS, MAX_BATCH_ROWS = 4, 32
MIN_SQUARE_VALUE, MAX_SQUARE_VALUE = 1e-36, 1e38  # ‖z‖²


@kernel
def round_down(value: float) -> np.float32:
    """A float32 that is no larger."""
    return np.float32(value - abs(value) * 2.0**-23 - 1e-30)


@kernel
def round_up(square: float) -> np.float32:
    """A float32 that is no smaller, of a number that is none of the smallest."""
    return np.float32(square * (1.0 + 2.0**-23))


@kernel
def measure_rows(
    X: Any,
    first: int,
    stop: int,
    weights: np.ndarray,
    threshold: float,
    row_squares: np.ndarray,
    scores: np.ndarray,
) -> int:
    """‖x‖² and x·w of some rows, from place 0 on; returns how many squares are above ``threshold``."""
    start = np.uint64(first)
    for i in range(start, np.uint64(stop)):
        row_squares[i - start], scores[i - start] = row_moments(X, i, weights)
    n_above = 0
    for k in range(np.uint64(stop) - start):
        n_above += not row_squares[k] <= threshold
    return n_above


@kernel
def update_largest(
    X: Any, first: int, stop: int, row_squares: np.ndarray, centre: np.ndarray, largest: np.ndarray
) -> float:
    """What `measure_norms` does with the squares of some rows, from place 0 on; returns one that a row must
    exceed to raise anything, or -1."""
    centre_square = 0.0
    for j in range(centre.shape[0]):
        centre_square += centre[j] * centre[j]
    for i in range(first, stop):
        square = row_squares[i - first]
        largest[2] += not square < np.inf
        largest[0] = max(largest[0], square)
        largest[1] = max(largest[1], square - 2.0 * row_dot(X, i, centre) + centre_square)
    min_norm = np.sqrt(largest[1]) - np.sqrt(centre_square)  # ‖x − c‖ ≤ ‖x‖ + ‖c‖
    return min(largest[0], min_norm * min_norm * (1.0 - 1e-9)) if min_norm > 0.0 else -1.0


@kernel
def record_rows(
    first: int,
    stop: int,
    signs: np.ndarray,
    bias: float,
    norm: float,
    angle_offset: float,
    state: AngleState,
    row_squares: np.ndarray,
    scores: np.ndarray,
) -> int:
    """Margins over ‖w‖‖z‖ in the place of the scores, -inf where z is too short or too long, and notes of
    each row; returns how many are so near the plane that another order of summation could differ."""
    squares, angle_budgets = state.squares, state.angle_budgets
    constant, relative_error = state.rule.constant, state.rule.relative_error
    constant_square = constant * constant
    start = np.uint64(first)
    n_near = 0
    for i in range(start, np.uint64(stop)):
        square = row_squares[i - start] + constant_square
        normalised_margin = float(signs[i]) * (scores[i - start] + bias) / (norm * np.sqrt(square))
        normalised_margin = (
            normalised_margin if square > MIN_SQUARE_VALUE and square < MAX_SQUARE_VALUE else -np.inf
        )
        n_near += not normalised_margin > relative_error  # (1) above
        scores[i - start] = normalised_margin
        angle_budgets[i] = round_down(angle_offset + normalised_margin)  # (0) above
        squares[i] = round_up(row_squares[i - start])
    return n_near


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

    Blocks come in order, each with its part of the state and the same records. Returns the number of
    mistakes. ``largest[2]`` counts squares that are not finite. Once mistakes are too many for any row to be
    skipped, turns are not measured any more. Rows are measured in groups, again after a mistake.
    """
    angle_budgets, turn, first_pass = state.angle_budgets, state.turn, state.first_pass
    constant, norm_error = state.rule.constant, state.rule.norm_error
    earlier_rows, earlier_mistakes, mistakes = first_pass["rows"], first_pass["mistakes"], 0
    n = signs.shape[0]
    row_squares, scores = np.empty(MAX_BATCH_ROWS), np.empty(MAX_BATCH_ROWS)
    angle_offset, norm, threshold = 0.0, 0.0, -1.0
    is_stale = True
    start, batch_rows = 0, MIN_BATCH_ROWS
    while start < n:
        seen = earlier_rows + start
        has_moved = turn["updates"] > 0 and not turn["is_unknown"]
        if seen == 0 or (
            has_moved and (seen % REFERENCE_INTERVAL_ROWS == 0 or not turn["reference_square"] > SHORT)
        ):
            if not set_reference(weights, state) < np.inf:
                first_pass["invalid_rows"] = seen  # what was noted before does not count
            is_stale = True
        if is_stale:
            angle_offset = -np.inf if turn["is_unknown"] else turn["total"] - bound_turn(turn, norm_error)
            norm = bound_norm(turn, norm_error)
            is_stale = False
        first, stop = (
            start,
            min(start + batch_rows, start + REFERENCE_INTERVAL_ROWS - seen % REFERENCE_INTERVAL_ROWS, n),
        )
        start, batch_rows = stop, min(2 * batch_rows, MAX_BATCH_ROWS)
        if measure_rows(X, first, stop, weights, threshold, row_squares, scores):
            threshold = update_largest(X, first, stop, row_squares, centre, largest)
        if not record_rows(
            first, stop, signs, weights[-1] * constant, norm, angle_offset, state, row_squares, scores
        ):
            continue
        for i in range(first, stop):
            if scores[i - first] > state.rule.relative_error:
                continue
            s = float(signs[i])
            margin = s * (row_dot(X, i, weights) + weights[-1] * constant)  # `sweep` has the word
            if margin > 0.0:
                continue
            angle_budgets[i] = -np.inf
            apply_update(X, i, s, margin, state, weights)
            counts[i] += 1
            mistakes += 1
            is_stale = True
            if earlier_mistakes + mistakes > 256 + (earlier_rows + i) // 8:
                turn["is_unknown"] = True
            start, batch_rows = i + 1, MIN_BATCH_ROWS
            break
    first_pass["rows"] += n
    first_pass["mistakes"] += mistakes
    return mistakes


@kernel
def gather_candidates(angle_budgets: np.ndarray, first: int, limit: float, candidates: np.ndarray) -> int:
    """Numbers the rows with a budget of at most ``limit``, from ``first`` on; returns how many they are."""
    rounded_limit = np.float32(limit * (1.0 + 2.0**-22) + 1e-30)  # no smaller
    found = 0
    for start in range(0, angle_budgets.shape[0], GROUP_ROWS):
        group = angle_budgets[start : start + GROUP_ROWS]
        n_within = 0
        for k in range(group.shape[0]):
            n_within += not group[k] > rounded_limit
        if n_within:
            for k in range(group.shape[0]):
                candidates[found] = first + start + k
                found += not group[k] > rounded_limit
    return found


@kernel
def skipping_pass(
    X: Any, signs: np.ndarray, reads_all: bool, state: AngleState, counts: np.ndarray, weights: np.ndarray
) -> int:
    """`sweep` over the rows of a block in order, reading only those without budget, or all of them; returns
    the number of mistakes."""
    squares, angle_budgets, turn, rule = state.squares, state.angle_budgets, state.turn, state.rule
    constant = rule.constant
    candidates = np.empty(CHUNK_ROWS + 1, np.int64)
    n = signs.shape[0]
    # After a mistake the rest of a chunk is looked at again: where all are read, chunks are short.
    chunk_rows = CHUNK_ROWS // 16 if reads_all else CHUNK_ROWS
    mistakes = 0
    start = 0
    current_turn = bound_turn(turn, rule.norm_error)
    norm = bound_norm(turn, rule.norm_error)
    while start < n:
        angle_offset = turn["total"] - current_turn
        # (0) and (4) above
        limit = (turn["total"] + current_turn) * (1.0 + 1e-12) + 4.0 * rule.relative_error
        stop = min(start + chunk_rows, n)
        # Gathered first, so that the reads below run ahead of one another instead of waiting for a guess.
        found = gather_candidates(
            angle_budgets[start:stop], start, np.inf if reads_all else limit, candidates
        )
        start = stop
        for k in range(found):
            i = candidates[k]
            s = float(signs[i])
            margin = s * (row_dot(X, i, weights) + weights[-1] * constant)
            if margin > 0.0:
                square = float(squares[i]) + constant * constant
                normalised_margin = margin / (norm * np.sqrt(square))
                is_recordable = square > MIN_SQUARE_VALUE and square < MAX_SQUARE_VALUE
                angle_budgets[i] = (
                    round_down(angle_offset + normalised_margin) if is_recordable else np.float32(-np.inf)
                )
                continue
            angle_budgets[i] = -np.inf
            apply_update(X, i, s, margin, state, weights)
            counts[i] += 1
            mistakes += 1
            current_turn = bound_turn(turn, rule.norm_error)
            norm = bound_norm(turn, rule.norm_error)
            start = i + 1
            break
    return mistakes
