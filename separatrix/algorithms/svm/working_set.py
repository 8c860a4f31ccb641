"""The hinge loss on all rows: a working set near the margin, the rest summed once.

**Idea.** A row clearly inside the margin has α = C, one clearly outside α = 0; both pull on the weights by a
constant, which one look at all rows adds up. What is left is a small problem of the rows near the margin.
Solutions of samples, each eight times as large as the one before, tell where the margin is, and how far it
may still move. After a solve one look at all rows finds those that went astray: they join, or the duality gap
is closed.

**Cost.** Two to four looks at all rows; memory for the rows near the margin, about a twelfth of the data or
2 MB (of float32 half of that, unless more of them matter), and for two numbers a row.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.svm.augmented_lagrangian import WorkingSet, solve
from separatrix.algorithms.svm.objective import SoftMarginProblem, SoftMarginSolution
from separatrix.algorithms.svm.row_space import RowSpaceProblem
from separatrix.algorithms.svm.sampled_start import (
    MIN_ROWS_PER_WEIGHT,
    SAMPLE_FACTOR,
    START_WIDTH,
    solve_samples,
    start_from_weights,
)
from separatrix.algorithms.svm.working_rows import gather_rows, is_centred
from separatrix.algorithms.svm.working_set_search import WorkingSetSearch, add_free_multipliers
from separatrix.fitting.progress import report_step

MIN_CAPACITY_BYTES = 2 << 20  # bytes of gathered rows that are always allowed
WARM_START_PENALTY = 4.0  # to begin with at weights that are nearly right
FIRST_GAP_SHARE = 1e-5  # the relative gap of the first solve on a part of the rows
MAX_ROUNDS = 60


def minimise(
    problem: SoftMarginProblem, tolerance: float, max_steps: int, start: np.ndarray | None = None
) -> SoftMarginSolution:
    """Weights and multipliers with a duality gap below ``tolerance`` times the objective."""
    capacity = _compute_capacity(problem)
    counted = problem.find_counted_rows()
    # A sample with fewer rows than weights says nothing about the margin.
    min_rows = MIN_ROWS_PER_WEIGHT * (problem.rows.n_columns + 1)
    if len(counted) <= capacity or min(capacity, len(counted) // SAMPLE_FACTOR) < min_rows:
        return _solve_all_rows(problem, counted, tolerance, max_steps, start)
    starting_point = (
        solve_samples(problem, counted, capacity, max_steps)
        if start is None
        else start_from_weights(problem, counted, start)
    )
    del counted  # as large as a column
    search = WorkingSetSearch(problem, capacity)
    search.gather(starting_point)
    steps, gap_share, penalty = 0, FIRST_GAP_SHARE, 0.5 / starting_point.margin_spread
    for round_number in range(1, MAX_ROUNDS + 1):
        gap_target = max(gap_share, 0.3 * tolerance) * min(search.objective, problem.objective_at_zero)
        result = solve(
            search.working_set,
            search.linear_term,
            search.weights,
            penalty,
            gap_target,
            intercept=problem.intercept,
            max_steps=max_steps - steps,
        )
        steps += result.steps
        penalty = result.penalty
        trial = search.evaluate(result.weights)
        report_step(steps, max_steps, result.gap + trial.excess, trial.objective)
        # A gap that did not close although no row violates its bound is rounding.
        is_closed = result.gap + trial.excess <= tolerance * min(trial.objective, problem.objective_at_zero)
        is_rounding = trial.n_violated == 0 and gap_share == 0.0 and gap_target <= tolerance * trial.objective
        if is_closed or steps >= max_steps or round_number == MAX_ROUNDS or is_rounding:
            search.accept(trial)
            break
        if len(search.working_set.signs) + trial.n_violated > search.max_rows:
            # The margin moved past too many rows: gather anew around the best point on the way there.
            starting_point = search.restart(trial)
            del trial
            search.gather(starting_point)
            penalty = 0.5 / starting_point.margin_spread
        else:
            search.extend(trial)
            gap_share = 0.0
    return search.make_solution(steps)


def _compute_capacity(problem: SoftMarginProblem) -> int:
    rows = problem.rows
    capacity_bytes = max(MIN_CAPACITY_BYTES, rows.n_bytes // 12)
    stored_values = rows.n_columns if is_centred(rows) else rows.n_bytes / 12 / rows.n_rows
    return int(max(1000, capacity_bytes / (8 * (stored_values + 4))))


def _solve_all_rows(
    problem: SoftMarginProblem,
    counted: np.ndarray,
    tolerance: float,
    max_steps: int,
    start: np.ndarray | None,
) -> SoftMarginSolution:
    """All rows are few: one solve, to the last digit."""
    Z, signs = gather_rows(problem.rows, problem.positive, counted, problem.centre)
    working_set = WorkingSet(counted, Z, signs, problem.compute_costs(counted), np.full(len(counted), 0.5))
    row_space = RowSpaceProblem.from_working_set(working_set) if start is None else None
    if row_space is not None:
        working_set = row_space.reduced
    d = working_set.Z.shape[1]
    weights = np.zeros(d + 1) if start is None else problem.centring.to_internal(start)
    penalty = 1.0 / START_WIDTH
    if start is not None:
        penalty = WARM_START_PENALTY
        working_set.shares = np.clip(0.5 + penalty * (1.0 - working_set.compute_margins(weights)), 0.0, 1.0)
    no_linear_term = np.zeros(d + 1)
    steps = 0
    for gap_share in (0.3 * tolerance, 1e-15):
        loss = working_set.costs @ np.maximum(0.0, 1.0 - working_set.compute_margins(weights))
        objective = min(0.5 * weights[:-1] @ weights[:-1] + loss, problem.objective_at_zero)
        if steps == 0:  # an objective of the start says little of that of the end
            objective = min(objective, 1e-3 * problem.objective_at_zero)
        result = solve(
            working_set,
            no_linear_term,
            weights,
            penalty,
            gap_share * objective,
            intercept=problem.intercept,
            max_steps=max_steps - steps,
        )
        weights, penalty, steps = result.weights, result.penalty, steps + result.steps
        report_step(steps, max_steps, result.gap, objective)
        if steps >= max_steps:
            break
    if row_space is not None:
        weights, working_set = row_space.recover_weights(weights), row_space.original
    margins = np.zeros(problem.rows.n_rows)
    margins[counted] = working_set.compute_margins(weights)
    at_cost = np.zeros(len(margins), bool)
    return add_free_multipliers(problem.centring.to_user(weights), margins, steps, at_cost, working_set)
