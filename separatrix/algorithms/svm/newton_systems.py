"""Newton systems of the soft margin: (J + Bᵀ K B) Δ = −g.

B = (Z, s) are the active rows with their signs, K their curvatures, and J is 1 for every weight and 0 for the
intercept. Few columns: a (d + 1) × (d + 1) Cholesky factor. Many columns and few active rows: as many
equations as rows. Many of both: conjugate gradients, the intercept eliminated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.algorithms.convex.conjugate_gradients import conjugate_gradients
from separatrix.algorithms.svm.working_rows import FEW_COLUMNS

MAX_DUAL_ROWS = 2048
MAX_PRODUCTS = 500
RUN_ROWS = 1024  # rows scaled at a time
# By which the diagonal grows until there is a Cholesky factor.
REGULARISATION_SHARE = (0.0, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3)


def compute_newton_step(
    Z: Any,
    signs: np.ndarray,
    active: np.ndarray,
    curvature: np.ndarray,
    gradient: np.ndarray,
    *,
    intercept: bool,
    kernel: np.ndarray | None = None,
    accuracy: float = 1e-6,
) -> np.ndarray:
    """The Newton step for the active rows; ``gradient`` is the gradient, the intercept's entry last.

    ``kernel`` is Z Zᵀ of all rows, where it is known.
    """
    d = len(gradient) - 1
    if len(active) == 0:
        return _step_without_rows(gradient)
    if d < FEW_COLUMNS and (d <= len(active) or d < 128):
        gram = form_weighted_gram(Z, signs, active, curvature, intercept=intercept)
        return solve_newton_system(gram, gradient, intercept=intercept)
    active_rows = Z[active]
    if kernel is not None or len(active) <= MAX_DUAL_ROWS:
        row_products = active_rows @ active_rows.T if kernel is None else kernel[np.ix_(active, active)]
        return _solve_by_rows(
            active_rows, row_products, signs[active], curvature[active], gradient, intercept=intercept
        )
    return _solve_by_conjugate_gradients(
        active_rows, signs[active], curvature[active], gradient, intercept=intercept, accuracy=accuracy
    )


def form_weighted_gram(
    Z: Any, signs: np.ndarray, active: np.ndarray, curvature: np.ndarray, *, intercept: bool
) -> np.ndarray:
    """Bᵀ K B, a run of rows at a time."""
    d = Z.shape[1]
    gram = np.zeros((d + 1, d + 1))
    for first in range(0, len(active), RUN_ROWS):
        chosen = active[first : first + RUN_ROWS]
        roots = np.sqrt(curvature[chosen])
        scaled_rows = Z[chosen]
        scaled_rows = scaled_rows.toarray() if not isinstance(scaled_rows, np.ndarray) else scaled_rows
        scaled_rows *= roots[:, None]
        gram[:d, :d] += scaled_rows.T @ scaled_rows
        if intercept:
            scaled_signs = roots * signs[chosen]
            gram[:d, d] += scaled_rows.T @ scaled_signs
            gram[d, d] += scaled_signs @ scaled_signs
    gram[d, :d] = gram[:d, d]
    return gram


def solve_newton_system(gram: np.ndarray, gradient: np.ndarray, *, intercept: bool) -> np.ndarray:
    """The step for a Gram matrix without the identity of the weights."""
    d = len(gradient) - 1
    indices = np.arange(d)
    matrix = gram.copy()
    matrix[indices, indices] += 1.0
    if not intercept:
        step = np.zeros(d + 1)
        step[:d] = -_solve_positive_definite(matrix[:d, :d], gradient[:d])
        return step
    # The intercept has no curvature of its own; a trace of one keeps the factor from breaking down.
    matrix[d, d] += 1e-12 * (1.0 + matrix[d, d])
    return -_solve_positive_definite(matrix, gradient)


def _step_without_rows(gradient: np.ndarray) -> np.ndarray:
    """No row bends the objective: the weights have their minimum one step away, the intercept at some kink.

    One of them at a time, since the line search has but one length for both.
    """
    step = -gradient
    if abs(float(gradient[-1])) > 0.5 * float(gradient[:-1] @ gradient[:-1]):
        step[:-1] = 0.0
    else:
        step[-1] = 0.0
    return step


def _solve_positive_definite(matrix: np.ndarray, right_side: np.ndarray) -> np.ndarray:
    """The solution for a positive definite matrix, of a larger diagonal where rounding made it indefinite."""
    indices = np.arange(len(matrix))
    diagonal = matrix[indices, indices]
    for increase in REGULARISATION_SHARE:
        matrix[indices, indices] = diagonal * (1.0 + increase)
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)
            return np.asarray(cho_solve(factor, right_side, check_finite=False))
        except LinAlgError:
            continue
    return np.asarray((right_side.T / diagonal).T)  # entries that are not finite: any way down will do


def _solve_by_rows(
    Z: Any, kernel: Any, signs: np.ndarray, curvature: np.ndarray, gradient: np.ndarray, *, intercept: bool
) -> np.ndarray:
    d = len(gradient) - 1
    kernel = kernel.toarray() if not isinstance(kernel, np.ndarray) else kernel
    indices = np.arange(len(signs))
    kernel[indices, indices] += 1.0 / curvature
    multipliers, sign_solution = _solve_positive_definite(
        kernel, np.column_stack([-(Z @ gradient[:d]), signs])
    ).T
    step = np.zeros(d + 1)
    if intercept:
        step[d] = (-gradient[d] - signs @ multipliers) / (signs @ sign_solution)
        multipliers = multipliers + step[d] * sign_solution
    step[:d] = -gradient[:d] - Z.T @ multipliers
    return step


def _solve_by_conjugate_gradients(
    Z: Any,
    signs: np.ndarray,
    curvature: np.ndarray,
    gradient: np.ndarray,
    *,
    intercept: bool,
    accuracy: float,
) -> np.ndarray:
    d = len(gradient) - 1
    total_curvature = curvature.sum()
    intercept_row = Z.T @ (curvature * signs)

    def multiply(v: np.ndarray) -> np.ndarray:
        curved_scores = curvature * (Z @ v)
        out = v + Z.T @ curved_scores
        return out - intercept_row * (signs @ curved_scores / total_curvature) if intercept else out

    right_side = -gradient[:d]
    if intercept:
        right_side = right_side + intercept_row * (gradient[d] / total_curvature)
    squares = Z.multiply(Z).T @ curvature if not isinstance(Z, np.ndarray) else (Z * Z).T @ curvature
    step = conjugate_gradients(
        multiply, right_side, 1.0 / (1.0 + squares), residual_share=accuracy, max_products=MAX_PRODUCTS
    ).solution
    intercept_step = (-gradient[d] - intercept_row @ step) / total_curvature if intercept else 0.0
    return np.append(step, intercept_step)
