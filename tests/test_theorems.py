"""One test per theorem, named after it: what the textbooks promise of halfspaces and perceptrons.

Rows are z = s(x, 1), or s·x without intercept. Most data lie on a binary grid, where no sum of the library's
rounds; such runs are recorded and judged in fractions. Elsewhere the largest margin comes from an independent
solver, whose answer a dual bound confirms.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, nnls

import separatrix as sx
from separatrix import bounds, losses, problems

ROUNDING = 1 + 1e-9
GIVEN = tuple(np.random.default_rng(5).permutation(40).tolist())
ORDERS = ("cyclic", "shuffled", "first violator", "worst violator", GIVEN)
unsettled = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def name_of(order):
    return order if isinstance(order, str) else "given sequence"


def signed(X, y, *, intercept=True):
    """The rows z, as floats."""
    X = np.asarray(X, dtype=np.float64)
    rows = np.column_stack([X, np.ones(len(X))]) if intercept else X
    return rows * np.where(np.asarray(y) == np.max(y), 1.0, -1.0)[:, None]


def square(vector):
    return naive.dot(vector, vector)


def weights_of(model):
    return np.append(model.coef_[0], model.intercept_)


class Best(NamedTuple):
    """The largest margin of some rows, the unit vector that has it, and the length of the longest row."""

    margin: float
    unit: np.ndarray
    radius: float

    @property
    def bound(self):
        return (self.radius / self.margin) ** 2


def best_of(rows):
    """The point of the hull nearest to the origin, by Lawson and Hanson's non-negative least squares."""
    multipliers, _ = nnls(np.vstack([rows.T, np.ones(len(rows))]), np.eye(rows.shape[1] + 1)[-1])
    nearest = rows.T @ multipliers / multipliers.sum()
    length = np.linalg.norm(nearest)
    margin = float((rows @ nearest).min() / length)
    assert margin >= length * (1 - 1e-6)  # no margin exceeds the length of any point of the hull
    return Best(margin, nearest / length, float(np.linalg.norm(rows, axis=1).max()))


# Halfspaces


@given(st.integers(0, 2**32 - 1))
def test_absorbing_the_bias(seed):
    """A halfspace of R^d is a homogeneous one of R^(d+1), and a perceptron cannot tell the two apart."""
    rng = np.random.default_rng(seed)
    X, y = problems.separable(30, 3, margin=0.25, random_state=rng)
    extended = np.column_stack([X, np.ones(len(X))])
    inside = sx.Perceptron().fit(X, y)
    outside = sx.Perceptron(fit_intercept=False).fit(extended, y)
    assert outside.coef_[0].tolist() == weights_of(inside).tolist()
    assert (outside.mistakes_, outside.passes_) == (inside.mistakes_, inside.passes_)
    plane = sx.Halfspace(rng.integers(-9, 9, size=3).tolist(), int(rng.integers(-9, 9)))
    for constant, points in (("last", extended), ("first", np.roll(extended, 1, axis=1))):
        homogeneous = sx.Halfspace(plane.homogeneous(constant).tolist())
        assert homogeneous.score(points).tolist() == plane.score(X).tolist()
        assert sx.Halfspace.from_homogeneous(plane.homogeneous(constant), constant) == plane


def test_a_hyperplane_is_orthogonal_to_w_at_distance_c_over_norm():
    plane = sx.Halfspace.from_threshold([3.0, 4.0], 10.0)
    foot = plane.project([0.0, 0.0])
    assert plane.origin_distance == 10.0 / 5.0
    np.testing.assert_allclose(foot, [1.2, 1.6])  # c/‖w‖ along w/‖w‖
    along = plane.project([7.0, -2.0]) - foot
    assert abs(along @ plane.weights) < 1e-12


