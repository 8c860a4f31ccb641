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

from separatrix.algorithms.least_squares.gram import Gram, Unsuited, gram_of, quietly
from separatrix.algorithms.least_squares.row_gram import Wide
from separatrix.fitting.exact_errors import matrix
from separatrix.rows import Block, DataError, Rows

SEEN = 1e-4  # of the length of two columns: more than single precision takes from their product


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
class _Frame:
    """The problem in the basis of eigenvectors."""

    values: np.ndarray
    right: np.ndarray
    total: float
    n_rows: int

    def inverse(self, alphas: np.ndarray) -> np.ndarray:
        """1/(Λ + α), one column for each α; 0 where both are 0."""
        shifted = self.values[:, np.newaxis] + alphas
        return np.divide(1.0, shifted, out=np.zeros_like(shifted), where=shifted > 0)


def ridge_path(
    rows: Rows, weights: np.ndarray | None, alphas: np.ndarray, *, intercept: bool, gram: Gram | None = None
) -> RidgePath:
    """All fits, their leave-one-out errors and their moves: one product of columns and one more pass.

    Raises `Unsuited` where they leave the range of doubles.
    """
    with np.errstate(all="ignore"):
        if rows.n_columns > rows.n_rows:
            path = _from_rows(Wide(rows, weights, intercept=intercept), alphas)
        else:
            path = _from_columns(rows, weights, alphas, intercept=intercept, gram=gram)
    found = (path.coefficients, path.intercepts, path.eigenvalues, path.target_move, path.typical_move)
    if not all(np.isfinite(values).all() for values in found):
        raise Unsuited("fits or their errors leave the range of doubles")
    return path


def _from_columns(
    rows: Rows, weights: np.ndarray | None, alphas: np.ndarray, *, intercept: bool, gram: Gram | None
) -> RidgePath:
    gram = gram_of(rows, weights, intercept=intercept) if gram is None else gram
    with quietly(rows.n_columns):
        values, Q = np.linalg.eigh(gram.matrix)
    values[values < values[-1] * len(values) * 2.0**-52] = 0.0
    d = rows.n_columns
    frame = _Frame(values, Q.T @ gram.right, gram.total, rows.n_rows)
    inverse = frame.inverse(alphas)
    inner = inverse * frame.right[:, np.newaxis]
    coefficients = (Q @ inner).T
    mean = gram.centre[:d] + gram.mean[:d]
    height = gram.centre[d] + gram.mean[d]
    flat = 1.0 / gram.total if intercept else 0.0
    at_mean = mean @ Q

    @np.errstate(all="ignore")  # in whatever thread
    def term(block: Block) -> tuple[np.ndarray, np.ndarray, _Largest]:
        s = np.ones(len(block)) if weights is None else weights[block.start : block.stop]
        X = matrix(block, d)
        T = (X - mean) @ Q if isinstance(X, np.ndarray) else X @ Q - at_mean
        rest = (block.targets - height)[:, np.newaxis] - T @ inner
        return _pass(T**2, rest, s, inverse, inverse**2, flat)

    return _told(rows.sum(term), frame, alphas, coefficients, height - coefficients @ mean)


class _Largest(np.ndarray):
    """An array of which a sum over blocks keeps the largest entries."""

    def __add__(self, other: Any) -> Any:
        return np.maximum(self, other).view(_Largest)


def _pass(
    squares: np.ndarray, rest: np.ndarray, s: np.ndarray, leverage: np.ndarray, pull: np.ndarray, flat: float
) -> tuple[np.ndarray, np.ndarray, Any]:
    unit = np.minimum(s, 1.0)[:, np.newaxis]
    h = unit * (squares @ leverage + flat)
    free = 1.0 - h
    # A fit that goes through its row whatever the target says nothing about it when it is left out.
    open_ = free > 1e-10
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.where(open_, rest / np.where(open_, free, 1.0), np.inf) ** 2
    counted = s > 0
    errors = (s[counted, np.newaxis] * out[counted]).sum(axis=0)
    moves = (squares @ pull) * s[:, np.newaxis] ** 2
    far = np.stack([moves.max(axis=0), (abs(rest) * s[:, np.newaxis]).max(axis=0)])
    return errors, moves.sum(axis=0), far.view(_Largest)


