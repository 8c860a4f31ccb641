"""Scores of rows in doubles, with the true sign where products of doubles leave their range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.halfspace import Halfspace
from separatrix.rows import Block

LEAST_CERTAIN_SCORE = 2.0**-1000  # more than products below the range of doubles can lose
LEAST_NORMAL = 2.0**-1022


def predict_scores(
    X: Any, coef: np.ndarray, intercept: np.ndarray, *, row_by_row: bool = False
) -> np.ndarray:
    """X·wᵀ + b, a column for each row of ``coef``; with ``row_by_row`` a tie between columns does not
    hang on the rows beside it.

    Sums round, but none is lost to overflow or underflow: where one may have been, `Halfspace` makes it
    exactly.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if row_by_row and isinstance(X, np.ndarray):
            scores = np.vecdot(X[:, np.newaxis], coef)
        else:
            scores = np.asarray(X @ coef.T)
        scores += intercept
    magnitudes = np.abs(scores)
    if magnitudes.min(initial=1.0) > LEAST_CERTAIN_SCORE and magnitudes.max(initial=1.0) < np.inf:
        return scores
    doubtful = ~((magnitudes > LEAST_CERTAIN_SCORE) & (magnitudes < np.inf))
    doubtful_rows = X[doubtful.any(axis=1)]
    # Where no product underflows, a score of 0 is one.
    if _min_magnitude(doubtful_rows) * _min_magnitude(coef) >= LEAST_NORMAL:
        doubtful &= ~(magnitudes <= LEAST_CERTAIN_SCORE)
    for k in np.flatnonzero(doubtful.any(axis=0)):
        if np.isfinite(coef[k]).all() and np.isfinite(intercept[k]):
            rows = np.flatnonzero(doubtful[:, k])
            scores[rows, k] = Halfspace(coef[k], float(intercept[k])).score(X[rows])
    return scores


@dataclass(frozen=True)
class Scores:
    """`predict_scores` the rows of a block."""

    coef: np.ndarray
    intercept: np.ndarray
    row_by_row: bool = False

    def __call__(self, block: Block) -> np.ndarray:
        return predict_scores(block.matrix(), self.coef, self.intercept, row_by_row=self.row_by_row)


@dataclass(frozen=True)
class SignedScores:
    """s·(w·x + b) of the rows of a block, in floats; s is +1 for the class ``positive``."""

    positive: int
    weights: np.ndarray
    intercept: Any

    def __call__(self, block: Block) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return block.signs(self.positive) * (np.asarray(block.matrix() @ self.weights) + self.intercept)


def _min_magnitude(values: Any) -> float:
    """The smallest size other than 0."""
    magnitudes = np.abs(values if isinstance(values, np.ndarray) else values.data)
    return float(np.min(magnitudes, where=magnitudes > 0.0, initial=1.0))
