"""Parameters that make no sense are refused by name, in one sentence, before any row is read."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import separatrix as sx
from separatrix.fitting import FitWarning

X = [[0.0, 1.0], [1.0, 0.5], [2.0, -1.0], [3.0, 0.0], [1.5, 2.0], [2.5, 0.2]]
Y = [0, 0, 1, 1, 1, 0]

NO_NUMBERS = [
    1 + 2j,
    np.complex128(1),
    float("nan"),
    -float("inf"),
    True,
    np.True_,
    "1",
    b"1",
    Decimal("0.5"),
    10**400,
    10**10_000,
    np.datetime64("2020-01-01"),
    np.array([[1.0]]),
    np.array(["1"]),
    np.array([1 + 1j]),
    np.array([np.nan, 1.0]),
    [],
    {},
    object(),
]

NUMBERS = [
    (sx.Perceptron, "step"),
    (sx.PassiveAggressive, "C"),
    (sx.MarginPerceptron, "share"),
    (sx.MaxMargin, "tol"),
    (sx.LinearSVM, "C"),
    (sx.LinearSVM, "tol"),
    (sx.LogisticRegression, "C"),
    (sx.LogisticRegression, "tol"),
    (sx.Ridge, "alpha"),
    (sx.ZeroOne, "tol"),
]
WHOLE = [
    (sx.Perceptron, "max_iter"),
    (sx.BatchPerceptron, "max_iter"),
    (sx.LinearSVM, "max_iter"),
    (sx.LogisticRegression, "max_iter"),
]


def refusal(kind, name, value):
    with pytest.raises(ValueError, match=rf"\b{name}\b") as caught:
        kind(**{name: value}).fit(X, Y)
    said = str(caught.value)
    assert len(said) < 300
    assert "\n" not in said


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
def test_what_is_no_number_is_refused(kind, name):
    for value in NO_NUMBERS:
        refusal(kind, name, value)
    refusal(kind, name, -1.0)
    if (kind, name) not in {(sx.LinearSVM, "C"), (sx.LogisticRegression, "C"), (sx.Ridge, "alpha")}:
        refusal(kind, name, float("inf"))


@pytest.mark.parametrize(("kind", "name"), WHOLE)
def test_what_is_no_whole_number_is_refused(kind, name):
    whole = [value for value in NO_NUMBERS if type(value) is not int]
    for value in [*whole, 0, -1, 2.5, 1.0, Fraction(3, 2), float("inf")]:
        refusal(kind, name, value)


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
def test_any_real_number_will_do(kind, name):
    """A fraction, or a number of NumPy's, is as good as the float that it equals."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        models = [kind(**{name: value}).fit(X, Y) for value in (0.5, Fraction(1, 2), np.float32(0.5))]
    for model in models[1:]:
        assert np.array_equal(model.coef_, models[0].coef_)


@pytest.mark.parametrize("start", [1 + 2j, "abc", [1j, 0, 0], [10**400, 0, 0], [np.nan, 0, 0], [True]])
def test_start_of_a_perceptron_holds_finite_numbers(start):
    with pytest.raises(ValueError, match="start must hold 3 finite numbers"):
        sx.Perceptron(start=start).fit(X, Y)


@pytest.mark.parametrize(
    "step", [lambda k: 1j, lambda k: True, lambda k: np.nan, lambda k: "1", lambda k: 10**400]
)
def test_a_step_given_by_a_function_is_a_number(step):
    with pytest.raises(ValueError, match="step"):
        sx.Perceptron(step=step).fit(X, Y)


@pytest.mark.parametrize("seed", [1 + 2j, 0.5, -1, 2**32, True, "1", [1]])
def test_seeds(seed):
    with pytest.raises(ValueError, match="random_state"):
        sx.Perceptron(random_state=seed).fit(X, Y)


@pytest.mark.parametrize("weight", [1j, np.nan, np.inf, True, "1", 0, -1, 10**400])
def test_class_weights(weight):
    for kind in (sx.LogisticRegression, sx.LinearSVM):
        with pytest.raises(ValueError, match="class_weight"):
            kind(class_weight={0: weight, 1: 1.0}).fit(X, Y)


def test_firth_has_no_multinomial_model():
    y = [0, 1, 2, 0, 1, 2]
    model = sx.LogisticRegression(penalty="firth", multi_class="multinomial")
    with pytest.raises(ValueError, match="penalty='firth' has no multinomial model"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")
    assert len(model.set_params(multi_class="ovr").fit(X, y).coef_) == 3
