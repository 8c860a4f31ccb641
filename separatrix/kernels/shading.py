"""Rosenblatt's rule on rows with a shadow: those it vouches for are not read.

In the end `shaded_census` tells the rows that are right for certain. A row that is not read has s·w·z ≥
c(slack − need)‖w‖‖z‖, need being what `turned` returns, or ‖w‖‖z‖ times what `look_at` leaves, as
`separatrix.kernels.shadow` says; of a row that is read `reaching_census` has the error.
"""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.census import LOWEST, square_of
from separatrix.kernels.drawing import draw_panels
from separatrix.kernels.products import add_products
from separatrix.kernels.reach import LONG, SHORT
from separatrix.kernels.row import row_add, row_dot
from separatrix.kernels.shadow import (
    BASED,
    COSINE,
    GRAIN,
    LENGTH,
    LOOKS,
    MAGNITUDE,
    NEED,
    PANEL,
    PANELS,
    PLACE,
    WINDOW,
    Shadow,
    scale_units,
    turned,
)

MANY = 64  # doubtful rows in a window from which on all its rows are read


@kernel
def look_at(
    panels: np.ndarray,
    constant: float,
    drawn: np.ndarray,
    codes: np.ndarray,
    usual: np.ndarray,
    units: np.ndarray,
    own: np.ndarray,
    factor: np.ndarray,
    stood: np.ndarray,
    drift: np.ndarray,
    turn: np.ndarray,
    scaled: np.ndarray,
    grains: np.ndarray,
    factors: np.ndarray,
    products: np.ndarray,
    sums: np.ndarray,
    bits: np.ndarray,
    least: np.ndarray,
) -> int:
    """Lower bounds on s·w·z/‖w‖‖z‖ of the rows of some panels into ``sums``, none above 0 where a panel has
    not been drawn, and the least of each panel into ``least``, -inf if not positive; returns how many."""
    # It is given parts of the shadow one by one, and calls nothing for a panel but what is one instruction
    # after the other: to hand over so many arrays takes as long as a look.
    start = drift[-1] * constant / turn[LENGTH]
    sound = turn[LENGTH] < np.inf
    first, along = np.float32(start), np.float32(turn[COSINE])
    doubt, grain, fits = np.inf, np.float32(0.0), False  # the last: whether the drift is in the usual units
    for a in range(panels.shape[0]):
        p = panels[a]
        k = drawn[p]
        if k >= 0 and sound and (own[k] or not fits):
            given = units[k] if own[k] else usual
            doubt = scale_units(given, start, drift, scaled, grains, factors, turn)
            grain, fits = np.float32(turn[GRAIN]), not own[k]
        least[a] = -np.inf
        if not (k >= 0 and doubt < np.inf):
            sums[a] = 0.0
            continue
        add_products(codes, k, factors, products)
        bounds, wholes = sums[a], bits[a]
        place, margin = np.uint64(p * PANEL), np.float32(doubt)
        for r in range(np.uint64(PANEL)):
            total = first + grain * np.float32(products[r])
            f = factor[place + r]
            bounds[r] = along * stood[place + r] + total * f - margin * abs(f) - np.float32(1e-6)
        # Bits of positive floats are ordered as the floats are, and those of negative ones are negative
        # integers: a minimum of integers is found many at a time, one of floats is not, nor one in a loop of
        # known length.
        lowest = wholes[0]
        for r in range(wholes.shape[0] - 1):
            lowest = wholes[r] if wholes[r] < lowest else lowest
        wholes[PANEL] = lowest
        if lowest > 0:
            least[a] = float(bounds[PANEL])
    return panels.shape[0]


