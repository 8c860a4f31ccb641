"""A quantised copy of dense rows: 8 bits a value, enough to tell for nearly every row on which side it lies.

**Reference.** These are weights a at which t = s·a·z/‖a‖‖z‖ is known of every row. For λ ≥ 0, δ = w − λa and
c = λ‖a‖/‖w‖

    s·w·z/‖w‖‖z‖ = c·t + s·δ·z/‖w‖‖z‖,   (1)

so that only what δ adds has to be found out. λ = w·a/‖a‖² makes δ short where the weights have turned little:
that they grow longer does not count. Weights that go on making mistakes wander about a middle, so the mean of
those of a pass is a better reference than any of them. Any length above ‖z‖ serves as well as ‖z‖, and the
one that was noted, rounded up in float32, stands for it throughout.

**Panels.** Rows are put into panels of 64 by their t, within windows of 1024, so that few panels hold all
those near the plane. Where t ≥ slack for all rows of a panel, the above is at least c·slack − ‖δ‖/‖w‖.
`sweep` makes it with an error of at most (d + 3)·2⁻⁵³(1 + …). So while

    slack > (‖δ‖/‖w‖ + (d + 9)·10⁻¹⁵)/c   (2)

no row of the panel is a mistake, and none is looked at.

**Values.** Column j of a panel has a scale u_j, and a value is kept as a whole number of scales from −128 to
127: the nearest, but for three roundings to float32 of numbers below 128 (of the value, of 1/u_j, of their
product), each less than 8·10⁻⁶. So

    |x_ij − q_ij u_j| ≤ (½ + 5·10⁻⁵)u_j.   (3)

With v_j = δ_j u_j/‖w‖ and A = Σ|v_j|, δ·x_i/‖w‖ is within (½ + 5·10⁻⁵)A of Σ v_j q_ij. Most panels have the
default scales, which leave room above the largest values of the first window; a panel with a value beyond has
scales of its own.

**Whole numbers.** v_j is made a whole number k_j of steps g, at most 32,701 of them, so that Σ v_j q_ij is
within

    128·d·0.51g   (4)

of g·Σ k_j q_ij: half a step, and less than a hundredth where float32 rounds v_j/g. The sum is one of whole
numbers and exact (`int8_product_kernels`): g ≥ A/2²³ keeps it below 128(2²³ + 2d) < 2³¹, the rounding of A
included.

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

import numpy as np

from separatrix.algorithms.perceptrons.skipping.quantised_state_kernels import ROUNDING_OFFSET, Drift
from separatrix.kernels import kernel

MIN_DRIFT = np.float32(1e-35)
MAX_FACTOR = 32700.0
MAGNITUDE_BITS = 2**31 - 1  # the bits of a float32 without that of its sign


@kernel
def measure_drift(reference: np.ndarray, weights: np.ndarray, drift: Drift) -> float:
    """δ, c, the slack that a row must have had at the reference to be right now, and ‖w‖ into ``drift``.
    Returns that slack, rounding included."""
    sizes = drift.sizes
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
        drift.weights[j] = weights[j] - reference_multiple * reference[j]
        drift_square += drift.weights[j] * drift.weights[j]
    rounding = (weights.shape[0] + 8) * 1e-15
    sizes["norm"] = np.sqrt(weights_square) if is_in_range else np.inf
    sizes["cosine"] = (
        reference_multiple * np.sqrt(reference_square) / sizes["norm"] if has_small_turn else 0.0
    )
    sizes["min_slack"] = np.inf
    sizes["has_default_scales"] = False
    if has_small_turn:  # (2) above
        sizes["min_slack"] = (
            (np.sqrt(drift_square) / sizes["norm"] + rounding) * (1.0 + 1e-9) / sizes["cosine"]
        )
    return sizes["min_slack"]


@kernel
def quantise_drift(scales: np.ndarray, bias: float, drift: Drift) -> float:
    """The drift times the scales in whole steps, whose size goes into ``drift``; returns the error bound of a
    sum made with them and begun with the bias."""
    values, values_bits, factors, sizes = drift.scaled, drift.scaled_bits, drift.factors, drift.sizes
    columns = drift.weights.shape[0]
    inverse_norm = 1.0 / sizes["norm"]
    absolute_sum = np.float32(0.0)
    for j in range(columns - 1):
        values[j] = np.float32(drift.weights[j] * inverse_norm) * scales[j]
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
    sizes["resolution"] = resolution
    terms = columns + 16.0
    error_bound = (  # (3) above, (4), and what is lost in float32
        float(absolute_sum) * (0.5 + terms * 1e-5)
        + columns * 66.0 * resolution
        + abs(bias) * terms * 2.0**-23
    )
    return error_bound * (1.0 + 2e-6) if absolute_sum <= 1e15 and abs(bias) <= 1e15 else np.inf
