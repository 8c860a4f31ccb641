"""Quotation marks that do not fit together: refused by the library as by the independent checker."""

from __future__ import annotations

import csv
import gzip
import random

import pytest

import separatrix as sx
from separatrix.certificates.check.__main__ import verdict
from separatrix.certificates.check.table import Unreadable
from separatrix.rows.files.quotation_marks import QuotationMarks

BODY = "1.5,2.5,a\n" * 20 + "1,2,b\n"
OPEN = {
    "at the end": f'x,z,y\n{BODY}1,2,"a\n',
    "at the very end": f'x,z,y\n{BODY}1,2,"',
    "in the middle": f'x,z,y\n1,2,"a\n{BODY}',
    "of a number": f'x,z,y\n{BODY}"1,2,a\n',
    "after a doubled one": f'x,z,y\n{BODY}1,2,"a""\n',
}
FOLLOWED = {
    "after a cell": f'x,z,y\n{BODY}1,2,"a"b\n',
    "of the header": f'x,"z"1,y\n{BODY}1,2,a\n',
}
FINE = [
    f'x,z,y\n{BODY}"1","2","a"\n',
    f'"x","z","y"\n{BODY}',
    f'x,z,y\r\n1,2,"b"\r\n{BODY}',
    f'x,z,y\n{BODY}1,2,b"c\n1,2,"a"\n'.replace("b\n", 'b"c\n'),
    f'x,z,y\n{BODY}1,2,"b""c"\n'.replace(",b\n", ',"b""c"\n'),
    f'x,z,y\n{BODY}1,2,"b\nc"\n'.replace(",b\n", ',"b\nc"\n'),
]


@pytest.fixture(params=["small", "large", "packed"])
def read(request, tmp_path, monkeypatch):
    """Reads a text from a file by one of the three ways to parse it."""
    if request.param == "large":
        monkeypatch.setattr("separatrix.rows.files.csv.MIN_PARALLEL_BYTES", 0)
        monkeypatch.setattr("separatrix.rows.files.csv.BLOCK_BYTES", 64)

    def from_file(text):
        path = tmp_path / ("t.csv.gz" if request.param == "packed" else "t.csv")
        content = text.encode()
        path.write_bytes(gzip.compress(content) if request.param == "packed" else content)
        return sx.read(path, label="y")

    return from_file


@pytest.mark.parametrize("case", OPEN)
def test_a_mark_that_stays_open_is_refused(case, read):
    with pytest.raises(sx.DataError, match=r"^t\.csv(\.gz)?[, ]") as caught:
        read(OPEN[case])
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("case", FOLLOWED)
def test_a_mark_that_text_follows_is_refused(case, read):
    with pytest.raises(sx.DataError, match="a quotation mark ends a cell before other text"):
        read(FOLLOWED[case])


@pytest.mark.parametrize("text", FINE)
def test_marks_that_fit_are_read(text, read):
    assert len(read(text).classes) == 2


def test_the_checker_refuses_the_same(tmp_path):
    path, proof = tmp_path / "t.csv", tmp_path / "proof.json"
    for text in [*OPEN.values(), *FOLLOWED.values()]:
        path.write_text(text)
        claim = sx.certificates.ErrorsAtMost((0.0, 0.0), -1.0, 22, about=sx.certificates.About(positive="b"))
        proof.write_text(claim.to_json())
        with pytest.raises(Unreadable):
            verdict(str(proof), str(path), "y")


def test_balanced_marks_are_read_by_the_strict_reader():
    """In every division into pieces the same; what is balanced, the standard library reads strictly."""
    chance, balanced, refused = random.Random(0), 0, 0
    for _ in range(20_000):
        text = "".join(chance.choice('"",a\n') for _ in range(chance.randrange(1, 12)))
        found = set()
        for size in (1, 3, 100):
            marks = QuotationMarks(",")
            for start in range(0, len(text), size):
                marks.follow(text[start : start + size].encode())
            found.add(marks.balanced)
        assert len(found) == 1, text
        try:
            list(csv.reader(text.splitlines(keepends=True), strict=True))
        except csv.Error:
            refused += 1
            assert found == {False}, text
        balanced += found == {True}
    assert balanced > 1000
    assert refused > 1000
