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
    mistakes = 0
    start = 0
    for j in range(weights.shape[0]):
        anchor[j] = weights[j]
    while start < n:
        moved = mistakes > 0
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
                start = i + 1
                break
        if moved:  # again, while they are in the nearest cache
            part = slice(part.start, start)
            ratios_of(X[part], signs[part], inverse[part], anchor[-1] * constant, anchor, ratios[part])
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
def measure_values(X: np.ndarray, rows: np.ndarray, units: np.ndarray, shadow: Shadow) -> bool:
    """The values of some rows in whole numbers of the units, into ``short``; whether those are from -127 to
    127."""
    scales = shadow.scales
    for j in range(units.shape[0]):
        scales[j] = np.float32(1.0) / units[j]
    for r in range(rows.shape[0]):
        row, shares = X[rows[r]], shadow.shares[r]
        for j in range(row.shape[0]):
            shares[j] = np.float32(row[j]) * scales[j] + HALFWAY
    for r in range(rows.shape[0], PANEL):
        shadow.shares[r] = HALFWAY
    # In two loops, so that each is over many values at a time.
    size = shadow.wholes.size
    wholes, short = shadow.wholes.reshape(size), shadow.short.reshape(size)
    either = np.int32(0)
    for k in range(size):
        whole = np.int32(wholes[k] - LOWEST)
        either = np.int32(either | whole | np.int32(whole - 1))  # 0, which stands for -128, shows too
        short[k] = np.int8(whole - 128)
    return bool(0 <= either < 256)


@kernel
def draw_panel(X: np.ndarray, p: int, shadow: Shadow) -> int:
    """The codes of a panel, and its units where the usual ones do not hold its values; returns its place."""
    rows = shadow.order[p * PANEL : min((p + 1) * PANEL, shadow.order.shape[0])]
    place = shadow.places[0]
    codes = shadow.codes[place]
    shadow.own[place] = not measure_values(X, rows, shadow.usual, shadow)
    if shadow.own[place]:
        choose_units(X, rows, TIGHT, shadow.units[place])
        measure_values(X, rows, shadow.units[place], shadow)
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
            size = np.sqrt(squares[i] + constant * constant)
            shadow.inverse[i - part.start] = 1.0 / size if 1e-15 <= size <= 1e15 else 0.0
        anchor = shadow.anchor[window]
        mistakes += sweep_window(X[part], signs[part], steps, constant, anchor, shadow, counts[part], weights)
        if anew:
            arrange_window(part.start, shadow.ratios, shadow.order[part])
            for k in range(part.start, part.stop):
                i = shadow.order[k]
                shadow.factor[k] = np.float32(signs[i] * shadow.inverse[i - part.start])
        for p in range(window * PANELS, stand(window, length_of(anchor), shadow)):
            if anew and shadow.slack[p] <= soon:
                draw_panel(X, p, shadow)
    return mistakes
