"""Claims of separation: a halfspace has every row strictly on its side, or none can.

For rows z = s(x, 1), or s·x without an intercept, and l > 0 that cancel (see ``combinations``): sum l z = 0
gives sum l (z·w) = 0 for every w, so z·w > 0 cannot hold on all of these rows (Gordan), and z·w >= 0 on all
of them forces z·w = 0 on each, and on their span (Stiemke).
"""

from __future__ import annotations

from operator import mul
from typing import Any

from .combinations import BALANCE, NORMALS, cancelling, require_dimensions
from .field_types import flag
from .halfspaces import HALFSPACE, all_weights, over_common, row_over_common, sides
from .record import Refused
from .table import Table


def separable(witness: dict[str, Any], table: Table) -> str:
    weights, _ = over_common(all_weights(witness))
    wrong = sides(table, weights, witness["intercept"] is not None)
    if wrong:
        raise Refused(f"Row {wrong[0]} (counted from 0) is not strictly on its side.")
    return "a halfspace has every row strictly on its side, so the rows are linearly separable."


def inseparable(witness: dict[str, Any], table: Table) -> str:
    rows = cancelling(witness, table, witness["intercept"])
    return f"{len(rows)} with positive multipliers cancel, so no hyperplane has all strictly on their side."


def overlapping(witness: dict[str, Any], table: Table) -> str:
    constant = witness["intercept"]
    rows = cancelling(witness, table, constant)
    require_dimensions(rows, witness["normals"])
    for i, (values, _) in enumerate(table.rows() if witness["normals"] else ()):
        row, _ = row_over_common(values, constant)
        if any(sum(map(mul, row, normal)) for normal in witness["normals"]):
            raise Refused(f"Row {i} (counted from 0) is outside the span it claims.")
    return f"{len(rows)} that span all rows add up to zero, so no hyperplane separates them even weakly."


def weakly_separable(witness: dict[str, Any], table: Table) -> str:
    constant = witness["intercept"] is not None
    require_dimensions(cancelling(witness, table, constant), witness["normals"])
    weights, _ = over_common(all_weights(witness))
    strict = on = 0
    for i, (values, sign) in enumerate(table.rows()):
        row, _ = row_over_common(values, constant)
        margin = sign * sum(map(mul, row, weights))
        if margin < 0:
            raise Refused(f"Row {i} (counted from 0) is on the wrong side.")
        if margin == 0 and any(sum(map(mul, row, normal)) for normal in witness["normals"]):
            raise Refused(f"Row {i} (counted from 0) is on the hyperplane and need not be.")
        strict += margin > 0
        on += margin == 0
    if not strict:
        raise Refused("It has every row on the hyperplane.")
    return f"{strict} are strictly on their side of a hyperplane and {on} on it, where they must be."


CLAIMS = {
    "separable": (separable, HALFSPACE),
    "inseparable": (inseparable, {**BALANCE, "intercept": flag}),
    "overlapping": (overlapping, {**BALANCE, **NORMALS, "intercept": flag}),
    "weakly-separable": (weakly_separable, {**HALFSPACE, **BALANCE, **NORMALS}),
}
