"""A shadow of dense rows: 16 bits a value, enough to tell for nearly every row on which side it lies.

**Values.** Rows are taken in windows of 1024 and, within those, in panels of 64. Column j of a panel has a
unit u_j, its largest absolute value / 32767, and each value is kept as the nearest whole number of units:
|x_ij − q_ij u_j| ≤ u_j/2 and a little (rounding, 10⁻¹⁰ of a unit). With v_j = w_j u_j and A = Σ|v_j|,
therefore |w·x_i − Σ v_j q_ij| ≤ A/2. The sum is taken in float32, in whatever order: that costs at most
(d + 2)·2⁻²⁴·(Σ|v_j||q_ij| + |bias|), and Σ|v_j||q_ij| ≤ 2¹⁵A. The score that `sweep` computes in float64, in
whatever order, is off by a 2⁻²⁹th of the same. The doubt that `scale_panel` returns is larger than all of
these together (for d ≤ 4096). A row whose approximate score lies on the right side by more than the doubt is
right in `sweep` too.

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
slack, within their window, so that few panels hold all those near the plane: the others are never looked at,
and a panel is drawn when it is looked at first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

PANEL = 64
PANELS = 16  # in a window
WINDOW = PANELS * PANEL
FOLD = 8  # rows seen as one long row, so that a loop over few columns has no remainder
PLACE, LOOKS, BASED = range(3)


class Shadow(NamedTuple):
    """What is known of the rows; position k is the k-th in the order of the panels.

    Attributes
    ----------
    codes : int16, (panels, columns, 64); units : float64, (panels, columns); drawn : int8, (panels,)
        Values are codes times units, where a panel has been drawn.
    order : int32, (rows,); inverse : float32, (rows,); signs : int8, (rows,)
        The row at a position, 1/‖z‖ (0 where the row must be read) and s.
    slack : float64, (panels,); anchor : float64, (columns + 1,)
        The slack of each panel at the anchor.
    near : float64, (16,); base : float64, (columns + 1,)
        The slack of the panels of the window at hand, at the base.
    scaled, sums, tile, short, factors, ratios, doubtful
        Room to work in; ``doubtful`` holds the rows to be read.
    progress : int64, (3,)
        PLACE, the row from which a sweep goes on; LOOKS, the panels looked at; BASED, the window of the base.
    """

    codes: np.ndarray
    units: np.ndarray
    drawn: np.ndarray
    order: np.ndarray
    inverse: np.ndarray
    signs: np.ndarray
    slack: np.ndarray
    anchor: np.ndarray
    near: np.ndarray
    base: np.ndarray
    scaled: np.ndarray
    sums: np.ndarray
    tile: np.ndarray
    short: np.ndarray
    factors: np.ndarray
    ratios: np.ndarray
    doubtful: np.ndarray
    progress: np.ndarray


def empty_shadow(n_rows: int, n_columns: int) -> Shadow:
    """Room for a shadow, to be filled by `arrange`; memory is taken only for the panels that are drawn."""
    panels = -(-n_rows // PANEL)
    return Shadow(
        codes=np.empty((panels, n_columns, PANEL), np.int16),
        units=np.empty((panels, n_columns)),
        drawn=np.zeros(panels, np.int8),
        order=np.empty(n_rows, np.int32),
        inverse=np.empty(n_rows, np.float32),
        signs=np.empty(n_rows, np.int8),
        slack=np.full(panels, -np.inf),
        anchor=np.zeros(n_columns + 1),
        near=np.full(PANELS, -np.inf),
        base=np.zeros(n_columns + 1),
        scaled=np.empty(n_columns, np.float32),
        sums=np.zeros(PANEL + 1, np.float32),
        tile=np.zeros((PANEL, n_columns)),
        short=np.zeros((PANEL, n_columns), np.int16),
        factors=np.zeros(FOLD * n_columns),
        ratios=np.zeros(WINDOW),
        doubtful=np.empty(WINDOW, np.int32),
        progress=np.zeros(3, np.int64),
    )


def shared_shadow(shadow: Shadow, signs: np.ndarray) -> Shadow:
    """The same rows with other signs, for another learner; panels that either draws serve both."""
    room = empty_shadow(0, shadow.units.shape[1])
    same = {name: getattr(shadow, name) for name in ("codes", "units", "drawn", "order", "inverse")}
    return room._replace(**same, signs=signs[shadow.order], slack=np.full(len(shadow.slack), -np.inf))


@kernel
def scale_panel(p: int, bias: float, weights: np.ndarray, units: np.ndarray, scaled: np.ndarray) -> float:
    """The weights per unit of a panel; returns the doubt, how far off a score made with them may be."""
    d = units.shape[1]
    total = 0.0
    for j in range(d):
        total += abs(weights[j] * units[p, j])
    if not (1e-15 <= total <= 1e15 and abs(bias) <= 1e15):
        return np.inf
    for j in range(d):
        scaled[j] = np.float32(weights[j] * units[p, j])
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
