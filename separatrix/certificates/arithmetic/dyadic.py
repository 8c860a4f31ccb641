"""Exact numbers: whole numbers times a power of two.

A finite double is a dyadic rational, and so is every sum and product of doubles. A vector of them is kept
here as Python integers over one common power of two.

>>> dyadic([0.75, -3.0, 2**70])
Dyadic(wholes=(3, -12, 4722366482869645213696), exponent=-2)
>>> dyadic([0.75, -3.0]).squared_norm()
Fraction(153, 16)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, ldexp

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]

MANTISSA_BITS = 53


@dataclass(frozen=True, slots=True)
class Dyadic:
    """The vector ``wholes[j] * 2**exponent``."""

    wholes: tuple[int, ...]
    exponent: int

    def __add__(self, other: Dyadic) -> Dyadic:
        low = min(self.exponent, other.exponent)
        mine, theirs = self.exponent - low, other.exponent - low
        pairs = zip(self.wholes, other.wholes, strict=True)
        return Dyadic(tuple((a << mine) + (b << theirs) for a, b in pairs), low)

    def fractions(self) -> tuple[Fraction, ...]:
        unit = power_of_two(self.exponent)
        return tuple(whole * unit for whole in self.wholes)

    def squared_norm(self) -> Fraction:
        return sum(whole * whole for whole in self.wholes) * power_of_two(2 * self.exponent)


def power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def dyadic(numbers: Iterable[float | int]) -> Dyadic:
    """The numbers as they are, over the coarsest power of two not above 1 that holds them all."""
    ratios = [number.as_integer_ratio() for number in numbers]
    # Denominators of floats are powers of two, so the largest is common to all.
    common = max((below for _, below in ratios), default=1)
    return Dyadic(tuple(above * (common // below) for above, below in ratios), 1 - common.bit_length())


def root(square: Fraction) -> float:
    """The square root, within a relative 2^-52, or within 2^-1074 where it underflows.

    The whole root has 79 bits or more, so that it is off by a relative 2^-78; `float` adds 2^-53.
    """
    above, below = square.numerator, square.denominator
    shift = 160 - above.bit_length() + below.bit_length()
    shift += shift % 2
    whole = isqrt((above << shift) // below if shift >= 0 else above // (below << -shift))
    try:
        return ldexp(float(whole), -shift // 2)
    except OverflowError:
        return float("inf")


def mantissas(values: Doubles) -> tuple[Doubles, npt.NDArray[np.int64]]:
    """Whole numbers below 2^53, still as doubles, and exponents: ``values == wholes * 2**exponents``."""
    fractions, exponents = np.frexp(values)
    return np.ldexp(fractions, MANTISSA_BITS), exponents.astype(np.int64) - MANTISSA_BITS
