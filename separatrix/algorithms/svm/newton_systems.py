"""Newton systems of the soft margin: (J + Bᵀ K B) Δ = −g.

B = (Z, s) are the active rows with their signs, K their curvatures, and J is 1 for every weight and 0 for the
intercept. Few columns: a (d + 1) × (d + 1) Cholesky factor. Many columns and few active rows: as many
equations as rows. Many of both: conjugate gradients, the intercept eliminated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.algorithms.svm.working_rows import FEW_COLUMNS

FEW_ROWS = 2048
RUN = 1024  # rows scaled at a time
LARGER = (0.0, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3)  # diagonals, relatively, until there is a Cholesky factor


def direction(
    Z: Any,
    signs: np.ndarray,
    active: np.ndarray,
    curvature: np.ndarray,
    slope: np.ndarray,
    *,
    intercept: bool,
    kernel: np.ndarray | None = None,
    accuracy: float = 1e-6,
) -> np.ndarray:
    """The Newton step for the active rows; ``slope`` is the gradient, the intercept's entry last.

    ``kernel`` is Z Zᵀ of all rows, where it is known.
    """
    d = len(slope) - 1
    if len(active) == 0:
        return _without_rows(slope)
    if d < FEW_COLUMNS and (d <= len(active) or d < 128):
        gram = weighted_gram(Z, signs, active, curvature, intercept=intercept)
        return solved(gram, slope, intercept=intercept)
    part = Z[active]
    if kernel is not None or len(active) <= FEW_ROWS:
        known = part @ part.T if kernel is None else kernel[np.ix_(active, active)]
        return _few_rows(part, known, signs[active], curvature[active], slope, intercept=intercept)
    return _iterated(part, signs[active], curvature[active], slope, intercept=intercept, accuracy=accuracy)


def weighted_gram(
    Z: Any, signs: np.ndarray, active: np.ndarray, curvature: np.ndarray, *, intercept: bool
) -> np.ndarray:
    """Bᵀ K B, a run of rows at a time."""
    d = Z.shape[1]
    gram = np.zeros((d + 1, d + 1))
    for first in range(0, len(active), RUN):
        chosen = active[first : first + RUN]
        roots = np.sqrt(curvature[chosen])
        part = Z[chosen]
        part = part.toarray() if not isinstance(part, np.ndarray) else part
        part *= roots[:, None]
        gram[:d, :d] += part.T @ part
        if intercept:
            edge = roots * signs[chosen]
            gram[:d, d] += part.T @ edge
            gram[d, d] += edge @ edge
    gram[d, :d] = gram[:d, d]
    return gram


def solved(gram: np.ndarray, slope: np.ndarray, *, intercept: bool) -> np.ndarray:
    """The step for a Gram matrix without the identity of the weights."""
    d = len(slope) - 1
    places = np.arange(d)
    matrix = gram.copy()
    matrix[places, places] += 1.0
    if not intercept:
        step = np.zeros(d + 1)
        step[:d] = -_solved(matrix[:d, :d], slope[:d])
        return step
    # The intercept has no curvature of its own; a trace of one keeps the factor from breaking down.
    matrix[d, d] += 1e-12 * (1.0 + matrix[d, d])
    return -_solved(matrix, slope)


def _without_rows(slope: np.ndarray) -> np.ndarray:
    """No row bends the objective: the weights have their minimum one step away, the intercept at some kink.

    One of them at a time, since the line search has but one length for both.
    """
    step = -slope
    if abs(float(slope[-1])) > 0.5 * float(slope[:-1] @ slope[:-1]):
        step[:-1] = 0.0
    else:
        step[-1] = 0.0
    return step


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution for a positive definite matrix, of a larger diagonal where rounding made it indefinite."""
    places = np.arange(len(matrix))
    diagonal = matrix[places, places]
    for larger in LARGER:
        matrix[places, places] = diagonal * (1.0 + larger)
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)
            return np.asarray(cho_solve(factor, right, check_finite=False))
        except LinAlgError:
            continue
    return np.asarray((right.T / diagonal).T)  # entries that are not finite: any way down will do


def _few_rows(
    Z: Any, kernel: Any, signs: np.ndarray, curvature: np.ndarray, slope: np.ndarray, *, intercept: bool
) -> np.ndarray:
    d = len(slope) - 1
    kernel = kernel.toarray() if not isinstance(kernel, np.ndarray) else kernel
    places = np.arange(len(signs))
    kernel[places, places] += 1.0 / curvature
    forces, even = _solved(kernel, np.column_stack([-(Z @ slope[:d]), signs])).T
    step = np.zeros(d + 1)
    if intercept:
        step[d] = (-slope[d] - signs @ forces) / (signs @ even)
        forces = forces + step[d] * even
    step[:d] = -slope[:d] - Z.T @ forces
    return step


def _iterated(
    Z: Any, signs: np.ndarray, curvature: np.ndarray, slope: np.ndarray, *, intercept: bool, accuracy: float
) -> np.ndarray:
    d = len(slope) - 1
    mass = curvature.sum()
    pull = Z.T @ (curvature * signs)

    def times(v: np.ndarray) -> np.ndarray:
        forces = curvature * (Z @ v)
        out = v + Z.T @ forces
        return out - pull * (signs @ forces / mass) if intercept else out

    right = -slope[:d]
    if intercept:
        right = right + pull * (slope[d] / mass)
    squares = Z.multiply(Z).T @ curvature if not isinstance(Z, np.ndarray) else (Z * Z).T @ curvature
    diagonal = 1.0 + squares
    step, residual = np.zeros(d), right.copy()
    scaled = residual / diagonal
    course, size = scaled.copy(), float(residual @ scaled)
    target = accuracy**2 * size
    for _ in range(500):
        if not size > target:
            break
        image = times(course)
        share = size / float(course @ image)
        step += share * course
        residual -= share * image
        scaled = residual / diagonal
        size, before = float(residual @ scaled), size
        course = scaled + (size / before) * course
    bias = (-slope[d] - pull @ step) / mass if intercept else 0.0
    return np.append(step, bias)
