"""Thousands of rows and of columns: conjugate gradients on the normal equations, the matrix never formed.

Each step is one pass over the rows. After the steps the gradient is taken afresh from the rows and solved
for again, until it is as small as doubles can make it. Without a penalty the steps are not preconditioned:
from zero they then stay in the span of the rows, and end at the shortest solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.convex.centring import Centring
from separatrix.algorithms.convex.conjugate_gradients import conjugate_gradients
from separatrix.rows import Block, Rows

MAX_STEPS = 2000
MAX_RESTARTS = 3
MAX_GRADIENT_SHARE = 1e-13  # of the first gradient


class ConjugateGradientSolution(NamedTuple):
    """Coefficients, the intercept last, the passes they took, and the share of the gradient that is left."""

    coefficients: np.ndarray
    passes: int
    gradient_share: float


@dataclass(frozen=True)
class ColumnMoments:
    """Σ s x, Σ s x² by columns, Σ s and Σ s y."""

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray, float, float]:
        X, s = block.matrix().astype(np.float64, copy=False), block.row_weights
        squares = X.multiply(X) if block.is_sparse else X * X
        return X.T @ s, squares.T @ s, s.sum(), s @ block.targets


@dataclass(frozen=True)
class CentredResidualProducts:
    """Σ s r x and Σ s r with r = y − ȳ − w·(x − x̄)."""

    weights: np.ndarray
    mean_score: float  # w·x̄
    target_mean: float  # ȳ

    def __call__(self, block: Block) -> tuple[np.ndarray, float]:
        X = block.matrix()
        scores = X @ self.weights - self.mean_score
        residuals = block.row_weights * (block.targets - self.target_mean - scores)
        return X.T @ residuals, residuals.sum()


@dataclass(frozen=True)
class CentredScoreProducts:
    """Σ s t x and Σ s t with t = p·(x − x̄)."""

    direction: np.ndarray
    mean_score: float  # p·x̄

    def __call__(self, block: Block) -> tuple[np.ndarray, float]:
        X = block.matrix()
        scores = block.row_weights * (X @ self.direction - self.mean_score)
        return X.T @ scores, scores.sum()


def solve_by_conjugate_gradients(rows: Rows, alpha: float, *, intercept: bool) -> ConjugateGradientSolution:
    rows.require_finite()
    d = rows.n_columns
    column_sums, squares, total_weight, target_sum = rows.sum(ColumnMoments())
    mean = column_sums / total_weight if intercept else np.zeros(d)
    target_mean = target_sum / total_weight if intercept else 0.0
    diagonal = squares - total_weight * mean**2 + alpha
    # Without a penalty the shortest solution is wanted, (3) of `convex.conjugate_gradients`.
    scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0) if alpha > 0 else 1.0

    def compute_negative_gradient(w: np.ndarray) -> np.ndarray:
        """Xᵀ D (y − Xw) − αw of the moved rows."""
        products, residual_sum = rows.sum(CentredResidualProducts(w, float(mean @ w), target_mean))
        return np.asarray(products - mean * residual_sum - alpha * w)

    def multiply(p: np.ndarray) -> np.ndarray:
        """(XᵀDX + α) p of the moved rows."""
        products, score_sum = rows.sum(CentredScoreProducts(p, float(mean @ p)))
        return np.asarray(products - mean * score_sum + alpha * p)

    w = np.zeros(d)
    gradient = compute_negative_gradient(w)
    initial_norm = float(np.linalg.norm(gradient))
    passes, gradient_share = 2, 0.0 if initial_norm == 0 else 1.0
    for _ in range(MAX_RESTARTS):
        if gradient_share <= MAX_GRADIENT_SHARE:
            break
        step, n_products, _ = conjugate_gradients(
            multiply,
            gradient,
            scale,
            residual_share=MAX_GRADIENT_SHARE / (4 * gradient_share),
            max_products=MAX_STEPS,
            scaled_norm=False,
        )
        new_gradient = compute_negative_gradient(w + step)
        passes += n_products + 1
        if not np.linalg.norm(new_gradient) < gradient_share * initial_norm:
            break
        w, gradient, gradient_share = (
            w + step,
            new_gradient,
            float(np.linalg.norm(new_gradient)) / initial_norm,
        )
    coefficients = Centring(mean).to_user(np.append(w, target_mean))
    return ConjugateGradientSolution(coefficients, passes, gradient_share)
