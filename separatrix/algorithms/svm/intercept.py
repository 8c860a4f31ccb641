"""The best intercept for given weights: the hinge losses along it are a sum of kinks, sorted once."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.svm.task import Outcome, Task

FLAT = 1e-12  # of all costs: a slope this small is one of 0
INNER = 1e-9  # of its cost: a multiplier this far from both bounds fixes the intercept


def best_shift(margins: np.ndarray, signs: np.ndarray, costs: np.ndarray) -> float:
    """What to add to the intercept; of several equally good values the one in the middle.

    >>> best_shift(np.array([0.0, 3.0]), np.array([1.0, -1.0]), np.array([2.0, 1.0]))
    1.5
    """
    kinks = signs * (1.0 - margins)
    order = np.argsort(kinks, kind="stable")
    slopes = np.cumsum(costs[order]) - costs[signs > 0].sum()
    flat = FLAT * costs.sum()
    place = int(np.argmax(slopes >= -flat))
    if abs(slopes[place]) <= flat and place + 1 < len(kinks):
        return float(0.5 * (kinks[order[place]] + kinks[order[place + 1]]))
    return float(kinks[order[place]])


def with_best_intercept(task: Task, outcome: Outcome, *, finished: bool) -> Outcome:
    """The outcome, its intercept moved where no row on the margin fixes it, or the search was cut short."""
    caps = task.costs(outcome.support)
    inner = (outcome.alpha > INNER * caps) & (outcome.alpha < (1.0 - INNER) * caps)
    if finished and inner.any():
        return outcome
    signs = np.concatenate([block.signs(task.positive) for block in task.rows.blocks()]).astype(np.float64)
    counting = task.counting()
    shift = best_shift(outcome.margins[counting], signs[counting], task.costs(counting))
    weights = outcome.weights.copy()
    weights[-1] += shift
    return outcome._replace(weights=weights, margins=outcome.margins + shift * signs)
