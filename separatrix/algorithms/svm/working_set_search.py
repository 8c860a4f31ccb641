"""The state of a search by working sets: which rows are free, where the others are fixed, and their sum."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.convex.subsample import thin_out
from separatrix.algorithms.svm.augmented_lagrangian import WorkingSet
from separatrix.algorithms.svm.best_intercept import find_best_shift
from separatrix.algorithms.svm.hinge_kernels import (
    AT_COST,
    AT_ZERO,
    EXCESS,
    IN_SET,
    LOSS,
    VIOLATED,
    compute_hinge_slope,
)
from separatrix.algorithms.svm.objective import SoftMarginProblem, SoftMarginSolution
from separatrix.algorithms.svm.sampled_start import SAMPLE_ROWS, StartingPoint
from separatrix.algorithms.svm.search_passes import SplitAtMargin, ViolatedBounds
from separatrix.algorithms.svm.segment_search import find_lowest_point
from separatrix.algorithms.svm.working_rows import (
    Float32Rows,
    gather_float32,
    gather_rows,
    is_float32,
    join_rows,
)

WIDTH_FACTOR = 3.0  # the working set reaches this many times as far as margins are expected to move
MIN_MARGIN_WIDTH = 1e-9  # margins that differ by less are the same up to rounding
# Of the capacity for float32 rows: a fifth of the data has to do for all there is.
FLOAT32_GROWTH_FACTOR, MAX_FLOAT32_FACTOR = 1.5, 1.7


def add_free_multipliers(
    weights: np.ndarray, margins: np.ndarray, steps: int, at_cost: np.ndarray, working_set: WorkingSet
) -> SoftMarginSolution:
    """The solution with the multipliers of the working set; ``at_cost`` is of the other rows."""
    at_cost[working_set.indices[working_set.shares >= 1.0]] = True
    free = np.flatnonzero((working_set.shares > 0.0) & (working_set.shares < 1.0))
    return SoftMarginSolution(
        weights, margins, steps, at_cost, working_set.indices[free], working_set.alpha[free]
    )


class Trial(NamedTuple):
    """Weights evaluated on all rows."""

    weights: np.ndarray
    objective: float
    excess: float
    n_violated: int


class WorkingSetSearch:
    """What is known between passes: the working set, the states of the other rows, and their linear term."""

    working_set: WorkingSet
    linear_term: np.ndarray
    objective: float

    def __init__(self, problem: SoftMarginProblem, capacity: int) -> None:
        self.problem = problem
        self.capacity = capacity
        self.float64_capacity, self.is_float32 = capacity, is_float32(problem.rows)
        # With those that join.
        self.max_rows = int((MAX_FLOAT32_FACTOR if self.is_float32 else 2.0) * capacity)
        self.restarts = 0
        self.margins = np.empty(problem.rows.n_rows)
        self.states = np.empty(problem.rows.n_rows, np.int8)
        self.weights = np.zeros(problem.rows.n_columns + 1)

    def gather(self, starting_point: StartingPoint, *, may_shift: bool = True) -> None:
        """Read all rows from the starting point; keep those near the margin, add up the pull of the others.

        If the rows kept cannot balance the pull on the intercept, nothing keeps it from running away. At the
        best intercept for the same weights they can: those inside the margin do.
        """
        problem, rows = self.problem, self.problem.rows
        half_width = WIDTH_FACTOR * starting_point.margin_spread
        if starting_point.sample_margins is not None:
            share = min(1.0, 0.8 * self.capacity / rows.n_rows)
            half_width = max(
                MIN_MARGIN_WIDTH,
                min(half_width, float(np.quantile(np.abs(starting_point.sample_margins - 1.0), share))),
            )
        original_weights = problem.centring.to_user(starting_point.weights)
        loss, linear_term = 0.0, np.zeros(rows.n_columns + 1)
        for part in rows.each(SplitAtMargin(original_weights, half_width, problem.cost, problem.positive)):
            self.margins[part.span], self.states[part.span] = part.margins, part.states
            loss += part.loss
            linear_term += part.linear_term
        self.weights = starting_point.weights
        self.objective = 0.5 * float(original_weights[:-1] @ original_weights[:-1]) + loss
        linear_term[:-1] -= linear_term[-1] * problem.centre
        self.linear_term = linear_term
        kept, left_out = np.flatnonzero(self.states == IN_SET), np.empty(0, np.int64)
        if len(kept) > self.capacity:
            closest = np.argpartition(np.abs(self.margins[kept] - 1.0), self.capacity)[: self.capacity]
            left_out = np.delete(kept, closest)
            self.states[left_out] = AT_ZERO
            self._assign(left_out[self.margins[left_out] < 1.0], AT_COST)
            kept = np.sort(kept[closest])
        self.states[kept] = IN_SET
        Z, signs = self._gather_rows(kept)
        self.working_set = WorkingSet(kept, Z, signs, problem.compute_costs(kept), np.full(len(kept), 0.5))
        if not problem.intercept:
            self.linear_term[-1] = 0.0
        elif may_shift and not self._is_balanced():
            del self.working_set, Z
            all_signs = problem.collect_signs()
            costs = None if problem.weights is None else problem.compute_costs(slice(0, rows.n_rows))
            shifted = starting_point.weights.copy()
            shifted[-1] += find_best_shift(self.margins, all_signs, costs)
            self.gather(starting_point._replace(weights=shifted), may_shift=False)
        elif not self._is_balanced():
            self._rebalance(left_out)

    def _gather_rows(self, indices: np.ndarray) -> tuple[Any, np.ndarray]:
        """Rows in doubles, which are faster; more float32 rows than there is room for so stay as they are."""
        gather = gather_rows if len(indices) <= self.float64_capacity else gather_float32
        return gather(self.problem.rows, self.problem.positive, indices, self.problem.centre)

    def _is_balanced(self) -> bool:
        working_set = self.working_set
        opposing_cost = float(working_set.costs[working_set.signs * self.linear_term[-1] < 0.0].sum())
        return abs(float(self.linear_term[-1])) <= 0.8 * opposing_cost

    def _rebalance(self, left_out: np.ndarray) -> None:
        """Of rows on the margin for which there was no room, as many change sides as it takes for those kept
        to balance the pull: at w = 0 all rows of a class lie there, and rounding alone tells their sides."""
        working_set, intercept_term = self.working_set, float(self.linear_term[-1])
        opposing_cost = float(working_set.costs[working_set.signs * intercept_term < 0.0].sum())
        excess = (
            abs(intercept_term) - 0.4 * opposing_cost
            if opposing_cost
            else abs(intercept_term) + 0.4 * float(working_set.costs.sum())
        )
        is_aligned = self.problem.collect_signs()[left_out] * intercept_term > 0.0
        chosen = left_out[is_aligned == (self.states[left_out] == AT_COST)]
        chosen = chosen[np.argsort(np.abs(self.margins[chosen] - 1.0), kind="stable")]
        n_moved = int(np.searchsorted(np.cumsum(self.problem.compute_costs(chosen)), excess))
        chosen = np.sort(chosen[:n_moved])
        was_at_cost = self.states[chosen] == AT_COST
        self._assign(chosen[was_at_cost], AT_ZERO)
        self._assign(chosen[~was_at_cost], AT_COST)

    def _assign(self, indices: np.ndarray, state: int) -> None:
        """Rows that were idle pull with all their cost, or the other way round."""
        for first in range(0, len(indices), self.capacity):
            part = indices[first : first + self.capacity]
            Z, signs = gather_rows(self.problem.rows, self.problem.positive, part, self.problem.centre)
            costs = (
                self.problem.compute_costs(part) if state == AT_COST else -self.problem.compute_costs(part)
            )
            self.linear_term += np.append(Z.T @ costs, signs @ costs)
            self.states[part] = state

    def evaluate(self, weights: np.ndarray) -> Trial:
        """The margins of all rows, from now on in ``margins``, and how many fixed rows violate a bound."""
        problem = self.problem
        original_weights = problem.centring.to_user(weights)
        term = ViolatedBounds(original_weights, self.states, problem.cost, problem.positive)
        n_violated, sums = 0, np.zeros(2)
        for part in problem.rows.each(term):
            self.margins[part.span], self.states[part.span] = part.margins, part.states
            n_violated += part.n_violated
            sums += part.sums
        objective = 0.5 * float(original_weights[:-1] @ original_weights[:-1]) + float(sums[LOSS])
        return Trial(weights, objective, float(sums[EXCESS]), n_violated)

    def extend(self, trial: Trial) -> None:
        """The rows that violate their bound join the working set, with the multipliers they were fixed at."""
        added = np.flatnonzero(self.states & VIOLATED)
        if len(added):
            problem, working_set = self.problem, self.working_set
            Z, signs = gather_float32(problem.rows, problem.positive, added, problem.centre)
            added_set = WorkingSet(
                added,
                Z,
                signs,
                problem.compute_costs(added),
                (self.states[added] & AT_COST).astype(np.float64),
            )
            released = added_set.combine(added_set.alpha)
            released[-1] *= problem.intercept
            self.linear_term -= released
            indices = np.append(working_set.indices, added)
            if isinstance(Z, Float32Rows):  # both sets and their union at once would take too much room
                working_set.Z = added_set.Z = Z = None
                Z = self._gather_rows(indices)[0]
            else:
                Z = join_rows(working_set.Z, Z)
            self.working_set = WorkingSet(
                indices,
                Z,
                np.append(working_set.signs, signs),
                np.append(working_set.costs, added_set.costs),
                np.append(working_set.shares, added_set.shares),
            )
            self.states[added] = IN_SET
        self.weights, self.objective = trial.weights, trial.objective

    def restart(self, trial: Trial) -> StartingPoint:
        """The best point between the last and the trial, and how far it is from there."""
        del self.working_set
        step = trial.weights - self.weights
        margin_change, self.margins = self.margins, np.empty_like(self.margins)
        self.evaluate(self.weights)
        margin_change -= self.margins
        costs = self.problem.compute_costs(slice(0, len(margin_change)))
        linear_slope, squared_norm = float(step[:-1] @ self.weights[:-1]), float(step[:-1] @ step[:-1])
        self._raise_capacity()
        step_length = find_lowest_point(
            lambda t: (
                linear_slope + t * squared_norm + compute_hinge_slope(self.margins, margin_change, costs, t)
            )
        )
        margin_spread = max(step_length, 0.05) * float(
            np.sqrt(margin_change @ margin_change / len(margin_change))
        )
        margins = thin_out(self.margins, SAMPLE_ROWS) + step_length * thin_out(margin_change, SAMPLE_ROWS)
        margin_spread = max(min(margin_spread, 1.0 + 2.0 * float(np.std(margins))), 1e-6)
        return StartingPoint(self.weights + step_length * step, margin_spread, margins)

    def _raise_capacity(self) -> None:
        """A second restart shows that the rows that matter are more than there was room for."""
        self.restarts += 1
        if self.restarts == 2 and self.is_float32:
            self.capacity = int(FLOAT32_GROWTH_FACTOR * self.capacity)
        elif self.restarts > 1:
            self.capacity *= 2
            self.max_rows = 2 * self.capacity

    def accept(self, trial: Trial) -> None:
        self.states &= AT_COST | IN_SET
        self.weights, self.objective = trial.weights, trial.objective

    def make_solution(self, steps: int) -> SoftMarginSolution:
        at_cost = self.states == AT_COST
        if self.problem.weights is not None:
            at_cost &= self.problem.weights > 0.0
        return add_free_multipliers(
            self.problem.centring.to_user(self.weights), self.margins, steps, at_cost, self.working_set
        )
