"""Halfspaces and rows in whole numbers.

A double is a whole number over a power of two, so the margin s(w·x + b) of a row is settled in whole numbers:
put the row over its largest denominator and the weights over theirs; only the numerators matter for a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import frexp
from operator import mul
from typing import Any

from .field_types import Number, any_number, optional, several
from .table import Table

UNIT = 1 << 1074  # every double is a whole number of 2^-1074ths
HALFSPACE = {"weights": several(any_number), "intercept": optional(any_number)}


def over_common(values: Sequence[Number]) -> tuple[list[int], int]:
    """Numerators over one denominator; those of doubles are powers of two, so the largest serves all."""
    ratios = [value.as_integer_ratio() for value in values]
    common = max(below for _, below in ratios)
    top = common.bit_length()
    return [above << top - below.bit_length() for above, below in ratios], common


def row_over_common(values: list[float], constant: bool) -> tuple[list[int], int]:
    """The row x, or (x, 1).

    Doubles no smaller than 2^e are whole numbers of 2^(e-52); where that stays far from both ends of the
    range, multiplying by a power of two is exact, and quicker than asking each for its denominator.
    """
    sizes = list(map(abs, values))
    least, largest = min(filter(None, sizes), default=1.0), max(sizes)
    if least > 2.0**-300 and largest < 2.0**300:
        places = max(0, 53 - frexp(min(least, 1.0))[1])
        row, common = list(map(int, map((2.0**places).__mul__, values))), 1 << places
    else:
        row, common = over_common(values)
    return ([*row, common] if constant else row), common


def all_weights(witness: dict[str, Any]) -> list[Number]:
    intercept = witness["intercept"]
    return [*witness["weights"], *([] if intercept is None else [intercept])]


def sides(table: Table, weights: list[int], constant: bool) -> list[int]:
    """Numbers of the rows that are not strictly on their side."""
    wrong = []
    for i, (values, sign) in enumerate(table.rows()):
        row, _ = row_over_common(values, constant)
        if sign * sum(map(mul, row, weights)) <= 0:
            wrong.append(i)
    return wrong


def lowest_margin(witness: dict[str, Any], table: Table) -> tuple[Fraction, int]:
    """The least s(w·x + b) and the first row that has it."""
    weights, below = over_common(all_weights(witness))
    constant = witness["intercept"] is not None
    margins = ((row_over_common(values, constant), sign) for values, sign in table.rows())
    # In units of 2^-1074 over the weights' denominator: a fraction for each row would be reduced each time.
    lowest, first = min(
        (sign * sum(map(mul, row, weights)) * (UNIT // common), i)
        for i, ((row, common), sign) in enumerate(margins)
    )
    return Fraction(lowest, UNIT * below), first


def squared_norm(numbers: list[Any]) -> Fraction:
    wholes, below = over_common(numbers)
    return Fraction(sum(map(mul, wholes, wholes)), below**2)
