"""`separatrix check`: the verdict in words, its proof, the exit codes, and sentences for what is wrong."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix.certificates import Verdict
from separatrix.certificates.check.__main__ import main as independent_check
from separatrix.cli.program import run
from separatrix.reports.check import text as verdict

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = [sys.executable, "-m", "separatrix.cli", "check"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}

TABLES = {
    "flowers": "length,width,kind\n1.4,0.2,setosa\n1.3,0.2,setosa\n4.7,1.4,versicolor\n3.3,1,versicolor\n",
    "xor": "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n",
    "dose": "dose,age,y\n0,3,0\n0,5,1\n0,4,0\n0,3.5,1\n1,9,1\n1,2,1\n",
    "twins": "a,b,y\n1,2,0\n3,4,1\n1,2,1\n0,1,0\n",
    "three": "a,b,y\n0,0,u\n0,1,u\n4,0,v\n5,0,v\n2,0,w\n2,1,w\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "101")
    for name, text in TABLES.items():
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def check(folder, capsys):
    """Runs the command in this process: exit code, standard output, words with single spaces."""

    def call(line: str) -> tuple[int, str, str]:
        code = run(["check", *shlex.split(line)])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, " ".join(err.split())

    return call


def process(line: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*PROGRAM, *shlex.split(line)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **options,
    )


# --- the three kinds ----------------------------------------------------------------------------------------


def test_separable_rows_are_told_with_margin_rows_and_bound(check):
    code, out, err = check("flowers.csv --label kind")
    assert (code, out) == (0, "")
    answer = sx.separate(sx.read("flowers.csv", label="kind"))
    lower, upper = answer.margin
    assert "flowers.csv (4 rows, 2 columns): versicolor is +1, setosa is -1" in err
    assert "verdict separable: a hyperplane has every row strictly on its side" in err
    assert f"the largest there is: between {lower!r} and {upper!r}" in err or "exactly" in err
    assert "nearest rows 0, 3 (counted from 0)" in err
    assert f"at most {answer.mistake_bound:,} mistakes" in err
    assert "·length + " in err
    assert "Checked again on all 4 rows, in exact arithmetic: all hold." in err


def test_conflict_is_shown_in_the_users_own_values(check):
    code, out, err = check("xor.csv")
    assert (code, out) == (0, "")
    assert "not separable: no hyperplane has every row on its side" in err
    assert "the rows of both labels have the same mean, a = 0.5, b = 0.5" in err
    assert "row weight label a b 0 1 no 0 0 3 1 no 1 1 1 1 yes 0 1 2 1 yes 1 0" in err
    assert "every maximum-likelihood coefficient is finite" in err


def test_quasi_names_the_coefficients_that_run_off(check):
    code, _, err = check("dose.csv")
    assert code == 0
    assert "quasi-complete separation" in err
    assert "4 rows lie on that hyperplane, as few as possible: 0, 1, 2, 3 (counted from 0)" in err
    assert "2 are strictly on the right side" in err
    assert "these coefficients run off: dose to +∞; the others stay finite" in err


def test_twins_are_named(check):
    assert "rows 0 and 2 have the same values and different labels" in check("twins.csv")[2]


def test_through_the_origin(check):
    code, _, err = check("flowers.csv --label kind --no-intercept")
    assert code == 0
    assert "flowers.csv (4 rows, 2 columns), through the origin" in err
    err = check("xor.csv --no-intercept")[2]
    assert "row 0 is 0 in every column: it lies on every hyperplane through the origin" in err


def test_one_line_for_each_class(check):
    code, _, err = check("three.csv")
    assert code == 0
    assert "3 classes, each against the rest" in err
    assert "u separable 1" in err
    assert "w overlap" in err or "w quasi" in err
    assert "2 of 3 classes can be separated from the rest" in err
    code, _, err = check("three.csv --positive w")
    assert "w is +1, not w is -1" in err


def test_long_weights_become_shares_and_wide_tables_are_cut(check):
    random = np.random.default_rng(0)
    table = np.column_stack([random.normal(size=(200, 30)), random.integers(0, 2, 200)])
    names = ",".join([f"measurement{j}" for j in range(30)] + ["y"])
    np.savetxt("wide.csv", table, delimiter=",", header=names, comments="", fmt="%.6f")
    code, _, err = check("wide.csv --label y")
    assert code == 0
    assert "mixed in these shares" in err
    assert " more rows, " in err
    assert " more columns" in err


def test_lines_fit_their_width(folder):
    from separatrix.algorithms.separation import separate_rows
    from separatrix.reports.check.separation_record import summarise_separation

    for name in ("xor", "dose", "twins"):
        rows = sx.read(f"{name}.csv")
        answer = summarise_separation(separate_rows(rows, 1, intercept=True), rows, 1, intercept=True)
        for width in (60, 100):
            assert max(map(len, verdict.render([answer], rows, width).splitlines())) <= width


def test_dependent_columns_are_not_determined(check):
    Path("dependent.csv").write_text("a,b,y\n1,2,0\n2,4,1\n3,6,0\n4,8,1\n", encoding="utf-8")
    err = check("dependent.csv")[2]
    told = " ".join(err.split())
    assert "the coefficients of a and b are aliased (not unique), since columns depend on each other" in told


# --- the proof ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "kind"), [("flowers", "separable"), ("dose", "weakly-separable"), ("xor", "overlapping")]
)
def test_the_written_certificate_holds_here_and_with_the_standard_library_alone(table, kind, check, capsys):
    label = "--label kind" if table == "flowers" else ""
    code, out, err = check(f"{table}.csv {label} --certificate proof.json")
    assert (code, out) == (0, "")
    assert "Written: proof.json" in err
    assert json.loads(Path("proof.json").read_text(encoding="utf-8"))["kind"] == kind
    assert run(["verify", "proof.json", f"{table}.csv"]) == 0
    alone = [sys.executable, "-m", "separatrix.certificates.check", "proof.json", f"{table}.csv"]
    assert subprocess.run(alone, env=ENVIRONMENT, capture_output=True, check=False).returncode == 0


def test_a_refused_certificate_is_no_verdict(check, monkeypatch):
    """Should the search ever be wrong, the check says so instead of believing it."""
    monkeypatch.setattr(
        "separatrix.certificates.Overlapping.verify", lambda *_: Verdict(False, "Row 3 says no.")
    )
    code, _, err = check("xor.csv --exit-status")
    assert code == 3
    assert "nothing: a certificate was refused." in err
    assert "Row 3 says no." in err


def test_an_object_for_programs(check):
    code, out, err = check("dose.csv --json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert (record["format"], record["version"], record["separable"]) == ("separatrix-check", 1, False)
    (task,) = record["tasks"]
    assert task["kind"] == "quasi"
    assert task["on_hyperplane"] == [0, 1, 2, 3]
    assert task["logistic"] == {"coefficients": ["+inf", "finite"], "intercept": "finite"}
    assert all(int(weight) > 0 for weight in task["conflict"]["weights"])
    assert all(evidence["holds"] for evidence in task["evidence"])
    record = json.loads(check("flowers.csv --label kind --json")[1])
    (task,) = record["tasks"]
    assert task["margin"][0] <= task["margin"][1]
    assert task["support"] == [0, 3]
    assert int(task["mistake_bound"]) >= 1
    assert len(json.loads(check("three.csv --json")[1])["tasks"]) == 3


# --- exit codes, in a process of their own ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("flowers.csv --label kind --exit-status", 0),
        ("xor.csv", 0),
        ("xor.csv --exit-status", 1),
        ("dose.csv --exit-status -q", 1),
        ("three.csv --exit-status", 1),
        ("xor.csv --time-limit 0", 3),
        ("xor.csv --time-limit 0 --exit-status --json", 3),
        ("three.csv --time-limit 0 --exit-status", 3),
        ("--demo --exit-status", 0),
    ],
)
def test_exit_codes(line, code, check):
    assert check(line)[0] == code


def test_a_script_can_ask(folder):
    done = process("xor.csv --exit-status --quiet")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    done = process("-", input=TABLES["flowers"])
    assert (done.returncode, done.stdout) == (2, "")
    done = process("- --label kind --exit-status --json", input=TABLES["flowers"])
    assert done.returncode == 0
    assert json.loads(done.stdout)["separable"]
    assert done.stderr == ""


def test_undecided_says_how_far_it_got(check):
    code, out, err = check("xor.csv --time-limit 0")
    assert (code, out) == (3, "")
    assert "verdict undecided. The time limit of 0.0 s was reached" in err
    assert "proven nothing, either way" in err
    code, out, err = check("xor.csv --time-limit 0 --quiet")
    assert "separatrix: The time limit of 0.0 s" in err


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupted_it_ends_with_130_and_leaves_nothing(folder, interruptible):
    X, y = sx.problems.greater_than(60, pairs=4000)
    np.savetxt("long.csv", np.column_stack([X, y]), delimiter=",", fmt="%d")
    before = sorted(folder.iterdir())
    line = [*PROGRAM, "long.csv", "--no-header", "--label", "-1", "--certificate", "proof.json"]
    running = subprocess.Popen(line, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    try:
        heard = ""
        while " rows" not in heard:
            heard = running.stderr.readline()
            assert heard, "it ended by itself"
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()
        assert running.wait(60) == 130
        assert "interrupted; nothing was left half-written" in rest
        assert "Traceback" not in rest
        assert sorted(folder.iterdir()) == before
    finally:
        running.kill()
        running.wait()
        running.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_signals_that_are_ignored_at_the_start_stay_ignored():
    """As under nohup, or in a script's background job."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    try:
        running = subprocess.Popen([*PROGRAM, "-", "--quiet"], env=ENVIRONMENT, text=True, **pipes)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    with running:
        running.stdin.write("a,y\n" + "1,no\n2,yes\n" * 8_000)  # more than a pipe holds: it is being read now
        running.stdin.flush()
        for number in before:
            running.send_signal(number)
        out, err = running.communicate("1,no\n", timeout=60)
    assert (running.returncode, out) == (0, ""), err


