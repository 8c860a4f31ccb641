"""Would products of the columns separate what the columns do not?"""

from __future__ import annotations

from math import comb
from time import monotonic

import numpy as np

from separatrix.algorithms.separation import separate
from separatrix.algorithms.separation.lift import Lift
from separatrix.algorithms.separation.scan import OutOfTime
from separatrix.reports.diagnosis.diagnosis_record import PolynomialLift
from separatrix.rows import Rows

DEGREES = (2, 3, 4)
MAX_COLUMNS = 1500
MAX_VALUES = 20_000_000


def lifts_of(rows: Rows, *, intercept: bool, budget: float) -> tuple[PolynomialLift, ...]:
    """Each degree until one separates, the columns are too many, or the seconds are spent."""
    found: list[PolynomialLift] = []
    if rows.n_rows * rows.n_columns > MAX_VALUES:
        return ()
    X, signs = rows.whole().dense(), rows.signs(1)
    until = monotonic() + budget
    for degree in DEGREES:
        columns = comb(rows.n_columns + degree, degree) - 1
        left = until - monotonic()
        if columns > MAX_COLUMNS or columns * rows.n_rows > MAX_VALUES or left <= 0:
            break
        with np.errstate(over="ignore"):
            products = Lift(degree).fit_transform(X.astype(np.float64))
        if not np.isfinite(products).all():
            break
        answer = separate(products, signs, intercept=intercept, time_limit=left)
        margin = None
        try:
            margin = None if answer.margin is None else answer.margin.lower
        except OutOfTime:
            margin = None
        decided = None if answer.kind == "undecided" else answer.separable
        found.append(PolynomialLift(degree, columns, decided, margin))
        if answer.separable:
            break
    return tuple(found)
