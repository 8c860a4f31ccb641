"""The covering program min w·h, Σ h ≥ 1 over each of some sets, 0 ≤ h ≤ 1, by a first-order method in floats.

Any y ≥ 0, one per set, proves

    (1)  min ≥ Σ_c y_c + Σ_j min(0, w_j − Σ y_c over the sets c of row j),

so nothing here need converge. One step is the hybrid gradient method's (Chambolle and Pock, 2011) with
diagonal step lengths, τ_j = 1/(ratio·number of sets of row j) and σ_c = ratio/(size of set c):

    (2)  y_c ← max(0, y_c + σ_c(1 − Σ h̄ over the set)),
    (3)  h_j ← clip(h_j − τ_j(w_j − Σ y over the sets of j), 0, 1),  h̄ = 2·new h − old h.

The average of a run of steps replaces the last where it proves more.
"""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel


@kernel
def evaluate_duals(
    start: np.ndarray, places: np.ndarray, weights: np.ndarray, duals: np.ndarray, reduced_weights: np.ndarray
) -> float:
    """(1) above, what the duals prove; ``reduced_weights`` becomes what they leave of the weights."""
    reduced_weights[:] = weights
    total = 0.0
    for c in range(duals.shape[0]):
        if duals[c] != 0.0:
            total += duals[c]
            for k in range(start[c], start[c + 1]):
                reduced_weights[places[k]] -= duals[c]
    for j in range(weights.shape[0]):
        total += min(reduced_weights[j], 0.0)
    return total


@kernel
def ascend(
    start: np.ndarray,
    places: np.ndarray,
    weights: np.ndarray,
    n_steps: int,
    step_ratio: np.ndarray,
    point: np.ndarray,
    duals: np.ndarray,
) -> float:
    """A run of ``n_steps`` steps from ``point`` and ``duals``; returns what the new duals prove.

    Set c is places[start[c]:start[c + 1]]. ``step_ratio[0]``, the ratio of the dual to the primal step, is
    adapted.
    """
    rows, sets = weights.shape[0], duals.shape[0]
    ratio = step_ratio[0]
    step_lengths = np.zeros(rows)
    for k in range(places.shape[0]):
        step_lengths[places[k]] += 1.0
    for j in range(rows):
        step_lengths[j] = 1.0 / max(step_lengths[j], 1.0)
    extrapolated, gradient, reduced_weights = point.copy(), np.zeros(rows), np.zeros(rows)
    initial_point, initial_duals = point.copy(), duals.copy()
    point_sum, mean_duals = np.zeros(rows), np.zeros(sets)
    for _ in range(n_steps):
        gradient[:] = weights
        for c in range(sets):
            violation = 1.0
            for k in range(start[c], start[c + 1]):
                violation -= extrapolated[places[k]]
            dual = duals[c] + ratio * violation / max(start[c + 1] - start[c], 1)  # (2) above
            if dual > 0.0:
                for k in range(start[c], start[c + 1]):
                    gradient[places[k]] -= dual
                mean_duals[c] += dual
                duals[c] = dual
            else:
                duals[c] = 0.0
        for j in range(rows):
            previous = point[j]  # (3) above
            point[j] = min(max(previous - step_lengths[j] / ratio * gradient[j], 0.0), 1.0)
            extrapolated[j] = 2.0 * point[j] - previous
            point_sum[j] += point[j]
    mean_duals /= n_steps
    last_value = evaluate_duals(start, places, weights, duals, reduced_weights)
    mean_value = evaluate_duals(start, places, weights, mean_duals, reduced_weights)
    if mean_value > last_value:
        duals[:] = mean_duals
        point[:] = point_sum / n_steps
        last_value = mean_value
    primal_change, dual_change = 0.0, 0.0
    for j in range(rows):
        primal_change += (point[j] - initial_point[j]) ** 2 / step_lengths[j]
    for c in range(sets):
        dual_change += (duals[c] - initial_duals[c]) ** 2 * (start[c + 1] - start[c])
    if primal_change > 1e-20 and dual_change > 1e-20:
        step_ratio[0] = min(max(np.sqrt(ratio * np.sqrt(dual_change / primal_change)), 0.1), 10.0)
    return last_value
