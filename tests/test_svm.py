"""The soft margin: optimality proven, peers met, weights as repetitions, forged proofs refused."""

from __future__ import annotations

import csv
import json
import tracemalloc
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import hypothesis
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize
from sklearn.datasets import dump_svmlight_file
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC

import separatrix as sx
from separatrix.algorithms.svm import squared_hinge, working_set
from separatrix.algorithms.svm.best_intercept import find_best_shift
from separatrix.certificates import MarginAtMost, MarginBetween, SoftMarginWithin, from_json
from separatrix.certificates.check.__main__ import main
from separatrix.certificates.data.reading import read
from separatrix.certificates.duality.soft_margin import enclosed, exact_dual, exact_primal
from separatrix.rows import DenseRows

LOSSES = ("hinge", "squared_hinge")


def make_noisy_rows(n, d, seed=0, noise=0.3, shift=0.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    w = 2 * random.normal(size=d) / np.sqrt(d)
    return X + shift, (X @ w + 0.3 + noise * random.normal(size=n) > 0).astype(int)


def compute_objective(model, X, y, C, loss="hinge", v=1.0):
    """The objective, written down."""
    w, b = model.coef_[0], np.ravel(model.intercept_)[0]
    shortfall = np.maximum(0.0, 1.0 - (2 * y - 1) * (X @ w + b))
    return 0.5 * w @ w + C * np.sum(v * (shortfall if loss == "hinge" else shortfall**2))


def compute_dual_objective(model, X, y, C, loss, v=1.0):
    alpha = np.abs(model.dual_coef_)
    combined = model.dual_coef_ @ X[model.support_]
    loss_term = (
        0.0 if loss == "hinge" else np.sum(alpha**2 / (4 * C * np.broadcast_to(v, len(y))[model.support_]))
    )
    return alpha.sum() - 0.5 * combined @ combined - loss_term


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_gap_is_closed_and_proven(loss, intercept, C):
    X, y = make_noisy_rows(300, 5)
    model = sx.LinearSVM(C=C, loss=loss, fit_intercept=intercept).fit(X, y)
    assert 0 <= model.gap_ <= 1e-8
    assert model.lower_bound_ <= compute_objective(model, X, y, C, loss) * (1 + 1e-14)
    assert model.objective_ == pytest.approx(compute_objective(model, X, y, C, loss), rel=1e-11)
    assert model.lower_bound_ == pytest.approx(compute_dual_objective(model, X, y, C, loss), rel=1e-8)
    assert model.certificate_.verify(X, y).holds
    assert model.certificate_.gap == model.gap_
    if not intercept:
        assert model.intercept_[0] == 0
        assert model.certificate_.intercept is None


@pytest.mark.parametrize("loss", LOSSES)
def test_optimality_conditions(loss):
    """w = Σ αsx, Σ αs = 0, and α is at a bound wherever the margin is not 1."""
    X, y = make_noisy_rows(400, 4, seed=3)
    model = sx.LinearSVM(C=2.0, loss=loss).fit(X, y)
    assert np.allclose(model.dual_coef_ @ X[model.support_], model.coef_[0], atol=1e-7)
    assert abs(model.dual_coef_.sum()) < 1e-7
    margins = (2 * y - 1) * model.decision_function(X)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_)
    if loss == "hinge":
        assert np.all(alpha[margins > 1 + 1e-6] == 0)
        assert np.allclose(alpha[margins < 1 - 1e-6], 2.0)
    else:
        assert np.allclose(alpha, 4.0 * np.maximum(0, 1 - margins), atol=1e-9)


def test_agrees_with_svc():
    X, y = make_noisy_rows(200, 4, seed=1)
    for C in (0.05, 1.0, 10.0):
        ours, theirs = sx.LinearSVM(C=C).fit(X, y), SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
        assert np.allclose(ours.coef_, theirs.coef_, atol=1e-6)
        assert np.allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
        assert ours.objective_ <= compute_objective(theirs, X, y, C) * (1 + 1e-12)


