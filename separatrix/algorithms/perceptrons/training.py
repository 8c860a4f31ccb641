"""The one loop of all online methods: passes over the rows until one changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import Learner, length_of
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.row_order import violator, visits
from separatrix.fitting import History, Pass
from separatrix.fitting.exact_errors import ErrorCount
from separatrix.fitting.progress import report_pass
from separatrix.rows import Block, Rows
from separatrix.rows.memory import MemoryRows

WORTH_A_FOCUS = 4096  # rows: a pass over fewer is quicker than any thought of how to shorten it


@dataclass
class Run:
    """What happened to one learner: its passes, and whether the last one changed nothing."""

    learner: Learner
    passes: list[Pass] = field(default_factory=list)
    settled: bool = False
    found: ErrorCount | None = None
    exponent: int = 0  # of the change of units in which it was made

    @property
    def history(self) -> History:
        return History(self.passes)

    @np.errstate(over="ignore", invalid="ignore")
    def answer(self) -> np.ndarray:
        """The weights to predict with; those that overflowed are told of, not warned of."""
        return self.learner.answer()

    def report_in_user_units(self, frame: InternalCoordinates) -> None:
        """Have its passes tell lengths as the user has them."""
        if not frame.exponent:
            return
        self.exponent, outside = frame.exponent, frame.user_length
        for place, done in enumerate(self.passes):
            margin = None if done.margin is None else outside(done.margin)
            self.passes[place] = replace(done, norm=outside(done.norm, self.learner.degree), margin=margin)


@dataclass(frozen=True)
class Plan:
    """When to stop and how to walk; ``large`` for rows in memory that are read several blocks at a time."""

    order: str | np.ndarray
    max_iter: int
    max_mistakes: int | None
    random: np.random.RandomState
    track_margin: bool = False
    large: bool = False


def train(rows: Rows, learners: Mapping[int, Learner], plan: Plan) -> tuple[dict[int, Run], RowNorms]:
    """Pass after pass, every learner on every block while it is in the cache, until none has more to
    learn."""
    norms = RowNorms(rows)
    runs = {positive: Run(learner) for positive, learner in learners.items()}
    for positive, learner in learners.items():
        learner.begin(rows, positive)
    walk = _search if isinstance(plan.order, str) and plan.order in ("first", "worst") else _walk
    every_row = isinstance(plan.order, str) and plan.order in ("cyclic", "shuffled")
    if not every_row:
        norms.all()
    measured = not every_row
    if isinstance(plan.order, str) and plan.order == "cyclic" and plan.max_mistakes is None:
        measured = _skip_rows(rows, runs, norms, plan.max_iter)
        plan = replace(plan, large=measured)
    for number in range(plan.max_iter):
        active = {positive: run for positive, run in runs.items() if _goes_on(run, plan)}
        if not active:
            break
        before = {positive: (run.learner.mistakes, run.learner.updates) for positive, run in active.items()}
        started = perf_counter()
        walk(rows, active, plan, norms if number == 0 and not measured else None)
        seconds = perf_counter() - started
        for positive, run in active.items():
            _record(rows, positive, run, before[positive], seconds, plan)
        report_pass(number + 1, plan.max_iter, sum(run.learner.mistakes for run in runs.values()))
    return runs, norms


def _skip_rows(rows: Rows, active: Mapping[int, Run], norms: RowNorms, passes: int) -> bool:
    """From the second pass on rows in memory may be passed over unread; learners share what that needs.

    Returns whether the learners themselves measure the rows in their first pass.
    """
    from separatrix.algorithms.perceptrons.skipping.passes import SharedRowData, in_place

    if not (isinstance(rows, MemoryRows) and rows.n_rows >= WORTH_A_FOCUS and in_place(rows)):
        return False
    shared = SharedRowData(rows, norms)
    skipping = [run.learner.skip_rows(shared, positive, passes) for positive, run in active.items()]
    return all(skipping)


def _goes_on(run: Run, plan: Plan) -> bool:
    return not run.settled and (plan.max_mistakes is None or run.learner.mistakes < plan.max_mistakes)


def _walk(rows: Rows, active: Mapping[int, Run], plan: Plan, norms: RowNorms | None) -> None:
    alone = len(active) == 1
    active = {positive: run for positive, run in active.items() if not run.learner.make_pass(alone=alone)}
    if not active:
        return

    def see(block: Block, visit: np.ndarray) -> None:
        if norms is not None:
            norms.see(block)
        for positive, run in active.items():
            run.learner.step_towards(block.X, block.signs(positive), visit, block.start, plan.max_mistakes)

    def see_all(places: np.ndarray, block: Block) -> np.ndarray:
        if len(places) < len(block):
            places = np.arange(len(block), dtype=np.int32)
        see(block, places[: len(block)])
        return places

    if isinstance(plan.order, str) and plan.order == "cyclic":
        (rows.in_large_blocks() if plan.large else rows).fold(see_all, np.empty(0, np.int32))
    else:
        for block, visit in visits(rows, plan.order, plan.random):
            see(block, visit)


def _search(rows: Rows, active: Mapping[int, Run], plan: Plan, norms: RowNorms | None) -> None:
    for positive, run in active.items():
        learner = run.learner
        found = violator(rows, positive, learner.weights, learner.constant, str(plan.order))
        if found is not None:
            block, place = found
            learner.see(block.X, block.signs(positive), np.array([place], np.int32), block.start)


def _record(rows: Rows, positive: int, run: Run, before: tuple[int, int], seconds: float, plan: Plan) -> None:
    learner = run.learner
    learner.end_pass(rows, positive)
    margin = (
        smallest_margin(rows, positive, learner.answer(), learner.constant) if plan.track_margin else None
    )
    made = learner.mistakes - before[0]
    run.passes.append(Pass(made, learner.mistakes, length_of(learner.weights), seconds, margin))
    clean = learner.updates == before[1] and not _cut_short(learner, plan)
    if clean and isinstance(plan.order, str) and plan.order == "drawn":  # rows may not have been drawn
        clean = tally_in_floats(rows, positive, learner.weights, learner.constant).errors == 0
    run.settled = clean


def _cut_short(learner: Learner, plan: Plan) -> bool:
    return plan.max_mistakes is not None and learner.mistakes >= plan.max_mistakes


def smallest_margin(rows: Rows, positive: int, weights: np.ndarray, constant: float) -> float:
    """min s·w·(x, constant)/‖w‖, in floats."""
    return tally_in_floats(rows, positive, weights, constant).smallest / (length_of(weights) or 1.0)


def errors_in_floats(
    rows: Rows, positive: int, candidates: Sequence[np.ndarray], constant: float
) -> tuple[int, ...]:
    """Rows with s·score ≤ 0 for each candidate: to choose among them, not to prove with."""

    def wrong_in(block: Block) -> tuple[int, ...]:
        every = (margins_in(block, positive, weights, constant) for weights in candidates)
        return tuple(int(np.count_nonzero(~(margins > 0.0))) for margins in every)

    return rows.in_large_blocks().sum(wrong_in)


def tally_in_floats(rows: Rows, positive: int, weights: np.ndarray, constant: float) -> ErrorCount:
    """Errors and the smallest s·score as floats have them."""
    lowest = []

    def wrong_in(block: Block) -> tuple[int, ...]:
        margins = margins_in(block, positive, weights, constant)
        lowest.append(float(margins.min()))
        return (int(np.count_nonzero(~(margins > 0.0))),)

    (errors,) = rows.in_large_blocks().sum(wrong_in)
    return ErrorCount(errors, float(np.min(lowest)))


def margins_in(block: Block, positive: int, weights: np.ndarray, constant: float) -> np.ndarray:
    """s·w·(x, constant) of the rows of a block, in floats."""
    from separatrix.kernels.scores import scores

    out = np.empty(len(block))
    scores(block.X, constant, weights, out)
    out *= block.signs(positive)
    return out
