"""A shadow of dense rows: 8 bits a value, enough to tell for nearly every row on which side it lies.

**Anchors.** Rows are taken in windows of 1024. Each has an anchor, weights a at which t = s·a·z/‖a‖‖z‖ is
known of every row. For λ ≥ 0, δ = w − λa and c = λ‖a‖/‖w‖

    s·w·z/‖w‖‖z‖ = c·t + s·δ·z/‖w‖‖z‖,

so that only what δ adds has to be found out. λ = w·a/‖a‖² makes δ short where the weights have turned
little: that they grow longer does not count.

**Panels.** Rows are put into panels of 64 by their t, within their window, so that few panels hold all those
near the plane. Where t ≥ slack for all rows of a panel, the above is at least c·slack − ‖δ‖/‖w‖. `sweep`
makes it with an error of at most (d + 3)·2⁻⁵³(1 + …). So while slack > (‖δ‖/‖w‖ + (d + 9)·10⁻¹⁵)/c, no row of
the panel is a mistake, and none is looked at. The same holds with the base in the place of the anchor: those
are weights at which the panels of one window were looked at, to be looked at again after a mistake there.

**Values.** Column j of a panel has a unit u_j, its largest absolute value / 127 or more, and a value is kept
as the nearest whole number of units: |x_ij − q_ij u_j| ≤ u_j/2 and a little (rounding, 10⁻¹³ of a unit). With
v_j = δ_j u_j/‖w‖ and A = Σ|v_j|, therefore δ·x_i/‖w‖ is within A/2 of Σ v_j q_ij.

**Float32.** That sum is taken in float32, in whatever order, which costs at most (d + 2)·2⁻²⁴(Σ|v_j||q_ij| +
|bias|), and Σ|v_j||q_ij| ≤ 127A. The doubt that `scale_panel` returns is larger than A/2 and this together by
two millionths (for d ≤ 4096). `bound_panel` makes c·t + f·sum − doubt·|f| with f = s/‖z‖, where neither |c·t|
nor |f·sum| − doubt·|f| is above 1 + …. Eleven roundings of each come to less than a millionth, and to a
millionth of doubt·|f|; that covers what underflows (less than 10⁻¹⁷), the rounding of δ and what `sweep`
rounds too. A millionth is taken off, and where the rest is positive the row is right in `sweep`.

Nothing is made of rows and sums of a size at which float32 could overflow. A panel is laid out column by
column, so that 64 sums are made at once, and drawn when it is looked at first, if not before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

PANEL = 64
PANELS = 16  # in a window
WINDOW = PANELS * PANEL
QUAD = 4  # columns that are added at once
FOLD = 8  # rows seen as one long row, so that a loop over few columns has no remainder
PLACE, LOOKS, BASED = range(3)
COSINE, NEED, LENGTH = range(3)


class Shadow(NamedTuple):
    """What is known of the rows; position k is the k-th in the order of the panels.

    Attributes
    ----------
    codes : int8, (panels, columns and up to 3 more, 64); units : float64, (panels, columns)
        Values are codes times units.
    drawn : int32, (panels,); places : int64, (1,)
        The place of a panel among those, -1 if it has none yet, and how many have one.
    order : int32, (rows,); factor, stood : float32, (panels * 64,)
        The row at a position; s/‖z‖, 0 where the row must be read or there is none; t, or a large negative
        number.
    slack : float64, (panels,); anchor : float64, (windows, columns + 1)
        The least t of each panel, less rounding, and the anchor of each window.
    near : float64, (16,); base : float64, (columns + 1,)
        The slack of the panels of the window at hand, at the base.
    drift : float64, (columns + 1,); turn : float64, (3,)
        δ of the window at hand; c, the slack that a row must have had to be right now, and ‖w‖.
    panels : int32, (16,); sums : float32, (16, 65); least : float64, (16,)
        Panels of a window to look at, the bounds of their rows, and the least of each, -inf if not positive.
    scaled, bits, tile, short, scales, ratios, inverse, doubtful
        Room to work in; ``bits`` are those of the sums, and ``doubtful`` holds the rows to be read.
    progress : int64, (3,)
        PLACE, the row from which a sweep goes on; LOOKS, the panels looked at; BASED, the window of the base.
    """

    codes: np.ndarray
    units: np.ndarray
    drawn: np.ndarray
    places: np.ndarray
    order: np.ndarray
    factor: np.ndarray
    stood: np.ndarray
    slack: np.ndarray
    anchor: np.ndarray
    near: np.ndarray
    base: np.ndarray
    drift: np.ndarray
    turn: np.ndarray
    scaled: np.ndarray
    panels: np.ndarray
    sums: np.ndarray
    least: np.ndarray
    bits: np.ndarray
    tile: np.ndarray
    short: np.ndarray
    scales: np.ndarray
    ratios: np.ndarray
    inverse: np.ndarray
    doubtful: np.ndarray
    progress: np.ndarray


def empty_shadow(n_rows: int, n_columns: int) -> Shadow:
    """Room for a shadow, to be filled by `arranging_sweep`; memory is taken only for the panels that are
    drawn."""
    panels = -(-n_rows // PANEL)
    width = -(-n_columns // QUAD) * QUAD
    sums = np.zeros((PANELS, PANEL + 1), np.float32)
    return Shadow(
        codes=np.empty((panels, width, PANEL), np.int8),
        units=np.empty((panels, n_columns)),
        drawn=np.full(panels, -1, np.int32),
        places=np.zeros(1, np.int64),
        order=np.empty(n_rows, np.int32),
        factor=np.zeros(panels * PANEL, np.float32),
        stood=np.zeros(panels * PANEL, np.float32),
        slack=np.full(panels, -np.inf),
        anchor=np.zeros((-(-n_rows // WINDOW), n_columns + 1)),
        near=np.full(PANELS, -np.inf),
        base=np.zeros(n_columns + 1),
        drift=np.zeros(n_columns + 1),
        turn=np.zeros(3),
        scaled=np.zeros(width, np.float32),
        panels=np.zeros(PANELS, np.int32),
        sums=sums,
        least=np.zeros(PANELS),
        bits=sums.view(np.int32),
        tile=np.zeros((PANEL, n_columns)),
        short=np.zeros((PANEL, n_columns), np.int8),
        scales=np.zeros(FOLD * n_columns),
        ratios=np.zeros(WINDOW),
        inverse=np.zeros(WINDOW),
        doubtful=np.empty(WINDOW, np.int32),
        progress=np.zeros(3, np.int64),
    )


def shared_shadow(shadow: Shadow, signs: np.ndarray) -> Shadow:
    """The same rows with other signs, for another learner; panels that either draws serve both."""
    room = empty_shadow(0, shadow.units.shape[1])
    same = {name: getattr(shadow, name) for name in ("codes", "units", "drawn", "places", "order")}
    factor = np.abs(shadow.factor)
    factor[: len(signs)] *= signs[shadow.order]
    return room._replace(
        **same,
        factor=factor,
        stood=np.zeros_like(shadow.stood),
        slack=np.full(len(shadow.slack), -np.inf),
        anchor=np.zeros(shadow.anchor.shape),
    )


@kernel
def turned(anchor: np.ndarray, weights: np.ndarray, drift: np.ndarray, turn: np.ndarray) -> float:
    """δ into ``drift``; c, the slack that a row must have had at the anchor to be right now, rounding
    included, and ‖w‖ into ``turn``. Returns the second of these."""
    along = 0.0
    square = 0.0
    length = 0.0
    for j in range(weights.shape[0]):
        along += anchor[j] * weights[j]
        square += anchor[j] * anchor[j]
        length += weights[j] * weights[j]
    sound = 1e-200 <= length <= 1e200
    ahead = sound and 1e-200 <= square <= 1e200 and along > 1e-3 * np.sqrt(square) * np.sqrt(length)
    share = along / square if ahead else 0.0
    across = 0.0
    for j in range(weights.shape[0]):
        drift[j] = weights[j] - share * anchor[j]
        across += drift[j] * drift[j]
    rounding = (weights.shape[0] + 8) * 1e-15
    turn[LENGTH] = np.sqrt(length) if sound else np.inf
    turn[COSINE] = share * np.sqrt(square) / turn[LENGTH] if ahead else 0.0
    turn[NEED] = np.inf
    if ahead:
        turn[NEED] = (np.sqrt(across) / turn[LENGTH] + rounding) * (1.0 + 1e-9) / turn[COSINE]
    return turn[NEED]


@kernel
def scale_panel(
    units: np.ndarray, drift: np.ndarray, length: float, constant: float, scaled: np.ndarray
) -> float:
    """The drift per unit of a panel, over ‖w‖; returns the doubt, how far off a sum made with it may be."""
    inverse = 1.0 / length
    total = 0.0
    for j in range(units.shape[0]):
        value = drift[j] * units[j] * inverse
        total += abs(value)
        scaled[j] = np.float32(value)
    terms = units.shape[0] + 8.0
    bias = abs(drift[-1] * constant) * inverse
    doubt = (total * (0.5 + terms * 1e-5) + bias * terms * 2.0**-23) * (1.0 + 2e-6)
    return doubt if inverse > 0.0 and total <= 1e15 and bias <= 1e15 else np.inf


@kernel
def add_columns(codes: np.ndarray, scaled: np.ndarray, start: float, sums: np.ndarray) -> int:
    """The sums of a panel, from ``start``; returns the number of columns."""
    first = np.float32(start)
    for r in range(PANEL):
        sums[r] = first
    for j in range(0, codes.shape[0], QUAD):
        a, b, c, e = codes[j], codes[j + 1], codes[j + 2], codes[j + 3]
        va, vb, vc, ve = scaled[j], scaled[j + 1], scaled[j + 2], scaled[j + 3]
        for r in range(PANEL):
            sums[r] += (
                va * np.float32(a[r]) + vb * np.float32(b[r]) + vc * np.float32(c[r]) + ve * np.float32(e[r])
            )
    return codes.shape[0]


@kernel
def bound_panel(
    factor: np.ndarray, stood: np.ndarray, cosine: float, doubt: float, sums: np.ndarray, bits: np.ndarray
) -> float:
    """Lower bounds on s·w·z/‖w‖‖z‖ in the place of the sums; returns the least, -inf if not positive."""
    along, margin = np.float32(cosine), np.float32(doubt)
    for r in range(PANEL):
        sums[r] = along * stood[r] + sums[r] * factor[r] - margin * abs(factor[r]) - np.float32(1e-6)
    # Bits of positive floats are ordered as the floats are, and those of negative ones are negative integers:
    # a minimum of integers is found many at a time, one of floats is not.
    least = bits[0]
    for r in range(PANEL):
        least = min(least, bits[r])
    bits[PANEL] = least
    return float(sums[PANEL]) if least > 0 else -np.inf