@kernel
def doubts(X: np.ndarray, place: int, constant: float, weights: np.ndarray, shadow: Shadow) -> int:
    """The rows in doubt, in row order, of the first window from row ``place`` on that has any.

    Returns how many; ``shadow.progress[PLACE]`` becomes the row after that window.
    """
    n = shadow.order.shape[0]
    rows, near, progress = shadow.doubtful, shadow.near, shadow.progress
    slack, drawn, drift, turn, sums = shadow.slack, shadow.drawn, shadow.drift, shadow.turn, shadow.sums
    again = progress[BASED] == place // WINDOW and place % WINDOW > 0
    moved = turned(shadow.base, weights, drift, turn) if again else 0.0
    fresh = False
    found = 0
    stop = place
    while found == 0 and stop < n:
        place = stop
        window = place // WINDOW
        stop = min((window + 1) * WINDOW, n)
        turned(shadow.anchor[window], weights, drift, turn)
        if not (again or fresh):
            fresh = True
            for j in range(weights.shape[0]):
                shadow.base[j] = weights[j]
        many = 0
        for p in range(window * PANELS, (stop + PANEL - 1) // PANEL):
            q = p - window * PANELS
            if not again:
                near[q] = -np.inf
            if slack[p] > turn[NEED] or near[q] > moved:
                continue
            if drawn[p] < 0:
                draw_panels(X, p, p + 1, np.inf, shadow)
            shadow.panels[many] = p
            many += 1
        given = (shadow.panels[:many], constant, drawn, shadow.codes, shadow.usual, shadow.units, shadow.own)
        room = (drift, turn, shadow.scaled, shadow.grains, shadow.factors, shadow.products, sums)
        progress[LOOKS] += look_at(*given, shadow.factor, shadow.stood, *room, shadow.bits, shadow.least)
        for a in range(many):
            p = shadow.panels[a]
            if not again:
                near[p - window * PANELS] = shadow.least[a]
            if shadow.least[a] > 0.0:
                continue
            for r in range(min(PANEL, n - p * PANEL)):
                i = shadow.order[p * PANEL + r]
                if i >= place and not sums[a, r] > 0.0:
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


@kernel
def shaded_sweep(
    X: np.ndarray,
    signs: np.ndarray,
    steps: np.ndarray,
    constant: float,
    shadow: Shadow,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep` over all rows in order, without reading those that the shadow vouches for.

    The loop that reads a row is that of `sweep`, term for term.
    The first row is ``shadow.progress[PLACE]``, and it stops early when ``steps`` are used up.
    """
    place = shadow.progress[PLACE]
    n = shadow.order.shape[0]
    mistakes = 0
    while place < n and mistakes < steps.shape[0]:
        rows = shadow.doubtful[: doubts(X, place, constant, weights, shadow)]
        place = shadow.progress[PLACE]
        for k in range(rows.shape[0]):
            i = rows[k]
            s = float(signs[i])
            if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
                row_add(X, i, steps[mistakes] * s, weights)
                weights[-1] += steps[mistakes] * s * constant
                counts[i] += 1
                mistakes += 1
                place = i + 1
                break  # a mistake changes what the shadow can vouch for
    shadow.progress[PLACE] = place
    return mistakes


@kernel
def shaded_census(
    X: np.ndarray,
    signs: np.ndarray,
    squares: np.ndarray,
    constant: float,
    shadow: Shadow,
    weights: np.ndarray,
    doubtful: np.ndarray,
    found: np.ndarray,
) -> int:
    """`reaching_census` by the shadow: the rows in doubt into ``doubtful``; returns how many."""
    n = shadow.order.shape[0]
    turn = shadow.turn
    length = 0.0
    for j in range(weights.shape[0]):
        length += weights[j] * weights[j]
    sound = length > SHORT and length < LONG
    length = np.sqrt(length) * (1.0 - 1e-9)
    unit = length * (1.0 + 1e-8) * (X.shape[1] + 9) * 2.0**-52
    sizes = shadow.factor.view(np.int32)
    open_rows = 0
    for window in range(shadow.anchor.shape[0]):
        turned(shadow.anchor[window], weights, shadow.drift, turn)
        many = 0
        for p in range(window * PANELS, min((window + 1) * PANELS, shadow.slack.shape[0])):
            left = shadow.slack[p] - turn[NEED]
            part = sizes[p * PANEL : (p + 1) * PANEL]
            most = np.int32(0)  # as for `look_at`
            for r in range(part.shape[0]):
                size = np.int32(part[r] & MAGNITUDE)
                most = size if size > most else most
            shadow.bits[0, 0] = most
            longest = shadow.sums[0, 0]
            if left > 0.0 and left * turn[COSINE] * length * (1.0 - 1e-6) > found[LOWEST] * longest:
                continue
            shadow.panels[many] = p
            many += 1
        given = (shadow.panels[:many], constant, shadow.drawn, shadow.codes)
        kept = (shadow.usual, shadow.units, shadow.own, shadow.factor, shadow.stood)
        room = (shadow.drift, turn, shadow.scaled, shadow.grains, shadow.factors, shadow.products)
        look_at(*given, *kept, *room, shadow.sums, shadow.bits, shadow.least)
        for a in range(many):
            p = shadow.panels[a]
            for r in range(min(PANEL, n - p * PANEL)):
                low = float(shadow.sums[a, r]) * length * (1.0 - 1e-6)
                if low > 0.0 and low > found[LOWEST] * abs(shadow.factor[p * PANEL + r]):
                    continue
                i = shadow.order[p * PANEL + r]
                square = square_of(X, i, squares) + constant * constant
                margin = float(signs[i]) * (row_dot(X, i, weights) + weights[-1] * constant)
                if sound and square > SHORT and square < LONG and margin > unit * np.sqrt(square):
                    found[LOWEST] = min(found[LOWEST], margin)
                else:
                    doubtful[open_rows] = i
                    open_rows += 1
    return open_rows
