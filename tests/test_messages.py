"""Messages name parameters in Python's spelling, and on the command line as options."""

from __future__ import annotations

import copy
import json
import pickle
import re
import shlex

import click
import numpy as np
import pytest

import separatrix as sx
from separatrix.cli.option_names import OPTIONS, OPTIONS_WITH_VALUE, option_of
from separatrix.cli.program import program, run
from separatrix.fitting.parameters import require_random_state
from separatrix.messages import Message, Parameter, ParameterError, PythonOnly, message_of, spell
from separatrix.reports.formatting import wrap_lines
from separatrix.rows.data_errors import DataError, DataParameterError, MissingColumn, NotANumber

INNER = Message("set {}{}", Parameter("missing", "drop"), PythonOnly(" or None"))
OUTER = Message("{file} is odd: {advice}.", file="{a}.csv", advice=INNER)
ERRORS = [
    ParameterError("C", -1, "> 0"),
    DataParameterError("format", "xls", "one of csv, npy"),
    MissingColumn("a.csv", "age", "x, y", "features"),
    NotANumber("'a' is no number", location="row 3", value="'a'"),
    DataError(OUTER),
]


def test_a_message_is_a_string_with_two_spellings():
    assert OUTER == "{a}.csv is odd: set missing='drop' or None."
    assert spell(OUTER, option_of) == "{a}.csv is odd: set --missing drop."
    assert spell("a plain {string}", option_of) == "a plain {string}"
    assert json.loads(json.dumps([OUTER])) == [str(OUTER)]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_of_a_message_are_plain(copied):
    assert copied(OUTER) == OUTER
    assert type(copied(OUTER)) is str


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_pass_between_processes(error):
    found = pickle.loads(pickle.dumps(error))
    assert (type(found), str(found)) == (type(error), str(error))
    kept = {name: value for name, value in vars(error).items() if name != "message"}
    assert {name: vars(found)[name] for name in kept} == kept


def test_errors_keep_the_parts_of_their_message():
    assert str(ERRORS[0]) == "C must be > 0; got -1"
    assert spell(message_of(ERRORS[0]), option_of) == "-C must be > 0; got -1"
    assert spell(message_of(DataError(OUTER)), option_of) == "{a}.csv is odd: set --missing drop."
    assert spell(message_of(MissingColumn("a.csv", "{age}", "x, y", "features")), option_of) == (
        "a.csv has no column called '{age}' (--features); its columns are x, y."
    )
    with pytest.raises(ParameterError) as caught:
        require_random_state(-1)
    assert str(caught.value).startswith("random_state must be an integer between 0 and 2**32 - 1, a Random")
    said = spell(message_of(caught.value), option_of)
    assert said == "--seed must be an integer between 0 and 2**32 - 1; got -1"


def test_reports_spell_the_messages_in_their_lines():
    lines = ["plain", OUTER, ("note", Message("nothing. {}", INNER))]
    assert wrap_lines(lines, 80).count("missing='drop' or None") == 2
    assert wrap_lines(lines, 80, option_of).count("set --missing drop") == 2


def options_of(command):
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from options_of(inner)
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)


def test_every_parameter_has_an_option_of_some_command():
    known = set(options_of(program))
    assert set(OPTIONS.values()) <= known
    assert {option.split()[0] for option in OPTIONS_WITH_VALUE.values()} <= known


