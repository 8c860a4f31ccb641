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
from separatrix.rows import DenseRows, Rows, SparseRows
from separatrix.rows.memory import MemoryRows

SHARE = 16
ENOUGH = 20  # rows per column that make a subsample worth solving
CLOSE = 1e-4  # the decrement, as a share of the objective, from which on the Hessian is kept
SINGULAR = 1e-6  # the least pivot, squared, of a unit-diagonal Hessian that is solved by Cholesky
ENOUGH_FLAT = 0.4  # the slope that a full step may leave, as a share of the slope before it
EPSILON = 2.0**-52
ROUNDING = 1e-11  # of the objective, which may seem to rise by it near the optimum
LEAST_FELT = 2.0**-80  # a penalty below it is lost in the rounding of the gradient, 2^-52, which is squared
WORTH_SINGLE = 400_000  # values from which a Hessian in float32 pays


class Course:
    """What happened: how many steps over all rows were made, the objective at the start and after each, and
    the Hessian of the last one."""

    def __init__(self, max_iter: int, *, told: bool = True) -> None:
        self.max_iter = max_iter
        self.to_tell = 0 if told else max_iter + 1  # the next step that is told of
        self.steps = 0
        self.objectives: list[float] = []
        self.solver: Solver | None = None

    def reached(self, objective: float) -> None:
        """Note the objective after the steps made so far."""
        self.objectives[self.steps :] = [objective]

    def tell(self, gap: float) -> None:
        """Tell of the steps made so far, once, and about what they leave open."""
        if self.steps >= self.to_tell:
            self.to_tell = self.steps + 1
            report_step(self.steps, self.max_iter, gap, self.objectives[-1])

    @property
    def left(self) -> bool:
        return self.steps < self.max_iter


def open_gap(problem: LogisticObjective, at: Derivatives, decrement: float) -> float:
    """What the certificate's gap will be, about: ½‖∇_w‖² where weights are penalised, and what the intercept
    can still gain; the decrement otherwise."""
    g = at.gradient[:-1]
    if problem.units.column_exponents is not None:
        return max(felt_gap(g, np.asarray(problem.ridge)), decrement)
    return max(0.5 * float(g @ g), decrement) if problem.penalised else decrement


def felt_gap(gradient: np.ndarray, ridge: np.ndarray) -> float:
    """½ Σ g²/ρ over the columns whose penalty ρ the gradient's rounding does not hide."""
    felt = ridge > LEAST_FELT
    return 0.5 * float(np.sum(gradient[..., felt] ** 2 / ridge[felt]))


def newton(problem: LogisticObjective, tol: float, course: Course, start: Start | None = None) -> bool:
    """Steps until the gap is at most ``tol`` times the objective; False if the steps ran out.

    A full step is tried first, and the pass that tries it brings the next gradient and Hessian. Close to the
    optimum the Hessian is kept, which spares its sum.
    """
    precise = not problem.penalised or problem.rows.n_rows * problem.n_columns < WORTH_SINGLE
    if start is None:
        at = problem.differentiate(hessian=True, precise=precise)
        step = Solver(at, problem.intercept)
    else:
        at, step = problem.differentiate(direction=start.weights - problem.weights), start.solver
        if not (np.isfinite(at.objective) and np.isfinite(at.gradient).all()):
            refuse_overflow(problem.rows)
        problem.accept(start.weights - problem.weights)
    before = np.inf
    while True:
        course.reached(at.objective)
        course.solver = step
        direction = step.direction(at.gradient)
        slope = float(at.gradient @ direction)
        gap = open_gap(problem, at, -0.5 * slope)
        course.tell(gap)
        if gap <= tol * at.objective:
            return True
        if not course.left or not np.isfinite(gap):
            return False
        stalled = gap > 0.1 * before
        if (at.hessian is None and stalled) or (not step.positive and not precise):
            precise = precise or not step.positive
            at = problem.differentiate(hessian=True, precise=precise)
            step, before = Solver(at, problem.intercept), np.inf
            continue
        # Not the fast end of Newton's method: far away still, or held back by float32.
        precise = precise or (stalled and course.steps > 5)
        before = gap
        close = -0.5 * slope <= CLOSE * at.objective
        ahead = problem.differentiate(hessian=not close, precise=precise, direction=direction)
        if not (
            ahead.objective <= at.objective * (1 + ROUNDING)
            and abs(float(ahead.gradient @ direction)) <= ENOUGH_FLAT * -slope
        ):
            if -0.5 * slope <= EPSILON * at.objective:
                return False  # the direction is rounding: a line search would follow it far away
            assert problem.trial_scores is not None
            score_changes = problem.trial_scores - problem.scores
            length = search_line(problem, score_changes, direction, slope)
            if length == 0.0:
                return False
            problem.move(score_changes, direction, length)
            ahead = problem.differentiate(hessian=True, precise=precise)
        else:
            problem.accept(direction)
            step.learn(direction, ahead.gradient - at.gradient)
        course.steps += 1
        at = ahead
        if at.hessian is not None:
            step = Solver(at, problem.intercept)


