"""Labels, column names and file names may hold anything; no terminal, page or spreadsheet acts on it."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import separatrix as sx
from separatrix.cli.predictions import safe_cell
from separatrix.cli.program import run

RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
ESCAPES = "\x1b[31m\x1b]title\x07\x9b31m\u202e"
LABELS = [f"=cmd|'/c calc'!A0{ESCAPES}", f"<script>alert(1)</script>{ESCAPES}", f"@SUM(1+1){ESCAPES}"]
COLUMNS = [f"a{ESCAPES}", f"<b>{ESCAPES}", f"=1+1{ESCAPES}"]
LABEL = f"y{ESCAPES}"


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*line: str) -> tuple[int, str, str]:
        code = run(line)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


def written(name: str, kinds: int, *, spoilt: str | None = None) -> str:
    chance = np.random.default_rng(kinds)
    X = chance.normal(size=(40, 3))
    side = X @ [1.0, 2.0, -1.0] + chance.normal(size=40) / 4
    y = np.digitize(side, [0.0, 1.5][: kinds - 1])
    with open(name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, LABEL])
        writer.writerows([*row, LABELS[k]] for row, k in zip(X.tolist(), y.tolist(), strict=True))
        if spoilt is not None:
            writer.writerow([spoilt, 1.0, 2.0, LABELS[0]])
    return name


def plain(text: str) -> bool:
    return RAW.search(text) is None


@pytest.mark.parametrize("kinds", [2, 3])
def test_nothing_that_is_printed_or_drawn_acts(cli, kinds):
    data = written(f"rows{ESCAPES}.csv", kinds)
    model = f"model{ESCAPES}.json"
    label = ("--label", LABEL)
    runs = [
        ("check", data, *label),
        ("check", data, *label, "--json"),
        ("fit", data, *label, "--model", "perceptron", "--max-iter", "9", "-o", "m.json"),
        ("fit", data, *label, "--model", "logistic", "-o", model, "--figure", "figure.svg"),
        ("fit", data, *label, "--model", "logistic", "--json"),
        ("predict", model, data),
        ("predict", model, data, "--json"),
        ("predict", model, data, "--proba", "-o", f"out{ESCAPES}.csv"),
        ("evaluate", model, data, *label),
        ("evaluate", model, data, *label, "--json"),
        ("verify", model, data),
        ("verify", model, data, "--json"),
        ("report", data, *label, "-o", "report.html", "--budget", "1"),
        ("report", data, *label, "--budget", "1", "--json"),
    ]
    for line in runs:
        code, out, err = cli(*line)
        assert code == 0, (line, err)
        assert plain(out), line
        assert plain(err), line
    figure = Path("figure.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(figure)
    page = Path("report.html").read_text(encoding="utf-8")
    assert plain(figure)
    assert plain(page)
    assert "<script" not in page
    assert "<script" not in figure


def test_no_refusal_carries_them(cli):
    data = written(f"rows{ESCAPES}.csv", 2, spoilt=f"x{ESCAPES}")
    absent = f"absent{ESCAPES}"
    for line in (
        ("check", data, "--label", LABEL),
        ("check", absent),
        ("check", f"{absent}.csv"),
        ("check", data),
        ("check", data, "--label", absent),
        ("check", data, "--label", LABEL, "--positive", absent),
        ("check", data, "--label", LABEL, "--features", absent),
        ("check", data, absent),
        ("check", data, f"--{absent}"),
        ("fit", data, "--model", absent),
        ("fit", data, "-o", f"{absent}/{absent}"),
        ("verify", f"{absent}.json", data),
        ("predict", data, data),
        (absent,),
    ):
        code, out, err = cli(*line)
        assert (code, out) == (2, ""), line
        assert plain(err), line
        assert err.startswith("separatrix: ") is (len(err.splitlines()) == 1) or "Usage" in err, line


def test_the_independent_checker_prints_none(cli):
    data = written("rows.csv", 2)
    certificate = f"proof{ESCAPES}.json"
    assert cli("fit", data, "--label", LABEL, "--model", "svm", "--certificate", certificate)[0] == 0
    for file in (certificate, f"absent{ESCAPES}", data):
        command = [sys.executable, "-m", "separatrix.certificates.check", file, data]
        done = subprocess.run(
            command, capture_output=True, text=True, env={"PYTHONPATH": str(Path(sx.__file__).parents[1])}
        )
        assert plain(done.stdout + done.stderr), file


DANGEROUS = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=1", "-inf", "--", "+", "=", "@"]
HARMLESS = ["ham", "1", "-1", "+1.5", "-1e5", "a=b", "x-y", "'tis", "", "ß", "1-2"]


def test_what_a_spreadsheet_would_compute_has_a_quote_before_it():
    for label in DANGEROUS:
        assert safe_cell(label) == f"'{label}"
    for label in HARMLESS:
        assert safe_cell(label) == label
    every = DANGEROUS + HARMLESS + [f"'{label}" for label in DANGEROUS + HARMLESS]
    assert len({safe_cell(label) for label in every}) == len(set(every))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow"])
def test_labels_come_back(cli, suffix):
    """Typed formats have them as they are; in text a quote stands before them, and the command says so."""
    X = np.arange(8.0)[:, None]
    y = np.array(["=1+1", "tab\tin, it"])[(X[:, 0] > 3).astype(int)]
    sx.save(sx.Perceptron().fit(X, y), "model.json")
    np.savez("rows.npz", X=X)
    code, _, err = cli("predict", "model.json", "rows.npz", "-o", f"out.{suffix}")
    assert code == 0
    if suffix in ("parquet", "arrow"):
        read = (
            pyarrow.parquet.read_table
            if suffix == "parquet"
            else lambda path: pa.ipc.open_file(path).read_all()
        )
        assert read(f"out.{suffix}")["prediction"].to_pylist() == y.tolist()
        assert "is written as" not in err
        return
    assert """the label '=1+1' is written as "'=1+1", so that no spreadsheet""" in err
    back = sx.read(f"out.{suffix}", label="prediction")
    assert back.classes.tolist() == ["'=1+1", "tab\tin, it"]


def test_numbers_stay_numbers(cli):
    X = np.arange(8.0)[:, None]
    sx.save(sx.Perceptron().fit(X, np.where(X[:, 0] > 3, 1, -1)), "model.json")
    np.savez("rows.npz", X=X)
    code, out, err = cli("predict", "model.json", "rows.npz")
    assert code == 0
    assert "is written as" not in err
    assert {line.split(",")[0] for line in out.splitlines()[1:]} == {"-1", "1"}


def test_json_is_what_it_was():
    from separatrix.cli.console import plain_json

    for text in (ESCAPES, "é ß 漢", "\ud800", "\n\t", "\u2028"):
        assert json.loads(plain_json({"label": text})) == {"label": text}
        assert plain(plain_json(text))
    assert plain_json("é 漢") == '"é 漢"'
