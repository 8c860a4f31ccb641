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
from separatrix.algorithms.logistic.newton import EPSILON, Course, open_gap
from separatrix.algorithms.logistic.objective import LogisticObjective

MOST_PRODUCTS = 500
SHARE = 0.2  # of the gradient that a system may leave
PART = 0.1  # of the Hessian's diagonal in the scaling
SMALL_PART = 0.01  # of it where rows are fewer than columns, most of which are then rare


def newton_cg(problem: LogisticObjective, tol: float, course: Course) -> bool:
    """Steps until the gap is at most ``tol`` times the objective; False if the steps ran out."""
    at = problem.differentiate(keep_curvatures=True)
    part = PART if problem.rows.n_rows >= problem.n_columns else SMALL_PART
    scale, steps = np.ones(0), 0
    while True:
        course.reached(at.objective)
        # Where no penalty is felt, only the decrement tells how much is left.
        if problem.penalised and problem.units.are_given:
            gap = open_gap(problem, at, 0.0)
            if gap <= tol * at.objective:
                course.tell(gap)
                return True
        # Halfway between none and the Hessian's diagonal: rare columns would make the latter do harm. It
        # changes less and less, so it is summed anew before steps 1, 2, 4, 8, ...
        steps += 1
        if steps & (steps - 1) == 0:
            scale = 1.0 / (1.0 - part + part * problem.compute_hessian_diagonal())
        direction = conjugate_gradients(problem, at.gradient, scale)
        slope = float(at.gradient @ direction)
        gap = open_gap(problem, at, -0.5 * slope)
        course.tell(gap)
        if gap <= tol * at.objective:
            return True
        if not course.left or not np.isfinite(slope):
            return False
        ahead = problem.differentiate(keep_curvatures=True, direction=direction)
        if np.isfinite(ahead.objective) and abs(float(ahead.gradient @ direction)) <= 0.25 * -slope:
            problem.accept(direction)
            course.steps += 1
            at = ahead
            continue
        if -0.5 * slope <= EPSILON * at.objective:
            return False  # as in Newton's method
        assert problem.trial_scores is not None
        score_changes = problem.trial_scores - problem.scores
        step = search_line(problem, score_changes, direction, slope)
        if step == 0.0:
            return False
        problem.move(score_changes, direction, step)
        course.steps += 1
        at = problem.differentiate(keep_curvatures=True)


def conjugate_gradients(problem: LogisticObjective, gradient: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """A direction v with ‖Hv + g‖ ≤ 0.2‖g‖ in the scaled norm, or what a few hundred products give."""
    from separatrix.algorithms.logistic.objective_kernels import update_direction, update_solution

    found = np.zeros_like(gradient)
    rest = -gradient
    direction = scale * rest
    product = float(rest @ direction)
    goal = SHARE**2 * product
    for _ in range(MOST_PRODUCTS):
        curved = problem.multiply_hessian(direction)
        curvature = float(direction @ curved)
        if not curvature > 0:
            break
        product, last = update_solution(direction, curved, scale, product / curvature, found, rest), product
        if product <= goal:
            break
        update_direction(rest, scale, product / last, direction)
    return found
