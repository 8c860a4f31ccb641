"""Soft margins in extreme units or at extreme costs, solved in units and at a cost that doubles can take.

**Units.** With x = 2^k·x′ and w = 2^(−k)·w′ the margins stay and ½‖w‖² + C Σ v·loss is 4^(−k) times
½‖w′‖² + C·4^k Σ v·loss; α is 4^(−k)·α′. Powers of two round nothing.

**Costs.** The weights of a large enough C do not change any more if it grows (hinge), or hardly (squared
hinge), and multipliers that are feasible for a cost are feasible for a larger one. As C goes to 0 the weights
shrink in proportion. So an extreme cost is replaced by a moderate one.

What comes of it is proven for the problem as given, or not at all.
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.svm.objective import Outcome, Task
from separatrix.certificates.duality.soft_margin import nearest
from separatrix.rows import Csr, DenseRows, Rows

USUAL = 200  # powers of two, as of other rows in extreme units
LARGEST_COST, LEAST_COST = 2.0**33, 2.0**-100  # in units where the largest value is about 1
HOPELESS = 80  # a power of two: at costs beyond it Newton's steps end in rounding
SAMPLE = 1000  # rows, or values of sparse ones
NEAR = 1e-9  # margins this near to 1 count as on it


class Tame(NamedTuple):
    """A task in other units, and what leads back: x = 2^k·x′, and C as a multiple of the cost there."""

    task: Task
    places: int
    capped: bool
    shrink: Fraction


def is_wild(task: Task) -> bool:
    """Whether a solver has no hope of an answer in the units and at the cost given."""
    size, cost = _places(task)
    return abs(size) > USUAL or not -USUAL < cost < HOPELESS


def is_dear(task: Task) -> bool:
    """Whether the cost is so high that a solver may well end in rounding."""
    return _places(task)[1] > frexp(LARGEST_COST)[1]


def _places(task: Task) -> tuple[int, int]:
    """The powers of two of the values, by a look at some, and of the cost in units where they are about 1."""
    size = frexp(_largest(task.rows, some=True))[1]
    return size, frexp(task.cost)[1] + _heaviest(task) + 2 * size


def tamed(task: Task) -> Tame:
    """The task in units where the largest value and the largest weight are about 1."""
    task.rows.require_finite()
    places, heavy = frexp(_largest(task.rows))[1], _heaviest(task)
    exact = Fraction(task.cost) * _power(heavy + 2 * places)
    cost = min(max(nearest(exact), LEAST_COST), LARGEST_COST)
    weights = None if task.weights is None else np.ldexp(task.weights, -heavy)
    rows = _scaled(task.rows, -places).weighted(weights)
    return Tame(
        Task.of(rows, task.positive, cost, intercept=task.intercept),
        places,
        exact > Fraction(cost),
        min(exact / Fraction(cost), Fraction(1)),
    )


def given_back(tame: Tame, task: Task, outcome: Outcome) -> tuple[Outcome, dict[int, Fraction]]:
    """The outcome for the task as given, with the multipliers of all rows that may have any."""
    power = tame.shrink.numerator.bit_length() - tame.shrink.denominator.bit_length()
    weights = np.ldexp(float(tame.shrink * _power(-power)) * outcome.weights, power - tame.places)
    weights[-1] = outcome.weights[-1]
    level = task.signs() * weights[-1]
    margins = nearest(tame.shrink) * (outcome.margins - level) + level
    support, alpha = outcome.multipliers(tame.task)
    known = dict(zip(support.tolist(), alpha.tolist(), strict=True))
    unit, squared = _power(-2 * tame.places) * tame.shrink, outcome.full is None
    counted = np.ones(len(margins), bool) if task.weights is None else task.weights > 0.0
    width = NEAR * (1.0 + float(np.abs(margins).max(initial=0.0)))
    listed = {}
    for row in np.flatnonzero(
        (counted & (margins <= 1.0 + width)) | np.isin(np.arange(len(margins)), support)
    ):
        most = Fraction(task.cost) * (1 if task.weights is None else Fraction(float(task.weights[row])))
        if outcome.full is not None and outcome.full[row] and not tame.capped:
            listed[int(row)] = most
            continue
        value = Fraction(known.get(int(row), 0.0)) * unit
        listed[int(row)] = value if squared else min(value, most)
    inner = np.array([row for row, value in listed.items() if value], np.int64)
    floats = np.array([nearest(listed[row]) for row in inner.tolist()])
    none = np.zeros(len(margins), bool)
    return Outcome(weights, margins, outcome.steps, none, inner, floats), listed


def no_multipliers(outcome: Outcome) -> dict[int, Fraction]:
    """An α of 0 for all rows, which proves that no objective is below 0."""
    width = NEAR * (1.0 + float(np.abs(outcome.margins).max(initial=0.0)))
    return dict.fromkeys(np.flatnonzero(~(outcome.margins > 1.0 + width)).tolist(), Fraction(0))


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _heaviest(task: Task) -> int:
    return 0 if task.weights is None else frexp(float(task.weights.max()))[1]


def _largest(rows: Rows, *, some: bool = False) -> float:
    """The largest size among all rows, or some; 1 of zeros alone."""
    largest = 0.0
    for block in rows.blocks():
        X = block.X.data if isinstance(block.X, Csr) else block.X
        largest = max(largest, float(np.abs(X[:SAMPLE] if some else X).max(initial=0.0)))
        if some:
            break
    return largest or 1.0


def _scaled(rows: Rows, exponent: int) -> Rows:
    if not isinstance(rows, DenseRows):
        return rows.scaled(exponent)
    values = np.ldexp(np.asarray(rows.X, np.float64), exponent)
    return DenseRows(values, rows.codes, rows.classes, n_jobs=rows.n_jobs)
