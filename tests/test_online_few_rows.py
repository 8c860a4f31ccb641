"""Rows that come one by one, without checks that take longer than they: the same weights and refusals."""

from __future__ import annotations

import copy
import itertools
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone

import separatrix as sx
from separatrix.models.storage import from_json, to_json

UNNAMED = pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names")
MODELS = (
    sx.Perceptron,
    sx.PassiveAggressive,
    sx.AveragedPerceptron,
    sx.PocketPerceptron,
    sx.MarginPerceptron,
    sx.VotedPerceptron,
)
WEIGHTS = {sx.VotedPerceptron: ("voters_", "votes_")}


def rows(n: int = 300, d: int = 7, classes: int = 2):
    random = np.random.default_rng(1)
    X = random.normal(size=(n, d))
    return X, np.argmax(X[:, :classes] + 0.3 * random.normal(size=(n, classes)), axis=1)


def bits(value):
    """A value that is equal to another one only if all bits of its numbers are."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: bits(each) for key, each in value.items()}
    return tuple(map(bits, value)) if isinstance(value, tuple) else value


def told(model):
    """All that a model knows, the run behind its weights included, but for the seconds it took."""
    return {name: bits(value) for name, value in model._fitted_state().items() if name != "history_"}


def carefully(model, X, y):
    """The way that checks everything: labels in a list take it."""
    return model.partial_fit(X, y.tolist())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_every_row_tells_what_the_careful_way_tells(model, classes, intercept, dtype):
    """Rows with ties, rows that are far on their side, and long ones; after each all is compared."""
    X, y = rows(40, 5, classes)
    X = np.concatenate([X, np.round(X), 100.0 * X]).astype(dtype)
    y = np.concatenate([y, y, y])
    names = range(classes)
    quick, careful = (model(fit_intercept=intercept).partial_fit(X[:9], y[:9], names) for _ in range(2))
    streamed, doubles = (model(fit_intercept=intercept).partial_fit(X[:9], y[:9], names) for _ in range(2))
    seen = sx.stream(streamed, zip(X, y, strict=True))
    for i in range(len(X)):
        row, label = X[i : i + 1], y[i : i + 1]
        assert told(quick.partial_fit(row, label)) == told(carefully(careful, row, label)), i
        scores = doubles.decision_function(row.astype(float))
        answer = next(seen)
        assert told(streamed) == told(carefully(doubles, row.astype(float), label)), i
        if np.abs(scores).min() > 1e-9:
            assert answer.prediction == (int(scores[0] > 0) if classes == 2 else np.argmax(scores))


@pytest.mark.filterwarnings("ignore::separatrix.NothingProven", "ignore::separatrix.NotSeparable")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", [m for m in MODELS if m not in (sx.PocketPerceptron, sx.MarginPerceptron)])
def test_one_row_a_call_is_a_pass_bit_for_bit(model, classes, intercept, dtype):
    X, y = rows(200, 20, classes)
    X = X.astype(dtype)
    whole = model(max_iter=2, fit_intercept=intercept).fit(X, y)
    single, streamed = model(fit_intercept=intercept), model(fit_intercept=intercept)
    for i in [*range(len(X))] * 2:
        single.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(classes))
    list(sx.stream(streamed, list(zip(X, y, strict=True)) * 2, classes=range(classes)))
    for name in (*WEIGHTS.get(model, ("coef_", "intercept_")), "mistakes_", "updates_"):
        assert bits(getattr(single, name)) == bits(getattr(whole, name)), name
        if dtype == "float64":
            assert bits(getattr(streamed, name)) == bits(getattr(whole, name)), name


@pytest.mark.filterwarnings("ignore::separatrix.NothingProven", "ignore::separatrix.NotSeparable")
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("k", [-1000, -600, -520, 520, 600, 960])
@pytest.mark.parametrize("model", [m for m in MODELS if m not in (sx.PocketPerceptron, sx.MarginPerceptron)])
def test_units_are_those_of_a_fit_but_for_powers_of_two(model, k, classes, kind):
    """Through the origin, where products of the values underflow or overflow."""
    X, y = rows(60, 5, classes)
    X[:20] = np.ldexp(X[:20], 60)
    X = np.ldexp(X, k)
    options = {"variant": "PA"} if model is sx.PassiveAggressive else {}
    made = [model(fit_intercept=False, max_iter=1, **options) for _ in range(4)]
    whole, at_once, single, streamed = made
    whole.fit(kind(X), y)
    at_once.partial_fit(kind(X), y)
    for i in range(len(X)):
        single.partial_fit(kind(X[i : i + 1]), y[i : i + 1], classes=range(classes))
    pairs = [(kind(X[i : i + 1]), label) for i, label in enumerate(y)]
    seen = list(sx.stream(streamed, pairs, classes=range(classes)))
    for other in (at_once, single, streamed):
        for name in (*WEIGHTS.get(model, ("coef_", "intercept_")), "mistakes_", "updates_"):
            assert bits(getattr(other, name)) == bits(getattr(whole, name)), name
    plain = model(fit_intercept=False, **options)
    assert seen == list(sx.stream(plain, zip(np.ldexp(X, -k), y, strict=True), classes=range(classes)))


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize(("k", "far"), [(0, -1000), (0, 900), (300, -600), (-900, 0), (-900, 1000)])
def test_rows_of_sizes_too_far_apart_are_refused(k, far, kind):
    """And leave the model as it was, in all ways that they come; those up to 2^200 apart are learned."""
    X, y = rows(20, 3)
    model = sx.Perceptron(fit_intercept=False).partial_fit(kind(np.ldexp(X, k)), y)
    before, refused = told(model), kind(np.ldexp(X, far))
    wrong = 1 - model.predict(refused)  # a row that is right may change nothing
    message = r"more than 2\^200 times as large or small as others: divide the columns"
    for way in (
        lambda: model.partial_fit(refused, wrong),
        lambda: model.partial_fit(refused[:1], wrong[:1]),
        lambda: next(sx.stream(model, [(refused[:1], wrong[0])])),
    ):
        with pytest.raises(sx.DataError, match=message):
            way()
        assert told(model) == before
    near = kind(np.ldexp(X, k + (190 if far > k else -190)))
    assert told(model.partial_fit(near, 1 - model.predict(near))) != before


def test_rows_of_moderately_different_sizes_make_the_mistakes_of_exact_arithmetic():
    X, y = rows(60, 3)
    for k in (-700, 0, 700):
        Z = np.ldexp(X, k + np.random.default_rng(2).choice([-190, 0], size=(60, 1)))
        model, weights, mistakes = sx.Perceptron(fit_intercept=False), [Fraction(0)] * 3, 0
        for row, label in zip(Z, y, strict=True):
            z = [Fraction(value) if label else -Fraction(value) for value in row]
            if sum(a * b for a, b in zip(weights, z, strict=True)) <= 0:
                weights, mistakes = [a + b for a, b in zip(weights, z, strict=True)], mistakes + 1
            model.partial_fit(row[np.newaxis], np.array([label]), classes=[0, 1])
            assert model.mistakes_ == mistakes
        np.testing.assert_allclose(model.coef_[0], [float(value) for value in weights], rtol=1e-12)


@pytest.mark.parametrize("model", [m for m in MODELS if m is not sx.PassiveAggressive])
def test_rows_of_zeros_settle_no_units(model):
    X, y = rows(20, 3)
    one, other = (model(fit_intercept=False).partial_fit(np.zeros((1, 3)), y[:1], [0, 1]) for _ in range(2))
    one.partial_fit(X, y)
    other.partial_fit(np.ldexp(X, -900), y)
    assert one.mistakes_ == other.mistakes_
    assert one.predict(X).tolist() == other.predict(np.ldexp(X, -900)).tolist()


@pytest.mark.filterwarnings("ignore::separatrix.NothingProven", "ignore::separatrix.NotSeparable")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_a_row_that_changes_nothing_still_leaves_the_fit_behind(model, classes):
    """And whatever happens to a model between two rows, the next one is learned as the careful way does."""
    X, y = rows(120, 5, classes)
    fitted = model(max_iter=3, random_state=0).fit(X, y)
    row, label = 1e6 * X[:1], fitted.predict(1e6 * X[:1])
    between = {
        "nothing": lambda m: m,
        "a pickle": lambda m: pickle.loads(pickle.dumps(m)),
        "a copy": copy.deepcopy,
        "other parameters": lambda m: m.set_params(n_jobs=1),
        "a fit": lambda m: m.fit(X[::-1], y[::-1]),
    }
    if model is not sx.VotedPerceptron:
        between["weights of a user"] = lambda m: vars(m).update(coef_=0.5 * m.coef_) or m
        between["an intercept"] = lambda m: vars(m).update(intercept_=m.intercept_ + 3.0) or m
    for name, happens in between.items():
        quick, careful = (model(max_iter=3, random_state=0).fit(X, y) for _ in range(2))
        for _ in range(3):
            quick, careful = happens(quick), happens(careful)
            assert told(quick.partial_fit(row, label)) == told(carefully(careful, row, label)), name
        assert not hasattr(quick, "margin_"), name
        assert not hasattr(clone(quick), "classes_")
        assert told(happens(quick).fit(X, y)) == told(fitted)


@pytest.mark.parametrize("model", MODELS)
def test_a_stream_goes_on_with_what_the_model_has_learned_elsewhere(model):
    X, y = rows(120, 5)
    streamed, straight = model(), model()
    seen = sx.stream(streamed, zip(X, y, strict=True), classes=[0, 1])
    for i in range(len(X)):
        next(seen)
        straight.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
        for one in (streamed, straight):
            if i % 7 == 0:
                carefully(one, X[i : i + 3], 1 - y[i : i + 3])
            if i % 7 == 3:
                one.partial_fit(X[i : i + 1], 1 - y[i : i + 1])
        assert told(streamed) == told(straight), i


OTHER = [
    (sx.PassiveAggressive, {"C": 1e-3}),
    (sx.PassiveAggressive, {"variant": "PA-II", "C": 0.1}),
    (sx.Perceptron, {"step": 0.125}),
    (sx.Perceptron, {"step": np.array([3.0, 2.0])}),
    (sx.Perceptron, {"step": lambda k: 1 / (1 + k)}),
    (sx.MarginPerceptron, {"share": 0.999}),
]


@pytest.mark.filterwarnings("ignore::separatrix.fitting.FitWarning")
@pytest.mark.parametrize(("model", "other"), OTHER)
@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_changed_parameter_is_gone_by_from_the_next_row_on(model, other, begin, classes):
    """However it is changed, whatever way the next rows come, and after a file as without one."""
    X, y = rows(90, 4, classes)
    if model is sx.MarginPerceptron:  # rows that go on changing its weights are those that it can separate
        X[np.arange(len(X)), y] += 6.0
    else:
        y = np.roll(y, 1)

    def begun():
        return getattr(model(max_iter=2) if begin == "fit" else model(), begin)(X, y)

    def loaded():
        return from_json(to_json(begun()))

    ways = {
        "few rows": lambda m: m.partial_fit(X, y),
        "one row": lambda m: [m.partial_fit(X[i : i + 1], y[i : i + 1]) for i in range(len(X))],
        "carefully": lambda m: carefully(m, X, y),
        "a stream": lambda m: list(sx.stream(m, zip(X, y, strict=True))),
    }
    unchanged = begun().partial_fit(X, y)
    expected = loaded().set_params(**other).partial_fit(X, y)
    assert told(expected) != told(unchanged)
    for name, go_on in ways.items():
        for changed in (begun().set_params(**other), loaded(), begun()):
            vars(changed).update(other)
            go_on(changed)
            assert told(changed) == told(expected), name
    running = begun()
    seen = sx.stream(running, zip(X, y, strict=True))
    next(seen)
    running.set_params(**other)
    list(seen)
    assert told(running) == told(
        begun().partial_fit(X[:1], y[:1]).set_params(**other).partial_fit(X[1:], y[1:])
    )


@pytest.mark.filterwarnings("ignore::separatrix.fitting.FitWarning")
@pytest.mark.parametrize("model", MODELS)
def test_parameters_that_a_run_cannot_take_up_are_refused(model):
    X, y = rows(40, 3)
    for fitted in (model().partial_fit(X, y), from_json(to_json(model().partial_fit(X, y)))):
        before = told(fitted)
        fitted.fit_intercept = False
        with pytest.raises(ValueError, match="learned with True; set fit_intercept=False back, or call fit"):
            fitted.partial_fit(X[:1], y[:1])
        with pytest.raises(ValueError, match="learned with True; set fit_intercept=False back"):
            next(sx.stream(fitted, [(X[0], y[0])]))
        assert told(fitted) == before
        fitted.set_params(fit_intercept=True).partial_fit(X, y)
        fitted.set_params(fit_intercept=False, max_iter=3).fit(X, y).partial_fit(X, y)
    with pytest.raises(ValueError, match="C must be > 0 and finite; got -1"):
        sx.PassiveAggressive().partial_fit(X, y).set_params(C=-1).partial_fit(X[:1], y[:1])


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
        assert told(other) == told(once)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_one_row_that_is_refused_leaves_the_model_as_it_was(model, classes, value):
    X, y = rows(60, 5, classes)
    fitted = model().partial_fit(X, y)
    before, attributes = told(fitted), dict(vars(fitted))
    what = "NaN" if np.isnan(value) else "infinity"
    for scale, label, place in itertools.product((0.0, 1.0, 1e9), range(classes), range(5)):
        bad = scale * X[:1]
        bad[0, place] = value
        with pytest.raises(sx.DataError, match=f"contains {what} at row 0, column {place}: drop"):
            fitted.partial_fit(bad, np.array([label]))
        for row in (bad[0], csr_array(bad)):
            with pytest.raises(sx.DataError, match="Pair 0 holds NaN or infinity"):
                next(sx.stream(fitted, [(row, label)]))
    for row, label, message in (
        (X[:1, :4], y[:1], "X has 4 features, but .* is expecting 5 features"),
        (X[:1], np.array([7]), r"y\[0\] is 7, which is not one of the classes"),
        (X[:1], y[:2], "inconsistent numbers of samples: X has 1 rows and y has 2"),
        (X[:1].astype(complex), y[:1], "Complex data not supported"),
        (X[:1].astype(str).astype(object) + "x", y[:1], "X holds '.*x' at row 0, column 0"),
        (X[0], y[:1], "Expected 2D array, got 1D array"),
        (X[:0], y[:0], "0 sample"),
    ):
        with pytest.raises(ValueError, match=message):
            fitted.partial_fit(row, label)
    assert told(fitted) == before
    assert vars(fitted).keys() == attributes.keys()


@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
@pytest.mark.parametrize("model", MODELS)
def test_sparse_rows_of_any_order_in_a_stream(model, kind):
    """Entries in order take a short way; others, repeated ones, and longer numbers of columns do not."""
    X, y = rows(90, 6)
    X = np.round(8 * X * (np.random.default_rng(5).random(X.shape) < 0.6)) / 8  # so that no sum rounds
    X[4] = 0.0

    def in_order(row):
        return row

    def turned(row):
        return kind((row.data[::-1], row.indices[::-1], row.indptr), shape=row.shape)

    def repeated(row):
        ends = 2 * row.indptr
        return kind((np.repeat(row.data, 2) / 2, np.repeat(row.indices, 2), ends), shape=row.shape)

    def long(row):
        row.indices, row.indptr = row.indices.astype(np.int64), row.indptr.astype(np.int64)
        return row

    forms = itertools.cycle([in_order, turned, repeated, long, lambda row: row.tocoo()])
    dense, sparse = model(), model()
    pairs = [(form(kind(x[None])), label) for form, x, label in zip(forms, X, y, strict=False)]
    answers = list(sx.stream(sparse, pairs, classes=[0, 1]))
    expected = list(sx.stream(dense, zip(X, y, strict=True), classes=[0, 1]))
    assert [a.mistake for a in answers] == [a.mistake for a in expected]
    assert np.array_equal(sparse.mistakes_, dense.mistakes_)
    if model in (sx.Perceptron, sx.PocketPerceptron, sx.VotedPerceptron):
        assert told(sparse) == told(dense)
    before = told(sparse)
    for place in (-1, 6, 2**31 - 1):
        broken = kind(X[:1])
        broken.indices[-1] = place
        with pytest.raises(sx.DataError, match="The sparse matrix is broken"):
            next(sx.stream(sparse, [(broken, 0)]))
    with pytest.raises(sx.DataError, match="has 7 numbers, but there are 6 columns"):
        next(sx.stream(sparse, [(kind((1, 7)), 0)]))
    assert told(sparse) == before


def test_one_row_is_predicted_as_in_a_table():
    X, y = rows(50, 5, 3)
    for labels in (y, y == 0):
        for dtype in (np.float64, np.float32):
            model = sx.Perceptron().partial_fit(X, labels)
            one_by_one = [model.predict(x[None].astype(dtype))[0] for x in X]
            assert one_by_one == model.predict(X.astype(dtype)).tolist()
            assert one_by_one == [model.predict([x.astype(dtype).tolist()])[0] for x in X]
    named = sx.Perceptron().partial_fit(pd.DataFrame(X, columns=list("abcde")), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X[:1])
    for bad, message in (
        (X[:1, :4], "X has 4 features"),
        (X[0], "Expected 2D array"),
        (X[:0], "0 sample"),
        (np.full((1, 5), np.nan), "NaN at row 0, column 0"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(bad)


@pytest.mark.filterwarnings("ignore::separatrix.NothingProven", "ignore::separatrix.NotSeparable")
@pytest.mark.parametrize("model", MODELS)
def test_after_a_refused_fit_of_other_columns_the_model_goes_on_with_its_own(model):
    X, y = rows(40, 3)
    wide, _ = rows(40, 30)
    fitted = model(max_iter=2).fit(X, y)
    with pytest.raises(sx.DataError, match="NaN at row 3"):
        fitted.fit(np.where(np.arange(40)[:, None] == 3, np.nan, wide), y)
    for learn in (
        lambda: fitted.partial_fit(wide[:1], y[:1]),
        lambda: carefully(fitted, wide, y),
        lambda: list(sx.stream(fitted, zip(wide, y, strict=True))),
    ):
        with pytest.raises(ValueError, match=r"30 features, but|30 numbers, but there are 3"):
            learn()
    fitted.partial_fit(X, y).predict(X)
    fitted.fit(wide, y).partial_fit(wide[:1], y[:1])


@pytest.mark.parametrize("model", MODELS)
def test_refusals_of_few_rows_are_those_of_many(model):
    X, y = rows()
    fitted = model().partial_fit(X, y, classes=[0, 1])
    before = told(fitted)
    bad = X[:2].copy()
    bad[1, 3] = np.nan
    for values, labels in ((bad, y[:2]), (X[:2, :5], y[:2]), (X[:2], y[:3]), (X[:2], np.array([0, 7]))):
        with pytest.raises(ValueError, match=r"."):
            fitted.partial_fit(values, labels)
    assert told(fitted) == before


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
            for name in WEIGHTS.get(model, ("coef_", "intercept_")):
                assert bits(getattr(found, name)) == bits(getattr(plain, name)), kind
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


def test_a_limit_with_units_is_not_taken_up_in_others():
    X, y = np.ldexp(np.array([[1.0, 0.5], [1.0, 0.0], [0.0, 1.0]]), -600), np.array([0, 1, 0])
    model = sx.PassiveAggressive(variant="PA", fit_intercept=False).partial_fit(X, y)
    before = model.coef_.tolist()
    with pytest.raises(ValueError, match="These parameters have units"):
        model.set_params(variant="PA-I").partial_fit(X, y)
    assert model.coef_.tolist() == before
    assert model.set_params(variant="PA").partial_fit(X, y).coef_.tolist() != before


@pytest.mark.parametrize("step", [0.3, [0.3, 0.1, 0.7]])
def test_a_model_in_other_units_goes_on_from_a_file(step, tmp_path):
    """Its weights in the user's units have rounded to the least doubles: the file holds those of the run."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        X, y = random.integers(-4, 5, (40, 2)) * 1e-310, random.integers(0, 2, 40)
        model = sx.Perceptron(fit_intercept=False, step=step).partial_fit(X[:20], y[:20], classes=[0, 1])
        sx.save(model, tmp_path / "model.json")
        loaded = sx.load(tmp_path / "model.json")
        for each in (model, loaded):
            each.partial_fit(X[20:], y[20:])
        assert loaded.mistakes_ == model.mistakes_
        assert loaded.coef_.tolist() == model.coef_.tolist()
