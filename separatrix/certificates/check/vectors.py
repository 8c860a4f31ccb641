"""Test vectors: certificates with what a checker has to say of them, in JSON files.

``docs/certificate-format.md`` describes the files. A vector is a certificate, a CSV file and ``expected``:
``holds``, ``refused`` or ``unreadable``.
"""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from .limits import changed
from .record import Refused
from .table import Unreadable


class Vector(NamedTuple):
    """One vector, its files written out."""

    name: str
    certificate: bytes
    data: bytes
    label: str | None
    leaves: bool
    limits: list[str]
    expected: str


def vectors(folder: str) -> Iterator[Vector]:
    """All vectors of the files in a folder, in order."""
    for path in sorted(Path(folder).glob("*.json")):
        known: dict[str, dict[str, Any]] = {}
        for entry in json.loads(path.read_text(encoding="utf-8")):
            known[entry["name"]] = vector = completed(entry, known)
            data = written(vector["data"])
            yield Vector(
                f"{path.stem}: {vector['name']}",
                written(vector["text"]) if "text" in vector else json.dumps(vector["certificate"]).encode(),
                gzip.compress(data) if vector.get("gzip") else data,
                vector.get("label"),
                vector.get("leaves", False),
                vector.get("limits", []),
                vector["expected"],
            )


def completed(entry: dict[str, Any], known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A vector with the parts that it takes from the one it is ``like``."""
    if "like" not in entry:
        return entry
    base = known[entry["like"]]
    vector = {"data": base["data"], "certificate": copy.deepcopy(base["certificate"]), **entry}
    for pointer, value in entry.get("set", {}).items():
        *path, last = steps(pointer)
        target = at(vector["certificate"], path)
        target[int(last) if isinstance(target, list) else last] = value
    for pointer in entry.get("remove", []):
        *path, last = steps(pointer)
        del at(vector["certificate"], path)[last]
    return vector


def steps(pointer: str) -> list[str]:
    """The steps of a JSON pointer (RFC 6901) in which no name has a slash or a tilde."""
    return pointer.split("/")[1:]


def at(value: Any, path: list[str]) -> Any:
    for step in path:
        value = value[int(step) if isinstance(value, list) else step]
    return value


def written(parts: Any) -> bytes:
    """A text, or a list of texts, of bytes in hexadecimal digits, and of parts to repeat."""
    if isinstance(parts, str):
        return parts.encode()
    if isinstance(parts, list):
        return b"".join(map(written, parts))
    return bytes.fromhex(parts["hex"]) if "hex" in parts else written(parts["repeat"]) * parts["times"]


def failures(folder: str, verdict: Callable[..., str]) -> Iterator[str | None]:
    """For each vector what is wrong with the verdict, or None."""
    with TemporaryDirectory() as files:
        certificate, data, there = Path(files, "certificate.json"), Path(files, "data.csv"), b""
        for vector in vectors(folder):
            certificate.write_bytes(vector.certificate)
            if vector.data != there:  # most are about the same few rows as the one before
                data.write_bytes(vector.data)
                there = vector.data
            found, said = outcome(certificate, data, vector, verdict)
            wrong = f"{vector.name}: {found}, not {vector.expected}: {said}"
            yield None if found == vector.expected else wrong


def outcome(certificate: Path, data: Path, vector: Vector, verdict: Callable[..., str]) -> tuple[str, str]:
    """``holds``, ``refused`` or ``unreadable``, with the reason."""
    try:
        with changed(vector.limits):
            return "holds", verdict(str(certificate), str(data), vector.label, vector.leaves)
    except Refused as refused:
        return "refused", str(refused)
    except Unreadable as unreadable:
        return "unreadable", str(unreadable)
    except Exception as error:
        return "broken", repr(error)
