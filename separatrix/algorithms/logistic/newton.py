"""Newton's method: the Hessian is summed in one pass and solved, for a moderate number of columns.

**Idea.** `convex.newton_loop` with a Hessian that may be inexact, which costs steps, not digits. Where there
are many rows the first steps are made on a sixteenth of them, and on a sixteenth of those. The last ones keep
the Hessian and correct it by the changes of the gradient (Broyden, Fletcher, Goldfarb and Shanno).

**Cost.** A step reads the rows twice and does n·d² multiplications, in float32 where the result is far from
being limited by it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.algorithms.convex.newton_loop import Iterations, descend
from separatrix.algorithms.logistic.objective import Derivatives, LogisticObjective
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.rows import Rows

SUBSAMPLE_FACTOR = 16  # rows for each one of a subsample
MIN_SUBSAMPLE_ROWS = 20  # rows per column that make a subsample worth solving
MAX_DECREMENT_SHARE = 1e-4  # the decrement, as a share of the objective, from which on the Hessian is kept
MIN_PIVOT_VALUE = 1e-6  # the least pivot, squared, of a unit-diagonal Hessian that is solved by Cholesky
MAX_SLOPE_SHARE = 0.4  # the slope that a full step may leave, as a share of the slope before it
ROUNDING_SHARE = 1e-11  # of the objective, which may seem to rise by it near the optimum
MIN_FLOAT32_VALUES = 400_000  # values from which a Hessian in float32 pays


def newton(
    problem: LogisticObjective, tol: float, iterations: Iterations, start: WarmStart | None = None
) -> bool:
    """Steps until the gap is at most ``tol`` times the objective; False if the steps ran out."""
    steps = NewtonSteps(problem, iterations)
    return descend(steps, steps.begin(start), tol, iterations)


class NewtonSteps:
    """Steps with a factor of the Hessian, which is kept close to the optimum: that spares its sum.

    A full step is tried first, and the pass that tries it brings the next gradient and Hessian.
    """

    inverse_hessian: InverseHessian

    def __init__(self, problem: LogisticObjective, iterations: Iterations) -> None:
        self.problem, self.iterations, self.estimate_gap = problem, iterations, problem.estimate_gap
        self.precise = not problem.penalised or problem.rows.n_rows * problem.n_columns < MIN_FLOAT32_VALUES
        self.previous_gap = np.inf

    def begin(self, start: WarmStart | None) -> Derivatives:
        """The objective here, or at the start."""
        problem = self.problem
        if start is None:
            return self._form_hessian()
        self.inverse_hessian = start.inverse_hessian
        direction = start.weights - problem.weights
        current = problem.differentiate(direction=direction)
        if not (np.isfinite(current.objective) and np.isfinite(current.gradient).all()):
            refuse_overflow(problem.rows)
        problem.accept(direction)
        return current

    def _form_hessian(self) -> Derivatives:
        current = self.problem.differentiate(hessian=True, precise=self.precise)
        self.inverse_hessian, self.previous_gap = InverseHessian(current, self.problem.intercept), np.inf
        return current

    def find_direction(self, current: Derivatives) -> np.ndarray:
        return self.inverse_hessian.find_direction(current.gradient)

    def take_step(
        self, current: Derivatives, direction: np.ndarray, slope: float, gap: float
    ) -> Derivatives | None:
        problem, stalled = self.problem, gap > 0.1 * self.previous_gap
        is_positive_definite = self.inverse_hessian.is_positive_definite
        if (current.hessian is None and stalled) or not (is_positive_definite or self.precise):
            self.precise = self.precise or not is_positive_definite
            return self._form_hessian()
        # Not the fast end of Newton's method: far away still, or held back by float32.
        self.precise = self.precise or (stalled and self.iterations.n_steps > 5)
        self.previous_gap = gap
        is_close = -0.5 * slope <= MAX_DECREMENT_SHARE * current.objective
        trial = problem.differentiate(hessian=not is_close, precise=self.precise, direction=direction)
        if (
            trial.objective <= current.objective * (1 + ROUNDING_SHARE)
            and abs(float(trial.gradient @ direction)) <= MAX_SLOPE_SHARE * -slope
        ):
            problem.accept(direction)
            self.inverse_hessian.update(direction, trial.gradient - current.gradient)
        elif problem.search_line(direction, slope, current.objective):
            trial = problem.differentiate(hessian=True, precise=self.precise)
        else:
            return None
        self.iterations.n_steps += 1
        if trial.hessian is not None:
            self.inverse_hessian = InverseHessian(trial, problem.intercept)
        return trial


class InverseHessian:
    """−H⁻¹g with rows and columns scaled to a unit diagonal; where H is singular, the shortest solution.

    ``is_positive_definite`` is False if H was not finite or not safely positive definite.
    """

    def __init__(self, current: Derivatives, intercept: bool) -> None:
        assert current.hessian is not None
        self.size = len(current.gradient) if intercept else len(current.gradient) - 1
        H = current.hessian[: self.size, : self.size]
        diagonal = np.diagonal(H)
        self.is_positive_definite = bool(np.isfinite(H).all() and (diagonal >= 0).all())
        self.pairs: list[tuple[np.ndarray, np.ndarray, float]] = []
        self.scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        with np.errstate(all="ignore"):
            scaled = np.nan_to_num(H * self.scale * self.scale[:, None])
        self.cholesky = None
        try:
            factor = cho_factor(scaled, check_finite=False)
            if np.abs(np.diagonal(factor[0])).min() > MIN_PIVOT_VALUE:
                self.cholesky = factor
                return
        except LinAlgError:
            pass
        self.is_positive_definite = False
        values, vectors = np.linalg.eigh(scaled)
        is_kept = values > 1e-12 * values[-1]
        self.values, self.vectors = values[is_kept], vectors[:, is_kept]

    def update(self, step: np.ndarray, gradient_change: np.ndarray) -> None:
        """Take what a step has told about the Hessian since: the gradient's change along it."""
        product = float(step @ gradient_change)
        if product > 0:
            self.pairs.append((step, gradient_change, 1.0 / product))

    def find_direction(self, gradient: np.ndarray) -> np.ndarray:
        """−H⁻¹g, with the updates of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright, 7.2)."""
        residual, coefficients = -gradient, []
        for step, gradient_change, inverse in reversed(self.pairs):
            coefficients.append(inverse * float(step @ residual))
            residual = residual - coefficients[-1] * gradient_change
        direction = -self._solve(residual)
        for (step, gradient_change, inverse), coefficient in zip(
            self.pairs, reversed(coefficients), strict=True
        ):
            direction = direction + (coefficient - inverse * float(gradient_change @ direction)) * step
        return direction

    def _solve(self, gradient: np.ndarray) -> np.ndarray:
        scaled = self.scale * gradient[: self.size]
        if self.cholesky is not None:
            solution = cho_solve(self.cholesky, scaled, check_finite=False)
        else:
            solution = self.vectors @ ((self.vectors.T @ scaled) / self.values)
        direction = np.zeros(len(gradient))
        direction[: self.size] = -self.scale * solution
        return direction


