"""From circuit to circuit: the primal simplex method on Σ λ_i a_i = 0, Σ ν_i λ_i = 1, λ ≥ 0, in floats.

Every basic solution on the way is a circuit: rows that a positive combination cancels. The walk goes to cheap
ones, notes those that a point h violates (Σ h < 1 over the circuit), and makes their rows dearer, so that it
moves on to others.
"""

from __future__ import annotations

import numpy as np

from separatrix.kernels import kernel

ARTIFICIAL_COST = 1e3  # cost of a column that stands for an equation not yet satisfied
NEGLIGIBLE_SHARE = 1e-7  # of the combination: taken for rounding, or for the shift of the equations
PIVOT_TOLERANCE = 1e-9
MAX_UNDERFLOW_SUM = 1e-290  # more than what underflows in a sum of products


@kernel
def walk_circuits(
    columns: np.ndarray,
    point: np.ndarray,
    limits: np.ndarray,
    cost: np.ndarray,
    basis: np.ndarray,
    inverse: np.ndarray,
    values: np.ndarray,
    prices: np.ndarray,
    found: np.ndarray,
) -> int:
    """Walk until no column is worth entering; returns how many circuits were noted in ``found``.

    A row of ``columns`` is (a_i, ν_i). ``basis`` holds a column's number, or the number of columns plus k for
    the k-th unit vector; ``inverse`` and ``values`` belong to it. ``limits``: what the cost of a noted row is
    raised by, by how much it must be violated, how many steps to go. ``prices`` is left with the last prices.
    A row of ``found`` ends with -1.
    """
    count, width = columns.shape
    cost_rise, violation, steps = limits[0], limits[1], int(limits[2])
    entering_column = np.zeros(width)
    n_found = 0
    for _ in range(steps):
        prices[:] = 0.0
        for r in range(width):
            c = ARTIFICIAL_COST if basis[r] >= count else cost[basis[r]]
            if c != 0.0:
                for k in range(width):
                    prices[k] += c * inverse[r, k]
        best, entering_index = -PIVOT_TOLERANCE, -1
        for i in range(count):
            reduced_cost = cost[i]
            for k in range(width):
                reduced_cost -= columns[i, k] * prices[k]
            if reduced_cost < best:
                best, entering_index = reduced_cost, i
        if entering_index < 0:
            break
        for r in range(width):
            total = 0.0
            for k in range(width):
                total += inverse[r, k] * columns[entering_index, k]
            entering_column[r] = total
        step, leaving_index = np.inf, -1
        for r in range(width):
            if entering_column[r] > PIVOT_TOLERANCE:
                ratio = values[r] / entering_column[r]
                if ratio < step or (ratio == step and entering_column[r] > entering_column[leaving_index]):
                    step, leaving_index = ratio, r
        if leaving_index < 0:
            break
        for k in range(width):
            inverse[leaving_index, k] /= entering_column[leaving_index]
        for r in range(width):
            if r != leaving_index and entering_column[r] != 0.0:
                for k in range(width):
                    inverse[r, k] -= entering_column[r] * inverse[leaving_index, k]
                values[r] = max(values[r] - step * entering_column[r], 0.0)
        values[leaving_index] = step
        basis[leaving_index] = entering_index
        total = 0.0
        for r in range(width):
            if values[r] > NEGLIGIBLE_SHARE:
                total += 2.0 if basis[r] >= count else point[basis[r]]
        if total < 1.0 - violation:
            size = 0
            for r in range(width):
                if values[r] > NEGLIGIBLE_SHARE:
                    found[n_found, size] = basis[r]
                    cost[basis[r]] += cost_rise
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
    """Whether D + 1 rows of D columns have exactly one dependency and it is positive, with room for rounding.

    The system for the first D multipliers, the last being 1, is solved with an approximate inverse R; the
    error is at most |R|·|residual| / (1 − ‖I − R M‖), each part widened by what rounding and underflow can
    add.
    """
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
    if not inverse_error < 0.5:
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
    return bool(least > 4.0 * worst and least > 1e-200)
