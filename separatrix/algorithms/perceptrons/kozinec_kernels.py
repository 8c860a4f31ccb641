"""Kozinec's rule: one visit to each row, the point moved to it where its margin is small."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot, row_square


@kernel
def kozinec_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    share: float,
    first: int,
    point: np.ndarray,
    shares: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Kozinec's rule: where w·z ≤ share·‖w‖², w moves to the shortest point of the segment from w to z = s(x,
    constant).

    The point is scale·``weights`` and its convex multipliers scale·``shares``, of which the block's begin at
    ``first``. ``point`` is one `POINT` record: the scale, the squared length of the point, and the number of
    wrong answers (w·z ≤ 0), which grows.
    """
    updates = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        scale, square = point[0]["scale"], point[0]["square"]
        inner = s * scale * (row_dot(X, i, weights) + weights[-1] * constant)
        if inner > share * square:
            continue
        if not inner > 0.0:
            point[0]["mistakes"] += 1
        updates += 1
        row_norm_square = row_square(X, i) + constant * constant
        part = 1.0
        if scale > 0.0 and row_norm_square > inner:
            part = (square - inner) / (square - 2.0 * inner + row_norm_square)
        if not part < 1.0:  # at the start, or where z itself is the shortest point, be it by rounding
            weights[:] = 0.0
            shares[:] = 0.0
            row_add(X, i, s, weights)
            weights[-1] += s * constant
            shares[first + i] = 1.0
            point[0]["scale"], point[0]["square"] = 1.0, row_norm_square
            continue
        scale *= 1.0 - part
        row_add(X, i, s * part / scale, weights)
        weights[-1] += s * constant * part / scale
        shares[first + i] += part / scale
        point[0]["square"] = (
            (1.0 - part) ** 2 * square + 2.0 * part * (1.0 - part) * inner + part * part * row_norm_square
        )
        if scale < 1e-100:
            weights *= scale
            shares *= scale
            scale = 1.0
        point[0]["scale"] = scale
    return updates
