"""A diagnosis says what is there: facts against counts made by hand, and one record for every rendering."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix.reports.diagnosis.data_checks import constant_columns, dependences, repetition
from separatrix.rows import as_rows


def names_of(rows):
    return rows.columns or tuple(f"column {j}" for j in range(rows.n_columns))


def test_repeated_rows_and_twins_are_counted():
    X = [[1.0, 2.0], [1.0, 2.0], [-0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [5.0, 5.0]]
    y = ["a", "a", "a", "b", "b", "a"]
    found = repetition(as_rows(X, y))
    assert (found.repeated, found.twin_groups, found.twin_rows, found.forced_errors) == (3, 1, 3, 1)
    assert found.twins == ((2, 3, 4),)


def test_sparse_rows_repeat_as_dense_ones_do():
    from scipy.sparse import csr_array

    generator = np.random.default_rng(3)
    X = generator.integers(0, 2, size=(200, 5)).astype(float)
    y = generator.integers(0, 2, 200)
    dense, sparse = repetition(as_rows(X, y)), repetition(as_rows(csr_array(X), y))
    assert dense == sparse
    pairs = {tuple(row) for row in X.tolist()}
    assert dense.repeated == 200 - len(pairs)


def test_constant_and_dependent_columns_are_named():
    generator = np.random.default_rng(0)
    base = generator.integers(-9, 10, size=(50, 2)).astype(float)
    X = np.column_stack([base[:, 0], np.full(50, 7.0), base[:, 1], base[:, 0] + 2 * base[:, 1] - 3])
    rows = as_rows(X, generator.integers(0, 2, 50))
    assert constant_columns(rows) == (1,)
    found = dependences(rows, ("a", "seven", "b", "mix"), intercept=True)
    assert {one.column for one in found} == {"seven", "mix"}
    mix = next(one for one in found if one.column == "mix")
    assert set(mix.on) <= {"a", "b", "seven"}
    assert mix.exact
    assert dependences(rows, ("a", "seven", "b", "mix"), intercept=False)


def test_a_rounded_sum_is_independent():
    a, b = np.array([0.1, 0.2, 0.3, 0.7]), np.array([0.2, 0.7, 0.1, 0.1])
    X = np.column_stack([a, b, a + b])
    exact = all(Fraction(p) + Fraction(q) == Fraction(r) for p, q, r in X.tolist())
    found = dependences(as_rows(X, [0, 1, 0, 1]), ("a", "b", "sum"), intercept=False)
    assert bool(found) is exact


@pytest.mark.parametrize(
    ("name", "kind"),
    [("endometrial", "quasi"), ("haberman", "overlap"), ("breast_cancer_wdbc", "complete")],
)
def test_kinds_are_those_of_the_manifest(name, kind, data_folder):
    rows = sx.read(data_folder / f"{name}.csv")
    found = sx.diagnose(rows, budget=2)
    (task,) = found.tasks
    assert task.kind == kind
    assert task.proven
    assert all(one.holds for one in task.evidence)
    if kind == "complete":
        assert task.fewest.optimal
        assert task.fewest.upper == 0
    else:
        assert len(task.conflict) <= rows.n_columns + 2
        values = {row.row: row.values for row in task.conflict}
        X = np.concatenate([block.X for block in rows.blocks()])
        assert all(values[row] == tuple(X[row].tolist()) for row in values)
    if name == "endometrial":
        assert {c.name: c.runs_to for c in task.coefficients} == {
            "NV": "+inf",
            "PI": "finite",
            "EH": "finite",
        }
        assert (task.fewest.lower, task.fewest.upper) == (8, 8)
    if name == "haberman":
        assert found.data.repetition.twin_groups == 6
        assert task.fewest.upper >= 66 >= task.fewest.lower
    errors = {c.method: c.errors for c in task.contenders}
    assert all(count >= task.fewest.lower for count in errors.values())


def test_ionosphere_has_a_constant_column(data_folder):
    rows = sx.read(data_folder / "ionosphere.csv")
    assert [names_of(rows)[j] for j in constant_columns(rows)] == ["a2"]


def test_several_classes_are_one_question_each():
    X, y = sx.problems.iris("setosa", "versicolor")
    X, y = np.concatenate([X, X + 20.0]), np.array(["a"] * 50 + ["b"] * 50 + ["c"] * 100)
    found = sx.diagnose(X, y, budget=1)
    assert [task.positive for task in found.tasks] == ["a", "b", "c"]
    assert all(task.negative is None for task in found.tasks)
    assert found.tasks[2].kind == "complete"
    assert "3 classes, each against the rest" in str(found)


def test_held_out_rows_have_their_interval():
    X, y = sx.problems.iris("setosa", "versicolor")
    found = sx.diagnose(X[::2], y[::2], X_test=X[1::2], y_test=y[1::2], budget=1)
    for one in found.tasks[0].contenders:
        assert one.held_out.rows == 50
        assert one.held_out.interval[0] <= one.held_out.error_rate <= one.held_out.interval[1]
    assert "held out" in str(found)


@pytest.mark.parametrize("problem", ["xor", "iris", "quasi", "near_ties", "incomes"])
def test_the_record_fits_its_schema(problem):
    jsonschema = pytest.importorskip("jsonschema")
    X, y = sx.problems.ALL[problem]()
    found = sx.diagnose(X, y, budget=1)
    schema = json.loads(files("separatrix.reports.diagnosis").joinpath("schema.json").read_text())
    record = json.loads(found.to_json())
    jsonschema.validate(record, schema, cls=jsonschema.Draft202012Validator)
    damaged = record | {"tasks": [record["tasks"][0] | {"kind": "perhaps"}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(damaged, schema)


def test_text_is_a_dozen_lines_of_the_width_asked_for():
    found = sx.diagnose(*sx.problems.xor(), budget=1)
    lines = str(found).splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 100
    assert "Products of up to 2 columns" in " ".join(found.tasks[0].advice)


@pytest.mark.parametrize(
    ("budget", "X", "y", "sentence"),
    [
        (0, [[1.0], [2.0]], [0, 1], "budget must be"),
        (1, [[1.0], [2.0]], [0, 0], "one class"),
        (1, [[1.0], [float("nan")]], [0, 1], "NaN"),
    ],
)
def test_rubbish_gets_a_sentence(budget, X, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        sx.diagnose(X, y, budget=budget)


INTERRUPTED = """
import os, signal, threading
import numpy as np
import separatrix as sx

