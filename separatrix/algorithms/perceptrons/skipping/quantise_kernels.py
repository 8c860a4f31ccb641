"""How a shadow is made: a pass puts the rows in order by how near the plane they are, and draws panels."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.perceptrons.skipping.angle_bound_kernels import raise_largest, raised
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import (
    HALFWAY,
    PANEL,
    PANELS,
    WINDOW,
    QuantisedCopy,
)
from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot

LOWEST = 0x4B400000 - 128  # the bits of HALFWAY, less 128
ROOMY = 1.6 / 127  # the usual units over the largest values of the first window
TIGHT = 1.001 / 127  # a panel's own over its largest values
LEAST_UNIT, LARGEST_UNIT = np.float32(1e-30), np.float32(1e36)
BINS = 128
BATCH = 32  # rows whose scores are made before the first of them is looked at: memory runs ahead then
NOWHERE = -1e30
LEAST, MOST = 1e-30, 1e30  # ‖z‖²


@kernel
def score_rows(
    X: np.ndarray,
    reference: np.ndarray,
    weights: np.ndarray,
    sizes: np.ndarray,
    earlier: np.ndarray,
    scores: np.ndarray,
) -> int:
    """‖x‖², x·a and x·w of some rows in one reading; returns how many there are."""
    for i in range(X.shape[0]):
        row = X[i]
        square, before, now = 0.0, 0.0, 0.0
        for j in range(row.shape[0]):
            value = np.float64(row[j])  # float() of a float32 is one in numba
            square += value * value
            before += value * reference[j]
            now += value * weights[j]
        sizes[i], earlier[i], scores[i] = square, before, now
    return X.shape[0]


@kernel
def count_near(
    signs: np.ndarray, bias: float, added: float, doubt: float, sizes: np.ndarray, scores: np.ndarray
) -> int:
    """Margins in the place of the scores, -inf where they are not beyond the doubt, in shares of ‖z‖, or z is
    too short or too long to tell; returns how many."""
    near = 0
    for i in range(scores.shape[0]):
        square = sizes[i] + added
        margin = float(signs[i]) * (scores[i] + bias)
        told = (square >= LEAST) & (square <= MOST) & (margin > 0.0)
        told &= margin * margin > doubt * doubt * square
        scores[i] = margin if told else -np.inf
        near += not told
    return near


@kernel
def take_ratios(
    signs: np.ndarray,
    bias: float,
    added: float,
    sizes: np.ndarray,
    squares: np.ndarray,
    inverse: np.ndarray,
    ratios: np.ndarray,
) -> float:
    """‖x‖² rounded up, s/‖z‖, and s·a·z/‖z‖ in the place of the scores, 0 and -inf where the row must be
    read; returns the sum of the positive ones."""
    total = 0.0
    for i in range(ratios.shape[0]):
        squares[i] = raised(sizes[i])
        square = float(squares[i]) + added
        factor = float(signs[i]) / np.sqrt(square)
        ratio = (ratios[i] + bias) * factor
        told = (square >= LEAST) & (square <= MOST)
        inverse[i] = factor if told else 0.0
        told &= ratio < np.inf
        ratios[i] = ratio if told else -np.inf
        total += ratio if told & (ratio > 0.0) else 0.0
    return total


@kernel
def length_of(weights: np.ndarray) -> float:
    """‖w‖, or infinity where its square is near overflow or underflow."""
    square = 0.0
    for j in range(weights.shape[0]):
        square += weights[j] * weights[j]
    return np.sqrt(square) if 1e-200 <= square <= 1e200 else np.inf


@kernel
def sweep_window(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    steps: np.ndarray,
    constant: float,
    packed: QuantisedCopy,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over the rows of a window, whose lengths and ratios at the anchor are left behind; returns the
    number of mistakes."""
    n = signs.shape[0]
    sizes, ratios, reference = packed.sizes, packed.ratios, packed.reference
    rounding = (weights.shape[0] + 8) * 1e-15
    doubt = rounding * length_of(weights)
    later = np.empty(BATCH)
    mistakes = 0
    start = 0
    while start < n:
        part = slice(start, min(start + BATCH, n))
        now = later[: part.stop - part.start]
        score_rows(X[part], reference, weights, sizes[part], ratios[part], now)
        start = part.stop
        if not count_near(signs[part], weights[-1] * constant, constant * constant, doubt, sizes[part], now):
            continue
        for i in range(part.start, part.stop):
            if now[i - part.start] > 0.0:
                continue
            # So near the plane that another order of summation could differ: `sweep` has the word.
            s = float(signs[i])
            if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
                row_add(X, i, steps[mistakes] * s, weights)
                weights[-1] += steps[mistakes] * s * constant
                counts[i] += 1
                mistakes += 1
                doubt = rounding * length_of(weights)
                start = i + 1
                break
    return mistakes


