"""Damaged files for the command line: valid ones, ways to damage them, and a process that runs them all.

``python tests/damaged_files.py FORMAT,... SEED COUNT`` prints one JSON object per run. It imports the
library once and forks for every few runs, so a crash ends a fork alone and the next one goes on behind it.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import random
import shutil
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

BATCH = 40  # runs in a fork
CPU_SECONDS = 5
MORE_MEMORY = 2**30  # bytes of address space beyond what the parent has
LENGTH = 4000  # characters kept of what a run says

Random = random.Random


class Healthy(NamedTuple):
    """A valid file: how it is called, what is in it, how to damage it, and the commands that read it."""

    name: str
    content: bytes
    damage: Callable[[bytes, Random], bytes]
    commands: tuple[str, ...]


# -- ways to damage bytes ---------------------------------------------------------------------------------


def flipped(content: bytes, chance: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def replaced(content: bytes, chance: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8))):
        changed[chance.randrange(len(changed))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
    return bytes(changed)


def cut(content: bytes, chance: Random) -> bytes:
    return content[: chance.randrange(len(content))]


def widened(content: bytes, chance: Random) -> bytes:
    place = chance.randrange(len(content) + 1)
    return content[:place] + chance.randbytes(chance.choice((1, 2, 4, 8, 64))) + content[place:]


def repeated(content: bytes, chance: Random) -> bytes:
    start, size = chance.randrange(len(content)), chance.choice((1, 8, 64, 512))
    return content[:start] + content[start : start + size] + content[start:]


def zeroed(content: bytes, chance: Random) -> bytes:
    start, size = chance.randrange(len(content)), chance.choice((1, 4, 8, 64, 512))
    block = content[start : start + size]
    return content[:start] + bytes(len(block)) + content[start + len(block) :]


def taken_out(content: bytes, chance: Random) -> bytes:
    start, size = chance.randrange(len(content)), chance.choice((1, 2, 8, 64))
    return content[:start] + content[start + size :]


def another_word(content: bytes, chance: Random) -> bytes:
    """An aligned word of four or eight bytes, as offsets, lengths and counts are, set to a telling value."""
    size = chance.choice((4, 8))
    start = chance.randrange(max(1, len(content) // size)) * size
    value = chance.choice((0, 1, -1, 2**31 - 1, -(2**31), 2**16, chance.randrange(2 * len(content))))
    return content[:start] + value.to_bytes(size, "little", signed=True) + content[start + size :]


BYTES = (flipped, replaced, cut, widened, repeated, zeroed, taken_out, another_word)


def some_bytes(content: bytes, chance: Random) -> bytes:
    return chance.choice(BYTES)(content, chance)


TOKENS = (
    b"", b"nan", b"NaN", b"inf", b"-inf", b"1e999", b"-0", b"1e-400", b"0x10", b"1_0", b"None", b"=1+1",
    b"\x1b[31m",
    b"\x00", b"\xff", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\t", b"\r", b"\n", b"\n\n", b":", b"#", b" ",
    b"9" * 30, b"9" * 400, b"1." + b"3" * 400, "٣".encode(), "１".encode(), b"true", b"1e5", b"-", b"+1",
    b"9007199254740993",
    b"99999999999:1", b"-1:1", b"1:1:1", b"qid:", b"qid:x", b"1:", b":1",
)  # fmt: skip


def some_text(content: bytes, chance: Random) -> bytes:
    """A field, or a digit, replaced by what does not belong there; or lines in another order."""
    way = chance.randrange(5)
    if way == 0:
        return some_bytes(content, chance)
    if way == 1:
        places = [k for k, byte in enumerate(content) if chr(byte).isdigit()]
        place = chance.choice(places)
        return content[:place] + chance.choice(TOKENS) + content[place + 1 :]
    if way == 2:
        lines = content.split(b"\n")
        chance.shuffle(lines)
        return b"\n".join(lines)
    lines = content.split(b"\n")
    row = chance.randrange(len(lines))
    mark = b"," if b"," in lines[0] else b" "
    fields = lines[row].split(mark)
    place = chance.randrange(len(fields))
    fields[place : place + chance.randrange(2)] = [chance.choice(TOKENS)] * chance.choice((1, 1, 1, 2))
    return b"\n".join([*lines[:row], mark.join(fields), *lines[row + 1 :]])


def inside_gzip(content: bytes, chance: Random) -> bytes:
    if chance.random() < 0.3:
        return some_bytes(content, chance)
    return gzip.compress(some_text(gzip.decompress(content), chance), 1, mtime=0)


def inside_archive(content: bytes, chance: Random) -> bytes:
    """The archive itself, or a member of it, stored again with a checksum that fits."""
    if chance.random() < 0.3:
        return some_bytes(content, chance)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(members))
    way = chance.randrange(4)
    if way == 0:
        members[name] = some_bytes(members[name], chance)
    elif way == 1:
        members[chance.choice(("X.npy", "y.npy", "x.npy", "a/b.npy", "data.npy"))] = members.pop(name)
    elif way == 2:
        members[name] = with_header(members[name], chance)
    else:
        members[name] = another_array(chance)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for member, data in members.items():
            archive.writestr(zipfile.ZipInfo(member), data)
    return made.getvalue()


HEADERS = (
    "'<f8'", "'>f8'", "'<f2'", "'<i8'", "'|O'", "'<U9'", "'|S3'", "'<c16'", "'|b1'", "'<M8[s]'",
    "[('a','<f8')]", "'|V8'",
    "(30,)", "(30, 3, 1)", "(-1, 3)", "(30, 0)", "(0, 3)", "(30, 3)", "()", "(10**400,)",
    "(9999999999999999999999, 3)",
    "(2147483648, 2147483648)", "(3, 30)", "True", "None", "'x'", "1.5", "(1.5, 2)", "('a', 2)",
)  # fmt: skip


def with_header(content: bytes, chance: Random) -> bytes:
    """A .npy member whose header says something else."""
    start = content.index(b"{")
    end = content.index(b"}", start)
    words = content[start:end].decode("latin-1").split(": ")
    place = chance.randrange(1, len(words))
    rest = words[place].split(", '", 1)
    words[place] = ", '".join([chance.choice(HEADERS), *rest[1:]])
    header = ": ".join(words).encode("latin-1")
    return content[:start] + header.ljust(end - start) + content[end:]


def another_array(chance: Random) -> bytes:
    array = chance.choice(
        [
            np.array([["a", "b"]] * 30),
            np.full((30, 3), np.nan),
            np.full((30, 3), np.inf),
            np.array([[1e308, -1e308, 5e-324]] * 30),
            np.zeros((0, 3)),
            np.zeros((30, 3), np.int8),
            np.zeros(30),
            np.full((30, 3), 2**62),
            np.zeros((30, 3), complex),
            np.array(7.0),
            np.array([b"ab"] * 30),
            np.arange(30) / 7,
            np.zeros((30, 3), "M8[s]"),
            np.zeros((30, 3), np.longdouble),
        ]
    )
    made = io.BytesIO()
    np.save(made, array)
    return made.getvalue()


# -- ways to damage a model -------------------------------------------------------------------------------

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**70, 1.5, -0.0, 1e308, "", "x", "1/0", "nan", [], {}, [[]], [None],
    ["a"], [0], {"a": 1},
    {"float": "nan"}, {"float": "inf"}, {"float": 3}, {"whole": "7"}, {"whole": "x"}, {"whole": 7},
    {"tuple": []},
    {"tuple": 3}, {"mapping": []}, {"mapping": [[1, 2], [1, 3]]}, {"halfspace": ["1/0", 1.0]},
    {"halfspace": [1.0]},
    {"halfspace": []}, {"halfspace": ["2/3", 4, None]}, {"history": {"columns": [], "passes": []}},
    {"array": {"dtype": "<U500000000", "shape": [2], "values": ["a", "b"]}},
    {"array": {"dtype": "object", "shape": [2], "values": ["a", "b"]}},
    {"array": {"dtype": "float64", "shape": [0], "values": []}},
    {"array": {"dtype": "float64", "shape": [1, 3], "values": ["nan", 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": [1, 3], "values": ["inf", 1.0, 2.0]}},
    {"array": {"dtype": "int64", "shape": [2], "values": [3, 4]}},
    {"array": {"dtype": "int8", "shape": [2], "values": [300, 4]}},
    {"array": {"dtype": "bool", "shape": [2], "values": [True, False]}},
    {"array": {"dtype": "float64", "shape": [-1], "values": [1.0]}},
    {"array": {"dtype": "float64", "shape": [], "values": [1.0]}},
    {"array": {"dtype": "float64", "shape": "x", "values": [1.0]}},
    {"array": {"dtype": 3, "shape": [1], "values": [1.0]}},
    {"array": {"dtype": "float64", "shape": [10**18], "values": [1.0]}},
    {"certificate": {}}, {"certificate": None}, {"moments": {}}, {"path": {}}, {"path": {"alphas": 1}},
    {"preparation": {}},
    {"preparation": {"columns": [], "missing": None}}, {"nothing": 1},
)  # fmt: skip


def inside_model(content: bytes, chance: Random) -> bytes:
    """Bytes, or values of other types with a digest that fits."""
    from separatrix.models.storage import _digest

    if chance.random() < 0.2:
        return chance.choice((some_bytes, some_text))(content, chance)
    record = json.loads(content)
    for _ in range(chance.choice((1, 1, 1, 2))):
        _retype(record, chance)
    with contextlib.suppress(TypeError):
        record["digest"] = _digest(record)
    return json.dumps(record).encode()


def _retype(record: Any, chance: Random) -> None:
    """Walk down at random, and change what is there."""
    place, key = record, chance.choice(["fitted", "fitted", "fitted", "parameters", *record])
    while isinstance(place.get(key) if isinstance(place, dict) else place[key], dict | list):
        below = place[key]
        if not below or chance.random() < 0.2:
            break
        place, key = below, chance.choice(sorted(below) if isinstance(below, dict) else range(len(below)))
    way = chance.randrange(4)
    if way == 0:
        del place[key]
    elif way == 1 and isinstance(place, list):
        place.append(place[key])
    elif way == 2 and isinstance(place[key], int | float | str) and place[key]:
        place[key] = {int: str, float: str, str: len}[type(place[key]) if place[key] is not True else int](
            place[key]
        )
    else:
        place[key] = json.loads(json.dumps(chance.choice(VALUES)))


# -- valid files ------------------------------------------------------------------------------------------


def healthy(kind: str) -> list[Healthy]:
    """The valid files of a format, made in the current folder, with the commands to run on what they become.

    In a command ``{}`` is the damaged file.
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
    yield Healthy("bad.csv", _csv_text(), some_text, (*ON_DATA, "check {} --encode"))
    yield Healthy("bad.csv.gz", gzip.compress(_csv_text(), mtime=0), inside_gzip, ("check {}",))


