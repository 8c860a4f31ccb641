"""The multinomial objective, and Newton's steps towards its least value.

**Idea.** ½Σ‖w_k‖² + C Σ v (log Σ exp(t_k) − t_y) with scores t_k = w_k·(x − m) + c_k, m from
`convex.mean_centring`. A step of `convex.newton_loop` solves its equations by Cholesky's factorisation where
these are small, else by conjugate gradients.

**Cost.** A step by factorisation takes n·(K·d)²/2 products, one by conjugate gradients 4·n·K·d for each of
theirs.
"""

from __future__ import annotations

from operator import add
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.algorithms.convex.conjugate_gradients import conjugate_gradients
from separatrix.algorithms.convex.mean_centring import Centring
from separatrix.algorithms.convex.newton_loop import Iterations, backtrack, descend
from separatrix.algorithms.logistic.divided_objective import divide_objective
from separatrix.algorithms.logistic.multinomial_terms import (
    JointInputs,
    MultinomialDerivatives,
    MultinomialHessian,
    MultinomialHessianProduct,
)
from separatrix.algorithms.logistic.objective import MIN_RIDGE_VALUE, estimate_gap
from separatrix.algorithms.logistic.objective_terms import RowCosts
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.rows import Rows

MAX_PRODUCTS = 300
RESIDUAL_SHARE = 1e-3  # of the gradient that a system may leave
MAX_HESSIAN_COEFFICIENTS = 200  # of all classes, for which the whole Hessian is formed
MAX_HESSIAN_PRODUCTS = 5e7  # products for it
MAX_HALVING_STEPS = 40  # of a step
POLISHING_STEPS = 8  # steps at the end


class JointDerivatives(NamedTuple):
    """The objective, its gradient and the Hessian's diagonal, one row per class."""

    objective: float
    gradient: np.ndarray
    diagonal: np.ndarray


