"""From floats to a certificate: multipliers made exactly feasible, both ends enclosed.

Where both classes must weigh the same, Σ αs = 0, the sum of the multipliers that follow from the weights is
exact, and the rows on the margin take up what is left of it, as whole numbers over a power of two.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite

import numpy as np

from separatrix.algorithms.svm.objective import SoftMarginProblem, SoftMarginSolution
from separatrix.certificates import SoftMarginWithin, Undecided
from separatrix.certificates.data.reading import read
from separatrix.certificates.duality.soft_margin import (
    Enclosure,
    Objective,
    enclosed,
    exact_dual,
    exact_primal,
    nearest,
    rounded,
)
from separatrix.fitting.exact_errors import about

MULTIPLIER_BITS = 60  # of a multiplier the size of its cost
ROUNDING_SHARE = Fraction(1, 1 << 46)  # other machines add up in other orders
MAX_MARGIN_WIDTH_SHARE = 1e-6  # margins this near to 1 are listed, if a certificate of less fails
BALANCING_ROWS = 32  # rows that take up the rounding of the squared hinge
MAX_EXACT_VALUES = 20_000  # of rows whose objective is settled exactly where doubles cannot enclose it
MAX_BALANCING_ROWS = 1 << 16  # rows, where the multipliers of the others are too coarse beside those


def prove(
    problem: SoftMarginProblem,
    solution: SoftMarginSolution,
    *,
    squared: bool,
    max_listed: int = BALANCING_ROWS,
    given_multipliers: dict[int, Fraction] | None = None,
) -> SoftMarginWithin | Undecided:
    """The certificate of the weights, with the multipliers of the solution, or those given for all rows."""
    weights = solution.weights
    if not np.isfinite(weights).all():
        return Undecided("The weights overflowed: divide the columns by a power of two and fit again.")
    description = about(problem.rows, problem.positive)
    source = read(problem.rows, positive=description.positive)
    row_weights = None if problem.weights is None else tuple(problem.weights.tolist())
    coefficients = tuple(weights[:-1].tolist())
    intercept = float(weights[-1]) if problem.intercept else None

    def make_objective(listed: dict[int, Fraction]) -> Objective:
        return Objective(coefficients, intercept, float(problem.cost), squared, row_weights, listed)

    empty_objective = make_objective({})
    signs = problem.collect_signs()
    enclosure: Enclosure | None = None
    listed: dict[int, Fraction] = {}
    for relative_width in (1e-11, 1e-9, MAX_MARGIN_WIDTH_SHARE):
        if given_multipliers is not None:
            listed = given_multipliers
        elif not (squared and listed):
            listed = (
                _find_largest(problem, solution, max_listed)
                if squared
                else _list_multipliers(empty_objective, solution, relative_width)
            )
        balance = Fraction(0)
        if problem.intercept and (squared or given_multipliers is not None):
            balance = enclosed(source, make_objective(listed)).balance - _sum_signed(listed, signs)
        elif problem.intercept:
            balance = _sum_unlisted(empty_objective, solution, listed, signs)
        if problem.intercept:
            listed = _balance(empty_objective, solution, listed, balance, signs, squared)
        enclosure = enclosed(source, make_objective(listed))
        if not (problem.intercept and enclosure.balance):
            break
    assert enclosure is not None
    objective = make_objective(listed)
    upper, upper_floor, lower = enclosure.upper(objective), enclosure.below(objective), enclosure.lower()
    if inf in (upper, -lower) and problem.rows.n_rows * problem.rows.n_columns <= MAX_EXACT_VALUES:
        upper = upper_floor = exact_primal(source, objective)
        exact_bound = exact_dual(source, objective)
        lower = -inf if exact_bound is None else exact_bound
    undecided = Undecided("The objective is too large to be enclosed in doubles: scale the columns down.")
    if inf in (upper, -lower) or (problem.intercept and enclosure.balance):
        return undecided
    upper_bound = rounded(
        Fraction(upper) + (Fraction(upper) - Fraction(upper_floor)) + abs(Fraction(upper)) * ROUNDING_SHARE,
        up=True,
    )
    lower_bound = rounded(Fraction(lower) - abs(Fraction(lower)) * ROUNDING_SHARE, up=False)
    if not (isfinite(upper_bound) and isfinite(lower_bound)):
        return undecided
    exponent = max((_count_binary_places(alpha) for alpha in listed.values()), default=0)
    rows = tuple(sorted(listed))
    return SoftMarginWithin(
        coefficients,
        intercept,
        float(problem.cost),
        "squared_hinge" if squared else "hinge",
        upper_bound,
        lower_bound,
        rows,
        tuple(int(listed[row] * (1 << exponent)) for row in rows),
        exponent,
        row_weights,
        about=description,
    ).bound_to(problem.rows)


def use_certified_multipliers(
    support: np.ndarray, alpha: np.ndarray, certificate: SoftMarginWithin
) -> tuple[np.ndarray, np.ndarray]:
    """The multipliers of the hinge that the certificate has, of which Σ αs is 0 before they are rounded."""
    rows = np.array(certificate.rows, np.int64)
    listed = np.array(
        [nearest(Fraction(multiplier, 1 << certificate.exponent)) for multiplier in certificate.multipliers]
    )
    places = np.searchsorted(support, rows)
    is_known = np.append(support, -1)[places] == rows
    alpha[places[is_known]] = listed[is_known]
    if not is_known.all():
        support = np.insert(support, places[~is_known], rows[~is_known])
        alpha = np.insert(alpha, places[~is_known], listed[~is_known])
    if not alpha.all():
        support, alpha = support[alpha > 0.0], alpha[alpha > 0.0]
    return support, alpha


def _find_largest(
    problem: SoftMarginProblem, solution: SoftMarginSolution, max_rows: int
) -> dict[int, Fraction]:
    """The rows with the largest multipliers of the squared hinge, which can give some of it away."""
    support, alpha = solution.compute_multipliers(problem)
    max_rows = min(max_rows, len(support))
    chosen = (
        np.argpartition(alpha, len(alpha) - max_rows)[len(alpha) - max_rows :]
        if max_rows
        else np.empty(0, np.int64)
    )
    return {int(support[i]): Fraction(float(alpha[i])) for i in np.sort(chosen) if alpha[i] > 0.0}


def _list_multipliers(
    objective: Objective, solution: SoftMarginSolution, relative_width: float
) -> dict[int, Fraction]:
    """Rows whose multiplier does not follow from the weights: those on the margin, and those that differ."""
    margins, at_cost = solution.margins, solution.at_cost
    assert at_cost is not None
    alpha = dict(zip(solution.free_rows.tolist(), solution.free_alpha.tolist(), strict=True))
    width = relative_width * (1.0 + max(float(margins.max(initial=0.0)), -float(margins.min(initial=0.0))))
    is_listed = (margins >= 1.0 - width) & (margins <= 1.0 + width)
    is_listed |= at_cost & (margins > 1.0)
    is_listed |= ~at_cost & (margins < 1.0)
    is_listed[solution.free_rows] = True
    listed = {}
    for row in np.flatnonzero(is_listed).tolist():
        cost = objective.cost(row)
        if cost:
            listed[row] = cost if at_cost[row] else min(cost, _round_multiplier(alpha.get(row, 0.0), cost))
    return listed


def _round_multiplier(alpha: float, cost: Fraction) -> Fraction:
    """A multiplier with as many bits as make sense beside its cost."""
    places = MULTIPLIER_BITS - (cost.numerator.bit_length() - cost.denominator.bit_length())
    return Fraction(round(Fraction(alpha) * (1 << max(0, places))), 1 << max(0, places))


def _sum_unlisted(
    objective: Objective, solution: SoftMarginSolution, listed: dict[int, Fraction], signs: np.ndarray
) -> Fraction:
    """Σ αs of the rows that are not listed, exactly: those inside the margin, at their cost."""
    is_inside = solution.margins < 1.0
    is_inside[list(listed)] = False
    if objective.row_weights is None:
        return Fraction(objective.C) * int(signs[is_inside].sum(dtype=np.int64))
    total = sum(
        int(signs[row]) * Fraction(objective.row_weights[row]) for row in np.flatnonzero(is_inside).tolist()
    )
    return Fraction(objective.C) * total


def _sum_signed(listed: dict[int, Fraction], signs: np.ndarray) -> Fraction:
    return sum((int(signs[row]) * alpha for row, alpha in listed.items()), Fraction(0))


def _balance(
    objective: Objective,
    solution: SoftMarginSolution,
    listed: dict[int, Fraction],
    balance: Fraction,
    signs: np.ndarray,
    squared: bool,
) -> dict[int, Fraction]:
    """The same multipliers, moved as little as it takes for Σ αs to be 0."""
    listed = dict(listed)
    imbalance = balance + _sum_signed(listed, signs)

    def find_capacity(row: int) -> Fraction:
        """How far the row's multiplier can go against the rest."""
        if signs[row] * imbalance > 0:
            return listed[row]
        return abs(imbalance) if squared else objective.cost(row) - listed[row]

    def find_slack(row: int) -> Fraction:
        return listed[row] if squared else min(listed[row], objective.cost(row) - listed[row])

    for row in sorted(listed, key=find_slack, reverse=True):
        if not imbalance:
            return listed
        amount = min(abs(imbalance), find_capacity(row))
        change = -amount if imbalance > 0 else amount
        listed[row] += signs[row].item() * change
        imbalance += change
    if not imbalance:
        return listed
    # The rows on the margin do not suffice: of the heavier class those nearest to it give way.
    heavier_rows = np.flatnonzero((solution.margins < 1.0) & (signs == (1 if imbalance > 0 else -1)))
    for row in heavier_rows[np.argsort(-solution.margins[heavier_rows], kind="stable")].tolist():
        if row in listed:
            continue
        multiplier = objective.cost(row)
        if squared and isfinite(solution.margins[row]):
            multiplier *= Fraction(2 * max(0.0, 1.0 - float(solution.margins[row])))
        amount = min(abs(imbalance), multiplier)
        listed[row] = multiplier - amount
        imbalance += -amount if imbalance > 0 else amount
        if not imbalance:
            break
    return listed


def _count_binary_places(value: Fraction) -> int:
    """Places after the binary point."""
    return value.denominator.bit_length() - 1