class WarmStart(NamedTuple):
    """Weights near the optimum, for rows seen from the problem's centre, and a Hessian nearly right there."""

    weights: np.ndarray
    inverse_hessian: InverseHessian


def find_warm_start(problem: LogisticObjective, tol: float) -> WarmStart | None:
    """The optimum of a subsample and a Hessian near it, found the same way, where there are many rows."""
    subsample = take_subsample(problem.rows)
    if subsample is None or problem.divided.exponent:
        return None
    factor = problem.rows.n_rows / subsample.n_rows
    subproblem = LogisticObjective(
        subsample,
        problem.positive,
        _scale_cost(problem, factor),
        intercept=problem.intercept,
        centring=problem.centring,
    )
    signs = subproblem.signs
    result = None
    if signs.min() < signs.max() and not subproblem.divided.exponent:
        warm_start = find_warm_start(subproblem, tol)
        iterations = Iterations(12, reported=False)
        steps = NewtonSteps(subproblem, iterations)
        descend(
            steps, steps.begin(warm_start), max(tol, 0.1 * problem.n_columns / subsample.n_rows), iterations
        )
        if np.isfinite(subproblem.weights).all() and steps.inverse_hessian.is_positive_definite:
            result = WarmStart(subproblem.weights, steps.inverse_hessian)
    return result


def _scale_cost(problem: LogisticObjective, factor: float) -> float:
    return problem.C * factor if problem.penalised else float("inf")


def take_subsample(rows: Rows) -> Rows | None:
    """Every sixteenth row, in memory; None where they would be too few for their columns."""
    count = rows.n_rows // SUBSAMPLE_FACTOR
    if not rows.in_memory or count < MIN_SUBSAMPLE_ROWS * (rows.n_columns + 1) or count < 2000:
        return None
    return rows.sample(count)
