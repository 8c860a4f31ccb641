"""Fits that add up: exact moments of more rows, or of two fits, and the solution of their sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from separatrix.algorithms.least_squares.exact_solution import sum_exact_moments
from separatrix.algorithms.least_squares.regression_table import DependentColumn
from separatrix.algorithms.least_squares.solver import Fit, solve, solve_moments
from separatrix.certificates import About
from separatrix.certificates.arithmetic.moments import Moments
from separatrix.fitting import Solution
from separatrix.fitting.fit_warnings import NothingProven, warn
from separatrix.fitting.history import History
from separatrix.fitting.regressor import DependentColumns, LinearRegressor, row_weights, rows_with_targets
from separatrix.rows import DataError, Rows

MAX_MOMENT_COLUMNS = 1000


@dataclass(frozen=True, kw_only=True)
class AdditiveSolution(Solution):
    """A solution to which more rows can be added: with the moments, or a way to them, and the row weights."""

    moments: Moments | Callable[[], Moments] | None
    row_weights: np.ndarray | None
    spectrum: Any = None  # of `Ridge`: the eigenvalues of the Gram matrix, or a way to them


class AdditiveRegressor(LinearRegressor):
    """A regression that needs the rows only for their second moments.

    The moments are exact, so that rows in one piece, in batches, and in two fits that are merged give the
    same coefficients to the last bit. A subclass supplies the penalty and the facts of its own.
    """

    _moments: Moments | Callable[[], Moments] | None
    _row_weights: np.ndarray | None

    def _get_penalty(self) -> float:
        raise NotImplementedError

    def _make_facts(self, fit: Fit, alpha: float, n_rows: int) -> dict[str, Any]:
        """The facts that only this method has, after its warnings."""
        raise NotImplementedError

    @property
    def moments_(self) -> Moments:
        """The exact second moments of all rows seen; worked out when first asked for."""
        moments = vars(self).get("_moments")
        if moments is None:
            raise AttributeError(
                "The model holds no exact moments: it is not fitted, has more than "
                f"{MAX_MOMENT_COLUMNS} columns, or is a copy that was made without its rows. Fit it again."
            )
        if not isinstance(moments, Moments):
            self._moments = moments = moments()
        return moments

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to all rows seen so far and these, which need not be kept."""
        self._check()
        is_first = not hasattr(self, "coef_")
        rows = rows_with_targets(self, X, y, n_jobs=self.n_jobs, reset=is_first)
        if rows.n_columns > MAX_MOMENT_COLUMNS:
            raise DataError(f"partial_fit keeps products of columns: at most {MAX_MOMENT_COLUMNS} of them.")
        weights = row_weights(rows, sample_weight)
        moments = sum_exact_moments(rows.weighted(weights))
        if not is_first:
            weights = _join_weights(self._row_weights, self.moments_.n_rows, weights, rows.n_rows)
            moments = self.moments_ + moments
        self._refit(moments, weights, rows.label)
        return self

    def merge(self, other: Any) -> Self:
        """A new model: what a fit to this model's rows followed by the other's would give."""
        check_is_fitted(self)
        check_is_fitted(other)
        if type(other) is not type(self) or other.get_params() != self.get_params():
            raise ValueError("Two fits can be merged if they are of one kind and have the same parameters.")
        if other.n_features_in_ != self.n_features_in_:
            raise DataError(
                f"One model has {self.n_features_in_} columns, the other {other.n_features_in_}: "
                "merge fits of the same columns."
            )
        own_moments, other_moments = self.moments_, other.moments_
        merged = clone(self)
        merged.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            merged.feature_names_in_ = self.feature_names_in_
        weights = _join_weights(
            self._row_weights, own_moments.n_rows, other._row_weights, other_moments.n_rows
        )
        merged._refit(own_moments + other_moments, weights, None)
        return merged

    def _refit(self, moments: Moments, weights: np.ndarray | None, label: str | None) -> None:
        names = getattr(self, "feature_names_in_", None)
        about = About(
            rows=moments.n_rows,
            columns=self.n_features_in_,
            label=label,
            features=None if names is None else tuple(map(str, names)),
        )
        alpha = self._get_penalty()
        fit = solve_moments(moments, weights, alpha, intercept=self.fit_intercept, about=about)
        own_facts = self._make_facts(fit, alpha, moments.n_rows)
        self._keep([self._make_solution(fit, own_facts, moments, weights)])

    def _solve_rows(self, rows: Rows, alpha: float) -> tuple[Fit, AdditiveSolution]:
        fit = solve(rows, alpha, intercept=bool(self.fit_intercept), n_jobs=self.n_jobs)
        own_facts = self._make_facts(fit, alpha, rows.n_rows)
        moments: Any = fit.moments
        if moments is None and rows.n_columns <= MAX_MOMENT_COLUMNS:
            moments = _defer_moments(rows)
        return fit, self._make_solution(fit, own_facts, moments, rows.weights)

    def _make_solution(
        self, fit: Fit, own_facts: dict[str, Any], moments: Any, weights: np.ndarray | None
    ) -> AdditiveSolution:
        facts = {"method": fit.method, "passes": fit.passes, **own_facts}
        for name in ("condition", "rank", "numerical_rank"):
            if getattr(fit, name) is not None:
                facts[name] = getattr(fit, name)
        if fit.warning is not None:
            warn(NothingProven, fit.warning)
        return AdditiveSolution(
            fit.coefficients, fit.certificate, History(), facts, moments=moments, row_weights=weights
        )

    def _attributes(self, solutions: list[Solution]) -> dict[str, Any]:
        (solution,) = solutions
        assert isinstance(solution, AdditiveSolution)
        kept = {"_moments": solution.moments, "_row_weights": solution.row_weights}
        return {**super()._attributes(solutions), **kept}

    def _fitted_state(self) -> dict[str, Any]:
        moments = vars(self).get("_moments")
        saved = {"moments_": moments} if isinstance(moments, Moments) else {}
        return {**super()._fitted_state(), **saved, "row_weights_": self._row_weights}

    def _restore_state(self, found: dict[str, Any]) -> None:
        found = dict(found)
        self._moments = found.pop("moments_", None)
        self._row_weights = found.pop("row_weights_")
        if "dependencies_" in found:
            found["dependencies_"] = tuple(DependentColumn(*fields) for fields in found["dependencies_"])
        super()._restore_state(found)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        if callable(state.get("_moments")):
            state["_moments"] = None  # they can be had from the rows alone, which are not stored
        return state


