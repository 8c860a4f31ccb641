"""The covering program min w·h, Σ h ≥ 1 over each of some sets, 0 ≤ h ≤ 1, by a first-order method in floats.

One step is the hybrid gradient method's (Chambolle and Pock, 2011) with diagonal step lengths; the average of
a run of steps replaces the last where it proves more. Any y ≥ 0, one a set, proves Σ y + Σ min(0, w − Σ y
over the sets of a row), so nothing here need converge.
"""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel


@kernel
def proven(
    start: np.ndarray, places: np.ndarray, weights: np.ndarray, duals: np.ndarray, left: np.ndarray
) -> float:
    """What the duals prove; ``left`` becomes what they leave of the weights."""
    left[:] = weights
    total = 0.0
    for c in range(duals.shape[0]):
        if duals[c] != 0.0:
            total += duals[c]
            for k in range(start[c], start[c + 1]):
                left[places[k]] -= duals[c]
    for j in range(weights.shape[0]):
        total += min(left[j], 0.0)
    return total


@kernel
def ascend(
    start: np.ndarray,
    places: np.ndarray,
    weights: np.ndarray,
    length: int,
    balance: np.ndarray,
    point: np.ndarray,
    duals: np.ndarray,
) -> float:
    """A run of ``length`` steps from ``point`` and ``duals``; returns what the new duals prove.

    Set c is places[start[c]:start[c + 1]]. ``balance[0]``, the ratio of the dual to the primal step, is
    adapted.
    """
    rows, sets = weights.shape[0], duals.shape[0]
    ratio = balance[0]
    short = np.zeros(rows)
    for k in range(places.shape[0]):
        short[places[k]] += 1.0
    for j in range(rows):
        short[j] = 1.0 / max(short[j], 1.0)
    ahead, slope, left = point.copy(), np.zeros(rows), np.zeros(rows)
    first, before = point.copy(), duals.copy()
    mean, average = np.zeros(rows), np.zeros(sets)
    for _ in range(length):
        slope[:] = weights
        for c in range(sets):
            lacking = 1.0
            for k in range(start[c], start[c + 1]):
                lacking -= ahead[places[k]]
            dual = duals[c] + ratio * lacking / max(start[c + 1] - start[c], 1)
            if dual > 0.0:
                for k in range(start[c], start[c + 1]):
                    slope[places[k]] -= dual
                average[c] += dual
                duals[c] = dual
            else:
                duals[c] = 0.0
        for j in range(rows):
            old = point[j]
            point[j] = min(max(old - short[j] / ratio * slope[j], 0.0), 1.0)
            ahead[j] = 2.0 * point[j] - old
            mean[j] += point[j]
    average /= length
    last = proven(start, places, weights, duals, left)
    whole = proven(start, places, weights, average, left)
    if whole > last:
        duals[:] = average
        point[:] = mean / length
        last = whole
    moved, turned = 0.0, 0.0
    for j in range(rows):
        moved += (point[j] - first[j]) ** 2 / short[j]
    for c in range(sets):
        turned += (duals[c] - before[c]) ** 2 * (start[c + 1] - start[c])
    if moved > 1e-20 and turned > 1e-20:
        balance[0] = min(max(np.sqrt(ratio * np.sqrt(turned / moved)), 0.1), 10.0)
    return last
