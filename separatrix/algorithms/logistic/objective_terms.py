"""What each block of rows adds to the objective of logistic regression and to its derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.rows import Block
from separatrix.rows.block import rows_per_block


class RowCosts:
    """c_i = C·v_i of a run of rows; for rows that count once an array that is made once."""

    def __init__(self, C: float) -> None:
        self.C = C
        self._equal_costs = np.empty(0)

    def __reduce__(self) -> tuple[Any, ...]:
        return RowCosts, (self.C,)

    def compute(self, weights: np.ndarray | None, n_rows: int) -> np.ndarray:
        """Those of ``n_rows`` rows; every v_i is 1 where ``weights`` is None."""
        if weights is not None:
            return np.asarray(self.C * weights)
        costs = self._equal_costs
        if len(costs) < n_rows:  # another thread may replace the array meanwhile, by a shorter one
            costs = self._equal_costs = np.full(n_rows, self.C)
        return costs[:n_rows]


@dataclass(frozen=True)
class LinearScores:
    """w·(x, 1) of every row."""

    weights: np.ndarray

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> np.ndarray:
        from separatrix.kernels.scores import scores

        found = np.empty(len(block))
        scores(block.X, 1.0, self.weights, found)
        return found


class BlockDerivatives(NamedTuple):
    """Of one block: its place among all rows, what it adds to the sums, and what is kept for every row."""

    span: slice
    sums: tuple[Any, ...]
    scores: np.ndarray | None
    curvatures: np.ndarray | None


@dataclass(frozen=True)
class LossDerivatives:
    """Σ c·log(1 + exp(−s·score)), its slopes Σ f·(x, 1) and Σ f with f = −c·s·p, and perhaps its Hessian.

    ``scores`` are those of all rows at these weights, where they are known; the others are kept.
    """

    positive: int
    costs: RowCosts
    weights: np.ndarray
    scores: np.ndarray | None
    gram: GramOfRows | None
    keep_curvatures: bool

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> BlockDerivatives:
        from separatrix.algorithms.logistic.objective_kernels import differentiate_dense_rows

        X, signs, span, is_sparse = block.X, block.signs(self.positive), block.span, block.is_sparse
        n, has_scores = len(signs), self.scores is not None
        scores = np.empty(n) if self.scores is None else self.scores[span]
        curvatures, gradient = np.empty(n), np.zeros(block.n_columns + 1)
        costs = self.costs.compute(block.weights, n)
        differentiate = _differentiate_sparse_rows if is_sparse else differentiate_dense_rows
        loss, mass = differentiate(X, signs, costs, self.weights, has_scores, scores, curvatures, gradient)
        hessian = () if self.gram is None else (self.gram.compute(X, curvatures, is_sparse=is_sparse),)
        return BlockDerivatives(
            span,
            (loss, gradient, mass, *hessian),
            None if has_scores else scores,
            curvatures if self.keep_curvatures else None,
        )


def _differentiate_sparse_rows(
    X: Any,
    signs: np.ndarray,
    costs: np.ndarray,
    weights: np.ndarray,
    has_scores: bool,
    scores: np.ndarray,
    curvatures: np.ndarray,
    total: np.ndarray,
) -> tuple[float, float]:
    """`differentiate_dense_rows`, of sparse rows."""
    from separatrix.algorithms.logistic.objective_kernels import add_rows, differentiate_losses
    from separatrix.kernels.scores import scores as compute_scores

    if not has_scores:
        compute_scores(X, 1.0, weights, scores)
    slopes, powers = np.empty(len(signs)), np.empty(len(signs), np.int64)
    loss = differentiate_losses(scores, signs, costs, powers, slopes, curvatures)
    return loss, add_rows(X, slopes, 1.0, total)


@dataclass(frozen=True)
class GramOfRows:
    """Σ h·(x − centre, constant)(x − centre, constant)ᵀ for curvatures h; of sparse rows the upper part."""

    centre: np.ndarray
    constant: float
    precise: bool

    def compute(self, X: Any, curvatures: np.ndarray, *, is_sparse: bool) -> np.ndarray:
        from separatrix.algorithms.logistic.objective_kernels import add_gram, scale_rows

        width, dtype = len(self.centre) + 1, np.float64 if self.precise else np.float32
        total = np.zeros((width, width))
        if is_sparse:
            add_gram(X, curvatures, self.constant, total)
            return total
        step = rows_per_block(np.dtype(dtype).itemsize * width)
        buffer = np.empty((min(step, len(X)), width), dtype)
        for start in range(0, len(X), step):
            run, h = X[start : start + step], curvatures[start : start + step]
            scaled = buffer[: len(run)]
            scale_rows(run, self.centre, h, self.constant, scaled)
            total += np.dot(scaled.T, scaled)
        return total


@dataclass(frozen=True)
class LogisticHessianProduct:
    """Σ h·(z·v) z over rows z = (x, 1), and its last entry, for curvatures h of all rows."""

    curvatures: np.ndarray
    direction: np.ndarray

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[np.ndarray, float]:
        from separatrix.algorithms.logistic.objective_kernels import add_hessian_product

        total = np.zeros(block.n_columns + 1)
        mass = add_hessian_product(block.X, self.curvatures[block.span], 1.0, self.direction, total)
        return total, mass


@dataclass(frozen=True)
class LogisticHessianDiagonal:
    """Σ h·(x − centre, constant)² for curvatures h of all rows."""

    curvatures: np.ndarray
    centre: np.ndarray
    constant: float

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[np.ndarray]:
        from separatrix.algorithms.logistic.objective_kernels import add_squares

        total, h = np.zeros(block.n_columns + 1), self.curvatures[block.span]
        if block.is_sparse:
            add_squares(block.X, h, self.constant, total)
        else:
            total[:-1] = h @ (block.X - self.centre) ** 2
            total[-1] = self.constant * h.sum()
        return (total,)
