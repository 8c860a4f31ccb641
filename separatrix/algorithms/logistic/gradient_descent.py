"""Gradient descent: the textbook's method, with a step that is never too long.

**Idea.** w ← w − ∇f(w)/L, with L the largest curvature the objective has anywhere.

**Theorem** (Nesterov, *Introductory Lectures on Convex Optimization*, 2.1.5). For convex f whose gradient is
Lipschitz with constant L, f(w_k) − f* ≤ L‖w₀ − w*‖²/(2k), and f falls in every step. Where f − ½μ‖w‖² is
convex too, f(w_k) − f* ≤ (1 − μ/L)ᵏ (f(w₀) − f*). For the logistic loss L = r + ¼λ_max(Σ c_i z_i z_iᵀ),
because p(1 − p) ≤ ¼; r is the penalty's curvature.

**Cost.** A pass for each step; the steps are many when the columns differ in scale or depend on one another.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.convex.newton_loop import Iterations, descend
from separatrix.algorithms.logistic.objective import Derivatives, LogisticObjective
from separatrix.algorithms.logistic.overflow import refuse_overflow

MAX_POWER_ITERATIONS = 200
MAX_HESSIAN_COLUMNS = 500


def gradient_descent(problem: LogisticObjective, tol: float, iterations: Iterations) -> bool:
    """Steps until the gap is at most ``tol`` times the objective; False if the steps ran out."""
    problem.smoothness = problem.smoothness or find_largest_curvature(problem)
    return descend(GradientSteps(problem, iterations), problem.differentiate(), tol, iterations)


class GradientSteps:
    """Steps of −g/L, with a larger L where the objective falls by less than the theorem says."""

    def __init__(self, problem: LogisticObjective, iterations: Iterations) -> None:
        self.problem, self.iterations = problem, iterations

    def find_direction(self, current: Derivatives) -> np.ndarray:
        return -current.gradient / self.problem.smoothness

    def estimate_gap(self, current: Derivatives, decrement: float) -> float:
        # Without a penalty nothing bounds the gap from the gradient alone; a tiny gradient ends the run.
        squared_norm = float(current.gradient @ current.gradient)
        bound = 0.5 * squared_norm if self.problem.penalised else squared_norm
        return self.problem.estimate_gap(current, bound)

    def take_step(
        self, current: Derivatives, direction: np.ndarray, slope: float, gap: float
    ) -> Derivatives | None:
        trial = self.problem.differentiate(direction=direction)
        promised = current.objective + 0.5 * slope * (1 - 1e-6)
        if not trial.objective <= promised + 1e-12 * abs(current.objective):
            self.problem.smoothness *= 1.5  # the power iteration had not come near the largest eigenvalue
            return current
        self.problem.accept(direction)
        self.iterations.n_steps += 1
        return trial


def find_largest_curvature(problem: LogisticObjective) -> float:
    """r + ¼λ_max(Σ c z zᵀ): the curvature at zero weights, where p(1 − p) is ¼; with many columns by the
    power iteration, and one in a thousand more."""
    if problem.n_columns <= MAX_HESSIAN_COLUMNS:
        scores, problem.scores = problem.scores, np.zeros_like(problem.scores)
        hessian = problem.differentiate(hessian=True).hessian
        problem.scores = scores
        if hessian is None or not np.isfinite(hessian).all():
            refuse_overflow(problem.rows)
        return float(np.linalg.eigvalsh(hessian)[-1])
    problem.curvatures = 0.25 * problem.costs(0, problem.rows.n_rows)
    vector = np.random.default_rng(0).normal(size=problem.n_columns + 1)
    vector[-1] *= problem.constant
    eigenvalue = 0.0
    for _ in range(MAX_POWER_ITERATIONS):
        vector /= np.linalg.norm(vector)
        product = problem.multiply_hessian(vector)
        eigenvalue, previous = float(vector @ product), eigenvalue
        if eigenvalue - previous <= 1e-5 * eigenvalue:
            break
        vector = product
    problem.curvatures = None
    if not np.isfinite(eigenvalue):
        refuse_overflow(problem.rows)
    return 1.001 * eigenvalue
