"""The squared hinge: Newton's method on the primal, with an exact search along each step.

**Idea.** The objective is piecewise quadratic with a continuous slope: a Newton step on the rows with margin
below 1 ends at the minimum as soon as these rows are the right ones.

**Theorem** (Mangasarian 2002; Keerthi and DeCoste 2005). With an exact line search the steps reach the
minimum in finitely many of them.

**Cost.** Usually five to ten steps from zero, two or three from the solution of a sample; each reads all rows
twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.convex.newton_loop import Iterations, descend
from separatrix.algorithms.convex.subsample import draw_evenly
from separatrix.algorithms.svm.augmented_lagrangian import WorkingSet
from separatrix.algorithms.svm.hinge_kernels import compute_squared_hinge_slope
from separatrix.algorithms.svm.newton_systems import compute_newton_step, solve_newton_system
from separatrix.algorithms.svm.objective import SoftMarginProblem, SoftMarginSolution, compute_block_costs
from separatrix.algorithms.svm.row_space import RowSpaceProblem
from separatrix.algorithms.svm.segment_search import search_segment
from separatrix.algorithms.svm.working_rows import FEW_COLUMNS, gather_rows
from separatrix.rows import Block

MIN_SAMPLED_ROWS = 20_000  # rows from which on a sample gives the start
RUN_ROWS = 2048  # rows
MAX_SAMPLE_STEPS = 20
SAMPLE_GAP_SHARE = 1e-6  # of the objective of a sample, which is all that its solution is good for
REFRESH_STEPS = 4  # steps after which margins are formed anew
MAX_STALE_STEPS = 8  # steps in a row that lower nothing: rounding is all that is left of the gap
FINAL_STEPS = 1  # once the gap is closed: the last Newton step costs little and brings the last digits


class NewtonState(NamedTuple):
    """At some weights: the objective, its slope, and the Newton step from there."""

    objective: float
    gradient: np.ndarray
    step: np.ndarray


def minimise(
    problem: SoftMarginProblem, tolerance: float, max_steps: int, start: np.ndarray | None = None
) -> SoftMarginSolution:
    """Weights with α = 2c·max(0, 1 − m), both within ``tolerance`` times the objective of the least."""
    counted = problem.find_counted_rows()
    is_blockwise = _is_blockwise(problem)
    evaluator = _BlockEvaluator(problem) if is_blockwise else _GatheredEvaluator(problem, counted)
    if start is not None:
        weights = evaluator.reduce_weights(problem.centring.to_internal(start))
    elif is_blockwise and len(counted) > MIN_SAMPLED_ROWS:
        weights = _solve_sample(problem, counted, max_steps)
    else:
        weights = evaluator.make_start()
    if is_blockwise:
        counted = np.empty(0)  # not needed any more, and as large as a column of doubles
    iterations = Iterations(max_steps)
    steps = ExactSteps(evaluator, weights, iterations)
    descend(steps, steps.evaluate(), 0.3 * tolerance, iterations, n_final=FINAL_STEPS)
    weights, all_margins = evaluator.recover_weights(steps.weights, steps.margins), steps.margins
    if not is_blockwise:
        all_margins = np.zeros(problem.rows.n_rows)
        all_margins[counted] = steps.margins
    return SoftMarginSolution(
        problem.centring.to_user(weights),
        all_margins,
        iterations.n_steps,
        None,
        np.empty(0, np.int64),
        np.empty(0),
    )


class ExactSteps:
    """Newton's steps, each to the lowest point along it."""

    def __init__(
        self, evaluator: _BlockEvaluator | _GatheredEvaluator, weights: np.ndarray, iterations: Iterations
    ) -> None:
        self.evaluator, self.weights, self.iterations = evaluator, weights, iterations
        self.margins, self.costs = evaluator.compute_margins(weights), evaluator.compute_costs()
        self.n_stale, self.least_objective = 0, np.inf

    def evaluate(self) -> NewtonState:
        return self.evaluator.compute_state(self.weights, self.margins)

    def find_direction(self, current: NewtonState) -> np.ndarray:
        return current.step

    def estimate_gap(self, current: NewtonState, decrement: float) -> float:
        gradient, intercept_slope = current.gradient[:-1], abs(float(current.gradient[-1]))
        return 0.5 * float(gradient @ gradient) + intercept_slope * (1.0 + abs(float(self.weights[-1])))

    def take_step(
        self, current: NewtonState, direction: np.ndarray, slope: float, gap: float
    ) -> NewtonState | None:
        is_stale = current.objective >= (1.0 - 1e-14) * self.least_objective
        self.n_stale = self.n_stale + 1 if is_stale else 0
        self.least_objective = min(self.least_objective, current.objective)
        if self.n_stale > MAX_STALE_STEPS or gap <= 1e-30 * current.objective:
            return None
        margin_change = self.evaluator.compute_margins(direction)
        step = search_segment(self._make_slope(margin_change, direction))
        if step == 0.0:
            return None
        self.weights = self.weights + step * direction
        margin_change *= step
        self.margins += margin_change
        del margin_change
        self.iterations.n_steps += 1
        if self.iterations.n_steps % REFRESH_STEPS == 0:
            self.margins = self.evaluator.compute_margins(self.weights)
        return self.evaluate()

    def _make_slope(
        self, margin_change: np.ndarray, direction: np.ndarray
    ) -> Callable[[float], tuple[float, float]]:
        v, derivatives = direction[:-1], np.empty(2)
        linear_slope, squared_norm = float(v @ self.weights[:-1]), float(v @ v)

        def slope_at(t: float) -> tuple[float, float]:
            compute_squared_hinge_slope(self.margins, margin_change, self.costs, t, derivatives)
            return linear_slope + t * squared_norm + derivatives[0], squared_norm + derivatives[1]

        return slope_at


