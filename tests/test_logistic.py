"""Logistic regression: optimality, duality, proofs and their forgeries, separation, Firth, inference,
weights."""

from __future__ import annotations

import json
import math
import re
import tracemalloc
import warnings
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import LogisticRegression as Peer
from sklearn.model_selection import GridSearchCV

import separatrix as sx
from separatrix.algorithms.convex.mean_centring import Centring
from separatrix.algorithms.logistic.gradient_descent import find_largest_curvature
from separatrix.algorithms.logistic.multinomial import separate_jointly
from separatrix.algorithms.logistic.objective import LogisticObjective
from separatrix.certificates import CertificateError, JointLikelihoodWithin, LikelihoodWithin
from separatrix.certificates.arithmetic.enclosures import entropy_below, softplus_above, sum_below
from separatrix.certificates.check.__main__ import verdict
from separatrix.certificates.check.joint_likelihood import JointDual
from separatrix.certificates.check.record import Refused
from separatrix.certificates.check.table import Unreadable
from separatrix.certificates.duality.multinomial_likelihood import (
    JointDuality,
    joint_entropy_below,
    log_sum_above,
)
from separatrix.fitting.fit_warnings import FitWarning
from separatrix.rows import DenseRows, SparseRows, as_rows


def drawn(n=300, d=4, seed=0, shift=0.0, scale=1.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * scale + shift
    truth = random.normal(size=d) / scale
    y = random.random(n) < 1 / (1 + np.exp(-((X - shift) @ truth)))
    return X, y.astype(int)


def objective(X, y, weights, bias, C, v=None):
    margins = np.where(y == y.max(), 1, -1) * (X @ weights + bias)
    loss = np.logaddexp(0, -margins) if v is None else v * np.logaddexp(0, -margins)
    return (0.5 * weights @ weights + C * loss.sum()) if math.isfinite(C) else loss.sum()


def checked(tmp_path, certificate, X, y, names=None):
    """The independent checker's sentence."""
    names = names or [f"x{j}" for j in range(X.shape[1])]
    lines = [",".join([*names, "label"])]
    lines += [",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), list(y), strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "proof.json").write_text(certificate.to_json(), encoding="utf-8")
    return verdict(str(tmp_path / "proof.json"), str(tmp_path / "data.csv"), "label")


# The elementary functions


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=6))
def test_softplus_is_enclosed(margins):
    found = softplus_above(np.array(margins))
    with localcontext() as context:
        context.prec = 350
        for margin, value in zip(margins, found.tolist(), strict=True):
            m = Decimal(margin)
            exact = (1 + (-abs(m)).exp()).ln() + max(-m, Decimal(0))
            assert exact <= Decimal(value)
            if abs(margin) < 600:
                assert Decimal(value) <= exact * (1 + Decimal("1e-13"))


@given(st.floats(1e-300, 1.0), st.floats(1e-3, 1e6))
def test_entropy_is_enclosed(share, whole):
    part = min(share * whole, whole)
    found = float(entropy_below(np.array([part]), np.array([whole]))[0])
    with localcontext() as context:
        context.prec = 400
        w = Decimal(whole)
        p = Decimal(part) / w
        exact = w * sum((-q * q.ln() for q in (p, 1 - p) if q > 0), Decimal(0))
        assert Decimal(found) <= exact
        assert exact * (1 - Decimal("1e-13")) <= Decimal(found)


@given(st.lists(st.lists(st.floats(-300, 300), min_size=3, max_size=3), min_size=1, max_size=8))
def test_log_sum_and_joint_entropy_are_enclosed(table):
    scores = np.array(table)
    above = log_sum_above(scores, scores[:, 0])
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = p / p.sum(axis=1, keepdims=True) * (1 - 2.0**-40)
    p[:, 0] = 0.0
    below = joint_entropy_below(p, np.ones(len(p)))
    with localcontext() as context:
        context.prec = 400
        for row, q, high, low in zip(
            scores.tolist(), p.tolist(), above.tolist(), below.tolist(), strict=True
        ):
            exact = sum(Decimal(t).exp() for t in row).ln() - Decimal(row[0])
            assert exact <= Decimal(high) <= exact * (1 + Decimal("1e-12")) + Decimal("1e-12")
            shares = [Decimal(share) for share in q if share > 0]
            shares.append(1 - sum(shares))
            entropy = sum((-s * s.ln() for s in shares if s > 0), Decimal(0))
            assert Decimal(low) <= entropy
            assert entropy - Decimal(low) <= Decimal("1e-11")