# --- what is wrong is one sentence and exit code 2 ----------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nowhere.csv", "nowhere.csv does not exist"),
        ("", "Give a data file"),
        ("xor.csv --demo", "one of the two"),
        ("xor.csv --label z", "z"),
        ("empty.csv", "empty.csv is empty"),
        ("words.csv", "'red' is no number"),
        ("missing.csv", "row 1"),
        ("one.csv", "of one.csv hold one class only"),
        ("real.csv", "continuous"),
        ("xor.csv --positive maybe", "--positive must be one of the labels"),
        ("xor.csv --time-limit -1", "--time-limit"),
        ("xor.csv --time-limit nan", "--time-limit"),
        ("xor.csv --time-limit soon", "--time-limit"),
        ("xor.csv --certificate nowhere/proof.json", "there is no such folder"),
        ("xor.csv --certificate .", "this is a folder"),
        ("xor.csv --certificate - --json", "both want standard output"),
        ("three.csv --certificate proof.json", "choose one class with --positive"),
        ("xor.csv --margin", "No such option"),
        ("broken.npy", "broken.npy"),
    ],
)
def test_bad_input(line, words, check, folder):
    Path("empty.csv").write_text("", encoding="utf-8")
    Path("words.csv").write_text("a,y\nred,0\n2,1\n", encoding="utf-8")
    Path("missing.csv").write_text("a,b,y\n1,,0\n2,1,1\n", encoding="utf-8")
    Path("one.csv").write_text("a,y\n1,0\n2,0\n", encoding="utf-8")
    Path("real.csv").write_text("a,y\n1,0.5\n2,0.25\n", encoding="utf-8")
    Path("broken.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00broken")
    code, out, err = check(line)
    assert (code, out) == (2, "")
    assert words in err
    assert not Path("proof.json").exists()