def _told(
    sums: tuple[Any, Any, Any],
    frame: _Frame,
    alphas: np.ndarray,
    coefficients: np.ndarray,
    intercepts: np.ndarray,
) -> RidgePath:
    errors, moves, far = sums
    largest, rest = np.asarray(far)
    positive = frame.values[frame.values > 0]
    least = (float(positive.min()) if len(positive) == len(frame.values) else 0.0) + alphas
    stiff = np.divide(1.0, least, out=np.full_like(least, np.inf), where=least > 0)
    loo = errors / frame.total
    with np.errstate(invalid="ignore", over="ignore"):
        row_move = rest * stiff + np.sqrt(largest) * np.linalg.norm(coefficients, axis=1)
    inverse = frame.inverse(alphas)
    if np.isnan(loo).any():
        raise Unsuited("leave-one-out errors leave the range of doubles")
    best = np.flatnonzero(loo == np.min(loo))
    return RidgePath(
        alphas=alphas,
        coefficients=coefficients,
        intercepts=intercepts,
        leave_one_out=loo,
        eigenvalues=frame.values[::-1].copy(),
        chosen=int(best[-1]),
        target_move=np.sqrt(largest),
        typical_move=np.sqrt(moves / frame.n_rows),
        row_move=row_move,
        noise=(frame.values[:, np.newaxis] * inverse**2).sum(axis=0),
    )


def spectrum(
    rows: Rows, weights: np.ndarray | None, *, intercept: bool, like: Gram | None = None
) -> np.ndarray:
    """The eigenvalues of the Gram matrix, descending, from products of rows where these are fewer.

    Rows that do not have the Gram matrix that the fit saw in single precision are refused. Raises `Unsuited`
    where products leave the range of doubles.
    """
    if rows.n_columns <= rows.n_rows:
        gram = gram_of(rows, weights, intercept=intercept).matrix
        room = np.inf if like is None else SEEN * np.sqrt(np.outer(like.spread, like.spread))
        if like is not None and not (abs(gram - like.matrix) <= room).all():
            raise DataError("The rows have changed since the fit: fit again to have their eigenvalues.")
        with quietly(rows.n_columns):
            return np.maximum(np.linalg.eigvalsh(gram)[::-1], 0.0)
    with np.errstate(all="ignore"):
        values = Wide(rows, weights, intercept=intercept).spectrum[0]
    return np.concatenate([np.maximum(values[::-1], 0.0), np.zeros(rows.n_columns - rows.n_rows)])


def _from_rows(wide: Wide, alphas: np.ndarray) -> RidgePath:
    """The same from products of rows: K = U Λ Uᵀ has the eigenvalues of G that are not 0."""
    values, U = wide.spectrum
    total = float(wide.weights.sum())
    moved = (wide.y - wide.target_mean) * wide.roots
    frame = _Frame(values, U.T @ moved, total, wide.n)
    inverse = frame.inverse(alphas)
    coefficients = np.array(
        [wide.combined(wide.roots * (U @ (inverse[:, k] * frame.right))) for k in range(len(alphas))]
    )
    # D^½ T = U Λ^½, so that s T² has the entries U² Λ; rows of weight 0 have none and are left out.
    heavy = np.where(wide.weights > 0, wide.weights, 1.0)
    squares = U**2 * values / heavy[:, np.newaxis]
    fitted = U @ (values[:, np.newaxis] * inverse * frame.right[:, np.newaxis])
    rest = (moved[:, np.newaxis] - fitted) / np.sqrt(heavy)[:, np.newaxis]
    flat = 1.0 / total if wide.intercept else 0.0
    sums = _pass(squares, rest, wide.weights, inverse, inverse**2, flat)
    # Columns beyond the rows add eigenvalues 0.
    frame.values = np.concatenate([np.zeros(wide.d - wide.n), values])
    frame.right = np.concatenate([np.zeros(wide.d - wide.n), frame.right])
    intercepts = wide.target_mean - coefficients @ wide.mean if wide.intercept else np.zeros(len(alphas))
    return _told(sums, frame, alphas, coefficients, intercepts)
