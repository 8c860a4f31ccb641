"""`MistakeDriven`: what all perceptrons share: where they start, how they end, and the figures of the
theorem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.after_failure import inseparable_or_undecided
from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import Learner, euclidean_norm, ldexp
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.row_order import parse_order
from separatrix.algorithms.perceptrons.training import Run
from separatrix.bounds import Bound, novikoff
from separatrix.certificates import Undecided
from separatrix.fitting import FitWarning, LinearClassifier, Solution, warn
from separatrix.fitting.exact_errors import (
    ErrorCount,
    count_errors_among,
    count_errors_by_class,
    make_separable,
)
from separatrix.fitting.parameters import is_whole, shown
from separatrix.fitting.predicted_scores import Scores
from separatrix.rows import Block, DataError, Rows

LEAST_DOUBLE = 2.0**-1074


class MistakeDriven(LinearClassifier):
    """A method that learns from mistakes and stops at the first pass that changes nothing.

    A subclass makes its `Learner` in `_make_learner`, and names its theorem in `_theorem_bound`. It may
    refine `_make_certificate`, what it claims of the weights in the end.
    """

    max_iter: int
    passes_: Any
    order: Any = "cyclic"
    max_mistakes: int | None = None
    center: bool = False
    random_state: Any = None
    track_margin: bool = False
    warm_start: bool = False
    _has_violator_search = False  # whether visiting violators alone makes sense
    # Whether units do no more to a run through the origin than stretch its weights.
    _is_scale_equivariant = False
    _degree = 1  # the power of the lengths of rows that its weights grow with: 1 for sums of rows
    # What its theorem bounds: "mistakes", "updates", or "rounds" of all rows at once.
    _bounded_quantity = "mistakes"
    _prospect_phrases = ("enough passes find a separator", "after at most {} mistakes")  # where there is one

    @property
    def n_iter_(self) -> Any:
        """``passes_``, under the name it has in scikit-learn."""
        return self.passes_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.center
        return tags

    def _can_change_units(self) -> bool:
        return self._is_scale_equivariant and not self.fit_intercept

    def _make_learner(self, n_columns: int, start: np.ndarray | None) -> Learner:
        raise NotImplementedError

    def _theorem_bound(self, radius: float, margin: float) -> Bound | None:
        """The theorem of the method, for a run from zero on rows no longer than ``radius``, of which some
        halfspace has the ``margin``; None where it promises nothing."""
        return novikoff(radius, margin)

    def _run_bound(
        self, learner: Learner, radius: float, margin: float, weights: np.ndarray | None = None
    ) -> float | None:
        """What the theorem allows this very run, from where it began; None where it says nothing of it.

        ``weights``, if known, are those that have the margin.
        """
        theorem = self._theorem_bound(radius, margin) if learner.start is None else None
        return None if theorem is None else float(theorem)

    def _check(self) -> None:
        super()._check()
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
        order = parse_order(self.order)
        if isinstance(order, str) and order in ("first", "worst") and not self._has_violator_search:
            raise ValueError(
                f"order={self.order!r} visits one row a pass, which makes no sense for {type(self).__name__}."
            )

    def _initial_weights(self, tasks: Sequence[int]) -> dict[int, np.ndarray | None]:
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

    def _make_solution(
        self, coordinates: InternalCoordinates, positive: int, run: Run, norms: RowNorms
    ) -> Solution:
        rows, learner = coordinates.given, run.learner
        internal_weights = run.prediction_weights()
        weights = coordinates.to_user(internal_weights)
        counts = {"mistakes": learner.mistakes, "updates": learner.updates, "passes": len(run.passes)}
        if not np.isfinite(weights).all():
            facts = self._measure_margins_and_bounds(coordinates, learner, np.zeros_like(weights), 0.0, norms)
            certificate = Undecided(
                "The weights overflowed: divide the columns by a power of two and fit again."
            )
            return Solution(weights, certificate, run.history, counts | facts)
        error_count = run.error_count or self._count_errors(coordinates, {positive: run})[positive]
        facts = self._measure_margins_and_bounds(
            coordinates, learner, coordinates.counted_weights(internal_weights), error_count.min_margin, norms
        )
        run.report_in_user_units(coordinates)
        if run.passes:
            run.passes[-1] = replace(
                run.passes[-1], margin=facts["margin_centred" if self.center else "margin"]
            )
        certificate = self._make_certificate(rows, positive, run, weights, error_count, facts)
        if error_count.errors == 0:
            self._warn_of_rounding(rows, positive, weights, facts)
        return Solution(weights, certificate, run.history, counts | facts)

    def _warn_of_rounding(
        self, rows: Rows, positive: int, weights: np.ndarray, facts: dict[str, Any]
    ) -> None:
        """Warn where weights that separate the rows do so by less than the sums of `predict` round."""
        if facts["margin"] > (len(weights) + 8) * 2.0**-51 * facts["radius"]:
            return
        scores = self._scores(weights[np.newaxis, :-1], weights[-1:])
        (n_wrong,) = rows.sum(WrongPredictions(positive, scores), parallel_blas=True)
        if n_wrong:
            warn(
                FitWarning,
                f"The rows are separated by less than sums of doubles round: predict has {n_wrong} of "
                f"{rows.n_rows} training rows on the wrong side, halfspace_ and certificate_ none.",
            )

    def _count_errors(
        self, coordinates: InternalCoordinates, runs: Mapping[int, Run]
    ) -> dict[int, ErrorCount]:
        """Errors in exact arithmetic, of all tasks in one pass. Weights that overflowed have none."""
        rows, error_counts, remaining = coordinates.counted_rows, {}, {}
        for positive, run in runs.items():
            weights = coordinates.counted_weights(run.prediction_weights())
            if not np.isfinite(weights).all():
                continue
            if run.doubtful_rows is not None:
                error_counts[positive] = count_errors_among(rows, positive, weights, *run.doubtful_rows)
            else:
                remaining[positive] = (weights[:-1], weights[-1] if self.fit_intercept else None)
        return error_counts | count_errors_by_class(rows, remaining)

    def _make_certificate(
        self,
        rows: Rows,
        positive: int,
        run: Run,
        weights: np.ndarray,
        error_count: ErrorCount,
        facts: dict[str, Any],
    ) -> Any:
        """What is proven of these weights; where they err, what is known instead."""
        if error_count.errors == 0:
            return make_separable(rows, positive, weights, intercept=self.fit_intercept)
        reason = self._failure_reason(run, error_count.errors, rows.n_rows, facts)
        seconds_spent = sum(finished.seconds for finished in run.passes)
        return inseparable_or_undecided(
            rows,
            positive,
            intercept=self.fit_intercept,
            reason=reason,
            seconds_spent=seconds_spent,
            describe_prospect=lambda *lengths: self._describe_prospect(
                run.learner, *(float(ldexp(length, run.exponent)) for length in lengths)
            ),
        )

    def _describe_prospect(self, learner: Learner, radius: float, margin: float) -> str:
        """What the theorem says of further passes over rows that some halfspace has this margin on."""
        if not _is_in_safe_range(radius, margin):
            return "though in these units no bound on the mistakes of this run can be had in doubles"
        bound = self._run_bound(learner, radius, margin)
        if bound is None or not bound < math.inf:
            obstacle = "no theorem bounds" if bound is None else "no double holds the bound on"
            return f"though {obstacle} the mistakes of this run"
        outcome, bound_phrase = self._prospect_phrases
        if not isinstance(parse_order(self.order), str):  # rows that are never visited may stay wrong
            outcome = "its mistakes come to an end"
        if self.center:  # this is the margin of the rows where they are, not of those that it runs on
            return f"and {outcome}"
        return f"and {outcome}, {bound_phrase.format(_format_bound(bound))}"

    def _measure_margins_and_bounds(
        self,
        coordinates: InternalCoordinates,
        learner: Learner,
        weights: np.ndarray,
        min_margin: float,
        norms: RowNorms,
    ) -> dict[str, Any]:
        """R, γ and the bounds, of weights for the rows that are counted."""
        lengths = measure_margins(weights, min_margin, learner.constant, norms)
        user_lengths = {name: coordinates.user_length(value) for name, value in lengths.items()}
        return user_lengths | self._evaluate_bounds(learner, weights, min_margin, norms)

    def _evaluate_bounds(
        self, learner: Learner, weights: np.ndarray, min_margin: float, norms: RowNorms
    ) -> dict[str, float | None]:
        """What the theorem allows, for the margin reached, with the origin where it is and in the middle of
        the rows."""
        bounds: dict[str, float | None] = {}
        run_suffix = "_centred" if self.center else ""
        for suffix, radius_and_margin in certify_radius_and_margin(
            weights, min_margin, learner.constant, norms
        ).items():
            is_certain = radius_and_margin is not None and (learner.start is None or suffix == run_suffix)
            bound = None
            if is_certain and radius_and_margin is not None:
                bound = self._run_bound(learner, *radius_and_margin, learner.prediction_weights())
            bound = None if bound is None or not bound < math.inf else bound
            if self._bounded_quantity != "mistakes":
                bounds[f"update_bound{suffix}"] = bound
            per_update = norms.rows.n_rows if self._bounded_quantity == "rounds" else 1
            bounds[f"mistake_bound{suffix}"] = None if bound is None else per_update * bound
        return bounds

    def _failure_reason(self, run: Run, errors: int, n_rows: int, facts: dict[str, Any]) -> str:
        last_mistakes = run.passes[-1].mistakes if run.passes else 0
        return (
            f"After {len(run.passes)} passes and {run.learner.mistakes} mistakes "
            f"({last_mistakes} in the last pass) the weights still err on {errors} of {n_rows} rows, "
            "so nothing is proven."
        )


@dataclass(frozen=True)
class WrongPredictions:
    """Rows of a block that `predict` has on the wrong side."""

    positive: int
    scores: Scores

    def __call__(self, block: Block) -> tuple[int]:
        is_above = self.scores(block)[:, 0] > 0
        return (int(np.count_nonzero(is_above != (block.signs(self.positive) > 0))),)


@np.errstate(over="ignore", invalid="ignore")
def measure_margins(
    weights: np.ndarray, min_margin: float, constant: float, norms: RowNorms
) -> dict[str, float]:
    """R and γ of these weights, for the rows as they are and as centring would have them.

    γ is the margin of the rows (x, 1), or x without intercept; the geometric margin leaves the intercept out
    of the norm.
    """
    return {
        "geometric_margin": _divide(min_margin, euclidean_norm(weights[:-1])),
        "radius": norms.radius(constant),
        "margin": _divide(min_margin, euclidean_norm(weights)),
        "radius_centred": norms.radius_centred(constant),
        # Through the origin there is no hyperplane to move.
        "margin_centred": _divide(min_margin, euclidean_norm(_moved_to_centre(weights, norms)))
        if constant
        else math.nan,
    }


@np.errstate(over="ignore", invalid="ignore")
def certify_radius_and_margin(
    weights: np.ndarray, min_margin: float, constant: float, norms: RowNorms
) -> dict[str, tuple[float, float] | None]:
    """R from above and γ from below, rounding included, for the rows as they are ("") and "_centred"; None
    where no margin is certain.

    The smallest score is off by at most (d + 3)u‖w‖R, a sum of squares by a share (d + 3)u, u = 2⁻⁵³; where
    the origin is moved to c by u times the same with R + ‖c‖ in the place of R. Four times as much is
    allowed for each.
    """
    unit = (len(weights) + 8) * 2.0**-51
    radius, norm, centre_norm = norms.radius(constant), euclidean_norm(weights), euclidean_norm(norms.centre)
    moved_norm = euclidean_norm(_moved_to_centre(weights, norms))
    underflow = (len(weights) + 8) * LEAST_DOUBLE  # to underflow, product by product
    certain_margin = min_margin - unit * norm * radius - underflow
    moved_radius = radius + centre_norm
    centred_radius = math.hypot(norms.radius_centred(constant), math.sqrt(unit) * moved_radius)
    certain = {
        "": (radius * (1.0 + unit), _divide(certain_margin, norm) * (1.0 - unit)),
        "_centred": (
            centred_radius * (1.0 + unit),
            _divide(
                certain_margin - unit * norm * moved_radius, moved_norm + unit * norm * (1.0 + centre_norm)
            )
            * (1.0 - unit),
        ),
    }
    if not constant:
        certain["_centred"] = (math.inf, 0.0)
    return {name: pair if _is_in_safe_range(*pair) else None for name, pair in certain.items()}


def _is_in_safe_range(radius: float, margin: float) -> bool:
    """Whether squares and quotients of the two are doubles."""
    return margin > 1e-140 and radius < 1e140


def _moved_to_centre(weights: np.ndarray, norms: RowNorms) -> np.ndarray:
    """The same hyperplane with the origin at the centre."""
    moved = weights.copy()
    moved[-1] += np.sum(weights[:-1] * norms.centre)
    return moved


def _divide(numerator: float, denominator: float) -> float:
    """Not a number where either is out of the range of doubles: nothing is known then."""
    is_known = 0 < denominator < math.inf and abs(numerator) < math.inf
    return float(numerator) / float(denominator) if is_known else float(numerator) and math.nan


def _format_bound(bound: float) -> str:
    """A bound in words: a whole number, and of long ones their length."""
    digits = len(str(int(bound)))
    return str(int(bound)) if digits <= 15 else f"10^{digits}"
