"""`report` as a process and in this one: held-out rows, files of every kind, interrupts, progress."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

import separatrix as sx
from separatrix.cli.program import run

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = [sys.executable, "-m", "separatrix.cli"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
ODD = "<script>alert(1)</script>,b,y\n0,1,<b>\n1,2,<b>\n4,5,&amp;\n5,7,&amp;\n0.5,1,<b>\n6,6,&amp;\n"
TANGLED = "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
RECORD = "separatrix.reports.diagnosis.diagnosis_record"


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "101")
    monkeypatch.setattr("separatrix.cli.progress.FIRST_LINE_SECONDS", 600.0)
    Path("odd.csv").write_text(ODD, encoding="utf-8")
    Path("tangled.csv").write_text(TANGLED, encoding="utf-8")

    def call(line: str, given: bytes | None = None) -> tuple[int, str, str]:
        if given is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        code = run(shlex.split(line))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


def test_names_and_labels_are_escaped(cli):
    assert cli("report odd.csv -o odd.html -q") == (0, "", "")
    page = Path("odd.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<b>is" not in page.replace(" ", "")


def test_every_kind_of_file_gives_the_same_report(cli):
    with gzip.open("odd.csv.gz", "wt") as file:
        file.write(ODD)
    table = pa.csv.read_csv("odd.csv") if hasattr(pa, "csv") else None
    from pyarrow import csv

    table = table or csv.read_csv("odd.csv")
    pa.feather.write_feather(table, "odd.feather")
    pa.parquet.write_table(table, "odd.parquet") if hasattr(pa, "parquet") else None
    X = np.array([[0, 1], [1, 2], [4, 5], [5, 7], [0.5, 1], [6, 6]], float)
    np.savez("odd.npz", X=X, y=np.array([1, 1, 0, 0, 1, 0]))
    pairs = "".join(f"{s} 1:{a} 2:{b}\n" for (a, b), s in zip(X.tolist(), [1, 1, -1, -1, 1, -1], strict=True))
    Path("odd.svm").write_text(pairs, encoding="utf-8")
    margins = set()
    for name in ("odd.csv", "odd.csv.gz", "odd.feather", "odd.npz", "odd.svm", "-"):
        code, out, _ = cli(f"report {name} --json", ODD.encode() if name == "-" else None)
        assert code == 0
        task = json.loads(out)["tasks"][0]
        assert (task["kind"], task["evidence"][0]["holds"]) == ("complete", True)
        margins.add(task["margin"]["lower"] if isinstance(task["margin"], dict) else task["margin"][0])
    assert len(margins) == 1


@pytest.mark.parametrize("source", ["iris.csv", "-"])
@pytest.mark.parametrize("made", ["", "--scale standard"])
@pytest.mark.parametrize("test", ["0.3", "other.csv", "one.csv"])
@pytest.mark.parametrize("command", ["fit", "report"])
def test_rows_held_out_in_every_combination(cli, source, made, test, command):
    X, y = sx.problems.iris("versicolor", "virginica")
    lines = [f"{a},{b},{'big' if s > 0 else 'small'}" for (a, b), s in zip(X[:, 2:].tolist(), y, strict=True)]
    text = "\n".join(["length,width,kind", *lines]) + "\n"
    Path("iris.csv").write_text(text, encoding="utf-8")
    turned = [",".join(reversed(line.split(","))) for line in lines[40:60]]
    Path("other.csv").write_text("\n".join(["kind,width,length", *turned]) + "\n", encoding="utf-8")
    Path("one.csv").write_text("\n".join(["kind,width,length", *turned[:5]]) + "\n", encoding="utf-8")
    how = "--model pocket --max-iter 20" if command == "fit" else "--budget 0.2"
    line = f"{command} {source} --label kind {made} --test {test} {how} --json"
    code, out, _ = cli(line, text.encode() if source == "-" else None)
    assert code == 0
    record = json.loads(out)
    seen = record["held_out"] if command == "fit" else record["tasks"][0]["contenders"][0]["held_out"]
    assert seen["rows"] == {"other.csv": 20, "one.csv": 5}.get(test, 100 - record["data"]["rows"])


def test_a_class_that_only_the_held_out_rows_have_is_named(cli):
    Path("more.csv").write_text(TANGLED + "1,1,maybe\n", encoding="utf-8")
    for command in ("fit", "report"):
        code, out, err = cli(f"{command} tangled.csv --test more.csv -o out")
        assert (code, out) == (2, "")
        assert "the class maybe" in err
        assert not Path("out").exists()


BAD = [
    ("report - --test - ", "not both"),
    ("report tangled.csv --test 0.999", "leaves none to learn from"),
    ("report tangled.csv --test 7", "a share is between 0 and 1"),
    ("report tangled.csv --test tangled.csv --drop c", "no column called 'c'"),
    ("report tangled.csv --budget 0", "--budget"),
    ("report tangled.csv -o - --json", "both want standard output"),
    ("report tangled.csv -o no/where.html", "there is no such folder"),
    ("report nowhere.csv", "nowhere.csv does not exist"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD, ids=[line for line, _ in BAD])
def test_bad_usage_leaves_nothing(cli, line, sentence):
    before = sorted(Path.cwd().iterdir())
    code, out, err = cli(line if "-o" in line else f"{line} -o out.html", TANGLED.encode())
    assert (code, out) == (2, "")
    assert sentence in err
    assert sorted(Path.cwd().iterdir()) == before


@pytest.mark.parametrize("moment", [f"{RECORD}.Diagnosis.to_html", "os.fsync"])
def test_interrupted_at_any_moment_no_page_is_left(cli, monkeypatch, moment):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(moment, interrupt)
    before = sorted(Path.cwd().iterdir())
    code, out, err = cli("report tangled.csv -o out.html")
    assert (code, out) == (130, "")
    assert "interrupted; nothing was left half-written" in err
    assert sorted(Path.cwd().iterdir()) == before


def _noise(n: int = 400) -> None:
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(n, 6)), rng.integers(0, 2, n)])
    np.savetxt("noise.csv", table, delimiter=",", header="a,b,c,d,e,f,y", comments="", fmt="%.4f")


def test_a_running_search_can_be_interrupted_and_keeps_what_it_has(cli, interruptible):
    """The first interrupt ends a search for the fewest errors; what is proven by then is written whole."""
    _noise()
    line = [*PROGRAM, "fit", "noise.csv", "--model", "zero-one", "--time-limit", "inf", "-o", "model.json"]
    running = subprocess.Popen(line, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    try:
        heard = ""
        while "proven (gap" not in heard:
            heard = running.stderr.readline()
            assert heard, "it ended by itself"
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()
        assert running.wait(60) == 130, rest
    finally:
        running.kill()
        running.wait()
        running.stderr.close()
    assert "Traceback" not in rest
    assert "The search was interrupted" in rest
    assert cli("verify model.json noise.csv -q")[0] == 0


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["interrupt", "terminate"]
)
def test_a_report_is_stopped_by_a_signal_and_leaves_nothing(cli, sent, code, interruptible):
    _noise()
    before = sorted(Path.cwd().iterdir())
    line = [*PROGRAM, "report", "noise.csv", "-o", "out.html", "--budget", "60"]
    running = subprocess.Popen(line, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    try:
        heard = ""
        while "fewest errors" not in heard or "(60 s" in heard:
            heard = running.stderr.readline()
            assert heard, "it ended by itself"
        running.send_signal(sent)
        rest = running.stderr.read()
        assert running.wait(30) == code, rest
    finally:
        running.kill()
        running.wait()
        running.stderr.close()
    assert ("interrupted; nothing was left" in rest) == (code == 130)
    assert "terminate called" not in rest
    assert sorted(Path.cwd().iterdir()) == before


@pytest.mark.parametrize(
    "line", ["report tangled.csv -o out.html", "report tangled.csv --json", "demo noise -o out.svg"]
)
def test_a_search_that_was_interrupted_ends_what_it_was_a_part_of(cli, monkeypatch, line):
    def interrupted(problem, interval, *_):
        interval.interrupt()
        interval.should_stop()

    monkeypatch.setattr("separatrix.algorithms.zero_one.estimator.close_interval", interrupted)
    code, _, err = cli(line)
    assert code == 130
    assert "interrupted; nothing was left half-written" in err
    assert not Path("out.html").exists()
    assert not Path("out.svg").exists()


def test_values_at_the_ends_of_the_doubles_have_a_report(cli):
    """What cannot be made of them is left out with a sentence, and the rest stays."""
    Path("tiny.csv").write_text("a,b,y\n1,5e-324,ham\n1,0,spam\n", encoding="utf-8")
    huge = "a,b,y\n1e308,1,ham\n-1e308,2,spam\n9e307,3,ham\n-1.2e308,-4,spam\n"
    Path("huge.csv").write_text(huge, encoding="utf-8")
    sentence = "The picture of the rows: left out. The rows are too near the boundary to be drawn."
    for name, left_out in (("tiny", True), ("huge", False)):
        code, _, err = cli(f"report {name}.csv -o {name}.html --budget 1")
        assert (code, "Warning" in err) == (0, False)
        page = Path(f"{name}.html").read_text(encoding="utf-8")
        assert (sentence in page) == left_out
        assert (sentence in " ".join(err.split())) == left_out
        others = page.replace(sentence, "").replace(
            "Logistic regression (C = 1): left out. A value is more than", ""
        )
        assert ": left out." not in others
        assert "separable: a hyperplane has every row strictly on its side" in " ".join(err.split())
        assert '"nan"' not in page


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_moves_on_a_terminal(cli):
    import pty

    _noise(120)
    ours, theirs = pty.openpty()
    line = [*PROGRAM, "report", "noise.csv", "-o", "out.html", "--budget", "1"]
    done = subprocess.run(
        line, env=ENVIRONMENT | {"TERM": "xterm"}, stdout=subprocess.PIPE, stderr=theirs, check=True
    )
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:  # the end of a pseudo-terminal on Linux
        pass
    os.close(ours)
    assert done.stdout == b""
    assert b"\x1b[" in seen
    assert re.search(rb"looking at rows and columns|deciding whether|searching", seen)
    assert b"not separable" in seen
    assert Path("out.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
