"""`MistakeDriven`: what all perceptrons share: where they start, how they end, and the figures of the
theorem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.after_failure import inseparable_or_undecided
from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import Learner, ldexp, length_of
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.row_order import order_named
from separatrix.algorithms.perceptrons.training import Run
from separatrix.bounds import Bound, novikoff
from separatrix.certificates import Undecided
from separatrix.fitting import FitWarning, LinearClassifier, Solution, warn
from separatrix.fitting.exact_errors import ErrorCount, count_errors_among, count_errors_by_class, separable
from separatrix.fitting.parameters import is_whole, shown
from separatrix.rows import DataError, Rows

LEAST_DOUBLE = 2.0**-1074


class MistakeDriven(LinearClassifier):
    """A method that learns from mistakes and stops at the first pass that changes nothing.

    A subclass makes its `Learner` in `_learner`, and names its theorem in `_theorem_bound`. It may refine
    `_certificate`, what it claims of the weights in the end.
    """

    max_iter: int
    passes_: Any
    order: Any = "cyclic"
    max_mistakes: int | None = None
    center: bool = False
    random_state: Any = None
    track_margin: bool = False
    warm_start: bool = False
    _searches_violators = False  # whether visiting violators alone makes sense
    _any_units = False  # whether units do no more to a run through the origin than stretch its weights
    _degree = 1  # the power of the lengths of rows that its weights grow with: 1 for sums of rows
    _bounded_quantity = (
        "mistakes"  # what its theorem bounds: "mistakes", "updates", or "turns" of all rows at once
    )
    _prospect_phrases = ("enough passes find a separator", "after at most {} mistakes")  # where there is one

    @property
    def n_iter_(self) -> Any:
        """``passes_``, under the name it has in scikit-learn."""
        return self.passes_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.center
        return tags

    def _takes_any_units(self) -> bool:
        return self._any_units and not self.fit_intercept

    def _learner(self, n_columns: int, start: np.ndarray | None) -> Learner:
        raise NotImplementedError

    def _theorem_bound(self, radius: float, margin: float) -> Bound | None:
        """The theorem of the method, for a run from zero on rows no longer than ``radius``, of which some
        halfspace has the ``margin``; None where it promises nothing."""
        return novikoff(radius, margin)

    def _allowed(
        self, learner: Learner, radius: float, margin: float, weights: np.ndarray | None = None
    ) -> float | None:
        """What the theorem allows this very run, from where it began; None where it says nothing of it.

        ``weights``, if known, are those that have the margin.
        """
        theorem = self._theorem_bound(radius, margin) if learner.start is None else None
        return None if theorem is None else float(theorem)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not (is_whole(self.max_iter) and self.max_iter >= 1):
            raise ValueError(f"max_iter={shown(self.max_iter)} must be a whole number of at least 1.")
        if self.max_mistakes is not None and not (is_whole(self.max_mistakes) and self.max_mistakes >= 1):
            raise ValueError(
                f"max_mistakes={shown(self.max_mistakes)} must be a whole number of at least 1, or None."
            )
        if self.center and not self.fit_intercept:
            raise ValueError(
                "center=True needs fit_intercept=True: a hyperplane through the origin cannot be moved."
            )
        order = order_named(self.order)
        if isinstance(order, str) and order in ("first", "worst") and not self._searches_violators:
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

    def _solution(self, frame: InternalCoordinates, positive: int, run: Run, norms: RowNorms) -> Solution:
        rows, learner = frame.given, run.learner
        answer = run.answer()
        weights = frame.to_user(answer)
        counted_rows = {"mistakes": learner.mistakes, "updates": learner.updates, "passes": len(run.passes)}
        if not np.isfinite(weights).all():
            facts = self._figures(frame, learner, np.zeros_like(weights), 0.0, norms)
            certificate = Undecided(
                "The weights overflowed: divide the columns by a power of two and fit again."
            )
            return Solution(weights, certificate, run.history, counted_rows | facts)
        found = run.found or self._tallies(frame, {positive: run})[positive]
        facts = self._figures(frame, learner, frame.counted_weights(answer), found.smallest, norms)
        run.report_in_user_units(frame)
        if run.passes:
            run.passes[-1] = replace(
                run.passes[-1], margin=facts["margin_centred" if self.center else "margin"]
            )
        certificate = self._certificate(rows, positive, run, weights, found, facts)
        if found.errors == 0:
            self._warn_of_rounding(rows, positive, weights, facts)
        return Solution(weights, certificate, run.history, counted_rows | facts)

    def _warn_of_rounding(
        self, rows: Rows, positive: int, weights: np.ndarray, facts: dict[str, Any]
    ) -> None:
        """Warn where weights that separate the rows do so by less than the sums of `predict` round."""
        if facts["margin"] > (len(weights) + 8) * 2.0**-51 * facts["radius"]:
            return
        coef, intercept = weights[np.newaxis, :-1], weights[-1:]
        other = 0
        for block in rows.blocks():
            above = self._scores(coef, intercept)(block)[:, 0] > 0
            other += int(np.count_nonzero(above != (block.signs(positive) > 0)))
        if other:
            warn(
                FitWarning,
                f"The rows are separated by less than sums of doubles round: predict has {other} of "
                f"{rows.n_rows} training rows on the wrong side, halfspace_ and certificate_ none.",
            )

    def _tallies(self, frame: InternalCoordinates, runs: Mapping[int, Run]) -> dict[int, ErrorCount]:
        """Errors in exact arithmetic, of all tasks in one pass. Weights that overflowed have none."""
        rows, answer, left = frame.counted_rows, {}, {}
        for positive, run in runs.items():
            weights = frame.counted_weights(run.answer())
            if not np.isfinite(weights).all():
                continue
            counts = run.learner.rows_in_doubt() if run.settled and frame.centre is None else None
            if counts is not None:
                answer[positive] = count_errors_among(rows, positive, weights, *counts)
            else:
                left[positive] = (weights[:-1], weights[-1] if self.fit_intercept else None)
        return answer | count_errors_by_class(rows, left)

    def _certificate(
        self,
        rows: Rows,
        positive: int,
        run: Run,
        weights: np.ndarray,
        found: ErrorCount,
        facts: dict[str, Any],
    ) -> Any:
        """What is proven of these weights; where they err, what is known instead."""
        if found.errors == 0:
            return separable(rows, positive, weights, intercept=self.fit_intercept)
        reason = self._shortfall(run, found.errors, rows.n_rows, facts)
        spent = sum(done.seconds for done in run.passes)
        return inseparable_or_undecided(
            rows,
            positive,
            intercept=self.fit_intercept,
            reason=reason,
            spent=spent,
            prospect=lambda *ends: self._prospect(
                run.learner, *(float(ldexp(end, run.exponent)) for end in ends)
            ),
        )

    def _prospect(self, learner: Learner, radius: float, margin: float) -> str:
        """What the theorem says of further passes over rows that some halfspace has this margin on."""
        if not _usual(radius, margin):
            return "though in these units no bound on the mistakes of this run can be had in doubles"
        allowed = self._allowed(learner, radius, margin)
        if allowed is None or not allowed < math.inf:
            told = "no theorem bounds" if allowed is None else "no double holds the bound on"
            return f"though {told} the mistakes of this run"
        end, price = self._prospect_phrases
        if not isinstance(order_named(self.order), str):  # rows that are never visited may stay wrong
            end = "its mistakes come to an end"
        if self.center:  # this is the margin of the rows where they are, not of those that it runs on
            return f"and {end}"
        return f"and {end}, {price.format(_counted(allowed))}"

    def _figures(
        self,
        frame: InternalCoordinates,
        learner: Learner,
        weights: np.ndarray,
        smallest: float,
        norms: RowNorms,
    ) -> dict[str, Any]:
        """R, γ and the bounds, of weights for the rows that are counted."""
        lengths = figures(weights, smallest, learner.constant, norms)
        outside = {name: frame.user_length(value) for name, value in lengths.items()}
        return outside | self._bounds(learner, weights, smallest, norms)

    def _bounds(
        self, learner: Learner, weights: np.ndarray, smallest: float, norms: RowNorms
    ) -> dict[str, float | None]:
        """What the theorem allows, for the margin reached, with the origin where it is and in the middle of
        the rows."""
        answer: dict[str, float | None] = {}
        ran = "_centred" if self.center else ""
        for suffix, ends in certain_ends(weights, smallest, learner.constant, norms).items():
            known = ends is not None and (learner.start is None or suffix == ran)
            allowed = self._allowed(learner, *ends, learner.answer()) if known and ends is not None else None
            allowed = None if allowed is None or not allowed < math.inf else allowed
            if self._bounded_quantity != "mistakes":
                answer[f"update_bound{suffix}"] = allowed
            most = norms.rows.n_rows if self._bounded_quantity == "turns" else 1  # mistakes of one turn
            answer[f"mistake_bound{suffix}"] = None if allowed is None else most * allowed
        return answer

    def _shortfall(self, run: Run, errors: int, n_rows: int, facts: dict[str, Any]) -> str:
        last = run.passes[-1].mistakes if run.passes else 0
        return (
            f"After {len(run.passes)} passes and {run.learner.mistakes} mistakes ({last} in the last pass) "
            f"the weights still err on {errors} of {n_rows} rows, so nothing is proven."
        )


@np.errstate(over="ignore", invalid="ignore")
def figures(weights: np.ndarray, smallest: float, constant: float, norms: RowNorms) -> dict[str, float]:
    """R and γ of these weights, for the rows as they are and as centring would have them.

    γ is the margin of the rows (x, 1), or x without intercept; the geometric margin leaves the intercept out
    of the norm.
    """
    return {
        "geometric_margin": _ratio(smallest, length_of(weights[:-1])),
        "radius": norms.radius(constant),
        "margin": _ratio(smallest, length_of(weights)),
        "radius_centred": norms.radius_centred(constant),
        # Through the origin there is no hyperplane to move.
        "margin_centred": _ratio(smallest, length_of(_moved(weights, norms))) if constant else math.nan,
    }


@np.errstate(over="ignore", invalid="ignore")
def certain_ends(
    weights: np.ndarray, smallest: float, constant: float, norms: RowNorms
) -> dict[str, tuple[float, float] | None]:
    """R from above and γ from below, rounding included, for the rows as they are ("") and "_centred"; None
    where no margin is certain.

    The smallest score is off by at most (d + 3)u‖w‖R, a sum of squares by a share (d + 3)u, u = 2⁻⁵³; where
    the origin is moved to c by u times the same with R + ‖c‖ in the place of R. Four times as much is
    allowed for each.
    """
    unit = (len(weights) + 8) * 2.0**-51
    radius, norm, away = norms.radius(constant), length_of(weights), length_of(norms.centre)
    moved = length_of(_moved(weights, norms))
    lost = (len(weights) + 8) * LEAST_DOUBLE  # to underflow, product by product
    least = smallest - unit * norm * radius - lost
    far = radius + away
    around = math.hypot(norms.radius_centred(constant), math.sqrt(unit) * far)
    ends = {
        "": (radius * (1.0 + unit), _ratio(least, norm) * (1.0 - unit)),
        "_centred": (
            around * (1.0 + unit),
            _ratio(least - unit * norm * far, moved + unit * norm * (1.0 + away)) * (1.0 - unit),
        ),
    }
    if not constant:
        ends["_centred"] = (math.inf, 0.0)
    return {name: pair if _usual(*pair) else None for name, pair in ends.items()}


def _usual(radius: float, margin: float) -> bool:
    """Whether squares and quotients of the two are doubles."""
    return margin > 1e-140 and radius < 1e140


def _moved(weights: np.ndarray, norms: RowNorms) -> np.ndarray:
    """The same hyperplane with the origin at the centre."""
    moved = weights.copy()
    moved[-1] += np.sum(weights[:-1] * norms.centre)
    return moved


def _ratio(above: float, below: float) -> float:
    """Not a number where either is out of the range of doubles: nothing is known then."""
    known = 0 < below < math.inf and abs(above) < math.inf
    return float(above) / float(below) if known else float(above) and math.nan


def _counted(allowed: float) -> str:
    """A bound in words: a whole number, and of long ones their length."""
    digits = len(str(int(allowed)))
    return str(int(allowed)) if digits <= 15 else f"10^{digits}"
