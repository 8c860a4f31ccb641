"""The independent checker: alone, copied out, and of the same mind as ``verify``."""

from __future__ import annotations

import ast
import csv
import gzip
import json
import math
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix.certificates.check as check
from separatrix.certificates import (
    About,
    ErrorsAtMost,
    MarginShare,
    MistakeRun,
    Separable,
    Undecided,
    from_dict,
)
from separatrix.certificates.check.__main__ import main
from separatrix.certificates.fields import to_json_number

FOLDER = Path(check.__file__).parent

X = np.array([[0.5, -0.0], [1.5, 1.0], [-2.0, 3.0], [0.0, -1.0], [2.0, 2.0], [0.1, 0.1]])
y = np.array([0, 1, 1, 0, 1, 0])


def perceptron(passes):
    """The run of the textbook's loop on these rows."""
    Z, counts = np.column_stack((X, np.ones(len(X)))) * (2 * y - 1)[:, None], np.zeros(len(X), dtype=int)
    w = np.zeros(3)
    for _ in range(passes):
        for i, z in enumerate(Z):
            if z @ w <= 0:
                w += z
                counts[i] += 1
    rows = np.flatnonzero(counts)
    return MistakeRun(rows, counts[rows], counts.sum(), w[:-1], w[-1], bool((Z @ w > 0).all()))


PROOFS = [
    Separable((1.0, 1.0), -0.75),
    Separable((2**90, 2**90), -(3 * 2**88)),
    ErrorsAtMost((1.0, 1.0), -0.25, 1),
    perceptron(passes=1),
    perceptron(passes=50),
    MarginShare((1.0, 1.0), -0.75, (0, 1), (5, 3), 0.25),
]


def write_csv(path, X, y, header=None):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header or [*(f"x{j}" for j in range(len(X[0]))), "y"])
        writer.writerows([*map(repr, map(float, row)), label] for row, label in zip(X, y, strict=True))
    return path


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "data.csv", X, y)


@pytest.fixture
def put(tmp_path):
    def write(certificate):
        path = tmp_path / "certificate.json"
        text = certificate if isinstance(certificate, str) else json.dumps(certificate)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def status(*arguments):
    return main([str(argument) for argument in arguments])


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.kind)
def test_every_issued_certificate_is_accepted(proof, data, put, capsys):
    assert proof.verify(X, y), proof.verify(X, y)
    assert status(put(proof.bound_to(X, y).to_json()), data) == 0
    assert capsys.readouterr().out.startswith("Holds: of 6 rows, ")
    assert status(put(proof.to_json()), data) == 0


def integer(value):
    return int(value, 16) if isinstance(value, str) else value


def forgeries(record):
    for name in ("weights", "counts", "multipliers", "rows"):
        if name in record:
            value = record[name][-1]
            more = {"weights": -(10**28), "multipliers": 1000}.get(name, 1)
            forged = value - 3.0 if isinstance(value, float) else to_json_number(integer(value) + more)
            yield {**record, name: [*record[name][:-1], forged]}
    digest = record["about"]["digest"]
    digit = "0" if digest[-1] != "0" else "1"
    yield {**record, "about": {**record["about"], "digest": digest[:-1] + digit}}
    yield {**record, "about": {**record["about"], "positive": 0}}
    yield {**record, "about": {**record["about"], "rows": 5}}


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.kind)
def test_every_forged_certificate_is_refused(proof, data, put, capsys):
    for forged in forgeries(proof.bound_to(X, y).to_dict()):
        assert status(put(forged), data) == 4, forged
        assert capsys.readouterr().out.startswith("Refused: ")
        assert not from_dict(forged).verify(X, y)


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.kind)
def test_other_data_is_refused(proof, tmp_path, put):
    certificate = put(proof.bound_to(X, y).to_json())
    moved, flipped = X.copy(), y.copy()
    moved[4, 1] = math.nextafter(2.0, 3.0)
    flipped[1] = 0
    for other_X, other_y in [(moved, y), (X, flipped), (X[:5], y[:5]), (X[:, :1], y)]:
        assert status(certificate, write_csv(tmp_path / "other.csv", other_X, other_y)) == 4