class MultinomialObjective:
    """The objective at a moving point: one row per class, the intercept of the moved rows last."""

    def __init__(self, rows: Rows, n_classes: int, C: float, intercept: bool) -> None:
        self.divided = divide_objective(rows, C)
        self.rows, self.C, self.ridge, _ = self.divided
        self.n_classes, self.intercept = n_classes, intercept
        self.penalised = self.ridge > MIN_RIDGE_VALUE
        self.weights = np.zeros((n_classes, rows.n_columns + 1))
        self.probabilities = np.empty((rows.n_rows, n_classes))
        self.centring = Centring.none(rows.n_columns)
        if intercept and not rows.is_sparse:
            self.centring = Centring.near_mean(rows, only_far=True)
        centre = self.centring.centre
        self.inputs = JointInputs(RowCosts(self.C), centre if centre.any() else None)
        size = n_classes * (rows.n_columns + 1)
        self.has_small_hessian = (
            size <= MAX_HESSIAN_COEFFICIENTS and rows.n_rows * size**2 <= MAX_HESSIAN_PRODUCTS
        )

    def start_at(self, weights: np.ndarray) -> None:
        """Weights of the rows as given."""
        self.weights = self.centring.to_internal(weights)

    @property
    def user_weights(self) -> np.ndarray:
        """Weights of the rows as given, of all that have these probabilities those that add up to 0."""
        return self.centring.to_user(self.weights - self.weights.mean(axis=0))

    def differentiate(self, weights: np.ndarray) -> JointDerivatives:
        """At W; probabilities are kept for products with the Hessian."""
        sums = None
        for part in self.rows.each(MultinomialDerivatives(self.inputs, weights)):
            sums = part.sums if sums is None else tuple(map(add, sums, part.sums))
            self.probabilities[part.span] = part.probabilities
        assert sums is not None
        loss, gradient, diagonal = sums
        gradient[:, -1] *= self.intercept
        w = weights[:, :-1]
        gradient[:, :-1] += self.ridge * w
        diagonal[:, :-1] += self.ridge
        return JointDerivatives(loss + 0.5 * float((self.ridge * w * w).sum()), gradient, diagonal)

    def multiply_hessian(self, direction: np.ndarray) -> np.ndarray:
        """The product of the Hessian at the last point differentiated with a direction."""
        term = MultinomialHessianProduct(self.inputs, self.probabilities, direction)
        total = np.asarray(self.rows.sum(term)[0])
        total[:, -1] *= self.intercept
        total[:, :-1] += self.ridge * direction[:, :-1]
        return total

    def minimise(self, tol: float, iterations: Iterations) -> bool:
        """Newton's steps until the gap is about ``tol`` times the objective, or they run out."""
        current = self.differentiate(self.weights)
        if not np.isfinite(current.objective):
            refuse_overflow(self.rows)
        return descend(JointSteps(self, iterations), current, tol, iterations)

    def polish(self, iterations: Iterations) -> None:
        """Whole Newton steps for as long as they make the gradient shorter, to the last digit."""
        current = self.differentiate(self.weights)
        for _ in range(min(POLISHING_STEPS, iterations.max_iter - iterations.n_steps)):
            direction, _ = self.solve_newton_system(current)
            trial = self.differentiate(self.weights + direction)
            if not _measure_gradient(trial) < _measure_gradient(current):
                return
            self.weights, current = self.weights + direction, trial
            iterations.n_steps += 1
            iterations.record(current.objective)

    def solve_newton_system(self, current: JointDerivatives) -> tuple[np.ndarray, bool]:
        """Newton's step, and whether its equations were solved to a thousandth."""
        if self.has_small_hessian:
            try:
                return self._solve_by_cholesky(current.gradient), True
            except LinAlgError:
                pass
        diagonal = np.where(current.diagonal > 0, current.diagonal, 1.0)
        direction, _, is_solved = conjugate_gradients(
            self.multiply_hessian,
            -current.gradient,
            1.0 / diagonal,
            residual_share=RESIDUAL_SHARE,
            max_products=MAX_PRODUCTS,
        )
        return direction, is_solved

    def _solve_by_cholesky(self, gradient: np.ndarray) -> np.ndarray:
        n_classes, width = gradient.shape
        blocks = self.rows.sum(MultinomialHessian(self.inputs, self.probabilities, self.intercept))[0]
        if not np.isfinite(blocks).all():
            raise LinAlgError
        places, classes = np.arange(width - 1), np.arange(n_classes)
        for k in classes:
            blocks[k, places, k, places] += self.ridge
        # Nothing holds what is the same in all classes, nor do slopes have any of it: it is held at 0.
        for j in range(width):
            typical = float(blocks[classes, j, classes, j].sum())
            blocks[:, j, :, j] += (typical or 1.0) / n_classes**2
        hessian = blocks.reshape(n_classes * width, -1)
        scale = 1.0 / np.sqrt(np.maximum(np.diagonal(hessian), 1e-300))
        factor = cho_factor(hessian * scale * scale[:, None], lower=True, check_finite=False)
        solution = scale * cho_solve(factor, -scale * gradient.ravel(), check_finite=False)
        if not np.isfinite(solution).all():
            raise LinAlgError
        return solution.reshape(n_classes, width)


class JointSteps:
    """Newton's steps, halved until the objective falls."""

    def __init__(self, problem: MultinomialObjective, iterations: Iterations) -> None:
        self.problem, self.iterations = problem, iterations
        self.is_solved = False

    def find_direction(self, current: JointDerivatives) -> np.ndarray:
        direction, self.is_solved = self.problem.solve_newton_system(current)
        return direction

    def estimate_gap(self, current: JointDerivatives, decrement: float) -> float:
        gradient, intercept_slopes = current.gradient[:, :-1], current.gradient[:, -1]
        # What the intercepts leave is taken from single rows in the end, so it has to be far smaller.
        intercept_gap = 1e6 * float((intercept_slopes**2 / np.maximum(current.diagonal[:, -1], 1e-300)).sum())
        return max(estimate_gap(gradient, self.problem.ridge, decrement), intercept_gap)

    def take_step(
        self, current: JointDerivatives, direction: np.ndarray, slope: float, gap: float
    ) -> JointDerivatives | None:
        problem, objective = self.problem, current.objective
        if not slope < 0:
            return None
        accepted = backtrack(
            lambda step: problem.differentiate(problem.weights + step * direction),
            lambda step, trial: trial.objective <= objective + 1e-4 * step * slope + 1e-15 * abs(objective),
            MAX_HALVING_STEPS,
        )
        if accepted is None:
            return None
        step, trial = accepted
        problem.weights = problem.weights + step * direction
        self.iterations.n_steps += 1
        if trial.objective >= objective and self.is_solved:
            self.iterations.record(trial.objective)
            return None
        return trial


def _measure_gradient(current: JointDerivatives) -> float:
    return float((current.gradient**2 / np.maximum(current.diagonal, 1e-300)).sum())
