"""Drawing a shadow: rows arranged by how near the plane they lie, and written down in 16 bits a value."""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_dot
from separatrix.kernels.shadow import PANEL, PANELS, WINDOW, Shadow

FOLD = 8  # rows seen as one long row, so that a loop over few columns has no remainder
WHOLE = 32767.0
LEAST_UNIT = 1e-150  # a column below half of this is all zeros in the shadow, which its unit still covers
BINS = 128


@kernel
def arrange(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    constant: float,
    weights: np.ndarray,
    keys: np.ndarray,
    order: np.ndarray,
) -> int:
    """The rows of a window, those with little slack first; returns how many have hardly any."""
    n = order.shape[0]
    mean = 0.0
    for i in range(n):
        score = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant)
        size = np.sqrt(squares[i] + constant * constant)
        key = max(score / size, 0.0) if 1e-15 <= size <= 1e15 else 0.0
        keys[i] = key if key < np.inf else 0.0
        mean += keys[i] / n
    fine = 32.0 / mean if 1e-200 < mean < 1e200 else 0.0
    tally = keys[WINDOW:]
    for b in range(BINS + 1):
        tally[b] = 0.0
    for i in range(n):
        keys[i] = min(keys[i] * fine, BINS - 1.0)
        tally[int(keys[i]) + 1] += 1.0
    few = int(tally[1])
    for b in range(BINS):
        tally[b + 1] += tally[b]
    for i in range(n):
        b = int(keys[i])
        order[int(tally[b])] = i
        tally[b] += 1.0
    return few


@kernel
def cast(X: np.ndarray, factors: np.ndarray, units: np.ndarray, tile: np.ndarray) -> int:
    """The rows of a window, as they come, in units that suit it; returns how many rows."""
    n, d = X.shape
    long = FOLD * d
    whole = n // FOLD
    folded = X[: whole * FOLD].reshape(whole, long)
    short = tile.reshape(WINDOW // FOLD, long)
    for k in range(long):
        factors[k] = 0.0
    for g in range(whole):
        values = folded[g]
        for k in range(long):
            factors[k] = max(factors[k], abs(np.float64(values[k])))
    for i in range(whole * FOLD, n):
        for j in range(d):
            factors[j] = max(factors[j], abs(np.float64(X[i, j])))
    for j in range(d):
        top = 0.0
        for g in range(FOLD):
            top = max(top, factors[g * d + j])
        small = top < 0.5 * LEAST_UNIT
        units[j] = LEAST_UNIT if small else top / WHOLE
        for g in range(FOLD):
            factors[g * d + j] = 0.0 if small else WHOLE / top
    for g in range(whole):
        values, codes = folded[g], short[g]
        for k in range(long):  # a positive number cut off: rounds to nearest
            codes[k] = np.int16(np.int32(np.float64(values[k]) * factors[k] + 32768.5) - 32768)
    for i in range(whole * FOLD, n):
        for j in range(d):
            tile[i, j] = np.int16(np.int32(np.float64(X[i, j]) * factors[j] + 32768.5) - 32768)
    return n


@kernel
def draw(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    constant: float,
    weights: np.ndarray,
    visit: np.ndarray,
    shadow: Shadow,
) -> int:
    """Codes, units, signs and inverse lengths of the rows by position; returns the number of windows.

    The one kernel that allocates: a window's worth of room to work in, once.
    """
    n, d = X.shape
    keys = np.empty(WINDOW + BINS + 1)
    factors = np.empty(FOLD * d)
    tile = np.zeros((WINDOW, d), np.int16)
    rows = np.empty((PANEL, d), np.int16)
    for window in range(shadow.units.shape[0]):
        first = window * WINDOW
        stop = min(first + WINDOW, n)
        here = X[first:stop]
        order = visit[first:stop]
        arrange(here, signs[first:stop], squares[first:stop], constant, weights, keys, order)
        cast(here, factors, shadow.units[window], tile)
        for p in range(window * PANELS, (stop + PANEL - 1) // PANEL):
            for r in range(PANEL):
                k = p * PANEL + r - first
                values, row = tile[order[k] if k < stop - first else 0], rows[r]
                for j in range(d):
                    row[j] = values[j]
            for j in range(d):
                column = shadow.codes[p, j]
                for r in range(PANEL):
                    column[r] = rows[r, j]
        for k in range(first, stop):
            i = visit[k] + first
            visit[k] = i
            size = np.sqrt(squares[i] + constant * constant)
            shadow.inverse[k] = np.float32(1.0 / size if 1e-15 <= size <= 1e15 else 0.0)
            shadow.signs[k] = signs[i]
    return shadow.units.shape[0]
