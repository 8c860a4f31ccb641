"""Separable rows, moved by 100 in every column: a case that no other perceptron passes.

Other methods that learn row by row, and those that penalise the intercept, get every row right before the
move and many wrong after it. `LogisticRegression` (lbfgs), `RidgeClassifier` and `SVC` of scikit-learn do
not mind the move; what only `Perceptron(center=True)` returns is the proof.
"""

from __future__ import annotations

import warnings

import pytest
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

import separatrix as sx

ROWS = 200
LONG = {"max_iter": 1000, "tol": None}  # a thousand passes, with no way to stop before
FAIL = {
    "Perceptron": lambda: linear_model.Perceptron(),
    "Perceptron, 1000 passes": lambda: linear_model.Perceptron(**LONG),
    "SGDClassifier": lambda: linear_model.SGDClassifier(loss="perceptron", random_state=0),
    "SGDClassifier, 1000 passes": lambda: linear_model.SGDClassifier("perceptron", random_state=0, **LONG),
    "LinearSVC": lambda: LinearSVC(random_state=0),
}
if hasattr(linear_model, "PassiveAggressiveClassifier"):
    FAIL |= {
        "PassiveAggressive": lambda: linear_model.PassiveAggressiveClassifier(random_state=0),
        "PassiveAggressive, 1000 passes": lambda: linear_model.PassiveAggressiveClassifier(
            random_state=0, **LONG
        ),
    }
PASS = {
    "LogisticRegression": linear_model.LogisticRegression,
    "RidgeClassifier": linear_model.RidgeClassifier,
    "SVC": lambda: SVC(kernel="linear"),
}


@pytest.fixture(scope="module", params=range(3))
def moved(request):
    near = sx.problems.separable(ROWS, 2, margin=0.125, random_state=request.param)
    return near, sx.problems.shifted(near, 100.0)


def errors(peer, problem):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn takes leave of passive-aggressive
        return int((peer().fit(*problem).predict(problem.X) != problem.y).sum())


@pytest.mark.parametrize("peer", FAIL.values(), ids=FAIL)
def test_peers_that_the_move_alone_makes_fail(peer, moved):
    near, far = moved
    assert errors(peer, near) <= ROWS // 100
    assert errors(peer, far) >= ROWS // 20


@pytest.mark.parametrize("peer", PASS.values(), ids=PASS)
def test_peers_that_do_not_mind_the_move(peer, moved):
    """So that nobody claims more of this case than it shows."""
    near, far = moved
    assert errors(peer, far) <= max(1, errors(peer, near))


def test_the_centred_perceptron_makes_a_handful_of_mistakes_and_proves_it(moved):
    near, far = moved
    model = sx.Perceptron(center=True).fit(*far)
    assert model.mistakes_ <= 20
    assert model.passes_ <= 10
    assert model.mistakes_ == sx.Perceptron(center=True).fit(*near).mistakes_
    assert model.certificate_.verify(*far).holds
    assert isinstance(model.certificate_, sx.certificates.Separable)
    assert errors(lambda: sx.Perceptron(center=True), far) == 0
