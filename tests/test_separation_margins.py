"""Margins between two certified ends: both meet, a planted one lies between, units are what they are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from separatrix.algorithms.separation import separate


def test_margin_of_four_incomes():
    answer = separate([[20_000], [30_000], [60_000], [90_000]], [0, 0, 1, 1])
    assert answer.margin == (15_000.0, 15_000.0)
    assert answer.radius >= 90_000


@pytest.mark.parametrize("intercept", [True, False])
def test_strong_duality_of_the_margin(intercept):
    """Both ends meet, and a planted margin lies between them."""
    random = np.random.default_rng(2)
    w = random.normal(size=8)
    w /= np.linalg.norm(w)
    X = random.normal(size=(3000, 8))
    scores = X @ w + 0.3 * intercept
    X += np.outer(np.sign(scores) * np.maximum(0.05 - np.abs(scores), 0), w)
    answer = separate(X, scores > 0, intercept=intercept)
    bracket = answer.bracket()
    assert bracket.gap <= 1e-9
    assert bracket.upper >= 0.05 * (1 - 1e-9)
    if intercept:
        assert answer.row_margin.upper <= answer.margin.lower
    assert answer.mistake_bound >= 1
    assert all(certificate.verify(X, scores > 0).holds for certificate in answer.certificates)


def test_novikoff_with_the_certified_bound():
    random = np.random.default_rng(4)
    X = random.normal(size=(60, 3))
    y = X @ np.array([1.0, 2.0, -1.0]) > 0.2
    Z = np.column_stack([X, np.ones(60)]) * np.where(y, 1.0, -1.0)[:, None]
    w, mistakes = np.zeros(4), 0
    while (Z @ w).min() <= 0:
        w += Z[int(np.argmin(Z @ w))]
        mistakes += 1
    assert mistakes <= separate(X, y).mistake_bound


def test_support_rows_alone_have_the_same_margin():
    random = np.random.default_rng(7)
    X = random.normal(size=(200, 3))
    y = X @ np.array([1.0, -1.0, 2.0]) > 0.3
    answer = separate(X, y)
    support = list(answer.support)
    assert 2 <= len(support) <= 4
    assert separate(X[support], y[support]).margin.lower == pytest.approx(answer.margin.lower, rel=1e-8)
    assert separate([[0.0], [0.0]], [0, 1]).support is None


# --- standardised units -------------------------------------------------------------------------------------


def half_and_half(seed: int, *sizes: float) -> tuple[np.ndarray, np.ndarray]:
    """Columns of ±size, as many of each: σ is the size exactly. Labelled by majority."""
    random = np.random.default_rng(seed)
    signs = np.column_stack([random.permutation(np.repeat([-1.0, 1.0], 10)) for _ in sizes])
    return signs * np.array(sizes), (signs.sum(axis=1) > 0).astype(int)


@pytest.mark.parametrize("seed", range(5))
def test_standardised_margin_where_it_is_known_exactly(seed):
    sizes = (3.0, 0.1, 1e-200)
    X, y = half_and_half(seed, *sizes)
    answer = separate(X, y)
    assert answer.scales == pytest.approx(sizes, rel=1e-15)
    exact = separate(np.sign(X), y).squared_margin()
    stretch = max(Fraction(a) / Fraction(b) for a, b in zip(sizes, answer.scales, strict=True)) ** 2
    shrink = min(Fraction(a) / Fraction(b) for a, b in zip(sizes, answer.scales, strict=True)) ** 2
    lower, upper = (Fraction(end) ** 2 for end in answer.standardised_margin)
    assert lower <= exact * stretch
    assert exact * shrink <= upper
    assert float(lower) == pytest.approx(float(upper), rel=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
def test_standardised_margin_has_no_units(intercept):
    random = np.random.default_rng(11)
    X = random.normal(size=(500, 4)) + intercept
    y = X @ np.array([1.0, 2.0, -1.0, 0.5]) > 2.5 * intercept
    here = separate(X, y, intercept=intercept).standardised_margin
    assert here.lower > 0
    assert here.upper - here.lower <= 1e-9 * here.upper
    for changed in (X * np.array([1e-150, 3.0, 1e100, 7e-5]), np.column_stack([X, np.zeros(500)])):
        there = separate(changed, y, intercept=intercept).standardised_margin
        assert there.lower <= here.upper * (1 + 1e-9)
        assert here.lower <= there.upper * (1 + 1e-9)
    assert separate(csr_array(X), y, intercept=intercept).standardised_margin == here


def test_standardised_margin_of_quotients_that_no_float_holds():
    """Far from the origin x/σ rounds away what x still has: the bounds are about the exact quotients."""
    random = np.random.default_rng(0)
    X = 1e3 + random.normal(size=(400, 3)) * np.array([1e-5, 1.0, 1e4])
    y = (X - X.mean(axis=0)) @ np.array([1e5, 1.0, 1e-4]) > 0
    answer = separate(X, y)
    lower, upper = answer.standardised_margin
    assert upper - lower <= 1e-9 * upper
    scales = [Fraction(scale) for scale in answer.scales]
    weights = [Fraction(w) for w in answer.bracket().plane.to_numbers()]
    margins = [
        (1 if sign else -1) * (sum(w * Fraction(v) for w, v in zip(weights, row, strict=False)) + weights[-1])
        for row, sign in zip(X.tolist(), y, strict=True)
    ]
    norm = sum((w * s) ** 2 for w, s in zip(weights, scales, strict=False))
    assert min(margins) ** 2 / norm <= Fraction(upper) ** 2


@pytest.mark.parametrize(
    ("X", "scale"),
    [
        ([[5e-324], [0.0]], 5e-324),
        ([[-1.7e308], [1.7e308]], 1.7e308),
        ([[1e300], [1.0000000000000002e300]], None),
    ],
)
def test_standardised_margin_at_the_ends_of_the_range(X, scale):
    answer = separate(X, [0, 1])
    assert scale is None or answer.scales == (scale,)
    lower, upper = (Fraction(end) * Fraction(answer.scales[0]) for end in answer.standardised_margin)
    assert lower <= abs(Fraction(X[1][0]) - Fraction(X[0][0])) / 2 <= upper
    assert float(upper - lower) <= 1e-9 * float(upper)


def test_standardised_margin_of_one_constant_column():
    answer = separate([[0.0, 5.0], [2.0, 5.0]], [0, 1])
    assert answer.scales == (1.0, 1.0)
    assert answer.standardised_margin == (1.0, 1.0)
    assert separate([[1.0], [1.0]], [0, 1]).standardised_margin is None


def test_a_margin_beyond_the_largest_double_has_no_upper_end():
    X, y = [[1.7e308, 1.7e308], [-1.7e308, -1.7e308]], [0, 1]
    answer = separate(X, y)
    assert answer.kind == "complete"
    assert answer.margin.upper == float("inf")
    assert all(proof.verify(X, y).holds for proof in answer.certificates)


@pytest.mark.parametrize("intercept", [True, False])
def test_margin_of_sparse_rows_in_thousands_of_columns(intercept):
    """In the space of the rows: the ends meet, proven, where the Gram matrix alone knows the answer."""
    random = np.random.default_rng(5)
    X = random.normal(size=(60, 3000)) * (random.random((60, 3000)) < 0.02)
    X[40:] = X[:20] * 0.5 + X[20:40] * 0.5  # dependent rows: the Gram matrix has no Cholesky factor
    y = np.tile([0, 1], 20).tolist() + [int(i % 2) for i in range(20)]
    answer = separate(csr_array(X), y, intercept=intercept)
    assert answer.kind == "complete"
    assert answer.bracket().gap <= 1e-9
    assert all(certificate.verify(X, y).holds for certificate in answer.certificates)
    few = X[:, np.abs(X).sum(axis=0) > 0]
    turned = np.linalg.qr(few.T)[1].T  # the same rows in their own span: fewer columns than a thousand
    plain = separate(turned, y, intercept=intercept)
    assert plain.margin.lower == pytest.approx(answer.margin.lower, rel=1e-6)
    assert answer.standardised_margin.lower > 0


def test_margins_are_the_same_in_any_order_and_a_cut_search_is_not_kept():
    random = np.random.default_rng(2)
    X = random.normal(size=(400, 4))
    y = (X @ [1.0, 2.0, -1.0, 0.5] > 0).astype(int)
    X += 0.1 * np.outer(2 * y - 1, [1.0, 2.0, -1.0, 0.5])
    asked = ("margin", "row_margin", "standardised_margin")
    first, other = separate(X, y), separate(X, y)
    found = {name: getattr(first, name) for name in asked}
    for name in reversed(asked):
        lower, upper = getattr(other, name)
        assert lower <= found[name][1]
        assert found[name][0] <= upper
        assert upper - lower <= 1e-9 * upper
    assert first.squared_margin() == other.squared_margin() == separate(X, y).squared_margin()
    cut = separate(X, y)
    cut.limit(0.0)
    assert not cut.bracket().gap <= 1e-9
    cut.limit(None)
    assert cut.bracket().gap <= 1e-9


def test_the_radius_of_single_precision_rows_of_nearly_equal_length_is_exact():
    for seed in range(60):
        random = np.random.default_rng(seed)
        X, w = random.normal(size=(400, 30)), random.normal(size=30)
        y = (X @ w > 0).astype(int)
        X = X / np.linalg.norm(X, axis=1, keepdims=True) + 0.02 * np.outer(2 * y - 1, w / np.linalg.norm(w))
        X = (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)
        found = separate(X, y)
        longest = max(sum(Fraction(float(v)) ** 2 for v in row) for row in X)
        assert Fraction(found.radius) ** 2 >= longest + 1
        assert all(proof.verify(X, y) for proof in found.certificates)
