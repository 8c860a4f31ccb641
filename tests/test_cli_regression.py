"""Regressions on the command line: numbers in, coefficients and a proof out; the target is never touched."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import separatrix as sx
from separatrix.cli.program import run

HOUSES = """size,town,note,price
50,Rome,nice,100.5
70,Oslo,nice big,150
,Rome,big,120
90,Oslo,old,
60,Rome,new,130
65,Oslo,new nice,140
"""
MADE = "--encode town --text note --missing drop"


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "101")
    Path("houses.csv").write_text(HOUSES, encoding="utf-8")
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = X @ [1.5, -2.0] + 0.5 + rng.normal(size=40) / 10
    np.savez("rows.npz", X=X, y=y)
    np.save("rows.npy", np.column_stack([X, y]))
    lines = [f"{a!r},{b!r},{t!r}" for (a, b), t in zip(X.tolist(), y.tolist(), strict=True)]
    Path("rows.csv").write_text("\n".join(["a,b,target", *lines]) + "\n", encoding="utf-8")
    pairs = [f"{t!r} 1:{a!r} 2:{b!r}" for (a, b), t in zip(X.tolist(), y.tolist(), strict=True)]
    Path("rows.svm").write_text("\n".join(pairs) + "\n", encoding="utf-8")

    def call(line: str) -> tuple[int, str, str]:
        code = run(shlex.split(line))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


def test_an_infinite_penalty_is_the_mean_alone(cli):
    code, _, err = cli("fit rows.csv --model ridge --alpha inf -o model.json --certificate proof.json")
    assert code == 0
    assert "alpha = inf" in err
    assert cli("verify proof.json rows.csv")[0] == 0
    y = np.load("rows.npz")["y"]
    model = sx.load("model.json")
    assert (model.alpha, model.alpha_) == (np.inf, np.inf)
    assert not model.coef_.any()
    assert model.intercept_ == pytest.approx(y.mean(), rel=1e-14)
    code, _, err = cli("fit rows.csv --model ridge --alpha 0.1,inf --figure path.svg")
    assert code == 0
    assert "alpha = 0.1, the best of those given" in err


def test_a_fit_tells_coefficients_their_errors_and_the_proof(cli):
    code, out, err = cli("fit rows.csv --model linear -o model.json --certificate proof.json")
    assert (code, out) == (0, "")
    assert "LinearRegression on rows.csv (40 rows, 2 columns): target is predicted" in err
    assert "Checked again on all 40 rows, in exact arithmetic: it holds." in err
    record = json.loads(cli("fit rows.csv --model linear --json")[1])
    assert (record["format"], record["version"], record["proven"]) == ("separatrix-regression", 1, True)
    archive = np.load("rows.npz")
    design = np.column_stack([np.ones(40), archive["X"]])
    estimate, rest, _, _ = np.linalg.lstsq(design, archive["y"], rcond=None)
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * rest / 37)
    assert [c["name"] for c in record["coefficients"]] == ["(intercept)", "a", "b"]
    assert [c["estimate"] for c in record["coefficients"]] == pytest.approx(estimate)
    assert [c["standard_error"] for c in record["coefficients"]] == pytest.approx(errors)
    p = 2 * stats.t.sf(abs(estimate[0] / errors[0]), 37)
    assert record["coefficients"][0]["p"] == pytest.approx(p)
    assert cli("verify proof.json rows.csv")[0] == 0
    assert cli("verify model.json rows.csv -q")[0] == 0
    alone = [sys.executable, "-m", "separatrix.certificates.check", "proof.json", "rows.csv"]
    root = str(Path(__file__).resolve().parents[1])
    assert subprocess.run(alone, env={"PYTHONPATH": root}, capture_output=True).returncode == 0


def test_a_forged_model_is_refused(cli):
    cli("fit rows.csv --model linear --certificate proof.json -q")
    Path("moved.csv").write_text(Path("rows.csv").read_text().replace("-0.", "-0.1", 1), encoding="utf-8")
    assert cli("verify proof.json moved.csv -q")[0] == 4


@pytest.mark.parametrize("named", ["rows.csv --label target", "rows.npz", "rows.npy --label -1", "rows.svm"])
def test_every_format_has_its_targets(cli, named):
    file = named.split()[0]
    assert cli(f"fit {named} --model ridge --alpha 0.5 -o model.json -q") == (0, "", "")
    X, y = (np.load("rows.npz")[name] for name in ("X", "y"))
    expected = sx.Ridge(0.5).fit(X, y)
    assert np.allclose(sx.load("model.json").coef_, expected.coef_, rtol=1e-12)
    assert cli(f"verify model.json {named}")[0] == 0
    record = json.loads(cli(f"evaluate model.json {named} --json")[1])
    assert record["r_squared"] == pytest.approx(expected.score(X, y))
    if file == "rows.npy":
        return
    out = cli(f"predict model.json {file}")[1].split()
    assert out[0] == "prediction"
    assert np.allclose(list(map(float, out[1:])), expected.predict(X), rtol=1e-12)


def test_several_penalties_and_their_path(cli):
    record = json.loads(
        cli("fit rows.csv --model ridge --alpha 0.01,0.1,100 --figure path.svg --test 0.25 --seed 2 --json")[
            1
        ]
    )
    assert record["alpha"] in (0.01, 0.1)
    assert record["held_out"]["rows"] + record["rows"] == 40
    assert record["written"] == ["path.svg"]
    assert "Ridge: 3 penalties" in Path("path.svg").read_text(encoding="utf-8")


def test_columns_are_made_ready_and_the_target_is_not(cli):
    code, _, err = cli(f"fit houses.csv --label price --model linear {MADE} -o words.json")
    assert (code, "4 rows" in err) == (0, True)
    code, _, err = cli(
        "fit houses.csv --label price --model linear --encode --drop note --missing drop --scale standard "
        "-o model.json -q"
    )
    assert (code, err) == (0, "")
    model = sx.load("model.json")
    rows = sx.read("houses.csv", "price", regression=True, encode=True, drop=["note"], missing="drop")
    targets = np.concatenate([block.targets for block in rows.blocks()])
    assert targets.tolist() == [100.5, 150.0, 130.0, 140.0]
    assert [column.name for column in model.preparation_.columns] == ["size", "town"]
    assert cli("verify model.json houses.csv")[0] == 0
    seen = json.loads(cli("evaluate model.json houses.csv --json")[1])
    assert seen["rows"] == 4
    Path("new.csv").write_text("town,size\nOslo,80\nRome,55\n", encoding="utf-8")
    assert cli("predict model.json new.csv")[1].count("\n") == 3
    code, out, err = cli("predict model.json houses.csv")
    assert (code, out) == (2, "")
    assert "row 3 (line 4), column 'size': the value is missing" in err


REFUSED = [
    (
        "fit houses.csv --label price --model linear --encode --missing mean",
        "the target is missing; leave such rows out with --missing drop.",
    ),
    ("fit houses.csv --label price --model linear --features size", "--missing drop leaves those rows out"),
    ("fit houses.csv --label town --model linear --features size --missing drop", "fit a classifier"),
    ("fit houses.csv --label town --model linear --encode note --missing drop", "fit a classifier"),
    ("fit rows.csv --model linear --positive 1", "--positive needs classes; a regression has none."),
    (
        "fit rows.csv --model linear --alpha 1",
        "--alpha is no option of the model linear; it is one of ridge.",
    ),
    ("fit rows.csv --model ridge --alpha 1,x", "'x' is not a number"),
    (
        "fit rows.csv --model ridge --alpha -1",
        "--alpha must be a number >= 0 or a sequence of them; got -1.0",
    ),
    ("fit rows.csv --model linear --figure x.svg", "of a regression it draws the path"),
    ("fit rows.csv --model perceptron", "fit a regression to such a target"),
    ("fit rows.csv --label price --model linear", "no column called 'price'"),
    ("fit rows.svm --label price --model linear", "the target begins each line"),
    ("fit rows.npy --model linear", "pass the number of the target column, as --label -1 for the last."),
    ("fit rows.npy --model linear --label 5", "no column number 5"),
    ("fit rows.npz --model linear --label z", "no array of targets called z"),
    ("predict model.json rows.csv --proba", "gives no probabilities"),
]


@pytest.mark.parametrize(("line", "sentence"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_makes_no_sense_is_refused(cli, line, sentence):
    if "model.json" in line:
        cli("fit rows.csv --model linear -o model.json -q")
    before = sorted(Path.cwd().iterdir())
    code, out, err = cli(f"{line} -o out.json" if line.startswith("fit") else line)
    assert (code, out) == (2, "")
    assert sentence in err
    assert sorted(Path.cwd().iterdir()) == before


def test_onnx_predicts_the_same_numbers(cli):
    runtime = pytest.importorskip("onnxruntime")
    cli("fit rows.npz --model linear -o model.json -q")
    assert cli("export model.json --onnx model.onnx -q")[0] == 0
    X = np.load("rows.npz")["X"]
    (found,) = runtime.InferenceSession("model.onnx").run(None, {"X": X})
    assert np.allclose(found, sx.load("model.json").predict(X), rtol=1e-13)


def test_the_built_in_set_has_numbers_too(cli):
    code, _, err = cli("fit --demo --model linear -o model.json")
    assert code == 0
    assert "diabetes (442 rows, 10 columns): progress is predicted" in err
    assert cli("verify model.json --demo -q")[0] == 0
    assert cli("predict model.json --demo")[1].count("\n") == 443
    assert cli("evaluate model.json --demo -q")[0] == 0
