"""The soft-margin support vector machine, with a certified duality gap.

**Idea.** The widest street between the classes, where a row inside it or on the wrong side costs C for each
unit it is short of its edge: minimise ½‖w‖² + C Σ v·max(0, 1 − s(w·x + b)), or the squares of the shortfalls.
The intercept is free: it is not in the norm, so data that are shifted get the same w.

**Theorem** (duality; Cortes and Vapnik 1995). For 0 ≤ α ≤ Cv with Σ αs = 0 no objective is below
Σ α − ½‖Σ αsx‖², and the largest such bound equals the least objective. At the optimum w = Σ αsx: rows beyond
the edge have α = 0, rows short of it α = Cv, and only rows on it lie between.

**Certificate.** `SoftMarginWithin`: the objective of the weights is at most ``objective_``, that of no
weights below ``lower_bound_``, both exact. C = inf is the hard margin with its `MarginBetween`; on rows
that no hyperplane separates the fit ends with the certificate of that, a warning that names the conflict,
and the weights of C = 1. Rows of weight 0 are in the data that certificates speak of: where some lie inside
the margin of the others, `MarginAtMost` is what is left to say.

**Cost.** Few columns: samples, then two to four passes over the rows (`working_set`). The squared hinge: a
few Newton steps of two passes (`squared`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from separatrix.algorithms.separation import separate_rows
from separatrix.algorithms.svm import squared_hinge, working_set
from separatrix.algorithms.svm.best_intercept import optimise_intercept
from separatrix.algorithms.svm.certificate import MAX_BALANCING_ROWS, prove, use_certified_multipliers
from separatrix.algorithms.svm.counted_rows import extend_to_all_rows, select_counted_rows
from separatrix.algorithms.svm.hard_margin import solve_hard_margin
from separatrix.algorithms.svm.moderate_units import (
    has_high_cost,
    is_extreme,
    list_zero_multipliers,
    rescale,
    restore_units,
)
from separatrix.algorithms.svm.objective import SoftMarginProblem, SoftMarginSolution
from separatrix.certificates import (
    Inseparable,
    SoftMarginWithin,
    Undecided,
)
from separatrix.fitting import FitWarning, NotSeparable, Solution, warn
from separatrix.fitting.history import History
from separatrix.fitting.parameters import is_between, is_number, is_one_of, is_whole, shown
from separatrix.fitting.weighted import WeightedClassifier
from separatrix.rows import Rows
from separatrix.rows.threads import blas

LOSSES = {"hinge": working_set.minimise, "squared_hinge": squared_hinge.minimise}
HARD_MARGIN_GAP = 1e-9
STRETCHES = (2.0**-44, 2.0**-40, 2.0**-36)


class LinearSVM(WeightedClassifier):
    """A linear support vector machine whose intercept is not penalised.

    Parameters
    ----------
    C : float, default=1.0
        The cost of a unit of loss against ½‖w‖², as in scikit-learn; inf: no row may be inside the margin.
    loss : {"hinge", "squared_hinge"}, default="hinge"
    fit_intercept : bool, default=True
    tol : float, default=1e-8
        The relative duality gap at which the search ends.
    max_iter : int, default=1000
        Newton steps. A fit that ends on them warns, and its certificate has the gap that was reached.
    class_weight : mapping, "balanced" or None
        Multiplies the weights of the rows of a class.
    warm_start : bool, default=False
        Start from the weights of the last fit, if it had the same classes and columns: for a path of C's.
    verbose : int, default=0
        Above 0, a fit prints to standard error, line by line, how far its steps have come.
    n_jobs : int or None
        Threads for the passes over the rows.

    Attributes
    ----------
    coef_, intercept_, classes_, halfspace_, certificate_, history_
        Of the predictor; see `LinearClassifier`.
    objective_, lower_bound_, gap_ : float
        The objective of the weights, what that of no weights is below, and (objective − bound)/objective.
        With C = inf these are ½‖w‖² of the certified ends of the margin, and nan on inseparable rows.
    support_ : ndarray
        The rows with α above 0.
    dual_coef_ : ndarray
        Their multipliers times their signs. With an intercept they add up to 0, and `coef_` is no further
        from Σ dual_coef · x than √(2 · gap · objective): of the hinge up to the rounding of these sums, of
        the squared hinge, where they are 2C · shortfall of the weights, to some parts in a million.
    n_iter_ : int
        Newton steps on the last set of rows.

    Examples
    --------
    >>> X, y = [[1.0], [2.0], [3.0], [9.0], [2.5]], [0, 0, 1, 1, 1]
    >>> model = LinearSVM(C=1.0).fit(X, y)
    >>> model.coef_.round(9).tolist(), model.intercept_.round(9).tolist()
    ([[1.0]], [-2.0])
    >>> model.gap_ < 1e-8, model.certificate_.verify(X, y).holds
    (True, True)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "hinge",
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 1000,
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _check(self) -> None:
        super()._check()
        if not (is_number(self.C) and float(self.C) > 0):
            raise ValueError(f"C={shown(self.C)} makes no sense: it is above 0, and inf for a hard margin.")
        if not is_one_of(self.loss, LOSSES):
            raise ValueError(f"loss={shown(self.loss)} is not known: use {' or '.join(map(repr, LOSSES))}.")
        if not is_between(self.tol, 0, 1):
            raise ValueError(f"tol={shown(self.tol)} makes no sense: it is a relative gap between 0 and 1.")
        if not (is_whole(self.max_iter) and self.max_iter >= 1):
            raise ValueError(f"max_iter={shown(self.max_iter)} makes no sense: at least one step is needed.")

    def _solve(self, rows: Rows, positive: int) -> Solution:
        rows.require_finite()
        if np.isinf(float(self.C)):
            return self._solve_hard_margin(rows, positive)
        return self._solve_soft_margin(rows, positive, float(self.C))

    def _solve_soft_margin(self, rows: Rows, positive: int, cost: float) -> Solution:
        start = self._start_of(positive)
        problem = SoftMarginProblem.from_rows(rows, positive, cost, intercept=self.fit_intercept)
        with np.errstate(all="ignore"), blas().limit(limits=1):
            if is_extreme(problem):
                solution, certificate = self._solve_rescaled(problem)
            else:
                solution, certificate = self._prove(problem, self._minimise(problem, start))
                may_improve = has_high_cost(problem) or isinstance(certificate, Undecided)
                if may_improve and not _get_gap(certificate) <= self.tol:
                    solution, certificate = min(
                        (solution, certificate), self._solve_rescaled(problem), key=_rank_solution
                    )
        return Solution(
            solution.weights, certificate, History(), self._collect_facts(problem, solution, certificate)
        )

    def _minimise(self, problem: SoftMarginProblem, start: np.ndarray | None) -> SoftMarginSolution:
        solution = LOSSES[self.loss](problem, self.tol, self.max_iter, start)
        if self.fit_intercept and self.loss == "hinge":
            solution = optimise_intercept(problem, solution, is_finished=solution.steps < self.max_iter)
        return solution

    def _solve_rescaled(self, problem: SoftMarginProblem) -> tuple[SoftMarginSolution, Any]:
        """By way of moderate units and a moderate cost."""
        rescaled = rescale(problem)
        solution, multipliers = restore_units(rescaled, problem, self._minimise(rescaled.problem, None))
        return self._prove(problem, solution, multipliers)

    def _prove(
        self,
        problem: SoftMarginProblem,
        solution: SoftMarginSolution,
        multipliers: dict[int, Fraction] | None = None,
    ) -> tuple[SoftMarginSolution, Any]:
        """The certificate, of slightly longer weights where C makes margins of 1 up to rounding too dear."""
        is_squared = self.loss == "squared_hinge"
        best = solution
        certificate = prove(problem, solution, squared=is_squared, given_multipliers=multipliers)
        is_cut_short = solution.steps >= self.max_iter
        is_final = is_cut_short or isinstance(certificate, Undecided) or multipliers is not None
        if is_squared and not is_final and _get_gap(certificate) > self.tol:
            alternative = prove(problem, solution, squared=True, max_listed=MAX_BALANCING_ROWS)
            certificate = max(certificate, alternative, key=lambda proof: getattr(proof, "lower", -np.inf))
        for stretch in (*STRETCHES, *_find_stretch(problem, solution)):
            if isinstance(certificate, Undecided) or certificate.gap <= self.tol:
                break
            stretched = solution._replace(
                weights=solution.weights * (1.0 + stretch), margins=solution.margins * (1.0 + stretch)
            )
            alternative = prove(problem, stretched, squared=is_squared, given_multipliers=multipliers)
            if not isinstance(alternative, Undecided) and alternative.gap < certificate.gap:
                best, certificate = stretched, alternative
        if not _get_gap(certificate) <= 1.0:  # a bound below 0, where rounding spoils the multipliers
            alternative = prove(
                problem, best, squared=is_squared, given_multipliers=list_zero_multipliers(best)
            )
            certificate = min(certificate, alternative, key=_get_gap)
        return best, certificate

    def _collect_facts(
        self, problem: SoftMarginProblem, solution: SoftMarginSolution, certificate: Any
    ) -> dict[str, Any]:
        bounds = {"objective": np.nan, "lower_bound": np.nan, "gap": np.nan}
        if not isinstance(certificate, Undecided):
            gap = certificate.gap
            bounds = {"objective": certificate.upper, "lower_bound": certificate.lower, "gap": gap}
            if gap > self.tol:
                reason = (
                    f"max_iter={self.max_iter} Newton steps were made"
                    if solution.steps >= self.max_iter
                    else "rounding lets it go no lower"
                )
                warn(
                    FitWarning,
                    f"The duality gap is {gap:.3g} of the objective, above tol={self.tol:g}: {reason}. "
                    "The certificate holds for the gap that was reached.",
                )
        support, alpha = solution.compute_multipliers(problem)
        if isinstance(certificate, SoftMarginWithin) and certificate.loss == "hinge":
            support, alpha = use_certified_multipliers(support, alpha, certificate)
        alpha *= problem.collect_signs()[support]
        return {
            **bounds,
            "support": support,
            "dual_coef": alpha,
            "n_iter": solution.steps,
        }

    def _solve_hard_margin(self, rows: Rows, positive: int) -> Solution:
        """C = inf: the maximum-margin halfspace, or the proof that there is none."""
        counted, indices = select_counted_rows(rows)
        separation = separate_rows(counted, positive, intercept=self.fit_intercept)
        solution = solve_hard_margin(
            counted, positive, separation, intercept=self.fit_intercept, free=True, tol=HARD_MARGIN_GAP
        )
        certificate: Any = separation.certificate if solution is None else solution.certificate
        if indices is not None and not isinstance(certificate, Undecided):
            certificate = extend_to_all_rows(certificate, rows, positive, indices)
        if solution is None:
            self._warn_of_conflict(certificate)
            soft_margin = self._solve_soft_margin(rows, positive, 1.0)
            facts = {**soft_margin.facts, "objective": np.nan, "lower_bound": np.nan, "gap": np.nan}
            return Solution(soft_margin.weights, certificate, History(), facts)
        low, high = solution.facts["margin"], solution.facts["upper_bound"]
        facts = {
            "objective": _halve_inverse_square(low),
            "lower_bound": _halve_inverse_square(high),
            "gap": 1.0 - (low / high) ** 2,
            "support": solution.facts["support"] if indices is None else indices[solution.facts["support"]],
            "dual_coef": solution.facts["dual_coef"],
            "n_iter": 1,
        }
        return Solution(solution.weights, certificate, solution.history, facts, solution.halfspace)

    def _warn_of_conflict(self, certificate: Any) -> None:
        if isinstance(certificate, Undecided | Inseparable):
            return  # the predictor warns of it
        shown_rows = ", ".join(map(str, certificate.rows[:8])) + (", …" if len(certificate.rows) > 8 else "")
        warn(
            NotSeparable,
            f"C=inf allows no row inside the margin, and no hyperplane separates the rows: rows {shown_rows} "
            "contradict each other (certificate_). The weights are those of C=1.",
        )


def _halve_inverse_square(margin: float) -> float:
    """Infinite, or 0, where that is beyond doubles."""
    with np.errstate(all="ignore"):
        return float(np.float64(0.5) / margin / margin)


def _get_gap(certificate: Any) -> float:
    return inf if isinstance(certificate, Undecided) else certificate.gap


def _find_stretch(problem: SoftMarginProblem, solution: SoftMarginSolution) -> list[float]:
    """By how much longer weights have no loss at all, if all rows are on their side and nearly at 1."""
    counted_margins = solution.margins if problem.weights is None else solution.margins[problem.weights > 0.0]
    least_margin = float(counted_margins.min())
    return [1.0 / least_margin - 1.0 + STRETCHES[0]] if 0.5 < least_margin < 1.0 else []


def _rank_solution(candidate: tuple[SoftMarginSolution, Any]) -> tuple[float, float]:
    """The less the better: the gap, or the objective where the gap says nothing."""
    gap = _get_gap(candidate[1])
    return (gap, 0.0) if gap < 0.5 else (1.0, getattr(candidate[1], "upper", inf))
