"""Rows that come one by one, without checks that take longer than they: the same weights and refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import separatrix as sx

MODELS = (sx.Perceptron, sx.PassiveAggressive, sx.AveragedPerceptron, sx.PocketPerceptron)


def rows(n: int = 300, d: int = 7, classes: int = 2):
    random = np.random.default_rng(1)
    X = random.normal(size=(n, d))
    return X, np.argmax(X[:, :classes] + 0.3 * random.normal(size=(n, classes)), axis=1)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("classes", [2, 3])
def test_few_rows_at_a_time_are_all_rows_at_once(model, classes):
    X, y = rows(classes=classes)
    names = list(range(classes))
    once = model().partial_fit(X, y, classes=names)
    few, lists, streamed = model(), model(), model()
    for i in range(0, len(X), 3):
        few.partial_fit(X[i : i + 3], y[i : i + 3], classes=names)
        lists.partial_fit(X[i : i + 3].tolist(), y[i : i + 3].tolist(), classes=names)
    for _ in sx.stream(streamed, zip(X, y, strict=True), classes=names):
        pass
    for other in (few, lists, streamed):
        assert np.array_equal(other.coef_, once.coef_)
        assert np.array_equal(other.intercept_, once.intercept_)
        assert np.array_equal(other.mistakes_, once.mistakes_)


@pytest.mark.parametrize("model", MODELS)
def test_refusals_of_few_rows_are_those_of_many(model):
    X, y = rows()
    fitted = model().partial_fit(X, y, classes=[0, 1])
    before = fitted.coef_.copy()
    bad = X[:2].copy()
    bad[1, 3] = np.nan
    for values, labels in ((bad, y[:2]), (X[:2, :5], y[:2]), (X[:2], y[:3]), (X[:2], np.array([0, 7]))):
        with pytest.raises(ValueError, match=r"."):
            fitted.partial_fit(values, labels)
    assert np.array_equal(fitted.coef_, before)


def test_ties_in_a_stream_are_judged_as_in_training():
    """Whole numbers with scores of exactly 0, and rows whose two sums round apart, on either side."""
    random = np.random.default_rng(2)
    X = random.integers(-2, 3, size=(400, 4)).astype(float)
    X[::3] *= 1 / 3
    y = np.where(X @ [1, -1, 2, -2] > 0, 1, -1)
    streamed = sx.Perceptron()
    seen = list(sx.stream(streamed, zip(X, y, strict=True), classes=[-1, 1]))
    once = sx.Perceptron().partial_fit(X, y, classes=[-1, 1])
    assert np.array_equal(streamed.coef_, once.coef_)
    assert seen[-1].mistakes == streamed.mistakes_ == once.mistakes_ == sum(s.mistake for s in seen)


def test_huge_numbers_raise_no_warning():
    pairs = [(np.array([1e200, 1.0]), 1), (np.array([-1e200, 1.0]), 0)] * 3
    model = sx.Perceptron()
    assert len(list(itertools.islice(sx.stream(model, pairs, classes=[0, 1]), 6))) == 6


def test_a_stream_takes_rows_of_other_shapes_and_types():
    X, y = rows(60)
    plain, other = sx.Perceptron(), sx.Perceptron()
    list(sx.stream(plain, zip(X.astype(np.float32).astype(float), y, strict=True), classes=[0, 1]))
    shapes = itertools.cycle([lambda x: x[None], lambda x: x.tolist(), lambda x: x])
    odd = (shape(x) for shape, x in zip(shapes, X.astype(np.float32), strict=False))
    list(sx.stream(other, zip(odd, y, strict=False), classes=[0, 1]))
    assert np.array_equal(plain.coef_, other.coef_)
    with pytest.raises(sx.DataError, match="one row is needed"):
        list(sx.stream(sx.Perceptron(), [(np.zeros((2, 7)), 0)], classes=[0, 1]))
