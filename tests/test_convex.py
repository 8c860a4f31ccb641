"""What the convex solvers share: linear systems, lines, Newton's loop, centring, subsamples, gaps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.sparse.linalg import cg

import separatrix as sx
from separatrix.algorithms.convex.conjugate_gradients import conjugate_gradients
from separatrix.algorithms.convex.gap_proof import choose_smallest_gap, describe_gap, get_gap, widen_ends
from separatrix.algorithms.convex.line_search import search_line
from separatrix.algorithms.convex.mean_centring import Centring
from separatrix.algorithms.convex.newton_loop import Iterations, backtrack, descend
from separatrix.algorithms.convex.subsample import draw_evenly, select_counted_rows, thin_out
from separatrix.algorithms.logistic.objective import estimate_gap


def make_system(n, seed):
    random = np.random.default_rng(seed)
    root = random.normal(size=(n, n)) * 10.0 ** random.uniform(-1, 1, size=n)
    return root.T @ root + np.eye(n), random.normal(size=n)


@pytest.mark.parametrize("seed", range(5))
def test_conjugate_gradients_solve_and_agree_with_scipy(seed):
    A, b = make_system(12, seed)
    scale = 1.0 / np.diag(A)
    found = conjugate_gradients(lambda v: A @ v, b, scale, residual_share=1e-12, max_products=200)
    assert found.is_solved
    assert np.allclose(A @ found.solution, b, atol=1e-9)
    for k in (1, 3, 6):
        ours = conjugate_gradients(lambda v: A @ v, b, scale, residual_share=0.0, max_products=k)
        theirs, _ = cg(A, b, rtol=0.0, maxiter=k, M=np.diag(scale))
        assert ours.n_products == k
        assert not ours.is_solved
        assert np.allclose(ours.solution, theirs, rtol=1e-6, atol=1e-12)
        assert ours.solution @ b > 0  # of a gradient −b: a direction of descent


def test_conjugate_gradients_measure_the_residual_in_the_norm_asked_for():
    A, b = make_system(12, 7)
    scale = 1.0 / np.diag(A)
    for scaled in (True, False):
        found = conjugate_gradients(
            lambda v: A @ v, b, scale, residual_share=0.01, max_products=99, scaled_norm=scaled
        )
        left, norm = b - A @ found.solution, scale if scaled else np.ones(12)
        assert left @ (norm * left) <= 1.01 * 0.01**2 * (b @ (norm * b))


def test_conjugate_gradients_end_at_the_shortest_solution_and_where_nothing_curves():
    A = np.diag([4.0, 1.0, 0.0])
    found = conjugate_gradients(
        lambda v: A @ v, np.array([4.0, 1.0, 0.0]), 1.0, residual_share=1e-12, max_products=9
    )
    assert np.allclose(found.solution, [1.0, 1.0, 0.0])
    flat = conjugate_gradients(lambda v: 0.0 * v, np.ones(3), 1.0, residual_share=0.1, max_products=9)
    assert not flat.solution.any()
    assert not flat.is_solved
    nothing = conjugate_gradients(lambda v: A @ v, np.zeros(3), 1.0, residual_share=0.1, max_products=9)
    assert not nothing.solution.any()
    assert nothing.is_solved


@pytest.mark.parametrize("shift", [1e-6, 0.3, 1.0, 40.0, 1e6])
def test_line_search_leaves_the_share_of_the_slope_asked_for(shift):
    def slope_at(t):
        z = np.clip(t - shift, -300, 300)
        return np.tanh(z) + 1e-3 * (t - shift), 1.0 / np.cosh(z) ** 2 + 1e-3

    for share in (0.1, 1e-3):
        first = slope_at(0.0)[0]
        step = search_line(slope_at, first, slope_share=share)
        assert abs(slope_at(step)[0]) <= share * -first
    assert search_line(slope_at, 1.0) == 0.0 == search_line(slope_at, float("nan"))


def test_line_search_stays_where_the_function_is_finite():
    def slope_at(t):
        return (-1.0 + 0.1 * t, 0.1) if t < 0.05 else (np.inf, np.nan)

    assert 0.0 < search_line(slope_at, -1.0) < 0.05


class Quartic(NamedTuple):
    objective: float
    gradient: np.ndarray


class QuarticSteps:
    """Newton's steps for Σ (x − 1)⁴ + (x − 1)²."""

    def __init__(self, iterations):
        self.x, self.iterations, self.refused = np.array([4.0, -3.0]), iterations, 0

    def evaluate(self, x):
        d = x - 1.0
        return Quartic(float((d**4 + d**2).sum()) + 1.0, 4 * d**3 + 2 * d)

    def find_direction(self, current):
        return -current.gradient / (12 * (self.x - 1.0) ** 2 + 2)

    def estimate_gap(self, current, decrement):
        return decrement

    def take_step(self, current, direction, slope, gap):
        self.refused += 1
        if self.refused == 2:
            return current
        step, trial = backtrack(
            lambda t: self.evaluate(self.x + t * direction),
            lambda t, trial: trial.objective <= current.objective + 1e-4 * t * slope,
            30,
        )
        self.x = self.x + step * direction
        self.iterations.n_steps += 1
        return trial