# The kernels, beside plain sums


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-9])
def test_a_loose_fit_takes_one_pass_to_prove_and_holds(tol, monkeypatch):
    from separatrix.algorithms.logistic import certificate as proof

    random = np.random.default_rng(4)
    X = random.normal(size=(3000, 5))
    X[:, 4] = X[:, 0] + 1e-3 * random.normal(size=3000)
    y = (X @ random.normal(size=5) + random.normal(size=3000) > 0).astype(int)
    passes = []
    ends = proof._compute_bounds
    monkeypatch.setattr(proof, "_compute_bounds", lambda *given: passes.append(1) or ends(*given))
    model = sx.LogisticRegression(tol=tol).fit(X, y)
    assert len(passes) == 1
    assert model.gap_ <= tol
    assert model.certificate_.verify(X, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_are_their_plain_twins(dtype):
    from separatrix.algorithms.logistic import objective_kernels
    from separatrix.rows import Csr

    random = np.random.default_rng(1)
    X = (random.normal(size=(40, 3)) * (random.random((40, 3)) < 0.6)).astype(dtype)
    signs, costs = np.where(random.random(40) < 0.5, 1, -1).astype(np.int8), random.random(40)
    scores = random.normal(size=40) * 20
    scores[:3] = 0.0, 900.0, -900.0
    slopes, curvatures = np.empty(40), np.empty(40)
    loss = objective_kernels.differentiate_losses(
        scores, signs, costs, np.empty(40, np.int64), slopes, curvatures
    )
    p = 1 / (1 + np.exp(np.clip(signs * scores, -700, 700)))
    assert loss == pytest.approx(costs @ np.logaddexp(0, -signs * scores), rel=1e-14)
    assert np.allclose(slopes, -costs * signs * p, rtol=1e-13, atol=1e-300)
    assert np.allclose(
        curvatures, costs * p * (1 / (1 + np.exp(np.clip(-signs * scores, -700, 700)))), rtol=1e-13
    )
    thin = sparse.csr_matrix(X)
    csr = Csr(thin.data, thin.indices.astype(np.int32), thin.indptr.astype(np.int64))
    Z, direction = np.column_stack([X.astype(float), np.ones(40)]), random.normal(size=4)
    for rows in (X, csr):
        total = np.zeros(4)
        objective_kernels.add_rows(rows, slopes, 1.0, total)
        assert np.allclose(total, Z.T @ slopes)
        total = np.zeros(4)
        objective_kernels.add_hessian_product(rows, curvatures, 1.0, direction, total)
        assert np.allclose(total, Z.T @ (curvatures * (Z @ direction)))
    gram, squares = np.zeros((4, 4)), np.zeros(4)
    objective_kernels.add_gram(csr, curvatures, 1.0, gram)
    objective_kernels.add_squares(csr, curvatures, 1.0, squares)
    assert np.allclose(gram, np.triu((Z.T * curvatures) @ Z))
    assert np.allclose(squares, curvatures @ Z**2)
    for known in (False, True):
        found, bent, total = (scores if known else np.full(40, np.nan)), np.empty(40), np.zeros(4)
        at = scores if known else Z @ direction
        q = 1 / (1 + np.exp(np.clip(signs * at, -700, 700)))
        loss, mass = objective_kernels.differentiate_dense_rows(
            X, signs, costs, direction, known, found, bent, total
        )
        assert np.allclose(found, at, rtol=1e-12)
        assert loss == pytest.approx(costs @ np.logaddexp(0, -signs * at), rel=1e-12)
        assert np.allclose(total, Z.T @ (-costs * signs * q), rtol=1e-11)
        assert (mass, bent.sum()) == pytest.approx((-(costs * signs) @ q, (costs * q) @ (1 - q)), rel=1e-11)
    scaled = np.empty((40, 4))
    objective_kernels.scale_rows(X, np.ones(3), curvatures, 1.0, scaled)
    assert np.allclose(scaled, np.sqrt(curvatures)[:, None] * (Z - [1, 1, 1, 0]))


# Optimality


@pytest.mark.parametrize("solver", ["auto", "newton", "newton-cg"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("intercept", [True, False])
def test_gap_bounds_the_distance_to_the_optimum(solver, C, intercept):
    X, y = drawn(shift=3.0)
    model = sx.LogisticRegression(C=C, solver=solver, fit_intercept=intercept).fit(X, y)
    assert model.gap_ <= 1e-8
    assert model.certificate_.verify(X, y).holds
    w, b = model.coef_[0], model.intercept_[0]
    here = objective(X, y, w, b, C)
    assert model.lower_bound_ <= here <= model.objective_
    p = 1 / (1 + np.exp(-(X @ w + b)))
    gradient = w + C * X.T @ (p - y)
    assert np.linalg.norm(gradient) <= math.sqrt(2e-8 * here) * 1.01
    if intercept:
        assert abs((p - y).sum()) <= 1e-9 * len(y)

    def flat(v):
        return objective(X, y, v[:-1], v[-1] * intercept, C)

    found = minimize(flat, np.append(w, b), method="BFGS", options={"gtol": 1e-9})
    assert here <= found.fun * (1 + 1e-8)


@pytest.mark.parametrize("shift", [0.0, 1e4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_agrees_with_scikit_learn(shift, dtype):
    X, y = drawn(2000, 6, seed=3, shift=shift)
    X = X.astype(dtype)
    ours = sx.LogisticRegression(tol=1e-10).fit(X, y)
    theirs = Peer(tol=1e-10, max_iter=10_000, solver="newton-cholesky").fit(X.astype(float) - shift, y)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-7)
    assert ours.certificate_.verify(X, y).holds


def test_subsampled_start_and_single_precision_hessian_change_nothing():
    X, y = drawn(60_000, 20, seed=4, shift=5.0)
    ours = sx.LogisticRegression(n_jobs=2).fit(X, y)
    assert ours.gap_ <= 1e-8
    theirs = Peer(tol=1e-8, max_iter=1000).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-6)
    one = sx.LogisticRegression(n_jobs=1).fit(X, y)
    assert np.array_equal(one.coef_, ours.coef_)


def test_sparse_is_dense():
    random = np.random.default_rng(5)
    X = sparse.random(400, 60, 0.1, random_state=6, format="csr")
    y = (np.asarray(X @ random.normal(size=60)).ravel() + random.normal(size=400) > 0).astype(int)
    dense = sx.LogisticRegression(tol=1e-11).fit(X.toarray(), y)
    for solver in ("newton", "newton-cg"):
        thin = sx.LogisticRegression(solver=solver, tol=1e-11).fit(X, y)
        assert thin.certificate_.verify(X, y).holds
        assert np.allclose(thin.coef_, dense.coef_, atol=1e-5)
    wide = sx.LogisticRegression(tol=1e-6).fit(
        sparse.random(50, 3000, 0.05, random_state=7, format="csr"), y[:50]
    )
    assert wide.gap_ <= 1e-6


def test_blocks_change_rounding_only():
    X, y = drawn(500, 3)
    _, codes = np.unique(y, return_inverse=True)
    fits = []
    for rows_in_block in (7, 64, 500):
        rows = DenseRows(X, codes.astype(np.int32), np.array([0, 1]), rows_in_block=rows_in_block)
        fits.append(sx.LogisticRegression().fit(rows))
        assert fits[-1].certificate_.verify(X, y).holds
    assert np.allclose(fits[0].coef_, fits[1].coef_, rtol=1e-10)
    assert np.allclose(fits[0].coef_, fits[2].coef_, rtol=1e-10)


@pytest.mark.parametrize(
    ("penalty", "multi_class"),
    [("l2", "ovr"), (None, "ovr"), ("firth", "ovr"), ("l2", "multinomial"), (None, "multinomial")],
)
def test_weight_is_repetition(penalty, multi_class):
    X, _ = drawn(240, 3, seed=8)
    random = np.random.default_rng(9)
    y = random.integers(0, 3 if multi_class == "multinomial" else 2, size=240)
    weights = random.integers(0, 4, size=240)
    model = sx.LogisticRegression(penalty=penalty, multi_class=multi_class, tol=1e-10)
    one = sx.LogisticRegression(**model.get_params()).fit(X, y, sample_weight=weights)
    two = sx.LogisticRegression(**model.get_params()).fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    assert np.allclose(one.coef_, two.coef_, atol=1e-6)
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-9)
    if penalty != "firth":
        assert np.all(one.gap_ <= 1e-8)
        assert one.certificate_.verify(X, y).holds


def test_class_weight_is_a_weight():
    X, y = drawn(200, 3, seed=10)
    one = sx.LogisticRegression(class_weight={0: 2.0, 1: 0.5}).fit(X, y)
    two = sx.LogisticRegression().fit(X, y, sample_weight=np.where(y == 1, 0.5, 2.0))
    assert np.allclose(one.coef_, two.coef_)


def test_probabilities():
    X, y = drawn(200, 3, seed=11)
    y = y + (X[:, 0] > 1)
    for multi_class in ("ovr", "multinomial"):
        model = sx.LogisticRegression(multi_class=multi_class).fit(X, y)
        P = model.predict_proba(X)
        assert np.allclose(P.sum(axis=1), 1)
        assert np.allclose(np.log(P), model.predict_log_proba(X))
        assert np.array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
    binary = sx.LogisticRegression().fit(X, y > 0)
    assert np.allclose(binary.predict_proba(X)[:, 1], 1 / (1 + np.exp(-binary.decision_function(X))))
    far = binary.predict_log_proba(X * 1e5)
    assert np.isfinite(far).all()


# Proofs


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("penalty", ["l2", None])
def test_the_independent_checker_agrees(tmp_path, intercept, weighted, penalty):
    X, y = drawn(60, 2, seed=12)
    v = np.random.default_rng(13).integers(0, 3, 60).astype(float) if weighted else None
    model = sx.LogisticRegression(penalty=penalty, fit_intercept=intercept).fit(X, y, v)
    assert model.gap_ <= 1e-8
    assert "at least" in checked(tmp_path, model.certificate_, X, y)


def forgeries(proof):
    yield replace(proof, upper=proof.upper * (1 - 1e-6))
    yield replace(proof, lower=proof.lower * (1 + 1e-6))
    yield replace(proof, weights=(proof.weights[0] + 0.1, *proof.weights[1:]))
    yield replace(proof, intercept=proof.intercept + 0.1)
    if proof.C is not None:
        yield replace(proof, C=proof.C * 1.01)
        yield replace(proof, C=None)
    else:
        yield replace(proof, rows=proof.rows[1:])
        yield replace(proof, normals=((1,) * (len(proof.weights) + 1),), rows=proof.rows[1:])


@pytest.mark.parametrize("penalty", ["l2", None])
def test_forged_proofs_are_refused(tmp_path, penalty):
    X, y = drawn(60, 2, seed=14)
    proof = sx.LogisticRegression(penalty=penalty).fit(X, y).certificate_.sealed()
    assert proof.verify(X, y).holds
    for forged in forgeries(proof):
        assert not forged.verify(X, y).holds
        with pytest.raises(Refused):
            checked(tmp_path, forged, X, y)
    assert not proof.verify(X, 1 - y).holds
    moved = X.copy()
    moved[0, 0] += 1.0
    assert not proof.verify(moved, y).holds
    assert sx.certificates.from_json(proof.to_json()) == proof


def test_any_weights_get_a_bound_that_holds():
    """However bad the weights, what is proven from below stays below the optimum."""
    from separatrix.algorithms.logistic.certificate import certify

    X, y = drawn(150, 3, seed=15)
    best = sx.LogisticRegression(tol=1e-11).fit(X, y)
    rows = as_rows(X, y)
    random = np.random.default_rng(16)
    for scale in (1e-3, 1.0, 30.0):
        weights = np.append(best.coef_[0], best.intercept_) + scale * random.normal(size=4)
        proof = certify(rows, 1, weights, 1.0, intercept=True)
        assert proof.lower <= best.objective_
        assert proof.upper >= best.lower_bound_
        assert proof.verify(X, y).holds


def test_unpenalised_proof_with_dependent_columns(tmp_path):
    X, y = drawn(80, 2, seed=17)
    X = np.round(X * 8) / 8
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1] + 1])
    model = sx.LogisticRegression(penalty=None).fit(X, y)
    assert model.gap_ <= 1e-8
    assert model.unbounded_.count("undetermined") >= 2
    assert model.certificate_.normals
    assert model.certificate_.verify(X, y).holds
    checked(tmp_path, model.certificate_, X, y)