def test_shifted_separable_rows_agree_with_svc_where_a_penalised_intercept_loses_them():
    random = np.random.default_rng(4)
    X = np.vstack([random.normal(size=(40, 2)) - 3, random.normal(size=(40, 2)) + 3])
    y = np.repeat([0, 1], 40)
    reference = SVC(kernel="linear", C=1.0, tol=1e-10).fit(X, y)
    ours = sx.LinearSVM(C=1.0).fit(X + 100.0, y)
    theirs = SVC(kernel="linear", C=1.0, tol=1e-10).fit(X + 100.0, y)
    assert np.allclose(ours.coef_, reference.coef_, atol=1e-6)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-4)  # its own distance from the optimum is 6e-6 here
    assert ours.objective_ <= compute_objective(theirs, X + 100.0, y, 1.0) * (1 + 1e-10)
    assert ours.score(X + 100.0, y) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        penalised = LinearSVC(loss="hinge", C=1.0, random_state=0).fit(X + 100.0, y)
    assert penalised.score(X + 100.0, y) < 1.0


@pytest.mark.parametrize("loss", LOSSES)
def test_without_intercept_agrees_with_linear_svc(loss):
    X, y = make_noisy_rows(300, 5, seed=2)
    ours = sx.LinearSVM(C=0.1, loss=loss, fit_intercept=False).fit(X, y)
    theirs = LinearSVC(C=0.1, loss=loss, fit_intercept=False, tol=1e-10, max_iter=100_000, dual=True).fit(
        X, y
    )
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.objective_ <= compute_objective(theirs, X, y, 0.1, loss) * (1 + 1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_agrees_with_a_general_solver(loss):
    """Slack variables and SLSQP: slow, and obviously the problem."""
    X, y = make_noisy_rows(30, 2, seed=5)
    s, n = 2 * y - 1, len(y)

    def objective(u):
        return 0.5 * u[:2] @ u[:2] + np.sum(u[3:] if loss == "hinge" else u[3:] ** 2)

    A = np.hstack([s[:, None] * np.column_stack([X, np.ones(n)]), np.eye(n)])
    found = minimize(
        objective,
        np.concatenate([np.zeros(3), np.full(n, 2.0)]),
        method="SLSQP",
        constraints=LinearConstraint(A, 1.0, np.inf),
        bounds=[(None, None)] * 3 + [(0, None)] * n,
        options={"ftol": 1e-14, "maxiter": 500},
    )
    model = sx.LinearSVM(loss=loss).fit(X, y)
    assert model.objective_ == pytest.approx(found.fun, rel=1e-7)
    assert np.allclose(model.coef_[0], found.x[:2], atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_weight_is_repetition(loss):
    X, y = make_noisy_rows(120, 3, seed=6)
    v = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = sx.LinearSVM(loss=loss).fit(X, y, sample_weight=v)
    repeated = sx.LinearSVM(loss=loss).fit(np.repeat(X, v, axis=0), np.repeat(y, v))
    assert np.allclose(weighted.coef_, repeated.coef_, atol=1e-7)
    assert np.allclose(weighted.intercept_, repeated.intercept_, atol=1e-7)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-10)
    assert weighted.certificate_.verify(X, y).holds
    assert (v[weighted.support_] > 0).all()


def test_class_weight_multiplies():
    X, y = make_noisy_rows(150, 3, seed=7)
    ours = sx.LinearSVM(class_weight={0: 0.3, 1: 2.0}).fit(X, y)
    theirs = SVC(kernel="linear", class_weight={0: 0.3, 1: 2.0}, tol=1e-10).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.certificate_.verify(X, y).holds


@pytest.fixture
def small_working_set(monkeypatch):
    monkeypatch.setattr(working_set, "MIN_CAPACITY_BYTES", 1 << 17)


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_samples_and_working_set_reach_what_one_solve_reaches(C, intercept, monkeypatch):
    X, y = make_noisy_rows(40_000, 6, seed=8)
    whole = sx.LinearSVM(C=C, fit_intercept=intercept).fit(X, y)
    monkeypatch.setattr(working_set, "MIN_CAPACITY_BYTES", 1 << 17)
    part = sx.LinearSVM(C=C, fit_intercept=intercept).fit(X, y)
    assert part.gap_ <= 1e-8
    assert part.objective_ == pytest.approx(whole.objective_, rel=2e-8)
    assert np.allclose(part.coef_, whole.coef_, atol=1e-3)
    assert part.certificate_.verify(X, y).holds


def test_working_set_with_weights_and_with_drifting_rows(small_working_set):
    """Rows sorted by class and drifting: the sample must not be a beginning."""
    X, y = make_noisy_rows(30_000, 4, seed=9)
    order = np.lexsort((X[:, 0], y))
    X, y = X[order], y[order]
    v = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = sx.LinearSVM(C=0.5).fit(X, y, sample_weight=v)
    assert model.gap_ <= 1e-8
    assert model.certificate_.verify(X, y).holds


@pytest.mark.parametrize("loss", LOSSES)
def test_blocks_change_nothing(loss, small_working_set, monkeypatch):
    X, y = make_noisy_rows(20_000, 30, seed=10)
    fits = []
    for size, jobs in ((100, 1), (1000, 1), (1000, 2)):
        rows = DenseRows(X, y.astype(np.int32), np.array([0, 1]), rows_in_block=size, n_jobs=jobs)
        fits.append(sx.LinearSVM(C=0.1, loss=loss).fit(rows))
    assert fits[0].objective_ == pytest.approx(fits[1].objective_, rel=1e-8)
    assert np.allclose(fits[0].coef_, fits[1].coef_, atol=1e-4)
    assert np.array_equal(fits[1].coef_, fits[2].coef_)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", ["sparse", "float32", "fortran"])
def test_same_rows_in_other_forms(loss, kind):
    X, y = make_noisy_rows(300, 6, seed=11)
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32).astype(np.float64)
    other = {"sparse": sp.csr_array(X), "float32": X.astype(np.float32), "fortran": np.asfortranarray(X)}[
        kind
    ]
    ours, theirs = (sx.LinearSVM(loss=loss).fit(form, y) for form in (X, other))
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert theirs.certificate_.verify(other, y).holds
    assert theirs.certificate_.verify(X, y).holds


