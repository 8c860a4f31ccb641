"""Figures for matplotlib: axes accepted and returned, and what is drawn is what was fitted."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import separatrix as sx
from separatrix.reports.figures.svg_chart import to_svg

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def flowers():
    X, y = sx.problems.iris("setosa", "versicolor")
    return X[:, [0, 2]], y


def test_axes_are_accepted_and_returned(flowers):
    X, y = flowers
    model = sx.Perceptron().fit(X, y)
    path = sx.Ridge().path(X, np.asarray(y, float), alphas=[0.1, 1.0, 10.0])
    for draw in (
        lambda ax: sx.plot.boundary(model, X, y, ax=ax),
        lambda ax: sx.plot.margins(model, X, y, ax=ax),
        lambda ax: sx.plot.mistakes(model, ax=ax),
        lambda ax: sx.plot.losses("hinge", "logistic", ax=ax),
        lambda ax: sx.plot.path(path, ("a", "b"), ax=ax),
        lambda ax: sx.plot.trace(X, y).draw(0, ax),
    ):
        ax = plt.subplots()[1]
        assert draw(ax) is ax
        assert draw(None).figure is not ax.figure


def test_displays_follow_scikit_learn(flowers):
    X, y = flowers
    display = sx.plot.BoundaryDisplay.from_estimator(sx.MaxMargin().fit(X, y), X, y)
    first = display.ax_
    assert display.figure_ is first.figure
    assert display.plot().ax_ is not first


def test_both_renderers_draw_the_same_chart(flowers):
    X, y = flowers
    model = sx.Perceptron().fit(X, y)
    path = sx.Ridge().path(X, np.asarray(y, float), alphas=[0.0, 0.1, 1.0, 10.0])
    for display in (
        sx.plot.BoundaryDisplay.from_estimator(model, X, y),
        sx.plot.MarginsDisplay.from_estimator(model, X, y),
        sx.plot.MistakesDisplay.from_estimator(model),
        sx.plot.LossesDisplay.from_names(),
        sx.plot.PathDisplay.from_path(path, ("a", "b")),
    ):
        chart, ax = display.chart(), display.ax_
        assert (ax.get_xlabel(), ax.get_ylabel()) == (chart.across.name, chart.up.name)
        assert ax.get_xlim() == pytest.approx((chart.across.low, chart.across.high))
        assert ax.get_ylim() == pytest.approx((chart.up.low, chart.up.high))
        assert (ax.get_xscale() == "log", ax.get_yscale() == "log") == (chart.across.log, chart.up.log)
        names = {layer.name for layer in chart.named}
        assert {text.get_text() for text in ax.get_legend().get_texts()} == names
        svg = ElementTree.fromstring(to_svg(chart, "chart", "title", "description"))
        assert names <= {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}


def test_every_row_is_in_view(flowers):
    X, y = flowers
    ax = sx.plot.boundary(sx.MaxMargin().fit(X, y), X, y)
    for values, (low, high) in zip(X.T, (ax.get_xlim(), ax.get_ylim()), strict=True):
        assert low < values.min() <= values.max() < high


def test_the_margins_drawn_are_the_margins(flowers):
    X, y = flowers
    model = sx.MaxMargin().fit(X, y)
    display = sx.plot.MarginsDisplay.from_estimator(model, X, y)
    assert display.distances.min() == pytest.approx(sx.separate(X, y).margin.lower, rel=1e-6)


def test_mistakes_are_under_their_bound(flowers):
    X, y = flowers
    model = sx.Perceptron().fit(X, y)
    display = sx.plot.MistakesDisplay.from_estimator(model)
    assert sum(display.mistakes) == model.mistakes_
    assert display.bound >= model.mistakes_


def test_a_trace_is_the_run_of_the_perceptron(flowers, tmp_path):
    X, y = flowers
    run = sx.plot.trace(X, y)
    model = sx.Perceptron().fit(X, y)
    assert run.settled
    assert run.steps[-1].mistakes == model.mistakes_
    assert np.array_equal(run.steps[-1].weights, np.append(model.coef_[0], model.intercept_[0]))
    run.save(tmp_path / "run.gif")
    run.save(tmp_path / "run.html")
    assert (tmp_path / "run.gif").read_bytes()[:6] == b"GIF89a"
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "<script" not in page
    with pytest.raises(ValueError, match=r"\.gif or \.html"):
        run.save(tmp_path / "run.mp4")


def test_a_run_without_end_is_cut():
    run = sx.plot.trace(*sx.problems.xor(), max_mistakes=30)
    assert not run.settled
    assert run.steps[-1].mistakes == 30


def test_what_cannot_be_drawn_gets_a_sentence(flowers):
    X, y = flowers
    with pytest.raises(ValueError, match="not fitted"):
        sx.plot.boundary(sx.Perceptron(), X, y)
    three = sx.PocketPerceptron(random_state=0, max_iter=5).fit(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="3 classes"):
        sx.plot.margins(three, X, y)
    with pytest.raises(ValueError, match="is no loss"):
        sx.plot.losses("cubic")
    with pytest.raises(ValueError, match="not 2"):
        sx.plot.trace(*sx.problems.iris("setosa"))
