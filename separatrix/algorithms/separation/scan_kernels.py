"""One look at the margins of a block: who is on the wrong side, who is in doubt, who is worst.

The margin m = s(x·w + b) of a row, summed in any order in doubles, is wrong by at most

    (1)  ε = unit·(Σ|x_j w_j| + |b|) + 2⁻¹⁰⁰⁰,

where the unit, 2⁻⁵²(d + 8) for d columns, is above the rounding of weights, products and sum (Higham,
*Accuracy and Stability of Numerical Algorithms*, 3.1), and the last term above all that underflows. So

    (2)  m > ε is surely positive, m < −ε surely negative, and no exact margin is below min(m − ε).

A margin that is no number fails every comparison, and counts as in doubt.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from separatrix.kernels import POLICY, kernel
from separatrix.kernels.row import n_rows

MAX_UNDERFLOW_SUM = 2.0**-1000  # more than all the underflow in one sum of products


class ScanNote(NamedTuple):
    """How many rows of a block are surely negative or in doubt, and what no margin in it is below."""

    negative: int
    doubtful: int
    floor: float


def weigh_row(X: Any, i: int, weights: np.ndarray) -> tuple[float, float]:
    """x_i · w and the sum of |x_ij w_j|, which bounds the rounding in it."""
    if isinstance(X, tuple):
        span = slice(X[2][i], X[2][i + 1])
        terms = X[0][span].astype(np.float64) * weights[X[1][span]]
    else:
        terms = X[i].astype(np.float64) * weights[: X.shape[1]]
    return float(np.sum(terms)), float(np.sum(np.abs(terms)))


@overload(weigh_row, jit_options=POLICY, strict=False)
def _overload_weigh_row(X: Any, i: Any, weights: Any) -> Any:
    def sparse(X, i, weights):  # type: ignore[no-untyped-def]
        data, indices, indptr = X[0], X[1], X[2]
        total = 0.0
        size = 0.0
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            term = np.float64(data[q]) * weights[np.uint64(indices[q])]
            total += term
            size += abs(term)
        return total, size

    def dense(X, i, weights):  # type: ignore[no-untyped-def]
        row = X[i]
        total = 0.0
        size = 0.0
        for j in range(row.shape[0]):
            term = np.float64(row[j]) * weights[j]
            total += term
            size += abs(term)
        return total, size

    return sparse if isinstance(X, types.BaseTuple) else dense


@kernel
def _push_margin(place: int, margin: float, found: int, chosen: np.ndarray, margins: np.ndarray) -> int:
    """Put a row into the heap of the smallest margins, the largest of them on top."""
    capacity = chosen.shape[0]
    if found < capacity:
        child = found
        while child > 0:
            parent = (child - 1) // 2
            if margins[parent] >= margin:
                break
            margins[child] = margins[parent]
            chosen[child] = chosen[parent]
            child = parent
        margins[child] = margin
        chosen[child] = place
        return found + 1
    slot = 0
    while True:
        child = 2 * slot + 1
        if child >= capacity:
            break
        if child + 1 < capacity and margins[child + 1] > margins[child]:
            child += 1
        if margins[child] <= margin:
            break
        margins[slot] = margins[child]
        chosen[slot] = chosen[child]
        slot = child
    margins[slot] = margin
    chosen[slot] = place
    return found


@kernel
def scan_block(
    X: Any,
    signs: np.ndarray,
    spanned: np.ndarray,
    bias: float,
    weights: np.ndarray,
    rounding_unit: float,
    ceiling: float,
    chosen: np.ndarray,
    margins: np.ndarray,
) -> tuple[int, ScanNote]:
    """The smallest margins below ``ceiling``, in a heap, and their rows; returns how many, and a note.

    Rows marked in ``spanned`` are passed over.
    """
    floor = np.inf
    capacity = chosen.shape[0]
    negative = 0
    doubtful = 0
    found = 0
    for i in range(n_rows(X)):
        if spanned[i]:
            continue
        total, size = weigh_row(X, i, weights)
        margin = signs[i] * (total + bias)
        error_bound = rounding_unit * (size + abs(bias)) + MAX_UNDERFLOW_SUM  # (1) above
        if not margin - error_bound >= floor:  # (2) above, here and below
            floor = margin - error_bound
        if not margin > error_bound:
            if margin < -error_bound:
                negative += 1
            else:
                doubtful += 1
            if not margin < np.inf:  # the heap holds numbers alone
                margin = 0.0
        if margin < ceiling and (found < capacity or margin < margins[0]):
            found = _push_margin(i, margin, found, chosen, margins)
    return found, ScanNote(negative, doubtful, floor)


@kernel
def find_doubtful(
    X: Any,
    signs: np.ndarray,
    spanned: np.ndarray,
    bias: float,
    weights: np.ndarray,
    rounding_unit: float,
    places: np.ndarray,
) -> int:
    """The rows whose margin is not surely positive, into ``places``; returns how many there are."""
    found = 0
    for i in range(n_rows(X)):
        if spanned[i]:
            continue
        total, size = weigh_row(X, i, weights)
        error_bound = rounding_unit * (size + abs(bias)) + MAX_UNDERFLOW_SUM  # (1) above
        if not signs[i] * (total + bias) > error_bound:
            places[found] = i
            found += 1
    return found
