"""Errors are counted exactly and every certificate that a fit issues holds, whatever the scale of the rows
and however near the plane they lie."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import separatrix as sx
from separatrix.algorithms.perceptrons import training
from separatrix.algorithms.perceptrons.skipping import passes
from separatrix.certificates import ErrorsAtMost, Inseparable, Separable
from separatrix.fitting.exact_errors import count_errors, count_errors_by_class
from separatrix.kernels.certain_signs import LOWEST, certain_signs
from separatrix.rows.memory import DenseRows, SparseRows

pytestmark = [
    pytest.mark.filterwarnings("ignore::separatrix.FitWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
CLASSES = np.array([-1, 1])


def exact_margins(X, signs, weights, intercept):
    w, b = [Fraction(v) for v in weights], Fraction(intercept)
    return [
        int(s) * (sum((Fraction(float(x)) * v for x, v in zip(row, w, strict=True)), Fraction(0)) + b)
        for row, s in zip(X, signs, strict=True)
    ]


def rows_with(X, signs, kind="float64", **options):
    codes = (np.asarray(signs) > 0).astype(np.int32)
    if kind == "sparse":
        return SparseRows(csr_matrix(X), codes, CLASSES, **options)
    return DenseRows(X, codes, CLASSES, **options)


def near_the_plane(random, n, d, scale, weights):
    """Rows whose score is zero exactly, zero in floats only, or a hair beside it."""
    X = np.round(random.standard_normal((n, d)) * 8) / 8 * scale
    if d > 1 and weights[-1]:
        X[: n // 2, -1] = -(X[: n // 2, :-1] @ weights[:-1]) / weights[-1]
    X[n // 4 : n // 3] = np.nextafter(X[n // 4 : n // 3], np.inf)
    return X


FAMILIES = st.tuples(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 3, 9, 33, 130]),
    st.sampled_from([0, 0, 0, -300, -160, -140, -139, -70, -69, 69, 70, 139, 140, 160, 300]),
    st.sampled_from([0, 0, 0, -308, -300, -150, -139, 139, 150, 300]),
    st.sampled_from(["float64", "float32", "sparse"]),
    st.sampled_from(["whole", "tenths", "normal"]),
)


@given(FAMILIES)
def test_errors_are_those_of_fractions(family):
    seed, d, scale, exponent, kind, spread = family
    random = np.random.default_rng(seed)
    weights = {
        "whole": lambda: random.integers(-3, 4, d).astype(float),
        "tenths": lambda: random.integers(-30, 31, d) * 0.1,
        "normal": lambda: random.standard_normal(d),
    }[spread]()
    with np.errstate(all="ignore"):
        X = near_the_plane(random, 40, d, 1.0, weights)
        X = X * (10.0 ** np.clip(scale, -37, 37) if kind == "float32" else 10.0**scale)
        weights = weights * 10.0**exponent
        X = np.nan_to_num(X.astype(np.float32 if kind == "float32" else np.float64))
    if seed % 5 == 0:
        X[:] *= random.choice([0.0, 1.0], X.shape).astype(X.dtype)
    intercept = float(random.choice([0.0, weights[0], -weights[0], 1e-320]))
    signs = random.choice(np.array([-1, 1], np.int8), 40)
    truth = exact_margins(X, signs, weights, intercept)
    wrong = sum(margin <= 0 for margin in truth)
    for n_jobs, size in ((1, None), (2, 7)):
        rows = rows_with(X, signs, kind, n_jobs=n_jobs, rows_in_block=size)
        with np.errstate(all="ignore"):
            found = count_errors(rows, 1, weights, intercept)
        assert found.errors == wrong
        assert (found.min_margin > 0) == (wrong == 0) or abs(found.min_margin) < 1e-300


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_at_the_ends_of_their_type(dtype):
    """The largest and the least numbers, normal and not, side by side, and sums that cancel to zero."""
    info = np.finfo(dtype)
    ends = np.array([info.max, -info.max, info.tiny, -info.tiny, info.smallest_subnormal, 0.0, 1.0], dtype)
    X = np.array(np.meshgrid(ends, ends, ends)).reshape(3, -1).T.copy()
    signs = np.where(np.arange(len(X)) % 2, 1, -1).astype(np.int8)
    for weights in (
        [1.0, 1.0, -1.0],
        [1e-310, 1.0, 1.0],
        [5e-324, 0.0, 0.0],
        [1e139, -1e139, 1.0],
        [1e300] * 3,
    ):
        for intercept in (0.0, 1.0, 5e-324, -float(info.max)):
            truth = exact_margins(X, signs, weights, intercept)
            with np.errstate(all="ignore"):
                found = count_errors(rows_with(X, signs), 1, np.array(weights), intercept)
            assert found.errors == sum(margin <= 0 for margin in truth)


def test_a_weight_that_could_be_read_as_zero_leaves_every_row_in_doubt():
    """With flush-to-zero 1e-310 counts for nothing, and 1e305 times that is not nothing."""
    X, signs = np.array([[1e305, 1.0]]), np.ones(1, np.int8)
    for tiny, doubtful in ((1e-310, 1), (-1e-310, 1), (2.0**-1022, 0), (0.0, 0), (-0.0, 0)):
        found = np.array([np.inf, 0.0])
        weights = np.array([tiny, 1e-3, 0.0])
        assert (
            certain_signs(rows_with(X, signs).block(0, 1).X, signs, weights, np.empty(1, np.int32), found)
            == doubtful
        )
        assert (found[LOWEST] == np.inf) == bool(doubtful)


def test_several_classes_are_counted_in_one_walk():
    random = np.random.default_rng(0)
    X, codes = random.integers(-2, 3, (300, 4)) * 0.1, random.integers(0, 3, 300).astype(np.int32)
    rows = DenseRows(X, codes, np.arange(3), rows_in_block=50)
    planes = {k: (random.integers(-2, 3, 4) * 0.1, 0.1 if k else None) for k in range(3)}
    found = count_errors_by_class(rows, planes)
    assert list(found) == [0, 1, 2]
    for k, (weights, intercept) in planes.items():
        truth = exact_margins(X, np.where(codes == k, 1, -1), weights, intercept or 0.0)
        assert found[k].errors == sum(margin <= 0 for margin in truth)
        assert found[k] == count_errors(rows, k, weights, intercept)


# What a fit claims


def assert_kept_to_its_word(model, X, y):
    """The certificate verifies, and a `Separable` has no row of Fractions against it."""
    proof = model.certificate_
    if isinstance(proof, Separable | Inseparable | ErrorsAtMost):
        assert proof.verify(X, y).holds
    if isinstance(proof, Separable):
        table = X.toarray() if hasattr(X, "toarray") else X
        signs = np.where(np.asarray(y) == model.classes_[1], 1, -1)
        truth = exact_margins(table, signs, proof.weights, proof.intercept or 0.0)
        assert min(truth) > 0
        if model.margin_ > 1e-250:
            length = math.hypot(*proof.weights, proof.intercept or 0.0)
            rounding = 1e-14 * model.radius_
            assert model.margin_ == pytest.approx(
                float(min(truth) / Fraction(length)), rel=1e-6, abs=rounding
            )
    run = getattr(model, "mistake_run_", None)
    assert run is None or run.verify(X, y).holds
    return proof


@pytest.fixture(params=["angle bound", "copy", "plain"])
def means(request, monkeypatch):
    """Every way that a fit has to leave rows out, on few rows."""
    monkeypatch.setattr("separatrix.algorithms.perceptrons.after_failure.MIN_SEARCH_SECONDS", 0.05)
    monkeypatch.setattr(training, "MIN_SKIPPING_ROWS", 10**9 if request.param == "plain" else 1)
    monkeypatch.setattr(training, "MIN_SKIPPING_BYTES", 0)
    if request.param == "copy":
        monkeypatch.setattr(passes, "MIN_LATE_MISTAKES", 0)
        monkeypatch.setattr(passes, "WELL_WITHIN_SHARE", -1.0)
        monkeypatch.setattr(passes, "MAX_MISTAKES_SHARE", 1.0)
    else:
        monkeypatch.setattr(passes, "MIN_REMAINING_PASSES", 10**9)


@pytest.mark.parametrize("seed", range(60))
def test_every_issued_certificate_holds(seed, means):
    random = np.random.default_rng(seed)
    n, d = int(random.integers(4, 60)), int(random.choice([1, 2, 3, 8, 40]))
    if seed % 10 == 0:
        n = 1200  # room for the copy
    plane = random.integers(-4, 5, d) * float(random.choice([1.0, 0.1]))
    X = random.integers(-6, 7, (n, d)) * float(random.choice([1.0, 0.1, 1 / 3]))
    scores = X @ plane
    y = np.where(scores > 0, 1, -1)  # the sign of a sum in floats: wrong where the exact sum is zero
    if seed % 3 == 0:
        X += (0.01 * y)[:, None] * plane
    if seed % 7 == 0:
        y[random.random(n) < 0.05] *= -1
    y[:2] = 1, -1
    scale = float(random.choice([1.0, 1.0, 1e-300, 1e300, 1e-75, 1e75, 1e-160, 1e150]))
    dtype = random.choice([np.float64, np.float32])
    if dtype is np.float32:
        X = (X / max(1.0, np.abs(X).max()) * random.choice([1.0, 3e38, 1e-38, 1e-44])).astype(np.float32)
    else:
        X = X * scale
    rows = csr_matrix(X) if seed % 4 == 1 else X
    options = {"fit_intercept": bool(random.integers(2)), "max_iter": 60}
    with np.errstate(all="ignore"):
        assert_kept_to_its_word(sx.Perceptron(**options).fit(rows, y), rows, y)
        if seed % 4 != 1 and options["fit_intercept"]:
            assert_kept_to_its_word(sx.Perceptron(**options, center=True).fit(X, y), X, y)
        pocket = sx.PocketPerceptron(max_iter=5, random_state=0, fit_intercept=options["fit_intercept"])
        proof = assert_kept_to_its_word(pocket.fit(rows, y), rows, y)
        if isinstance(proof, Separable | ErrorsAtMost):
            truth = exact_margins(X, y, pocket.coef_[0], pocket.intercept_[0])
            assert pocket.errors_ == sum(margin <= 0 for margin in truth)
        for model in (sx.PassiveAggressive(max_iter=5), sx.AveragedPerceptron(max_iter=5)):
            assert_kept_to_its_word(model.fit(rows, y), rows, y)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(300))
def test_every_issued_certificate_holds_for_many(seed, means):
    test_every_issued_certificate_holds(seed + 1000, means)


def test_a_warm_start_without_the_intercept_it_had():
    X = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, 0.5], [3.0, -1.0]]) + 5.0
    y = [1, 1, -1, -1]
    model = sx.Perceptron(warm_start=True, max_iter=500).fit(X, y)
    assert model.intercept_[0] != 0.0
    model.set_params(fit_intercept=False, max_iter=3)
    assert_kept_to_its_word(model.fit(X, y), X, np.array(y))
    assert model.intercept_[0] == 0.0
