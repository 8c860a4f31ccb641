"""A summary says what happened, its renderings say the same, and the figures can be read by everyone."""

from __future__ import annotations

import json
import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separatrix as sx
from separatrix.reports import figures, summarise, svg
from separatrix.reports import json as as_json
from separatrix.reports import text as as_text
from separatrix.reports.axes import Scale, padded, tick_text

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.fitting.fit_warnings.FitWarning")

SVG = "{http://www.w3.org/2000/svg}"
MODELS = [
    sx.Perceptron(),
    sx.Perceptron(center=True),
    sx.Perceptron(fit_intercept=False, max_iter=50),
    sx.Perceptron(step=0.25, order="shuffled", random_state=0),
    sx.PocketPerceptron(random_state=0),
    sx.AveragedPerceptron(),
    sx.VotedPerceptron(),
    sx.MarginPerceptron(share=0.8),
    sx.BatchPerceptron(center=True),
    sx.PassiveAggressive(variant="PA"),
    sx.PassiveAggressive(C=0.5),
    sx.PassiveAggressive(C=0.5, variant="PA-II"),
]


def flowers() -> tuple[np.ndarray, np.ndarray]:
    X, y = sx.problems.iris("setosa", "versicolor")
    return X[:, [0, 2]], np.where(y > 0, "setosa", "versicolor")


def three_kinds() -> tuple[np.ndarray, np.ndarray]:
    X, _ = sx.problems.iris("setosa")
    return X, np.repeat(["setosa", "versicolor", "virginica"], 50)


@pytest.fixture(scope="module")
def fitted():
    X, y = flowers()
    model = sx.Perceptron().fit(X, y)
    return model, X, y


def test_summary_says_what_the_model_knows(fitted):
    model, X, y = fitted
    summary = summarise(model, X, y)
    (task,) = summary.tasks
    assert (task.mistakes, task.updates, task.passes) == (model.mistakes_, model.updates_, model.passes_)
    assert sum(task.mistakes_per_pass) == task.mistakes
    assert task.settled
    assert (task.positive, task.negative, task.errors) == ("versicolor", "setosa", 0)
    assert task.figures.geometric_margin == pytest.approx(
        model.halfspace_.margin(X, np.where(y == "setosa", -1, 1))
    )
    assert task.promise.at_most == pytest.approx(model.mistake_bound_)
    assert task.evidence.holds
    assert summary.proven
    assert (summary.data.rows, summary.data.columns) == X.shape
    with pytest.raises(FrozenInstanceError):
        summary.seconds = 0.0


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.2, 0.5]), st.integers(2, 5))
def test_every_promise_is_kept(seed, margin, d):
    X, y = sx.problems.separable(60, d, margin=margin, random_state=seed)
    for model in MODELS:
        task = summarise(model.fit(X, y), X, y).tasks[0]
        if task.promise is not None:
            assert task.promise.counted <= task.promise.at_most * (1 + 1e-9), model
        assert task.evidence.holds is not False


@pytest.mark.parametrize(
    "parameters",
    [{"step": [1.0, 0.5]}, {"step": lambda k: 1 / (k + 1)}, {"start": [9.0, 9.0, 9.0]}, {"warm_start": True}],
)
def test_no_promise_where_no_theorem_applies(parameters):
    X, y = flowers()
    assert summarise(sx.Perceptron(**parameters).fit(X, y), X, y).tasks[0].promise is None


def test_without_rows_nothing_is_verified(fitted):
    summary = summarise(fitted[0])
    assert summary.tasks[0].evidence.holds is None
    assert summary.tasks[0].errors is None
    assert "Checked again" not in as_text.render(summary)


def test_a_refused_certificate_is_no_proof(fitted):
    model, X, y = fitted
    wrong = sx.Perceptron().fit(X, y)
    wrong.certificate_ = replace(model.certificate_, weights=(1.0, -1.0))
    summary = summarise(wrong, X, y)
    assert summary.tasks[0].evidence.holds is False
    assert not summary.proven
    assert "its certificate is refused" in as_text.render(summary)