@given(st.lists(st.integers(-50, 50), min_size=4, max_size=4), st.integers(-50, 50))
def test_halfspaces_are_told_apart_by_the_projection_onto_w(numbers, threshold):
    """H⁺ holds the points whose projection onto w is longer than c/‖w‖, H⁻ all others."""
    plane = sx.Halfspace.from_threshold([3.0, 4.0], threshold)
    for x in (numbers[:2], numbers[2:]):
        exact = Fraction(3 * x[0] + 4 * x[1], 5)
        assert plane.in_positive(x) == (exact > Fraction(threshold, 5))
        assert plane.in_negative(x) == (not plane.in_positive(x))
        assert math.isclose(plane.projection_length(x), exact, abs_tol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_zero_one_loss_does_not_feel_the_length_of_w(seed, above, below):
    rng = np.random.default_rng(seed)
    X, signs = rng.integers(-3, 4, size=(50, 3)), rng.choice([-1, 1], size=50)
    plane = sx.Halfspace(rng.integers(-3, 4, size=3).tolist(), int(rng.integers(-3, 4)))
    scaled = plane.scaled(Fraction(above, below))
    assert scaled.predict(X).tolist() == plane.predict(X).tolist()
    loss = losses.zero_one(plane.score(X), signs)
    assert losses.zero_one(scaled.score(X), signs).tolist() == loss.tolist()


def test_the_zero_one_loss_is_a_margin_at_or_below_zero():
    """I{h(x) ≠ s} = I{s·score ≤ 0}, but for negative rows on the hyperplane, mistakes yet predicted right."""
    grid = np.array(list(itertools.product([-1, 0, 1], repeat=2)), dtype=float)
    plane = sx.Halfspace([1.0, -1.0], 0.0)
    for s in (-1, 1):
        counted = losses.zero_one(plane.score(grid), s) == 1
        differs = counted != (plane.predict(grid) != s)
        assert differs.tolist() == ((plane.score(grid) == 0) & (s == -1)).tolist()


@given(st.integers(0, 2**32 - 1))
def test_the_geometric_margin_is_the_smallest_distance(seed):
    """γ/‖w‖ is how far the nearest row is from the hyperplane; z_t = x_t − s·margin·w/‖w‖ lies on it."""
    rng = np.random.default_rng(seed)
    X, y = problems.separable(20, 3, margin=0.25, direction="random", random_state=rng)
    model = sx.Perceptron().fit(X, y)
    plane = model.halfspace_
    nearest = np.linalg.norm(X - plane.project(X), axis=1)
    assert math.isclose(plane.margin(X, y), nearest.min(), rel_tol=1e-9)
    assert math.isclose(model.geometric_margin_, nearest.min(), rel_tol=1e-9)
    direction = plane.weights / np.linalg.norm(plane.weights)
    feet = X - np.outer(y * plane.geometric_margins(X, y), direction)
    np.testing.assert_allclose(plane.score(feet), 0.0, atol=1e-9)


def test_the_training_error_is_the_mean_zero_one_loss():
    X, y = problems.noisy(100, 2, flips=7)
    model = sx.PocketPerceptron(random_state=0).fit(X, y)
    training_error = losses.zero_one(model.decision_function(X), y).mean()
    assert training_error == model.errors_ / 100 == pytest.approx(1 - model.score(X, y))


# The perceptron's step


@given(st.lists(st.integers(-9, 9), min_size=6, max_size=6), st.sampled_from([-1, 1]))
def test_an_update_raises_the_margin_by_the_squared_length(numbers, s):
    """s·w′·x = s·w·x + ‖x‖²: less wrong, or right."""
    start, x = numbers[:3], numbers[3:]
    model = sx.Perceptron(fit_intercept=False, start=start)
    (seen,) = sx.stream(model, [(x, s)], classes=[-1, 1])
    before, after = s * naive.dot(start, x), s * naive.dot(model.coef_[0].tolist(), x)
    assert seen.mistake == (before <= 0)
    assert after == (before + square(x) if seen.mistake else before)


def test_one_row_again_and_again_is_classified_in_the_end():
    x, start = [3.0, 4.0], [-30.0, -40.0]
    model = sx.Perceptron(fit_intercept=False, start=start)
    answers = [seen.mistake for seen in sx.stream(model, [(x, 1)] * 20, classes=[-1, 1])]
    assert answers == [True] * 11 + [False] * 9  # from −250 in steps of 25, 0 being a mistake still


def test_with_a_strict_inequality_the_zero_vector_would_never_move():
    """Why s·score ≤ 0 is a mistake: at w = 0 every score is 0, so a rule that asks for < 0 never learns."""
    X, y = problems.separable(50, 2, margin=0.25)
    assert not (signed(X, y) @ np.zeros(3) < 0).any()
    first = next(sx.stream(sx.Perceptron(), zip(X, y, strict=True), classes=[-1, 1]))
    assert first.mistake


def test_the_perceptron_takes_steps_of_subgradient_descent():
    """w′ = w − ∂ℓ for the perceptron loss max(0, −s·score) at every row of a run; yet w = 0 minimises it."""
    X, y = problems.noisy(60, 2, flips=5)
    rows, model, weights = signed(X, y), sx.Perceptron(), np.zeros(3)
    for z, _ in zip(rows, sx.stream(model, zip(X, y, strict=True), classes=[-1, 1]), strict=True):
        weights = weights - losses.perceptron.gradient(weights @ z) * z
        assert weights.tolist() == weights_of(model).tolist()
    assert losses.perceptron(rows @ np.zeros(3)).sum() == 0 < losses.perceptron(rows @ weights).sum()


# Novikoff's theorem, on recorded runs


class Recorded(NamedTuple):
    """A run in fractions: all rows, the weights from zero on after every mistake, u, γ and R²."""

    rows: list
    weights: list
    unit: list
    margin: Fraction
    squared_radius: Fraction

    @property
    def mistakes(self):
        """The weights before each mistake, and the row that was added."""
        return [(w, naive.plus(after, -1, w)) for w, after in itertools.pairwise(self.weights)]


@cache
def recorded(order, seed):
    """The weights after k = 0, 1, 2, … mistakes, from fits that stop there."""
    problem = problems.separable(40, 3, margin=0.0625, random_state=seed)
    total = sx.Perceptron(order=order, random_state=seed).fit(*problem).mistakes_
    path = [[Fraction(0)] * 4]
    for k in range(1, total + 1):
        model = sx.Perceptron(order=order, random_state=seed, max_mistakes=k).fit(*problem)
        path.append(naive.exact(weights_of(model)))
    rows = naive.signed(naive.exact(problem.X), problem.signs)
    weights, intercept = problem.halfspace
    return Recorded(
        rows=rows,
        weights=path,
        unit=naive.exact([*weights, intercept]),
        margin=Fraction(problem.margin),
        squared_radius=max(map(square, rows)),
    )


every_run = pytest.mark.parametrize(
    "run", list(itertools.product(ORDERS, range(3))), ids=lambda run: f"{name_of(run[0])} {run[1]}"
)


@unsettled
@every_run
def test_every_mistake_adds_its_row(run):
    run = recorded(*run)
    assert run.mistakes
    assert all(z in run.rows for _, z in run.mistakes)


@unsettled
@every_run
def test_lemma_1_the_margin_holds_on_every_row(run):
    """s·u·x ≥ γ, where γ is the least |u·x|."""
    run = recorded(*run)
    assert square(run.unit) == 1
    assert min(naive.dot(run.unit, z) for z in run.rows) == run.margin > 0
    assert min(abs(naive.dot(run.unit, z)) for z in run.rows) == run.margin


@unsettled
@every_run
def test_lemma_2_a_mistake_has_no_positive_margin(run):
    """s·w·x ≤ 0 at every mistake."""
    assert all(naive.dot(w, z) <= 0 for w, z in recorded(*run).mistakes)


@unsettled
@every_run
def test_first_inequality_the_weights_turn_to_u(run):
    """w·u ≥ kγ after k mistakes."""
    run = recorded(*run)
    assert all(naive.dot(w, run.unit) >= k * run.margin for k, w in enumerate(run.weights))


@unsettled
@every_run
def test_second_inequality_the_weights_grow_slowly(run):
    """‖w‖² ≤ kR² after k mistakes."""
    run = recorded(*run)
    assert all(square(w) <= k * run.squared_radius for k, w in enumerate(run.weights))


@unsettled
@every_run
def test_novikoff(run):
    """kγ ≤ w·u ≤ ‖w‖ ≤ √k·R: at most (R/γ)² mistakes, whatever the order."""
    run = recorded(*run)
    k = len(run.weights) - 1
    assert (k * run.margin) ** 2 <= square(run.weights[-1])
    assert k <= run.squared_radius / run.margin**2
    assert all(naive.dot(run.weights[-1], z) > 0 for z in run.rows)


@pytest.mark.parametrize("order", ORDERS[:4])
def test_novikoff_on_flowers(order):
    X, y = problems.iris("setosa")
    best = best_of(signed(X, y))
    model = sx.Perceptron(order=order, random_state=0).fit(X, y)
    assert model.mistakes_ <= best.bound <= model.mistake_bound_
    assert model.certificate_.verify(X, y)


def test_novikoff_for_empirical_risk_minimisation():
    """In the realizable case the perceptron is an ERM: it stops at a clean pass, with no error left."""
    for seed in range(10):
        problem = problems.separable(60, 2, margin=0.125, random_state=seed)
        model = sx.Perceptron().fit(*problem)
        assert (model.predict(problem.X) == problem.y).all()
        assert [mistakes > 0 for mistakes in model.history_["mistakes"]] == [True] * (model.passes_ - 1) + [
            False
        ]
        assert model.mistakes_ == sum(model.history_["mistakes"]) <= problem.mistake_bound


@pytest.mark.parametrize("root", [2, 4, 8])
def test_novikoff_on_adversarial_streams(root):
    """The adversary sees the weights. It gets (R/γ)² mistakes, and not one more however long it goes on."""
    stream = problems.adversarial_stream(margin=1 / root)
    model = sx.Perceptron(fit_intercept=False)
    pairs = stream.against(lambda: model.coef_[0] if hasattr(model, "coef_") else np.zeros(stream.columns))
    for _ in itertools.islice(sx.stream(model, pairs, classes=[-1, 1]), 10 * root**2):
        pass
    assert model.mistakes_ == stream.forced == root**2


def test_novikoff_on_a_stream_without_end():
    """So many mistakes and it is done for ever, whatever is drawn: here rows at random, with repetition."""
    problem = problems.separable(50, 2, margin=0.125)
    rng = np.random.default_rng(0)
    drawn = (int(rng.integers(50)) for _ in itertools.count())
    model = sx.Perceptron()
    seen = sx.stream(model, ((problem.X[i], problem.y[i]) for i in drawn), classes=[-1, 1])
    mistakes = [answer.mistake for answer in itertools.islice(seen, 6000)]
    assert sum(mistakes) == model.mistakes_ <= problem.mistake_bound
    assert not any(mistakes[3000:])
    assert sx.Perceptron(start=weights_of(model)).fit(*problem).mistakes_ == 0


# Four forms of one bound


def forms(rows, u):
    """1/γ², R²‖u‖²/γ², (RB)² and min‖u‖²·max‖z‖², the first two at the separator u."""
    best, margin, norm = best_of(rows), float((rows @ u).min()), float(np.linalg.norm(u))
    # B by another solver: the shortest w with w·z ≥ 1 on every row.
    constraint = {"type": "ineq", "fun": lambda w: rows @ w - 1, "jac": lambda w: rows}
    start = best.unit / best.margin * 1.5
    shortest = minimize(
        lambda w: w @ w / 2, start, jac=lambda w: w, constraints=[constraint], options={"ftol": 1e-14}
    )
    assert shortest.success
    inverse = float(np.linalg.norm(shortest.x))
    return (
        bounds.novikoff_unit(margin / (norm * best.radius)).value,
        bounds.novikoff(best.radius, margin, norm).value,
        bounds.novikoff_inverse(best.radius, inverse).value,
        bounds.novikoff_squares(inverse**2, best.radius**2).value,
    )


@pytest.mark.parametrize("seed", range(5))
def test_four_forms_are_one_number_at_the_maximum_margin_separator(seed):
    X, y = problems.separable(30, 3, margin=0.5, direction="random", random_state=seed)
    rows = signed(X, y)
    numbers = forms(rows, 7.0 * best_of(rows).unit)
    np.testing.assert_allclose(numbers, best_of(rows).bound, rtol=1e-6)
    assert sx.Perceptron().fit(X, y).mistakes_ <= min(numbers) * ROUNDING


@pytest.mark.parametrize("seed", range(5))
def test_at_another_separator_the_first_two_forms_are_larger(seed):
    X, y = problems.separable(30, 3, margin=0.5, direction="random", random_state=seed)
    rows = signed(X, y)
    unit, scaled, inverse, squares = forms(rows, weights_of(sx.Perceptron().fit(X, y)))
    assert unit == pytest.approx(scaled)
    assert inverse == pytest.approx(squares) == pytest.approx(best_of(rows).bound, rel=1e-6)
    assert scaled > 1.01 * inverse


# Other starts and other steps


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.01, 1.0, 7.0, 30.0]))
def test_novikoff_from_another_start(seed, length):
    """M ≤ [R² − 2aγ + √((R² − 2aγ)² + 4γ²(‖w₀‖² − a²))]/2γ² with a = w₀·u."""
    rng = np.random.default_rng(seed)
    problem = problems.separable(20, 2, margin=0.25, random_state=rng)
    start = rng.normal(size=3)
    start *= length / np.linalg.norm(start)
    model = sx.Perceptron(start=start, max_iter=10**5).fit(*problem)
    radius = math.sqrt(problem.radius_squared + 1)
    aligned = float(start[0])  # u is the first axis
    bound = bounds.novikoff_from_start(radius, problem.margin, np.linalg.norm(start), aligned)
    r, a, g = radius**2, aligned, problem.margin
    formula = (r - 2 * a * g + math.sqrt((r - 2 * a * g) ** 2 + 4 * g**2 * (start @ start - a * a))) / (
        2 * g * g
    )
    assert bound.value == pytest.approx(formula, rel=1e-6, abs=1e-9)
    assert model.mistakes_ <= bound.value * ROUNDING


