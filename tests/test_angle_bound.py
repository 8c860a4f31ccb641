"""Passes that leave rows out make the same updates, bit for bit, as passes that read every row."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from skipping_runs import make_pass, skipping_passes

import separatrix as sx
from separatrix.algorithms.perceptrons import mistake_driven, training
from separatrix.algorithms.perceptrons.skipping import passes as passes_module
from separatrix.algorithms.perceptrons.skipping.angle_bound_signs_kernels import skipping_certain_signs
from separatrix.algorithms.perceptrons.skipping.angle_state_kernels import (
    RELATIVE_ERROR,
    TOTAL_TURN,
    bound_turn,
)
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.kernels.certain_signs import LOWEST, WRONG, certain_signs
from separatrix.rows.memory import DenseRows, SparseRows

CASES = ["wide", "narrow", "noisy", "repeated", "zero rows", "huge", "tiny", "far"]


def rows_of(case, n=6000, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 7))
    u = random.standard_normal(7)
    scores = X @ u
    signs = np.where(scores > 0, 1, -1)
    X += (signs * {"wide": 1.0, "narrow": 0.01}.get(case, 0.1))[:, None] * u / np.linalg.norm(u)
    if case == "noisy":
        signs[random.random(n) < 0.02] *= -1
    if case == "repeated":
        X[n // 2 :], signs[n // 2 :] = X[: n // 2], signs[: n // 2]
    if case == "zero rows":
        X[::500] = 0.0
    return X * {"huge": 1e150, "tiny": 1e-150}.get(case, 1.0) + (50.0 if case == "far" else 0.0), signs


def assert_same_run(X, y, monkeypatch, passes=12, **options):
    """The run with rows left out, after comparison with the plain one."""
    with np.errstate(all="ignore"), monkeypatch.context() as patch:
        patch.setattr(
            mistake_driven,
            "inseparable_or_undecided",
            lambda *_, **__: sx.certificates.Undecided("Not asked."),
        )
        skipping_model = sx.Perceptron(max_iter=passes, **options).fit(X, y)
        patch.setattr(training, "MIN_SKIPPING_ROWS", 10**9)
        plain = sx.Perceptron(max_iter=passes, **options).fit(X, y)
    assert skipping_model.history_["mistakes"] == plain.history_["mistakes"]
    np.testing.assert_array_equal(skipping_model.coef_, plain.coef_)
    np.testing.assert_array_equal(skipping_model.intercept_, plain.intercept_)
    assert type(skipping_model.certificate_) is type(plain.certificate_)
    for fact in ("radius_", "margin_", "geometric_margin_"):
        np.testing.assert_allclose(getattr(skipping_model, fact), getattr(plain, fact), rtol=1e-9)
    if skipping_model.mistake_run_ is not None:
        assert skipping_model.mistake_run_.rows == plain.mistake_run_.rows
        assert skipping_model.mistake_run_.counts == plain.mistake_run_.counts
    return skipping_model


pytestmark = pytest.mark.filterwarnings("ignore::separatrix.FitWarning")


@pytest.fixture(params=["angle bound", "quantised copy"])
def means(request, monkeypatch):
    """Rows left out by the angle bound alone, and by the 8-bit copy after one pass."""
    if request.param == "angle bound":
        monkeypatch.setattr(passes_module, "MIN_REMAINING_PASSES", 10**9)
    else:
        monkeypatch.setattr(passes_module, "MIN_LATE_MISTAKES", 0)
        monkeypatch.setattr(passes_module, "MIN_READ_BYTES", 0)
        monkeypatch.setattr(passes_module, "WELL_WITHIN_SHARE", -1.0)
    return request.param


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ["float64", "float32", "sparse", "no intercept", "half step"])
def test_the_same_updates_as_reading_every_row(case, kind, monkeypatch):
    X, y = rows_of(case)
    if kind == "float32":
        X = (X / np.abs(X).max()).astype(np.float32)
    given = csr_matrix(X) if kind == "sparse" else X
    options = {"no intercept": {"fit_intercept": False}, "half step": {"step": 0.5}}.get(kind, {})
    assert_same_run(given, y, monkeypatch, **options)


@pytest.mark.parametrize("scale", [1e-310, 1e-160, 1e-100, 1e-72, 1e-69, 1e69, 1e72, 1e100, 1e152, 1e300])
@pytest.mark.parametrize("intercept", [True, False])
def test_scales_where_squares_underflow_or_overflow(scale, intercept, means, monkeypatch):
    X, y = rows_of("narrow", n=4500)
    X /= np.abs(X).max()
    assert_same_run(X * scale, y, monkeypatch, passes=8, fit_intercept=intercept)
    assert_same_run(X, y, monkeypatch, passes=8, fit_intercept=intercept, step=scale)


def test_rows_of_all_scales_side_by_side(means, monkeypatch):
    random = np.random.default_rng(1)
    X, y = rows_of("wide", n=5000)
    for low, high in ((-170, 160), (-75, -65), (60, 75), (-20, 20)):
        spread = 10.0 ** random.uniform(low, high, (len(X), 1))
        assert_same_run(X * spread, y, monkeypatch, passes=8, fit_intercept=False)
        assert_same_run(X * spread, y, monkeypatch, passes=8)


@pytest.mark.parametrize("size", [1e3, 1e8, 1e12, 1e16])
def test_weights_that_shrink_from_a_long_start(size, means, monkeypatch):
    """The length is carried along by a recurrence, whose error is a share of what it was at its largest."""
    X, y = rows_of("narrow", n=8000)
    X *= size / 300
    start = -size * (X * y[:, None]).mean(0)
    assert_same_run(X, y, monkeypatch, passes=10, start=[*start, 0.0])
    assert_same_run(X, y, monkeypatch, passes=10, start=[*start, 0.0], step=1e-3)
    assert_same_run(X / size, y, monkeypatch, passes=10, start=[*(start / size), size / 1e3])


def test_rows_that_cancel(means, monkeypatch):
    """Scores that are differences of large numbers: what is left of them is mostly rounding."""
    random = np.random.default_rng(2)
    X = random.standard_normal((5000, 6))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 3] += 1e9
    X[:, 4] = X[:, 3] + 1e-7 * X[:, 4]
    assert_same_run(X, y, monkeypatch, passes=15)
    assert_same_run(X.astype(np.float32), y, monkeypatch, passes=15)
    assert_same_run(X, y, monkeypatch, passes=15, fit_intercept=False, step=0.3)


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.1, 0.45])
def test_rows_on_the_plane_up_to_rounding(noise, means, monkeypatch):
    random = np.random.default_rng(3)
    X = random.standard_normal((6000, 5))
    plane = random.standard_normal(5)
    X -= np.outer(X @ plane, plane) / (plane @ plane)
    y = np.where(X @ plane > 0, 1, -1)
    X[::3] += 0.5 * np.outer(y[::3], plane)
    y[random.random(len(y)) < noise] *= -1
    assert_same_run(X, y, monkeypatch, passes=20, fit_intercept=False)
    assert_same_run(np.round(X * 4) / 4, y, monkeypatch, passes=20)


@pytest.mark.parametrize("seed", range(25))
def test_families_at_random(seed, means, monkeypatch):
    random = np.random.default_rng(seed)
    X, y = rows_of(CASES[seed % 5], n=2 * int(random.integers(2048, 4500)), seed=seed)
    X = X * 10.0 ** random.uniform(-4, 4, X.shape[1]) + random.choice([0.0, 1.0, 30.0])
    X = X.astype(random.choice([np.float64, np.float32]))
    given = csr_matrix(X * (random.random(X.shape) < 0.4)) if seed % 4 == 3 else X
    options = {"fit_intercept": bool(seed % 2), "step": float(random.choice([1.0, 0.1, 7.0]))}
    assert_same_run(given, y, monkeypatch, passes=15, **options)


def test_a_column_that_is_stored_twice(monkeypatch):
    """Entries of one place are one entry, their sum: lengths, and with them all that is left out, rely on
    it."""
    X, y = rows_of("narrow")
    given = csr_matrix(X)
    columns = np.tile(np.arange(7), 2 * len(X))
    twice = csr_matrix((np.hstack([3 * X, -2 * X]).ravel(), columns, 14 * np.arange(len(X) + 1)), X.shape)
    assert not twice.has_canonical_format
    stored = twice.nnz
    model = assert_same_run(twice, y, monkeypatch)
    assert twice.nnz == stored
    once = sx.Perceptron(max_iter=12).fit(given, y)
    assert model.radius_ == pytest.approx(once.radius_, rel=1e-12)


@pytest.mark.parametrize("kind", ["float64", "float32", "sparse"])
@pytest.mark.parametrize("case", ["wide", "narrow", "noisy", "zero rows", "far"])
def test_a_row_within_its_angle_budget_is_right_in_exact_arithmetic(case, kind):
    X, y = rows_of(case, n=1500, seed=4)
    X = X.astype(np.float32) if kind == "float32" else X
    codes, classes = (y > 0).astype(np.int32), np.array([-1, 1])
    rows = (SparseRows if kind == "sparse" else DenseRows)(
        csr_matrix(X) if kind == "sparse" else X, codes, classes
    )
    learner, skipping = skipping_passes(rows)
    exact = [[Fraction(float(value)) for value in (*row, 1.0)] for row in X]
    left_out = 0
    for _ in range(4):
        skipping._angle_bounds.record_block(skipping._X, skipping._signs, 0, skipping.shared.norms)
        scalars = skipping._angle_bounds.state.scalars
        limit = (scalars[TOTAL_TURN] + bound_turn(scalars)) * (1 + 1e-12) + 4 * scalars[RELATIVE_ERROR]
        now = [Fraction(w) for w in learner.weights]
        for i in np.flatnonzero(skipping._angle_bounds.state.angle_budgets > limit):
            margin = int(y[i]) * sum(a * b for a, b in zip(exact[i], now, strict=True))
            assert margin > 0
            left_out += 1
    assert left_out or case in ("far", "narrow", "noisy")


@pytest.mark.parametrize("kind", ["float64", "float32", "sparse"])
@pytest.mark.parametrize("scale", [1.0, 1e-170, 1e155])
def test_certain_signs_against_exact_signs(kind, scale):
    random = np.random.default_rng(5)
    X = np.round(random.standard_normal((400, 6)) * 8) / 8 * (scale if kind != "float32" else 1.0)
    w = np.append(random.integers(-3, 4, 6), 0.0).astype(np.float64)
    w[:6] += random.choice([0.0, 2.0**-52], 6) * w[:6]
    X = X.astype(np.float32) if kind == "float32" else X
    rows = SparseRows(csr_matrix(X)) if kind == "sparse" else DenseRows(X)
    signs = random.choice(np.array([-1, 1], np.int8), 400)
    truth = Margins(tuple(w[:-1].tolist()), None).compare(X.astype(np.float64), signs)
    doubtful, found = np.empty(400, np.int32), np.array([np.inf, 0.0])
    with np.errstate(all="ignore"):
        n = certain_signs(rows.block(0, 400).X, signs, w, doubtful, found)
    sure = np.setdiff1d(np.arange(400), doubtful[:n])
    assert np.count_nonzero(truth[sure] <= 0) == found[WRONG]
    assert not (truth[sure] == 0).any()
    if scale == 1.0 or kind == "float32":
        assert len(sure) > 300
        margins = signs * (X.astype(np.float64) @ w[:-1])
        assert found[LOWEST] == pytest.approx(margins[sure].min(), rel=1e-12)
    else:
        assert n == 400


@pytest.mark.parametrize("kind", ["float64", "sparse"])
def test_the_least_margin_without_reading_all_rows(kind):
    X, y = rows_of("wide", n=20_000)
    rows = (
        SparseRows(csr_matrix(X), (y > 0).astype(np.int32), np.array([-1, 1]))
        if kind == "sparse"
        else DenseRows(X, (y > 0).astype(np.int32), np.array([-1, 1]))
    )
    learner, skipping = skipping_passes(rows, passes=3)
    weights = learner.weights
    while make_pass(learner, skipping):
        pass
    doubtful, found = np.empty(len(X), np.int32), np.full(1, np.inf)
    whole = rows.block(0, len(X))
    n = skipping_certain_signs(
        whole.X, whole.signs(1), skipping._angle_bounds.state, weights, doubtful, found
    )
    every = np.array([np.inf, 0.0])
    assert (n, certain_signs(whole.X, whole.signs(1), weights, doubtful, every)) == (0, 0)
    assert found[LOWEST] == pytest.approx(every[LOWEST], rel=1e-14)


def test_nothing_is_counted_on_after_a_pass_that_noted_nothing():
    """Many mistakes, then none: the second pass is a plain one, and all rows are read for the proof."""
    X = np.repeat(np.eye(200), 25, axis=0)
    y = np.where(np.arange(len(X)) < 2500, 1, -1)
    rows = DenseRows(X, (y > 0).astype(np.int32), np.array([-1, 1]))
    learner, skipping = skipping_passes(rows, constant=0.0)
    assert [make_pass(learner, skipping), make_pass(learner, skipping)] == [200, 0]
    assert skipping.find_doubtful_rows() is None
    model = sx.Perceptron(fit_intercept=False).fit(X, y)
    assert (model.mistakes_, model.passes_) == (200, 2)
    assert model.certificate_.verify(X, y).holds


def test_rows_in_doubt_are_settled_in_whole_numbers(monkeypatch):
    """A run may end on floats that say right where the exact score is zero or wrong: it is not proven."""
    random = np.random.default_rng(6)
    X = random.integers(-50, 51, (5000, 3)) * 0.1
    y = np.where(X @ [1.0, 2.0, -1.5] > 0, 1, -1)
    model = assert_same_run(X, y, monkeypatch, passes=40)
    if isinstance(model.certificate_, sx.certificates.Separable):
        assert model.certificate_.verify(X, y).holds


def test_most_rows_are_left_out():
    """Not only the same: after the first pass over easy rows nearly all are passed over."""
    from separatrix.algorithms.perceptrons.skipping.angle_bound import AngleBounds

    X, y = rows_of("wide", n=400_000)
    seen = []
    original = AngleBounds.begin_pass

    def skipping(self):
        reads_all = original(self)
        seen.append(self.share)
        return reads_all

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AngleBounds, "begin_pass", skipping)
        sx.Perceptron().fit(X, y)
    assert min(seen) < 0.2
