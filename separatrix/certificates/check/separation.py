"""Claims about sides: a halfspace has every row, or all but a few, strictly on its side.

A double is a whole number over a power of two, so the margin s(w·x + b) of a row is settled in whole numbers:
put the row over its largest denominator and the weights over theirs; only the numerators matter for a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp
from operator import mul
from typing import Any

from .record import Number, Refused, any_number, ascending, flag, listed, optional, positive, several, whole
from .table import Table

UNIT = 1 << 1074  # every double is a whole number of 2^-1074ths
TINY = 1 << 52  # 2^-1022 of them
MAX_MISTAKES = 1 << 40  # of a run: beyond it the allowance for rounding proves nothing


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


def separable(witness: dict[str, Any], table: Table) -> str:
    weights, _ = over_common(all_weights(witness))
    wrong = sides(table, weights, witness["intercept"] is not None)
    if wrong:
        raise Refused(f"Row {wrong[0]} (counted from 0) is not strictly on its side.")
    return "a halfspace has every row strictly on its side, so the rows are linearly separable."


def errors_at_most(witness: dict[str, Any], table: Table) -> str:
    weights, _ = over_common(all_weights(witness))
    errors = len(sides(table, weights, witness["intercept"] is not None))
    if errors > witness["errors"]:
        raise Refused(f"{errors} rows are errors, more than the {witness['errors']} claimed.")
    return f"the halfspace makes {errors} errors, and at most {witness['errors']} are claimed."


def mistake_run(witness: dict[str, Any], table: Table) -> str:
    """W = sum c z over the mistakes, z = s(x, 1); k = sum c; A = sum c |z|; u = 2^-53; D entries in z.

    A run from zero has |W|^2 <= sum c |z|^2, as W z <= 0 at each mistake (Novikoff). Where doubles decided
    what is a mistake, W z <= (2D + k) u |z| A, hence the allowance 2 (2D + k) u |A|^2 and a term for
    underflow. The weights it reports are within k u A of W, entry by entry. Sums are in units of 2^-1074.
    """
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
    allowance += 2 * k * len(given) * (1 + k) * TINY * UNIT << 53
    if sum(map(mul, total, total)) - squares << 53 > allowance:
        raise Refused("Novikoff's inequality fails: the sum is too long for a run of mistakes.")
    for j, weight in enumerate(given):
        above, below = weight.as_integer_ratio()
        if abs(above * (UNIT // below) - total[j]) << 53 > k * (sizes[j] + (TINY << 53)):
            raise Refused(f"Weight {j} is not what these mistakes add up to.")
    if witness["converged"]:
        wrong = sides(table, total, constant)
        if wrong:
            raise Refused(f"Row {wrong[0]} (counted from 0) is not on its side of the exact sum.")
        return f"{k} mistakes made these weights, and their exact sum has every row strictly on its side."
    return f"{k} mistakes made these weights."


HALFSPACE = {"weights": several(any_number), "intercept": optional(any_number)}

CLAIMS = {
    "separable": (separable, HALFSPACE),
    "errors-at-most": (errors_at_most, {**HALFSPACE, "errors": whole}),
    "mistake-run": (
        mistake_run,
        {"rows": ascending, "counts": listed(positive), "mistakes": whole, **HALFSPACE, "converged": flag},
    ),
}
