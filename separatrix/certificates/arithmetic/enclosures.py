"""Logarithms and exponentials that are proven, made of additions, products and quotients of doubles.

Nothing is asked of a mathematical library, only that doubles are rounded to nearest, which IEEE 754 fixes:
each operation has a relative error of at most u = 2^-53. All series here have positive terms alone, so
relative errors add up and never cancel:

* exp(r) for 0 ≤ r < ln 2 is its Taylor polynomial of degree 16, low by less than 1e-17 of it. Horner's rule
  makes 32 operations: 32u. With r = a − k·ln 2, found to an absolute 4u, exp(−a) = 2^-k/exp(r) to 42u. (1)
* log((1 + z)/(1 − z)) = 2z(1 + z²/3 + z⁴/5 + …) for 0 ≤ z ≤ 1/3, up to z²⁸: the rest is below 1e-15 of it,
  9u. With z to 3u, it has 60u. (2)
* A sum of numbers from 0 up, in runs of 512 that are then added exactly, has 513u, and each number may have
  lost 2^-1074 to underflow. (3)

So `softplus`, log(1 + exp(−m)) = log(1 + e) + max(−m, 0) with e = exp(−|m|), z = e/(2 + e), has less than
120u, and `entropy`, −p·log p − (1 − p)·log(1 − p), less than 80u: for p ≤ 1/2 both of its terms are
positive, and a relative error of u in p changes either by less than 3u of it. The code allows 256u. Where p
is below 2^-1000, and may have no such error, the entropy counts as 0.
"""

from __future__ import annotations

from math import fsum, inf

import numpy as np
import numpy.typing as npt

from separatrix.certificates.arithmetic.dyadic import Doubles

U = 2.0**-53
ALLOWED_ERROR = 256 * U

_LN2 = 0.6931471805599453
_LN2_HIGH = 0.6931471803691238  # 33 bits: its product with a whole number below 2^20 is exact
_LN2_LOW = 1.9082149292705877e-10
LEAST_SHARE = 2.0**-1000
_LEAST_DOUBLE = 2.0**-1074
_MAX_EXPONENT = 690.0
_FACTORIALS = np.cumprod([1.0, *range(1, 17)])
_RUN_TERMS = 512


def _log_ratio(z: Doubles) -> Doubles:
    """log((1 + z)/(1 − z)) for 0 ≤ z ≤ 1/3: (2) above."""
    q = z * z
    total = np.full_like(q, 1.0 / 29.0)
    for odd in range(27, 0, -2):
        total *= q
        total += 1.0 / odd
    return 2.0 * z * total


def _exponential(size: Doubles) -> Doubles:
    """exp(−a) for 0 ≤ a ≤ 690: (1) above."""
    whole = np.floor(size / _LN2)
    rest = (size - whole * _LN2_HIGH) - whole * _LN2_LOW  # beyond its interval by 1e-12 at most
    total = np.full_like(rest, 1.0 / _FACTORIALS[16])
    for k in range(15, -1, -1):
        total *= rest
        total += 1.0 / _FACTORIALS[k]
    return np.ldexp(1.0 / total, -whole.astype(np.int32))


def softplus_above(margins: Doubles) -> Doubles:
    """Not below log(1 + exp(−m)), and above it by a relative 1e-13 at most, while |m| ≤ 690."""
    e = _exponential(np.minimum(abs(margins), _MAX_EXPONENT))
    values = _log_ratio(e / (2.0 + e)) + np.maximum(-margins, 0.0)
    return values * (1.0 + ALLOWED_ERROR)  # of (1) and (2)


def entropy_below(parts: Doubles, wholes: Doubles) -> Doubles:
    """Not above w·h(a/w), for 0 ≤ a ≤ w: the entropy in nats of a share of a whole; 0 for an empty whole.

    >>> round(float(entropy_below(np.array([1.0]), np.array([2.0]))[0]), 12)
    1.38629436112
    """
    small = np.minimum(parts, wholes - parts)  # exact where it is the second: w/2 ≤ a ≤ w
    p = np.divide(small, wholes, out=np.zeros_like(small), where=small > 0)
    filled = p >= LEAST_SHARE
    fraction, exponent = np.frexp(np.where(filled, p, 0.5))
    log_p = _log_ratio((1.0 - fraction) / (1.0 + fraction)) - exponent * _LN2
    log_rest = _log_ratio(p / (2.0 - p))
    values = p * log_p + (1.0 - p) * log_rest
    return np.where(filled, wholes * values * (1.0 - ALLOWED_ERROR), 0.0)  # of (2)


def sum_above(values: npt.NDArray[np.float64]) -> float:
    """Not below the sum of numbers that are not below 0, each a product that may have underflowed."""
    return summed_above(_sums(values), values.size)


def sum_below(values: npt.NDArray[np.float64]) -> float:
    """Not above the sum of numbers that are not below 0, each a product that may have underflowed."""
    return summed_below(_sums(values), values.size)


def summed_above(sums: npt.NDArray[np.float64], count: int) -> float:
    """`sum_above` of ``count`` numbers, from the sums of at most 512 of them, in any order."""
    return fsum(sums.tolist()) * (1.0 + (_RUN_TERMS + 4) * U) + count * _LEAST_DOUBLE  # (3) above


def summed_below(sums: npt.NDArray[np.float64], count: int) -> float:
    """`sum_below` of ``count`` numbers, from the sums of at most 512 of them, in any order."""
    found = fsum(sums.tolist()) * (1.0 - (_RUN_TERMS + 4) * U) - count * _LEAST_DOUBLE  # (3) above
    return 0.0 if found == inf else found


def _sums(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of runs of 512."""
    return np.add.reduceat(values, np.arange(0, values.size, _RUN_TERMS)) if values.size else values
