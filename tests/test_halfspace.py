"""The geometry of one halfspace: against plain formulas, and against fractions where doubles fail."""

from __future__ import annotations

import math
import pickle
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from separatrix.halfspace import Halfspace

LARGEST = sys.float_info.max
SMALLEST = 5e-324

numbers = st.floats(-1e3, 1e3).map(lambda value: round(value, 6))
any_float = st.floats(allow_nan=False, allow_infinity=False)


def vectors(entries, size):
    return st.lists(entries, min_size=size, max_size=size)


@st.composite
def planes(draw, entries=numbers):
    """A halfspace with nonzero weights, and a point of its space."""
    d = draw(st.integers(1, 4))
    weights = draw(vectors(entries, d).filter(any))
    return Halfspace(weights, draw(entries)), draw(vectors(entries, d))


def exact_score(halfspace, point):
    *weights, intercept = halfspace.numbers
    products = (Fraction(w) * Fraction(x) for w, x in zip(weights, point, strict=True))
    return sum(products, Fraction(intercept))


# Score and side


def test_score_is_the_affine_function():
    h = Halfspace([3.0, 4.0], -5.0)
    assert h.score([3.0, 4.0]) == 20.0
    assert h.score([[3.0, 4.0], [0.0, 0.0]]).tolist() == [20.0, -5.0]


def test_score_takes_an_activation():
    h = Halfspace([3.0, 4.0], -5.0)
    points = [[3.0, 4.0], [0.0, 0.0], [-1.0, 2.0]]
    assert h.score(points, activation="identity").tolist() == [20.0, -5.0, 0.0]
    assert h.score(points, activation="sign").tolist() == [1, -1, -1]
    assert h.score(points, activation=np.tanh)[1] == math.tanh(-5.0)
    with pytest.raises(ValueError, match="activation must be"):
        h.score(points, activation="relu")


def test_zero_score_predicts_minus_one():
    h = Halfspace([1.0, -1.0])
    assert h.predict([[2.0, 1.0], [1.0, 1.0], [1.0, 2.0]]).tolist() == [1, -1, -1]
    assert h.predict([1.0, 1.0]) == -1
    assert h.in_positive([2.0, 1.0]) is True
    assert h.in_negative([[1.0, 1.0], [2.0, 1.0]]).tolist() == [True, False]


@given(planes(any_float))
def test_side_is_exact_for_every_pair_of_doubles(plane):
    h, point = plane
    value = exact_score(h, point)
    assert h.predict(point) == (1 if value > 0 else -1)
    assert np.sign(h.score(point)) == np.sign(value)


@given(st.lists(st.integers(), min_size=1, max_size=4), st.integers(), st.data())
def test_side_is_exact_for_whole_numbers_of_any_size(weights, intercept, data):
    shift = data.draw(st.integers(0, 2000))
    h = Halfspace([w << shift for w in weights], intercept)
    point = data.draw(vectors(any_float, len(weights)))
    assert np.sign(h.score(point)) == np.sign(exact_score(h, point))


