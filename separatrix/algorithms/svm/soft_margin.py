"""The soft margin that `MaxMargin` falls back on, without a certificate."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.svm.best_intercept import optimise_intercept
from separatrix.algorithms.svm.objective import SoftMarginProblem
from separatrix.algorithms.svm.working_set import minimise
from separatrix.rows import Rows
from separatrix.rows.threads import blas

SOFT_MARGIN_GAP, MAX_SOFT_MARGIN_STEPS = 1e-6, 1000


def fit_soft_margin(rows: Rows, positive: int, intercept: bool) -> np.ndarray:
    """Weights of the soft margin with C = 1, the intercept last; 0 where rows are too large to find any."""
    with np.errstate(all="ignore"), blas().limit(limits=1):
        problem = SoftMarginProblem.from_rows(rows, positive, 1.0, intercept=intercept)
        solution = minimise(problem, SOFT_MARGIN_GAP, MAX_SOFT_MARGIN_STEPS)
        if intercept:
            solution = optimise_intercept(
                problem, solution, is_finished=solution.steps < MAX_SOFT_MARGIN_STEPS
            )
    return solution.weights if np.isfinite(solution.weights).all() else np.zeros(rows.n_columns + 1)
