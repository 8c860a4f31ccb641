"""Standard input and open files, kept in a temporary file so that they can be read again."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import weakref
from typing import Any

from separatrix import limits
from separatrix.rows.errors import DataError
from separatrix.rows.files.source import Place

COPIED = 2**20  # bytes at a time


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
