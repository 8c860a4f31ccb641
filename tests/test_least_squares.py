"""Least squares: exact solutions, agreement of every way, honest ranks, certificates that hold and refuse."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LinearRegression as Peer
from sklearn.model_selection import GridSearchCV

import separatrix as sx
from separatrix.algorithms.least_squares import solver
from separatrix.algorithms.least_squares.exact_solution import sum_exact_moments
from separatrix.certificates import GradientAtMost, SolutionWithin, from_json
from separatrix.certificates.arithmetic.balls import middles
from separatrix.certificates.arithmetic.moments import Moments, moments_of
from separatrix.certificates.arithmetic.normal_equations import NormalEquations
from separatrix.certificates.check.__main__ import verdict
from separatrix.certificates.check.record import Refused
from separatrix.rows import DenseRows, with_targets

finite = st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False)


def naive_solution(X, y, intercept=True, alpha=0.0, weights=None):
    """The normal equations in rational numbers; for regular ones only."""
    rows = [[*map(float, row), *([1.0] if intercept else [])] for row in X]
    row_weights = [1.0] * len(rows) if weights is None else list(map(float, weights))
    n_unknowns, d = len(rows[0]), len(X[0])
    A = [[fmpq(0)] * n_unknowns for _ in range(n_unknowns)]
    c = [[fmpq(0)] for _ in range(n_unknowns)]
    for row, target, weight in zip(rows, y, row_weights, strict=True):
        exact = [fmpq(*v.as_integer_ratio()) for v in row]
        exact_weight, exact_target = fmpq(*weight.as_integer_ratio()), fmpq(*float(target).as_integer_ratio())
        for i in range(n_unknowns):
            c[i][0] += exact_weight * exact[i] * exact_target
            for j in range(n_unknowns):
                A[i][j] += exact_weight * exact[i] * exact[j]
    for j in range(d):
        A[j][j] += fmpq(*float(alpha).as_integer_ratio())
    solution = fmpq_mat(A).solve(fmpq_mat(c))
    return [Fraction(int(solution[i, 0].p), int(solution[i, 0].q)) for i in range(n_unknowns)]


def count_digits(found, exact):
    """Significant digits that agree, 17 where all do."""
    error = abs(Fraction(float(found)) - Fraction(exact))
    if error == 0:
        return 17.0
    return min(17.0, -math.log10(error / abs(Fraction(exact)))) if exact else -math.log10(error)


def read_nist_sets(data_folder):
    """NIST's linear sets: name, columns (polynomials expanded in floats), targets, certified values."""
    certified = json.loads((data_folder / "nist" / "certified.json").read_text())
    for name, record in certified.items():
        table = np.genfromtxt(data_folder / "nist" / f"{name}.csv", delimiter=",", skip_header=1)
        x, y = table[:, :-1], table[:, -1]
        constant = "B0" in record["coefficients"]
        count = len(record["coefficients"]) - constant
        X = np.column_stack([x[:, 0] ** (p + 1) for p in range(count)]) if x.shape[1] == 1 else x
        yield name, X, y, constant, record


def coefficients_in_order(model, constant):
    return [model.intercept_, *model.coef_] if constant else list(model.coef_)


