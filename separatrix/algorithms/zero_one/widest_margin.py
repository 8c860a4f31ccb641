"""Of several halfspaces with the fewest errors, the one with the largest margin on the rows it gets right.

The halfspaces with a given set of errors are a cell; those with the fewest errors are a union of cells, and
within a cell nothing in the training errors tells one halfspace from another. The maximum margin does, and it
is what generalises best. Cells that were not met are not compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.separation import separate_rows
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.rows import DenseRows

MAX_CELLS = 6  # cells looked at


class WidestHalfspace(NamedTuple):
    """Weights for the columns as given (intercept last, if there is one), and the certified margin."""

    weights: tuple[float | int, ...]
    margin: float


def find_widest(
    X: np.ndarray, signs: np.ndarray, found: Sequence[Sequence[Any]], intercept: bool, time_limit: float
) -> WidestHalfspace | None:
    """The best of the cells of ``found``, or None where no margin could be certified in the time given.

    The rows are those given, not merged ones: of two equal rows with opposite labels one is right, and of
    rows in one direction the shortest has the smallest margin.
    """
    cells: set[bytes] = set()
    best: WidestHalfspace | None = None
    for numbers in found:
        weights, bias = (numbers[:-1], numbers[-1]) if intercept else (numbers, None)
        is_right = Margins(weights, bias).compare(X, signs, 0) > 0
        cell = is_right.tobytes()
        if cell in cells or len(cells) >= MAX_CELLS or not _is_bounded(is_right, signs, intercept):
            continue
        cells.add(cell)
        candidate = _measure_margin(X[is_right], signs[is_right], intercept, time_limit / MAX_CELLS)
        if candidate is not None and (best is None or candidate.margin > best.margin):
            best = candidate
    return best


def _is_bounded(is_right: np.ndarray, signs: np.ndarray, intercept: bool) -> bool:
    """Whether the rows that are right bound the margin at all."""
    return bool(is_right.any()) and (not intercept or len(np.unique(signs[is_right])) == 2)


def _measure_margin(
    X: np.ndarray, signs: np.ndarray, intercept: bool, time_limit: float
) -> WidestHalfspace | None:
    codes = (signs > 0).astype(np.int32)
    if not intercept:  # the signs go into the rows, and a mirrored copy makes a second class in any case
        X = X * signs[:, None]
        X, codes = np.concatenate((X, -X)), np.repeat(np.array([1, 0], np.int32), len(X))
    rows = DenseRows(np.ascontiguousarray(X), codes, np.array([-1, 1]))
    answer: Any = separate_rows(rows, 1, intercept=intercept, time_limit=max(0.05, time_limit))
    bracket = answer.bracket(geometric=True, tol=1e-6, canonical=True) if answer.separable else None
    if bracket is None:
        return None
    numbers = tuple(bracket.plane.to_numbers())
    return WidestHalfspace(numbers if intercept else numbers[:-1], float(bracket.lower))
