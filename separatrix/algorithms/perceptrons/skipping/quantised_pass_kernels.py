"""Rosenblatt's rule on rows with a quantised copy: those that it proves right are not read.

In the end `quantised_certain_signs` tells the rows that are right for certain. A row that is not read has
s·w·z ≥ c(slack − min_slack)‖w‖‖z‖, where `measure_drift` returns min_slack, or ‖w‖‖z‖ times the bound that
`bound_panel_margins` leaves, as `quantised_kernels` says; of a row that is read `skipping_certain_signs` has
the error.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.perceptrons.skipping.angle_bound_signs_kernels import bound_row_square
from separatrix.algorithms.perceptrons.skipping.int8_product_kernels import add_products
from separatrix.algorithms.perceptrons.skipping.quantise_kernels import quantise_panels
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import (
    MAGNITUDE_BITS,
    measure_drift,
    quantise_drift,
)
from separatrix.algorithms.perceptrons.skipping.quantised_state_kernels import (
    PANEL_ROWS,
    WINDOW_PANELS,
    WINDOW_ROWS,
    Drift,
    MarginBounds,
    Panels,
    QuantisedCopy,
    Reference,
)
from separatrix.kernels import inner_kernel, kernel
from separatrix.kernels.certain_signs import LONG, LOWEST, SHORT
from separatrix.kernels.row import row_add, row_dot

MAX_SORTED_ROWS = 64  # doubtful rows in a window from which on all its rows are read


@kernel
def fit_scales(k: int, bias: float, panels: Panels, drift: Drift) -> float:
    """`quantise_drift` with the scales of a quantised panel; returns the error bound, which ``drift`` has
    too."""
    sizes = drift.sizes
    start = bias / sizes["norm"]
    if panels.has_own_scales[k]:
        sizes["error_bound"] = quantise_drift(panels.own_scales[k], start, drift)
    else:
        sizes["error_bound"] = quantise_drift(panels.default_scales, start, drift)
    sizes["has_default_scales"] = not panels.has_own_scales[k]
    if not sizes["norm"] < np.inf:
        sizes["error_bound"] = np.inf
    return sizes["error_bound"]


@inner_kernel
def bound_panel_margins(
    p: int, bias: float, panels: Panels, reference: Reference, drift: Drift, bounds: MarginBounds
) -> bool:
    """Lower bounds on s·w·z/‖w‖‖z‖ of the rows of a panel, whose scales are fitted, into ``bounds``: none is
    positive where the error bound is infinite. Returns whether all are."""
    inverse_norms, margins, sizes = reference.inverse_norms, reference.margins, drift.sizes
    products, lower, lower_bits = bounds.products, bounds.lower, bounds.lower_bits
    add_products(panels.codes, panels.slots[p], drift.factors, products)
    place, error_bound, resolution = (
        np.uint64(p * PANEL_ROWS),
        np.float32(sizes["error_bound"]),
        np.float32(sizes["resolution"]),
    )
    scaled_bias, cosine = np.float32(bias / sizes["norm"]), np.float32(sizes["cosine"])
    for r in range(np.uint64(PANEL_ROWS)):
        drift_margin = scaled_bias + resolution * np.float32(products[r])
        inverse_norm = inverse_norms[place + r]
        # (1) of `quantised_kernels`, less the error bound and a millionth
        lower[r] = (
            cosine * margins[place + r]
            + drift_margin * inverse_norm
            - error_bound * abs(inverse_norm)
            - np.float32(1e-6)
        )
    # Bits of positive floats are ordered as the floats are, and those of negative ones are negative integers:
    # a minimum of integers is found many at a time, one of floats is not, nor one in a loop of known length.
    lowest = lower_bits[0]
    for r in range(lower_bits.shape[0]):
        lowest = lower_bits[r] if lower_bits[r] < lowest else lowest
    return lowest > 0 and sizes["error_bound"] < np.inf


@kernel
def sort_doubtful_rows(place: int, stop: int, n_found: int, rows: np.ndarray) -> int:
    """So many doubtful rows of those from ``place`` to ``stop`` in order, or all of them where they are many;
    returns how many."""
    if n_found > MAX_SORTED_ROWS:
        for r in range(stop - place):
            rows[r] = place + r
        return stop - place
    for k in range(1, n_found):
        i = rows[k]
        q = k
        while q > 0 and rows[q - 1] > i:
            rows[q] = rows[q - 1]
            q -= 1
        rows[q] = i
    return n_found


@kernel
def quantised_pass(
    X: np.ndarray,
    signs: np.ndarray,
    steps: np.ndarray,
    constant: float,
    packed: QuantisedCopy,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over all rows in order, without reading those that the copy proves right.

    The loop that reads a row is that of `sweep`, term for term.
    The first row is ``packed.progress["next_row"]``, and it stops early when ``steps`` are used up.
    """
    # As for `quantise_panels`: the loop takes nothing out of the copy.
    panels, reference, drift, bounds = packed.panels, packed.reference, packed.drift, packed.bounds
    order, slots, has_own_scales, slack = panels.order, panels.slots, panels.has_own_scales, reference.slack
    sizes, doubtful, lower = drift.sizes, bounds.doubtful, bounds.lower
    place, panels_read = packed.progress["next_row"], packed.progress["panels_read"]
    n = order.shape[0]
    mistakes = 0
    measure_drift(reference.weights, weights, drift)
    while place < n and mistakes < steps.shape[0]:
        stop = min((place // WINDOW_ROWS + 1) * WINDOW_ROWS, n)
        found = 0
        for p in range(place // WINDOW_ROWS * WINDOW_PANELS, (stop + PANEL_ROWS - 1) // PANEL_ROWS):
            if slack[p] > sizes["min_slack"]:
                continue
            if slots[p] < 0:
                quantise_panels(X, p, p + 1, np.inf, packed)
            panels_read += 1
            bias, k = drift.weights[-1] * constant, slots[p]
            if has_own_scales[k] or not sizes["has_default_scales"]:
                fit_scales(k, bias, panels, drift)
            if bound_panel_margins(p, bias, panels, reference, drift, bounds):
                continue
            for r in range(min(PANEL_ROWS, n - p * PANEL_ROWS)):
                i = order[p * PANEL_ROWS + r]
                if i >= place and not lower[r] > 0.0:
                    doubtful[found] = i
                    found += 1
        found = sort_doubtful_rows(place, stop, found, doubtful)
        place = stop
        for k in range(found):
            i = doubtful[k]
            s = float(signs[i])
            if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
                row_add(X, i, steps[mistakes] * s, weights)
                weights[-1] += steps[mistakes] * s * constant
                counts[i] += 1
                mistakes += 1
                measure_drift(reference.weights, weights, drift)
                place = i + 1
                break  # a mistake changes what the copy can prove
    packed.progress["next_row"], packed.progress["panels_read"] = place, panels_read
    return mistakes


@kernel
def quantised_certain_signs(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    constant: float,
    packed: QuantisedCopy,
    weights: np.ndarray,
    doubtful: np.ndarray,
    found: np.ndarray,
) -> int:
    """`skipping_certain_signs` by the copy: the rows in doubt into ``doubtful``; returns how many."""
    panels, reference, drift, bounds = packed.panels, packed.reference, packed.drift, packed.bounds
    order, slots, slack, inverse_norms = panels.order, panels.slots, reference.slack, reference.inverse_norms
    sizes, lower, lower_bits = drift.sizes, bounds.lower, bounds.lower_bits
    n = order.shape[0]
    norm = 0.0
    for j in range(weights.shape[0]):
        norm += weights[j] * weights[j]
    is_in_range = norm > SHORT and norm < LONG
    norm = np.sqrt(norm) * (1.0 - 1e-9)
    relative_error = norm * (1.0 + 1e-8) * (X.shape[1] + 9) * 2.0**-52
    inverse_norms_bits = inverse_norms.view(np.int32)
    n_doubtful = 0
    measure_drift(reference.weights, weights, drift)
    for p in range(slack.shape[0]):
        remaining_slack = slack[p] - sizes["min_slack"]
        part = inverse_norms_bits[p * PANEL_ROWS : (p + 1) * PANEL_ROWS]
        max_bits = np.int32(0)  # as for `bound_panel_margins`
        for r in range(part.shape[0]):
            magnitude = np.int32(part[r] & MAGNITUDE_BITS)
            max_bits = magnitude if magnitude > max_bits else max_bits
        lower_bits[0] = max_bits
        if (
            remaining_slack > 0.0
            and remaining_slack * sizes["cosine"] * norm * (1.0 - 1e-6) > found[LOWEST] * lower[0]
        ):
            continue
        bias, k = drift.weights[-1] * constant, slots[p]
        if k < 0:
            lower[:] = 0.0
        else:
            fit_scales(k, bias, panels, drift)
            bound_panel_margins(p, bias, panels, reference, drift, bounds)
        for r in range(min(PANEL_ROWS, n - p * PANEL_ROWS)):
            margin_bound = float(lower[r]) * norm * (1.0 - 1e-6)
            if margin_bound > 0.0 and margin_bound > found[LOWEST] * abs(inverse_norms[p * PANEL_ROWS + r]):
                continue
            i = order[p * PANEL_ROWS + r]
            square = bound_row_square(X, i, squares) + constant * constant
            margin = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant)
            if is_in_range and square > SHORT and square < LONG and margin > relative_error * np.sqrt(square):
                found[LOWEST] = min(found[LOWEST], margin)
            else:
                doubtful[n_doubtful] = i
                n_doubtful += 1
    return n_doubtful