def test_a_certificate_says_what_it_needs():
    with pytest.raises(ValueError, match=r"C. is wrong: .* > 0"):
        LikelihoodWithin((1.0,), None, C=-1.0, upper=1.0, lower=0.0)
    proof = LikelihoodWithin((1.0,), 0.0, C=None, upper=10.0, lower=0.0)
    assert proof.verify([[1.0], [2.0]], [0, 1]).holds
    assert not replace(proof, row_weights=(1.0,)).verify([[1.0], [2.0]], [0, 1]).holds


# Attempts on the proofs


def test_rows_that_weigh_nothing_cannot_restore_feasibility(tmp_path):
    """A named row outside the span of those that count would hide what is left of the dual constraints."""
    X = np.array([[0, -1], [2, -2], [2, -1], [-2, 2], [-1, -2], [0, 2]], float)
    y, v = np.array([0, 1, 0, 0, 0, 0]), np.array([1, 2, 0, 1, 2, 2], float)
    with pytest.warns(sx.FitWarning, match="quasi"):
        proof = sx.LogisticRegression(penalty=None, fit_intercept=False).fit(X, y, v).certificate_
    assert proof.verify(X, y).holds
    weights = (26.007223360157926, -0.760946069157985)
    forged = replace(proof, rows=(2,), weights=weights, lower=proof.upper * 1.0001, upper=1e6)
    assert "Row 2 (counted from 0) does not count" in forged.verify(X, y).reason
    with pytest.raises(Refused):
        checked(tmp_path, forged, X, y)


@pytest.mark.parametrize("positives", [6, 7])
def test_huge_row_weights_do_not_overflow_the_multiples(tmp_path, positives):
    X, y = np.zeros((8, 1)), np.array([1] * positives + [0] * (8 - positives))
    share = positives / 8
    best = -8 * (share * math.log(share) + (1 - share) * math.log(1 - share))
    forged = LikelihoodWithin((0.0,), 0.0, C=1e-290, upper=6.0, lower=best * 1.001, row_weights=(1e290,) * 8)
    assert not forged.verify(X, y).holds
    with pytest.raises(Refused):
        checked(tmp_path, forged, X, y)
    score = math.log(share / (1 - share))
    honest = replace(forged, intercept=score, lower=best * (1 - 1e-9), upper=best * (1 + 1e-9))
    assert honest.verify(X, y).holds
    checked(tmp_path, honest, X, y)


