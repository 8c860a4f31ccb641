"""From floats to a certificate: multipliers made exactly feasible, both ends enclosed.

Where both classes must weigh the same, Σ αs = 0, the sum of the multipliers that follow from the weights is
exact, and the rows on the margin take up what is left of it, as whole numbers over a power of two.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite

import numpy as np

from separatrix.algorithms.svm.objective import Outcome, Task
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

BITS = 60  # of a multiplier the size of its cost
SPARE = Fraction(1, 1 << 46)  # other machines add up in other orders
MOST = 1e-6  # margins this near to 1 are listed, if a certificate of less fails
FEW = 32  # rows that take up the rounding of the squared hinge
EXACT_VALUES = 20_000  # of rows whose objective is settled exactly where doubles cannot enclose it
MANY = 1 << 16  # rows, where the multipliers of the others are too coarse beside those


def proven(
    task: Task,
    outcome: Outcome,
    *,
    squared: bool,
    listed_at_most: int = FEW,
    given_multipliers: dict[int, Fraction] | None = None,
) -> SoftMarginWithin | Undecided:
    """The certificate of the weights, with the multipliers of the outcome, or those given for all rows."""
    weights = outcome.weights
    if not np.isfinite(weights).all():
        return Undecided("The weights overflowed: divide the columns by a power of two and fit again.")
    said = about(task.rows, task.positive)
    source = read(task.rows, positive=said.positive)
    given = None if task.weights is None else tuple(task.weights.tolist())
    numbers = tuple(weights[:-1].tolist())
    bias = float(weights[-1]) if task.intercept else None

    def objective(listed: dict[int, Fraction]) -> Objective:
        return Objective(numbers, bias, float(task.cost), squared, given, listed)

    empty = objective({})
    signs = np.empty(task.rows.n_rows, np.int8)
    for block in task.rows.blocks():
        signs[block.start : block.stop] = block.signs(task.positive)
    found: Enclosure | None = None
    listed: dict[int, Fraction] = {}
    for near in (1e-11, 1e-9, MOST):
        if given_multipliers is not None:
            listed = given_multipliers
        elif not (squared and listed):
            listed = _largest(task, outcome, listed_at_most) if squared else _listed(empty, outcome, near)
        balance = Fraction(0)
        if task.intercept and (squared or given_multipliers is not None):
            balance = enclosed(source, objective(listed)).balance - _weighed(listed, signs)
        elif task.intercept:
            balance = _held(empty, outcome, listed, signs)
        if task.intercept:
            listed = _balanced(empty, outcome, listed, balance, signs, squared)
        found = enclosed(source, objective(listed))
        if not (task.intercept and found.balance):
            break
    assert found is not None
    made = objective(listed)
    upper, below, lower = found.upper(made), found.below(made), found.lower()
    if inf in (upper, -lower) and task.rows.n_rows * task.rows.n_columns <= EXACT_VALUES:
        upper = below = exact_primal(source, made)
        bound = exact_dual(source, made)
        lower = -inf if bound is None else bound
    too_large = Undecided("The objective is too large to be enclosed in doubles: scale the columns down.")
    if inf in (upper, -lower) or (task.intercept and found.balance):
        return too_large
    top = rounded(
        Fraction(upper) + (Fraction(upper) - Fraction(below)) + abs(Fraction(upper)) * SPARE, up=True
    )
    bottom = rounded(Fraction(lower) - abs(Fraction(lower)) * SPARE, up=False)
    if not (isfinite(top) and isfinite(bottom)):
        return too_large
    exponent = max((_bits(alpha) for alpha in listed.values()), default=0)
    rows = tuple(sorted(listed))
    return SoftMarginWithin(
        numbers,
        bias,
        float(task.cost),
        "squared_hinge" if squared else "hinge",
        top,
        bottom,
        rows,
        tuple(int(listed[row] * (1 << exponent)) for row in rows),
        exponent,
        given,
        about=said,
    ).bound_to(task.rows)


def as_proven(
    support: np.ndarray, alpha: np.ndarray, certificate: SoftMarginWithin
) -> tuple[np.ndarray, np.ndarray]:
    """The multipliers of the hinge that the certificate has, of which Σ αs is 0 before they are rounded."""
    rows = np.array(certificate.rows, np.int64)
    listed = np.array(
        [nearest(Fraction(whole, 1 << certificate.exponent)) for whole in certificate.multipliers]
    )
    places = np.searchsorted(support, rows)
    known = np.append(support, -1)[places] == rows
    alpha[places[known]] = listed[known]
    if not known.all():
        support = np.insert(support, places[~known], rows[~known])
        alpha = np.insert(alpha, places[~known], listed[~known])
    if not alpha.all():
        support, alpha = support[alpha > 0.0], alpha[alpha > 0.0]
    return support, alpha


def _largest(task: Task, outcome: Outcome, most: int) -> dict[int, Fraction]:
    """The rows with the largest multipliers of the squared hinge, which can give some of it away."""
    support, alpha = outcome.multipliers(task)
    most = min(most, len(support))
    chosen = np.argpartition(alpha, len(alpha) - most)[len(alpha) - most :] if most else np.empty(0, np.int64)
    return {int(support[i]): Fraction(float(alpha[i])) for i in np.sort(chosen) if alpha[i] > 0.0}


def _listed(objective: Objective, outcome: Outcome, near: float) -> dict[int, Fraction]:
    """Rows whose multiplier does not follow from the weights: those on the margin, and those that differ."""
    margins, full = outcome.margins, outcome.full
    assert full is not None
    alpha = dict(zip(outcome.inner.tolist(), outcome.alpha.tolist(), strict=True))
    width = near * (1.0 + max(float(margins.max(initial=0.0)), -float(margins.min(initial=0.0))))
    chosen = (margins >= 1.0 - width) & (margins <= 1.0 + width)
    chosen |= full & (margins > 1.0)
    chosen |= ~full & (margins < 1.0)
    chosen[outcome.inner] = True
    listed = {}
    for row in np.flatnonzero(chosen).tolist():
        cost = objective.cost(row)
        if cost:
            listed[row] = cost if full[row] else min(cost, _cut(alpha.get(row, 0.0), cost))
    return listed


def _cut(alpha: float, cost: Fraction) -> Fraction:
    """A multiplier with as many bits as make sense beside its cost."""
    places = BITS - (cost.numerator.bit_length() - cost.denominator.bit_length())
    return Fraction(round(Fraction(alpha) * (1 << max(0, places))), 1 << max(0, places))


def _held(objective: Objective, outcome: Outcome, listed: dict[int, Fraction], signs: np.ndarray) -> Fraction:
    """Σ αs of the rows that are not listed, exactly: those inside the margin, at their cost."""
    inside = outcome.margins < 1.0
    inside[list(listed)] = False
    if objective.row_weights is None:
        return Fraction(objective.C) * int(signs[inside].sum(dtype=np.int64))
    total = sum(
        int(signs[row]) * Fraction(objective.row_weights[row]) for row in np.flatnonzero(inside).tolist()
    )
    return Fraction(objective.C) * total


def _weighed(listed: dict[int, Fraction], signs: np.ndarray) -> Fraction:
    return sum((int(signs[row]) * alpha for row, alpha in listed.items()), Fraction(0))


def _balanced(
    objective: Objective,
    outcome: Outcome,
    listed: dict[int, Fraction],
    balance: Fraction,
    signs: np.ndarray,
    squared: bool,
) -> dict[int, Fraction]:
    """The same multipliers, moved as little as it takes for Σ αs to be 0."""
    listed = dict(listed)
    rest = balance + _weighed(listed, signs)

    def room(row: int) -> Fraction:
        """How far the row's multiplier can go against the rest."""
        if signs[row] * rest > 0:
            return listed[row]
        return abs(rest) if squared else objective.cost(row) - listed[row]

    def inner(row: int) -> Fraction:
        return listed[row] if squared else min(listed[row], objective.cost(row) - listed[row])

    for row in sorted(listed, key=inner, reverse=True):
        if not rest:
            return listed
        share = min(abs(rest), room(row))
        change = -share if rest > 0 else share
        listed[row] += signs[row].item() * change
        rest += change
    if not rest:
        return listed
    # The rows on the margin do not suffice: of the heavier class those nearest to it give way.
    heavy = np.flatnonzero((outcome.margins < 1.0) & (signs == (1 if rest > 0 else -1)))
    for row in heavy[np.argsort(-outcome.margins[heavy], kind="stable")].tolist():
        if row in listed:
            continue
        whole = objective.cost(row)
        if squared and isfinite(outcome.margins[row]):
            whole *= Fraction(2 * max(0.0, 1.0 - float(outcome.margins[row])))
        share = min(abs(rest), whole)
        listed[row] = whole - share
        rest += -share if rest > 0 else share
        if not rest:
            break
    return listed


def _bits(value: Fraction) -> int:
    """Places after the binary point."""
    return value.denominator.bit_length() - 1
