"""How a quantised copy is made: a pass puts the rows in order by how near the plane they are."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.perceptrons.skipping.angle_bound_kernels import round_up, update_largest
from separatrix.algorithms.perceptrons.skipping.quantised_state_kernels import (
    PANEL_ROWS,
    ROUNDING_OFFSET,
    WINDOW_PANELS,
    WINDOW_ROWS,
    PanelScratch,
    QuantisedCopy,
    WindowScratch,
)
from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot

LOWEST_BITS = 0x4B400000 - 128  # the bits of ROUNDING_OFFSET, less 128
DEFAULT_SCALE_FACTOR = 1.6 / 127  # the default scales over the largest values of the first window
OWN_SCALE_FACTOR = 1.001 / 127  # a panel's own over its largest values
MIN_SCALE, MAX_SCALE = np.float32(1e-30), np.float32(1e36)
BINS = 128
BATCH_ROWS = 32  # rows whose scores are made before the first of them is looked at: memory runs ahead then
UNKNOWN_MARGIN_VALUE = -1e30
MIN_CODED_SQUARE_VALUE, MAX_CODED_SQUARE_VALUE = 1e-30, 1e30  # ‖z‖²


@kernel
def score_rows(
    X: np.ndarray,
    reference: np.ndarray,
    weights: np.ndarray,
    row_squares: np.ndarray,
    reference_scores: np.ndarray,
    scores: np.ndarray,
) -> int:
    """‖x‖², x·a and x·w of some rows in one reading; returns how many there are."""
    for i in range(X.shape[0]):
        row = X[i]
        row_square, reference_score, score = 0.0, 0.0, 0.0
        for j in range(row.shape[0]):
            value = np.float64(row[j])  # float() of a float32 is one in numba
            row_square += value * value
            reference_score += value * reference[j]
            score += value * weights[j]
        row_squares[i], reference_scores[i], scores[i] = row_square, reference_score, score
    return X.shape[0]


@kernel
def count_near(
    signs: np.ndarray,
    bias: float,
    constant_square: float,
    error_bound: float,
    row_squares: np.ndarray,
    scores: np.ndarray,
) -> int:
    """Margins in the place of the scores, -inf where they are not beyond the error bound, in shares of ‖z‖,
    or z is too short or too long to tell; returns how many."""
    n_near = 0
    for i in range(scores.shape[0]):
        square = row_squares[i] + constant_square
        margin = float(signs[i]) * (scores[i] + bias)
        is_certain = (square >= MIN_CODED_SQUARE_VALUE) & (square <= MAX_CODED_SQUARE_VALUE) & (margin > 0.0)
        is_certain &= margin * margin > error_bound * error_bound * square
        scores[i] = margin if is_certain else -np.inf
        n_near += not is_certain
    return n_near


@kernel
def compute_margin_ratios(
    signs: np.ndarray,
    bias: float,
    constant_square: float,
    row_squares: np.ndarray,
    squares: np.ndarray,
    inverse_norms: np.ndarray,
    margin_ratios: np.ndarray,
) -> float:
    """‖x‖² rounded up, s/‖z‖, and s·a·z/‖z‖ in the place of the scores, 0 and -inf where the row must be
    read; returns the sum of the positive ones."""
    total = 0.0
    for i in range(margin_ratios.shape[0]):
        squares[i] = round_up(row_squares[i])
        square = float(squares[i]) + constant_square
        inverse_norm = float(signs[i]) / np.sqrt(square)
        ratio = (margin_ratios[i] + bias) * inverse_norm
        is_usable = (square >= MIN_CODED_SQUARE_VALUE) & (square <= MAX_CODED_SQUARE_VALUE)
        inverse_norms[i] = inverse_norm if is_usable else 0.0
        is_usable &= ratio < np.inf
        margin_ratios[i] = ratio if is_usable else -np.inf
        total += ratio if is_usable & (ratio > 0.0) else 0.0
    return total


@kernel
def norm_or_infinity(weights: np.ndarray) -> float:
    """‖w‖, or infinity where its square is near overflow or underflow."""
    square = 0.0
    for j in range(weights.shape[0]):
        square += weights[j] * weights[j]
    return np.sqrt(square) if 1e-200 <= square <= 1e200 else np.inf


@kernel
def sweep_window(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    steps: np.ndarray,
    constant: float,
    reference: np.ndarray,
    window: WindowScratch,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over the rows of a window, whose lengths and ratios at the reference are left behind; returns
    the number of mistakes."""
    n = signs.shape[0]
    row_squares, margin_ratios = window.row_squares, window.margin_ratios
    rounding = (weights.shape[0] + 8) * 1e-15
    error_bound = rounding * norm_or_infinity(weights)
    batch_scores = np.empty(BATCH_ROWS)
    mistakes = 0
    start = 0
    while start < n:
        part = slice(start, min(start + BATCH_ROWS, n))
        scores = batch_scores[: part.stop - part.start]
        score_rows(X[part], reference, weights, row_squares[part], margin_ratios[part], scores)
        start = part.stop
        if not count_near(
            signs[part], weights[-1] * constant, constant * constant, error_bound, row_squares[part], scores
        ):
            continue
        for i in range(part.start, part.stop):
            if scores[i - part.start] > 0.0:
                continue
            # So near the plane that another order of summation could differ: `sweep` has the word.
            s = float(signs[i])
            if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
                row_add(X, i, steps[mistakes] * s, weights)
                weights[-1] += steps[mistakes] * s * constant
                counts[i] += 1
                mistakes += 1
                error_bound = rounding * norm_or_infinity(weights)
                start = i + 1
                break
    return mistakes


