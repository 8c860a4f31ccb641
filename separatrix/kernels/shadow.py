"""A shadow of dense rows: 16 bits a value, enough to tell for nearly every row on which side it lies.

**The values.** Rows are taken in panels of 64. Column j of a panel has a unit u_j, its largest absolute value / 32767,
and each value is kept as the nearest whole number of units: |x_ij − q_ij u_j| ≤ u_j/2 and a little (rounding, 10⁻¹¹ of
a unit). With v_j = w_j u_j and A = Σ|v_j|, therefore |w·x_i − Σ v_j q_ij| ≤ A/2. The sum is taken in float32, in
whatever order: that costs at most (d + 2)·2⁻²⁴·(Σ|v_j||q_ij| + |bias|), and Σ|v_j||q_ij| ≤ 2¹⁵A. The score that
`sweep` computes in float64, in whatever order, is off by a 2⁻²⁹th of the same. `doubt` below is larger than all of
these together. A row whose approximate score lies on the right side by more than the doubt is right in `sweep` too.

**The panels.** At the weights a (the anchor) every row of a panel had s·a·z ≥ slack·‖z‖. For any λ > 0 and any w

    s·w·z ≥ λ s·a·z − ‖w − λa‖‖z‖ ≥ (λ·slack − ‖w − λa‖)‖z‖,

and `sweep` computes it with an error of at most (d + 3)·2⁻⁵³(1 + …)‖w‖‖z‖. So while slack > (‖w − λa‖ + (d + 8)·10⁻¹⁵
‖w‖)/λ, no row of the panel is a mistake, and none is looked at. λ = w·a/‖a‖² makes that the tangent of the angle by
which the weights have turned (times ‖a‖): that they grow longer does not count.

Sizes for which the float32 sum, a norm or a product could overflow or underflow vouch for nothing. Panels are laid
out column by column, so that 64 scores are made at once; rows are put into panels by their slack, within windows of
1024 rows, so that few panels hold all those near the plane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_dot

PANEL = 64
WINDOW = 16 * PANEL
FOLD = 8  # rows of a panel seen as one long row while it is cast, so that no loop has a remainder
WHOLE = 32767.0
LEAST_UNIT = 1e-150  # a column below half of this is all zeros in the shadow, which its unit still covers
MANY = 64  # doubtful rows in a window from which on all its rows are read
BINS = 128


class Shadow(NamedTuple):
    """``codes[p, j, r]``: column ``j`` of the ``r``-th row of panel ``p``, in units of ``units[p, j]``.

    ``signs`` follow the order of the panels, ``slack`` has one number a panel. ``scaled``, ``sums`` and ``doubtful``
    are room to work in. ``progress`` holds the row from which a sweep goes on, and the panels looked at so far.
    """

    codes: np.ndarray
    units: np.ndarray
    signs: np.ndarray
    slack: np.ndarray
    anchor: np.ndarray
    scaled: np.ndarray
    sums: np.ndarray
    doubtful: np.ndarray
    progress: np.ndarray


def shadow_of(codes: np.ndarray, units: np.ndarray, signs: np.ndarray) -> Shadow:
    """A shadow that vouches for no panel as a whole until `look` has been called."""
    panels, columns = units.shape
    return Shadow(
        codes,
        units,
        signs,
        np.full(panels, -np.inf),
        np.zeros(columns + 1),
        np.empty(columns, np.float32),
        np.empty(PANEL, np.float32),
        np.empty(WINDOW, np.int32),
        np.zeros(2, np.int64),
    )


NO_SHADOW = shadow_of(np.empty((0, 0, PANEL), np.int16), np.empty((0, 0)), np.empty(0, np.int8))


@kernel
def arrange(
    X: np.ndarray, signs: np.ndarray, squares: np.ndarray, constant: float, weights: np.ndarray, order: np.ndarray
) -> int:
    """Positions of the rows, window by window, those with little slack first; returns the number of windows."""
    keys = np.empty(WINDOW)
    tally = np.empty(BINS + 1, np.int64)
    windows = (X.shape[0] + WINDOW - 1) // WINDOW
    for window in range(windows):
        first = window * WINDOW
        stop = min(first + WINDOW, X.shape[0])
        mean = 0.0
        for i in range(first, stop):
            score = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant)
            size = squares[i] + constant * constant
            key = max(score / np.sqrt(size), 0.0) if 0.0 < size < np.inf else 0.0
            keys[i - first] = key if key < np.inf else 0.0
            mean += keys[i - first] / (stop - first)
        fine = 32.0 / mean if 1e-200 < mean < 1e200 else 0.0
        tally[:] = 0
        for r in range(stop - first):
            keys[r] = min(keys[r] * fine, BINS - 1.0)
            tally[int(keys[r]) + 1] += 1
        for b in range(BINS):
            tally[b + 1] += tally[b]
        for r in range(stop - first):
            b = int(keys[r])
            order[first + tally[b]] = first + r
            tally[b] += 1
    return windows


@kernel
def cast(X: np.ndarray, order: np.ndarray, codes: np.ndarray, units: np.ndarray) -> int:
    """Codes and units of the rows of X in this order; returns the number of panels."""
    d = X.shape[1]
    long = FOLD * d
    rows = np.zeros((PANEL, d))
    factors = np.empty(long)
    tile = np.empty((PANEL, d), np.int16)
    long_rows = rows.reshape(PANEL // FOLD, long)
    long_tile = tile.reshape(PANEL // FOLD, long)
    for p in range(codes.shape[0]):
        for r in range(PANEL):
            out = rows[r]
            if p * PANEL + r < order.shape[0]:
                row = X[order[p * PANEL + r]]
                for j in range(d):
                    out[j] = np.float64(row[j])
            else:
                for j in range(d):
                    out[j] = 0.0
        for k in range(long):
            factors[k] = 0.0
        for g in range(PANEL // FOLD):
            values = long_rows[g]
            for k in range(long):
                factors[k] = max(factors[k], abs(values[k]))
        for j in range(d):
            top = 0.0
            for g in range(FOLD):
                top = max(top, factors[g * d + j])
            small = top < 0.5 * LEAST_UNIT
            units[p, j] = LEAST_UNIT if small else top / WHOLE
            for g in range(FOLD):
                factors[g * d + j] = 0.0 if small else WHOLE / top
        for g in range(PANEL // FOLD):
            values = long_rows[g]
            short = long_tile[g]
            for k in range(long):  # a positive number cut off: rounds to nearest
                short[k] = np.int16(np.int32(values[k] * factors[k] + 32768.5) - 32768)
        for j in range(d):
            column = codes[p, j]
            for r in range(PANEL):
                column[r] = tile[r, j]
    return codes.shape[0]


@kernel
def score_panel(shadow: Shadow, p: int, bias: float, weights: np.ndarray) -> float:
    """Approximate scores of panel ``p`` into ``shadow.sums``; returns the doubt, how far off they may be."""
    codes, scaled, sums = shadow.codes[p], shadow.scaled, shadow.sums
    units = shadow.units[p]
    d = codes.shape[0]
    total = 0.0
    for j in range(d):
        v = weights[j] * units[j]
        total += abs(v)
        scaled[j] = np.float32(v)
    if not (1e-20 <= total <= 1e30 and abs(bias) <= 1e30):
        return np.inf
    start = np.float32(bias)
    for r in range(PANEL):
        sums[r] = start
    j = 0
    while j + 4 <= d:
        a, b, c, e = codes[j], codes[j + 1], codes[j + 2], codes[j + 3]
        va, vb, vc, ve = scaled[j], scaled[j + 1], scaled[j + 2], scaled[j + 3]
        for r in range(PANEL):
            sums[r] += (
                va * np.float32(a[r]) + vb * np.float32(b[r]) + vc * np.float32(c[r]) + ve * np.float32(e[r])
            )
        j += 4
    while j < d:
        a, va = codes[j], scaled[j]
        for r in range(PANEL):
            sums[r] += va * np.float32(a[r])
        j += 1
    return (total * (0.5 + (d + 8.0) / 500.0) + abs(bias) * (d + 8.0) * 2.0**-23) * (1.0 + 1e-6)


@kernel
def look(visit: np.ndarray, squares: np.ndarray, constant: float, weights: np.ndarray, shadow: Shadow) -> int:
    """Makes the weights the anchor and finds the slack of every panel; returns the number of panels."""
    for j in range(weights.shape[0]):
        shadow.anchor[j] = weights[j]
    panels = shadow.slack.shape[0]
    for p in range(panels):
        doubt = score_panel(shadow, p, weights[-1] * constant, weights)
        least = np.inf if doubt < np.inf else -np.inf
        if doubt < np.inf:
            for k in range(p * PANEL, min(p * PANEL + PANEL, visit.shape[0])):
                square = squares[visit[k]] + constant * constant
                margin = float(shadow.signs[k]) * float(shadow.sums[k - p * PANEL]) - doubt
                sound = 1e-200 <= square <= 1e200 and margin > 0.0
                least = min(least, margin / np.sqrt(square) if sound else -np.inf)
        shadow.slack[p] = least * (1.0 - 1e-9) if least > 0.0 else -np.inf
    return panels


@kernel
def turned(anchor: np.ndarray, weights: np.ndarray) -> float:
    """The slack that a row must have had at the anchor to be right now, rounding included."""
    along = 0.0
    square = 0.0
    length = 0.0
    for j in range(weights.shape[0]):
        along += anchor[j] * weights[j]
        square += anchor[j] * anchor[j]
        length += weights[j] * weights[j]
    if not (1e-200 <= square <= 1e200 and 1e-200 <= length <= 1e200 and along > 1e-3 * np.sqrt(square * length)):
        return np.inf
    share = along / square
    across = 0.0
    for j in range(weights.shape[0]):
        across += (weights[j] - share * anchor[j]) ** 2
    rounding = (weights.shape[0] + 8) * 1e-15
    return (np.sqrt(across) + rounding * np.sqrt(length)) * (1.0 + 1e-9) / share


@kernel
def doubts(visit: np.ndarray, place: int, constant: float, weights: np.ndarray, shadow: Shadow) -> int:
    """The rows in doubt of the first window, from row ``place`` on, that has any; in row order. Returns how many.

    ``shadow.progress`` tells the row after that window.
    """
    need = turned(shadow.anchor, weights)
    bias = weights[-1] * constant
    n = visit.shape[0]
    rows = shadow.doubtful
    found = 0
    stop = place
    while found == 0 and stop < n:
        place = stop
        stop = min((place // WINDOW + 1) * WINDOW, n)
        for p in range(place // WINDOW * (WINDOW // PANEL), (stop + PANEL - 1) // PANEL):
            if shadow.slack[p] > need:
                continue
            shadow.progress[1] += 1
            limit = score_panel(shadow, p, bias, weights)
            first = p * PANEL
            room = min(PANEL, n - first)
            signs = shadow.signs[first : first + room]
            sums = shadow.sums
            bound = np.float32(limit)
            wrong = room
            if limit < np.inf:
                wrong = 0
                for r in range(room):
                    wrong += not np.float32(signs[r]) * sums[r] > bound
            if wrong > 0:
                for r in range(room):
                    i = visit[first + r]
                    if i >= place and not (limit < np.inf and np.float32(signs[r]) * sums[r] > bound):
                        rows[found] = i
                        found += 1
    shadow.progress[0] = stop
    if found > MANY:
        found = stop - place
        for r in range(found):
            rows[r] = place + r
        return found
    for k in range(1, found):
        i = rows[k]
        q = k
        while q > 0 and rows[q - 1] > i:
            rows[q] = rows[q - 1]
            q -= 1
        rows[q] = i
    return found
