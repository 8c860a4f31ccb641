"""Standard input and open files, kept in a temporary file so that they can be read again."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import weakref
from typing import Any

from separatrix import limits
from separatrix.rows.data_errors import DataError
from separatrix.rows.files.source import InputFile

COPY_BYTES = 2**20  # bytes at a time


def copy_to_input_file(stream: Any) -> InputFile:
    """What a binary stream or standard input (``"-"``) holds, in a file that is deleted with its place."""
    name = "standard input" if stream == "-" else str(getattr(stream, "name", "stream"))
    source = sys.stdin.buffer if stream == "-" else stream
    descriptor, path = tempfile.mkstemp(prefix="separatrix-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            try:
                _copy(source, file, name)
            except TypeError:
                raise DataError(f"{name} gives text: open it in binary mode.") from None
        input_file = InputFile(path, name=name)
    except BaseException:
        _delete(path)
        raise
    weakref.finalize(input_file, _delete, path)
    return input_file


def _copy(source: Any, file: Any, name: str) -> None:
    current_limits, n_bytes = limits.current(), 0
    while part := source.read(COPY_BYTES):
        n_bytes += len(part)
        if n_bytes > current_limits.spooled_bytes:
            description = f"{name} has more bytes than are kept in a temporary file"
            raise DataError(current_limits.too_much(description, "spooled_bytes"))
        file.write(part)


def _delete(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
