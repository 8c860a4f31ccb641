"""The other mistake-driven rules, each one turn of its own loop over the rows of ``visit``."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot, row_square


@kernel
def averaged_sweep(
    X: Any,
    signs: np.ndarray,
    visit: np.ndarray,
    constant: float,
    clock: float,
    late: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Rosenblatt's rule, with ``late`` = Σ (rows seen before the update)·update: after T rows the mean is w −
    late/T.

    ``clock`` is the number of rows seen before this call.
    """
    mistakes = 0
    for k in range(visit.shape[0]):
        i = visit[k]
        s = float(signs[i])
        if not s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
            row_add(X, i, s, weights)
            weights[-1] += s * constant
            row_add(X, i, s * (clock + k), late)
            late[-1] += s * constant * (clock + k)
            mistakes += 1
    return mistakes


@kernel
def voted_sweep(
    X: Any,
    signs: np.ndarray,
    visit: np.ndarray,
    constant: float,
    lives: np.ndarray,
    voters: np.ndarray,
    last: int,
) -> int:
    """Rosenblatt's rule from voter ``last``; each mistake adds a voter, ``lives`` counts the rows
    each one was there for, the one that made it included.

    Returns the place of the last voter. The caller makes room for one voter per row.
    """
    for k in range(visit.shape[0]):
        i = visit[k]
        s = float(signs[i])
        if s * (row_dot(X, i, voters[last]) + voters[last, -1] * constant) > 0.0:
            lives[last] += 1
        else:
            last += 1
            lives[last] = 1
            voters[last] = voters[last - 1]
            row_add(X, i, s, voters[last])
            voters[last, -1] += s * constant
    return last


@kernel
def pocket_sweep(
    X: Any,
    signs: np.ndarray,
    visit: np.ndarray,
    constant: float,
    runs: np.ndarray,
    pocket: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Rosenblatt's rule; weights that end a run of right answers longer than ``runs[1]`` go into the pocket.

    ``runs``: the length of the current run, and of the longest so far.
    """
    mistakes = 0
    for k in range(visit.shape[0]):
        i = visit[k]
        s = float(signs[i])
        if s * (row_dot(X, i, weights) + weights[-1] * constant) > 0.0:
            runs[0] += 1
            continue
        if runs[0] > runs[1]:
            runs[1] = runs[0]
            pocket[:] = weights
        runs[0] = 0
        row_add(X, i, s, weights)
        weights[-1] += s * constant
        mistakes += 1
    return mistakes


@kernel
def kozinec_sweep(
    X: Any,
    signs: np.ndarray,
    visit: np.ndarray,
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
    for k in range(visit.shape[0]):
        i = visit[k]
        s = float(signs[i])
        scale, square = state[0], state[1]
        inner = s * scale * (row_dot(X, i, weights) + weights[-1] * constant)
        if inner > share * square:
            continue
        if not inner > 0.0:
            state[3] += 1.0
        updates += 1
        size = row_square(X, i) + constant * constant
        part = 1.0
        if scale > 0.0 and size > inner:
            part = (square - inner) / (square - 2.0 * inner + size)
        if not part < 1.0:  # at the start, or where z itself is the shortest point, be it by rounding
            weights[:] = 0.0
            shares[:] = 0.0
            row_add(X, i, s, weights)
            weights[-1] += s * constant
            shares[first + i] = 1.0
            state[0], state[1] = 1.0, size
            continue
        scale *= 1.0 - part
        row_add(X, i, s * part / scale, weights)
        weights[-1] += s * constant * part / scale
        shares[first + i] += part / scale
        state[1] = (1.0 - part) ** 2 * square + 2.0 * part * (1.0 - part) * inner + part * part * size
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
    visit: np.ndarray,
    constant: float,
    cap: float,
    soft: float,
    tally: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Where the hinge loss ℓ = 1 − s·score is positive: w ← w + min(cap, ℓ/(‖z‖² + soft)) z; returns the
    updates.

    ``tally`` gains the number of wrong answers and the sum of ℓ².
    """
    updates = 0
    for k in range(visit.shape[0]):
        i = visit[k]
        s = float(signs[i])
        margin = s * (row_dot(X, i, weights) + weights[-1] * constant)
        if margin >= 1.0:
            continue
        if not margin > 0.0:
            tally[0] += 1.0
        tally[1] += (1.0 - margin) ** 2
        size = row_square(X, i) + constant * constant + soft
        if size > 0.0:
            step = min(cap, (1.0 - margin) / size)
            row_add(X, i, s * step, weights)
            weights[-1] += s * constant * step
        updates += 1
    return updates