def test_the_checker_keeps_the_digits_of_small_losses(tmp_path):
    """log(1 + e) at 60 digits is 0 for e below 1e-60; times a weight of 1e90 that would be much."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    forged = LikelihoodWithin((150.0,), None, C=None, upper=1e-3, lower=0.0, row_weights=(1e90, 1e90))
    assert not forged.verify(X, y).holds
    with pytest.raises(Refused, match=r"1\.435\d*e\+25"):
        checked(tmp_path, forged, X, y)
    small = LikelihoodWithin((0.0,), None, C=1.0, upper=1.4e-60, lower=1.38e-60, row_weights=(1e-60, 1e-60))
    assert small.verify(X * 0, y).holds
    checked(tmp_path, small, X * 0, y)


def test_numbers_beyond_doubles_are_refused_in_a_sentence():
    huge = 10**400
    for make in (
        lambda: LikelihoodWithin((huge,), 0.0, C=None, upper=huge**2, lower=0.0),
        lambda: LikelihoodWithin((1.0,), 0.0, C=huge, upper=1.0, lower=0.0),
        lambda: LikelihoodWithin((1.0,), 0.0, C=1.0, upper=huge, lower=0.0, row_weights=(huge, 1)),
        lambda: JointLikelihoodWithin((0, 1), ((huge,), (0.0,)), None, C=None, upper=huge**2, lower=0.0),
    ):
        with pytest.raises(CertificateError, match="beyond every double"):
            make()


def test_an_objective_beyond_doubles_is_found_in_60_digits(tmp_path):
    X, y, huge = np.array([[1e10], [2e10]]), np.array([1, 0]), 10**400
    for proof in (
        LikelihoodWithin((1e300,), 0.0, C=None, upper=huge, lower=0.0),
        JointLikelihoodWithin((0, 1), ((1e300,), (0.0,)), None, C=None, upper=huge, lower=0.0),
    ):
        assert "60 digits" in proof.verify(X, y).reason
        checked(tmp_path, proof, X, y)
        many = np.tile(X, (6000, 1)), np.tile(y, 6000)  # too many rows for 60 digits
        assert "too large for doubles" in proof.verify(*many).reason
        assert not replace(proof, upper=10**308).verify(X, y)


def both_hold(tmp_path, proof, X, y):
    """The verdict on which `verify` and the checker agree."""
    ours = proof.verify(X, y).holds
    try:
        theirs = bool(checked(tmp_path, proof, X, y))
    except Refused:
        theirs = False
    assert ours == theirs, proof.to_json()
    return ours


@pytest.mark.parametrize("multi_class", ["ovr", "multinomial"])
@pytest.mark.parametrize("penalty", ["l2", None])
def test_both_checks_agree_to_the_last_double(tmp_path, multi_class, penalty):
    """From an end that holds to one that is false, both change their verdict at the same double."""
    X = np.array([[0, 1], [1, 0], [2, 2.5], [0.5, 0.75], [1.5, 0.25], [2, 2], [1, 1], [0.25, 2]])
    y = np.array([0, 1, 0, 1, 0, 1, 1, 0] if multi_class == "ovr" else [0, 2, 0, 2, 1, 2, 0, 1])
    proof = sx.LogisticRegression(penalty=penalty, C=2.0, multi_class=multi_class).fit(X, y).certificate_
    for end, false in (("upper", proof.lower * (1 - 1e-12)), ("lower", proof.upper * (1 + 1e-12))):
        true = getattr(proof, end)
        while np.nextafter(true, false) != false:
            middle = true + (false - true) / 2
            if both_hold(tmp_path, replace(proof, **{end: middle}), X, y):
                true = middle
            else:
                false = middle
        assert not both_hold(tmp_path, replace(proof, **{end: false}), X, y)


def test_both_checks_want_a_direction_of_the_right_length(tmp_path):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    proof = LikelihoodWithin((0.5,), -0.75, C=None, upper=2.7, lower=0.0)
    for direction, holds in (((0.0, 1.0), True), ((0.0,), False), ((0.0, 0.0, 0.0), False)):
        assert both_hold(tmp_path, replace(proof, direction=direction), X, y) is holds


def test_what_no_joint_certificate_may_hold(tmp_path):
    zero = ((0.0,), (0.0,))
    for wrong, word in (
        ({"row_weights": (3.0, -2.0)}, "row_weights"),
        ({"C": None, "radius": -100.0, "lower": 50.0}, "radius"),
        ({"radius": -1.0}, "radius"),
        ({"classes": (0, 0)}, "the same"),
    ):
        fields = {"classes": (0, 1), "C": 1.0, "upper": 100.0, "lower": 0.5} | wrong
        with pytest.raises(ValueError, match=word):
            JointLikelihoodWithin(coefficients=zero, intercepts=None, **fields)
        honest = JointLikelihoodWithin((0, 1), zero, None, C=1.0, upper=100.0, lower=0.5)
        text = json.loads(honest.to_json())
        place = text.get("witness", text)
        place |= json.loads(json.dumps(wrong))
        (tmp_path / "proof.json").write_text(json.dumps(text), encoding="utf-8")
        (tmp_path / "data.csv").write_text("x0,label\n1.0,1\n2.0,0", encoding="utf-8")
        with pytest.raises((Refused, Unreadable, ValueError)):
            verdict(str(tmp_path / "proof.json"), str(tmp_path / "data.csv"), "label")


def test_classes_of_one_name_are_told_by_both(tmp_path):
    """1 and 1.0 are one class; so are "1" and 1.0."""
    zero, X = ((0.0,), (0.0,), (0.0,)), np.array([[1.0], [2.0]])
    honest = JointLikelihoodWithin((0, 2, 1), zero, None, C=1.0, upper=100.0, lower=0.0)
    assert checked(tmp_path, honest, X, [0, 1])
    for classes in ((0, 1.0, 1), (0, "1", 1.0), (0, True, 1)):
        with pytest.raises(ValueError, match="the same"):
            JointLikelihoodWithin(classes, zero, None, C=1.0, upper=100.0, lower=0.0)
        record = json.loads(honest.to_json()) | {"classes": classes}
        (tmp_path / "proof.json").write_text(json.dumps(record), encoding="utf-8")
        with pytest.raises(Refused, match="the same"):
            verdict(str(tmp_path / "proof.json"), str(tmp_path / "data.csv"), "label")


@pytest.mark.parametrize("intercepts", [None, (0.0, 0.0)])
def test_shares_that_are_not_normal_doubles_prove_nothing(intercepts):
    """Rows of weight v at ±x, classes (u, -u), C = 1: u² + 2v log(1 + exp(-2ux)) is below 4e-13 at some u,
    and multiples of 2^-51 make shares of about 2^-1074."""
    x, v = 6.5e8, 1.98 * 2.0**1023
    with localcontext() as context:
        context.prec = 60
        u = Decimal("5.73177e-7")
        reached = u * u + 2 * Decimal(v) * (1 + (-2 * u * Decimal(x)).exp()).ln()
        assert reached < Decimal("4e-13")
    w = 744.5 / (2 * x)
    for quantum in (51, 40, 60):
        proof = JointLikelihoodWithin(
            ("a", "b"), ((w,), (-w,)), intercepts, 1.0, 1e12, 4e-13, row_weights=(v, v), quantum=quantum
        )
        assert not proof.verify([[x], [-x]], ["a", "b"]).holds


def test_joint_entropy_is_below_for_shares_of_any_size():
    random = np.random.default_rng(0)
    beta = np.ldexp(random.integers(1, 2**20, (300, 3)).astype(float), random.integers(-900, 0, (300, 3)))
    beta[:, 0] = 0.0
    v = np.maximum(beta.sum(axis=1), np.ldexp(1.0 + random.random(300), random.integers(-850, 1023, 300)))
    found = joint_entropy_below(beta, v)
    with localcontext() as context:
        context.prec = 700
        for row, whole, low in zip(beta.tolist(), v.tolist(), found.tolist(), strict=True):
            shares = [Decimal(b) / Decimal(whole) for b in row if b]
            shares.append(1 - sum(shares))
            assert Decimal(low) <= Decimal(whole) * sum((-q * q.ln() for q in shares if q > 0), Decimal(0))


def test_entropies_beyond_doubles_count_as_none():
    v = np.full(2, 1.7e308)
    with np.errstate(over="ignore"):
        assert not joint_entropy_below(np.outer(v / 4, [0.0, 1.0, 1.0, 1.0]), v).any()
        assert sum_below(v) == 0.0


def test_multiples_of_many_classes_do_not_wrap():
    """8192 shares of 2^51 each: 2^64 together, which 64 bits would take for 0."""
    scores, v = np.zeros((1, 8192)), np.array([2.0**64])
    multiples = JointDuality(np.zeros((8192, 1)), None, 0)._multiples(scores, np.array([0]), v)
    assert not multiples.any()


def test_the_checker_subtracts_scores_before_it_rounds(tmp_path):
    """Scores of 1e70 that differ by 50: the two rows of the first class lose 50 each."""
    X, y = np.ones((3, 1)), ["a", "a", "b"]
    big, bias = ((1e70,), (1e70,)), (0.0, 50.0)
    with pytest.raises(Refused, match=r"100\.0"):
        checked(tmp_path, JointLikelihoodWithin(("a", "b"), big, bias, None, 2.0795, 0.0), X, y)
    assert checked(tmp_path, JointLikelihoodWithin(("a", "b"), big, bias, None, 100.1, 0.0), X, y)


def test_the_checker_balances_classes_by_way_of_a_third(tmp_path):
    """The only row of "c" has no room for "d", and the only row of "d" hardly any multiples of "c"."""
    X = np.array([[1, 1], [-1, -1], [1, 0], [2, -2], [0, 0], [-1, -2], [0, -1], [-1, -1], [2, -1], [0, 0]])
    v = np.array([0.3, 0.3, 0.5, 3.0, 0.5, 1e-8, 1e6, 1e6, 0.5, 0.5])
    X, y = X + 1e8, np.array(list("abcdbbabaa"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        model = sx.LogisticRegression(multi_class="multinomial", tol=1e-9).fit(X, y, sample_weight=v)
    assert model.certificate_.verify(X, y).holds
    assert checked(tmp_path, model.certificate_, X, y)
    joint = JointDual.__new__(JointDual)
    joint.own, joint.weights, joint.scale = [0, 1, 2, 3], [Fraction(8)] * 2 + [Fraction(1)] * 2, 10
    joint.multiples = [[0, 0, 5, 5], [5, 0, 0, 0], [10, 0, 0, 0], [4, 0, 0, 0]]
    joint.balance()
    for k in range(4):
        given = sum(row[k] for row in joint.multiples)
        assert given == sum(joint.multiples[k]) <= joint.weights[k] * 10


@pytest.mark.parametrize(("seed", "shift"), [(0, 1e-8), (1, 1e-9), (10, 1e-7), (7, 1e-6)])
def test_the_checker_proves_what_verify_proves_of_weights_that_are_not_the_best(seed, shift, tmp_path):
    """Few rows, some of weight 1e9: it matters which of them makes up for what the classes differ by."""
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(9, 1)) * 100, np.array([0, 1, 0, 1, 1, 0, 1, 0, 1])
    v = random.choice([0.5, 1.0, 3.0, 1e9], size=9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        fit = sx.LogisticRegression().fit(X, y, sample_weight=v)
    bias = fit.certificate_.intercept + shift
    proof = replace(fit.certificate_, intercept=bias, upper=fit.objective_ * 2, lower=fit.objective_)
    proven = float(proof.verify(X, y).reason.split()[-1].rstrip("."))
    proof = replace(proof, lower=proven * (1 - 1e-9))
    assert proof.verify(X, y).holds
    assert checked(tmp_path, proof, X, y)


def test_zero_rows_alone_on_the_hyperplane_are_bounded(tmp_path):
    """Quasi-separated, and all that separation leaves alone is a row of zeros: log 2, exactly."""
    X = np.array([[2.0], [1.0], [-1.0], [0.0]])
    y = np.array([1, 1, 0, 0])
    with pytest.warns(sx.FitWarning, match="quasi"):
        model = sx.LogisticRegression(penalty=None, fit_intercept=False).fit(X, y)
    assert model.gap_ <= 1e-8
    assert model.lower_bound_ == pytest.approx(math.log(2))
    assert model.certificate_.verify(X, y).holds
    checked(tmp_path, model.certificate_, X, y)
    assert not replace(model.certificate_, lower=0.6932).verify(X, y).holds
    assert not replace(model.certificate_, normals=()).verify(X, y).holds


def test_proofs_hold_however_the_rows_were_cut():
    """Short blocks in the fit, long ones in `verify`: more roundings are allowed for in the latter."""
    random = np.random.default_rng(0)
    X = sparse.random(1500, 2000, 0.05, random_state=1, format="csr")
    X.data = random.integers(1, 1000, size=X.nnz).astype(float)
    y = (random.random(1500) < 0.5).astype(np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.FitWarning)
        model = sx.LogisticRegression().fit(SparseRows(X, y, np.array([0, 1]), rows_in_block=8))
    assert model.certificate_.verify(X, y).holds


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(40))
def test_perturbed_proofs_are_true_or_refused(tmp_path, seed):
    """Ends drawn around the true ones: neither `verify` nor the checker accepts a false claim."""
    import mpmath

    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(8, 2)), 2) * 10.0 ** random.integers(-3, 3)
    y = random.permutation([0, 0, 0, 1, 1, 1, 1, 0])
    scale = 10.0 ** random.integers(-30, 30)
    v = random.integers(1, 4, size=8) * scale
    C = 10.0 ** random.uniform(-3, 3) / scale
    model = sx.LogisticRegression(C=C, tol=1e-9).fit(X, y, v)
    proof = model.certificate_
    assert proof.verify(X, y).holds
    checked(tmp_path, proof, X, y)
    with mpmath.workdps(60):
        exact = [[mpmath.mpf(x) for x in row] for row in X.tolist()]

        def value(w, b):
            margins = [(2 * int(s) - 1) * (mpmath.fdot(w, x) + b) for s, x in zip(y, exact, strict=True)]
            loss = mpmath.fsum(
                mpmath.mpf(float(u)) * (mpmath.log1p(mpmath.exp(-abs(m))) + max(-m, 0))
                for u, m in zip(v, margins, strict=True)
            )
            return mpmath.fsum(a * a for a in w) / 2 + mpmath.mpf(C) * loss

        for _ in range(5):
            w = np.array(proof.weights) + random.normal(size=2) * 10.0 ** random.uniform(-14, 0)
            b = proof.intercept + random.normal() * 10.0 ** random.uniform(-14, 0)
            here = value([mpmath.mpf(a) for a in w.tolist()], mpmath.mpf(b))
            upper = float(here) * (1 + random.choice([-1, 1]) * 10.0 ** random.uniform(-15, -4))
            lower = float(proof.upper) * (1 + 10.0 ** random.uniform(-15, -4))
            for ends in ({"upper": upper, "lower": 0.0}, {"upper": 2 * upper, "lower": lower}):
                claim = replace(proof, weights=tuple(w.tolist()), intercept=b, **ends)
                if ends["lower"] > 0 or mpmath.mpf(upper) < here:
                    assert not claim.verify(X, y).holds
                    with pytest.raises(Refused):
                        checked(tmp_path, claim, X, y)


# Separation


def test_endometrial_is_told_and_its_finite_part_is_published(data_folder, tmp_path):
    table = np.genfromtxt(data_folder / "endometrial.csv", delimiter=",", names=True)
    X = np.column_stack([table["NV"], table["PI"], table["EH"]])
    y = table["label"].astype(int)
    with pytest.warns(sx.FitWarning, match=r"quasi-completely separated.*column 0 to \+inf.*rows 21, 22"):
        model = sx.LogisticRegression(penalty=None).fit(X, y)
    assert model.separation_ == "quasi"
    assert model.unbounded_ == ("+inf", "finite", "finite", "finite")
    assert model.recession_.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert len(model.separated_rows_) == 13
    assert model.gap_ <= 1e-8
    assert model.certificate_.verify(X, y).holds
    checked(tmp_path, model.certificate_, X, y, ["NV", "PI", "EH"])
    table = model.summary()
    assert table.names[0] == "(Intercept)"
    assert np.allclose(table.estimate[[0, 2, 3]], [4.3045178, -0.0421834, -2.9026056], atol=1e-6)
    assert np.allclose(table.standard_error[[0, 2, 3]], [1.63729861, 0.04433196, 0.84555156], atol=1e-6)
    assert np.isnan(table.estimate[1])
    assert -2 * table.log_likelihood == pytest.approx(55.393, abs=5e-4)
    assert -2 * table.null_log_likelihood == pytest.approx(104.903, abs=5e-4)
    assert "no finite estimate" in str(table)


def test_complete_separation_is_told():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.warns(sx.FitWarning, match="completely separated"):
        model = sx.LogisticRegression(C=np.inf).fit(X, y)
    assert model.separation_ == "complete"
    assert np.isfinite(model.coef_).all()
    assert model.objective_ < 1e-6
    assert model.certificate_.verify(X, y).holds
    assert model.predict(X).tolist() == y


def test_multinomial_separation_is_decided_on_differences_of_classes():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array([0, 0, 1, 1, 2, 2])
    assert separate_jointly(as_rows(X, y), 3, intercept=True).kind == "complete"
    with pytest.warns(sx.FitWarning, match="completely separated"):
        model = sx.LogisticRegression(penalty=None, multi_class="multinomial").fit(X, y)
    assert model.separation_ == "complete"
    assert np.isfinite(model.coef_).all()
    mixed = np.array([0, 1, 2, 0, 1, 2])
    assert separate_jointly(as_rows(X, mixed), 3, intercept=True).kind == "overlap"
    # One class alone is told apart: quasi, though neither of the others is.
    half = np.array([0, 1, 0, 1, 2, 2])
    assert separate_jointly(as_rows(X, half), 3, intercept=True).kind == "quasi"


# Firth


def test_firth_on_endometrial_is_published(data_folder):
    table = np.genfromtxt(data_folder / "endometrial.csv", delimiter=",", names=True)
    X = np.column_stack([table["NV"], table["PI"], table["EH"]])
    model = sx.LogisticRegression(penalty="firth").fit(X, table["label"].astype(int))
    assert np.allclose(model.coef_, [[2.92927335, -0.03475176, -2.60416393]], atol=2e-8)
    assert model.intercept_[0] == pytest.approx(3.77455971, abs=2e-8)


def test_firth_on_sex2_is_published(data_folder):
    table = np.genfromtxt(data_folder / "sex2.csv", delimiter=",", names=True)
    names = ["age", "oc", "vic", "vicl", "vis", "dia"]
    X, y = np.column_stack([table[name] for name in names]), table["label"].astype(int)
    model = sx.LogisticRegression(penalty="firth").fit(X, y)
    wanted = [-1.105981, -0.068817, 2.268875, -2.111408, -0.788317, 3.096012]
    assert np.allclose(model.coef_[0], wanted, atol=1e-6)
    assert model.intercept_[0] == pytest.approx(0.120254, abs=1e-6)


@pytest.mark.deep
def test_firth_agrees_with_firthmodels():
    firthmodels = pytest.importorskip("firthmodels")
    X, y = drawn(100, 3, seed=19)
    model = sx.LogisticRegression(penalty="firth").fit(X, y)
    theirs = firthmodels.FirthLogisticRegression().fit(X, y)
    assert np.allclose(model.coef_[0], theirs.coef_, atol=1e-5)


# Inference


def test_summary_agrees_with_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    X, y = drawn(200, 3, seed=20, shift=2.0)
    ours = sx.LogisticRegression(penalty=None).fit(X, y).summary(level=0.9)
    theirs = api.Logit(y, api.add_constant(X)).fit(disp=0, tol=1e-12)
    assert np.allclose(ours.estimate, theirs.params, rtol=1e-6)
    assert np.allclose(ours.standard_error, theirs.bse, rtol=1e-6)
    assert np.allclose(ours.p_value, theirs.pvalues, rtol=1e-5, atol=1e-12)
    assert np.allclose(np.column_stack([ours.lower, ours.upper]), theirs.conf_int(0.1), rtol=1e-6)
    assert ours.log_likelihood == pytest.approx(theirs.llf)
    assert ours.likelihood_ratio == pytest.approx(theirs.llr)
    assert ours.p_value_of_ratio == pytest.approx(theirs.llr_pvalue)


def ordered(n, seed, shift=0.0):
    """Three classes along the first two of three columns, with noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    labels = np.digitize(X[:, 0] + 0.5 * X[:, 1] + random.normal(size=n), [-0.5, 0.7])
    return X + shift, np.array(["low", "middle", "top"])[labels]


