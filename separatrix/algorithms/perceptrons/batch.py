"""The batch perceptron: add the mean of all violators at once.

**Idea.** Each round collects V, the rows with s·score ≤ 0, and sets w ← w + (1/|V|) Σ_V s(x, 1).

**Theorem.** With ‖z‖ ≤ R and u·z ≥ γ > 0 for a unit vector u, at most (R/γ)² rounds change the weights: the
mean g of the violators has u·g ≥ γ, w·g ≤ 0 and ‖g‖ ≤ R, which is all that Novikoff's argument asks of a row.

**Certificate.** `Separable`, checked in exact arithmetic, at the first round without a violator.

**Cost.** One sum over the rows per round; blocks run on threads, and the sum has the same bits for any number
of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner
from separatrix.algorithms.perceptrons.mistake_driven import MistakeDriven
from separatrix.bounds import Bound, batch_perceptron
from separatrix.rows import Block, Rows


class BatchLearner(Learner):
    """One round: w ← w + the mean of the violators."""

    learns_row_by_row = False
    bounded_quantity = "rounds"
    prospect = ("enough rounds find a separator", "after at most {} that change the weights")

    @np.errstate(over="ignore", invalid="ignore")  # overflow is reported by the caller
    def visit_together(self, rows: Rows, positive: int) -> None:
        total, violators = rows.sum(ViolatorSum(positive, self.weights, self.constant))
        if violators:
            self.weights += total / violators
            self.updates += 1
            self.mistakes += int(violators)

    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        raise NotImplementedError("A batch is all rows: there is no visit to some of them.")

    def theorem(self, radius: float, margin: float) -> Bound | None:
        return batch_perceptron(radius, margin)


class BatchPerceptron(MistakeDriven):
    """All violators at once, normalised by their number.

    Parameters
    ----------
    max_iter : int, default=1000
        Rounds.
    center : bool, default=False
        Run on rows moved to their mean; weights are returned for the rows as given.
    fit_intercept : bool, default=True
    warm_start : bool, default=False
    verbose : int, default=0
        Above 0, a fit prints a line per round to standard error.
    n_jobs : int or None
        Threads.

    Attributes
    ----------
    updates_ : int
        Rounds that changed the weights: what the theorem bounds.
    mistakes_ : int
        Violators over all rounds.
    passes_, n_iter_ : int
    update_bound_, mistake_bound_ : float
        (R/γ)² for the halfspace found, and that times the number of rows; None where nothing is separated.

    Examples
    --------
    >>> import separatrix as sx
    >>> X, y = sx.problems.iris("setosa")
    >>> model = sx.BatchPerceptron().fit(X, y)
    >>> bool(model.updates_ <= model.update_bound_), model.certificate_.verify(X, y).holds
    (True, True)
    """

    _learner_class = BatchLearner

    def __init__(
        self,
        max_iter: int = 1000,
        center: bool = False,
        *,
        fit_intercept: bool = True,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.center = center
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs


@dataclass(frozen=True)
class ViolatorSum:
    """Σ s(x, constant) over the rows of a block with s·score ≤ 0, and their number."""

    positive: int
    weights: np.ndarray
    constant: float

    def __call__(self, block: Block) -> tuple[np.ndarray, int]:
        from separatrix.kernels.scores import add_violators

        total = np.zeros_like(self.weights)
        return total, add_violators(block.X, block.signs(self.positive), self.constant, self.weights, total)
