"""How a shadow is made: a pass puts the rows in order by how near the plane they are, and draws panels."""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot
from separatrix.kernels.shadow import FOLD, PANEL, PANELS, WINDOW, Shadow

WHOLE, OFFSET = np.float32(127.0), np.float32(128.5)
LEAST_UNIT = np.float32(1e-30)  # a column below half of this is all zeros here, which its unit still covers
BELOW_ZERO = 0x808080  # the signs of the three lower bytes
BINS = 128
BATCH = 32  # rows whose scores are made before the first of them is looked at: memory runs ahead then
NOWHERE = -1e30


@kernel
def ratios_of(
    X: np.ndarray,
    signs: np.ndarray,
    inverse: np.ndarray,
    bias: float,
    weights: np.ndarray,
    ratios: np.ndarray,
) -> int:
    """s·score/‖z‖ of some rows, given 1/‖z‖; -inf where the row must be read. Returns how many rows there
    are."""
    for i in range(X.shape[0]):
        ratios[i] = float(signs[i]) * (row_dot(X, i, weights) + bias) * inverse[i]
    for i in range(X.shape[0]):
        ratios[i] = ratios[i] if inverse[i] > 0.0 and ratios[i] < np.inf else -np.inf
    return X.shape[0]


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
    shadow: Shadow,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over the rows of a window, whose ratios at the weights as they are in the end are left behind;
    returns the number of mistakes."""
    n = signs.shape[0]
    inverse, ratios = shadow.inverse, shadow.ratios
    rounding = (weights.shape[0] + 8) * 1e-15
    doubt = rounding * length_of(weights)
    mistakes = 0
    old = 0  # rows with ratios at weights of the past
    start = 0
    while start < n:
        part = slice(start, min(start + BATCH, n))
        ratios_of(X[part], signs[part], inverse[part], weights[-1] * constant, weights, ratios[part])
        start = part.stop
        for i in range(part.start, part.stop):
            if ratios[i] > doubt:
                continue
            # So near the plane that another order of summation could differ: `sweep` has the word.
            s = float(signs[i])
            if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
                row_add(X, i, steps[mistakes] * s, weights)
                weights[-1] += steps[mistakes] * s * constant
                counts[i] += 1
                mistakes += 1
                doubt = rounding * length_of(weights)
                start = old = i + 1
                break
    part = slice(0, old)
    ratios_of(X[part], signs[part], inverse[part], weights[-1] * constant, weights, ratios[part])
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
def draw_panel(X: np.ndarray, p: int, shadow: Shadow) -> int:
    """The codes and units of a panel; returns its place."""
    d = X.shape[1]
    first = p * PANEL
    room = min(PANEL, shadow.order.shape[0] - first)
    for r in range(room):
        row, copy = X[shadow.order[first + r]], shadow.tile[r]
        for j in range(d):
            copy[j] = np.float32(row[j])
    for r in range(room, PANEL):
        for j in range(d):
            shadow.tile[r, j] = 0.0
    place = shadow.places[0]
    width = shadow.tile.shape[1]
    long = FOLD * width
    folded = shadow.tile.reshape(PANEL // FOLD, long)
    short = shadow.short.reshape(PANEL // FOLD, long)
    scales, units, codes = shadow.scales, shadow.units[place], shadow.codes[place]
    for k in range(long):
        scales[k] = 0.0
    for g in range(PANEL // FOLD):
        values = folded[g]
        for k in range(long):
            scales[k] = max(scales[k], abs(values[k]))
    for j in range(width):
        top = np.float32(0.0)
        for g in range(FOLD):
            top = max(top, scales[g * width + j])
        small = top < 0.5 * LEAST_UNIT
        units[j] = LEAST_UNIT if small else top / WHOLE
        for g in range(FOLD):
            scales[g * width + j] = 0.0 if small else WHOLE / top
    for g in range(PANEL // FOLD):
        values, wholes = folded[g], short[g]
        for k in range(long):  # a positive number cut off: rounds to nearest
            wholes[k] = np.int8(np.int32(values[k] * scales[k] + OFFSET) - 128)
    for q in range(codes.shape[0]):
        column = codes[q]
        for r in range(PANEL):
            word = shadow.words[r, q]  # each byte below zero makes the next seem larger by one
            column[r] = word - ((word & BELOW_ZERO) << 1)
    shadow.drawn[p] = place
    shadow.places[0] = place + 1
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
    """`sweep` over all rows in order; the weights at the end of each window become its anchor. Returns the
    number of mistakes.

    If ``anew`` the rows are put in order, and panels with no more slack than ``soon`` are drawn while their
    rows are in the cache, the others when they are looked at. Otherwise they stay in the order that they
    have. ``steps`` is as long as a window.
    """
    n = shadow.order.shape[0]
    mistakes = 0
    if anew:
        shadow.drawn[:] = -1
        shadow.places[0] = 0
    for window in range((n + WINDOW - 1) // WINDOW):
        part = slice(window * WINDOW, min((window + 1) * WINDOW, n))
        for i in range(part.start, part.stop):
            size = np.sqrt(squares[i] + constant * constant)
            shadow.inverse[i - part.start] = 1.0 / size if 1e-15 <= size <= 1e15 else 0.0
        mistakes += sweep_window(X[part], signs[part], steps, constant, shadow, counts[part], weights)
        for j in range(weights.shape[0]):
            shadow.anchor[window, j] = weights[j]
        if anew:
            arrange_window(part.start, shadow.ratios, shadow.order[part])
            for k in range(part.start, part.stop):
                i = shadow.order[k]
                shadow.factor[k] = np.float32(signs[i] * shadow.inverse[i - part.start])
        for p in range(window * PANELS, stand(window, length_of(weights), shadow)):
            if anew and shadow.slack[p] <= soon:
                draw_panel(X, p, shadow)
    return mistakes
