"""Loops of the soft margin: one pass over all rows, and one along a segment."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_add, row_dot

# Where α of a row is fixed, or that it is free; a fixed row that its margin contradicts has both bits.
AT_ZERO, AT_COST, IN_SET, VIOLATED = 0, 1, 2, 4
LOSS, EXCESS = 0, 1  # places in the sums


@kernel
def compute_margins_and_linear_term(
    X: Any,
    signs: np.ndarray,
    costs: np.ndarray,
    limits: np.ndarray,
    weights: np.ndarray,
    margins: np.ndarray,
    linear_term: np.ndarray,
) -> float:
    """The margins; rows below ``limits[1]`` add (cost·s·x, cost·s) to ``linear_term``.

    ``limits`` holds the intercept and that limit. Returns the sum of cost·max(0, 1 − margin).
    """
    intercept, limit = limits[0], limits[1]
    loss = 0.0
    for i in range(n_rows(X)):
        s = float(signs[i])
        margin = s * (row_dot(X, i, weights) + intercept)
        margins[i] = margin
        if margin < 1.0:
            loss += costs[i] * (1.0 - margin)
        if margin < limit:
            row_add(X, i, costs[i] * s, linear_term)
            linear_term[-1] += costs[i] * s
    return loss


@kernel
def compute_margins_and_violations(
    X: Any,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: float,
    weights: np.ndarray,
    margins: np.ndarray,
    states: np.ndarray,
    sums: np.ndarray,
) -> int:
    """The margins; rows fixed at a bound that their margin contradicts are marked, and counted.

    ``sums`` gains the loss of all rows, and what the marked rows add to the duality gap.
    """
    n_violated = 0
    loss, excess = 0.0, 0.0
    for i in range(n_rows(X)):
        margin = signs[i] * (row_dot(X, i, weights) + intercept)
        margins[i] = margin
        if margin < 1.0:
            loss += costs[i] * (1.0 - margin)
        if (states[i] == AT_COST and margin > 1.0) or (
            states[i] == AT_ZERO and margin < 1.0 and costs[i] > 0.0
        ):
            excess += costs[i] * abs(1.0 - margin)
            states[i] |= VIOLATED
            n_violated += 1
    sums[LOSS] += loss
    sums[EXCESS] += excess
    return n_violated


@kernel
def compute_envelope_slope(
    targets: np.ndarray,
    margin_changes: np.ndarray,
    costs: np.ndarray,
    penalty: float,
    step: float,
    out: np.ndarray,
) -> float:
    """Σ α(t)·μ, and Σ cost·σμ² over the rows strictly between their bounds, into ``out``.

    α(t) = cost·clip(z − tσμ, 0, 1) for targets z, changes of margins μ, penalty σ and step t. Returns the
    first.
    """
    total, curvature = 0.0, 0.0
    for i in range(targets.shape[0]):
        share = targets[i] - step * penalty * margin_changes[i]
        if share >= 1.0:
            total += costs[i] * margin_changes[i]
        elif share > 0.0:
            total += costs[i] * share * margin_changes[i]
            curvature += costs[i] * penalty * margin_changes[i] * margin_changes[i]
    out[0] = total
    out[1] = curvature
    return total


@kernel
def compute_hinge_slope(
    margins: np.ndarray, margin_changes: np.ndarray, costs: np.ndarray, step: float
) -> float:
    """d/dt Σ cost·max(0, 1 − m − tμ)."""
    total = 0.0
    for i in range(margins.shape[0]):
        if margins[i] + step * margin_changes[i] < 1.0:
            total -= costs[i] * margin_changes[i]
    return total


@kernel
def compute_squared_hinge_slope(
    margins: np.ndarray, margin_changes: np.ndarray, costs: np.ndarray, step: float, out: np.ndarray
) -> float:
    """d/dt Σ cost·max(0, 1 − m − tμ)², and the second derivative, into ``out``. Returns the first."""
    slope, curvature = 0.0, 0.0
    for i in range(margins.shape[0]):
        shortfall = 1.0 - margins[i] - step * margin_changes[i]
        if shortfall > 0.0:
            slope -= 2.0 * costs[i] * shortfall * margin_changes[i]
            curvature += 2.0 * costs[i] * margin_changes[i] * margin_changes[i]
    out[0] = slope
    out[1] = curvature
    return slope
