"""A quantised copy of dense rows: 8 bits a value, enough to tell for nearly every row on which side it lies.

**Reference.** These are weights a at which t = s·a·z/‖a‖‖z‖ is known of every row. For λ ≥ 0, δ = w − λa and
c = λ‖a‖/‖w‖

    s·w·z/‖w‖‖z‖ = c·t + s·δ·z/‖w‖‖z‖,

so that only what δ adds has to be found out. λ = w·a/‖a‖² makes δ short where the weights have turned little:
that they grow longer does not count. Weights that go on making mistakes wander about a middle, so the mean of
those of a pass is a better reference than any of them. Any length above ‖z‖ serves as well as ‖z‖, and the
one that was noted, rounded up in float32, stands for it throughout.

**Panels.** Rows are put into panels of 64 by their t, within windows of 1024, so that few panels hold all
those near the plane. Where t ≥ slack for all rows of a panel, the above is at least c·slack − ‖δ‖/‖w‖.
`sweep` makes it with an error of at most (d + 3)·2⁻⁵³(1 + …). So while slack > (‖δ‖/‖w‖ + (d + 9)·10⁻¹⁵)/c,
no row of the panel is a mistake, and none is looked at.

**Values.** Column j of a panel has a scale u_j, and a value is kept as a whole number of scales from −128 to
127: the nearest, but for three roundings to float32 of numbers below 128 (of the value, of 1/u_j, of their
product), each less than 8·10⁻⁶. So |x_ij − q_ij u_j| ≤ (½ + 5·10⁻⁵)u_j. With v_j = δ_j u_j/‖w‖ and A =
Σ|v_j|, δ·x_i/‖w‖ is within (½ + 5·10⁻⁵)A of Σ v_j q_ij. Most panels have the default scales, which leave
room above the largest values of the first window; a panel with a value beyond has scales of its own.

**Whole numbers.** v_j is made a whole number k_j of steps g, at most 32,701 of them, so that Σ v_j q_ij is
within 128·d·0.51g of g·Σ k_j q_ij: half a step, and less than a hundredth where float32 rounds v_j/g. The
sum is one of whole numbers and exact (`int8_product_kernels`): g ≥ A/2²³ keeps it below 128(2²³ + 2d)
< 2³¹, the rounding of A included.

**Float32.** v_j as computed is off by two roundings, the product of g and the sum with the bias by five: at
most 2·2⁻²⁴·128A and 5·2⁻²⁴(128A + 128dg + |bias|), and A as computed by d + 3 in 2²⁴. What is lost where
δ_j/‖w‖ underflows, 128u_j·2⁻¹²⁶ at most, is made up for by 10⁻³⁵u_j in the place of it. The error bound E
that `quantise_drift` returns is larger than all this, (½ + 5·10⁻⁵)A and what the steps lose together by two
millionths (for d ≤ 4096). `bound_panel_margins` makes c·t + f·sum − E·|f| with f = s/‖z‖, where neither |c·t|
nor |f·sum| − E·|f| is above 1 + …. Eleven roundings of each come to less than a millionth, and to a millionth
of E·|f|; that covers what else underflows (less than 10⁻⁹), the rounding of δ and what `sweep` rounds too. A
millionth is taken off, and where the rest is positive the row is right in `sweep`.

Nothing is made of rows and sums of a size at which float32 could overflow: where a value does, the scale and
so the error bound are infinite, and no code of that panel is used. A panel is laid out column by column, so
that 64 sums are made at once, and quantised when it is first read, if not before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

PANEL_ROWS = 64
WINDOW_PANELS = 16  # in a window
WINDOW_ROWS = WINDOW_PANELS * PANEL_ROWS
WORD_COLUMNS = 4  # columns in a word
NEXT_ROW, PANELS_READ = range(2)
COSINE, MIN_SLACK, NORM, RESOLUTION, ERROR_BOUND, DEFAULT_SCALES = range(6)
MIN_DRIFT = np.float32(1e-35)
MAX_FACTOR = 32700.0
MAGNITUDE_BITS = 2**31 - 1  # the bits of a float32 without that of its sign
# Added to a small float32 it leaves the nearest whole number in the bits.
ROUNDING_OFFSET = np.float32(1.5 * 2.0**23)

SHARED_FIELDS = (
    "codes",
    "default_scales",
    "own_scales",
    "has_own_scales",
    "slots",
    "slots_used",
    "order",
)


class QuantisedCopy(NamedTuple):
    """What is known of the rows; position k is the k-th in the order of the panels.

    Attributes
    ----------
    codes : int32, (panels, columns / 4, 64); default_scales : float32, (columns and up to 3 more,)
        Values are whole numbers times scales, as a rule the default ones; a code has those of four columns as
        its bytes.
    own_scales : float32, (panels, as many); has_own_scales : bool, (panels,)
        The scales of panels that have their own, and which those are; both by slot.
    slots : int32, (panels,); slots_used : int64, (1,)
        Where the codes of a panel are, -1 if it has none yet, and how many have some.
    order : int32, (rows,); inverse_norms, reference_margins : float32, (panels * 64,)
        The row at a position; s/‖z‖, 0 where the row must be read or there is none; t, or a large negative
        number.
    slack : float64, (panels,); reference, drift, mean_weights : float64, (columns + 1,)
        The least t of each panel, less rounding; a, δ, and the mean of the weights while t was recorded.
    drift_scalars : float64, (6,)
        c, the slack that a row must have had to be right now, ‖w‖; g and the error bound for some scales; not
        zero where those are the default ones, and ``factors`` are of them and of δ.
    scaled_drift : float32, (columns and 1 to 4 more,); factors : int16, (columns and up to 3 more,)
        δ/‖w‖ times some scales, and the same in whole steps g.
    margin_bounds : float32, (64,)
        Lower bounds of the rows of a panel.
    margin_bounds_bits, scaled_drift_bits, scaled_values, scaled_values_bits, code_bytes, code_words,
    inverse_scales, products, row_squares, margin_ratios, window_inverse_norms, bins, doubtful
        Room to work in; an array of bits or words is a view of the one that it is named after, and
        ``doubtful`` holds the rows to be read.
    progress : int64, (2,)
        NEXT_ROW, the row from which a sweep goes on; PANELS_READ, the panels looked at.
    """

    codes: np.ndarray
    default_scales: np.ndarray
    own_scales: np.ndarray
    has_own_scales: np.ndarray
    slots: np.ndarray
    slots_used: np.ndarray
    order: np.ndarray
    inverse_norms: np.ndarray
    reference_margins: np.ndarray
    slack: np.ndarray
    reference: np.ndarray
    drift: np.ndarray
    mean_weights: np.ndarray
    drift_scalars: np.ndarray
    scaled_drift: np.ndarray
    factors: np.ndarray
    margin_bounds: np.ndarray
    margin_bounds_bits: np.ndarray
    scaled_drift_bits: np.ndarray
    scaled_values: np.ndarray
    scaled_values_bits: np.ndarray
    code_bytes: np.ndarray
    code_words: np.ndarray
    inverse_scales: np.ndarray
    products: np.ndarray
    row_squares: np.ndarray
    margin_ratios: np.ndarray
    window_inverse_norms: np.ndarray
    bins: np.ndarray
    doubtful: np.ndarray
    progress: np.ndarray


def codes_shape(n_rows: int, n_columns: int) -> tuple[int, int, int]:
    """The shape of the codes."""
    return -(-n_rows // PANEL_ROWS), -(-n_columns // WORD_COLUMNS), PANEL_ROWS


def allocate_copy(n_rows: int, n_columns: int, codes: np.ndarray) -> QuantisedCopy:
    """Room for a copy, to be filled by `arranging_pass`, with some for the codes; memory is taken only for
    the panels that are quantised."""
    panels = -(-n_rows // PANEL_ROWS)
    n_padded = -(-n_columns // WORD_COLUMNS) * WORD_COLUMNS
    margin_bounds, code_bytes = np.zeros(PANEL_ROWS, np.float32), np.zeros((PANEL_ROWS, n_padded), np.int8)
    scaled_values, scaled_drift = (
        np.full((PANEL_ROWS, n_padded), ROUNDING_OFFSET),
        np.zeros(n_padded + 1, np.float32),
    )
    return QuantisedCopy(
        codes=codes,
        default_scales=np.zeros(n_padded, np.float32),
        own_scales=np.empty((panels, n_padded), np.float32),
        has_own_scales=np.zeros(panels, np.bool_),
        slots=np.full(panels, -1, np.int32),
        slots_used=np.zeros(1, np.int64),
        order=np.empty(n_rows, np.int32),
        inverse_norms=np.zeros(panels * PANEL_ROWS, np.float32),
        reference_margins=np.zeros(panels * PANEL_ROWS, np.float32),
        slack=np.full(panels, -np.inf),
        reference=np.zeros(n_columns + 1),
        drift=np.zeros(n_columns + 1),
        mean_weights=np.zeros(n_columns + 1),
        drift_scalars=np.zeros(6),
        scaled_drift=scaled_drift,
        factors=np.zeros(n_padded, np.int16),
        margin_bounds=margin_bounds,
        margin_bounds_bits=margin_bounds.view(np.int32),
        scaled_drift_bits=scaled_drift.view(np.int32),
        scaled_values=scaled_values,
        scaled_values_bits=scaled_values.view(np.int32),
        code_bytes=code_bytes,
        code_words=code_bytes.view(np.int32),
        inverse_scales=np.zeros(n_padded, np.float32),
        products=np.zeros(PANEL_ROWS, np.int32),
        row_squares=np.zeros(WINDOW_ROWS),
        margin_ratios=np.zeros(WINDOW_ROWS),
        window_inverse_norms=np.zeros(WINDOW_ROWS),
        bins=np.zeros(WINDOW_ROWS, np.int32),
        doubtful=np.empty(WINDOW_ROWS, np.int32),
        progress=np.zeros(2, np.int64),
    )


def share_copy(packed: QuantisedCopy, signs: np.ndarray) -> QuantisedCopy:
    """The same rows with other signs, for another learner; panels that either quantises serve both."""
    scratch = allocate_copy(0, packed.reference.shape[0] - 1, packed.codes)
    shared = {name: getattr(packed, name) for name in SHARED_FIELDS}
    inverse_norms = np.abs(packed.inverse_norms)
    inverse_norms[: len(signs)] *= signs[packed.order]
    return scratch._replace(
        **shared,
        inverse_norms=inverse_norms,
        reference_margins=np.zeros_like(packed.reference_margins),
        slack=np.full(len(packed.slack), -np.inf),
    )


@kernel
def measure_drift(
    reference: np.ndarray, weights: np.ndarray, drift: np.ndarray, drift_scalars: np.ndarray
) -> float:
    """δ into ``drift``; c, the slack that a row must have had at the reference to be right now, rounding
    included, and ‖w‖ into ``drift_scalars``. Returns the second of these."""
    inner_product = 0.0
    reference_square = 0.0
    weights_square = 0.0
    for j in range(weights.shape[0]):
        inner_product += reference[j] * weights[j]
        reference_square += reference[j] * reference[j]
        weights_square += weights[j] * weights[j]
    is_in_range = 1e-200 <= weights_square <= 1e200
    has_small_turn = (
        is_in_range
        and 1e-200 <= reference_square <= 1e200
        and inner_product > 1e-3 * np.sqrt(reference_square) * np.sqrt(weights_square)
    )
    reference_multiple = inner_product / reference_square if has_small_turn else 0.0
    drift_square = 0.0
    for j in range(weights.shape[0]):
        drift[j] = weights[j] - reference_multiple * reference[j]
        drift_square += drift[j] * drift[j]
    rounding = (weights.shape[0] + 8) * 1e-15
    drift_scalars[NORM] = np.sqrt(weights_square) if is_in_range else np.inf
    drift_scalars[COSINE] = (
        reference_multiple * np.sqrt(reference_square) / drift_scalars[NORM] if has_small_turn else 0.0
    )
    drift_scalars[MIN_SLACK] = np.inf
    drift_scalars[DEFAULT_SCALES] = 0.0
    if has_small_turn:
        drift_scalars[MIN_SLACK] = (
            (np.sqrt(drift_square) / drift_scalars[NORM] + rounding) * (1.0 + 1e-9) / drift_scalars[COSINE]
        )
    return drift_scalars[MIN_SLACK]


@kernel
def quantise_drift(
    scales: np.ndarray,
    bias: float,
    drift: np.ndarray,
    values: np.ndarray,
    values_bits: np.ndarray,
    factors: np.ndarray,
    drift_scalars: np.ndarray,
) -> float:
    """The drift times the scales in whole steps, whose size goes into ``drift_scalars``; returns the error
    bound of a sum made with them and begun with the bias."""
    columns = drift.shape[0]
    inverse_norm = 1.0 / drift_scalars[NORM]
    absolute_sum = np.float32(0.0)
    for j in range(columns - 1):
        values[j] = np.float32(drift[j] * inverse_norm) * scales[j]
        absolute_sum += abs(values[j]) + MIN_DRIFT * scales[j]
    max_bits = np.int32(0)  # bits of positive floats are ordered as the floats are
    for j in range(scales.shape[0]):
        magnitude = np.int32(values_bits[j] & MAGNITUDE_BITS)
        max_bits = magnitude if magnitude > max_bits else max_bits
    values_bits[-1] = max_bits
    resolution = max(float(values[-1]) / MAX_FACTOR, float(absolute_sum) * 2.0**-23, 1e-30)
    inverse_resolution = np.float32(1.0 / resolution)
    for j in range(columns - 1):
        values[j] = values[j] * inverse_resolution + ROUNDING_OFFSET
    for j in range(scales.shape[0]):
        factors[j] = np.int16(values_bits[j])
    for j in range(columns - 1, scales.shape[0]):
        values[j] = 0.0
    drift_scalars[RESOLUTION] = resolution
    terms = columns + 16.0
    error_bound = (
        float(absolute_sum) * (0.5 + terms * 1e-5)
        + columns * 66.0 * resolution
        + abs(bias) * terms * 2.0**-23
    )
    return error_bound * (1.0 + 2e-6) if absolute_sum <= 1e15 and abs(bias) <= 1e15 else np.inf
