"""The fewest training errors of any halfspace: an interval that closes while one watches.

**Idea.** A search from above, a proof from below, both exact, until they meet.

**Theorem** (Johnson and Preparata 1978; Amaldi and Kann 1995). To find a halfspace with the fewest errors is
NP-hard, and so is one with at most C times as many, for any constant C. For a fixed number of columns it is
polynomial.

**Certificate.** `FewestErrors`: the halfspace, counted exactly, and a proof that none has fewer than
``lower_bound_`` errors. Where both numbers agree the halfspace is optimal. Stopped early, by the clock, by a
limit or by Ctrl-C, it has both ends as they are then.

**Cost.** Milliseconds to a minute for up to five columns, a few hundred rows and any noise, or for many
columns and few errors; beyond that the interval stays open.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from separatrix.algorithms.separation import separate_rows
from separatrix.algorithms.zero_one.checkpoint import Checkpoint
from separatrix.algorithms.zero_one.confirmation import confirm
from separatrix.algorithms.zero_one.free_rows import Recession
from separatrix.algorithms.zero_one.interval import ErrorInterval, convert_cost
from separatrix.algorithms.zero_one.misclassified_rows import find_misclassified
from separatrix.algorithms.zero_one.problem import ReducedProblem
from separatrix.algorithms.zero_one.reduce import reduce_problem, to_dense_arrays, to_integer_costs
from separatrix.algorithms.zero_one.strategy import (
    close_interval,
    count_threads,
    draw_seed,
    prepare_kernels,
)
from separatrix.algorithms.zero_one.widest_margin import find_widest
from separatrix.certificates import FewestErrors
from separatrix.fitting import FitWarning, Solution, warn
from separatrix.fitting.exact_errors import about
from separatrix.fitting.parameters import is_number, require_node_limit, require_time_limit, shown
from separatrix.fitting.progress import change_reporter
from separatrix.fitting.weighted import WeightedClassifier
from separatrix.halfspace import Halfspace
from separatrix.rows import Rows

MARGIN_ENTRIES = 4_000_000  # the largest table whose margin is computed after the search
RESERVE_SECONDS = 2.0  # seconds at most of the time given that are kept for what comes after the search


class ZeroOne(WeightedClassifier):
    """The halfspace with the fewest training errors, with a proof.

    Parameters
    ----------
    time_limit : float or None, default=60
        Seconds. None: until the optimum is proven.
    node_limit : int or None
        How many nodes the proof may visit: the same limit gives the same answer on every run.
    tol : float, default=0
        Stop when (upper − lower) ≤ tol · upper.
    fit_intercept : bool, default=True
    class_weight : dict, "balanced" or None
        What an error costs, by class: {label: cost}, or so that both classes weigh the same; multiplied with
        ``sample_weight``, which says what an error costs row by row.
    max_margin : bool, default=True
        Among the halfspaces with the fewest errors that were met, return the one with the largest margin on
        the rows it gets right.
    random_state : int, RandomState or None
        For the search. None is 0.
    checkpoint : str, path or None
        A file that keeps the interval; a later fit of the same data continues from it. Two classes only.
    progress : callable or None
        Called with the `ErrorInterval` whenever it changes, and now and then between: ``interval.upper``,
        ``.lower``, ``.nodes``, ``.seconds``.
    verbose : int, default=0
        Above 0, a fit prints a line per change of the interval to standard error.
    n_jobs : int or None
        Threads, at most four per core. None is 2, -1 all cores.

    Attributes
    ----------
    coef_, intercept_, classes_, halfspace_, certificate_
        Of the predictor; see `LinearClassifier`.
    errors_ : int or float
        Training errors of the halfspace (rows with s·score ≤ 0), exact; with weights, what they cost.
    lower_bound_ : int or float
        What no halfspace goes below, proven.
    optimal_ : bool
        Whether the two agree.
    misclassified_ : ndarray of int
        The rows that are errors.
    margin_ : float
        The margin on the other rows, certified; nan where none was computed.
    nodes_ : int
    interrupted_ : bool
        Whether Ctrl-C ended the search.
    history_ : list of (seconds, lower, upper, nodes)

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> y = [0, 1, 1, 0]
    >>> model = ZeroOne().fit(X, y)
    >>> model.errors_, model.lower_bound_, model.optimal_
    (1, 1, True)
    >>> model.certificate_.verify(X, y).holds
    True
    """

    def __init__(
        self,
        time_limit: float | None = 60,
        node_limit: int | None = None,
        tol: float = 0,
        *,
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        max_margin: bool = True,
        random_state: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Callable[[ErrorInterval], None] | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.time_limit = time_limit
        self.node_limit = node_limit
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_margin = max_margin
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.progress = progress
        self.verbose = verbose
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # With class weights 10^7 apart the fewest weighted errors on 50 rows are a poor guide to 50 others:
        # the optimum is below the score that check_class_weight_classifiers asks of new rows.
        tags.classifier_tags.poor_score = True
        return tags

    def _check(self) -> None:
        super()._check()
        require_time_limit(self.time_limit)
        require_node_limit(self.node_limit)
        if not (is_number(self.tol) and 0 <= self.tol < 1):
            raise ValueError(f"tol={shown(self.tol)} makes no sense: it is a share from 0 to below 1.")

    def _solve(self, rows: Rows, positive: int) -> Solution:
        rows.require_finite()
        prepare_kernels(rows.n_columns + self.fit_intercept)
        start_time = time.perf_counter()
        X, signs = to_dense_arrays(rows, positive)
        problem = reduce_problem(X, signs, rows.weights, intercept=self.fit_intercept)
        interval = self._make_interval(problem, start_time)
        checkpoint = None if self.checkpoint is None else Checkpoint(self.checkpoint, problem)
        if checkpoint is not None:
            if len(self.classes_) > 2:
                raise ValueError("checkpoint= keeps one interval: fit one class against the rest at a time.")
            checkpoint.resume(interval)
        if not interval.closed and problem.offset == 0 and rows.weights is None:
            self._separate(rows, positive, interval)
        interval.watch(
            self.progress,
            None if checkpoint is None else checkpoint.write_if_due,
            change_reporter(_get_bounds, format_interval),
        )
        close_interval(problem, interval, draw_seed(self.random_state), count_threads(self.n_jobs))
        confirm(interval)
        if checkpoint is not None:
            checkpoint.write(interval)
            if checkpoint.failure is not None:
                reason = checkpoint.failure.strerror or checkpoint.failure
                warn(FitWarning, f"The checkpoint {checkpoint.path.name} could not be written: {reason}.")
        has_cost = np.ones(len(X), bool) if rows.weights is None else np.asarray(rows.weights) > 0
        numbers, margin = self._find_widest(X[has_cost], signs[has_cost], interval)
        return self._make_solution(rows, positive, interval, numbers, margin)

    def _make_interval(self, problem: ReducedProblem, start_time: float) -> ErrorInterval:
        limit = self.time_limit
        if limit is not None:
            limit -= min(RESERVE_SECONDS, 0.04 * limit)
        return ErrorInterval(
            problem, time_limit=limit, node_limit=self.node_limit, tol=self.tol, start_time=start_time
        )

    def _separate(self, rows: Rows, positive: int, interval: ErrorInterval) -> None:
        """No errors at once, where the rows are separable; which rows cost nothing, where they are quasi."""
        limit = None if self.time_limit is None or self.node_limit is not None else self.time_limit / 2
        answer = separate_rows(rows, positive, intercept=self.fit_intercept, time_limit=limit)
        plane = answer._plane
        if plane is None:
            return
        *weights, bias = plane.to_numbers()
        found = interval.problem.from_user([*weights, bias] if self.fit_intercept else weights)
        if answer.separable:
            interval.offer(found)
        elif answer.kind == "quasi":
            interval.recession = Recession(interval.problem, found)

    def _make_solution(
        self,
        rows: Rows,
        positive: int,
        interval: ErrorInterval,
        numbers: tuple[float | int, ...],
        margin: float,
    ) -> Solution:
        problem = interval.problem
        numbers = self._round_to_doubles(problem, numbers, interval.upper)
        weights, bias = (numbers[:-1], numbers[-1]) if self.fit_intercept else (numbers, None)
        wrong = find_misclassified(rows, positive, weights, bias)
        costs, _ = to_integer_costs(rows.weights, rows.n_rows)
        errors = sum(costs[i] for i in wrong.tolist())
        lower = min(interval.lower, errors)
        certificate = FewestErrors(
            weights,
            bias,
            errors,
            lower,
            None if rows.weights is None else tuple(rows.weights.tolist()),
            interval.proof,
            about=about(rows, positive),
        ).bound_to(rows)
        halfspace = Halfspace(weights, 0.0 if bias is None else bias)
        facts = {
            "errors": convert_cost(errors, problem.unit),
            "lower_bound": convert_cost(lower, problem.unit),
            "optimal": errors == lower,
            "misclassified": wrong,
            "margin": margin,
            "nodes": interval.nodes,
            "interrupted": interval.interrupted,
        }
        floats = np.append(halfspace.weights, halfspace.intercept)
        self._warn_of_rounding(rows, positive, floats, wrong)
        history: Any = list(interval.history)
        return Solution(floats, certificate, history, facts, halfspace)

    def _find_widest(
        self, X: np.ndarray, signs: np.ndarray, interval: ErrorInterval
    ) -> tuple[tuple[float | int, ...], float]:
        """The best halfspace met, with the largest margin where one can be certified, and this margin."""
        problem = interval.problem
        candidates = [interval.weights, *interval.ties]
        while self.max_margin and X.size <= MARGIN_ENTRIES:
            seconds = 5.0 if self.time_limit is None or self.node_limit else max(0.5, interval.seconds_left)
            halfspaces = [problem.to_user(weights) for weights in candidates]
            found = find_widest(X, signs, halfspaces, self.fit_intercept, min(5.0, seconds))
            if found is None:
                break
            halfspace = problem.from_user(found.weights)
            if problem.compute_cost(halfspace) > interval.upper:
                break
            if not interval.offer(halfspace):
                return found.weights, found.margin
            # Rounded, it gets a row right that its cell gets wrong: the margin is that of another cell.
            candidates = [interval.weights]
        return problem.to_user(interval.weights), float("nan")

    def _warn_of_rounding(self, rows: Rows, positive: int, weights: np.ndarray, wrong: np.ndarray) -> None:
        """Warn where predict, which computes in doubles, misses a row that the exact halfspace gets right."""
        coef, intercept = weights[np.newaxis, :-1], weights[-1:]
        scores = np.concatenate(list(rows.each(self._scores(coef, intercept), parallel_blas=True)))[:, 0]
        missed = np.flatnonzero((scores > 0) != (rows.signs(positive) > 0))
        n_missed = len(np.setdiff1d(missed, wrong))
        if n_missed:
            warn(
                FitWarning,
                f"Doubles cannot tell all rows from the hyperplane: predict misses {n_missed} of "
                f"{rows.n_rows} training rows that halfspace_ and certificate_ get right. Use halfspace_ "
                "to predict.",
            )

    def _round_to_doubles(
        self, problem: ReducedProblem, numbers: tuple[Any, ...], upper: int
    ) -> tuple[float | int, ...]:
        """The nearest doubles, at most 1 in size, if they make no more errors; else the numbers as given."""
        if all(isinstance(a, float) for a in numbers):
            return numbers
        largest = max(abs(a) for a in numbers) or 1
        bits = max(1, int(largest)).bit_length()
        doubles = tuple(float(a) if isinstance(a, float) else a / (1 << bits) for a in numbers)
        if any(isinstance(a, float) for a in numbers):
            doubles = tuple(map(float, numbers))
        is_as_good = problem.compute_cost(problem.from_user(doubles)) <= upper
        return doubles if is_as_good else numbers


def _get_bounds(interval: ErrorInterval) -> tuple[int, int]:
    return interval.lower, interval.upper


def format_interval(interval: ErrorInterval) -> str:
    """The interval in one line: incumbent, bound, gap, nodes, seconds.

    >>> problem = reduce_problem(np.array([[0.0], [1.0]]), np.array([-1.0, 1.0]))
    >>> print(format_interval(ErrorInterval(problem)))
    2 errors, at least 0 proven (gap 100%), 0 nodes, 0 s
    """
    unit = interval.problem.unit
    upper, lower = convert_cost(interval.upper, unit), convert_cost(interval.lower, unit)
    gap = 100 * (interval.upper - interval.lower) / (interval.upper or 1)
    return (
        f"{upper:,} errors, at least {lower:,} proven (gap {gap:.0f}%), "
        f"{interval.nodes:,} nodes, {interval.seconds:.0f} s"
    )