@pytest.mark.parametrize("loss", LOSSES)
def test_more_columns_than_rows(loss):
    random = np.random.default_rng(12)
    X, y = random.normal(size=(40, 1500)), np.arange(40) % 2
    for form in (X, sp.csr_array(X)):
        model = sx.LinearSVM(C=0.01, loss=loss).fit(form, y)
        assert model.gap_ <= 1e-8
        assert model.certificate_.verify(X, y).holds


def test_many_sparse_rows_and_columns():
    random = np.random.default_rng(13)
    X = sp.random_array((5000, 2000), density=0.005, format="csr", rng=random)
    y = (X @ random.normal(size=2000) + 0.1 * random.normal(size=5000) > 0).astype(int)
    for loss in LOSSES:
        model = sx.LinearSVM(C=0.5, loss=loss, tol=1e-5).fit(X, y)
        assert model.gap_ <= 1e-5
        assert model.certificate_.verify(X, y).holds


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_rows_of_a_file_are_solved_like_those_in_memory(loss, tmp_path):
    """They were centred, which fills every zero, and the squared hinge took them for dense."""
    X, y = make_noisy_rows(23_000, 12, seed=14)
    path = tmp_path / "rows.svm"
    dump_svmlight_file(np.where(np.abs(X) < 1.2, 0.0, X), y, str(path), zero_based=True)
    in_memory, streamed = (sx.LinearSVM(loss=loss).fit(sx.read(path, memory=m)) for m in (1 << 30, 0))
    assert np.array_equal(streamed.coef_, in_memory.coef_)
    assert np.array_equal(streamed.intercept_, in_memory.intercept_)
    assert streamed.certificate_.to_json() == in_memory.certificate_.to_json()


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_rows_in_extreme_units_stay_sparse(loss):
    random = np.random.default_rng(15)
    X = sp.random_array((400, 20_000), density=0.001, format="csr", rng=random)
    y = (X @ random.normal(size=20_000) > 0).astype(int)
    X.data *= 2.0**-400
    rows = sx.as_rows(X, y)
    tracemalloc.start()
    with pytest.warns(sx.FitWarning):
        sx.LinearSVM(loss=loss, max_iter=1).fit(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * 8 * X.shape[0] * X.shape[1]


def test_public_sparse_set(data_folder):
    rows = sx.read(data_folder / "a9a.svm.gz")
    model = sx.LinearSVM(C=0.01, tol=1e-6).fit(rows)
    assert model.gap_ <= 1e-6
    assert model.certificate_.verify(rows).holds


def test_several_classes(data_folder):
    rows = sx.read(data_folder / "iris.csv", label="label")
    model = sx.LinearSVM().fit(rows)
    assert model.coef_.shape == (3, 4)
    assert (model.gap_ <= 1e-8).all()
    assert all(proof.verify(rows).holds for proof in model.certificate_)


def test_huge_C_on_separable_rows_reaches_the_maximum_margin():
    X, y = make_noisy_rows(150, 3, seed=14, noise=0.0)
    X, y = X[::-1], y[::-1]
    X = X + np.outer(2 * y - 1, np.linalg.lstsq(X, 2 * y - 1, rcond=None)[0])
    best = sx.MaxMargin().fit(X, y)
    for C in (1e6, float("inf")):
        model = sx.LinearSVM(C=C).fit(X, y)
        assert np.allclose(model.coef_, best.coef_, rtol=1e-5, atol=1e-6)
        assert model.certificate_.verify(X, y).holds
        assert model.objective_ == pytest.approx(0.5 / best.margin_**2, rel=1e-6)
    assert isinstance(model.certificate_, MarginBetween)


def test_hard_margin_on_inseparable_rows_ends_and_names_the_conflict():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    with pytest.warns(sx.NotSeparable, match="rows 0, 1, 2, 3 contradict"):
        model = sx.LinearSVM(C=float("inf")).fit(X, y)
    assert np.isnan(model.gap_)
    assert np.isfinite(model.coef_).all()
    assert model.certificate_.verify(X, y).holds


def test_hard_margin_passes_over_rows_of_weight_zero():
    X, y = [[0.0], [1.0], [5.0], [2.0], [3.0]], [0, 0, 0, 1, 1]
    with pytest.warns(sx.FitWarning, match="Rows of weight 0 lie inside the margin"):
        model = sx.LinearSVM(C=float("inf")).fit(X, y, sample_weight=[1, 1, 0, 1, 1])
    assert model.coef_[0, 0] == pytest.approx(2.0)
    assert model.support_.tolist() == [1, 3]
    assert isinstance(model.certificate_, MarginAtMost)
    assert model.certificate_.verify(X, y).holds


def test_few_steps_leave_a_gap_that_is_reported_and_proven():
    X, y = make_noisy_rows(500, 5, seed=15)
    with pytest.warns(sx.FitWarning, match="max_iter=2 Newton steps"):
        model = sx.LinearSVM(C=10.0, max_iter=2).fit(X, y)
    assert model.gap_ > 1e-8
    assert model.certificate_.verify(X, y).holds
    best = sx.LinearSVM(C=10.0).fit(X, y)
    assert model.lower_bound_ <= best.objective_
    assert best.lower_bound_ <= model.objective_


@pytest.mark.parametrize("loss", LOSSES)
def test_warm_start_makes_a_path_cheap(loss, small_working_set):
    X, y = make_noisy_rows(30_000, 10, seed=16)
    path = sx.LinearSVM(loss=loss, warm_start=True, tol=1e-7)
    cold_steps = warm_steps = 0
    for C in np.geomspace(0.01, 0.02, 8):
        path.set_params(C=C).fit(X, y)
        alone = sx.LinearSVM(C=C, loss=loss, tol=1e-7).fit(X, y)
        assert path.objective_ == pytest.approx(alone.objective_, rel=2e-7)
        warm_steps, cold_steps = warm_steps + path.n_iter_, cold_steps + alone.n_iter_
    assert warm_steps < cold_steps


def test_choosing_C_by_cross_validation():
    X, y = make_noisy_rows(200, 4, seed=17)
    search = GridSearchCV(sx.LinearSVM(), {"C": [0.01, 1.0], "loss": LOSSES}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert search.best_estimator_.gap_ <= 1e-8


def test_reaches_the_optimum_where_liblinear_stalls():
    """scikit-learn#22283: coordinate ascent at a large C stops far above the optimum."""
    X, y = make_noisy_rows(2000, 20, seed=18, shift=3.0)
    model = sx.LinearSVM(C=100.0, fit_intercept=False).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = LinearSVC(loss="hinge", C=100.0, fit_intercept=False, random_state=0).fit(X, y)
    assert model.gap_ <= 1e-8
    assert compute_objective(theirs, X, y, 100.0) > 1.001 * model.objective_


@pytest.mark.parametrize("bad", [{"C": 0}, {"C": -1.0}, {"loss": "log"}, {"tol": 0.0}, {"max_iter": 0}])
def test_senseless_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        sx.LinearSVM(**bad).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("noise", [0.0, 0.3, 3.0, 100.0])
def test_memory_beyond_the_data_is_small_for_float32(noise, loss, intercept):
    """Also where nearly every row is a support vector, and where those near the margin outgrow their room."""
    X = np.random.default_rng(19).normal(size=(200_000, 50)).astype(np.float32)
    y = X[:, 0] + 0.5 * X[:, 1] + noise * np.random.default_rng(20).normal(size=len(X)) > 0
    C = {0.0: 10.0, 0.3: 0.01, 3.0: 0.001, 100.0: 0.1}[noise]
    sx.LinearSVM(C, loss=loss, fit_intercept=intercept).fit(X[:30_000], y[:30_000])  # compiles what it needs
    tracemalloc.start()
    model = sx.LinearSVM(C, loss=loss, fit_intercept=intercept).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.2 * X.nbytes
    assert model.gap_ <= 1e-8


@pytest.mark.parametrize("intercept", [True, False])
def test_float32_rows_give_the_weights_of_the_same_numbers_as_float64(intercept):
    """Rows near the margin are held as float32, and their centre taken off in doubles."""
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(60_000, 12)) + 100.0).astype(np.float32)
    y = X[:, 0] - X[:, 1] + 5.0 * rng.normal(size=len(X)) > 0
    one = sx.LinearSVM(0.01, fit_intercept=intercept).fit(X, y)
    other = sx.LinearSVM(0.01, fit_intercept=intercept).fit(X.astype(np.float64), y)
    assert max(one.gap_, other.gap_) <= 1e-8
    assert np.allclose(one.coef_, other.coef_, rtol=1e-5, atol=1e-7)
    assert one.objective_ == pytest.approx(other.objective_, rel=2e-8)
    assert one.certificate_.verify(X, y).holds
    combined = one.dual_coef_ @ X[one.support_].astype(np.float64)
    assert np.allclose(combined, one.coef_[0], rtol=1e-4, atol=1e-5)


