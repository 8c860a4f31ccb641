"""The one loop of all perceptrons: passes over the rows until one changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.algorithms.perceptrons.float_margins import (
    compute_min_margin,
    count_errors_in_floats,
    find_violator,
)
from separatrix.algorithms.perceptrons.learner import FIRST_PLACE, Learner
from separatrix.algorithms.perceptrons.measured_margins import RowNorms, euclidean_norm
from separatrix.certificates import About
from separatrix.fitting import Pass
from separatrix.fitting.common_factor import NO_FACTOR, CommonFactor
from separatrix.fitting.exact_errors import about
from separatrix.fitting.progress import report_pass
from separatrix.messages import ParameterError, require
from separatrix.rows import Block, DataError, Rows

if TYPE_CHECKING:
    from separatrix.algorithms.perceptrons.skipping.passes import SkippingPasses

SKIPPING = "separatrix.algorithms.perceptrons.skipping"  # optional: fits are the same without that folder
# Smaller data is faster to read than to know which of its rows to read: benchmarks/README.md.
MIN_SKIPPING_ROWS = 4096
MIN_SKIPPING_BYTES = 2**25

Visit = Callable[[Block, np.ndarray], None]  # of the rows at some places of a block


@dataclass
class Run:
    """What happened to one learner, and in the end what is known of its weights.

    ``rows`` are those that the errors of ``weights`` are counted on; the learner may have seen them from
    their ``centre``. ``errors`` is None where the weights overflowed; ``min_margin`` is the smallest
    s·score.
    """

    learner: Learner
    rows: Rows
    positive: int
    plan: Plan
    passes: list[Pass] = field(default_factory=list)
    converged: bool = False
    # The rows not proven right by a last pass without updates, and the least margin of the others.
    doubtful_rows: tuple[np.ndarray, float] | None = None
    weights: np.ndarray = field(default_factory=lambda: np.empty(0))
    errors: int | None = None
    min_margin: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def about(self) -> About:
        """Which data a certificate speaks of."""
        return about(self.rows, self.positive)


@dataclass(frozen=True)
class Plan:
    """When to stop and how to walk, on which rows.

    ``centre`` is the origin that the learners see, None for the user's; ``factor`` is what was taken out of
    the rows. ``skipping`` has the learners that need not read every row in a pass.
    """

    order: str | np.ndarray
    max_iter: int
    max_mistakes: int | None
    random: np.random.RandomState
    track_margin: bool = False
    centre: np.ndarray | None = None
    factor: CommonFactor = NO_FACTOR
    skipping: Mapping[int, SkippingPasses] = field(default_factory=dict)


def parse_order(order: Any) -> str | np.ndarray:
    """One of the four words, or the given sequence of row numbers."""
    if isinstance(order, str):
        word = order.replace("_", " ").replace("-", " ").removesuffix(" violator")
        if word in ("cyclic", "shuffled", "drawn", "first", "worst"):
            return word
        words = "'cyclic', 'shuffled', 'drawn', 'first violator', 'worst violator' or a list of row numbers"
        raise ParameterError("order", order, words)
    sequence = np.asarray(order)
    is_list = sequence.ndim == 1 and sequence.size > 0 and sequence.dtype.kind in "iu"
    require(is_list, "order", order, "the name of an order or a list of row numbers, counted from 0")
    return sequence


def train(rows: Rows, learners: Mapping[int, Learner], plan: Plan) -> tuple[dict[int, Run], RowNorms]:
    """Pass after pass, every learner on every block while it is in the cache, until none has more to
    learn."""
    seen = rows if plan.centre is None else rows.centred(plan.centre)
    norms = RowNorms(seen)
    runs = {positive: Run(learner, rows, positive, plan) for positive, learner in learners.items()}
    for positive, learner in learners.items():
        learner.begin_fit(seen, positive)
    word = plan.order if isinstance(plan.order, str) else ""
    make_pass = {"first": _visit_violators, "worst": _visit_violators, "together": _visit_together}.get(
        word, _visit_all
    )
    has_norms = word not in ("cyclic", "shuffled")
    if has_norms:
        norms.measure_all()
    is_given = plan.centre is None and not plan.factor.exponent
    if word == "cyclic" and plan.max_mistakes is None and is_given:
        plan = replace(plan, skipping=_skipping_passes(rows, learners, norms, plan.max_iter))
        has_norms = len(plan.skipping) == len(learners)  # those measure the rows in their first pass
    for number in range(plan.max_iter):
        active = {positive: run for positive, run in runs.items() if _is_active(run, plan)}
        if not active:
            break
        before = {positive: (run.learner.mistakes, run.learner.updates) for positive, run in active.items()}
        started = perf_counter()
        make_pass(seen, active, plan, norms if number == 0 and not has_norms else None)
        seconds = perf_counter() - started
        for positive, run in active.items():
            _record_pass(seen, run, before[positive], seconds, plan)
        report_pass(number + 1, plan.max_iter, sum(run.learner.mistakes for run in runs.values()))
    for positive, passes in plan.skipping.items():
        if runs[positive].converged:
            runs[positive].doubtful_rows = passes.find_doubtful_rows()
    return runs, norms


def _skipping_passes(
    rows: Rows, learners: Mapping[int, Learner], norms: RowNorms, max_iter: int
) -> Mapping[int, SkippingPasses]:
    """The learners whose later passes need not read every row, and how they make them."""
    is_large = rows.n_rows >= MIN_SKIPPING_ROWS and rows.n_bytes >= MIN_SKIPPING_BYTES
    if not is_large or find_spec(SKIPPING) is None:
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
            elif plan.max_mistakes is None:
                run.learner.visit_rows(block.X, block.signs(positive), places, block.start)
            else:
                _visit_up_to(plan.max_mistakes, run.learner, block, block.signs(positive), places)

    _visit_in_order(rows.in_large_blocks() if plan.skipping else rows, plan.order, plan.random, visit_block)


def _visit_in_order(rows: Rows, order: str | np.ndarray, random: np.random.RandomState, visit: Visit) -> None:
    """Hand the blocks of one pass to ``visit``, each with the places to visit in it."""
    if isinstance(order, np.ndarray):
        places = _check_sequence(rows, order)
        visit(rows.whole(), places)
    elif order == "cyclic":
        _visit_from_first_to_last(rows, visit)
    else:
        _visit_at_random(rows, random, visit, with_replacement=order == "drawn")


def _visit_from_first_to_last(rows: Rows, visit: Visit) -> None:
    def visit_block(places: np.ndarray, block: Block) -> np.ndarray:
        n = len(block)
        if len(places) < n:
            places = np.arange(n, dtype=np.int32)
        visit(block, places[:n])
        return places

    rows.fold(visit_block, np.empty(0, np.int32))


def _visit_at_random(
    rows: Rows, random: np.random.RandomState, visit: Visit, *, with_replacement: bool
) -> None:
    """Every row once, in random order; or as many draws, in which a row may come again."""

    def visit_block(state: None, block: Block) -> None:
        n = len(block)
        places = random.randint(n, size=n) if with_replacement else random.permutation(n)
        visit(block, places.astype(np.int32))

    rows.fold(visit_block, None, random, repeated=with_replacement)


def _check_sequence(rows: Rows, sequence: np.ndarray) -> np.ndarray:
    outside = sequence[(sequence < 0) | (sequence >= rows.n_rows)]
    if outside.size:
        raise DataError(f"order names row {outside[0]}, but there are {rows.n_rows} rows, counted from 0.")
    if not rows.in_memory:
        raise DataError(
            "order as a sequence of row numbers needs rows in memory; these are read from a file."
        )
    return sequence.astype(np.int32)


def _visit_up_to(limit: int, learner: Learner, block: Block, signs: np.ndarray, places: np.ndarray) -> None:
    """Visit rows, but no further than this many mistakes in all."""
    place = 0
    while place < len(places) and learner.mistakes < limit:
        n_allowed = limit - learner.mistakes
        learner.visit_rows(block.X, signs, places[place : place + n_allowed], block.start)
        place += n_allowed


def _visit_together(rows: Rows, active: Mapping[int, Run], plan: Plan, norms: RowNorms | None) -> None:
    for positive, run in active.items():
        run.learner.visit_together(rows, positive)


def _visit_violators(rows: Rows, active: Mapping[int, Run], plan: Plan, norms: RowNorms | None) -> None:
    for positive, run in active.items():
        learner = run.learner
        row = find_violator(rows, positive, learner.weights, learner.constant, str(plan.order))
        if row is not None:
            learner.visit_rows(row.X, row.signs(positive), FIRST_PLACE, row.start)


def _record_pass(rows: Rows, run: Run, before: tuple[int, int], seconds: float, plan: Plan) -> None:
    learner, positive = run.learner, run.positive
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
