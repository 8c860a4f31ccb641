"""Rosenblatt's perceptron: at each mistake, add the row.

**Idea.** Visit the rows in turn; where s·(w·x + b) ≤ 0, w ← w + η s (x, 1). Stop at the first pass without a
mistake.

**Theorem** (Block 1962, Novikoff 1962). Let rows z = s(x, 1) satisfy ‖z‖ ≤ R and u·z ≥ γ > 0 for some u with
‖u‖ = 1. From w = 0 with unit steps, whatever the order, the number M of mistakes is at most (R/γ)². For w·u
grows by at least γ at each mistake, so w·u ≥ Mγ; ‖w‖² grows by ‖z‖² + 2w·z ≤ R², so ‖w‖² ≤ MR²; and w·u ≤
‖w‖. Without an intercept the rows are z = s x. From another start w₀ with a = w₀·u, M ≤ [R² − 2aγ + √((R² −
2aγ)² + 4γ²(‖w₀‖² − a²))]/2γ². With steps η_k only (Ση)²/Ση² ≤ (R/γ)² remains, which need not bound anything.
On rows that no halfspace separates the weights stay bounded, and cycle where the rows are whole numbers
(perceptron cycling theorem: Minsky and Papert 1969; Block and Levin 1970).

**Certificate.** `Separable`, with the weights checked on every row in exact arithmetic; ``mistake_run_``
holds how often each row was added, so that the run itself can be audited. If passes run out the fit says what
is known instead.

**Cost.** A mistake or a visit costs one row; memory beyond the rows is a few numbers a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.internal_coordinates import InternalCoordinates
from separatrix.algorithms.perceptrons.learner import Learner, euclidean_norm, sweep_kernels
from separatrix.algorithms.perceptrons.online import OnlineClassifier
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.step_sizes import Steps
from separatrix.algorithms.perceptrons.training import Run
from separatrix.bounds import Bound, novikoff, novikoff_from_start
from separatrix.certificates import MistakeRun, Separable
from separatrix.fitting import FitWarning, Solution, warn
from separatrix.fitting.exact_errors import about, count_errors
from separatrix.fitting.parameters import as_doubles
from separatrix.halfspace import Halfspace
from separatrix.rows import Rows

MAX_START_SIZE = 1e140  # a start whose square is a double
MIN_PRODUCT_VALUE, MAX_PRODUCT_VALUE = 1e-280, 1e280  # products of rows that neither underflow nor overflow


class Perceptron(OnlineClassifier):
    """The perceptron, kept to its word.

    Parameters
    ----------
    max_iter : int, default=1000
        Passes over the rows before the fit gives up.
    order : {"cyclic", "shuffled", "first violator", "worst violator"} or sequence of int, default="cyclic"
        The order of visits. "shuffled" draws a new order for every pass; a "violator" pass is one search of
        the rows for a mistake; a sequence of row numbers is gone through once a pass.
    step : float, sequence or callable, default=1.0
        η, or η_k for the k-th mistake, k = 0, 1, ...; the last number of a sequence is kept.
    center : bool, default=False
        Run on rows moved to their mean. Far from the origin this is the difference between a handful of
        mistakes and millions. Weights are returned for the rows as given.
    fit_intercept : bool, default=True
    start : sequence of float, optional
        The weights to start from, with the intercept last if there is one.
    max_mistakes : int, optional
        Stop after this many mistakes.
    warm_start : bool, default=False
        Start where the last fit ended.
    track_margin : bool, default=False
        Record the margin after every pass, at the price of another pass.
    random_state : int, RandomState or None
        For order="shuffled".
    verbose : int, default=0
        Above 0, a fit prints a line per pass to standard error.
    n_jobs : int or None
        Threads for work that can be divided, such as the final check.

    Attributes
    ----------
    coef_, intercept_, classes_, halfspace_, certificate_, history_
        Of the predictor; see `LinearClassifier`.
    mistakes_, updates_, passes_, n_iter_ : int
        ``n_iter_`` is ``passes_``, under the name it has in scikit-learn. With more than two classes, an
        array with one number for each.
    mistake_run_ : MistakeRun or None
        How often each row was added; None unless steps are 1, from zero, and not centred, or where rows of
        extreme scale made scores overflow or underflow.
    radius_, margin_, mistake_bound_ : float
        R and γ of the rows (x, 1) for the halfspace found, and Novikoff's bound on the mistakes of every such
        run: (R/γ)² from zero, longer from another start; None where steps vary or nothing is separated.
    radius_centred_, margin_centred_, mistake_bound_centred_ : float
        The same, were the origin in the middle of the rows; sparse rows stay where they are.
    geometric_margin_ : float
        min s(w·x + b)/‖w‖.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]
    >>> model = sx.Perceptron().fit(X, y)
    >>> model.mistakes_, model.passes_, bool(model.mistakes_ <= model.mistake_bound_)
    (18, 9, True)
    >>> model.certificate_.verify(X, y).holds
    True

    References
    ----------
    A. B. J. Novikoff, "On convergence proofs on perceptrons", Symposium on the Mathematical Theory of
    Automata, 1962.
    """

    _is_scale_equivariant = True
    _has_violator_search = True

    def __init__(
        self,
        max_iter: int = 1000,
        order: Any = "cyclic",
        step: Any = 1.0,
        center: bool = False,
        random_state: Any = None,
        *,
        fit_intercept: bool = True,
        start: Any = None,
        max_mistakes: int | None = None,
        warm_start: bool = False,
        track_margin: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.order = order
        self.step = step
        self.center = center
        self.random_state = random_state
        self.fit_intercept = fit_intercept
        self.start = start
        self.max_mistakes = max_mistakes
        self.warm_start = warm_start
        self.track_margin = track_margin
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _check(self) -> None:
        super()._check()
        Steps(self.step)

    def _settings(self) -> tuple[Any, ...]:
        return self.fit_intercept, self.step

    def _make_learner(self, n_columns: int, start: np.ndarray | None) -> Learner:
        return RosenblattLearner(n_columns, intercept=self.fit_intercept, start=start, steps=Steps(self.step))

    def _theorem_bound(self, radius: float, margin: float) -> Bound | None:
        return novikoff(radius, margin) if Steps(self.step).is_constant else None

    def _run_bound(
        self, learner: Learner, radius: float, margin: float, weights: np.ndarray | None = None
    ) -> float | None:
        assert isinstance(learner, RosenblattLearner)
        if learner.start is None or not learner.steps.is_constant:
            return super()._run_bound(learner, radius, margin)
        # Steps of η from w₀ are unit steps from w₀/η, and the theorem is about those.
        with np.errstate(over="ignore", under="ignore"):
            unit_step_start = learner.start / float(learner.steps.next(0, 1)[0])
        norm = euclidean_norm(unit_step_start)
        if not norm < MAX_START_SIZE:
            return np.inf
        inner_product = -norm  # the least that it can be
        if weights is not None:
            rounding = (len(weights) + 8) * 2.0**-51 * norm
            direction = weights / (euclidean_norm(weights) or 1.0)
            inner_product = max(inner_product, float(np.sum(unit_step_start * direction)) - rounding)
        return float(novikoff_from_start(radius, margin, norm, inner_product))

    def _initial_weights(self, tasks: Sequence[int]) -> dict[int, np.ndarray | None]:
        starts = super()._initial_weights(tasks)
        if self.start is None or any(start is not None for start in starts.values()):
            return starts
        n_expected = self.n_features_in_ + bool(self.fit_intercept)
        values = as_doubles(self.start)
        given = np.empty(0) if values is None else values.ravel()
        if len(given) != n_expected or not np.isfinite(given).all():
            raise ValueError(
                f"start must hold {n_expected} finite numbers, one per column and the intercept last."
            )
        return dict.fromkeys(tasks, given if self.fit_intercept else np.append(given, 0.0))

    def _make_solution(
        self, coordinates: InternalCoordinates, positive: int, run: Run, norms: RowNorms
    ) -> Solution:
        solution = super()._make_solution(coordinates, positive, run, norms)
        is_moved = coordinates.centre is not None or coordinates.exponent
        if run.converged and is_moved and not isinstance(solution.certificate, Separable):
            solution = self._make_exact_solution(coordinates, positive, run, solution)
        record = self._mistake_run(coordinates, positive, run, solution)
        return replace(solution, facts=solution.facts | {"mistake_run": record})

    def _make_exact_solution(
        self, coordinates: InternalCoordinates, positive: int, run: Run, solution: Solution
    ) -> Solution:
        """Doubles may separate where the rows were moved, while their doubles in the user's coordinates do
        not: keep them exactly."""
        internal_weights = run.learner.prediction_weights()
        if not np.isfinite(internal_weights).all():
            return solution
        *numbers, intercept = coordinates.to_integers(internal_weights)
        error_count = count_errors(coordinates.given, positive, numbers, intercept)
        if error_count.errors:
            return solution
        witness = Separable(
            weights=tuple(numbers),
            intercept=intercept if self.fit_intercept else None,
            about=about(coordinates.given, positive),
        )
        warn(
            FitWarning,
            "The rows are separated by whole numbers that doubles cannot hold: halfspace_ and "
            "certificate_ carry them. Those of coef_, by which predict goes, do not separate the rows.",
        )
        return replace(
            solution, certificate=witness.bound_to(coordinates.given), halfspace=Halfspace(numbers, intercept)
        )

    def _mistake_run(
        self, coordinates: InternalCoordinates, positive: int, run: Run, solution: Solution
    ) -> MistakeRun | None:
        learner, weights = run.learner, solution.weights
        assert isinstance(learner, RosenblattLearner)
        if coordinates.centre is not None or not learner.auditable or not np.isfinite(weights).all():
            return None
        witness: Any = weights[:-1]
        added_rows = np.flatnonzero(learner.counts != 0)  # as booleans: several times faster
        record = MistakeRun(
            rows=tuple(added_rows.tolist()),
            counts=tuple(learner.counts[added_rows].tolist()),
            mistakes=learner.mistakes,
            weights=witness,
            intercept=float(weights[-1]) if self.fit_intercept else None,
            converged=run.converged,
            about=about(coordinates.given, positive),
        ).bound_to(coordinates.given)
        # The record is about the exact sum of the rows, the run about its rounding: they can differ in a
        # row's side only where the margin is smaller than both errors together.
        mistakes, width = learner.mistakes, len(weights)
        radius = solution.facts["radius"]
        # "** 2" would raise where it overflows.
        rounding = (mistakes + 2 * width + 8) * 2.0**-52 * mistakes * radius * radius
        with np.errstate(over="ignore"):
            min_margin = solution.facts["margin"] * euclidean_norm(weights)
        if run.converged and not min_margin > rounding and not record.verify(coordinates.given).holds:
            record = replace(record, converged=False).bound_to(coordinates.given)
        # A score that overflowed or underflowed counts as a mistake, and need not be one.
        is_in_range = not mistakes or (
            radius * radius > MIN_PRODUCT_VALUE and mistakes * radius * radius < MAX_PRODUCT_VALUE
        )
        return record if is_in_range or record.verify(coordinates.given).holds else None

    def _failure_reason(self, run: Run, errors: int, n_rows: int, facts: dict[str, Any]) -> str:
        reason = super()._failure_reason(run, errors, n_rows, facts)
        centred_radius, radius = facts["radius_centred"], facts["radius"]
        if not self.center and self.fit_intercept and radius > 3 * centred_radius:
            reason += (
                f" The rows are far from the origin (R = {radius:.4g}; around their middle "
                f"{centred_radius:.4g}): center=True divides the mistake bound by about "
                f"{np.square(radius / centred_radius):.3g} or more."
            )
        return reason


class RosenblattLearner(Learner):
    """w ← w + η_k s (x, constant) at the k-th mistake."""

    idle_margin = 0.0

    hyperparameters = ("steps",)

    def __init__(self, n_columns: int, *, intercept: bool, start: np.ndarray | None, steps: Steps) -> None:
        super().__init__(n_columns, intercept=intercept, start=start)
        self.steps = steps
        self.auditable = steps.is_unit and not self.weights.any()
        self.counts = np.zeros(0, np.int32)

    def begin_fit(self, rows: Rows, positive: int) -> None:
        self.counts = np.zeros(rows.n_rows, np.int32)

    def count_mistakes(self, mistakes: int) -> int:
        """Count them, each of which was an update; returns them."""
        self.mistakes += mistakes
        self.updates += mistakes
        return mistakes

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        max_visits = self.steps.max_visits
        if len(places) > max_visits:
            return sum(
                self.visit_rows(X, signs, places[k : k + max_visits], first)
                for k in range(0, len(places), max_visits)
            )
        if first < 0:  # a stream: rows come once and have no number
            self.auditable = False
            counts = np.zeros(len(signs), np.int32)
        else:
            counts = self.counts[first : first + len(signs)]
        steps, sweep = self.steps.next(self.mistakes, len(places)), sweep_kernels().sweep
        return self.count_mistakes(sweep(X, signs, places, steps, self.constant, counts, self.weights))

    def release_row_data(self) -> Learner:
        self.counts = np.zeros(0, np.int32)
        return self
