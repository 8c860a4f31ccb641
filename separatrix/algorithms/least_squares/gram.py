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

from separatrix.fitting.exact_errors import matrix
from separatrix.rows import Block, Csr, Rows
from separatrix.rows.block import rows_per_block
from separatrix.rows.threads import blas

SAMPLE = 1000
FAR = 4.0  # spreads from 0: beyond, residuals are formed from moved rows
SETTLED = 1e-17  # what a correction may leave, as the last ones shrank
PASSES = 4
SINGLE = 1000  # columns, up to which a second thread gains little
LARGEST_CONDITION = 1e10  # of the scaled Gram matrix, up to which refinement is sure to converge


class Twofold:
    """An array and what its sum has rounded off."""

    __slots__ = ("high", "low")

    def __init__(self, high: np.ndarray, low: np.ndarray | float = 0.0) -> None:
        self.high, self.low = high, low

    def __add__(self, other: Twofold) -> Twofold:
        total = self.high + other.high
        back = total - self.high
        lost = (self.high - (total - back)) + (other.high - back)
        lost += self.low
        lost += other.low
        return Twofold(total, lost)

    def rounded(self) -> np.ndarray:
        return self.high + self.low


def quietly(size: int) -> AbstractContextManager[Any]:
    """BLAS on one thread for a matrix of this size: a busy machine makes two wait for one another."""
    return blas().limit(limits=1) if size <= SINGLE else nullcontext()


class Unsuited(Exception):
    """The Gram matrix in floats does not tell enough; the message says why."""


@dataclass(frozen=True)
class Gram:
    """Moments about ``centre`` (columns, then target): total weight, means, and the centred Gram matrix.

    ``spread`` has Σ s (x − x̄)² for each column, ``right`` Σ s (x − x̄)(y − ȳ). Without an intercept nothing
    is centred, and ``centre`` and ``mean`` are 0.
    """

    centre: np.ndarray
    total: float
    mean: np.ndarray  # of what remains after the centre is taken off; the target last
    matrix: np.ndarray
    right: np.ndarray
    target_spread: float
    far: bool

    @property
    def spread(self) -> np.ndarray:
        return np.diag(self.matrix)


def with_blas_threads(rows: Rows, asked: int | None) -> Rows:
    """Rows whose requests use as many threads as BLAS would on its own, unless a number was asked for."""
    if asked is not None:
        return rows
    return rows.with_threads(max([rows.n_jobs, *(int(pool["num_threads"]) for pool in blas().info())]))


def runs(block: Block, d: int) -> Iterator[slice]:
    """A block in steps of about a megabyte, which the cache of a core holds."""
    step = rows_per_block(8 * d)
    for start in range(0, len(block), step):
        yield slice(start, start + step)


def gram_of(rows: Rows, weights: np.ndarray | None, *, intercept: bool) -> Gram:
    """One pass over the rows."""
    d = rows.n_columns
    first = next(iter(rows.blocks()))
    sparse = isinstance(first.X, Csr)
    centre = np.zeros(d + 1)
    if intercept:
        with np.errstate(all="ignore"):
            centre[d] = float(np.mean(first.targets[:SAMPLE]))
            if not sparse:
                some = rows.preview(SAMPLE).whole().dense().astype(np.float64)
                mean = some.mean(axis=0)
                if (abs(mean) > FAR * some.std(axis=0)).any():
                    centre[:d] = mean
        if not np.isfinite(centre).all():
            centre[:] = 0.0
    in_place = weights is None and not centre[:d].any() and rows.dtype == np.float64

    def beside(block: Block) -> np.ndarray:
        right = np.empty((len(block), 2))
        right[:, 0] = 1.0
        np.subtract(block.targets, centre[d], out=right[:, 1])
        return right

    def plain(block: Block) -> tuple[Twofold]:
        right = beside(block)
        G = np.zeros((d + 2, d + 2))
        for run in runs(block, d):
            X, R = block.X[run], right[run]
            G[:d, :d] += np.dot(X.T, X)
            G[:d, d:] += np.dot(X.T, R)
        G[d:, :d] = G[:d, d:].T
        G[d:, d:] = np.dot(right.T, right)
        return (Twofold(G),)

    def dense(block: Block) -> tuple[Twofold]:
        Z = np.empty((len(block), d + 2))
        np.subtract(block.X, centre[:d], out=Z[:, :d])
        Z[:, d] = 1.0
        np.subtract(block.targets, centre[d], out=Z[:, d + 1])
        if weights is None:
            return (Twofold(np.dot(Z.T, Z)),)
        return (Twofold(np.dot(Z.T, Z * weights[block.start : block.stop, np.newaxis])),)

    def thin(block: Block) -> tuple[Twofold]:
        X = matrix(block, d).astype(np.float64, copy=False)
        s = np.ones(len(block)) if weights is None else weights[block.start : block.stop]
        alone = beside(block)
        right = alone * s[:, np.newaxis]
        G = np.empty((d + 2, d + 2))
        scaled = X if weights is None else X.multiply(s[:, np.newaxis]).tocsr()
        G[:d, :d] = (X.T @ scaled).toarray()
        G[:d, d:] = X.T @ right
        G[d:, :d] = G[:d, d:].T
        G[d:, d:] = alone.T @ right
        return (Twofold(G),)

    with np.errstate(all="ignore"):
        if in_place and not sparse:
            added = rows.in_large_blocks().sum(plain)
        else:
            added = rows.sum(thin if sparse else dense)
        G = added[0].rounded()
    if not np.isfinite(G).all():
        rows.require_finite()
        raise Unsuited("sums of squares overflow")
    return about_mean(G, centre, intercept=intercept, sparse=sparse)


