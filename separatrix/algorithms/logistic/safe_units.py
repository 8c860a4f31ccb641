"""Units in which no sum of a logistic fit leaves the range of doubles.

The objective ½‖w‖² + C Σ v·loss(s(w·x + b)) is divided by a power of two that makes the largest C·v about 1,
and column j is multiplied by 2^(−k_j), so that neither its values nor its penalty, ½ρ_j w_j², exceed 1.
Weights are multiplied back by the same powers. Powers of two round nothing, so that a fit in usual units,
which is left alone, would give the same numbers either way.
"""

from __future__ import annotations

from math import frexp, isinf
from typing import NamedTuple

import numpy as np

from separatrix.rows import Csr, Rows

USUAL_VALUES = 200  # powers of two: squares of values within them, and sums of their squares, are doubles
USUAL_COSTS = 60
SAMPLE = 1000  # rows
SAMPLE_VALUES = 100_000  # of sparse rows
LOWEST = -1100  # below the least double's exponent: that of a column of zeros


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
    columns : ndarray or None
        k_j for each column; None: all are 0.
    objective : int
        The power of two by which the objective was divided.
    """

    rows: Rows
    C: float
    ridge: float | np.ndarray
    columns: np.ndarray | None = None
    objective: int = 0

    @property
    def are_usual(self) -> bool:
        return self.columns is None and self.objective == 0

    def outward(self, weights: np.ndarray) -> np.ndarray:
        """Weights, the intercept last, for the rows as given."""
        return weights if self.columns is None else _ldexp(weights, -np.append(self.columns, 0))

    def inward(self, weights: np.ndarray) -> np.ndarray:
        """The other way round."""
        return weights if self.columns is None else _ldexp(weights, np.append(self.columns, 0))

    def objectives(self, values: list[float]) -> np.ndarray:
        """The objectives of the problem as given; infinite where they exceed the range of doubles."""
        return _ldexp(np.array(values), np.full(len(values), self.objective))


def units_of(rows: Rows, C: float, *, careful: bool = False) -> Units:
    """The units for a fit, by a look at some rows; ``careful``: at all of them, for the usual ones failed."""
    free = isinf(C)
    cost, place = (1.0, 0) if free else frexp(C)
    heavy = 0 if rows.weights is None else frexp(float(rows.weights.max()))[1]
    place += heavy
    if not careful and abs(place) <= USUAL_COSTS and _is_usual(rows, free):
        return Units(rows, 1.0 if free else C, 0.0 if free else 1.0)
    rows.require_finite()
    sizes = _column_places(rows)
    # The curvature of the penalty is 2^(−place) now, which may be no double before columns are scaled.
    columns = sizes if free else np.maximum(sizes, -(place // 2))
    columns[columns <= LOWEST] = 0
    weights = None if rows.weights is None else np.ldexp(rows.weights, -heavy)
    scaled = rows.scaled(-columns).weighted(weights)
    ridge = np.zeros(len(columns)) if free else np.ldexp(1.0, -place - 2 * columns)
    return Units(scaled, cost, ridge, columns, place)


def _is_usual(rows: Rows, free: bool) -> bool:
    """Whether some rows have values of a usual size; without a penalty, in every column."""
    X = next(rows.blocks()).X
    if isinstance(X, Csr):
        sizes = np.abs(X.data[:SAMPLE_VALUES], dtype=np.float64)
        largest = np.array([sizes.max(initial=0.0)])
    else:
        largest = np.abs(rows.preview(SAMPLE).whole().dense()).max(axis=0).astype(np.float64)
    if not np.isfinite(largest).all():
        return False
    places = np.frexp(largest[largest > 0.0])[1]
    least = -USUAL_VALUES if free else LOWEST
    return bool(places.max(initial=0) <= USUAL_VALUES and places.min(initial=0) >= least)


def _column_places(rows: Rows) -> np.ndarray:
    """For each column the k with 2^(k−1) ≤ its largest size < 2^k; `LOWEST` for a column of zeros."""
    largest = np.zeros(rows.n_columns)
    for block in rows.blocks():
        X = block.X
        if isinstance(X, Csr):
            np.maximum.at(largest, X.indices, np.abs(X.data).astype(np.float64))
        else:
            largest = np.maximum(largest, np.abs(X).max(axis=0))
    return np.where(largest > 0.0, np.frexp(largest)[1], LOWEST).astype(np.int64)


def _ldexp(values: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(values, exponents))
