"""Rosenblatt's rule without reading rows that have not had time to go wrong.

Let a row z have had margin m = s·w·z > 0 when it was last read, and c = m/‖w‖‖z‖. The weights made an angle
of 90° − arcsin c with it, so it stays on its side until they have turned by arcsin c ≥ c. That they grow
longer does not count. Turns are measured from an anchor, some earlier weights, and add up from anchor to
anchor by the triangle inequality for angles. So with T the turns up to the anchor, the row is right while

    T + turn(anchor, w) < reach = c + T_then − turn(anchor_then, w_then).

**Rounding.** Let u = 2⁻⁵³, k the number of terms of a score (at most d + 1, since no column is stored twice)
and M the largest ‖w‖² since the anchor was cast. All bounds hold for any order of summation, with or without
fused multiply-add.

1. A computed score is off by at most (k + 2)u(1 + …)‖w‖‖z‖ (Cauchy and Schwarz for Σ|w_j z_j|), a computed
   ‖z‖² by a share (k + 2)u. So c is too large by at most (2k + 6)u < UNIT = 2(d + 9)u.
2. The weights are rounded at a mistake: ‖w'‖² is off by 6uM, as η‖z‖ ≤ ‖w‖ + ‖w'‖. Its recurrence
   ‖w'‖² = ‖w‖² + 2ηm + η²‖z‖² adds (8k + 51)uM, and that of w·a, a the anchor, (2k + 20)u√M‖a‖. Both are
   measured afresh after every `MEASURED` mistakes, with a share (d + 4)u. So ‖w‖²‖a‖² − (w·a)² is off by
   less than SPARE·M‖a‖², where SPARE = 2u(MEASURED·(12k + 100) + 4(d + 8)), ‖w‖² by less than SPARE·M and w·a
   by less than SPARE·√M‖a‖. `turn` and `length` take the unfavourable end of each.
3. A sum of turns is rounded upwards, so that differences of T are at least the turns between.
4. A row is passed over only if it is 4·UNIT within reach. Then its exact score is at least 2·UNIT·‖w‖‖z‖ on
   the right side, and `sweep` would compute it so.

**Notes** are kept in float32: ‖x‖² rounded up, by less than 3 in 10⁷, and a reach rounded down. Where a row
is measured anew its length counts as a little longer, so that its reach is shorter.

**Underflow and overflow.** Rows with ‖z‖² outside 10⁻³⁶ to 10³⁸, for the sake of float32, and weights with
‖w‖² outside 10^±140 are always read; `turn` is
infinite if ‖a‖² is below that or ‖w‖²‖a‖² above its square, and near 90° where ‖w‖ is a small part of what
it has been since the anchor. So no product of a row that is passed over comes near 2^±1022, and what single
entries lose to underflow is far below u‖w‖‖z‖.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.certain_signs import LONG, SHORT
from separatrix.kernels.row import row_add, row_dot, row_moments, row_square

CONSTANT, STEP, UNIT, SPARE, TURNED, ALONG, SQUARE, ANCHOR, LARGEST, MOVED, FULL, LOST = range(12)
SEEN, MADE, ASTRAY = range(12, 15)
LEDGER = 15
MEASURED = 256
CHUNK = 1024  # rows whose reach is looked at before the first of them is read
GROUP = 64  # of them, looked at together
STRETCH = 4096  # rows of a first pass between two anchors
FEW, BATCH = 4, 32  # rows of a first pass read before the first is looked at: after a mistake, and at most
LEAST_NOTED, MOST_NOTED = 1e-36, 1e38  # ‖z‖²


class Sight(NamedTuple):
    """What a pass knows of the rows: squared lengths and reach in float32, the anchor, and a ledger of
    scalars.

    The ledger: the constant feature, the step, UNIT, SPARE, the turns up to the anchor; w·anchor, ‖w‖²,
    ‖anchor‖² and the largest ‖w‖² since, as carried along; the mistakes since the anchor; FULL, not zero when
    every row is to be read, and its reach noted; LOST, not zero when turns were not measured to the end. Of a
    first pass, which may come in blocks: the rows SEEN, the mistakes MADE, and how many of the rows are gone
    ASTRAY, their reach noted before turns were known.
    """

    squares: np.ndarray
    reach: np.ndarray
    anchor: np.ndarray
    ledger: np.ndarray


def empty_ledger(terms: int, n_columns: int, constant: float, step: float) -> np.ndarray:
    """The ledger before the first anchor; ``terms`` is the most that a row stores."""
    ledger = np.zeros(LEDGER)
    ledger[CONSTANT], ledger[STEP] = constant, step
    ledger[UNIT] = (n_columns + 9) * 2.0**-52
    ledger[SPARE] = (MEASURED * (12 * (terms + 1) + 100) + 4 * (n_columns + 8)) * 2.0**-52
    return ledger


@kernel
def turn(ledger: np.ndarray) -> float:
    """A bound from above on the angle between the weights and the anchor."""
    if ledger[MOVED] == 0.0:
        return 0.0
    bound = ledger[LARGEST] * ledger[ANCHOR]
    across = max(ledger[SQUARE] * ledger[ANCHOR] - ledger[ALONG] * ledger[ALONG], 0.0)
    across += ledger[SPARE] * bound
    along = ledger[ALONG] - ledger[SPARE] * np.sqrt(bound)
    if not (ledger[ANCHOR] > SHORT and along > 0.0 and ledger[SQUARE] < LONG and bound < LONG * LONG):
        return np.inf
    return np.arctan2(np.sqrt(across), along) * (1.0 + 1e-12)


@kernel
def length(ledger: np.ndarray) -> float:
    """A bound from above on ‖w‖; infinite where products could underflow or overflow."""
    if not (ledger[SQUARE] > SHORT and ledger[LARGEST] < LONG):
        return np.inf
    return np.sqrt(ledger[SQUARE] + ledger[SPARE] * ledger[LARGEST]) * (1.0 + 1e-12)


@kernel
def measure(anchor: np.ndarray, weights: np.ndarray, ledger: np.ndarray) -> float:
    """‖w‖² and w·anchor as they are; returns the former."""
    square, along = 0.0, 0.0
    for j in range(weights.shape[0]):
        square += weights[j] * weights[j]
        along += weights[j] * anchor[j]
    ledger[SQUARE], ledger[ALONG] = square, along
    ledger[LARGEST] = max(ledger[LARGEST], square)
    return square


@kernel
def cast(weights: np.ndarray, sight: Sight) -> float:
    """Makes the weights the anchor; returns the turn since the last one, which TURNED has gained.

    Where that is not known it is infinite: TURNED is 0 then, and no reach noted before counts any more.
    """
    anchor, ledger = sight.anchor, sight.ledger
    turned = turn(ledger)
    if ledger[LOST] > 0.0 or not ledger[ANCHOR] > SHORT:
        turned = np.inf
    ledger[TURNED] = (ledger[TURNED] + turned) * (1.0 + 2.0**-50) if turned < np.inf else 0.0
    for j in range(weights.shape[0]):
        anchor[j] = weights[j]
    ledger[LARGEST] = ledger[LOST] = ledger[MOVED] = 0.0
    ledger[ANCHOR] = measure(anchor, weights, ledger)
    return turned


@kernel
def learn(X: Any, i: int, s: float, margin: float, sight: Sight, weights: np.ndarray) -> float:
    """The update of `sweep` at a mistake, and what it does to the ledger; returns the new ‖w‖²."""
    anchor, ledger = sight.anchor, sight.ledger
    constant, step = ledger[CONSTANT], ledger[STEP]
    row_add(X, i, step * s, weights)
    weights[-1] += step * s * constant
    ledger[MOVED] += 1.0
    if ledger[MOVED] % MEASURED == 0.0:
        return measure(anchor, weights, ledger)
    ledger[SQUARE] += 2.0 * step * margin + step * step * (row_square(X, i) + constant * constant)
    ledger[LARGEST] = max(ledger[LARGEST], ledger[SQUARE])
    if ledger[LOST] == 0.0:
        ledger[ALONG] += step * s * (row_dot(X, i, anchor) + anchor[-1] * constant)
    return ledger[SQUARE]


@kernel
def lowered(reach: float) -> np.float32:
    """A float32 that is no larger."""
    return np.float32(reach - abs(reach) * 2.0**-23 - 1e-30)


@kernel
def raised(square: float) -> np.float32:
    """A float32 that is no smaller, of a number that is none of the smallest."""
    return np.float32(square * (1.0 + 2.0**-23))


@kernel
def measure_rows(
    X: Any, first: int, stop: int, weights: np.ndarray, quiet: float, sizes: np.ndarray, scores: np.ndarray
) -> int:
    """‖x‖² and x·w of some rows, from place 0 on; returns how many squares are above ``quiet``."""
    start = np.uint64(first)
    for i in range(start, np.uint64(stop)):
        sizes[i - start], scores[i - start] = row_moments(X, i, weights)
    loud = 0
    for k in range(np.uint64(stop) - start):
        loud += not sizes[k] <= quiet
    return loud


@kernel
def raise_largest(
    X: Any, first: int, stop: int, sizes: np.ndarray, centre: np.ndarray, largest: np.ndarray
) -> float:
    """What `survey` does with the squares of some rows, from place 0 on; returns one that a row must exceed
    to raise anything, or -1."""
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
    home: float,
    sight: Sight,
    sizes: np.ndarray,
    scores: np.ndarray,
) -> int:
    """Margins over ‖w‖‖z‖ in the place of the scores, -inf where z is too short or too long, and notes of
    each row; returns how many are so near the plane that another order of summation could differ."""
    squares, reach = sight.squares, sight.reach
    added, unit = sight.ledger[CONSTANT] * sight.ledger[CONSTANT], sight.ledger[UNIT]
    start = np.uint64(first)
    near = 0
    for i in range(start, np.uint64(stop)):
        square = sizes[i - start] + added
        share = float(signs[i]) * (scores[i - start] + bias) / (size * np.sqrt(square))
        share = share if square > LEAST_NOTED and square < MOST_NOTED else -np.inf
        near += not share > unit
        scores[i - start] = share
        reach[i] = lowered(home + share)
        squares[i] = raised(sizes[i - start])
    return near


@kernel
def noting_sweep(
    X: Any,
    signs: np.ndarray,
    centre: np.ndarray,
    sight: Sight,
    largest: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over the rows of a block and `survey` in one reading, noting how far each row reaches.

    Blocks come in order, each with its part of the sight and one ledger. Returns the number of mistakes;
    ``largest[2]`` is not zero in the end if a square is not finite. Where mistakes are so many that no row
    could be passed over, turns are not measured any more. Rows are measured some at a time, again after a
    mistake among them.
    """
    reach, ledger = sight.reach, sight.ledger
    constant = ledger[CONSTANT]
    before, made, mistakes = int(ledger[SEEN]), int(ledger[MADE]), 0
    n = signs.shape[0]
    sizes, scores = np.empty(BATCH), np.empty(BATCH)
    home, size, quiet = 0.0, 0.0, -1.0
    stale = True
    start, span = 0, FEW
    while start < n:
        seen = before + start
        moved = ledger[MOVED] > 0.0 and ledger[LOST] == 0.0
        if seen == 0 or (moved and (seen % STRETCH == 0 or not ledger[ANCHOR] > SHORT)):
            if not cast(weights, sight) < np.inf:
                ledger[ASTRAY] = seen  # what was noted before does not count
            stale = True
        if stale:
            home = ledger[TURNED] - turn(ledger) if ledger[LOST] == 0.0 else -np.inf
            size = length(ledger)
            stale = False
        first, stop = start, min(start + span, start + STRETCH - seen % STRETCH, n)
        start, span = stop, min(2 * span, BATCH)
        if measure_rows(X, first, stop, weights, quiet, sizes, scores):
            quiet = raise_largest(X, first, stop, sizes, centre, largest)
        if not note_rows(first, stop, signs, weights[-1] * constant, size, home, sight, sizes, scores):
            continue
        for i in range(first, stop):
            if scores[i - first] > ledger[UNIT]:
                continue
            s = float(signs[i])
            margin = s * (row_dot(X, i, weights) + weights[-1] * constant)  # `sweep` has the word
            if margin > 0.0:
                continue
            reach[i] = -np.inf
            learn(X, i, s, margin, sight, weights)
            counts[i] += 1
            mistakes += 1
            stale = True
            if made + mistakes > 256 + (before + i) // 8:
                ledger[LOST] = 1.0
            start, span = i + 1, FEW
            break
    ledger[SEEN] += n
    ledger[MADE] += mistakes
    return mistakes


