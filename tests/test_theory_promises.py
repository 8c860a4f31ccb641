"""Bounds on the risk: known values, their order, and how often they fail on seeded draws.

A bound that fails with probability at most δ fails in N independent draws no more often than the quantile of
a binomial distribution, which is where the tolerances come from: the tests below are wrong themselves with
probability 10⁻⁶ each, had the seeds not been fixed.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone

import separatrix as sx
from separatrix import theory
from separatrix.bounds import SAMPLE_SIZES, plain_sample_complexity
from separatrix.bounds.counting import log_binomial, log_sauer
from separatrix.bounds.held_out import binomial_tail_inverse


def failures_allowed(draws, delta):
    return int(binom.isf(1e-6, draws, delta))


def fresh(planted, m, rng):
    X, y = planted.sample(m, rng)
    while len(np.unique(y)) < 2:
        X, y = planted.sample(m, rng)
    return X, y


# Held-out rows


@pytest.mark.parametrize(("m", "risk"), [(20, 0.3), (200, 0.02), (1000, 0.5)])
def test_clopper_pearson_fails_as_often_as_it_says_and_not_more(m, risk):
    draws, delta = 20_000, 0.1
    errors = np.random.default_rng(m).binomial(m, risk, size=draws)
    values = {e: theory.clopper_pearson(e, m, delta).value for e in np.unique(errors).tolist()}
    failed = sum(values[e] < risk for e in errors.tolist())
    assert failed <= failures_allowed(draws, delta)
    smaller = sum(0.6 * values[e] < risk for e in errors.tolist())
    assert smaller > failures_allowed(draws, delta)


def test_clopper_pearson_is_the_edge_of_the_binomial_tail():
    for errors, m, delta in ((0, 10, 0.05), (3, 10, 0.05), (40, 1000, 1e-8), (9, 10, 0.5)):
        value = theory.clopper_pearson(errors, m, delta).value
        assert binom.cdf(errors, m, value) == pytest.approx(delta, rel=1e-9)
        assert value <= theory.hoeffding(errors, m, delta)
    assert theory.clopper_pearson(0, 50, 0.05).value == pytest.approx(1 - 0.05 ** (1 / 50))
    assert theory.clopper_pearson(7, 7).value == 1.0
    assert theory.clopper_pearson(7, 7).vacuous


def test_tails_far_below_the_smallest_double():
    log_delta = -2000.0
    bound = binomial_tail_inverse(10, 10_000, log_delta)
    assert binom.logcdf(10, 10_000, bound) <= log_delta
    assert binomial_tail_inverse(10, 10_000, -599.0) < binomial_tail_inverse(10, 10_000, -601.0) < bound < 1


def test_bounds_of_very_many_rows_keep_their_digits():
    """Where logarithms of factorials, or 1 less a quantile, would lose all of them."""
    for m in (10**9, 10**15, 10**18):
        for errors, quantile in ((1, 4.743864518), (3, 7.753656528)):  # of a Poisson mean, at 0.05
            assert theory.clopper_pearson(errors, m).value * m == pytest.approx(quantile, rel=1e-6)
        choices = math.log(math.comb(m, 4)) + math.log(m) + math.log(20)
        assert theory.compression(m, 4).value * m == pytest.approx(choices, rel=1e-6)
    for n, last in ((10**18, 100), (10**12, 500), (300, 100), (1000, 499)):
        exact = sum(math.comb(n, k) for k in range(last + 1))
        assert log_sauer(n, last) == pytest.approx(math.log(exact), rel=1e-14)
    assert log_binomial(1000, 500) == pytest.approx(math.log(math.comb(1000, 500)), rel=1e-15)
    for name, size in SAMPLE_SIZES.items():
        power = 1 if size.realizable else 2
        few, many = (float(size.bound(epsilon, 0.05, 101)) * epsilon**power for epsilon in (1e-3, 1e-8))
        assert 0.99 * few <= many < 4 * few, name
    assert theory.sample_complexity(1e-200, 0.05, 3, realizable=False).vacuous
    assert plain_sample_complexity(1e-200, 0.05, 3, False) == math.inf


# Sample sizes


def test_published_constants():
    """By hand, at ε = 0.1, δ = 0.05 and dimension 3."""
    expected = {
        "Blumer et al.": max(40 * math.log2(40), 240 * math.log2(130)),
        "Shalev-Shwartz and Ben-David": 80 * (6 * math.log(160 * math.e) + math.log(40)),
        "maximum margin": 6 + 20 * (3 * math.log(4) + math.log(20)),
        "Anthony and Bartlett": 6400 * (6 * math.log(120) + math.log(80)),
    }
    for name, value in expected.items():
        found = SAMPLE_SIZES[name].bound(0.1, 0.05, 3)
        assert found.value == math.ceil(value)
        assert found.kind == "with probability"
        assert found.delta == 0.05
    assert plain_sample_complexity(0.1, 0.05, 3) == pytest.approx((3 + math.log(20)) / 0.1)
    assert plain_sample_complexity(0.1, 0.05, 3, False, C=2) == pytest.approx(2 * (3 + math.log(20)) / 0.01)


@pytest.mark.parametrize("name", SAMPLE_SIZES)
@pytest.mark.parametrize("dimension", [1, 3, 30, 1000])
def test_sample_sizes_and_their_inverses_agree(name, dimension):
    size = SAMPLE_SIZES[name]
    for epsilon, delta in ((0.3, 0.2), (0.05, 1e-6)):
        m = int(size.bound(epsilon, delta, dimension))
        assert size.accuracy(m, delta, dimension) <= epsilon * (1 + 1e-9)
        assert size.accuracy(m - 2, delta, dimension).value > epsilon * (1 - 0.05)
        reached = size.failure(m, epsilon, dimension)
        assert reached <= delta * (1 + 1e-9)
        assert size.bound(epsilon, min(0.999, max(reached.value, 1e-300) * (1 + 1e-9)), dimension) <= m
        assert size.bound(epsilon / 2, delta, dimension) > m
        assert size.bound(epsilon, delta / 2, dimension) >= m
        assert size.bound(epsilon, delta, 2 * dimension) >= m
    assert size.accuracy(1, 0.05, dimension).vacuous
    assert size.failure(1, 0.05, dimension).vacuous


@pytest.mark.parametrize("dimension", [1, 2, 5, 50])
def test_closed_forms_follow_from_the_inequalities_they_solve(dimension):
    """Blumer's and Anthony and Bartlett's sizes are the implicit ones made explicit, so never smaller."""
    for epsilon, delta in ((0.5, 0.2), (0.1, 0.05), (0.01, 1e-4)):
        implicit = SAMPLE_SIZES["double sample"].bound(epsilon, delta, dimension)
        for name in ("Blumer et al.", "Shalev-Shwartz and Ben-David"):
            assert implicit <= SAMPLE_SIZES[name].bound(epsilon, delta, dimension)
        agnostic = SAMPLE_SIZES["Vapnik and Chervonenkis"].bound(epsilon, delta, dimension)
        assert agnostic <= SAMPLE_SIZES["Anthony and Bartlett"].bound(epsilon, delta, dimension)


def test_the_comparison_is_a_table():
    table = theory.compare_sample_sizes(0.1, 0.05, 3)
    assert [bound.value for bound in table] == sorted(bound.value for bound in table)
    assert len(str(table).splitlines()) == 1 + len(table) == 5
    assert "the maximum-margin halfspace, and no other" in str(table)
    assert len(theory.compare_sample_sizes(0.1, 0.05, 3, realizable=False)) == 3
    best = theory.sample_complexity(0.1, 0.05, 3)
    assert best.name != "maximum margin"
    assert best == min((b for b in table if b.name != "maximum margin"), key=float)


def test_every_consistent_threshold_is_good_after_so_many_rows():
    """Uniform points of [0, 1], labelled by x > 1/2: the worst consistent threshold errs on the whole gap."""
    rng, draws, epsilon, delta = np.random.default_rng(1), 2000, 0.2, 0.1
    m = int(theory.sample_complexity(epsilon, delta, theory.vc_dimension(1)))
    X = rng.random((draws, m))
    low = np.where(X < 0.5, X, 0.0).max(axis=1)
    high = np.where(X >= 0.5, X, 1.0).min(axis=1)
    worst = np.maximum(0.5 - low, high - 0.5)
    assert np.count_nonzero(worst > epsilon) <= failures_allowed(draws, delta)
    few = 5
    low = np.where(X[:, :few] < 0.5, X[:, :few], 0.0).max(axis=1)
    high = np.where(X[:, :few] >= 0.5, X[:, :few], 1.0).min(axis=1)
    assert np.count_nonzero(np.maximum(0.5 - low, high - 0.5) > epsilon) > failures_allowed(draws, delta)


def test_plain_realizable_form_fails_for_some_consistent_halfspaces():
    """All points of a circle negative: the halfspace that cuts off the widest gap has risk ln(m)/m."""
    rng = np.random.default_rng(15)
    for m, draws in ((30, 3000), (1000, 300)):
        seen = np.sort(rng.random((draws, m)))
        widest = np.diff(seen, axis=1, append=seen[:, :1] + 1).max(axis=1)
        harmonic = sum(1 / k for k in range(1, m + 1))
        error = np.std(widest) / math.sqrt(draws)
        assert np.mean(widest) == pytest.approx(harmonic / m, abs=5 * error)
    angles = 2 * math.pi * seen[0]
    gaps = np.diff(angles, append=angles[:1] + 2 * math.pi)
    place = int(np.argmax(gaps))
    middle, half = angles[place] + gaps[place] / 2, gaps[place] / 2
    cut = sx.Halfspace([math.cos(middle), math.sin(middle)], -math.cos(0.999 * half))
    assert (cut.predict(np.column_stack([np.cos(angles), np.sin(angles)])) == -1).all()
    assert cut.predict([math.cos(middle), math.sin(middle)]) == 1


def test_fewest_training_errors_are_nearly_the_least_risk_after_so_many_rows():
    rng, draws, epsilon, delta = np.random.default_rng(16), 300, 0.25, 0.1
    distribution = theory.FiniteDistribution(rng.normal(size=(10, 2)), rng.choice((-1, 1), size=10))
    m = int(theory.sample_complexity(epsilon, delta, theory.vc_dimension(2), realizable=False))
    seen = theory.uniform_convergence(distribution, [4, m], repeats=draws, delta=delta)
    failed = np.count_nonzero(seen.chosen > epsilon, axis=1)
    assert failed[1] <= failures_allowed(draws, delta) < failed[0]


def test_risks_of_maximum_margin_halfspaces_stay_below_their_bounds():
    rng, draws, delta, m = np.random.default_rng(2), 50, 0.1, 60
    planted = theory.PlantedNormal((1.0, -2.0))
    fails = dict.fromkeys(("stable compression", "double sample", "compression", "sample size"), 0)
    epsilon = 0.25
    enough = int(SAMPLE_SIZES["maximum margin"].bound(epsilon, delta, 2))
    assert enough <= m
    for _ in range(draws):
        X, y = fresh(planted, m, rng)
        model = sx.MaxMargin(fit_intercept=False).fit(X, y)
        risk = theory.expected_risk(model, planted)
        found = {bound.name: bound for bound in theory.generalisation(model, X, y, delta)}
        for name in ("stable compression", "double sample", "compression"):
            fails[name] += found[name].value < risk
        model = (
            sx.MaxMargin(fit_intercept=False).fit(X[:enough], y[:enough])
            if len(set(y[:enough])) > 1
            else model
        )
        fails["sample size"] += theory.expected_risk(model, planted) > epsilon
    assert max(fails.values()) <= failures_allowed(draws, delta), fails


def test_leaving_one_out_bounds_the_mean_risk():
    """The mean of the risk after m - 1 rows less the share of rows that matter in m is below 0."""
    rng, draws, m = np.random.default_rng(3), 60, 25
    planted = theory.PlantedNormal((1.0, 1.0, 0.0))
    less = {"maximum margin": [], "perceptron": []}
    for _ in range(draws):
        X, y = fresh(planted, m, rng)
        if len(set(y[:-1])) < 2:
            continue
        for name, learner in (
            ("maximum margin", sx.MaxMargin(fit_intercept=False)),
            ("perceptron", sx.Perceptron(fit_intercept=False, max_iter=100_000)),
        ):
            learner.fit(X, y)
            record = learner.mistake_run_.rows if name == "perceptron" else learner.support_
            share = theory.leave_one_out(m, len(record)).value
            less[name].append(theory.expected_risk(learner.fit(X[:-1], y[:-1]), planted) - share)
    for values in less.values():
        error = np.std(values, ddof=1) / math.sqrt(len(values))
        assert np.mean(values) <= 5 * error


@pytest.mark.parametrize("intercept", [True, False])
def test_leave_one_out_of_a_fit_counts_the_rows_of_no_single_sample(intercept):
    """No more than d + 1 rows of a sample change the maximum-margin halfspace, or are errors, if left out."""
    rng, m, d = np.random.default_rng(8), 14, 2
    planted, counts = theory.PlantedNormal((1.0, 1.0)), []
    for _ in range(12):
        X, y = fresh(planted, m, rng)
        if min(Counter(y).values(), default=0) < 2 or len(set(y)) < 2:
            continue
        model = sx.MaxMargin(fit_intercept=intercept).fit(X, y)
        (bound,) = (one for one in theory.generalisation(model, X, y) if one.name == "leave one out")
        assert (bound.kind, bound.quantity, bound.value) == (
            "in expectation",
            "mean risk",
            (d + intercept) / m,
        )
        assert any("Every sample from this distribution is separable" in a for a in bound.assumptions)
        learner = sx.MaxMargin(fit_intercept=intercept)
        without = [clone(learner).fit(np.delete(X, i, 0), np.delete(y, i)) for i in range(m)]
        whole = np.append(model.coef_, model.intercept_)
        others = [np.append(one.coef_, one.intercept_) for one in without]
        idle = [
            np.allclose(other, whole, rtol=1e-6, atol=1e-6 * np.linalg.norm(whole))
            and one.predict(X[i : i + 1])[0] == y[i]
            for i, (one, other) in enumerate(zip(without, others, strict=True))
        ]
        counts.append(m - sum(idle))
    assert len(counts) > 8
    assert max(counts) <= d + intercept


def test_no_leave_one_out_bound_from_one_run_of_a_perceptron():
    X, y = fresh(theory.PlantedNormal((1.0, 1.0)), 40, np.random.default_rng(1))
    found = theory.generalisation(sx.Perceptron(max_iter=100_000).fit(X, y), X, y)
    assert "leave one out" not in {bound.name for bound in found}
    assert "mean number of rows with updates" in dict(found.left_out)["leave one out"]


def test_a_perceptron_is_the_perceptron_of_its_mistakes():
    """What compression rests on: without the rows that caused no update the run is the same."""
    rng = np.random.default_rng(4)
    planted = theory.PlantedNormal((1.0, 1.0, -1.0))
    for order in ("cyclic", "first violator", "worst violator"):
        X, y = fresh(planted, 80, rng)
        model = sx.Perceptron(order=order, max_iter=100_000).fit(X, y)
        kept = np.array(model.mistake_run_.rows)
        assert len(kept) < len(X)
        again = sx.Perceptron(order=order, max_iter=100_000).fit(X[kept], y[kept])
        assert np.array_equal(again.coef_, model.coef_)
        assert np.array_equal(again.intercept_, model.intercept_)


def test_a_maximum_margin_halfspace_is_that_of_its_support():
    rng = np.random.default_rng(5)
    X, y = fresh(theory.PlantedNormal((1.0, 1.0, -1.0)), 80, rng)
    model = sx.MaxMargin().fit(X, y)
    assert len(model.support_) <= theory.vc_dimension(3)
    again = sx.MaxMargin().fit(X[model.support_], y[model.support_])
    assert again.coef_ == pytest.approx(model.coef_, rel=1e-6)


def test_perceptron_compression_and_margins_hold_on_the_circle():
    """Points of the unit circle at an angle from the hyperplane of 0.1 or more: R = 1, margin 0.0998."""
    rng, draws, delta, m = np.random.default_rng(6), 150, 0.1, 200
    fails = dict.fromkeys(("compression", "sample margin", "margin compression"), 0)
    for _ in range(draws):
        angles = rng.uniform(0.1, math.pi - 0.1, size=m)
        y = rng.choice((-1, 1), size=m)
        X = np.column_stack([np.cos(angles), np.sin(angles)]) * y[:, None]
        model = sx.Perceptron(fit_intercept=False, max_iter=100_000).fit(X, y)
        # Wrong on the part of the arc (0.1, π - 0.1) that the halfspace cuts off.
        tilt = math.atan2(model.coef_[0, 0], model.coef_[0, 1])
        risk = max(0.0, abs(tilt) - 0.1) / (math.pi - 0.2)
        found = {bound.name: bound for bound in theory.generalisation(model, X, y, delta)}
        for name in ("compression", "sample margin"):
            fails[name] += found[name].value < risk
        fails["margin compression"] += theory.margin_compression(m, 1.0, math.sin(0.1), delta).value < risk
        assert found["compression"] <= theory.margin_compression(m, 1.0, math.sin(0.1), delta)
    assert max(fails.values()) <= failures_allowed(draws, delta), fails


def test_one_pass_bounds_hold():
    rng, draws, delta, m = np.random.default_rng(7), 150, 0.1, 400
    planted = theory.PlantedNormal((1.0, 2.0, 0.0))
    mean_failed = selected_failed = 0
    for _ in range(draws):
        X, y = fresh(planted, m, rng)
        run = theory.one_pass(X, y, delta, fit_intercept=False)
        assert run.lives.sum() == m
        assert run.mistakes == len(run.weights) - 1
        halfspaces = [sx.Halfspace(w[:-1]) for w in run.weights]
        # The zero vector is wrong on every row: s·score <= 0.
        risks = [
            1.0 if not w.any() else planted.risk(h) for w, h in zip(run.weights, halfspaces, strict=True)
        ]
        mean_failed += float(run.lives @ risks) / m > run.mean_risk.value
        selected_failed += planted.risk(run.selected) > run.selected_risk.value
    assert mean_failed <= failures_allowed(draws, delta)
    assert selected_failed <= failures_allowed(draws, delta)


def test_one_pass_makes_the_mistakes_of_the_perceptron():
    rng = np.random.default_rng(8)
    X, y = fresh(theory.PlantedNormal((1.0, 2.0)), 300, rng)
    with pytest.warns(sx.FitWarning):
        model = sx.Perceptron(max_iter=1).fit(X, y)
    run = theory.one_pass(X, y)
    assert run.mistakes == model.mistakes_
    assert np.array_equal(run.weights[-1], np.append(model.coef_[0], model.intercept_))


def test_selected_hypothesis_has_the_least_charge():
    rng = np.random.default_rng(9)
    X, y = fresh(theory.PlantedNormal((1.0, 2.0)), 120, rng)
    run = theory.one_pass(X, y, 0.05, fit_intercept=False)
    charges = []
    weights = np.zeros(2)
    for t in range(len(X)):
        wrong = np.count_nonzero(y[t:] * (X[t:] @ weights) <= 0)
        left = len(X) - t
        charges.append((wrong / left + math.sqrt(math.log(120 * 121 / 0.05) / (2 * left)), tuple(weights)))
        if y[t] * (X[t] @ weights) <= 0:
            weights = weights + y[t] * X[t]
    assert tuple(run.selected.weights) == min(charges)[1]


def test_uniform_convergence_stays_below_vapnik_and_chervonenkis():
    rng = np.random.default_rng(10)
    points = rng.normal(size=(12, 2))
    distribution = theory.FiniteDistribution(points, rng.choice((-1, 1), size=12))
    seen = theory.uniform_convergence(distribution, [20, 200, 5000], repeats=200, delta=0.1)
    allowed = failures_allowed(200, 0.1)
    assert (np.count_nonzero(seen.gaps > seen.bound[:, None], axis=1) <= allowed).all()
    assert (seen.single <= seen.gaps + 1e-15).all()
    assert (seen.chosen <= 2 * seen.gaps + 1e-12).all()
    assert (np.diff(seen.gaps.mean(axis=1)) < 0).all()
    assert seen.bound[-1] < 1


def test_uniform_convergence_misses_no_halfspace():
    """The largest gap over many random halfspaces is never above the one over all dichotomies."""
    rng = np.random.default_rng(11)
    points = rng.normal(size=(8, 2))
    distribution = theory.FiniteDistribution(points, rng.choice((-1, 1), size=8))
    halfspaces = [sx.Halfspace(rng.normal(size=2), float(rng.normal())) for _ in range(300)]
    risks = np.array([float(distribution.risk(h)) for h in halfspaces])
    rng_again = np.random.default_rng(0)
    masses = [float(p) for part in distribution.masses[1:] for p in part]
    drawn = rng_again.multinomial(30, np.array(masses) / sum(masses)) / 30
    seen = theory.uniform_convergence(distribution, [30], repeats=1, random_state=0)
    distinct = distribution.masses[0]
    errors = np.array(
        [
            drawn[:8][h.predict(distinct) > 0].sum() + drawn[8:][h.predict(distinct) < 0].sum()
            for h in halfspaces
        ]
    )
    assert np.abs(errors - risks).max() <= seen.gaps[0, 0] + 1e-12
    assert np.abs(errors - risks).max() > 0.5 * seen.gaps[0, 0]


def test_rademacher_bound_of_many_halfspaces_at_once():
    rng, draws, delta, m = np.random.default_rng(12), 200, 0.1, 3000
    points = rng.normal(size=(10, 2))
    distribution = theory.FiniteDistribution(points, rng.choice((-1, 1), size=10))
    seen = theory.uniform_convergence(distribution, [m], repeats=draws, delta=delta)
    room = theory.rademacher(0, m, 3, delta).value
    assert room < 1
    assert np.count_nonzero(seen.gaps > room) <= failures_allowed(draws, delta)


# The fat-shattering dimension


@pytest.mark.parametrize("n", [2, 4, 9])
def test_fat_shattering_is_attained_by_orthogonal_points(n):
    """Every labelling of n orthonormal points has the unit vector Σ s_i e_i/√n, with margin 1/√n."""
    assert theory.fat_shattering(1.0, 1 / math.sqrt(n)) == n
    assert theory.fat_shattering(1.0, 1.001 / math.sqrt(n)) == n - 1


def test_no_points_are_shattered_with_a_larger_margin():
    rng = np.random.default_rng(13)
    for _ in range(4):
        points = rng.normal(size=(4, 4))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        smallest = min(
            sx.MaxMargin(fit_intercept=False)
            .fit(np.vstack([points, -points]), [*signs, *(-s for s in signs)])
            .margin_
            for signs in product((-1, 1), repeat=4)
        )
        assert theory.fat_shattering(1.0, smallest) >= 4


# Formulas by hand


def test_formulas():
    m = 500
    assert theory.online_to_batch(10, m, 0.1).value == pytest.approx(0.02 + math.sqrt(2 * math.log(10) / m))
    assert theory.online_to_batch(10, m, 0.1, selected=True).value == pytest.approx(
        0.02 + 6 * math.sqrt(math.log(2 * 501 / 0.1) / m)
    )
    assert theory.stable_compression(m, 4, 0.1).value == pytest.approx(
        2 * (4 * math.log(4) + math.log(10)) / 492
    )
    assert theory.stable_compression(8, 4).vacuous
    crude = (math.log(math.comb(m, 7)) + math.log(m) + math.log(10)) / (m - 7)
    assert theory.compression(m, 7, 0, 0.1).value == pytest.approx(-math.expm1(-crude))
    assert theory.compression(m, 7, 0, 0.1) < crude
    assert theory.compression(m, 7, 5, 0.1) > theory.compression(m, 7, 0, 0.1)
    assert theory.compression(5, 5).vacuous
    assert theory.leave_one_out(m, 4).value == 4 / m
    assert theory.margin_compression(10, 1.0, 0.1).vacuous
    assert theory.margin_compression(m, 1.0, 0.5) <= theory.compression(m, 4).value
    tight = theory.rademacher_margin(m, 1.0, 0.5, 0, 0.1)
    assert tight.value == pytest.approx(4 / math.sqrt(m) + math.sqrt(math.log(60) / (2 * m)))
    assert theory.rademacher_margin(m, 1.0, 0.99, 0, 0.1).value == tight.value
    assert theory.rademacher_margin(m, 1.0, 0.5, 50, 0.1).value == pytest.approx(tight.value + 0.1)
    sampled = theory.sample_margin(m, 1.0, 0.5, 50, 0.1)
    assert sampled.value == pytest.approx(
        0.1 + 4 / math.sqrt(m) + 3 * math.sqrt(math.log(3 * 2 * 3 / 0.1) / (2 * m))
    )
    assert theory.sample_margin(m, 1.0, 0.99, 50, 0.1).value == sampled.value
    assert theory.sample_margin(m, 8.0, 4.0, 0, 0.1).value == pytest.approx(
        4 / math.sqrt(m) + 3 * math.sqrt(math.log(3 * 3 * 4 / 0.1) / (2 * m))
    )
    assert theory.sample_margin(m, 1.0, 5e-324).vacuous
    growth = math.log(theory.growth_function(m, 2))
    assert theory.rademacher(50, m, 3, 0.1).value == pytest.approx(
        0.1 + math.sqrt(2 * growth / m) + math.sqrt(math.log(10) / (2 * m))
    )
    growth = math.log(theory.growth_function(2 * m, 2))
    assert theory.vapnik_chervonenkis(50, m, 3, 0.1).value == pytest.approx(
        0.1 + math.sqrt(8 * (growth + math.log(40)) / m)
    )
    assert theory.double_sample(m, 3, 0.1).value == pytest.approx(
        2 / m * (growth + math.log(20)) / math.log(2)
    )


# A fitted model


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(14)
    X = rng.normal(size=(900, 3))
    return X, np.where(X @ [1.0, -1.0, 0.5] > 0, "yes", "no")


def test_generalisation_of_a_maximum_margin_halfspace(rows):
    X, y = rows
    model = sx.MaxMargin().fit(X[:600], y[:600])
    found = theory.generalisation(model, X[:600], y[:600], X_test=X[600:], y_test=y[600:])
    names = [bound.name for bound in found]
    assert set(names) == {
        "Clopper and Pearson",
        "stable compression",
        "compression",
        "double sample",
        "Rademacher",
        "Vapnik and Chervonenkis",
        "sample margin",
        "leave one out",
    }
    likely = [bound.value for bound in found if bound.delta is not None]
    assert likely == sorted(likely)
    assert names[-1] == "leave one out"
    assert found.best is found[0]
    assert found.errors == 0
    assert found.m == 600
    assert all(bound.assumptions and bound.source for bound in found)
    text = str(found)
    assert text.startswith("0 errors on 600 training rows\n")
    assert "hold together with probability 0.65" in text
    assert [name for name, _ in found.left_out] == ["online to batch"]


def test_generalisation_says_what_does_not_apply(rows):
    X, y = rows
    noisy = y.copy()
    noisy[::7] = np.where(noisy[::7] == "yes", "no", "yes")
    with pytest.warns(sx.FitWarning):
        model = sx.Perceptron(max_iter=3).fit(X, noisy)
    found = theory.generalisation(model, X, noisy)
    names = {bound.name for bound in found}
    assert names == {"compression", "Rademacher", "Vapnik and Chervonenkis", "sample margin"}
    left = dict(found.left_out)
    assert "no held-out rows" in left["Clopper and Pearson"]
    assert f"training errors ({found.errors})" in left["double sample"]
    assert "mean number of rows with updates" in left["leave one out"]
    with pytest.raises(ValueError, match="X, y must be the rows the model was fitted to: "):
        theory.generalisation(model, X[:30], noisy[:30])
    few = sx.MaxMargin().fit(X[:30], y[:30])
    vacuous = [bound for bound in theory.generalisation(few, X[:30], y[:30]) if bound.vacuous]
    assert vacuous
    assert all("says nothing" in str(bound) for bound in vacuous)


def test_generalisation_of_other_models(rows):
    from sklearn.linear_model import RidgeClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y = rows[0][:300], rows[1][:300]
    names = {bound.name for bound in theory.generalisation(RidgeClassifier().fit(X, y), X, y)}
    assert {"Rademacher", "Vapnik and Chervonenkis", "sample margin"} <= names
    tree = DecisionTreeClassifier(random_state=0).fit(X[:200], y[:200])
    found = theory.generalisation(tree, X[:200], y[:200], X_test=X[200:], y_test=y[200:])
    assert [bound.name for bound in found] == ["Clopper and Pearson"]
    assert dict(found.left_out)["sample margin"] == "the model is no halfspace"
    three = np.where(X[:, 0] > 1, "high", y)
    with pytest.warns(sx.FitWarning):
        many = sx.Perceptron(max_iter=2).fit(X[:200], three[:200])
    found = theory.generalisation(many, X[:200], three[:200], X_test=X[200:], y_test=three[200:])
    assert [bound.name for bound in found] == ["Clopper and Pearson"]
    assert "3 classes" in found.left_out[0].reason
    voted = sx.VotedPerceptron().fit(X, y)
    assert theory.generalisation(voted, X, y, X_test=X, y_test=y).best.name == "Clopper and Pearson"


def test_generalisation_of_rows_whose_squares_overflow():
    X, y = np.array([[1e200, 1.0], [-1e200, 2.0], [2e200, 0.0], [-3e200, 1.0]]), [1, 0, 1, 0]
    found = theory.generalisation(sx.MaxMargin().fit(X, y), X, y)
    assert found.errors == 0
    assert "overflow" in dict(found.left_out)["sample margin"]


def test_sparse_rows_and_labelled_rows_say_the_same(rows):
    from scipy.sparse import csr_array

    X, y = rows
    model = sx.MaxMargin().fit(X, y)
    dense = theory.generalisation(model, X, y)
    assert [float(b) for b in theory.generalisation(model, csr_array(X), y)] == pytest.approx(
        [float(b) for b in dense]
    )
    assert [float(b) for b in theory.generalisation(model, sx.as_rows(X, y))] == [float(b) for b in dense]
    model = sx.MaxMargin().fit(X[:600], y[:600])
    held_out = theory.generalisation(model, X[:600], y[:600], X_test=X[600:], y_test=y[600:])
    known = sx.as_rows(X[600:], y[600:])
    assert list(theory.generalisation(model, sx.as_rows(X[:600], y[:600]), X_test=known)) == list(held_out)
    with pytest.raises(ValueError, match="X_test needs its labels, y_test"):
        theory.generalisation(model, X[:600], y[:600], X_test=sx.as_rows(X[600:]))
    three = np.where(X[:, 0] > 1, "high", y)
    with pytest.warns(sx.FitWarning):
        many = sx.Perceptron(max_iter=2).fit(X, three)
    found = theory.generalisation(many, sx.as_rows(X, three))
    assert found.errors == np.count_nonzero(many.predict(X) != three)


# Arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: theory.sample_complexity(0.0, 0.05, 3),
            "epsilon must be strictly between 0 and 1; got 0.0",
        ),
        (lambda: theory.sample_complexity(-0.1, 0.05, 3), "epsilon must be strictly between 0 and 1"),
        (lambda: theory.sample_complexity(0.1, 1.0, 3), "delta must be strictly between 0 and 1; got 1.0"),
        (
            lambda: theory.sample_complexity(0.1, math.nan, 3),
            "delta must be strictly between 0 and 1; got nan",
        ),
        (lambda: theory.sample_complexity(0.1, 0.05, 0), "dimension must be an integer >= 1; got 0"),
        (
            lambda: theory.sample_complexity(0.1, 0.05, 3, bound="Hanneke"),
            "bound must be one of 'best', 'Blumer",
        ),
        (lambda: theory.accuracy(0, 0.05, 3), "m must be an integer >= 1; got 0"),
        (lambda: theory.accuracy(10, 0.0, 3), "delta must be strictly between 0 and 1"),
        (lambda: theory.failure_probability(10, 1.5, 3), "epsilon must be strictly between 0 and 1"),
        (lambda: theory.plain_sample_complexity(0.1, 0.05, 3, C=0), "C must be > 0 and finite"),
        (lambda: theory.clopper_pearson(3, 2), r"errors must be <= m \(2\); got 3"),
        (lambda: theory.clopper_pearson(-1, 2), "errors must be an integer >= 0"),
        (lambda: theory.hoeffding(3, 2), "errors must be <= m"),
        (lambda: theory.compression(5, 6), r"size must be <= m \(5\); got 6"),
        (
            lambda: theory.compression(5, 3, 3),
            r"errors must be <= m - size \(2\); got 3",
        ),
        (lambda: theory.stable_compression(5, 0), "size must be an integer >= 1"),
        (lambda: theory.leave_one_out(5, -1), "rows_that_matter must be >= 0 and finite"),
        (
            lambda: theory.margin_compression(5, 1.0, 2.0),
            r"margin \(2.0\) cannot exceed radius \(1.0\)",
        ),
        (
            lambda: theory.online_to_batch(6, 5),
            r"mistakes must be at most m \(5\): one pass makes no more; got 6",
        ),
        (lambda: theory.rademacher(6, 5, 2), "errors must be <= m"),
        (lambda: theory.double_sample(5, 2, 2.0), "delta must be strictly between 0 and 1"),
        (lambda: theory.rademacher_margin(5, 1.0, 0.0), "margin must be > 0 and finite"),
        (lambda: theory.rademacher_margin(5, 1.0, 0.1, 6), "short must be <= m"),
        (lambda: theory.sample_margin(5, 1.0, 0.1, 6), "short must be <= m"),
        (lambda: theory.sample_margin(5, 0.0, 0.1), "length must be > 0 and finite"),
        (lambda: theory.sample_complexity(None, 0.05, 3), "epsilon must be a number; got None"),
        (lambda: theory.sample_complexity(0.1, "a", 3), "delta must be a number; got 'a'"),
        (lambda: theory.clopper_pearson(0, 10**400), r"m must be <= 10\^300"),
        (lambda: theory.novikoff(10**400, 1.0), "radius must be in the range of doubles"),
        (lambda: theory.fat_shattering(1e300, 1e-300), "is too small beside a radius"),
        (lambda: theory.steps_bound(1.0, 0.5, 3), "steps must be a sequence of numbers > 0; got 3"),
        (lambda: theory.passive_aggressive(1.0, 1.0, "a"), "losses must be zero or positive numbers"),
        (lambda: theory.fat_shattering(1.0, -1.0), "margin must be > 0 and finite"),
        (lambda: theory.generalisation(sx.Perceptron(), [[1.0]], [1]), "needs a fitted classifier"),
        (lambda: theory.one_pass([[1.0], [2.0], [3.0]], [0, 1, 2]), "There are 3 classes: this is about two"),
        (lambda: theory.uniform_convergence(None, [10], delta=0), "delta must be strictly between 0 and 1"),
    ],
)
def test_bad_arguments_get_their_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_generalisation_needs_labels_with_its_rows(rows):
    X, y = rows
    model = sx.MaxMargin().fit(X, y)
    with pytest.raises(ValueError, match="X_test needs its labels, y_test"):
        theory.generalisation(model, X, y, X_test=X)
    with pytest.raises(ValueError, match="900 rows, but 3 labels"):
        theory.generalisation(model, X, y, X_test=X, y_test=[1, 2, 3])
    with pytest.raises(ValueError, match="delta must be strictly between 0 and 1"):
        theory.generalisation(model, X, y, delta=1)
    with pytest.raises(ValueError, match="but the model tells"):
        theory.generalisation(model, X, y == "yes")
