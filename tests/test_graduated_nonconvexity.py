"""Searches for few errors that sharpen a loss, and rows that cost nothing."""

from __future__ import annotations

from operator import mul

import naive_zero_one
import numpy as np
import pytest

import separatrix as sx
from separatrix.algorithms.zero_one.free_rows import Recession
from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.reduce import reduce_problem
from separatrix.algorithms.zero_one.upper.graduated_nonconvexity import GraduatedNonconvexity
from separatrix.algorithms.zero_one.upper.graduated_nonconvexity_kernels import compute_pulls


def planted(n, d, flips, seed):
    """Rows with a wide margin, and some of their labels flipped."""
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n, d))
    scores = X @ np.ones(d) / np.sqrt(d)
    X, scores = X[abs(scores) > 0.3], scores[abs(scores) > 0.3]
    signs = np.where(scores > 0, 1.0, -1.0)
    signs[draws.choice(len(signs), flips, replace=False)] *= -1.0
    return X, signs


def test_pull_is_the_slope_of_its_loss():
    draws = np.random.default_rng(0)
    margins = draws.normal(size=(50, 3)).astype(np.float32)
    costs = draws.uniform(0.5, 2.0, (50, 3)).astype(np.float32)
    weights, flatness = draws.uniform(1, 3, 50), np.array([0.0, 0.5, 1.0], np.float32)
    pulls, wrong = np.empty((50, 3), np.float32), np.empty(3)
    least = compute_pulls(margins, costs, weights, 2.0, flatness, pulls, wrong)
    x = 1.0 - 2.0 * margins.astype(float)
    root = np.sqrt(1.0 + x * x)
    size, rise = 1.0 + (x + root) / 2.0, (1.0 + x / root) / 2.0
    expected = costs * rise / (size * (1.0 + flatness * (np.sqrt(size) - 1.0)))
    np.testing.assert_allclose(pulls, expected, rtol=1e-4)
    np.testing.assert_allclose(wrong, weights @ (margins <= 0))
    assert least == wrong.min()
    step = 1e-5  # with flatness 0 the loss is log(1 + p)
    loss = [np.log(1.0 + (y + np.sqrt(1.0 + y * y)) / 2.0) for y in (x[:, 0] - step, x[:, 0] + step)]
    np.testing.assert_allclose(pulls[:, 0], costs[:, 0] * (loss[1] - loss[0]) / (2 * step), rtol=1e-3)


@pytest.mark.parametrize("d", [4, 9, 30])
def test_errors_that_were_planted_are_found(d):
    X, signs = planted(600, d, 9, d)
    interval = ErrorInterval(reduce_problem(X, signs))
    GraduatedNonconvexity(0, rounds=3).run(interval.problem, interval)
    assert 0 < interval.upper <= 9
    assert interval.problem.compute_cost(interval.weights) == interval.upper


def test_the_same_seed_finds_the_same_halfspaces():
    X, signs = planted(200, 8, 30, 1)
    costs = np.random.default_rng(0).integers(1, 6, len(X)).astype(float)
    problem = reduce_problem(X, signs, costs)
    found = []
    for _ in range(2):
        interval = ErrorInterval(problem, node_limit=10)
        GraduatedNonconvexity(5, rounds=2).run(problem, interval)
        found.append((interval.upper, interval.weights))
    assert found[0] == found[1]


def test_never_below_the_fewest_errors_and_mostly_at_them():
    reached = 0
    for seed in range(20):
        draws = np.random.default_rng(seed)
        X = draws.integers(-3, 4, (12, 2)).astype(float) if seed % 2 else draws.normal(size=(12, 2))
        signs = np.where(draws.random(12) < 0.5, 1.0, -1.0)
        interval = ErrorInterval(reduce_problem(X, signs))
        GraduatedNonconvexity(0, rounds=3).run(interval.problem, interval)
        fewest = naive_zero_one.fewest_errors(X, signs)
        assert fewest <= interval.upper
        reached += fewest == interval.upper
    assert reached >= 15


@pytest.mark.parametrize("costs", [None, "drawn"])
def test_rows_without_any_direction_are_left_alone(costs):
    X = np.zeros((5, 3))
    signs = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    weights = None if costs is None else [0.25, 1.0, 1.5, 0.5, 1.0]
    problem = reduce_problem(X, signs, weights)
    interval = ErrorInterval(problem)
    GraduatedNonconvexity(0, rounds=2).run(problem, interval)
    assert interval.upper >= problem.offset


def quasi(seed, n=90, free=20, d=8):
    """Rows with noise, the first of which have a last column that only they have, of their own sign."""
    draws = np.random.default_rng(seed)
    X = np.column_stack([draws.integers(-4, 5, (n, d)), np.zeros(n)]).astype(float)
    signs = np.where(X[:, 0] + 2 * draws.normal(size=n) > 0, 1.0, -1.0)
    X[:free, -1] = signs[:free] * draws.integers(1, 4, free)
    return X, signs


@pytest.mark.parametrize("seed", range(5))
def test_a_direction_of_recession_makes_its_rows_right_and_changes_no_other(seed):
    X, signs = quasi(seed)
    problem = reduce_problem(X, signs)
    direction = [0] * (problem.D - 2) + [1, 0]
    recession = Recession(problem, direction)
    assert set(recession.remaining.names) == {name for name in problem.names if name >= 20}
    draws = np.random.default_rng(seed)
    for _ in range(20):
        w = [int(a) for a in draws.integers(-(10**9), 10**9, problem.D)]
        lifted = recession.lift(w)
        for name, z in zip(problem.names, problem.Z, strict=True):
            score = sum(map(mul, z, lifted))
            assert score > 0 if name < 20 else score == sum(map(mul, z, w))
        assert problem.compute_cost(lifted) == recession.remaining.compute_cost(w)


def test_a_direction_that_is_wrong_on_a_row_is_none():
    X, signs = quasi(0)
    problem = reduce_problem(X, signs)
    with pytest.raises(ValueError, match="wrong on no row"):
        Recession(problem, [0] * (problem.D - 2) + [-1, 0])


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_cost_nothing_change_nothing(seed):
    X, signs = quasi(seed)
    assert sx.separate(X, signs).kind == "quasi"
    model = sx.ZeroOne(node_limit=3000).fit(X, signs)
    rest = sx.ZeroOne(node_limit=3000).fit(X[20:, :-1], signs[20:])
    assert model.optimal_
    assert rest.optimal_
    assert model.errors_ == rest.errors_
    assert (model.misclassified_ >= 20).all()
    assert model.certificate_.verify(X, signs).holds
