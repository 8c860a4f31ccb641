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

from dataclasses import replace
from typing import Any, Self

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner, sweep_kernels
from separatrix.algorithms.perceptrons.measured_margins import euclidean_norm
from separatrix.algorithms.perceptrons.mistake_driven import MistakeDriven
from separatrix.algorithms.perceptrons.training import Run
from separatrix.bounds import Bound, novikoff, novikoff_from_start
from separatrix.certificates import MistakeRun
from separatrix.fitting.parameters import as_doubles
from separatrix.messages import Message, Parameter, ParameterError
from separatrix.rows import Rows

MAX_START_SIZE = 1e140  # a start whose square is a double
MIN_PRODUCT_VALUE, MAX_PRODUCT_VALUE = 1e-280, 1e280  # products of rows that neither underflow nor overflow


class Steps:
    """η_k for k = 0, 1, ...: one number, a sequence, or a function of how many mistakes came before.

    >>> Steps(0.5).next(0, 3).tolist()
    [0.5, 0.5, 0.5]
    >>> Steps(lambda k: 1 / (k + 1)).next(1, 2).tolist()
    [0.5, 0.3333333333333333]
    """

    def __init__(self, step: Any) -> None:
        self.step = step
        is_constant = not callable(step) and np.ndim(step) == 0
        # How many rows to visit before asking again: a function is called for so many mistakes ahead.
        self.max_visits = 1 << 30 if is_constant else 256
        self._computed = np.empty(0) if callable(step) else np.atleast_1d(_to_doubles(step))
        if not callable(step) and self._computed.size == 0:
            raise ValueError("step as a sequence needs at least one number.")
        self._check(self._computed)
        self.constant = float(self._computed[0]) if is_constant else None

    def next(self, k: int, n: int) -> np.ndarray:
        """The steps of mistakes k to k + n - 1."""
        if self.constant is not None:  # the same from any k on
            k = 0
        missing = k + n - len(self._computed)
        if missing > 0:
            first = len(self._computed)
            if callable(self.step):
                following = np.array([_to_doubles(self.step(i), 0) for i in range(first, k + n)])
                self._check(following)
            else:
                following = np.full(max(missing, 1024), self._computed[-1])
            self._computed = np.concatenate([self._computed, following])
        return self._computed[k : k + n]

    def _check(self, steps: np.ndarray) -> None:
        refused = steps[~(np.isfinite(steps) & (steps > 0))]
        if refused.size:
            raise ParameterError("step", float(refused[0]), "> 0 and finite for every mistake")


def _to_doubles(step: Any, max_dimensions: int = 1) -> np.ndarray:
    given = as_doubles(step)
    if given is None or given.ndim > max_dimensions:
        several = "a number, a sequence of numbers or a function"
        raise ParameterError("step", step, several if max_dimensions else "a function that returns numbers")
    return given


class RosenblattLearner(Learner):
    """w ← w + η_k s (x, constant) at the k-th mistake."""

    visits_violators = True
    idle_margin = 0.0

    def __init__(self, step: Any = 1.0) -> None:
        self.steps = Steps(step)
        self.constant_step = self.steps.constant

    def begin(self) -> None:
        self.auditable = self.constant_step == 1.0 and self.start is None
        self.counts = np.zeros(0, np.int32)

    def begin_fit(self, rows: Rows, positive: int) -> None:
        self.counts = np.zeros(rows.n_rows, np.int32)

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

    def release_row_data(self) -> Self:
        self.counts = np.zeros(0, np.int32)
        return self

    def theorem(self, radius: float, margin: float) -> Bound | None:
        return None if self.constant_step is None else novikoff(radius, margin)

    def bound_from_start(self, radius: float, margin: float, weights: np.ndarray | None) -> float | None:
        if self.start is None or self.constant_step is None:
            return None
        # Steps of η from w₀ are unit steps from w₀/η, and the theorem is about those.
        with np.errstate(over="ignore", under="ignore"):
            unit_step_start = self.start / self.constant_step
        norm = euclidean_norm(unit_step_start)
        if not norm < MAX_START_SIZE:
            return np.inf
        inner_product = -norm  # the least that it can be
        if weights is not None:
            rounding = (len(weights) + 8) * 2.0**-51 * norm
            direction = weights / (euclidean_norm(weights) or 1.0)
            inner_product = max(inner_product, float(np.sum(unit_step_start * direction)) - rounding)
        return float(novikoff_from_start(radius, margin, norm, inner_product))

    def facts(self, run: Run) -> dict[str, Any]:
        return {"mistake_run": self._mistake_run(run)}

    def _mistake_run(self, run: Run) -> MistakeRun | None:
        weights, rows = run.weights, run.rows
        if run.plan.centre is not None or not self.auditable or run.errors is None:
            return None
        witness: Any = weights[:-1]
        added_rows = np.flatnonzero(self.counts != 0)  # as booleans: several times faster
        record = MistakeRun(
            rows=tuple(added_rows.tolist()),
            counts=tuple(self.counts[added_rows].tolist()),
            mistakes=self.mistakes,
            weights=witness,
            intercept=float(weights[-1]) if self.constant else None,
            converged=run.converged,
            about=run.about,
        ).bound_to(rows)
        # The record is about the exact sum of the rows, the run about its rounding: they can differ in a
        # row's side only where the margin is smaller than both errors together.
        mistakes, width, radius = self.mistakes, len(weights), run.facts["radius"]
        # "** 2" would raise where it overflows.
        rounding = (mistakes + 2 * width + 8) * 2.0**-52 * mistakes * radius * radius
        with np.errstate(over="ignore"):
            min_margin = run.facts["margin"] * euclidean_norm(weights)
        if run.converged and not min_margin > rounding and not record.verify(rows).holds:
            record = replace(record, converged=False).bound_to(rows)
        # A score that overflowed or underflowed counts as a mistake, and need not be one.
        is_in_range = not mistakes or (
            radius * radius > MIN_PRODUCT_VALUE and mistakes * radius * radius < MAX_PRODUCT_VALUE
        )
        return record if is_in_range or record.verify(rows).holds else None

    def advice(self, run: Run) -> str:
        centred_radius, radius = run.facts["radius_centred"], run.facts["radius"]
        if run.plan.centre is not None or not self.constant or not radius > 3 * centred_radius:
            return ""
        return Message(
            " The rows are far from the origin (R = {radius:.4g}; around their middle "
            "{centred_radius:.4g}): {center} divides the mistake bound by about {factor:.3g} or more.",
            radius=radius,
            centred_radius=centred_radius,
            center=Parameter("center", True),
            factor=np.square(radius / centred_radius),
        )


class Perceptron(MistakeDriven):
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

    _learner_class = RosenblattLearner
    _learner_parameters = ("step",)

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
