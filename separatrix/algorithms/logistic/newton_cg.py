"""Newton's method without the Hessian: its products with a direction, in conjugate gradients.

**Idea.** `convex.newton_loop` with systems that are solved to 0.2 of their gradient, and scaled by a part of
the Hessian's diagonal.

**Cost.** A product reads the rows once. Memory for a few vectors as long as the rows, and as the columns.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.convex.conjugate_gradients import conjugate_gradients
from separatrix.algorithms.convex.newton_loop import Iterations, descend
from separatrix.algorithms.logistic.objective import Derivatives, LogisticObjective

MAX_PRODUCTS = 500
RESIDUAL_SHARE = 0.2  # of the gradient that a system may leave
MAX_SLOPE_SHARE = 0.25  # the slope that a full step may leave, as a share of the slope before it
DIAGONAL_SHARE = 0.1  # of the Hessian's diagonal in the scaling
FEW_ROWS_DIAGONAL_SHARE = 0.01  # of it where rows are fewer than columns, most of which are then rare


def newton_cg(problem: LogisticObjective, tol: float, iterations: Iterations) -> bool:
    """Steps until the gap is at most ``tol`` times the objective; False if the steps ran out."""
    steps = InexactSteps(problem, tol, iterations)
    return descend(steps, problem.differentiate(keep_curvatures=True), tol, iterations)


class InexactSteps:
    """Steps along what conjugate gradients give."""

    def __init__(self, problem: LogisticObjective, tol: float, iterations: Iterations) -> None:
        self.problem, self.tol, self.iterations = problem, tol, iterations
        self.estimate_gap = problem.estimate_gap
        is_tall = problem.rows.n_rows >= problem.n_columns
        self.diagonal_share = DIAGONAL_SHARE if is_tall else FEW_ROWS_DIAGONAL_SHARE
        self.scale, self.n_systems = np.ones(0), 0

    def find_direction(self, current: Derivatives) -> np.ndarray:
        problem, share = self.problem, self.diagonal_share
        # Where no penalty is felt, only the decrement tells how much is left; elsewhere a system is spared.
        is_penalised = problem.penalised and not problem.divided.exponent
        if is_penalised and problem.estimate_gap(current, 0.0) <= self.tol * current.objective:
            return np.zeros_like(current.gradient)
        # Halfway between none and the Hessian's diagonal: rare columns would make the latter do harm. It
        # changes less and less, so it is summed again before steps 1, 2, 4, 8, ...
        self.n_systems += 1
        if self.n_systems & (self.n_systems - 1) == 0:
            self.scale = 1.0 / (1.0 - share + share * problem.compute_hessian_diagonal())
        return conjugate_gradients(
            problem.multiply_hessian,
            -current.gradient,
            self.scale,
            residual_share=RESIDUAL_SHARE,
            max_products=MAX_PRODUCTS,
        ).solution

    def take_step(
        self, current: Derivatives, direction: np.ndarray, slope: float, gap: float
    ) -> Derivatives | None:
        problem = self.problem
        trial = problem.differentiate(keep_curvatures=True, direction=direction)
        if (
            np.isfinite(trial.objective)
            and abs(float(trial.gradient @ direction)) <= MAX_SLOPE_SHARE * -slope
        ):
            problem.accept(direction)
        elif problem.search_line(direction, slope, current.objective):
            trial = problem.differentiate(keep_curvatures=True)
        else:
            return None
        self.iterations.n_steps += 1
        return trial
