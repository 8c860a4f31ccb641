"""The objective divided by a power of two, where the cost or the weights of rows are of an unusual size.

½‖w‖² + C Σ v·loss(s(w·x + b)) is 2^k times ½·2^(−k)·‖w‖² + C′ Σ v′·loss with C′ and the largest v′ about 1.
Powers of two round nothing. With an infinite C there is no penalty, and C′ is 1.
"""

from __future__ import annotations

from math import frexp, isinf
from typing import NamedTuple

import numpy as np

from separatrix.fitting.common_factor import ldexp
from separatrix.rows import Rows

USUAL_EXPONENT = 60  # of two
MAX_RIDGE_EXPONENT = 1000  # of two: a larger penalty has no other effect


class DividedObjective(NamedTuple):
    """Rows with the weights v′, C′, the penalty's curvature (0: no penalty), and k."""

    rows: Rows
    C: float
    ridge: float
    exponent: int

    def to_user(self, values: float | list[float]) -> np.ndarray:
        """These objectives before the division; infinite where they exceed the range of doubles."""
        return np.asarray(ldexp(values, self.exponent))


def divide_objective(rows: Rows, C: float) -> DividedObjective:
    """The objective, as it is where its costs are of a usual size."""
    exponent = find_cost_exponent(rows, C)
    if abs(exponent) <= USUAL_EXPONENT:
        return DividedObjective(rows, *((1.0, 0.0) if isinf(C) else (C, 1.0)), 0)
    if rows.weights is not None:
        rows = rows.weighted(np.ldexp(rows.weights, -_find_weight_exponent(rows)))
    if isinf(C):
        return DividedObjective(rows, 1.0, 0.0, exponent)
    return DividedObjective(rows, frexp(C)[0], 2.0 ** min(-exponent, MAX_RIDGE_EXPONENT), exponent)


def find_cost_exponent(rows: Rows, C: float) -> int:
    """The power of two of the largest C·v; of the largest v where C is infinite."""
    return (0 if isinf(C) else frexp(C)[1]) + _find_weight_exponent(rows)


def _find_weight_exponent(rows: Rows) -> int:
    return 0 if rows.weights is None else frexp(float(rows.weights.max()))[1]