@pytest.mark.parametrize(("d", "c"), [(2, 1.0), (4, 2.0), (9, 0.5), (25, 7.0)])
def test_novikoff_from_another_start_is_attained(d, c):
    """Rows e₁ … e_d from w₀ = c·e_(d+1), with u along s₁e₁ + … + s_d e_d + c·e_(d+1)."""
    X, y = np.eye(d, d + 1), problems.orthonormal(d).y
    start, u = np.append(np.zeros(d), c), np.append(y, c) / math.sqrt(d + c * c)
    model = sx.Perceptron(fit_intercept=False, start=start).fit(X, y)
    bound = bounds.novikoff_from_start(1.0, 1 / math.sqrt(d + c * c), c, float(start @ u))
    assert model.mistakes_ == d == pytest.approx(bound.value)


@unsettled
@given(st.integers(0, 2**32 - 1))
def test_variable_steps_obey_their_inequality(seed):
    """(Ση)²/Ση² ≤ (R/γ)² after every mistake."""
    rng = np.random.default_rng(seed)
    problem = problems.separable(20, 2, margin=0.25, random_state=rng)
    steps = rng.uniform(0.1, 3.0, size=200)
    model = sx.Perceptron(step=steps).fit(*problem)
    assert model.certificate_.verify(*problem)
    taken = steps[: model.mistakes_]
    assert (taken.cumsum() ** 2 <= problem.mistake_bound * (taken**2).cumsum() * ROUNDING).all()
    bound = bounds.steps_bound(math.sqrt(problem.radius_squared + 1), problem.margin, steps)
    assert model.mistakes_ <= bound.value


