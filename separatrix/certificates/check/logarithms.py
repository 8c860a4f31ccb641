"""Logarithms for claims about likelihoods, in Python's ``decimal``, rounded to the safe side.

``decimal`` rounds each operation, exponential and logarithm to 60 digits. Where e or p is below 10^-18, in
which case 1 + e or 1 - p keeps too few of its digits, the bounds that hold for all of them take their place:

    log(1 + e) <= e,   -log(1 - p) >= p.                                                                (1)

All other values have a relative error below 10^-41, and so have their sums, whose terms are not negative;
10^-40 is allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

ROUNDING_SHARE = Decimal(10) ** -40  # the share of a sum of positive numbers allowed for roundings
SMALL_SHARE = Decimal(10) ** -18  # below it 1 + e loses too many digits
MAX_EXPONENT = Decimal(10**8)


def decimal(value: Fraction | int) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def multiples_per_unit(row_weights: Sequence[float | int] | None) -> int:
    """1 over the unit of the b: 10^40, and more where all rows weigh little."""
    largest = Fraction(max(row_weights or (1,)))
    return 10**40 * max(1, int(1 / largest) if largest > 0 else 1)


def log_of_one_and(e: Decimal) -> Decimal:
    """log(1 + e) for e >= 0, or a little more."""
    return e if e < SMALL_SHARE else (1 + e).ln()  # (1) above


def softplus(m: Decimal) -> Decimal:
    """log(1 + exp(-m)), or a little more."""
    return log_of_one_and((-min(abs(m), MAX_EXPONENT)).exp()) + max(-m, Decimal(0))


def entropy(share: Fraction) -> Decimal:
    """-p log p - q log q with q = 1 - p, or a little less."""
    if share in (0, 1):
        return Decimal(0)
    p, q = sorted((decimal(share), decimal(1 - share)))
    return -p * p.ln() + q * (p if p < SMALL_SHARE else -q.ln())  # (1) above