@pytest.mark.parametrize("shift", [0.0, 3.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_multinomial_summary_agrees_with_statsmodels(intercept, shift, tmp_path):
    """One table for each class against the first; statsmodels' reference is the first class too."""
    api = pytest.importorskip("statsmodels.api")
    X, y = ordered(250, seed=5, shift=shift)
    model = sx.LogisticRegression(penalty=None, multi_class="multinomial", fit_intercept=intercept).fit(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    table = api.add_constant(X) if intercept else X
    theirs = api.MNLogit(codes, table).fit(disp=0, tol=1e-14, maxiter=200)
    sx.save(model, tmp_path / "model.json")
    for tables in (model.summary(level=0.9), sx.load(tmp_path / "model.json").summary(level=0.9)):
        assert len(tables) == 2
        for k, ours in enumerate(tables):
            assert ours.title.startswith(
                f"Multinomial logistic regression of {model.classes_[k + 1]} against low"
            )
            assert ours.names == (*(["(Intercept)"] if intercept else []), "x0", "x1", "x2")
            assert np.allclose(ours.estimate, theirs.params[:, k], rtol=1e-7)
            assert np.allclose(ours.standard_error, theirs.bse[:, k], rtol=1e-7)
            assert np.allclose(ours.z, theirs.tvalues[:, k], rtol=1e-7)
            assert np.allclose(ours.p_value, theirs.pvalues[:, k], rtol=1e-5, atol=1e-12)
            both = np.column_stack([ours.lower, ours.upper])
            assert np.allclose(both, theirs.conf_int(0.1)[k], rtol=1e-6)
            assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-10)
            assert ours.degrees == 6
            if intercept:
                assert ours.likelihood_ratio == pytest.approx(theirs.llr, rel=1e-9)
                assert ours.p_value_of_ratio == pytest.approx(theirs.llr_pvalue, rel=1e-6)
            else:
                assert ours.null_log_likelihood == pytest.approx(-250 * np.log(3))


def test_multinomial_summary_counts_a_weight_as_repetitions():
    X, y = ordered(120, seed=6)
    weights = np.random.default_rng(7).integers(0, 4, size=len(y))
    fit = sx.LogisticRegression(penalty=None, multi_class="multinomial").fit
    once = fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).summary()
    for one, other in zip(once, fit(X, y, sample_weight=weights).summary(), strict=True):
        assert np.allclose(one.estimate, other.estimate, rtol=1e-6)
        assert np.allclose(one.standard_error, other.standard_error, rtol=1e-6)
        assert one.weight == other.weight == weights.sum()
        assert other.rows == (weights > 0).sum()
        assert one.likelihood_ratio == pytest.approx(other.likelihood_ratio)


def test_multinomial_summary_of_sparse_rows():
    X, y = ordered(150, seed=8)
    model = sx.LogisticRegression(penalty=None, multi_class="multinomial")
    dense, thin = model.fit(X, y).summary(), sx.LogisticRegression(penalty=None, multi_class="multinomial")
    for one, other in zip(dense, thin.fit(sparse.csr_array(X), y).summary(), strict=True):
        assert np.allclose(one.standard_error, other.standard_error, rtol=1e-7)


def test_multinomial_summary_names_what_runs_away_and_what_is_not_determined():
    X, y = ordered(80, seed=9)
    beyond = np.column_stack([X, (y == "top").astype(float)])  # tells one class from the others
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.FitWarning)
        model = sx.LogisticRegression(penalty=None, multi_class="multinomial").fit(beyond, y)
    assert model.separation_ == "quasi"
    middle, top = model.summary()
    words = dict(zip(top.names, top.words, strict=True))
    assert words["x3"] == "+inf"
    assert np.isnan(top.estimate[top.names.index("x3")])
    assert "+inf" in str(top)
    kept = y != "top"
    alone = sx.LogisticRegression(penalty=None).fit(X[kept], y[kept]).summary()
    for name in ("x0", "x1", "x2"):
        here, there = middle.names.index(name), alone.names.index(name)
        assert middle.words[here] == "finite"
        assert middle.estimate[here] == pytest.approx(alone.estimate[there], rel=1e-4)
        assert middle.standard_error[here] == pytest.approx(alone.standard_error[there], rel=1e-4)
    twice = np.column_stack([X, X[:, 1]])
    tables = sx.LogisticRegression(penalty=None, multi_class="multinomial").fit(twice, y).summary()
    plain = sx.LogisticRegression(penalty=None, multi_class="multinomial").fit(X, y).summary()
    for ours, theirs in zip(tables, plain, strict=True):
        words = dict(zip(ours.names, ours.words, strict=True))
        assert words == {"(Intercept)": "finite", "x0": "finite", "x2": "finite"} | dict.fromkeys(
            ("x1", "x3"), "aliased"
        )
        for name in ("(Intercept)", "x0", "x2"):
            here, there = ours.names.index(name), theirs.names.index(name)
            assert ours.estimate[here] == pytest.approx(theirs.estimate[there], rel=1e-6)
            assert ours.standard_error[here] == pytest.approx(theirs.standard_error[there], rel=1e-6)


