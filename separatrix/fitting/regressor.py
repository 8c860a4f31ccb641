"""`LinearRegressor`: validation, targets, row weights, prediction and evidence, for every regression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from separatrix.certificates import Certificate
from separatrix.fitting.attributes import collect_attributes, restore_attributes, set_attributes
from separatrix.fitting.fit_warnings import FitWarning
from separatrix.fitting.parameters import require_flags
from separatrix.fitting.rollback import restored_on_error
from separatrix.fitting.solution import Solution
from separatrix.fitting.validation import (
    adopt_columns,
    checked_values,
    checked_weights,
    is_table,
    rows_of_array,
    unlabelled_rows,
)
from separatrix.rows import Block, DataError, Rows, as_rows, jobs, with_targets
from separatrix.rows.arrow_validation import refuse_damaged


class DependentColumns(FitWarning):
    """Some columns are exact combinations of others; ``dependencies_`` names them."""


class LinearRegressor(RegressorMixin, BaseEstimator):
    """Real targets predicted by w·x + b, with a certificate.

    A method supplies the hooks of `LinearClassifier`, with targets in the place of classes. It may give its
    certificate as a function, which is called when ``certificate_`` is first asked for, where proving costs
    more than fitting.
    """

    fit_intercept: bool
    n_jobs: int | None = None
    _facts: tuple[str, ...] = ()
    _evidence: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @final
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit to rows ``X`` with targets ``y``, or to `Rows` with targets alone; a weight is a repetition."""
        with restored_on_error(self):
            self._check()
            rows = rows_with_targets(self, X, y, n_jobs=self.n_jobs)
            rows = rows.weighted(row_weights(rows, sample_weight))
            with np.errstate(all="ignore"):  # who overflows says so, or has no certificate
                solutions = [self._solve(rows, target) for target in self._tasks()]
            self._keep(solutions)
        return self

    @final
    def _keep(self, solutions: list[Solution]) -> None:
        set_attributes(self, self._attributes(solutions), tuple(solutions[0].facts))

    def _check(self) -> None:
        """Raise one sentence for a parameter that makes no sense."""
        require_flags(self)

    def _tasks(self) -> Sequence[int]:
        """The targets, one per task: rows have one."""
        return (0,)

    def _solve(self, rows: Rows, target: int) -> Solution:
        raise NotImplementedError

    def _attributes(self, solutions: list[Solution]) -> dict[str, Any]:
        """What becomes of the solutions on the fitted model, by the names of its attributes."""
        (solution,) = solutions
        return {
            "coef_": np.array(solution.weights[:-1]),
            "intercept_": float(solution.weights[-1]),
            "_evidence": solution.certificate,
            **{f"{fact}_": value for fact, value in solution.facts.items()},
        }

    @property
    def certificate_(self) -> Certificate:
        """What is proven of the coefficients; worked out when it is first asked for."""
        try:
            evidence = vars(self)["_evidence"]
        except KeyError:
            raise AttributeError("This estimator is not fitted, so it has no certificate yet.") from None
        if isinstance(evidence, Certificate):
            return evidence
        prove: Callable[[], Certificate] = evidence
        with np.errstate(all="ignore"):
            self._evidence = prove()
        return self._evidence

    def __getstate__(self) -> Any:
        if "_evidence" in vars(self):
            _ = self.certificate_  # while the rows are at hand
        return super().__getstate__()

    def _fitted_state(self) -> dict[str, Any]:
        """What a fit has found, by the names it has on the model, for a file to keep."""
        return {**collect_attributes(self), "certificate_": self.certificate_}

    def _restore_state(self, state: dict[str, Any]) -> None:
        """Take back what `_fitted_state` gave; a ``ValueError`` if it does not fit together."""
        state = dict(state)
        self._evidence = state.pop("certificate_")
        coef, columns, names = state["coef_"], state["n_features_in_"], state.get("feature_names_in_")
        if not isinstance(self._evidence, Certificate):
            raise ValueError("its certificate is none.")
        if type(columns) is not int or columns < 1 or coef.shape != (columns,):
            raise ValueError("its weights do not match its columns.")
        if not isinstance(state["intercept_"], float) or (names is not None and names.shape != (columns,)):
            raise ValueError("its intercept or its feature names make no sense.")
        restore_attributes(self, state)

    def predict(self, X: Any) -> np.ndarray:
        """w·x + b of each row."""
        check_is_fitted(self)
        rows = unlabelled_rows(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            products = rows.checked().each(Products(self.coef_), parallel_blas=True)
            return np.concatenate(list(products)) + self.intercept_

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R²: 1 less the share of the targets' squared spread that the predictions leave."""
        if isinstance(X, Rows):
            X.require_targets()
            y = X.all_targets()
        refuse_damaged(y, "y")
        return float(super().score(X, y, sample_weight))


@dataclass(frozen=True)
class Products:
    """w·x of the rows of a block."""

    weights: np.ndarray

    def __call__(self, block: Block) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(block.matrix() @ self.weights)


def rows_with_targets(estimator: Any, X: Any, y: Any, *, n_jobs: int | None, reset: bool = True) -> Rows:
    """Rows with real targets; the estimator learns its feature names and count."""
    if isinstance(X, Rows):
        if y is not None:
            raise DataError("Rows carry their own targets: call fit(rows) without y.")
        X.require_targets()
        adopt_columns(estimator, X, reset=reset)
        return X.with_threads(X.n_jobs if n_jobs is None else jobs(n_jobs))
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    refuse_damaged(y, "y")
    if is_table(X):
        rows = as_rows(X, n_jobs=n_jobs)
        adopt_columns(estimator, rows, reset=reset)
        return with_targets(rows, column_or_1d(y, warn=True))
    rows = rows_of_array(estimator, checked_values(estimator, X, reset=reset), n_jobs=n_jobs)
    name = getattr(y, "name", None)
    rows = rows.named(rows.name, name if isinstance(name, str) else None)
    return with_targets(rows, column_or_1d(y, warn=True))


def row_weights(rows: Rows, sample_weight: Any) -> np.ndarray | None:
    """Checked row weights, or None where every row counts once."""
    if sample_weight is None:
        return None
    weights = checked_weights(rows, sample_weight)
    if not weights.any():
        raise DataError("Every row has weight 0: there is nothing to fit.")
    return weights