@kernel
def gather(reach: np.ndarray, first: int, limit: float, awake: np.ndarray) -> int:
    """The rows that do not reach beyond ``limit``, numbered from ``first``, into ``awake``; returns how
    many."""
    most = np.float32(limit * (1.0 + 2.0**-22) + 1e-30)  # no smaller
    found = 0
    for start in range(0, reach.shape[0], GROUP):
        group = reach[start : start + GROUP]
        some = 0
        for k in range(group.shape[0]):
            some += not group[k] > most
        if some:
            for k in range(group.shape[0]):
                awake[found] = first + start + k
                found += not group[k] > most
    return found


@kernel
def reaching_sweep(X: Any, signs: np.ndarray, sight: Sight, counts: np.ndarray, weights: np.ndarray) -> int:
    """`sweep` over the rows of a block in order, reading only those out of reach; returns the number of
    mistakes."""
    squares, reach, ledger = sight.squares, sight.reach, sight.ledger
    constant, full = ledger[CONSTANT], ledger[FULL] > 0.0
    awake = np.empty(CHUNK + 1, np.int64)
    n = signs.shape[0]
    # After a mistake the rest of a chunk is looked at again: where all are read, chunks are short.
    span = CHUNK // 16 if full else CHUNK
    mistakes = 0
    start = 0
    turned = turn(ledger)
    size = length(ledger)
    while start < n:
        home = ledger[TURNED] - turned
        limit = (ledger[TURNED] + turned) * (1.0 + 1e-12) + 4.0 * ledger[UNIT]
        stop = min(start + span, n)
        # Gathered first, so that the reads below run ahead of one another instead of waiting for a guess.
        found = gather(reach[start:stop], start, np.inf if full else limit, awake)
        start = stop
        for k in range(found):
            i = awake[k]
            s = float(signs[i])
            margin = s * (row_dot(X, i, weights) + weights[-1] * constant)
            if margin > 0.0:
                square = float(squares[i]) + constant * constant
                share = margin / (size * np.sqrt(square))
                noted = square > LEAST_NOTED and square < MOST_NOTED
                reach[i] = lowered(home + share) if noted else np.float32(-np.inf)
                continue
            reach[i] = -np.inf
            learn(X, i, s, margin, sight, weights)
            counts[i] += 1
            mistakes += 1
            turned = turn(ledger)
            size = length(ledger)
            start = i + 1
            break
    return mistakes
