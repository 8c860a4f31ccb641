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
        scores = np.empty(len(block)) if self.scores is None else self.scores[block.span]
        curvatures, gradient = np.empty(len(block)), np.zeros(block.n_columns + 1)
        loss, mass = self._differentiate(block, scores, curvatures, gradient)
        hessian = () if self.gram is None else (self.gram.compute(block, curvatures),)
        return BlockDerivatives(
            block.span,
            (loss, gradient, mass, *hessian),
            scores if self.scores is None else None,
            curvatures if self.keep_curvatures else None,
        )

    def _differentiate(
        self, block: Block, scores: np.ndarray, curvatures: np.ndarray, gradient: np.ndarray
    ) -> tuple[float, float]:
        """The loss and Σ f; fills the arrays."""
        from separatrix.algorithms.logistic import objective_kernels as kernels

        X, signs = block.X, block.signs(self.positive)
        costs, has_scores = self.costs.compute(block.weights, len(block)), self.scores is not None
        if not block.is_sparse:
            loss, mass = kernels.differentiate_dense_rows(
                X, signs, costs, self.weights, has_scores, scores, curvatures, gradient
            )
            return loss, mass
        from separatrix.kernels.scores import scores as compute_scores

        if not has_scores:
            compute_scores(X, 1.0, self.weights, scores)
        slopes, powers = np.empty(len(block)), np.empty(len(block), np.int64)
        loss = kernels.differentiate_losses(scores, signs, costs, powers, slopes, curvatures)
        return loss, kernels.add_rows(X, slopes, 1.0, gradient)


@dataclass(frozen=True)
class GramOfRows:
    """Σ h·(x − centre, constant)(x − centre, constant)ᵀ for curvatures h; of sparse rows the upper part."""

    centre: np.ndarray
    constant: float
    precise: bool

    def compute(self, block: Block, curvatures: np.ndarray) -> np.ndarray:
        from separatrix.algorithms.logistic.objective_kernels import add_gram, scale_rows

        X, width, dtype = block.X, block.n_columns + 1, np.float64 if self.precise else np.float32
        total = np.zeros((width, width))
        if block.is_sparse:
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