def test_gathered_float32_rows_multiply_as_doubles_do():
    from separatrix.algorithms.svm.working_rows import gather_float32, gather_rows

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 5)).astype(np.float32), rng.integers(0, 2, 1500)
    rows, centre = sx.as_rows(X, y), rng.normal(size=5)
    chosen = np.flatnonzero(rng.random(1500) < 0.6)
    (float32_rows, signs), (float64_rows, others) = (
        f(rows, 1, chosen, centre) for f in (gather_float32, gather_rows)
    )
    alpha, w = rng.normal(size=len(chosen)), rng.normal(size=5)
    assert np.array_equal(signs, others)
    assert np.array_equal(float32_rows[np.arange(0, 700, 3)], float64_rows[0:700:3])
    assert np.allclose(float32_rows @ w, float64_rows @ w, rtol=1e-13, atol=1e-13)
    assert np.allclose(float32_rows.combine(alpha), float64_rows.T @ alpha, rtol=1e-12, atol=1e-12)


def write_files(tmp_path, X, y, certificate):
    data, proof = tmp_path / "rows.csv", tmp_path / "proof.json"
    with data.open("w", newline="") as file:
        sheet = csv.writer(file)
        sheet.writerow([*(f"x{j}" for j in range(X.shape[1])), "label"])
        sheet.writerows([*map(repr, map(float, row)), int(label)] for row, label in zip(X, y, strict=True))
    proof.write_text(certificate.to_json())
    return [str(proof), str(data)]


