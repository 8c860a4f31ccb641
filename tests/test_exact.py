"""Exact signs, sums and norms agree with fractions, at every exponent and every tie."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix

from separatrix.certificates.arithmetic.dyadic import Dyadic, dyadic, root
from separatrix.certificates.arithmetic.margin_signs import Margins, errors_of
from separatrix.certificates.arithmetic.row_sums import weighted_squares, weighted_sum

anything = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.floats(-8, 8).map(lambda value: float(np.float32(value)))
small = st.integers(-3, 3).map(float)
extreme = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 1e-300, -1e300, 1e300, 1.7e308, -1.7e308])
entries = st.one_of(anything, ordinary, small, extreme)
numbers = st.one_of(entries, st.integers(-(2**70), 2**70))


def sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def margin(row, label, weights, intercept) -> Fraction:
    pairs = zip(row, weights, strict=True)
    return label * (sum(Fraction(float(x)) * Fraction(w) for x, w in pairs) + Fraction(intercept or 0))


def naive_signs(X, labels, weights, intercept) -> list[int]:
    return [sign(margin(row, label, weights, intercept)) for row, label in zip(X, labels, strict=True)]


def margin_signs(X, labels, weights, intercept, floor_squared=0):
    return Margins(weights, intercept, floor_squared).compare(X, np.asarray(labels, dtype=np.int8))


@st.composite
def blocks(draw):
    """Rows, labels and weights; every other row is bent until its score nearly or exactly cancels."""
    d = draw(st.integers(1, 5))
    weights = draw(st.lists(numbers, min_size=d, max_size=d))
    intercept = draw(st.one_of(st.none(), numbers))
    rows = draw(st.lists(st.lists(entries, min_size=d, max_size=d), min_size=1, max_size=6))
    for row in rows[::2]:
        if weights[-1]:
            rest = margin(row[:-1], 1, weights[:-1], intercept)
            try:
                row[-1] = float(-rest / Fraction(weights[-1]))
            except OverflowError:
                continue
    labels = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(rows), max_size=len(rows)))
    return np.array(rows), np.array(labels, dtype=np.int8), tuple(weights), intercept


@given(blocks())
def test_signs_are_those_of_fractions(block):
    X, labels, weights, intercept = block
    assert margin_signs(X, labels, weights, intercept).tolist() == naive_signs(X, labels, weights, intercept)


@given(blocks())
def test_sparse_rows_have_the_signs_of_dense_ones(block):
    X, labels, weights, intercept = block
    expected = naive_signs(X, labels, weights, intercept)
    assert margin_signs(csr_matrix(X), labels, weights, intercept).tolist() == expected


@given(blocks())
def test_float32_is_widened_and_never_rounded(block):
    X, labels, weights, intercept = block
    X = np.clip(X, -3e38, 3e38).astype(np.float32)
    assert margin_signs(X, labels, weights, intercept).tolist() == naive_signs(X, labels, weights, intercept)


@given(blocks(), st.fractions(0, 10**6), st.booleans())
def test_a_floor_is_compared_without_taking_its_root(block, square, touching):
    X, labels, weights, intercept = block
    margins = [margin(row, label, weights, intercept) for row, label in zip(X, labels, strict=True)]
    square = margins[0] ** 2 if touching else square
    expected = [sign(g * abs(g) - square) for g in margins]
    assert margin_signs(X, labels, weights, intercept, square).tolist() == expected


@given(blocks(), st.integers(-900, 900))
def test_changes_of_units_by_powers_of_two_change_nothing(block, power):
    X, labels, weights, intercept = block
    with np.errstate(all="ignore"):
        scaled = np.ldexp(X, power)
    if not np.isfinite(scaled).all() or (np.ldexp(scaled, -power) != X).any():
        return
    *whole, moved = dyadic([*weights, intercept or 0]).wholes
    whole = [w << max(0, -power) for w in whole]
    moved <<= max(0, power)
    expected = margin_signs(X, labels, weights, intercept)
    assert margin_signs(scaled, labels, whole, moved).tolist() == expected.tolist()


def test_the_last_row_of_many_blocks_is_settled_exactly():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 100))
    weights = rng.standard_normal(100)
    y = np.where(X @ weights > 0, 1, -1)
    X[-1] = 0.0
    X[-1, :3], weights[:3], y[-1] = (0.1, 0.3, -0.0), (3.0, -1.0, 7.0), 1
    y[:-1] = np.where(X[:-1] @ weights > 0, 1, -1)
    assert errors_of((X, y), weights.tolist(), None) == 0
    y[-1] = -1
    assert errors_of((X, y), weights.tolist(), None) == 1
    assert errors_of((np.asfortranarray(X), y), weights.tolist(), None) == 1
    assert errors_of((csr_array(X), y), weights.tolist(), None) == 1


@pytest.mark.parametrize("weights", [[0.0] * 20, [1.0, -1.0] * 10, [2**60, -(2**60)] * 10])
def test_ties_among_small_whole_numbers_need_no_big_integers(weights, monkeypatch):
    monkeypatch.setattr(Margins, "_in_whole_numbers", None)
    X = np.random.default_rng(1).integers(-2, 3, (5000, 20)).astype(float)
    labels = np.ones(5000, dtype=np.int8)
    expected = np.sign(X @ np.sign(np.array(weights, dtype=float)))
    assert (margin_signs(X, labels, weights, 0) == expected).all()
    assert (margin_signs(csr_array(X), labels, weights, 0) == expected).all()


def test_ordinary_rows_are_settled_by_the_first_bound(monkeypatch):
    monkeypatch.setattr(Margins, "_in_whole_numbers", None)
    X = np.random.default_rng(2).standard_normal((20000, 20))
    X = X[abs(X.sum(axis=1)) > 1e-9]
    assert (margin_signs(X, np.ones(len(X)), (1.0,) * 20, None) == np.sign(X.sum(axis=1))).all()


def test_a_sum_that_overflows_halfway_is_not_believed():
    X = np.array([[1.7e308, 1.7e308, -1.7e308, -1.7e308, -1.0], [1e308, 1e308, 1e308, -1.7e308, -1.4e308]])
    assert margin_signs(X, [1, 1], (1.0,) * 5, None).tolist() == [-1, -1]


def test_rows_separable_by_no_doubles_are_separable_by_whole_numbers():
    p = 2**53
    X = [[p - 1, -(p - 2)], [-p, p - 1]]
    assert margin_signs(X, [1, 1], (2 * p - 3, 2 * p - 1), None).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[1.0, float("nan")]], "Row 0, column 1"),
        (csr_array(np.array([[0.0, 0.0], [0.0, np.inf]])), "Row 1, column 1"),
        ([["a", 1.0]], "no number"),
        ([[2**53 + 1, 1.0]], "No double equals 9007199254740993"),
        (np.array([[2**53 + 1, 1]]), "No double equals 9007199254740993"),
        (np.array([[1 + 1j, 1]]), "no numbers"),
        ([[1.0, 2.0], [1.0]], "differ in length"),
        ([[None, 1.0]], "no number"),
    ],
)
def test_what_is_no_finite_double_is_refused_in_a_sentence(X, said):
    with pytest.raises(ValueError, match=said):
        margin_signs(X, [1] * X.shape[0] if hasattr(X, "shape") else [1] * len(X), (1.0, 1.0), None)


factors = st.one_of(st.integers(-5, 5), st.integers(-(2**30), 2**30), st.integers(-(2**200), 2**200))


@given(st.data(), st.booleans(), st.booleans())
def test_weighted_sums_are_exact(data, constant, sparse):
    d = data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(entries, min_size=d, max_size=d), min_size=1, max_size=6))
    weights = data.draw(st.lists(factors, min_size=len(rows), max_size=len(rows)))
    X = csr_array(np.array(rows)) if sparse else np.array(rows)
    columns = [*zip(*rows, strict=True), *([(1.0,) * len(rows)] if constant else [])]
    expected = [sum(f * Fraction(x) for f, x in zip(weights, column, strict=True)) for column in columns]
    assert list(weighted_sum(X, weights, constant).fractions()) == expected
    squares = sum(f * sum(Fraction(x) ** 2 for x in row) for f, row in zip(weights, rows, strict=True))
    assert weighted_squares(X, weights) == squares


def test_weighted_sums_of_many_rows_are_exact():
    rng = np.random.default_rng(3)
    X = np.ldexp(rng.standard_normal((4000, 3)), rng.integers(-40, 40, (4000, 3)))
    counts = rng.integers(1, 2**14, 4000).tolist()
    exactly = [sum(c * Fraction(x) for c, x in zip(counts, column, strict=True)) for column in X.T.tolist()]
    assert list(weighted_sum(X, counts).fractions()) == exactly


@given(st.lists(numbers, min_size=1, max_size=5), st.lists(numbers, min_size=1, max_size=5))
def test_dyadic_numbers_keep_their_values(first, second):
    one, other = dyadic(first), dyadic(second)
    assert list(one.fractions()) == [Fraction(value) for value in first]
    assert one.squared_norm() == sum(Fraction(value) ** 2 for value in first)
    if len(first) == len(second):
        sums = [Fraction(a) + Fraction(b) for a, b in zip(first, second, strict=True)]
        assert list((one + other).fractions()) == sums
    assert Dyadic((1,), 3).fractions() == (8,)


@given(st.fractions(min_value=0), st.integers(-2000, 2000))
def test_roots_are_within_their_bound(square, power):
    square *= Fraction(2) ** power
    approximate = root(square)
    if approximate == float("inf"):
        assert square > Fraction(2) ** 2047
        return
    scale = 4**1200
    true = Fraction(isqrt(int(square * scale)), 2**1200)
    assert abs(Fraction(approximate) - true) <= true / 2**52 + Fraction(2) ** -1073


@given(blocks())
def test_the_error_bound_of_the_docstring_holds(block):
    X, _, weights, intercept = block
    with np.errstate(all="ignore"):
        margins = Margins(weights, intercept)
        computed = (X @ margins._weights + margins._bias).tolist()
    k, u, tau = X.shape[1], Fraction(2) ** -53, Fraction(2) ** -1022
    scale = Fraction(2) ** margins._scale
    for row, value in zip(X.tolist(), computed, strict=True):
        size = margin(map(abs, row), 1, margins._sizes.tolist(), abs(margins._bias))
        if size > 2**1020:
            continue
        largest = max(1, *(abs(Fraction(x)) for x in row), 0)
        bound = (k + Fraction(21, 10)) * u * size + (5 * k + 4) * tau * largest
        assert abs(Fraction(value) * scale - margin(row, 1, weights, intercept)) <= bound * scale


@given(st.integers(0, 2**32 - 1))
def test_float32_blocks_get_the_signs_of_the_same_doubles(seed):
    random = np.random.default_rng(seed)
    n, d = int(random.integers(1, 40)), int(random.integers(1, 6))
    X = (random.integers(-4, 5, (n, d)) * 2.0 ** random.integers(-3, 4, (n, d))).astype(np.float32)
    X *= np.float32(2.0 ** random.integers(-140, 120))
    weights = tuple((random.integers(-3, 4, d) * 2.0 ** random.integers(-30, 30, d)).tolist())
    signs = random.choice([-1, 1], n).astype(np.int8)
    margins = Margins(weights, float(random.integers(-2, 3)) * float(abs(X).max()))
    narrow, wide = margins.compare(X, signs), margins.compare(X.astype(np.float64), signs)
    assert narrow.tolist() == wide.tolist()
    errors, lowest = margins.count_errors(X, signs)
    wide_errors, wide_lowest = margins.count_errors(X.astype(np.float64), signs)
    assert errors == wide_errors
    rounding = 1e-12 * float(np.abs(X).max()) * max(map(abs, weights))
    assert lowest == pytest.approx(wide_lowest, rel=1e-9, abs=rounding)
