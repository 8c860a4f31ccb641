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

import warnings
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from separatrix.algorithms.svm import squared_hinge, working_set
from separatrix.algorithms.svm.best_intercept import with_best_intercept
from separatrix.algorithms.svm.certificate import MANY, as_proven, proven
from separatrix.algorithms.svm.max_margin import MaxMargin
from separatrix.algorithms.svm.moderate_units import given_back, is_dear, is_wild, no_multipliers, tamed
from separatrix.algorithms.svm.objective import Outcome, Task
from separatrix.certificates import (
    Inseparable,
    MarginAtMost,
    MarginBetween,
    Separable,
    SoftMarginWithin,
    Undecided,
)
from separatrix.fitting import FitWarning, NotSeparable, Solution, warn
from separatrix.fitting.exact_errors import about, matrix
from separatrix.fitting.history import History
from separatrix.fitting.parameters import is_between, is_number, is_one_of, is_whole, shown
from separatrix.fitting.weighted import WeightedClassifier
from separatrix.rows import DenseRows, Rows, SparseRows
from separatrix.rows.threads import blas

LOSSES = {"hinge": working_set.minimise, "squared_hinge": squared_hinge.minimise}
HARD_GAP = 1e-9
LONGER = (2.0**-44, 2.0**-40, 2.0**-36)


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

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not (is_number(self.C) and float(self.C) > 0):
            raise ValueError(f"C={shown(self.C)} makes no sense: it is above 0, and inf for a hard margin.")
        if not is_one_of(self.loss, LOSSES):
            raise ValueError(f"loss={shown(self.loss)} is not known: use {' or '.join(map(repr, LOSSES))}.")
        if not is_between(self.tol, 0, 1):
            raise ValueError(f"tol={shown(self.tol)} makes no sense: it is a relative gap between 0 and 1.")
        if not (is_whole(self.max_iter) and self.max_iter >= 1):
            raise ValueError(f"max_iter={shown(self.max_iter)} makes no sense: at least one step is needed.")

    def _restart(self, same_classes: bool) -> None:
        known = getattr(self, "coef_", None) if self.warm_start and same_classes else None
        same = known is not None and known.shape[1] == self.n_features_in_
        self._start = np.column_stack([self.coef_, self.intercept_]) if same else None

    def _solve(self, rows: Rows, positive: int) -> Solution:
        rows.require_finite()
        if np.isinf(float(self.C)):
            return self._hard(rows, positive)
        return self._soft(rows, positive, float(self.C))

    def _soft(self, rows: Rows, positive: int, cost: float) -> Solution:
        start = None
        if self._start is not None:
            start = self._start[positive if len(self._start) > 1 else 0]
        task = Task.of(rows, positive, cost, intercept=self.fit_intercept)
        with np.errstate(all="ignore"), blas().limit(limits=1):
            if is_wild(task):
                outcome, certificate = self._tamely(task)
            else:
                outcome, certificate = self._proven(task, self._solved(task, start))
                hopeful = is_dear(task) or isinstance(certificate, Undecided)
                if hopeful and not _gap(certificate) <= self.tol:
                    outcome, certificate = min((outcome, certificate), self._tamely(task), key=_rank)
        return Solution(outcome.weights, certificate, History(), self._facts_of(task, outcome, certificate))

    def _solved(self, task: Task, start: np.ndarray | None) -> Outcome:
        outcome = LOSSES[self.loss](task, self.tol, self.max_iter, start)
        if self.fit_intercept and self.loss == "hinge":
            outcome = with_best_intercept(task, outcome, finished=outcome.steps < self.max_iter)
        return outcome

    def _tamely(self, task: Task) -> tuple[Outcome, Any]:
        """By way of moderate units and a moderate cost."""
        tame = tamed(task)
        outcome, listed = given_back(tame, task, self._solved(tame.task, None))
        return self._proven(task, outcome, listed)

    def _proven(
        self, task: Task, outcome: Outcome, listed: dict[int, Fraction] | None = None
    ) -> tuple[Outcome, Any]:
        """The certificate, of slightly longer weights where C makes margins of 1 up to rounding too dear."""
        is_squared = self.loss == "squared_hinge"
        best, certificate = outcome, proven(task, outcome, squared=is_squared, given_multipliers=listed)
        short = outcome.steps >= self.max_iter
        told = short or isinstance(certificate, Undecided) or listed is not None
        if is_squared and not told and _gap(certificate) > self.tol:
            other = proven(task, outcome, squared=True, listed_at_most=MANY)
            certificate = max(certificate, other, key=lambda proof: getattr(proof, "lower", -np.inf))
        for longer in (*LONGER, *_shortfall(task, outcome)):
            if isinstance(certificate, Undecided) or certificate.gap <= self.tol:
                break
            stretched = outcome._replace(
                weights=outcome.weights * (1.0 + longer), margins=outcome.margins * (1.0 + longer)
            )
            other = proven(task, stretched, squared=is_squared, given_multipliers=listed)
            if not isinstance(other, Undecided) and other.gap < certificate.gap:
                best, certificate = stretched, other
        if not _gap(certificate) <= 1.0:  # a bound below 0, where rounding spoils the multipliers
            other = proven(task, best, squared=is_squared, given_multipliers=no_multipliers(best))
            certificate = min(certificate, other, key=_gap)
        return best, certificate

    def _facts_of(self, task: Task, outcome: Outcome, certificate: Any) -> dict[str, Any]:
        ends = {"objective": np.nan, "lower_bound": np.nan, "gap": np.nan}
        if not isinstance(certificate, Undecided):
            gap = certificate.gap
            ends = {"objective": certificate.upper, "lower_bound": certificate.lower, "gap": gap}
            if gap > self.tol:
                why = (
                    f"max_iter={self.max_iter} Newton steps were made"
                    if outcome.steps >= self.max_iter
                    else "rounding lets it go no lower"
                )
                warn(
                    FitWarning,
                    f"The duality gap is {gap:.3g} of the objective, above tol={self.tol:g}: {why}. "
                    "The certificate holds for the gap that was reached.",
                )
        support, alpha = outcome.multipliers(task)
        if isinstance(certificate, SoftMarginWithin) and certificate.loss == "hinge":
            support, alpha = as_proven(support, alpha, certificate)
        alpha *= task.signs()[support]
        return {
            **ends,
            "support": support,
            "dual_coef": alpha,
            "n_iter": outcome.steps,
        }

    def _hard(self, rows: Rows, positive: int) -> Solution:
        """C = inf: the maximum-margin halfspace, or the proof that there is none."""
        counting, numbers = _counting(rows)
        machine = MaxMargin(tol=HARD_GAP, fit_intercept=self.fit_intercept, free_intercept=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)
            found = machine._solve(counting, positive)
        certificate = found.certificate
        if numbers is not None and not isinstance(certificate, Undecided):
            certificate = _of_all_rows(certificate, rows, positive, numbers)
        if not isinstance(found.certificate, MarginBetween | Separable):
            self._tell(certificate)
            soft = self._soft(rows, positive, 1.0)
            facts = {**soft.facts, "objective": np.nan, "lower_bound": np.nan, "gap": np.nan}
            return Solution(soft.weights, certificate, History(), facts)
        low, high = found.facts["margin"], found.facts["upper_bound"]
        facts = {
            "objective": _half_inverse_square(low),
            "lower_bound": _half_inverse_square(high),
            "gap": 1.0 - (low / high) ** 2,
            "support": found.facts["support"] if numbers is None else numbers[found.facts["support"]],
            "dual_coef": found.facts["dual_coef"],
            "n_iter": 1,
        }
        return Solution(found.weights, certificate, found.history, facts, found.halfspace)

    def _tell(self, certificate: Any) -> None:
        if isinstance(certificate, Undecided | Inseparable):
            return  # the predictor warns of it
        named = ", ".join(map(str, certificate.rows[:8])) + (", …" if len(certificate.rows) > 8 else "")
        warn(
            NotSeparable,
            f"C=inf allows no row inside the margin, and no hyperplane separates the rows: rows {named} "
            "contradict each other (certificate_). The weights are those of C=1.",
        )


