"""What each block of rows adds to the multinomial objective and to its derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.logistic.objective_terms import RowCosts
from separatrix.rows import Block


@dataclass(frozen=True)
class JointInputs:
    """Rows x − centre, or x where there is no centre, with their costs c = C·v."""

    row_costs: RowCosts
    centre: np.ndarray | None

    def values(self, block: Block) -> Any:
        X = block.matrix()
        return X if self.centre is None else X - self.centre

    def costs(self, block: Block) -> np.ndarray:
        return self.row_costs.compute(block.weights, len(block))


class BlockProbabilities(NamedTuple):
    """Of one block: its place among all rows, what it adds to the sums, and the probabilities of classes."""

    span: slice
    sums: tuple[float, np.ndarray, np.ndarray]
    probabilities: np.ndarray


@dataclass(frozen=True)
class MultinomialDerivatives:
    """Σ c(log Σ exp(t_k) − t_y) for scores t = Wx + b, its gradient and its Hessian's diagonal."""

    inputs: JointInputs
    weights: np.ndarray

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> BlockProbabilities:
        X, c, places = self.inputs.values(block), self.inputs.costs(block), np.arange(len(block))
        scores = np.asarray(X @ self.weights[:, :-1].T) + self.weights[:, -1]
        best_class = scores.argmax(axis=1)
        top = scores[places, best_class]
        p = np.exp(scores - top[:, None])
        p[places, best_class] = 0.0
        others = p.sum(axis=1)  # beside 1, of which rows far on their side leave nothing
        loss = float(c @ (np.log1p(others) + top - scores[places, block.codes]))
        p[places, best_class] = 1.0
        p /= (1.0 + others)[:, None]
        curvatures = (p * _sum_other_classes(p) * c[:, None]).T
        squares = X.multiply(X) if block.is_sparse else X.astype(np.float64) ** 2
        diagonal = np.column_stack([np.asarray(curvatures @ squares), curvatures.sum(axis=1)])
        slopes = p.copy()
        # What is left for a row's own class, without the cancellation of 1 − p.
        slopes[places, block.codes] = 0.0
        slopes[places, block.codes] = -slopes.sum(axis=1)
        slopes *= c[:, None]
        gradient = np.column_stack([np.asarray((X.T @ slopes).T), slopes.sum(axis=0)])
        return BlockProbabilities(block.span, (loss, gradient, diagonal), p)


@dataclass(frozen=True)
class MultinomialHessianProduct:
    """The product of the Hessian with a direction, for the probabilities of all rows."""

    inputs: JointInputs
    probabilities: np.ndarray
    direction: np.ndarray

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[np.ndarray]:
        X, c, p = self.inputs.values(block), self.inputs.costs(block), self.probabilities[block.span]
        score_changes = np.asarray(X @ self.direction[:, :-1].T) + self.direction[:, -1]
        score_changes = c[:, None] * p * (score_changes - (p * score_changes).sum(axis=1, keepdims=True))
        return (np.column_stack([np.asarray((X.T @ score_changes).T), score_changes.sum(axis=0)]),)


@dataclass(frozen=True)
class MultinomialHessian:
    """The Hessian in blocks of classes, for the probabilities of all rows."""

    inputs: JointInputs
    probabilities: np.ndarray
    intercept: bool

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[np.ndarray]:
        X = self.inputs.values(block)
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        Z = np.column_stack([dense, np.full(len(block), float(self.intercept))])
        return (sum_hessian_blocks(Z, self.probabilities[block.span], self.inputs.costs(block)),)


def sum_hessian_blocks(Z: np.ndarray, p: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Σ cost p_k(δ_kl − p_l) z zᵀ, one block for every two classes k and l."""
    n_classes, width, others = p.shape[1], Z.shape[1], _sum_other_classes(p)
    blocks = np.empty((n_classes, width, n_classes, width))
    for k in range(n_classes):
        for other in range(k + 1):
            curvatures = costs * p[:, k] * (others[:, k] if k == other else -p[:, other])
            blocks[k, :, other] = (Z * curvatures[:, None]).T @ Z
            blocks[other, :, k] = blocks[k, :, other]
    return blocks


def _sum_other_classes(p: np.ndarray) -> np.ndarray:
    """1 − p, without its cancellation."""
    return np.asarray(p @ (1.0 - np.eye(p.shape[1])))
