"""Newton's method: the Hessian is summed in one pass and solved, for a moderate number of columns.

**Theorem** (Newton; Kantorovich, 1948). Near the optimum of a strictly convex, smooth objective the error of
one step is a constant times the square of the error before it. From anywhere, with a line search that makes
the slope along the direction small, the objective falls in every step (Boyd and Vandenberghe, *Convex
Optimization*, 9.5).

**Cost.** A step reads the rows twice and does n·d² multiplications, in float32 where the result is far from
being limited by it: an inexact Hessian costs steps, not digits. The first steps are made on a sixteenth of
the rows, and on a sixteenth of those, where there are many. The last ones keep the Hessian, corrected by what
they tell about it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.algorithms.convex.line_search import search_line
from separatrix.algorithms.logistic.objective import Derivatives, LogisticObjective
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.fitting.progress import report_step
from separatrix.rows import Rows

SUBSAMPLE_FACTOR = 16  # rows for each one of a subsample
MIN_SUBSAMPLE_ROWS = 20  # rows per column that make a subsample worth solving
MAX_DECREMENT_SHARE = 1e-4  # the decrement, as a share of the objective, from which on the Hessian is kept
MIN_PIVOT_VALUE = 1e-6  # the least pivot, squared, of a unit-diagonal Hessian that is solved by Cholesky
MAX_SLOPE_SHARE = 0.4  # the slope that a full step may leave, as a share of the slope before it
EPSILON = 2.0**-52
ROUNDING_SHARE = 1e-11  # of the objective, which may seem to rise by it near the optimum
MIN_RIDGE_VALUE = 2.0**-80  # a smaller penalty is lost in the rounding of the gradient, 2^-52, squared
MIN_FLOAT32_VALUES = 400_000  # values from which a Hessian in float32 pays


class Iterations:
    """What happened: how many steps over all rows were made, the objective at the start and after each, and
    the Hessian of the last one."""

    def __init__(self, max_iter: int, *, reported: bool = True) -> None:
        self.max_iter = max_iter
        self.next_report = 0 if reported else max_iter + 1  # the next step that is reported
        self.n_steps = 0
        self.objectives: list[float] = []
        self.inverse_hessian: InverseHessian | None = None

    def record(self, objective: float) -> None:
        """Record the objective after the steps made so far."""
        self.objectives[self.n_steps :] = [objective]

    def report(self, gap: float) -> None:
        """Report the steps made so far, once, and about what they leave open."""
        if self.n_steps >= self.next_report:
            self.next_report = self.n_steps + 1
            report_step(self.n_steps, self.max_iter, gap, self.objectives[-1])

    @property
    def has_steps_left(self) -> bool:
        return self.n_steps < self.max_iter


def estimate_gap(problem: LogisticObjective, current: Derivatives, decrement: float) -> float:
    """What the certificate's gap will be, about: ½‖∇_w‖² where weights are penalised, and what the intercept
    can still gain; the decrement otherwise."""
    g = current.gradient[:-1]
    if problem.units.column_exponents is not None:
        return max(estimate_penalised_gap(g, np.asarray(problem.ridge)), decrement)
    return max(0.5 * float(g @ g), decrement) if problem.penalised else decrement


def estimate_penalised_gap(gradient: np.ndarray, ridge: np.ndarray) -> float:
    """½ Σ g²/ρ over the columns whose penalty ρ the gradient's rounding does not hide."""
    is_significant = ridge > MIN_RIDGE_VALUE
    return 0.5 * float(np.sum(gradient[..., is_significant] ** 2 / ridge[is_significant]))


