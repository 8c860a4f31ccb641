"""Linear systems whose matrix is known by its products with vectors.

**Idea.** Each step makes the quadratic ½x·Ax − b·x least along a direction that is conjugate to all before:
(1) x ← x + αp and r ← r − αAp with α = r·Sr / p·Ap, S the diagonal scaling; (2) p ← Sr + βp with β the
ratio of the new r·Sr to the old.

**Theorem** (Hestenes and Stiefel, 1952). For a positive semidefinite A and b in its range the steps end at a
solution, after as many steps as A has eigenvalues, up to rounding; (3) without scaling, at the shortest one.
Whenever they are stopped, x is a direction of descent from 0.

**Cost.** One product with A for each step, and four vectors.

SciPy's ``cg`` neither stops at a direction without curvature, which singular Hessians and overflowing sums
have, nor measures the residual in the scaled norm, in which it says how much of the quadratic is left.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import NamedTuple

import numpy as np


class LinearSolution(NamedTuple):
    """The solution, the products with the matrix it took, and whether the residual is as small as asked."""

    solution: np.ndarray
    n_products: int
    is_solved: bool


def conjugate_gradients(
    multiply: Callable[[np.ndarray], np.ndarray],
    right_side: np.ndarray,
    scale: np.ndarray | float,
    *,
    residual_share: float,
    max_products: int,
    scaled_norm: bool = True,
) -> LinearSolution:
    """x with √(r·Sr), or ‖r‖ unless ``scaled_norm``, at most ``residual_share`` of what it is at 0.

    ``multiply`` returns a new array, which is written to. Arrays may have several dimensions.
    """
    solution, residual = np.zeros_like(right_side), right_side.copy()
    scaled_residual = scale * residual
    direction, product = scaled_residual.copy(), float(np.vdot(residual, scaled_residual))
    target = residual_share**2 * (product if scaled_norm else float(np.vdot(residual, residual)))
    for n_products in range(1, max_products + 1):
        image = multiply(direction)
        curvature = float(np.vdot(direction, image))
        step = product / curvature if curvature > 0 else inf
        if not isfinite(step):
            return LinearSolution(solution, n_products, product == 0)
        solution += step * direction  # (1) above
        image *= step
        residual -= image
        np.multiply(scale, residual, out=scaled_residual)
        product, previous_product = float(np.vdot(residual, scaled_residual)), product
        if (product if scaled_norm else float(np.vdot(residual, residual))) <= target:
            return LinearSolution(solution, n_products, True)
        direction *= product / previous_product  # (2) above
        direction += scaled_residual
    return LinearSolution(solution, max_products, False)
