"""The second moments in floats: one pass, shifted, summed in twofold precision; then passes that refine.

Where a column lies far from 0, beside its spread, each block is moved to about the mean of the columns before
BLAS multiplies it with itself, so that it does not drown its own spread; the products of the blocks are added
with their rounding errors kept (Knuth's two-sum). What the products inside a block round is made good by
refinement: the gradient at the solution found, computed from the rows, is solved for once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.rows import Block, Rows
from separatrix.rows.block import rows_per_block
from separatrix.rows.terms import Targets
from separatrix.rows.threads import blas

SAMPLE_ROWS = 1000
CENTRING_FACTOR = 4.0  # spreads from 0: beyond, residuals are formed from moved rows
FINAL_CORRECTION_SHARE = 1e-17  # what a correction may leave, as the last ones shrank
MAX_REFINEMENT_PASSES = 4
SINGLE_THREAD_COLUMNS = 1000  # columns, up to which a second thread gains little
MAX_CONDITION = 1e10  # of the scaled Gram matrix, up to which refinement is sure to converge


class CompensatedArray:
    """An array and what its sum has rounded off."""

    __slots__ = ("high", "low")

    def __init__(self, high: np.ndarray, low: np.ndarray | float = 0.0) -> None:
        self.high, self.low = high, low

    def __add__(self, other: CompensatedArray) -> CompensatedArray:
        total = self.high + other.high
        added = total - self.high
        error = (self.high - (total - added)) + (other.high - added)
        error += self.low
        error += other.low
        return CompensatedArray(total, error)

    def to_array(self) -> np.ndarray:
        return self.high + self.low


def limit_threads(size: int) -> AbstractContextManager[Any]:
    """BLAS on one thread for a matrix of this size: a busy machine makes two wait for one another."""
    return blas().limit(limits=1) if size <= SINGLE_THREAD_COLUMNS else nullcontext()


class InsufficientPrecision(Exception):
    """The Gram matrix in floats does not tell enough; the message says why."""


@dataclass(frozen=True)
class Gram:
    """Moments about ``centre`` (columns, then target): total weight, means, and the centred Gram matrix.

    ``sums_of_squares`` has Σ s (x − x̄)² for each column, ``cross_products`` Σ s (x − x̄)(y − ȳ). Without an
    intercept nothing is centred, and ``centre`` and ``mean`` are 0.
    """

    centre: np.ndarray
    total_weight: float
    mean: np.ndarray  # of what remains after the centre is taken off; the target last
    matrix: np.ndarray
    cross_products: np.ndarray
    target_sum_of_squares: float
    needs_centring: bool

    @property
    def sums_of_squares(self) -> np.ndarray:
        return np.diag(self.matrix)


def with_blas_threads(rows: Rows, n_jobs: int | None) -> Rows:
    """Rows whose requests use as many threads as BLAS would on its own, unless a number was asked for."""
    if n_jobs is not None:
        return rows
    return rows.with_threads(max([rows.n_jobs, *(int(pool["num_threads"]) for pool in blas().info())]))


def split_into_runs(block: Block, d: int) -> Iterator[slice]:
    """A block in steps of about a megabyte, which the cache of a core holds."""
    step = rows_per_block(8 * d)
    for start in range(0, len(block), step):
        yield slice(start, start + step)


def form_gram(rows: Rows, *, intercept: bool) -> Gram:
    """One pass over the rows."""
    centre = _choose_centre(rows) if intercept else np.zeros(rows.n_columns + 1)
    is_in_place = rows.weights is None and not centre[:-1].any() and rows.dtype == np.float64
    with np.errstate(all="ignore"):
        if rows.is_sparse:
            sums = rows.sum(SparseMoments(float(centre[-1])))
        elif is_in_place:
            sums = rows.in_large_blocks().sum(UncentredMoments(float(centre[-1])))
        else:
            sums = rows.sum(CentredMoments(centre))
        G = sums[0].to_array()
    if not np.isfinite(G).all():
        rows.require_finite()
        raise InsufficientPrecision("sums of squares overflow")
    return centre_gram(G, centre, intercept=intercept, sparse=rows.is_sparse)


def _choose_centre(rows: Rows) -> np.ndarray:
    """About the mean of the target, last, and of the columns if one of them lies far from 0."""
    centre = np.zeros(rows.n_columns + 1)
    with np.errstate(all="ignore"):
        first_targets = next(rows.with_threads(1).each(Targets()))  # one thread reads no further block
        centre[-1] = float(np.mean(first_targets[:SAMPLE_ROWS]))
        if not rows.is_sparse:
            sample = rows.preview(SAMPLE_ROWS).whole().dense().astype(np.float64)
            mean = sample.mean(axis=0)
            if (abs(mean) > CENTRING_FACTOR * sample.std(axis=0)).any():
                centre[:-1] = mean
    return centre if np.isfinite(centre).all() else np.zeros_like(centre)


@dataclass(frozen=True)
class UncentredMoments:
    """Σ zzᵀ with z = (x, 1, y − c): of float64 rows that all count once, which BLAS reads where they are."""

    target_centre: float

    def __call__(self, block: Block) -> tuple[CompensatedArray]:
        d = block.n_columns
        ones_and_targets = _stack_ones_and_targets(block, self.target_centre)
        G = np.zeros((d + 2, d + 2))
        for run in split_into_runs(block, d):
            X, R = block.X[run], ones_and_targets[run]
            G[:d, :d] += np.dot(X.T, X)
            G[:d, d:] += np.dot(X.T, R)
        G[d:, :d] = G[:d, d:].T
        G[d:, d:] = np.dot(ones_and_targets.T, ones_and_targets)
        return (CompensatedArray(G),)


@dataclass(frozen=True)
class CentredMoments:
    """Σ s zzᵀ with z = (x, 1, y) less the centre."""

    centre: np.ndarray

    def __call__(self, block: Block) -> tuple[CompensatedArray]:
        d = block.n_columns
        Z = np.empty((len(block), d + 2))
        np.subtract(block.X, self.centre[:d], out=Z[:, :d])
        Z[:, d] = 1.0
        np.subtract(block.targets, self.centre[d], out=Z[:, d + 1])
        if block.weights is None:
            return (CompensatedArray(np.dot(Z.T, Z)),)
        return (CompensatedArray(np.dot(Z.T, Z * block.weights[:, np.newaxis])),)


@dataclass(frozen=True)
class SparseMoments:
    """Σ s zzᵀ with z = (x, 1, y − c), of sparse rows."""

    target_centre: float

    def __call__(self, block: Block) -> tuple[CompensatedArray]:
        d = block.n_columns
        X = block.matrix().astype(np.float64, copy=False)
        s = block.row_weights[:, np.newaxis]
        unweighted = _stack_ones_and_targets(block, self.target_centre)
        ones_and_targets = unweighted * s
        G = np.empty((d + 2, d + 2))
        scaled = X if block.weights is None else X.multiply(s).tocsr()
        G[:d, :d] = (X.T @ scaled).toarray()
        G[:d, d:] = X.T @ ones_and_targets
        G[d:, :d] = G[:d, d:].T
        G[d:, d:] = unweighted.T @ ones_and_targets
        return (CompensatedArray(G),)


def _stack_ones_and_targets(block: Block, target_centre: float) -> np.ndarray:
    ones_and_targets = np.empty((len(block), 2))
    ones_and_targets[:, 0] = 1.0
    np.subtract(block.targets, target_centre, out=ones_and_targets[:, 1])
    return ones_and_targets


def centre_gram(G: np.ndarray, centre: np.ndarray, *, intercept: bool, sparse: bool) -> Gram:
    d = len(G) - 2
    columns_and_target = [*range(d), d + 1]
    total_weight = float(G[d, d])
    centred = G[np.ix_(columns_and_target, columns_and_target)]
    mean = np.zeros(d + 1)
    if intercept:
        mean = G[columns_and_target, d] / total_weight
        centred = centred - np.outer(mean, mean) * total_weight
        uncentred_squares = np.diag(G)[columns_and_target]
        if sparse and (np.diag(centred)[:d] < 1e-6 * uncentred_squares[:d]).any():
            raise InsufficientPrecision("a sparse column is nearly constant")
    centred = (centred + centred.T) / 2
    deviations = np.sqrt(np.maximum(np.diag(centred)[:d], 0.0) / total_weight)
    needs_centring = bool((abs(centre[:d]) > CENTRING_FACTOR * deviations).any())
    return Gram(
        centre, total_weight, mean, centred[:d, :d], centred[:d, d], float(centred[d, d]), needs_centring
    )


class CholeskyFactor:
    """The Gram matrix plus α, scaled to a unit diagonal and factored by Cholesky."""

    def __init__(self, gram: Gram, alpha: float, max_condition: float = MAX_CONDITION) -> None:
        diagonal = gram.sums_of_squares + alpha
        if not (diagonal > 0).all():
            raise InsufficientPrecision("a column does not vary")
        self.scale = np.sqrt(diagonal)
        scaled = gram.matrix / np.outer(self.scale, self.scale)
        np.fill_diagonal(scaled, 1.0)
        with limit_threads(len(scaled)):
            eigenvalues = np.linalg.eigvalsh(scaled)
        self.condition = float(eigenvalues[-1] / eigenvalues[0]) if eigenvalues[0] > 0 else np.inf
        if not self.condition <= max_condition:
            raise InsufficientPrecision(f"the condition of the scaled Gram matrix is {self.condition:.1e}")
        try:
            self._factor = cho_factor(scaled)
        except LinAlgError:
            raise InsufficientPrecision("the Gram matrix is not positive definite in floats") from None

    def solve(self, right_side: np.ndarray) -> np.ndarray:
        return np.asarray(cho_solve(self._factor, right_side / self.scale) / self.scale)


@dataclass(frozen=True)
class RefinedSolution:
    """Coefficients after refinement, the intercept last, and how they were reached."""

    weights: np.ndarray
    correction: float
    passes: int
    condition: float


def refine(
    rows: Rows,
    gram: Gram,
    alpha: float,
    *,
    intercept: bool,
    max_condition: float = MAX_CONDITION,
    min_passes: int = 1,
) -> RefinedSolution:
    """The solution from the Gram matrix, corrected ``min_passes`` times or more by gradients from the rows.

    Raises `InsufficientPrecision` where the condition is above ``max_condition``.
    """
    factor = CholeskyFactor(gram, alpha, max_condition)
    d = rows.n_columns
    w = factor.solve(gram.cross_products)
    offset = float(gram.mean[d] - gram.mean[:d] @ w) if intercept else 0.0
    max_correction, last_correction = np.inf, 1.0
    for passes in range(1, MAX_REFINEMENT_PASSES + 1):
        residual_products, residual_sum = _sum_residuals(rows, gram, w, offset)
        residual_products = residual_products - alpha * w
        step = factor.solve(
            residual_products - gram.mean[:d] * residual_sum if intercept else residual_products
        )
        weights_size = float(np.max(abs(w) * factor.scale, initial=0.0))
        step_size = float(np.max(abs(step) * factor.scale, initial=0.0))
        correction = step_size / weights_size if weights_size else float(step_size > 0)
        if not correction < max_correction:
            raise InsufficientPrecision("refinement does not converge")
        w = w + step
        if intercept:
            offset += residual_sum / gram.total_weight - float(gram.mean[:d] @ step)
        if passes >= min_passes and correction * correction <= FINAL_CORRECTION_SHARE * last_correction:
            intercept_value = _uncentre_intercept(gram, w, offset) if intercept else 0.0
            return RefinedSolution(np.append(w, intercept_value), correction, passes, factor.condition)
        max_correction, last_correction = correction / 4, correction
    raise InsufficientPrecision("refinement is too slow")


def _uncentre_intercept(gram: Gram, w: np.ndarray, offset: float) -> float:
    """The intercept for rows as given, from that for rows about the centre."""
    d = len(w)
    return fsum([gram.centre[d], offset, *(-gram.centre[:d] * w).tolist()])


def _sum_residuals(rows: Rows, gram: Gram, w: np.ndarray, offset: float) -> tuple[np.ndarray, float]:
    """Σ s r (x − centre) and Σ s r with r = y − ŷ: one pass."""
    centre = gram.centre[:-1]
    constant = float(gram.centre[-1]) + offset
    if gram.needs_centring:
        products, residual_sum = rows.sum(ResidualProducts(w, constant, centre))
        return products.to_array(), residual_sum
    constant -= float(centre @ w)
    if rows.weights is None:
        products, residual_sum = rows.in_large_blocks().sum(UnweightedResidualProducts(w, constant))
    else:
        products, residual_sum = rows.sum(ResidualProducts(w, constant))
    return products.to_array() - centre * residual_sum, residual_sum


@dataclass(frozen=True)
class ResidualProducts:
    """Σ s r (x − c) and Σ s r with r = y − constant − w·(x − c)."""

    weights: np.ndarray
    constant: float
    centre: np.ndarray | None = None

    def __call__(self, block: Block) -> tuple[CompensatedArray, float]:
        X = block.matrix() if self.centre is None else block.matrix() - self.centre
        residuals = block.targets - self.constant
        residuals -= X @ self.weights
        if block.weights is not None:
            residuals *= block.weights
        return CompensatedArray(X.T @ residuals), float(residuals.sum())


@dataclass(frozen=True)
class UnweightedResidualProducts:
    """Σ r x and Σ r with r = y − constant − w·x, in one reading of rows that all count once."""

    weights: np.ndarray
    constant: float

    def __call__(self, block: Block) -> tuple[CompensatedArray, float]:
        from separatrix.algorithms.least_squares.residual_kernels import add_residuals

        products = np.zeros(block.n_columns)
        residual_sum = add_residuals(block.X, block.targets, self.constant, self.weights, products)
        return CompensatedArray(products), float(residual_sum)