def test_newton_loop_ends_at_the_gap_and_counts_the_steps_made():
    n_steps = []
    for n_final in (0, 2):
        iterations = Iterations(100)
        steps = QuarticSteps(iterations)
        assert descend(steps, steps.evaluate(steps.x), 1e-8, iterations, n_final=n_final)
        assert np.allclose(steps.x, 1.0, atol=1e-3)
        assert iterations.n_steps == len(iterations.objectives) - 1 == steps.refused - 1
        assert (np.diff(iterations.objectives) <= 0).all()
        n_steps.append(iterations.n_steps)
    assert n_steps[1] == n_steps[0] + 2
    iterations = Iterations(3)
    steps = QuarticSteps(iterations)
    assert not descend(steps, steps.evaluate(steps.x), 1e-8, iterations)
    assert iterations.n_steps == 3


def test_backtracking_refuses_what_is_never_accepted():
    tried = []
    assert backtrack(tried.append, lambda *_: False, 4) is None
    assert tried == [1.0, 0.5, 0.25, 0.125]


def test_estimated_gap_bounds_the_true_one_of_a_penalised_quadratic():
    random = np.random.default_rng(0)
    A, b = make_system(5, 3)
    ridge = 0.5
    w = random.normal(size=5)
    gradient = A @ w + ridge * w - b
    best = np.linalg.solve(A + ridge * np.eye(5), b)
    gap = 0.5 * (w - best) @ (A + ridge * np.eye(5)) @ (w - best)
    assert estimate_gap(gradient, ridge, 0.0) >= gap
    assert estimate_gap(gradient, 0.0, 3.0) == 3.0
    assert np.isnan(estimate_gap(gradient, 0.0, float("nan")))
    assert estimate_gap(np.array([1.0, 2.0]), 4.0, 0.0) == 0.625
    assert estimate_gap(np.array([1.0, 2.0]), 2.0**-90, 3.0) == 3.0


def test_centring_changes_no_score_and_goes_both_ways():
    random = np.random.default_rng(1)
    X, W = random.normal(size=(40, 3)) + np.array([100.0, 0.0, -7.0]), random.normal(size=(2, 4))
    centring = Centring.near_mean(sx.as_rows(X))
    assert np.allclose(centring.centre, X.mean(axis=0))
    for weights in (W, W[0]):
        moved, given = centring.to_internal(weights), weights.copy()
        scores = (X - centring.centre) @ moved[..., :-1].T + moved[..., -1]
        assert np.allclose(scores, X @ weights[..., :-1].T + weights[..., -1])
        assert np.allclose(centring.to_user(moved), weights)
        assert (weights == given).all()
    draws = random.normal(size=(500, 4))
    pairs = np.column_stack([draws, random.normal(size=(500, 4))])
    returned = np.column_stack([centring.to_user(pairs[:, :4]), centring.to_user(pairs[:, 4:])])
    for inside, outside in ((draws, centring.to_user(draws)), (pairs, returned)):
        assert np.allclose(centring.covariance_to_user(np.cov(inside.T)), np.cov(outside.T))


