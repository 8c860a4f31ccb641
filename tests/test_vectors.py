"""The published test vectors: what both checkers say of them, and that the tree is what the script writes."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import make_vectors
import pytest
from certificate_truth_optima import MEASURED
from certificate_verdicts import assert_sentence
from vector_file import FOLDER, REFUSED, UNREADABLE

import separatrix as sx
import separatrix.certificates.check as check
from separatrix.certificates import Certificate, CertificateError, from_json
from separatrix.certificates.check.vectors import Vector, failures, outcome, vectors
from separatrix.limits import changed

PAGE = Path(__file__).resolve().parents[1] / "docs" / "certificate-format.md"
LABELS = ("label", "y", "target", "class")


@cache
def entries() -> dict[str, list[dict[str, Any]]]:
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def test_the_checker_passes_them_where_it_is_copied(tmp_path):
    shutil.copytree(Path(check.__file__).parent, tmp_path / "check")
    command = [sys.executable, "-I", str(tmp_path / "check"), "--vectors", str(FOLDER)]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    count = sum(map(len, entries().values()))
    assert finished.stdout == f"{count} vectors, 0 with another verdict than expected.\n"
    assert (finished.returncode, finished.stderr) == (0, "")


def test_the_library_holds_the_same_ones_to_be_true(tmp_path):
    wrong = []
    certificate, data = tmp_path / "certificate.json", tmp_path / "data.csv"
    there = b""
    for vector in vectors(str(FOLDER)):
        certificate.write_bytes(vector.certificate)
        if vector.data != there:
            data.write_bytes(vector.data)
            there = vector.data
        holds, said = by_library(certificate, data, vector)
        if "Unknown label type: continuous" in said:  # no classes for `sx.read`
            continue
        if holds != (vector.expected == "holds"):
            wrong.append(f"{vector.name}: {said}")
    assert not wrong, "\n".join(wrong)


def by_library(certificate: Path, data: Path, vector: Vector) -> tuple[bool, str]:
    names = {"certificate_bytes", "nesting", "digits", "label_characters", "line_bytes", "columns"}
    assert {setting.split("=")[0] for setting in vector.limits} <= names
    try:
        with changed(vector.limits):
            claim = from_json(certificate.read_bytes())
            label = claim.about.label if vector.label is None else vector.label
            label = default_label(data) if label is None else label
            measured = claim.kind in MEASURED
            rows = sx.read(data, label=label, features=claim.about.features, regression=measured)
            said = claim.verify_leaves(rows) if vector.leaves else claim.verify(rows)  # type: ignore[attr-defined]
    except (CertificateError, sx.DataError, ValueError) as error:
        assert_sentence(str(error))
        return False, str(error)
    assert_sentence(said.reason)
    return said.holds, said.reason


def default_label(data: Path) -> str:
    raw = data.read_bytes()
    try:
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError):
        raise ValueError("No text.") from None
    header = next(csv.reader(text.split("\n")), [])
    return next((name for name in LABELS if name in header), header[-1] if header else "y")


def test_the_tree_has_what_the_script_writes():
    texts = make_vectors.made()
    assert {path.name for path in FOLDER.glob("*.json")} == texts.keys()
    different = [name for name, text in texts.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert not different, "run python tests/make_vectors.py"


def test_they_are_small():
    sizes = [path.stat().st_size for path in FOLDER.glob("*.json")]
    assert max(sizes) <= 20_000
    assert sum(sizes) <= 3_000_000


def test_every_kind_is_accepted_and_refused():
    known: dict[str, set[str]] = {}
    for vector in vectors(str(FOLDER)):
        kind = re.search(rb'"kind": "([a-z-]+)"', vector.certificate)
        if kind:
            known.setdefault(kind[1].decode(), set()).add(vector.expected)
    for kind in Certificate.kinds:
        expected = {"refused", "unreadable"} | ({"holds"} if kind != "undecided" else set())
        assert known[kind] >= expected, kind


def test_every_reason_is_on_the_page_and_in_a_vector():
    given = {(entry["expected"], entry["reason"]) for part in entries().values() for entry in part}
    table = PAGE.read_text(encoding="utf-8").split("### Reasons")[1].split("\n\n")[2]
    rows = [line.split("|")[1:3] for line in table.splitlines()[2:]]
    page = {(said.strip(), code) for said, codes in rows for code in re.findall(r"`([a-z-]+)`", codes)}
    assert page == {("refused", code) for code in REFUSED} | {("unreadable", code) for code in UNREADABLE}
    assert given == page | {("holds", None)}


@pytest.mark.parametrize("expected", ["refused", "unreadable"])
def test_a_wrong_verdict_is_reported(expected, tmp_path, capsys):
    first = next(entry for entry in entries()["separable-1.json"] if entry["expected"] == "holds")
    (tmp_path / "some.json").write_text(json.dumps([first, {**first, "name": "other", "expected": expected}]))
    assert check_main(["--vectors", str(tmp_path)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"some: other: holds, not {expected}: ")
    assert said[1:] == ["2 vectors, 1 with another verdict than expected."]


def test_no_vectors_are_no_success(tmp_path, capsys):
    assert check_main(["--vectors", str(tmp_path)]) == 1
    assert capsys.readouterr().out == "0 vectors, 0 with another verdict than expected.\n"


def test_a_crash_is_a_wrong_verdict(tmp_path):
    [first, *_] = entries()["separable-1.json"]
    (tmp_path / "some.json").write_text(json.dumps([first]))

    def broken(*given: object) -> str:
        raise ZeroDivisionError

    assert list(failures(str(tmp_path), broken)) == [
        "some: intercept: broken, not holds: ZeroDivisionError()"
    ]
    assert outcome(tmp_path, tmp_path, next(vectors(str(tmp_path))), broken)[0] == "broken"


def check_main(arguments: list[str]) -> int:
    from separatrix.certificates.check.__main__ import main

    return main(arguments)
