"""Ways to damage a file: its bytes, its text, what is packed inside it, the values of a model."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import zipfile
from typing import Any

import numpy as np

Random = random.Random


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
        _retype(record, chance.choice(["fitted", "fitted", "fitted", "parameters", *record]), chance)
    with contextlib.suppress(TypeError):
        record["digest"] = _digest(record)
    return json.dumps(record).encode()


def inside_certificate(content: bytes, chance: Random) -> bytes:
    """Bytes, or values of other types."""
    if chance.random() < 0.5:
        return chance.choice((some_bytes, some_text))(content, chance)
    record = json.loads(content)
    _retype(record, chance.choice([*record]), chance)
    return json.dumps(record, ensure_ascii=False).encode()


def _retype(record: Any, key: str, chance: Random) -> None:
    """Walk down at random from a key, and change what is there."""
    place = record
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