def test_summary_says_when_there_is_none():
    X, y = drawn(50, 2)
    with pytest.raises(ValueError, match=r"summary\(\) needs a fit with penalty=None"):
        sx.LogisticRegression().fit(X, y).summary()
    X, y = ordered(50, seed=1)
    with pytest.raises(ValueError, match=r"summary\(\) needs a fit with penalty=None"):
        sx.LogisticRegression(multi_class="multinomial").fit(X, y).summary()


# Multinomial


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("penalty", ["l2", None])
def test_multinomial_optimum_and_proof(tmp_path, intercept, penalty):
    random = np.random.default_rng(21)
    X = random.normal(size=(90, 2))
    y = random.integers(0, 3, size=90) | (X[:, 0] > 1)
    model = sx.LogisticRegression(penalty=penalty, multi_class="multinomial", fit_intercept=intercept).fit(
        X, y
    )
    C = np.inf if penalty is None else 1.0
    theirs = Peer(C=C, fit_intercept=intercept, tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    proof = model.certificate_
    assert isinstance(proof, JointLikelihoodWithin)
    assert model.gap_ <= 1e-8
    assert proof.verify(X, y).holds
    checked(tmp_path, proof, X, y)
    for forged in (
        replace(proof, upper=proof.upper * (1 - 1e-6)),
        replace(proof, lower=proof.lower * (1 + 1e-6)),
        replace(proof, coefficients=proof.coefficients[::-1]),
    ):
        assert not forged.verify(X, y).holds
        with pytest.raises(Refused):
            checked(tmp_path, forged, X, y)
    assert not proof.verify(X, (y + 1) % 3).holds
    assert sx.certificates.from_json(proof.to_json()).verify(X, y).holds


@pytest.mark.parametrize("seed", range(40))
def test_multinomial_gap_closes_on_few_rows_large_costs_and_scaled_or_shifted_columns(seed, tmp_path):
    """Separated classes have multipliers near 0, shifted columns tie weights and intercepts together, and a
    large cost multiplies what rounding leaves of either."""
    random = np.random.default_rng(seed)
    count, d = int(random.integers(3, 6)), int(random.choice([1, 2, 4, 8]))
    n = int(random.choice([count, 8, 20, 60]))
    X = random.normal(size=(n, d))
    y = np.argmax(
        X @ random.normal(size=(d, count)) * 3 + random.gumbel(size=(n, count)) * (seed % 2), axis=1
    )
    y[:count] = np.arange(count)
    X = X * 10.0 ** random.choice([-3, 0, 3]) * 10.0 ** random.uniform(-1, 1, size=d)
    X = X + random.choice([0, 1, 100]) * abs(X).max()
    C = 10.0 ** random.choice([-3, 0, 3, 6])
    C = min(C, 1e6 / abs(X).max())
    intercept = seed % 5 > 0
    model = sx.LogisticRegression(C, multi_class="multinomial", tol=1e-7, fit_intercept=intercept).fit(X, y)
    assert model.gap_ <= 1e-7
    assert model.certificate_.verify(X, y).holds
    checked(tmp_path, model.certificate_, X, y)


def test_multinomial_intercepts_are_balanced_by_rows_that_take_more_as_by_rows_that_take_less():
    """Eight rows of five classes: no row has enough of every other class to give back."""
    random = np.random.default_rng(18)
    X = random.normal(size=(8, 1))
    for C in (1.0, 1e3, 1e6):
        for turn in range(6):
            y = random.permutation([0, 1, 2, 3, 4, 0, 1, 2])
            model = sx.LogisticRegression(C, multi_class="multinomial").fit(X, y)
            assert model.gap_ <= 1e-8, (C, turn)
            assert model.certificate_.verify(X, y).holds


def test_a_finer_grain_than_whole_numbers_hold_proves_less_and_nothing_false():
    X, y = np.array([[0.0], [1.0], [2.0], [1.5]]), np.array([0, 1, 2, 0])
    proof = sx.LogisticRegression(multi_class="multinomial").fit(X, y).certificate_
    assert proof.verify(X, y).holds
    for quantum in (55, 60, 64, 200, 900):
        assert not replace(proof, quantum=quantum).verify(X, y).holds  # every multiplier too large for it
        assert replace(proof, quantum=quantum, lower=0.0).verify(X, y).holds
        assert not replace(proof, quantum=quantum, lower=proof.upper * 1.01).verify(X, y).holds
    with pytest.raises(ValueError, match="≤ 900"):
        replace(proof, quantum=901)


@pytest.mark.parametrize("penalty", ["l2", None])
def test_multinomial_rows_of_a_sparse_file_are_not_filled_by_a_centre(tmp_path, penalty):
    """As rows of a CSR matrix they stay where they are, however far from 0."""
    random = np.random.default_rng(0)
    X = np.round(random.normal(size=(200, 3)) * 64) / 64 + 5  # as exact in the file
    y = (X + 2 * random.normal(size=X.shape)).argmax(axis=1)
    dump_svmlight_file(X, y, str(tmp_path / "far.svm"), zero_based=False)
    streamed = sx.read(tmp_path / "far.svm", memory=0)
    model = sx.LogisticRegression(multi_class="multinomial", penalty=penalty)
    of_file, of_array = model.fit(streamed).coef_, model.fit(sparse.csr_matrix(X), y).coef_
    assert np.array_equal(of_file, of_array)


# Gradient descent


def test_rate_of_gradient_descent():
    """Nesterov, 2.1.5: f(w_k) − f* ≤ L‖w₀ − w*‖²/(2k), and at each step f falls by ‖∇f‖²/(2L) at least."""
    X, y = drawn(200, 3, seed=22)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sx.FitWarning)
        model = sx.LogisticRegression(C=0.1, solver="gradient-descent", max_iter=200, tol=1e-12).fit(X, y)
    best = sx.LogisticRegression(C=0.1, tol=1e-11).fit(X, y)
    target = np.append(best.coef_[0], best.intercept_)
    excess = model.objectives_ - best.lower_bound_
    k = np.arange(1, len(excess))
    assert (excess[1:] <= model.smoothness_ * (target @ target) / (2 * k) + 1e-9).all()
    assert (np.diff(model.objectives_) <= 1e-12).all()
    strong = np.linalg.eigvalsh(_hessian_everywhere(X, y, target))[0]
    assert strong > 0
    linear = excess[0] * (1 - min(1.0, strong / model.smoothness_)) ** np.arange(len(excess))
    assert (excess[5:] <= linear[5:] * 1.05 + 1e-9).all()


