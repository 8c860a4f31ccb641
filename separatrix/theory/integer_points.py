"""Points as whole numbers: the rows (x, 1), or x, each times a positive number of its own."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray


def as_points(points: Any) -> NDArray[np.float64]:
    """A table of finite doubles, one point a row, or one sentence on what is wrong with it."""
    if hasattr(points, "toarray"):
        points = points.toarray()
    try:
        given = np.asarray(points)
        if given.dtype.kind not in "biufO":
            raise ValueError
        table = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("points must be a table of numbers, one point a row") from None
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"points must be a table of numbers, one point a row, not of shape {table.shape}")
    if table.shape[0] == 0:
        raise ValueError("there must be at least one point")
    wrong = np.argwhere(~np.isfinite(table))
    if wrong.size:
        row, column = wrong[0].tolist()
        raise ValueError(f"point {row} has {table[row, column]} in column {column}: points must be finite")
    if given.dtype.kind in "iuO" or given.dtype.itemsize > 8:
        pairs = zip(given.ravel().tolist(), table.ravel().tolist(), strict=True)
        for number, double in pairs:
            if number != double:
                raise ValueError(f"{number} is no double: points must be, so that proofs are about them")
    return table + 0.0


def whole_rows(table: NDArray[np.float64], intercept: bool) -> list[list[int]]:
    """Every row times the least whole number that makes it whole, the constant 1 included; signs stay.

    >>> whole_rows(np.array([[0.5, 3.0], [0.0, -0.75]]), True)
    [[1, 6, 2], [0, -3, 4]]
    """
    rows = []
    for point in table.tolist():
        numbers = [Fraction(value) for value in point] + [Fraction(1)] * intercept
        unit = lcm(*(number.denominator for number in numbers))
        rows.append([int(number * unit) for number in numbers])
    return rows
