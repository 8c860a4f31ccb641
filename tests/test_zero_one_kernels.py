"""The kernels of the fewest errors against plain twins; also run with the compiler switched off."""

from __future__ import annotations

from fractions import Fraction

import naive_separation
import naive_zero_one
import numpy as np
import pytest

from separatrix.algorithms.zero_one.lower.circuits.walk_kernels import is_certain_circuit
from separatrix.algorithms.zero_one.lower.cones import cone_kernels, cut_kernels
from separatrix.algorithms.zero_one.lower.cones.cone_search import BasisCoordinates
from separatrix.algorithms.zero_one.lower.cones.pair_kernels import find_ratio
from separatrix.algorithms.zero_one.lower.cones.stack_kernels import ConeRows, U
from separatrix.algorithms.zero_one.reduce import reduce_problem
from separatrix.algorithms.zero_one.upper.line_kernels import find_best_step, sweep_line

# Lines


def line(seed):
    """Scores and slopes no two of which cross at one place, some of them parallel to the line, and costs."""
    rng = np.random.default_rng(seed)
    crossings = rng.permutation(np.arange(1, 31) * 7) - 100
    slopes = rng.choice([-3, -2, -1, 1, 2, 3], 30)
    scores = -crossings * slopes
    slopes[:4], scores[:4] = 0, (5, -5, 0, 7)
    return scores, slopes, rng.integers(1, 5, 30)


@pytest.mark.parametrize("seed", range(8))
def test_sweep_line(seed):
    scores, slopes, costs = line(seed)
    active = np.zeros(30, np.bool_)
    active[[0, 9, 10]] = True
    found = sweep_line(scores.astype(float), slopes.astype(float), costs.astype(float), active)
    assert found.cost == naive_zero_one.cheapest_vertex(
        scores.tolist(), slopes.tolist(), costs.tolist(), active.tolist()
    )
    assert found.t == pytest.approx(-scores[found.row] / slopes[found.row])
    others = ~active & (np.arange(30) != found.row)
    is_wrong = ~(found.sign * (scores + found.t * slopes) > 1e-9)
    assert found.cost == costs[others & is_wrong].sum()


@pytest.mark.parametrize("seed", range(8))
def test_find_best_step(seed):
    scores, slopes, costs = (numbers.tolist() for numbers in line(seed))
    cost, t = find_best_step(*(np.array(numbers, float) for numbers in (scores, slopes, costs)))
    assert cost == naive_zero_one.cheapest_step(scores, slopes, costs)
    assert cost == naive_zero_one.cost_at(scores, slopes, costs, Fraction(t))


def test_a_line_without_crossings():
    scores, slopes, costs = np.array([1.0, -1.0]), np.zeros(2), np.array([1.0, 2.0])
    assert sweep_line(scores, slopes, costs, np.zeros(2, np.bool_)).row == -1
    assert find_best_step(scores, slopes, costs) == (2.0, 0.0)


# Cones


@pytest.mark.parametrize("seed", range(300))
def test_find_ratio(seed):
    """Rows conflict exactly when they do; where scores are not exact, no conflict is doubtful."""
    rng = np.random.default_rng(seed)
    D = int(rng.integers(1, 5))
    scores = rng.integers(-4, 5, (2, D)).astype(float)
    scores[1, rng.random(D) < 0.4] *= -1
    first, second = (list(map(int, row)) for row in scores)
    ratio = find_ratio(scores, 0, 1, np.zeros(D), 1.0, 1.0)
    assert (ratio.numerator > 0) == naive_zero_one.have_conflict(first, second)
    rho = Fraction(int(ratio.numerator), 2**ratio.exponent)
    assert all(rho * a + b <= 0 for a, b in zip(first, second, strict=True)) or not rho
    error_bounds = rng.choice([0.0, 2.0**-4, 0.25, 1.0], D)
    ratio = find_ratio(scores, 0, 1, error_bounds, 2.0, 3.0)
    rho = Fraction(int(ratio.numerator), 2**ratio.exponent)
    for a, b, error in zip(first, second, map(Fraction, error_bounds), strict=True):
        worst = rho * (a + (2 * error if a else 0)) + b + (3 * error if b else 0)
        assert not rho or worst <= 0


@pytest.mark.parametrize("seed", range(12))
def test_scores_at_a_new_vertex_are_within_their_error_bound(seed):
    """In whole numbers, from the rows and the cuts that were written."""
    rng = np.random.default_rng(seed)
    n, d = (12, 2) if seed % 2 else (60, 3)
    X = rng.normal(size=(n, d)) if seed % 3 else rng.integers(-3, 4, (n, d)).astype(float)
    problem = reduce_problem(X, np.where(rng.random(n) < 0.5, -1.0, 1.0))
    coordinates = BasisCoordinates(problem, [0] * (problem.D - 1) + [1])
    rows = ConeRows(coordinates.costs, coordinates.names, coordinates.scale)
    n_cuts = 0
    for root in range(coordinates.roots):
        stack, signs = coordinates.make_stack(), coordinates.find_signs(root)
        cone_kernels.initialise_root(coordinates.scores, np.array(signs, float), rows.costs, 4 * U, stack)
        if not cut_kernels.split_cone(stack, rows):
            continue
        n_cuts += 1
        exact = {
            name: [Fraction(s * sign, 2**shift) for s, sign in zip(row, signs, strict=True)]
            for name, row, shift in zip(problem.names, coordinates.exact, coordinates.shifts, strict=True)
        }
        j, k, is_at_row, number, power = stack.events[:5].tolist()
        left, right = (
            (abs(exact[number][k]) / Fraction(2) ** power, abs(exact[number][j]) / Fraction(2) ** power)
            if is_at_row
            else (Fraction(number, 2**power), 1 - Fraction(number, 2**power))
        )
        doubtful = stack.events[6 : 6 + stack.events[5]].tolist()
        for place in range(stack.levels[0]["count"]):
            i = stack.rows[place]
            name, found = problem.names[i], stack.new_scores[place]
            score = left * exact[name][j] + right * exact[name][k]
            bound = Fraction(stack.error_bounds[1, j]) * Fraction(rows.scale[i])
            assert abs(Fraction(found) - score) <= bound * (2 if name in doubtful else 1)
            assert found == 0 or (found > 0) == (score > 0)
            assert found != 0 or score == 0 or name in doubtful
    assert n_cuts


# Circuits


@pytest.mark.parametrize("seed", range(60))
def test_is_certain_circuit(seed):
    """D + 1 rows with one dependency, and that positive; nothing that is nearly one."""
    rng = np.random.default_rng(seed)
    D = int(rng.integers(1, 5))
    rows = rng.integers(-3, 4, (D + 1, D)).astype(float)
    if seed % 2:
        rows[-1] = -(rng.integers(1, 4, D) @ rows[:-1])
    basis = naive_separation.dependencies([tuple(map(Fraction, row)) for row in rows.tolist()])
    is_circuit = len(basis) == 1 and (min(basis[0]) > 0 or max(basis[0]) < 0)
    assert is_certain_circuit(rows) == is_circuit
