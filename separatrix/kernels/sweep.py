"""Rosenblatt's rule: one visit to each row, the weights changed at every mistake."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot
from separatrix.kernels.shadow import NO_SHADOW, PANEL, Shadow, doubts


def sweep(
    X: Any,
    signs: np.ndarray,
    visit: np.ndarray,
    steps: np.ndarray,
    constant: float,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """w ← w + η s (x, constant) at each row of ``visit`` where s·score ≤ 0; returns the number of mistakes.

    ``steps[m]`` is the step of the m-th mistake made here; ``counts[i]`` grows with every mistake at row ``i``.
    """
    return visit_rows(X, signs, visit, steps, constant, NO_SHADOW, counts, weights)


@kernel
def visit_rows(
    X: Any,
    signs: np.ndarray,
    visit: np.ndarray,
    steps: np.ndarray,
    constant: float,
    shadow: Shadow,
    counts: np.ndarray,
    weights: np.ndarray,
) -> int:
    """`sweep`, reading only the rows that the shadow of ``visit`` cannot vouch for; all of them if it has no panels.

    Plain or not, rows are read by the same instructions, so the same weights come out to the last bit. With a
    shadow it may stop early, when ``steps`` are used up: ``shadow.place`` tells where.
    """
    shaded = shadow.codes.shape[0] > 0
    place = shadow.place[0]
    mistakes = 0
    while place < visit.shape[0] and mistakes < steps.shape[0]:
        if shaded:
            todo = shadow.rows[: doubts(visit, place, weights[-1] * constant, weights, shadow)]
            quota = mistakes + 1
        else:
            todo = visit
            quota = steps.shape[0]
        p = 0
        while p < todo.shape[0]:
            i = todo[p]
            p += 1
            s = float(signs[i])
            # Not "<= 0": a score that overflowed to NaN is a mistake too, so no pass over it ends clean.
            if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
                row_add(X, i, steps[mistakes] * s, weights)
                weights[-1] += steps[mistakes] * s * constant
                counts[i] += 1
                mistakes += 1
                if mistakes == quota:
                    break
        if not shaded:
            break
        place = shadow.positions[p - 1] + 1 if mistakes == quota else (place // PANEL + 1) * PANEL
    if shaded:
        shadow.place[0] = min(place, visit.shape[0])
    return mistakes
