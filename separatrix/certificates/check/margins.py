"""Claims about margins: a halfspace keeps every row at a distance, and no halfspace keeps a larger one.

For rows z = s(x, 1), or s·x without an intercept, and multipliers l >= 0 not all zero, every halfspace has

    min z·w / |w| <= |sum l z| / sum l.                                                                 (1)

If the constant's entry of the sum is 0, both classes weigh the same and this bounds the geometric margin,
whose norm leaves the intercept out. A halfspace that reaches a share of the bound reaches that share of the
best margin. Squares are compared, in fractions, so no root is taken.
"""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

from .combinations import BALANCE, combination, named
from .field_types import flag, number, share
from .halfspaces import (
    HALFSPACE,
    UNIT,
    all_weights,
    lowest_margin,
    over_common,
    row_over_common,
    squared_norm,
)
from .record import Refused
from .table import Table


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
    # The square of (1) above.
    bound = Fraction(sum(map(mul, total, total)), (common * sum(witness["multipliers"])) ** 2)
    if witness["margin"] < 0 or bound > Fraction(witness["margin"]) ** 2:
        raise Refused("Its rows allow a larger margin than that.")
    return f"{len(witness['rows'])} allow no margin above {witness['margin']!r}."


def margin_between(witness: dict[str, Any], table: Table) -> str:
    constant = witness["intercept"] is not None
    margin_at_least({**witness, "margin": witness["lower"]}, table)
    margin_at_most({**witness, "margin": witness["upper"], "intercept": constant}, table)
    return f"the largest margin is between {witness['lower']!r} and {witness['upper']!r}."


def margin_share(witness: dict[str, Any], table: Table) -> str:
    if not witness["rows"]:
        raise Refused("It names no rows.")
    multipliers = dict(zip(witness["rows"], witness["multipliers"], strict=True))
    constant = witness["intercept"] is not None
    weights, below = over_common(all_weights(witness))
    total, met = [0] * len(weights), 0
    for i, (values, sign) in enumerate(table.rows()):
        if i in multipliers:
            entries, common = row_over_common(values, constant)
            scale = multipliers[i] * sign * (UNIT // common)
            total = [sum_ + scale * entry for sum_, entry in zip(total, entries, strict=True)]
            met += 1
    if met < len(multipliers):
        raise Refused(f"It names row {max(multipliers)}, which this data does not have.")
    best = Fraction(sum(map(mul, total, total)), (UNIT * sum(multipliers.values())) ** 2)  # (1), squared
    if best == 0:
        raise Refused("Its multipliers prove that no halfspace separates the rows.")
    floor = Fraction(witness["share"]) ** 2 * best * Fraction(sum(map(mul, weights, weights)), below**2)
    if floor == 0:
        raise Refused("Its weights are all zero.")
    lowest, row = lowest_margin(witness, table)
    if lowest <= 0 or lowest**2 < floor:
        raise Refused(f"Row {row} (counted from 0) has a smaller margin than that.")
    return f"the halfspace has at least {witness['share']!r} of the largest possible margin."


CLAIMS = {
    "margin-at-least": (margin_at_least, {**HALFSPACE, "margin": number, "geometric": flag}),
    "margin-at-most": (margin_at_most, {**BALANCE, "margin": number, "geometric": flag, "intercept": flag}),
    "margin-between": (
        margin_between,
        {**HALFSPACE, **BALANCE, "lower": number, "upper": number, "geometric": flag},
    ),
    "margin-share": (margin_share, {**HALFSPACE, **BALANCE, "share": share}),
}
