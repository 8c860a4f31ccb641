"""Units in which no sum of a logistic fit leaves the range of doubles.

The objective ½‖w‖² + C Σ v·loss(s(w·x + b)) is divided by a power of two that makes the largest C·v about 1,
and column j is multiplied by 2^(−k_j), so that neither its values nor its penalty, ½ρ_j w_j², exceed 1.
Weights are multiplied back by the same powers. Powers of two round nothing, so that a fit in usual units,
which is left alone, would give the same numbers either way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import frexp, inf, isinf
from typing import NamedTuple

import numpy as np

from separatrix.rows import Block, Rows

MAX_VALUE_EXPONENT = 200  # of two: squares of smaller values, and sums of such squares, are doubles
MAX_COST_EXPONENT = 60
SAMPLE_ROWS = 1000  # rows
ZERO_EXPONENT = -1100  # below the least double's exponent: that of a column of zeros


class Units(NamedTuple):
    """A fit in units of its own.

    Attributes
    ----------
    rows : Rows
        The rows in these units, with their weights in these units.
    C : float
        The cost in these units; 1 without a penalty.
    ridge : float or ndarray
        The penalty's curvature, of each column where columns have units of their own; 0 without a penalty.
    column_exponents : ndarray or None
        k_j for each column; None: all are 0.
    objective_exponent : int
        The power of two by which the objective was divided.
    """

    rows: Rows
    C: float
    ridge: float | np.ndarray
    column_exponents: np.ndarray | None = None
    objective_exponent: int = 0

    @property
    def are_given(self) -> bool:
        return self.column_exponents is None and self.objective_exponent == 0

    def to_user(self, weights: np.ndarray) -> np.ndarray:
        """Weights, the intercept last, for the rows as given."""
        exponents = self.column_exponents
        return weights if exponents is None else _scale_by_powers(weights, -np.append(exponents, 0))

    def to_internal(self, weights: np.ndarray) -> np.ndarray:
        """The other way round."""
        exponents = self.column_exponents
        return weights if exponents is None else _scale_by_powers(weights, np.append(exponents, 0))

    def to_user_objectives(self, values: list[float]) -> np.ndarray:
        """The objectives of the problem as given; infinite where they exceed the range of doubles."""
        return _scale_by_powers(np.array(values), np.full(len(values), self.objective_exponent))


def choose_units(rows: Rows, C: float, *, exhaustive: bool = False) -> Units:
    """The units for a fit, by a look at some rows; ``exhaustive``: at all, for the usual ones failed."""
    unpenalised = isinf(C)
    cost_mantissa, exponent = (1.0, 0) if unpenalised else frexp(C)
    weight_exponent = 0 if rows.weights is None else frexp(float(rows.weights.max()))[1]
    exponent += weight_exponent
    if not exhaustive and abs(exponent) <= MAX_COST_EXPONENT and _has_moderate_values(rows, unpenalised):
        return Units(rows, 1.0 if unpenalised else C, 0.0 if unpenalised else 1.0)
    rows.require_finite()
    value_exponents = _find_column_exponents(rows)
    # The curvature of the penalty is 2^(−place) now, which may be no double before columns are scaled.
    column_exponents = value_exponents if unpenalised else np.maximum(value_exponents, -(exponent // 2))
    column_exponents[column_exponents <= ZERO_EXPONENT] = 0
    weights = None if rows.weights is None else np.ldexp(rows.weights, -weight_exponent)
    scaled = rows.scaled(-column_exponents).weighted(weights)
    ridge = np.ldexp(1.0, -exponent - 2 * column_exponents) if inf > C else np.zeros(rows.n_columns)
    return Units(scaled, cost_mantissa, ridge, column_exponents, exponent)


def _has_moderate_values(rows: Rows, unpenalised: bool) -> bool:
    """Whether some rows have values of a usual size; without a penalty, in every column of dense ones."""
    sizes = np.abs(rows.preview(SAMPLE_ROWS).whole().stored)
    # In each column of dense rows, and over all stored values of sparse ones.
    largest = np.atleast_1d(sizes.max(axis=0, initial=0.0)).astype(np.float64)
    if not np.isfinite(largest).all():
        return False
    exponents = np.frexp(largest[largest > 0.0])[1]
    least_exponent = -MAX_VALUE_EXPONENT if unpenalised else ZERO_EXPONENT
    return bool(exponents.max(initial=0) <= MAX_VALUE_EXPONENT and exponents.min(initial=0) >= least_exponent)


def _find_column_exponents(rows: Rows) -> np.ndarray:
    """For each column the k with 2^(k−1) ≤ its largest size < 2^k; `ZERO_EXPONENT` for a column of zeros."""
    largest = reduce(np.maximum, rows.each(LargestSizes()))
    return np.where(largest > 0.0, np.frexp(largest)[1], ZERO_EXPONENT).astype(np.int64)


@dataclass(frozen=True)
class LargestSizes:
    """The largest size of a value in each column of a block."""

    def __call__(self, block: Block) -> np.ndarray:
        X = block.X
        if not block.is_sparse:
            return np.asarray(np.abs(X).max(axis=0), np.float64)
        largest = np.zeros(block.n_columns)
        np.maximum.at(largest, X.indices, np.abs(X.data).astype(np.float64))
        return largest


def _scale_by_powers(values: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(values, exponents))
