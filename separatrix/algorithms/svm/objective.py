"""One soft-margin task: signed rows with their costs, and what a solver hands back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.svm.working_rows import centred
from separatrix.rows import Block, Rows


@dataclass(frozen=True)
class Task:
    """Minimise ½‖w‖² + Σ cost·loss(s(w·x + b)).

    ``cost`` is what every row costs that has no weight of its own; ``centre`` is subtracted from gathered
    rows, which changes nothing but the rounding: the intercept is free.
    """

    rows: Rows
    positive: int
    cost: float
    weights: np.ndarray | None
    intercept: bool
    centre: np.ndarray

    @classmethod
    def of(cls, rows: Rows, positive: int, cost: float, *, intercept: bool) -> Task:
        moved = intercept and centred(rows)
        centre = rows.preview_mean(1000) if moved else np.zeros(rows.n_columns)
        return cls(rows, positive, cost, rows.weights, intercept, centre)

    def costs(self, chosen: Any) -> np.ndarray:
        """The costs of a slice of rows, or of the rows of these numbers."""
        if self.weights is not None:
            with np.errstate(over="ignore"):
                return np.asarray(self.cost * self.weights[chosen])
        size = chosen.stop - chosen.start if isinstance(chosen, slice) else len(chosen)
        return np.full(size, float(self.cost))

    def costs_of(self, block: Block) -> np.ndarray:
        return self.costs(slice(block.start, block.stop))

    @property
    def total(self) -> float:
        return self.cost * (self.rows.n_rows if self.weights is None else float(self.weights.sum()))

    def signs(self) -> np.ndarray:
        return np.concatenate([block.signs(self.positive) for block in self.rows.blocks()])

    @cached_property
    def ceiling(self) -> float:
        """The objective of w = 0 with the best intercept, at which the lighter class is given up."""
        if not self.intercept:
            return self.total
        above = below = 0.0
        for block in self.rows.blocks():
            costs, first = self.costs_of(block), block.signs(self.positive) > 0
            above, below = above + float(costs[first].sum()), below + float(costs[~first].sum())
        return 2.0 * min(above, below)

    def counting(self) -> np.ndarray:
        """The numbers of the rows that cost something."""
        if self.weights is None:
            return np.arange(self.rows.n_rows, dtype=np.int32 if self.rows.n_rows < 1 << 31 else np.int64)
        return np.flatnonzero(self.weights > 0.0)

    def plain(self, weights: np.ndarray) -> np.ndarray:
        """Weights for the rows as given, of weights for the moved ones."""
        moved = weights.copy()
        moved[-1] -= float(weights[:-1] @ self.centre)
        return moved

    def moved(self, weights: np.ndarray) -> np.ndarray:
        """The other way round."""
        moved = weights.copy()
        moved[-1] += float(weights[:-1] @ self.centre)
        return moved


class Outcome(NamedTuple):
    """Weights for the rows as given, the margins of all rows, and the Newton steps made.

    Hinge: ``full`` says of every row whether its α is its whole cost, ``inner`` are the rows with an α below
    that and above 0, ``alpha`` theirs. Squared hinge: ``full`` is None, and α is 2·cost·max(0, 1 − margin).
    A number and a multiplier for every row would take more room than all else: `multipliers` comes last.
    """

    weights: np.ndarray
    margins: np.ndarray
    steps: int
    full: np.ndarray | None
    inner: np.ndarray
    alpha: np.ndarray

    def multipliers(self, task: Task) -> tuple[np.ndarray, np.ndarray]:
        """The rows with α above 0, ascending, and their α."""
        held = self.margins < 1.0 if self.full is None else self.full.copy()
        if self.full is None and task.weights is not None:
            held &= task.weights > 0.0
        held[self.inner] = True
        support = np.flatnonzero(held)
        if self.full is not None:
            alpha = task.costs(support)
            alpha[np.searchsorted(support, self.inner)] = self.alpha
            return support, alpha
        alpha = self.margins[support]
        np.subtract(1.0, alpha, out=alpha)
        alpha *= 2.0 * task.cost if task.weights is None else 2.0 * task.costs(support)
        return support, alpha
