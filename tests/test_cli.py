"""The command line keeps its contract: exit codes, what goes where, sentences, and no half-written file."""

from __future__ import annotations

import csv
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
import pytest

import separatrix as sx
from separatrix.cli.console import with_option_names
from separatrix.cli.demonstrations import DEMOS
from separatrix.cli.model_options import MODELS, REGRESSIONS
from separatrix.cli.program import main, program, run

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = [sys.executable, "-m", "separatrix.cli"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}

FLOWERS = """length,width,id,kind
1.4,0.2,7,setosa
1.3,0.2,8,setosa
1.7,0.5,9,setosa
4.7,1.4,10,versicolor
3.3,1.0,11,versicolor
4.0,1.3,12,versicolor
"""
TANGLED = "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "101")
    Path("flowers.csv").write_text(FLOWERS, encoding="utf-8")
    Path("tangled.csv").write_text(TANGLED, encoding="utf-8")
    return tmp_path


@pytest.fixture
def cli(folder, capsys):
    """Runs a command line in this process: its exit code, standard output and standard error."""

    def call(line: str) -> tuple[int, str, str]:
        code = run(shlex.split(line))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


@pytest.fixture
def piped(cli, monkeypatch):
    """The same with something on standard input."""

    def call(line: str, content: str | bytes) -> tuple[int, str, str]:
        data = content if isinstance(content, bytes) else content.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return cli(line)

    return call


FIT = "fit flowers.csv --label kind --drop id"


def test_fit_predict_verify(cli):
    code, out, err = cli(
        f"{FIT} --model perceptron -o model.json --certificate proof.json --figure picture.svg"
    )
    assert (code, out) == (0, "")
    assert "Perceptron on flowers.csv (6 rows, 2 columns): versicolor is +1, setosa is -1" in err
    assert "Checked again on all 6 rows, in exact arithmetic: it holds." in err
    assert "Written: model.json, proof.json, picture.svg" in err
    for words in ("mistakes", "margin", "mistake bound", "proven", "not proven"):
        assert re.search(rf"^  {words} ", err, re.MULTILINE)
    assert Path("picture.svg").read_text(encoding="utf-8").startswith("<svg ")

    assert cli("verify proof.json flowers.csv") == (
        0,
        "",
        "holds: A halfspace has every row strictly on its side: the rows are linearly separable.\n"
        "  All 6 rows are strictly on their side.\n",
    )
    assert cli("verify model.json flowers.csv --quiet") == (0, "", "")

    code, out, err = cli("predict model.json flowers.csv")
    assert (code, err) == (0, "")
    table = list(csv.DictReader(io.StringIO(out)))
    assert [row["prediction"] for row in table] == ["setosa"] * 3 + ["versicolor"] * 3
    model = sx.load("model.json")
    scores = model.decision_function(sx.read("flowers.csv", label="kind", drop=["id"]))
    assert [float(row["score"]) for row in table] == scores.tolist()


def test_certificate_agrees_with_the_checker_that_stands_alone(cli):
    cli(f"{FIT} --certificate proof.json -q")
    program = [sys.executable, "-m", "separatrix.certificates.check", "proof.json", "flowers.csv"]
    assert subprocess.run(program, env=ENVIRONMENT, capture_output=True, check=False).returncode == 0


def test_a_certificate_is_verified_in_a_process_of_its_own(cli):
    """As at a shell: nothing that made the certificate has been imported."""
    cli(f"{FIT} --certificate proof.json -q")
    line = [*PROGRAM, "verify", "proof.json", "flowers.csv"]
    done = subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr.startswith("holds: ")


@pytest.mark.parametrize("name", ["proof.json", "model.json", "tidy.json"])
def test_a_file_to_verify_is_parsed_once(cli, monkeypatch, name):
    cli(f"{FIT} -o model.json --certificate proof.json -q")
    Path("tidy.json").write_text(
        json.dumps(json.loads(Path("model.json").read_text("utf-8")), indent=4, sort_keys=True),
        encoding="utf-16",
    )
    parsed = []
    loads = json.loads
    monkeypatch.setattr(
        json, "loads", lambda text, **options: parsed.append(len(text)) or loads(text, **options)
    )
    assert cli(f"verify {name} flowers.csv")[0] == 0
    assert len(parsed) == 1