def about_mean(G: np.ndarray, centre: np.ndarray, *, intercept: bool, sparse: bool) -> Gram:
    d = len(G) - 2
    kept = [*range(d), d + 1]
    total = float(G[d, d])
    inner = G[np.ix_(kept, kept)]
    mean = np.zeros(d + 1)
    if intercept:
        mean = G[kept, d] / total
        inner = inner - np.outer(mean, mean) * total
        raw = np.diag(G)[kept]
        if sparse and (np.diag(inner)[:d] < 1e-6 * raw[:d]).any():
            raise Unsuited("a sparse column is nearly constant")
    inner = (inner + inner.T) / 2
    spread = np.sqrt(np.maximum(np.diag(inner)[:d], 0.0) / total)
    far = bool((abs(centre[:d]) > FAR * spread).any())
    return Gram(centre, total, mean, inner[:d, :d], inner[:d, d], float(inner[d, d]), far)


class Factor:
    """The Gram matrix plus α, scaled to a unit diagonal and factored by Cholesky."""

    def __init__(self, gram: Gram, alpha: float, limit: float = LARGEST_CONDITION) -> None:
        diagonal = gram.spread + alpha
        if not (diagonal > 0).all():
            raise Unsuited("a column does not vary")
        self.scale = np.sqrt(diagonal)
        scaled = gram.matrix / np.outer(self.scale, self.scale)
        np.fill_diagonal(scaled, 1.0)
        with quietly(len(scaled)):
            values = np.linalg.eigvalsh(scaled)
        self.condition = float(values[-1] / values[0]) if values[0] > 0 else np.inf
        if not self.condition <= limit:
            raise Unsuited(f"the condition of the scaled Gram matrix is {self.condition:.1e}")
        try:
            self._factor = cho_factor(scaled)
        except LinAlgError:
            raise Unsuited("the Gram matrix is not positive definite in floats") from None

    def solve(self, right: np.ndarray) -> np.ndarray:
        return np.asarray(cho_solve(self._factor, right / self.scale) / self.scale)


@dataclass(frozen=True)
class Refined:
    """Coefficients after refinement, the intercept last, and how they were reached."""

    weights: np.ndarray
    correction: float
    passes: int
    condition: float


def refined(
    rows: Rows,
    weights: np.ndarray | None,
    gram: Gram,
    alpha: float,
    *,
    intercept: bool,
    limit: float = LARGEST_CONDITION,
    least: int = 1,
) -> Refined:
    """The solution from the Gram matrix, corrected by gradients taken from the rows, ``least`` times or more;
    `Unsuited` where the condition is above ``limit``."""
    factor = Factor(gram, alpha, limit)
    d = rows.n_columns
    w = factor.solve(gram.right)
    offset = float(gram.mean[d] - gram.mean[:d] @ w) if intercept else 0.0
    before, last = np.inf, 1.0
    for passes in range(1, PASSES + 1):
        pull, lean = _residuals(rows, weights, gram, w, offset)
        pull = pull - alpha * w
        step = factor.solve(pull - gram.mean[:d] * lean if intercept else pull)
        size = float(np.max(abs(w) * factor.scale, initial=0.0))
        moved = float(np.max(abs(step) * factor.scale, initial=0.0))
        correction = moved / size if size else float(moved > 0)
        if not correction < before:
            raise Unsuited("refinement does not converge")
        w = w + step
        if intercept:
            offset += lean / gram.total - float(gram.mean[:d] @ step)
        if passes >= least and correction * correction <= SETTLED * last:
            bias = _bias(gram, w, offset) if intercept else 0.0
            return Refined(np.append(w, bias), correction, passes, factor.condition)
        before, last = correction / 4, correction
    raise Unsuited("refinement is too slow")


def _bias(gram: Gram, w: np.ndarray, offset: float) -> float:
    """The intercept for rows as given, from that for rows about the centre."""
    d = len(w)
    return fsum([gram.centre[d], offset, *(-gram.centre[:d] * w).tolist()])


def _residuals(
    rows: Rows, weights: np.ndarray | None, gram: Gram, w: np.ndarray, offset: float
) -> tuple[np.ndarray, float]:
    """Σ s r (x − centre) and Σ s r with r = y − ŷ: one pass."""
    from separatrix.algorithms.least_squares.residual_kernels import add_residuals

    d = len(w)
    shift = gram.centre[:d]
    base = float(gram.centre[d]) + offset - (0.0 if gram.far else float(shift @ w))

    def plain(block: Block) -> tuple[Twofold, float]:
        pull = np.zeros(d)
        lean = add_residuals(block.X, block.targets, base, w, pull)
        return Twofold(pull), float(lean)

    def term(block: Block) -> tuple[Twofold, float]:
        X = matrix(block, d)
        if gram.far:
            X = X - shift
        r = block.targets - base
        r -= X @ w
        heavy = r if weights is None else r * weights[block.start : block.stop]
        return Twofold(X.T @ heavy), float(heavy.sum())

    in_place = weights is None and not gram.far
    pull, lean = rows.in_large_blocks().sum(plain) if in_place else rows.sum(term)
    moved = pull.rounded()
    return moved if gram.far else moved - shift * lean, lean
