"""A shadow of dense rows: 16 bits a value, enough to tell for nearly every row on which side it lies.

**Values.** Rows are taken in windows of 1024. Column j of a window has a unit u_j, its largest absolute
value / 32767, and each value is kept as the nearest whole number of units: |x_ij − q_ij u_j| ≤ u_j/2 and
a little (rounding, 10⁻¹⁰ of a unit). With v_j = w_j u_j and A = Σ|v_j|, therefore |w·x_i − Σ v_j q_ij| ≤
A/2. The sum is taken in float32, in whatever order: that costs at most (d + 2)·2⁻²⁴·(Σ|v_j||q_ij| +
|bias|), and Σ|v_j||q_ij| ≤ 2¹⁵A. The score that `sweep` computes in float64, in whatever order, is off by
a 2⁻²⁹th of the same. The doubt that `scale_window` returns is larger than all of these together (for d ≤
4096). A row whose approximate score lies on the right side by more than the doubt is right in `sweep`
too.

**Panels.** Suppose that every row of a panel had s·a·z ≥ slack·‖z‖ at the weights a. For any λ > 0 and
any w

    s·w·z ≥ λ s·a·z − ‖w − λa‖‖z‖ ≥ (λ·slack − ‖w − λa‖)‖z‖,

and `sweep` computes it with an error of at most (d + 3)·2⁻⁵³(1 + …)‖w‖‖z‖. So while slack > (‖w − λa‖ +
(d + 8)·10⁻¹⁵‖w‖)/λ, no row of the panel is a mistake, and none is looked at. λ = w·a/‖a‖² makes that the
tangent of the angle by which the weights have turned (times ‖a‖): that they grow longer does not count.
Such weights are the anchor, for all panels, and the base, for the panels of one window that is looked at
again after a mistake in it.

Rows and sums of a size at which float32 could overflow or underflow are never vouched for. A panel of 64
rows is laid out column by column, so that 64 scores are made at once. Rows are put into panels by their
slack, within their window, so that few panels hold all those near the plane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

PANEL = 64
PANELS = 16  # in a window
WINDOW = PANELS * PANEL
MANY = 64  # doubtful rows in a window from which on all its rows are read
PLACE, LOOKS, BASED = range(3)


class Shadow(NamedTuple):
    """What is known of the rows; position k is the k-th in the order of the panels.

    Attributes
    ----------
    codes : int16, (panels, columns, 64); units : float64, (windows, columns)
        Values are codes times units.
    signs : int8, (rows,); inverse : float32, (rows,)
        s and 1/‖z‖ by position; the latter 0 where the row must be read.
    slack : float64, (panels,); anchor : float64, (columns + 1,)
        The slack of each panel at the anchor.
    near : float64, (16,); base : float64, (columns + 1,)
        The slack of the panels of the window at hand, at the base.
    scaled, sums, doubtful
        Room to work in; ``doubtful`` holds the rows to be read.
    progress : int64, (3,)
        PLACE, the row from which a sweep goes on; LOOKS, the panels looked at; BASED, the window of the base.
    """

    codes: np.ndarray
    units: np.ndarray
    signs: np.ndarray
    inverse: np.ndarray
    slack: np.ndarray
    anchor: np.ndarray
    near: np.ndarray
    base: np.ndarray
    scaled: np.ndarray
    sums: np.ndarray
    doubtful: np.ndarray
    progress: np.ndarray


def empty_shadow(n_rows: int, n_columns: int) -> Shadow:
    """Room for a shadow, to be filled by `draw` and `anchor_at`."""
    panels = -(-n_rows // PANEL)
    return Shadow(
        np.empty((panels, n_columns, PANEL), np.int16),
        np.empty((-(-n_rows // WINDOW), n_columns)),
        np.empty(n_rows, np.int8),
        np.empty(n_rows, np.float32),
        np.full(panels, -np.inf),
        np.zeros(n_columns + 1),
        np.full(PANELS, -np.inf),
        np.zeros(n_columns + 1),
        np.empty(n_columns, np.float32),
        np.zeros(PANEL + 1, np.float32),
        np.empty(WINDOW, np.int32),
        np.zeros(3, np.int64),
    )


def shared_shadow(drawn: Shadow, signs: np.ndarray) -> Shadow:
    """The same rows with other signs (by position), for another learner."""
    room = empty_shadow(0, drawn.units.shape[1])
    slack = np.full(len(drawn.slack), -np.inf)
    same = {"codes": drawn.codes, "units": drawn.units, "inverse": drawn.inverse}
    return room._replace(**same, signs=signs, slack=slack)


@kernel
def scale_window(
    window: int, bias: float, weights: np.ndarray, units: np.ndarray, scaled: np.ndarray
) -> float:
    """The weights per unit of a window; returns the doubt, how far off a score made with them may be."""
    d = units.shape[1]
    total = 0.0
    for j in range(d):
        total += abs(weights[j] * units[window, j])
    if not (1e-15 <= total <= 1e15 and abs(bias) <= 1e15):
        return np.inf
    for j in range(d):
        scaled[j] = np.float32(weights[j] * units[window, j])
    return (total * (0.5 + (d + 8.0) / 500.0) + abs(bias) * (d + 8.0) * 2.0**-23) * (1.0 + 1e-6)


@kernel
def score_panel(shadow: Shadow, p: int, bias: float, doubt: float) -> float:
    """(s·score − doubt)/‖z‖ of a panel into ``shadow.sums``; returns the least, -inf if not positive."""
    codes, scaled, sums = shadow.codes[p], shadow.scaled, shadow.sums
    first = p * PANEL
    room = min(PANEL, shadow.signs.shape[0] - first)
    if not doubt < np.inf:
        for r in range(room):
            sums[r] = np.float32(0.0)
        return -np.inf
    d = codes.shape[0]
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
    signs, inverse = shadow.signs[first : first + room], shadow.inverse[first : first + room]
    margin = np.float32(doubt)
    for r in range(room):
        sums[r] = (np.float32(signs[r]) * sums[r] - margin) * inverse[r]
    # Bits of positive floats are ordered as the floats are, and those of negative ones are negative integers:
    # a minimum of integers is found many at a time, one of floats is not.
    bits = sums.view(np.int32)
    least = bits[0]
    for r in range(room):
        least = min(least, bits[r])
    bits[PANEL] = least
    return float(sums[PANEL]) * (1.0 - 1e-6) if least > 0 else -np.inf


@kernel
def anchor_at(constant: float, weights: np.ndarray, shadow: Shadow) -> int:
    """Makes the weights the anchor and finds the slack of every panel; returns the number of panels."""
    for j in range(weights.shape[0]):
        shadow.anchor[j] = weights[j]
    bias = weights[-1] * constant
    doubt = np.inf
    for p in range(shadow.slack.shape[0]):
        if p % PANELS == 0:
            doubt = scale_window(p // PANELS, bias, weights, shadow.units, shadow.scaled)
        shadow.slack[p] = score_panel(shadow, p, bias, doubt)
    return shadow.slack.shape[0]


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
    sound = 1e-200 <= square <= 1e200 and 1e-200 <= length <= 1e200
    if not (sound and along > 1e-3 * np.sqrt(square) * np.sqrt(length)):
        return np.inf
    share = along / square
    across = 0.0
    for j in range(weights.shape[0]):
        across += (weights[j] - share * anchor[j]) ** 2
    rounding = (weights.shape[0] + 8) * 1e-15
    return (np.sqrt(across) + rounding * np.sqrt(length)) * (1.0 + 1e-9) / share


@kernel
def doubts(visit: np.ndarray, place: int, constant: float, weights: np.ndarray, shadow: Shadow) -> int:
    """The rows in doubt, in row order, of the first window from row ``place`` on that has any.

    Returns how many.

    ``shadow.progress[PLACE]`` becomes the row after that window.
    """
    n = visit.shape[0]
    rows, near, progress = shadow.doubtful, shadow.near, shadow.progress
    need = turned(shadow.anchor, weights)
    bias = weights[-1] * constant
    again = progress[BASED] == place // WINDOW and place % WINDOW > 0
    moved = turned(shadow.base, weights) if again else 0.0
    fresh = False
    found = 0
    stop = place
    while found == 0 and stop < n:
        place = stop
        window = place // WINDOW
        stop = min((window + 1) * WINDOW, n)
        doubt = -1.0
        if not (again or fresh):
            fresh = True
            for j in range(weights.shape[0]):
                shadow.base[j] = weights[j]
        for p in range(window * PANELS, (stop + PANEL - 1) // PANEL):
            q = p - window * PANELS
            if not again:
                near[q] = -np.inf
            if shadow.slack[p] > need or near[q] > moved:
                continue
            if doubt < 0.0:
                doubt = scale_window(window, bias, weights, shadow.units, shadow.scaled)
            progress[LOOKS] += 1
            least = score_panel(shadow, p, bias, doubt)
            if not again:
                near[q] = least
            if least > 0.0:
                continue
            for r in range(min(PANEL, n - p * PANEL)):
                i = visit[p * PANEL + r]
                if i >= place and not shadow.sums[r] > 0.0:
                    rows[found] = i
                    found += 1
        progress[BASED] = window
        again = False
        moved = 0.0
    progress[PLACE] = stop
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
