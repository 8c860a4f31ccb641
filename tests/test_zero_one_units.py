"""The fewest errors whatever the magnitudes: small tables with huge and tiny entries against brute force."""

from __future__ import annotations

import os
import warnings
from fractions import Fraction

import numpy as np
import pytest
from naive_zero_one import fewest_errors, kind
from test_fewest_errors import written

import separatrix as sx
from separatrix.certificates.check.__main__ import main as check
from separatrix.rows import jobs

LARGEST, LEAST = 2.0**1023, 5e-324


def magnitude(draws, family):
    """A power of 2 or of 10 from the 4th up to the ends of the range of doubles, or a subnormal."""
    up = draws.random() < 0.5
    if family == "near":
        return 2.0 ** ((1 if up else -1) * int(draws.choice([4, 8, 16, 26, 30, 53, 64])))
    if family == "binary":
        return 2.0 ** ((1 if up else -1) * int(draws.integers(4, 1023)))
    if family == "decimal":
        return 10.0 ** ((1 if up else -1) * int(draws.integers(4, 308)))
    if family == "far":
        return 10.0 ** ((1 if up else -1) * int(draws.choice([20, 150, 300])))
    return LARGEST if up else LEAST * int(draws.integers(1, 2 ** int(draws.integers(1, 50))))


def table(seed):
    """A few rows whose columns mix 0, 1, small multiples and a few magnitudes; signs; costs; an intercept."""
    draws = np.random.default_rng(seed)
    n, d = int(draws.integers(4, 10)), int(draws.integers(1, 4))
    family = str(draws.choice(["near", "binary", "decimal", "far", "subnormal"]))
    pool = [magnitude(draws, family) for _ in range(int(draws.integers(1, 5)))]
    if draws.random() < 0.5:
        pool += [1 / size for size in pool if size > 1e-308]
    sizes = np.array([0.0, 1.0, *pool])[draws.integers(0, len(pool) + 2, (n, d))]
    times = np.where((draws.random((n, d)) < 0.2) & (sizes < 1e307), draws.integers(1, 6, (n, d)), 1)
    X = sizes * times * draws.choice([-1.0, 1.0], (n, d))
    signs = draws.choice([-1, 1], n)
    signs[draws.permutation(n)[:2]] = -1, 1
    costs = None
    if draws.random() < 0.3:
        few = [[1.0, 2.0, 3.0], [2.0**40, 1e-3, 1.0, 3.0], [1e300, 1e-300, 1.0, LEAST]]
        costs = draws.choice(few[int(draws.integers(0, 3))], n)
    return X, signs, costs, bool(draws.integers(0, 2))


