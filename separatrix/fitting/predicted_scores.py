"""Scores of rows in doubles, with the true sign where products of doubles leave their range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.halfspace import Halfspace
from separatrix.rows import Block

LEAST_CERTAIN_SCORE = 2.0**-1000  # more than products below the range of doubles can lose
LEAST_NORMAL = 2.0**-1022


def scores_of(X: Any, coef: np.ndarray, intercept: np.ndarray, *, apart: bool = False) -> np.ndarray:
    """X·wᵀ + b, a column for each row of ``coef``; ``apart``: row by row, so that a tie between columns does
    not hang on the rows beside it.

    Sums round, but none is lost to overflow or underflow: where one may have been, `Halfspace` makes it
    exactly.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if apart and isinstance(X, np.ndarray):
            scores = np.vecdot(X[:, np.newaxis], coef)
        else:
            scores = np.asarray(X @ coef.T)
        scores += intercept
    sizes = np.abs(scores)
    if sizes.min(initial=1.0) > LEAST_CERTAIN_SCORE and sizes.max(initial=1.0) < np.inf:
        return scores
    doubtful = ~((sizes > LEAST_CERTAIN_SCORE) & (sizes < np.inf))
    some = X[doubtful.any(axis=1)]
    if _least(some) * _least(coef) >= LEAST_NORMAL:  # no product underflows: a score of 0 is one
        doubtful &= ~(sizes <= LEAST_CERTAIN_SCORE)
    for k in np.flatnonzero(doubtful.any(axis=0)):
        if np.isfinite(coef[k]).all() and np.isfinite(intercept[k]):
            rows = np.flatnonzero(doubtful[:, k])
            scores[rows, k] = Halfspace(coef[k], float(intercept[k])).score(X[rows])
    return scores


@dataclass(frozen=True)
class Scores:
    """`scores_of` the rows of a block."""

    coef: np.ndarray
    intercept: np.ndarray
    apart: bool = False

    def __call__(self, block: Block) -> np.ndarray:
        return scores_of(block.matrix(), self.coef, self.intercept, apart=self.apart)


@dataclass(frozen=True)
class SignedScores:
    """s·(w·x + b) of the rows of a block, in floats; s is +1 for the class ``positive``."""

    positive: int
    weights: np.ndarray
    intercept: Any

    def __call__(self, block: Block) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return block.signs(self.positive) * (np.asarray(block.matrix() @ self.weights) + self.intercept)


def _least(values: Any) -> float:
    """The smallest size other than 0."""
    sizes = np.abs(values if isinstance(values, np.ndarray) else values.data)
    return float(np.min(sizes, where=sizes > 0.0, initial=1.0))
