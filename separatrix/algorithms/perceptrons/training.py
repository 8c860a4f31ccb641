"""The one loop of all online methods: passes over the rows until one changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from separatrix.algorithms.perceptrons.float_margins import (
    compute_min_margin,
    count_errors_in_floats,
    find_violator,
)
from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import FIRST_PLACE, Learner, euclidean_norm
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.row_order import visit_in_order
from separatrix.fitting import History, Pass
from separatrix.fitting.exact_errors import ErrorCount
from separatrix.fitting.progress import report_pass
from separatrix.rows import Block, Rows

if TYPE_CHECKING:
    from separatrix.algorithms.perceptrons.skipping.passes import SkippingPasses

SKIPPING = "separatrix.algorithms.perceptrons.skipping"  # optional: fits are the same without that folder
MIN_SKIPPING_ROWS = 4096  # rows: a pass over fewer is quicker than any thought of how to shorten it


@dataclass
class Run:
    """What happened to one learner: its passes, and whether the last one changed nothing."""

    learner: Learner
    passes: list[Pass] = field(default_factory=list)
    converged: bool = False
    # The rows not proven right by a last pass without updates, and the least margin of the others.
    doubtful_rows: tuple[np.ndarray, float] | None = None
    error_count: ErrorCount | None = None
    exponent: int = 0  # of the change of units in which it was made

    @property
    def history(self) -> History:
        return History(self.passes)

    @np.errstate(over="ignore", invalid="ignore")
    def prediction_weights(self) -> np.ndarray:
        """The weights to predict with; those that overflowed are told of, not warned of."""
        return self.learner.prediction_weights()

    def report_in_user_units(self, coordinates: InternalCoordinates) -> None:
        """Have its passes tell lengths as the user has them."""
        if not coordinates.exponent:
            return
        self.exponent, to_user_length = coordinates.exponent, coordinates.user_length
        for place, done in enumerate(self.passes):
            margin = None if done.margin is None else to_user_length(done.margin)
            self.passes[place] = replace(
                done, norm=to_user_length(done.norm, self.learner.degree), margin=margin
            )


@dataclass(frozen=True)
class Plan:
    """When to stop and how to walk; ``skipping`` has the learners that need not read every row in a pass."""

    order: str | np.ndarray
    max_iter: int
    max_mistakes: int | None
    random: np.random.RandomState
    track_margin: bool = False
    skipping: Mapping[int, SkippingPasses] = field(default_factory=dict)


def train(
    coordinates: InternalCoordinates, learners: Mapping[int, Learner], plan: Plan
) -> tuple[dict[int, Run], RowNorms]:
    """Pass after pass, every learner on every block while it is in the cache, until none has more to
    learn."""
    rows = coordinates.rows
    norms = RowNorms(rows)
    runs = {positive: Run(learner) for positive, learner in learners.items()}
    for positive, learner in learners.items():
        learner.begin_fit(rows, positive)
    make_pass = (
        _visit_violators if isinstance(plan.order, str) and plan.order in ("first", "worst") else _visit_all
    )
    every_row = isinstance(plan.order, str) and plan.order in ("cyclic", "shuffled")
    if not every_row:
        norms.measure_all()
    has_norms = not every_row
    is_plain = isinstance(plan.order, str) and plan.order == "cyclic" and plan.max_mistakes is None
    if is_plain and rows is coordinates.given:
        plan = replace(plan, skipping=_skipping_passes(rows, learners, norms, plan.max_iter))
        has_norms = len(plan.skipping) == len(learners)  # those measure the rows in their first pass
    for number in range(plan.max_iter):
        active = {positive: run for positive, run in runs.items() if _is_active(run, plan)}
        if not active:
            break
        before = {positive: (run.learner.mistakes, run.learner.updates) for positive, run in active.items()}
        started = perf_counter()
        make_pass(rows, active, plan, norms if number == 0 and not has_norms else None)
        seconds = perf_counter() - started
        for positive, run in active.items():
            _record_pass(rows, positive, run, before[positive], seconds, plan)
        report_pass(number + 1, plan.max_iter, sum(run.learner.mistakes for run in runs.values()))
    for positive, passes in plan.skipping.items():
        if runs[positive].converged:
            runs[positive].doubtful_rows = passes.find_doubtful_rows()
    return runs, norms


def _skipping_passes(
    rows: Rows, learners: Mapping[int, Learner], norms: RowNorms, max_iter: int
) -> Mapping[int, SkippingPasses]:
    """The learners whose later passes need not read every row, and how they make them."""
    if rows.n_rows < MIN_SKIPPING_ROWS or find_spec(SKIPPING) is None:
        return {}
    from separatrix.algorithms.perceptrons.skipping.passes import make_skipping_passes

    return make_skipping_passes(rows, learners, norms, max_iter)


def _is_active(run: Run, plan: Plan) -> bool:
    return not run.converged and (plan.max_mistakes is None or run.learner.mistakes < plan.max_mistakes)


def _visit_all(rows: Rows, active: Mapping[int, Run], plan: Plan, norms: RowNorms | None) -> None:
    is_only_learner = len(active) == 1
    reading = {
        positive: run
        for positive, run in active.items()
        if not (
            positive in plan.skipping and plan.skipping[positive].next_pass(is_only_learner=is_only_learner)
        )
    }
    if not reading:
        return

    def visit_block(block: Block, places: np.ndarray) -> None:
        if norms is not None:
            norms.measure_block(block)
        for positive, run in reading.items():
            if positive in plan.skipping:
                plan.skipping[positive].visit_block(block.X, block.start, block.stop)
            else:
                run.learner.visit_up_to_limit(
                    block.X, block.signs(positive), places, block.start, plan.max_mistakes
                )

    visit_in_order(rows.in_large_blocks() if plan.skipping else rows, plan.order, plan.random, visit_block)


def _visit_violators(rows: Rows, active: Mapping[int, Run], plan: Plan, norms: RowNorms | None) -> None:
    for positive, run in active.items():
        learner = run.learner
        row = find_violator(rows, positive, learner.weights, learner.constant, str(plan.order))
        if row is not None:
            learner.visit_rows(row.X, row.signs(positive), FIRST_PLACE, row.start)


def _record_pass(
    rows: Rows, positive: int, run: Run, before: tuple[int, int], seconds: float, plan: Plan
) -> None:
    learner = run.learner
    learner.end_pass(rows, positive)
    margin = (
        compute_min_margin(rows, positive, learner.prediction_weights(), learner.constant)
        if plan.track_margin
        else None
    )
    mistakes = learner.mistakes - before[0]
    run.passes.append(Pass(mistakes, learner.mistakes, euclidean_norm(learner.weights), seconds, margin))
    is_clean = learner.updates == before[1] and not _is_stopped(learner, plan)
    if is_clean and isinstance(plan.order, str) and plan.order == "drawn":  # rows may not have been drawn
        is_clean = count_errors_in_floats(rows, positive, learner.weights, learner.constant).errors == 0
    run.converged = is_clean


def _is_stopped(learner: Learner, plan: Plan) -> bool:
    return plan.max_mistakes is not None and learner.mistakes >= plan.max_mistakes