def test_centre_is_finite_and_taken_off_only_where_that_pays():
    random = np.random.default_rng(2)
    X = random.normal(size=(100, 2))
    assert not Centring.near_mean(sx.as_rows(X), only_far=True).centre.any()
    assert Centring.near_mean(sx.as_rows(X + np.array([0.0, 9.0])), only_far=True).centre[1] > 8
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isfinite(Centring.near_mean(sx.as_rows(X * 1e307 + 1.5e308)).centre).all()


def test_subsamples_are_spread_over_the_rows():
    numbers = np.arange(0, 3000, 3)
    drawn = draw_evenly(numbers, 10, np.random.default_rng(0))
    assert (drawn // 300 == np.arange(10)).all()
    assert np.isin(drawn, numbers).all()
    assert thin_out(numbers, 10).tolist() == numbers[::100].tolist()
    assert len(thin_out(numbers, 5000)) == 1000


def test_counted_rows_are_those_of_a_weight():
    rows = sx.as_rows(np.arange(8.0).reshape(4, 2), [0, 1, 0, 1])
    assert select_counted_rows(rows) == (rows, None)
    counted, numbers = select_counted_rows(rows.weighted(np.array([1.0, 0.0, 2.0, 0.0])))
    assert numbers.tolist() == [0, 2]
    assert counted.weights is None
    assert counted.whole().dense().tolist() == [[0.0, 1.0], [4.0, 5.0]]


def test_line_search_meets_the_lowest_point_that_scipy_finds():
    w, v = np.array([2.0, -1.0]), np.array([-1.0, 3.0])

    def value(t):
        return float(np.logaddexp(0.0, w + t * v).sum() + 0.5 * ((w + t * v) ** 2).sum())

    def slope_at(t):
        p = 1.0 / (1.0 + np.exp(-(w + t * v)))
        return float((p + w + t * v) @ v), float((p * (1 - p) + 1.0) @ v**2)

    best = minimize_scalar(value, bounds=(0.0, 5.0), method="bounded", options={"xatol": 1e-10}).x
    assert search_line(slope_at, slope_at(0.0)[0], slope_share=1e-8) == pytest.approx(best, abs=1e-6)


class Ends(NamedTuple):
    upper: float
    lower: float

    @property
    def gap(self):
        return (self.upper - self.lower) / self.upper


def test_the_smallest_gap_is_chosen_and_nothing_is_tried_after_one_that_is_small_enough():
    nothing, wide, narrow = sx.certificates.Undecided("no"), Ends(2.0, 1.0), Ends(2.0, 1.9)
    tried = []

    def attempts(*certificates):
        for number, certificate in enumerate(certificates):
            tried.append(number)
            yield number, certificate

    assert choose_smallest_gap(attempts(nothing, narrow, wide), 0.0) == (1, narrow)
    assert tried == [0, 1, 2]
    tried.clear()
    assert choose_smallest_gap(attempts(wide, narrow, Ends(1.0, 1.0)), 0.2) == (1, narrow)
    assert tried == [0, 1]
    assert choose_smallest_gap(attempts(nothing), 1.0) == (0, nothing)
    assert get_gap(nothing) == float("inf") == describe_gap(nothing)["objective"]
    assert describe_gap(narrow) == {"gap": narrow.gap, "objective": 2.0, "lower_bound": 1.9}


def test_ends_give_way_outwards_and_never_leave_doubles():
    ends = widen_ends(3.0, 2.0)
    assert 3.0 < ends["upper"] < 3.0 + 1e-11
    assert 2.0 - 1e-11 < ends["lower"] < 2.0
    assert widen_ends(3.0, -1.0)["lower"] == 0.0
    assert widen_ends(float("inf"), 0.0) is widen_ends(float("nan"), 0.0) is widen_ends(1e308, 0.0) is None
