"""Margins with a proven error: which rows are right or wrong for certain, and which are in doubt.

**The bound.** Let u = 2⁻⁵³ and k the number of values that a row stores. A score x·w + b, summed in any order
with or without fused multiply-add, meets at most k + 2 roundings in each term, so it is off by at most
(k + 2)u(1 + …)S with S = Σ|x_j w_j| + |b| (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1); S
as computed is low by no larger a share. `certain_signs` calls a row right or wrong when

    (1)  |score| > 2(k + 4)u·S with the computed S,

which covers both, and the rounding of the bound itself. It holds for columns that are stored more than once.

**Underflow and overflow.** A product that underflows loses at most 2⁻¹⁰²². Where another library has
switched on flush-to-zero, an entry below that is read as zero too: with a weight of at most 10¹⁴⁰ it loses
10⁻¹⁶⁷. With S above 10⁻¹⁴⁰ all of that is far below uS for any number of columns that memory holds. A weight
that is read as zero could lose any amount, since entries may be large. So (1) is relied on only where

    (2)  every weight is 0 or, by its bits, at least 2⁻¹⁰²² and less than 10¹⁴⁰ in size, and
    (3)  10⁻¹⁴⁰ < S < 10¹⁴⁰; no partial sum is above S(1 + …), so none overflows.

All other rows are in doubt, and so is all that is no number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_sizes

SHORT, LONG = 1e-140, 1e140  # sums of absolute values and weights for which the bound holds
MAGNITUDE_BITS = 2**63 - 1  # the bits of a double without that of its sign
LEAST_NORMAL_BITS = 2**52  # the bits of 2⁻¹⁰²², the least double that flush-to-zero leaves alone


@kernel
def certain_signs(
    X: Any, signs: np.ndarray, weights: np.ndarray, doubtful: np.ndarray
) -> tuple[int, int, float]:
    """The rows in doubt into ``doubtful``: how many, how many of the others are wrong, and their least
    margin."""
    bias = weights[-1]
    bits = weights.view(np.int64)
    in_range = True
    for j in range(weights.shape[0]):
        size = bits[j] & MAGNITUDE_BITS
        in_range = in_range and abs(weights[j]) < LONG  # (2) above
        in_range = in_range and (size == 0 or size >= LEAST_NORMAL_BITS)
    n_doubtful = n_wrong = 0
    lowest = np.inf
    for i in range(n_rows(X)):
        score, among, terms = row_sizes(X, i, weights)
        whole = among + abs(bias)
        margin = float(signs[i]) * (score + bias)
        bound = (terms + 4.0) * 2.0**-52 * whole  # (1) above; (3) below
        if in_range and whole > SHORT and whole < LONG and abs(margin) > bound:
            lowest = min(lowest, margin)
            n_wrong += margin < 0.0
        else:
            doubtful[n_doubtful] = i
            n_doubtful += 1
    return n_doubtful, n_wrong, lowest
