"""Numbers that a theorem can be asked about, as floats, or one sentence on why not."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import Any, SupportsFloat, SupportsIndex


def positive(**arguments: SupportsFloat) -> tuple[float, ...]:
    """The arguments, if all are positive and finite."""
    found = numbers(**arguments)
    for (name, value), number in zip(arguments.items(), found, strict=True):
        if not 0 < number < math.inf:
            raise ValueError(f"{name} must be a positive number, not {value}")
    return found


def nonnegative(**arguments: SupportsFloat) -> tuple[float, ...]:
    """The arguments, if all are zero or positive, and finite."""
    found = numbers(**arguments)
    for (name, value), number in zip(arguments.items(), found, strict=True):
        if not 0 <= number < math.inf:
            raise ValueError(f"{name} must be zero or a positive number, not {value}")
    return found


def difficulty(radius: SupportsFloat, margin: SupportsFloat, norm: SupportsFloat = 1.0) -> Fraction:
    """R‖w*‖/γ of these doubles, exactly, which Cauchy and Schwarz keep at 1 or above."""
    length, scale = nonnegative(radius=radius, norm=norm)
    (gap,) = positive(margin=margin)
    # One part in 10⁹ forgives the rounding of a margin that is the length of its row.
    if gap > length * scale * (1 + 1e-9):
        raise ValueError(f"a margin of {margin} is more than the length of any row, {radius}, allows")
    (above, a), (times, b), (below, c) = (x.as_integer_ratio() for x in (length, scale, gap))
    return max(Fraction(1), Fraction(above * times * c, a * b * below))


def between_zero_and_one(**arguments: SupportsFloat) -> tuple[float, ...]:
    """The arguments, if all are strictly between 0 and 1: an accuracy, or a probability of failure."""
    found = numbers(**arguments)
    for (name, value), number in zip(arguments.items(), found, strict=True):
        if not 0 < number < 1:
            raise ValueError(f"{name} must lie strictly between 0 and 1, not {value}")
    return found


def whole(least: int = 0, **arguments: SupportsIndex) -> tuple[int, ...]:
    """The arguments, if all are whole numbers from ``least`` up."""
    found = []
    for name, value in arguments.items():
        try:
            number = operator.index(value)
        except TypeError:
            raise ValueError(f"{name} must be a whole number, not {value!r}") from None
        if number < least:
            raise ValueError(f"{name} must be {least} or more, not {value}")
        found.append(number)
    return tuple(found)


def amount(least: int = 0, **arguments: SupportsIndex) -> tuple[int, ...]:
    """The arguments, if all are whole numbers from ``least`` up that a formula in doubles can hold."""
    found = whole(least, **arguments)
    for name, number in zip(arguments, found, strict=True):
        if number > 10**300:
            raise ValueError(f"{name} must be at most 10^300")
    return found


def numbers(**arguments: Any) -> tuple[float, ...]:
    """The arguments as doubles."""
    found = []
    for name, value in arguments.items():
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            raise ValueError(f"{name} must be a number, not {value!r}") from None
        except OverflowError:
            raise ValueError(f"{name} is larger than any double") from None
    return tuple(found)
