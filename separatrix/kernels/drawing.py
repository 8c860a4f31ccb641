"""How a shadow is made: a pass puts the rows in order by how near the plane they are, and draws panels."""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot
from separatrix.kernels.shadow import HALFWAY, PANEL, PANELS, WINDOW, Shadow

LOWEST = 0x4B400000 - 128  # the bits of HALFWAY, less 128
ROOMY = 1.6 / 127  # the usual units over the largest values of the first window
TIGHT = 1.001 / 127  # a panel's own over its largest values
LEAST_UNIT, LARGEST_UNIT = np.float32(1e-30), np.float32(1e36)
BINS = 128
BATCH = 32  # rows whose scores are made before the first of them is looked at: memory runs ahead then
NOWHERE = -1e30


@kernel
def one_score(X: np.ndarray, weights: np.ndarray, scores: np.ndarray) -> int:
    """x·w of some rows; returns how many there are."""
    for i in range(X.shape[0]):
        scores[i] = row_dot(X, i, weights)
    return X.shape[0]


@kernel
def two_scores(
    X: np.ndarray, anchor: np.ndarray, weights: np.ndarray, earlier: np.ndarray, scores: np.ndarray
) -> int:
    """x·a and x·w of some rows in one reading; returns how many there are."""
    for i in range(X.shape[0]):
        row = X[i]
        before, now = 0.0, 0.0
        for j in range(row.shape[0]):
            value = float(row[j])
            before += value * anchor[j]
            now += value * weights[j]
        earlier[i], scores[i] = before, now
    return X.shape[0]


@kernel
def as_ratios(signs: np.ndarray, inverse: np.ndarray, bias: float, scores: np.ndarray) -> int:
    """s·score/‖z‖ in the place of the scores, given 1/‖z‖; -inf where the row must be read. Returns how many
    there are."""
    for i in range(scores.shape[0]):
        scores[i] = float(signs[i]) * (scores[i] + bias) * inverse[i]
    for i in range(scores.shape[0]):
        scores[i] = scores[i] if inverse[i] > 0.0 and scores[i] < np.inf else -np.inf
    return scores.shape[0]


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
    steps: np.ndarray,
    constant: float,
    anchor: np.ndarray,
    shadow: Shadow,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over the rows of a window, whose ratios at the weights as they were before are left behind, and
    those weights as ``anchor``; returns the number of mistakes."""
    n = signs.shape[0]
    inverse, ratios = shadow.inverse, shadow.ratios
    rounding = (weights.shape[0] + 8) * 1e-15
    doubt = rounding * length_of(weights)
    later = np.empty(BATCH)
    mistakes = 0
    start = 0
    for j in range(weights.shape[0]):
        anchor[j] = weights[j]
    while start < n:
        part = slice(start, min(start + BATCH, n))
        now = ratios[part]
        if mistakes > 0:
            now = later[: part.stop - part.start]
            two_scores(X[part], anchor, weights, ratios[part], now)
            as_ratios(signs[part], inverse[part], anchor[-1] * constant, ratios[part])
        else:
            one_score(X[part], weights, now)
        as_ratios(signs[part], inverse[part], weights[-1] * constant, now)
        start = part.stop
        for i in range(part.start, part.stop):
            if now[i - part.start] > doubt:
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
def arrange_window(first: int, ratios: np.ndarray, order: np.ndarray) -> int:
    """The rows of a window, numbered from ``first``, those with little slack first; returns how many are in
    the first of the bins."""
    n = order.shape[0]
    mean = 0.0
    for i in range(n):
        mean += max(ratios[i], 0.0) / n
    fine = 32.0 / mean if 1e-200 < mean < 1e200 else 0.0
    tally = np.zeros(BINS + 1, np.int64)
    for i in range(n):
        tally[int(min(max(ratios[i], 0.0) * fine, BINS - 1.0)) + 1] += 1
    few = tally[1]
    for b in range(BINS):
        tally[b + 1] += tally[b]
    for i in range(n):
        b = int(min(max(ratios[i], 0.0) * fine, BINS - 1.0))
        order[tally[b]] = first + i
        tally[b] += 1
    return few


@kernel
def stand(window: int, length: float, shadow: Shadow) -> int:
    """t of the rows of a window, and the slack of its panels; returns the panel after the last."""
    n = shadow.order.shape[0]
    first = window * WINDOW
    last = (min(first + WINDOW, n) + PANEL - 1) // PANEL
    rounding = (shadow.drift.shape[0] + 9) * 1e-15
    for p in range(window * PANELS, last):
        least = np.inf
        for k in range(p * PANEL, min((p + 1) * PANEL, n)):
            ratio = shadow.ratios[shadow.order[k] - first] / length
            shadow.stood[k] = np.float32(max(ratio, NOWHERE) if length < np.inf else NOWHERE)
            least = min(least, ratio)
        shadow.slack[p] = least * (1.0 - 1e-9) - rounding if least > 0.0 and length < np.inf else -np.inf
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
def draw_panels(X: np.ndarray, first: int, stop: int, soon: float, shadow: Shadow) -> int:
    """The codes of those panels from ``first`` to ``stop`` that have none, and no more slack than ``soon``,
    with units of their own where the usual ones do not hold the values; returns how many have codes now."""
    # Everything is taken out of the shadow before the loop: for every panel that would take as long again.
    order, slack, drawn, own = shadow.order, shadow.slack, shadow.drawn, shadow.own
    usual, units, scales, codes, words = shadow.usual, shadow.units, shadow.scales, shadow.codes, shadow.words
    shares, wholes = shadow.shares, shadow.wholes.reshape(shadow.wholes.size)
    short = shadow.short.reshape(shadow.short.size)
    place = shadow.places[0]
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
    shadow.places[0] = place
    return place


@kernel
def arranging_sweep(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    steps: np.ndarray,
    constant: float,
    anew: bool,
    soon: float,
    shadow: Shadow,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over all rows in order; the weights before each window become its anchor. Returns the number of
    mistakes.

    If ``anew`` the rows are put in order, and panels with no more slack than ``soon`` are drawn while their
    rows are in the cache, the others when they are looked at. Otherwise they stay in the order that they
    have. ``steps`` is as long as a window.
    """
    n = shadow.order.shape[0]
    mistakes = 0
    if anew:
        shadow.drawn[:] = -1
        shadow.places[0] = 0
        choose_units(X, np.arange(min(WINDOW, n)), ROOMY, shadow.usual)
        for j in range(shadow.usual.shape[0]):
            shadow.usual[j] = min(shadow.usual[j], LARGEST_UNIT)
    for window in range((n + WINDOW - 1) // WINDOW):
        part = slice(window * WINDOW, min((window + 1) * WINDOW, n))
        for i in range(part.start, part.stop):
            size = np.sqrt(float(squares[i]) + constant * constant)
            shadow.inverse[i - part.start] = 1.0 / size if 1e-15 <= size <= 1e15 else 0.0
        anchor = shadow.anchor[window]
        mistakes += sweep_window(X[part], signs[part], steps, constant, anchor, shadow, counts[part], weights)
        if anew:
            arrange_window(part.start, shadow.ratios, shadow.order[part])
            for k in range(part.start, part.stop):
                i = shadow.order[k]
                shadow.factor[k] = np.float32(signs[i] * shadow.inverse[i - part.start])
        last = stand(window, length_of(anchor), shadow)
        if anew:
            draw_panels(X, window * PANELS, last, soon, shadow)
    return mistakes