def newton(
    problem: LogisticObjective, tol: float, iterations: Iterations, start: WarmStart | None = None
) -> bool:
    """Steps until the gap is at most ``tol`` times the objective; False if the steps ran out.

    A full step is tried first, and the pass that tries it brings the next gradient and Hessian. Close to the
    optimum the Hessian is kept, which spares its sum.
    """
    precise = not problem.penalised or problem.rows.n_rows * problem.n_columns < MIN_FLOAT32_VALUES
    if start is None:
        current = problem.differentiate(hessian=True, precise=precise)
        inverse_hessian = InverseHessian(current, problem.intercept)
    else:
        inverse_hessian = start.inverse_hessian
        current = problem.differentiate(direction=start.weights - problem.weights)
        if not (np.isfinite(current.objective) and np.isfinite(current.gradient).all()):
            refuse_overflow(problem.rows)
        problem.accept(start.weights - problem.weights)
    previous_gap = np.inf
    while True:
        iterations.record(current.objective)
        iterations.inverse_hessian = inverse_hessian
        direction = inverse_hessian.find_direction(current.gradient)
        slope = float(current.gradient @ direction)
        gap = estimate_gap(problem, current, -0.5 * slope)
        iterations.report(gap)
        if gap <= tol * current.objective:
            return True
        if not iterations.has_steps_left or not np.isfinite(gap):
            return False
        stalled = gap > 0.1 * previous_gap
        if (current.hessian is None and stalled) or (
            not inverse_hessian.is_positive_definite and not precise
        ):
            precise = precise or not inverse_hessian.is_positive_definite
            current = problem.differentiate(hessian=True, precise=precise)
            inverse_hessian, previous_gap = InverseHessian(current, problem.intercept), np.inf
            continue
        # Not the fast end of Newton's method: far away still, or held back by float32.
        precise = precise or (stalled and iterations.n_steps > 5)
        previous_gap = gap
        is_close = -0.5 * slope <= MAX_DECREMENT_SHARE * current.objective
        trial = problem.differentiate(hessian=not is_close, precise=precise, direction=direction)
        if not (
            trial.objective <= current.objective * (1 + ROUNDING_SHARE)
            and abs(float(trial.gradient @ direction)) <= MAX_SLOPE_SHARE * -slope
        ):
            if -0.5 * slope <= EPSILON * current.objective:
                return False  # the direction is rounding: a line search would follow it far away
            assert problem.trial_scores is not None
            score_changes = problem.trial_scores - problem.scores
            step = search_line(problem, score_changes, direction, slope)
            if step == 0.0:
                return False
            problem.move(score_changes, direction, step)
            trial = problem.differentiate(hessian=True, precise=precise)
        else:
            problem.accept(direction)
            inverse_hessian.update(direction, trial.gradient - current.gradient)
        iterations.n_steps += 1
        current = trial
        if current.hessian is not None:
            inverse_hessian = InverseHessian(current, problem.intercept)


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
    if subsample is None or not problem.units.are_given:
        return None
    factor = problem.rows.n_rows / subsample.n_rows
    subproblem = LogisticObjective(
        subsample,
        problem.positive,
        _scale_cost(problem, factor),
        intercept=problem.intercept,
        centred=problem.centre,
    )
    signs = subproblem.signs
    result = None
    if signs.min() < signs.max() and subproblem.units.are_given:
        warm_start = find_warm_start(subproblem, tol)
        iterations = Iterations(12, reported=False)
        newton(subproblem, max(tol, 0.1 * problem.n_columns / subsample.n_rows), iterations, warm_start)
        inverse_hessian = iterations.inverse_hessian
        if (
            np.isfinite(subproblem.weights).all()
            and inverse_hessian is not None
            and inverse_hessian.is_positive_definite
        ):
            result = WarmStart(subproblem.weights, inverse_hessian)
    return result


def _scale_cost(problem: LogisticObjective, factor: float) -> float:
    return problem.C * factor if problem.penalised else float("inf")


def take_subsample(rows: Rows) -> Rows | None:
    """Every sixteenth row, in memory; None where they would be too few for their columns."""
    count = rows.n_rows // SUBSAMPLE_FACTOR
    if not rows.in_memory or count < MIN_SUBSAMPLE_ROWS * (rows.n_columns + 1) or count < 2000:
        return None
    return rows.take(np.arange(0, rows.n_rows, SUBSAMPLE_FACTOR))
