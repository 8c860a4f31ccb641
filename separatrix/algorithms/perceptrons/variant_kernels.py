"""The other mistake-driven rules, each one turn of its own loop over the rows of ``places``."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot, row_square


@kernel
def averaged_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    rows_before: float,
    weighted_updates: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Rosenblatt's rule, with ``weighted_updates`` = Σ (rows seen before the update)·update: after T rows the
    mean is w − weighted_updates/T.

    ``rows_before`` is the number of rows seen before this call.
    """
    mistakes = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
            row_add(X, i, s, weights)
            weights[-1] += s * constant
            row_add(X, i, s * (rows_before + k), weighted_updates)
            weighted_updates[-1] += s * constant * (rows_before + k)
            mistakes += 1
    return mistakes


@kernel
def voted_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    votes: np.ndarray,
    voters: np.ndarray,
    last: int,
) -> int:
    """Rosenblatt's rule from voter ``last``; each mistake adds a voter, ``votes`` counts the rows
    each one was there for, the one that made it included.

    Returns the place of the last voter. The caller makes room for one voter per row.
    """
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        if s * (row_dot(X, i, voters[last]) + voters[last, -1] * constant) > 0.0:
            votes[last] += 1
        else:
            last += 1
            votes[last] = 1
            voters[last] = voters[last - 1]
            row_add(X, i, s, voters[last])
            voters[last, -1] += s * constant
    return last


@kernel
def pocket_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    run_lengths: np.ndarray,
    pocket: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Rosenblatt's rule; weights that end a run of right answers longer than ``run_lengths[1]`` go into the
    pocket.

    ``run_lengths``: the length of the current run, and of the longest so far.
    """
    mistakes = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        if s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
            run_lengths[0] += 1
            continue
        if run_lengths[0] > run_lengths[1]:
            run_lengths[1] = run_lengths[0]
            pocket[:] = weights
        run_lengths[0] = 0
        row_add(X, i, s, weights)
        weights[-1] += s * constant
        mistakes += 1
    return mistakes


@kernel
def kozinec_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    share: float,
    state: np.ndarray,
    shares: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Kozinec's rule: where w·z ≤ share·‖w‖², w moves to the shortest point of the segment from w to z = s(x,
    constant).

    The point is ``state[0]·weights`` and its convex multipliers ``state[0]·shares``; ``state`` holds that
    scale, the squared length of the point, the constant feature, the number of wrong answers (w·z ≤ 0), and
    the number of the block's first row among those that ``shares`` is about.
    """
    constant = state[2]
    first = int(state[4])
    updates = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        scale, square = state[0], state[1]
        inner = s * scale * (row_dot(X, i, weights) + weights[-1] * constant)
        if inner > share * square:
            continue
        if not inner > 0.0:
            state[3] += 1.0
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
            state[0], state[1] = 1.0, row_norm_square
            continue
        scale *= 1.0 - part
        row_add(X, i, s * part / scale, weights)
        weights[-1] += s * constant * part / scale
        shares[first + i] += part / scale
        state[1] = (
            (1.0 - part) ** 2 * square + 2.0 * part * (1.0 - part) * inner + part * part * row_norm_square
        )
        if scale < 1e-100:
            weights *= scale
            shares *= scale
            scale = 1.0
        state[0] = scale
    return updates


@kernel
def passive_aggressive_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    max_step: float,
    softening: float,
    totals: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Where the hinge loss ℓ = 1 − s·score is positive: w ← w + min(cap, ℓ/(‖z‖² + soft)) z; returns the
    updates.

    ``totals`` gains the number of wrong answers and the sum of ℓ².
    """
    updates = 0
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        margin = s * (row_dot(X, i, weights) + weights[-1] * constant)
        if margin >= 1.0:
            continue
        if not margin > 0.0:
            totals[0] += 1.0
        totals[1] += (1.0 - margin) ** 2
        row_norm_square = row_square(X, i) + constant * constant + softening
        if row_norm_square > 0.0:
            step = min(max_step, (1.0 - margin) / row_norm_square)
            row_add(X, i, s * step, weights)
            weights[-1] += s * constant * step
        updates += 1
    return updates
