"""Certificates about prepared columns hold of the original data, for every reader and without options."""

from __future__ import annotations

import copy
import csv
import json

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv
from pyarrow import parquet

import separatrix as sx
from separatrix.certificates import CertificateError, from_dict, from_json
from separatrix.certificates.check.__main__ import main
from separatrix.certificates.check.least_squares import TargetTable
from separatrix.certificates.check.preparation import Preparation as CheckedPreparation
from separatrix.certificates.check.table import Table, Unreadable
from separatrix.certificates.data.measured_targets import read_targets
from separatrix.certificates.data.preparation import preparation_of
from separatrix.certificates.data.reading import read as read_table
from separatrix.certificates.data.reading import refuse_infinite
from separatrix.certificates.schema import schema
from separatrix.cli.program import run
from separatrix.models.storage import _digest
from separatrix.rows.preparation import Preparation

REMEDY = "separatrix export CERTIFICATE DATA --rows prepared.csv"
HEADER = ["age", "sex", "colour", "vip", "note", "label"]
PEOPLE = [
    ["20", "m", "red", "true", "free, free now", "1"],
    ["", "f", "blue", "false", "hello you", "0"],
    ["40", "m", "green", "true", "", "1"],
    ["30", "f", "red", "false", "you FREE", "0"],
    ["22", "", "none", "true", "x", "1"],
    ["NA", "f", "mauve", "true", "x", "1"],
    ["25", "f", "blue", "true", "x", ""],
    ["28", "f", 'o,d "d"', "true", "now", "0"],
]


def write(path, header, lines):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *lines])
    return path


@pytest.fixture
def people(tmp_path):
    return write(tmp_path / "people.csv", HEADER, PEOPLE)


@pytest.fixture
def put(tmp_path):
    """Write a certificate, a record or its text."""

    def write_certificate(certificate):
        path = tmp_path / "certificate.json"
        text = certificate if isinstance(certificate, str) else json.dumps(certificate)
        path.write_text(text, encoding="utf-8")
        return path

    return write_certificate


