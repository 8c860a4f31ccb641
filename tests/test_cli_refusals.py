"""The command line loses nothing: no input is written over, and an output that cannot be written is told."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import separatrix as sx
from separatrix.cli import check, program, verify
from separatrix.cli.program import run

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = shlex.join([sys.executable, "-m", "separatrix.cli"])
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
FLOWERS = "length,width,kind\n1.4,0.2,setosa\n1.3,0.2,setosa\n4.7,1.4,versicolor\n3.3,1.0,versicolor\n"
shell = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Runs a command line in this process: its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    for name in ("d.csv", "t.csv"):
        Path(name).write_text(FLOWERS, encoding="utf-8")

    def call(line: str) -> tuple[int, str, str]:
        code = run(shlex.split(line))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


@pytest.fixture
def model(cli):
    assert cli("fit d.csv --label kind -o m.json -q")[0] == 0
    Path("proofs").mkdir()
    Path("linked.csv").symlink_to("d.csv")
    Path("linked.json").symlink_to("m.json")
    Path("proofs/separable.json").symlink_to("../d.csv")
    return cli


def in_shell(line: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.replace("separatrix", PROGRAM)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def refused(answer: tuple[int, str, str], *words: str) -> None:
    code, out, err = answer
    assert (code, out) == (2, "")
    for word in words:
        assert word in err
    said = err[err.index("Error: ") :] if "Error: " in err else err
    assert said.count("\n") == 1


# --- what is read is not written over -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("fit d.csv --label kind -o d.csv", "--output d.csv"),
        ("fit d.csv --label kind -o ./d.csv", "--output ./d.csv"),
        ("fit d.csv --label kind -o linked.csv", "--output linked.csv"),
        ("fit linked.csv --label kind --certificate d.csv", "--certificate d.csv"),
        ("fit d.csv --label kind --figure d.csv", "--figure d.csv"),
        ("fit d.csv --label kind --model zero-one --checkpoint d.csv", "--checkpoint d.csv"),
        ("fit d.csv --label kind --test t.csv -o t.csv", "--output t.csv"),
        ("check d.csv --label kind --certificate d.csv", "--certificate d.csv"),
        ("check d.csv --label kind --certificates proofs", "--certificates proofs/separable.json"),
        ("report d.csv --label kind -o d.csv", "--output d.csv"),
        ("report d.csv --label kind --test t.csv -o t.csv", "--output t.csv"),
        ("predict m.json d.csv -o d.csv", "--output d.csv"),
        ("predict m.json d.csv -o m.json", "--output m.json"),
        ("predict linked.json d.csv -o m.json", "--output m.json"),
        ("export m.json --onnx ./m.json", "--onnx ./m.json"),
        ("demo spam --data d.csv -o d.csv", "--output d.csv"),
    ],
)
def test_no_input_is_written_over(model, line, option):
    before = {path: path.read_bytes() for path in Path.cwd().iterdir() if path.is_file()}
    refused(model(line), f"{option}: the command reads this file; name another to write.")
    assert {path: path.read_bytes() for path in Path.cwd().iterdir() if path.is_file()} == before


@shell
def test_nor_is_standard_input(model):
    done = in_shell("separatrix predict m.json - -o d.csv < d.csv")
    assert done.returncode == 2
    assert "--output d.csv: the command reads this file" in done.stderr
    assert Path("d.csv").read_text(encoding="utf-8") == FLOWERS


def test_a_file_that_is_not_read_is_written_over_as_before(model):
    assert model("fit d.csv --label kind -o m.json -q")[0] == 0
    assert model("predict m.json d.csv -o t.csv -q")[0] == 0
    assert Path("t.csv").read_text(encoding="utf-8").startswith("prediction,score\n")


def test_a_checkpoint_is_read_and_written(cli):
    for _ in range(2):
        assert cli("fit d.csv --label kind --model zero-one --checkpoint kept -q")[0] == 0


def test_standard_output_has_one_use(cli):
    refused(cli("fit d.csv --label kind -o - --certificate -"), "both want standard output")
    refused(cli("fit d.csv --label kind --json --certificate -"), "both want standard output")


def test_every_exit_code_is_documented():
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    codes = [
        program.EXIT_USAGE,
        program.EXIT_INTERNAL_ERROR,
        program.EXIT_INTERRUPTED,
        program.EXIT_TERMINATED,
    ]
    for code in [0, check.EXIT_NOT_SEPARABLE, check.EXIT_UNDECIDED, verify.EXIT_REFUSED, *codes]:
        assert f"\n| {code} | " in page


# --- what a name and an option mean -------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [";;", "", '"', "§", "\n"])
def test_a_delimiter_is_one_character(cli, delimiter):
    refused(cli(f"check d.csv --label kind --delimiter {shlex.quote(delimiter)}"), "--delimiter", "one ASCII")
    with pytest.raises(sx.DataError, match="one ASCII character"):
        sx.read("d.csv", label="kind", delimiter=delimiter)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("fit d.csv --label kind --figure f.png", "--figure f.png: the suffix has to be .svg."),
        ("fit d.csv --label kind --figure f.svg.gz", "--figure f.svg.gz: the suffix has to be .svg."),
        ("demo -o p.png", "--output p.png: the suffix has to be .svg."),
        ("predict m.json d.csv -o p.xyz", "--output p.xyz: the suffix has to be .csv or .tsv"),
        ("predict m.json d.csv -o p.parquet.gz", "--output p.parquet.gz: the suffix has to be"),
    ],
)
def test_a_suffix_tells_what_is_written(model, line, sentence):
    before = sorted(Path.cwd().iterdir())
    refused(model(line), sentence)
    assert sorted(Path.cwd().iterdir()) == before


@pytest.mark.parametrize("name", ["p", "p.CSV", "p.gz", "p.tab.gz", "p.pq", "p.ipc"])
def test_known_suffixes_and_none_are_taken(model, name):
    assert model(f"predict m.json d.csv -q -o {name}")[0] == 0
    assert Path(name).stat().st_size > 0


def test_a_figure_may_have_no_suffix(cli):
    assert cli("fit d.csv --label kind -q --figure picture")[0] == 0
    assert Path("picture").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize("name", [".", "/"])
def test_a_directory_is_named(cli, name):
    refused(cli(f"check {name}"), f"separatrix: {name} is a directory: name one file in it.")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("logistic --penalty firth -C 2", "-C has no effect with --penalty firth: leave it out."),
        ("logistic --penalty firth --tol 0.1", "--tol has no effect with --penalty firth"),
        ("passive-aggressive --variant PA -C 2", "-C has no effect with --variant PA"),
    ],
)
def test_an_option_without_effect_is_refused(cli, options, sentence):
    refused(cli(f"fit d.csv --label kind --model {options}"), sentence)


# --- streams that cannot be written to ----------------------------------------------------------------------


@shell
@pytest.mark.parametrize("line", ["predict m.json d.csv", "check d.csv --label kind --json", "--help"])
def test_a_closed_standard_output_is_told(model, line):
    done = in_shell(f"separatrix {line} >&-")
    assert done.returncode == 2
    assert done.stderr == "separatrix: standard output: it is closed, so that nothing can be written.\n"


@shell
def test_closed_streams_that_are_not_needed_do_no_harm(model):
    done = in_shell("separatrix check d.csv --label kind <&- >&- 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = in_shell("separatrix check - <&-")
    assert (done.returncode, done.stderr) == (
        2,
        "separatrix: standard input is empty: there is nothing to read.\n",
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "line",
    ["check d.csv --label kind", "check nowhere.csv", "check", "check d.csv --label kind --json >/dev/full"],
)
def test_words_that_cannot_be_written_are_no_verdict(cli, line):
    assert in_shell(f"separatrix {line} 2>/dev/full").returncode == 2


@shell
def test_standard_output_by_its_name(model):
    wanted = model("predict m.json d.csv")[1]
    done = in_shell("separatrix predict m.json d.csv -o /dev/stdout | cat")
    assert (done.returncode, done.stdout) == (0, wanted)
    Path("log").write_text("old\n", encoding="utf-8")
    assert in_shell("separatrix predict m.json d.csv -o /dev/stdout >> log").returncode == 0
    assert Path("log").read_text(encoding="utf-8") == f"old\n{wanted}"
    done = in_shell("separatrix fit d.csv --label kind -q -o >(cat >&2)")
    assert done.returncode == 0
