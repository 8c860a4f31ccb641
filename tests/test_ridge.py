"""Ridge: exact solutions, the path against fits one by one, its limits, rows left out, perturbations."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as Peer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from test_least_squares import check_independently, count_digits, make_sample, naive_solution

import separatrix as sx
from docs.figures.ridge_moves import moves_figure
from separatrix.algorithms.least_squares import solver
from separatrix.certificates import About, SolutionWithin
from separatrix.certificates.check.record import Refused
from separatrix.reports.figures.ridge_path import path_figure
from separatrix.rows import DenseRows, with_targets

ALPHAS = [0.01, 0.1, 1.0, 10.0, 100.0]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(1e-8, 1e8), st.booleans(), st.booleans())
def test_coefficients_are_next_to_the_exact_ones(seed, alpha, intercept, weighted):
    X, y = make_sample(9, 3, seed)
    weights = np.random.default_rng(seed).random(9) if weighted else None
    model = sx.Ridge(alpha, fit_intercept=intercept).fit(X, y, sample_weight=weights)
    exact = naive_solution(X, y, intercept, alpha, weights)
    assert min(map(count_digits, [*model.coef_, model.intercept_], exact)) >= 15
    assert model.certificate_.verify(X, y).holds


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", [(300, 5), (40, 90), (40, 30)])
def test_agrees_with_scikit_learn(shape, intercept):
    X, y = make_sample(*shape)
    for alpha in ALPHAS:
        ours = sx.Ridge(alpha, fit_intercept=intercept).fit(X, y)
        theirs = Peer(alpha, fit_intercept=intercept, solver="cholesky").fit(X, y)
        assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-10)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-9)
        assert ours.certificate_.verify(X, y).holds


def test_every_way(monkeypatch):
    monkeypatch.setattr(solver, "MAX_SMALL_PRODUCTS", 0)
    monkeypatch.setattr(solver, "MAX_WIDE_ROWS", 0)
    rng = np.random.default_rng(0)
    tall, wide = rng.normal(size=(2000, 20)), rng.normal(size=(30, 120))
    sparse = sp.random_array((1500, 60), density=0.1, rng=rng, format="csr")
    for X, method in ((tall, "normal equations"), (wide, "rows"), (sparse, "normal equations")):
        y = X @ rng.normal(size=X.shape[1]) + rng.normal(size=X.shape[0])
        weights = rng.random(X.shape[0])
        model = sx.Ridge(0.5).fit(X, y, sample_weight=weights)
        assert model.method_ == method
        dense = X.toarray() if sp.issparse(X) else X
        theirs = Peer(0.5, solver="cholesky").fit(dense, y, sample_weight=weights)
        assert np.allclose(model.coef_, theirs.coef_, atol=1e-10)
        assert isinstance(model.certificate_, SolutionWithin)
        assert model.certificate_.verify(X, y).holds
        assert model.certificate_.distance < 1e-9


def test_large_sparse_has_a_certified_distance(monkeypatch):
    monkeypatch.setattr(solver, "MAX_SMALL_PRODUCTS", 0)
    monkeypatch.setattr(solver, "MAX_DIRECT_SIZE", 50)
    rng = np.random.default_rng(0)
    X = sp.random_array((1500, 400), density=0.02, rng=rng, format="csr")
    y = rng.normal(size=1500)
    model = sx.Ridge(1.0).fit(X, y)
    assert model.method_ == "conjugate gradients"
    assert np.allclose(model.coef_, Peer(1.0).fit(X.toarray(), y).coef_, atol=1e-10)
    proof = model.certificate_
    assert isinstance(proof, SolutionWithin)
    assert proof.verify(X, y).holds
    assert proof.distance < 1e-9
    wide = sp.random_array((3100, 3100), density=0.001, rng=rng, format="csr")
    with pytest.raises(sx.DataError, match="path"):
        sx.Ridge().path(wide, np.zeros(3100), alphas=ALPHAS)


def test_limits():
    """α → 0 is the shortest least-squares solution, α → ∞ zero weights and the mean."""
    X, y = make_sample(30, 3)
    X = np.round(X * 64) / 64
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.FitWarning)
        shortest = sx.LinearRegression().fit(X, y)
        assert np.array_equal(sx.Ridge(0.0).fit(X, y).coef_, shortest.coef_)
    assert np.allclose(sx.Ridge(1e-12).fit(X, y).coef_, shortest.coef_, atol=1e-10)
    nearly_infinite = sx.Ridge(1e300).fit(X, y)
    assert abs(nearly_infinite.coef_).max() < 1e-290
    assert nearly_infinite.intercept_ == pytest.approx(y.mean(), rel=1e-15)
    assert nearly_infinite.certificate_.verify(X, y).holds


def exact_mean(y, weights=None):
    row_weights = [1] * len(y) if weights is None else list(map(Fraction, map(float, weights)))
    total = sum(s * Fraction(float(t)) for s, t in zip(row_weights, y, strict=True))
    return total / sum(row_weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", [(30, 3), (6, 40), (5000, 12), (40, 1200)], ids=str)
def test_an_infinite_penalty_leaves_the_mean_and_proves_it(shape, intercept, weighted, tmp_path):
    X, y = make_sample(*shape)
    y = y * 1e6 + 0.1
    weights = np.random.default_rng(1).random(len(y)) if weighted else None
    model = sx.Ridge(np.inf, fit_intercept=intercept).fit(X, y, sample_weight=weights)
    exact = exact_mean(y, weights) if intercept else Fraction(0)
    assert not model.coef_.any()
    assert model.intercept_ == float(exact)
    assert np.array_equal(model.predict(X), np.full(len(y), float(exact)))
    assert model.alpha_ == np.inf
    proof = model.certificate_
    assert isinstance(proof, SolutionWithin)
    assert proof.alpha is None
    assert abs(Fraction(model.intercept_) - exact) <= Fraction(proof.distance) <= Fraction(1, 10**8)
    assert "infinite" in proof.claim
    assert proof.verify(X, y).holds
    sx.save(model, tmp_path / "model.json")
    again = sx.load(tmp_path / "model.json")
    assert again.alpha == again.alpha_ == np.inf
    assert replace(again.certificate_, about=proof.about) == proof
    assert again.certificate_.verify(X, y).holds
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.isinf(again.eigenvalues_).all()


def test_an_infinite_penalty_is_the_limit_of_finite_ones():
    X, y = make_sample(25, 4)
    for intercept in (False, True):
        nearly_infinite = sx.Ridge(1e14, fit_intercept=intercept).fit(X, y)
        limit = sx.Ridge(np.inf, fit_intercept=intercept).fit(X, y)
        assert np.allclose(
            [*nearly_infinite.coef_, nearly_infinite.intercept_], [*limit.coef_, limit.intercept_], atol=1e-11
        )


def test_an_infinite_penalty_forged_is_refused(tmp_path):
    X, y = make_sample(12, 3)
    for weights in (None, np.random.default_rng(0).random(12)):
        proof = sx.Ridge(np.inf).fit(X, y, sample_weight=weights).certificate_
        assert "exact solution" in check_independently(proof, X, y, tmp_path)
        for change in (
            {"weights": (1e-12, 0.0, 0.0)},
            {"intercept": proof.intercept + 1e-12},
            {"alpha": 1e10},
            {"alpha": 0.0},
            {"sample_weight": (2.0, *[1.0] * 11)},
        ):
            forged = replace(proof, **change)
            assert not forged.verify(X, y).holds
            with pytest.raises(Refused):
                check_independently(forged, X, y, tmp_path)
    assert sx.Ridge(3.0).fit(X, y).certificate_.alpha == 3.0
    with pytest.raises(ValueError, match="inf"):
        replace(proof, alpha=np.inf)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="Row 3, column 1"):
        replace(proof, about=About()).verify(X, y)
    with pytest.raises(ValueError, match="NaN"):
        sx.Ridge(np.inf).fit(X, y)


def test_a_path_with_an_infinite_penalty_ends_at_the_mean():
    for shape in ((40, 4), (15, 25)):
        X, y = make_sample(*shape)
        weights = np.random.default_rng(5).random(len(y))
        path = sx.Ridge().path(X, y, alphas=[np.inf, 1.0, 0.1], sample_weight=weights)
        assert path.alphas.tolist() == [0.1, 1.0, np.inf]
        assert not path.coefficients[-1].any()
        assert path.intercepts[-1] == pytest.approx(float(exact_mean(y, weights)), rel=1e-12)
        assert [float(v[-1]) for v in (path.target_move, path.row_move, path.noise)] == [0.0, 0.0, 0.0]
        assert np.isinf(path.shifted[-1]).all()
    noise = np.random.default_rng(0).normal(size=40)
    X = np.random.default_rng(1).normal(size=(40, 4))
    model = sx.Ridge([0.01, np.inf]).fit(X, noise)
    left_out = [(t - np.delete(noise, i).mean()) ** 2 for i, t in enumerate(noise)]
    assert model.path_.leave_one_out[-1] == pytest.approx(np.mean(left_out), rel=1e-12)
    assert model.alpha_ == np.inf
    assert model.intercept_ == float(exact_mean(noise))
    assert model.certificate_.verify(X, noise).holds
    assert pickle.loads(pickle.dumps(model)).alpha_ == np.inf
    with pytest.raises(ValueError, match="no finite penalty"):
        path_figure(sx.Ridge([np.inf]).fit(X, noise).path_)


def test_an_infinite_penalty_on_batches_merged_fits_and_sparse_rows():
    X, y = make_sample(100, 4)
    whole = sx.Ridge(np.inf).fit(X, y)
    batches = sx.Ridge(np.inf).partial_fit(X[:10], y[:10]).partial_fit(X[10:], y[10:])
    merged = sx.Ridge(np.inf).fit(X[:70], y[:70]).merge(sx.Ridge(np.inf).fit(X[70:], y[70:]))
    sparse = sx.Ridge(np.inf).fit(sp.csr_array(X), y)
    for model in (batches, merged, sparse):
        assert model.intercept_ == whole.intercept_
        assert model.certificate_.verify(X, y).holds


def test_no_penalty_on_the_intercept():
    X, y = make_sample()
    one, other = sx.Ridge(5.0).fit(X, y), sx.Ridge(5.0).fit(X, y + 1000)
    assert np.allclose(one.coef_, other.coef_)
    assert other.intercept_ == pytest.approx(one.intercept_ + 1000)


@pytest.mark.parametrize("bad", [-1.0, -np.inf, np.nan, [], [1.0, -2.0], [np.inf, np.nan], [[1.0]]])
def test_penalties_that_make_no_sense(bad):
    with pytest.raises(ValueError, match="alpha must be a number >= 0 or a sequence of them"):
        sx.Ridge(bad).fit(*make_sample())


# The path


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", [(80, 6), (20, 50)])
def test_path_is_the_fits_one_by_one(shape, intercept, weighted):
    X, y = make_sample(*shape)
    weights = np.random.default_rng(0).integers(0, 3, shape[0]).astype(float) if weighted else None
    path = sx.Ridge(ALPHAS, fit_intercept=intercept).fit(X, y, sample_weight=weights).path_
    for place, alpha in enumerate(ALPHAS):
        one = sx.Ridge(alpha, fit_intercept=intercept).fit(X, y, sample_weight=weights)
        assert np.allclose(path.coefficients[place], one.coef_, atol=1e-10)
        assert path.intercepts[place] == pytest.approx(one.intercept_, abs=1e-9)
    assert np.array_equal(path.shifted[2], path.eigenvalues + 1.0)
    centre = np.average(X, axis=0, weights=weights) * intercept
    s = np.ones(len(y)) if weights is None else weights
    values = np.linalg.eigvalsh((X - centre).T @ ((X - centre) * s[:, None]))[::-1]
    assert np.allclose(path.eigenvalues, values, atol=1e-9 * values[0])


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", [(40, 4), (15, 25)])
def test_leave_one_out_is_leaving_one_out(shape, intercept):
    X, y = make_sample(*shape)
    times = np.random.default_rng(0).integers(0, 3, shape[0])
    for weights in (None, times.astype(float)):
        model = sx.Ridge(ALPHAS, fit_intercept=intercept).fit(X, y, sample_weight=weights)
        repeats = np.ones(shape[0], int) if weights is None else times
        rows, targets = np.repeat(X, repeats, axis=0), np.repeat(y, repeats)
        for place, alpha in enumerate(ALPHAS):
            errors = []
            for i in range(len(targets)):
                kept = np.arange(len(targets)) != i
                one = Peer(alpha, fit_intercept=intercept, solver="svd").fit(rows[kept], targets[kept])
                errors.append((targets[i] - one.predict(rows[i : i + 1])[0]) ** 2)
            assert model.path_.leave_one_out[place] == pytest.approx(np.mean(errors), rel=1e-8)
        assert model.alpha_ == ALPHAS[int(np.argmin(model.path_.leave_one_out))]
    assert model.certificate_.verify(X, y).holds


def test_chooses_as_scikit_learn_does():
    X, y = make_sample(200, 8, noise=5.0)
    alphas = np.logspace(-3, 4, 30)
    ours, theirs = sx.Ridge(alphas).fit(X, y), RidgeCV(alphas, store_cv_results=True).fit(X, y)
    assert ours.alpha_ == pytest.approx(theirs.alpha_)
    assert np.allclose(ours.path_.leave_one_out, theirs.cv_results_.mean(axis=0))
    assert np.allclose(ours.coef_, theirs.coef_)


def test_path_is_the_same_on_sparse_float32_and_blocks():
    X, y = make_sample(500, 4)
    X = np.where(abs(X) > 0.7, X, 0).astype(np.float32)
    plain = sx.Ridge(ALPHAS).fit(X, y).path_
    sparse = sx.Ridge(ALPHAS).fit(sp.csr_array(X), y).path_
    assert np.allclose(plain.coefficients, sparse.coefficients)
    assert np.allclose(plain.leave_one_out, sparse.leave_one_out)
    blocks = with_targets(DenseRows(X, rows_in_block=7), y)
    assert np.allclose(sx.Ridge(ALPHAS).fit(blocks).path_.leave_one_out, plain.leave_one_out)


# Perturbation


def test_a_changed_target_moves_the_weights_as_predicted():
    X, y = make_sample(25, 3)
    alphas = [0.0, 0.5, 20.0]
    path = sx.Ridge().path(X, y, alphas=alphas)
    for place, alpha in enumerate(alphas):
        before = sx.Ridge(alpha).fit(X, y).coef_
        moves = []
        for i in range(25):
            moved = y.copy()
            moved[i] += 1.0
            moves.append(np.linalg.norm(sx.Ridge(alpha).fit(X, moved).coef_ - before))
        assert path.target_move[place] == pytest.approx(max(moves))
        assert path.typical_move[place] == pytest.approx(np.sqrt(np.mean(np.square(moves))))
        # The sum over rows of squared moves is the variance for errors of variance 1.
        assert path.noise[place] == pytest.approx(np.sum(np.square(moves)))
    assert np.all(np.diff(path.noise) < 0)


def test_a_moved_row_moves_the_weights_no_further_than_the_bound():
    X, y = make_sample(25, 3)
    rng = np.random.default_rng(0)
    alphas = [0.0, 1.0, 50.0]
    path = sx.Ridge().path(X, y, alphas=alphas)
    for place, alpha in enumerate(alphas):
        before = sx.Ridge(alpha).fit(X, y).coef_
        furthest = 0.0
        for i in range(25):
            step = rng.normal(size=3)
            step *= 1e-6 / np.linalg.norm(step)
            moved = X.copy()
            moved[i] += step
            furthest = max(furthest, np.linalg.norm(sx.Ridge(alpha).fit(moved, y).coef_ - before) / 1e-6)
        assert furthest <= path.row_move[place] * (1 + 1e-4)
    assert np.all(np.diff(path.row_move) < 0)


def test_figures():
    X, y = make_sample(60, 30)
    path = sx.Ridge([0.0, *ALPHAS, np.inf]).fit(X, y).path_
    for text in (path_figure(path), path_figure(path, [f"<{j}>" for j in range(30)]), moves_figure(path)):
        assert text.startswith("<svg")
        assert "nan" not in text
        assert "inf" not in text
        assert "<1>" not in text
    with pytest.raises(ValueError, match="no finite penalty above 0"):
        path_figure(sx.Ridge([0.0]).fit(X, y).path_)


# Sums, files, searches


def test_batches_and_merged_fits_are_the_same_to_the_last_bit():
    X, y = make_sample(100, 4)
    whole = sx.Ridge(3.0).fit(X, y)
    batches = sx.Ridge(3.0).partial_fit(X[:10], y[:10]).partial_fit(X[10:], y[10:])
    merged = sx.Ridge(3.0).fit(X[:70], y[:70]).merge(sx.Ridge(3.0).fit(X[70:], y[70:]))
    for model in (batches, merged):
        assert np.array_equal(model.coef_, whole.coef_)
        assert model.certificate_.verify(X, y).holds
    assert not hasattr(sx.Ridge(ALPHAS), "partial_fit")


def test_a_weight_is_a_repetition():
    X, y = make_sample(30, 3)
    times = np.random.default_rng(0).integers(0, 4, 30)
    weighted = sx.Ridge(2.0).fit(X, y, sample_weight=times)
    repeated = sx.Ridge(2.0).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert np.array_equal(weighted.coef_, repeated.coef_)


def test_saved_and_loaded(tmp_path):
    X, y = make_sample()
    for model in (sx.Ridge(0.3), sx.Ridge([0.0, *ALPHAS])):
        model.fit(X, y)
        sx.save(model, tmp_path / "m.json")
        again = sx.load(tmp_path / "m.json")
        assert np.array_equal(again.predict(X), model.predict(X))
        assert again.alpha_ == model.alpha_
        assert again.certificate_.verify(X, y).holds
    assert np.array_equal(again.path_.leave_one_out, model.path_.leave_one_out)


def test_penalty_by_cross_validation():
    X, y = make_sample(80, 5, noise=4.0)
    search = GridSearchCV(sx.Ridge(), {"alpha": ALPHAS}, cv=4).fit(X, y)
    assert search.best_params_["alpha"] in ALPHAS


def test_certificates_by_the_independent_checker(tmp_path):
    X, y = make_sample(12, 3)
    for weights in (None, np.random.default_rng(0).random(12)):
        proof = sx.Ridge(0.7).fit(X, y, sample_weight=weights).certificate_
        assert "exact solution" in check_independently(proof, X, y, tmp_path)


def test_gradient_bound_is_one():
    """‖w − w*‖ ≤ ‖g‖/α: the bound of strong convexity, against the exact distance."""
    from separatrix.certificates.arithmetic.gradient import gradient
    from separatrix.certificates.data.measured_targets import read_targets

    X, y = make_sample(20, 3)
    exact = naive_solution(X, y, True, 0.25)
    rng = np.random.default_rng(0)
    for size in (1e-12, 1e-6, 1.0):
        coefficients = np.array([float(v) for v in exact]) + size * rng.normal(size=4)
        weights_bound, intercept_bound = gradient(
            read_targets(X, y), coefficients[:-1], float(coefficients[-1]), 0.25
        ).distance(0.25)
        errors = [abs(Fraction(v) - e) for v, e in zip(coefficients.tolist(), exact, strict=True)]
        assert float(sum(a * a for a in errors[:-1])) ** 0.5 <= weights_bound
        assert float(errors[-1]) <= intercept_bound


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("alpha", [0.5, [0.1, 1.0]], ids=str)
@pytest.mark.parametrize("shape", [(30, 4), (5000, 40), (70, 90), (150, 220)], ids=str)
def test_eigenvalues_are_those_of_the_penalised_gram_matrix(shape, alpha, constant, tmp_path):
    """Whatever way the fit took; a stored model has them too."""
    random = np.random.default_rng(5)
    X, y, s = random.normal(size=shape), random.normal(size=shape[0]), random.random(shape[0])
    model = sx.Ridge(alpha, fit_intercept=constant).fit(X, y, sample_weight=s)
    moved = X - (s @ X / s.sum() if constant else 0.0)
    values = np.linalg.eigvalsh((moved * s[:, None]).T @ moved)[::-1] + model.alpha_
    assert np.allclose(model.eigenvalues_, values, rtol=1e-12, atol=1e-12 * values[0])
    sx.save(model, tmp_path / "model.json")
    for kept in (sx.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(kept.eigenvalues_, model.eigenvalues_)


def test_eigenvalues_follow_rows_that_are_added():
    random = np.random.default_rng(6)
    X, y = random.normal(size=(40, 5)), random.normal(size=40)
    model = sx.Ridge(2.0).partial_fit(X[:25], y[:25])
    assert len(model.eigenvalues_) == 5
    model.partial_fit(X[25:], y[25:])
    assert np.allclose(model.eigenvalues_, sx.Ridge(2.0).fit(X, y).eigenvalues_, rtol=1e-12)
    with pytest.raises(AttributeError, match="No eigenvalues"):
        _ = sx.Ridge().eigenvalues_


def test_eigenvalues_of_many_rows_are_those_of_the_fit_or_none(monkeypatch):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(32_000, 33))
    y = X[:, 0] + rng.normal(size=32_000)
    model, late = sx.Ridge(alpha=2.0).fit(X, y), sx.Ridge(alpha=2.0).fit(X, y)
    wanted = np.linalg.eigvalsh(32_000 * np.cov(X.T, bias=True))[::-1] + 2.0
    assert np.allclose(model.eigenvalues_, wanted, rtol=1e-12)
    X *= 2.0
    assert np.allclose(model.eigenvalues_, wanted, rtol=1e-12)
    with pytest.raises(sx.DataError, match="changed since the fit"):
        late.eigenvalues_  # noqa: B018
