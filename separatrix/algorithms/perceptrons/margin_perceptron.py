"""A perceptron that delivers a chosen share of the best margin, without knowing it: Kozinec's rule.

**Idea.** Keep w in the convex hull of the rows z = s(x, 1). At a row with w·z ≤ (1 − ε)‖w‖², move w to the
shortest point of the segment from w to z. Stop when no row is left.

**Theorem** (Kozinec 1973; Schlesinger and Hlaváč 2002, *Ten Lectures on Statistical and Structural Pattern
Recognition*, chapter 5). Let γ be the best margin of the rows and ‖z‖ ≤ R. At the end w has margin min
w·z/‖w‖ > (1 − ε)‖w‖ ≥ (1 − ε)γ, since no point of the hull is shorter than γ. After the
first row there are at most ((R/γ)² − 1)/ε² updates: each makes 1/‖w‖² grow by at least ε²/R², from at least
1/R² to at most 1/γ². A perceptron
that updates below a fixed threshold b promises only γb/(2b + R²), less than half (Li et al. 2002, "The
perceptron algorithm with uneven margins", ICML); here every share below 1 is reached.

**Certificate.** `MarginShare`: the weights, whose smallest margin is a lower bound on γ, and the rows'
multipliers, whose combination is an upper one; their ratio is at least the share. Both ends are checked in
exact arithmetic.

**Cost.** A visit costs one row, an update two; memory beyond the rows is one number a row.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.float_margins import count_candidate_errors
from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import (
    Learner,
    euclidean_norm,
    is_exact_after_scaling,
    ldexp,
    variant_kernels,
)
from separatrix.algorithms.perceptrons.online import OnlineClassifier
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.training import Run
from separatrix.bounds import Bound, kozinec
from separatrix.bounds.safe_rounding import up
from separatrix.certificates import MarginShare
from separatrix.fitting import NothingProven, Solution, warn
from separatrix.fitting.exact_errors import ErrorCount, about
from separatrix.fitting.parameters import is_between, shown
from separatrix.rows import Rows

MAX_POLISHING_PASSES = 200  # rounds over the rows that carry the point, after each pass
MAX_SUPPORT_ROWS = 4096
ROUNDING_SHARE = 1e-3  # of 1 - share: room for rounding between the run's threshold and the exact check


class MarginPerceptron(OnlineClassifier):
    """A halfspace with at least a chosen share of the largest possible margin of the rows (x, 1).

    Parameters
    ----------
    share : float, default=0.5
        Between 0 and 1, both excluded.
    max_iter : int, default=1000
    order : {"cyclic", "shuffled"} or sequence of int, default="cyclic"
    fit_intercept : bool, default=True
        Without it the margin is that of the rows x.
    random_state : int, RandomState or None
    verbose : int, default=0
        Above 0, a fit prints a line per pass to standard error.
    n_jobs : int or None

    Attributes
    ----------
    updates_ : int
        At most 1 + ((R/γ)² - 1)/(1 - share)², with a share raised by a thousandth of the rest for rounding.
    mistakes_ : int
        Updates at rows that scored wrong. After each pass the few rows that carry the weights are visited
        again, up to 200 times, so that there may be more of these than visits of a pass.
    update_bound_, mistake_bound_ : float
        That number for the margin reached; a mistake is an update. None where nothing is separated.
    margin_ : float
        min w·z/‖w‖ of the weights returned.
    margin_at_most_ : float
        ‖w‖ for w in the hull of the rows: no halfspace has a larger margin.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa")
    >>> model = sx.MarginPerceptron(share=0.9).fit(X, y)
    >>> model.margin_ >= 0.9 * model.margin_at_most_, model.certificate_.verify(X, y).holds
    (True, True)
    """

    _is_scale_equivariant = True
    _degree = 0  # a direction
    _bounded_quantity = "updates"
    _prospect_phrases = ("enough passes reach the share of it that is asked for", "after at most {} updates")

    def __init__(
        self,
        share: float = 0.5,
        max_iter: int = 1000,
        order: Any = "cyclic",
        random_state: Any = None,
        *,
        fit_intercept: bool = True,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.share = share
        self.max_iter = max_iter
        self.order = order
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _check(self) -> None:
        super()._check()
        if not is_between(self.share, 0, 1):
            raise ValueError(f"share={shown(self.share)} must lie between 0 and 1, both excluded.")

    def _theorem_bound(self, radius: float, margin: float) -> Bound | None:
        bound = kozinec(radius, margin, (1 - self.share) * (1 - ROUNDING_SHARE))
        # The row it starts at counts as an update here.
        return bound if bound.vacuous else replace(bound, value=up(Fraction(bound.value) + 1))

    def _settings(self) -> tuple[Any, ...]:
        return self.fit_intercept, self.share

    def _make_learner(self, n_columns: int, start: np.ndarray | None) -> Learner:
        return KozinecLearner(n_columns, intercept=self.fit_intercept, start=start, share=self.share)

    def _make_solution(
        self, coordinates: InternalCoordinates, positive: int, run: Run, norms: RowNorms
    ) -> Solution:
        learner = run.learner
        assert isinstance(learner, KozinecLearner)
        if run.error_count is not None and learner.min_errors < run.error_count.errors:
            learner.is_falling_back = True
            run.error_count = self._count_errors(coordinates, {positive: run})[positive]
        return super()._make_solution(coordinates, positive, run, norms)

    def _make_certificate(
        self,
        rows: Rows,
        positive: int,
        run: Run,
        weights: np.ndarray,
        error_count: ErrorCount,
        facts: dict[str, Any],
    ) -> Any:
        learner = run.learner
        assert isinstance(learner, KozinecLearner)
        margin_bound = facts["margin_at_most"] = float(ldexp(learner.norm, -run.exponent))
        attained_share = max(0.0, facts["margin"] / margin_bound) if margin_bound > 0 else 0.0
        if error_count.errors == 0 and (run.converged or attained_share >= self.share):
            support_rows = np.flatnonzero(learner.shares)
            multipliers = _integer_multipliers(learner.shares[support_rows])
            proof = MarginShare(
                weights=tuple(weights[:-1].tolist()),
                intercept=float(weights[-1]) if self.fit_intercept else None,
                rows=tuple(support_rows.tolist()),
                multipliers=multipliers,
                share=float(self.share),
                about=about(rows, positive),
            )
            if proof.verify(rows).holds:
                return proof.bound_to(rows)
        if error_count.errors == 0:
            warn(
                NothingProven,
                f"The rows are separated, but with {attained_share:.3g} of the best margin for certain, not "
                f"the {self.share:g} asked for: {len(run.passes)} passes were not enough (max_iter).",
            )
        return super()._make_certificate(rows, positive, run, weights, error_count, facts)


class KozinecLearner(Learner):
    """w = scale·weights, the point Σ scale·shares_i z_i of the hull."""

    saved_state = (("weights", "weights"), ("lengths", "point_state"))

    hyperparameters = ("share",)

    def __init__(self, n_columns: int, *, intercept: bool, start: np.ndarray | None, share: float) -> None:
        super().__init__(n_columns, intercept=intercept, start=start)
        self.share = share + ROUNDING_SHARE * (1.0 - share)
        self.shares = np.zeros(0)
        # The scale, the squared length, the constant; then mistakes and the first row, for each call anew.
        self.point_state = np.array([0.0, 0.0, self.constant, 0.0, 0.0])
        self.min_errors = float("inf")  # errors of the best weights looked at
        self.is_falling_back = False  # whether to predict with those: the rows are not separated in the end
        self._best_weights = self.weights
        self._n_passes = 0

    def begin_fit(self, rows: Rows, positive: int) -> None:
        self.shares = np.zeros(rows.n_rows)

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        sweep = variant_kernels().kozinec_sweep
        shares = np.zeros(len(signs)) if first < 0 else self.shares
        self.point_state[4] = max(first, 0)
        updates = sweep(X, signs, places, self.share, self.point_state, shares, self.weights)
        self.updates += updates
        self.mistakes += int(self.point_state[3])
        self.point_state[3] = 0.0
        return updates

    def rescaled_state(self, exponent: int) -> dict[str, np.ndarray] | None:
        square = self.point_state[1:2]
        if not (
            is_exact_after_scaling(self.weights, exponent) and is_exact_after_scaling(square, 2 * exponent)
        ):
            return None
        point_state = self.point_state.copy()
        point_state[1:2] = ldexp(square, 2 * exponent)
        return {"weights": ldexp(self.weights, exponent), "point_state": point_state}

    def release_row_data(self) -> Learner:
        self.shares = np.zeros(0)
        self.is_falling_back = False
        return self

    def end_pass(self, rows: Any, positive: int) -> None:
        self._polish(rows, positive)
        # The squared length is carried along by a recurrence; once a pass it is made afresh.
        point = self.point_state[0] * self.weights
        self.point_state[1] = float(np.vdot(point, point))  # silent where it overflows
        self._n_passes += 1
        # On inseparable rows the point tends to 0 and ends as a poor predictor: looked at after 1, 2, 4, ...
        # passes.
        if self._n_passes & (self._n_passes - 1) == 0:
            errors = count_candidate_errors(rows, positive, [point], self.constant)[0]
            if errors <= self.min_errors:
                self.min_errors, self._best_weights = errors, point

    def _polish(self, rows: Rows, positive: int) -> None:
        """Visit the rows that carry the point again and again: a few rows, most of the updates.

        The theorem holds for any order of visits, so this spares passes and proves the same. A file is read
        once more for it.
        """
        sweep = variant_kernels().kozinec_sweep
        support_rows = np.flatnonzero(self.shares)
        if not 0 < len(support_rows) <= MAX_SUPPORT_ROWS:
            return
        block, shares = rows.take(support_rows).whole(), self.shares[support_rows]
        signs, places = block.signs(positive), np.arange(len(support_rows), dtype=np.int32)
        self.point_state[4] = 0.0
        for _ in range(MAX_POLISHING_PASSES):
            updates = sweep(block.X, signs, places, self.share, self.point_state, shares, self.weights)
            self.updates += updates
            if not updates:
                break
        self.shares[support_rows] = shares
        self.mistakes += int(self.point_state[3])
        self.point_state[3] = 0.0

    @property
    def norm(self) -> float:
        """‖w‖ of the point of the hull: no halfspace has a larger margin."""
        return float(self.point_state[0]) * euclidean_norm(self.weights)

    def prediction_weights(self) -> np.ndarray:
        """The direction of the point, so that scores of several classes compare as distances."""
        return _normalised(self._best_weights if self.is_falling_back else self.weights)


def _normalised(weights: np.ndarray) -> np.ndarray:
    norm = euclidean_norm(weights)
    return weights / norm if 0.0 < norm < np.inf else np.array(weights)


def _integer_multipliers(shares: np.ndarray) -> tuple[int, ...]:
    """Multipliers as whole numbers: any positive ones give a valid upper bound, so rounding them is
    harmless."""
    scaled = np.ldexp(shares / shares.max(), 50)
    return tuple(max(1, int(value)) for value in scaled)
