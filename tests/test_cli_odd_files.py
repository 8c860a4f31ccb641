"""Files that are not what their name says, and outputs that cannot be written: one sentence that helps."""

from __future__ import annotations

import io
import shlex
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array, save_npz

from separatrix.cli.program import run

FLOWERS = "length,width,kind\n1.4,0.2,setosa\n1.3,0.2,setosa\n4.7,1.4,versicolor\n3.3,1.0,versicolor\n"
X = np.array([[1.4, 0.2], [1.3, 0.2], [4.7, 1.4], [3.3, 1.0]])
KINDS = ["setosa", "setosa", "versicolor", "versicolor"]
unix = pytest.mark.skipif(sys.platform == "win32", reason="needs devices")


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(FLOWERS, encoding="utf-8")

    def call(line: str) -> tuple[int, str, str]:
        code = run(shlex.split(line))
        return code, *capsys.readouterr()

    return call


def refused(answer: tuple[int, str, str]) -> str:
    code, out, err = answer
    assert (code, out) == (2, "")
    said = err[err.index("Error: ") :] if "Error: " in err else err
    assert said.count("\n") == 1
    assert said.removesuffix("\n").isprintable()
    return said


# --- data ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (FLOWERS.replace("0.2", "0\0.2").encode(), "odd.csv, line 2, holds a null character"),
        (FLOWERS.encode("utf-16-le"), "odd.csv, line 1, holds a null character (UTF-16"),
        (FLOWERS.encode("utf-16"), "odd.csv is not written in UTF-8"),
        (FLOWERS.replace("\n", "\r").encode(), "odd.csv ends lines with a carriage return alone"),
    ],
)
def test_csv_that_is_no_plain_text(content, words, cli):
    Path("odd.csv").write_bytes(content)
    assert words in refused(cli("check odd.csv --label kind"))


def test_arrays_of_objects_are_not_called_damaged(cli):
    np.savez("objects.npz", X=X, y=np.array(KINDS, object))
    np.save("objects.npy", X.astype(object))
    for line in ("objects.npz", "objects.npy --label 0", "d.csv --format npy --label 0"):
        said = refused(cli(f"check {line}"))
        assert "it holds Python objects, or is no NumPy file; save arrays of numbers or text" in said
        assert "pickle" not in said


def test_names_that_are_not_there(cli):
    np.savez("nothing.npz")
    assert "its arrays are none." in refused(cli("check nothing.npz"))
    np.save("one.npy", X[:, :1])
    assert "one.npy has 1 column without names" in refused(cli("check one.npy"))
    save_npz("sparse.npz", csr_array(X))
    said = refused(cli("check sparse.npz"))
    assert "write rows and labels as svmlight." in said


def test_numbers_stored_as_text(cli):
    pq.write_table(pa.table({"length": ["1.5", "2", "3", "4"], "kind": KINDS}), "text.parquet")
    said = refused(cli("check text.parquet --label kind"))
    assert "column 'length': '1.5' is text; store this column as numbers." in said


# --- models and certificates --------------------------------------------------------------------------------


@pytest.mark.parametrize("prepared", ["--scale standard", "--scale range", "--missing mean"])
def test_a_model_with_prepared_columns_takes_none_without_names(prepared, cli):
    """Raw columns would be taken for scaled ones, and predictions would be wrong without a word."""
    assert cli(f"fit d.csv --label kind {prepared} --model logistic -o m.json -q")[0] == 0
    np.savez("raw.npz", X=X, y=np.array(KINDS))
    np.save("raw.npy", X)
    Path("raw.svm").write_text("1 1:1.4 2:0.2\n0 1:4.7 2:1.4\n", encoding="utf-8")
    for command in ("predict", "evaluate", "verify"):
        for name in ("raw.npz", "raw.npy", "raw.svm"):
            said = refused(cli(f"{command} m.json {name}"))
            assert f"{name} is a {name[4:].replace('svm', 'svmlight')} file without column names" in said


def test_who_asked_for_a_column(cli):
    assert cli("fit d.csv --label kind -o m.json -q")[0] == 0
    Path("other.csv").write_text(FLOWERS.replace("width", "height").replace("0.2", "low"), encoding="utf-8")
    said = refused(cli("verify m.json other.csv"))
    assert "no column called 'width', which the certificate names" in said
    assert "--features" not in said


def test_standard_input_is_called_so(cli, monkeypatch):
    for command in ("predict", "evaluate", "verify"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[]")))
        assert "separatrix: standard input" in refused(cli(f"{command} - d.csv"))


# --- outputs ------------------------------------------------------------------------------------------------


def test_an_output_without_a_name(cli):
    assert cli("fit d.csv --label kind -o m.json -q")[0] == 0
    lines = ["fit d.csv --label kind -o", "check d.csv --label kind --certificate", "predict m.json d.csv -o"]
    for line in lines:
        assert "'': name a file." in refused(cli(f"{line} ''"))
    assert "'': name a folder." in refused(cli("check d.csv --label kind --certificates ''"))


@unix
def test_the_file_that_cannot_be_written_is_named(cli):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    assert refused(cli("check d.csv --label kind --certificate /dev/full")).startswith(
        "separatrix: /dev/full: "
    )
    said = refused(cli("fit d.csv --label kind --model zero-one --checkpoint /dev/full"))
    assert "this is a pipe or a device; name a file." in said


def test_a_name_with_a_line_break_stays_on_one_line(cli):
    assert r"a\nb.png: the suffix has to be .svg" in refused(
        cli("fit d.csv --label kind --figure 'a\nb.png'")
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("fit d.csv --label kind --seed -1", "--seed must be an integer between 0 and 2**32 - 1; got -1\n"),
        ("fit d.csv --label kind --step 0", "--step must be > 0 and finite for every mistake; got 0.0"),
        ("report d.csv --label kind --budget nan", "--budget must be > 0; got nan"),
    ],
)
def test_parameters_are_spelled_as_options(line, words, cli):
    assert words in refused(cli(line))