@kernel
def arrange_window(
    first: int, total: float, margin_ratios: np.ndarray, bins: np.ndarray, order: np.ndarray
) -> int:
    """The rows of a window, numbered from ``first``, those with little slack first; returns how many are in
    the first of the bins. ``total`` is the sum of the positive ratios."""
    n = order.shape[0]
    mean_ratio = total / n
    bins_per_ratio = 32.0 / mean_ratio if 1e-200 < mean_ratio < 1e200 else 0.0
    for i in range(n):
        bin_position = margin_ratios[i] * bins_per_ratio if margin_ratios[i] > 0.0 else 0.0
        bins[i] = np.int32(bin_position if bin_position < BINS - 1.0 else BINS - 1.0)
    starts = np.zeros(BINS + 1, np.int64)
    for i in range(n):
        starts[bins[i] + 1] += 1
    first_bin_rows = starts[1]
    for b in range(BINS):
        starts[b + 1] += starts[b]
    for i in range(n):
        b = bins[i]
        order[starts[b]] = first + i
        starts[b] += 1
    return first_bin_rows


@kernel
def record_margins(first: int, inverse_reference_norm: float, is_new: bool, packed: QuantisedCopy) -> int:
    """t of the rows of a window, which is its ratio times the share, and the slack of its panels; s/‖z‖ where
    the order is new. Returns the panel after the last."""
    order, reference, bounds = packed.panels.order, packed.reference, packed.bounds
    margins, margin_ratios = reference.margins, packed.window.margin_ratios
    n = order.shape[0]
    stop = min(first + WINDOW_ROWS, n)
    for k in range(first, stop):
        margin = margin_ratios[order[k] - first] * inverse_reference_norm
        margins[k] = np.float32(margin if margin > UNKNOWN_MARGIN_VALUE else UNKNOWN_MARGIN_VALUE)
    if is_new:
        for k in range(first, stop):
            reference.inverse_norms[k] = np.float32(packed.window.inverse_norms[order[k] - first])
    margins_bits = margins.view(np.int32)
    rounding = (reference.weights.shape[0] + 9) * 1e-15
    stop_panel = (stop + PANEL_ROWS - 1) // PANEL_ROWS
    for p in range(first // PANEL_ROWS, stop_panel):
        part_bits = margins_bits[p * PANEL_ROWS : min((p + 1) * PANEL_ROWS, n)]
        lowest = part_bits[0]
        for r in range(part_bits.shape[0]):  # as for `bound_panel_margins`
            lowest = part_bits[r] if part_bits[r] < lowest else lowest
        bounds.lower_bits[0] = lowest
        least = float(bounds.lower[0])
        reference.slack[p] = least * (1.0 - 1e-6) - rounding if lowest > 0 else -np.inf
    return stop_panel


@kernel
def choose_scales(X: np.ndarray, rows: np.ndarray, share: float, scales: np.ndarray) -> int:
    """A share of the largest absolute values of some rows; returns how many columns there are."""
    scales[:] = 0.0
    for r in range(rows.shape[0]):
        row = X[rows[r]]
        for j in range(row.shape[0]):
            scales[j] = max(scales[j], abs(np.float32(row[j])))
    for j in range(scales.shape[0]):
        scales[j] = max(scales[j] * np.float32(share), MIN_SCALE)
    return X.shape[1]


@kernel
def quantise_values(X: np.ndarray, rows: np.ndarray, scales: np.ndarray, quantising: PanelScratch) -> bool:
    """The values of some rows in whole numbers of the scales, into ``code_bytes``; whether those are from
    -128 to 127."""
    inverse_scales, scaled_values = quantising.inverse_scales, quantising.scaled_values
    scaled_values_bits, code_bytes = quantising.scaled_values_bits, quantising.code_bytes
    for j in range(scales.shape[0]):
        inverse_scales[j] = np.float32(1.0) / scales[j]
    for r in range(rows.shape[0]):
        row, scaled_row = X[rows[r]], scaled_values[r]
        for j in range(row.shape[0]):
            scaled_row[j] = np.float32(row[j]) * inverse_scales[j] + ROUNDING_OFFSET
    for r in range(rows.shape[0], PANEL_ROWS):
        scaled_values[r] = ROUNDING_OFFSET
    # In two loops, so that each is over many values at a time.
    combined = np.int32(0)
    for k in range(scaled_values_bits.shape[0]):
        value_bits = scaled_values_bits[k]
        combined = np.int32(combined | np.int32(value_bits - LOWEST_BITS))
        code_bytes[k] = np.int8(value_bits)  # the lowest byte
    return bool(0 <= combined < 256)


@kernel
def quantise_panels(X: np.ndarray, first: int, stop: int, max_slack: float, packed: QuantisedCopy) -> int:
    """The codes of those panels from ``first`` to ``stop`` that have none, and no more slack than
    ``max_slack``, with scales of their own where the default ones do not hold the values; returns how many
    have codes now."""
    # Everything is taken out of the copy before the loop: for every panel that would take as long again.
    panels, slack, quantising = packed.panels, packed.reference.slack, packed.quantising
    order, slots, has_own_scales, codes = panels.order, panels.slots, panels.has_own_scales, panels.codes
    default_scales, own_scales, code_words = panels.default_scales, panels.own_scales, quantising.code_words
    slot = panels.slots_used[0]
    for p in range(first, stop):
        if slots[p] >= 0 or not slack[p] <= max_slack:
            continue
        rows = order[p * PANEL_ROWS : min((p + 1) * PANEL_ROWS, order.shape[0])]
        has_own_scales[slot] = not quantise_values(X, rows, default_scales, quantising)
        if has_own_scales[slot]:
            choose_scales(X, rows, OWN_SCALE_FACTOR, own_scales[slot])
            quantise_values(X, rows, own_scales[slot], quantising)
        for q in range(codes.shape[1]):
            column = codes[slot, q]
            for r in range(PANEL_ROWS):
                column[r] = code_words[r, q]
        slots[p] = slot
        slot += 1
    panels.slots_used[0] = slot
    return slot


@kernel
def arranging_pass(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    steps: np.ndarray,
    constant: float,
    centre: np.ndarray,
    largest: np.ndarray,
    is_new: bool,
    max_slack: float,
    packed: QuantisedCopy,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over all rows in order and `norms` in one reading, noting how far each row is from the
    reference plane; returns the number of mistakes.

    If ``is_new`` the rows are put in order, and panels with no more slack than ``max_slack`` are quantised
    while their rows are in the cache, the others when they are read. Otherwise they stay in the order that
    they have. ``steps`` is as long as a window, and the mean of the weights after each window is kept with
    the reference.
    """
    panels, reference, scratch = packed.panels, packed.reference, packed.window
    n = panels.order.shape[0]
    windows = (n + WINDOW_ROWS - 1) // WINDOW_ROWS
    inverse_reference_norm = 1.0 / norm_or_infinity(reference.weights)  # 0 where nothing is known there
    threshold = -1.0
    mistakes = 0
    reference.mean_weights[:] = 0.0
    if is_new:
        panels.slots[:] = -1
        panels.slots_used[0] = 0
        choose_scales(X, np.arange(min(WINDOW_ROWS, n)), DEFAULT_SCALE_FACTOR, panels.default_scales)
        for j in range(panels.default_scales.shape[0]):
            panels.default_scales[j] = min(panels.default_scales[j], MAX_SCALE)
    for window in range(windows):
        part = slice(window * WINDOW_ROWS, min((window + 1) * WINDOW_ROWS, n))
        window_arguments = (X[part], signs[part], squares[part], steps, constant, reference.weights, scratch)
        mistakes += sweep_window(*window_arguments, counts[part], weights)
        n_above = 0
        for k in range(part.stop - part.start):
            n_above += not scratch.row_squares[k] <= threshold
        if n_above:
            threshold = update_largest(X, part.start, part.stop, scratch.row_squares, centre, largest)
        for j in range(weights.shape[0]):
            reference.mean_weights[j] += weights[j] / windows
        arguments = (signs[part], reference.weights[-1] * constant, constant * constant, scratch.row_squares)
        margin_ratios = scratch.margin_ratios[: part.stop - part.start]
        total = compute_margin_ratios(*arguments, squares[part], scratch.inverse_norms, margin_ratios)
        if is_new:
            arrange_window(part.start, total, scratch.margin_ratios, scratch.bins, panels.order[part])
        stop_panel = record_margins(part.start, inverse_reference_norm, is_new, packed)
        if is_new:
            quantise_panels(X, window * WINDOW_PANELS, stop_panel, max_slack, packed)
    return mistakes
