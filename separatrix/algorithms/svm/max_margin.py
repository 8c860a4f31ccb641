"""The hard-margin support vector machine, between two certified bounds.

**Idea.** The best hyperplane is halfway between the nearest points of the two classes' hulls.

**Theorem** (duality of the margin). The largest geometric margin min s(w·x + b)/‖w‖ is half the distance of
the hulls. With the intercept in the norm it is the distance of the origin from the hull of the rows z = s(x,
1). For any w and any mixture λ of rows, min z·w/‖w‖ ≤ γ ≤ ‖Σ λ z‖.

**Certificate.** `MarginBetween`: the halfspace's margin and an upper bound on any, both exact. On rows that
no hyperplane separates the fit ends at once with the certificate of that, a warning that names the conflict,
and the weights of a soft margin (C = 1).

**Cost.** Wolfe's method on a growing active set: a dozen or two scans of the rows.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.separation import Separation, separate_rows
from separatrix.algorithms.svm.hard_margin import solve_hard_margin
from separatrix.algorithms.svm.soft_margin import fit_soft_margin
from separatrix.certificates import Undecided
from separatrix.fitting import FitWarning, LinearClassifier, NothingProven, Solution, warn
from separatrix.fitting.history import History
from separatrix.fitting.parameters import is_between, is_number, shown
from separatrix.rows import Rows


class MaxMargin(LinearClassifier):
    """The hyperplane farthest from both classes.

    Parameters
    ----------
    tol : float, default=1e-9
        The relative gap between the certified ends of the margin at which the search ends.
    fit_intercept : bool, default=True
    free_intercept : bool, default=True
        True: the geometric margin, in which the intercept is free. False: the margin of the rows (x, 1), with
        the intercept in the norm.
    time_limit : float or None
        Seconds for the decision whether the rows are separable.
    n_jobs : int or None
        Threads for the scans.

    Attributes
    ----------
    coef_, intercept_, classes_, halfspace_, certificate_, history_
        Of the predictor; see `LinearClassifier`. The nearest rows score ±1.
    margin_, upper_bound_, gap_ : float
        What the halfspace has, what none exceeds, and their relative difference; nan on inseparable rows. A
        margin below the least double is 0, and ``certificate_`` then proves that the halfspace separates.
    support_ : ndarray
        The rows that prove the upper bound.
    dual_coef_ : ndarray
        Their multipliers times their signs: `coef_` is about Σ dual_coef · x.

    Examples
    --------
    >>> X, y = [[1.0], [2.0], [3.0], [9.0]], [0, 0, 1, 1]
    >>> model = MaxMargin().fit(X, y)
    >>> model.margin_, model.coef_.tolist(), model.intercept_.tolist(), model.support_.tolist()
    (0.5, [[2.0]], [-5.0], [1, 2])
    >>> model.certificate_.verify(X, y).holds
    True
    """

    def __init__(
        self,
        tol: float = 1e-9,
        *,
        fit_intercept: bool = True,
        free_intercept: bool = True,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.free_intercept = free_intercept
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def _check(self) -> None:
        super()._check()
        if not is_between(self.tol, 0, 1):
            raise ValueError(f"tol={shown(self.tol)} makes no sense: it is a share between 0 and 1.")
        if self.time_limit is not None and not (is_number(self.time_limit) and self.time_limit >= 0):
            raise ValueError(f"time_limit={shown(self.time_limit)} makes no sense: give seconds, or None.")

    def _solve(self, rows: Rows, positive: int) -> Solution:
        rows.require_finite()
        separation = separate_rows(rows, positive, intercept=self.fit_intercept, time_limit=self.time_limit)
        solution = solve_hard_margin(
            rows, positive, separation, intercept=self.fit_intercept, free=self.free_intercept, tol=self.tol
        )
        if solution is None:
            return self._fit_soft_margin(rows, positive, separation)
        if not solution.facts["margin"] > 0:
            warn(
                FitWarning,
                "The rows are separated by a margin that is too small for a double: multiply the columns by "
                "a power of two to get the margin itself.",
            )
        return solution

    def _fit_soft_margin(self, rows: Rows, positive: int, separation: Separation) -> Solution:
        """Nothing separates: say so, with the conflict, and fit the soft margin."""
        certificate = separation.certificate
        if not isinstance(certificate, Undecided):
            assert separation.conflict is not None
            shown_rows = ", ".join(map(str, separation.conflict.rows[:8])) + (
                ", …" if len(separation.conflict.rows) > 8 else ""
            )
            warn(
                NothingProven,
                f"No hyperplane separates the rows ({separation.kind}): rows {shown_rows} contradict each "
                "other. The weights are those of a soft margin with C=1; certificate_ has the proof.",
            )
        weights = fit_soft_margin(rows, positive, self.fit_intercept)
        undefined = {"margin": np.nan, "upper_bound": np.nan, "gap": np.nan}
        no_support = {"support": np.empty(0, np.int64), "dual_coef": np.empty(0)}
        return Solution(weights, certificate, History(), {**undefined, **no_support})
