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

MOST = 6  # cells looked at


class Widest(NamedTuple):
    """Weights for the columns as given (intercept last, if there is one), and the certified margin."""

    weights: tuple[float | int, ...]
    margin: float


def widest(
    X: np.ndarray, signs: np.ndarray, found: Sequence[Sequence[Any]], intercept: bool, time_limit: float
) -> Widest | None:
    """The best of the cells of ``found``, or None where no margin could be certified in the time given.

    The rows are those given, not merged ones: of two equal rows with opposite labels one is right, and of
    rows in one direction the shortest has the smallest margin.
    """
    seen: set[bytes] = set()
    best: Widest | None = None
    for numbers in found:
        weights, bias = (numbers[:-1], numbers[-1]) if intercept else (numbers, None)
        right = Margins(weights, bias).compare(X, signs, 0) > 0
        cell = right.tobytes()
        if cell in seen or len(seen) >= MOST or not _two_sided(right, signs, intercept):
            continue
        seen.add(cell)
        candidate = _margin(X[right], signs[right], intercept, time_limit / MOST)
        if candidate is not None and (best is None or candidate.margin > best.margin):
            best = candidate
    return best


def _two_sided(right: np.ndarray, signs: np.ndarray, intercept: bool) -> bool:
    """Whether the rows that are right bound the margin at all."""
    return bool(right.any()) and (not intercept or len(np.unique(signs[right])) == 2)


def _margin(X: np.ndarray, signs: np.ndarray, intercept: bool, time_limit: float) -> Widest | None:
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
    return Widest(numbers if intercept else numbers[:-1], float(bracket.lower))
