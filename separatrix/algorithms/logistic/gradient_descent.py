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

from separatrix.algorithms.logistic.newton import Course, open_gap
from separatrix.algorithms.logistic.objective import LogisticObjective
from separatrix.algorithms.logistic.overflow import refuse_overflow

POWERS = 200
FEW_COLUMNS = 500


def gradient_descent(problem: LogisticObjective, tol: float, course: Course) -> tuple[bool, float]:
    """Steps until the gap is at most ``tol`` times the objective, or they run out; and L."""
    at = problem.differentiate()
    smoothness = largest_curvature(problem)
    while True:
        course.reached(at.objective)
        square = float(at.gradient @ at.gradient)
        # Without a penalty nothing bounds the gap from the gradient alone; a tiny gradient ends the run.
        gap = open_gap(problem, at, 0.5 * square if problem.penalised else square)
        course.tell(gap)
        if gap <= tol * at.objective:
            return True, smoothness
        if not course.left or not np.isfinite(gap):
            return False, smoothness
        direction = -at.gradient / smoothness
        ahead = problem.differentiate(direction=direction)
        if not ahead.objective <= at.objective - 0.5 * square / smoothness * (1 - 1e-6) + 1e-12 * abs(
            at.objective
        ):
            smoothness *= 1.5  # the power iteration had not come near the largest eigenvalue
            continue
        problem.accept(direction)
        course.steps += 1
        at = ahead


def largest_curvature(problem: LogisticObjective) -> float:
    """r + ¼λ_max(Σ c z zᵀ): the curvature at zero weights, where p(1 − p) is ¼; with many columns by the
    power iteration, and one in a thousand more."""
    if problem.n_columns <= FEW_COLUMNS:
        here, problem.scores = problem.scores, np.zeros_like(problem.scores)
        hessian = problem.differentiate(hessian=True).hessian
        problem.scores = here
        if hessian is None or not np.isfinite(hessian).all():
            refuse_overflow(problem.rows)
        return float(np.linalg.eigvalsh(hessian)[-1])
    problem.curvatures = np.concatenate(
        [0.25 * problem.costs(block.start, block.stop) for block in problem.blocks()]
    )
    vector = np.random.default_rng(0).normal(size=problem.n_columns + 1)
    vector[-1] *= problem.constant
    size = 0.0
    for _ in range(POWERS):
        vector /= np.linalg.norm(vector)
        curved = problem.multiply_hessian(vector)
        size, last = float(vector @ curved), size
        if size - last <= 1e-5 * size:
            break
        vector = curved
    problem.curvatures = None
    if not np.isfinite(size):
        refuse_overflow(problem.rows)
    return 1.001 * size
