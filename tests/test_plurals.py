"""One of a thing is singular, in reports and in what commands print."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

import separatrix as sx
from separatrix.cli.program import run

WRONG = re.compile(
    r"(?<![-+] )(?<![.,\d])\b1 (rows|columns|errors|mistakes|passes|classes|updates|degrees)\b"
    r"|\b1 (row|column) (are|have|repeat|contradict|allow|depend|never vary)\b"
)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [1.0]], [0, 1]),
        ([[0.0, 1.0], [1.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 1, 1, 0]),
        ([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [2.0, 4.0]], [0, 1, 0, 1]),
        ([[0.0], [1.0]], [1, 1]),
    ],
)
@pytest.mark.parametrize("option", ["", " --no-intercept"])
def test_small_tables(X, y, option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    header = ",".join([*"ab"[: len(X[0])], "label"])
    np.savetxt("rows.csv", np.column_stack([X, y]), delimiter=",", header=header, comments="")
    for command in ("check rows.csv", "report rows.csv --budget 0.1 -o page.html", "fit rows.csv -o m.json"):
        run(shlex.split(command + option))
    run(shlex.split("evaluate m.json rows.csv"))
    run(shlex.split("fit rows.csv --model linear -o linear.json"))
    text = capsys.readouterr().err
    page = tmp_path / "page.html"
    text += re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8")) if page.exists() else ""
    assert WRONG.findall(text) == []


def test_claims_about_one_row():
    proof = sx.separate([[0.0], [1.0]], [0, 1], intercept=False).certificate
    reasons = [proof.claim, proof.verify([[0.0], [1.0]], [0, 1]).reason]
    alone = sx.certificates.Inseparable(rows=(0,), multipliers=(1,), intercept=False)
    reasons += [alone.claim, alone.verify([[0.0], [1.0]], [0, 1]).reason]
    assert "one row is zero" in alone.claim
    assert [reason for reason in reasons if WRONG.search(reason)] == []
