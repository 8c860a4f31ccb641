"""Claims that bound: a margin from below or above, the mistakes of a perceptron.

A halfspace bounds the largest margin from below. For rows z = s(x, 1), or s·x without an intercept, and l >
0, every halfspace has min z·w <= |sum l z| |w| / sum l; if the constant's entry of the sum is 0, both classes
weigh the same and this bounds the geometric margin, whose norm leaves the intercept out. Novikoff: if |z| <=
R and z·w >= g |w| > 0 on every row, a perceptron from zero makes at most (R/g)^2 mistakes. Squares are
compared, in fractions, so no root is taken.
"""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

from .conflict import BALANCE, combination, named
from .record import Refused, flag, number, whole
from .separation import HALFSPACE, UNIT, all_weights, over_common, row_over_common
from .table import Table


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


def margin_at_least(witness: dict[str, Any], table: Table) -> str:
    norm = squared_norm(witness["weights"] if witness["geometric"] else all_weights(witness))
    if witness["margin"] <= 0 or norm == 0:
        raise Refused("It claims no margin above 0.")
    lowest, row = lowest_margin(witness, table)
    if lowest <= 0 or lowest**2 < Fraction(witness["margin"]) ** 2 * norm:
        raise Refused(f"Row {row} (counted from 0) has a smaller margin than that.")
    return f"each has a margin of at least {witness['margin']!r}."


def margin_at_most(witness: dict[str, Any], table: Table) -> str:
    if not witness["rows"]:
        raise Refused("It names no rows.")
    total, common = combination(list(named(witness, table, witness["intercept"])))
    if witness["geometric"] and witness["intercept"] and total[-1]:
        raise Refused("Its multipliers do not weigh both classes the same.")
    bound = Fraction(sum(map(mul, total, total)), (common * sum(witness["multipliers"])) ** 2)
    if witness["margin"] < 0 or bound > Fraction(witness["margin"]) ** 2:
        raise Refused("Its rows allow a larger margin than that.")
    return f"{len(witness['rows'])} allow no margin above {witness['margin']!r}."


def mistakes_at_most(witness: dict[str, Any], table: Table) -> str:
    constant = witness["intercept"] is not None
    largest = max(squared_norm([*values, 1.0] if constant else values) for values, _ in table.rows())
    lowest, row = lowest_margin(witness, table)
    if lowest <= 0 or lowest**2 * (witness["mistakes"] + 1) <= largest * squared_norm(all_weights(witness)):
        raise Refused(f"Row {row} (counted from 0) has too small a margin for that.")
    return f"a perceptron from zero makes at most {witness['mistakes']} mistakes, in any order."


def margin_between(witness: dict[str, Any], table: Table) -> str:
    constant = witness["intercept"] is not None
    margin_at_least({**witness, "margin": witness["lower"]}, table)
    margin_at_most({**witness, "margin": witness["upper"], "intercept": constant}, table)
    return f"the largest margin is between {witness['lower']!r} and {witness['upper']!r}."


CLAIMS = {
    "margin-at-least": (margin_at_least, {**HALFSPACE, "margin": number, "geometric": flag}),
    "margin-at-most": (margin_at_most, {**BALANCE, "margin": number, "geometric": flag, "intercept": flag}),
    "margin-between": (
        margin_between,
        {**HALFSPACE, **BALANCE, "lower": number, "upper": number, "geometric": flag},
    ),
    "mistakes-at-most": (mistakes_at_most, {**HALFSPACE, "mistakes": whole}),
}