def _hessian_everywhere(X, y, weights):
    """A lower bound of the Hessian on the segment from zero weights to these: p(1 − p) is least at an end."""
    Z = np.column_stack([X, np.ones(len(X))])
    reach = 3 * np.abs(Z) @ np.abs(weights)
    curved = 0.1 / (np.exp(reach) + 2 + np.exp(-reach))
    H = (Z.T * curved) @ Z
    H[:-1, :-1] += np.eye(X.shape[1])
    return H


def test_smoothness_is_the_largest_curvature():
    X, y = drawn(100, 3, seed=23)
    problem = LogisticObjective(as_rows(X, y), 1, 2.0, intercept=True, centring=Centring.none(X.shape[1]))
    Z = np.column_stack([X, np.ones(100)])
    wanted = np.linalg.eigvalsh(0.5 * Z.T @ Z + np.diag([1.0, 1.0, 1.0, 0.0]))[-1]
    assert find_largest_curvature(problem) == pytest.approx(wanted, rel=1e-9)


# In use


def test_warm_starts_make_a_path_cheap():
    X, y = drawn(3000, 10, seed=24)
    costs = np.logspace(-3, 2, 12)
    cold = sum(sx.LogisticRegression(C=C).fit(X, y).n_iter_ for C in costs)
    model = sx.LogisticRegression(warm_start=True)
    warm = 0
    for C in costs:
        warm += model.set_params(C=C).fit(X, y).n_iter_
        assert model.gap_ <= 1e-8
    assert warm < 0.8 * cold


