"""Thousands of rows and of columns: conjugate gradients on the normal equations, the matrix never formed.

Each step is one pass over the rows. After the steps the gradient is taken afresh from the rows and solved
for again, until it is as small as doubles can make it. Without a penalty the steps are not preconditioned:
from zero they then stay in the span of the rows, and end at the shortest solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.fitting.exact_errors import matrix
from separatrix.rows import Block, Rows

MOST_STEPS = 2000
ROUNDS = 3
SMALL = 1e-13  # of the first gradient


class Reached(NamedTuple):
    """Coefficients, the intercept last, the passes they took, and the share of the gradient that is left."""

    coefficients: np.ndarray
    passes: int
    left: float


def conjugate_gradients(rows: Rows, weights: np.ndarray | None, alpha: float, *, intercept: bool) -> Reached:
    rows.require_finite()
    d = rows.n_columns

    def sums(block: Block) -> tuple[np.ndarray, np.ndarray, float, float]:
        X = matrix(block, d).astype(np.float64, copy=False)
        s = _some(block, weights)
        squares = X * X if isinstance(X, np.ndarray) else X.multiply(X)
        return X.T @ s, squares.T @ s, s.sum(), s @ block.targets

    first, squares, total, height = rows.sum(sums)
    mean = first / total if intercept else np.zeros(d)
    target = height / total if intercept else 0.0
    spread = squares - total * mean**2 + alpha
    scale = np.where(spread > 0, spread, 1.0) if alpha > 0 else np.ones(d)

    def slope(w: np.ndarray) -> np.ndarray:
        """Xᵀ D (y − Xw) − αw of the moved rows."""
        at = float(mean @ w)

        def term(block: Block) -> tuple[np.ndarray, float]:
            X = matrix(block, d)
            r = _some(block, weights) * (block.targets - target - (X @ w - at))
            return X.T @ r, r.sum()

        pull, lean = rows.sum(term)
        return np.asarray(pull - mean * lean - alpha * w)

    def times(p: np.ndarray) -> np.ndarray:
        at = float(mean @ p)

        def term(block: Block) -> tuple[np.ndarray, float]:
            X = matrix(block, d)
            r = _some(block, weights) * (X @ p - at)
            return X.T @ r, r.sum()

        pull, lean = rows.sum(term)
        return np.asarray(pull - mean * lean + alpha * p)

    w = np.zeros(d)
    g = slope(w)
    start = float(np.linalg.norm(g))
    passes, left = 2, 0.0 if start == 0 else 1.0
    for _ in range(ROUNDS):
        if left <= SMALL:
            break
        step, taken = _steps(times, g, scale, SMALL * start / 4)
        g_new = slope(w + step)
        passes += taken + 1
        if not np.linalg.norm(g_new) < left * start:
            break
        w, g, left = w + step, g_new, float(np.linalg.norm(g_new)) / start
    return Reached(np.append(w, target - float(mean @ w) if intercept else 0.0), passes, left)


def _steps(times, g: np.ndarray, scale: np.ndarray, small: float) -> tuple[np.ndarray, int]:  # type: ignore[no-untyped-def]
    """Conjugate gradients for A·step = g from 0 (Hestenes and Stiefel, 1952)."""
    step = np.zeros_like(g)
    r = g.copy()
    z = r / scale
    p = z.copy()
    size = float(r @ z)
    for taken in range(1, MOST_STEPS + 1):
        q = times(p)
        curve = float(p @ q)
        if not curve > 0:
            return step, taken
        rate = size / curve
        step += rate * p
        r -= rate * q
        if np.linalg.norm(r) <= small:
            return step, taken
        z = r / scale
        size, before = float(r @ z), size
        p = z + size / before * p
    return step, MOST_STEPS


def _some(block: Block, weights: np.ndarray | None) -> np.ndarray:
    return np.ones(len(block)) if weights is None else weights[block.start : block.stop]
