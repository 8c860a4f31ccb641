"""The best intercept for given weights: the hinge losses along it are a sum of kinks, sorted once."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.svm.objective import SoftMarginProblem, SoftMarginSolution

FLAT_COST_SHARE = 1e-12  # of all costs: a slope this small is one of 0
INNER_COST_SHARE = 1e-9  # of its cost: a multiplier this far from both bounds fixes the intercept


def find_best_shift(margins: np.ndarray, signs: np.ndarray, costs: np.ndarray | None) -> float:
    """What to add to the intercept; of several equally good values the one in the middle.

    Without costs all rows count alike.

    >>> find_best_shift(np.array([0.0, 3.0]), np.array([1.0, -1.0]), np.array([2.0, 1.0]))
    1.5
    """
    kinks = np.subtract(1.0, margins)
    kinks *= signs
    if costs is None:
        # As many kinks below as there are positive rows: two order statistics, without a sort.
        n_positive = int(np.count_nonzero(signs > 0))
        ends = sorted({min(max(n_positive - 1, 0), len(kinks) - 1), min(n_positive, len(kinks) - 1)})
        kinks.partition(ends)
        return float(0.5 * (kinks[ends[0]] + kinks[ends[-1]]) if n_positive else kinks[0])
    order = np.argsort(kinks, kind="stable")
    slopes = np.cumsum(costs[order]) - costs[signs > 0].sum()
    tolerance = FLAT_COST_SHARE * costs.sum()
    index = int(np.argmax(slopes >= -tolerance))
    if abs(slopes[index]) <= tolerance and index + 1 < len(kinks):
        return float(0.5 * (kinks[order[index]] + kinks[order[index + 1]]))
    return float(kinks[order[index]])


def optimise_intercept(
    problem: SoftMarginProblem, solution: SoftMarginSolution, *, is_finished: bool
) -> SoftMarginSolution:
    """The solution, its intercept moved where no row on the margin fixes it, or the search was cut short."""
    costs = problem.compute_costs(solution.free_rows)
    is_inner = (solution.free_alpha > INNER_COST_SHARE * costs) & (
        solution.free_alpha < (1.0 - INNER_COST_SHARE) * costs
    )
    if is_finished and is_inner.any():
        return solution
    signs = problem.collect_signs()
    if problem.weights is None:
        shift = find_best_shift(solution.margins, signs, None)
    else:
        counted = problem.find_counted_rows()
        shift = find_best_shift(solution.margins[counted], signs[counted], problem.compute_costs(counted))
    weights = solution.weights.copy()
    weights[-1] += shift
    margins = np.multiply(signs, shift)
    margins += solution.margins
    return solution._replace(weights=weights, margins=margins)