def test_a_certificate_of_a_column_called_as_the_format_of_models_is_no_model(cli):
    names = '"format": "separatrix-model"', '{"format": "separatrix-model"}'
    with Path("odd.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*names, "kind"], [0, 1, "no"], [2, 1, "yes"]])
    assert cli("fit odd.csv --label kind --certificate proof.json -q")[0] == 0
    assert cli("verify proof.json odd.csv")[0] == 0


def test_verify_refuses_with_4(cli):
    cli(f"{FIT} -o model.json --certificate proof.json -q")
    Path("moved.csv").write_text(FLOWERS.replace("1.7,", "9.7,"), encoding="utf-8")
    code, out, err = cli("verify proof.json moved.csv")
    assert (code, out) == (4, "")
    assert err.startswith("refused: ")
    assert "The digest differs" in err
    Path("shorter.csv").write_text(FLOWERS[: FLOWERS.rindex("4.0")], encoding="utf-8")
    assert cli("verify model.json shorter.csv -q") == (4, "", "")
    code, out, err = cli("verify proof.json tangled.csv")
    assert code == 4
    assert "It speaks of 6 rows; this data has 4." in err
    record = json.loads(cli("verify proof.json moved.csv --json")[1])
    assert record["holds"] is False
    assert record["certificates"][0]["kind"] == "separable"


def test_nothing_proven_is_said_plainly_and_ends_with_0(cli):
    X, y = sx.problems.shifted(sx.problems.separable(40, 2, margin=0.25))
    np.savetxt("far.csv", np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="")
    code, out, err = cli("fit far.csv --max-iter 5 -o model.json --certificate proof.json")
    assert (code, out) == (0, "")
    assert "NothingProven" not in err
    assert re.search(r"proven +nothing\. After 5 passes", err)
    assert "--center divides" in " ".join(err.split())
    code, out, err = cli("fit far.csv --max-iter 5 -q")
    assert (code, out) == (0, "")
    assert err.startswith("separatrix: After 5 passes")
    assert err.count("\n") == 1
    assert cli("verify model.json far.csv")[0] == 4
    assert cli("verify proof.json far.csv")[0] == 4


def test_inseparable_rows_are_proven_so(cli):
    code, _, err = cli("fit tangled.csv --max-iter 10 -o model.json --certificate proof.json")
    assert code == 0
    assert "4 rows contradict each other" in err
    assert "certificate_" not in err
    assert cli("verify proof.json tangled.csv")[0] == 0
    assert cli("verify model.json tangled.csv")[0] == 0


@pytest.mark.parametrize("model", [model for model in MODELS if model not in REGRESSIONS])
def test_every_model_fits_predicts_and_is_stored(model, cli):
    code, out, err = cli(f"{FIT} --model {model} -o model.json --json")
    assert code == 0
    record = json.loads(out)
    assert record["estimator"] == MODELS[model]
    assert record["written"] == ["model.json"]
    assert err.count("\n") == len(record["notes"])
    code, out, _ = cli("predict model.json flowers.csv")
    loaded = sx.load("model.json")
    expected = loaded.predict(sx.read("flowers.csv", label="kind", drop=["id"]))
    assert [line.split(",")[0] for line in out.split()[1:]] == expected.tolist()
    proven = record["tasks"][0]["evidence"]["proven"]
    assert cli("verify model.json flowers.csv")[0] == (2 if model == "voted" else 0 if proven else 4)


def test_parameters_reach_the_model(cli):
    line = f"{FIT} --center --max-iter 7 --order shuffled --seed 3 --step 0.5 --jobs 1 --max-mistakes 99"
    parameters = json.loads(cli(f"{line} --json")[1])["parameters"]
    wanted = {"center": True, "max_iter": 7, "order": "shuffled", "random_state": 3, "step": 0.5}
    assert wanted.items() <= parameters.items()
    assert json.loads(cli(f"{FIT} --no-intercept --json")[1])["parameters"]["fit_intercept"] is False
    assert json.loads(cli(f"{FIT} --model margin --share 0.9 --json")[1])["parameters"]["share"] == 0.9
    line = f"{FIT} --model passive-aggressive -C 0.5 --variant PA-II --json"
    assert {"C": 0.5, "variant": "PA-II"}.items() <= json.loads(cli(line)[1])["parameters"].items()


def test_parameters_of_the_convex_models_and_the_search(cli):
    def parameters(line: str) -> dict[str, object]:
        return json.loads(cli(f"{FIT} --json --model {line}")[1])["parameters"]

    assert {"C": 0.5, "penalty": "l2"}.items() <= parameters("logistic -C 0.5 --penalty l2").items()
    assert parameters("logistic --penalty firth")["penalty"] == "firth"
    wanted = {"C": 2.0, "loss": "squared_hinge", "tol": 1e-6, "class_weight": "balanced"}
    assert wanted.items() <= parameters("svm -C 2 --loss squared_hinge --tol 1e-6 --balanced").items()
    wanted = {"time_limit": 5.0, "node_limit": 7, "tol": 0.5, "class_weight": "balanced"}
    assert wanted.items() <= parameters("zero-one --time-limit 5 --node-limit 7 --tol 0.5 --balanced").items()
    assert parameters("zero-one --time-limit inf")["time_limit"] is None
    assert {"tol": 1e-3}.items() <= parameters("max-margin --tol 1e-3").items()


def test_the_fewest_errors_are_told_from_both_ends(cli):
    code, _, err = cli("fit tangled.csv --model zero-one -o model.json --checkpoint search.json")
    assert code == 0
    assert "no halfspace makes fewer: proven" in err
    record = json.loads(cli("fit tangled.csv --model zero-one --checkpoint search.json --json")[1])
    assert (record["tasks"][0]["fewest"], record["tasks"][0]["errors"]) == (1, 1)
    assert cli("verify model.json tangled.csv")[0] == 0
    assert json.loads(cli("fit tangled.csv --model svm --json")[1])["tasks"][0]["fewest"] is None
    code, _, err = cli(f"{FIT} --model zero-one --checkpoint search.json")
    assert code == 2
    assert "is of other data" in err


def test_encode_without_names_may_stand_before_the_file(cli):
    assert cli("check --label kind --encode flowers.csv -q")[0] == 0
    assert "Give a data file" in cli("check --label kind --encode nowhere.csv")[2]


def test_runs_can_be_repeated(cli):
    for name in ("one", "two"):
        assert cli(f"fit tangled.csv --model pocket -o {name}.json -q")[0] == 0
    assert sx.load("one.json").coef_.tolist() == sx.load("two.json").coef_.tolist()


def test_several_classes(cli):
    X, _ = sx.problems.iris("setosa")
    y = np.repeat(["setosa", "versicolor", "virginica"], 50)
    lines = [",".join(map(str, row)) + f",{label}" for row, label in zip(X.tolist(), y, strict=True)]
    Path("iris.csv").write_text("\n".join(["a,b,c,d,label", *lines]), encoding="utf-8")
    code, _, err = cli("fit iris.csv --max-iter 20 -o model.json --figure picture.svg")
    assert code == 0
    assert "3 classes, each against the rest" in err
    out = cli("predict model.json iris.csv")[1].splitlines()
    assert out[0] == "prediction,score setosa,score versicolor,score virginica"
    assert len(out) == 151
    assert "holds (setosa against the rest)" in cli("verify model.json iris.csv")[2]
    code, _, err = cli("fit iris.csv --certificate proof.json")
    assert code == 2
    assert "3 classes have a certificate each" in err
    assert not Path("proof.json").exists()
    assert cli("fit iris.csv --positive setosa --certificate proof.json -q")[0] == 0
    assert cli("verify proof.json iris.csv")[0] == 0


def test_columns_are_found_by_name(cli):
    cli(f"{FIT} -o model.json -q")
    expected = cli("predict model.json flowers.csv")[1]
    header, *rows = (line.split(",") for line in FLOWERS.split())
    turned = "\n".join(",".join(reversed(row)) for row in (header, *rows))
    Path("turned.csv").write_text(turned, encoding="utf-8")
    assert cli("predict model.json turned.csv")[1] == expected
    assert cli("verify model.json turned.csv --label kind")[0] == 0
    code, out, err = cli("predict model.json tangled.csv")
    assert (code, out) == (2, "")
    assert (
        "tangled.csv has no column called 'length', which the model was fitted with; its columns are a, b, y"
        in err
    )


def test_formats_without_names(cli):
    X, y = sx.problems.separable(40, 3, margin=0.2)
    np.save("rows.npy", np.column_stack([X, y]))
    np.save("new.npy", X)
    assert cli("fit rows.npy --label -1 -o model.json -q")[0] == 0
    assert cli("verify model.json rows.npy --label -1")[0] == 0
    expected = cli("predict model.json new.npy")[1]
    lines = [
        f"{sign} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row))
        for row, sign in zip(X.tolist(), y, strict=True)
    ]
    Path("rows.svm").write_text("\n".join(lines), encoding="utf-8")
    labels = [line.split(",")[0] for line in cli("predict model.json rows.svm")[1].splitlines()]
    assert labels == [line.split(",")[0] for line in expected.splitlines()]
    assert cli("verify model.json rows.svm")[0] == 0
    Path("short.svm").write_text("1 1:0.5\n", encoding="utf-8")
    assert cli("predict model.json short.svm")[0] == 0


def test_standard_input(piped):
    assert piped("fit - --label kind --drop id -o model.json -q", FLOWERS)[0] == 0
    code, out, _ = piped("predict model.json -", FLOWERS)
    assert (code, out.count("\n")) == (0, 7)
    assert piped("verify model.json -", FLOWERS)[0] == 0
    model = Path("model.json").read_bytes()
    assert piped("verify - flowers.csv", model)[0] == 0
    assert piped("predict - flowers.csv", model)[:2] == (0, out)
    assert "not both" in piped("predict - -", model)[2]


def test_model_on_standard_output(cli):
    code, out, _ = cli(f"{FIT} -o -")
    assert code == 0
    assert json.loads(out)["format"] == "separatrix-model"
    assert cli(f"{FIT} -o - --json")[0] == 2


def test_demo_in_place_of_a_file(cli):
    code, out, err = cli("fit --demo -o model.json --json")
    assert (code, err) == (0, "")
    assert json.loads(out)["data"]["rows"] == 100
    assert cli("verify model.json --demo")[0] == 0
    assert cli("predict model.json --demo")[1].count("\n") == 101
    assert cli("fit --demo flowers.csv")[0] == 2


def test_predictions_as_json(cli):
    cli(f"{FIT} -o model.json -q")
    code, out, err = cli("predict model.json flowers.csv --json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["format"] == "separatrix-predictions"
    assert [row["prediction"] for row in record["predictions"]] == ["setosa"] * 3 + ["versicolor"] * 3
    code, out, err = cli("predict model.json flowers.csv -o out.csv --json")
    assert json.loads(out)["counts"] == {"setosa": 3, "versicolor": 3}
    assert Path("out.csv").read_text(encoding="utf-8").startswith("prediction,score\nsetosa,-")
    assert cli("predict model.json flowers.csv -o out.csv")[2] == (
        "Predicted 6 rows: 3 × setosa, 3 × versicolor.\nWritten: out.csv\n"
    )


def test_predictions_stream(cli, monkeypatch):
    """A file larger than the memory allowed gives the same answers, a block at a time."""
    import separatrix.cli.predict as command

    X, y = sx.problems.separable(5000, 4, margin=0.1)
    Path("rows.csv").write_text(
        "\n".join(
            [
                "a,b,c,d,y",
                *(
                    ",".join(map(repr, [*row, label]))
                    for row, label in zip(X.tolist(), y.tolist(), strict=True)
                ),
            ]
        ),
        encoding="utf-8",
    )
    assert cli("fit rows.csv -o model.json -q")[0] == 0
    whole = cli("predict model.json rows.csv")
    monkeypatch.setattr(command, "MEMORY_BYTES", 20_000)
    assert cli("predict model.json rows.csv") == whole
    assert whole[1].count("\n") == 5001


BAD_DATA = [
    ("", "bad.csv is empty"),
    ("a,b,y\n", "has no rows"),
    ("y\n1\n0\n", "has no feature columns"),
    ("a,y\n1,0\nx,1\n", "row 2 (line 3), column 'a': 'x' is no number"),
    ("a,y\n1,0\n,1\n", "row 2 (line 3), column 'a': the value is missing"),
    ("a,y\n1,0\nnan,1\n", "column 'a': the value is NaN"),
    ("a,y\n1,0\ninf,1\n", "column 'a': the value is infinite"),
    ("a,y\n1,\n2,1\n", "the label is missing"),
    ("a,y\n1,0\n2,0\n", "one class only"),
    ("a,y\n1,0.5\n2,1.5\n", "a classifier needs classes"),
    ("a,b,y\n1,2,0\n3,4", "the file ends in the middle of this row"),
    ("a,b,y\n1,2,0,7\n3,4,1\n", "4 fields where there are 3 columns"),
    ("a,b\n1,0\n2,1\n", "say which one holds the labels with --label."),
    ("1,0\n2,1\n", "pass --no-header"),
    ("a,a,y\n1,2,0\n3,4,1\n", "more than one column called 'a'"),
]


@pytest.mark.parametrize(("content", "sentence"), BAD_DATA, ids=[sentence for _, sentence in BAD_DATA])
def test_bad_data_gets_one_sentence(content, sentence, cli):
    Path("bad.csv").write_text(content, encoding="utf-8")
    before = sorted(Path.cwd().iterdir())
    code, out, err = cli("fit bad.csv -o model.json --certificate proof.json --figure picture.svg")
    assert (code, out) == (2, "")
    assert err.startswith("separatrix: ")
    assert sentence in err
    assert err.count("\n") == 1
    assert sorted(Path.cwd().iterdir()) == before


BAD_LINES = [
    ("fit nowhere.csv", "nowhere.csv does not exist"),
    ("fit .", "is a directory"),
    ("fit flowers.csv --label sort", "no column called 'sort'; its columns are length, width, id, kind"),
    ("fit flowers.csv --label kind --drop size", "no column called 'size' (--drop)"),
    ("fit flowers.csv --label kind --features length,kind", "cannot be a feature too"),
    ("fit flowers.csv --label kind --positive rose", "--positive 'rose' is none of the labels"),
    ("fit", "Give a data file"),
    ("fit flowers.csv --model oracle", "'oracle' is not one of"),
    ("fit flowers.csv --max-iter 0", "--max-iter"),
    (f"{FIT} --model margin --share 2", "--share 2.0 must lie between 0 and 1"),
    (f"{FIT} --step -1", "step must be positive"),
    (f"{FIT} --step nan", "nan is not a number"),
    (f"{FIT} --time-limit 3", "--time-limit is no option of the model perceptron; it is one of max-margin"),
    (f"{FIT} --model zero-one --time-limit 0", "--time-limit 0.0 makes no sense: give seconds."),
    (f"{FIT} --model zero-one --tol 2", "--tol 2.0 makes no sense"),
    (f"{FIT} --model zero-one --checkpoint no/where", "there is no such folder"),
    (f"{FIT} --model svm -C 0", "-C 0.0 makes no sense"),
    (f"{FIT} --test 0.999", "leaves none to learn from"),
    (f"{FIT} --model passive-aggressive -C -1", "-C -1.0 must be positive"),
    (f"{FIT} --center --no-intercept", "--center needs an intercept"),
    (f"{FIT} --share 0.5", "--share is no option of the model perceptron; it is one of margin."),
    (f"{FIT} --model voted --certificate c.json", "a vote of halfspaces is no halfspace"),
    (f"{FIT} -o no/such/folder/model.json", "there is no such folder"),
    (f"{FIT} -o .", "this is a folder"),
    (f"{FIT} -o same --certificate same", "name the same file"),
    ("verify nowhere.json flowers.csv", "nowhere.json: No such file or directory."),
    ("verify flowers.csv flowers.csv", "flowers.csv: The file is not whole JSON."),
    ("verify flowers.csv", "Give a data file"),
    ("predict flowers.csv flowers.csv", "flowers.csv is no model"),
    ("predict nowhere.json flowers.csv", "nowhere.json: No such file or directory."),
    ("demo opera", "'opera' is not one of"),
    ("demo -o no/such/folder/x.svg", "there is no such folder"),
    ("divine", "No such command 'divine'"),
    ("fit --frobnicate", "No such option"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD_LINES, ids=[line for line, _ in BAD_LINES])
def test_wrong_usage_gets_a_sentence_and_2(line, sentence, cli):
    before = sorted(Path.cwd().iterdir())
    code, out, err = cli(line)
    assert (code, out) == (2, "")
    assert sentence in err
    assert sorted(Path.cwd().iterdir()) == before


def test_future_and_damaged_files_are_refused(cli):
    cli(f"{FIT} -o model.json --certificate proof.json -q")
    for name in ("model", "proof"):
        text = Path(f"{name}.json").read_text(encoding="utf-8")
        future = re.sub('"version": [12]', '"version": 3', text, count=1)
        Path("future.json").write_text(future, encoding="utf-8")
        code, _, err = cli("verify future.json flowers.csv")
        assert code == 2
        assert "version 3" in err
        Path("cut.json").write_text(text[: len(text) // 2], encoding="utf-8")
        assert cli("verify cut.json flowers.csv")[0] == 2
        assert cli("predict cut.json flowers.csv")[0] == 2


def test_an_old_file_survives_a_failed_fit(cli):
    Path("model.json").write_text("precious", encoding="utf-8")
    assert cli("fit nowhere.csv -o model.json")[0] == 2
    assert Path("model.json").read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("moment", ["separatrix.Perceptron.fit", "separatrix.models.to_json", "os.fsync"])
def test_interrupted_at_any_moment_nothing_is_left(moment, cli, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(moment, interrupt)
    before = sorted(Path.cwd().iterdir())
    code, out, err = cli(f"{FIT} -o model.json --certificate proof.json")
    assert (code, out) == (130, "")
    assert err.strip() == "separatrix: interrupted; nothing was left half-written."
    assert sorted(Path.cwd().iterdir()) == before


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["interrupt", "terminate"]
)
def test_a_running_fit_is_stopped_by_a_signal(sent, code, folder, interruptible):
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)])
    np.savetxt("noise.csv", table, delimiter=",", header="a,b,c,y", comments="", fmt="%.4f")
    before = sorted(folder.iterdir())
    line = [*PROGRAM, "fit", "noise.csv", "--label", "y", "--max-iter", "100000000", "-o", "model.json"]
    running = subprocess.Popen(line, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    try:
        heard = ""
        while "pass" not in heard:
            heard = running.stderr.readline()
            assert heard, "it ended by itself"
        running.send_signal(sent)
        rest = running.stderr.read()
        assert running.wait(30) == code
        assert "Traceback" not in rest
    finally:
        running.kill()
        running.wait()
        running.stderr.close()
    assert sorted(folder.iterdir()) == before


def test_a_reader_that_leaves_is_no_error(folder, cli):
    X, y = sx.problems.separable(20_000, 2, margin=0.1)
    np.savetxt("rows.csv", np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="")
    assert cli("fit rows.csv -o model.json -q")[0] == 0
    running = subprocess.Popen(
        [*PROGRAM, "predict", "model.json", "rows.csv"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout.readline() == b"prediction,score\n"
    running.stdout.close()
    assert running.wait(60) == 0
    assert running.stderr.read() == b""
    running.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_moves_on_a_terminal_and_stays_off_standard_output(folder):
    import pty

    ours, theirs = pty.openpty()
    line = [*PROGRAM, "fit", "tangled.csv", "--max-iter", "2000"]
    shown = subprocess.run(
        line, env=ENVIRONMENT | {"TERM": "xterm"}, stdout=subprocess.PIPE, stderr=theirs, check=True
    )
    assert shown.stdout == b""
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:  # the end of a pseudo-terminal on Linux
        pass
    os.close(ours)
    assert b"\x1b[" in seen
    assert b"Perceptron on tangled.csv" in seen


def test_progress_elsewhere_is_a_line_now_and_then(monkeypatch, capsys):
    from separatrix.cli import progress

    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    lines = progress.PrintedProgress()
    for tick in range(100):
        now[0] = tick / 10
        lines.update(f"at {tick}")
    told = capsys.readouterr().err.split("\n")[:-1]
    assert told == [f"at {tick}" for tick in range(30, 100, 10)]


@pytest.mark.parametrize("line", ["check --demo", "fit --demo", "demo", "demo halfspace"])
def test_compiling_is_told_but_for_quiet_and_json(line, cli, monkeypatch):
    from separatrix import fitting
    from separatrix.algorithms import separation
    from separatrix.kernels import disk_cache

    def compiling(work):
        def said_first(*given, **named):
            disk_cache._announce_compiling()
            return work(*given, **named)

        return said_first

    monkeypatch.setattr(separation, "separate_rows", compiling(separation.separate_rows))
    monkeypatch.setattr(
        fitting.LinearClassifier, "_attributes", compiling(fitting.LinearClassifier._attributes)
    )
    monkeypatch.setattr(sx.Halfspace, "__init__", compiling(sx.Halfspace.__init__))
    for option, times in (("", 1), (" --quiet", 0), (" --json", 0)):
        monkeypatch.setattr(disk_cache, "_announced", False)
        assert cli(f"{line}{option}")[2].count("compiling kernels") == times
        assert disk_cache._announced


def test_compiling_for_a_file_is_told_but_for_quiet_and_json(cli, monkeypatch):
    from separatrix.kernels import disk_cache
    from separatrix.rows.files import svmlight

    parse = svmlight.parse_with_arrow
    monkeypatch.setattr(
        svmlight, "parse_with_arrow", lambda text: (disk_cache._announce_compiling(), parse(text))[1]
    )
    Path("rows.svm").write_text("1 1:1\n-1 1:-1\n", encoding="utf-8")
    for option, times in (("", 1), (" --quiet", 0), (" --json", 0)):
        monkeypatch.setattr(disk_cache, "_announced", False)
        assert cli(f"check rows.svm{option}")[2].count("compiling kernels") == times
        assert disk_cache._announced


def test_demo_tells_draws_and_verifies(cli):
    code, out, err = cli("demo")
    assert (code, out) == (0, "")
    assert "10 in 6 passes; the last pass made none" in err
    assert "Checked again on all 100 rows, in exact arithmetic: it holds." in err
    assert "The picture is in separatrix-demo.svg." in err
    picture = Path("separatrix-demo.svg").read_text(encoding="utf-8")
    assert "sepal length (cm)" in picture
    assert "<title" in picture


@pytest.mark.parametrize("story", [name for name in DEMOS if name != "perceptron"])
def test_every_story_is_told(story, cli):
    code, out, err = cli(f"demo {story} -o story.svg --json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["story"] == story
    assert Path("story.svg").exists()
    if story == "far-from-origin":
        assert record["summaries"][1]["proven"]
        assert (
            record["summaries"][0]["tasks"][0]["mistakes"]
            > 100 * record["summaries"][1]["tasks"][0]["mistakes"]
        )


def test_stories_are_listed(cli):
    assert "xor               what no straight line can do" in cli("demo --list")[2]
    listed = json.loads(cli("demo --list --json")[1])["stories"]
    wanted = {"halfspace", "perceptron", "xor", "margin", "noise", "spam", "faces", "vc", "ridge"}
    assert wanted | {"far-from-origin", "losses"} == set(listed)
    shown = cli("demo --help")[1]
    assert all(f"{name:<18}{title}" in shown for name, title in listed.items())


def test_spam_takes_real_mails(cli, data_folder):
    texts = data_folder / "sms_spam_text.csv"
    record = json.loads(cli(f"demo spam --data {texts} -o spam.svg --json")[1])
    assert record["summaries"][0]["data"]["rows"] > 4000
    assert "txt" in record["facts"]["words"]["spam"]
    code, _, err = cli(f"demo xor --data {texts}")
    assert code == 2
    assert "spam, faces" in err
    code, _, err = cli("demo spam --data flowers.csv")
    assert code == 2
    assert "give the column of labels one of these names" in err


def test_faces_take_real_pictures(cli, data_folder):
    faces = data_folder / "orl_faces_112x92.csv.gz"
    record = json.loads(cli(f"demo faces --data {faces} -o faces.svg --json")[1])
    assert record["summaries"][0]["data"]["columns"] == 10304
    assert all(summary["proven"] for summary in record["summaries"])


def test_help_and_version(cli):
    assert cli("--version") == (0, f"separatrix, version {sx.__version__}\n", "")
    for line in ("--help", "-h", *(f"{name} --help" for name in program.commands)):
        code, out, err = cli(line)
        assert (code, err) == (0, "")
        assert out.startswith("Usage: separatrix")


def test_the_package_is_the_program():
    line = [sys.executable, "-m", "separatrix", "--version"]
    said = subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert said.stdout == f"separatrix, version {sx.__version__}\n"


def test_help_imports_nothing_heavy():
    heavy = ("jinja2", "numba", "numpy", "pandas", "pyarrow", "rich", "scipy", "sklearn", "flint")
    heavy += ("matplotlib", "onnx")
    code = (
        "import sys; from separatrix.cli.program import program, run; run(['--help']); "
        "[run([name, '--help']) for name in program.commands]; run(['bound', 'risk', '--help']); "
        "run(['demo', '--list', '-q']); "
        f"print(*sorted(set({heavy!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == []


def test_a_verdict_does_not_wait_for_scikit_learn(folder):
    code = (
        "import sys; from separatrix.cli.program import run; run(['check', 'tangled.csv', '-q']); "
        "print(*sorted({'sklearn', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("separatrix e", {"evaluate", "export"}),
        ("separatrix bound ", {"mistakes", "sample-size", "risk", "dichotomies"}),
        ("separatrix demo f", {"far-from-origin", "faces"}),
        ("separatrix fit --missing ", {"drop", "mean"}),
        ("separatrix report --b", {"--budget"}),
        ("separatrix predict --p", {"--proba"}),
    ],
)
def test_new_commands_are_completed_too(words, offered, monkeypatch):
    from click.shell_completion import ShellComplete

    *before, last = words.split(" ")
    complete = ShellComplete(program, {}, "separatrix", "_SEPARATRIX_COMPLETE")
    assert {item.value for item in complete.get_completions(before[1:], last)} == offered


def test_shell_completion():
    environment = ENVIRONMENT | {"_SEPARATRIX_COMPLETE": "bash_source"}
    done = subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, check=False)
    assert "_SEPARATRIX_COMPLETE=bash_complete" in done.stdout
    environment = ENVIRONMENT | {
        "_SEPARATRIX_COMPLETE": "bash_complete",
        "COMP_WORDS": "separatrix fit --model p",
        "COMP_CWORD": "3",
    }
    done = subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, check=False)
    assert {line.split(",")[1] for line in done.stdout.split()} == {
        "perceptron",
        "pocket",
        "passive-aggressive",
    }


def test_sentences_name_options():
    assert with_option_names("pass drop=[''] to leave it out") == "pass --drop '' to leave it out"
    assert with_option_names("max_iter=0 must be") == "--max-iter 0 must be"
    assert (
        with_option_names("(label=-1 is the last), or label=False for rows without.")
        == "(--label -1 is the last)."
    )


def test_readme_commands_run(cli):
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    block = page.split("## On the command line", 1)[1].split("```")[1]
    lines = [line.removeprefix("separatrix ") for line in block.splitlines() if line.strip()]
    assert len(lines) >= 6
    for name in ("data", "new", "test"):
        Path(f"{name}.csv").write_text(FLOWERS.replace("kind", "y"), encoding="utf-8")
    for line in lines:
        assert cli(f"{line} -q")[0] == 0, line
    assert {"certificate.json", "report.html", "model.json"} <= {path.name for path in Path.cwd().iterdir()}


def documented(page: str) -> list[tuple[str, str]]:
    """Commands of a page with what they say."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, said = part.partition("\n")
            found.append((line, said))
    return found


@pytest.mark.parametrize("name", ["command-line.md", "csv-to-proof.md"])
def test_documented_commands_do_what_is_written(cli, monkeypatch, name):
    """The table of the page is the file that the text before it names; "..." stands for anything."""
    pytest.importorskip("onnx")
    monkeypatch.setenv("COLUMNS", "91")
    monkeypatch.setattr("separatrix.cli.progress.FIRST_LINE_SECONDS", 600.0)
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    table = re.search(r"^```csv\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    file = re.findall(r"`(\w+\.csv)`", page[: table.start()])[-1]
    Path(file).write_text(table.group(1), encoding="utf-8")
    lines = documented(page)
    code = 0
    assert len(lines) >= 6
    for line, said in lines:
        if line.startswith("echo $?"):
            assert int(said) == code
            continue
        assert line.startswith("separatrix ")
        code, out, err = cli(line.removeprefix("separatrix "))
        # A number shown in part may fold the line elsewhere.
        pattern = r"\s+".join(re.escape(word).replace(re.escape("..."), ".*?") for word in said.split())
        assert re.fullmatch(pattern, (out + err).strip(), re.DOTALL), f"{line}\n{out}{err}"


@pytest.mark.parametrize(("signal_of", "code"), [(SystemExit(143), 143), (KeyboardInterrupt(), 130)])
def test_a_signal_that_python_wraps_is_one_all_the_same(monkeypatch, signal_of, code):
    """As where it comes while a class is made."""

    def wrapped(_):
        try:
            raise signal_of
        except BaseException as cause:
            raise RuntimeError("Error calling __set_name__") from cause

    monkeypatch.setattr("separatrix.cli.program.run", wrapped)
    monkeypatch.setattr("separatrix.cli.program.signal.signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == code
