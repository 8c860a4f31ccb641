"""`LinearClassifier`: validation, labels, several classes, prediction and evidence, for every method
alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import Certificates, Undecided
from separatrix.fitting.attributes import collect_attributes, restore_attributes, set_attributes
from separatrix.fitting.exact_errors import about
from separatrix.fitting.fit_warnings import warn_unproven
from separatrix.fitting.parameters import require_common_parameters
from separatrix.fitting.predicted_scores import Scores
from separatrix.fitting.progress import print_progress
from separatrix.fitting.rollback import restored_on_error
from separatrix.fitting.solution import Solution
from separatrix.fitting.validation import labelled_rows, unlabelled_rows
from separatrix.halfspace import Halfspace
from separatrix.rows import Rows
from separatrix.rows.arrow_validation import refuse_damaged


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """A halfspace per task, with a certificate for each.

    Two classes are one task, in which the larger label is +1; more classes are one task each, that class
    against the rest. A method supplies hooks: `_check` refuses parameters, `_tasks` lists the tasks, `_solve`
    solves one, and `_attributes` says what becomes of the solutions. A method whose tasks share passes over
    the rows overrides `_solve_all` instead of `_solve`.
    """

    fit_intercept: bool
    n_jobs: int | None = None
    _start: np.ndarray | None
    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    halfspace_: Any
    certificate_: Any
    history_: Any
    n_features_in_: int
    _facts: tuple[str, ...] = ()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @final
    def fit(self, X: Any, y: Any = None) -> Any:
        """Fit to rows ``X`` with labels ``y``, or to labelled `Rows` alone."""
        return self._fit(X, y)

    @final
    def _fit(self, X: Any, y: Any, weigh: Callable[[Rows], np.ndarray | None] | None = None) -> Any:
        """``weigh`` says how often each row counts."""
        with restored_on_error(self):
            self._fit_to(X, y, weigh)
        return self

    def _fit_to(self, X: Any, y: Any, weigh: Callable[[Rows], np.ndarray | None] | None) -> None:
        self._check()
        rows = labelled_rows(self, X, y, n_jobs=self.n_jobs)
        classes = rows.require_two_classes()
        self._start = self._find_start(classes)
        self.classes_ = classes
        rows = rows.weighted(None if weigh is None else weigh(rows))
        tasks = self._tasks()
        with print_progress(getattr(self, "verbose", 0)):
            solved = zip(self._solve_all(rows, tasks), tasks, strict=True)
        del self._start
        solutions = [_name_rows(solution, rows, positive) for solution, positive in solved]
        warn_unproven([s.certificate for s in solutions if s.is_proof_expected], classes)
        set_attributes(self, self._attributes(solutions), tuple(solutions[0].facts))

    def _check(self) -> None:
        """Raise one sentence for a parameter that makes no sense."""
        require_common_parameters(self)

    def _find_start(self, classes: np.ndarray) -> np.ndarray | None:
        """For a warm start the weights of the last fit, one row per task, if its classes and columns were
        these."""
        coef = getattr(self, "coef_", None)
        if not getattr(self, "warm_start", False) or coef is None or coef.shape[1] != self.n_features_in_:
            return None
        is_same = np.array_equal(getattr(self, "classes_", classes), classes)  # weights may be set by hand
        return np.column_stack([coef, self.intercept_]) if is_same else None

    def _start_of(self, positive: int) -> np.ndarray | None:
        """Where a task starts; None: at zero."""
        if self._start is None:
            return None
        return np.asarray(self._start[positive if len(self._start) > 1 else 0])

    def _tasks(self) -> Sequence[int]:
        """The class codes that play +1, one per task."""
        return (1,) if len(self.classes_) == 2 else range(len(self.classes_))

    def _solve_all(self, rows: Rows, tasks: Sequence[int]) -> list[Solution]:
        return [self._solve(rows, positive) for positive in tasks]

    def _solve(self, rows: Rows, positive: int) -> Solution:
        raise NotImplementedError

    def _attributes(self, solutions: list[Solution]) -> dict[str, Any]:
        """What becomes of the solutions on the fitted model, by the names of its attributes."""
        of_classes = ((row, s.halfspace) for s in solutions for row in np.atleast_2d(s.weights))
        weights, halfspaces = zip(*of_classes, strict=True)
        proofs = [s.certificate for s in solutions]
        certificate = proofs[0] if len(proofs) == 1 else Certificates(proofs)
        return {**join_weights(weights, halfspaces), "certificate_": certificate, **join_facts(solutions)}

    def _keep_weights(self, weights: list[np.ndarray], halfspaces: list[Any] | None = None) -> None:
        self.__dict__.update(join_weights(weights, halfspaces))

    def _fitted_state(self) -> dict[str, Any]:
        """What a fit has found, by the names it has on the model, for a file to keep."""
        return collect_attributes(self)

    def _restore_state(self, state: dict[str, Any]) -> None:
        """Take back what `_fitted_state` gave; a ``ValueError`` if it does not fit together."""
        restore_attributes(self, state)
        if isinstance(state.get("certificate_"), tuple):
            self.certificate_ = Certificates(state["certificate_"])
        n_columns, classes = state["n_features_in_"], state["classes_"]
        if type(n_columns) is not int or n_columns < 1 or classes.ndim != 1 or len(classes) < 2:
            raise ValueError("its classes or its number of columns make no sense.")
        names = state.get("feature_names_in_")
        if names is not None and names.shape != (n_columns,):
            raise ValueError("its feature names do not match its number of columns.")
        self._restore_weights(state, 1 if len(classes) == 2 else len(classes))

    def _restore_weights(self, state: dict[str, Any], n_tasks: int) -> None:
        coef, intercept = state["coef_"], state["intercept_"]
        if coef.shape != (n_tasks, self.n_features_in_) or intercept.shape != (n_tasks,):
            raise ValueError("its weights do not match its classes and columns.")
        halfspaces = state["halfspace_"] if n_tasks > 1 else (state["halfspace_"],)
        # As a fit keeps them: views of one table, so that predictions go through the same machine code.
        self._keep_weights(list(np.column_stack([coef, intercept])), list(halfspaces))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of rows predicted right; `Rows` bring their own labels."""
        if isinstance(X, Rows):
            classes = X.require_labels()
            return float(np.mean(self.predict(X) == np.asarray(classes)[X.label_codes()]))
        refuse_damaged(y, "y")
        return float(super().score(X, y, sample_weight))

    def decision_function(self, X: Any) -> np.ndarray:
        """w·x + b of each row: one column per class where there are more than two.

        A score beyond the range of doubles is infinite, and one below it the least double, with its sign.
        """
        check_is_fitted(self)
        rows = unlabelled_rows(self, X)
        parts = rows.checked().each(self._scores(self.coef_, self.intercept_), parallel_blas=True)
        scores = np.concatenate(list(parts))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _scores(self, coef: np.ndarray, intercept: np.ndarray) -> Scores:
        return Scores(coef, intercept, row_by_row=len(self.classes_) > 2)

    def predict(self, X: Any) -> np.ndarray:
        """Labels: with two classes the larger one where the score is above 0, else the smaller."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[codes]


def _name_rows(solution: Solution, rows: Rows, positive: int) -> Solution:
    """The solution; a certificate that proves nothing names the rows of the fit all the same."""
    proof = solution.certificate
    if not isinstance(proof, Undecided):
        return solution
    bound = replace(proof, about=about(rows, positive)).bound_to(rows)
    return replace(solution, certificate=bound)


def join_weights(weights: Sequence[np.ndarray], halfspaces: Sequence[Any] | None = None) -> dict[str, Any]:
    """The attributes that hold the weights of all classes; a halfspace that is not given is made of them."""
    table = np.array(weights)
    known_halfspaces = halfspaces or [None] * len(weights)
    all_halfspaces = [
        _make_halfspace(w) if h is None else h for w, h in zip(weights, known_halfspaces, strict=True)
    ]
    return {
        "coef_": table[:, :-1],
        "intercept_": table[:, -1],
        "halfspace_": all_halfspaces[0] if len(weights) == 1 else tuple(all_halfspaces),
    }


def join_facts(solutions: list[Solution]) -> dict[str, Any]:
    """The attributes that hold the history and the facts: of one task as they are, of several side by
    side."""
    if len(solutions) == 1:
        facts = {f"{fact}_": value for fact, value in solutions[0].facts.items()}
        return {"history_": solutions[0].history, **facts}
    joined: dict[str, Any] = {"history_": tuple(s.history for s in solutions)}
    for fact in solutions[0].facts:
        values = [s.facts[fact] for s in solutions]
        numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        joined[f"{fact}_"] = np.array(values) if numeric else tuple(values)
    return joined


def _make_halfspace(weights: np.ndarray) -> Halfspace | None:
    """None: the weights have overflowed."""
    try:
        return Halfspace(weights[:-1], float(weights[-1]))
    except ValueError:
        return None