def _half_inverse_square(margin: float) -> float:
    """Infinite, or 0, where that is beyond doubles."""
    with np.errstate(all="ignore"):
        return float(np.float64(0.5) / margin / margin)


def _gap(certificate: Any) -> float:
    return inf if isinstance(certificate, Undecided) else certificate.gap


def _shortfall(task: Task, outcome: Outcome) -> list[float]:
    """By how much longer weights have no loss at all, if all rows are on their side and nearly at 1."""
    counted = outcome.margins if task.weights is None else outcome.margins[task.weights > 0.0]
    least = float(counted.min())
    return [1.0 / least - 1.0 + LONGER[0]] if 0.5 < least < 1.0 else []


def _rank(found: tuple[Outcome, Any]) -> tuple[float, float]:
    """The less the better: the gap, or the objective where the gap says nothing."""
    gap = _gap(found[1])
    return (gap, 0.0) if gap < 0.5 else (1.0, getattr(found[1], "upper", inf))


def _of_all_rows(certificate: Any, rows: Rows, positive: int, numbers: np.ndarray) -> Any:
    """What was proven of the rows that count, said of all rows, or the part of it that holds of them too."""
    said = about(rows, positive)
    if isinstance(certificate, Separable):
        proof = replace(certificate, about=said).bound_to(rows)
        return proof if proof.verify(rows).holds else Undecided("Rows of weight 0 are not on their side.")
    named = tuple(numbers[list(certificate.rows)].tolist())
    moved = replace(certificate, rows=named, about=said).bound_to(rows)
    if moved.verify(rows).holds:
        return moved
    if not isinstance(moved, MarginBetween):
        return Inseparable(named, moved.multipliers, moved.intercept is not None, about=said).bound_to(rows)
    warn(
        FitWarning,
        "Rows of weight 0 lie inside the margin, so certificate_ proves of all rows only that no halfspace "
        "has a larger one: leave these rows out to have the margin itself certified.",
    )
    constant = moved.intercept is not None
    return MarginAtMost(
        named, moved.multipliers, moved.upper, moved.geometric, constant, about=said
    ).bound_to(rows)


def _counting(rows: Rows) -> tuple[Rows, np.ndarray | None]:
    """The rows of a weight above 0, and their numbers where some have none."""
    if rows.weights is None or (rows.weights > 0).all():
        return rows, None
    numbers = np.flatnonzero(rows.weights > 0)
    blocks = [(matrix(block, rows.n_columns), block) for block in rows.blocks()]
    parts = [X[rows.weights[b.start : b.stop] > 0] for X, b in blocks]
    codes = np.concatenate([b.codes for _, b in blocks])[numbers]
    if isinstance(parts[0], np.ndarray):
        return DenseRows(
            np.concatenate(parts), codes, rows.classes, columns=rows.columns, n_jobs=rows.n_jobs
        ), numbers
    from scipy.sparse import vstack

    whole = vstack(parts, format="csr")
    return SparseRows(whole, codes, rows.classes, columns=rows.columns, n_jobs=rows.n_jobs), numbers
