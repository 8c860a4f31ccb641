"""Least squares: the weights that leave the smallest sum of squared residuals.

Theorem
-------
w and b minimise Σ s (y − w·x − b)² just if Xᵀ(y − Xw) = 0 for the rows less their mean (the normal equations,
Gauss 1809). They are unique if the columns of these rows are independent; else the solutions differ by
vectors along which no prediction changes, and the shortest one lies in the span of the rows.

Certificate
-----------
`SolutionWithin`: a bound on the distance of the coefficients from the exact solution of the floats given,
verified by solving the equations afresh in exact arithmetic. Where the solution was found in floats it is
worked out when ``certificate_`` is first asked for. Where there are too many rows and columns for exact
equations, `GradientAtMost`, and a warning.

Cost
----
Small problems and streams: one pass, about twenty products of the columns, nothing rounded. Tall ones: one
product of the columns and one or two more passes. Memory beyond the data: a block a thread, and the Gram
matrix.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from separatrix.algorithms.least_squares.additive import AdditiveRegressor, warn_of_dependencies
from separatrix.algorithms.least_squares.regression_table import (
    DependentColumn,
    RegressionTable,
    count_rows,
    tabulate,
)
from separatrix.algorithms.least_squares.solver import Fit
from separatrix.fitting import Solution
from separatrix.fitting.fit_warnings import warn
from separatrix.fitting.regressor import DependentColumns
from separatrix.rows import Rows


class LinearRegression(AdditiveRegressor):
    """Least squares, to the last digits that doubles have.

    Parameters
    ----------
    fit_intercept : bool
        Whether the fit has a constant.
    n_jobs : int or None
        Threads for passes over the rows; None takes as many as NumPy's BLAS would.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
    intercept_ : float
    certificate_ : SolutionWithin or GradientAtMost
        How far the coefficients are from the exact ones; on large data worked out when first asked for.
    rank_ : int
        The rank of the columns (less their means) as the floats stand, proven.
    numerical_rank_ : int
        The rank that a computation in doubles would see: a rounded sum of columns is independent exactly,
        and dependent numerically.
    dependencies_ : tuple
        For each column that is an exact combination of others: its number, theirs, the coefficients and the
        constant.
    condition_ : float
        The condition of the columns, scaled to equal spread.
    method_ : str
        The way that was taken: "exact", "normal equations", "rows", "conjugate gradients".

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.9, 4.1, 6.0, 8.1]
    >>> model = sx.LinearRegression().fit(X, y)
    >>> model.coef_, model.intercept_
    (array([2.05]), -0.1)
    >>> model.certificate_.verify(X, y).holds
    True

    References
    ----------
    Björck, *Numerical Methods for Least Squares Problems* (1996), sections 1.1, 2.2 and 2.9.
    """

    def __init__(self, fit_intercept: bool = True, *, n_jobs: int | None = None) -> None:
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs

    def _get_penalty(self) -> float:
        return 0.0

    def _solve(self, rows: Rows, target: int) -> Solution:
        return self._solve_rows(rows, self._get_penalty())[1]

    def _make_facts(self, fit: Fit, alpha: float, n_rows: int) -> dict[str, Any]:
        dependencies = tuple(DependentColumn.from_exact(dependency) for dependency in fit.dependencies)
        if dependencies and self.n_features_in_ < n_rows:
            names = getattr(self, "feature_names_in_", None)
            warn_of_dependencies(dependencies, names, fit.rank or 0, self.n_features_in_)
        elif not dependencies and fit.rank is not None and (fit.numerical_rank or fit.rank) < fit.rank:
            warn(
                DependentColumns,
                f"The {fit.rank} columns are independent by the rounding of their numbers alone (numerical "
                f"rank {fit.numerical_rank}, condition {fit.condition:.1e}): the coefficients are those of "
                "the numbers given, and a change in a last digit changes them all. Drop a column, or use "
                "Ridge.",
            )
        return {"dependencies": dependencies}

    def summary(self, *, repetitions: bool = False) -> RegressionTable:
        """Standard errors, t, p, R², F: from exact moments, right to the last digit shown.

        Parameters
        ----------
        repetitions : bool
            Whether the weights of the fit count repetitions of rows. The degrees of freedom then count every
            repetition; otherwise they count the rows with a weight above 0, as R's `lm` does.
        """
        check_is_fitted(self)
        moments, names = self.moments_, getattr(self, "feature_names_in_", None)
        rows = count_rows(moments, self._row_weights, repetitions=repetitions)
        return tabulate(moments, names, intercept=bool(self.fit_intercept), rows=rows)
