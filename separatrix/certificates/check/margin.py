"""Claims about margins: a halfspace keeps every row at a distance.

For rows z = s(x, 1), or s·x without an intercept, and multipliers l >= 0 not all zero, every halfspace has
a margin min z·w/|w| of at most |sum l z| / sum l. One that reaches a share of this reaches that share of
the best margin. Squares are compared, in fractions, so no root is taken.
"""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

from .bounds import lowest_margin
from .record import Refused, ascending, listed, positive, share
from .separation import HALFSPACE, UNIT, all_weights, over_common, row_over_common
from .table import Table


def margin_share(witness: dict[str, Any], table: Table) -> str:
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
    best = Fraction(sum(map(mul, total, total)), (UNIT * sum(multipliers.values())) ** 2)
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
    "margin-share": (
        margin_share,
        {**HALFSPACE, "rows": ascending, "multipliers": listed(positive), "share": share},
    ),
}
