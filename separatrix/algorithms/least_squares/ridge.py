"""Ridge regression: least squares plus α times the squared length of the weights.

Theorem
-------
For α > 0 there is one minimiser of Σ s (y − w·x − b)² + α‖w‖², w = (G + αI)⁻¹Xᵀy with G the Gram matrix of
the rows less their mean (Hoerl and Kennard 1970): every eigenvalue λ of G becomes λ + α. As α → 0 it tends to
the shortest least-squares solution, as α → ∞ to zero weights and the mean. The problem is α-strongly convex
in w: a gradient of length g is at most g/α away from the solution.

Certificate
-----------
`SolutionWithin`, by the length of the gradient where that says enough, else by exact equations; worked out
when ``certificate_`` is first asked for, unless the fit was exact.

Cost
----
As least squares. A sequence of penalties costs one eigendecomposition and one more pass for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from separatrix.algorithms.least_squares import solver
from separatrix.algorithms.least_squares.additive import AdditiveRegressor, AdditiveSolution
from separatrix.algorithms.least_squares.exact_solution import compute_centred_gram
from separatrix.algorithms.least_squares.gram import InsufficientPrecision, limit_threads, with_blas_threads
from separatrix.algorithms.least_squares.ridge_path import RidgePath, compute_spectrum, fit_ridge_path
from separatrix.algorithms.least_squares.solver import Fit
from separatrix.certificates.arithmetic.moments import Moments
from separatrix.fitting import Solution
from separatrix.fitting.parameters import as_doubles
from separatrix.fitting.regressor import row_weights, rows_with_targets
from separatrix.messages import require
from separatrix.rows import DataError, Rows


def _has_one_penalty(model: Any) -> bool:
    """Penalties are chosen by leaving rows out, which takes all rows at once."""
    return not np.ndim(model.alpha)


def _compute_eigenvalues(gram: np.ndarray) -> np.ndarray:
    """Eigenvalues, descending; rounding makes none of them negative."""
    if not np.isfinite(gram).all():
        raise InsufficientPrecision("sums of squares overflow")
    with limit_threads(len(gram)):
        return np.maximum(np.linalg.eigvalsh(gram)[::-1], 0.0)


class Ridge(AdditiveRegressor):
    """Least squares with a penalty α‖w‖² on the weights, none on the intercept.

    Parameters
    ----------
    alpha : float or sequence of floats
        The penalty, from 0 up; 0 is least squares with the shortest weights, ``inf`` the mean of the targets
        and nothing else. Of a sequence the one with the smallest leave-one-out error is taken, and ``path_``
        has them all.
    fit_intercept : bool
    n_jobs : int or None
        Threads for passes over the rows; None takes as many as NumPy's BLAS would.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
    intercept_ : float
    alpha_ : float
        The penalty of these coefficients.
    eigenvalues_ : ndarray
        λ + α, descending: those of the Gram matrix and the penalty; worked out when first asked for.
    path_ : RidgePath
        Of a sequence of penalties: coefficients, leave-one-out errors, eigenvalues, moves.
    certificate_ : SolutionWithin
        How far the coefficients are from the exact ones; on large data worked out when first asked for.
    method_ : str
        "exact", "normal equations", "rows" or "conjugate gradients".

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = [[1.0, 0.9], [2.0, 2.1], [3.0, 3.0], [4.0, 4.2]], [1.9, 4.1, 6.0, 8.1]
    >>> model = sx.Ridge(alpha=[0.01, 0.1, 1.0]).fit(X, y)
    >>> model.alpha_, model.path_.coefficients.shape
    (0.01, (3, 2))
    >>> model.certificate_.verify(X, y).holds
    True

    References
    ----------
    Hoerl and Kennard, *Ridge regression: biased estimation for nonorthogonal problems* (1970), section 2.
    """

    def __init__(
        self, alpha: float | Sequence[float] = 1.0, *, fit_intercept: bool = True, n_jobs: int | None = None
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs

    def _check(self) -> None:
        super()._check()
        alphas = as_doubles(self.alpha)
        is_allowed = alphas is not None and alphas.ndim <= 1 and alphas.size and (alphas >= 0).all()
        require(bool(is_allowed), "alpha", self.alpha, "a number >= 0 or a sequence of them")

    def _get_penalty(self) -> float:
        if np.ndim(self.alpha):
            raise ValueError(
                "Penalties are chosen by leaving rows out: to merge fits give alpha as a number."
            )
        return float(self.alpha)  # type: ignore[arg-type]

    @available_if(_has_one_penalty)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to all rows seen so far and these, which need not be kept; for alpha a number."""
        return super().partial_fit(X, y, sample_weight)

    def _solve(self, rows: Rows, target: int) -> Solution:
        path = self._fit_path(rows) if np.ndim(self.alpha) else None
        fit, solution = self._solve_rows(rows, self._get_penalty() if path is None else path.alpha)
        facts = solution.facts if path is None else solution.facts | {"path": path}
        return replace(solution, facts=facts, spectrum=self._find_eigenvalues(fit, path, rows))

    def _make_facts(self, fit: Fit, alpha: float, n_rows: int) -> dict[str, Any]:
        return {"alpha": alpha}

    def _attributes(self, solutions: list[Solution]) -> dict[str, Any]:
        (solution,) = solutions
        assert isinstance(solution, AdditiveSolution)
        return {**super()._attributes(solutions), "_spectrum": solution.spectrum}

    def _fit_path(self, rows: Rows) -> RidgePath:
        if min(rows.n_rows, rows.n_columns) > solver.MAX_DIRECT_SIZE:
            raise DataError(
                "A path of penalties needs the products of rows or of columns, at most "
                f"{solver.MAX_DIRECT_SIZE} of either: give alpha as one number."
            )
        rows.require_finite()
        rows = with_blas_threads(rows, self.n_jobs)
        alphas = np.unique(np.asarray(self.alpha, dtype=float))
        try:
            return fit_ridge_path(rows, alphas, intercept=bool(self.fit_intercept))
        except InsufficientPrecision as reason:
            raise DataError(f"No path in floats: {reason}. Rescale the columns, or give one alpha.") from None

    def _find_eigenvalues(self, fit: Fit, path: RidgePath | None, rows: Rows) -> Any:
        """λ of the Gram matrix, or a way to it; None where it is too large."""
        intercept = bool(self.fit_intercept)
        if path is not None:
            return path.eigenvalues
        if fit.gram is not None:
            return _compute_eigenvalues(fit.gram.matrix)
        if fit.moments is not None or min(rows.n_rows, rows.n_columns) > solver.MAX_DIRECT_SIZE:
            return None
        return lambda: compute_spectrum(rows, intercept=intercept, reference=fit.single_gram)

    @property
    def eigenvalues_(self) -> np.ndarray:
        spectrum = vars(self).get("_spectrum")
        try:
            if spectrum is None and isinstance(vars(self).get("_moments"), Moments):
                spectrum = _compute_eigenvalues(
                    compute_centred_gram(self.moments_, intercept=bool(self.fit_intercept))
                )
            spectrum = spectrum() if callable(spectrum) else spectrum
        except InsufficientPrecision as reason:
            raise AttributeError(f"No eigenvalues in doubles: {reason}.") from None
        if spectrum is None:
            raise AttributeError("No eigenvalues: the model is not fitted, or has too many rows and columns.")
        self._spectrum = spectrum
        return np.asarray(self._spectrum + self.alpha_)

    def _fitted_state(self) -> dict[str, Any]:
        found = super()._fitted_state()
        if hasattr(self, "eigenvalues_"):
            found["spectrum_"] = np.asarray(self._spectrum)
        return found

    def _restore_state(self, found: dict[str, Any]) -> None:
        found = dict(found)
        self._spectrum = found.pop("spectrum_", None)
        super()._restore_state(found)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        if callable(state.get("_spectrum")):  # while the rows are at hand
            state["_spectrum"] = self._spectrum if hasattr(self, "eigenvalues_") else None
        return state

    def path(self, X: Any, y: Any = None, *, alphas: Sequence[float], sample_weight: Any = None) -> RidgePath:
        """The path of these penalties on the rows, without a fit: for figures and comparisons."""
        model = Ridge(alphas, fit_intercept=self.fit_intercept, n_jobs=self.n_jobs)
        model._check()
        rows = rows_with_targets(model, X, y, n_jobs=self.n_jobs)
        return model._fit_path(rows.weighted(row_weights(rows, sample_weight)))
