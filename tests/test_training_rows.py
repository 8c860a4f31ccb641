"""The rows of the fit are recognised, however they are stored: they do not tell the risk on new rows."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix.cli.program import run
from separatrix.reports.evaluation import evaluate, trained_on

HEADER = "a,b,label"
RANDOM = np.random.default_rng(0)
X = np.round(RANDOM.normal(size=(30, 2)), 3)
Y = (X[:, 0] + RANDOM.normal(size=30) > 0).astype(int)
LINES = [f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), Y, strict=True)]


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("rows.csv").write_text("\n".join([HEADER, *LINES]) + "\n", encoding="utf-8")

    def call(line):
        code = run(shlex.split(line))
        out, err = capsys.readouterr()
        assert code == 0, err
        return out or err

    return call


def copies():
    """The same numbers in other files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = Path("rows.csv").read_bytes()
    Path("rows.csv.gz").write_bytes(gzip.compress(text))
    Path("rows.tsv").write_bytes(text.replace(b",", b"\t"))
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "label": Y}), "rows.parquet")
    svmlight = [f"{label} 1:{a} 2:{b}" for (a, b), label in zip(X.tolist(), Y, strict=True)]
    Path("rows.svm").write_text("\n".join(svmlight) + "\n", encoding="utf-8")
    np.savez("rows.npz", X=X, y=Y)
    return "rows.csv", "rows.csv.gz", "rows.tsv", "rows.parquet", "rows.svm", "rows.npz"


def test_the_rows_of_the_fit_in_any_format(cli):
    cli("fit rows.csv --model svm -o model.json -q")
    for name in copies():
        told = cli(f"evaluate model.json {name}")
        assert "are the rows of the fit" in told, name
        assert "risk is between" not in told
        record = json.loads(cli(f"evaluate model.json {name} --json"))
        assert (record["training"], record["interval"]) == (True, None)


@pytest.mark.parametrize("model", ["perceptron --max-iter 3", "logistic", "zero-one", "svm"])
def test_every_model_with_or_without_a_proof(model, cli):
    cli(f"fit rows.csv --model {model} -o model.json -q")
    assert "are the rows of the fit" in cli("evaluate model.json rows.csv")


@pytest.mark.parametrize("change", ["value", "label", "order", "part", "more"])
def test_other_rows_have_an_interval_and_its_condition(change, cli):
    cli("fit rows.csv --model svm -o model.json -q")
    lines = {
        "value": [f"9.5,{LINES[0].partition(',')[2]}", *LINES[1:]],
        "label": [LINES[0][:-1] + str(1 - Y[0]), *LINES[1:]],
        "order": LINES[::-1],
        "part": LINES[:20],
        "more": [*LINES, "0.5,0.5,1"],
    }[change]
    Path("other.csv").write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    told = " ".join(cli("evaluate model.json other.csv").split())
    assert "if none of these rows was in the fit, the risk is between" in told


def test_rows_with_missing_values_dropped_and_categories_encoded(cli):
    kinds = np.where(X[:, 1] > 0, "high", "low")
    lines = [f"{a},{kind},{label}" for a, kind, label in zip(X[:, 0].tolist(), kinds, Y, strict=True)]
    Path("odd.csv").write_text("\n".join([HEADER, *lines, ",low,1"]) + "\n", encoding="utf-8")
    cli("fit odd.csv --encode b --missing drop --model svm -o model.json -q")
    Path("odd.csv.gz").write_bytes(gzip.compress(Path("odd.csv").read_bytes()))
    for name in ("odd.csv", "odd.csv.gz"):
        assert "30 rows" in cli(f"evaluate model.json {name}")
        assert "are the rows of the fit" in cli(f"evaluate model.json {name}")


def test_held_out_rows_that_are_those_of_the_fit(cli):
    told = cli("fit rows.csv --model svm --test rows.csv")
    assert "are the rows of the fit" in told
    assert "risk is between" not in told
    assert "risk is between" in cli("fit rows.csv --model svm --test 0.3")
    report = cli("report rows.csv --test rows.csv --budget 0.2")
    assert "The rows held out are those learned from" in report
    assert "risk is between" not in report
    cli("report rows.csv --test 0.4 --budget 0.2 -o page.html")
    assert "risk is between" in Path("page.html").read_text(encoding="utf-8")


def test_regressions_say_so_too(cli):
    cli("fit rows.csv --label label --model ridge -o model.json -q")
    assert "These are the rows of the fit" in cli("evaluate model.json rows.csv --label label")
    Path("other.csv").write_text("\n".join([HEADER, *LINES[::-1]]) + "\n", encoding="utf-8")
    assert "These are the rows of the fit" not in cli("evaluate model.json other.csv --label label")


@pytest.mark.filterwarnings("ignore::separatrix.FitWarning")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        sx.Perceptron(max_iter=3),
        sx.LogisticRegression(),
        sx.LogisticRegression(penalty="firth"),
        sx.LogisticRegression(multi_class="multinomial", penalty=None),
    ],
    ids=str,
)
def test_models_in_memory_and_loaded(model, classes, tmp_path):
    y = np.digitize(X[:, 0] + X[:, 1], [0.0] if classes == 2 else [-0.5, 0.5])
    model.fit(X, y)
    sx.save(model, tmp_path / "model.json")
    for one in (model, sx.load(tmp_path / "model.json")):
        seen = evaluate(one, sx.as_rows(X, y))
        assert seen.training
        assert seen.interval is None
        assert not trained_on(one, sx.as_rows(X + 1, y))
        assert not trained_on(one, sx.as_rows(X[1:], y[1:]))
