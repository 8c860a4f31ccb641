"""The best intercept for given weights: the hinge losses along it are a sum of kinks, sorted once."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.svm.objective import Outcome, Task

FLAT = 1e-12  # of all costs: a slope this small is one of 0
INNER = 1e-9  # of its cost: a multiplier this far from both bounds fixes the intercept


def best_shift(margins: np.ndarray, signs: np.ndarray, costs: np.ndarray | None) -> float:
    """What to add to the intercept; of several equally good values the one in the middle.

    Without costs all rows count alike.

    >>> best_shift(np.array([0.0, 3.0]), np.array([1.0, -1.0]), np.array([2.0, 1.0]))
    1.5
    """
    kinks = np.subtract(1.0, margins)
    kinks *= signs
    if costs is None:
        # As many kinks below as there are positive rows: two order statistics, without a sort.
        above = int(np.count_nonzero(signs > 0))
        ends = sorted({min(max(above - 1, 0), len(kinks) - 1), min(above, len(kinks) - 1)})
        kinks.partition(ends)
        return float(0.5 * (kinks[ends[0]] + kinks[ends[-1]]) if above else kinks[0])
    order = np.argsort(kinks, kind="stable")
    slopes = np.cumsum(costs[order]) - costs[signs > 0].sum()
    flat = FLAT * costs.sum()
    place = int(np.argmax(slopes >= -flat))
    if abs(slopes[place]) <= flat and place + 1 < len(kinks):
        return float(0.5 * (kinks[order[place]] + kinks[order[place + 1]]))
    return float(kinks[order[place]])


def with_best_intercept(task: Task, outcome: Outcome, *, finished: bool) -> Outcome:
    """The outcome, its intercept moved where no row on the margin fixes it, or the search was cut short."""
    caps = task.costs(outcome.inner)
    inner = (outcome.alpha > INNER * caps) & (outcome.alpha < (1.0 - INNER) * caps)
    if finished and inner.any():
        return outcome
    signs = np.concatenate([block.signs(task.positive) for block in task.rows.blocks()])
    if task.weights is None:
        shift = best_shift(outcome.margins, signs, None)
    else:
        counting = task.counting()
        shift = best_shift(outcome.margins[counting], signs[counting], task.costs(counting))
    weights = outcome.weights.copy()
    weights[-1] += shift
    margins = np.multiply(signs, shift)
    margins += outcome.margins
    return outcome._replace(weights=weights, margins=margins)
