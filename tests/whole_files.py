"""Valid files of every format, how to damage them, and the commands that read them."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from damage import (
    inside_archive,
    inside_certificate,
    inside_gzip,
    inside_model,
    some_bytes,
    some_text,
    with_header,
)


class Healthy(NamedTuple):
    """A valid file: how it is called, what is in it, how to damage it, and the commands that read it."""

    name: str
    content: bytes
    damage: Callable[[bytes, Random], bytes]
    commands: tuple[str, ...]


def healthy(kind: str) -> list[Healthy]:
    """The valid files of a format, made in the current folder, with the commands to run on what they become.

    In a command ``{}`` is the damaged file. ``agree`` is `verify`, and the same of the independent checker.
    """
    return list(MAKERS[kind]())


def _table() -> tuple[np.ndarray, list[str]]:
    chance = np.random.default_rng(3)
    X = np.round(chance.normal(size=(30, 3)), 3)
    return X, ["ham" if x @ [1.0, 2.0, -1.0] > 0 else "spam" for x in X]


def _csv_text() -> bytes:
    X, y = _table()
    lines = [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), y, strict=True)]
    return "\n".join(["a,b,c,label", *lines, ""]).encode()


def _svmlight_text() -> bytes:
    X, y = _table()
    lines = [
        " ".join(["1" if label == "ham" else "-1", *(f"{j + 1}:{v}" for j, v in enumerate(row) if v)])
        for row, label in zip(X.tolist(), y, strict=True)
    ]
    return "\n".join([*lines, ""]).encode()


ON_DATA = (
    "check {}",
    "fit {} --model perceptron -o out.json",
    "predict model.json {} -o out.csv",
    "verify proof.json {}",
)


def _csv() -> Iterator[Healthy]:
    on_text = (*ON_DATA[:-1], "agree proof.json {}", "check {} --encode")
    yield Healthy("bad.csv", _csv_text(), some_text, on_text)
    packed = gzip.compress(_csv_text(), mtime=0)
    yield Healthy("bad.csv.gz", packed, inside_gzip, ("check {}", "agree proof.json {}"))


def _tsv() -> Iterator[Healthy]:
    text = _csv_text().replace(b",", b"\t")
    yield Healthy("bad.tsv", text, some_text, ON_DATA)
    yield Healthy("bad.tab.gz", gzip.compress(text, mtime=0), inside_gzip, ("check {}",))


def _svmlight() -> Iterator[Healthy]:
    commands = ("check {}", "fit {} --model perceptron -o out.json", "verify proof-svm.json {}")
    yield Healthy("bad.svm", _svmlight_text(), some_text, (*commands, "fit {} --model ridge"))
    yield Healthy("bad.svm.gz", gzip.compress(_svmlight_text(), mtime=0), inside_gzip, ("check {}",))


def _npz() -> Iterator[Healthy]:
    from scipy.sparse import csr_array, save_npz

    X, y = _table()
    dense, sparse = io.BytesIO(), io.BytesIO()
    np.savez(dense, X=X, y=np.array(y))
    save_npz(sparse, csr_array(X), compressed=False)
    commands = ("check {}", "fit {} --model perceptron -o out.json", "verify proof.json {}")
    yield Healthy(
        "bad.npz", dense.getvalue(), inside_archive, (*commands, "predict plain.json {} -o out.csv")
    )
    yield Healthy("sparse.npz", sparse.getvalue(), inside_archive, ("predict plain.json {} -o out.csv",))


def _npy() -> Iterator[Healthy]:
    X, y = _table()
    plain = io.BytesIO()
    np.save(plain, np.column_stack([X, [label == "ham" for label in y]]))
    commands = ("check {} --label -1", "fit {} --label -1 --model perceptron -o out.json")
    yield Healthy("bad.npy", plain.getvalue(), _npy_damage, commands)


def _npy_damage(content: bytes, chance: Random) -> bytes:
    return chance.choice((some_bytes, with_header))(content, chance)


def arrow_table() -> Any:
    import pyarrow as pa

    X, y = _table()
    columns = {name: pa.array(X[:, j]) for j, name in enumerate("abc")}
    return pa.table({**columns, "label": pa.array(y)}), pa.table(
        {**columns, "kind": pa.array(y).dictionary_encode(), "label": pa.array(y).dictionary_encode()}
    )


def _arrow() -> Iterator[Healthy]:
    import pyarrow as pa

    plain, coded = arrow_table()
    packed = pa.ipc.IpcWriteOptions(compression="lz4")
    for name, new, table, options in (
        ("bad.arrow", pa.ipc.new_file, plain, None),
        ("coded.arrow", pa.ipc.new_file, coded.drop_columns(["kind"]), None),
        ("bad.arrows", pa.ipc.new_stream, plain, None),
        ("packed.feather", pa.ipc.new_file, plain, packed),
    ):
        made = io.BytesIO()
        with new(made, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=20)
        yield Healthy(name, made.getvalue(), some_bytes, ON_DATA)


def _parquet() -> Iterator[Healthy]:
    from pyarrow import parquet

    plain, coded = arrow_table()
    for name, table, options in (
        ("bad.parquet", plain, {}),
        ("coded.parquet", coded.drop_columns(["kind"]), {}),
        ("plain.parquet", plain, {"use_dictionary": False, "compression": "none"}),
    ):
        made = io.BytesIO()
        parquet.write_table(table, made, row_group_size=20, **options)
        yield Healthy(name, made.getvalue(), some_bytes, ON_DATA)


MODELS = ("perceptron", "pocket", "averaged", "voted", "margin", "svm", "logistic", "zero-one", "max-margin")


def _models() -> Iterator[Healthy]:
    run = (
        "predict {} good.csv -o out.csv",
        "verify {} good.csv",
        "evaluate {} good.csv",
        "export {} --onnx out.onnx",
    )
    for model in MODELS:
        quietly(f"fit good.csv --model {model} -o m.json")
        yield Healthy(
            "bad.json", Path("m.json").read_bytes(), inside_model, run[:3] if model == "voted" else run
        )
    quietly("fit three.csv --model logistic -o m.json")
    run = tuple(command.replace("good", "three") for command in run)
    yield Healthy("bad.json", Path("m.json").read_bytes(), inside_model, run)
    quietly("fit mixed.csv --encode --missing mean --model perceptron -o m.json")
    run = ("predict {} mixed.csv -o out.csv", "verify {} mixed.csv", "evaluate {} mixed.csv")
    yield Healthy("bad.json", Path("m.json").read_bytes(), inside_model, run)
    for model in ("linear", "ridge"):
        quietly(f"fit numbers.csv --model {model} -o m.json")
        run = ("predict {} numbers.csv -o out.csv", "verify {} numbers.csv", "evaluate {} numbers.csv")
        yield Healthy("bad.json", Path("m.json").read_bytes(), inside_model, run)


def _certificates() -> Iterator[Healthy]:
    """One of every kind, beside its data."""
    from certificate_corpus import corpus

    for kind, case in {case.record["kind"]: case for case in corpus()}.items():
        Path(f"{kind}.csv").write_text(case.data.csv)
        content = json.dumps(case.record).encode()
        yield Healthy("bad.json", content, inside_certificate, (f"agree {{}} {kind}.csv",))


MAKERS: dict[str, Callable[[], Iterator[Healthy]]] = {
    "csv": _csv,
    "tsv": _tsv,
    "svmlight": _svmlight,
    "npy": _npy,
    "npz": _npz,
    "arrow": _arrow,
    "parquet": _parquet,
    "model": _models,
    "certificate": _certificates,
}


def quietly(line: str) -> int:
    from separatrix.cli.program import run

    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        return run(line.replace("agree ", "verify ").split())


def prepare() -> None:
    """The files beside the damaged one, which stay whole."""
    text = _csv_text()
    Path("good.csv").write_bytes(text)
    Path("good.svm").write_bytes(_svmlight_text())
    third = text.replace(b"ham", b"eggs", 5)
    Path("three.csv").write_bytes(third)
    towns = (b"Bath", b"Lyon", b"Rome")
    lines = text.split(b"\n")
    mixed = [
        lines[0] + b",town",
        *(b",".join([line, towns[k % 3]]) for k, line in enumerate(lines[1:-1])),
        b"",
    ]
    Path("mixed.csv").write_bytes(b"\n".join(mixed))
    X, _ = _table()
    rows = (",".join(map(str, [*row, round(row[0] - row[2], 2)])) for row in X.tolist())
    Path("numbers.csv").write_text("\n".join(["a,b,c,label", *rows, ""]))
    X, y = _table()
    np.savez("good.npz", X=X, y=np.array(y))
    for line in (
        "fit good.csv --model perceptron -o model.json --certificate proof.json",
        "fit good.svm --model perceptron --certificate proof-svm.json",
        "fit good.npz --model perceptron -o plain.json",
    ):
        assert quietly(line) == 0, line
