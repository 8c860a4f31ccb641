"""scikit-learn's own checks, for every estimator, with none expected to fail."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix as sx

ESTIMATORS = [
    sx.Perceptron(),
    sx.Perceptron(order="first violator", step=0.5),
    sx.Perceptron(order="shuffled", center=True),
    sx.PocketPerceptron(max_passes=20),
    sx.AveragedPerceptron(),
    sx.VotedPerceptron(),
    sx.BatchPerceptron(),
    sx.MarginPerceptron(),
    sx.PassiveAggressive(),
    sx.PassiveAggressive(variant="PA-II"),
    sx.MaxMargin(),
    sx.Lift(),
]


@pytest.mark.filterwarnings("ignore::separatrix.predictor.solution.FitWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
