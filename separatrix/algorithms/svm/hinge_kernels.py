"""Loops of the soft margin: one look at all rows, and one look along a segment."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_add, row_dot

IDLE, FULL, NEAR, ASTRAY = 0, 1, 2, 4  # what a row is held for; a held row that went astray has both marks
LOSS, EXCESS = 0, 1  # places in the sums


@kernel
def margins_and_pull(
    X: Any,
    signs: np.ndarray,
    costs: np.ndarray,
    limits: np.ndarray,
    weights: np.ndarray,
    margins: np.ndarray,
    pull: np.ndarray,
) -> float:
    """The margins; rows below ``limits[1]`` are added to ``pull`` as cost·s·x, with cost·s in its last place.

    ``limits`` holds the intercept and that limit. Returns the sum of cost·max(0, 1 − margin).
    """
    bias, low = limits[0], limits[1]
    loss = 0.0
    for i in range(n_rows(X)):
        s = float(signs[i])
        margin = s * (row_dot(X, i, weights) + bias)
        margins[i] = margin
        if margin < 1.0:
            loss += costs[i] * (1.0 - margin)
        if margin < low:
            row_add(X, i, costs[i] * s, pull)
            pull[-1] += costs[i] * s
    return loss


@kernel
def margins_and_astray(
    X: Any,
    signs: np.ndarray,
    costs: np.ndarray,
    bias: float,
    weights: np.ndarray,
    margins: np.ndarray,
    held: np.ndarray,
    sums: np.ndarray,
) -> int:
    """The margins; rows held at a bound that their margin contradicts are marked, and counted.

    ``sums`` gains the loss of all rows, and what the marked rows add to the duality gap.
    """
    astray = 0
    loss, excess = 0.0, 0.0
    for i in range(n_rows(X)):
        margin = signs[i] * (row_dot(X, i, weights) + bias)
        margins[i] = margin
        if margin < 1.0:
            loss += costs[i] * (1.0 - margin)
        if (held[i] == FULL and margin > 1.0) or (held[i] == IDLE and margin < 1.0 and costs[i] > 0.0):
            excess += costs[i] * abs(1.0 - margin)
            held[i] |= ASTRAY
            astray += 1
    sums[LOSS] += loss
    sums[EXCESS] += excess
    return astray


@kernel
def envelope_slope(
    targets: np.ndarray, moves: np.ndarray, caps: np.ndarray, sharpness: float, step: float, out: np.ndarray
) -> float:
    """Σ α(t)·μ, and Σ cap·σμ² over the rows strictly between their bounds, into ``out``.

    α(t) = cap·clip(z − tσμ, 0, 1) for targets z, moves μ, sharpness σ and step t. Returns the first.
    """
    total, rate = 0.0, 0.0
    for i in range(targets.shape[0]):
        share = targets[i] - step * sharpness * moves[i]
        if share >= 1.0:
            total += caps[i] * moves[i]
        elif share > 0.0:
            total += caps[i] * share * moves[i]
            rate += caps[i] * sharpness * moves[i] * moves[i]
    out[0] = total
    out[1] = rate
    return total


@kernel
def hinge_slope(margins: np.ndarray, moves: np.ndarray, costs: np.ndarray, step: float) -> float:
    """d/dt Σ cost·max(0, 1 − m − tμ)."""
    total = 0.0
    for i in range(margins.shape[0]):
        if margins[i] + step * moves[i] < 1.0:
            total -= costs[i] * moves[i]
    return total


@kernel
def squared_hinge_slope(
    margins: np.ndarray, moves: np.ndarray, costs: np.ndarray, step: float, out: np.ndarray
) -> float:
    """d/dt Σ cost·max(0, 1 − m − tμ)², and the second derivative, into ``out``. Returns the first."""
    slope, rate = 0.0, 0.0
    for i in range(margins.shape[0]):
        short = 1.0 - margins[i] - step * moves[i]
        if short > 0.0:
            slope -= 2.0 * costs[i] * short * moves[i]
            rate += 2.0 * costs[i] * moves[i] * moves[i]
    out[0] = slope
    out[1] = rate
    return slope