@unsettled
@pytest.mark.parametrize("ratio", [2.0, 0.25])
def test_variable_steps_may_bound_nothing(ratio):
    """With geometric steps it errs for ever on two separable rows, and the inequality allows that."""
    problem = problems.variable_steps(ratio)
    run = naive.perceptron(
        naive.exact(problem.X),
        problem.signs,
        constant=0,
        step=lambda k: Fraction(ratio) ** k,
        max_iter=100,
    )
    model = sx.Perceptron(fit_intercept=False, step=problem.step, max_iter=100).fit(*problem)
    assert model.mistakes_ == run.mistakes >= 100
    assert isinstance(model.certificate_, sx.certificates.Undecided)
    radius, margin = problem.radius, problem.margin
    assert bounds.steps_bound(radius, margin, (ratio**k for k in range(300))).vacuous
    assert sx.Perceptron(fit_intercept=False).fit(*problem).mistakes_ <= bounds.novikoff(radius, margin)


def test_from_zero_the_size_of_a_constant_step_changes_the_length_alone():
    X, y = problems.separable(60, 3, margin=0.125)
    one, half = sx.Perceptron().fit(X, y), sx.Perceptron(step=0.5).fit(X, y)
    assert (2 * weights_of(half)).tolist() == weights_of(one).tolist()
    assert half.mistakes_ == one.mistakes_


# Each assumption is needed: without it the bound is broken


def test_novikoff_needs_the_radius_of_every_row():
    problem = problems.planar_half(8)
    model = sx.Perceptron(fit_intercept=False, order=problem.sequence).fit(*problem)
    shortest = np.linalg.norm(problem.X, axis=1).min()
    assert model.mistakes_ > bounds.novikoff(shortest, problem.margin)
    assert model.mistakes_ <= bounds.novikoff(problem.radius, problem.margin)


def test_novikoff_needs_the_margin_on_every_row():
    problem = problems.planar_half(8)
    model = sx.Perceptron(fit_intercept=False, order=problem.sequence).fit(*problem)
    first = problem.X[0]  # along itself its margin is its length; on the others that direction has none
    assert model.mistakes_ > bounds.novikoff(problem.radius, np.linalg.norm(first))
    assert (signed(*problem, intercept=False) @ first).min() < 0


def test_novikoff_needs_a_unit_vector():
    problem = problems.planar_half(8)
    model = sx.Perceptron(fit_intercept=False, order=problem.sequence).fit(*problem)
    longer = 2 * np.array(problem.halfspace[0])
    margin = float((problem.y * (problem.X @ longer)).min())
    assert model.mistakes_ > bounds.novikoff(problem.radius, margin)
    assert model.mistakes_ <= bounds.novikoff(problem.radius, margin, norm=2.0)