def make_forgeries(certificate):
    """Each with one thing changed that makes it false."""
    yield replace(certificate, upper=certificate.lower)
    yield replace(certificate, lower=certificate.upper * (1 + 1e-9))
    yield replace(certificate, weights=(certificate.weights[0] + 0.01, *certificate.weights[1:]))
    yield replace(certificate, C=certificate.C * 1.01)
    yield replace(certificate, loss="hinge" if certificate.loss != "hinge" else "squared_hinge")
    if certificate.rows:
        yield replace(certificate, multipliers=(certificate.multipliers[0] + 1, *certificate.multipliers[1:]))
        yield replace(certificate, rows=certificate.rows[1:], multipliers=certificate.multipliers[1:])
        yield replace(certificate, exponent=certificate.exponent + 1)
        if certificate.loss == "hinge":
            most = (int(Fraction(certificate.C) * 2**certificate.exponent) + 1,)
            yield replace(certificate, multipliers=most + certificate.multipliers[1:])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_both_checkers_hold_the_proof_and_refuse_every_forgery(loss, weighted, tmp_path, capsys):
    X, y = make_noisy_rows(60, 3, seed=21)
    v = np.random.default_rng(2).uniform(0.1, 3.0, len(y)) if weighted else None
    model = sx.LinearSVM(C=0.7, loss=loss).fit(X, y, sample_weight=v)
    proof = model.certificate_
    assert isinstance(proof, SoftMarginWithin)
    assert proof.verify(X, y).holds
    assert from_json(proof.to_json()).verify(X, y).holds
    assert main(write_files(tmp_path, X, y, proof)) == 0
    for forgery in make_forgeries(proof.sealed()):
        assert not forgery.verify(X, y).holds, forgery
        assert main(write_files(tmp_path, X, y, forgery)) == 4, forgery
    other = y.copy()
    other[0] = 1 - other[0]
    assert not from_json(proof.to_json()).verify(X, other).holds
    assert not replace(proof, about=replace(proof.about, digest=None)).verify(X, other).holds
    if weighted:
        changed = list(proof.row_weights)
        changed[model.support_[0]] += 1.0
        assert not replace(proof, row_weights=tuple(changed)).verify(X, y).holds
    capsys.readouterr()


