"""How a shadow is made: rows put in order by their slack, and panels drawn from them."""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_dot
from separatrix.kernels.shadow import FOLD, PANEL, PANELS, WINDOW, Shadow

WHOLE = 32767.0
LEAST_UNIT = 1e-150  # a column below half of this is all zeros in the shadow, which its unit still covers
BINS = 128


@kernel
def ratios_of(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    constant: float,
    weights: np.ndarray,
    ratios: np.ndarray,
) -> float:
    """s·score/‖z‖ of the rows of a window, -inf where the row must be read; returns the mean of those above
    0, taken over all."""
    mean = 0.0
    for i in range(X.shape[0]):
        size = np.sqrt(squares[i] + constant * constant)
        ratio = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant) / size
        ratios[i] = ratio if 1e-15 <= size <= 1e15 and ratio < np.inf else -np.inf
        mean += max(ratios[i], 0.0) / X.shape[0]
    return mean


@kernel
def arrange_window(first: int, mean: float, ratios: np.ndarray, order: np.ndarray) -> int:
    """The rows of a window, numbered from ``first``, those with little slack first; returns how many are in
    the first of the bins."""
    n = order.shape[0]
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
def slacks_of(window: int, doubt: float, shadow: Shadow) -> int:
    """The slack of the panels of a window, by the ratios of its rows; returns the panel after the last."""
    n = shadow.order.shape[0]
    first = window * WINDOW
    stop = min(first + WINDOW, n)
    last = (stop + PANEL - 1) // PANEL
    for p in range(window * PANELS, last):
        least = np.inf
        for k in range(p * PANEL, min((p + 1) * PANEL, n)):
            least = min(least, shadow.ratios[shadow.order[k] - first])
        shadow.slack[p] = least * (1.0 - 1e-9) - doubt if least > 0.0 else -np.inf
    return last


@kernel
def doubt_of(weights: np.ndarray) -> float:
    """What rounding may add to s·score/‖z‖."""
    square = 0.0
    for j in range(weights.shape[0]):
        square += weights[j] * weights[j]
    return (weights.shape[0] + 8) * 1e-15 * np.sqrt(square) if 1e-200 <= square <= 1e200 else np.inf


@kernel
def draw_panel(X: np.ndarray, p: int, shadow: Shadow) -> int:
    """The codes and units of a panel; returns how many rows it has."""
    d = X.shape[1]
    first = p * PANEL
    room = min(PANEL, shadow.order.shape[0] - first)
    for r in range(room):
        row, copy = X[shadow.order[first + r]], shadow.tile[r]
        for j in range(d):
            copy[j] = np.float64(row[j])
    for r in range(room, PANEL):
        for j in range(d):
            shadow.tile[r, j] = 0.0
    long = FOLD * d
    folded = shadow.tile.reshape(PANEL // FOLD, long)
    short = shadow.short.reshape(PANEL // FOLD, long)
    factors, units, codes = shadow.factors, shadow.units[p], shadow.codes[p]
    for k in range(long):
        factors[k] = 0.0
    for g in range(PANEL // FOLD):
        values = folded[g]
        for k in range(long):
            factors[k] = max(factors[k], abs(values[k]))
    for j in range(d):
        top = 0.0
        for g in range(FOLD):
            top = max(top, factors[g * d + j])
        small = top < 0.5 * LEAST_UNIT
        units[j] = LEAST_UNIT if small else top / WHOLE
        for g in range(FOLD):
            factors[g * d + j] = 0.0 if small else WHOLE / top
    for g in range(PANEL // FOLD):
        values, wholes = folded[g], short[g]
        for k in range(long):  # a positive number cut off: rounds to nearest
            wholes[k] = np.int16(np.int32(values[k] * factors[k] + 32768.5) - 32768)
    for j in range(d):
        column = codes[j]
        for r in range(PANEL):
            column[r] = shadow.short[r, j]
    shadow.drawn[p] = 1
    return room


@kernel
def arrange(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    constant: float,
    weights: np.ndarray,
    soon: float,
    shadow: Shadow,
) -> int:
    """Order the rows anew, with the weights as the anchor; returns the number of panels.

    Those with a slack of at most ``soon`` are drawn while their rows are in the cache, the others when they
    are looked at.
    """
    for j in range(weights.shape[0]):
        shadow.anchor[j] = weights[j]
    shadow.drawn[:] = 0
    doubt = doubt_of(weights)
    n = shadow.order.shape[0]
    for window in range((n + WINDOW - 1) // WINDOW):
        part = slice(window * WINDOW, min((window + 1) * WINDOW, n))
        mean = ratios_of(X[part], signs[part], squares[part], constant, weights, shadow.ratios)
        arrange_window(part.start, mean, shadow.ratios, shadow.order[part])
        for k in range(part.start, part.stop):
            i = shadow.order[k]
            size = np.sqrt(squares[i] + constant * constant)
            shadow.inverse[k] = np.float32(1.0 / size if 1e-15 <= size <= 1e15 else 0.0)
            shadow.signs[k] = signs[i]
        for p in range(window * PANELS, slacks_of(window, doubt, shadow)):
            if shadow.slack[p] <= soon:
                draw_panel(X, p, shadow)
    return shadow.slack.shape[0]


@kernel
def anchor_at(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    constant: float,
    weights: np.ndarray,
    shadow: Shadow,
) -> int:
    """The weights become the anchor of rows that stay in their order; returns the number of panels."""
    for j in range(weights.shape[0]):
        shadow.anchor[j] = weights[j]
    doubt = doubt_of(weights)
    n = shadow.order.shape[0]
    for window in range((n + WINDOW - 1) // WINDOW):
        part = slice(window * WINDOW, min((window + 1) * WINDOW, n))
        ratios_of(X[part], signs[part], squares[part], constant, weights, shadow.ratios)
        slacks_of(window, doubt, shadow)
    return shadow.slack.shape[0]
