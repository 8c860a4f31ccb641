"""The losses: their values, slopes and order, and what the perceptron does and does not minimise."""

from __future__ import annotations

import copy
import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix import losses

SCORES = np.linspace(-3, 3, 241)
CONVEX = [loss for loss in losses.ALL.values() if loss.convex]
margins = st.floats(-1e3, 1e3)

everyone = pytest.mark.parametrize("loss", losses.ALL.values(), ids=losses.ALL)


def test_all_are_listed_in_order():
    assert list(losses.ALL) == ["zero_one", "perceptron", "hinge", "squared_hinge", "logistic", "squared"]
    assert all(getattr(losses, name) is loss and loss.name == name for name, loss in losses.ALL.items())


@pytest.mark.parametrize(
    ("name", "at_minus_one", "at_zero", "at_half", "at_two"),
    [
        ("zero_one", 1.0, 1.0, 0.0, 0.0),
        ("perceptron", 1.0, 0.0, 0.0, 0.0),
        ("hinge", 2.0, 1.0, 0.5, 0.0),
        ("squared_hinge", 4.0, 1.0, 0.25, 0.0),
        ("logistic", 1.3132616875182228, math.log(2), 0.4740769841801067, 0.1269280110429726),
        ("squared", 4.0, 1.0, 0.25, 1.0),
    ],
)
def test_values_by_hand(name, at_minus_one, at_zero, at_half, at_two):
    values = losses.ALL[name]([-1.0, 0.0, 0.5, 2.0])
    assert values == pytest.approx([at_minus_one, at_zero, at_half, at_two])


@everyone
def test_a_score_and_its_sign_make_a_margin(loss):
    for sign in (-1, 1):
        assert loss(SCORES, sign) == pytest.approx(loss.value(sign * SCORES))
        assert loss.gradient(SCORES, sign) == pytest.approx(sign * loss.gradient(sign * SCORES))


@pytest.mark.parametrize("loss", [loss for loss in losses.ALL.values() if not loss.any_target])
def test_signs_are_minus_or_plus_one(loss):
    for sign in (2, 0, 0.5, math.nan, [1, 0], False):
        for answer in (loss, loss.gradient):
            with pytest.raises(ValueError, match=r"signs must be -1 or \+1"):
                answer([0.5, 0.5], sign)


@everyone
def test_one_score_gets_one_number(loss):
    assert isinstance(loss(0.3, -1), float)
    assert isinstance(loss.gradient(0.3, -1), float)
    signs = np.array([1, -1], dtype=np.int8)
    assert loss(np.array([0.3, 0.3], dtype=np.float32), signs).dtype == np.float64
    assert loss(np.zeros((2, 3)), np.ones((2, 1))).shape == (2, 3)


@everyone
def test_gradient_is_the_slope(loss):
    scores = SCORES[np.abs(SCORES - loss.kink) > 1e-3] if loss.kink is not None else SCORES
    for sign in (-1, 1):
        at = sign * scores
        slope = (loss(at + 1e-6, sign) - loss(at - 1e-6, sign)) / 2e-6
        assert loss.gradient(at, sign) == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("loss", CONVEX, ids=lambda loss: loss.name)
@given(here=margins, there=margins)
def test_gradient_supports_a_convex_loss_from_below(loss, here, there):
    below = loss(here) + loss.gradient(here) * (there - here)
    assert loss(there) >= below - 1e-9 * (1 + abs(loss(here)) + abs(below))


def test_zero_one_is_not_convex():
    assert not losses.zero_one.convex
    assert losses.zero_one(0.0) > (losses.zero_one(-1.0) + losses.zero_one(1.0)) / 2


@everyone
@given(margin=margins)
def test_ceiling_lifts_a_loss_above_the_zero_one_loss(loss, margin):
    if loss.ceiling is not None:
        assert loss.ceiling * loss(margin) >= losses.zero_one(margin)


