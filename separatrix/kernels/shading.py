"""Rosenblatt's rule on rows with a shadow: those it vouches for are not read."""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.drawing import draw_panel
from separatrix.kernels.row import row_add, row_dot
from separatrix.kernels.shadow import (
    BASED,
    LOOKS,
    PANEL,
    PANELS,
    PLACE,
    WINDOW,
    Shadow,
    scale_panel,
    score_panel,
    turned,
)

MANY = 64  # doubtful rows in a window from which on all its rows are read


@kernel
def doubts(X: np.ndarray, place: int, constant: float, weights: np.ndarray, shadow: Shadow) -> int:
    """The rows in doubt, in row order, of the first window from row ``place`` on that has any.

    Returns how many; ``shadow.progress[PLACE]`` becomes the row after that window.
    """
    n = shadow.order.shape[0]
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
            if shadow.drawn[p] == 0:
                draw_panel(X, p, shadow)
            progress[LOOKS] += 1
            least = score_panel(shadow, p, bias, scale_panel(p, bias, weights, shadow.units, shadow.scaled))
            if not again:
                near[q] = least
            if least > 0.0:
                continue
            for r in range(min(PANEL, n - p * PANEL)):
                i = shadow.order[p * PANEL + r]
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

    The loop that reads a row is that of `sweep`, term for term, so the same weights come out to the last bit.
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