@unsettled
def test_novikoff_needs_separable_rows():
    X, y = problems.xor()
    mistakes = [sx.Perceptron(max_iter=passes).fit(X, y).mistakes_ for passes in (10, 100, 1000)]
    assert mistakes[1] > 9 * mistakes[0]
    assert mistakes[2] > 9 * mistakes[1]


def test_novikoff_needs_the_start_at_zero():
    problem = problems.orthonormal(9)
    model = sx.Perceptron(fit_intercept=False, start=-10.0 * problem.y).fit(*problem)
    assert model.mistakes_ == 11 * 9 > problem.mistake_bound


@unsettled
def test_novikoff_needs_equal_steps():
    problem = problems.variable_steps(2.0)
    model = sx.Perceptron(fit_intercept=False, step=problem.step, max_iter=50).fit(*problem)
    assert model.mistakes_ > 10 * problem.mistake_bound


def test_novikoff_needs_updates_at_mistakes_alone():
    """A learner that adds every row is driven far out by one of them, and errs on the other over and over."""
    first, second = [2.0, 1.0], [-2.0, 1.0]  # margin 1 along the second axis, R² = 5
    weights, mistakes = [0.0, 0.0], 0
    for z in [first] * 100 + [second] * 100:
        mistakes += naive.wrong(weights, z)
        weights = naive.plus(weights, 1, z)
    assert mistakes > bounds.novikoff(math.sqrt(5), 1.0)


def test_novikoff_needs_an_update_at_every_mistake():
    """A learner that is idle at every second mistake of a stream errs as long as it is shown those rows."""
    assert sum(naive.wrong([0.0], [1.0]) for _ in range(100)) == 100 > bounds.novikoff(1.0, 1.0)


# Where the bound is tight, and where it is not


@pytest.mark.parametrize("d", range(2, 80))
def test_orthonormal_rows_attain_the_bound(d):
    problem = problems.orthonormal(d)
    for order in ORDERS[:4]:
        model = sx.Perceptron(fit_intercept=False, order=order, random_state=0).fit(*problem)
        assert model.mistakes_ == d == problem.mistake_bound == math.floor(model.mistake_bound_)
        assert d <= model.mistake_bound_ <= d * ROUNDING


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_a_planar_family_reaches_half_of_the_bound(n):
    problem = problems.planar_half(n)
    model = sx.Perceptron(fit_intercept=False, order=problem.sequence, max_iter=10**4).fit(*problem)
    assert model.mistakes_ == 2 * n * n + 1 == problem.least_mistakes
    assert problem.mistake_bound == 4 * n * n + 1


