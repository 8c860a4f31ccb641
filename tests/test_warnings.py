"""A warning of a fit points at the line that asked for it, however deep in the package it was met."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx

APART = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [4.0, 0.0]])
TWINS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [4.0, 0.0]])
LABELS = np.array([0, 0, 1, 1])


@pytest.mark.parametrize(
    ("model", "X", "kind"),
    [
        (sx.Perceptron(), TWINS, sx.NotSeparable),
        (sx.Perceptron(max_iter=1), APART, sx.NothingProven),
        (sx.MarginPerceptron(share=0.999999, max_iter=2), APART, sx.NothingProven),
        (sx.MaxMargin(), TWINS, sx.NothingProven),
        (sx.LinearSVM(C=np.inf), TWINS, sx.NotSeparable),
        (sx.LogisticRegression(penalty=None), APART, sx.FitWarning),
        (sx.LogisticRegression(max_iter=1, C=1e6, solver="newton"), TWINS, sx.FitWarning),
        (sx.LinearRegression(), np.c_[APART, APART[:, 0] * 2], sx.FitWarning),
        (sx.LogisticRegression(penalty=None, multi_class="multinomial"), APART, sx.FitWarning),
    ],
    ids=str,
)
def test_a_warning_points_at_the_caller(model, X, kind):
    with pytest.warns(kind) as caught:
        model.fit(X, LABELS)
    assert {warning.filename for warning in caught} == {__file__}