FILES = {
    "d.csv": "length,width,kind\n1.4,0.2,a\n1.3,0.2,a\n4.7,1.4,b\n3.3,1.0,b\n",
    "noise.csv": "x,z,kind\n1,1,a\n1,1,b\n2,1,a\n0,3,b\n",
    "three.csv": "x,z,kind\n1,1,a\n5,1,b\n2,9,c\n0,3,c\n",
    "far.csv": "x,z,kind\n" + "".join(f"{1e4 + k},{k % 7},{'ab'[k % 2]}\n" for k in range(40)),
    "unnamed.csv": ",length,kind\n1,2,a\n2,3,b\n",
    "headless.csv": "1.5,2.5,1\n2.5,3.5,0\n",
    "missing.csv": "x,z,label\n1,,a\n2,3,b\n4,5,a\n",
    "text.csv": "x,word,label\n1,red,a\n2,blue,b\n4,red,a\n",
    "rare.csv": "x,word,label\n" + "".join(f"{k},w{k},{'ab'[k % 2]}\n" for k in range(2000)),
    "real.csv": "x,z,label\n1,2,0.5\n2,3,1.5\n4,5,2.25\n",
    "holes.csv": "x,z,label\n1,2,0.5\n2,3,\n4,5,2.25\n",
    "d.svm": "1 1:2\n0 1:3\n",
    "d.odd": "x,label\n1,a\n2,b\n",
}
ARRAYS = {"d.npy": np.eye(3), "d.npz": {"X": np.eye(3), "z": np.arange(3)}}
BAD_LINES = [
    "check d.csv",
    "check d.csv --label nokind",
    "check d.csv --label 7",
    "check d.csv --label kind --features length,length",
    "check d.csv --label kind --features kind",
    "check d.csv --label kind --features tail",
    "check d.csv --label kind --drop tail",
    "check d.csv --label kind --positive c",
    "check d.csv --label kind --delimiter ab",
    "check d.csv --label kind --hashed 8",
    "check rare.csv --scale standard --text word",
    "check rare.csv --encode",
    "check unnamed.csv --label kind",
    "check headless.csv",
    "check missing.csv",
    "check text.csv",
    "check real.csv",
    "check d.svm --label 0",
    "check d.svm --drop x",
    "check d.odd",
    "check d.npy",
    "check d.npz",
    "check far.csv --label kind --time-limit 0",
    "check three.csv --label kind --time-limit 0",
    "check d.csv --label kind --limit columns=1",
    "fit d.csv --label kind -C 0 --model svm",
    "fit d.csv --label kind -C 0 --model logistic",
    "fit d.csv --label kind -C inf --model passive-aggressive",
    "fit d.csv --label kind --tol 2 --model svm",
    "fit d.csv --label kind --tol 2 --model logistic",
    "fit d.csv --label kind --tol 1 --model max-margin",
    "fit d.csv --label kind --tol 1 --model zero-one",
    "fit d.csv --label kind --time-limit=-1 --model zero-one",
    "fit d.csv --label kind --time-limit=-1 --model max-margin",
    "fit d.csv --label kind --seed=-1",
    "fit d.csv --label kind --jobs 0",
    "fit d.csv --label kind --step 0",
    "fit d.csv --label kind --step inf",
    "fit d.csv --label kind --share 1 --model margin",
    "fit d.csv --label kind --center --no-intercept",
    "fit d.csv --label kind --order first-violator --model batch",
    "fit d.csv --label kind --share 0.99999 --max-iter 1 --model margin",
    "fit d.csv --label kind --test 0.9",
    "fit d.svm --center",
    "fit far.csv --label kind --max-iter 2",
    "fit far.csv --label kind --max-iter 2 --quiet",
    "fit noise.csv --label kind",
    "fit noise.csv --label kind --model max-margin",
    "fit noise.csv --label kind --model svm -C inf",
    "fit noise.csv --label kind --model svm --max-iter 1",
    "fit noise.csv --label kind --model logistic --max-iter 1 -C 1e9",
    "fit d.csv --label kind --model logistic -C inf",
    "fit d.csv --label kind --model logistic --penalty firth --max-iter 1",
    "fit three.csv --label kind --max-iter 1",
    "fit three.csv --label kind --model zero-one --checkpoint kept",
    "fit holes.csv --model ridge",
    "fit text.csv --model ridge",
    "fit real.csv --model ridge --alpha=-1",
    "fit real.csv --model ridge --positive 1",
    "fit d.svm --model ridge --label 0",
    "fit d.npy --model ridge",
    "fit d.npz --model ridge",
    "report d.csv --label kind --budget inf",
    "report missing.csv",
    "demo spam --data d.csv",
    "demo faces --data d.csv",
    "predict model.json d.svm --features x",
    "predict model.json real.csv",
    "evaluate model.json d.csv",
    "evaluate model.json real.csv",
    "evaluate model.json d.csv --label kind --confidence nan",
    "verify proof.json real.csv",
]
PYTHON_WORDS = re.compile(
    rf"\b(?:{'|'.join(OPTIONS)}|regression|preparation|max_degree)=|certificate_|\bsx\.|\bNone\b|max_(iter|mist)"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("messages")
    for name, text in FILES.items():
        (path / name).write_text(text, encoding="utf-8")
    np.save(path / "d.npy", ARRAYS["d.npy"])
    np.savez(path / "d.npz", **ARRAYS["d.npz"])
    rows = sx.read(path / "d.csv", label="kind")
    model = sx.Perceptron().fit(rows)
    sx.save(model, path / "model.json")
    (path / "proof.json").write_text(model.certificate_.to_json(), encoding="utf-8")
    return path


@pytest.mark.parametrize("line", BAD_LINES)
def test_the_command_line_does_not_speak_python(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    run([*shlex.split(line)])
    out, err = capsys.readouterr()
    assert err
    found = PYTHON_WORDS.search(out + err)
    assert found is None, out + err