def _defer_moments(rows: Rows) -> Callable[[], Moments]:
    return lambda: sum_exact_moments(rows)


def _join_weights(
    first: np.ndarray | None, n_first: int, second: np.ndarray | None, n_second: int
) -> np.ndarray | None:
    if first is None and second is None:
        return None
    return np.concatenate(
        [np.ones(n_first) if first is None else first, np.ones(n_second) if second is None else second]
    )


def warn_of_dependencies(dependencies: tuple[Any, ...], names: Any, rank: int, n_columns: int) -> None:
    """Warn about columns that are exact combinations of others."""
    first = dependencies[0]

    def describe(column: int) -> str:
        return f"column {column}" if names is None else f"column {column} ({names[column]})"

    if first.columns:
        terms = [
            f"{float(c):.6g} × {describe(k)}" for c, k in zip(first.coefficients, first.columns, strict=True)
        ]
        combination = " + ".join(terms[:4]) + (" + ..." if len(terms) > 4 else "")
        combination += f" + {float(first.constant):.6g}" if first.constant else ""
    else:
        combination = f"the constant {float(first.constant):.6g}"
    remark = f" {len(dependencies) - 1} more are named in dependencies_." if len(dependencies) > 1 else ""
    warn(
        DependentColumns,
        f"The columns have rank {rank}, not {n_columns}: {describe(first.column)} is exactly "
        f"{combination}.{remark} "
        "The coefficients are the shortest of the many that fit equally well.",
    )
