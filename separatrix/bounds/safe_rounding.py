"""Exact values made doubles on the safe side: what is at most a number is at most the double above it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

_ROOT_BITS = 128  # of a root that is no fraction: far more than a double tells apart


def up(value: Fraction) -> float:
    """The least double that is not below the value; infinite beyond them.

    >>> up(Fraction(1, 4)), up(Fraction(1, 10)) >= Fraction(1, 10), up(Fraction(10) ** 400)
    (0.25, True, inf)
    """
    try:
        near = value.numerator / value.denominator
    except OverflowError:
        return math.inf
    return near if value <= near else math.nextafter(near, math.inf)


def root(value: Fraction) -> Fraction:
    """√value where that is a fraction, else one that is above it by less than a part in 2^127.

    >>> root(Fraction(9, 4)), root(Fraction(2)) ** 2 > 2
    (Fraction(3, 2), True)
    """
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    places = max(0, _ROOT_BITS + (value.denominator.bit_length() - value.numerator.bit_length() + 1) // 2)
    return Fraction(math.isqrt((value.numerator << 2 * places) // value.denominator) + 1, 1 << places)


def sums(values: Sequence[float]) -> tuple[Fraction, Fraction]:
    """The sum of finite doubles and that of their squares.

    >>> sums([0.5, 1.5])
    (Fraction(2, 1), Fraction(5, 2))
    """
    ratios = [value.as_integer_ratio() for value in values]
    unit = max((bottom for _, bottom in ratios), default=1)
    wholes = [top * (unit // bottom) for top, bottom in ratios]
    return Fraction(sum(wholes), unit), Fraction(sum(whole * whole for whole in wholes), unit * unit)
