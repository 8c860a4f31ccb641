"""Claims about errors: how many a halfspace makes, and the fewest that any halfspace makes.

The fewest are bounded by a halfspace from above, and by a proof from below.

A row z = s(x, 1), or s·x without an intercept, is an error of w iff z·w <= 0. Its cost is 1, or what
``costs`` says; costs are doubles or whole numbers below 2^1024, and are counted in the largest unit of which
all are whole multiples. Each column is multiplied by the least power of two, from 1 up, that makes its
entries whole.

Rows of one direction are all errors or all right: they are one row with their costs added up, called by the
number of the first of them. Of two rows in opposite directions one is an error: the smaller cost is paid in
any case, and the heavier row keeps the difference. A row of zeros is always an error. What is left are the
``Groups`` that a proof speaks of. The methods of proof each have a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd
from reprlib import repr as short
from typing import Any, NamedTuple

from .errors_circuits import circuits
from .errors_cone import cones
from .field_types import Number, any_number, fields, flag, optional, several, text, whole
from .halfspaces import HALFSPACE, all_weights, over_common, sides
from .record import Refused
from .table import Table


class Groups(NamedTuple):
    """The rows that count, by name, with what they cost, and what is paid in any case."""

    rows: dict[int, list[int]]
    weights: dict[int, int]
    offset: int


def whole_costs(costs: list[Number] | None, n_rows: int) -> tuple[list[int], Fraction]:
    """Costs without a common divisor, and what one unit of them is."""
    if costs is None:
        return [1] * n_rows, Fraction(1)
    if len(costs) != n_rows or min(costs) < 0:
        raise Refused(f"Its costs are not {n_rows} numbers from 0 up.")
    wholes, common = over_common(costs)
    divisor = gcd(*wholes) or 1
    return [cost // divisor for cost in wholes], Fraction(divisor, common)


def grouped(rows: Iterator[tuple[list[float], int]], constant: bool, costs: list[int]) -> Groups:
    data = list(rows)
    columns = [over_common(column)[0] for column in zip(*(values for values, _ in data), strict=True)]
    found: dict[tuple[int, ...], list[int]] = {}  # direction: name, cost
    signed: dict[int, list[int]] = {}
    offset = 0
    for i, (values, (_, sign), cost) in enumerate(zip(zip(*columns, strict=True), data, costs, strict=True)):
        row = [sign * entry for entry in (*values, 1)] if constant else [sign * entry for entry in values]
        divisor = gcd(*row)
        if cost == 0 or divisor == 0:
            offset += cost
            continue
        direction = tuple(entry // divisor for entry in row)
        signed.setdefault(found.setdefault(direction, [i, 0])[0], row)
        found[direction][1] += cost
    weights = {}
    for direction, (name, cost) in found.items():
        other = found.get(tuple(-entry for entry in direction), (name, 0))[1]
        if cost > other:
            weights[name] = cost - other
            offset += other
        elif cost == other and name < found[tuple(-entry for entry in direction)][0]:
            offset += cost
    return Groups({name: signed[name] for name in sorted(weights)}, weights, offset)


def nothing(proof: dict[str, Any], groups: Groups) -> int:
    fields(proof, {"method": text})
    return groups.offset


METHODS = {"none": nothing, "cones": cones, "circuits": circuits}


def lower_bound(proof: dict[str, Any], groups: Groups, methods: dict[str, Any] = METHODS) -> int:
    """What the proof proves that every halfspace costs."""
    method = methods.get(proof["method"])
    if method is None:
        raise Refused(f"This checker knows no proof by {short(proof['method'])}.")
    return int(method(proof, groups))


def errors_at_least(witness: dict[str, Any], table: Table) -> str:
    n_rows = sum(1 for _ in table.rows())
    costs, unit = whole_costs(witness["costs"], n_rows)
    proven = lower_bound(witness["proof"], grouped(table.rows(), witness["intercept"], costs))
    if proven < witness["bound"]:
        raise Refused(f"Its proof shows a cost of {proven}, less than the {witness['bound']} claimed.")
    return f"every halfspace makes errors that cost at least {witness['bound'] * unit}."


def fewest_errors(witness: dict[str, Any], table: Table) -> str:
    n_rows = sum(1 for _ in table.rows())
    costs, unit = whole_costs(witness["costs"], n_rows)
    weights, _ = over_common(all_weights(witness))
    constant = witness["intercept"] is not None
    spent = sum(costs[i] for i in sides(table, weights, constant))
    if spent > witness["errors"]:
        raise Refused(f"The halfspace costs {spent}, more than the {witness['errors']} claimed.")
    errors_at_least({**witness, "intercept": constant}, table)
    low, high = witness["bound"] * unit, witness["errors"] * unit
    return f"a halfspace makes errors that cost {high}, and none costs less than {low}."


def record(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not isinstance(value.get("method"), str):
        raise ValueError
    return value


def cost(value: Any) -> Number:
    value = any_number(value)
    if not 0 <= value < 1 << 1024:
        raise ValueError
    return value


PROOF = {"bound": whole, "costs": optional(several(cost)), "proof": record}


def errors_at_most(witness: dict[str, Any], table: Table) -> str:
    weights, _ = over_common(all_weights(witness))
    errors = len(sides(table, weights, witness["intercept"] is not None))
    if errors > witness["errors"]:
        raise Refused(f"{errors} rows are errors, more than the {witness['errors']} claimed.")
    return f"the halfspace makes {errors} errors, and at most {witness['errors']} are claimed."


CLAIMS = {
    "errors-at-most": (errors_at_most, {**HALFSPACE, "errors": whole}),
    "errors-at-least": (errors_at_least, {**PROOF, "intercept": flag}),
    "fewest-errors": (fewest_errors, {**HALFSPACE, "errors": whole, **PROOF}),
}
