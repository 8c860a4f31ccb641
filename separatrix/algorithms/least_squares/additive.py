"""Fits that add up: exact moments of more rows, or of two fits, and the solution of their sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from separatrix.algorithms.least_squares.exact_solution import exact_moments
from separatrix.algorithms.least_squares.regression_table import Dependent
from separatrix.algorithms.least_squares.solver import Fit, from_moments
from separatrix.certificates import About
from separatrix.certificates.arithmetic.moments import Moments
from separatrix.fitting import Solution
from separatrix.fitting.fit_warnings import NothingProven, warn
from separatrix.fitting.history import History
from separatrix.fitting.regressor import DependentColumns, LinearRegressor, row_weights, rows_with_targets
from separatrix.rows import DataError, Rows

MOST_COLUMNS = 1000


class AdditiveRegressor(LinearRegressor):
    """A regression that needs the rows only for their second moments.

    The moments are exact, so that rows in one piece, in batches, and in two fits that are merged give the
    same coefficients to the last bit.
    """

    _moments: Moments | Callable[[], Moments] | None
    _row_weights: np.ndarray | None

    def _penalty(self) -> float:
        raise NotImplementedError

    @property
    def moments_(self) -> Moments:
        """The exact second moments of all rows seen; worked out when first asked for."""
        held = vars(self).get("_moments")
        if held is None:
            raise AttributeError(
                "The model holds no exact moments: it is not fitted, has more than "
                f"{MOST_COLUMNS} columns, or is a copy that was made without its rows. Fit it again."
            )
        if not isinstance(held, Moments):
            self._moments = held = held()
        return held

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to all rows seen so far and these, which need not be kept."""
        self._check_parameters()
        first = not hasattr(self, "coef_")
        rows = rows_with_targets(self, X, y, n_jobs=self.n_jobs, reset=first)
        if rows.n_columns > MOST_COLUMNS:
            raise DataError(f"partial_fit keeps products of columns: at most {MOST_COLUMNS} of them.")
        weights = row_weights(rows, sample_weight)
        moments = exact_moments(rows, weights)
        if not first:
            weights = _joined(self._row_weights, self.moments_.n_rows, weights, rows.n_rows)
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
        mine, theirs = self.moments_, other.moments_
        both = clone(self)
        both.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            both.feature_names_in_ = self.feature_names_in_
        weights = _joined(self._row_weights, mine.n_rows, other._row_weights, theirs.n_rows)
        both._refit(mine + theirs, weights, None)
        return both

    def _refit(self, moments: Moments, weights: np.ndarray | None, label: str | None) -> None:
        names = getattr(self, "feature_names_in_", None)
        here = About(
            rows=moments.n_rows,
            columns=self.n_features_in_,
            label=label,
            features=None if names is None else tuple(map(str, names)),
        )
        alpha = self._penalty()
        fit = from_moments(moments, weights, alpha, intercept=self.fit_intercept, here=here)
        self._keep(self._told(fit, weights, None))

    def _told(self, fit: Fit, weights: np.ndarray | None, rows: Rows | None) -> Solution:
        """The solution of a fit, after its warnings."""
        self._row_weights = weights
        held: Any = fit.moments
        if held is None and rows is not None and rows.n_columns <= MOST_COLUMNS:
            held = _later(rows, weights)
        self._moments = held
        facts: dict[str, Any] = {"method": fit.method, "passes": fit.passes, **fit.facts}
        for name in ("condition", "rank", "numerical_rank"):
            if getattr(fit, name) is not None:
                facts[name] = getattr(fit, name)
        if fit.doubt is not None:
            warn(NothingProven, fit.doubt)
        return Solution(fit.coefficients, fit.certificate, History(), facts)

    def _fitted_state(self) -> dict[str, Any]:
        held = vars(self).get("_moments")
        kept = {"moments_": held} if isinstance(held, Moments) else {}
        return {**super()._fitted_state(), **kept, "row_weights_": self._row_weights}

    def _restore_state(self, found: dict[str, Any]) -> None:
        found = dict(found)
        self._moments = found.pop("moments_", None)
        self._row_weights = found.pop("row_weights_")
        if "dependencies_" in found:
            found["dependencies_"] = tuple(Dependent(*told) for told in found["dependencies_"])
        super()._restore_state(found)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        if callable(state.get("_moments")):
            state["_moments"] = None  # they can be had from the rows alone, which are not stored
        return state


def _later(rows: Rows, weights: np.ndarray | None) -> Callable[[], Moments]:
    return lambda: exact_moments(rows, weights)


def _joined(one: np.ndarray | None, n_one: int, other: np.ndarray | None, n_other: int) -> np.ndarray | None:
    if one is None and other is None:
        return None
    return np.concatenate(
        [np.ones(n_one) if one is None else one, np.ones(n_other) if other is None else other]
    )


def name_dependencies(dependencies: tuple[Any, ...], names: Any, rank: int, d: int) -> None:
    """Warn about columns that are exact combinations of others."""
    first = dependencies[0]

    def called(column: int) -> str:
        return f"column {column}" if names is None else f"column {column} ({names[column]})"

    if first.columns:
        parts = [
            f"{float(c):.6g} × {called(k)}" for c, k in zip(first.coefficients, first.columns, strict=True)
        ]
        shown = " + ".join(parts[:4]) + (" + ..." if len(parts) > 4 else "")
        shown += f" + {float(first.constant):.6g}" if first.constant else ""
    else:
        shown = f"the constant {float(first.constant):.6g}"
    more = f" {len(dependencies) - 1} more are named in dependencies_." if len(dependencies) > 1 else ""
    warn(
        DependentColumns,
        f"The columns have rank {rank}, not {d}: {called(first.column)} is exactly {shown}.{more} "
        "The coefficients are the shortest of the many that fit equally well.",
    )