class Solver:
    """−H⁻¹g with rows and columns scaled to a unit diagonal; where H is singular, the shortest solution.

    ``positive`` is False if H was not finite or not safely positive definite.
    """

    def __init__(self, at: Derivatives, intercept: bool) -> None:
        assert at.hessian is not None
        self.size = len(at.gradient) if intercept else len(at.gradient) - 1
        H = at.hessian[: self.size, : self.size]
        diagonal = np.diagonal(H)
        self.positive = bool(np.isfinite(H).all() and (diagonal >= 0).all())
        self.pairs: list[tuple[np.ndarray, np.ndarray, float]] = []
        self.scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        with np.errstate(all="ignore"):
            unit = np.nan_to_num(H * self.scale * self.scale[:, None])
        self.factor = None
        try:
            factor = cho_factor(unit, check_finite=False)
            if np.abs(np.diagonal(factor[0])).min() > SINGULAR:
                self.factor = factor
                return
        except LinAlgError:
            pass
        self.positive = False
        values, vectors = np.linalg.eigh(unit)
        kept = values > 1e-12 * values[-1]
        self.values, self.vectors = values[kept], vectors[:, kept]

    def learn(self, moved: np.ndarray, change: np.ndarray) -> None:
        """Take what a step has told about the Hessian since: the gradient's change along it."""
        product = float(moved @ change)
        if product > 0:
            self.pairs.append((moved, change, 1.0 / product))

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        """−H⁻¹g, with the updates of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright, 7.2)."""
        rest, shares = -gradient, []
        for moved, change, inverse in reversed(self.pairs):
            shares.append(inverse * float(moved @ rest))
            rest = rest - shares[-1] * change
        found = -self._direction(rest)
        for (moved, change, inverse), share in zip(self.pairs, reversed(shares), strict=True):
            found = found + (share - inverse * float(change @ found)) * moved
        return found

    def _direction(self, gradient: np.ndarray) -> np.ndarray:
        scaled = self.scale * gradient[: self.size]
        if self.factor is not None:
            found = cho_solve(self.factor, scaled, check_finite=False)
        else:
            found = self.vectors @ ((self.vectors.T @ scaled) / self.values)
        direction = np.zeros(len(gradient))
        direction[: self.size] = -self.scale * found
        return direction


class Start(NamedTuple):
    """Weights near the optimum, for rows seen from the problem's centre, and a Hessian nearly right there."""

    weights: np.ndarray
    solver: Solver


def warm(problem: LogisticObjective, tol: float) -> Start | None:
    """The optimum of a subsample and a Hessian near it, found the same way, where there are many rows."""
    part = subsample(problem.rows)
    if part is None or not problem.units.are_given:
        return None
    share = problem.rows.n_rows / part.n_rows
    smaller = LogisticObjective(
        part, problem.positive, _scaled(problem, share), intercept=problem.intercept, centred=problem.centre
    )
    signs = smaller.signs
    found = None
    if signs.min() < signs.max() and smaller.units.are_given:
        begin = warm(smaller, tol)
        course = Course(12, told=False)
        newton(smaller, max(tol, 0.1 * problem.n_columns / part.n_rows), course, begin)
        solver = course.solver
        if np.isfinite(smaller.weights).all() and solver is not None and solver.positive:
            found = Start(smaller.weights, solver)
    smaller.close()
    return found


def _scaled(problem: LogisticObjective, share: float) -> float:
    return problem.C * share if problem.penalised else float("inf")


def subsample(rows: Rows) -> Rows | None:
    """Every sixteenth row, in memory; None where they would be too few for their columns."""
    count = rows.n_rows // SHARE
    if not isinstance(rows, MemoryRows) or count < ENOUGH * (rows.n_columns + 1) or count < 2000:
        return None
    chosen = np.arange(0, rows.n_rows, SHARE)
    block = rows.take(chosen)
    if isinstance(rows, DenseRows):
        part: MemoryRows = DenseRows(block.X, block.codes, rows.classes, n_jobs=rows.n_jobs)
    else:
        part = SparseRows(_matrix(block, rows.n_columns), block.codes, rows.classes, n_jobs=rows.n_jobs)
    part.weights = None if rows.weights is None else rows.weights[chosen]
    return part


def _matrix(block, n_columns):  # type: ignore[no-untyped-def]
    from separatrix.fitting.exact_errors import matrix

    return matrix(block, n_columns)
