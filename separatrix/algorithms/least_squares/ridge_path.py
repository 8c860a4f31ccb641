"""A path of penalties from one factorisation, with the error on rows left out, and how far a row can pull.

Let G = Σ s (x − x̄)(x − x̄)ᵀ = Q Λ Qᵀ, T = (X − x̄) Q and q = QᵀXᵀy. For every α at once,

    w(α) = Q (Λ + α)⁻¹ q,      h_i(α) = 1/S + Σ_k T_ik² / (Λ_k + α)

(h without 1/S if there is no intercept). Leaving a unit of row i out changes its residual from r_i to
r_i/(1 − h_i) (Allen 1974; a rank-one change of the inverse), so that one more pass over the rows gives the
mean squared error of all the fits that leave one out. A row of weight s counts as s rows, of which one is
left out; of a row of weight below 1 that weight.

*How far w moves.* If the target of row i changes by δ, w changes by δ (G + αI)⁻¹ x_i, which is
δ √(Σ T_ik²/(Λ_k + α)²) long. With independent errors of variance σ² the expected squared move of w is
σ² Σ Λ_k/(Λ_k + α)²: the variance that a penalty buys off. If the row itself moves by a small v, w moves by
(G + αI)⁻¹(r_i v − x_i (v·w)) up to terms in ‖v‖², at most (|r_i|/(Λ_min + α) + ‖(G + αI)⁻¹x_i‖ ‖w‖) ‖v‖.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from separatrix.algorithms.least_squares.gram import Gram, InsufficientPrecision, form_gram, limit_threads
from separatrix.algorithms.least_squares.row_gram import RowGram
from separatrix.rows import Block, DataError, Rows

# Of the length of two columns: more than single precision takes from their product.
SINGLE_PRECISION_ERROR_SHARE = 1e-4


@dataclass(frozen=True, eq=False)
class RidgePath:
    """Ridge fits for ascending penalties.

    Attributes
    ----------
    alphas : ndarray of shape (a,)
    coefficients : ndarray of shape (a, d)
    intercepts : ndarray of shape (a,)
    leave_one_out : ndarray of shape (a,)
        The mean squared error of the predictions of rows left out; infinite where a fit without penalty goes
        through a row.
    eigenvalues : ndarray
        Of the Gram matrix, descending; those of the penalised one are these plus α.
    chosen : int
        The place of the smallest leave-one-out error, of equal ones the largest penalty.
    target_move, typical_move : ndarray of shape (a,)
        How far the weights move when the target of a row changes by 1: for the row that pulls most, and the
        root of the mean square over rows.
    row_move : ndarray of shape (a,)
        A bound, over all rows and directions, on how far the weights move for each unit by which a row is
        moved, for small moves.
    noise : ndarray of shape (a,)
        Σ Λ/(Λ + α)²: the expected squared distance of the weights from their mean when the targets have
        independent errors of variance 1.
    """

    alphas: np.ndarray
    coefficients: np.ndarray
    intercepts: np.ndarray
    leave_one_out: np.ndarray
    eigenvalues: np.ndarray
    chosen: int
    target_move: np.ndarray
    typical_move: np.ndarray
    row_move: np.ndarray
    noise: np.ndarray

    @property
    def alpha(self) -> float:
        """The penalty with the smallest leave-one-out error."""
        return float(self.alphas[self.chosen])

    @property
    def shifted(self) -> np.ndarray:
        """λ + α, one row for each penalty."""
        return self.eigenvalues + self.alphas[:, np.newaxis]

    def to_dict(self) -> dict[str, Any]:
        return {key: v.tolist() if isinstance(v, np.ndarray) else v for key, v in asdict(self).items()}


@dataclass
class _EigenProblem:
    """The problem in the basis of eigenvectors."""

    eigenvalues: np.ndarray
    cross_products: np.ndarray
    total_weight: float
    n_rows: int

    def invert(self, alphas: np.ndarray) -> np.ndarray:
        """1/(Λ + α), one column for each α; 0 where both are 0."""
        shifted = self.eigenvalues[:, np.newaxis] + alphas
        return np.divide(1.0, shifted, out=np.zeros_like(shifted), where=shifted > 0)


def fit_ridge_path(rows: Rows, alphas: np.ndarray, *, intercept: bool, gram: Gram | None = None) -> RidgePath:
    """All fits, their leave-one-out errors and their moves: one product of columns and one more pass.

    Raises `InsufficientPrecision` where they leave the range of doubles.
    """
    with np.errstate(all="ignore"):
        if rows.n_columns > rows.n_rows:
            path = _fit_from_rows(RowGram(rows, intercept=intercept), alphas)
        else:
            path = _fit_from_columns(rows, alphas, intercept=intercept, gram=gram)
    checked = (path.coefficients, path.intercepts, path.eigenvalues, path.target_move, path.typical_move)
    if not all(np.isfinite(values).all() for values in checked):
        raise InsufficientPrecision("fits or their errors leave the range of doubles")
    return path


def _fit_from_columns(rows: Rows, alphas: np.ndarray, *, intercept: bool, gram: Gram | None) -> RidgePath:
    gram = form_gram(rows, intercept=intercept) if gram is None else gram
    with limit_threads(rows.n_columns):
        eigenvalues, Q = np.linalg.eigh(gram.matrix)
    eigenvalues[eigenvalues < eigenvalues[-1] * len(eigenvalues) * 2.0**-52] = 0.0
    n_columns = rows.n_columns
    problem = _EigenProblem(eigenvalues, Q.T @ gram.cross_products, gram.total_weight, rows.n_rows)
    inverse = problem.invert(alphas)
    coordinates = inverse * problem.cross_products[:, np.newaxis]
    coefficients = (Q @ coordinates).T
    mean = gram.centre[:n_columns] + gram.mean[:n_columns]
    target_mean = gram.centre[n_columns] + gram.mean[n_columns]
    intercept_leverage = 1.0 / gram.total_weight if intercept else 0.0
    term = LeftOutErrors(Q, mean, mean @ Q, target_mean, coordinates, inverse, intercept_leverage)
    return _assemble_path(rows.sum(term), problem, alphas, coefficients, target_mean - coefficients @ mean)


@dataclass(frozen=True)
class LeftOutErrors:
    """Σ s (r/(1 − h))² and Σ m with m = s² Σ_k T_k²/(Λ_k + α)², and the largest m and s |r|, for every α."""

    eigenvectors: np.ndarray
    mean: np.ndarray
    mean_scores: np.ndarray  # x̄ᵀQ
    target_mean: float
    coordinates: np.ndarray
    inverse: np.ndarray
    intercept_leverage: float

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray, _MaximumArray]:
        X, Q = block.matrix(), self.eigenvectors
        T = X @ Q - self.mean_scores if block.is_sparse else (X - self.mean) @ Q
        residuals = (block.targets - self.target_mean)[:, np.newaxis] - T @ self.coordinates
        return _evaluate_left_out(T**2, residuals, block.row_weights, self.inverse, self.intercept_leverage)


class _MaximumArray(np.ndarray):
    """An array of which a sum over blocks keeps the largest entries."""

    def __add__(self, other: Any) -> Any:
        return np.maximum(self, other).view(_MaximumArray)


def _evaluate_left_out(
    squares: np.ndarray,
    residuals: np.ndarray,
    weights: np.ndarray,
    inverse: np.ndarray,
    intercept_leverage: float,
) -> tuple[np.ndarray, np.ndarray, Any]:
    removed_weight = np.minimum(weights, 1.0)[:, np.newaxis]
    leverage = removed_weight * (squares @ inverse + intercept_leverage)
    remainder = 1.0 - leverage
    # A fit that goes through its row whatever the target says nothing about it when it is left out.
    is_determined = remainder > 1e-10
    with np.errstate(over="ignore", invalid="ignore"):
        squared_errors = (
            np.where(is_determined, residuals / np.where(is_determined, remainder, 1.0), np.inf) ** 2
        )
    is_counted = weights > 0
    errors = (weights[is_counted, np.newaxis] * squared_errors[is_counted]).sum(axis=0)
    moves = (squares @ inverse**2) * weights[:, np.newaxis] ** 2
    maxima = np.stack([moves.max(axis=0), (abs(residuals) * weights[:, np.newaxis]).max(axis=0)])
    return errors, moves.sum(axis=0), maxima.view(_MaximumArray)


def _assemble_path(
    sums: tuple[Any, Any, Any],
    problem: _EigenProblem,
    alphas: np.ndarray,
    coefficients: np.ndarray,
    intercepts: np.ndarray,
) -> RidgePath:
    errors, moves, maxima = sums
    largest_move, largest_residual = np.asarray(maxima)
    positive_eigenvalues = problem.eigenvalues[problem.eigenvalues > 0]
    least_eigenvalues = (
        float(positive_eigenvalues.min()) if len(positive_eigenvalues) == len(problem.eigenvalues) else 0.0
    ) + alphas
    largest_inverse = np.divide(
        1.0, least_eigenvalues, out=np.full_like(least_eigenvalues, np.inf), where=least_eigenvalues > 0
    )
    left_out_errors = errors / problem.total_weight
    with np.errstate(invalid="ignore", over="ignore"):
        row_move = largest_residual * largest_inverse + np.sqrt(largest_move) * np.linalg.norm(
            coefficients, axis=1
        )
    inverse = problem.invert(alphas)
    if np.isnan(left_out_errors).any():
        raise InsufficientPrecision("leave-one-out errors leave the range of doubles")
    best = np.flatnonzero(left_out_errors == np.min(left_out_errors))
    return RidgePath(
        alphas=alphas,
        coefficients=coefficients,
        intercepts=intercepts,
        leave_one_out=left_out_errors,
        eigenvalues=problem.eigenvalues[::-1].copy(),
        chosen=int(best[-1]),
        target_move=np.sqrt(largest_move),
        typical_move=np.sqrt(moves / problem.n_rows),
        row_move=row_move,
        noise=(problem.eigenvalues[:, np.newaxis] * inverse**2).sum(axis=0),
    )


def compute_spectrum(rows: Rows, *, intercept: bool, reference: Gram | None = None) -> np.ndarray:
    """The eigenvalues of the Gram matrix, descending, from products of rows where these are fewer.

    Rows that do not have the Gram matrix that the fit saw in single precision are refused. Raises
    `InsufficientPrecision` where products leave the range of doubles.
    """
    if rows.n_columns <= rows.n_rows:
        gram = form_gram(rows, intercept=intercept).matrix
        tolerance = (
            np.inf
            if reference is None
            else SINGLE_PRECISION_ERROR_SHARE
            * np.sqrt(np.outer(reference.sums_of_squares, reference.sums_of_squares))
        )
        if reference is not None and not (abs(gram - reference.matrix) <= tolerance).all():
            raise DataError("The rows have changed since the fit: fit again to have their eigenvalues.")
        with limit_threads(rows.n_columns):
            return np.maximum(np.linalg.eigvalsh(gram)[::-1], 0.0)
    with np.errstate(all="ignore"):
        eigenvalues = RowGram(rows, intercept=intercept).spectrum[0]
    return np.concatenate([np.maximum(eigenvalues[::-1], 0.0), np.zeros(rows.n_columns - rows.n_rows)])


def _fit_from_rows(row_gram: RowGram, alphas: np.ndarray) -> RidgePath:
    """The same from products of rows: K = U Λ Uᵀ has the eigenvalues of G that are not 0."""
    eigenvalues, U = row_gram.spectrum
    total_weight = float(row_gram.weights.sum())
    scaled_targets = (row_gram.y - row_gram.target_mean) * row_gram.weight_roots
    problem = _EigenProblem(eigenvalues, U.T @ scaled_targets, total_weight, row_gram.n_rows)
    inverse = problem.invert(alphas)
    coefficients = np.array(
        [
            row_gram.combine(row_gram.weight_roots * (U @ (inverse[:, k] * problem.cross_products)))
            for k in range(len(alphas))
        ]
    )
    # D^½ T = U Λ^½, so that s T² has the entries U² Λ; rows of weight 0 have none and are left out.
    positive_weights = np.where(row_gram.weights > 0, row_gram.weights, 1.0)
    squares = U**2 * eigenvalues / positive_weights[:, np.newaxis]
    fitted = U @ (eigenvalues[:, np.newaxis] * inverse * problem.cross_products[:, np.newaxis])
    residuals = (scaled_targets[:, np.newaxis] - fitted) / np.sqrt(positive_weights)[:, np.newaxis]
    intercept_leverage = 1.0 / total_weight if row_gram.intercept else 0.0
    sums = _evaluate_left_out(squares, residuals, row_gram.weights, inverse, intercept_leverage)
    # Columns beyond the rows add eigenvalues 0.
    problem.eigenvalues = np.concatenate([np.zeros(row_gram.n_columns - row_gram.n_rows), eigenvalues])
    problem.cross_products = np.concatenate(
        [np.zeros(row_gram.n_columns - row_gram.n_rows), problem.cross_products]
    )
    intercepts = (
        row_gram.target_mean - coefficients @ row_gram.mean if row_gram.intercept else np.zeros(len(alphas))
    )
    return _assemble_path(sums, problem, alphas, coefficients, intercepts)
