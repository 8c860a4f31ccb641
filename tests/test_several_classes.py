"""Several classes in one pass over the data: each learner as if it were alone, and the rows read once for
all."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from skipping_runs import skipping_passes
from written_files import write

import separatrix as sx
from separatrix.algorithms.perceptrons import mistake_driven, training
from separatrix.algorithms.perceptrons.skipping import passes
from separatrix.rows import read
from separatrix.rows.memory import DenseRows
from separatrix.rows.rows import Rows

CLASSES = 4
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.FitWarning")


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch):
    """The question whether rows are separable at all reads them in its own way."""
    monkeypatch.setattr(
        mistake_driven, "inseparable_or_undecided", lambda *_, **__: sx.certificates.Undecided("Not asked.")
    )


def directions(n=6000, d=8, gap=0.0, noise=0.0, seed=0):
    """Rows around corners, four at most, so that each class has a plane of its own; ``gap`` widens the way
    between."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, min(CLASSES, d), n)
    X = 0.3 * rng.standard_normal((n, d))
    X[np.arange(n), y] += 1.0 + gap
    y[rng.random(n) < noise] = 0
    return X, y


def assert_as_if_alone(X, y, given=None, **options):
    given = X if given is None else given
    labels = None if given is not X and not hasattr(given, "shape") else y
    together = sx.Perceptron(**options).fit(given, labels)
    for k, label in enumerate(together.classes_):
        alone = sx.Perceptron(**options).fit(X, y == label)
        assert together.history_[k]["mistakes"] == alone.history_["mistakes"]
        assert together.coef_[k].tobytes() == alone.coef_[0].tobytes()
        assert together.intercept_[k] == alone.intercept_[0]
        assert together.radius_[k] == alone.radius_
        assert together.margin_[k] == pytest.approx(alone.margin_, rel=1e-12)
        assert together.mistake_run_[k].rows == alone.mistake_run_.rows
        assert together.mistake_run_[k].counts == alone.mistake_run_.counts
        proof = together.certificate_[k]
        assert type(proof) is type(alone.certificate_)
        if isinstance(proof, sx.certificates.Separable):
            assert proof.verify(X, y).holds
    return together


@pytest.mark.parametrize("kind", ["float64", "float32", "sparse", "fortran"])
@pytest.mark.parametrize(("gap", "noise"), [(3.0, 0.0), (0.8, 0.0), (0.0, 0.0), (0.5, 0.2)])
def test_each_class_as_if_it_were_alone(kind, gap, noise):
    X, y = directions(gap=gap, noise=noise)
    X = X.astype(np.float32) if kind == "float32" else X
    given = {"sparse": csr_matrix, "fortran": np.asfortranarray}.get(kind, np.asarray)(X)
    assert_as_if_alone(given, y, max_iter=12)


def test_with_the_copy_and_with_small_blocks(monkeypatch):
    monkeypatch.setattr(passes, "MIN_LATE_MISTAKES", 0)
    monkeypatch.setattr(passes, "MIN_READ_BYTES", 0)
    monkeypatch.setattr(passes, "WELL_WITHIN_SHARE", -1.0)
    original = DenseRows.__init__

    def small(self, *given, **named):
        original(self, *given, **named)
        self.rows_in_block = 170

    monkeypatch.setattr(DenseRows, "__init__", small)
    X, y = directions(gap=0.8)
    assert_as_if_alone(X, y, max_iter=15)


def test_blocks_change_nothing_that_is_noted():
    """Angle budgets, norms and the figures of a first pass in blocks are those of one in a piece."""
    X, y = directions(gap=3.0)
    rows = DenseRows(X, y.astype(np.int32), np.arange(CLASSES), rows_in_block=777)
    seen = []
    for blocks in ([rows.block(0, len(X))], list(rows.blocks())):
        learner, watched = skipping_passes(rows, positive=2)
        assert not watched.next_pass(is_only_learner=False)
        for block in blocks:
            watched.visit_block(block.X, block.start, block.stop)
        assert watched.passes_made == 1
        state, norms = watched._angle_bounds.state, watched.shared.norms
        arrays = (
            state.angle_budgets,
            state.squares,
            state.scalars,
            norms.largest,
            learner.weights,
            learner.counts,
        )
        seen.append((learner.mistakes, [array.tobytes() for array in arrays]))
    assert seen[0] == seen[1]


@pytest.fixture
def walks(monkeypatch):
    """How often the blocks of the rows were walked to their end, by what was going on."""
    found: Counter[str] = Counter()
    stage = ["before"]

    def counting(original):
        def blocks(self, *given):
            yield from original(self, *given)
            found[stage[0]] += 1

        return blocks

    monkeypatch.setattr(Rows, "blocks", counting(Rows.blocks))
    walk = training._visit_all

    def watched(*given):
        stage[0] = "pass"
        walk(*given)
        stage[0] = "after"

    monkeypatch.setattr(training, "_visit_all", watched)
    return found


@pytest.mark.parametrize("kind", ["csv", "parquet", "svm"])
@pytest.mark.parametrize("method", [sx.Perceptron, sx.AveragedPerceptron, sx.PassiveAggressive])
def test_a_file_is_read_once_a_pass_for_all_classes(kind, method, tmp_path, walks):
    X, y = directions(n=3000, d=3, gap=3.0)
    path = write(tmp_path, kind, X, y)
    rows = read(path, memory=0)
    assert not rows.in_memory
    walks.clear()
    model = method(max_iter=5).fit(rows)
    assert walks["pass"] == max(model.passes_)
    assert walks["after"] <= 2  # errors in floats for those that did not settle, then exactly for all others
    assert walks["before"] == 0


@pytest.mark.parametrize("kind", ["csv", "svm"])
def test_a_streamed_file_gives_what_the_array_gives(kind, tmp_path):
    X, y = directions(n=5000, d=3, gap=1.0)
    X = np.round(X * 64) / 64  # no sum rounds: dense and sparse agree in every bit
    assert_as_if_alone(X, y, read(write(tmp_path, kind, X, y), memory=0), max_iter=8)


def test_rows_in_memory_are_walked_once_in_the_first_pass(walks):
    X, y = directions(n=20_000, gap=3.0)
    sx.Perceptron(max_iter=1).fit(X, y)
    assert walks["pass"] == 1
    walks.clear()
    model = sx.Perceptron(max_iter=20).fit(X, y)
    assert walks["pass"] <= max(model.passes_)


def test_nan_is_found_in_a_shared_pass():
    X, y = directions(n=5000)
    X[4321, 3] = np.nan
    with pytest.raises(sx.DataError, match="NaN at row 4321, column 3"):
        sx.Perceptron().fit(X, y)
