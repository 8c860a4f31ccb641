"""Softplus from above and entropy from below, for many rows at once, and the sums of a dual bound.

The operations are those of `separatrix.certificates.arithmetic.enclosures`, and so are the allowances for
their roundings: only additions, products and quotients of doubles, each rounded to nearest. Plain loops over
short runs let the compiler take several rows at a time. Sums over rows or columns have bounds that hold for
any order.
"""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel, strict_kernel
from separatrix.kernels.row import row_add, row_moments

LN2 = 0.6931471805599453
LN2_HIGH = 0.6931471803691238  # 33 bits: its product with a whole number below 2^20 is exact
LN2_LOW = 1.9082149292705877e-10
FARTHEST = 690.0
LEAST_SHARE = 2.0**-1000
ALLOWED = 256 * 2.0**-53
RUN = 512
INVERSE_FACTORIALS = tuple(1.0 / float(f) for f in np.cumprod([1.0, *range(1, 17)])[::-1])
INVERSE_ODDS = tuple(1.0 / odd for odd in range(29, 0, -2))
MANTISSA = np.int64((1 << 52) - 1)
HALF = np.int64(1022 << 52)


@strict_kernel
def softplus_above(margins: np.ndarray, out: np.ndarray, shares: np.ndarray) -> int:
    """``out`` becomes numbers not below log(1 + exp(−m)), by a relative 1e-13 at most, infinity for an m that
    is not finite, and ``shares`` about 1/(1 + exp(m)); returns how many."""
    powers = np.empty(RUN, np.int64)
    scales = powers.view(np.float64)
    rest, square, total = np.empty(RUN), np.empty(RUN), np.empty(RUN)
    n = margins.shape[0]
    for start in range(0, n, RUN):
        m = min(RUN, n - start)
        for i in range(m):
            size = min(abs(margins[start + i]), FARTHEST)
            whole = np.int64(size / LN2)
            k = np.float64(whole)
            powers[i] = (np.int64(1023) - whole) << np.int64(52)
            rest[i] = (size - k * LN2_HIGH) - k * LN2_LOW
            total[i] = INVERSE_FACTORIALS[0]
        for f in INVERSE_FACTORIALS[1:]:
            for i in range(m):
                total[i] = total[i] * rest[i] + f
        for i in range(m):
            e = (1.0 / total[i]) * scales[i]
            z = e / (2.0 + e)
            rest[i] = z
            square[i] = z * z
            total[i] = INVERSE_ODDS[0]
            share = 1.0 / (1.0 + e)
            shares[start + i] = share * e if margins[start + i] > 0.0 else share
        for f in INVERSE_ODDS[1:]:
            for i in range(m):
                total[i] = total[i] * square[i] + f
        for i in range(m):
            value = 2.0 * rest[i] * total[i] + max(-margins[start + i], 0.0)
            out[start + i] = value * (1.0 + ALLOWED) if abs(margins[start + i]) < np.inf else np.inf
    return n


@strict_kernel
def entropy_below(parts: np.ndarray, wholes: np.ndarray, out: np.ndarray) -> int:
    """``out`` becomes numbers not above w·h(a/w), for 0 ≤ a ≤ w, and below it by a relative 1e-13 at most
    where a/w is above 1e-300, 0 where it is below 2^-1000; returns how many."""
    share, exponent = np.empty(RUN), np.empty(RUN)
    ratio, first, second = np.empty(RUN), np.empty(RUN), np.empty(RUN)
    bits = first.view(np.int64)
    n = parts.shape[0]
    for start in range(0, n, RUN):
        m = min(RUN, n - start)
        for i in range(m):
            whole = wholes[start + i]
            small = min(parts[start + i], whole - parts[start + i])
            p = small / whole if small > 0.0 else 0.0
            share[i] = p if p >= LEAST_SHARE else 0.0
            first[i] = p if p >= LEAST_SHARE else LEAST_SHARE
        for i in range(m):
            exponent[i] = np.float64((bits[i] >> np.int64(52)) - np.int64(1022))
            bits[i] = (bits[i] & MANTISSA) | HALF
        for i in range(m):
            z = (1.0 - first[i]) / (1.0 + first[i])
            ratio[i] = z
            first[i] = z * z
            second[i] = INVERSE_ODDS[0]
        for f in INVERSE_ODDS[1:]:
            for i in range(m):
                second[i] = second[i] * first[i] + f
        for i in range(m):
            ratio[i] = 2.0 * ratio[i] * second[i] - exponent[i] * LN2
            exponent[i] = share[i] / (2.0 - share[i])
            first[i] = exponent[i] * exponent[i]
            second[i] = INVERSE_ODDS[0]
        for f in INVERSE_ODDS[1:]:
            for i in range(m):
                second[i] = second[i] * first[i] + f
        for i in range(m):
            p = share[i]
            value = p * ratio[i] + (1.0 - p) * (2.0 * exponent[i] * second[i])
            out[start + i] = wholes[start + i] * value * (1.0 - ALLOWED) if p > 0.0 else 0.0
    return n


