"""Square roots and radii rounded to the safe side, the unit of exact rows, and which rows may be lowest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from sys import float_info

import numpy as np

from separatrix.algorithms.separation.integers import compute_row_units
from separatrix.algorithms.separation.scan import Plane, Scanner
from separatrix.certificates.arithmetic.dyadic import dyadic, root
from separatrix.certificates.claims.mistakes import squared_radius as find_largest_square
from separatrix.rows import Block


def find_unit_exponent(X: np.ndarray, intercept: bool) -> int:
    """The exponent of the unit in which `to_common_rows` writes these rows."""
    return int(compute_row_units(X.reshape(1, -1), intercept)[0])


def square_norm(plane: Plane, geometric: bool) -> Fraction:
    """‖w‖², exactly; the intercept counts unless the margin is geometric."""
    weights = plane.to_numbers()
    return dyadic(weights[:-1] if geometric else weights).squared_norm()


def round_root_up(square: Fraction) -> float:
    """A float not below the square root; infinity where no finite one is."""
    value = root(square)
    while value < inf and Fraction(value) ** 2 < square:
        value = nextafter(value, inf)
    return value


def round_root_down(square: Fraction) -> float:
    """A float not above the square root."""
    value = min(root(square), float_info.max)
    while value > 0 and Fraction(value) ** 2 > square:
        value = nextafter(value, 0.0)
    return value


def round_down(value: float) -> float:
    return nextafter(value, -inf) if value > 0 else value


@dataclass(frozen=True)
class LargestSquare:
    """max ‖x‖² of a block, exactly."""

    def __call__(self, block: Block) -> Fraction:
        return find_largest_square(block.matrix())


def compute_squared_radius(scanner: Scanner) -> Fraction:
    """R² of the rows (x, 1), or x without an intercept, exactly."""
    return max(scanner.rows.each(LargestSquare())) + int(scanner.intercept)


def find_lowest_candidates(X: np.ndarray, signs: np.ndarray, numbers: Sequence[float | int]) -> np.ndarray:
    """The places of rows that may have the least margin, as far as doubles tell."""
    try:
        weights = np.array([float(number) for number in numbers])
    except OverflowError:
        return np.arange(len(X))
    with np.errstate(all="ignore"):
        margins = signs * (X @ weights[:-1] + weights[-1])
        sizes = abs(X) @ abs(weights[:-1]) + abs(weights[-1])
        error_bounds = (len(weights) + 4) * (2.0**-49 * sizes + 2.0**-1070)
        upper_limit = (margins + error_bounds).min(initial=np.inf)
        return np.flatnonzero(~(margins - error_bounds > upper_limit))
