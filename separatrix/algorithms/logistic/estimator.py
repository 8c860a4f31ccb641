"""Logistic regression: the probability of a class is the logistic function of a linear score.

**Idea.** P(s | x) = 1/(1 + exp(−s(w·x + b))). The weights minimise ½‖w‖² + C Σ v_i log(1 + exp(−s_i(w·x_i
+ b))), the intercept not penalised; with C infinite, the sum alone.

**Theorem** (duality of Fenchel and Young). Let α_i = C·v_i·p_i with 0 ≤ p_i ≤ 1, and Σ s_i α_i = 0 for a
free intercept. No weights have an objective below C Σ v_i h(p_i) − ½‖Σ s_i α_i x_i‖², h the entropy in
nats. With p_i = 1/(1 + exp(s_i·score_i)) at weights whose intercept is best, the distance to that bound
is ½‖∇_w‖². The intercept is made best at the end, and what its rounding leaves of Σ s_i α_i is taken from
one row. Without a penalty Σ α_i z_i has to be 0, in every entry: a few rows that span all rows take up
what is left, and how much of it each at most is bounded (`certificates.restoration`).

**Certificate.** `LikelihoodWithin`: the objective of the weights from above and that of any weights from
below. On separated rows without a penalty no weights are best: a warning says so and names what runs
away, and the bound from below is that of the rows which separation leaves alone.

**Cost.** Newton's method sums n·d² products a step, a handful of steps; with many columns conjugate
gradients read the rows once a product. One more pass for the proof.

References
----------
Yu, Huang and Lin, *Dual coordinate descent methods for logistic regression and maximum entropy models*,
2011, for the dual; Albert and Anderson, 1984, for separation; Heinze and Schemper, 2002, for Firth's
penalty on separated rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite, isinf
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.inference import Inference, make_tables
from separatrix.algorithms.logistic.probabilities import compute_log_probabilities
from separatrix.algorithms.logistic.solver import UNASKED_FACTS, SolverOptions, minimise
from separatrix.algorithms.logistic.usual_units import solve_in_usual_units
from separatrix.fitting import FitWarning, Solution, warn
from separatrix.fitting.history import History
from separatrix.fitting.parameters import require_between, require_count, require_one_of, require_positive
from separatrix.fitting.weighted import WeightedClassifier
from separatrix.messages import Message, Parameter
from separatrix.rows import Rows

LARGE_COST = 1e15  # beyond about this the rounding of doubles alone keeps the gap open
SOLVERS = ("auto", "newton", "newton-cg", "gradient-descent")


class LogisticRegression(WeightedClassifier):
    """Logistic regression with a proven distance from the best likelihood.

    Parameters
    ----------
    C : float, default=1.0
        The cost of the loss against ½‖w‖², as in scikit-learn; ``inf``: nothing is penalised.
    penalty : {"l2", "firth", None}, default="l2"
        None is C = inf. "firth" is Firth's penalty, which leaves C out of account.
    multi_class : {"ovr", "multinomial"}, default="ovr"
        More than two classes: one logistic model for each against the rest, or one model of all.
    solver : {"auto", "newton", "newton-cg", "gradient-descent"}, default="auto"
    tol : float, default=1e-8
        The relative gap at which the fit ends.
    max_iter : int, default=1000
        Steps over all rows.
    fit_intercept : bool, default=True
    class_weight : dict, "balanced" or None
    warm_start : bool, default=False
        Start at the weights of the fit before: a path of C's is cheap that way.
    verbose : int, default=0
        Above 0, a fit prints a line per step to standard error.
    n_jobs : int or None
        Threads for the sums.

    Attributes
    ----------
    coef_, intercept_, classes_, halfspace_, certificate_, history_
        Of the predictor; see `LinearClassifier`. The multinomial model has one certificate for all classes.
    gap_, objective_, lower_bound_ : float
        The proven relative gap, and its two ends.
    objectives_ : ndarray
        The objective at the start and after each step; on separated rows without a penalty, of penalised fits
        on the way.
    n_iter_ : int
        The steps made, at most ``max_iter``.
    separation_ : str
        Without a penalty "overlap", "quasi" or "complete"; "not asked" otherwise.
    unbounded_ : tuple of str
        For separated rows a word for each coefficient, the intercept last: "+inf", "-inf", "finite" or
        "undetermined"; of the multinomial model such a tuple for each class but the first, of its
        differences from that one.
    aliased_ : tuple of bool
        Without a penalty and with Firth's, for each coefficient, the intercept last: whether the rows do not
        determine it, since columns depend on one another.
    rank_ : int
        The rank of the columns, with the constant 1 as one more column if there is an intercept.
    near_dependency_ : tuple of int
        Without a penalty, columns that depend on one another so nearly that double precision does not tell
        their coefficients apart: up to about a millionth of their size.
    recession_ : ndarray or None
        The direction in which the likelihood never falls, the intercept last.
    separated_rows_ : ndarray
        The rows that are strictly on their side of it: those responsible.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1, 1]
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict_proba([[2.5]]).round(3).tolist(), model.gap_ <= 1e-8
    ([[0.31, 0.69]], True)
    >>> model.certificate_.verify(X, y).holds
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        penalty: str | None = "l2",
        *,
        multi_class: str = "ovr",
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.multi_class = multi_class
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _check(self) -> None:
        super()._check()
        require_positive("C", self.C)
        require_one_of("penalty", self.penalty, ("l2", "firth", None))
        require_one_of("multi_class", self.multi_class, ("ovr", "multinomial"))
        require_one_of("solver", self.solver, SOLVERS)
        require_between("tol", self.tol, 0, 1)
        require_count("max_iter", self.max_iter)

    @property
    def _options(self) -> SolverOptions:
        cost = float(self.C) if self.penalty == "l2" else inf
        return SolverOptions(cost, self.solver, self.tol, self.max_iter, self.fit_intercept)

    @property
    def _is_multinomial(self) -> bool:
        return self.multi_class == "multinomial" and len(self.classes_) > 2

    def _tasks(self) -> Sequence[int]:
        """One of all classes for the multinomial model."""
        return (0,) if self._is_multinomial else super()._tasks()

    def _solve(self, rows: Rows, positive: int) -> Solution:
        if self._is_multinomial and self.penalty == "firth":
            raise ValueError(
                Message(
                    "{} has no multinomial model; use {} or {}.",
                    Parameter("penalty", "firth"),
                    Parameter("multi_class", "ovr"),
                    Parameter("penalty", "l2"),
                )
            )
        start = self._start if self._is_multinomial else self._start_of(positive)
        # A BLAS that divides a product of two long vectors among threads is slower than one that does not.
        with limit_blas_threads():
            return solve_in_usual_units(self._solve_as_given, rows, positive, self._options, start)

    def _solve_as_given(
        self, rows: Rows, positive: int, options: SolverOptions, start: np.ndarray | None
    ) -> Solution:
        if self._is_multinomial:
            from separatrix.algorithms.logistic.multinomial import solve_multinomial

            return solve_multinomial(rows, options, start)
        if self.penalty == "firth":
            from separatrix.algorithms.logistic.unpenalised import solve_firth

            return solve_firth(rows, positive, options, start)
        if isinf(options.C):
            from separatrix.algorithms.logistic.unpenalised import solve_unpenalised

            return solve_unpenalised(rows, positive, options, start)
        weights, certificate, facts = minimise(rows, positive, options, start)
        return Solution(weights, certificate, History(), {**facts, **UNASKED_FACTS})

    def _attributes(self, solutions: list[Solution]) -> dict[str, Any]:
        self._warn_of_gap([s.facts for s in solutions])
        return super()._attributes(solutions)

    def _warn_of_gap(self, facts: list[dict[str, Any]]) -> None:
        open_gaps = [f["gap"] for f in facts if isfinite(f["gap"]) and f["gap"] > self.tol]
        if open_gaps and all(f["separation"] != "complete" for f in facts):
            near = self._name_nearly_dependent(f["near_dependency"] for f in facts)
            warn(
                FitWarning,
                Message(
                    "The fit ended with a proven relative gap of {:.1e}, above {}: {}.",
                    max(open_gaps),
                    Parameter("tol", float(self.tol)),
                    self._suggest_remedy(near),
                ),
            )

    def _suggest_remedy(self, near: str) -> str:
        if near:
            advice = "{} nearly depend on one another; drop one of them, or set {}"
            return Message(advice, near, Parameter("penalty", "l2"))
        if LARGE_COST < self._options.C < inf:
            return Message("lower {}, or set {}", Parameter("C", self._options.C), Parameter("penalty", None))
        return Message("raise {}, scale the columns, or try another solver", Parameter("max_iter"))

    def _name_nearly_dependent(self, dependencies: Iterable[Any]) -> str:
        """The names of the columns that nearly depend on one another; one alone does so on the intercept."""
        columns: set[int] = set()
        for entry in dependencies:
            columns.update(entry if isinstance(entry, tuple) else (entry,))
        names = getattr(self, "feature_names_in_", None)
        listed = [f"column {k}" if names is None else str(names[k]) for k in sorted(columns)[:6]]
        if len(columns) == 1:
            listed.append("the intercept")
        return ", ".join(listed) + (", ..." if len(columns) > 6 else "")

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(class | x), a column a class."""
        return compute_log_probabilities(self.decision_function(X), multinomial=self._is_multinomial)

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(class | x), a column a class. One against the rest: each model's probability, over their sum."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def summary(self, level: float = 0.95) -> Inference | tuple[Inference, ...]:
        """Standard errors, Wald's intervals and p-values of a fit without penalty, or with Firth's.

        With more than two classes one table for each, that class against the rest; of the multinomial model
        one for each but the first, against that one.

        Raises
        ------
        ValueError
            If the fit has no finite maximum, or is not proven to be within a tenth of a standard error of it.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        near = self._name_nearly_dependent(getattr(self, "near_dependency_", ()))
        if near:
            raise ValueError(
                f"{near} nearly depend on one another, too nearly for standard errors in double precision: "
                "drop one of them."
            )
        return make_tables(self, level, joint=self._is_multinomial)


def limit_blas_threads() -> Any:
    """A context in which products of matrices run on one thread; blocks of rows have threads of their own."""
    from separatrix.rows.threads import blas

    return blas().limit(limits=1)
