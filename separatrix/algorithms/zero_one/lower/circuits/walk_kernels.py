"""From circuit to circuit: the primal simplex method in floats on

    (1)  min Σ c_i λ_i,  Σ λ_i a_i = 0,  Σ ν_i λ_i = 1,  λ ≥ 0.

Every basic solution on the way is a circuit: rows that a positive combination cancels. The walk goes to cheap
ones, notes those that a point h violates,

    (2)  Σ h < 1 over the circuit,

and makes their rows dearer, so that it moves on to others.

What is noted is a circuit for certain if the errors of floats allow no other answer. The multipliers μ of D
rows M, the last row r having 1, solve Mᵀμ = −r. With an approximate inverse R of Mᵀ and the residual ρ = Mᵀμ
+ r of the μ computed, each entry widened by what rounding and underflow can add,

    (3)  |error of any μ_i| ≤ max_i (|R|·|ρ|)_i / (1 − ‖I − R Mᵀ‖),

where the norm, the largest sum of a row of absolute values, is below 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.kernels import inner_kernel, kernel

ARTIFICIAL_COST = 1e3  # cost of a column that stands for an equation not yet satisfied
NEGLIGIBLE_SHARE = 1e-7  # of the combination: taken for rounding, or for the shift of the equations
PIVOT_TOLERANCE = 1e-9
MAX_UNDERFLOW_SUM = 1e-290  # more than what underflows in a sum of products


class WalkLimits(NamedTuple):
    """What the cost of a noted row is raised by, by how much (2) above must be violated, and the steps to
    go."""

    cost_rise: float
    violation: float
    n_steps: int


class Tableau(NamedTuple):
    """The basis holds a column's number, or the number of columns plus k for the k-th unit vector."""

    basis: np.ndarray
    inverse: np.ndarray
    values: np.ndarray


@inner_kernel
def _compute_prices(tableau: Tableau, cost: np.ndarray, prices: np.ndarray) -> None:
    prices[:] = 0.0
    width = prices.shape[0]
    for r in range(width):
        c = ARTIFICIAL_COST if tableau.basis[r] >= cost.shape[0] else cost[tableau.basis[r]]
        if c != 0.0:
            for k in range(width):
                prices[k] += c * tableau.inverse[r, k]


@inner_kernel
def _choose_entering(columns: np.ndarray, cost: np.ndarray, prices: np.ndarray) -> int:
    """The column with the least reduced cost, which is negative; -1 for none."""
    best, entering = -PIVOT_TOLERANCE, -1
    for i in range(columns.shape[0]):
        reduced_cost = cost[i]
        for k in range(columns.shape[1]):
            reduced_cost -= columns[i, k] * prices[k]
        if reduced_cost < best:
            best, entering = reduced_cost, i
    return entering


@inner_kernel
def _choose_leaving(values: np.ndarray, entering_column: np.ndarray) -> tuple[int, float]:
    """The place in the basis that reaches 0 first, and how far that is; of several the one with the largest
    pivot. -1 for none."""
    step, leaving = np.inf, -1
    for r in range(values.shape[0]):
        if entering_column[r] > PIVOT_TOLERANCE:
            ratio = values[r] / entering_column[r]
            if ratio < step or (ratio == step and entering_column[r] > entering_column[leaving]):
                step, leaving = ratio, r
    return leaving, step


@inner_kernel
def _pivot(tableau: Tableau, entering_column: np.ndarray, entering: int, leaving: int, step: float) -> None:
    inverse, values = tableau.inverse, tableau.values
    width = values.shape[0]
    for k in range(width):
        inverse[leaving, k] /= entering_column[leaving]
    for r in range(width):
        if r != leaving and entering_column[r] != 0.0:
            for k in range(width):
                inverse[r, k] -= entering_column[r] * inverse[leaving, k]
            values[r] = max(values[r] - step * entering_column[r], 0.0)  # rounding may not make it negative
    values[leaving] = step
    tableau.basis[leaving] = entering


@inner_kernel
def _add_up_point(tableau: Tableau, point: np.ndarray) -> float:
    """Σ h over the circuit, as in (2) above; 2 or more where a unit vector takes part."""
    total = 0.0
    for r in range(tableau.values.shape[0]):
        if tableau.values[r] > NEGLIGIBLE_SHARE:
            total += 2.0 if tableau.basis[r] >= point.shape[0] else point[tableau.basis[r]]
    return total