@hypothesis.given(st.integers(0, 10_000), st.sampled_from(LOSSES), st.booleans())
def test_enclosures_hold_the_exact_values(seed, loss, intercept):
    random = np.random.default_rng(seed)
    X = random.choice([0.1, -0.3, 1.0, 2.5, 1e-9, 1e9, 0.0], size=(8, 2))
    y = np.arange(8) % 2
    weights = random.normal(size=3)
    proof = SoftMarginWithin(
        tuple(weights[:2].tolist()),
        float(weights[2]) if intercept else None,
        0.75,
        loss,
        1.0,
        0.0,
        (0, 5),
        (3, 1),
        3,
        tuple(random.uniform(0.5, 2.0, 8).tolist()),
    )
    source, objective = read(X, y), proof.objective()
    found = enclosed(source, objective)
    exact = exact_primal(source, objective)
    assert found.below(objective) <= exact <= found.upper(objective)
    assert found.lower() <= exact_dual(source, objective)


def test_claims_tighter_than_doubles_are_settled_exactly():
    X, y = make_noisy_rows(40, 2, seed=22)
    for loss in LOSSES:
        proof = sx.LinearSVM(loss=loss).fit(X, y).certificate_
        source, objective = read(X, y), proof.objective()
        upper, lower = exact_primal(source, objective), exact_dual(source, objective)
        tight = replace(
            proof, upper=np.nextafter(float(upper), np.inf), lower=np.nextafter(float(lower), -np.inf)
        )
        assert tight.verify(X, y).holds
        assert not replace(proof, upper=np.nextafter(np.nextafter(float(upper), 0), 0)).verify(X, y).holds
        assert not replace(proof, lower=float(lower) * (1 + 1e-15)).verify(X, y).holds


def test_best_shift_is_the_lowest_point_along_the_intercept():
    random = np.random.default_rng(23)
    margins, signs = random.normal(size=50), random.choice([-1.0, 1.0], size=50)
    costs = random.uniform(0.1, 1.0, 50)

    def compute_loss(t):
        return costs @ np.maximum(0, 1 - margins - t * signs)

    best = find_best_shift(margins, signs, costs)
    assert compute_loss(best) <= min(compute_loss(t) for t in np.linspace(-5, 5, 2001)) + 1e-12


def test_stored_and_loaded(tmp_path):
    X, y = make_noisy_rows(50, 2, seed=24)
    model = sx.LinearSVM(class_weight="balanced").fit(X, y)
    sx.save(model, tmp_path / "model.json")
    again = sx.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.certificate_.verify(X, y).holds
    assert again.gap_ == model.gap_
    assert json.loads((tmp_path / "model.json").read_text())["estimator"] == "LinearSVM"


def test_squared_hinge_gives_the_same_by_blocks_as_gathered(monkeypatch):
    X, y = make_noisy_rows(3000, 8, seed=25)
    gathered = sx.LinearSVM(C=0.2, loss="squared_hinge").fit(X, y)
    monkeypatch.setattr(squared_hinge, "_is_blockwise", lambda problem: True)
    blockwise = sx.LinearSVM(C=0.2, loss="squared_hinge").fit(X, y)
    assert np.allclose(blockwise.coef_, gathered.coef_, atol=1e-9)


