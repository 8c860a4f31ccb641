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

from separatrix.algorithms.svm.augmented_lagrangian import WorkingSet
from separatrix.algorithms.svm.hinge_kernels import compute_squared_hinge_slope
from separatrix.algorithms.svm.newton_systems import compute_newton_step, solve_newton_system
from separatrix.algorithms.svm.objective import SoftMarginProblem, SoftMarginSolution, compute_block_costs
from separatrix.algorithms.svm.row_space import RowSpaceProblem
from separatrix.algorithms.svm.segment_minimum import find_root_of_slope
from separatrix.algorithms.svm.working_rows import FEW_COLUMNS, gather_rows
from separatrix.fitting.progress import report_step
from separatrix.rows import Block

MIN_SAMPLED_ROWS = 20_000  # rows from which on a sample gives the start
RUN_ROWS = 2048  # rows
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
    evaluator = _BlockEvaluator(problem) if _is_blockwise(problem) else _GatheredEvaluator(problem, counted)
    weights = evaluator.make_start() if start is None else evaluator.reduce_weights(problem.to_centred(start))
    if start is None and len(counted) > MIN_SAMPLED_ROWS and _is_blockwise(problem):
        weights = _solve_sample(problem, counted, tolerance, max_steps)
    margins = evaluator.compute_margins(weights)
    if _is_blockwise(problem):
        counted = np.empty(0)  # not needed any more, and as large as a column of doubles
    costs = (
        problem.compute_costs(slice(0, problem.rows.n_rows))
        if _is_blockwise(problem)
        else problem.compute_costs(counted)
    )
    steps, n_final = 0, 0
    n_stale, least_objective = 0, np.inf
    derivatives = np.empty(2)
    while True:
        state = evaluator.compute_state(weights, margins)
        gradient, step = state.gradient, state.step
        gap = 0.5 * float(gradient[:-1] @ gradient[:-1]) + abs(float(gradient[-1])) * (
            1.0 + abs(float(weights[-1]))
        )
        report_step(steps, max_steps, gap, state.objective)
        n_final += gap <= 0.3 * tolerance * state.objective
        n_stale = n_stale + 1 if state.objective >= (1.0 - 1e-14) * least_objective else 0
        least_objective = min(least_objective, state.objective)
        if (
            steps >= max_steps
            or n_final > FINAL_STEPS
            or gap <= 1e-30 * state.objective
            or n_stale > MAX_STALE_STEPS
        ):
            break
        margin_change = evaluator.compute_margins(step)
        linear_slope, squared_norm = float(step[:-1] @ weights[:-1]), float(step[:-1] @ step[:-1])
        slope_at = _make_slope(margins, margin_change, costs, linear_slope, squared_norm, derivatives)
        step_length = find_root_of_slope(slope_at)
        if step_length == 0.0:
            break
        weights = weights + step_length * step
        margin_change *= step_length
        margins += margin_change
        del margin_change, slope_at
        if steps % 4 == 3:
            margins = evaluator.compute_margins(weights)
        steps += 1
    weights = evaluator.recover_weights(weights, margins)
    all_margins = margins
    if not _is_blockwise(problem):
        all_margins = np.zeros(problem.rows.n_rows)
        all_margins[counted] = margins
    return SoftMarginSolution(
        problem.to_original(weights), all_margins, steps, None, np.empty(0, np.int64), np.empty(0)
    )


def _make_slope(
    margins: np.ndarray,
    margin_change: np.ndarray,
    costs: np.ndarray,
    linear_slope: float,
    squared_norm: float,
    derivatives: np.ndarray,
) -> Callable[[float], tuple[float, float]]:
    def slope_at(t: float) -> tuple[float, float]:
        compute_squared_hinge_slope(margins, margin_change, costs, t, derivatives)
        return linear_slope + t * squared_norm + derivatives[0], squared_norm + derivatives[1]

    return slope_at


def _is_blockwise(problem: SoftMarginProblem) -> bool:
    """Whether the rows are walked block by block rather than gathered."""
    rows = problem.rows
    is_large = rows.n_rows * rows.n_columns * 8 > 2 << 20
    return is_large and not rows.is_sparse and rows.n_columns < FEW_COLUMNS


def _solve_sample(
    problem: SoftMarginProblem, counted: np.ndarray, tolerance: float, max_steps: int
) -> np.ndarray:
    """The solution of a sample of an eighth of the rows, at most 2 MB of them."""
    size = min(len(counted) // 8, (2 << 20) // (8 * (problem.rows.n_columns + 1)))
    random = np.random.default_rng(0)
    edges = np.linspace(0, len(counted), size + 1).astype(np.int64)
    chosen = counted[edges[:-1] + (random.random(size) * np.diff(edges)).astype(np.int64)]
    evaluator = _GatheredEvaluator(problem, chosen)
    evaluator.working_set.costs *= problem.total_cost / evaluator.working_set.costs.sum()
    weights = np.zeros(problem.rows.n_columns + 1)
    margins = evaluator.compute_margins(weights)
    derivatives = np.empty(2)
    for _ in range(min(max_steps, 20)):
        state = evaluator.compute_state(weights, margins)
        if float(state.gradient @ state.gradient) <= 1e-6 * state.objective:
            break
        margin_change = evaluator.compute_margins(state.step)
        linear_slope, squared_norm = (
            float(state.step[:-1] @ weights[:-1]),
            float(state.step[:-1] @ state.step[:-1]),
        )
        step_length = find_root_of_slope(
            _make_slope(
                margins, margin_change, evaluator.working_set.costs, linear_slope, squared_norm, derivatives
            )
        )
        weights, margins = weights + step_length * state.step, margins + step_length * margin_change
    return weights


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

    def make_start(self) -> np.ndarray:
        return np.zeros(self.problem.rows.n_columns + 1)

    def reduce_weights(self, weights: np.ndarray) -> np.ndarray:
        return weights

    def recover_weights(self, weights: np.ndarray, margins: np.ndarray) -> np.ndarray:
        return weights

    def compute_margins(self, weights: np.ndarray) -> np.ndarray:
        problem = self.problem
        margins, start = np.empty(problem.rows.n_rows), 0
        for part in problem.rows.each(BlockMargins(problem.to_original(weights), problem.positive)):
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
