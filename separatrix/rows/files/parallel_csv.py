"""Delimited text parsed by several threads: PyArrow's streaming reader converts values with one alone.

Text is cut into passages of whole lines, each parsed by a reader of its own, and their batches come in the
order of the file. A cut is safe where no quotation mark came before it, since every line then ends a row;
from the first such mark after the header on, one streaming reader takes the rest.
"""

from __future__ import annotations

import io
import os
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any

import pyarrow as pa

MOST_THREADS = 4
MOST_BYTES = 2**24  # of text that waits to be parsed or taken
Text = bytes | bytearray


def parsed(
    stream: Any,
    size: int,
    header: Text,
    passage: Callable[[Any, bool], Any],
    rest: Callable[[Any, bool], Any],
) -> Iterator[Any]:
    """Record batches of a stream of text.

    Parameters
    ----------
    stream : pyarrow.NativeFile
    size : int
        Bytes of a passage, about.
    header : bytes
        What may have quotation marks: nothing, or the line of column names at the beginning.
    passage : callable
        Parses a buffer of whole rows into a table; told whether it is the beginning of the text.
    rest : callable
        Opens a streaming reader of a file; told the same.
    """
    threads = min(MOST_THREADS, os.cpu_count() or 1)
    room = max(1, min(2 * threads + 1, MOST_BYTES // size))
    with ThreadPoolExecutor(threads, "separatrix-parse") as pool:
        coming: deque[Future[Any]] = deque()
        tail: Text = b""
        first = True
        while True:
            text, ended = _filled(stream, tail, size)
            if not first and text.startswith(BOM_UTF8):
                text = bytearray(b"\n") + text  # PyArrow would take such a mark off the beginning of any text
            cut = len(text) if ended else text.rfind(b"\n") + 1
            begun = 3 * text.startswith(BOM_UTF8)
            begun += len(header) if first and text.startswith(header, begun) else 0
            if cut == 0 or text.find(b'"', begun) >= 0:
                break
            tail = text[cut:]
            if text.strip(b"\r\n") or first:
                coming.append(pool.submit(passage, pa.py_buffer(text).slice(0, cut), first))
            first = False
            while coming and (ended or len(coming) > room):
                yield from coming.popleft().result().to_batches()
            if ended:
                return
        while coming:
            yield from coming.popleft().result().to_batches()
    if text or first:
        joined = _Joined(text, stream)
        reader = None
        try:
            reader = rest(pa.PythonFile(joined, mode="r"), first)
            yield from reader
        finally:
            joined.end()
            del reader


def _filled(stream: Any, tail: Text, size: int) -> tuple[bytearray, bool]:
    """The tail of the last passage and up to ``size`` bytes more; whether the stream has ended."""
    text = bytearray(len(tail) + size)
    text[: len(tail)] = tail
    end = len(tail)
    with memoryview(text) as room:
        while end < len(text) and (more := stream.readinto(room[end:])):
            end += more
    ended = end < len(text)
    del text[end:]
    return text, ended


class _Joined(io.RawIOBase):
    """What was read already, then the rest of the stream."""

    def __init__(self, head: Text, stream: Any) -> None:
        super().__init__()
        self._head = memoryview(head)
        self._stream = stream
        self._reading = Lock()

    def end(self) -> None:
        """Give nothing more. PyArrow reads ahead on a thread of its own, which may outlive its reader."""
        with self._reading:
            self._head, self._stream = memoryview(b""), io.BytesIO()

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        """Fills the room while there is text: PyArrow would take a short part for a block of its own."""
        with self._reading, memoryview(room).cast("B") as place:
            end = min(len(self._head), len(place))
            place[:end], self._head = self._head[:end], self._head[end:]
            while end < len(place) and (more := self._stream.readinto(place[end:])):
                end += more
            return end