def test_the_files_are_read_as_they_are_meant(tmp_path, put):
    named = Separable((1.0, 1.0), -0.75, about=About(features=("a", "b"), label="class", positive="yes"))
    certificate = put(named.bound_to(X, np.array(["no", "yes"])[y]).to_json())
    columns = ["class", "b", "more", "a"]
    lines = [["yes" if s else "no", b, "text, quoted", a] for (a, b), s in zip(X.tolist(), y, strict=True)]
    path = tmp_path / "named.csv"
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, lineterminator="\r\n").writerows([columns, *lines[:3], [], *lines[3:]])
    packed = tmp_path / "named.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert status(certificate, path) == status(certificate, packed) == 0

    first = write_csv(tmp_path / "first.csv", np.column_stack((y, X[:, 0])), X[:, 1], ["y", "a", "b"])
    assert status(put(PROOFS[0].bound_to(X, y).to_json()), first, "--label", "y") == 0
    signs = write_csv(tmp_path / "signs.csv", X, [f"{2 * s - 1}.0" for s in y])
    assert status(put(Separable((1.0, 1.0), -0.75).to_json()), signs) == 0
    truth = write_csv(tmp_path / "truth.csv", X, ["true" if s else "false" for s in y])
    assert status(put(Separable((1.0, 1.0), -0.75).bound_to(X, y == 1).to_json()), truth) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("", "no header"),
        ("y\n1\n", "no header"),
        ("a,b,y\n", "fewer than two values"),
        ("a,b,y\n1,2,0\n1,2\n", "line 3: 2 cells"),
        ("a,b,y\n1,2,0\nx,2,1\n", "line 3: a feature is not a finite number"),
        ("a,b,y\n1,nan,0\n1,2,1\n", "line 2: a feature is not a finite number"),
        ("a,b,y\n1,,0\n1,2,1\n", "line 2: a feature"),
        ("a,b,y\n1,2,0\n1,2,1\n1,2,2\n", "more than two values"),
        ('a,b,y\n1,2,0\n1,"2,1\n', "after line"),
        (b"\x1f\x8b damaged", "cannot be read"),
        (b"a,b,y\n1,2,\xff\n", "after line"),
    ],
)
def test_bad_data_is_told_in_one_line(text, said, tmp_path, put, capsys):
    path = tmp_path / "bad.csv"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert status(put(PROOFS[0].to_json()), path) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_label_column_that_is_missing_is_told(data, put, capsys):
    assert status(put(PROOFS[0].to_json()), data, "--label", "spam") == 2
    assert "no column named 'spam'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as usage:
        status("certificate.json")
    assert usage.value.code == 2


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 1},
        {"version": 3},
        {"version": True},
        {"kind": "unheard-of"},
        {"kind": 3},
        {"about": {}},
        {"about": None},
        {"extra": 1},
        {"weights": "1"},
        {"weights": [1.0, "1.5"]},
        {"weights": [1.0, None]},
        {"intercept": True},
    ],
)
def test_a_damaged_certificate_is_told_in_one_line(change, data, put, capsys):
    assert status(put(PROOFS[0].to_dict() | change), data) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "{", "[" * 100000, '{"a": NaN}', '{"format": 1, "format": 1}', "[]"])
def test_what_is_no_certificate_is_told_in_one_line(text, data, put, capsys):
    assert status(put(text), data) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_nothing_proven_is_refused(data, put, capsys):
    assert status(put(Undecided("The passes ran out.").to_json()), data) == 4
    assert capsys.readouterr().out == "Refused: It proves nothing: The passes ran out.\n"


def test_numbers_beyond_pythons_limit_of_digits_are_read(data, put):
    large = 10**6000
    proof = Separable((4 * large, 4 * large), -3 * large)
    assert proof.verify(X, y)
    assert status(put(proof.to_json()), data) == 0


# Alone


