"""Margins with a proven error: which rows are right or wrong for certain, and which are in doubt.

**The bound.** Let u = 2⁻⁵³ and k the number of values that a row stores. A score x·w + b, summed in any order
with or without fused multiply-add, meets at most k + 2 roundings in each term, so it is off by at most
(k + 2)u(1 + …)S with S = Σ|x_j w_j| + |b| (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1); S
as computed is low by no larger a share. `certain_signs` calls a row right or wrong when its score is beyond
2(k + 4)u of the computed S, which covers both, and the rounding of the bound itself. It holds for columns
that are stored more than once.

**Underflow and overflow.** A product that underflows loses at most 2⁻¹⁰²². Where another library has
switched on flush-to-zero, an entry below that is read as zero too: with a weight of at most 10¹⁴⁰ it loses
10⁻¹⁶⁷. With S above 10⁻¹⁴⁰ all of that is far below uS for any number of columns that memory holds. A weight
that is read as zero could lose any amount, since entries may be large: where a weight is below 2⁻¹⁰²², by its
bits, every row is in doubt. No partial sum is above S(1 + …). Rows with S outside 10^±140, and weights beyond
10¹⁴⁰, are in doubt, and so is all that is no number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import n_rows, row_sizes

LOWEST, WRONG = range(2)
SHORT, LONG = 1e-140, 1e140  # sums of absolute values and weights for which the bound holds
MAGNITUDE_BITS = 2**63 - 1  # the bits of a double without that of its sign
LEAST_NORMAL_BITS = 2**52  # the bits of 2⁻¹⁰²², the least double that flush-to-zero leaves alone


@kernel
def certain_signs(
    X: Any, signs: np.ndarray, weights: np.ndarray, doubtful: np.ndarray, found: np.ndarray
) -> int:
    """The rows in doubt into ``doubtful``; returns how many.

    ``found[LOWEST]`` is lowered to the least margin of the others, ``found[WRONG]`` gains the wrong ones.
    """
    bias = weights[-1]
    bits = weights.view(np.int64)
    in_range = True
    for j in range(weights.shape[0]):
        size = bits[j] & MAGNITUDE_BITS
        in_range = in_range and abs(weights[j]) < LONG and (size == 0 or size >= LEAST_NORMAL_BITS)
    open_rows = 0
    for i in range(n_rows(X)):
        score, among, terms = row_sizes(X, i, weights)
        whole = among + abs(bias)
        margin = float(signs[i]) * (score + bias)
        bound = (terms + 4.0) * 2.0**-52 * whole
        if in_range and whole > SHORT and whole < LONG and abs(margin) > bound:
            found[LOWEST] = min(found[LOWEST], margin)
            found[WRONG] += margin < 0.0
        else:
            doubtful[open_rows] = i
            open_rows += 1
    return open_rows
