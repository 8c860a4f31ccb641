"""Where the margin is, and how far it may still move: told by the solutions of growing samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.algorithms.svm.augmented_lagrangian import Near, solve
from separatrix.algorithms.svm.objective import Task
from separatrix.algorithms.svm.working_rows import gathered

SAMPLE = 8  # how many times as large the next sample is
FEWEST = 20  # rows in the smallest sample for each weight
RARE = 0.1  # of the rows: a class with fewer is drawn from apart
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
    classes = _drawn_from(task, counting)
    weights, spread = np.zeros(d + 1), 0.5 * START
    for place, size in enumerate(sizes):
        chosen, caps = _drawn(task, classes, size, random)
        Z, signs = gathered(task.rows, task.positive, chosen, task.centre)
        near = Near(chosen, Z, signs, caps, np.full(len(chosen), 0.5))
        before = near.margins(weights)
        reached = solve(
            near,
            np.zeros(d + 1),
            weights,
            0.5 / max(spread, 1e-6),
            2e-4 * task.ceiling,
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


def _drawn_from(task: Task, counting: np.ndarray) -> list[np.ndarray]:
    """The rows that count; a rare class apart, since a sample without it says nothing about the margin."""
    above = task.signs()[counting] > 0
    share = np.count_nonzero(above) / len(counting)
    if RARE <= share <= 1.0 - RARE:
        return [counting]
    return [counting[above == (share < RARE)], counting[above != (share < RARE)]]


def _drawn(
    task: Task, classes: list[np.ndarray], size: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows, ascending, with costs that add up to those of all; up to half of them are of a rare class."""
    parts, left = [], size
    for place, numbers in enumerate(classes):
        some = min(len(numbers), left // (len(classes) - place))
        left -= some
        edges = np.linspace(0, len(numbers), some + 1).astype(np.int64)
        chosen = numbers[edges[:-1] + (random.random(some) * np.diff(edges)).astype(np.int64)]
        caps = task.costs(chosen)
        caps *= (task.total if len(classes) == 1 else task.costs(numbers).sum()) / caps.sum()
        parts.append((chosen, caps))
    chosen, caps = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(chosen, kind="stable")
    return chosen[order], caps[order]


def given(task: Task, counting: np.ndarray, start: np.ndarray) -> Guess:
    """Weights given from outside, with the margins of some rows."""
    weights = task.moved(start)
    margins = _some_margins(task, counting, weights)
    return Guess(weights, max(0.1 * float(np.std(margins)), 1e-6), margins)


def _some_margins(task: Task, counting: np.ndarray, weights: np.ndarray) -> np.ndarray:
    chosen = counting[:: max(1, len(counting) // 2000)]
    Z, signs = gathered(task.rows, task.positive, chosen, task.centre)
    return np.asarray(Z @ weights[:-1] + signs * weights[-1])