def test_rows_of_other_classes_are_refused(fitted):
    with pytest.raises(ValueError, match="do not have the classes of the model"):
        summarise(fitted[0], *three_kinds())


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_text_is_about_a_dozen_lines_and_fits(model):
    X, y = flowers()
    for width in (60, 80, 100):
        lines = as_text.render(summarise(model.fit(X, y), X, y), width).splitlines()
        assert all(len(line) <= width for line in lines)
        assert all(line == line.rstrip() for line in lines)
    assert len(lines) <= 14


def test_text_says_plainly_that_nothing_is_proven():
    X, y = sx.problems.shifted(sx.problems.separable(40, 2, margin=0.25))
    said = as_text.render(summarise(sx.Perceptron(max_iter=5).fit(X, y), X, y))
    assert "proven         nothing. After 5 passes and" in said
    assert re.search(r"errors +\d+ of 40 rows on the wrong side", said)


def test_text_of_several_classes_has_a_line_for_each():
    X, y = three_kinds()
    said = as_text.render(summarise(sx.Perceptron(max_iter=20).fit(X, y), X, y))
    assert "3 classes, each against the rest" in said
    assert re.search(r"^  setosa +5 +4 +0 ", said, re.MULTILINE)
    assert re.search(r"^  virginica .* no bound ", said, re.MULTILINE)


def test_many_classes_are_cut_short():
    y = np.repeat(np.arange(20), 2)
    model = sx.Perceptron(max_iter=2).fit(np.arange(40.0).reshape(-1, 1), y)
    assert "and 8 more classes" in as_text.render(summarise(model))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_json_says_the_same(model):
    X, y = flowers()
    summary = summarise(model.fit(X, y), X, y, notes=["a note"])
    record = json.loads(as_json.render(summary), parse_constant=pytest.fail)
    assert (record["format"], record["version"]) == ("separatrix-summary", 1)
    assert record["tasks"][0]["mistakes"] == summary.tasks[0].mistakes
    assert record["tasks"][0]["evidence"]["proven"] == summary.tasks[0].evidence.proven
    assert record["notes"] == ["a note"]


def test_json_of_parameters_it_cannot_hold():
    X, y = flowers()
    model = sx.Perceptron(step=lambda k: 1.0, random_state=np.random.RandomState(0), order=list(range(100)))
    parameters = json.loads(as_json.render(summarise(model.fit(X, y))))["parameters"]
    assert parameters["step"] == "a function"
    assert parameters["random_state"] == "a RandomState"
    assert parameters["order"] == "a sequence of 100"


def drawn(model, X, y) -> ElementTree.Element:
    picture = figures.outcome(summarise(model, X, y), model, X, y)
    assert not re.search(r"nan|inf\b|href|url\((?!#)", picture)
    return ElementTree.fromstring(picture)


