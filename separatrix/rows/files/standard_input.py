"""Standard input and open files, kept in a temporary file so that they can be read again."""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import sys
import tempfile
import weakref
import zlib
from pathlib import Path
from typing import Any

from separatrix import limits
from separatrix.rows.errors import DataError
from separatrix.rows.files.source import Place

COPIED = 2**20  # bytes at a time
GZIP = b"\x1f\x8b"
MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
}
PAIRS = re.compile(r"\s*[^\s,;:|]+(\s+[0-9a-z]+:\S+)+\s*")


def spooled(stream: Any) -> Place:
    """What a binary stream or standard input (``"-"``) holds, in a file that is deleted with its place."""
    name = "standard input" if stream == "-" else str(getattr(stream, "name", "stream"))
    source = sys.stdin.buffer if stream == "-" else stream
    handle, path = tempfile.mkstemp(prefix="separatrix-")
    try:
        with os.fdopen(handle, "wb") as file:
            try:
                _copy(source, file, name)
            except TypeError:
                raise DataError(f"{name} gives text: open it in binary mode.") from None
        place = Place(path, name=name)
    except BaseException:
        _delete(path)
        raise
    weakref.finalize(place, _delete, path)
    return place


def is_gzipped(path: Path) -> bool:
    """Whether the first bytes are those of gzip, whatever the file is called."""
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP


def format_of(path: Path) -> tuple[str, bool]:
    """The format of a file by its first bytes, and whether it is gzipped."""
    gzipped = is_gzipped(path)
    try:
        with gzip.open(path) if gzipped else path.open("rb") as file:
            beginning = file.read(65536)
    except (OSError, EOFError, zlib.error):
        beginning = b""
    for magic, kind in MAGIC.items():
        if beginning.startswith(magic):
            return kind, gzipped
    lines = (line.partition("#")[0] for line in beginning.decode("utf-8", "replace").splitlines())
    first = next((line for line in lines if line.strip()), "")
    return "svmlight" if PAIRS.fullmatch(first) else "csv", gzipped


def _copy(source: Any, file: Any, name: str) -> None:
    known, size = limits.current(), 0
    while part := source.read(COPIED):
        size += len(part)
        if size > known.spooled_bytes:
            what = f"{name} has more bytes than are kept in a temporary file"
            raise DataError(known.too_much(what, "spooled_bytes"))
        file.write(part)


def _delete(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
