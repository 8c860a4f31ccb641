"""Rosenblatt's rule, with the weights of the longest run of right answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot


@kernel
def pocket_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    runs: np.ndarray,
    pocket: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Rosenblatt's rule; weights that end a run of right answers longer than the longest so far go into
    the pocket.

    ``runs`` is one `RUNS` record: the lengths of the current run and of the longest so far.
    """
    mistakes = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        if s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
            runs[0]["current"] += 1
            continue
        if runs[0]["current"] > runs[0]["longest"]:
            runs[0]["longest"] = runs[0]["current"]
            pocket[:] = weights
        runs[0]["current"] = 0
        row_add(X, i, s, weights)
        weights[-1] += s * constant
        mistakes += 1
    return mistakes
