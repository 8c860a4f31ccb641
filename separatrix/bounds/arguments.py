"""Numbers that a theorem can be asked about, as floats, or one sentence on why not."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, SupportsFloat, SupportsIndex

from separatrix.messages import ParameterError, require


def positive(**arguments: SupportsFloat) -> tuple[float, ...]:
    """The arguments, if all are positive and finite."""
    return _allowed(arguments, lambda number: 0 < number < math.inf, "> 0 and finite")


def nonnegative(**arguments: SupportsFloat) -> tuple[float, ...]:
    """The arguments, if all are zero or positive, and finite."""
    return _allowed(arguments, lambda number: 0 <= number < math.inf, ">= 0 and finite")


def difficulty(radius: SupportsFloat, margin: SupportsFloat, norm: SupportsFloat = 1.0) -> Fraction:
    """R‖w*‖/γ of these doubles, exactly, which Cauchy and Schwarz keep at 1 or above."""
    length, scale = nonnegative(radius=radius, norm=norm)
    (gap,) = positive(margin=margin)
    # One part in 10⁹ forgives the rounding of a margin that is the length of its row.
    if gap > length * scale * (1 + 1e-9):
        largest = f"radius ({radius})" if scale == 1.0 else f"radius · norm ({length * scale})"
        raise ValueError(f"margin ({margin}) cannot exceed {largest}")
    (above, a), (times, b), (below, c) = (x.as_integer_ratio() for x in (length, scale, gap))
    return max(Fraction(1), Fraction(above * times * c, a * b * below))


def between_zero_and_one(**arguments: SupportsFloat) -> tuple[float, ...]:
    """The arguments, if all are strictly between 0 and 1: an accuracy, or a probability of failure."""
    return _allowed(arguments, lambda number: 0 < number < 1, "strictly between 0 and 1")


def _allowed(
    arguments: dict[str, Any], is_allowed: Callable[[float], bool], requirement: str
) -> tuple[float, ...]:
    found = numbers(**arguments)
    for (name, value), number in zip(arguments.items(), found, strict=True):
        if not is_allowed(number):
            raise ParameterError(name, value, requirement)
    return found


def whole(least: int = 0, **arguments: SupportsIndex) -> tuple[int, ...]:
    """The arguments, if all are whole numbers from ``least`` up."""
    found = []
    for name, value in arguments.items():
        try:
            number = operator.index(value)
        except TypeError:
            raise ParameterError(name, value, f"an integer >= {least}") from None
        require(number >= least, name, value, f"an integer >= {least}")
        found.append(number)
    return tuple(found)


def amount(least: int = 0, **arguments: SupportsIndex) -> tuple[int, ...]:
    """The arguments, if all are whole numbers from ``least`` up that a formula in doubles can hold."""
    found = whole(least, **arguments)
    for name, number in zip(arguments, found, strict=True):
        require(number <= 10**300, name, number, "<= 10^300")
    return found


def numbers(**arguments: Any) -> tuple[float, ...]:
    """The arguments as doubles."""
    found = []
    for name, value in arguments.items():
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            raise ParameterError(name, value, "a number") from None
        except OverflowError:
            raise ParameterError(name, value, "in the range of doubles") from None
    return tuple(found)
