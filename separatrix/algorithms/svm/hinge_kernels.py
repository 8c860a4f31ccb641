"""Loops of the soft margin: one pass over all rows, and one along a segment.

With m = s(x·w + b) the margin of a row and c its cost, the loss and the duality gap of a row are

    (1)  c·max(0, 1 − m),
    (2)  c·max(0, 1 − m) − α(1 − m), which is c·|1 − m| where α = c and m > 1, or α = 0 and m < 1;

along w + t·v the margin is m + tμ, and the slope of (1) is

    (3)  −cμ where m + tμ < 1, else 0.

The envelope of (1) with penalty σ has the multiplier

    (4)  α(t) = c·clip(z − tσμ, 0, 1) for the target z, and its slope is −cσμ strictly between the bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_add, row_dot

# Where α of a row is fixed, or that it is free; a fixed row that its margin contradicts has both bits.
AT_ZERO, AT_COST, IN_SET, VIOLATED = 0, 1, 2, 4


@kernel
def compute_margins_and_linear_term(
    X: Any,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: float,
    weights: np.ndarray,
    limit: float,
    margins: np.ndarray,
    linear_term: np.ndarray,
) -> float:
    """The margins; those below the limit add (cost·s·x, cost·s) to ``linear_term``. Returns the loss, (1)
    above."""
    loss = 0.0
    for i in range(n_rows(X)):
        s = float(signs[i])
        margin = s * (row_dot(X, i, weights) + intercept)
        margins[i] = margin
        if margin < 1.0:  # (1) above
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
) -> tuple[int, float, float]:
    """The margins; rows fixed at a bound that their margin contradicts are marked.

    Returns how many are, the loss of all rows, and what the marked rows add to the duality gap: (1) and (2)
    above.
    """
    n_violated = 0
    loss, excess = 0.0, 0.0
    for i in range(n_rows(X)):
        margin = signs[i] * (row_dot(X, i, weights) + intercept)
        margins[i] = margin
        if margin < 1.0:  # (1) above
            loss += costs[i] * (1.0 - margin)
        if (states[i] == AT_COST and margin > 1.0) or (
            states[i] == AT_ZERO and margin < 1.0 and costs[i] > 0.0
        ):
            excess += costs[i] * abs(1.0 - margin)  # (2) above
            states[i] |= VIOLATED
            n_violated += 1
    return n_violated, loss, excess


@kernel
def compute_envelope_slope(
    targets: np.ndarray,
    margin_changes: np.ndarray,
    costs: np.ndarray,
    penalty: float,
    step: float,
    out: np.ndarray,
) -> float:
    """Σ α(t)·μ of (4) above, and Σ cost·σμ² over the rows strictly between their bounds, into ``out``.

    Returns the first.
    """
    total, curvature = 0.0, 0.0
    for i in range(targets.shape[0]):
        share = targets[i] - step * penalty * margin_changes[i]  # (4) above
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
        if margins[i] + step * margin_changes[i] < 1.0:  # (3) above
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
