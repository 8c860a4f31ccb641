"""Risk under known distributions, margins, and the hardness of the fewest errors."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal, norm

import separatrix as sx
from separatrix import theory
from separatrix.theory import hardness
from separatrix.theory.hardness import is_cover, smallest_vertex_cover, vertex_cover

# Distributions


def test_risk_under_gaussian_classes_is_phi():
    classes = theory.GaussianClasses([-1.0], [1.0], covariance=4.0, prior=0.5)
    assert classes.risk(sx.Halfspace([1.0])) == pytest.approx(norm.cdf(-0.5))
    assert classes.bayes_risk == pytest.approx(norm.cdf(-0.5))
    assert classes.risk(sx.Halfspace([-1.0])) == pytest.approx(norm.cdf(0.5))
    assert classes.risk(sx.Halfspace([0.0], 1.0)) == 0.5
    assert classes.risk(sx.Halfspace([0.0], 0.0)) == 0.5


def test_gaussian_risk_agrees_with_sampling():
    rng = np.random.default_rng(0)
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    classes = theory.GaussianClasses([0.0, 1.0], [1.0, -1.0], covariance, prior=0.3)
    X, y = classes.sample(200_000, rng)
    for _ in range(5):
        halfspace = sx.Halfspace(rng.normal(size=2), float(rng.normal()))
        seen = np.mean(halfspace.predict(X) != y)
        exact = theory.expected_risk(halfspace, classes)
        assert seen == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / len(y)))
        assert classes.bayes_risk <= exact
    turned = [
        classes.risk(sx.Halfspace(classes.best.halfspace.weights + np.array([math.cos(a), math.sin(a)]), b))
        for a in np.linspace(0, 6, 12)
        for b in (-1.0, 0.0, 1.0)
    ]
    assert min(turned) >= classes.bayes_risk


def test_two_covariances():
    classes = theory.GaussianClasses([-1.0], [1.0], 4.0, 0.25, positive_covariance=1.0)
    expected = 0.75 * norm.cdf(-0.5) + 0.25 * norm.cdf(-1.0)
    assert classes.risk(sx.Halfspace([1.0])) == pytest.approx(expected)
    X, y = classes.sample(100_000, np.random.default_rng(0))
    assert np.mean((X[:, 0] > 0) != (y > 0)) == pytest.approx(expected, abs=0.006)
    assert classes.bayes_risk < classes.best.risk < expected
    split = theory.excess_risk(sx.Halfspace([1.0]), classes)
    assert split.approximation > 0
    assert split.estimation > 0
    assert split.approximation + split.estimation == pytest.approx(split.excess)


def test_bayes_risk_on_the_line_is_an_integral():
    for means, spreads, prior in (((0, 1), (1, 2), 0.5), ((0, 0), (3, 1), 0.2), ((-2, 3), (1, 0.1), 0.9)):
        classes = theory.GaussianClasses(
            means[:1], means[1:], spreads[0] ** 2, prior, positive_covariance=spreads[1] ** 2
        )
        grid = np.linspace(-40, 40, 800_001)
        lower = np.minimum(
            (1 - prior) * norm.pdf(grid, means[0], spreads[0]), prior * norm.pdf(grid, means[1], spreads[1])
        )
        assert classes.bayes_risk == pytest.approx(lower.sum() * 1e-4, abs=1e-7)
        assert classes.bayes_error == 0


@pytest.mark.parametrize("seed", range(6))
def test_best_halfspace_of_two_covariances_is_the_best_of_a_search(seed):
    rng = np.random.default_rng(seed)
    d = 1 + seed % 3
    tables = [root @ root.T + 0.1 * np.eye(d) for root in rng.normal(size=(2, d, d))]
    tables = [(table + table.T) / 2 for table in tables]
    means = rng.normal(size=(2, d)) * (0, 0.5, 2)[seed // 2]
    prior = float(rng.uniform(0.1, 0.9))
    classes = theory.GaussianClasses(*means, tables[0], prior, positive_covariance=tables[1])
    best = classes.best
    assert best.risk == classes.risk(best.halfspace) <= min(prior, 1 - prior)
    assert classes.bayes_risk <= best.risk + 5 * classes.bayes_error

    def risk(vector):
        return classes.risk(sx.Halfspace(vector[:-1], float(vector[-1])))

    for _ in range(6):
        found = minimize(risk, 2 * rng.normal(size=d + 1), method="Nelder-Mead", options={"fatol": 1e-10})
        assert best.risk <= found.fun + 1e-9


def test_robustness_far_from_the_origin():
    """The move is as long as the radius says, where adding it to the row would round it away."""
    X = [[2.0**53, 1.0], [2.0**53 + 2, 1.0], [2.0**53 + 4, 1.0]]
    found = theory.robustness(sx.MaxMargin().fit(X, [0, 0, 1]), X)
    assert found.radius == pytest.approx(1.0)
    assert np.abs(found.move) == pytest.approx([1.0, 0.0])


def test_units_of_the_weights_do_not_matter():
    planted = theory.PlantedNormal((1.0, 2.0))
    classes = theory.GaussianClasses([0.0, 0.0], [1.0, 1.0])
    for distribution in (planted, classes, theory.LogisticModel((1.0, 2.0))):
        wanted = distribution.risk(sx.Halfspace([1.0, 2.5], 0.5))
        for unit in (2.0**-1000, 2.0**-40, 2.0**900):
            assert distribution.risk(sx.Halfspace([unit, 2.5 * unit], 0.5 * unit)) == wanted
        with pytest.raises(ValueError, match="has 2 columns, but the halfspace has 3 weights"):
            distribution.risk(sx.Halfspace([1.0, 2.0, 3.0]))


def test_risk_under_a_planted_halfspace_is_an_angle():
    planted = theory.PlantedNormal((3.0, 4.0))
    for angle in np.linspace(0, math.pi, 13):
        u = np.array([0.6, 0.8]) * math.cos(angle) + np.array([-0.8, 0.6]) * math.sin(angle)
        assert planted.risk(sx.Halfspace(2.5 * u)) == pytest.approx(angle / math.pi, abs=1e-12)


def test_risk_with_an_intercept_is_a_bivariate_normal():
    rng = np.random.default_rng(1)
    for _ in range(10):
        direction, weights, bias = rng.normal(size=3), rng.normal(size=3), float(rng.normal())
        planted = theory.PlantedNormal(tuple(direction))
        u, w = direction / np.linalg.norm(direction), weights / np.linalg.norm(weights)
        c, rho = -bias / np.linalg.norm(weights), float(u @ w)
        both = multivariate_normal(cov=[[1, rho], [rho, 1]]).cdf([0.0, c])
        expected = (norm.cdf(c) - both) + (0.5 - both)
        assert planted.risk(sx.Halfspace(weights, bias)) == pytest.approx(expected, abs=1e-6)
    assert planted.risk(sx.Halfspace([0.0, 0.0, 0.0], 1.0)) == 0.5
    assert planted.bayes_risk == planted.best.risk == 0
    assert planted.risk(planted.best.halfspace) < 1e-15


def test_finite_risk_is_exact():
    points = [[0.0], [1.0], [1.0], [3.0]]
    distribution = theory.FiniteDistribution(points, [-1, 1, -1, 1], weights=[0.1, 0.2, 0.3, 0.4])
    total = sum(map(Fraction, (0.1, 0.2, 0.3, 0.4)))
    assert theory.expected_risk(sx.Halfspace([1.0], -0.5), distribution) == Fraction(0.3) / total
    assert theory.expected_risk(sx.Halfspace([1.0], -2.0), distribution) == Fraction(0.2) / total
    assert distribution.bayes_risk == Fraction(0.2) / total == distribution.best.risk
    assert sum(distribution.probabilities) == 1


def test_best_halfspace_of_a_finite_distribution_is_the_best_of_all():
    rng = np.random.default_rng(2)
    for _ in range(10):
        points = rng.integers(-2, 3, size=(7, 2)).astype(float)
        distribution = theory.FiniteDistribution(points, rng.choice((-1, 1), size=7), rng.integers(1, 5, 7))
        best = distribution.best
        assert distribution.risk(best.halfspace) == best.risk
        for _ in range(60):
            assert distribution.risk(sx.Halfspace(rng.normal(size=2), float(rng.normal()))) >= best.risk
        assert best.risk >= distribution.bayes_risk


def test_excess_risk_is_approximation_and_estimation():
    xor = theory.FiniteDistribution([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])
    split = theory.excess_risk(sx.Halfspace([1, 0], -0.5), xor)
    assert split.excess == split.approximation + split.estimation == Fraction(1, 2)
    classes = theory.GaussianClasses([-1.0, 0.0], [1.0, 0.0])
    split = theory.excess_risk(sx.Halfspace([1.0, 1.0]), classes)
    assert split.approximation == 0
    assert split.estimation == pytest.approx(norm.cdf(-1 / math.sqrt(2)) - norm.cdf(-1))


def test_fitted_models_have_a_risk():
    from sklearn.linear_model import RidgeClassifier

    planted = theory.PlantedNormal((1.0, 0.0))
    X, y = planted.sample(200, np.random.default_rng(3))
    for model in (sx.MaxMargin().fit(X, y), RidgeClassifier().fit(X, y)):
        assert 0 < theory.expected_risk(model, planted) < 0.1
    with pytest.raises(ValueError, match="needs a Halfspace, or a fitted linear model with two classes"):
        theory.expected_risk(sx.VotedPerceptron().fit(X, y), planted)


def test_learning_curve_of_an_inseparable_distribution():
    from sklearn.linear_model import RidgeClassifier

    classes = theory.GaussianClasses([-1.0, 0.0], [1.0, 0.0])
    curve = theory.learning_curve(classes, [10, 100, 2000], RidgeClassifier(), repeats=10)
    assert curve.own_bound is None
    assert curve.best == curve.bayes == pytest.approx(norm.cdf(-1))
    assert (curve.risk >= curve.best).all()
    assert (np.diff(curve.risk) < 0).all()
    assert curve.training[0] < curve.risk[0]
    assert (curve.worst <= curve.bound).all()
    assert (curve.risk <= curve.worst).all()


def test_learning_curve_of_the_maximum_margin_halfspace():
    curve = theory.learning_curve(theory.PlantedNormal((1.0, 0.0)), [20, 200], repeats=5)
    assert curve.training.tolist() == [0, 0]
    assert (curve.own_bound <= curve.bound).all()
    assert (curve.worst <= curve.own_bound).all()


# Margins


def test_small_margins_generalise_badly_and_large_ones_well():
    """All with the same training error, zero, on the same rows."""
    found = theory.margin_experiment((1.0, 0.5, 0.1, 0.01), repeats=10)
    assert found.training_errors == 0
    assert (np.diff(found.mean_risk) > 0).all()
    assert found.mean_risk[-1] > 5 * found.mean_risk[0]
    largest = found.margins[:, :1]
    assert found.margins / largest == pytest.approx(np.tile(found.shares, (10, 1)), rel=1e-6)


def test_robustness_is_the_margin_on_rows_that_are_right():
    rng = np.random.default_rng(4)
    X, y = theory.PlantedNormal((1.0, 2.0)).sample(60, rng)
    model = sx.MaxMargin().fit(X, y)
    found = theory.robustness(model, X)
    assert found.radius == pytest.approx(model.margin_)
    sides = model.predict(X)
    assert np.linalg.norm(found.move) == pytest.approx(found.radius)
    beyond, short = X.copy(), X.copy()
    beyond[found.row] += 1.000001 * found.move
    short[found.row] += 0.999999 * found.move
    assert np.flatnonzero(model.predict(beyond) != sides).tolist() == [found.row]
    assert (model.predict(short) == sides).all()
    for _ in range(200):
        moves = rng.normal(size=X.shape)
        moves *= 0.999 * found.radius / np.linalg.norm(moves, axis=1, keepdims=True)
        assert (model.predict(X + moves) == sides).all()


# Hardness


def fewest_errors(instance):
    """By brute force: the best of all dichotomies of the rows; a row on the hyperplane would be an error."""
    signs = theory.dichotomies_of(instance.X, instance.intercept).signs
    return int((signs != instance.y).sum(axis=1).min())


def graphs(vertices):
    pairs = list(combinations(range(vertices), 2))
    for chosen in range(2 ** len(pairs)):
        yield [edge for k, edge in enumerate(pairs) if chosen >> k & 1]


@pytest.mark.parametrize("intercept", [False, True])
def test_fewest_errors_are_the_smallest_vertex_cover_of_every_small_graph(intercept):
    for edges in graphs(3 if intercept else 4):
        instance = vertex_cover(edges, 3 if intercept else 4, intercept=intercept)
        cover = smallest_vertex_cover(edges)
        assert set(np.unique(instance.X)) <= {0.0, 1.0}
        assert fewest_errors(instance) == len(cover)
        halfspace = instance.encode(cover)
        assert instance.errors(halfspace) == len(cover)
        assert len(instance.decode(halfspace)) == len(cover)


def test_an_intercept_must_be_forbidden():
    """Without the rows (0, +), an intercept separates what the graph says cannot be."""
    triangle = vertex_cover([(0, 1), (1, 2), (0, 2)])
    assert sx.separate(triangle.X, triangle.y).separable
    assert not sx.separate(triangle.X, triangle.y, intercept=False).separable
    guarded = vertex_cover([(0, 1), (1, 2), (0, 2)], intercept=True)
    assert not sx.separate(guarded.X, guarded.y).separable


def test_any_halfspace_decodes_to_a_cover_no_larger_than_its_errors():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(2, 9))
        edges = [edge for edge in combinations(range(n), 2) if rng.random() < 0.4]
        instance = vertex_cover(edges, n)
        weights = rng.integers(-2, 3, size=n).tolist()
        cover = instance.decode(weights)
        assert is_cover(cover, instance.edges)
        assert len(cover) <= instance.errors(weights)


def petersen():
    outer = [(i, (i + 1) % 5) for i in range(5)]
    return [*outer, *((i, i + 5) for i in range(5)), *((i + 5, (i + 2) % 5 + 5) for i in range(5))]


def test_petersen_graph():
    instance = vertex_cover(petersen())
    cover = smallest_vertex_cover(instance.edges)
    assert len(cover) == 6
    assert instance.X.shape == (25, 10)
    assert instance.decode(instance.encode(cover)) == cover


def test_exact_solver_finds_smallest_vertex_covers():
    rng = np.random.default_rng(6)
    for n in (4, 5, 6):
        edges = [edge for edge in combinations(range(n), 2) if rng.random() < 0.5] or [(0, 1)]
        for intercept in (False, True):
            instance = vertex_cover(edges, n, intercept=intercept)
            cover = hardness.solve(instance)
            assert is_cover(cover, instance.edges)
            assert len(cover) == len(smallest_vertex_cover(edges))


PETERSEN = [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
PETERSEN += [(5 + i, 5 + (i + 2) % 5) for i in range(5)]


@pytest.mark.parametrize("intercept", [False, True])
def test_petersens_graph_has_a_cover_of_six_and_none_of_five(intercept):
    instance = vertex_cover(PETERSEN, intercept=intercept)
    X, y = instance.X, instance.y
    model = sx.ZeroOne(fit_intercept=intercept).fit(X, y)
    assert model.errors_ == model.lower_bound_ == len(instance.decode(model)) == 6
    assert model.certificate_.verify(X, y).holds
    assert sx.min_disagreement(X, y, 6, intercept=intercept).answer is True
    no = sx.min_disagreement(X, y, 5, intercept=intercept)
    assert no.answer is False
    assert no.certificate.verify(X, y).holds


def test_graphs_whose_columns_are_all_alike():
    """Every vertex with the same few values in its column: the solver has no column left to turn."""
    edges = [(0, 3), (0, 4), (0, 5), (1, 2), (1, 3), (1, 4), (2, 4), (2, 5)]
    assert len(hardness.solve(vertex_cover(edges))) == len(smallest_vertex_cover(edges))


# Arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: theory.FiniteDistribution([[0.0]], [0]),
            "signs must be -1 or \\+1, one for each of the 1 points",
        ),
        (lambda: theory.FiniteDistribution([[0.0]], [1], [-1.0]), "weights must be positive numbers"),
        (lambda: theory.FiniteDistribution([[0.0]], [1], [math.nan]), "weights must be positive numbers"),
        (
            lambda: theory.FiniteDistribution([[0.0]], [1], [1, 2]),
            "weights must be positive numbers, one for",
        ),
        (lambda: theory.FiniteDistribution([[math.inf]], [1]), "points must be finite"),
        (lambda: theory.GaussianClasses([0.0], [1.0], -1.0), "covariance must be positive definite"),
        (
            lambda: theory.GaussianClasses([0.0], [1.0], np.eye(2)),
            "covariance must be a number or a symmetric",
        ),
        (
            lambda: theory.GaussianClasses([0.0], [1.0], prior=1.0),
            "prior must be strictly between 0 and 1",
        ),
        (lambda: theory.GaussianClasses([0.0], [1.0, 2.0]), "points must be a table"),
        (lambda: theory.PlantedNormal((0.0, 0.0)), "direction must not be zero"),
        (lambda: theory.margin_experiment((0.0,)), "shares must be numbers > 0 and <= 1"),
        (lambda: theory.margin_experiment((1.0,), d=1), "d must be an integer >= 2"),
        (lambda: theory.margin_experiment((1.0,), d=2, m=60, distance=0.1), "were not separable"),
        (lambda: theory.GaussianClasses([0.0], [1.0], prior="a"), "prior must be a number; got 'a'"),
        (lambda: theory.GaussianClasses([0.0], [1.0], "a"), "covariance must be a number or a symmetric"),
        (lambda: theory.expected_risk(sx.Halfspace([1.0]), 5), "int is no distribution known here"),
        (lambda: theory.excess_risk(sx.Halfspace([1.0]), None), "NoneType is no distribution known here"),
        (
            lambda: theory.uniform_convergence(theory.PlantedNormal((1.0,)), [10]),
            "needs a FiniteDistribution",
        ),
        (lambda: theory.learning_curve(theory.PlantedNormal((1.0,)), []), "sizes must name at least one"),
        (lambda: theory.learning_curve(None, [1]), "size must be an integer >= 2"),
        (lambda: theory.learning_curve(None, [10], delta=1.0), "delta must be strictly between 0 and 1"),
        (lambda: theory.robustness(sx.Halfspace([1.0]), [[math.nan]]), "points must be finite"),
        (lambda: vertex_cover([(0, 0)]), "vertex 0 has an edge to itself"),
        (lambda: vertex_cover([(0, 1, 2)]), "an edge is a pair of vertices"),
        (lambda: vertex_cover([(0, -1)]), "vertex must be an integer >= 0"),
        (lambda: vertex_cover([(0, 3)], 2), "the edges name vertex 3, but there are 2 vertices"),
        (lambda: vertex_cover([]), "a graph without edges needs its number of vertices: give vertices="),
        (lambda: vertex_cover([(0, 1)], 0), "vertices must be an integer >= 1"),
        (lambda: vertex_cover([(0, 1)]).encode([]), "leave an edge uncovered"),
        (lambda: vertex_cover([(0, 1)]).decode([1.0]), "a solution has 2 weights, not 1"),
        (lambda: vertex_cover([(0, 1)]).decode(sx.Halfspace([1, 1], 1)), "fit without an intercept"),
        (lambda: vertex_cover([(0, 1)], intercept=True).decode([1, 1]), "it encodes no cover"),
    ],
)
def test_bad_arguments_get_their_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
