"""Newton's method without the Hessian: its products with a direction, in conjugate gradients.

**Theorem** (Dembo, Eisenstat and Steihaug, 1982). Newton's method whose linear systems are solved only until
the residual is a share η < 1 of the gradient converges linearly, in the norm of the gradient by η a step
in the end, and superlinearly when η goes to 0. Conjugate gradients from 0 give a direction of descent
whenever they are stopped.

**Cost.** A product reads the rows once. The systems are scaled by a part of the Hessian's diagonal, and
each is solved to 0.2 of its gradient. Memory for a few vectors as long as the rows, and as the columns.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.convex.line_search import search_line
from separatrix.algorithms.logistic.newton import EPSILON, Iterations, estimate_gap
from separatrix.algorithms.logistic.objective import LogisticObjective

MAX_PRODUCTS = 500
RESIDUAL_SHARE = 0.2  # of the gradient that a system may leave
DIAGONAL_SHARE = 0.1  # of the Hessian's diagonal in the scaling
FEW_ROWS_DIAGONAL_SHARE = 0.01  # of it where rows are fewer than columns, most of which are then rare


def newton_cg(problem: LogisticObjective, tol: float, iterations: Iterations) -> bool:
    """Steps until the gap is at most ``tol`` times the objective; False if the steps ran out."""
    current = problem.differentiate(keep_curvatures=True)
    diagonal_share = DIAGONAL_SHARE if problem.rows.n_rows >= problem.n_columns else FEW_ROWS_DIAGONAL_SHARE
    scale, n_systems = np.ones(0), 0
    while True:
        iterations.record(current.objective)
        # Where no penalty is felt, only the decrement tells how much is left.
        if problem.penalised and problem.units.are_given:
            gap = estimate_gap(problem, current, 0.0)
            if gap <= tol * current.objective:
                iterations.report(gap)
                return True
        # Halfway between none and the Hessian's diagonal: rare columns would make the latter do harm. It
        # changes less and less, so it is summed anew before steps 1, 2, 4, 8, ...
        n_systems += 1
        if n_systems & (n_systems - 1) == 0:
            scale = 1.0 / (1.0 - diagonal_share + diagonal_share * problem.compute_hessian_diagonal())
        direction = conjugate_gradients(problem, current.gradient, scale)
        slope = float(current.gradient @ direction)
        gap = estimate_gap(problem, current, -0.5 * slope)
        iterations.report(gap)
        if gap <= tol * current.objective:
            return True
        if not iterations.has_steps_left or not np.isfinite(slope):
            return False
        trial = problem.differentiate(keep_curvatures=True, direction=direction)
        if np.isfinite(trial.objective) and abs(float(trial.gradient @ direction)) <= 0.25 * -slope:
            problem.accept(direction)
            iterations.n_steps += 1
            current = trial
            continue
        if -0.5 * slope <= EPSILON * current.objective:
            return False  # as in Newton's method
        assert problem.trial_scores is not None
        score_changes = problem.trial_scores - problem.scores
        step = search_line(problem, score_changes, direction, slope)
        if step == 0.0:
            return False
        problem.move(score_changes, direction, step)
        iterations.n_steps += 1
        current = problem.differentiate(keep_curvatures=True)


def conjugate_gradients(problem: LogisticObjective, gradient: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """A direction v with ‖Hv + g‖ ≤ 0.2‖g‖ in the scaled norm, or what a few hundred products give."""
    from separatrix.algorithms.logistic.objective_kernels import update_direction, update_solution

    solution = np.zeros_like(gradient)
    residual = -gradient
    direction = scale * residual
    product = float(residual @ direction)
    target = RESIDUAL_SHARE**2 * product
    for _ in range(MAX_PRODUCTS):
        hessian_product = problem.multiply_hessian(direction)
        curvature = float(direction @ hessian_product)
        if not curvature > 0:
            break
        previous_product, step = product, product / curvature
        product = update_solution(direction, hessian_product, scale, step, solution, residual)
        if product <= target:
            break
        update_direction(residual, scale, product / previous_product, direction)
    return solution