def make_sample(n=60, d=4, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + 2 + noise * rng.normal(size=n)


def check_independently(certificate, X, y, folder):
    """By the standard library alone, in a file of its own."""
    names = [*(f"x{j}" for j in range(X.shape[1])), "target"]
    lines = [",".join(names)] + [
        ",".join(map(repr, map(float, (*row, t)))) for row, t in zip(X, y, strict=True)
    ]
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    (folder / "proof.json").write_text(certificate.bound_to(X, y).to_json())
    return verdict(str(folder / "proof.json"), str(folder / "data.csv"))


# NIST


def test_nist_sets_to_thirteen_digits_of_the_exact_solution_of_the_floats_given(data_folder):
    for name, X, y, constant, _ in read_nist_sets(data_folder):
        model = sx.LinearRegression(fit_intercept=constant).fit(X, y)
        exact = naive_solution(X, y, constant)
        exact = [exact[-1], *exact[:-1]] if constant else exact
        worst = min(map(count_digits, coefficients_in_order(model, constant), exact))
        assert worst >= 15, name
        assert model.certificate_.verify(X, y).holds, name


def test_nist_certified_values_as_far_as_the_floats_allow(data_folder):
    # The expansion of Filip's tenth powers and Wampler2's fifth in floats moves the exact solution itself.
    limits = {"Filip": 7.5, "Wampler2": 13.0}
    for name, X, y, constant, record in read_nist_sets(data_folder):
        model = sx.LinearRegression(fit_intercept=constant).fit(X, y)
        certified = [Fraction(text) for text in record["coefficients"].values()]
        assert min(map(count_digits, coefficients_in_order(model, constant), certified)) >= limits.get(
            name, 13.0
        ), name


def test_nist_summary(data_folder):
    """Certified standard errors, residual standard deviations, R² and F: as far as the floats allow."""
    for name, X, y, constant, record in read_nist_sets(data_folder):
        summary = sx.LinearRegression(fit_intercept=constant).fit(X, y).summary()
        least = 7 if name == "Filip" else 12
        if name in ("Wampler1", "Wampler2"):  # perfect fits: what is left is the rounding of the expansion
            assert summary.residual_sd < 1e-14
            assert summary.r_squared == pytest.approx(1, abs=1e-14)
            continue
        for found, text in zip(summary.standard_errors, record["std_errors"].values(), strict=True):
            assert count_digits(found, Fraction(text)) >= least, name
        for key, found in {
            "residual_sd": summary.residual_sd,
            "r_squared": summary.r_squared,
            "residual_ss": summary.residual_sum,
            "regression_ss": summary.regression_sum,
            "f_statistic": summary.f_statistic,
        }.items():
            assert count_digits(found, Fraction(record[key])) >= least, (name, key)
        assert (summary.residual_df, summary.regression_df) == (
            record["residual_df"],
            record["regression_df"],
        )


def test_scikit_learn_loses_filip(data_folder):
    """The peer's behaviour that this module exists for."""
    name, X, y, _, _ = next(found for found in read_nist_sets(data_folder) if found[0] == "Filip")
    exact = naive_solution(X, y)
    theirs = min(map(count_digits, Peer().fit(X, y).coef_, exact))
    assert theirs < 3 < 15 <= min(map(count_digits, sx.LinearRegression().fit(X, y).coef_, exact)), name


# The exact way


@settings(max_examples=40)
@given(
    arrays(float, (7, 3), elements=finite),
    arrays(float, 7, elements=finite),
    st.one_of(st.none(), arrays(float, 7, elements=st.floats(0, 3, allow_subnormal=False))),
)
def test_moments_are_exact(X, y, weights):
    moments = moments_of([(X, y, weights)], 3)
    Z = [
        [*map(Fraction, row), Fraction(1), Fraction(t)] for row, t in zip(X.tolist(), y.tolist(), strict=True)
    ]
    s = [Fraction(1)] * 7 if weights is None else list(map(Fraction, weights.tolist()))
    for i in range(5):
        for j in range(5):
            exact = sum(h * z[i] * z[j] for h, z in zip(s, Z, strict=True))
            power = Fraction(2) ** (moments.unit + moments.exponents[i] + moments.exponents[j])
            assert int(moments.wholes[i, j]) * power == exact
    parts = [(X[a:b], y[a:b], None if weights is None else weights[a:b]) for a, b in ((0, 3), (3, 7))]
    added = moments_of(parts[:1], 3) + moments_of(parts[1:], 3)
    sparse = moments_of([(sp.csr_array(X), y, weights)], 3)
    restored = Moments.from_dict(moments.to_dict())
    for other in (added, moments_of(parts, 3), sparse, restored):
        for intercept in (True, False):
            if s != [Fraction(0)] * 7:
                same = [NormalEquations(m, intercept=intercept, alpha=1.0) for m in (moments, other)]
                assert np.array_equal(*[middles(equations.solve()) for equations in same])


@pytest.mark.parametrize("scale", [2.0**-500, 1.0, 2.0**400])
def test_any_size_of_numbers(scale):
    X, y = make_sample()
    plain = sx.LinearRegression().fit(X, y)
    scaled = sx.LinearRegression().fit(X * scale, y)
    assert np.array_equal(scaled.coef_ * scale, plain.coef_)
    assert scaled.intercept_ == plain.intercept_
    assert scaled.certificate_.verify(X * scale, y).holds


def test_normal_equations_hold(data_folder):
    """The residuals are orthogonal to every column, as far as doubles can hold the coefficients."""
    table = np.genfromtxt(data_folder / "diabetes_regression.csv", delimiter=",", skip_header=1)
    X, y = table[:, :-1], table[:, -1]
    model = sx.LinearRegression().fit(X, y)
    residuals = y - model.predict(X)
    assert abs(np.column_stack([X, np.ones(len(y))]).T @ residuals).max() < 1e-7
    summary = model.summary()
    import scipy.stats

    peer = Peer().fit(X, y)
    assert np.allclose(model.coef_, peer.coef_, rtol=1e-8)
    assert summary.r_squared == pytest.approx(peer.score(X, y), rel=1e-12)
    assert summary.p_values[0] == pytest.approx(
        2 * scipy.stats.t.sf(abs(summary.t_values[0]), summary.residual_df)
    )
    assert "F-statistic" in str(summary)
    assert summary.to_dict()["rows"] == len(y)


def test_summary_agrees_with_textbook_formulas():
    X, y = make_sample(40, 3)
    summary = sx.LinearRegression().fit(X, y).summary()
    Z = np.column_stack([np.ones(40), X])
    inverse = np.linalg.inv(Z.T @ Z)
    w = inverse @ Z.T @ y
    rest = y - Z @ w
    variance = rest @ rest / 36
    assert np.allclose(summary.estimates, w)
    assert np.allclose(summary.standard_errors, np.sqrt(variance * np.diag(inverse)))
    assert summary.residual_sd == pytest.approx(np.sqrt(variance))


# Ways agree


def force_large_fit(monkeypatch):
    monkeypatch.setattr(solver, "MAX_SMALL_PRODUCTS", 0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kind", ["dense", "far", "float32", "fortran", "sparse"])
def test_gram_way_meets_the_exact_one(monkeypatch, kind, intercept, weighted):
    force_large_fit(monkeypatch)
    X, y = make_sample(3000, 6)
    if kind == "far":
        X = X + 1e6
    if kind == "float32":
        X = X.astype(np.float32)
    if kind == "sparse":
        X = np.where(abs(X) > 1, X, 0.0)
    weights = np.random.default_rng(1).integers(0, 4, 3000).astype(float) if weighted else None
    given_ = {"fortran": np.asfortranarray, "sparse": sp.csr_array}.get(kind, np.asarray)(X)
    model = sx.LinearRegression(fit_intercept=intercept).fit(given_, y, sample_weight=weights)
    # Without an intercept, columns a million away from 0 are nearly parallel.
    assert model.method_ == ("exact" if kind == "far" and not intercept else "normal equations")
    moments = sum_exact_moments(sx.as_rows(X, y, regression=True).weighted(weights))
    exact = middles(NormalEquations(moments, intercept=intercept).solve())
    scale = abs(exact).max()
    assert abs(model.coef_ - exact[:-1]).max() <= 2e-14 * scale
    assert abs(model.intercept_ - exact[-1]) <= 1e-13 * max(scale, abs(exact[-1]))
    assert model.certificate_.verify(X, y).holds
    assert model.certificate_.distance <= 1e-13 * max(1, scale)


def test_ill_conditioned_columns_take_the_exact_way(monkeypatch):
    force_large_fit(monkeypatch)
    rng = np.random.default_rng(0)
    X, y = make_sample(2000, 3)
    X[:, 1] = X[:, 0] + 1e-7 * rng.normal(size=2000)
    model = sx.LinearRegression().fit(X, y)
    assert (model.method_, model.rank_, model.numerical_rank_) == ("exact", 3, 3)
    assert model.condition_ > 1e6
    exact = naive_solution(X, y)
    assert min(map(count_digits, model.coef_, exact)) >= 15


@pytest.mark.parametrize("intercept", [False, True])
def test_more_columns_than_rows(intercept):
    X, y = make_sample(12, 90)
    model = sx.LinearRegression(fit_intercept=intercept).fit(X, y)
    mean = X.mean(axis=0) * intercept
    shortest = np.linalg.pinv(X - mean) @ (y - y.mean() * intercept)
    assert np.allclose(model.coef_, shortest, atol=1e-12)
    assert model.rank_ == 12 - intercept
    assert np.allclose(model.predict(X), y)
    assert model.certificate_.verify(X, y).holds
    tall = sx.LinearRegression(fit_intercept=intercept).fit(X[:, :30], y)  # by columns
    assert np.allclose(tall.coef_, np.linalg.pinv(X[:, :30] - mean[:30]) @ (y - y.mean() * intercept))
    assert tall.certificate_.verify(X[:, :30], y).holds


def test_wide_rows_with_a_contradiction():
    """Two equal rows with two targets: no fit goes through both, and the shortest best one is found."""
    X, y = make_sample(10, 80)
    X[1] = X[0]
    model = sx.LinearRegression().fit(X, y, sample_weight=np.arange(1.0, 11.0))
    w = np.sqrt(np.arange(1.0, 11.0))
    mean = np.average(X, axis=0, weights=w**2)
    A = (X - mean) * w[:, None]
    b = (y - np.average(y, weights=w**2)) * w
    assert np.allclose(model.coef_, np.linalg.lstsq(A, b, rcond=1e-10)[0], atol=1e-10)
    assert model.certificate_.verify(X, y).holds


def test_wide_in_floats():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(220, 1000)), rng.normal(size=220)
    with pytest.warns(sx.NothingProven, match="gradient"):
        model = sx.LinearRegression().fit(X, y)
    assert np.allclose(model.predict(X), y)
    assert np.allclose(model.coef_, Peer().fit(X, y).coef_)
    assert isinstance(model.certificate_, GradientAtMost)
    assert model.certificate_.verify(X, y).holds


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_residuals_and_their_products_in_one_pass(dtype):
    from separatrix.algorithms.least_squares.residual_kernels import add_residuals
    from separatrix.rows import Csr

    rng = np.random.default_rng(3)
    X = (rng.normal(size=(300, 4)) * (rng.random((300, 4)) < 0.7)).astype(dtype)
    sparse = sp.csr_array(X)
    csr = Csr(sparse.data, sparse.indices.astype(np.int32), sparse.indptr.astype(np.int64))
    y, w = rng.normal(size=300), rng.normal(size=4)
    r = y - 0.25 - X.astype(np.float64) @ w
    for rows in (X, csr):
        total = np.ones(4)
        assert add_residuals(rows, y, 0.25, w, total) == pytest.approx(r.sum())
        assert np.allclose(total, 1 + X.astype(np.float64).T @ r, rtol=1e-12)


def test_a_condition_that_costs_digits_takes_the_exact_way():
    rng = np.random.default_rng(4)
    X = 0.01 * rng.normal(size=(20_000, 30)) + rng.normal(size=(20_000, 1))
    y = X @ rng.normal(size=30) + rng.normal(size=20_000)
    model = sx.LinearRegression().fit(X, y)
    assert model.method_ == "exact"
    assert sx.LinearRegression().fit(rng.normal(size=X.shape), y).method_ == "normal equations"


def test_large_sparse_by_conjugate_gradients(monkeypatch):
    monkeypatch.setattr(solver, "MAX_DIRECT_SIZE", 50)
    rng = np.random.default_rng(0)
    X = sp.random_array((2000, 150), density=0.05, rng=rng, format="csr")
    y = X @ rng.normal(size=150) + rng.normal(size=2000)
    force_large_fit(monkeypatch)
    with pytest.warns(sx.NothingProven):
        model = sx.LinearRegression().fit(X, y)
    assert model.method_ == "conjugate gradients"
    assert np.allclose(model.coef_, Peer().fit(X.toarray(), y).coef_, atol=1e-9)
    assert model.certificate_.verify(X, y).holds


def test_a_stream_needs_one_pass(tmp_path):
    X, y = make_sample(500, 3)
    lines = ["a,b,c,y"] + [",".join(map(repr, map(float, (*r, t)))) for r, t in zip(X, y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    rows = sx.read(tmp_path / "rows.csv", label="y", regression=True, memory=2000)
    assert not rows.in_memory
    passes = 0
    walk = rows.blocks

    def counted():
        nonlocal passes
        passes += 1
        return walk()

    rows.blocks = counted
    model = sx.LinearRegression().fit(rows)
    assert passes == 1
    whole = sx.LinearRegression().fit(X, y)
    assert np.array_equal(model.coef_, whole.coef_)
    assert model.certificate_.verify(X, y).holds
    assert model.score(rows) == pytest.approx(whole.score(X, y))
    assert list(model.feature_names_in_) == ["a", "b", "c"]


# Sums


def test_batches_blocks_and_merged_fits_are_the_same_to_the_last_bit():
    X, y = make_sample(200, 5)
    weights = np.random.default_rng(2).random(200)
    for s in (None, weights):

        def slice_weights(a, b, s=s):
            return {} if s is None else {"sample_weight": s[a:b]}

        whole = sx.LinearRegression().fit(X, y, **slice_weights(0, 200))
        batches = sx.LinearRegression()
        for a, b in ((0, 7), (7, 100), (100, 200)):
            batches.partial_fit(X[a:b], y[a:b], **slice_weights(a, b))
        first = sx.LinearRegression().fit(X[:90], y[:90], **slice_weights(0, 90))
        second = sx.LinearRegression().fit(X[90:], y[90:], **slice_weights(90, 200))
        for model in (batches, first.merge(second), pickle.loads(pickle.dumps(first)).merge(second)):
            assert np.array_equal(model.coef_, whole.coef_)
            assert model.intercept_ == whole.intercept_
            assert model.certificate_.verify(X, y).holds
        for size in (3, 64):
            blocks = with_targets(DenseRows(X, rows_in_block=size), y)
            model = sx.LinearRegression().fit(blocks, **slice_weights(0, 200))
            assert np.array_equal(model.coef_, whole.coef_)


def test_merge_refuses_what_does_not_belong_together():
    X, y = make_sample()
    model = sx.LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match="same parameters"):
        model.merge(sx.LinearRegression(fit_intercept=False).fit(X, y))
    with pytest.raises(sx.DataError, match="columns"):
        model.merge(sx.LinearRegression().fit(X[:, :2], y))


def test_a_weight_is_a_repetition():
    X, y = make_sample(30, 3)
    times = np.random.default_rng(0).integers(0, 4, 30)
    weighted = sx.LinearRegression().fit(X, y, sample_weight=times)
    repeated = sx.LinearRegression().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert np.array_equal(weighted.coef_, repeated.coef_)
    assert weighted.intercept_ == repeated.intercept_
    assert weighted.summary(repetitions=True).residual_sd == repeated.summary().residual_sd
    with pytest.raises(ValueError, match="weight"):
        sx.LinearRegression().fit(X, y, sample_weight=np.zeros(30))


def test_order_of_rows_changes_nothing():
    X, y = make_sample()
    order = np.random.default_rng(0).permutation(len(y))
    one, other = sx.LinearRegression().fit(X, y), sx.LinearRegression().fit(X[order], y[order])
    assert np.array_equal(one.coef_, other.coef_)


# Ranks


def test_dependent_columns_are_named_and_the_shortest_solution_is_returned():
    X, y = make_sample(50, 3)
    X = np.round(X * 64) / 64
    X = np.column_stack([X, 2 * X[:, 0] - X[:, 2] + 3, np.full(50, 7.0)])
    with pytest.warns(sx.DependentColumns, match=r"rank 3, not 5: column 3 is exactly"):
        model = sx.LinearRegression().fit(X, y)
    third, fourth = model.dependencies_
    assert (third.column, third.columns, third.coefficients, third.constant) == (3, (0, 2), (2.0, -1.0), 3.0)
    assert (fourth.column, fourth.columns, fourth.constant) == (4, (), 7.0)
    assert (model.rank_, model.numerical_rank_, model.condition_) == (3, 3, math.inf)
    centred = X - X.mean(axis=0)
    assert np.allclose(model.coef_, np.linalg.lstsq(centred, y - y.mean(), rcond=1e-10)[0])
    assert model.certificate_.verify(X, y).holds
    assert model.summary().aliased == (True, True, False, True, True, True)


def test_a_rounded_sum_is_independent_exactly_and_dependent_numerically():
    X, y = make_sample(50, 3)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(sx.DependentColumns, match="by the rounding of their numbers alone"):
        model = sx.LinearRegression().fit(X, y)
    assert (model.rank_, model.numerical_rank_) == (4, 3)
    exact = naive_solution(X, y)
    assert min(map(count_digits, model.coef_, exact)) >= 15


@settings(max_examples=50)
@given(arrays(float, (6, 4), elements=st.integers(-2, 2).map(float)), arrays(float, 6, elements=finite))
def test_rank_and_shortest_solution_on_small_whole_numbers(X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.FitWarning)
        model = sx.LinearRegression().fit(X, y)
    centred = X - X.mean(axis=0)
    assert model.rank_ == np.linalg.matrix_rank(centred, tol=1e-9)
    assert len(model.dependencies_) == 4 - model.rank_
    for dependency in model.dependencies_:
        combined = dependency.constant + sum(
            c * X[:, k] for c, k in zip(dependency.coefficients, dependency.columns, strict=True)
        )
        assert np.allclose(X[:, dependency.column], combined)
    shortest = np.linalg.lstsq(centred, y - y.mean(), rcond=1e-10)[0]
    assert np.allclose(model.coef_, shortest, atol=1e-8 * (1 + abs(shortest).max()))
    assert model.certificate_.verify(X, y).holds


def test_one_row_and_constant_targets():
    model = sx.LinearRegression().fit([[1.0, 2.0]], [5.0])
    assert np.array_equal(model.coef_, [0.0, 0.0])
    assert model.intercept_ == 5.0
    X, _ = make_sample()
    assert not sx.LinearRegression().fit(X, np.full(len(X), 3.5)).coef_.any()


def test_coefficients_beyond_doubles_are_not_vouched_for():
    with pytest.warns(sx.NothingProven, match="too large for doubles"):
        model = sx.LinearRegression().fit([[0.0], [1e-200], [2e-200]], [0.0, 1e200, 3e200])
    assert not model.certificate_.verify([[0.0]], [0.0]).holds


# Certificates


def fit_and_certify(intercept=True, weights=False):
    X, y = make_sample(15, 2)
    s = np.random.default_rng(3).random(15) if weights else None
    return X, y, sx.LinearRegression(fit_intercept=intercept).fit(X, y, sample_weight=s).certificate_


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_certificates_hold_by_both_checkers_and_survive_json(tmp_path, intercept, weights):
    X, y, proof = fit_and_certify(intercept, weights)
    assert isinstance(proof, SolutionWithin)
    assert proof.verify(X, y).holds
    assert "exact solution" in check_independently(proof, X, y, tmp_path)
    again = from_json(proof.to_json())
    assert again.verify(X, y).holds
    assert again == proof.sealed()


def make_forgeries(proof):
    w = proof.weights
    yield replace(proof, weights=(w[0] + 1e-13, *w[1:]))
    yield replace(proof, intercept=proof.intercept + 1e-12)
    yield replace(proof, alpha=0.5)
    yield replace(proof, within=(0.0, *proof.within[1:]))
    yield replace(proof, distance=proof.distance / 1e6)
    yield replace(proof, intercept=None, within=proof.within[:-1])
    yield replace(proof, sample_weight=(2.0, *[1.0] * 14))
    yield replace(proof, sample_weight=(1.0,) * 14)


def test_forged_certificates_are_refused(tmp_path):
    X, y, proof = fit_and_certify()
    for forged in make_forgeries(proof):
        assert not forged.verify(X, y).holds
        with pytest.raises(Refused):
            check_independently(forged, X, y, tmp_path)
    moved = y.copy()
    moved[3] += 1e-9
    assert not proof.verify(X, moved).holds
    assert not proof.verify(X[:-1], y[:-1]).holds
    assert not from_json(proof.to_json()).verify(X, moved).holds  # by the digest


def test_gradient_certificates(tmp_path):
    X, y, proof = fit_and_certify()
    claim = GradientAtMost(proof.weights, proof.intercept, alpha=0.0, gradient=1e-12)
    assert claim.verify(X, y).holds
    assert "gradient" in check_independently(claim, X, y, tmp_path)
    for forged in (replace(claim, gradient=1e-20), replace(claim, intercept=claim.intercept + 1e-6)):
        assert not forged.verify(X, y).holds
        with pytest.raises(Refused):
            check_independently(forged, X, y, tmp_path)


def test_certificate_of_a_large_fit_is_worked_out_when_asked_for(monkeypatch):
    force_large_fit(monkeypatch)
    X, y = make_sample(5000, 4)
    model = sx.LinearRegression().fit(X, y)
    assert callable(model._evidence)
    assert model.certificate_ is model.certificate_
    assert pickle.loads(pickle.dumps(sx.LinearRegression().fit(X, y))).certificate_.verify(X, y).holds


def test_not_fitted_has_no_certificate():
    assert not hasattr(sx.LinearRegression(), "certificate_")


# Rows with targets


def test_targets_from_files(tmp_path):
    X, y = make_sample(20, 2)
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    np.save(tmp_path / "rows.npy", np.column_stack([X, y]))
    svm = "\n".join(f"{t!r} 1:{a!r} 2:{b!r}" for t, (a, b) in zip(y.tolist(), X.tolist(), strict=True))
    (tmp_path / "rows.svm").write_text(svm + "\n")
    whole = sx.LinearRegression().fit(X, y)
    for name, label in (("rows.npz", "y"), ("rows.npy", -1), ("rows.svm", None)):
        rows = sx.read(tmp_path / name, label=label, regression=True)
        assert rows.has_targets
        assert np.array_equal(sx.LinearRegression().fit(rows).coef_, whole.coef_)
    rows = sx.read(tmp_path / "rows.npz", label="y", regression=True)
    with pytest.raises(sx.DataError, match="no labels"):
        sx.Perceptron().fit(rows)
    with pytest.raises(sx.DataError, match="regression=True"):
        sx.LinearRegression().fit(sx.read(tmp_path / "rows.npy", label=False))
    with pytest.raises(sx.DataError, match="A regression needs a target column: pass it as label"):
        sx.read(tmp_path / "rows.npy", label=False, regression=True)


def test_bad_targets_are_named():
    for bad, words in (([0.0, math.nan], "NaN"), (["a", "b"], "no number"), ([0.0], "inconsistent")):
        with pytest.raises(ValueError, match=words):
            sx.as_rows([[1.0], [2.0]], bad, regression=True)


# In use


def test_saved_and_loaded(tmp_path):
    X, y = make_sample()
    model = sx.LinearRegression().fit(X, y)
    sx.save(model, tmp_path / "m.json")
    again = sx.load(tmp_path / "m.json")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.certificate_.verify(X, y).holds
    assert str(again.summary()) == str(model.summary())
    assert np.array_equal(again.merge(model).coef_, model.merge(model).coef_)
    text = (tmp_path / "m.json").read_text().replace('"rank_": 4', '"rank_": 3')
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(sx.ModelError, match="digest"):
        sx.load(tmp_path / "m.json")


def test_searches_of_scikit_learn():
    X, y = make_sample()
    search = GridSearchCV(sx.LinearRegression(), {"fit_intercept": [True, False]}, cv=3).fit(X, y)
    assert search.best_params_ == {"fit_intercept": True}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("way", ["Gram matrix", "weighted", "sparse", "conjugate gradients"])
def test_sums_that_overflow_warn_in_no_thread(way, n_jobs, monkeypatch):
    monkeypatch.setattr("separatrix.rows.rows.MIN_THREADED_BYTES", 0)
    monkeypatch.setattr(solver, "MAX_SMALL_PRODUCTS", 0)
    monkeypatch.setattr(solver, "MAX_DIRECT_SIZE", 2 if way == "conjugate gradients" else 3000)
    X, y = make_sample()
    X = np.ldexp(X, 700)
    weights = np.full(len(y), 1e200) if way in ("weighted", "sparse") else None
    model = sx.LinearRegression(n_jobs=n_jobs)
    if way == "conjugate gradients":
        with pytest.warns(sx.NothingProven, match="of the gradient"):
            model.fit(X, y)
    else:
        model.fit(sp.csr_array(X) if way == "sparse" else X, y, sample_weight=weights)
        assert model.method_ == "exact"


def test_float32_is_not_copied_whole():
    """Memory beyond the data stays under a fifth of it; measured in a process of its own."""
    script = """
import resource, numpy as np, separatrix as sx
warm = np.random.default_rng(0).normal(size=(60000, 40)).astype(np.float32)
sx.LinearRegression(n_jobs=2).fit(warm, warm[:, 0].astype(float))
X = np.random.default_rng(0).random(size=(500_000, 50), dtype=np.float32)
y = X[:, 0].astype(float) + X[:, 1]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = sx.LinearRegression(n_jobs=2).fit(X, y)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / X.nbytes, model.method_)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    share, method = done.stdout.split(maxsplit=1)
    assert float(share) < 0.2
    assert method.strip() == "normal equations"


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spoiled", [None, "far", "tiny", "one huge value", "nearly dependent"])
def test_a_first_gram_matrix_in_single_precision_costs_no_digits(intercept, dtype, spoiled, monkeypatch):
    from separatrix.algorithms.least_squares import single_precision_gram
    from separatrix.algorithms.least_squares.gram import form_gram

    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 33))
    y = X @ rng.normal(size=33) + rng.normal(size=4000)
    if spoiled == "far":
        X[:, 3] += 1000.0
    elif spoiled == "tiny":
        X[:, 4] *= 1e-25
    elif spoiled == "one huge value":
        X[2003, 5] = 1e25
    elif spoiled == "nearly dependent":
        X[:, 6] = X[:, 7] + 0.01 * X[:, 6]
    X = X.astype(dtype)
    monkeypatch.setattr(single_precision_gram, "MIN_VALUES", 0)
    monkeypatch.setattr(solver, "MAX_SMALL_PRODUCTS", 0)
    used = []
    monkeypatch.setattr(solver, "form_gram", lambda *a, **k: used.append(1) or form_gram(*a, **k))
    model = sx.LinearRegression(fit_intercept=intercept).fit(X, y)
    moments = sum_exact_moments(with_targets(sx.as_rows(X), y))
    exact = solver.solve_moments(
        moments, None, 0.0, intercept=intercept, rows=with_targets(sx.as_rows(X), y)
    ).coefficients
    assert bool(used) == (spoiled in ("one huge value", "nearly dependent"))
    size = 33 + intercept
    off = abs(np.append(model.coef_, model.intercept_)[:size] / exact[:size] - 1)
    assert off.max() < (1e-13 if spoiled is None else 1e-9)
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("wide", [33, 20])  # with a first Gram matrix in single precision, and without
@pytest.mark.parametrize("shift", [0.0, 10.0])
@pytest.mark.parametrize("target", ["offset", "tiny"])
def test_targets_far_from_their_spread_cost_no_digits(wide, shift, target, monkeypatch):
    from separatrix.algorithms.least_squares import single_precision_gram

    monkeypatch.setattr(single_precision_gram, "MIN_VALUES", 0)
    monkeypatch.setattr(solver, "MAX_SMALL_PRODUCTS", 0)
    rng = np.random.default_rng(6)
    X = rng.normal(size=(4000, wide)) + shift
    y = X @ rng.normal(size=wide) + rng.normal(size=4000)
    y = y + 1e10 if target == "offset" else np.where(np.arange(4000) < 1000, 0.0, 1e-50 * y)
    model = sx.LinearRegression().fit(X, y)
    assert model.method_ == "normal equations"
    rows = with_targets(sx.as_rows(X), y)
    exact = solver.solve_moments(sum_exact_moments(rows), None, 0.0, intercept=True, rows=rows).coefficients
    assert abs(model.coef_ - exact[:-1]).max() < 1e-14 * abs(exact[:-1]).max()