def fitted(model, X, y, costs=None):
    """The fitted model: it warns exactly where predict misses a row that its halfspace gets right."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        model.fit(X, y, sample_weight=costs)
    right = np.setdiff1d(np.arange(len(y)), model.misclassified_)
    missed = np.count_nonzero(model.predict(X)[right] != y[right])
    assert [type(one.message) for one in given] == [sx.FitWarning] * bool(missed)
    assert all(f"predict misses {missed} of {len(y)} training rows" in str(one.message) for one in given)
    positive = np.asarray(y)[right] == model.classes_[1]
    assert np.array_equal(np.asarray(model.halfspace_.score(X))[right] > 0, positive)
    return model


def test_a_rounding_that_predict_cannot_show_is_a_warning():
    """No doubles have all four rows on their sides, though whole numbers do."""
    X = np.array([[1, 1, -(2.0**100)], [3, -1, 3], [1, 1, -1], [-(2.0**-100), 0, 2.0**100]])
    y = np.array([1, 0, 0, 1])
    model = fitted(sx.ZeroOne(fit_intercept=False), X, y)
    assert model.errors_ == 0
    assert np.count_nonzero(model.predict(X) != y) == 1


def holds(seed):
    X, signs, costs, intercept = table(seed)
    fewest = fewest_errors(X.tolist(), signs.tolist(), None, intercept)
    cheapest = (
        fewest if costs is None else fewest_errors(X.tolist(), signs.tolist(), costs.tolist(), intercept)
    )
    options = {"time_limit": 60, "n_jobs": 1, "max_margin": seed % 4 == 0}
    model = fitted(sx.ZeroOne(fit_intercept=intercept, **options), X, signs, costs)
    certificate = model.certificate_
    assert model.errors_ == model.lower_bound_ == (int if cheapest == int(cheapest) else float)(cheapest)
    assert model.optimal_
    assert certificate.errors * certificate.unit == certificate.bound * certificate.unit == cheapest
    assert sum(1 if costs is None else Fraction(costs[i]) for i in model.misclassified_) == cheapest
    assert certificate.verify(X, signs).holds
    for k in range(len(X) + 1) if seed % 20 == 0 else {max(0, fewest - 1), fewest} if seed % 3 == 0 else ():
        answer = sx.min_disagreement(X, signs, k, intercept=intercept, n_jobs=1)
        assert answer.answer is (fewest <= k)
        assert answer.lower_bound <= fewest <= answer.errors
        assert answer.certificate.verify(X, signs).holds
    separation = sx.separate(X, signs, intercept=intercept)
    assert separation.kind == kind(X.tolist(), signs.tolist(), intercept)
    assert separation.certificate.verify(X, signs).holds
    return X, signs, certificate, separation


@pytest.mark.parametrize("block", range(20))
def test_every_answer_is_that_of_brute_force(block, tmp_path):
    for seed in range(50 * block, 50 * block + 50):
        X, signs, certificate, separation = holds(seed)
        if seed % 25 == 0:
            assert check(written(tmp_path, X, signs, certificate)) == 0
            assert check(written(tmp_path, X, signs, separation.certificate)) == 0


def test_floats_that_overflow_on_the_way_are_no_warning():
    """Found among tens of thousands of tables: a step of a search that was infinite."""
    holds(5020197)


@pytest.mark.deep
@pytest.mark.parametrize("block", range(100))
def test_every_answer_is_that_of_brute_force_a_hundred_thousand_times(block):
    for seed in range(10**6 + 1000 * block, 10**6 + 1000 * block + 1000):
        holds(seed)


# Rows through the origin: one error is the fewest.
MIXED = np.array(
    [
        [-1e300, -1e300, 1e300],
        [0, -1e-300, 1],
        [1e-300, 1e-300, 0],
        [0, 0, 1e-300],
        [-1e300, 0, -1],
        [0, 1e300, 1e300],
    ]
)
LABELS = np.array([0, 0, 0, 1, 0, 1])


def wide(seed):
    """As many columns as rows, about, so that circuits are the proof."""
    draws = np.random.default_rng(seed)
    n, d = int(draws.integers(8, 12)), int(draws.integers(4, 9))
    pool = [magnitude(draws, "decimal") for _ in range(3)]
    X = np.array([0.0, 0.0, 1.0, *pool])[draws.integers(0, 6, (n, d))] * draws.choice([-1.0, 1.0], (n, d))
    X = X[draws.integers(0, n // 2 + 1, n)] * draws.choice([1.0, 0.5], (n, 1))
    costs = draws.choice([1e300, 1e-300, 1.0, 2.0], n) if seed % 3 == 0 else None
    return X, np.where(np.arange(n) < 2, [-1, 1] * (n // 2) + [1] * (n % 2), draws.choice([-1, 1], n)), costs


@pytest.mark.parametrize("seed", range(12))
def test_many_columns_of_mixed_magnitudes(seed):
    X, signs, costs = wide(seed)
    wanted = fewest_errors(X.tolist(), signs.tolist(), None if costs is None else costs.tolist())
    model = fitted(sx.ZeroOne(time_limit=60), X, signs, costs)
    assert model.errors_ == model.lower_bound_ == float(wanted)
    assert model.certificate_.verify(X, signs).holds


def test_reports_say_what_the_certificate_proves():
    model = sx.ZeroOne(fit_intercept=False).fit(MIXED, LABELS)
    assert (model.errors_, model.lower_bound_) == (1, 1)
    found = sx.diagnose(MIXED, LABELS, intercept=False, budget=0.5)
    assert "1 at the least, proven" in str(found)
    assert (found.tasks[0].fewest.lower, found.tasks[0].fewest.upper) == (1, 1)


class Boastful:
    """An engine that claims what it cannot prove."""

    def __init__(self, *_):
        pass

    def run(self, problem, interval):
        interval.raise_lower(interval.upper, {"method": "none"})


def test_a_lower_end_that_its_proof_does_not_show_is_not_claimed(monkeypatch):
    monkeypatch.setattr("separatrix.algorithms.zero_one.strategy.Cones", Boastful)
    X, y = [[0.0], [1.0], [2.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1, 0, 1]
    model = sx.ZeroOne().fit(X, y)
    assert (model.errors_, model.lower_bound_, model.optimal_) == (2, 1, False)
    assert max(step.lower for step in model.history_) == 1
    assert model.certificate_.verify(X, y).holds
    answer = sx.min_disagreement(X, y, 1, intercept=True)
    assert (answer.answer, answer.errors, answer.lower_bound) == (None, 2, 1)


def test_weights_beyond_all_doubles():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    costs = [1.7e308, 1.7e308, 1.7e308, 1e-300]
    model = sx.ZeroOne().fit(X, y, sample_weight=costs)
    assert model.errors_ == model.lower_bound_ == 1.7e308
    assert model.certificate_.verify(X, y).holds
    model = sx.ZeroOne().fit([[1.0]] * 6, [0, 1] * 3, sample_weight=[1.7e308] * 6)
    assert model.errors_ == 3 * int(1.7e308)
    assert model.certificate_.verify([[1.0]] * 6, [0, 1] * 3).holds


def test_no_more_threads_than_are_of_use():
    assert jobs(10**30) == jobs(10**6) <= 4 * os.cpu_count()
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    for threads in (10**6, 10**30):
        assert sx.ZeroOne(n_jobs=threads, time_limit=10).fit(X, y).optimal_
        assert sx.min_disagreement(X, y, 0, n_jobs=threads).answer is False
        assert sx.separate(X, y, n_jobs=threads).kind == "overlap"
    assert sx.ZeroOne(time_limit=1e308).fit(X, y).optimal_


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"k": 1.5}, r"k must be an integer >= 0; got 1\.5"),
        ({"k": "1"}, "k must be an integer >= 0; got '1'"),
        ({"time_limit": "1"}, "time_limit must be > 0 or None; got '1'"),
        ({"time_limit": -1}, "time_limit must be > 0 or None; got -1"),
        ({"node_limit": 0}, "node_limit must be an integer >= 1 or None; got 0"),
        ({"random_state": 1.5}, r"random_state must be an integer .*; got 1\.5"),
        ({"n_jobs": 0}, "n_jobs must be a number of threads, or -1 for all cores; got 0"),
    ],
)
def test_senseless_arguments_of_min_disagreement_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        sx.min_disagreement([[0.0], [1.0]], [0, 1], **change)


@pytest.mark.parametrize("limit", ["1", -1, float("nan"), 1 + 2j])
def test_a_senseless_time_limit_of_separate_is_refused(limit):
    with pytest.raises(ValueError, match="time_limit must be >= 0 or None; got"):
        sx.separate([[0.0], [1.0]], [0, 1], time_limit=limit)
