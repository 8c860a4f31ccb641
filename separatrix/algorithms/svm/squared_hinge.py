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
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.svm.augmented_lagrangian import Near
from separatrix.algorithms.svm.hinge_kernels import squared_hinge_slope
from separatrix.algorithms.svm.newton_systems import direction, solved
from separatrix.algorithms.svm.objective import Outcome, Task
from separatrix.algorithms.svm.row_space import Wide
from separatrix.algorithms.svm.segment_minimum import root_of_slope
from separatrix.algorithms.svm.working_rows import FEW_COLUMNS, gathered
from separatrix.fitting.exact_errors import matrix
from separatrix.fitting.progress import report_step
from separatrix.rows import Block, SparseRows

SAMPLED = 20_000  # rows from which on a sample gives the start
RUN = 2048  # rows
STALE = 8  # steps in a row that lower nothing: rounding is all that is left of the gap
STEPS_PAST = 1  # once the gap is closed: the last Newton step costs little and brings the last digits


class State(NamedTuple):
    """At some weights: the objective, its slope, and the Newton step from there."""

    objective: float
    slope: np.ndarray
    step: np.ndarray


def minimise(task: Task, tolerance: float, room: int, start: np.ndarray | None = None) -> Outcome:
    """Weights with α = 2c·max(0, 1 − m), both within ``tolerance`` times the objective of the least."""
    counting = task.counting()
    walked = _Walked(task) if _many(task) else _Gathered(task, counting)
    weights = walked.start() if start is None else walked.folded(task.moved(start))
    if start is None and len(counting) > SAMPLED and _many(task):
        weights = _sampled(task, counting, tolerance, room)
    margins = walked.margins(weights)
    if _many(task):
        counting = np.empty(0)  # not needed any more, and as large as a column of doubles
    costs = task.costs(slice(0, task.rows.n_rows)) if _many(task) else task.costs(counting)
    steps, past = 0, 0
    stale, lowest = 0, np.inf
    out = np.empty(2)
    while True:
        state = walked.state(weights, margins)
        slope, step = state.slope, state.step
        off = 0.5 * float(slope[:-1] @ slope[:-1]) + abs(float(slope[-1])) * (1.0 + abs(float(weights[-1])))
        report_step(steps, room, off, state.objective)
        past += off <= 0.3 * tolerance * state.objective
        stale = stale + 1 if state.objective >= (1.0 - 1e-14) * lowest else 0
        lowest = min(lowest, state.objective)
        if steps >= room or past > STEPS_PAST or off <= 1e-30 * state.objective or stale > STALE:
            break
        along = walked.margins(step)
        flat, square = float(step[:-1] @ weights[:-1]), float(step[:-1] @ step[:-1])
        slope_at = _slope_along(margins, along, costs, flat, square, out)
        length = root_of_slope(slope_at)
        if length == 0.0:
            break
        weights = weights + length * step
        along *= length
        margins += along
        del along, slope_at
        if steps % 4 == 3:
            margins = walked.margins(weights)
        steps += 1
    weights = walked.unfolded(weights, margins)
    every = margins
    if not _many(task):
        every = np.zeros(task.rows.n_rows)
        every[counting] = margins
    return Outcome(task.plain(weights), every, steps, None, np.empty(0, np.int64), np.empty(0))


def _slope_along(
    margins: np.ndarray, along: np.ndarray, costs: np.ndarray, flat: float, square: float, out: np.ndarray
) -> Callable[[float], tuple[float, float]]:
    def slope_at(t: float) -> tuple[float, float]:
        squared_hinge_slope(margins, along, costs, t, out)
        return flat + t * square + out[0], square + out[1]

    return slope_at


def _many(task: Task) -> bool:
    """Whether the rows are walked block by block rather than gathered."""
    rows = task.rows
    large = rows.n_rows * rows.n_columns * 8 > 2 << 20
    return large and not isinstance(rows, SparseRows) and rows.n_columns < FEW_COLUMNS


