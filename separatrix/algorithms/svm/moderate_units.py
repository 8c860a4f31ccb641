"""Soft margins in extreme units or at extreme costs, solved in units and at a cost that doubles can take.

**Units.** With x = 2^k·x′ and w = 2^(−k)·w′ the margins stay and ½‖w‖² + C Σ v·loss is 4^(−k) times
½‖w′‖² + C·4^k Σ v·loss; α is 4^(−k)·α′. Powers of two round nothing.

**Costs.** The weights of a large enough C do not change any more if it grows (hinge), or hardly (squared
hinge), and multipliers that are feasible for a cost are feasible for a larger one. As C goes to 0 the weights
shrink in proportion. So an extreme cost is replaced by a moderate one.

What comes of it is proven for the problem as given, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import frexp
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.svm.objective import SoftMarginProblem, SoftMarginSolution
from separatrix.certificates.duality.soft_margin import nearest
from separatrix.rows import Block
from separatrix.rows.views.scaled import StoredRange

EXTREME_EXPONENT = 200  # powers of two, as of other rows in extreme units
MAX_COST, MIN_COST = 2.0**33, 2.0**-100  # in units where the largest value is about 1
EXTREME_COST_EXPONENT = 80  # a power of two: at costs beyond it Newton's steps end in rounding
SAMPLE_ROWS = 1000  # rows, or values of sparse ones
MARGIN_WIDTH_SHARE = 1e-9  # margins this near to 1 count as on it


class RescaledProblem(NamedTuple):
    """A problem in other units, and what leads back: x = 2^k·x′, and C as a multiple of the cost there."""

    problem: SoftMarginProblem
    exponent: int
    is_cost_capped: bool
    cost_ratio: Fraction


def is_extreme(problem: SoftMarginProblem) -> bool:
    """Whether a solver has no hope of an answer in the units and at the cost given."""
    size_exponent, cost_exponent = _measure_exponents(problem)
    return (
        abs(size_exponent) > EXTREME_EXPONENT or not -EXTREME_EXPONENT < cost_exponent < EXTREME_COST_EXPONENT
    )


def has_high_cost(problem: SoftMarginProblem) -> bool:
    """Whether the cost is so high that a solver may well end in rounding."""
    return _measure_exponents(problem)[1] > frexp(MAX_COST)[1]


def _measure_exponents(problem: SoftMarginProblem) -> tuple[int, int]:
    """The powers of two of the values in some rows, and of the cost in units where they are about 1."""
    size_exponent = frexp(next(problem.rows.each(LargestSize())))[1]
    return size_exponent, frexp(problem.cost)[1] + _measure_weight_exponent(problem) + 2 * size_exponent


def rescale(problem: SoftMarginProblem) -> RescaledProblem:
    """The problem in units where the largest value and the largest weight are about 1."""
    largest = max(high for high, _ in problem.rows.each(StoredRange()))
    exponent, weight_exponent = frexp(largest)[1], _measure_weight_exponent(problem)
    exact_cost = Fraction(problem.cost) * _raise_two(weight_exponent + 2 * exponent)
    cost = min(max(nearest(exact_cost), MIN_COST), MAX_COST)
    weights = None if problem.weights is None else np.ldexp(problem.weights, -weight_exponent)
    rows = problem.rows.scaled(-exponent).weighted(weights)
    return RescaledProblem(
        SoftMarginProblem.from_rows(rows, problem.positive, cost, intercept=problem.intercept),
        exponent,
        exact_cost > Fraction(cost),
        min(exact_cost / Fraction(cost), Fraction(1)),
    )


def restore_units(
    rescaled: RescaledProblem, problem: SoftMarginProblem, solution: SoftMarginSolution
) -> tuple[SoftMarginSolution, dict[int, Fraction]]:
    """The solution of the problem as given, with the multipliers of all rows that may have any."""
    shift = rescaled.cost_ratio.numerator.bit_length() - rescaled.cost_ratio.denominator.bit_length()
    weights = np.ldexp(
        float(rescaled.cost_ratio * _raise_two(-shift)) * solution.weights, shift - rescaled.exponent
    )
    weights[-1] = solution.weights[-1]
    intercepts = problem.collect_signs() * weights[-1]
    margins = nearest(rescaled.cost_ratio) * (solution.margins - intercepts) + intercepts
    support, alpha = solution.compute_multipliers(rescaled.problem)
    known_multipliers = dict(zip(support.tolist(), alpha.tolist(), strict=True))
    unit, is_squared = _raise_two(-2 * rescaled.exponent) * rescaled.cost_ratio, solution.at_cost is None
    is_counted = np.ones(len(margins), bool) if problem.weights is None else problem.weights > 0.0
    width = MARGIN_WIDTH_SHARE * (1.0 + float(np.abs(margins).max(initial=0.0)))
    multipliers = {}
    for row in np.flatnonzero(
        (is_counted & (margins <= 1.0 + width)) | np.isin(np.arange(len(margins)), support)
    ):
        max_multiplier = Fraction(problem.cost) * (
            1 if problem.weights is None else Fraction(float(problem.weights[row]))
        )
        if solution.at_cost is not None and solution.at_cost[row] and not rescaled.is_cost_capped:
            multipliers[int(row)] = max_multiplier
            continue
        multiplier = Fraction(known_multipliers.get(int(row), 0.0)) * unit
        multipliers[int(row)] = multiplier if is_squared else min(multiplier, max_multiplier)
    free_rows = np.array([row for row, multiplier in multipliers.items() if multiplier], np.int64)
    free_alpha = np.array([nearest(multipliers[row]) for row in free_rows.tolist()])
    at_cost = np.zeros(len(margins), bool)
    return SoftMarginSolution(weights, margins, solution.steps, at_cost, free_rows, free_alpha), multipliers


def list_zero_multipliers(solution: SoftMarginSolution) -> dict[int, Fraction]:
    """An α of 0 for all rows, which proves that no objective is below 0."""
    width = MARGIN_WIDTH_SHARE * (1.0 + float(np.abs(solution.margins).max(initial=0.0)))
    return dict.fromkeys(np.flatnonzero(~(solution.margins > 1.0 + width)).tolist(), Fraction(0))


def _raise_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _measure_weight_exponent(problem: SoftMarginProblem) -> int:
    return 0 if problem.weights is None else frexp(float(problem.weights.max()))[1]


@dataclass(frozen=True)
class LargestSize:
    """A term: max |x| of the first rows of a block, or of its first stored values."""

    def __call__(self, block: Block) -> float:
        return float(np.abs(block.stored[:SAMPLE_ROWS]).max(initial=0.0))
