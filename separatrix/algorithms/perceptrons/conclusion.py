"""What is known of the weights that a run ended with: their errors, margins, bounds and certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.after_failure import inseparable_or_undecided
from separatrix.algorithms.perceptrons.centred_weights import exact_from_centred, from_centred
from separatrix.algorithms.perceptrons.measured_margins import RowNorms, evaluate_bounds, measure_margins
from separatrix.algorithms.perceptrons.training import Run
from separatrix.certificates import Separable, Undecided
from separatrix.fitting import FitWarning, History, Solution, warn
from separatrix.fitting.exact_errors import count_errors_among, count_errors_by_class
from separatrix.fitting.predicted_scores import Scores
from separatrix.fitting.whole_numbers import separate_in_whole_numbers, to_whole_numbers
from separatrix.rows import Block

OVERFLOWED = "The weights overflowed: divide the columns by a power of two and fit again."


def conclude(runs: Mapping[int, Run], norms: RowNorms) -> list[Solution]:
    """The solutions of all tasks; their errors are counted in one pass."""
    count_errors_of(runs)
    return [_conclude(run, norms) for run in runs.values()]


def count_errors_of(runs: Mapping[int, Run]) -> None:
    """Take the weights of the runs, and count their errors in exact arithmetic. Weights that overflowed have
    none."""
    remaining = {}
    for positive, run in runs.items():
        learner, centre = run.learner, run.plan.centre
        weights = _final_weights(run)
        run.weights = np.array(weights) if centre is None else from_centred(weights, centre)
        if not (learner.is_halfspace and np.isfinite(run.weights).all()):
            continue
        if run.doubtful_rows is not None:
            found = count_errors_among(run.rows, positive, run.weights, *run.doubtful_rows)
            run.errors, run.min_margin = found
        else:
            remaining[positive] = (run.weights[:-1], run.weights[-1] if learner.constant else None)
    if remaining:
        rows = next(iter(runs.values())).rows
        for positive, found in count_errors_by_class(rows, remaining).items():
            runs[positive].errors, runs[positive].min_margin = found


@np.errstate(over="ignore", invalid="ignore")
def _final_weights(run: Run) -> np.ndarray:
    """The weights to predict with; overflow is reported by the caller."""
    return run.learner.prediction_weights()


def _conclude(run: Run, norms: RowNorms) -> Solution:
    learner = run.learner
    if run.errors is not None and learner.fall_back(run.errors):
        count_errors_of({run.positive: run})
    counts = {"mistakes": learner.mistakes, "updates": learner.updates, "passes": len(run.passes)}
    is_centred = run.plan.centre is not None
    if learner.is_halfspace:
        run.facts = _measure(run, norms)
    if run.errors is not None and run.passes:
        margin = run.facts["margin_centred" if is_centred else "margin"]
        run.passes[-1] = replace(run.passes[-1], margin=margin)
    certificate = _find_certificate(run)
    if run.errors == 0:
        _warn_of_rounding(run)
    solution = Solution(
        run.weights, certificate, History(run.passes), counts | run.facts | learner.facts(run)
    )
    if run.converged and is_centred and not isinstance(certificate, Separable):
        return _keep_exactly(run, solution)
    return solution


def _measure(run: Run, norms: RowNorms) -> dict[str, Any]:
    """R, γ and the bounds of the weights."""
    weights = np.zeros_like(run.weights) if run.errors is None else run.weights
    return measure_margins(weights, run.min_margin, run.learner.constant, norms) | evaluate_bounds(
        run.learner, weights, run.min_margin, norms, is_centred=run.plan.centre is not None
    )


def _find_certificate(run: Run) -> Any:
    if not run.learner.is_halfspace:
        return None
    if run.errors is None:
        return Undecided(OVERFLOWED)
    claim = run.learner.claims(run)
    return inseparable_or_undecided(run) if claim is None else claim


def _keep_exactly(run: Run, solution: Solution) -> Solution:
    """Doubles may separate where the rows were moved, while their doubles in the user's coordinates do not:
    keep them exactly."""
    centre, weights = run.plan.centre, run.learner.prediction_weights()
    if centre is None or not np.isfinite(weights).all():
        return solution
    numbers = to_whole_numbers(exact_from_centred(weights, centre))
    return separate_in_whole_numbers(solution, run.rows, run.positive, numbers, intercept=True)


def _warn_of_rounding(run: Run) -> None:
    """Warn where weights that separate the rows do so by less than the sums of `predict` round."""
    rows, weights = run.rows, run.weights
    if run.facts["margin"] > (len(weights) + 8) * 2.0**-51 * run.facts["radius"]:
        return
    assert rows.classes is not None
    scores = Scores(weights[np.newaxis, :-1], weights[-1:], row_by_row=len(rows.classes) > 2)
    (n_wrong,) = rows.sum(WrongPredictions(run.positive, scores), parallel_blas=True)
    if n_wrong:
        warn(
            FitWarning,
            f"The rows are separated by less than sums of doubles round: predict has {n_wrong} of "
            f"{rows.n_rows} training rows on the wrong side, halfspace_ and certificate_ none.",
        )


@dataclass(frozen=True)
class WrongPredictions:
    """Rows of a block that `predict` has on the wrong side."""

    positive: int
    scores: Scores

    def __call__(self, block: Block) -> tuple[int]:
        is_above = self.scores(block)[:, 0] > 0
        return (int(np.count_nonzero(is_above != (block.signs(self.positive) > 0))),)
