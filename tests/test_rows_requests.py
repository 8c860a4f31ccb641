"""The six requests and the views of `Rows`: what they give, for rows wherever they are."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

import separatrix as sx
from separatrix.rows import DataError, DenseRows, SparseRows, as_rows, with_targets
from separatrix.rows.joined import JoinedRows
from separatrix.rows.rows import Rows


def table(n=400, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + rng.normal(size=n) > 0
    return X, y.astype(int)


@dataclass(frozen=True)
class ThroughPickle:
    """A term as another process would get it, unpickled for every block."""

    content: bytes

    def __call__(self, block):
        return pickle.loads(self.content)(block)


@pytest.fixture
def elsewhere(monkeypatch):
    """Terms and picks go through pickle; returns how many did."""
    sent = []
    original = Rows.each

    def each(self, term, **named):
        content = pickle.dumps(term)
        sent.append(len(content))
        return original(self, ThroughPickle(content), **named)

    return lambda: monkeypatch.setattr(Rows, "each", each) or sent


CLASSIFIERS = [
    sx.Perceptron(max_iter=30),
    sx.Perceptron(max_iter=5, order="shuffled", random_state=0),
    sx.PocketPerceptron(max_iter=10, random_state=0),
    sx.AveragedPerceptron(max_iter=5),
    sx.VotedPerceptron(max_iter=2),
    sx.MarginPerceptron(max_iter=10),
    sx.BatchPerceptron(max_iter=10),
    sx.PassiveAggressive(max_iter=5),
    sx.MaxMargin(time_limit=None),
    sx.LinearSVM(),
    sx.LinearSVM(loss="squared_hinge"),
    sx.LogisticRegression(),
    sx.LogisticRegression(C=np.inf),
    sx.ZeroOne(node_limit=5, time_limit=None),
]
REGRESSORS = [sx.LinearRegression(), sx.Ridge(alpha=1.0), sx.Ridge(alpha=[0.1, 1.0, 10.0])]


def name_of(model):
    changed = {
        key: value for key, value in model.get_params().items() if key in ("order", "loss", "C", "alpha")
    }
    return f"{type(model).__name__}-{changed}"


def kinds_of_rows(X, y, tmp_path):
    codes, classes = y.astype(np.int32), np.array([0, 1])
    path = tmp_path / "rows.csv"
    lines = (",".join(map(repr, [*row, int(label)])) for row, label in zip(X.tolist(), y, strict=True))
    header = ",".join([f"x{j}" for j in range(X.shape[1])] + ["y"])
    path.write_text("\n".join([header, *lines]) + "\n")
    return {
        "dense": DenseRows(X, codes, classes, rows_in_block=64),
        "columns first": DenseRows(np.asfortranarray(X), codes, classes, rows_in_block=64),
        "sparse": SparseRows(csr_array(X), codes, classes, rows_in_block=64),
        "file": sx.read(path, label="y", memory=0),
        "parts": JoinedRows(
            [DenseRows(X[part], codes[part], classes) for part in (slice(150), slice(150, None))]
        ),
    }


@pytest.mark.filterwarnings("ignore::separatrix.FitWarning")
@pytest.mark.parametrize("kind", ["dense", "columns first", "sparse", "file", "parts"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)
def test_terms_work_in_another_process_and_rows_stay_as_they_were(model, kind, tmp_path, elsewhere):
    X, y = table(n=200 if isinstance(model, sx.ZeroOne) else 400)
    rows = kinds_of_rows(X, y, tmp_path)[kind]
    before = dict(vars(rows))
    here = model.__class__(**model.get_params()).fit(rows)
    assert vars(rows).keys() == before.keys()
    assert all(vars(rows)[name] is value for name, value in before.items())
    sent = elsewhere()
    there = model.__class__(**model.get_params()).fit(rows)
    for name in {"coef_", "intercept_", "votes_"} & vars(here).keys():
        assert np.asarray(getattr(here, name)).tobytes() == np.asarray(getattr(there, name)).tobytes(), name
    assert np.array_equal(here.predict(rows), there.predict(rows))
    assert sent
    assert max(sent) < 100_000


@pytest.mark.parametrize("model", REGRESSORS, ids=name_of)
@pytest.mark.parametrize("sparse", [False, True])
def test_terms_of_regressions_work_in_another_process(model, sparse, elsewhere):
    X, _ = table(n=900, d=12)
    y = X @ np.arange(12.0) + np.random.default_rng(1).normal(size=900)
    rows = with_targets(as_rows(csr_array(X) if sparse else X), y)
    before = dict(vars(rows))
    here = model.__class__(**model.get_params()).fit(rows)
    assert all(vars(rows)[name] is value for name, value in before.items())
    elsewhere()
    there = model.__class__(**model.get_params()).fit(rows)
    assert here.coef_.tobytes() == there.coef_.tobytes()
    assert here.predict(X).tobytes() == there.predict(X).tobytes()


def test_separate_works_through_pickled_picks(tmp_path, elsewhere):
    X, y = table()
    rows = kinds_of_rows(X, y, tmp_path)["parts"]
    here = sx.separate(rows)
    elsewhere()
    there = sx.separate(rows)
    assert (here.kind, here.conflict) == (there.kind, there.conflict)
    assert there.certificate.verify(X, y).holds


@pytest.mark.parametrize("kind", ["dense", "columns first", "sparse", "file", "parts"])
def test_take_and_sample_give_rows_of_any_kind_in_the_order_asked(kind, tmp_path):
    X, y = table()
    rows = kinds_of_rows(X, y, tmp_path)[kind].weighted(np.arange(400.0))
    chosen = np.array([7, 399, 3, 3, 150])
    taken = rows.take(chosen)
    assert taken.in_memory
    assert taken.n_rows == 5
    assert np.array_equal(taken.whole().dense(), X[chosen])
    assert taken.label_codes().tolist() == y[chosen].tolist()
    assert taken.weights.tolist() == chosen.tolist()
    some = rows.sample(10, seed=3)
    assert np.array_equal(some.whole().dense(), X[some.weights.astype(int)])
    assert np.array_equal(rows.sample(10).whole().dense(), X[np.linspace(0, 399, 10).astype(int)])


@pytest.mark.parametrize("kind", ["dense", "columns first", "sparse", "file", "parts"])
def test_views_change_what_they_say_and_nothing_else(kind, tmp_path):
    X, y = table()
    rows = kinds_of_rows(X, y, tmp_path)[kind]
    centre, weights = np.arange(5.0), np.arange(400.0)
    views = {
        "scaled": rows.scaled(3),
        "weighted": rows.weighted(weights),
        "turned": rows.with_codes(np.array([1, 0]), rows.classes),
    }
    expected = {"scaled": 8 * X, "weighted": X, "turned": X}
    if not rows.is_sparse:
        views["centred"], expected["centred"] = rows.centred(centre), X - centre
    for name, view in views.items():
        assert np.array_equal(view.whole().dense(), expected[name]), name
        assert view.label_codes().tolist() == ((1 - y) if name == "turned" else y).tolist()
        assert (view.n_rows, view.name) == (rows.n_rows, rows.name)
    both = rows.scaled(1).weighted(weights).take(np.array([5, 2]))
    assert np.array_equal(both.whole().dense(), 2 * X[[5, 2]])
    assert both.weights.tolist() == [5.0, 2.0]
    assert rows.weights is None


@pytest.mark.parametrize("kind", ["dense", "sparse", "parts"])
def test_fold_in_a_drawn_order_visits_every_row_once(kind, tmp_path):
    X, y = table(n=5000)
    rows = kinds_of_rows(X, y, tmp_path)[kind]

    def note(seen, block):
        return [*seen, *range(block.start, block.stop)]

    assert rows.fold(note, []) == list(range(5000))
    order = rows.fold(note, [], np.random.RandomState(0))
    assert sorted(order) == list(range(5000))
    assert order == rows.fold(note, [], np.random.RandomState(0))
    assert order != list(range(5000))


def test_worst_hands_back_notes_in_block_order():
    rows = DenseRows(np.arange(30.0)[:, None], rows_in_block=7)
    worst = rows.worst(lambda block: (np.arange(1), -block.X[:1, 0], block.start), 3)
    assert worst.notes == (0, 7, 14, 21, 28)
    assert worst.indices.tolist() == [28, 21, 14]


def test_parts_of_other_columns_are_refused():
    with pytest.raises(DataError, match="Part 1 has other columns"):
        JoinedRows([as_rows([[1.0]]), as_rows([[1.0, 2.0]])])


def test_a_sample_does_not_depend_on_blocks():
    X = random_array((300, 6), density=0.3, rng=np.random.default_rng(0), format="csr")
    samples = {
        SparseRows(X, rows_in_block=size).sample(20, seed=5).whole().dense().tobytes() for size in (1, 7, 300)
    }
    assert len(samples) == 1


def test_blocks_are_kept_unless_they_hold_a_copy():
    """A pass over few blocks that are views does not cut them again."""
    X = np.arange(12.0).reshape(6, 2)
    for values, kept in ((X, True), (csr_array(X), True), (np.asfortranarray(X), False), (X[:, ::-1], False)):
        rows = as_rows(values, [0, 1] * 3).in_blocks_of(3)
        first, again = list(rows.blocks()), list(rows.blocks())
        assert [one is other for one, other in zip(first, again, strict=True)] == [kept, kept]
        assert next(rows.weighted(np.ones(6)).blocks()).weights is not None
        assert next(rows.blocks()).weights is None


def test_a_sample_of_all_rows_in_memory_is_these_rows():
    rows = as_rows(np.eye(5), [0, 1, 0, 1, 0])
    assert rows.sample(5) is rows
    assert rows.sample(9, seed=1) is rows
    assert rows.sample(4, seed=1).n_rows == 4