def test_bad_input_in_a_process_shows_no_traceback(folder):
    done = process("nowhere.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "separatrix: nowhere.csv does not exist: check the path.\n"


# --- progress -----------------------------------------------------------------------------------------------


def test_progress_tells_scans_and_seconds(monkeypatch, capsys):
    from separatrix.cli import progress

    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "CLOCK_INTERVAL_SECONDS", 3600.0)
    with progress.timed(progress.PrintedProgress(), "looking") as clock:
        now[0] = 104.2
        clock.update("scan 3 of 10 rows")
        now[0] = 105.5
        clock.refresh()
    assert capsys.readouterr().err == "scan 3 of 10 rows (4 s)\nscan 3 of 10 rows (5 s)\n"


def test_scans_are_told(folder, monkeypatch):
    from separatrix.cli import check as command
    from separatrix.cli.progress import ProgressDisplay

    told = []

    class Heard(ProgressDisplay):
        def update(self, text):
            told.append(text)

    command._decide_each(sx.read("three.csv"), True, None, Heard())
    assert any("against the rest: scan 1 of 6 rows: " in text for text in told)
    assert any("measuring and verifying" in text for text in told)


def test_bounds_of_the_margin_are_told(folder):
    from separatrix.algorithms.separation import Progress as Seen
    from separatrix.cli import check as command

    told = []
    clock = type("Heard", (), {"update": staticmethod(told.append)})()
    command._scan_reporter(clock, "")(Seen(7, 1000, 30, 0, (0.25, 0.5)))
    assert told == ["scan 7 of 1,000 rows: the margin is between 0.25 and 0.5, 30 looked at closely"]


def test_every_proof_is_written_into_a_folder(check, folder):
    code, _, err = check("flowers.csv --label kind --certificates proofs")
    assert code == 0
    assert "Written: " in err
    names = sorted(path.name for path in folder.joinpath("proofs").iterdir())
    assert names == [
        "margin-at-least.json",
        "margin-at-most.json",
        "mistakes-at-most.json",
        "row-margin-at-least.json",
        "row-margin-at-most.json",
        "separable.json",
    ]
    for name in names:
        assert independent_check([f"proofs/{name}", "flowers.csv"]) == 0
    code, _, err = check("xor.csv --label y --certificates xor.csv")
    assert (code, "this is a file; name a folder" in err) == (2, True)


# --- the range of doubles -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [
        "1e300,0\n1.0000000000000002e300,1",
        "5e-324,0\n-5e-324,1",
        "0,0\n1,0\n1.0000000000000002,1",
    ],
)
@pytest.mark.parametrize("options", ["", "--json"])
def test_numbers_beyond_doubles_are_told(rows, options, check):
    Path("edge.csv").write_text(f"a,y\n{rows}\n", encoding="utf-8")
    code, out, err = check(f"edge.csv --exit-status {options}")
    assert code == 0
    if options:
        assert json.loads(out)["separable"]
    else:
        assert "verdict separable" in err
        assert "a perceptron makes at most" in err


def test_a_mistake_of_ours_is_not_taken_for_a_verdict(folder):
    broken = (
        "import separatrix.algorithms.separation as s, separatrix.cli as c\n"
        "def separate_rows(*_, **__): raise RuntimeError('broken')\n"
        "s.separate_rows = separate_rows\n"
        "c.main(['check', 'xor.csv', '--exit-status'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", broken], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 70
    assert "please report it" in done.stderr