@given(st.integers(0, 2**32 - 1), st.sampled_from(ORDERS[:4]), st.integers(2, 6))
def test_in_the_plane_no_more_than_half_of_the_bound_is_reached(seed, order, n):
    """M ≤ R²/2γ² + 1 for rows in the plane, without intercept."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(1, 5, size=n), rng.integers(-20, 21, size=n)]).astype(float)
    y = np.append(rng.choice([-1, 1], size=n - 2), [1, -1])
    model = sx.Perceptron(fit_intercept=False, order=order, random_state=seed % 1000, max_iter=10**5)
    model.fit(X * y[:, None], y)
    assert model.mistakes_ <= best_of(X).bound / 2 * ROUNDING + 1


def test_mistakes_may_grow_exponentially_with_the_dimension():
    """2d rows of −1, 0 and 1: the perceptron is no polynomial algorithm for separation."""
    made = []
    for d in range(1, 9):
        problem = problems.exponential(d)
        model = sx.Perceptron(fit_intercept=False, max_iter=10**6).fit(*problem)
        assert 2 ** (d - 1) == problem.least_mistakes <= model.mistakes_ <= problem.mistake_bound
        made.append(model.mistakes_)
    assert all(after >= 2 * before for before, after in itertools.pairwise(made))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_comparing_two_numbers_takes_exponentially_many_mistakes(k):
    problem = problems.greater_than(k)
    model = sx.Perceptron(max_iter=10**5).fit(*problem)
    assert 2**k <= model.mistakes_ <= problem.mistake_bound


def test_added_rows_shrink_the_margin():
    """Rows that keep the set separable, and its radius: γ halves each time, and (R/γ)² grows fourfold."""
    family = problems.shrinking_margin(6)
    found = [best_of(signed(problem.X, problem.y)) for problem in family]
    for i, (problem, best) in enumerate(zip(family, found, strict=True)):
        assert best.margin == pytest.approx(2.0**-i)
        assert best.radius == pytest.approx(found[0].radius)
        assert sx.Perceptron(max_iter=10**5).fit(*problem).mistakes_ <= best.bound * ROUNDING


def test_the_bound_knows_neither_n_nor_d():
    """The same rows many times over, or seen in a space of more dimensions: same R, same γ, same mistakes."""
    X, y = problems.separable(20, 4, margin=0.125)
    mixed = X @ (np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2)
    plain = sx.Perceptron().fit(X, y)
    others = [
        sx.Perceptron().fit(np.tile(X, (5, 1)), np.tile(y, 5)),
        sx.Perceptron().fit(np.hstack([X, np.zeros((20, 30))]), y),
        sx.Perceptron().fit(np.hstack([mixed, np.zeros((20, 30))]), y),
    ]
    for other in others:
        assert other.mistakes_ == plain.mistakes_
        assert other.mistake_bound_ == pytest.approx(plain.mistake_bound_)


# Far from the origin


def test_far_from_the_origin_the_bound_explodes():
    near = problems.separable(200, 2, margin=0.25)
    far = problems.shifted(near, 100.0)
    assert far.margin_squared == near.margin_squared
    assert far.mistake_bound > 10**7 * near.mistake_bound
    told = r"far from the origin \(R = 14\d.*center=True.*Yet a separating halfspace exists"
    with pytest.warns(sx.NothingProven, match=told):
        model = sx.Perceptron(max_iter=20).fit(*far)
    assert model.mistakes_ > near.mistake_bound
    assert model.radius_ > 50 * model.radius_centred_
    assert isinstance(model.certificate_, sx.certificates.Undecided)


@pytest.mark.parametrize("offset", [100.0, -100.0, 2.0**20])
@pytest.mark.parametrize("seed", range(3))
def test_centring_takes_the_offset_away(offset, seed):
    near = problems.separable(200, 2, margin=0.25, random_state=seed)
    far = problems.shifted(near, offset)
    model = sx.Perceptron(center=True).fit(*far)
    assert model.certificate_.verify(*far)  # of the rows as given
    assert (model.predict(far.X) == far.y).all()
    assert model.mistakes_ <= best_of(signed(near.X - near.X.mean(axis=0), near.y)).bound * ROUNDING
    assert model.mistakes_ <= model.mistake_bound_centred_ < 1e-4 * model.mistake_bound_
    here = sx.Perceptron(center=True).fit(*near)
    assert here.mistakes_ == model.mistakes_
    np.testing.assert_allclose(here.coef_, model.coef_, rtol=1e-6, atol=1e-6)


# Where nothing separates


@unsettled
@pytest.mark.parametrize("name", ["xor", "xnor"])
def test_exclusive_or_is_no_halfspace(name):
    problem = problems.boolean(name)
    rows = naive.signed(naive.exact(problem.X), problem.signs)
    assert [sum(column) for column in zip(*rows, strict=True)] == [0, 0, 0]  # so no w has w·z > 0 on all four
    for order in ORDERS[:4]:
        model = sx.Perceptron(order=order, random_state=0, max_iter=200).fit(*problem)
        assert isinstance(model.certificate_, sx.certificates.Inseparable)
        assert model.certificate_.verify(*problem)
        assert (model.predict(problem.X) != problem.y).any()


def test_fourteen_of_the_sixteen_functions_of_two_bits_are_halfspaces():
    found = 0
    for name in problems.BOOLEAN:
        problem = problems.boolean(name)
        if name in ("xor", "xnor"):
            continue
        if len(set(problem.y)) == 1:  # no classifier for one class, but a halfspace all the same
            plane = sx.Halfspace(*problem.halfspace)
        else:
            model = sx.Perceptron().fit(*problem)
            assert model.certificate_.verify(*problem)
            plane = model.halfspace_
        assert plane.predict(problem.X).tolist() == problem.signs.tolist()
        found += 1
    assert found == 14


@unsettled
@pytest.mark.parametrize("seed", range(6))
def test_perceptron_cycling_theorem(seed):
    """On inseparable rows the weights stay bounded; whole-number weights therefore return, and then cycle."""
    rng = np.random.default_rng(seed)
    X, y = (
        problems.xor() if seed == 0 else (rng.integers(-2, 3, size=(7, 2)) * 1.0, rng.integers(0, 2, size=7))
    )
    X, y = np.vstack([X, X[:1]]), np.append(y, 1 - y[0])  # one row with both labels: nothing separates
    model, states = sx.Perceptron(), []
    for _ in range(400):
        model.partial_fit(X, y, classes=[0, 1])
        states.append(tuple(weights_of(model)))
    first = next(t for t, state in enumerate(states) if state in states[:t])
    period = first - states.index(states[first])
    assert all(states[t] == states[t - period] for t in range(first, 400))
    norms = sx.Perceptron(max_iter=500).fit(X, y).history_["norm"]
    assert max(norms) == max(norms[:first])


@unsettled
def test_margin_zero_never_ends():
    """Weakly separable rows have γ = 0: the theorem is silent, and the perceptron goes on."""
    problem = problems.quasi(60, 2)
    model = sx.Perceptron(max_iter=500).fit(*problem)
    assert min(model.history_["mistakes"]) >= 1
    assert isinstance(model.certificate_, sx.certificates.Inseparable)
    assert model.certificate_.verify(*problem)


@unsettled
def test_one_wrong_label_is_enough_to_keep_it_going():
    problem = problems.noisy(100, 2, flips=1)
    model = sx.Perceptron(max_iter=300).fit(*problem)
    assert min(model.history_["mistakes"]) >= 1
    kept = np.setdiff1d(np.arange(100), problem.flipped)
    assert (
        sx.Perceptron()
        .fit(problem.X[kept], problem.y[kept])
        .certificate_.verify(problem.X[kept], problem.y[kept])
    )


@unsettled
@pytest.mark.parametrize("passes", [1, 4, 25])
@pytest.mark.parametrize("seed", range(3))
def test_freund_schapire(seed, passes):
    """At most ((R + √T·D)/γ)² mistakes in T passes, for every u and every γ > 0."""
    problem = problems.noisy(80, 2, flips=6, random_state=seed)
    rows = signed(*problem)
    radius = np.linalg.norm(rows, axis=1).max()
    made = sx.VotedPerceptron(max_iter=passes).fit(*problem).mistakes_
    assert made == sx.Perceptron(max_iter=passes).fit(*problem).mistakes_
    units = [np.eye(3)[0], *np.random.default_rng(seed).normal(size=(20, 3))]
    for u, margin in itertools.product(units, (0.125, 0.5, 2.0, 8.0)):
        short = np.maximum(0, margin - rows @ (u / np.linalg.norm(u)))
        bound = bounds.freund_schapire(radius, margin, np.linalg.norm(short), passes)
        assert made <= bound.value * ROUNDING


@unsettled
def test_freund_schapire_counts_the_deviation_of_every_pass():
    """With the D of one pass alone the bound would be constant in T, and broken."""
    X, y = problems.xor()
    rows = signed(X, y)
    u, margin = np.array([1.0, 1.0, -0.5]) / 1.5, 1.0
    deviation = np.linalg.norm(np.maximum(0, margin - rows @ u))
    made = sx.Perceptron(max_iter=100).fit(X, y).mistakes_
    radius = np.linalg.norm(rows, axis=1).max()
    assert bounds.freund_schapire(radius, margin, deviation) < made
    assert made <= bounds.freund_schapire(radius, margin, deviation, passes=100)


# The family


@unsettled
@pytest.mark.parametrize("seed", range(3))
def test_the_averaged_perceptron_is_the_mean_of_its_weights(seed):
    problem = problems.noisy(40, 2, flips=3, random_state=seed)
    mean = naive.averaged_perceptron(naive.exact(problem.X), problem.signs, max_iter=5)
    model = sx.AveragedPerceptron(max_iter=5).fit(*problem)
    np.testing.assert_allclose(weights_of(model), naive.floats(mean), rtol=1e-12, atol=1e-13)


@unsettled
def test_the_mean_has_no_more_convex_loss_than_the_run():
    """Jensen's inequality, row by row and loss by loss: what the averaged perceptron's bound rests on."""
    problem = problems.noisy(40, 2, flips=3)
    rows, model = signed(*problem), sx.Perceptron()
    path = [weights_of(model) for _ in sx.stream(model, zip(*problem, strict=True), classes=[-1, 1])]
    mean = weights_of(sx.AveragedPerceptron(max_iter=1).fit(*problem))
    for loss in (losses.perceptron, losses.hinge, losses.logistic, losses.squared_hinge):
        along = np.mean([loss(rows @ weights) for weights in path], axis=0)
        assert (loss(rows @ mean) <= along + 1e-9).all()


@unsettled
@pytest.mark.parametrize("seed", range(3))
def test_the_voted_perceptron_counts_what_each_voter_survived(seed):
    problem = problems.noisy(40, 2, flips=3, random_state=seed)
    rows = naive.exact(problem.X)
    voters, lives = naive.voted_perceptron(rows, problem.signs, max_iter=4)
    model = sx.VotedPerceptron(max_iter=4).fit(*problem)
    assert naive.exact(model.voters_) == voters
    assert model.votes_.tolist() == lives
    assert len(voters) == model.mistakes_ + 1
    assert sum(lives) == 40 * model.passes_
    expected = [float(naive.vote(voters, lives, x)) for x in rows]
    np.testing.assert_allclose(model.decision_function(problem.X), expected, atol=1e-12)


@unsettled
def test_the_averaged_perceptron_is_the_mean_of_the_voters():
    """Figure 1 of Freund and Schapire: c = 1 for the row that made the voter, so that all rows seen vote."""
    problem = problems.separable(40, 2, margin=0.125)
    model = sx.VotedPerceptron(max_iter=1).fit(*problem)
    mean = model.votes_ @ model.voters_ / model.votes_.sum()
    assert model.votes_.sum() == 40
    averaged = sx.AveragedPerceptron(max_iter=1).fit(*problem)
    np.testing.assert_allclose(weights_of(averaged), mean, rtol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_batch_perceptron_takes_novikoffs_number_of_turns(seed):
    """The mean of all violators is a row as good as any: at most (R/γ)² turns."""
    problem = problems.separable(60, 3, margin=0.25, random_state=seed)
    model = sx.BatchPerceptron().fit(*problem)
    rounds, violators, weights = naive.batch_perceptron(naive.exact(problem.X), problem.signs)
    assert (model.updates_, model.mistakes_, model.passes_) == (rounds, violators, rounds + 1)
    np.testing.assert_allclose(weights_of(model), naive.floats(weights), rtol=1e-9)
    radius = math.sqrt(problem.radius_squared + 1)
    assert model.updates_ <= bounds.batch_perceptron(radius, problem.margin)
    assert model.certificate_.verify(*problem)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("seed", range(3))
def test_kozinec_delivers_its_share_of_the_best_margin(share, seed):
    """Without knowing γ: a margin of share·γ or more, after at most ((R/γ)² − 1)/(1 − share)² + 1 updates."""
    problem = problems.separable(60, 3, margin=0.25, random_state=seed)
    rows = signed(*problem)
    radius = math.sqrt(problem.radius_squared + 1)
    model = sx.MarginPerceptron(share=share, max_iter=10**5).fit(*problem)
    weights = weights_of(model)
    reached = (rows @ weights).min() / np.linalg.norm(weights)
    assert reached >= share * problem.margin
    assert model.margin_ == pytest.approx(reached)
    assert problem.margin <= model.margin_at_most_ * ROUNDING <= reached / share * ROUNDING**2
    assert isinstance(model.certificate_, sx.certificates.MarginShare)
    assert model.certificate_.verify(*problem)
    assert model.updates_ <= 1 + bounds.kozinec(radius, problem.margin, (1 - share) * (1 - 1e-3)).value


def test_kozinec_on_flowers():
    X, y = problems.iris("setosa")
    best = best_of(signed(X, y))
    for share in (0.5, 0.95):
        model = sx.MarginPerceptron(share=share, max_iter=10**5).fit(X, y)
        assert share * best.margin <= model.margin_ <= best.margin * ROUNDING


def test_a_perceptron_with_a_fixed_threshold_reaches_less_than_half():
    """It promises γb/(2b + R²), less than γ/2 whatever b; where R is large that is next to nothing."""
    X, y = problems.planar_half(8)
    best = best_of(signed(X, y, intercept=False))
    shares = {}
    for threshold in (1.0, 10.0, 100.0):
        weights = np.array(naive.threshold_perceptron(X.tolist(), y, threshold, constant=0))[:2]
        margin = (signed(X, y, intercept=False) @ weights).min() / np.linalg.norm(weights)
        assert margin >= best.margin * threshold / (2 * threshold + best.radius**2)
        shares[threshold] = margin / best.margin
    assert min(shares.values()) < 0.5
    model = sx.MarginPerceptron(fit_intercept=False, max_iter=10**5).fit(X, y)
    assert model.margin_ >= 0.5 * best.margin


def hinge_of(u, rows, passes):
    return np.tile(np.maximum(0, 1 - rows @ u), passes)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_crammer_on_separable_rows(variant, C):
    """Against u with margin 1 on every row: ‖u‖ = 1/γ and no loss of its own."""
    problem = problems.separable(60, 3, margin=0.25)
    model = sx.PassiveAggressive(C=C, variant=variant, max_iter=10**4).fit(*problem)
    radius = math.sqrt(problem.radius_squared + 1)
    bound = bounds.passive_aggressive(radius, 1 / problem.margin, C=C, variant=variant)
    left = model.mistakes_ if variant == "PA-I" else model.squared_loss_
    assert left <= bound.value * ROUNDING
    assert model.mistakes_ <= bound.value


@unsettled
@pytest.mark.parametrize("passes", [1, 5])
@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_crammer_on_any_rows(variant, C, passes):
    """Against every u, losses and all. For PA the rows must be of one length."""
    X, y = problems.noisy(60, 2, flips=5)
    if variant == "PA":
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    rows = signed(X, y, intercept=variant != "PA")
    model = sx.PassiveAggressive(C=C, variant=variant, max_iter=passes, fit_intercept=variant != "PA").fit(
        X, y
    )
    radius = np.linalg.norm(rows, axis=1).max()
    left = model.mistakes_ if variant == "PA-I" else model.squared_loss_
    for scale, u in itertools.product(
        (0.5, 2.0, 8.0), np.random.default_rng(0).normal(size=(20, rows.shape[1]))
    ):
        u = scale * u / np.linalg.norm(u)
        seen = hinge_of(u, rows, passes)
        bound = bounds.passive_aggressive(radius, scale, seen, C=C, variant=variant)
        assert left <= bound.value * ROUNDING


def test_crammer_is_attained_by_orthonormal_rows():
    problem = problems.orthonormal(9)
    model = sx.PassiveAggressive(variant="PA", fit_intercept=False).fit(*problem)
    assert model.squared_loss_ == model.mistakes_ == 9
    assert bounds.passive_aggressive(1.0, 3.0).value == pytest.approx(9)


@pytest.mark.parametrize("seed", range(4))
def test_pocket_errors_never_grow_with_passes_and_are_exact(seed):
    problem = problems.noisy(60, 2, flips=6, random_state=seed)
    errors = []
    for passes in range(1, 12):
        model = sx.PocketPerceptron(max_iter=passes, random_state=seed).fit(*problem)
        exact = naive.errors(naive.exact(problem.X), problem.signs, naive.exact(weights_of(model)))
        assert model.errors_ == exact == model.certificate_.errors
        assert model.certificate_.verify(*problem)
        errors.append(model.errors_)
    assert errors == sorted(errors, reverse=True)
    assert problem.fewest_errors <= errors[-1]


def test_the_pocket_keeps_what_separates():
    X, y = problems.separable(60, 2, margin=0.25)
    model = sx.PocketPerceptron(random_state=0).fit(X, y)
    assert model.errors_ == 0
    assert isinstance(model.certificate_, sx.certificates.Separable)


def test_gallant_the_pocket_finds_the_fewest_errors():
    """Rows drawn at random: with time the pocket holds the best weights there are, on XOR one error."""
    X, y = problems.xor()
    found = [sx.PocketPerceptron(random_state=seed, max_iter=500).fit(X, y).errors_ for seed in range(5)]
    assert found == [1] * 5


# Online and batch


@pytest.mark.parametrize("seed", range(3))
def test_online_is_batch_in_that_order(seed):
    """The rows one after another, round and round, are the passes of a fit: same weights, same mistakes."""
    problem = problems.separable(40, 3, margin=0.125, direction="random", random_state=seed)
    whole = sx.Perceptron().fit(*problem)
    online = sx.Perceptron()
    pairs = itertools.cycle(zip(*problem, strict=True))
    for seen in itertools.islice(sx.stream(online, pairs, classes=[-1, 1]), 40 * whole.passes_):
        assert seen.mistakes == online.mistakes_
    assert weights_of(online).tolist() == weights_of(whole).tolist()
    assert online.mistakes_ == whole.mistakes_


def test_any_violator_will_do():
    """Repeat: find a row on the wrong side and add it. The first, the worst, or the next in line: all end."""
    problem = problems.separable(40, 3, margin=0.25, random_state=1)
    for order in ("first", "worst", "cyclic"):
        expected = naive.perceptron(naive.exact(problem.X), problem.signs, order=order)
        word = order if order == "cyclic" else f"{order} violator"
        model = sx.Perceptron(order=word).fit(*problem)
        assert naive.exact(weights_of(model)) == expected.weights
        assert (model.mistakes_, model.passes_) == (expected.mistakes, expected.passes)
        assert model.mistakes_ <= problem.mistake_bound