@kernel
def dual_sums(
    X: np.ndarray,
    signs: np.ndarray,
    v: np.ndarray,
    weights: np.ndarray,
    bias: float,
    norm: float,
    unit: float,
    scales: tuple[float, float],
    losses: np.ndarray,
    entropies: np.ndarray,
    g: np.ndarray,
    figures: np.ndarray,
    wholes: np.ndarray,
) -> int:
    """What dense rows add to both sides of the logistic likelihood, in two readings; returns how many.

    β are the weights' own proposals as whole multiples of 1/``unit``, times ``scales`` of their class.
    ``losses`` and ``entropies`` get a sum for every 512 rows, ``g`` Σ β s x, ``figures`` Σ v, Σ v‖x‖², Σ β
    and Σ β‖x‖². By class, −1 and +1, ``wholes`` gets the sum of the multiples, the largest, and its row,
    whose ‖x‖² goes behind the four ``figures``. Behind these Σ cδ‖x‖, Σ cδ and Σ cδ² with c = β(1 − β/v) and
    δ = ‖x‖‖w‖ + |b|, ``norm`` being ‖w‖: what the rounding of scores can do to β.
    """
    margins, squares = np.empty(RUN), np.empty(RUN)
    loss, entropy = np.empty(RUN), np.empty(RUN)
    shares, beta = np.empty(RUN), np.empty(RUN)
    n = X.shape[0]
    wholes[:, 1] = 0
    wholes[:, 2] = -1
    for run, start in enumerate(range(0, n, RUN)):
        m = min(RUN, n - start)
        for i in range(m):
            squares[i], inner = row_moments(X, start + i, weights)
            margins[i] = float(signs[start + i]) * (inner + bias)
        softplus_above(margins[:m], loss, shares)
        for i in range(m):
            whole = v[start + i] * unit
            proposed = shares[i] * whole * (scales[1] if signs[start + i] > 0 else scales[0])
            shares[i] = min(np.rint(proposed), np.floor(whole))
            beta[i] = shares[i] / unit
        entropy_below(beta[:m], v[start : start + m], entropy)
        for i in range(m):
            weight, side = v[start + i], 1 if signs[start + i] > 0 else 0
            losses[run] += weight * loss[i]
            entropies[run] += entropy[i]
            figures[0] += weight
            figures[1] += weight * squares[i]
            figures[2] += beta[i]
            figures[3] += beta[i] * squares[i]
            reach = np.sqrt(squares[i])
            sway = beta[i] * (1.0 - beta[i] / weight if weight > 0.0 else 0.0)
            doubt = reach * norm + abs(bias)
            figures[6] += sway * doubt * reach
            figures[7] += sway * doubt
            figures[8] += sway * doubt * doubt
            multiple = np.int64(shares[i])
            wholes[side, 0] += multiple
            if multiple > wholes[side, 1]:
                wholes[side, 1] = multiple
                wholes[side, 2] = start + i
                figures[4 + side] = squares[i]
            row_add(X, start + i, beta[i] * float(signs[start + i]), g)
    return n