def test_it_imports_the_standard_library_alone():
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {name.name.split(".")[0] for name in node.names} <= sys.stdlib_module_names
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 1 or node.module.split(".")[0] in sys.stdlib_module_names


def test_it_is_short():
    for path in FOLDER.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 220, path.name


@pytest.mark.parametrize("name", ["check", "checker 1.0"])
def test_copied_out_it_works_without_the_library(name, data, put, tmp_path):
    copied = tmp_path / "elsewhere" / name
    shutil.copytree(FOLDER, copied, ignore=shutil.ignore_patterns("__pycache__"))
    certificate = put(PROOFS[4].bound_to(X, y).to_json())
    command = [sys.executable, "-I", "-S", str(copied), str(certificate), str(data)]
    accepted = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (accepted.returncode, accepted.stderr) == (0, "")
    assert accepted.stdout.startswith("Holds: ")
    write_csv(data, X, 1 - y)
    assert subprocess.run(command, capture_output=True, cwd=tmp_path).returncode == 4


def test_as_a_module_it_loads_no_numpy(data, put):
    certificate = put(PROOFS[0].bound_to(X, y).to_json())
    program = (
        "import runpy, sys\n"
        "try:\n    runpy.run_module('separatrix.certificates.check', run_name='__main__', alter_sys=True)\n"
        "except SystemExit as end:\n    print(end.code, 'numpy' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, str(certificate), str(data)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parents[2])
    assert done.stdout.splitlines()[-1] == "0 False", done.stderr


# Of one mind


values = st.one_of(
    st.integers(-3, 3).map(float),
    st.sampled_from([0.1, -0.3, 1e300, -1e-300, 5e-324, -0.0, 2.0**53 - 1]),
)
numbers = st.one_of(values, st.integers(-3, 3), st.integers(-(2**80), 2**80))


@st.composite
def cases(draw):
    d, n = draw(st.integers(1, 3)), draw(st.integers(2, 6))
    rows = draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n))
    labels = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    weights = tuple(draw(st.lists(numbers, min_size=d, max_size=d)))
    intercept = draw(st.one_of(st.none(), numbers))
    named = tuple(sorted(draw(st.sets(st.integers(0, n), min_size=1, max_size=n))))
    counts = tuple(draw(st.lists(st.integers(1, 4), min_size=len(named), max_size=len(named))))
    kind = draw(st.sampled_from(["separable", "errors", "run", "share"]))
    if kind == "separable":
        proof = Separable(weights, intercept)
    elif kind == "errors":
        proof = ErrorsAtMost(weights, intercept, draw(st.integers(0, n)))
    elif kind == "share":
        proof = MarginShare(weights, intercept, named, counts, draw(st.sampled_from([1e-300, 0.1, 0.5, 1.0])))
    else:
        sums = combination(rows, labels, named, counts, intercept is not None)
        noise = draw(st.sampled_from([0, 0, 0, 1]))
        total = [math.nextafter(value, math.inf) if noise else value for value in sums]
        weights, intercept = (total[:-1], total[-1]) if intercept is not None else (total, None)
        proof = MistakeRun(named, counts, sum(counts), weights, intercept, draw(st.booleans()))
    return rows, labels, proof


def combination(rows, labels, named, counts, constant):
    columns = [*zip(*rows, strict=True), *([(1.0,) * len(rows)] if constant else [])]
    pairs = [(i, count) for i, count in zip(named, counts, strict=True) if i < len(rows)]
    terms = [(i, count if labels[i] else -count) for i, count in pairs]
    return [float(sum(factor * Fraction(column[i]) for i, factor in terms)) for column in columns]


@given(case=cases(), sealed=st.booleans())
def test_verify_and_the_checker_agree(case, sealed, tmp_path_factory):
    rows, labels, proof = case
    folder = tmp_path_factory.mktemp("case")
    proof = proof.bound_to(rows, labels) if sealed else proof
    (folder / "certificate.json").write_text(proof.to_json())
    data = write_csv(folder / "data.csv", rows, labels)
    assert status(folder / "certificate.json", data) == (0 if proof.verify(rows, labels) else 4)
