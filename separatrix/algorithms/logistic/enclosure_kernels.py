"""Softplus from above and entropy from below, for many rows at once, and the sums of a dual bound.

The operations are those of `separatrix.certificates.arithmetic.enclosures`, and so are the allowances for
their roundings: only additions, products and quotients of doubles, each rounded to nearest. Plain loops over
short runs let the compiler take several rows at a time. Sums over rows or columns have bounds that hold for
any order.

**Softplus.** With |m| = k·ln 2 + r, a whole k and 0 ≤ r < ln 2, and e = 2⁻ᵏ/exp(r), exp by its series,

    (1)  log(1 + exp(−m)) = 2·artanh(z) + max(−m, 0), z = e/(2 + e), artanh by its series in z².

**Entropy.** With the smaller share p = f·2ᴱ, 1/2 ≤ f < 1,

    (2)  h(p) = −p·log p − (1 − p)·log(1 − p), −log p = 2·artanh((1 − f)/(1 + f)) − E·ln 2,
         −log(1 − p) = 2·artanh(p/(2 − p)).

**Dual sums.** A row of weight v proposes, for its class's scale ρ,

    (3)  β = v·ρ/(1 + exp(m)), rounded to a whole multiple of 1/denominator and at most v.

A score is wrong by a multiple of δ = ‖x‖‖w‖ + |b|, which changes β by cδ at most, to first order, with

    (4)  c = β(1 − β/v).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import kernel, strict_kernel
from separatrix.kernels.row import row_add, row_moments

LN2 = 0.6931471805599453
LN2_HIGH = 0.6931471803691238  # 33 bits: its product with a whole number below 2^20 is exact
LN2_LOW = 1.9082149292705877e-10
MAX_EXPONENT = 690.0
LEAST_SHARE = 2.0**-1000
ALLOWED_ERROR = 256 * 2.0**-53
CHUNK_ROWS = 512
INVERSE_FACTORIALS = tuple(1.0 / float(f) for f in np.cumprod([1.0, *range(1, 17)])[::-1])
INVERSE_ODDS = tuple(1.0 / odd for odd in range(29, 0, -2))
MANTISSA_BITS = np.int64((1 << 52) - 1)
HALF_EXPONENT_BITS = np.int64(1022 << 52)
# Of one class: the sum of its multiples, the largest, its row, and that row's ‖x‖².
CLASS_TYPE = np.dtype([
    ("total", np.int64), ("largest", np.int64), ("row", np.int64), ("squared_norm", np.float64)
])  # fmt: skip


class DualSums(NamedTuple):
    """Over all rows: Σ v, Σ v‖x‖², Σ β, Σ β‖x‖², and Σ cδ‖x‖, Σ cδ, Σ cδ² of (4) above."""

    weight: float
    weighted_square: float
    beta: float
    beta_square: float
    error_norm: float
    error: float
    squared_error: float


class DualProposal(NamedTuple):
    """Weights that propose dual variables: ``norm`` is ‖w‖ or more, ``scales`` are of the classes −1 and
    +1."""

    weights: np.ndarray
    bias: float
    norm: float
    denominator: float
    scales: tuple[float, float]


@strict_kernel
def softplus_above(margins: np.ndarray, out: np.ndarray, shares: np.ndarray) -> int:
    """``out`` becomes numbers not below log(1 + exp(−m)), by a relative 1e-13 at most, infinity for an m that
    is not finite, and ``shares`` about 1/(1 + exp(m)); returns how many."""
    powers = np.empty(CHUNK_ROWS, np.int64)
    scales = powers.view(np.float64)
    remainder, square, polynomial = np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS)
    n = margins.shape[0]
    for start in range(0, n, CHUNK_ROWS):
        m = min(CHUNK_ROWS, n - start)
        for i in range(m):
            absolute = min(abs(margins[start + i]), MAX_EXPONENT)  # a larger one: still from above
            halvings = np.int64(absolute / LN2)
            k = np.float64(halvings)
            powers[i] = (np.int64(1023) - halvings) << np.int64(52)
            remainder[i] = (absolute - k * LN2_HIGH) - k * LN2_LOW
            polynomial[i] = INVERSE_FACTORIALS[0]
        for coefficient in INVERSE_FACTORIALS[1:]:
            for i in range(m):
                polynomial[i] = polynomial[i] * remainder[i] + coefficient
        for i in range(m):
            e = (1.0 / polynomial[i]) * scales[i]  # (1) above
            z = e / (2.0 + e)
            remainder[i] = z
            square[i] = z * z
            polynomial[i] = INVERSE_ODDS[0]
            share = 1.0 / (1.0 + e)
            shares[start + i] = share * e if margins[start + i] > 0.0 else share
        for coefficient in INVERSE_ODDS[1:]:
            for i in range(m):
                polynomial[i] = polynomial[i] * square[i] + coefficient
        for i in range(m):
            value = 2.0 * remainder[i] * polynomial[i] + max(-margins[start + i], 0.0)
            out[start + i] = value * (1.0 + ALLOWED_ERROR) if abs(margins[start + i]) < np.inf else np.inf
    return n


@strict_kernel
def entropy_below(parts: np.ndarray, wholes: np.ndarray, out: np.ndarray) -> int:
    """``out`` becomes numbers not above w·h(a/w), for 0 ≤ a ≤ w, and below it by a relative 1e-13 at most
    where a/w is above 1e-300, 0 where it is below 2^-1000; returns how many."""
    share, exponent = np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS)
    ratio, first, second = np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS)
    bits = first.view(np.int64)
    n = parts.shape[0]
    for start in range(0, n, CHUNK_ROWS):
        m = min(CHUNK_ROWS, n - start)
        for i in range(m):
            whole = wholes[start + i]
            small = min(parts[start + i], whole - parts[start + i])
            p = small / whole if small > 0.0 else 0.0
            share[i] = p if p >= LEAST_SHARE else 0.0
            first[i] = p if p >= LEAST_SHARE else LEAST_SHARE
        for i in range(m):
            exponent[i] = np.float64((bits[i] >> np.int64(52)) - np.int64(1022))
            bits[i] = (bits[i] & MANTISSA_BITS) | HALF_EXPONENT_BITS
        for i in range(m):
            z = (1.0 - first[i]) / (1.0 + first[i])  # (2) above
            ratio[i] = z
            first[i] = z * z
            second[i] = INVERSE_ODDS[0]
        for coefficient in INVERSE_ODDS[1:]:
            for i in range(m):
                second[i] = second[i] * first[i] + coefficient
        for i in range(m):
            ratio[i] = 2.0 * ratio[i] * second[i] - exponent[i] * LN2
            exponent[i] = share[i] / (2.0 - share[i])  # the last of (2) above
            first[i] = exponent[i] * exponent[i]
            second[i] = INVERSE_ODDS[0]
        for coefficient in INVERSE_ODDS[1:]:
            for i in range(m):
                second[i] = second[i] * first[i] + coefficient
        for i in range(m):
            p = share[i]
            value = p * ratio[i] + (1.0 - p) * (2.0 * exponent[i] * second[i])
            out[start + i] = wholes[start + i] * value * (1.0 - ALLOWED_ERROR) if p > 0.0 else 0.0
    return n


@kernel
def sum_dual_terms(
    X: np.ndarray,
    signs: np.ndarray,
    v: np.ndarray,
    proposal: DualProposal,
    losses: np.ndarray,
    entropies: np.ndarray,
    g: np.ndarray,
    classes: np.ndarray,
) -> DualSums:
    """What dense rows add to both sides of the logistic likelihood, in two readings.

    ``losses`` and ``entropies`` get a sum for every 512 rows, ``g`` gains Σ β s x, and ``classes`` are the
    records of the classes −1 and +1, of `CLASS_TYPE`.
    """
    weights, bias, norm, denominator, scales = proposal
    margins, squared_norms = np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS)
    loss, entropy = np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS)
    shares, beta = np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS)
    total_weight, weighted_square, total_beta, beta_square = 0.0, 0.0, 0.0, 0.0
    error_norm, error, squared_error = 0.0, 0.0, 0.0
    n = X.shape[0]
    for run, start in enumerate(range(0, n, CHUNK_ROWS)):
        m = min(CHUNK_ROWS, n - start)
        for i in range(m):
            squared_norms[i], inner = row_moments(X, start + i, weights)
            margins[i] = float(signs[start + i]) * (inner + bias)
        softplus_above(margins[:m], loss, shares)
        for i in range(m):  # (3) above
            max_multiple = v[start + i] * denominator
            proposed = shares[i] * max_multiple * (scales[1] if signs[start + i] > 0 else scales[0])
            shares[i] = min(np.rint(proposed), np.floor(max_multiple))
            beta[i] = shares[i] / denominator
        entropy_below(beta[:m], v[start : start + m], entropy)
        for i in range(m):
            weight, of_class = v[start + i], classes[1 if signs[start + i] > 0 else 0]
            losses[run] += weight * loss[i]
            entropies[run] += entropy[i]
            total_weight += weight
            weighted_square += weight * squared_norms[i]
            total_beta += beta[i]
            beta_square += beta[i] * squared_norms[i]
            row_norm = np.sqrt(squared_norms[i])
            curvature = beta[i] * (1.0 - beta[i] / weight if weight > 0.0 else 0.0)  # (4) above
            score_size = row_norm * norm + abs(bias)
            error_norm += curvature * score_size * row_norm
            error += curvature * score_size
            squared_error += curvature * score_size * score_size
            multiple = np.int64(shares[i])
            of_class["total"] += multiple
            if multiple > of_class["largest"]:
                of_class["largest"] = multiple
                of_class["row"] = start + i
                of_class["squared_norm"] = squared_norms[i]
            row_add(X, start + i, beta[i] * float(signs[start + i]), g)
    return DualSums(total_weight, weighted_square, total_beta, beta_square, error_norm, error, squared_error)
