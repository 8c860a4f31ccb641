"""Rows that come one by one, without checks that take longer than they: the same weights and refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array

import separatrix as sx

UNNAMED = pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names")
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


def kinds_of(X, y, folder):
    """The same labelled rows in every form that partial_fit takes: (X, y), or rows alone."""
    names = [f"c{i}" for i in range(X.shape[1])]
    columns = dict(zip(names, X.T, strict=True))
    pq.write_table(pa.table(columns | {"y": y}), folder / "t.parquet")
    yield pl.DataFrame(columns), pl.Series(y)
    yield pa.table(columns), pa.array(y)
    yield pd.DataFrame(columns), pd.Series(y.astype(object))
    yield sx.as_rows(X, y), None
    yield sx.as_rows(csr_array(X), y), None
    for memory in (2**28, 0):
        yield sx.read(folder / "t.parquet", label="y", memory=memory), None


@UNNAMED
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_labels_are_coded_by_the_known_classes_whatever_the_rows_are(model, classes, text, tmp_path):
    """A batch that holds the larger of the classes only, first and later."""
    X, y = rows(60, 3, classes)
    X = np.round(8 * X) / 8  # no sum rounds, so that sparse and dense agree to the bit
    names = np.array(["a", "bb", "ccc"] if text else [3, 5, 9])[:classes]
    last = y == classes - 1
    for kind, (values, labels) in enumerate(kinds_of(X[last], names[y[last]], tmp_path)):
        later = model().partial_fit(X, names[y]).partial_fit(values, labels)
        first = model().partial_fit(values, labels, classes=names).partial_fit(X, names[y])
        for found, order in ((later, ((X, names[y]), (X[last], names[y[last]]))), (first, None)):
            plain = model()
            for some in order or ((X[last], names[y[last]]), (X, names[y])):
                plain.partial_fit(*some, classes=names)
            assert found.classes_.tolist() == names.tolist()
            assert found.coef_.tobytes() == plain.coef_.tobytes(), kind
            assert found.intercept_.tobytes() == plain.intercept_.tobytes(), kind
            assert np.array_equal(found.mistakes_, plain.mistakes_)


@UNNAMED
def test_labels_that_are_none_of_the_classes_are_refused_whatever_the_rows_are(tmp_path):
    X, y = rows(20, 3)
    fitted = sx.Perceptron().partial_fit(X, y)
    before = fitted.coef_.copy()
    strange = np.where(np.arange(20) == 4, 7, y)
    where = [r"y\[4\]"] * 5 + [r"The label of row 4 of t\.parquet", r"A label of t\.parquet"]
    for (values, labels), place in zip(kinds_of(X, strange, tmp_path), where, strict=True):
        with pytest.raises(sx.DataError, match=rf"^{place} is 7, which is not one of the classes \[0, 1\]"):
            fitted.partial_fit(values, labels)
    with pytest.raises(sx.DataError, match="carry no labels"):
        fitted.partial_fit(sx.as_rows(X))
    assert np.array_equal(fitted.coef_, before)


OBJECTS = [
    (["a", "b"], ["abc", "bcd"], r"y\[0\] is 'abc', which is not one of the classes \['a', 'b'\]"),
    (["a", "b"], [0, 1], r"y\[0\] is 0, which"),
    (["a", "b"], ["a", None], "Input y contains NaN: the label of row 1 is missing"),
    ([0, 1], [0.7, 1.2], "Unknown label type: continuous"),
    ([0, 1], ["0", "1"], r"y\[0\] is '0', which"),
    ([0, 1], [None, 1], "Input y contains NaN: the label of row 0 is missing"),
    ([0, 1], [1, float("nan")], "Input y contains NaN: the label of row 1 is missing"),
    ([0, 1], [1, "1"], "y mixes int, str"),
    ([1, 300], [np.int16(300), 2**40], r"y\[1\] is 1099511627776, which"),
]


@pytest.mark.parametrize(("classes", "labels", "message"), OBJECTS)
def test_labels_of_any_object_are_compared_by_value(classes, labels, message):
    X = np.array([[1.0], [-1.0]])
    fitted = sx.Perceptron().partial_fit(X, np.array(classes))
    with pytest.raises(sx.DataError, match=message):
        fitted.partial_fit(X, np.array(labels, object))
    assert fitted.mistakes_ == sx.Perceptron().partial_fit(X, np.array(classes)).mistakes_


def test_equal_labels_of_another_type_are_the_same_class():
    X = np.array([[1.0], [-1.0]])
    for labels in ([0.0, 1.0], [False, True], np.array([0, 1], object), np.array([0.0, 1.0], object)):
        fitted = sx.Perceptron().partial_fit(X, np.array([0, 1])).partial_fit(X, labels)
        assert fitted.classes_.dtype == int
        assert fitted.mistakes_ == 2


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([], r"classes=\[\] names fewer than two labels"),
        (["a"], "fewer than two labels"),
        ("ab", "classes should be a 1d array"),
        ([None, 1], "Input classes contains NaN"),
        ([0, 1.5], "Unknown label type: continuous"),
    ],
)
def test_classes_that_make_no_sense(classes, message):
    X, y = rows(20, 3)
    for model in (sx.Perceptron(), sx.Perceptron().partial_fit(X, y)):
        with pytest.raises(sx.DataError, match=message):
            model.partial_fit(X, y, classes=classes)


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