def test_search_over_costs():
    X, y = drawn(300, 5, seed=25)
    search = GridSearchCV(
        sx.LogisticRegression(), {"C": [0.01, 1.0, 100.0]}, scoring="neg_log_loss", cv=3
    ).fit(X, y)
    assert search.best_estimator_.gap_ <= 1e-8


def test_saved_models_predict_the_same(tmp_path):
    X, y = drawn(100, 3, seed=26)
    labels = y + (X[:, 1] > 1)
    for penalty, multi_class, target in (
        ("l2", "ovr", y),
        (None, "ovr", y),
        ("firth", "ovr", labels),
        ("l2", "multinomial", labels),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sx.FitWarning)
            model = sx.LogisticRegression(penalty=penalty, multi_class=multi_class).fit(X, target)
        sx.save(model, tmp_path / "model.json")
        back = sx.load(tmp_path / "model.json")
        assert np.array_equal(back.predict_proba(X), model.predict_proba(X))
        assert json.loads((tmp_path / "model.json").read_text())["estimator"] == "LogisticRegression"


def test_parameters_that_make_no_sense():
    X, y = drawn(20, 2)
    for parameters, word in (
        ({"C": 0}, "C must be > 0; got 0"),
        ({"penalty": "l1"}, "penalty"),
        ({"solver": "saga"}, "solver"),
        ({"tol": 2}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"class_weight": 5}, "class_weight must be .*; got 5"),
        ({"class_weight": "even"}, "class_weight must be .*; got 'even'"),
        ({"class_weight": {0: "much"}}, r"class_weight must be 'balanced', None or \{label: weight > 0\}"),
        ({"class_weight": {0: 0.0}}, r"class_weight must be 'balanced', None or \{label: weight > 0\}"),
    ):
        with pytest.raises(ValueError, match=word):
            sx.LogisticRegression(**parameters).fit(X, y)
    with pytest.raises(sx.DataError, match="NaN at row 3"):
        sx.LogisticRegression().fit(np.where(np.arange(40).reshape(20, 2) == 6, np.nan, X), y)


def test_steps_that_run_out_are_told():
    X, y = drawn(200, 3, scale=10.0)
    with pytest.warns(sx.FitWarning, match="relative gap"):
        model = sx.LogisticRegression(solver="gradient-descent", max_iter=3).fit(X, y)
    assert model.certificate_.verify(X, y).holds
    assert model.gap_ > 1e-8


def test_single_precision_takes_little_memory():
    random = np.random.default_rng(27)
    X = random.standard_normal(size=(200_000, 50), dtype=np.float32)
    y = (X[:, 0] + random.normal(size=200_000) > 0).astype(int)
    sx.LogisticRegression(n_jobs=2).fit(X[:50_000], y[:50_000])  # compiles, or loads what is compiled
    tracemalloc.start()
    try:
        sx.LogisticRegression(n_jobs=2).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.2 * X.nbytes


def test_a_constant_column_that_no_mean_hits_is_left_at_zero():
    random = np.random.default_rng(3)
    X = random.normal(size=(300, 4))
    X[:, 1] = 0.1
    y = (X[:, 0] + random.normal(size=300) > 0).astype(int)
    for order in ("C", "F"):
        model = sx.LogisticRegression(penalty=None).fit(np.array(X, order=order), y)
        assert model.gap_ < 1e-8
        assert abs(model.coef_[0, 1]) < 1e-6
        assert model.certificate_.verify(np.array(X, order=order), y)


def test_a_certificate_holds_however_the_numbers_lie_in_memory():
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = 1e4 * random.normal(size=(50, 10))
        X[:, 1] = X[:, 0] + 1e-5 * X[:, 1]
        X += 1e6
        y = random.integers(0, 2, 50)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = sx.LogisticRegression(C=100.0, tol=1e-4).fit(X, y)
        assert model.certificate_.verify(np.asfortranarray(X), y)


@pytest.mark.parametrize("multi_class", ["ovr", "multinomial"])
def test_a_verdict_names_ends_that_are_proven(multi_class):
    """Three digits of an upper end, rounded to nearest, may lie below the objective."""
    X, y = np.random.default_rng(7).normal(size=(40, 2)), np.arange(40) % (3 if multi_class != "ovr" else 2)
    certificate = sx.LogisticRegression(multi_class=multi_class).fit(X, y).certificate_
    ends = re.findall(r"[-+.e0-9]*[0-9]", certificate.verify(X, y).reason)
    assert [float(end) for end in ends] == [certificate.upper, certificate.lower]


def test_a_joint_model_without_a_proof_warns_once_for_all_classes():
    X, y = [[0.0], [1.0], [2.0], [3.0], [1.0], [2.0]], [0, 0, 1, 1, 2, 2]
    with pytest.warns(sx.FitWarning) as caught:
        model = sx.LogisticRegression(multi_class="multinomial", C=1e308).fit(X, y)
    assert isinstance(model.certificate_, sx.certificates.Undecided)
    assert [str(warning.message) for warning in caught] == [model.certificate_.reason]
