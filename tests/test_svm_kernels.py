"""The kernels of the soft margin against plain twins; also run with the compiler switched off."""

from __future__ import annotations

from fractions import Fraction

import naive
import naive_svm
import numpy as np
import pytest
from scipy.sparse import csr_array

from separatrix.algorithms.svm import hinge_kernels as kernels
from separatrix.rows import Csr


class Case:
    """Eighths of small whole numbers, of which no sum of products rounds."""

    def __init__(self, seed, sparse):
        rng = np.random.default_rng(seed)
        X = rng.integers(-8, 9, (40, 5)) / 8.0 * rng.integers(0, 2, (40, 5))
        matrix = csr_array(X)
        block = Csr(matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int64))
        self.X, self.rows = block if sparse else X, naive.exact(X)
        self.signs = rng.choice(np.array([-1, 1], np.int8), 40)
        self.costs = rng.integers(0, 4, 40) / 2.0
        self.weights, self.intercept = rng.integers(-8, 9, 5) / 4.0, 0.5
        self.exact_costs = naive.exact(self.costs)
        self.margins = naive_svm.margins_of(
            self.rows, self.signs.tolist(), naive.exact(self.weights), Fraction(1, 2)
        )


@pytest.fixture(params=[(seed, sparse) for seed in range(3) for sparse in (False, True)])
def case(request):
    return Case(*request.param)


@pytest.mark.parametrize("limit", [0.5, 1.0])
def test_margins_and_linear_term(case, limit):
    margins, linear_term = np.empty(40), np.zeros(6)
    loss = kernels.compute_margins_and_linear_term(
        case.X, case.signs, case.costs, case.intercept, case.weights, limit, margins, linear_term
    )
    assert naive.exact(margins) == case.margins
    assert Fraction(loss) == naive_svm.hinge_loss(case.margins, case.exact_costs)
    assert naive.exact(linear_term) == naive_svm.linear_term(
        case.rows, case.signs, case.margins, case.exact_costs, limit
    )


def test_margins_and_violations(case):
    at_cost = np.random.default_rng(0).random(40) < 0.5
    states, margins = np.where(at_cost, kernels.AT_COST, kernels.AT_ZERO).astype(np.int8), np.empty(40)
    states[:5] = kernels.IN_SET  # free: nothing contradicts them
    found = kernels.compute_margins_and_violations(
        case.X, case.signs, case.costs, case.intercept, case.weights, margins, states
    )
    chosen, excess = naive_svm.violated(case.margins[5:], at_cost[5:], case.exact_costs[5:])
    assert naive.exact(margins) == case.margins
    assert np.flatnonzero(states & kernels.VIOLATED).tolist() == [i + 5 for i in chosen]
    loss = naive_svm.hinge_loss(case.margins, case.exact_costs)
    assert (found[0], Fraction(found[1]), Fraction(found[2])) == (len(chosen), loss, excess)


def test_slopes_along_a_segment(case):
    rng = np.random.default_rng(1)
    margins, changes = np.array([float(m) for m in case.margins]), rng.integers(-9, 10, 40) / 4.0
    t, step = 1 / np.pi, 1e-7  # no margin is 1 nearby, and no share 0 or 1
    losses = [
        lambda t, power=power: case.costs @ np.maximum(0.0, 1.0 - margins - t * changes) ** power
        for power in (1, 2)
    ]
    slope = kernels.compute_hinge_slope(margins, changes, case.costs, t)
    assert slope == pytest.approx(naive_svm.slopes(losses[0], t, step), rel=1e-6)
    derivatives = np.empty(2)
    kernels.compute_squared_hinge_slope(margins, changes, case.costs, t, derivatives)
    assert derivatives[0] == pytest.approx(naive_svm.slopes(losses[1], t, step), rel=1e-6)
    given = (margins, changes, case.costs, 0.35)
    kernels.compute_envelope_slope(*given, t, derivatives)
    alpha = case.costs * np.clip(margins - t * 0.35 * changes, 0.0, 1.0)
    assert derivatives[0] == pytest.approx(alpha @ changes)
    ahead, behind = np.empty(2), np.empty(2)
    kernels.compute_envelope_slope(*given, t + step, ahead)
    kernels.compute_envelope_slope(*given, t - step, behind)
    assert derivatives[1] == pytest.approx((behind[0] - ahead[0]) / (2 * step), rel=1e-6)