def text_table(path):
    """The file as an Arrow table of text."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    columns = [[cell or None for cell in column] for column in zip(*lines, strict=True)]
    return pa.table(
        {name: pa.array(column, pa.string()) for name, column in zip(header, columns, strict=True)}
    )


def frames(path):
    """The original table as each library reads it."""
    yield pd.read_csv(path, keep_default_na=False, na_values=[""])
    yield pl.read_csv(path, infer_schema_length=None)
    yield arrow_csv.read_csv(path, convert_options=arrow_csv.ConvertOptions(strings_can_be_null=True))
    yield text_table(path)


def frame_status(certificate, frame):
    try:
        return 0 if certificate.verify(frame) else 4
    except ValueError:
        return 2


def statuses(certificate, data, capsys):
    """The exit codes of `verify` and of the checker, and what they say."""
    codes = run(["verify", str(certificate), str(data)]), main([str(certificate), str(data)])
    return codes, "".join(capsys.readouterr())


def issue(rows):
    return sx.separate(rows).certificate.to_json()


LEVELS = {
    "one": ["only"],
    "two": ["f", "m"],
    "three": ["a", "b", "c"],
    "many": [f"level {k}" for k in range(40)],
    "odd": [
        "a,b",
        'say "so"',
        "two\nlines",
        "=1+1",
        " blanks ",
        "é",
        "🙂",
        "c=d",
        "a:b",
        "#",
        "NA",
        "None",
        "?",
    ],
    "numbers": ["1.0", "2.0", "-3", "1e5", "007"],
    "same number twice": ["1", "1.0", "2"],
    "truth": ["False", "True"],
    "words for missing": ["nan", "null", "n/a"],
    "tabs": ["x", "x ", "\tx"],
}


@pytest.mark.parametrize("name", LEVELS)
def test_categories_go_round(name, tmp_path, put, capsys):
    levels = LEVELS[name]
    lines = [[str(k / 4), levels[k % len(levels)], "no" if k < 25 else "yes"] for k in range(50)]
    path = write(tmp_path / "data.csv", ["x", "c", "y"], lines)
    rows = sx.read(path, encode=["c"])
    certificate = put(issue(rows))
    record = json.loads(certificate.read_text(encoding="utf-8"))
    jsonschema.validate(record, schema())
    assert record["about"]["preparation"]["columns"][1] == {
        "kind": "categories",
        "name": "c",
        "values": sorted(levels),
        "fill": None,
    }
    assert statuses(certificate, path, capsys)[0] == (0, 0)
    loaded = from_json(certificate.read_text(encoding="utf-8"))
    assert loaded.verify(rows)
    assert loaded.verify(text_table(path))
    for order in (["y", "c", "x"], ["c", "more", "x", "y"]):
        columns = {"x": 0, "c": 1, "y": 2}
        moved = [[line[columns[n]] if n in columns else "text" for n in order] for line in lines]
        assert statuses(certificate, write(tmp_path / "moved.csv", order, moved), capsys)[0] == (0, 0)


OPTIONS = {
    "drop": {"features": ["age"], "missing": "drop"},
    "encoded": {"encode": ["sex", "colour"], "drop": ["note"], "missing": "drop"},
    "every text": {"encode": True, "drop": ["note"], "missing": "drop"},
    "truth values": {"features": ["vip", "age"], "missing": "drop"},
    "encoded truth values": {"features": ["vip", "age"], "encode": ["vip"], "missing": "drop"},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_prepared_rows_are_made_again_from_every_table(name, people, tmp_path, put, capsys):
    rows = sx.read(people, **OPTIONS[name])
    certificate = put(issue(rows))
    loaded = from_json(certificate.read_text(encoding="utf-8"))
    assert loaded.about.rows == rows.n_rows < len(PEOPLE)
    assert statuses(certificate, people, capsys)[0] == (0, 0)
    assert [frame_status(loaded, frame) for frame in frames(people)] == [0, 0, 0, 0]
    parquet.write_table(list(frames(people))[2], tmp_path / "people.parquet")
    assert run(["verify", str(certificate), str(tmp_path / "people.parquet")]) == 0


def test_numbers_and_truth_values_are_categories_in_typed_files_too(tmp_path, put):
    path = write(
        tmp_path / "d.csv",
        ["k", "t", "y"],
        [["1.0", "True", "0"], ["2.0", "False", "1"], ["3.5", "True", "0"]],
    )
    certificate = put(issue(sx.read(path, encode=["k", "t"])))
    loaded = from_json(certificate.read_text(encoding="utf-8"))
    assert [frame_status(loaded, frame) for frame in frames(path)] == [0, 0, 0, 0]
    parquet.write_table(arrow_csv.read_csv(path), tmp_path / "d.parquet")
    assert run(["verify", str(certificate), str(tmp_path / "d.parquet")]) == 0
    typed = put(issue(sx.read(tmp_path / "d.parquet", encode=["k", "t"])))
    assert (run(["verify", str(typed), str(path)]), main([str(typed), str(path)])) == (0, 0)


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        ("ridge", ["--features", "sex,colour,vip", "--label", "age"]),
        ("linear", ["--features", "sex,colour", "--label", "age"]),
        ("perceptron", ["--features", "age,sex,colour", "--positive", "1"]),
        ("logistic", ["--features", "age,sex", "--positive", "1"]),
        ("svm", ["--features", "age,sex", "--label", "vip"]),
    ],
)
def test_every_family_of_claims_reads_prepared_rows(model, arguments, people, tmp_path, capsys):
    path = tmp_path / "certificate.json"
    fit = ["fit", str(people), "--model", model, "--encode", "--missing", "drop", *arguments, "-q"]
    assert run([*fit, "--certificate", str(path)]) == 0
    capsys.readouterr()
    assert statuses(path, people, capsys)[0] == (0, 0)
    assert from_json(path.read_text(encoding="utf-8")).verify(text_table(people))


def test_claims_about_several_classes_read_prepared_rows(people, tmp_path, put, capsys):
    options = {"label": "colour", "features": ["age", "sex"], "encode": True, "missing": "drop"}
    rows = sx.read(people, **options)
    joint = sx.LogisticRegression(multi_class="multinomial").fit(rows)
    certificate = put(joint.certificate_.to_json())
    assert statuses(certificate, people, capsys)[0] == (0, 0)
    assert from_json(certificate.read_text(encoding="utf-8")).verify(text_table(people))
    sx.save(sx.LogisticRegression().fit(rows), tmp_path / "model.json")
    assert run(["verify", str(tmp_path / "model.json"), str(people)]) == 0


def test_other_data_is_refused(people, tmp_path, put, capsys):
    certificate = put(issue(sx.read(people, **OPTIONS["encoded"])))
    loaded = from_json(certificate.read_text(encoding="utf-8"))

    def changed(row, column, cell):
        lines = copy.deepcopy(PEOPLE)
        lines[row][column] = cell
        return lines

    others = [
        changed(0, 0, "21"),  # a number
        changed(0, 1, "f"),  # a category
        changed(0, 5, "0"),  # a label
        changed(1, 0, "33"),  # a row that was left out is not, as its category is not known
        changed(3, 0, ""),  # a row is left out
        PEOPLE[::-1],
        PEOPLE[:-1],
    ]
    for number, lines in enumerate(others):
        path = write(tmp_path / "other.csv", HEADER, lines)
        wanted = 2 if number == 3 else 4
        assert statuses(certificate, path, capsys)[0] == (wanted, wanted), number
        assert {frame_status(loaded, frame) for frame in frames(path)} == {wanted}, number


@pytest.mark.parametrize(
    ("row", "column", "cell", "said"),
    [
        (3, 2, "mauve", ["line 5", "'colour'", "'mauve'"]),
        (3, 2, "Red", ["line 5", "'colour'", "'Red'"]),
        (3, 2, "red ", ["line 5", "'colour'", "'red '"]),
        (3, 0, "many", ["line 5"]),
        (3, 0, "9007199254740993", ["2^53"]),
        (3, 0, "-nan", ["line 5"]),
        (3, 0, "inf", ["line 5"]),
        (1, 0, "many", ["line 3"]),  # in a row that is left out anyway
        (4, 0, "0x10", ["line 6", "'age'"]),  # the same
    ],
)
def test_a_cell_that_cannot_be_read_is_named(row, column, cell, said, people, tmp_path, put, capsys):
    certificate = put(issue(sx.read(people, **OPTIONS["encoded"])))
    lines = copy.deepcopy(PEOPLE)
    lines[row][column] = cell
    path = write(tmp_path / "other.csv", HEADER, lines)
    codes, text = statuses(certificate, path, capsys)
    assert codes == (2, 2), text
    sentences = text.strip().splitlines()
    assert len(sentences) == 2
    assert all(part in sentence for part in said for sentence in sentences)
    with pytest.raises(ValueError, match=f"Row {row}"):
        from_json(certificate.read_text(encoding="utf-8")).verify(text_table(path))


def test_without_a_rule_missing_cells_are_refused(tmp_path, put, capsys):
    header, lines = ["x", "c", "y"], [["1", "a", "0"], ["2", "b", "1"]]
    certificate = put(issue(sx.read(write(tmp_path / "d.csv", header, lines), encode=["c"])))
    for cells in (["", "a", "0"], ["1", " ", "0"], ["NULL", "a", "0"], ["1", "a", ""]):
        path = write(tmp_path / "gaps.csv", header, [*lines, cells])
        codes, text = statuses(certificate, path, capsys)
        assert codes == (2, 2), cells
        assert all("missing" in sentence for sentence in text.strip().splitlines())


def forgeries(record):
    """Changes of the preparation, each refused by both readers."""
    about = record["about"]

    def forged(change):
        other = copy.deepcopy(record)
        change(other["about"], other["about"]["preparation"])
        return other

    def column(number, **fields):
        return forged(lambda about, preparation: preparation["columns"][number].update(fields))

    yield "levels swapped", column(1, values=["m", "f"]), 2
    yield "levels swapped and the feature renamed", forged(swap), 4
    yield "a level left out", column(2, values=["green", "red"]), 2
    yield "a level too many", column(1, values=["f", "m", "x"]), 2
    yield "a level twice", column(1, values=["f", "f"]), 2
    yield "no level", column(1, values=[]), 2
    yield "levels are no texts", column(1, values=["f", 1]), 2
    yield "no rule for missing cells", forged(lambda about, p: p.update(missing=None)), 2
    yield "another rule", forged(lambda about, p: p.update(missing="mean")), 2
    yield "an unknown rule", forged(lambda about, p: p.update(missing="keep")), 2
    yield "a rule that is no text", forged(lambda about, p: p.update(missing=True)), 2
    yield "columns in another order", forged(lambda about, p: p["columns"].reverse()), 2
    yield "features too", forged(reorder), 4
    yield "a column left out", forged(lambda about, p: p["columns"].pop()), 2
    yield "a column twice", forged(lambda about, p: p["columns"].append(p["columns"][0])), 2
    yield "no columns", forged(lambda about, p: p.update(columns=[])), 2
    yield "another column", column(0, name="note"), 2
    yield "a column that is the label", forged(lambda about, p: about.update(label="age")), 2
    yield "another kind", column(1, kind="words"), 2
    yield "an unknown kind", column(1, kind="magic"), 2
    yield "no kind", column(1, kind=None), 2
    yield "a field too many", column(1, more=1), 2
    yield "a fill of another length", column(1, fill=[0.5, 0.5]), 2
    yield "a fill that is no list", column(1, fill=0.5), 2
    yield "no scale", column(0, scale=0.0), 2
    yield "a scale that is text", column(0, scale="1"), 2
    yield "another scale", column(0, scale=2.0), (4, 2)
    yield "a shift", column(0, shift=1.0), (4, 2)
    yield "a shift that is no number", column(0, shift=None), 2
    yield "no features", forged(lambda about, p: about.update(features=None)), 2
    yield (
        "other features",
        forged(lambda about, p: about.update(features=["age", "sex", *about["features"][2:]])),
        2,
    )
    yield "no object", {**record, "about": {**about, "preparation": []}}, 2
    yield "an empty object", {**record, "about": {**about, "preparation": {}}}, 2
    yield "a text", {**record, "about": {**about, "preparation": "drop"}}, 2
    yield "a field too many there", forged(lambda about, p: p.update(more=None)), 2
    yield "none", {**record, "about": {**about, "preparation": None}}, 2
    yield "no field", {**record, "about": {name: about[name] for name in about if name != "preparation"}}, 2


def swap(about, preparation):
    preparation["columns"][1]["values"] = ["m", "f"]
    about["features"] = [name.replace("sex=m", "sex=f") for name in about["features"]]


def reorder(about, preparation):
    preparation["columns"].reverse()
    about["features"] = list(preparation_of(preparation).names)


def test_forged_preparations_are_refused(people, put, capsys):
    record = json.loads(issue(sx.read(people, **OPTIONS["encoded"])))
    for name, forged, wanted in forgeries(record):
        codes, text = statuses(put(forged), people, capsys)
        # The command line repeats every preparation, the checker only what it is specified to.
        assert codes == (wanted if isinstance(wanted, tuple) else (wanted, wanted)), (name, text)
        assert "Traceback" not in text
        try:
            certificate = from_dict(forged)
        except CertificateError:
            assert codes[0] == 2
            continue
        assert all(frame_status(certificate, frame) != 0 for frame in frames(people)), name


def test_a_file_that_has_inputs_and_features_is_prepared(tmp_path, put, capsys):
    lines = [["1", "a", "1", "0"], ["2", "b", "0", "1"]]
    path = write(tmp_path / "both.csv", ["x", "c", "c=b", "y"], lines)
    certificate = put(issue(sx.read(path, features=["x", "c"], encode=["c"])))
    assert statuses(certificate, path, capsys)[0] == (0, 0)
    loaded = from_json(certificate.read_text(encoding="utf-8"))
    assert [frame_status(loaded, frame) for frame in frames(path)] == [0, 0, 0, 0]


NOT_REPEATED = {
    "words": {"features": ["age", "sex", "note"], "encode": ["sex"], "text": ["note"], "missing": "drop"},
    "hashed words": {"features": ["vip", "note"], "text": ["note"], "hashed": 8, "missing": "drop"},
    "scaled": {"features": ["age"], "missing": "drop", "scale": "standard"},
    "ranged": {"features": ["age", "sex"], "encode": ["sex"], "missing": "drop", "scale": "range"},
    "imputed": {"features": ["age", "sex", "vip"], "encode": ["sex"], "missing": "mean"},
}


@pytest.mark.parametrize("name", NOT_REPEATED)
def test_other_preparations_are_exported_for_the_checker(name, people, tmp_path, put, capsys):
    path = write(tmp_path / "whole.csv", HEADER, [line for line in PEOPLE if line[-1]])
    rows = sx.read(path, **NOT_REPEATED[name])
    certificate = put(issue(rows))
    jsonschema.validate(json.loads(certificate.read_text(encoding="utf-8")), schema())
    loaded = from_json(certificate.read_text(encoding="utf-8"))
    assert loaded.verify(rows)
    codes, text = statuses(certificate, path, capsys)
    assert codes[0] == 0
    assert codes[1] in (2, 4)
    assert REMEDY in text
    for frame in list(frames(path))[:3]:
        assert REMEDY in loaded.verify(frame).reason
    prepared = tmp_path / "prepared.csv"
    assert run(["export", str(certificate), str(path), "--rows", str(prepared)]) == 0
    assert statuses(certificate, prepared, capsys)[0] == (0, 0)
    assert [frame_status(loaded, frame) for frame in list(frames(prepared))[:3]] == [0, 0, 0]
    again = tmp_path / "again.csv"
    assert run(["export", str(certificate), str(path), "--rows", str(again), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"] == list(loaded.about.features)
    assert again.read_bytes() == prepared.read_bytes()
    prepared.write_text(prepared.read_text(encoding="utf-8").replace("\n", "0\n", 2), encoding="utf-8")
    assert min(statuses(certificate, prepared, capsys)[0]) > 0


def test_what_is_not_repeated_needs_a_digest(people, put, capsys):
    record = json.loads(issue(sx.read(people, **NOT_REPEATED["scaled"])))
    record["about"]["digest"] = None
    certificate = put(record)
    assert main([str(certificate), str(people)]) != 0
    assert REMEDY in "".join(capsys.readouterr())
    X, y = np.array([[1.0], [2.0]]), [1, 0]
    assert REMEDY in from_dict(record | {"about": record["about"] | {"rows": None}}).verify(X, y).reason


def test_export_takes_models_and_standard_streams(people, tmp_path, put, capsys):
    model = tmp_path / "model.json"
    options = ["--features", "age,sex", "--encode", "--missing", "drop", "--scale", "standard", "-q"]
    assert run(["fit", str(people), *options, "-o", str(model)]) == 0
    certificate = put(sx.load(model).certificate_.to_json())
    assert run(["export", str(model), str(people), "--rows", "-"]) == 0
    prepared = tmp_path / "prepared.csv"
    prepared.write_text(capsys.readouterr().out, encoding="utf-8")
    assert statuses(certificate, prepared, capsys)[0] == (0, 0)
    for wrong in (
        ["export", str(model)],
        ["export", str(model), str(people)],
        ["export", str(model), "--rows", "a.csv"],
        ["export", str(model), str(people), "--rows", str(people)],
        ["export", str(model), str(people), "--rows", "a.parquet"],
        ["export", str(model), str(people), "--rows", "a.csv", "--onnx", "a.onnx"],
    ):
        assert run(wrong) == 2, wrong
        assert "--rows" in capsys.readouterr().err


def test_rows_without_names_are_exported_too(tmp_path, put, capsys):
    path = tmp_path / "d.svm"
    path.write_text("1 1:0.5 3:-1\n-1 2:2\n1 1:1e300\n", encoding="utf-8")
    certificate = put(issue(sx.read(path)))
    assert run(["export", str(certificate), str(path), "--rows", str(tmp_path / "d.csv")]) == 0
    assert statuses(certificate, tmp_path / "d.csv", capsys)[0] == (0, 0)


def test_a_model_and_its_certificate_prepare_alike(people, tmp_path, capsys):
    path = tmp_path / "model.json"
    options = ["--features", "age,sex", "--encode", "--missing", "drop", "--scale", "standard", "-q"]
    assert run(["fit", str(people), *options, "-o", str(path)]) == 0
    assert run(["verify", str(path), str(people)]) == 0
    record = json.loads(path.read_text(encoding="utf-8"))
    del record["digest"]
    (place,) = [name for name, value in record.items() if isinstance(value, dict) and "preparation_" in value]
    for change in ("shift", "nothing"):
        forged = copy.deepcopy(record)
        if change == "shift":
            forged[place]["preparation_"]["preparation"]["columns"][0]["shift"] += 1
        else:
            del forged[place]["preparation_"]
        path.write_text(json.dumps(forged | {"digest": _digest(forged)}), encoding="utf-8")
        assert run(["verify", str(path), str(people)]) == 4
        assert "prepared otherwise" in capsys.readouterr().err


def test_rows_prepared_otherwise_are_refused(people):
    rows = sx.read(people, features=["age", "sex"], encode=True, missing="drop")
    record = json.loads(issue(rows))
    record["about"]["digest"] = None
    swapped = copy.deepcopy(record)
    swapped["about"]["preparation"]["missing"] = None
    assert from_dict(record).verify(rows)
    assert "prepared otherwise" in from_dict(swapped).verify(rows).reason


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("lizards.csv", {"encode": True}),
        ("endometrial.csv", {"encode": ["NV"]}),
        (
            "heart_cleveland.csv",
            {"encode": ["cp", "restecg", "slope", "thal"], "missing": "drop", "positive": "0"},
        ),
    ],
)
def test_public_data_goes_round(name, options, data_folder, put, capsys):
    path = data_folder / name
    certificate = put(issue(sx.read(path, **options)))
    assert statuses(certificate, path, capsys)[0] == (0, 0)
    loaded = from_json(certificate.read_text(encoding="utf-8"))
    assert [frame_status(loaded, frame) for frame in frames(path)] == [0, 0, 0, 0]


# The three readers, on cells of every kind

CELL_TEXTS = (
    "1|0|-2.5|+3| 4\t|1e3|.5|5.|| |NA|n/a|?|None|NaN|-nan|inf|1e999|true|False|tRUE|9007199254740993|"
    "9007199254740992|0x1|1_0|x|1.0|01"
)
CELLS = st.sampled_from(CELL_TEXTS.split("|"))
LABELS = st.sampled_from(["yes", "no", "", "maybe"])


@st.composite
def messy(draw):
    n_rows, measured = draw(st.integers(1, 5)), draw(st.booleans())
    line = st.tuples(CELLS, CELLS, CELLS if measured else LABELS)
    lines = draw(st.lists(line, min_size=n_rows, max_size=n_rows))
    values = draw(st.lists(CELLS, min_size=1, max_size=4, unique=True))
    return lines, values, draw(st.sampled_from(["drop", None])), measured


def by_the_checker(path, record, measured):
    preparation = CheckedPreparation(record)
    kind, positive = (TargetTable, None) if measured else (Table, "yes")
    return list(kind(str(path), "y", preparation.names, positive, preparation).rows())


def from_a_table(path, record, measured):
    preparation = preparation_of(record)
    options = {"label": "y", "features": preparation.names, "preparation": preparation}
    table = text_table(path)
    source = read_targets(table, **options) if measured else read_table(table, positive="yes", **options)
    found = []
    for piece in source.pieces():
        refuse_infinite(piece.X, range(piece.start, piece.stop))
        found += zip(piece.X.tolist(), piece.signs.tolist(), strict=True)
    return found


def from_the_file(path, record, measured):
    preparation = Preparation.from_dict(record)
    rows = sx.read(path, label="y", preparation=preparation, missing=preparation.missing, regression=measured)
    found = []
    for block in rows.blocks():
        ends = block.targets if measured else np.where(rows.classes == "yes", 1, -1)[block.codes]
        found += zip(block.X.tolist(), ends.tolist(), strict=True)
    return found


@given(case=messy())
def test_the_readers_agree_cell_by_cell(case, tmp_path_factory):
    lines, values, missing, measured = case
    path = write(tmp_path_factory.mktemp("case") / "d.csv", ["x", "c", "y"], lines)
    record = {
        "missing": missing,
        "columns": [
            {"kind": "number", "name": "x", "fill": None, "shift": 0.0, "scale": 1.0},
            {"kind": "categories", "name": "c", "values": values, "fill": None},
        ],
    }

    def read(reader):
        try:
            return reader(path, record, measured)
        except (ValueError, Unreadable):
            return None

    expected = read(by_the_checker) or None  # of no rows at all the checker says so later
    assert read(from_a_table) == expected
    assert read(from_the_file) == expected
