"""What fitted models are made of: plain Python, NumPy and classes of this library, for any way of copying."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import separatrix as sx

CLASSIFIERS = (
    sx.Perceptron(max_iter=20),
    sx.PocketPerceptron(max_iter=5),
    sx.AveragedPerceptron(max_iter=5),
    sx.VotedPerceptron(max_iter=5),
    sx.MarginPerceptron(max_iter=20),
    sx.BatchPerceptron(max_iter=20),
    sx.PassiveAggressive(max_iter=5),
    sx.MaxMargin(),
    sx.LinearSVM(),
    sx.LogisticRegression(),
    sx.LogisticRegression(penalty=None),
    sx.LogisticRegression(penalty="firth"),
    sx.LogisticRegression(penalty=None, multi_class="multinomial"),
    sx.ZeroOne(),
)
REGRESSIONS = (sx.LinearRegression(), sx.Ridge(), sx.Ridge([0.1, 1.0]))
PLAIN = (type(None), bool, int, float, str, bytes, Fraction, np.generic)


def foreign(value, path="model"):
    """The paths to values of other libraries, as a copy of ``value`` would store them."""
    if isinstance(value, PLAIN):
        return []
    if isinstance(value, np.ndarray):
        kinds = [value.dtype[name].kind for name in value.dtype.names or ()] or [value.dtype.kind]
        return [] if set(kinds) <= set("biufU") else [f"{path}: {value.dtype}"]
    if isinstance(value, dict):
        return [odd for key, item in value.items() for odd in foreign(item, f"{path}.{key}")]
    if isinstance(value, list | tuple):
        return [odd for place, item in enumerate(value) for odd in foreign(item, f"{path}[{place}]")]
    if type(value).__module__.startswith("separatrix."):
        return foreign(value.__getstate__(), path)
    return [f"{path}: {type(value).__module__}.{type(value).__name__}"]


def rows(classes):
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 2))
    heights = X @ [2.0, 1.0] + random.normal(size=30)
    return X, np.digitize(heights, [-1.0, 1.0][: classes - 1]) if classes else heights


@pytest.mark.filterwarnings("ignore::separatrix.FitWarning")
@pytest.mark.parametrize("fresh", [True, False], ids=["fresh", "read"])
@pytest.mark.parametrize(
    ("model", "classes"),
    [*((model, k) for model in CLASSIFIERS for k in (2, 3)), *((model, 0) for model in REGRESSIONS)],
    ids=lambda value: str(value),
)
def test_fitted_models_hold_nothing_of_other_libraries(model, classes, fresh):
    X, y = rows(classes)
    model = copy.deepcopy(model).fit(X, y)
    if not fresh:  # what is worked out when it is first read may be kept, too
        for name in ("certificate_", "moments_", "eigenvalues_"):
            getattr(model, name, None)
        if isinstance(model, sx.LinearRegression):
            model.summary()
    assert foreign(model) == []


@pytest.mark.parametrize("model", REGRESSIONS, ids=str)
def test_copies_of_a_regression_go_on_from_its_moments(model, tmp_path):
    X, y = rows(0)
    model = copy.deepcopy(model).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    copies = [
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        joblib.load(tmp_path / "model.joblib"),
    ]
    for again in copies:
        assert_array_equal(again.predict(X), model.predict(X))
        assert again.moments_.to_dict() == model.moments_.to_dict()
        if isinstance(model, sx.LinearRegression):
            assert str(again.summary()) == str(model.summary())
