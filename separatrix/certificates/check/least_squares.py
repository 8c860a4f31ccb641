"""Claims about least squares and ridge: coefficients near the exact solution of the numbers in the file.

The normal equations are formed and solved in fractions, without any help from the certificate. Of several
solutions the shortest counts: any of them, less its part along directions that change no prediction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from .field_types import double, nonnegative, optional, several
from .labels import Label
from .record import Refused
from .table import Table, Unreadable


class TargetTable(Table):
    """Rows of a CSV file with a real target where other claims have a label."""

    def rows(self) -> Iterator[tuple[list[float], Any]]:
        columns = (*self._features, self._label)
        for line, cells in self._cells():
            values = self._numbers(line, cells, columns)
            yield values[:-1], values[-1]

    def count_and_leaves(self, hashed: bool) -> tuple[int, bool, list[bytes]]:
        n_rows, _, leaves = super().count_and_leaves(hashed)
        return n_rows, True, leaves

    def _larger_label(self) -> Label:
        return 0  # targets have no positive one


def moments(table: Table, row_weights: list[Any] | None) -> tuple[list[list[Fraction]], int]:
    """Sums of weight times product over rows (x, 1, y), and the number of rows."""
    units = [1] * (table.columns + 2)
    n_rows = 0
    for values, target in table.rows():
        n_rows += 1
        given = (*values, 1.0, target)
        units = [max(unit, value.as_integer_ratio()[1]) for unit, value in zip(units, given, strict=True)]
    if row_weights is not None and len(row_weights) != n_rows:
        raise Refused(f"It has weights for {len(row_weights)} rows; this data has {n_rows}.")
    size = len(units)
    weight_unit = max((h.as_integer_ratio()[1] for h in row_weights or ()), default=1)
    sums = [[0] * size for _ in range(size)]
    for i, (values, target) in enumerate(table.rows()):
        row = [_whole(value, unit) for value, unit in zip((*values, 1.0, target), units, strict=True)]
        weighted_row = (
            row if row_weights is None else [_whole(row_weights[i], weight_unit) * value for value in row]
        )
        for j, first in enumerate(weighted_row):
            line = sums[j]
            for k in range(j, size):
                line[k] += first * row[k]
    low = [[min(j, k) for k in range(size)] for j in range(size)]
    return [
        [Fraction(sums[low[j][k]][max(j, k)], units[j] * units[k] * weight_unit) for k in range(size)]
        for j in range(size)
    ], n_rows


def _whole(value: Any, unit: int) -> int:
    above, below = value.as_integer_ratio()
    return int(above * (unit // below))


def solution(table: Table, constant: bool, alpha: Fraction | None, row_weights: Any) -> list[Fraction]:
    """The exact weights, with the exact intercept last if there is one; α None is infinite."""
    sums, _ = moments(table, row_weights)
    d = table.columns
    total = sums[d][d]
    if constant and total == 0:
        raise Refused("Every row has weight 0.")

    if alpha is None:
        return [Fraction(0)] * d + ([sums[d][d + 1] / total] if constant else [])

    def centred(j: int, k: int) -> Fraction:
        return sums[j][k] - (sums[j][d] * sums[k][d] / total if constant else 0)

    rows = [[centred(j, k) + alpha * (j == k) for k in range(d)] + [centred(j, d + 1)] for j in range(d)]
    some, free = eliminate(rows, d)
    weights = shortest(some, free)
    if not constant:
        return weights
    return [*weights, (sums[d + 1][d] - sum(map(mul, weights, (sums[k][d] for k in range(d))))) / total]


def eliminate(rows: list[list[Fraction]], d: int) -> tuple[list[Fraction], list[list[Fraction]]]:
    """A solution of d equations that have one, and the directions along which there are more.

    Whole numbers throughout: a row is cleared of fractions, and of common factors after each step.
    """
    work = [_cleared(row) for row in rows]
    pivots: list[tuple[int, int]] = []
    used = 0
    for column in range(d):
        lead = next((i for i in range(used, d) if work[i][column]), None)
        if lead is None:
            continue
        work[used], work[lead] = work[lead], work[used]
        head = work[used]
        for i in range(d):
            if i != used and work[i][column]:
                one, other = head[column], work[i][column]
                work[i] = _coprime([one * a - other * b for a, b in zip(work[i], head, strict=True)])
        pivots.append((column, used))
        used += 1
    if any(work[i][d] for i in range(used, d)):
        raise Refused("The normal equations have no solution, which cannot be.")
    taken = dict(pivots)
    some = [Fraction(work[taken[j]][d], work[taken[j]][j]) if j in taken else Fraction(0) for j in range(d)]
    free = []
    for column in range(d):
        if column not in taken:
            move = [
                Fraction(-work[taken[j]][column], work[taken[j]][j]) if j in taken else Fraction(0)
                for j in range(d)
            ]
            move[column] = Fraction(1)
            free.append(move)
    return some, free


def shortest(some: list[Fraction], free: list[list[Fraction]]) -> list[Fraction]:
    if not free:
        return some
    rows = [[_dot(one, other) for other in free] + [_dot(one, some)] for one in free]
    shares, _ = eliminate(rows, len(free))
    return [w - sum(s * move[j] for s, move in zip(shares, free, strict=True)) for j, w in enumerate(some)]


def _dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum(map(mul, one, other), Fraction(0))


def _cleared(row: list[Fraction]) -> list[int]:
    common = math.lcm(*(value.denominator for value in row))
    return _coprime([int(value * common) for value in row])


def _coprime(row: list[int]) -> list[int]:
    common = math.gcd(*row)
    return [value // common for value in row] if common > 1 else row


def solution_within(witness: dict[str, Any], table: Table) -> str:
    constant = witness["intercept"] is not None
    given = [*witness["weights"], *([witness["intercept"]] if constant else [])]
    within, distance, alpha = witness["within"], witness["distance"], witness["alpha"]
    if len(within) != len(given):
        raise Unreadable("The certificate's bounds do not match its coefficients.")
    row_weights = witness["sample_weight"]
    exact = solution(table, constant, None if alpha is None else Fraction(alpha), row_weights)
    errors = [abs(Fraction(ours) - theirs) for ours, theirs in zip(given, exact, strict=True)]
    for j, (error, allowed) in enumerate(zip(errors, within, strict=True)):
        if error > allowed:
            raise Refused(f"Coefficient {j} is further than {allowed!r} from the exact one.")
    if sum(error**2 for error in errors) > Fraction(distance) ** 2:
        raise Refused(f"The coefficients are further than {distance!r} from the exact ones.")
    return f"the coefficients are within {distance!r} of the exact solution."


def gradient_at_most(witness: dict[str, Any], table: Table) -> str:
    constant = witness["intercept"] is not None
    weights = [Fraction(w) for w in witness["weights"]]
    bias = Fraction(witness["intercept"] or 0)
    row_weights = witness["sample_weight"]
    half = [Fraction(witness["alpha"]) * w for w in weights]
    intercept_slope, met = Fraction(0), 0
    for i, (values, target) in enumerate(table.rows()):
        row = [Fraction(value) for value in values]
        rest = Fraction(target) - bias - _dot(row, weights)
        met += 1
        if row_weights is not None:
            if i >= len(row_weights):
                break
            rest *= Fraction(row_weights[i])
        half = [g - rest * x for g, x in zip(half, row, strict=True)]
        intercept_slope -= rest
    if row_weights is not None and len(row_weights) != met:
        raise Refused(f"It has weights for {len(row_weights)} rows; this data has another number.")
    square = _dot(half, half) + (intercept_slope**2 if constant else 0)
    if square > Fraction(witness["gradient"]) ** 2:
        raise Refused(f"Half the gradient is longer than {witness['gradient']!r}.")
    return f"half the gradient of the squared error is at most {witness['gradient']!r} long."


FIT = {
    "weights": several(double),
    "intercept": optional(double),
    "sample_weight": optional(several(nonnegative)),
}

CLAIMS = {
    "solution-within": (
        solution_within,
        {**FIT, "alpha": optional(nonnegative), "distance": nonnegative, "within": several(nonnegative)},
    ),
    "gradient-at-most": (gradient_at_most, {**FIT, "alpha": nonnegative, "gradient": nonnegative}),
}
