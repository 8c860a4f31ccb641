"""A shadow of dense rows: 16 bits a value, enough to tell for nearly every row on which side it lies.

Rows are taken in panels of 64. Column j of a panel has a unit u_j, its largest absolute value / 32767, and every
value is kept as the nearest whole number of units, so |x_ij − q_ij u_j| ≤ u_j/2. With v_j = w_j u_j and A = Σ|v_j|,

    |w·x_i − Σ v_j q_ij| ≤ A/2,

and the sum of the q, in float32 and in whatever order, is off by at most (d + 2)·2⁻²⁴·(Σ|v_j||q_ij| + |bias|), where
Σ|v_j||q_ij| ≤ 2¹⁵A: that is (d + 2)A/512 and a little. The score that `sweep` would compute in float64 differs from
the exact one by 2⁻²⁹ of that. A row whose approximate score is on the right side by more than all of this together
(`doubt` below, which takes (d + 8)/500 and twice the share of the bias) is right in `sweep` too and need not be read.

A panel is laid out column by column, so that 64 scores are made at once without a sum across a register.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel

PANEL = 64
FOLD = 8  # rows seen as one long row while a panel is cast: no loop has a remainder
WHOLE = 32767.0
LEAST_UNIT = 1e-150  # columns smaller than half of this are all zeros in the shadow, which the bound still covers


class Shadow(NamedTuple):
    """``codes[p, j, r]``: column ``j`` of the ``r``-th row of panel ``p``, in units of ``units[p, j]``.

    ``signs`` are those of the rows in the order of the panels. ``scaled``, ``sums``, ``positions`` and ``rows`` are
    room to work in; ``place[0]`` is the position from which a sweep goes on.
    """

    codes: np.ndarray
    units: np.ndarray
    signs: np.ndarray
    scaled: np.ndarray
    sums: np.ndarray
    positions: np.ndarray
    rows: np.ndarray
    place: np.ndarray


@kernel
def cast(X: np.ndarray, codes: np.ndarray, units: np.ndarray, work: np.ndarray, tile: np.ndarray) -> int:
    """Codes and units of rows that fill whole panels; returns the number of panels."""
    d = X.shape[1]
    long = FOLD * d
    folded = X.reshape(X.shape[0] // FOLD, long)
    rows = tile.reshape(PANEL, d)
    for p in range(codes.shape[0]):
        first = p * (PANEL // FOLD)
        for k in range(long):
            work[k] = 0.0
        for g in range(first, first + PANEL // FOLD):
            values = folded[g]
            for k in range(long):
                work[k] = max(work[k], abs(np.float64(values[k])))
        for j in range(d):
            top = 0.0
            for g in range(FOLD):
                top = max(top, work[g * d + j])
            small = top < 0.5 * LEAST_UNIT
            units[p, j] = LEAST_UNIT if small else top / WHOLE
            for g in range(FOLD):
                work[g * d + j] = 0.0 if small else WHOLE / top
        for g in range(PANEL // FOLD):
            values = folded[first + g]
            out = tile[g]
            for k in range(long):  # truncation of a positive number: rounds to nearest
                out[k] = np.int16(np.int32(np.float64(values[k]) * work[k] + 32768.5) - 32768)
        for j in range(d):
            to = codes[p, j]
            for r in range(PANEL):
                to[r] = rows[r, j]
    return codes.shape[0]


@kernel
def doubts(visit: np.ndarray, place: int, bias: float, weights: np.ndarray, shadow: Shadow) -> int:
    """Finds the rows from ``place`` to the end of its panel that the shadow cannot vouch for; returns how many."""
    codes, scaled, sums = shadow.codes, shadow.scaled, shadow.sums
    p = place // PANEL
    d = codes.shape[1]
    total = 0.0
    for j in range(d):
        v = weights[j] * shadow.units[p, j]
        total += abs(v)
        scaled[j] = np.float32(v)
    doubt = (total * (0.5 + (d + 8.0) / 500.0) + abs(bias) * (d + 8.0) * 2.0**-23) * (1.0 + 1e-6)
    if not (1e-20 <= total <= 1e30 and abs(bias) <= 1e30):  # float32 would lose or overflow
        doubt = np.inf
    start = np.float32(bias if doubt < np.inf else 0.0)
    limit = np.float32(doubt)
    for r in range(PANEL):
        sums[r] = start
    j = 0
    if doubt < np.inf:
        while j + 4 <= d:
            a, b, c, e = codes[p, j], codes[p, j + 1], codes[p, j + 2], codes[p, j + 3]
            va, vb, vc, ve = scaled[j], scaled[j + 1], scaled[j + 2], scaled[j + 3]
            for r in range(PANEL):
                sums[r] += (
                    va * np.float32(a[r]) + vb * np.float32(b[r]) + vc * np.float32(c[r]) + ve * np.float32(e[r])
                )
            j += 4
        while j < d:
            a, va = codes[p, j], scaled[j]
            for r in range(PANEL):
                sums[r] += va * np.float32(a[r])
            j += 1
    first = p * PANEL
    stop = min(first + PANEL, visit.shape[0])
    signs = shadow.signs[first:stop]
    found = 0
    for r in range(stop - first):
        found += not np.float32(signs[r]) * sums[r] > limit
    if found > 0:
        found = 0
        for r in range(place - first, stop - first):
            shadow.positions[found] = first + r
            shadow.rows[found] = visit[first + r]
            found += not np.float32(signs[r]) * sums[r] > limit
    return found


def shadow_of(codes: np.ndarray, units: np.ndarray, signs: np.ndarray) -> Shadow:
    """A shadow with its own room to work in."""
    return Shadow(
        codes,
        units,
        signs,
        np.empty(codes.shape[1], np.float32),
        np.empty(PANEL, np.float32),
        np.empty(PANEL, np.int64),
        np.empty(PANEL, np.int32),
        np.zeros(1, np.int64),
    )


NO_SHADOW = shadow_of(np.empty((0, 0, PANEL), np.int16), np.empty((0, 0)), np.empty(0, np.int8))
