"""Where the margin is, and how far it may still move: told by the solutions of growing samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.algorithms.svm.gathering import gathered
from separatrix.algorithms.svm.proximal import Near, solve
from separatrix.algorithms.svm.task import Task

SAMPLE = 8  # how many times as large the next sample is
FEWEST = 20  # rows in the smallest sample for each weight
START = 4.0  # margins from 0 to this are within the first envelope


class Guess(NamedTuple):
    """Weights for the moved rows, how far margins may be from their final ones, and margins of a sample."""

    weights: np.ndarray
    spread: float
    sample: np.ndarray | None


def sampled(task: Task, counting: np.ndarray, capacity: int, room: int) -> Guess:
    """Solve growing samples, each from the weights of the one before."""
    d = task.rows.n_columns
    sizes = [min(capacity, len(counting) // SAMPLE)]
    while sizes[0] // SAMPLE > FEWEST * (d + 1):
        sizes.insert(0, sizes[0] // SAMPLE)
    random = np.random.default_rng(0)
    weights, spread = np.zeros(d + 1), 0.5 * START
    for place, size in enumerate(sizes):
        edges = np.linspace(0, len(counting), size + 1).astype(np.int64)
        chosen = counting[edges[:-1] + (random.random(size) * np.diff(edges)).astype(np.int64)]
        Z, signs = gathered(task.rows, task.positive, chosen, task.centre)
        caps = task.costs(chosen)
        caps *= task.total / caps.sum()
        near = Near(chosen, Z, signs, caps, np.full(size, 0.5))
        before = near.margins(weights)
        reached = solve(
            near,
            np.zeros(d + 1),
            weights,
            0.5 / spread,
            2e-4 * task.total,
            intercept=task.intercept,
            room=room,
        )
        weights = reached.weights
        margins = near.margins(weights)
        if place:
            spread = float(np.sqrt(np.mean((margins - before) ** 2) / SAMPLE))
        else:
            spread = float(np.sqrt((d + 1) / size) * (0.1 + np.std(margins)))
    # Rows of the sample crowd at the margin that was fitted to them: others tell how dense it is there.
    return Guess(weights, max(spread, 1e-6), _some_margins(task, counting, weights))


def given(task: Task, counting: np.ndarray, start: np.ndarray) -> Guess:
    """Weights given from outside, with the margins of some rows."""
    weights = task.moved(start)
    margins = _some_margins(task, counting, weights)
    return Guess(weights, max(0.1 * float(np.std(margins)), 1e-6), margins)


def _some_margins(task: Task, counting: np.ndarray, weights: np.ndarray) -> np.ndarray:
    chosen = counting[:: max(1, len(counting) // 2000)]
    Z, signs = gathered(task.rows, task.positive, chosen, task.centre)
    return np.asarray(Z @ weights[:-1] + signs * weights[-1])
