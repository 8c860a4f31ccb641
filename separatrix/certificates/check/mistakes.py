"""Claims about the mistakes of a perceptron: how many a run made, and how many any run can make.

Novikoff: if |z| <= R and z·w >= g |w| > 0 on every row z = s(x, 1), or s·x without an intercept, a perceptron
from zero makes at most

    (R/g)^2 mistakes.                                                                                   (1)

Squares are compared, in fractions, so no root is taken.

A run from zero with c mistakes on each row ends with W = sum c z. Let k = sum c, A = sum c |z|, u = 2^-53,
and D the entries of z. As W z <= 0 at each mistake, |W|^2 <= sum c |z|^2. Where doubles decided what is a
mistake, W z <= (2D + k) u |z| A, underflow aside, so that

    |W|^2 <= sum c |z|^2 + 2 (2D + k) u |A|^2 + 2 k D (1 + k) 2^-1022,                                  (2)

and the weights it reports are, entry by entry, within

    k u A + k 2^-1022 of W.                                                                             (3)
"""

from __future__ import annotations

from operator import mul
from typing import Any

from .field_types import ascending, flag, listed, positive, whole
from .halfspaces import (
    HALFSPACE,
    UNIT,
    all_weights,
    lowest_margin,
    row_over_common,
    sides,
    squared_norm,
)
from .record import Refused
from .table import Table

TINY = 1 << 52  # 2^-1022 in units of 2^-1074
MAX_MISTAKES = 1 << 40  # of a run: beyond it the allowance for rounding proves nothing


def mistakes_at_most(witness: dict[str, Any], table: Table) -> str:
    constant = witness["intercept"] is not None
    largest = max(squared_norm([*values, 1.0] if constant else values) for values, _ in table.rows())
    lowest, row = lowest_margin(witness, table)
    # (1) above is below mistakes + 1.
    if lowest <= 0 or lowest**2 * (witness["mistakes"] + 1) <= largest * squared_norm(all_weights(witness)):
        raise Refused(f"Row {row} (counted from 0) has too small a margin for that.")
    return f"a perceptron from zero makes at most {witness['mistakes']} mistakes, in any order."


def mistake_run(witness: dict[str, Any], table: Table) -> str:
    """Sums are in units of 2^-1074."""
    counts = dict(zip(witness["rows"], witness["counts"], strict=True))
    k, constant = witness["mistakes"], witness["intercept"] is not None
    if k > MAX_MISTAKES:
        raise Refused("It claims more than 2^40 mistakes: so many cannot be told from rounding errors.")
    if sum(counts.values()) != k:
        raise Refused(f"The counts do not add up to {k}.")
    given = all_weights(witness)
    total, sizes, squares, met = [0] * len(given), [0] * len(given), 0, 0
    for i, (values, sign) in enumerate(table.rows()):
        if i in counts:
            row, common = row_over_common(values, constant)
            row = [entry * (UNIT // common) for entry in row]
            total = [sum_ + counts[i] * sign * entry for sum_, entry in zip(total, row, strict=True)]
            sizes = [sum_ + counts[i] * abs(entry) for sum_, entry in zip(sizes, row, strict=True)]
            squares += counts[i] * sum(map(mul, row, row))
            met += 1
    if met < len(counts):
        raise Refused(f"It counts row {max(counts)}, which this data does not have.")
    allowance = 2 * (2 * len(given) + k) * sum(map(mul, sizes, sizes))
    allowance += 2 * k * len(given) * (1 + k) * TINY * UNIT << 53  # both terms of (2), over u
    if sum(map(mul, total, total)) - squares << 53 > allowance:
        raise Refused("Novikoff's inequality fails: the sum is too long for a run of mistakes.")
    for j, weight in enumerate(given):
        above, below = weight.as_integer_ratio()
        if abs(above * (UNIT // below) - total[j]) << 53 > k * (sizes[j] + (TINY << 53)):  # (3)
            raise Refused(f"Weight {j} is not what these mistakes add up to.")
    if witness["converged"]:
        wrong = sides(table, total, constant)
        if wrong:
            raise Refused(f"Row {wrong[0]} (counted from 0) is not on its side of the exact sum.")
        return f"{k} mistakes made these weights, and their exact sum has every row strictly on its side."
    return f"{k} mistakes made these weights."


CLAIMS = {
    "mistakes-at-most": (mistakes_at_most, {**HALFSPACE, "mistakes": whole}),
    "mistake-run": (
        mistake_run,
        {"rows": ascending, "counts": listed(positive), "mistakes": whole, **HALFSPACE, "converged": flag},
    ),
}
