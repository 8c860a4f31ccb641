"""Rosenblatt's rule on rows with a shadow: those it vouches for are not read.

In the end `quantised_certain_signs` tells the rows that are right for certain. A row that is not read has
s·w·z ≥ c(slack − need)‖w‖‖z‖, need being what `turned` returns, or ‖w‖‖z‖ times what `look_at` leaves, as
`quantised_kernels` says; of a row that is read `skipping_certain_signs` has the error.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.perceptrons.skipping.angle_bound_signs_kernels import square_of
from separatrix.algorithms.perceptrons.skipping.int8_product_kernels import add_products
from separatrix.algorithms.perceptrons.skipping.quantise_kernels import quantise_panels
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import (
    COSINE,
    DOUBT,
    GRAIN,
    LENGTH,
    LOOKS,
    MAGNITUDE,
    NEED,
    PANEL,
    PANELS,
    PLACE,
    USUAL,
    WINDOW,
    QuantisedCopy,
    scale_units,
    turned,
)
from separatrix.kernels import inner_kernel, kernel
from separatrix.kernels.certain_signs import LONG, LOWEST, SHORT
from separatrix.kernels.row import row_add, row_dot

MANY = 64  # doubtful rows in a window from which on all its rows are read


@kernel
def fit_units(
    k: int,
    bias: float,
    usual: np.ndarray,
    units: np.ndarray,
    own: np.ndarray,
    drift: np.ndarray,
    scaled: np.ndarray,
    grains: np.ndarray,
    factors: np.ndarray,
    turn: np.ndarray,
) -> float:
    """`scale_units` with the units of a panel that has been drawn; returns the doubt, which ``turn`` has
    too."""
    start = bias / turn[LENGTH]
    if own[k]:
        turn[DOUBT] = scale_units(units[k], start, drift, scaled, grains, factors, turn)
    else:
        turn[DOUBT] = scale_units(usual, start, drift, scaled, grains, factors, turn)
    turn[USUAL] = not own[k]
    if not turn[LENGTH] < np.inf:
        turn[DOUBT] = np.inf
    return turn[DOUBT]


@inner_kernel
def look_at(
    p: int,
    bias: float,
    drawn: np.ndarray,
    codes: np.ndarray,
    factor: np.ndarray,
    stood: np.ndarray,
    factors: np.ndarray,
    turn: np.ndarray,
    products: np.ndarray,
    bounds: np.ndarray,
    bits: np.ndarray,
) -> bool:
    """Lower bounds on s·w·z/‖w‖‖z‖ of the rows of a panel, whose units are fitted, into ``bounds``: none is
    positive where the doubt is infinite. Returns whether all are."""
    add_products(codes, drawn[p], factors, products)
    place, margin, grain = np.uint64(p * PANEL), np.float32(turn[DOUBT]), np.float32(turn[GRAIN])
    first, along = np.float32(bias / turn[LENGTH]), np.float32(turn[COSINE])
    for r in range(np.uint64(PANEL)):
        total = first + grain * np.float32(products[r])
        f = factor[place + r]
        bounds[r] = along * stood[place + r] + total * f - margin * abs(f) - np.float32(1e-6)
    # Bits of positive floats are ordered as the floats are, and those of negative ones are negative integers:
    # a minimum of integers is found many at a time, one of floats is not, nor one in a loop of known length.
    lowest = bits[0]
    for r in range(bits.shape[0]):
        lowest = bits[r] if bits[r] < lowest else lowest
    return lowest > 0 and turn[DOUBT] < np.inf


@kernel
def in_row_order(place: int, stop: int, found: int, rows: np.ndarray) -> int:
    """So many doubtful rows of those from ``place`` to ``stop`` in order, or all of them where they are many;
    returns how many."""
    if found > MANY:
        for r in range(stop - place):
            rows[r] = place + r
        return stop - place
    for k in range(1, found):
        i = rows[k]
        q = k
        while q > 0 and rows[q - 1] > i:
            rows[q] = rows[q - 1]
            q -= 1
        rows[q] = i
    return found


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
    """`sweep` over all rows in order, without reading those that the shadow vouches for.

    The loop that reads a row is that of `sweep`, term for term.
    The first row is ``packed.progress[PLACE]``, and it stops early when ``steps`` are used up.
    """
    # As for `quantise_panels`: the loop takes nothing out of the shadow.
    order, slack, drawn, codes, own = packed.order, packed.slack, packed.drawn, packed.codes, packed.own
    usual, units, factor, stood = packed.usual, packed.units, packed.factor, packed.stood
    reference, drift, turn, scaled, grains = (
        packed.reference,
        packed.drift,
        packed.turn,
        packed.scaled,
        packed.grains,
    )
    factors, products, sums, bits = packed.factors, packed.products, packed.sums, packed.bits
    rows, place, looks = packed.doubtful, packed.progress[PLACE], packed.progress[LOOKS]
    n = order.shape[0]
    mistakes = 0
    turned(reference, weights, drift, turn)
    while place < n and mistakes < steps.shape[0]:
        stop = min((place // WINDOW + 1) * WINDOW, n)
        found = 0
        for p in range(place // WINDOW * PANELS, (stop + PANEL - 1) // PANEL):
            if slack[p] > turn[NEED]:
                continue
            if drawn[p] < 0:
                quantise_panels(X, p, p + 1, np.inf, packed)
            looks += 1
            bias, k = drift[-1] * constant, drawn[p]
            if own[k] or not turn[USUAL] > 0.0:
                fit_units(k, bias, usual, units, own, drift, scaled, grains, factors, turn)
            if look_at(p, bias, drawn, codes, factor, stood, factors, turn, products, sums, bits):
                continue
            for r in range(min(PANEL, n - p * PANEL)):
                i = order[p * PANEL + r]
                if i >= place and not sums[r] > 0.0:
                    rows[found] = i
                    found += 1
        found = in_row_order(place, stop, found, rows)
        place = stop
        for k in range(found):
            i = rows[k]
            s = float(signs[i])
            if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
                row_add(X, i, steps[mistakes] * s, weights)
                weights[-1] += steps[mistakes] * s * constant
                counts[i] += 1
                mistakes += 1
                turned(reference, weights, drift, turn)
                place = i + 1
                break  # a mistake changes what the shadow can vouch for
    packed.progress[PLACE], packed.progress[LOOKS] = place, looks
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
    """`skipping_certain_signs` by the shadow: the rows in doubt into ``doubtful``; returns how many."""
    n = packed.order.shape[0]
    turn = packed.turn
    length = 0.0
    for j in range(weights.shape[0]):
        length += weights[j] * weights[j]
    sound = length > SHORT and length < LONG
    length = np.sqrt(length) * (1.0 - 1e-9)
    unit = length * (1.0 + 1e-8) * (X.shape[1] + 9) * 2.0**-52
    factor, order, sums, bits = packed.factor, packed.order, packed.sums, packed.bits
    drawn, codes, own, usual, units = packed.drawn, packed.codes, packed.own, packed.usual, packed.units
    stood, drift, scaled, grains = packed.stood, packed.drift, packed.scaled, packed.grains
    factors, products = packed.factors, packed.products
    sizes = factor.view(np.int32)
    open_rows = 0
    turned(packed.reference, weights, packed.drift, turn)
    for p in range(packed.slack.shape[0]):
        left = packed.slack[p] - turn[NEED]
        part = sizes[p * PANEL : (p + 1) * PANEL]
        most = np.int32(0)  # as for `look_at`
        for r in range(part.shape[0]):
            size = np.int32(part[r] & MAGNITUDE)
            most = size if size > most else most
        bits[0] = most
        if left > 0.0 and left * turn[COSINE] * length * (1.0 - 1e-6) > found[LOWEST] * sums[0]:
            continue
        bias, k = drift[-1] * constant, drawn[p]
        if k < 0:
            sums[:] = 0.0
        else:
            fit_units(k, bias, usual, units, own, drift, scaled, grains, factors, turn)
            look_at(p, bias, drawn, codes, factor, stood, factors, turn, products, sums, bits)
        for r in range(min(PANEL, n - p * PANEL)):
            low = float(sums[r]) * length * (1.0 - 1e-6)
            if low > 0.0 and low > found[LOWEST] * abs(factor[p * PANEL + r]):
                continue
            i = order[p * PANEL + r]
            square = square_of(X, i, squares) + constant * constant
            margin = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant)
            if sound and square > SHORT and square < LONG and margin > unit * np.sqrt(square):
                found[LOWEST] = min(found[LOWEST], margin)
            else:
                doubtful[open_rows] = i
                open_rows += 1
    return open_rows