def _svmlight() -> Iterator[Healthy]:
    commands = ("check {}", "fit {} --model perceptron -o out.json", "verify proof-svm.json {}")
    yield Healthy("bad.svm", _svmlight_text(), some_text, (*commands, "fit {} --model ridge"))
    yield Healthy("bad.svm.gz", gzip.compress(_svmlight_text(), mtime=0), inside_gzip, ("check {}",))


def _npz() -> Iterator[Healthy]:
    from scipy.sparse import csr_array, save_npz

    X, y = _table()
    dense, sparse, plain = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(dense, X=X, y=np.array(y))
    save_npz(sparse, csr_array(X), compressed=False)
    np.save(plain, np.column_stack([X, [label == "ham" for label in y]]))
    commands = ("check {}", "fit {} --model perceptron -o out.json", "verify proof.json {}")
    yield Healthy(
        "bad.npz", dense.getvalue(), inside_archive, (*commands, "predict plain.json {} -o out.csv")
    )
    yield Healthy("sparse.npz", sparse.getvalue(), inside_archive, ("predict plain.json {} -o out.csv",))
    yield Healthy("bad.npy", plain.getvalue(), _npy_damage, ("check {} --label -1",))


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
        _quietly(f"fit good.csv --model {model} -o m.json")
        yield Healthy(
            "bad.json", Path("m.json").read_bytes(), inside_model, run[:3] if model == "voted" else run
        )
    _quietly("fit three.csv --model logistic -o m.json")
    run = tuple(command.replace("good", "three") for command in run)
    yield Healthy("bad.json", Path("m.json").read_bytes(), inside_model, run)
    _quietly("fit mixed.csv --encode --missing mean --model perceptron -o m.json")
    run = ("predict {} mixed.csv -o out.csv", "verify {} mixed.csv", "evaluate {} mixed.csv")
    yield Healthy("bad.json", Path("m.json").read_bytes(), inside_model, run)
    for model in ("linear", "ridge"):
        _quietly(f"fit numbers.csv --model {model} -o m.json")
        run = ("predict {} numbers.csv -o out.csv", "verify {} numbers.csv", "evaluate {} numbers.csv")
        yield Healthy("bad.json", Path("m.json").read_bytes(), inside_model, run)