@given(planes(st.integers(-3, 3).map(float)), st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_powers_of_two_change_no_side(plane, weight_exponent, point_exponent):
    h, point = plane
    moved = Halfspace(np.ldexp(h.weights, weight_exponent))
    still = Halfspace(h.weights)
    assert moved.predict(np.ldexp(point, point_exponent)) == still.predict(point)


def test_rows_that_no_pair_of_doubles_separates():
    """The slopes allowed lie strictly between p/(p - 1) and (p - 1)/(p - 2), neighbours in a Farey sequence.

    A fraction between them is, in lowest terms, (ap + b(p - 1))/(a(p - 1) + b(p - 2)) with a, b >= 1: both
    terms exceed 2**53 and one is odd, so it is no ratio of two doubles. Whole numbers do it: a = b = 1.
    """
    p = 2**53
    rows = np.array([[p - 1.0, -(p - 2.0)], [-float(p), p - 1.0]])
    whole = Halfspace((2 * p - 3, 2 * p - 1))
    assert whole.predict(rows).tolist() == [1, 1]
    assert whole.score(rows).tolist() == [1.0, 1.0]
    assert whole.whole == (2**54 - 3, 2**54 - 1, 0)
    steps = np.arange(-4, 5)
    for first in 2.0**54 + 4 * steps:
        for second in 2.0**54 + 4 * steps:
            assert Halfspace((first, second)).predict(rows).tolist() != [1, 1]
    rounded = Halfspace.from_exact_rounding((2 * p - 3, 2 * p - 1))
    assert not rounded.exact
    assert rounded.predict(rows).tolist() != [1, 1]


def test_overflow_and_underflow_decide_nothing():
    big = Halfspace([LARGEST, LARGEST, -LARGEST])
    assert big.predict([LARGEST, -LARGEST, 1.0]) == -1
    assert big.score([LARGEST, -LARGEST, -1.0]) == LARGEST
    assert big.score([LARGEST, LARGEST, 1.0]) == math.inf
    assert big.distance([LARGEST, 0.0, 0.0]) == pytest.approx(LARGEST / math.sqrt(3), rel=1e-15)
    small = Halfspace([SMALLEST, SMALLEST])
    assert small.score([SMALLEST, 0.0]) == SMALLEST
    assert small.predict([SMALLEST, 0.0]) == 1
    assert small.distance([3.0, 4.0]) == pytest.approx(7 / math.sqrt(2), rel=1e-15)
    mixed = Halfspace([SMALLEST, LARGEST])
    assert mixed.predict([[1.0, -SMALLEST], [LARGEST, -SMALLEST]]).tolist() == [-1, -1]


def test_sparse_rows_score_as_dense_ones():
    rng = np.random.default_rng(0)
    dense = rng.integers(-2, 3, (50, 6)).astype(float)
    h = Halfspace(rng.integers(-2, 3, 6).astype(float), 1.0)
    for form in (sparse.csr_matrix, sparse.csr_array, sparse.coo_array, sparse.csc_array):
        assert np.array_equal(h.score(form(dense)), h.score(dense))
        assert np.array_equal(h.predict(form(dense)), h.predict(dense))
    p = 2**53
    rows = sparse.csr_array([[p - 1.0, -(p - 2.0), 0.0], [-float(p), p - 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert Halfspace((2 * p - 3, 2 * p - 1, 7)).score(rows).tolist() == [1.0, 1.0, 0.0]


def test_narrow_and_whole_number_points_are_taken_as_they_are():
    h = Halfspace([0.1, 0.2])
    points = np.array([[1, 2], [3, 4]])
    assert np.array_equal(h.score(points), h.score(points.astype(float)))
    narrow = np.array([[0.1, 0.2]], dtype=np.float32)
    assert np.array_equal(h.score(narrow), h.score(narrow.astype(float)))
    assert h.predict([2**70, 0]) == 1


def test_points_that_no_double_equals_are_scored_exactly():
    third, little = Fraction(1, 3), Fraction(1, 10**30)
    assert Halfspace([3], -1).predict([[third + little], [third], [third - little]]).tolist() == [1, -1, -1]
    assert Halfspace([3.0], -1.0).score([third + little]) == 3e-30
    assert Halfspace([1], -(2**70)).predict([2**70 + 1]) == 1
    assert Halfspace([1e-300], 0).score([10**400]) == pytest.approx(1e100)
    h = Halfspace([1.0, 2.0], -(2.0**53))
    wide = np.array([[2**53 + 1, 0], [2**53, 0], [2**53 - 1, 0]])
    for form in (np.array, pd.DataFrame, np.ndarray.tolist):
        assert h.predict(form(wide)).tolist() == [1, -1, -1]
    assert h.predict(sparse.csr_array(wide[1:])).tolist() == [-1, -1]
    with pytest.raises(ValueError, match="a sparse table of them has one that no double equals"):
        h.predict(sparse.csr_array(wide))  # it may be too large to be made dense
    frame = pd.DataFrame({"whole": wide[:, 0], "real": [0.0, 0.5, 0.25]})
    assert h.predict([2**53 + 1, 0.0]) == 1
    assert h.predict(frame).tolist() == [1, 1, -1]
    assert h.distance([2**53 + 1, 0.0]) == pytest.approx(1 / math.sqrt(5))
    assert h.project([Fraction(1, 3), 0]).tolist() == h.project([1 / 3, 0.0]).tolist()
    assert h.predict(np.array([[0.5, 2**70]], dtype=object)).tolist() == [1]
    assert h.predict(np.array([[1, 2]], dtype=np.longdouble)).tolist() == [-1]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([1.0, 2.0, 3.0], "3 columns, but the halfspace has 2 weights"),
        ([[1.0], [2.0]], "1 column, but the halfspace has 2 weights"),
        ([[[1.0, 2.0]]], "one point or a table of points"),
        ([[1.0, math.nan]], "finite"),
        ([[1.0, math.inf]], "finite"),
        ([["1", "2"]], "points must be finite numbers, not of type <U1"),
        (np.array([["1", 2]], dtype=object), "points must be finite numbers, not '1'"),
        ([[1j, 2.0]], "points must be finite numbers, not of type complex128"),
        (sparse.csr_array([[1j, 2.0]]), "points must be finite numbers, not of type complex128"),
        (np.array([["2020-01-01", "2020-01-02"]], dtype="M8[D]"), "points must be finite numbers, not of"),
        ([[None, 2.0]], "points must be finite numbers, not None"),
        (np.array([[1, 3]], np.longdouble) / 3, "more digits than doubles have"),
        (np.array([["1e4000", "1"]], np.longdouble), "finite"),
        (np.array([[np.longdouble(1) / 3, "1"]], dtype=object), "more digits than doubles have"),
    ],
)
def test_points_that_cannot_be_scored(points, message):
    with pytest.raises(ValueError, match=message):
        Halfspace([1.0, 2.0]).score(points)


# Margins, distances and projections


@given(planes())
def test_distance_is_to_the_projection(plane):
    h, point = plane
    foot, distance = h.project(point), h.distance(point)
    scale = 1 + math.hypot(*point) + h.origin_distance
    unit = h.weights / max(abs(h.weights))
    unit /= np.linalg.norm(unit)
    assert abs(h.distance(foot)) <= 1e-12 * scale
    assert foot + distance * unit == pytest.approx(np.asarray(point), abs=1e-12 * scale)


@given(planes())
def test_projection_length_is_the_component_along_the_weights(plane):
    h, point = plane
    length = h.projection_length(point)
    assert abs(length) <= math.hypot(*point) * (1 + 1e-12)
    shift = math.copysign(h.origin_distance, h.intercept)
    assert h.distance(point) == pytest.approx(length + shift, rel=1e-9, abs=1e-9)


@given(planes())
def test_a_point_is_its_component_along_the_weights_and_one_orthogonal_to_them(plane):
    h, point = plane
    along = h.component(point)
    size = math.hypot(*point)
    unit = h.weights / max(abs(h.weights))
    unit /= np.linalg.norm(unit)
    assert abs((np.asarray(point) - along) @ unit) <= 1e-12 * size
    assert along == pytest.approx((along @ unit) * unit, abs=1e-12 * size)  # a multiple of w
    assert along @ unit == pytest.approx(h.projection_length(point), abs=1e-12 * size)


@given(planes())
def test_component_is_from_the_plane_through_the_origin(plane):
    """The intercept moves the hyperplane, and so `project`, but not the projection onto w."""
    h, point = plane
    level = Halfspace(h.numbers[:-1])
    assert np.array_equal(h.component(point), level.component(point))
    left = point - level.project(point)
    assert left == pytest.approx(h.component(point), abs=1e-12 * math.hypot(*point))


def test_component_of_whole_numbers_that_no_doubles_replace():
    """The two rows have score 1 exactly; rounded weights put one of them on the other side."""
    p = 2**53
    rows = np.array([[p - 1.0, -(p - 2.0)], [-float(p), p - 1.0]])
    whole = (2 * p - 3, 2 * p - 1)
    square = sum(w * w for w in whole)
    expected = [float(Fraction(w, square)) for w in whole]
    for along in Halfspace(whole).component(rows):
        assert along == pytest.approx(expected, rel=1e-15)
    assert (Halfspace.from_exact_rounding(whole).component(rows)[0] <= 0).all()
    huge = Halfspace((3 * 10**400, 4 * 10**400), 10**400)
    assert huge.component([3.0, 4.0]) == pytest.approx([3.0, 4.0], rel=1e-15)


def test_the_triangle_three_four_five():
    h = Halfspace([3.0, 4.0], -5.0)
    points, signs = [[3.0, 4.0], [0.0, 0.0]], [1, -1]
    assert h.distance(points).tolist() == [4.0, -1.0]
    assert h.origin_distance == 1.0
    assert h.projection_length([3.0, 4.0]) == 5.0
    assert h.component([3.0, 4.0]) == pytest.approx([3.0, 4.0], rel=1e-15)
    assert h.component([[4.0, -3.0], [1.0, 0.0]]) == pytest.approx(np.array([[0.0, 0.0], [0.36, 0.48]]))
    assert h.component(sparse.csr_array([[1.0, 0.0]])) == pytest.approx(np.array([[0.36, 0.48]]))
    assert h.project([3.0, 4.0]) == pytest.approx([0.6, 0.8])
    assert h.project(points).shape == (2, 2)
    assert h.functional_margins(points, signs).tolist() == [20.0, 5.0]
    assert h.geometric_margins(points, signs).tolist() == [4.0, 1.0]
    assert h.margin(points, signs) == 1.0
    assert h.margin([3.0, 4.0], -1) == -4.0


@given(planes(), st.floats(1e-3, 1e3))
def test_geometry_does_not_feel_the_scale(plane, factor):
    h, point = plane
    scaled = h.scaled(factor)
    assert scaled.predict(point) == h.predict(point)
    scale = math.hypot(*point) + h.origin_distance
    assert scaled.distance(point) == pytest.approx(h.distance(point), abs=1e-14 * scale)
    assert scaled.same_as(h)
    assert h.same_as(scaled)


@pytest.mark.parametrize("exponent", [-1000, -500, 0, 500, 1000])
def test_norms_neither_overflow_nor_vanish(exponent):
    h = Halfspace(np.ldexp([3.0, 4.0], exponent), math.ldexp(-5.0, exponent))
    assert h.distance([3.0, 4.0]) == 4.0
    assert h.origin_distance == 1.0
    assert h.component([3.0, 4.0]) == pytest.approx([3.0, 4.0], rel=1e-15)
    assert h.normalised().weights == pytest.approx([0.6, 0.8])
    assert h.angle(Halfspace([3.0, 4.0])) == 0.0


def test_distances_far_beyond_the_square_root_of_the_largest_double():
    assert Halfspace([1e300, 0.0], 1.0).distance([1e300, 0.0]) == 1e300
    assert Halfspace([1e-300, 1e-300], 0.0).distance([1.0, 1.0]) == pytest.approx(math.sqrt(2), rel=1e-15)
    assert Halfspace([1e-300, 0.0], 1e300).distance([1.0, 0.0]) == math.inf
    assert Halfspace([1e-10, 0.0], 1e290).origin_distance == pytest.approx(1e300)


def test_signs_must_be_signs():
    h = Halfspace([1.0])
    with pytest.raises(ValueError, match="-1 or \\+1"):
        h.functional_margins([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="2 points, but 3 signs"):
        h.margin([[1.0], [2.0]], [1, 1, -1])


@pytest.mark.parametrize(
    "question",
    [
        lambda h: h.distance([1.0, 2.0]),
        lambda h: h.margin([[1.0, 2.0]], [1]),
        lambda h: h.project([1.0, 2.0]),
        lambda h: h.projection_length([1.0, 2.0]),
        lambda h: h.component([1.0, 2.0]),
        lambda h: h.origin_distance,
        lambda h: h.normalised(),
        lambda h: h.angle(Halfspace([1.0, 0.0])),
        lambda h: Halfspace([1.0, 0.0]).angle(h),
    ],
)
def test_zero_weights_have_no_geometry(question):
    zero = Halfspace([0.0, 0.0], 3.0)
    assert zero.predict([1.0, 2.0]) == 1
    with pytest.raises(ValueError, match="the weights are all zero"):
        question(zero)


# Angle


def test_angle_between_halfspaces():
    right = Halfspace([1.0, 0.0], 7.0)
    assert right.angle(Halfspace([0.0, 2.0])) == pytest.approx(math.pi / 2, rel=1e-15)
    assert right.angle(Halfspace([-3.0, 0.0])) == pytest.approx(math.pi, rel=1e-15)
    assert right.angle(Halfspace([1.0, 1e-12])) == pytest.approx(1e-12, rel=1e-12)
    assert Halfspace([1e-300, 0.0]).angle(Halfspace([1e300, 1e300])) == pytest.approx(math.pi / 4)
    with pytest.raises(ValueError, match="2 weights"):
        right.angle(Halfspace([1.0]))


# Forms


def test_homogeneous_form_both_ways():
    h = Halfspace([3.0, 4.0], -5.0)
    assert h.homogeneous().tolist() == [3.0, 4.0, -5.0]
    assert h.homogeneous(constant="first").tolist() == [-5.0, 3.0, 4.0]
    for constant in ("first", "last"):
        assert Halfspace.from_homogeneous(h.homogeneous(constant), constant=constant) == h
    with pytest.raises(ValueError, match='"last" or "first"'):
        h.homogeneous("middle")
    with pytest.raises(ValueError, match='"last" or "first"'):
        Halfspace.from_homogeneous([1.0, 2.0], constant="middle")


@given(planes())
def test_homogeneous_form_has_the_same_score(plane):
    h, point = plane
    lifted = Halfspace(h.homogeneous())
    assert lifted.predict([*point, 1.0]) == h.predict(point)
    lifted = Halfspace(h.homogeneous(constant="first"))
    assert lifted.predict([1.0, *point]) == h.predict(point)


def test_homogeneous_form_of_whole_numbers_is_whole():
    h = Halfspace((2**80 + 1, -3), 5)
    assert h.homogeneous().tolist() == [2**80 + 1, -3, 5]
    for constant in ("first", "last"):
        assert Halfspace.from_homogeneous(h.homogeneous(constant), constant=constant) == h


def test_threshold_is_minus_the_intercept():
    h = Halfspace.from_threshold([1.0, 1.0], 1.5)
    assert h == Halfspace([1.0, 1.0], -1.5)
    assert h.threshold == 1.5
    assert h.in_positive([[1.0, 0.5], [1.0, 0.75]]).tolist() == [False, True]
    assert math.copysign(1, Halfspace.from_threshold([1.0], 0.0).intercept) == 1
    assert math.copysign(1, Halfspace([1.0]).threshold) == 1


# Whole numbers


def test_whole_numbers_are_kept():
    h = Halfspace((2**70 + 1, -3), 2**60 + 1)
    assert h.exact
    assert h.whole == (2**70 + 1, -3, 2**60 + 1)
    assert h.weights.tolist() == [2.0**70, -3.0]
    assert h.intercept == 2.0**60
    assert not Halfspace([1.0, 2.0]).exact
    assert Halfspace([1.0, 2.0]).whole is None
    assert Halfspace(np.array([1, 2])).whole == (1, 2, 0)


def test_fractions_are_cleared_of_denominators():
    h = Halfspace((Fraction(1, 2), Fraction(1, 3)), Fraction(-5, 4))
    assert h.whole == (6, 4, -15)
    assert h.weights.tolist() == [0.5, 1 / 3]
    assert h.score([2.5, 0.0]) == 0.0
    assert h.predict([[2.5, 0.0], [2.5, SMALLEST]]).tolist() == [-1, 1]


def test_a_float_beside_whole_numbers_counts_exactly():
    h = Halfspace((1, 3), 0.5)
    assert h.whole == (2, 6, 1)
    assert h.weights.tolist() == [1.0, 3.0]
    assert h.score([1.0, 1.0]) == 4.5


def test_numbers_too_large_for_doubles_are_scaled_to_fit():
    h = Halfspace((3 * 10**400, -4 * 10**400), 10**400)
    assert h.whole == (3 * 10**400, -4 * 10**400, 10**400)
    assert np.isfinite(h.weights).all()
    assert h.weights[1] / h.weights[0] == pytest.approx(-4 / 3)
    assert h.intercept / h.weights[0] == pytest.approx(1 / 3)
    assert h.distance([0.0, 0.0]) == pytest.approx(0.2)
    assert Halfspace.from_exact_rounding(h.whole[:2], h.whole[2]) == Halfspace(h.weights, h.intercept)
    tiny = Halfspace((Fraction(3, 10**400), Fraction(4, 10**400)))
    assert tiny.distance([3.0, 4.0]) == pytest.approx(5.0, rel=1e-15)
    assert tiny.weights.all()


@given(st.lists(st.integers(-(10**40), 10**40), min_size=1, max_size=5), st.integers(-(10**40), 10**40))
def test_rounding_is_to_the_nearest_double(weights, intercept):
    h = Halfspace.from_exact_rounding(weights, intercept)
    assert not h.exact
    assert h.weights.tolist() == [float(w) for w in weights]
    assert h.intercept == float(intercept)


# Values


def test_equality_and_hash_are_about_the_numbers():
    assert Halfspace([1.0, 2.0]) == Halfspace((1, 2), 0)
    assert hash(Halfspace([1.0, 2.0])) == hash(Halfspace((1, 2), 0))
    assert Halfspace([1.0, 2.0]) != Halfspace([2.0, 4.0])
    assert Halfspace([0.1]) != Halfspace([Fraction(1, 10)])
    assert Halfspace([1.0]) != [1.0]


@given(planes(any_float), st.fractions(min_value=Fraction(1, 10**6), max_value=10**6).filter(bool))
def test_same_as_is_equality_up_to_a_positive_factor(plane, factor):
    h, _ = plane
    assert h.same_as(h.scaled(factor))
    if factor != 1:
        assert h != h.scaled(factor)
    assert not h.same_as(Halfspace([-w for w in h.numbers[:-1]], -h.numbers[-1]))


def test_same_as_is_exact():
    assert not Halfspace([0.1, 0.3]).same_as(Halfspace([1, 3]))
    assert Halfspace([0.5, 1.5]).same_as(Halfspace([1, 3]))
    assert not Halfspace([1.0, 3.0], SMALLEST).same_as(Halfspace([1, 3]))
    assert not Halfspace([1.0]).same_as(Halfspace([1.0, 0.0]))
    assert Halfspace([0.0], 0.0).same_as(Halfspace([0.0]))


def test_scaling_keeps_doubles_where_it_can():
    h = Halfspace([0.1, 0.3], 1.0)
    assert not h.scaled(4).exact
    assert h.scaled(4).weights.tolist() == [0.4, 1.2]
    assert h.scaled(1 / 3).exact
    with pytest.raises(ValueError, match="positive"):
        h.scaled(-1)
    with pytest.raises(ValueError, match="positive"):
        h.scaled(math.inf)


def test_normalised_has_unit_weights():
    h = Halfspace((3, 4), -5).normalised()
    assert h.weights.tolist() == [0.6, 0.8]
    assert h.intercept == -1.0


def test_frozen():
    h = Halfspace([1.0, 2.0])
    with pytest.raises(AttributeError):
        h.intercept = 3.0
    with pytest.raises(AttributeError):
        h.numbers = (1.0,)
    with pytest.raises(ValueError, match="read-only"):
        h.weights[0] = 3.0


def test_given_array_is_not_remembered():
    weights = np.array([1.0, 2.0])
    h = Halfspace(weights)
    weights[0] = 9.0
    assert h.weights.tolist() == [1.0, 2.0]


def test_repr_reads_back():
    for h in (Halfspace([0.1, 2.0], -1.5), Halfspace((3, -4)), Halfspace((Fraction(1, 3), 2), 1)):
        assert eval(repr(h)) == h
    assert repr(Halfspace([0.5, 1], 2)) == "Halfspace([0.5, 1], 2)"
    assert len(repr(Halfspace(np.ones(1000)))) < 100


def test_pickles():
    h = Halfspace((2**70 + 1, Fraction(1, 3)), 1.5)
    h.score([1.0, 2.0])
    again = pickle.loads(pickle.dumps(h))
    assert again == h
    assert again.whole == h.whole


def test_a_hyperplane_too_far_away_has_no_normal_form():
    h = Halfspace([1.67e-314], 1.0)
    with pytest.raises(ValueError, match="farther from the origin"):
        h.normalised()
    assert h.origin_distance == math.inf


@pytest.mark.parametrize(
    ("weights", "intercept", "message"),
    [
        ([], 0.0, "at least one weight"),
        ([[1.0, 2.0]], 0.0, "one row of finite numbers"),
        ([1.0, math.nan], 0.0, "finite"),
        ([1.0], math.inf, "finite"),
        (["1"], 0.0, "number"),
        ([1.0], None, "number"),
        ([1j], 0.0, "number"),
        (None, 0.0, "weights must be one row of finite numbers, and the intercept one more, not None"),
        (3.0, 0.0, "one row of finite numbers"),
        (np.array(3.0), 0.0, "one row of finite numbers"),
        ([np.longdouble(1) / 3], 0.0, "more digits than doubles have"),
    ],
)
def test_numbers_that_make_no_halfspace(weights, intercept, message):
    with pytest.raises(ValueError, match=message):
        Halfspace(weights, intercept)
