"""What an online method supplies: its weights, and what it does with a few rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from functools import cache
from typing import Any, Self

import numpy as np

from separatrix.rows import Csr, DataError
from separatrix.rows.block import ONE_THREAD_VALUES

FIRST_PLACE = np.zeros(1, np.int32)  # of a block of one row
MAX_WEIGHT_VALUE = 2.0**500  # squares of weights up to it, and of its inverse, are doubles
MAX_PYTHON_SUM_VALUES = 256  # numbers: up to here Python's own sum is quicker than a call of NumPy


class Learner(ABC):
    """One task of one online method.

    ``visit_rows`` is the method; the loop, the order of the rows and the evidence are the same for all.
    ``mistakes`` counts wrong answers (s·score ≤ 0 when the row came), ``updates`` changes of the weights.
    """

    is_changed_by_every_row = False  # whether the answer changes with every row, not only with updates

    is_predicting_with_weights = True  # whether it predicts with the weights that its mistakes are judged by

    idle_margin = math.inf  # the margin beyond which a row changes nothing

    hyperparameters: tuple[str, ...] = ()  # attributes that parameters may change from one row to the next

    degree = 1  # the power of the lengths of rows that its numbers grow with: 1 for sums of rows

    # What a file holds beside the answer, to go on from: its key there, and the attribute.
    saved_state: tuple[tuple[str, str], ...] = ()

    def __init__(self, n_columns: int, *, intercept: bool, start: np.ndarray | None = None) -> None:
        if start is not None and len(start) != n_columns + 1:  # kernels would write beyond them
            raise DataError(
                f"The weights are of {len(start) - 1} columns, not of {n_columns}: call fit first."
            )
        self.weights = np.zeros(n_columns + 1) if start is None else np.array(start, dtype=np.float64)
        self.start = self.weights.copy() if self.weights.any() else None  # None: from zero
        self.constant = 1.0 if intercept else 0.0
        self.mistakes = 0
        self.updates = 0

    @abstractmethod
    def visit_rows(self, X: Any, signs: np.ndarray, places: np.ndarray, first: int) -> int:
        """Visit the rows at these places of a block, in this order; returns the number of updates.

        ``first`` is the number of the block's first row among all rows, or -1 in a stream, where rows have
        none.
        """

    def begin_fit(self, rows: Any, positive: int) -> None:
        """Before the first pass of a fit: make room for what is kept for each row."""

    def end_pass(self, rows: Any, positive: int) -> None:
        """After each pass of a fit."""

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

    def release_row_data(self) -> Learner:
        """After a fit: let go of what was kept for each row."""
        return self

    def rescaled_state(self, exponent: int) -> dict[str, np.ndarray] | None:
        """What it keeps, for rows 2^exponent times as long; None if that would round a number."""
        numbers = {k: v for k, v in vars(self).items() if isinstance(v, np.ndarray) and v.dtype == np.float64}
        power = self.degree * exponent
        if not all(is_exact_after_scaling(value, power) for value in numbers.values()):
            return None
        return {name: ldexp(value, power) for name, value in numbers.items()}

    def state(self) -> dict[str, Any]:
        """What has to be known beside the answer to go on from here."""
        return {key: getattr(self, name) for key, name in self.saved_state}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        for key, name in self.saved_state:
            current, stored = np.asarray(getattr(self, name)), np.asarray(state[key])
            if (stored.dtype, stored.shape) != (current.dtype, current.shape):
                raise ValueError("its run does not match its weights.")
            setattr(self, name, copy(state[key]))

    def update_hyperparameters(self, other: Learner) -> None:
        """Go on as one that was made of other parameters would."""
        for name in self.hyperparameters:
            setattr(self, name, getattr(other, name))

    def clone(self) -> Self:
        """One that goes on by itself from here: what it learns changes nothing in this one."""
        other = copy(self)
        vars(other).update({k: v.copy() for k, v in vars(self).items() if isinstance(v, np.ndarray)})
        return other

    def prediction_weights(self) -> np.ndarray:
        """The weights to predict with."""
        return self.weights

    def visit_up_to_limit(
        self, X: Any, signs: np.ndarray, places: np.ndarray, first: int, limit: int | None
    ) -> int:
        """`visit_rows`, but no further than ``limit`` mistakes in all."""
        if limit is None:
            return self.visit_rows(X, signs, places, first)
        updates, place = 0, 0
        while place < len(places) and self.mistakes < limit:
            n_allowed = limit - self.mistakes
            updates += self.visit_rows(X, signs, places[place : place + n_allowed], first)
            place += n_allowed
        return updates


@cache
def sweep_kernels() -> Any:
    """The module of the perceptron's kernels: imported at the first visit, since numba takes its time to
    load, and kept, since an import statement takes as long as a row."""
    from separatrix.algorithms.perceptrons import sweep_kernels as sweep

    return sweep


@cache
def variant_kernels() -> Any:
    """The module of the other methods' kernels."""
    from separatrix.algorithms.perceptrons import variant_kernels as variants

    return variants


@np.errstate(over="ignore", under="ignore")
def ldexp(values: Any, exponent: int) -> Any:
    """2^exponent times the values: 0 or infinite beyond the range of doubles."""
    return np.ldexp(values, exponent)


def is_exact_after_scaling(values: np.ndarray, exponent: int) -> bool:
    """Whether a change of units rounds none of these numbers, and the squares of all are doubles still."""
    changed = ldexp(values, exponent)
    is_in_range = bool(
        np.all(np.abs(changed) < MAX_WEIGHT_VALUE)
        and np.all((np.abs(changed) > 1 / MAX_WEIGHT_VALUE) | (values == 0))
    )
    return is_in_range and np.array_equal(ldexp(changed, -exponent), values)


def euclidean_norm(vector: np.ndarray) -> float:
    """‖v‖, without BLAS: on a busy machine its threads take longer to wake up than the sum does."""
    if len(vector) <= MAX_PYTHON_SUM_VALUES:
        return math.hypot(*vector.tolist())
    with np.errstate(over="ignore", under="ignore"):
        square = float(np.einsum("i,i->", vector, vector))
    if 1e-200 <= square <= 1e200 or not vector.any():
        return math.sqrt(square)
    return math.hypot(*vector.tolist())  # slower, but no square is too small or too large for it


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