def _is_blockwise(problem: SoftMarginProblem) -> bool:
    """Whether the rows are walked block by block rather than gathered."""
    rows = problem.rows
    is_large = rows.n_rows * rows.n_columns * 8 > 2 << 20
    return is_large and not rows.is_sparse and rows.n_columns < FEW_COLUMNS


def _solve_sample(problem: SoftMarginProblem, counted: np.ndarray, max_steps: int) -> np.ndarray:
    """The solution of a sample of an eighth of the rows, at most 2 MB of them."""
    size = min(len(counted) // 8, (2 << 20) // (8 * (problem.rows.n_columns + 1)))
    chosen = draw_evenly(counted, size, np.random.default_rng(0))
    evaluator = _GatheredEvaluator(problem, chosen)
    evaluator.working_set.costs *= problem.total_cost / evaluator.working_set.costs.sum()
    iterations = Iterations(min(max_steps, MAX_SAMPLE_STEPS), reported=False)
    steps = ExactSteps(evaluator, evaluator.make_start(), iterations)
    descend(steps, steps.evaluate(), SAMPLE_GAP_SHARE, iterations)
    return steps.weights


class _GatheredEvaluator:
    """All rows that count, gathered: sparse ones, many columns, or few rows."""

    def __init__(self, problem: SoftMarginProblem, counted: np.ndarray) -> None:
        self.intercept = problem.intercept
        Z, signs = gather_rows(problem.rows, problem.positive, counted, problem.centre)
        self.working_set = WorkingSet(
            counted, Z, signs, problem.compute_costs(counted), np.ones(len(counted))
        )
        self.row_space = RowSpaceProblem.from_working_set(self.working_set)
        if self.row_space is not None:
            self.working_set = self.row_space.reduced

    def compute_costs(self) -> np.ndarray:
        return self.working_set.costs

    def make_start(self) -> np.ndarray:
        return np.zeros(self.working_set.Z.shape[1] + 1)

    def reduce_weights(self, weights: np.ndarray) -> np.ndarray:
        """Weights as given, where the columns are as given."""
        return weights if self.row_space is None else self.make_start()

    def recover_weights(self, weights: np.ndarray, margins: np.ndarray) -> np.ndarray:
        """Weights of the columns as given."""
        if self.row_space is None:
            return weights
        alpha = 2.0 * self.working_set.costs * np.maximum(0.0, 1.0 - margins)
        return np.append(self.row_space.original.Z.T @ alpha, weights[-1])

    def compute_margins(self, weights: np.ndarray) -> np.ndarray:
        return self.working_set.compute_margins(weights)

    def compute_state(self, weights: np.ndarray, margins: np.ndarray) -> NewtonState:
        working_set = self.working_set
        shortfall = np.maximum(0.0, 1.0 - margins)
        objective = 0.5 * float(weights[:-1] @ weights[:-1]) + float(working_set.costs @ shortfall**2)
        gradient = -working_set.combine(2.0 * working_set.costs * shortfall)
        gradient[:-1] += weights[:-1]
        if not self.intercept:
            gradient[-1] = 0.0
        step = compute_newton_step(
            working_set.Z,
            working_set.signs,
            np.flatnonzero(margins < 1.0),
            2.0 * working_set.costs,
            gradient,
            intercept=self.intercept,
            kernel=working_set.kernel,
        )
        return NewtonState(objective, gradient, step)


@dataclass(frozen=True)
class BlockMargins:
    """A term: the margins s·(w·x + b) of weights for the rows as given."""

    weights: np.ndarray
    positive: int

    def __call__(self, block: Block) -> np.ndarray:
        margins = np.empty(len(block))
        for first in range(0, len(block), RUN_ROWS):  # float32 becomes float64 a run at a time
            run = slice(first, first + RUN_ROWS)
            margins[run] = np.asarray(block.X[run], np.float64) @ self.weights[:-1] + self.weights[-1]
        margins *= block.signs(self.positive)
        return margins


@dataclass(frozen=True)
class SquaredHingeSums:
    """A term: Σ c·h², Σ 2c·h·z and Σ 2c·z zᵀ over the rows short of 1 by h > 0, z = s·(x − centre, 1).

    ``margins`` are those of all rows, c is the cost of a row.
    """

    margins: np.ndarray
    centre: np.ndarray
    cost: float
    positive: int
    intercept: bool

    def __call__(self, block: Block) -> tuple[float, np.ndarray, np.ndarray]:
        d = block.n_columns
        loss, weighted_sum, gram = 0.0, np.zeros(d + 1), np.zeros((d + 1, d + 1))
        margins, block_signs = self.margins[block.span], block.signs(self.positive)
        costs = compute_block_costs(block, self.cost)
        for first in range(0, len(block), RUN_ROWS):
            run = slice(first, first + RUN_ROWS)
            shortfall = 1.0 - margins[run]
            active = np.flatnonzero(shortfall > 0.0)
            shortfall, signs = shortfall[active], block_signs[run][active]
            roots = np.sqrt(2.0 * costs[run][active])
            Z = block.X[run][active] - self.centre
            Z *= (roots * signs)[:, None]
            weighted_shortfall = roots * shortfall
            loss += 0.5 * float(weighted_shortfall @ weighted_shortfall)
            gram[:d, :d] += Z.T @ Z
            weighted_sum[:d] += Z.T @ weighted_shortfall
            if self.intercept:
                weighted_signs = roots * signs
                gram[:d, d] += Z.T @ weighted_signs
                gram[d, d] += weighted_signs @ weighted_signs
                weighted_sum[d] += weighted_signs @ weighted_shortfall
        gram[d, :d] = gram[:d, d]
        return loss, weighted_sum, gram


class _BlockEvaluator:
    """Rows read block by block: slope and Gram matrix in one pass, in block order."""

    def __init__(self, problem: SoftMarginProblem) -> None:
        self.problem = problem

    def compute_costs(self) -> np.ndarray:
        return self.problem.compute_costs(slice(0, self.problem.rows.n_rows))

    def make_start(self) -> np.ndarray:
        return np.zeros(self.problem.rows.n_columns + 1)

    def reduce_weights(self, weights: np.ndarray) -> np.ndarray:
        return weights

    def recover_weights(self, weights: np.ndarray, margins: np.ndarray) -> np.ndarray:
        return weights

    def compute_margins(self, weights: np.ndarray) -> np.ndarray:
        problem = self.problem
        margins, start = np.empty(problem.rows.n_rows), 0
        for part in problem.rows.each(BlockMargins(problem.centring.to_user(weights), problem.positive)):
            margins[start : start + len(part)] = part
            start += len(part)
        return margins

    def compute_state(self, weights: np.ndarray, margins: np.ndarray) -> NewtonState:
        problem = self.problem
        term = SquaredHingeSums(margins, problem.centre, problem.cost, problem.positive, problem.intercept)
        loss, weighted_sum, gram = problem.rows.sum(term)
        gradient = -weighted_sum
        gradient[:-1] += weights[:-1]
        step = solve_newton_system(gram, gradient, intercept=problem.intercept)
        return NewtonState(0.5 * float(weights[:-1] @ weights[:-1]) + loss, gradient, step)