def test_rows_repeated_on_the_margin_and_columns_that_are_constant():
    X = np.repeat([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], 5, axis=0)
    y = np.repeat([0, 0, 1, 1], 5)
    for loss in LOSSES:
        model = sx.LinearSVM(C=3.0, loss=loss).fit(X, y)
        assert model.gap_ <= 1e-8
        assert model.certificate_.verify(X, y).holds
    assert sx.LinearSVM(C=3.0).fit(X, y).coef_[0] == pytest.approx([2.0, 0.0], abs=1e-9)


def test_figure_of_the_boundaries_is_the_one_in_the_docs():
    from xml.etree import ElementTree

    from docs.figures.which_line import METHODS, boundaries_compared

    figure = boundaries_compared()
    ElementTree.fromstring(figure)
    assert all(name in figure for name in METHODS)
    published = Path(__file__).parents[1] / "docs" / "figures" / "which-line.svg"
    assert published.read_text(encoding="utf-8").count("<path") == figure.count("<path")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [1e3, 1e4])
def test_columns_far_from_the_origin_without_intercept_break_no_factor(dtype, offset):
    """Rounding makes the Newton system of such columns indefinite."""
    random = np.random.default_rng(17)
    X = (random.normal(size=(20, 6)) + offset).astype(dtype)
    y = random.integers(0, 2, 20)
    for C in (1.0, 10.0, 1e4):
        model = sx.LinearSVM(C=C, fit_intercept=False).fit(X, y)
        assert model.gap_ <= 1e-8
        assert model.certificate_.verify(X, y).holds


def test_newton_step_of_an_indefinite_or_infinite_matrix_is_one():
    from separatrix.algorithms.svm.newton_systems import solve_newton_system

    column = np.array([1e9, 1e9, 1.0])
    for scale in (1.0, 1e12, np.inf):
        with np.errstate(invalid="ignore"):
            gram = np.outer(column, column) * scale
        for intercept in (True, False):
            step = solve_newton_system(gram, np.ones(3), intercept=intercept)
            assert step.shape == (3,)
            assert np.isfinite(step).all() or scale == np.inf


def test_line_search_finds_a_kink_far_beyond_a_nearly_flat_start():
    from separatrix.algorithms.svm.segment_minimum import find_root_of_slope

    def slope_at(t):
        return -1e-9 + 1e-39 * t + np.clip(t - 1e4, 0.0, 1.0), 1e-39 + (1e4 < t < 1e4 + 1)

    assert find_root_of_slope(slope_at) == pytest.approx(1e4, rel=1e-6)


