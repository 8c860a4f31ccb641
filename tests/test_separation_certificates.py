"""Every certificate of `separate` holds for both checkers, and every forgery is refused by both."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from separatrix.algorithms.separation import separate
from separatrix.certificates import from_json
from separatrix.certificates.check.__main__ import main as independent_check
from separatrix.certificates.fields import to_json_number


def on_file(folder: Path, X, y, certificate) -> tuple[int, str]:
    """The independent checker's exit status on a CSV file of the same rows."""
    with open(folder / "data.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*(f"x{j}" for j in range(len(X[0]))), "label"])
        table.writerows(
            [*map(repr, row), label] for row, label in zip(np.asarray(X).tolist(), y, strict=True)
        )
    (folder / "certificate.json").write_text(json.dumps(certificate))
    with contextlib.redirect_stdout(io.StringIO()) as words, contextlib.redirect_stderr(io.StringIO()):
        status = independent_check([str(folder / "certificate.json"), str(folder / "data.csv")])
    return status, words.getvalue()


CASES = {
    "complete": ([[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [3.0, 1.0], [4.0, 0.5]], [0, 0, 1, 1, 1]),
    "quasi": ([[0.0, 1.0], [1.0, 3.0], [1.0, 3.0], [1.0, 4.0], [1.0, 4.0], [3.0, 1.0]], [0, 0, 1, 0, 1, 1]),
    "overlap": ([[0.0, 0.1], [0.0, 1.0], [1.0, 0.0], [1.0, 1.1], [3.0, 7.0]], [0, 1, 1, 0, 1]),
    "flat": ([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0, 1, 0, 1]),
}


@pytest.mark.parametrize("case", CASES)
def test_every_certificate_holds_everywhere(case, tmp_path):
    X, y = CASES[case]
    answer = separate(X, y)
    assert answer.kind == {"flat": "overlap"}.get(case, case)
    for certificate in answer.certificates:
        assert certificate.verify(X, y).holds
        again = from_json(certificate.to_json())
        assert again.verify(X, y).holds
        status, words = on_file(tmp_path, X, y, certificate.to_dict())
        assert status == 0, words


@pytest.mark.parametrize("case", CASES)
def test_every_forgery_is_refused(case, tmp_path):
    X, y = CASES[case]
    for certificate in separate(X, y).certificates:
        record = certificate.to_dict()
        for forged in forgeries(record):
            try:
                holds = from_json(json.dumps(forged)).verify(X, y).holds
            except ValueError:
                holds = False
            assert not holds, (record, forged)
            assert on_file(tmp_path, X, y, forged)[0] != 0


def integer(value):
    return int(value, 16) if isinstance(value, str) else value


def forgeries(record):
    """The same certificate with one thing changed that makes it false."""
    for k in range(len(record.get("multipliers", ()))):
        if record["kind"] != "margin-at-most":
            forged = json.loads(json.dumps(record))
            forged["multipliers"][k] = to_json_number(integer(record["multipliers"][k]) + 1)
            yield forged
    if "rows" in record:
        forged = json.loads(json.dumps(record))
        del forged["rows"][0], forged["multipliers"][0]
        yield forged
        yield {**record, "rows": [row + 100 for row in record["rows"]]}
    if record.get("normals"):
        yield {**record, "normals": record["normals"][1:]}
        yield {**record, "normals": [[1, *vector[1:]] for vector in record["normals"]]}
    if "weights" in record:
        flip = [
            to_json_number(-integer(value)) if isinstance(value, str) else -value
            for value in record["weights"]
        ]
        yield {**record, "weights": flip}
        yield {**record, "weights": [0.0] * len(flip)}
    if record["kind"] == "margin-at-least":
        yield {**record, "margin": record["margin"] * (1 + 1e-12)}
        yield {**record, "margin": 0.0}
    if record["kind"] == "margin-at-most":
        yield {**record, "margin": record["margin"] * (1 - 1e-12)}
        yield {**record, "margin": -record["margin"]}
    if record["kind"] == "mistakes-at-most":
        yield {**record, "mistakes": record["mistakes"] - 1}
    about = record["about"]
    yield {**record, "about": {**about, "digest": "sha256:" + "0" * 64}}
    yield {**record, "about": {**about, "rows": about["rows"] + 1}}
