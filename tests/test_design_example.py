"""The perceptron of `docs/design.md` is one short file, and does what its theorem and the library promise."""

from __future__ import annotations

import doctest
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import separatrix as sx

PAGE = Path(__file__).resolve().parents[1] / "docs" / "design.md"
MAX_LINES = 60


def example():
    """The source of the first block of the section."""
    section = PAGE.read_text(encoding="utf-8").split("## A perceptron in one file")[1]
    block = section.split("```python")[1].split("```")[0]
    return "".join(each.source for each in doctest.DocTestParser().get_examples(block))


@pytest.fixture(scope="module")
def perceptron(tmp_path_factory):
    file = tmp_path_factory.mktemp("example") / "threshold_perceptron.py"
    file.write_text(example(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("threshold_perceptron", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ThresholdPerceptron


def test_the_file_is_short():
    assert len(example().splitlines()) <= MAX_LINES


@pytest.mark.parametrize("threshold", [0.25, 3.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_it_makes_no_more_updates_than_its_theorem_allows(perceptron, threshold, intercept):
    for seed in range(5):
        X, y = sx.problems.separable(60, 3, margin=0.1, random_state=seed)
        model = perceptron(threshold, max_iter=10**4, fit_intercept=intercept).fit(X, y)
        if model.update_bound_ is None:  # without an intercept there may be nothing to find
            continue
        assert model.mistakes_ <= model.updates_ <= model.update_bound_
        assert model.certificate_.verify(X, y)
        assert (np.where(y == model.classes_[1], 1, -1) * model.decision_function(X)).min() > threshold


def test_it_is_like_the_others_in_all_else(perceptron):
    X, y = three_classes()
    whole = perceptron(max_iter=1)
    with pytest.warns(sx.FitWarning):
        whole.fit(X, y)
    single = perceptron()
    for i in range(len(X)):
        single.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(3))
    streamed = perceptron()
    list(sx.stream(streamed, zip(X, y, strict=True), classes=range(3)))
    with pytest.warns(sx.FitWarning):
        sparse = perceptron(max_iter=1).fit(csr_array(X), y)
    for other in (single, streamed, sparse):
        assert other.coef_.tolist() == whole.coef_.tolist()
        assert other.updates_.tolist() == whole.updates_.tolist()
    with pytest.raises(ValueError, match=r"threshold must be > 0; got -1"):
        perceptron(-1).fit(X, y)


def three_classes():
    """Whole numbers, so that no sum rounds."""
    random = np.random.default_rng(0)
    return random.integers(-8, 9, (90, 4)).astype(float), random.integers(0, 3, 90)
