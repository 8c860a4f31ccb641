"""``verbose``: one line per pass or step on standard error, and the same fit."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest

import separatrix as sx

PASS = r"pass {} of at most 7: [\d,]+ mistakes so far"
STEP = r"step [\d,]+ of at most [\d,]+: relative gap about \d\.\de[+-]\d+"
PERCEPTRONS = [
    sx.Perceptron,
    partial(sx.PocketPerceptron, random_state=0),
    sx.AveragedPerceptron,
    sx.VotedPerceptron,
    sx.MarginPerceptron,
    sx.BatchPerceptron,
    sx.PassiveAggressive,
]
CONVEX = [
    sx.LinearSVM(),
    sx.LinearSVM(loss="squared_hinge"),
    *(sx.LogisticRegression(solver=solver) for solver in ("newton", "newton-cg", "gradient-descent")),
    sx.LogisticRegression(penalty="firth"),
    sx.LogisticRegression(multi_class="multinomial"),
]


def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    return X, X[:, 0] + random.normal(size=60) > 0


def lines_of(model, capsys):
    X, y = rows()
    silent = model.fit(X, y).decision_function(X)
    assert capsys.readouterr() == ("", "")
    said = model.set_params(verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    np.testing.assert_array_equal(said.decision_function(X), silent)
    assert out == ""
    return err.splitlines()


@pytest.mark.filterwarnings("ignore::separatrix.FitWarning")
@pytest.mark.parametrize("kind", PERCEPTRONS)
def test_perceptrons_tell_every_pass(kind, capsys):
    model = kind(max_iter=7)
    lines = lines_of(model, capsys)
    assert len(lines) == model.passes_
    assert all(re.fullmatch(PASS.format(k), line) for k, line in enumerate(lines, start=1))


@pytest.mark.parametrize("model", CONVEX, ids=str)
def test_convex_methods_tell_their_steps(model, capsys):
    lines = lines_of(model, capsys)
    assert lines
    assert all(re.fullmatch(STEP, line) for line in lines)
    steps = [int(line.split()[1].replace(",", "")) for line in lines]
    assert steps == sorted(set(steps))
    assert steps[-1] == model.n_iter_


def test_the_search_tells_every_change_of_the_interval(capsys):
    lines = lines_of(sx.ZeroOne(node_limit=1000), capsys)
    assert len(lines) > 1
    assert all(re.match(r"\d+ errors, at least \d+ proven", line) for line in lines)


@pytest.mark.parametrize("value", [-1, 0.5, "yes", None])
def test_other_values_are_refused(value):
    with pytest.raises(ValueError, match=r"^verbose must be an integer >= 0; got"):
        sx.Perceptron(verbose=value).fit(*rows())