def boxes(picture: ElementTree.Element) -> list[tuple[str, float, float, float, float]]:
    """Where each text stands: turned ones are left to the eye."""
    found = []
    for text in picture.iter(f"{SVG}text"):
        if "transform" in text.attrib:
            continue
        size = {"heading": 15, "small": 11}.get(text.get("class", "").split()[-1], 12)
        width = svg.text_width(text.text, size) * 0.8
        left = float(text.get("x")) - width * {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor"), 0.0)
        y = float(text.get("y"))
        found.append((text.text, left, y - 0.75 * size, left + width, y + 0.2 * size))
    return found


def require_readable(picture: ElementTree.Element) -> None:
    placed = boxes(picture)
    for i, (one, left, top, right, bottom) in enumerate(placed):
        assert left >= 0, one
        assert right <= float(picture.get("width")), one
        assert bottom <= float(picture.get("height")), one
        for other, *box in placed[i + 1 :]:
            apart = right <= box[0] or box[2] <= left or bottom <= box[1] or box[3] <= top
            assert apart, f"{one!r} stands on {other!r}"


def pictures():
    X, y = flowers()
    yield "plane", sx.Perceptron(), X, y
    yield "line", sx.Perceptron(), X[:, [1]], y
    yield "four columns", sx.Perceptron(max_iter=30), *three_kinds()
    yield "voted", sx.VotedPerceptron(), X, y
    yield "margin", sx.MarginPerceptron(), X, y
    yield "xor", sx.Perceptron(max_iter=100), *sx.problems.xor()
    yield "no intercept", sx.Perceptron(fit_intercept=False), *sx.problems.orthonormal()
    yield "many passes", sx.Perceptron(max_iter=1000), *sx.problems.breast_cancer()
    yield (
        "long names",
        sx.Perceptron(),
        X,
        np.where(y == "setosa", "s" * 200, "versicolor of a very long kind " * 9),
    )
    yield "large numbers", sx.Perceptron(max_iter=3), X * 1e100, y
    yield "tiny numbers", sx.Perceptron(max_iter=3), X * 1e-100, y
    yield "constant column", sx.Perceptron(max_iter=3), X * [1.0, 0.0], y


@pytest.mark.parametrize(
    ("name", "model", "X", "y"), list(pictures()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_picture_is_sound_and_readable(name, model, X, y):
    with np.errstate(all="ignore"):
        picture = drawn(model.fit(X, y), X, y)
    assert picture.get("role") == "img"
    title, description = picture.find(f"{SVG}title"), picture.find(f"{SVG}desc")
    assert picture.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert type(model).__name__ in title.text
    assert "mistakes" in description.text
    require_readable(picture)


def test_picture_shows_the_separator(fitted):
    model, X, y = fitted
    picture = drawn(model, X, y)
    said = [text.text for text in picture.iter(f"{SVG}text")]
    assert {"boundary", "margin 0.106 on each side", "Novikoff's bound: at most 6,733"} <= set(said)
    assert (
        len([e for e in picture.iter(f"{SVG}circle") if e.get("class") == "plus" and e.get("r") == "3.4"])
        == 51
    )


def test_what_the_user_named_is_escaped():
    import pandas as pd

    X, y = flowers()
    table = pd.DataFrame(X, columns=["<script>alert(1)</script>", 'a"&b'])
    labels = np.where(y == "setosa", "</svg>", "x\0y")
    picture = drawn(sx.Perceptron().fit(table, labels), table, labels)
    assert not list(picture.iter(f"{SVG}script"))
    assert any("</svg>" in (text.text or "") for text in picture.iter(f"{SVG}text"))


def test_many_rows_make_no_large_picture():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 3))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 0.1, -0.1)
    model = sx.Perceptron().fit(X, y)
    picture = figures.outcome(summarise(model, X, y), model, X, y)
    assert len(picture) < 150_000
    assert re.search(r"\(6\d\d of 100,000 rows\)", picture)


def test_sparse_rows_are_drawn():
    from scipy.sparse import random_array

    X = random_array((300, 2000), density=0.01, format="csr", rng=np.random.default_rng(0))
    y = np.asarray(X.sum(axis=1)).ravel() > 10
    require_readable(drawn(sx.Perceptron(max_iter=5).fit(X, y), X, y))


def test_losses_are_compared():
    picture = ElementTree.fromstring(figures.losses_compared())
    require_readable(picture)
    said = {text.text for text in picture.iter(f"{SVG}text")}
    assert {"zero-one", "perceptron", "hinge", "squared hinge", "logistic", "squared"} <= said


@pytest.mark.parametrize("colours", [svg.LIGHT, svg.DARK], ids=["light", "dark"])
def test_colours_have_contrast(colours):
    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: str, other: str) -> float:
        light, dark = sorted((luminance(one), luminance(other)), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    for name in ("ink", "faint", "plus", "minus", "third", "fourth", "fifth", "sixth"):
        assert contrast(colours[name], colours["paper"]) >= 4.5, name
    for name in ("ink", "plus", "minus"):
        assert contrast(colours[name], colours["street"]) >= 3.0, name


@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e12))
def test_ticks_are_few_and_inside(low, size):
    low, high = padded([low, low + size])
    scale = Scale(low, high, 0.0, 300.0)
    ticks = scale.ticks(6)
    assert 1 <= len(ticks) <= 7
    assert all(-1e-6 <= scale(tick) <= 300 + 1e-6 for tick in ticks)
    assert all(tick_text(tick) for tick in ticks)


def test_figures_in_the_documentation_are_current():
    folder = Path(__file__).resolve().parents[1] / "docs" / "figures"
    X, y = flowers()
    model = sx.Perceptron().fit(X, y)
    assert (folder / "losses.svg").read_text(encoding="utf-8") == figures.losses_compared()
    drawn_then = (folder / "perceptron.svg").read_text(encoding="utf-8")
    assert drawn_then.count("<circle") == figures.outcome(summarise(model, X, y), model, X, y).count(
        "<circle"
    )