def make_rare_class(n, d, few, seed, near=0.0):
    """A class of few rows, at random or somewhat apart."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(n, d)), np.zeros(n, int)
    y[:few] = 1
    X[:few] += near
    return X, y


@pytest.mark.parametrize("n", [1000, 3000])
def test_one_row_against_all_others(n):
    for seed in range(15):
        X, y = make_rare_class(n, 3, 1, seed)
        model = sx.LinearSVM(C=1e-4).fit(X, y)
        assert model.gap_ <= 1e-8
        assert model.objective_ <= 2e-4 * (1 + 1e-8)  # what w = 0 and b = −1 cost
        assert model.n_iter_ < 100


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-5, 1e-2, 1.0, 1e3])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rare_class_at_every_cost(loss, C, form):
    for few, seed in ((1, 0), (2, 1), (5, 2)):
        X, y = make_rare_class(400, 3, few, seed, near=seed)
        v = np.where(y == 1, 1.0, np.random.default_rng(seed).choice([0.0, 0.5, 20.0], len(y)))
        for weights in (None, v):
            model = sx.LinearSVM(C=C, loss=loss).fit(form(X), y, sample_weight=weights)
            assert model.gap_ <= 1e-8
            assert model.certificate_.verify(X, y).holds
            if loss == "hinge":
                theirs = SVC(kernel="linear", C=C, tol=1e-10, max_iter=100_000)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    theirs.fit(X, y, sample_weight=weights)
                least = compute_objective(theirs, X, y, C, v=1.0 if weights is None else weights)
                assert model.objective_ <= least * (1 + 1e-8)


@pytest.mark.parametrize("few", [1, 3, 1001])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_rare_class_among_more_rows_than_the_working_set_holds(few, C, small_working_set):
    """At w = 0 every row of the other class lies on the margin."""
    for near in (0.0, 3.0):
        X, y = make_rare_class(20_000, 2, few, 19, near)
        model = sx.LinearSVM(C=C).fit(X, 1 - y)
        assert model.gap_ <= 1e-8


def test_path_of_costs_with_a_rare_class_and_weights():
    for seed in (12, 13, 23, 25):
        X, y = make_rare_class(1000, 4, 1, seed)
        v = np.random.default_rng(seed).choice([0.5, 1.0, 2.0], len(y))
        model = sx.LinearSVM(warm_start=True)
        for C in (100.0, 10.0, 1e-3):
            model.set_params(C=C).fit(X, y, sample_weight=v)
            assert model.gap_ <= 1e-8


def test_squared_hinge_of_a_rare_light_class_is_proven_as_finely_as_it_is_solved():
    """Multipliers that follow from the weights are whole shares of large costs, too coarse for small ones."""
    for seed in range(3):
        X, y = make_rare_class(1000, 7, 7, seed)
        v = np.where(y == 1, 0.01, np.random.default_rng(seed).choice([0.5, 1.0, 20.0], len(y)))
        model = sx.LinearSVM(C=1e4, loss="squared_hinge").fit(10 * X, y, sample_weight=v)
        assert model.n_iter_ < 100
        assert model.gap_ <= 1e-8
        assert model.certificate_.verify(10 * X, y).holds


@pytest.mark.parametrize("density", [1.0, 0.3])
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_multipliers_of_sparse_rows_far_from_the_origin(density, C):
    for seed in range(6):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 6))
        y = (X @ random.normal(size=6) + random.normal(size=60) > 0).astype(int)
        X = np.where(random.random(X.shape) < density, 0.001 * X + 1000.0, 0.0)
        model = sx.LinearSVM(C=C).fit(sp.csr_array(X), y)
        assert model.gap_ <= 1e-8
        assert abs(model.dual_coef_.sum()) <= 1e-12 * np.abs(model.dual_coef_).sum()
        off = model.dual_coef_ @ X[model.support_] - model.coef_[0]
        rounding = 1e-14 * (np.abs(model.dual_coef_) @ np.abs(X[model.support_])).sum()
        assert np.linalg.norm(off) <= np.sqrt(2 * model.gap_ * model.objective_) + rounding
        signs = 2 * y[model.support_] - 1
        assert (model.dual_coef_ * signs > 0).all()
        assert (model.dual_coef_ * signs <= C).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_hard_margin_is_certified_on_the_rows_as_given(form, tmp_path, capsys):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    model = sx.LinearSVM(C=float("inf")).fit(form(X), y, sample_weight=[0, 1, 1, 1])
    assert isinstance(model.certificate_, MarginBetween)
    assert model.certificate_.rows == (1, 2)
    assert model.certificate_.verify(form(X), y).holds
    assert main(write_files(tmp_path, X, y, model.certificate_)) == 0
    capsys.readouterr()


def test_conflict_is_named_by_the_rows_as_given():
    X = np.array([[9.0, 9.0, 1.0], [0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    y = np.array([1, 0, 1, 1, 0])
    with pytest.warns(sx.NotSeparable, match="rows 1, 2, 3, 4 prove it"):
        model = sx.LinearSVM(C=float("inf")).fit(X, y, sample_weight=[0, 1, 1, 1, 1])
    assert model.certificate_.verify(X, y).holds


def test_row_on_the_edge_of_the_working_set_either_pulls_or_is_kept():
    """The farthest row of the sample lies on the edge to the last digit."""
    from separatrix.algorithms.svm import working_set_search
    from separatrix.algorithms.svm.hinge_kernels import AT_COST
    from separatrix.algorithms.svm.objective import SoftMarginProblem
    from separatrix.algorithms.svm.sampled_start import StartingPoint

    X, y = make_noisy_rows(50, 3, seed=27)
    rows, random = sx.as_rows(X, y), np.random.default_rng(27)
    for _ in range(200):
        problem, weights = SoftMarginProblem.from_rows(rows, 1, 1.0, intercept=True), random.normal(size=4)
        search = working_set_search.WorkingSetSearch(problem, 1000)
        search.gather(StartingPoint(weights, 1e6, None), may_shift=False)
        search.gather(StartingPoint(weights, 1e6, search.margins.copy()), may_shift=False)
        assert search.linear_term[-1] == problem.collect_signs()[search.states == AT_COST].sum()
