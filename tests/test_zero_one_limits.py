"""The fewest errors where floats, limits or disks fail: an answer all the same, and its own numbers right."""

from __future__ import annotations

import os

import numpy as np
import pytest

import separatrix as sx
from separatrix.algorithms.zero_one.lower.circuits import branching_tree


def noisy(n, d, seed, share=0.2):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(n, d))
    y = X @ draws.normal(size=d) > 0
    return X, y ^ (draws.random(n) < share)


def assert_sound(model, X, y):
    assert model.lower_bound_ <= model.errors_ == len(model.misclassified_)
    assert model.optimal_ == (model.lower_bound_ == model.errors_)
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("seed", range(6))
def test_rows_that_floats_take_for_dependent(seed):
    draws = np.random.default_rng(seed)
    X = 2.0 ** draws.integers(-60, 60, (40, 4)) if seed % 2 else draws.normal(size=(40, 4)) ** 41
    y = draws.integers(0, 2, 40)
    assert_sound(sx.ZeroOne(time_limit=0.3).fit(X, y), X, y)


def test_multipliers_too_long_to_write_are_left_to_the_reader(monkeypatch):
    monkeypatch.setattr(branching_tree, "MAX_MULTIPLIER_BITS", 8)
    X, y = noisy(60, 9, 1)
    model = sx.ZeroOne(node_limit=60, n_jobs=1).fit(X, y)
    assert model.lower_bound_ > 0
    circuits = [circuit for part in model.certificate_.proof["parts"] for circuit in part["circuits"]]
    assert circuits
    assert not any(multipliers for _, _, multipliers in circuits)
    assert_sound(model, X, y)


@pytest.mark.parametrize("seed", range(40))
def test_errors_are_those_of_the_halfspace_returned(seed):
    """A search that stops early may be bettered by the halfspace with the widest margin."""
    draws = np.random.default_rng(seed)
    X = draws.integers(0, 2, (60, int(draws.integers(3, 9)))).astype(float)
    y = (X @ draws.normal(size=X.shape[1]) + draws.normal(0, 1, 60) > 0).astype(int)
    model = sx.ZeroOne(tol=0.95, fit_intercept=False).fit(X, y)
    assert_sound(model, X, y)
    right = np.setdiff1d(np.arange(60), model.misclassified_)
    assert model.halfspace_.geometric_margins(X[right], 2 * y[right] - 1).min() >= model.margin_ * (1 - 1e-12)


def test_equal_and_parallel_rows_count_in_the_margin():
    """Of two equal rows with opposite labels one is right, and of parallel ones the shortest is nearest."""
    X = np.array([[1.0, 0.0], [0.25, 0.0], [0.0, 1.0], [-1.0, -1.0], [2.0, 1.0], [2.0, 1.0]])
    y = np.array([1, 1, 1, 0, 1, 0])
    model = sx.ZeroOne(fit_intercept=False).fit(X, y)
    assert model.errors_ == 1
    right = np.setdiff1d(np.arange(6), model.misclassified_)
    margins = model.halfspace_.geometric_margins(X[right], 2 * y[right] - 1)
    assert 0 < model.margin_ <= margins.min() * (1 + 1e-12)
    assert margins.min() <= model.margin_ * (1 + 1e-5)


@pytest.mark.parametrize("more", [lambda X: np.zeros((len(X), 5)), lambda X: 2 * X], ids=["zeros", "twice"])
def test_dependent_columns_make_a_search_no_harder(more):
    X, y = noisy(150, 3, 2)
    plain = sx.ZeroOne(time_limit=20).fit(X, y)
    model = sx.ZeroOne(time_limit=20).fit(np.c_[X, more(X)], y)
    assert plain.optimal_
    assert model.errors_ == plain.errors_
    assert model.certificate_.proof["method"] == plain.certificate_.proof["method"]
    assert_sound(model, np.c_[X, more(X)], y)


@pytest.mark.parametrize("cell", [-1e4, 1e8, -1e30, 1e200])
def test_one_huge_cell_hides_nothing(cell):
    """It decides the side of its own row, at most: one error more or less."""
    X, y = noisy(120, 4, 6, share=0.08)
    plain = sx.ZeroOne(time_limit=20).fit(X, y)
    X[3, 1] = cell
    model = sx.ZeroOne(time_limit=20).fit(X, y)
    assert plain.optimal_
    assert model.optimal_
    assert abs(model.errors_ - plain.errors_) <= 1
    assert_sound(model, X, y)


@pytest.mark.parametrize("seed", range(4))
def test_heavy_tails(seed):
    draws = np.random.default_rng(seed)
    X = draws.standard_cauchy((80, 3))
    y = X @ [1, 1, -1] + draws.standard_cauchy(80) > 0
    model = sx.ZeroOne(time_limit=20).fit(X, y)
    assert model.optimal_
    assert_sound(model, X, y)


@pytest.mark.parametrize("intercept", [True, False])
def test_no_time_at_all_gives_a_halfspace_all_the_same(intercept):
    X, y = noisy(400, 30, 3)
    model = sx.ZeroOne(time_limit=1e-9, fit_intercept=intercept).fit(X, y)
    assert np.append(model.coef_, model.intercept_).any()
    assert model.errors_ <= 200
    assert_sound(model, X, y)


def test_a_checkpoint_needs_a_folder(tmp_path):
    with pytest.raises(ValueError, match=r"absent.*there is no such folder"):
        sx.ZeroOne(checkpoint=tmp_path / "absent" / "kept.json").fit(*noisy(40, 2, 4))


def test_a_checkpoint_that_cannot_be_written_loses_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    X, y = noisy(60, 2, 5)
    with pytest.warns(sx.FitWarning, match=r"kept\.json could not be written: No space left"):
        model = sx.ZeroOne(checkpoint=tmp_path / "kept.json").fit(X, y)
    assert model.optimal_
    assert not list(tmp_path.iterdir())
