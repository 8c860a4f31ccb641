"""One soft-margin problem: signed rows with their costs, and what a solver hands back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.convex.centring import Centring
from separatrix.algorithms.svm.working_rows import is_centred
from separatrix.rows import Block, Rows


@dataclass(frozen=True)
class SoftMarginProblem:
    """Minimise ½‖w‖² + Σ cost·loss(s(w·x + b)).

    ``cost`` is what every row costs that has no weight of its own; gathered rows are seen from
    ``centring.centre``, for the intercept is free.
    """

    rows: Rows
    positive: int
    cost: float
    weights: np.ndarray | None
    intercept: bool
    centring: Centring

    @classmethod
    def from_rows(cls, rows: Rows, positive: int, cost: float, *, intercept: bool) -> SoftMarginProblem:
        has_centre = intercept and is_centred(rows)
        centring = Centring.near_mean(rows) if has_centre else Centring.none(rows.n_columns)
        return cls(rows, positive, cost, rows.weights, intercept, centring)

    @property
    def centre(self) -> np.ndarray:
        return self.centring.centre

    def compute_costs(self, chosen: Any) -> np.ndarray:
        """The costs of a slice of rows, or of the rows of these numbers."""
        if self.weights is not None:
            with np.errstate(over="ignore"):
                return np.asarray(self.cost * self.weights[chosen])
        size = chosen.stop - chosen.start if isinstance(chosen, slice) else len(chosen)
        return np.full(size, float(self.cost))

    @property
    def total_cost(self) -> float:
        return self.cost * (self.rows.n_rows if self.weights is None else float(self.weights.sum()))

    def collect_signs(self) -> np.ndarray:
        return self.rows.signs(self.positive)

    @cached_property
    def objective_at_zero(self) -> float:
        """The objective of w = 0 with the best intercept, at which the lighter class is given up."""
        if not self.intercept:
            return self.total_cost
        return 2.0 * min(self.rows.sum(CostsOfClasses(self.cost, self.positive)))

    def find_counted_rows(self) -> np.ndarray:
        """The numbers of the rows that cost something."""
        if self.weights is None:
            return np.arange(self.rows.n_rows, dtype=np.int32 if self.rows.n_rows < 1 << 31 else np.int64)
        return np.flatnonzero(self.weights > 0.0)


def compute_block_costs(block: Block, cost: float) -> np.ndarray:
    """What each row of a block costs: ``cost`` times its weight."""
    if block.weights is None:
        return np.full(len(block), float(cost))
    with np.errstate(over="ignore"):
        return cost * block.weights


@dataclass(frozen=True)
class CostsOfClasses:
    """A term: Σ cost over the rows of +1, and over those of -1."""

    cost: float
    positive: int

    def __call__(self, block: Block) -> tuple[float, float]:
        costs, is_positive = compute_block_costs(block, self.cost), block.signs(self.positive) > 0
        return float(costs[is_positive].sum()), float(costs[~is_positive].sum())


class SoftMarginSolution(NamedTuple):
    """Weights for the rows as given, the margins of all rows, and the Newton steps made.

    Hinge: ``at_cost`` says of every row whether its α is its whole cost, ``free_rows`` are the rows with an
    α below that and above 0, ``free_alpha`` theirs. Squared hinge: ``at_cost`` is None, and α is
    2·cost·max(0, 1 − margin). A number and a multiplier for every row would take more memory than all else:
    `compute_multipliers` comes last.
    """

    weights: np.ndarray
    margins: np.ndarray
    steps: int
    at_cost: np.ndarray | None
    free_rows: np.ndarray
    free_alpha: np.ndarray

    def compute_multipliers(self, problem: SoftMarginProblem) -> tuple[np.ndarray, np.ndarray]:
        """The rows with α above 0, ascending, and their α."""
        is_support = self.margins < 1.0 if self.at_cost is None else self.at_cost.copy()
        if self.at_cost is None and problem.weights is not None:
            is_support &= problem.weights > 0.0
        is_support[self.free_rows] = True
        support = np.flatnonzero(is_support)
        if self.at_cost is not None:
            alpha = problem.compute_costs(support)
            alpha[np.searchsorted(support, self.free_rows)] = self.free_alpha
            return support, alpha
        alpha = self.margins[support]
        np.subtract(1.0, alpha, out=alpha)
        alpha *= 2.0 * problem.cost if problem.weights is None else 2.0 * problem.compute_costs(support)
        return support, alpha
