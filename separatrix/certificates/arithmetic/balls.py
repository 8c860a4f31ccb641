"""The numbers in which equations are solved: balls that hold the exact ones, or these themselves."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, nextafter
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.linear_algebra import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz
from separatrix.certificates.arithmetic.slices import Doubles

FIRST_PRECISION_BITS = 256
MAX_PRECISION_BITS = 1 << 16
WANTED_BITS = 90  # of every enclosure: far beyond a double
NEGLIGIBLE_BITS = 200  # bits below the largest, at which a ball may hold 0


class NumberField(NamedTuple):
    """The numbers in which the equations are solved."""

    number: Any  # of a whole number
    double: Any  # of a double
    power: Any  # of two
    matrix: Any


def power(exponent: int) -> fmpq:
    return fmpq(fmpz(1) << exponent) if exponent >= 0 else fmpq(1, fmpz(1) << -exponent)


def fraction(number: float | int) -> fmpq:
    above, below = number.as_integer_ratio()
    return fmpq(above, below)


def ball(number: float | int) -> Any:
    """The number itself, as a ball of radius 0."""
    above, below = number.as_integer_ratio()
    return arb((fmpz(above), 1 - int(below).bit_length()))


BALLS = NumberField(arb, ball, lambda exponent: arb((1, exponent)), arb_mat)
RATIONALS = NumberField(fmpq, fraction, power, fmpq_mat)


class Precision:
    """Ball arithmetic at some precision, for the length of a block."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        self._before, ctx.prec = ctx.prec, self._bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self._before


def grown(work: Any, *, depth: int = NEGLIGIBLE_BITS) -> list[Any]:
    """What ``work`` gives at a precision at which every ball has `WANTED_BITS` good bits, or is 2^-depth
    times smaller than the largest and may hold 0.
    """
    bits = FIRST_PRECISION_BITS
    while True:
        with Precision(bits):
            try:
                balls: list[Any] = work()
            except ZeroDivisionError:
                balls = []
            if balls:
                largest = max((abs(value).upper() for value in balls), key=_size)
                floor = largest * arb((1, -depth))
                if all(b.rel_accuracy_bits() >= WANTED_BITS or not b.rad() > floor for b in balls):
                    return balls
        if bits >= MAX_PRECISION_BITS:
            if not balls:
                raise ArithmeticError("The equations are too close to singular for the largest precision.")
            return balls
        bits *= 2


def _size(value: Any) -> int:
    if not value.is_finite():
        return 1 << 40
    mantissa, exponent = value.mid().man_exp()
    return abs(int(mantissa)).bit_length() + int(exponent) if mantissa else -(1 << 40)


def errors_from(exact: Sequence[Any], given: Sequence[float | int]) -> list[float]:
    """Doubles not below the distances of the given numbers from what the balls hold."""
    with Precision(MAX_PRECISION_BITS):
        return [above(abs(value - ball(number))) for value, number in zip(exact, given, strict=True)]


def above(value: Any) -> float:
    """A double not below the ball."""
    if value.is_zero():
        return 0.0
    top = float(value.upper())  # the nearest double, which may be below it
    return nextafter(top, inf) if isfinite(top) else inf


def middles(balls: Sequence[Any]) -> Doubles:
    """The doubles next to the middles of the balls; 0 for a ball that holds it."""
    return np.array([0.0 if value.contains(0) else float(value.mid()) for value in balls])