def tell(text):
    if "fitting: fewest" in text:
        threading.Timer(3.0, os.kill, (os.getpid(), signal.SIGINT)).start()

rng = np.random.default_rng(0)
X, y = rng.normal(size=(400, 6)), rng.integers(0, 2, 400)
sx.diagnose(X, y, budget=1)  # compiled: an interrupt in a callback of the compiler is lost
try:
    sx.diagnose(X, y, budget=40, progress=tell)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_ends_a_diagnosis(interruptible):
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], env=environment, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


@pytest.mark.parametrize("part", ["Perceptron", "LogisticRegression", "LinearSVM", "ZeroOne", "MaxMargin"])
@pytest.mark.parametrize("problem", ["xor", "and_gate"])
def test_a_part_that_cannot_be_made_is_left_out_with_a_sentence(monkeypatch, part, problem):
    def refuse(self, *_):
        raise sx.DataError("These rows are refused.")

    X, y = sx.problems.xor()
    y = y if problem == "xor" else [0, 0, 0, 1]
    whole = sx.diagnose(X, y, budget=1)
    monkeypatch.setattr(getattr(sx, part), "_solve" if part != "Perceptron" else "_solve_all", refuse)
    found = sx.diagnose(X, y, budget=1)
    missing = len(whole.tasks[0].contenders) - len(found.tasks[0].contenders)
    assert missing == len(found.notes)
    assert all(note.endswith(": left out. These rows are refused.") for note in found.notes)
    assert all(note in found.to_html() for note in found.notes)
    assert found.tasks[0].evidence == whole.tasks[0].evidence


def test_weights_that_have_no_place_on_a_scale_are_not_drawn():
    X = [[1e308, 0.0], [-1e308, 1.0], [1.7e308, 1.0], [0.0, -1.0], [-1.7e308, 0.0], [1e308, 1.0]]
    page = sx.diagnose(X, [0, 1, 0, 1, 0, 1], budget=1).to_html()
    assert '"nan"' not in page
    assert '"inf"' not in page
