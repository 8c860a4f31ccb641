"""Size limits: a small file that asks for much is refused soon, in little memory, and the limit is named."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import struct
import subprocess
import sys
import zipfile
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix import DataError, limits
from separatrix.certificates import CertificateError, Separable, from_json
from separatrix.certificates.check import limits as checked
from separatrix.certificates.check.__main__ import main as checker
from separatrix.certificates.check.digits import from_hexadecimal as checked_hexadecimal
from separatrix.certificates.check.table import Unreadable
from separatrix.certificates.fields import from_decimal, from_hexadecimal, to_decimal, to_json_number
from separatrix.cli.program import run
from separatrix.models import ModelError
from separatrix.rows.files.source import InputFile

MEGABYTES = 300
CPU_SECONDS = 2
PROOF = Separable(weights=(1.0, 0.0), intercept=-2.5)
HEALTHY = "a,b,label\n" + "".join(f"{i % 5},{i},{int(i % 5 > 2)}\n" for i in range(100))


def packed(*parts: tuple[bytes, int]) -> bytes:
    """A gzip file of these texts, each so many times: its members are made once and repeated."""
    return b"".join(gzip.compress(text) * times for text, times in parts)


ROW = b"1,2,0\n1,3,1\n"
START = (b"a,b,label\n" + 200 * ROW, 1)


def npy(kind: str, shape: tuple[int, ...], payload: bytes) -> bytes:
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + payload


def npz(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


SQUARE = npy("<f8", (2, 2), np.eye(2).tobytes())


def long_number() -> bytes:
    record = json.loads(PROOF.to_json())
    record["weights"] = ["0x" + "1" * 9_000_000, 0]
    return json.dumps(record).encode()


CSV = {  # read by the library and by the checker
    "no-line-end.csv.gz": (packed((b"0" * 2**20, 300)), "ratio|line_bytes"),
    "late-long-row.csv.gz": (packed(START, (b"0," * 2**19, 300)), "ratio|line_bytes"),
    "open-quote.csv.gz": (packed(START, (b'"', 1), (b"0\n" * 2**19, 300)), "ratio|line_bytes"),
    "long-row.csv": (b"a,b,label\n" + 200 * ROW + b"1," * 4_000_000 + b"\n", "line_bytes"),
    "row-of-many-lines.csv": (b"a,b,label\n" + 200 * ROW + b'"a\nb",' * 1_500_000, "line_bytes"),
    "zeros.csv.gz": (packed(START, (b"0,0,0\n0,0,1\n" * 2**17, 100)), "ratio"),
    "blank.csv.gz": (packed(START, (b"\n" * 2**20, 200)), "ratio"),
    "wide.csv": (",".join(f"c{i}" for i in range(500_000)).encode() + b",label\n", "columns"),
    "long-label.csv": (b"a,b,label\n1,2," + b"x" * 5_000_000 + b"\n1,3,y\n", "label_characters"),
}
DATA = {
    "no-line-end.svm.gz": (packed((b"1 " * 2**19, 300)), "line_bytes"),
    "long-row.svm": (b"1 " + b"1:1 " * 2_000_000, "line_bytes"),
    "rows.svm.gz": (packed((b"1 1:1\n-1 2:1\n" * 2**16, 300)), "ratio"),
    "column.svm": (b"1 2000000000:1\n-1 1:1\n", "sparse_columns"),
    "shape.npy": (npy("<f8", (10**12, 3), bytes(100)), "rows"),
    "huge.npy": (npy("<f8", (2**70, 3), bytes(100)), "rows"),
    "short.npy": (npy("<f8", (10**9, 3), bytes(100)), "more than the file holds"),
    "bomb.npz": (npz(X=npy("<f8", (10**6, 8), bytes(64 * 10**6)), y=SQUARE), "ratio"),
    "width.npz": (npz(X=SQUARE, y=npy("<U500000000", (2,), bytes(16))), "more than the file holds"),
    "text.npz": (
        npz(X=SQUARE, y=npy("<U8500000", (2,), 3400 * random.Random(0).randbytes(20_000))),
        "text_bytes",
    ),
    "header.npz": (npz(X=b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + b" " * 2**24, y=SQUARE), "header"),
    "many-labels.csv": (
        b"a,label\n" + b"".join(b"1,%d\n" % i for i in range(90_000)) + b"1," + b"y" * 9000 + b"\n",
        "text_bytes",
    ),
}
CERTIFICATES = {
    "digits.json": (long_number(), "digits"),
    "nested.json": (b"[" * 9_000_000, "nesting|not whole JSON"),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[tuple[str, ...], dict]:
    """What every command says of every file, with the CPU time and the memory it takes."""
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("needs Linux")
    folder = tmp_path_factory.mktemp("limits")
    for name, (content, _) in (CSV | DATA | CERTIFICATES).items():
        assert len(content) <= 10**7, name
        (folder / name).write_bytes(content)
    (folder / "healthy.csv").write_text(HEALTHY)
    (folder / "proof.json").write_text(PROOF.to_json())
    commands = [["check", "-q", name] for name in ("healthy.csv", *CSV, *DATA) if "npy" not in name]
    commands += [["predict", "-q", "nested.json", "healthy.csv"]]
    commands += [["check", "-q", name, "--label", "0"] for name in DATA if "npy" in name]
    commands += [["checker", "proof.json", name] for name in ("healthy.csv", *CSV)]
    for program in ("checker", "verify"):
        commands += [[program, name, "healthy.csv"] for name in ("proof.json", *CERTIFICATES)]
    script = Path(__file__).with_name("measured_runs.py")
    ran = subprocess.run(
        [sys.executable, script],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(sx.__file__).parents[1])},
    )
    assert ran.returncode == 0, ran.stderr
    return {tuple(found["command"]): found for found in json.loads(ran.stdout)}


def test_a_refusal_is_quick_and_takes_little_memory(runs):
    usual = {found["command"][0]: found for found in runs.values() if found["code"] in (0, 1)}
    assert {"check", "checker", "verify"} <= set(usual)
    for command, found in runs.items():
        healthy = usual.get(command[0], usual["check"])
        assert found["cpu"] - healthy["cpu"] < CPU_SECONDS, found
        assert found["megabytes"] - healthy["megabytes"] < MEGABYTES, found


def test_a_refusal_is_one_sentence_that_names_the_limit(runs):
    known = CSV | DATA | CERTIFICATES
    for command, found in runs.items():
        name = next((word for word in command if word in known), None)
        if name is None:
            continue
        assert found["code"] == 2, found
        said = found["said"].strip()
        assert "\n" not in said, found
        assert any(word in said for word in known[name][1].split("|")), found


def test_the_tables_agree():
    ours = {item.name: item.default for item in fields(limits.Limits)}
    theirs = {item.name: item.default for item in fields(checked.Limits)}
    shared = ours.keys() & theirs.keys()
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}
    assert limits.NAMES == checked.NAMES == tuple(sorted(ours | theirs))
    assert set(limits.CHECKER_LIMITS) == theirs.keys() - ours.keys()
    assert set(checked.LIBRARY_LIMITS) == ours.keys() - theirs.keys()
    assert limits.VARIABLE == checked.VARIABLE
    for text in (b"[]", b'{"a\\"[": [[], "[[["]}', b"x]][", b"[" * 99, b'"[[\\', b"3"):
        assert limits.depth(text) == checked.depth(text)


@pytest.mark.parametrize("table", [limits, checked])
@pytest.mark.parametrize("text", ["columns", "columns=", "columns=-1", "columns=1e6", "colums=5", "=3"])
def test_an_unknown_limit_is_one_sentence(table, text, monkeypatch):
    monkeypatch.setenv(limits.VARIABLE, f"ratio=7,{text}")
    with pytest.raises(table.LimitError, match=r"sets no limit\. Write NAME=NUMBER") as error:
        table.current()
    assert "\n" not in str(error.value)


def test_the_variable_and_the_option_set_limits(tmp_path, monkeypatch, capsys):
    path = tmp_path / "few.csv"
    path.write_text(HEALTHY)
    proof = tmp_path / "proof.json"
    proof.write_text(PROOF.to_json())
    monkeypatch.setenv(limits.VARIABLE, "columns=2, rows=5")
    with pytest.raises(DataError, match=r"few.csv has 3 columns; the limit columns is 2. If .* set"):
        sx.read(path)
    assert run(["check", "-q", str(path)]) == 2
    assert "pass --limit columns=3." in capsys.readouterr().err
    assert run(["check", "-q", str(path), "--limit", "columns=3"]) == 0
    assert run(["check", "-q", str(path), "--limit", "colums=3"]) == 2
    assert "'colums=3' sets no limit" in capsys.readouterr().err
    assert checker([str(proof), str(path)]) == 2
    assert "has 3 columns; the limit columns is 2" in capsys.readouterr().err
    assert checker([str(proof), str(path), "--limit", "columns=3", "--limit", "digits=9"]) == 0
    assert checker([str(proof), str(path), "--limit", "columns"]) == 2
    assert os.environ[limits.VARIABLE] == "columns=2, rows=5"


def test_sizes_of_files_that_are_read_whole(tmp_path, monkeypatch, capsys):
    path, data = tmp_path / "m.json", tmp_path / "few.csv"
    data.write_text(HEALTHY)
    sx.save(sx.Perceptron().fit(sx.read(data)), path)
    proof = tmp_path / "proof.json"
    proof.write_text(PROOF.to_json())
    monkeypatch.setenv(limits.VARIABLE, "model_bytes=50,certificate_bytes=60")
    with pytest.raises(ModelError, match=r"m.json is too large; the limit model_bytes is 50"):
        sx.load(path)
    with pytest.raises(CertificateError, match="too large; the limit certificate_bytes is 60"):
        from_json(PROOF.to_json())
    for command, name, limit in (("predict", path, "model_bytes"), ("verify", proof, "certificate_bytes")):
        assert run([command, "-q", str(name), str(data)]) == 2
        assert f"--limit {limit}=" in capsys.readouterr().err
    assert checker([str(proof), str(data)]) == 2
    assert "certificate_bytes" in capsys.readouterr().err
    monkeypatch.setenv(limits.VARIABLE, "spooled_bytes=50")
    with pytest.raises(DataError, match="the limit spooled_bytes is 50"):
        sx.read(io.BytesIO(HEALTHY.encode()))


def test_ordinary_large_things_are_read(tmp_path):
    """Wide rows, long text cells in every place, and a gzip file of one-hot rows."""
    wide = tmp_path / "wide.csv"
    names = ",".join(f"c{i}" for i in range(50_920))
    wide.write_text(f"{names},label\n{50_920 * '1,'}0\n{50_920 * '0,'}1\n")
    assert sx.read(wide).n_columns == 50_920
    words = "many words, " * 20_000
    for quote, first in ((True, True), (True, False), (False, False)):
        cell = f'"{words}\n{words}"' if quote else words.replace(",", "")
        rows = [f"{i},some words,{i % 2}\n" for i in range(3000)]
        rows.insert(0 if first else 2000, f"7,{cell},1\n")
        path = tmp_path / "long.csv"
        path.write_text("a,text,label\n" + "".join(rows))
        assert sx.read(path, drop=["text"]).n_rows == 3001
        assert sx.read(path, text=["text"]).n_rows == 3001
        with gzip.open(tmp_path / "long.csv.gz", "wt") as file:
            file.write(path.read_text())
        assert sx.read(tmp_path / "long.csv.gz", drop=["text"]).n_rows == 3001
    zeros = tmp_path / "hot.csv.gz"
    row = b"0," * 500 + b"1," + b"0," * 499 + b"0\n"
    hot = b",".join(b"h%d" % i for i in range(1000)) + b",label\n"
    zeros.write_bytes(packed((hot, 1), (50 * row, 1), (row[:-2] + b"1\n", 1)))
    assert sx.read(zeros).n_rows == 51


def test_ordinary_rows_at_the_beginning_hide_nothing(tmp_path, monkeypatch):
    """Each stretch of unpacked text is judged by itself."""
    monkeypatch.setenv(limits.VARIABLE, "unpacked_bytes=100000")
    generator = random.Random(1)
    usual = "".join(f"{generator.random()},{generator.random()},{i % 2}\n" for i in range(20_000)).encode()
    for name, kind in (("late.csv.gz", "csv"), ("late.svm.gz", "svmlight")):
        path = tmp_path / name
        text = usual if kind == "csv" else b"1 1:0.5\n"
        zeros = b"0,0,0\n" if kind == "csv" else b"1 1:1\n"
        head = b"a,b,label\n" if kind == "csv" else b""
        path.write_bytes(packed((head, 1), (text, 1), (zeros * 2**18, 2)))
        with pytest.raises(DataError, match="the limit ratio is 500"):
            sx.read(path)
    proof = tmp_path / "proof.json"
    proof.write_text(PROOF.to_json())
    assert checker([str(proof), str(tmp_path / "late.csv.gz")]) == 2


def test_text_that_almost_is_a_number_takes_linear_time(tmp_path):
    """Patterns that could match a run of digits in two ways would take a minute for each of these."""
    for cell in ("1" * 1_000_000 + "x", "0" * 1_000_000 + "x", "1 " * 500_000 + "x", " " * 1_000_000 + "x"):
        path = tmp_path / "cell.csv"
        path.write_text(f"a,label\n1,0\n{cell},1\n")
        with pytest.raises(DataError, match="is no number"):
            sx.read(path)
        path = tmp_path / "cell.svm"
        path.write_text(f"1 1:1\n-1 2:{cell.replace(' ', '_')}\n")
        with pytest.raises(DataError, match="is no finite number"):
            sx.read(path)
    (tmp_path / "word.svm").write_text("a" * 1_000_000)
    with pytest.raises(DataError, match="is no number"):
        sx.read(tmp_path / "word.svm")


@pytest.mark.parametrize("text", ["1 {}:1\n-1 1:1\n", "1 1:{}\n-1 1:1\n", "{} 1:1\n-1 1:1\n"])
def test_long_numbers_in_svmlight_text(tmp_path, text):
    path = tmp_path / "long.svm"
    path.write_text(text.format("1" * 5000))
    with pytest.raises(DataError, match=r"long.svm, row 1 \(line 1\): ") as error:
        sx.read(path)
    assert "digits" not in str(error.value)


def test_a_label_of_many_digits_is_a_label(tmp_path, capsys):
    path = tmp_path / "labels.csv"
    path.write_text("a,label\n" + f"1,{'1' * 5000}\n2,{'2' * 5000}\n3,{'2' * 5000}\n")
    rows = sx.read(path)
    found = sx.separate(rows)
    assert found.certificate.verify(rows)
    proof = tmp_path / "proof.json"
    proof.write_text(found.certificate.to_json())
    assert checker([str(proof), str(path)]) == 0


def test_numbers_of_many_digits_are_read_exactly():
    generator = random.Random(5)
    for size in (1, 999, 1000, 1001, 2001, 4301, 16_001, 40_000):
        text = "".join(generator.choices("0123456789", k=size)).lstrip("0") or "7"
        sign = generator.choice(["", "-"])
        whole = from_decimal(sign + text)
        assert to_decimal(whole) == sign + text
        if size > 16:
            for read in (from_hexadecimal, checked_hexadecimal):
                assert read(to_json_number(whole)) == whole
    most = checked.Limits().digits
    for text in ("9" * (most + 1), "-" + "9" * (most + 1)):
        with pytest.raises(CertificateError, match="the limit digits is"):
            from_decimal(text)
    for text in ("0x" + "9" * (most + 1), "-0x" + "9" * (most + 1)):
        for read, error in ((from_hexadecimal, CertificateError), (checked_hexadecimal, Unreadable)):
            with pytest.raises(error, match="the limit digits is"):
                read(text)


def test_determinants_of_any_doubles_stay_below_the_limit_of_digits():
    """Hadamard: rows of 200 columns and a constant, in units of 2^-1074, entries below 2^2098."""
    bits = 201 * (2098 + np.log2(201) / 2)
    assert bits / 4 < 0.6 * checked.Limits().digits


@pytest.mark.parametrize("way", ["in place", "replaced", "size"])
def test_a_file_rewritten_with_its_old_size_and_time_is_noticed(tmp_path, way):
    path = tmp_path / "rows.csv"
    path.write_text("a,label\n1,0\n2,1\n")
    rows = sx.read(path, memory=0)
    seen = path.stat()
    place = InputFile(path)
    place.require_unchanged()
    while True:  # the clock of a file system moves in steps of some milliseconds
        if way == "replaced":
            path.rename(tmp_path / "old.csv")
        path.write_text("a,label\n1,0\n3,1\n" + "4,1\n" * (way == "size"))
        os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        found = path.stat()
        if (found.st_ctime_ns, found.st_ino) != (seen.st_ctime_ns, seen.st_ino):
            break
    with pytest.raises(DataError, match="has changed since it was first read"):
        place.require_unchanged()
    with pytest.raises(DataError, match="has changed since it was first read"):
        list(rows.blocks())
