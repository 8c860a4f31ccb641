"""Where the margin is, and how far it may still move: told by the solutions of growing samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.algorithms.convex.subsample import draw_evenly, thin_out
from separatrix.algorithms.svm.augmented_lagrangian import WorkingSet, solve
from separatrix.algorithms.svm.objective import SoftMarginProblem
from separatrix.algorithms.svm.working_rows import gather_rows

SAMPLE_FACTOR = 8  # how many times as large the next sample is
MIN_ROWS_PER_WEIGHT = 20  # rows in the smallest sample for each weight
RARE_CLASS_SHARE = 0.1  # of the rows: a class with fewer is drawn from apart
SAMPLE_ROWS = 2000  # whose margins say how dense rows are near the margin
START_WIDTH = 4.0  # margins from 0 to this are within the first envelope


class StartingPoint(NamedTuple):
    """Weights for the moved rows, how far margins may be from their final ones, and margins of a sample."""

    weights: np.ndarray
    margin_spread: float
    sample_margins: np.ndarray | None


def solve_samples(
    problem: SoftMarginProblem, counted: np.ndarray, capacity: int, max_steps: int
) -> StartingPoint:
    """Solve growing samples, each from the weights of the one before."""
    d = problem.rows.n_columns
    sizes = [min(capacity, len(counted) // SAMPLE_FACTOR)]
    while sizes[0] // SAMPLE_FACTOR > MIN_ROWS_PER_WEIGHT * (d + 1):
        sizes.insert(0, sizes[0] // SAMPLE_FACTOR)
    random = np.random.default_rng(0)
    classes = _split_rare_class(problem, counted)
    weights, margin_spread = np.zeros(d + 1), 0.5 * START_WIDTH
    for index, size in enumerate(sizes):
        chosen, costs = _draw_sample(problem, classes, size, random)
        Z, signs = gather_rows(problem.rows, problem.positive, chosen, problem.centre)
        working_set = WorkingSet(chosen, Z, signs, costs, np.full(len(chosen), 0.5))
        previous_margins = working_set.compute_margins(weights)
        result = solve(
            working_set,
            np.zeros(d + 1),
            weights,
            0.5 / max(margin_spread, 1e-6),
            2e-4 * problem.objective_at_zero,
            intercept=problem.intercept,
            max_steps=max_steps,
        )
        weights = result.weights
        margins = working_set.compute_margins(weights)
        if index:
            margin_spread = float(np.sqrt(np.mean((margins - previous_margins) ** 2) / SAMPLE_FACTOR))
        else:
            margin_spread = float(np.sqrt((d + 1) / size) * (0.1 + np.std(margins)))
    # Rows of the sample crowd at the margin that was fitted to them: others tell how dense it is there.
    return StartingPoint(
        weights, max(margin_spread, 1e-6), _compute_sample_margins(problem, counted, weights)
    )


def _split_rare_class(problem: SoftMarginProblem, counted: np.ndarray) -> list[np.ndarray]:
    """The rows that count; a rare class apart, since a sample without it says nothing about the margin."""
    is_positive = problem.collect_signs()[counted] > 0
    share = np.count_nonzero(is_positive) / len(counted)
    if RARE_CLASS_SHARE <= share <= 1.0 - RARE_CLASS_SHARE:
        return [counted]
    return [
        counted[is_positive == (share < RARE_CLASS_SHARE)],
        counted[is_positive != (share < RARE_CLASS_SHARE)],
    ]


def _draw_sample(
    problem: SoftMarginProblem, classes: list[np.ndarray], size: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows, ascending, with costs that add up to those of all; up to half of them are of a rare class."""
    parts, remaining = [], size
    for index, class_rows in enumerate(classes):
        n_sampled = min(len(class_rows), remaining // (len(classes) - index))
        remaining -= n_sampled
        chosen = draw_evenly(class_rows, n_sampled, random)
        costs = problem.compute_costs(chosen)
        costs *= (
            problem.total_cost if len(classes) == 1 else problem.compute_costs(class_rows).sum()
        ) / costs.sum()
        parts.append((chosen, costs))
    chosen, costs = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(chosen, kind="stable")
    return chosen[order], costs[order]


def start_from_weights(problem: SoftMarginProblem, counted: np.ndarray, start: np.ndarray) -> StartingPoint:
    """Weights given from outside, with the margins of some rows."""
    weights = problem.centring.to_internal(start)
    margins = _compute_sample_margins(problem, counted, weights)
    return StartingPoint(weights, max(0.1 * float(np.std(margins)), 1e-6), margins)


def _compute_sample_margins(
    problem: SoftMarginProblem, counted: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    chosen = thin_out(counted, SAMPLE_ROWS)
    Z, signs = gather_rows(problem.rows, problem.positive, chosen, problem.centre)
    return np.asarray(Z @ weights[:-1] + signs * weights[-1])