def _sampled(task: Task, counting: np.ndarray, tolerance: float, room: int) -> np.ndarray:
    """The solution of a sample of an eighth of the rows, at most 2 MB of them."""
    size = min(len(counting) // 8, (2 << 20) // (8 * (task.rows.n_columns + 1)))
    random = np.random.default_rng(0)
    edges = np.linspace(0, len(counting), size + 1).astype(np.int64)
    chosen = counting[edges[:-1] + (random.random(size) * np.diff(edges)).astype(np.int64)]
    part = _Gathered(task, chosen)
    part.near.caps *= task.total / part.near.caps.sum()
    weights = np.zeros(task.rows.n_columns + 1)
    margins = part.margins(weights)
    out = np.empty(2)
    for _ in range(min(room, 20)):
        state = part.state(weights, margins)
        if float(state.slope @ state.slope) <= 1e-6 * state.objective:
            break
        along = part.margins(state.step)
        flat, square = float(state.step[:-1] @ weights[:-1]), float(state.step[:-1] @ state.step[:-1])
        length = root_of_slope(_slope_along(margins, along, part.near.caps, flat, square, out))
        weights, margins = weights + length * state.step, margins + length * along
    return weights


class _Gathered:
    """All rows that count, gathered: sparse ones, many columns, or few rows."""

    def __init__(self, task: Task, counting: np.ndarray) -> None:
        self.intercept = task.intercept
        Z, signs = gathered(task.rows, task.positive, counting, task.centre)
        self.near = Near(counting, Z, signs, task.costs(counting), np.ones(len(counting)))
        self.wide = Wide.of(self.near)
        if self.wide is not None:
            self.near = self.wide.near

    def start(self) -> np.ndarray:
        return np.zeros(self.near.Z.shape[1] + 1)

    def folded(self, weights: np.ndarray) -> np.ndarray:
        """Weights as given, where the columns are as given."""
        return weights if self.wide is None else self.start()

    def unfolded(self, weights: np.ndarray, margins: np.ndarray) -> np.ndarray:
        """Weights of the columns as given."""
        if self.wide is None:
            return weights
        alpha = 2.0 * self.near.caps * np.maximum(0.0, 1.0 - margins)
        return np.append(self.wide.given.Z.T @ alpha, weights[-1])

    def margins(self, weights: np.ndarray) -> np.ndarray:
        return self.near.margins(weights)

    def state(self, weights: np.ndarray, margins: np.ndarray) -> State:
        near = self.near
        short = np.maximum(0.0, 1.0 - margins)
        objective = 0.5 * float(weights[:-1] @ weights[:-1]) + float(near.caps @ short**2)
        slope = -near.combined(2.0 * near.caps * short)
        slope[:-1] += weights[:-1]
        if not self.intercept:
            slope[-1] = 0.0
        step = direction(
            near.Z,
            near.signs,
            np.flatnonzero(margins < 1.0),
            2.0 * near.caps,
            slope,
            intercept=self.intercept,
            kernel=near.kernel,
        )
        return State(objective, slope, step)


class _Walked:
    """Rows read block by block: slope and Gram matrix in one pass, in block order."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def start(self) -> np.ndarray:
        return np.zeros(self.task.rows.n_columns + 1)

    def folded(self, weights: np.ndarray) -> np.ndarray:
        return weights

    def unfolded(self, weights: np.ndarray, margins: np.ndarray) -> np.ndarray:
        return weights

    def margins(self, weights: np.ndarray) -> np.ndarray:
        task, plain = self.task, self.task.plain(weights)
        margins = np.empty(task.rows.n_rows)

        def see(block: Block) -> tuple[int]:
            part = margins[block.start : block.stop]
            for first in range(0, len(part), RUN):  # float32 becomes float64 a run at a time
                some = slice(first, first + RUN)
                part[some] = np.asarray(block.X[some], np.float64) @ plain[:-1] + plain[-1]
            part *= block.signs(task.positive)
            return (0,)

        task.rows.sum(see)
        return margins

    def state(self, weights: np.ndarray, margins: np.ndarray) -> State:
        task, d = self.task, self.task.rows.n_columns

        def term(block: Block) -> tuple[float, np.ndarray, np.ndarray]:
            loss, pull, gram = 0.0, np.zeros(d + 1), np.zeros((d + 1, d + 1))
            X: Any = matrix(block, d)
            costs, turned = task.costs_of(block), block.signs(task.positive)
            for first in range(0, len(block), RUN):
                some = slice(first, first + RUN)
                short = 1.0 - margins[block.start : block.stop][some]
                active = np.flatnonzero(short > 0.0)
                short, signs = short[active], turned[some][active]
                roots = np.sqrt(2.0 * costs[some][active])
                Z = X[some][active] - task.centre
                Z *= (roots * signs)[:, None]
                forces = roots * short
                loss += 0.5 * float(forces @ forces)
                gram[:d, :d] += Z.T @ Z
                pull[:d] += Z.T @ forces
                if task.intercept:
                    edge = roots * signs
                    gram[:d, d] += Z.T @ edge
                    gram[d, d] += edge @ edge
                    pull[d] += edge @ forces
            gram[d, :d] = gram[:d, d]
            return loss, pull, gram

        loss, pull, gram = task.rows.sum(term)
        slope = -pull
        slope[:-1] += weights[:-1]
        step = solved(gram, slope, intercept=task.intercept)
        return State(0.5 * float(weights[:-1] @ weights[:-1]) + loss, slope, step)
