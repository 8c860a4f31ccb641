"""scikit-learn's own checks, for every estimator, with none expected to fail."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix as sx

ESTIMATORS = [
    sx.Perceptron(),
    sx.Perceptron(order="first violator", step=0.5),
    sx.Perceptron(order="shuffled", center=True),
    sx.PocketPerceptron(max_iter=20),
    sx.AveragedPerceptron(),
    sx.VotedPerceptron(),
    sx.BatchPerceptron(),
    sx.MarginPerceptron(),
    sx.PassiveAggressive(),
    sx.PassiveAggressive(variant="PA-II"),
    sx.MaxMargin(),
    sx.LinearSVM(),
    sx.LinearSVM(loss="squared_hinge", class_weight="balanced"),
    sx.LinearSVM(C=0.1, tol=1e-10),
    sx.LinearSVM(C=float("inf")),
    sx.LinearRegression(),
    sx.LinearRegression(fit_intercept=False),
    sx.Ridge(),
    sx.Ridge([0.1, 1.0, 10.0]),
    sx.Lift(),
    sx.ZeroOne(node_limit=200),
    sx.ZeroOne(node_limit=50, class_weight="balanced"),
    sx.LogisticRegression(),
    sx.LogisticRegression(C=10.0, solver="newton-cg", tol=1e-16),
    sx.LogisticRegression(penalty=None),
    sx.LogisticRegression(penalty="firth"),
    sx.LogisticRegression(multi_class="multinomial", tol=1e-14),
    sx.LogisticRegression(solver="gradient-descent", max_iter=50),
]


@pytest.mark.filterwarnings("ignore::separatrix.fitting.fit_warnings.FitWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
