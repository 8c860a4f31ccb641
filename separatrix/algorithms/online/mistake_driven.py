"""`MistakeDriven`: what all perceptrons share: where they start, how they end, and the figures of the
theorem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.algorithms.online.frame import Frame
from separatrix.algorithms.online.learner import Learner, length_of
from separatrix.algorithms.online.loop import Run, tallies_in_floats
from separatrix.algorithms.online.order import order_named
from separatrix.algorithms.online.survey import Survey
from separatrix.algorithms.settle import settle
from separatrix.certificates import Undecided
from separatrix.predictor import LinearClassifier, Solution
from separatrix.predictor.evidence import Tally, separable, tallies, tally_of
from separatrix.rows import DataError, Rows


class MistakeDriven(LinearClassifier):
    """A method that learns from mistakes and stops at the first pass that changes nothing.

    A subclass makes its `Learner` in `_learner`. It may refine `_certificate`, what it claims of the weights
    in the end.
    """

    max_passes: int
    order: Any = "cyclic"
    max_mistakes: int | None = None
    center: bool = False
    random_state: Any = None
    track_margin: bool = False
    warm_start: bool = False
    searches = False  # whether visiting violators alone makes sense
    counts_exactly = False  # whether errors are counted exactly even where floats show that there are some

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.center
        return tags

    def _learner(self, n_columns: int, start: np.ndarray | None) -> Learner:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        if not (isinstance(self.max_passes, int | np.integer) and self.max_passes >= 1):
            raise ValueError(f"max_passes={self.max_passes!r} must be a whole number of at least 1.")
        if self.max_mistakes is not None and self.max_mistakes < 1:
            raise ValueError(f"max_mistakes={self.max_mistakes!r} must be at least 1, or None for no limit.")
        order = order_named(self.order)
        if isinstance(order, str) and order in ("first", "worst") and not self.searches:
            raise ValueError(
                f"order={self.order!r} visits one row a pass, which makes no sense for {type(self).__name__}."
            )

    def _starts(self, tasks: Sequence[int]) -> dict[int, np.ndarray | None]:
        """Where each task starts: at zero, or for a warm start where the last fit ended."""
        if not (self.warm_start and hasattr(self, "coef_") and len(self.coef_) == len(tasks)):
            return dict.fromkeys(tasks)
        if self.coef_.shape[1] != self.n_features_in_:
            raise DataError(
                f"warm_start needs the columns of the last fit: it had {self.coef_.shape[1]}, "
                f"X has {self.n_features_in_}."
            )
        last = np.column_stack([self.coef_, self.intercept_ if self.fit_intercept else 0.0 * self.intercept_])
        return dict(zip(tasks, last, strict=True))

    def _solution(self, frame: Frame, positive: int, run: Run, survey: Survey) -> Solution:
        rows, learner = frame.given, run.learner
        weights = frame.outwards(learner.answer())
        counted = {"mistakes": learner.mistakes, "updates": learner.updates, "passes": len(run.passes)}
        if not np.isfinite(weights).all():
            facts = figures(np.zeros_like(weights), 0.0, learner.constant, survey)
            certificate = Undecided(
                "The weights overflowed: divide the columns by a power of two and fit again."
            )
            return Solution(weights, certificate, run.history, counted | facts)
        found = run.found or self._tallies(frame, {positive: run})[positive]
        facts = figures(weights, found.smallest, learner.constant, survey)
        if run.passes:
            run.passes[-1] = replace(
                run.passes[-1], margin=facts["margin_centred" if self.center else "margin"]
            )
        certificate = self._certificate(rows, positive, run, weights, found, facts)
        return Solution(weights, certificate, run.history, counted | facts)

    def _tallies(self, frame: Frame, runs: Mapping[int, Run]) -> dict[int, Tally]:
        """Errors in exact arithmetic, of all tasks in one pass; in floats alone where those are enough to see
        that nothing is proven. Weights that overflowed have none."""
        rows, answer = frame.given, {}
        weights = {positive: frame.outwards(run.learner.answer()) for positive, run in runs.items()}
        weights = {positive: vector for positive, vector in weights.items() if np.isfinite(vector).all()}
        rough = {}
        for positive, vector in weights.items():
            run = runs[positive]
            counts = run.learner.census() if run.settled and frame.centre is None else None
            if counts is not None:
                answer[positive] = tally_of(rows, positive, vector, *counts)
            elif not (run.settled or self.counts_exactly):
                rough[positive] = vector
        constant = 1.0 if self.fit_intercept else 0.0
        seen = tallies_in_floats(rows, rough, constant)
        answer |= {positive: found for positive, found in seen.items() if found.errors}
        left = {
            positive: (vector[:-1], vector[-1] if self.fit_intercept else None)
            for positive, vector in weights.items()
            if positive not in answer
        }
        return answer | tallies(rows, left)

    def _certificate(
        self, rows: Rows, positive: int, run: Run, weights: np.ndarray, found: Tally, facts: dict[str, Any]
    ) -> Any:
        """What is proven of these weights; where they err, what is known instead."""
        if found.errors == 0:
            return separable(rows, positive, weights, intercept=self.fit_intercept)
        reason = self._shortfall(run, found.errors, rows.n_rows, facts)
        spent = sum(done.seconds for done in run.passes)
        return settle(rows, positive, intercept=self.fit_intercept, reason=reason, spent=spent)

    def _shortfall(self, run: Run, errors: int, n_rows: int, facts: dict[str, Any]) -> str:
        last = run.passes[-1].mistakes if run.passes else 0
        return (
            f"After {len(run.passes)} passes and {run.learner.mistakes} mistakes ({last} in the last pass) "
            f"the weights still err on {errors} of {n_rows} rows, so nothing is proven."
        )


@np.errstate(over="ignore", invalid="ignore")
def figures(weights: np.ndarray, smallest: float, constant: float, survey: Survey) -> dict[str, Any]:
    """R, γ and the mistake bound (R/γ)² of these weights, for the rows as they are and as centring would have
    them.

    γ is the margin of the rows (x, 1), or x without intercept; the geometric margin leaves the intercept out
    of the norm. A bound is None where the margin is not positive, since then there is none.
    """
    moved = weights.copy()
    moved[-1] += np.sum(weights[:-1] * survey.centre) * constant
    answer: dict[str, Any] = {"geometric_margin": _ratio(smallest, length_of(weights[:-1]))}
    for suffix, vector, radius in (
        ("", weights, survey.radius(constant)),
        ("_centred", moved, survey.radius_centred(constant)),
    ):
        margin = _ratio(smallest, length_of(vector))
        answer[f"radius{suffix}"] = radius
        answer[f"margin{suffix}"] = margin
        ratio = radius / margin if margin > 0 else None
        answer[f"mistake_bound{suffix}"] = None if ratio is None else ratio * ratio  # "** 2" may raise
    return answer


def _ratio(above: float, below: float) -> float:
    """Not a number where either is out of the range of doubles: nothing is known then."""
    known = 0 < below < math.inf and abs(above) < math.inf
    return float(above) / float(below) if known else float(above) and math.nan
