"""`predict` writes what was asked for: formats, probabilities, any size, and nothing by halves."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shlex
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix.cli.predictions import PredictionColumns, write_table
from separatrix.cli.program import run


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(line: str) -> tuple[int, str, str]:
        code = run(shlex.split(line))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


@pytest.fixture
def flowers(cli):
    """Three kinds, one with a name that needs quoting."""
    X, _ = sx.problems.iris("setosa")
    kinds = np.repeat(["setosa", 'versi"color', "vir,ginica"], 50)
    with open("iris.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "d", "kind"])
        writer.writerows([*row, kind] for row, kind in zip(X.tolist(), kinds, strict=True))
    assert cli("fit iris.csv --label kind --model logistic -o model.json -q")[0] == 0
    return sx.load("model.json"), sx.read("iris.csv", label=False, drop=["kind"])


def table_of(path: str) -> pa.Table:
    if path.endswith(".parquet"):
        return pa.parquet.read_table(path)
    if path.endswith((".feather", ".arrow")):
        return pa.ipc.open_file(path).read_all()
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file, delimiter="\t" if ".tsv" in path else ","))
    columns = [[line[0] for line in lines[1:]]]
    columns += [[float(line[k]) for line in lines[1:]] for k in range(1, len(lines[0]))]
    return pa.table(columns, names=lines[0])


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet", "arrow", "feather"])
def test_every_format_holds_the_same_answers(cli, flowers, suffix):
    model, X = flowers
    code, out, err = cli(f"predict model.json iris.csv --proba -o answers.{suffix}")
    assert (code, out) == (0, "")
    assert err.startswith("Predicted 150 rows: 50 × setosa, ")
    table = table_of(f"answers.{suffix}")
    assert table.column_names[0] == "prediction"
    assert table["prediction"].to_pylist() == model.predict(X).tolist()
    scores, chances = model.decision_function(X), model.predict_proba(X)
    for place, label in enumerate(model.classes_):
        assert table[f"score {label}"].to_pylist() == scores[:, place].tolist()
        assert table[f"probability {label}"].to_pylist() == chances[:, place].tolist()


def test_probabilities_in_the_object(cli, flowers):
    model, X = flowers
    record = json.loads(cli("predict model.json iris.csv --proba --json")[1])
    assert record["predictions"][7]["probabilities"] == model.predict_proba(X)[7].tolist()
    assert record["predictions"][7]["score"] == model.decision_function(X)[7].tolist()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_float_is_read_back_as_it_was(numbers):
    class Identity:
        def predict(self, rows):
            return np.array(numbers)

    from io import BytesIO

    file = BytesIO()
    write_table(file, "csv", PredictionColumns(Identity(), probabilities=False), iter([None]))
    said = file.getvalue().decode().split()
    assert said[0] == "prediction"
    assert list(map(float, said[1:])) == numbers


def _many(n: int, bad: int | None = None) -> None:
    X, y = sx.problems.separable(300, 4, margin=0.1)
    lines = [",".join(map(repr, [*row, int(s)])) for row, s in zip(X.tolist(), y.tolist(), strict=True)]
    Path("small.csv").write_text("\n".join(["a,b,c,d,y", *lines]) + "\n", encoding="utf-8")
    body = (lines * (n // 300 + 1))[:n]
    if bad is not None:
        body[bad] = "1,x,2,3,1"
    Path("rows.csv").write_text("\n".join(["a,b,c,d,y", *body]) + "\n", encoding="utf-8")


def test_a_bad_row_far_down_leaves_nothing(cli):
    _many(30_000, bad=29_990)
    cli("fit small.csv -o model.json -q")
    before = sorted(Path.cwd().iterdir())
    for line in ("predict model.json rows.csv", "predict model.json rows.csv --json"):
        code, out, err = cli(line)
        assert (code, out) == (2, "")
        assert "row 29991 (line 29992), column 'b': 'x' is no number" in err
    for suffix in ("csv", "tsv.gz", "parquet", "arrow"):
        assert cli(f"predict model.json rows.csv -o out.{suffix}")[0] == 2
    assert sorted(Path.cwd().iterdir()) == before


def test_whole_numbers_that_doubles_cannot_hold_are_refused(cli):
    _many(300)
    cli("fit small.csv -o model.json -q")
    Path("long.csv").write_text("a,b,c,d\n1,2,3,9007199254740993\n", encoding="utf-8")
    code, out, err = cli("predict model.json long.csv")
    assert (code, out) == (2, "")
    assert "beyond 2^53" in err


def test_memory_does_not_grow_with_the_file(cli):
    peaks = []
    for n in (150_000, 450_000):  # enough for several threads to parse them
        _many(n)
        assert cli("fit small.csv -o model.json -q")[0] == 0
        cli("predict model.json rows.csv -o out.csv -q")
        tracemalloc.start()
        before = pa.total_allocated_bytes()
        assert cli("predict model.json rows.csv -o out.csv -q")[0] == 0
        peaks.append(tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - before)
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 2**20


def test_an_empty_table_is_refused(cli):
    _many(300)
    cli("fit small.csv -o model.json -q")
    Path("none.csv").write_text("a,b,c,d\n", encoding="utf-8")
    code, out, err = cli("predict model.json none.csv -o out.parquet")
    assert (code, out) == (2, "")
    assert "has no rows" in err
    assert not Path("out.parquet").exists()


def test_scores_that_overflow_are_infinite_without_a_word_and_null_in_json(cli):
    huge = "a,b,y\n1e308,1,ham\n-1e308,2,spam\n9e307,3,ham\n-1.2e308,-4,spam\n"
    Path("huge.csv").write_text(huge, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    for line in (
        "fit huge.csv -o model.json --figure huge.svg -q",
        "predict model.json huge.csv -q",
        "evaluate model.json huge.csv -q",
        "predict model.json huge.csv --json -q",
    ):
        command = [sys.executable, "-m", "separatrix.cli", *line.split()]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), line
    found = json.loads(done.stdout)["predictions"]
    assert [one["prediction"] for one in found] == ["ham", "spam", "ham", "spam"]
    assert all(one["score"] is None for one in found)
    assert "nan" not in Path("huge.svg").read_text(encoding="utf-8")