@everyone
def test_ceiling_is_the_smallest(loss):
    if loss.ceiling is not None:
        assert min(loss.ceiling * loss(SCORES) - losses.zero_one(SCORES)) == pytest.approx(0, abs=1e-9)


def test_perceptron_loss_does_not_bound_the_zero_one_loss():
    assert losses.perceptron.ceiling is None
    assert losses.perceptron(0.0) == 0 < losses.zero_one(0.0)
    for factor in (1.0, 1e3, 1e6):
        assert factor * losses.perceptron(-0.5 / factor) < losses.zero_one(-0.5 / factor)


@given(margin=margins)
def test_order_of_the_losses(margin):
    assert losses.perceptron(margin) <= losses.hinge(margin) <= losses.perceptron(margin) + 1
    assert losses.perceptron(margin) <= losses.logistic(margin) <= losses.perceptron(margin) + math.log(2)
    assert losses.squared_hinge(margin) <= losses.squared(margin)


def test_logistic_is_stable_far_out():
    assert losses.logistic([-1000.0, 1000.0]).tolist() == [1000.0, 0.0]
    assert losses.logistic.gradient([-1000.0, 1000.0]).tolist() == [-1.0, 0.0]
    assert losses.logistic(700.0) == pytest.approx(math.exp(-700), rel=1e-12)
    assert losses.logistic.gradient(700.0) == pytest.approx(-math.exp(-700), rel=1e-12)
    assert losses.logistic(-1e308) == 1e308


def test_logistic_is_the_negative_log_likelihood():
    probability = 1 / (1 + np.exp(-SCORES))
    assert losses.logistic(SCORES, 1) == pytest.approx(-np.log(probability))
    assert losses.logistic(SCORES, -1) == pytest.approx(-np.log(1 - probability))


def test_squared_takes_any_target():
    assert losses.squared([1.0, 2.0], [4.0, 2.5]).tolist() == [9.0, 0.25]
    assert losses.squared.gradient([1.0, 2.0], [4.0, 2.5]).tolist() == [-6.0, -1.0]


@everyone
def test_pickles_to_itself(loss):
    assert pickle.loads(pickle.dumps(loss)) is loss
    assert copy.deepcopy(loss) is loss
    with pytest.raises(AttributeError):
        loss.name = "other"
    assert repr(loss) == f"losses.{loss.name}"


# What is the perceptron minimising?


def perceptron_steps(rows, passes):
    weights, trail = np.zeros(rows.shape[1]), []
    for _ in range(passes):
        for row in rows:
            if row @ weights <= 0:
                weights = weights + row
            trail.append(weights)
    return np.array(trail)


def subgradient_steps(rows, passes, step=1.0):
    weights, trail = np.zeros(rows.shape[1]), []
    for _ in range(passes):
        for row in rows:
            weights = weights - step * losses.perceptron.gradient(row @ weights) * row
            trail.append(weights)
    return np.array(trail)


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal([0.3, 0.0, 0.0], size=(40, 3))


def test_perceptron_is_subgradient_descent_with_unit_steps(rows):
    assert np.array_equal(perceptron_steps(rows, 5), subgradient_steps(rows, 5))


def test_at_the_kink_the_subgradient_that_moves_is_taken():
    assert losses.perceptron.gradient(0.0, 1) == -1
    assert losses.perceptron.gradient(0.0, -1) == 1
    assert losses.perceptron.gradient(1e-300, 1) == 0


def test_the_minimum_is_where_the_perceptron_starts(rows):
    assert losses.perceptron(rows @ np.zeros(3)).sum() == 0


def test_the_perceptron_leaves_that_minimum_and_need_not_come_back(rows):
    totals = [losses.perceptron(rows @ weights).sum() for weights in perceptron_steps(rows, 20)]
    assert min(totals) > 0
    assert any(later > earlier for earlier, later in pairwise(totals))


def test_from_zero_the_step_changes_the_length_alone(rows):
    assert subgradient_steps(rows, 5, step=4.0) == pytest.approx(4.0 * subgradient_steps(rows, 5))
