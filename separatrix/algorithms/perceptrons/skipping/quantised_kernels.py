"""A shadow of dense rows: 8 bits a value, enough to tell for nearly every row on which side it lies.

**Anchor.** There is one, weights a at which t = s·a·z/‖a‖‖z‖ is known of every row. For λ ≥ 0, δ = w − λa and
c = λ‖a‖/‖w‖

    s·w·z/‖w‖‖z‖ = c·t + s·δ·z/‖w‖‖z‖,

so that only what δ adds has to be found out. λ = w·a/‖a‖² makes δ short where the weights have turned
little: that they grow longer does not count. Weights that go on making mistakes wander about a middle, so the
mean of those of a pass is a better anchor than any of them. Any length above ‖z‖ serves as well as ‖z‖, and
the one that was noted, rounded up in float32, stands for it throughout.

**Panels.** Rows are put into panels of 64 by their t, within windows of 1024, so that few panels hold all
those near the plane. Where t ≥ slack for all rows of a panel, the above is at least c·slack − ‖δ‖/‖w‖.
`sweep` makes it with an error of at most (d + 3)·2⁻⁵³(1 + …). So while slack > (‖δ‖/‖w‖ + (d + 9)·10⁻¹⁵)/c,
no row of the panel is a mistake, and none is looked at.

**Values.** Column j of a panel has a unit u_j, and a value is kept as a whole number of units from −128 to
127: the nearest, but for three roundings to float32 of numbers below 128 (of the value, of 1/u_j, of their
product), each less than 8·10⁻⁶. So |x_ij − q_ij u_j| ≤ (½ + 5·10⁻⁵)u_j. With v_j = δ_j u_j/‖w‖ and A =
Σ|v_j|, δ·x_i/‖w‖ is within (½ + 5·10⁻⁵)A of Σ v_j q_ij. Most panels have the usual units, which leave room
above the largest values of the first window; a panel with a value beyond has units of its own.

**Whole numbers.** v_j is made a whole number k_j of grains g, at most 32,701 of them, so that Σ v_j q_ij is
within 128·d·0.51g of g·Σ k_j q_ij: half a grain, and less than a hundredth where float32 rounds v_j/g. The
sum is one of whole numbers and exact (`int8_product_kernels`): g ≥ A/2²³ keeps it below 128(2²³ + 2d)
< 2³¹, the rounding of A included.

**Float32.** v_j as computed is off by two roundings, the product of g and the sum with the bias by five: at
most 2·2⁻²⁴·128A and 5·2⁻²⁴(128A + 128dg + |bias|), and A as computed by d + 3 in 2²⁴. What is lost where
δ_j/‖w‖ underflows, 128u_j·2⁻¹²⁶ at most, is made up for by 10⁻³⁵u_j in the place of it. The doubt that
`scale_units` returns is larger than all this, (½ + 5·10⁻⁵)A and what the grains lose together by two
millionths (for d ≤ 4096). `look_at` makes c·t + f·sum − doubt·|f| with f = s/‖z‖, where neither |c·t| nor
|f·sum| − doubt·|f| is above 1 + …. Eleven roundings of each come to less than a millionth, and to a millionth
of doubt·|f|; that covers what else underflows (less than 10⁻⁹), the rounding of δ and what `sweep` rounds
too. A millionth is taken off, and where the rest is positive the row is right in `sweep`.

Nothing is made of rows and sums of a size at which float32 could overflow: where a value does, the unit and
so the doubt are infinite, and no code of that panel is used. A panel is laid out column by column, so that 64
sums are made at once, and drawn when it is looked at first, if not before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

PANEL = 64
PANELS = 16  # in a window
WINDOW = PANELS * PANEL
QUAD = 4  # columns in a word
PLACE, LOOKS = range(2)
COSINE, NEED, LENGTH, GRAIN, DOUBT, USUAL = range(6)
TINY = np.float32(1e-35)
MOST_GRAINS = 32700.0
MAGNITUDE = 2**31 - 1  # the bits of a float32 without that of its sign
HALFWAY = np.float32(1.5 * 2.0**23)  # added to a small float32 it leaves the nearest whole number in the bits


SHARED = ("codes", "usual", "units", "own", "drawn", "places", "order")


class QuantisedCopy(NamedTuple):
    """What is known of the rows; position k is the k-th in the order of the panels.

    Attributes
    ----------
    codes : int32, (panels, columns / 4, 64); usual : float32, (columns and up to 3 more,)
        Values are whole numbers times units, as a rule the usual ones; a code has those of four columns as
        its bytes.
    units : float32, (panels, as many); own : bool, (panels,)
        The units of panels that have their own, and which those are.
    drawn : int32, (panels,); places : int64, (1,)
        The place of a panel among those, -1 if it has none yet, and how many have one.
    order : int32, (rows,); factor, stood : float32, (panels * 64,)
        The row at a position; s/‖z‖, 0 where the row must be read or there is none; t, or a large negative
        number.
    slack : float64, (panels,); anchor, drift, mean : float64, (columns + 1,)
        The least t of each panel, less rounding; a, δ, and the mean of the weights while t was noted.
    turn : float64, (6,)
        c, the slack that a row must have had to be right now, ‖w‖; g and the doubt in some units; not zero
        where those are the usual ones, and ``factors`` are of them and of δ.
    sums : float32, (64,)
        Bounds of the rows of a panel.
    scaled : float32, (columns and 1 to 4 more,); factors : int16, (columns and up to 3 more,)
        δ/‖w‖ times some units, and the same in grains.
    bits, grains, shares, wholes, short, words, scales, products, sizes, ratios, inverse, bins,
    doubtful
        Room to work in; ``bits`` are those of the sums, ``grains`` those of ``scaled``, ``wholes`` those of
        ``shares``, ``words`` those of ``short``, and ``doubtful`` holds the rows to be read.
    progress : int64, (2,)
        PLACE, the row from which a sweep goes on; LOOKS, the panels looked at.
    """

    codes: np.ndarray
    usual: np.ndarray
    units: np.ndarray
    own: np.ndarray
    drawn: np.ndarray
    places: np.ndarray
    order: np.ndarray
    factor: np.ndarray
    stood: np.ndarray
    slack: np.ndarray
    reference: np.ndarray
    drift: np.ndarray
    mean: np.ndarray
    turn: np.ndarray
    scaled: np.ndarray
    factors: np.ndarray
    sums: np.ndarray
    bits: np.ndarray
    grains: np.ndarray
    shares: np.ndarray
    wholes: np.ndarray
    short: np.ndarray
    words: np.ndarray
    scales: np.ndarray
    products: np.ndarray
    sizes: np.ndarray
    ratios: np.ndarray
    inverse: np.ndarray
    bins: np.ndarray
    doubtful: np.ndarray
    progress: np.ndarray


def words_of(n_rows: int, n_columns: int) -> tuple[int, int, int]:
    """The shape of the codes."""
    return -(-n_rows // PANEL), -(-n_columns // QUAD), PANEL


def empty_copy(n_rows: int, n_columns: int, codes: np.ndarray) -> QuantisedCopy:
    """Room for a shadow, to be filled by `arranging_pass`, with some for the codes; memory is taken only for
    the panels that are drawn."""
    panels = -(-n_rows // PANEL)
    width = -(-n_columns // QUAD) * QUAD
    sums, short = np.zeros(PANEL, np.float32), np.zeros((PANEL, width), np.int8)
    shares, scaled = np.full((PANEL, width), HALFWAY), np.zeros(width + 1, np.float32)
    return QuantisedCopy(
        codes=codes,
        usual=np.zeros(width, np.float32),
        units=np.empty((panels, width), np.float32),
        own=np.zeros(panels, np.bool_),
        drawn=np.full(panels, -1, np.int32),
        places=np.zeros(1, np.int64),
        order=np.empty(n_rows, np.int32),
        factor=np.zeros(panels * PANEL, np.float32),
        stood=np.zeros(panels * PANEL, np.float32),
        slack=np.full(panels, -np.inf),
        reference=np.zeros(n_columns + 1),
        drift=np.zeros(n_columns + 1),
        mean=np.zeros(n_columns + 1),
        turn=np.zeros(6),
        scaled=scaled,
        factors=np.zeros(width, np.int16),
        sums=sums,
        bits=sums.view(np.int32),
        grains=scaled.view(np.int32),
        shares=shares,
        wholes=shares.view(np.int32),
        short=short,
        words=short.view(np.int32),
        scales=np.zeros(width, np.float32),
        products=np.zeros(PANEL, np.int32),
        sizes=np.zeros(WINDOW),
        ratios=np.zeros(WINDOW),
        inverse=np.zeros(WINDOW),
        bins=np.zeros(WINDOW, np.int32),
        doubtful=np.empty(WINDOW, np.int32),
        progress=np.zeros(2, np.int64),
    )


def shared_copy(packed: QuantisedCopy, signs: np.ndarray) -> QuantisedCopy:
    """The same rows with other signs, for another learner; panels that either draws serve both."""
    room = empty_copy(0, packed.reference.shape[0] - 1, packed.codes)
    same = {name: getattr(packed, name) for name in SHARED}
    factor = np.abs(packed.factor)
    factor[: len(signs)] *= signs[packed.order]
    return room._replace(
        **same,
        factor=factor,
        stood=np.zeros_like(packed.stood),
        slack=np.full(len(packed.slack), -np.inf),
    )


@kernel
def turned(reference: np.ndarray, weights: np.ndarray, drift: np.ndarray, turn: np.ndarray) -> float:
    """δ into ``drift``; c, the slack that a row must have had at the anchor to be right now, rounding
    included, and ‖w‖ into ``turn``. Returns the second of these."""
    along = 0.0
    square = 0.0
    length = 0.0
    for j in range(weights.shape[0]):
        along += reference[j] * weights[j]
        square += reference[j] * reference[j]
        length += weights[j] * weights[j]
    sound = 1e-200 <= length <= 1e200
    ahead = sound and 1e-200 <= square <= 1e200 and along > 1e-3 * np.sqrt(square) * np.sqrt(length)
    share = along / square if ahead else 0.0
    across = 0.0
    for j in range(weights.shape[0]):
        drift[j] = weights[j] - share * reference[j]
        across += drift[j] * drift[j]
    rounding = (weights.shape[0] + 8) * 1e-15
    turn[LENGTH] = np.sqrt(length) if sound else np.inf
    turn[COSINE] = share * np.sqrt(square) / turn[LENGTH] if ahead else 0.0
    turn[NEED] = np.inf
    turn[USUAL] = 0.0
    if ahead:
        turn[NEED] = (np.sqrt(across) / turn[LENGTH] + rounding) * (1.0 + 1e-9) / turn[COSINE]
    return turn[NEED]


@kernel
def scale_units(
    units: np.ndarray,
    bias: float,
    drift: np.ndarray,
    values: np.ndarray,
    bits: np.ndarray,
    factors: np.ndarray,
    turn: np.ndarray,
) -> float:
    """The drift per unit in grains, whose size goes into ``turn``; returns the doubt, how far off a sum made
    with them and begun with the bias may be."""
    columns = drift.shape[0]
    inverse = 1.0 / turn[LENGTH]
    total = np.float32(0.0)
    for j in range(columns - 1):
        values[j] = np.float32(drift[j] * inverse) * units[j]
        total += abs(values[j]) + TINY * units[j]
    most = np.int32(0)  # bits of positive floats are ordered as the floats are
    for j in range(units.shape[0]):
        size = np.int32(bits[j] & MAGNITUDE)
        most = size if size > most else most
    bits[-1] = most
    grain = max(float(values[-1]) / MOST_GRAINS, float(total) * 2.0**-23, 1e-30)
    whole = np.float32(1.0 / grain)
    for j in range(columns - 1):
        values[j] = values[j] * whole + HALFWAY
    for j in range(units.shape[0]):
        factors[j] = np.int16(bits[j])
    for j in range(columns - 1, units.shape[0]):
        values[j] = 0.0
    turn[GRAIN] = grain
    terms = columns + 16.0
    doubt = float(total) * (0.5 + terms * 1e-5) + columns * 66.0 * grain + abs(bias) * terms * 2.0**-23
    return doubt * (1.0 + 2e-6) if total <= 1e15 and abs(bias) <= 1e15 else np.inf
