"""What a method supplies: where it starts, what it does with some rows, and what is true of the result."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from separatrix.bounds import Bound, novikoff
from separatrix.certificates import Certificate, Separable
from separatrix.rows import Csr, DataError, Rows
from separatrix.rows.block import ONE_THREAD_VALUES

if TYPE_CHECKING:
    from separatrix.algorithms.perceptrons.training import Run

FIRST_PLACE = np.zeros(1, np.int32)  # of a block of one row


class Learner(ABC):
    """A method, made of its parameters alone; `for_task` makes the one that learns a task.

    ``visit_rows`` is the method; the loop, the order of the rows and the evidence are the same for all.
    ``mistakes`` counts wrong answers (s·score ≤ 0 when the row came), ``updates`` changes of the weights.
    """

    learns_row_by_row = True  # whether it visits rows one at a time, and so can learn from a stream

    visits_violators = False  # whether visiting violators alone makes sense

    is_changed_by_every_row = False  # whether the answer changes with every row, not only with updates

    is_predicting_with_weights = True  # whether it predicts with the weights that its mistakes are judged by

    is_halfspace = True  # whether the answer is one halfspace, whose errors can be counted

    answers: tuple[str, ...] = ()  # attributes of the model that it predicts with, where it is none

    idle_margin = math.inf  # the margin beyond which a row changes nothing

    # The step of a learner that adds s (x, constant) at each mistake, counts those of each row in ``counts``,
    # and does nothing else: its passes may skip rows. None for all others.
    constant_step: float | None = None

    counts: np.ndarray

    # The power of a common factor of the rows that the weights grow with, through the origin: 1 for sums of
    # rows; None where a factor changes more.
    degree: int | None = 1

    is_direction = False  # whether the answer is the direction of the weights alone

    bounded_quantity = "mistakes"  # what its theorem bounds: or "updates", or "rounds" of all rows at once

    # What is said of further passes where some halfspace separates the rows.
    prospect = ("enough passes find a separator", "after at most {} mistakes")

    # What a file holds beside the answer, to go on from: its key there, and the attribute.
    saved_state: tuple[tuple[str, str], ...] = ()

    start: np.ndarray | None = None  # the weights to begin with; None: zero

    def for_task(self, n_columns: int, *, intercept: bool, start: np.ndarray | None = None) -> Self:
        """A copy that begins at these weights, or at zero, for rows of so many columns."""
        if start is not None and len(start) != n_columns + 1:  # kernels would write beyond them
            raise DataError(
                f"The weights are of {len(start) - 1} columns, not of {n_columns}: call fit first."
            )
        learner = copy(self)
        learner.weights = np.zeros(n_columns + 1) if start is None else np.array(start, dtype=np.float64)
        learner.start = learner.weights.copy() if learner.weights.any() else None
        learner.constant = 1.0 if intercept else 0.0
        learner.mistakes = learner.updates = 0
        learner.begin()
        return learner

    weights: np.ndarray
    constant: float
    mistakes: int
    updates: int

    def count_mistakes(self, mistakes: int) -> int:
        """Count them, each of which was an update; returns them."""
        self.mistakes += mistakes
        self.updates += mistakes
        return mistakes

    def begin(self) -> None:
        """Make what is kept beside ``weights``, which are there, before the first row."""

    def begin_fit(self, rows: Rows, positive: int) -> None:
        """Before the first pass of a fit: make room for what is kept for each row."""

    @abstractmethod
    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        """Visit the rows at these places of a block, in this order; returns the number of updates.

        ``first`` is the number of the block's first row among all rows, or -1 in a stream, where rows have
        none.
        """

    def visit_together(self, rows: Rows, positive: int) -> None:
        """Visit all rows at once, where it does not learn row by row."""

    def end_pass(self, rows: Rows, positive: int) -> None:
        """After each pass of a fit, which is the last one if it made no update."""

    def fall_back(self, errors: int) -> bool:
        """After a fit whose weights make so many errors: whether it now predicts with better ones."""
        return False

    def prediction_weights(self) -> np.ndarray:
        """The weights to predict with."""
        return self.weights

    def theorem(self, radius: float, margin: float) -> Bound | None:
        """The theorem of the method, for a run from zero on rows no longer than ``radius``, of which some
        halfspace has the ``margin``; None where it promises nothing."""
        return novikoff(radius, margin)

    def bound_from_start(self, radius: float, margin: float, weights: np.ndarray | None) -> float | None:
        """The same for a run from ``start``; ``weights``, if known, are those that have the margin."""
        return None

    def bound(self, radius: float, margin: float, weights: np.ndarray | None = None) -> float | None:
        """What the theorem allows this very run, from where it began; None where it says nothing of it."""
        if self.start is not None:
            return self.bound_from_start(radius, margin, weights)
        theorem = self.theorem(radius, margin)
        return None if theorem is None else theorem.value

    def claims(self, run: Run) -> Certificate | None:
        """What is proven of the weights that the run ended with; None: ask whether the rows are separable."""
        if run.errors:
            return None
        witness: Any = run.weights[:-1]  # the record makes a tuple of it
        bias = float(run.weights[-1]) if self.constant else None
        return Separable(witness, bias, about=run.about).bound_to(run.rows)

    def facts(self, run: Run) -> dict[str, Any]:
        """What becomes an attribute of the model beside what is measured for every method."""
        return {}

    def advice(self, run: Run) -> str:
        """A sentence, with a space before it, for a run that ended with errors."""
        return ""

    def release_row_data(self) -> Self:
        """After a fit: let go of what was kept for each row."""
        return self

    def is_idle(self, X: Any, sign: float) -> bool:
        """Whether seeing the one row of a block would change nothing, for certain; then its values are finite
        and it is predicted right."""
        return (
            self.idle_margin < math.inf
            and sweep_kernels().bound_margin(X, sign, self.constant, self.weights) > self.idle_margin
        )

    def score(self, X: Any) -> float:
        """w·x + b of the one row of a block, as it would be predicted now."""
        return linear_score(X, self.prediction_weights(), self.constant)

    def state(self) -> dict[str, Any]:
        """What has to be known beside the answer to go on from here."""
        return {key: getattr(self, name) for key, name in self.saved_state}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        saved = dict(self.saved_state) | ({"weights": "weights"} if "weights" in state else {})
        for key, name in saved.items():
            current, stored = np.asarray(getattr(self, name)), np.asarray(state[key])
            if (stored.dtype, stored.shape) != (current.dtype, current.shape):
                raise ValueError("its run does not match its weights.")
            setattr(self, name, copy(state[key]))

    def clone(self) -> Self:
        """One that goes on by itself from here: what it learns changes nothing in this one."""
        other = copy(self)
        vars(other).update({k: v.copy() for k, v in vars(self).items() if isinstance(v, np.ndarray)})
        return other


@cache
def sweep_kernels() -> Any:
    """The module of the perceptron's kernels: imported at the first visit, since numba takes its time to
    load, and kept, since an import statement takes as long as a row."""
    from separatrix.algorithms.perceptrons import sweep_kernels as sweep

    return sweep


def split_values(X: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """The stored values of a block, and of sparse rows the column of each."""
    return (X.data, X.indices) if isinstance(X, Csr) else (X, None)


def linear_score(X: Any, weights: np.ndarray, constant: float) -> float:
    """w·x + b of the one row of a block."""
    stored, columns = split_values(X)
    values, factors = (X[0], weights[:-1]) if columns is None else (stored, weights[columns])
    # Both are silent where a product overflows.
    inner = (
        np.vdot(values, factors) if len(values) <= ONE_THREAD_VALUES else np.einsum("i,i->", values, factors)
    )
    return float(inner) + float(weights[-1]) * constant
