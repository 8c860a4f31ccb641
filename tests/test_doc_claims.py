"""Sentences of the pages that a small computation can confirm."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import separatrix as sx
from separatrix.algorithms.perceptrons import pocket as pocket_module
from separatrix.algorithms.perceptrons.pocket import PocketLearner


def noise(n, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.choice([-1, 1], size=n)


def test_the_pocket_is_the_best_of_two_weights_counted_per_pass_and_not_of_the_whole_run(monkeypatch):
    visited, counted = [], []
    visit_rows, count = PocketLearner.visit_rows, pocket_module.count_candidate_errors

    def recorded(self, X, signs, places, first):
        visited.append(np.column_stack([X, np.ones(len(X))])[places] * signs[places, None])
        return visit_rows(self, X, signs, places, first)

    def counting(rows, positive, candidates, constant):
        counted.append(count(rows, positive, candidates, constant))
        return counted[-1]

    monkeypatch.setattr(PocketLearner, "visit_rows", recorded)
    monkeypatch.setattr(pocket_module, "count_candidate_errors", counting)
    better = 0
    for seed in range(12):
        X, y = noise(30, seed)
        visited.clear()
        counted.clear()
        model = sx.PocketPerceptron(max_iter=4, random_state=seed).fit(X, y)
        assert [len(errors) for errors in counted] == [2] * 4
        assert model.errors_ == min(min(errors) for errors in counted)
        Z = np.column_stack([X, np.ones(len(X))]) * y[:, None]
        w, best = np.zeros(3), len(X)
        for z in np.concatenate(visited):
            if z @ w <= 0:
                w = w + z
            best = min(best, int((Z @ w <= 0).sum()))
        better += best < model.errors_
    assert better > 0


def test_the_pocket_draws_each_row_independently_up_to_1024_rows(monkeypatch):
    """Beyond, a block of 1,024 rows is drawn and then that many of its rows."""
    visits, visit_rows = [], PocketLearner.visit_rows

    def recorded(self, X, signs, places, first):
        visits.append((len(X), len(places)))
        return visit_rows(self, X, signs, places, first)

    monkeypatch.setattr(PocketLearner, "visit_rows", recorded)
    for n in (1024, 1025):
        visits.clear()
        sx.PocketPerceptron(max_iter=1, random_state=0).fit(*noise(n, 0))
        assert (visits == [(n, n)]) == (n == 1024)


def test_radius_over_margin_depends_on_the_units_of_one_column_and_not_of_all():
    X, y = sx.problems.separable(60, 2, margin=0.25)

    def ratio(X):
        return np.linalg.norm(X, axis=1).max() / sx.separate(X, y).margin.lower

    assert ratio(8.0 * X) == pytest.approx(ratio(X), rel=1e-9)
    assert abs(ratio(X * [1.0, 8.0]) / ratio(X) - 1) > 0.1


def test_mistakes_end_where_a_wrong_row_comes_once_and_go_on_where_all_rows_come_back():
    X, y = np.array([[1.0], [2.0], [-1.0], [-2.0]]), np.array([1, 1, -1, -1])
    model = sx.Perceptron()
    model.partial_fit([[1.5]], [-1], classes=[-1, 1])
    assert sx.separate(np.append(X, [[1.5]], 0), np.append(y, -1)).kind == "overlap"
    made = [model.partial_fit(X, y).mistakes_ for _ in range(30)]
    assert made[-1] == made[-10]
    X, y = sx.problems.xor()
    model = sx.Perceptron()
    made = [model.partial_fit(X, y, classes=[0, 1]).mistakes_ for _ in range(30)]
    assert all(later > before for before, later in pairwise(made))


def test_points_at_plus_and_minus_one_are_shattered_with_margin_one():
    """So (R/γ)² = 1 bounds the points that hyperplanes through the origin shatter, and no others."""
    points = [[-1.0], [1.0]]
    assert len(sx.theory.shatters(points).certificates) == 4
    for labels in ([0, 1], [1, 0]):
        assert sx.separate(points, labels).margin.lower == 1.0
    assert sx.theory.fat_shattering(radius=1.0, margin=1.0) == 1


def test_a_row_of_a_support_vector_machine_costs_what_its_functional_margin_is_short_of_one():
    X, y = noise(60, 3)
    model = sx.LinearSVM(C=0.5).fit(X, y)
    w, margins = model.coef_.ravel(), y * model.decision_function(X)
    price = 0.5 * w @ w + 0.5 * np.maximum(0.0, 1.0 - margins).sum()
    assert model.objective_ == pytest.approx(price, rel=1e-6)
    distances = margins / np.linalg.norm(w)
    short = np.maximum(0.0, 1.0 / np.linalg.norm(w) - distances)
    assert model.objective_ == pytest.approx(0.5 * w @ w + 0.5 * np.linalg.norm(w) * short.sum(), rel=1e-6)
