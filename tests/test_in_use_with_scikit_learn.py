"""What scikit-learn's checks do not look at: weights that find their way, and how a model shows itself."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_contract import ESTIMATORS

import separatrix as sx

WEIGHTED = {"LinearRegression", "LinearSVM", "LogisticRegression", "Ridge", "ZeroOne"}
KINDS = sorted({type(estimator) for estimator in ESTIMATORS}, key=lambda kind: kind.__name__)
ignored = pytest.mark.filterwarnings("ignore::separatrix.fitting.fit_warnings.FitWarning")


def weighted_rows():
    """Rows with noise, and weights, whole numbers with zeros, without which another line is best."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 2)) * 8) / 8 + [3.0, -1.0]
    y = (X[:, 0] + rng.normal(size=60) > 3.0).astype(int)
    return X, y, rng.integers(0, 4, size=60).astype(float)


@pytest.fixture(autouse=True, scope="module")
def routing():
    with config_context(enable_metadata_routing=True):
        yield


# Metadata


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_weights_can_be_requested_exactly_where_fit_takes_them(kind):
    takes = "sample_weight" in inspect.signature(kind.fit).parameters
    assert takes == (kind.__name__ in WEIGHTED)
    assert hasattr(kind(), "set_fit_request") == takes
    if takes:
        asking = clone(kind().set_fit_request(sample_weight=True))
        assert asking.get_metadata_routing().fit.requests == {"sample_weight": True}


@ignored
@pytest.mark.parametrize(
    "model",
    [sx.LinearRegression(), sx.LinearSVM(), sx.LogisticRegression(), sx.Ridge(), sx.ZeroOne(node_limit=200)],
    ids=lambda model: type(model).__name__,
)
def test_weights_go_through_a_pipeline(model):
    X, y, weights = weighted_rows()
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    pipe = make_pipeline(scaler, clone(model).set_fit_request(sample_weight=True)).fit(
        X, y, sample_weight=weights
    )
    scaled = StandardScaler().fit_transform(X)
    alone = clone(model).fit(scaled, y, weights)
    assert np.array_equal(pipe[-1].coef_, alone.coef_)
    assert not np.array_equal(alone.coef_, clone(model).fit(scaled, y).coef_)


@pytest.mark.parametrize(
    ("model", "grid"),
    [(sx.LinearSVM(), {"C": [0.01, 1.0]}), (sx.Ridge(), {"alpha": [0.1, 100.0]})],
    ids=["LinearSVM", "Ridge"],
)
def test_weights_go_through_a_search_into_every_fold_and_its_score(model, grid):
    X, y, weights = weighted_rows()
    asking = clone(model).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    folds = KFold(3)
    search = GridSearchCV(asking, grid, cv=folds).fit(X, y, sample_weight=weights)
    for place, parameters in enumerate(search.cv_results_["params"]):
        for number, (train, test) in enumerate(folds.split(X)):
            fold = clone(model).set_params(**parameters).fit(X[train], y[train], weights[train])
            told = search.cv_results_[f"split{number}_test_score"][place]
            assert told == pytest.approx(fold.score(X[test], y[test], weights[test]), rel=1e-12)
    best = clone(model).set_params(**search.best_params_).fit(X, y, weights)
    assert np.array_equal(search.best_estimator_.coef_, best.coef_)


def test_weights_that_nobody_asked_for_are_refused():
    X, y, weights = weighted_rows()
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        GridSearchCV(sx.LinearSVM(), {"C": [1.0]}).fit(X, y, sample_weight=weights)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    with pytest.raises(TypeError, match="sample_weight"):
        make_pipeline(scaler, sx.Perceptron()).fit(X, y, sample_weight=weights)
    with pytest.raises(TypeError, match="sample_weight"):
        sx.Perceptron().fit(X, y, sample_weight=weights)


# How a model shows itself


@ignored
@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_html_names_the_model_its_parameters_and_whether_it_is_fitted(model):
    X, y, _ = weighted_rows()
    shown = model._repr_html_()
    fitted = clone(model).fit(X, y)._repr_html_()
    for html in (shown, fitted):
        assert f"<pre>{type(model).__name__}(" in html
        for parameter, value in model.get_params().items():
            if value != inspect.signature(type(model)).parameters[parameter].default:
                assert parameter in html
        assert not re.search(r"href=.\S*scikit-learn\.org", html)  # of a class of the same name, not of ours
    assert "<span>Not fitted</span>" in shown
    assert "<span>Fitted</span>" in fitted


def test_html_of_a_pipeline_shows_the_step():
    X, y, _ = weighted_rows()
    pipe = make_pipeline(StandardScaler(), sx.Ridge(alpha=3.0))
    for html in (pipe._repr_html_(), pipe.fit(X, y)._repr_html_()):
        assert "Ridge(alpha=3.0)" in html


def test_bundle_for_a_notebook_holds_text_and_html():
    bundle = sx.Perceptron(center=True)._repr_mimebundle_()
    assert bundle["text/plain"] == "Perceptron(center=True)"
    assert "<pre>Perceptron(center=True)</pre>" in bundle["text/html"]