@kernel
def arrange_window(first: int, total: float, ratios: np.ndarray, bins: np.ndarray, order: np.ndarray) -> int:
    """The rows of a window, numbered from ``first``, those with little slack first; returns how many are in
    the first of the bins. ``total`` is the sum of the positive ratios."""
    n = order.shape[0]
    mean = total / n
    fine = 32.0 / mean if 1e-200 < mean < 1e200 else 0.0
    for i in range(n):
        share = ratios[i] * fine if ratios[i] > 0.0 else 0.0
        bins[i] = np.int32(share if share < BINS - 1.0 else BINS - 1.0)
    tally = np.zeros(BINS + 1, np.int64)
    for i in range(n):
        tally[bins[i] + 1] += 1
    few = tally[1]
    for b in range(BINS):
        tally[b + 1] += tally[b]
    for i in range(n):
        b = bins[i]
        order[tally[b]] = first + i
        tally[b] += 1
    return few


@kernel
def stand(first: int, share: float, anew: bool, packed: QuantisedCopy) -> int:
    """t of the rows of a window, which is its ratio times the share, and the slack of its panels; s/‖z‖ where
    the order is new. Returns the panel after the last."""
    n = packed.order.shape[0]
    stop = min(first + WINDOW, n)
    ratios, inverse, order = packed.ratios, packed.inverse, packed.order
    for k in range(first, stop):
        ratio = ratios[order[k] - first] * share
        packed.stood[k] = np.float32(ratio if ratio > NOWHERE else NOWHERE)
    if anew:
        for k in range(first, stop):
            packed.factor[k] = np.float32(inverse[order[k] - first])
    bits = packed.stood.view(np.int32)
    rounding = (packed.drift.shape[0] + 9) * 1e-15
    last = (stop + PANEL - 1) // PANEL
    for p in range(first // PANEL, last):
        part = bits[p * PANEL : min((p + 1) * PANEL, n)]
        lowest = part[0]
        for r in range(part.shape[0]):  # as for `look_at`
            lowest = part[r] if part[r] < lowest else lowest
        packed.bits[0] = lowest
        least = float(packed.sums[0])
        packed.slack[p] = least * (1.0 - 1e-6) - rounding if lowest > 0 else -np.inf
    return last


@kernel
def choose_units(X: np.ndarray, rows: np.ndarray, share: float, units: np.ndarray) -> int:
    """A share of the largest absolute values of some rows; returns how many columns there are."""
    units[:] = 0.0
    for r in range(rows.shape[0]):
        row = X[rows[r]]
        for j in range(row.shape[0]):
            units[j] = max(units[j], abs(np.float32(row[j])))
    for j in range(units.shape[0]):
        units[j] = max(units[j] * np.float32(share), LEAST_UNIT)
    return X.shape[1]


@kernel
def measure_values(
    X: np.ndarray,
    rows: np.ndarray,
    units: np.ndarray,
    scales: np.ndarray,
    shares: np.ndarray,
    wholes: np.ndarray,
    short: np.ndarray,
) -> bool:
    """The values of some rows in whole numbers of the units, into ``short``; whether those are from -128 to
    127."""
    for j in range(units.shape[0]):
        scales[j] = np.float32(1.0) / units[j]
    for r in range(rows.shape[0]):
        row, share = X[rows[r]], shares[r]
        for j in range(row.shape[0]):
            share[j] = np.float32(row[j]) * scales[j] + HALFWAY
    for r in range(rows.shape[0], PANEL):
        shares[r] = HALFWAY
    # In two loops, so that each is over many values at a time.
    either = np.int32(0)
    for k in range(wholes.shape[0]):
        whole = wholes[k]
        either = np.int32(either | np.int32(whole - LOWEST))
        short[k] = np.int8(whole)  # the lowest byte
    return bool(0 <= either < 256)


@kernel
def quantise_panels(X: np.ndarray, first: int, stop: int, soon: float, packed: QuantisedCopy) -> int:
    """The codes of those panels from ``first`` to ``stop`` that have none, and no more slack than ``soon``,
    with units of their own where the usual ones do not hold the values; returns how many have codes now."""
    # Everything is taken out of the shadow before the loop: for every panel that would take as long again.
    order, slack, drawn, own = packed.order, packed.slack, packed.drawn, packed.own
    usual, units, scales, codes, words = packed.usual, packed.units, packed.scales, packed.codes, packed.words
    shares, wholes = packed.shares, packed.wholes.reshape(packed.wholes.size)
    short = packed.short.reshape(packed.short.size)
    place = packed.places[0]
    for p in range(first, stop):
        if drawn[p] >= 0 or not slack[p] <= soon:
            continue
        rows = order[p * PANEL : min((p + 1) * PANEL, order.shape[0])]
        own[place] = not measure_values(X, rows, usual, scales, shares, wholes, short)
        if own[place]:
            choose_units(X, rows, TIGHT, units[place])
            measure_values(X, rows, units[place], scales, shares, wholes, short)
        for q in range(codes.shape[1]):
            column = codes[place, q]
            for r in range(PANEL):
                column[r] = words[r, q]
        drawn[p] = place
        place += 1
    packed.places[0] = place
    return place


@kernel
def arranging_pass(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    steps: np.ndarray,
    constant: float,
    centre: np.ndarray,
    largest: np.ndarray,
    anew: bool,
    soon: float,
    packed: QuantisedCopy,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over all rows in order and `norms` in one reading, noting how far each row is from the anchor;
    returns the number of mistakes.

    If ``anew`` the rows are put in order, and panels with no more slack than ``soon`` are drawn while their
    rows are in the cache, the others when they are looked at. Otherwise they stay in the order that they
    have. ``steps`` is as long as a window, and ``packed.mean`` becomes the mean of the weights after each.
    """
    n = packed.order.shape[0]
    windows = (n + WINDOW - 1) // WINDOW
    share = 1.0 / length_of(packed.reference)  # 0 where nothing is known there
    threshold = -1.0
    mistakes = 0
    packed.mean[:] = 0.0
    if anew:
        packed.drawn[:] = -1
        packed.places[0] = 0
        choose_units(X, np.arange(min(WINDOW, n)), ROOMY, packed.usual)
        for j in range(packed.usual.shape[0]):
            packed.usual[j] = min(packed.usual[j], LARGEST_UNIT)
    for window in range(windows):
        part = slice(window * WINDOW, min((window + 1) * WINDOW, n))
        given = (X[part], signs[part], squares[part], steps, constant, packed)
        mistakes += sweep_window(*given, counts[part], weights)
        n_above = 0
        for k in range(part.stop - part.start):
            n_above += not packed.sizes[k] <= threshold
        if n_above:
            threshold = raise_largest(X, part.start, part.stop, packed.sizes, centre, largest)
        for j in range(weights.shape[0]):
            packed.mean[j] += weights[j] / windows
        measured = (signs[part], packed.reference[-1] * constant, constant * constant, packed.sizes)
        total = take_ratios(*measured, squares[part], packed.inverse, packed.ratios[: part.stop - part.start])
        if anew:
            arrange_window(part.start, total, packed.ratios, packed.bins, packed.order[part])
        last = stand(part.start, share, anew, packed)
        if anew:
            quantise_panels(X, window * PANELS, last, soon, packed)
    return mistakes
