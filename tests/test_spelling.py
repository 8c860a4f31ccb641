"""How numbers and labels are written: one grammar for files, certificates and the checker."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import separatrix as sx
from separatrix.certificates import About, Separable, SolutionWithin
from separatrix.certificates.check import labels as checker_labels
from separatrix.certificates.check.__main__ import main
from separatrix.certificates.check.least_squares import TargetTable
from separatrix.certificates.check.table import Table, Unreadable
from separatrix.certificates.data import labels as certificate_labels
from separatrix.certificates.data.labels import signs_of
from separatrix.cli.program import run as command
from separatrix.rows.files import class_labels as file_labels

NUMBERS = {
    "1": 1.0, " 1": 1.0, "1 ": 1.0, "\t1\t": 1.0, "+1": 1.0, "-1": -1.0, ".5": 0.5, "5.": 5.0,
    "+.5e-3": 0.0005, "1e5": 1e5, "1E+5": 1e5, "00012": 12.0, "-0": -0.0, "1e-400": 0.0, "4.9e-324": 5e-324,
    "9007199254740992": 2.0**53, "9007199254740993.0": 2.0**53, "1e22": 1e22, "0" * 5000 + "7": 7.0,
    "0." + "3" * 5000: 1 / 3, "1.7976931348623157e308": 1.7976931348623157e308,
}  # fmt: skip
NO_NUMBERS = [
    "", " ", "x", "inf", "-inf", "+Infinity", "nan", "NaN", "NA", "0x10", "0x1p3", "1_0", "１", "٣",
    "1e400", "-1e400", "1d5", "1.5f", "1,5", "--1", "+-1", "e5", ".", "1e", "1e+", "1 2", "\u00a01",
    "\u20071", "\x0b1", "1\n", "\x1c1", "9007199254740993", "-9007199254740993", "1" * 5000, "1\u0660",
    "TRUE", "½", "1j", "(1)", "$1", "10%",
]  # fmt: skip


@pytest.fixture
def file(tmp_path):
    def write(text, name="data.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return write


def read_features(path):
    """The feature of each row, by the reader of files and by the checker; None where it is refused."""
    try:
        ours = np.concatenate([block.X[:, 0] for block in sx.read(path).blocks()]).tolist()
    except sx.DataError:
        ours = None
    try:
        theirs = [values[0] for values, _ in Table(str(path), None, None, 1).rows()]
    except Unreadable:
        theirs = None
    return ours, theirs


@pytest.mark.parametrize("text", [*NUMBERS, *NO_NUMBERS], ids=lambda text: ascii(text)[:20])
def test_a_number_is_read_alike_or_refused_by_both(text, file):
    wanted = [0.25, NUMBERS[text]] if text in NUMBERS else None
    for column in (f'x,label\n0.25,1\n"{text}",0\n', f'x,label\n0.25,1\n"{text}",0'):
        ours, theirs = read_features(file(column))
        assert (ours, theirs) == (wanted, wanted)
    target = file(f'x,y\n1,0.25\n2,"{text}"\n')
    try:
        blocks = [block.targets for block in sx.read(target, regression=True).blocks()]
        ours = np.concatenate(blocks).tolist()
    except sx.DataError:
        ours = None
    try:
        theirs = [number for _, number in TargetTable(str(target), None, None, None).rows()]
    except Unreadable:
        theirs = None
    assert (ours, theirs) == (wanted, wanted)


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        (["true", "false", "1", "0"], [1.0, 0.0, 1.0, 0.0]),
        (["TRUE", "False"], [1.0, 0.0]),
        (["False", "tRuE"], None),
        (["true", "2"], None),
        (["1", "true"], None),
        ([" true", "false"], None),
        (["true", ""], None),
    ],
)
def test_a_column_of_truth_values_is_read_alike(column, wanted, file):
    lines = [f"{text},{label}" for text, label in zip(column, [1, 0, 0, 1], strict=False)]
    assert read_features(file("\n".join(["x,label", *lines]))) == (wanted, wanted)


# Labels

SPELLINGS = [
    *NUMBERS,
    *NO_NUMBERS,
    "true",
    "false",
    "True",
    "FALSE",
    "spam",
    " spam",
    "01",
    "1.0",
    "-0.0",
    "2",
]
SPELLINGS += ["9223372036854775807", "9223372036854775808", "9223372036854775808.0", "null", "?", "n/a"]


def test_labels_mean_the_same_wherever_they_are_read():
    values = [*SPELLINGS, 1, 1.0, True, 2**53 + 1, 2.0**53, -(2**63), 2**63, 10**400, float("inf")]
    for value in values:
        readers = (file_labels, checker_labels, certificate_labels)
        found = {(type(meant), meant) for meant in (reader.meaning(value) for reader in readers)}
        assert len(found) == 1, found


def pairs_of_labels():
    rng = np.random.default_rng(0)
    texts = [text for text in SPELLINGS if '"' not in text]
    for _ in range(300):
        size = int(rng.integers(1, 4))
        yield [texts[k] for k in rng.choice(len(texts), size, replace=False)]


def test_columns_of_labels_are_read_alike(file):
    """The same rows are positive, or both readers refuse the file."""
    agreed = 0
    for chosen in pairs_of_labels():
        path = file("x,label\n" + "".join(f'{k},"{text}"\n' for k, text in enumerate(chosen)))
        for positive in (None, *chosen):
            proof = Separable((1.0,), 0.0, about=About(positive=positive, label="label"))
            try:
                found = proof._read(sx.read(path, label="label"), None)
                ours = [sign for piece in found.pieces() for sign in piece.signs.tolist()]
            except ValueError as error:
                if "continuous" in str(error):
                    continue  # classes that are no whole numbers: refused by the reader of files alone
                ours = None
            try:
                theirs = [sign for _, sign in Table(str(path), "label", None, positive).rows()]
            except Unreadable:
                theirs = None
            assert ours == theirs, (chosen, positive)
            agreed += ours is not None
    assert agreed > 200


def test_labels_in_memory_are_those_of_a_file(file):
    for chosen in (["0", "1"], ["0.0", "+1"], ["false", "TRUE"], ["no", "yes"], ["9", "10"], ["9", "x"]):
        path = file("x,label\n" + "".join(f"{k},{text}\n" for k, text in enumerate(chosen)))
        signs, positive = signs_of(np.array(chosen), None)
        assert [sign for _, sign in Table(str(path), None, None, None).rows()] == signs.tolist()
        assert [sign for _, sign in Table(str(path), None, None, positive).rows()] == signs.tolist()


def test_a_label_of_many_digits_is_text(file, tmp_path, capsys):
    long = "7" * 5000
    path = file(f"x,label\n1,a\n2,{long}\n")
    record = Separable((1.0,), -1.5, about=About(positive=long)).to_dict()
    assert sx.read(path).classes.tolist() == [long, "a"]
    for wanted, positive in ((0, long), (4, "7" * 4999)):
        record["about"]["positive"] = positive
        (tmp_path / "proof.json").write_text(json.dumps(record), encoding="utf-8")
        assert main([str(tmp_path / "proof.json"), str(path)]) == wanted
        assert command(["verify", str(tmp_path / "proof.json"), str(path)]) == wanted
    assert Separable((1.0,), -1.5).bound_to([[1.0], [2.0]], [0, long]).to_json()
    with pytest.raises(ValueError, match="a whole number of 16"):
        Separable((1.0,), -1.5).verify([[1.0], [2.0]], np.array([0, 10**5000], object))


def test_a_file_without_column_names_loses_no_row(file, tmp_path, capsys):
    """Its first row would be taken for names."""
    path, proof = file("3,0\n1,0\n2,1\n"), tmp_path / "proof.json"
    proof.write_text(Separable((1.0,), -1.5).to_json())
    assert main([str(proof), str(path)]) == command(["verify", str(proof), str(path)]) == 2
    assert "begins with numbers" in capsys.readouterr().err
    assert main([str(proof), str(path), "--label", "0"]) == 0, "these are the names, then"


# Gzip is told by the content


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz"])
@pytest.mark.parametrize("packed", [True, False])
def test_gzip_is_told_by_the_content(name, packed, tmp_path):
    text = b"x,label\n1,0\n2,0\n3,1\n"
    data, proof = tmp_path / name, tmp_path / "proof.json"
    data.write_bytes(gzip.compress(text) if packed else text)
    proof.write_text(Separable((1.0,), -2.5).to_json())
    assert main([str(proof), str(data)]) == command(["verify", str(proof), str(data)]) == 0
    proof.write_text(SolutionWithin((0.5,), -2 / 3, 0.0, 1e-9, (1e-9, 1e-9)).to_json())
    assert main([str(proof), str(data)]) == command(["verify", str(proof), str(data)]) == 0


@pytest.mark.parametrize("cut", [slice(0, 15), slice(0, -8)])
def test_damaged_gzip_is_told_in_one_sentence(cut, tmp_path, capsys):
    packed = bytearray(gzip.compress(b"x,label\n1,0\n2,0\n3,1\n")[cut])
    packed[12] ^= 0xFF
    data, proof = tmp_path / "data.csv.gz", tmp_path / "proof.json"
    data.write_bytes(packed)
    proof.write_text(Separable((1.0,), -2.5).to_json())
    assert main([str(proof), str(data)]) == 2
    assert command(["verify", str(proof), str(data)]) == 2
    assert capsys.readouterr().err.count("\n") == 2