@kernel
def walk_circuits(
    columns: np.ndarray,
    point: np.ndarray,
    cost: np.ndarray,
    limits: WalkLimits,
    tableau: Tableau,
    prices: np.ndarray,
    found: np.ndarray,
) -> int:
    """Walk until no column is worth entering; returns how many circuits were noted in ``found``.

    A row of ``columns`` is (a_i, ν_i) of (1) above. ``prices`` is left with the last prices. A row of
    ``found`` ends with -1.
    """
    width = columns.shape[1]
    basis, inverse, values = tableau.basis, tableau.inverse, tableau.values
    entering_column = np.zeros(width)
    n_found = 0
    for _ in range(limits.n_steps):
        _compute_prices(tableau, cost, prices)
        entering = _choose_entering(columns, cost, prices)
        if entering < 0:
            break
        for r in range(width):
            total = 0.0
            for k in range(width):
                total += inverse[r, k] * columns[entering, k]
            entering_column[r] = total
        leaving, step = _choose_leaving(values, entering_column)
        if leaving < 0:
            break
        _pivot(tableau, entering_column, entering, leaving, step)
        if _add_up_point(tableau, point) < 1.0 - limits.violation:  # (2) above
            size = 0
            for r in range(width):
                if values[r] > NEGLIGIBLE_SHARE:
                    found[n_found, size] = basis[r]
                    cost[basis[r]] += limits.cost_rise
                    size += 1
            found[n_found, size] = -1
            n_found += 1
            if n_found == found.shape[0]:
                break
    return n_found


@kernel
def invert(square: np.ndarray, inverse: np.ndarray) -> bool:
    """Gauss and Jordan with the largest pivot of a column; False where there is none. ``square`` is spent."""
    width = square.shape[0]
    inverse[:] = 0.0
    for i in range(width):
        inverse[i, i] = 1.0
    for c in range(width):
        chosen = c
        for r in range(c + 1, width):
            if abs(square[r, c]) > abs(square[chosen, c]):
                chosen = r
        if not abs(square[chosen, c]) > 0.0:
            return False
        for k in range(width):
            square[c, k], square[chosen, k] = square[chosen, k], square[c, k]
            inverse[c, k], inverse[chosen, k] = inverse[chosen, k], inverse[c, k]
        pivot = square[c, c]
        for k in range(width):
            square[c, k] /= pivot
            inverse[c, k] /= pivot
        for r in range(width):
            factor = square[r, c]
            if r != c and factor != 0.0:
                for k in range(width):
                    square[r, k] -= factor * square[c, k]
                    inverse[r, k] -= factor * inverse[c, k]
    return True


@kernel
def is_certain_circuit(rows: np.ndarray) -> bool:
    """Whether D + 1 rows of D columns have exactly one dependency and it is positive, beyond all rounding."""
    width = rows.shape[1]
    square = np.ascontiguousarray(rows[:width].T)
    for i in range(width):
        for j in range(width):
            if not np.isfinite(square[i, j]):
                return False
    inverse = np.zeros((width, width))
    if not invert(square.copy(), inverse):
        return False
    unit = (width + 4) * 2.0**-52
    inverse_error, worst, least = 0.0, 0.0, np.inf
    solution = np.zeros(width)
    for i in range(width):
        total = 0.0
        for j in range(width):
            entry, size = 0.0, 0.0
            for k in range(width):
                entry += inverse[i, k] * square[k, j]
                size += abs(inverse[i, k] * square[k, j])
            total += abs(entry - (1.0 if i == j else 0.0)) + unit * size + MAX_UNDERFLOW_SUM
        inverse_error = max(inverse_error, total)
        for k in range(width):
            solution[i] -= inverse[i, k] * rows[width, k]
        least = min(least, solution[i])
    if not inverse_error < 0.5:  # the denominator of (3) above is at least 1/2 then
        return False
    residuals = np.zeros(width)
    for k in range(width):
        total, size = rows[width, k], abs(rows[width, k])
        for j in range(width):
            total += square[k, j] * solution[j]
            size += abs(square[k, j] * solution[j])
        residuals[k] = abs(total) + unit * size + MAX_UNDERFLOW_SUM
    for i in range(width):
        total = 0.0
        for k in range(width):
            total += abs(inverse[i, k]) * residuals[k]
        worst = max(worst, total)
    # (3) above allows twice ``worst``; as much again covers the rounding of both.
    return bool(least > 4.0 * worst and least > 1e-200)
