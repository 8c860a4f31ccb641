"""The hard margin between certified ends, what it says of inseparable rows, and lifted rows."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from separatrix.algorithms.separation import separate
from separatrix.algorithms.separation.lift import Lift, lift
from separatrix.algorithms.svm.max_margin import MaxMargin
from separatrix.fitting import NothingProven


def make_planted_rows(n, d, margin, seed, shift=0.0):
    random = np.random.default_rng(seed)
    w = random.normal(size=d)
    w /= np.linalg.norm(w)
    X = random.normal(size=(n, d))
    scores = X @ w
    X += np.outer(np.sign(scores) * np.maximum(margin - np.abs(scores), 0), w)
    return X + shift, (scores > 0).astype(int)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_gap_closes_and_the_certificate_holds(free, shift):
    X, y = make_planted_rows(2000, 6, 0.05, 1, shift)
    model = MaxMargin(free_intercept=free).fit(X, y)
    assert model.gap_ <= 1e-9
    assert model.certificate_.verify(X, y).holds
    assert model.score(X, y) == 1.0
    assert np.abs(model.decision_function(X)).min() == pytest.approx(1.0, rel=1e-6)


def test_agrees_with_a_support_vector_machine():
    X, y = make_planted_rows(120, 3, 0.3, 5)
    ours = MaxMargin().fit(X, y)
    theirs = SVC(kernel="linear", C=1e6, tol=1e-6).fit(X, y)
    margin = (2 * y - 1) * theirs.decision_function(X)
    assert ours.margin_ >= margin.min() / np.linalg.norm(theirs.coef_) * (1 - 1e-9)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-3)
    signed = ours.dual_coef_[:, None] * X[ours.support_]
    assert np.allclose(signed.sum(axis=0), ours.coef_[0], rtol=1e-6)


def test_badly_scaled_columns_close_too():
    X, y = make_planted_rows(200, 4, 0.1, 7)
    X = X * np.array([1e-6, 1.0, 1e4, 1e6])
    assert MaxMargin().fit(X, y).gap_ <= 1e-9


def test_exact_squared_margin_is_the_least_distance():
    """Between two points of small hulls in the plane, every pair of faces in fractions."""
    positive, negative = [(0, 3), (2, 2), (5, 7)], [(0, 0), (1, -1), (4, 0)]

    def measure_squared_distance(a, b, p):
        """The squared distance of p from the segment a-b."""
        ab = [Fraction(v - u) for u, v in zip(a, b, strict=True)]
        ap = [Fraction(v - u) for u, v in zip(a, p, strict=True)]
        t = min(Fraction(1), max(Fraction(0), sum(map(Fraction.__mul__, ab, ap)) / sum(v * v for v in ab)))
        return sum((u - t * v) ** 2 for u, v in zip(ap, ab, strict=True))

    best = min(
        *(measure_squared_distance(a, b, p) for a, b in combinations(positive, 2) for p in negative),
        *(measure_squared_distance(a, b, p) for a, b in combinations(negative, 2) for p in positive),
    )
    answer = separate([*positive, *negative], [1] * 3 + [0] * 3)
    assert answer.squared_margin() == best / 4
    assert Fraction(answer.margin.lower) ** 2 <= best / 4 <= Fraction(answer.margin.upper) ** 2


def test_inseparable_rows_end_at_once_with_the_conflict():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    with pytest.warns(NothingProven, match=r"rows 0, 1, 2, 3 contradict"):
        model = MaxMargin().fit(X, y)
    assert model.certificate_.verify(X, y).holds
    assert np.isnan(model.margin_)
    assert np.isfinite(model.coef_).all()


def test_lift_separates_xor_in_degree_two():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    answer = lift(X, y)
    assert answer.degree == 2
    assert answer.separation.certificate.verify(answer.lift.transform(X), y).holds
    assert make_pipeline(Lift(2), MaxMargin()).fit(X, y).score(X, y) == 1.0


def test_lift_says_when_no_degree_will_do():
    answer = lift([[0.0], [0.0], [1.0]], [0, 1, 1], max_degree=2)
    assert answer.degree is None
    assert answer.separation.kind != "complete"
