"""The best rule of a known distribution, and how near logistic regression comes to it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

import separatrix as sx
from separatrix.theory import FiniteDistribution, GaussianClasses, PlantedNormal, bayes


def risk_of(model, distribution):
    return distribution.risk(sx.Halfspace(model.coef_[0], float(model.intercept_[0])))


def test_finite_rule_is_the_larger_mass():
    points, signs, weights = [[0], [0], [1], [1], [2]], [-1, 1, -1, 1, 1], [3, 1, 1, 2, 1]
    best = bayes.rule(FiniteDistribution(points, signs, weights))
    assert best.predict([[0], [1], [2]]).tolist() == [-1, 1, 1]
    assert best.risk == (Fraction(2, 8), 0.0)
    # All eight rules on three points: none has a smaller risk.
    table = {(x[0], s): Fraction(w, 8) for x, s, w in zip(points, signs, weights, strict=True)}
    rules = [[1 if k >> j & 1 else -1 for j in range(3)] for k in range(8)]
    risks = [sum(p for (x, s), p in table.items() if rule[x] != s) for rule in rules]
    assert min(risks) == best.risk.value
    with pytest.raises(ValueError, match="probability 0"):
        best.predict([[5]])


def test_equal_covariances_give_a_halfspace():
    best = bayes.rule(GaussianClasses([0.0, 0.0], [2.0, 0.0], covariance=1.0, prior=0.3))
    shift = np.log(0.3 / 0.7) / 2
    wanted = 0.3 * norm.cdf(-1 - shift) + 0.7 * norm.cdf(-1 + shift)
    assert best.risk.value == pytest.approx(wanted, rel=1e-12)
    points = np.random.default_rng(0).normal(size=(200, 2))
    assert np.array_equal(best.predict(points), np.where(best.halfspace.score(points) > 0, 1, -1))


def test_two_covariances_need_a_quadric():
    """In one dimension with equal means the best rule is an interval, whose risk is known."""
    classes = GaussianClasses([0.0], [0.0], covariance=1.0, positive_covariance=9.0)
    best = bayes.rule(classes)
    end = np.sqrt(2 * np.log(3) / (1 - 1 / 9))
    inside = norm.cdf(end / 3) - norm.cdf(-end / 3)
    wanted = 0.5 * inside + 0.5 * 2 * norm.cdf(-end)
    assert best.risk.value == pytest.approx(wanted, rel=1e-12)
    assert best.risk.error == 0
    assert best.predict([[0.0], [end - 0.01], [end + 0.01]]).tolist() == [-1, -1, 1]
    assert best.halfspace is None


def test_logistic_model_risk_by_sampling():
    model = bayes.LogisticModel((1.0, -2.0), 0.5, mean=(0.3, -0.2), covariance=((2.0, 0.5), (0.5, 1.0)))
    X, s = model.sample(200_000, np.random.default_rng(1))
    for halfspace in (model.best.halfspace, sx.Halfspace([1.0, 0.0], 0.2), sx.Halfspace([-1.0, 2.0], -0.5)):
        share = np.mean(np.where(halfspace.score(X) > 0, 1, -1) != s)
        assert model.risk(halfspace) == pytest.approx(share, abs=5e-3)
    assert model.risk(sx.Halfspace([0.0, 0.0], 1.0)) == pytest.approx(np.mean(s < 0), abs=5e-3)
    assert bayes.rule(model).risk.value == pytest.approx(
        np.minimum(model.posterior(X), 1 - model.posterior(X)).mean(), abs=2e-3
    )


@pytest.mark.parametrize(
    "distribution",
    [
        bayes.LogisticModel((1.5, -1.0), 0.5),
        GaussianClasses([0.0, 0.0], [1.0, 1.0], covariance=1.0, prior=0.4),
    ],
    ids=["logistic", "gaussian"],
)
def test_logistic_regression_approaches_it_where_the_model_is_right(distribution):
    best = bayes.rule(distribution).risk.value
    excess = []
    for m in (100, 1000, 30_000):
        found = []
        for seed in range(5):
            X, s = distribution.sample(m, np.random.default_rng(seed))
            found.append(risk_of(sx.LogisticRegression(C=np.inf).fit(X, s), distribution) - best)
        excess.append(np.mean(found))
    assert min(excess) >= -1e-9
    assert excess[0] > excess[-1]
    assert excess[-1] < 2e-4


def test_how_far_it_stays_where_the_model_is_wrong():
    """Two normal classes around one point: the best rule is an interval, and no halfspace comes near it."""
    classes = GaussianClasses([0.0], [0.0], covariance=1.0, positive_covariance=9.0)
    best = bayes.rule(classes).risk.value
    X, s = classes.sample(30_000, np.random.default_rng(2))
    excess = risk_of(sx.LogisticRegression().fit(X, s), classes) - best
    assert excess > 0.1
    # With the square beside it the model is right again.
    lifted = np.column_stack([X, X**2])
    wrong = np.mean(sx.LogisticRegression().fit(lifted, s).predict(lifted) != s)
    assert abs(wrong - best) < 0.01


def test_unknown_distribution_is_refused():
    with pytest.raises(TypeError, match="not known"):
        bayes.rule(3)


def test_sampled_risk_of_a_quadric_comes_with_its_error():
    """In two columns of which one is idle, the risk is that of the line."""
    line = GaussianClasses([0.0], [1.0], covariance=1.0, positive_covariance=9.0)
    plane = GaussianClasses([0.0, 0.0], [1.0, 0.0], np.eye(2), positive_covariance=np.diag([9.0, 1.0]))
    found = bayes.rule(plane).risk
    assert 0 < found.error < 1e-3
    assert abs(found.value - line.bayes_risk) <= 5 * found.error
    grid = np.random.default_rng(0).normal(size=(100, 2))
    assert plane.posterior(grid) == pytest.approx(line.posterior(grid[:, :1]))


def test_planted_rule_is_its_halfspace():
    planted = PlantedNormal((1.0, -1.0))
    X, s = planted.sample(50, np.random.default_rng(0))
    best = bayes.rule(planted)
    assert best.risk == (0.0, 0.0)
    assert np.array_equal(best.predict(X), s)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bayes.LogisticModel((1.0,), covariance=-1.0), "positive definite"),
        (lambda: bayes.LogisticModel((1.0, 2.0), mean=(1.0,)), "mean must have 2 numbers"),
        (lambda: bayes.LogisticModel((1.0, np.nan)), "points must be finite"),
        (lambda: bayes.LogisticModel((1.0,), intercept=np.inf), "intercept must be finite"),
    ],
)
def test_bad_logistic_models_get_their_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