MAKERS: dict[str, Callable[[], Iterator[Healthy]]] = {
    "csv": _csv,
    "svmlight": _svmlight,
    "npz": _npz,
    "arrow": _arrow,
    "parquet": _parquet,
    "model": _models,
}


# -- running them -----------------------------------------------------------------------------------------


def _quietly(line: str) -> int:
    from separatrix.cli.program import run

    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        return run(line.split())


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
        assert _quietly(line) == 0, line


def runs(kinds: list[str], seed: int, count: int) -> Iterator[dict[str, Any]]:
    """Run ``count`` damaged files of each format; every result says what would be needed to repeat it."""
    prepare()
    files = {kind: healthy(kind) for kind in kinds}
    for file in (file for some in files.values() for file in some):  # what commands load is loaded once, here
        Path(file.name).write_bytes(file.content)
        for command in file.commands:
            assert _quietly(command.format(file.name)) in (0, 2, 4), (file.name, command)
        _clear(file.name)
    there = set(os.listdir())
    work = [(kind, number) for kind in kinds for number in range(count)]
    while work:
        done = 0
        for found in _batch(files, work[:BATCH], seed, there):
            done += 1
            yield found
        work = work[done:]


def _batch(
    files: dict[str, list[Healthy]], work: list[tuple[str, int]], seed: int, there: set[str]
) -> Iterator[dict[str, Any]]:
    """Run these in one fork, up to the first that ends it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _child(files, work, seed, there, writing)
    os.close(writing)
    done = 0
    with os.fdopen(reading) as lines:
        for line in lines:
            done += 1
            yield json.loads(line)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if done < len(work):
        kind, number = work[done]
        file, command = _command(files, kind, number)
        _clear(*({*os.listdir()} - there))
        yield _result(
            kind, number, file.name, command, code, Path("..", "said").read_text("utf-8", "replace")
        )


def _command(files: dict[str, list[Healthy]], kind: str, number: int) -> tuple[Healthy, str]:
    file = files[kind][number % len(files[kind])]
    return file, file.commands[number // len(files[kind]) % len(file.commands)].format(file.name)


def _result(
    kind: str, number: int, name: str, command: str, code: int, said: str, **more: Any
) -> dict[str, Any]:
    told = {
        "kind": kind,
        "number": number,
        "file": name,
        "command": command,
        "code": code,
        "said": said[:LENGTH],
    }
    return {"left": [], "cpu": 0.0, "megabytes": 0, **told, **more}


def _child(
    files: dict[str, list[Healthy]], work: list[tuple[str, int]], seed: int, there: set[str], answers: int
) -> None:
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MORE_MEMORY,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open("../said", os.O_RDWR | os.O_CREAT | os.O_APPEND), 2)
        temporary = Path("../inner").absolute()
        tempfile.tempdir = str(temporary)
        before = resource.getrusage(resource.RUSAGE_SELF)
        for kind, number in work:
            file, command = _command(files, kind, number)
            Path(file.name).write_bytes(file.damage(file.content, random.Random(f"{kind} {seed} {number}")))
            os.ftruncate(2, 0)
            temporary.mkdir(exist_ok=True)
            spent = int(before.ru_utime + before.ru_stime)
            resource.setrlimit(resource.RLIMIT_CPU, (spent + CPU_SECONDS, resource.RLIM_INFINITY))
            code = _ended(command.split())
            after = resource.getrusage(resource.RUSAGE_SELF)
            left = sorted({*os.listdir()} - there - {file.name}) + sorted(os.listdir(temporary))
            found = _result(
                kind,
                number,
                file.name,
                command,
                code,
                Path("../said").read_text("utf-8", "replace"),
                left=left,
                cpu=round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 3),
                megabytes=(after.ru_maxrss - before.ru_maxrss) // 1024,
            )
            os.write(answers, (json.dumps(found) + "\n").encode())
            _clear(file.name, *left)
            before = after
    finally:
        os._exit(0)


def _ended(command: list[str]) -> int:
    from separatrix.cli.program import main

    try:
        main(command)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 98
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 99


def _clear(*names: str) -> None:
    for name in (*names, "out.json", "out.csv", "out.onnx"):
        if Path(name).is_dir():
            shutil.rmtree(name)
        Path(name).unlink(missing_ok=True)


def main() -> None:
    kinds, seed, count = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        inside = Path(folder, "files")
        inside.mkdir()
        os.chdir(inside)
        for found in runs(kinds, seed, count):
            print(json.dumps(found), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
