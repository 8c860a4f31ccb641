"""Delimited text parsed by several threads: PyArrow's streaming reader converts values with one alone.

Text is cut into chunks of whole lines, each parsed by a reader of its own, and their batches come in the
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

from separatrix.rows.files.quotation_marks import QuotationMarks

MAX_THREADS = 4
MAX_WAITING_BYTES = 2**24  # of text that waits to be parsed or taken
Text = bytes | bytearray


def parse_in_parallel(
    stream: Any,
    chunk_bytes: int,
    header: Text,
    parse_chunk: Callable[[Any, bool], Any],
    open_reader: Callable[[Any, bool], Any],
    marks: QuotationMarks,
) -> Iterator[Any]:
    """Record batches of a stream of text.

    Parameters
    ----------
    stream : pyarrow.NativeFile
    chunk_bytes : int
        Bytes of a chunk, about.
    header : bytes
        What may have quotation marks: nothing, or the line of column names at the beginning.
    parse_chunk : callable
        Parses a buffer of whole rows into a table; told whether it is the beginning of the text.
    open_reader : callable
        Opens a streaming reader of a file; told the same.
    marks : QuotationMarks
        Follows the text from about its first quotation mark below the header.
    """
    n_threads = min(MAX_THREADS, os.cpu_count() or 1)
    max_waiting = max(1, min(2 * n_threads + 1, MAX_WAITING_BYTES // chunk_bytes))
    with ThreadPoolExecutor(n_threads, "separatrix-parse") as executor:
        pending: deque[Future[Any]] = deque()
        tail: Text = b""
        is_first = True
        while True:
            text, is_ended = _read_chunk(stream, tail, chunk_bytes)
            if not is_first and text.startswith(BOM_UTF8):
                text = bytearray(b"\n") + text  # PyArrow would take such a mark off the beginning of any text
            chunk_end = len(text) if is_ended else text.rfind(b"\n") + 1
            header_end = 3 * text.startswith(BOM_UTF8)
            header_end += len(header) if is_first and text.startswith(header, header_end) else 0
            if chunk_end == 0 or text.find(b'"', header_end) >= 0:
                break
            tail = text[chunk_end:]
            if text.strip(b"\r\n") or is_first:
                pending.append(executor.submit(parse_chunk, pa.py_buffer(text).slice(0, chunk_end), is_first))
            is_first = False
            while pending and (is_ended or len(pending) > max_waiting):
                yield from pending.popleft().result().to_batches()
            if is_ended:
                return
        while pending:
            yield from pending.popleft().result().to_batches()
    if text or is_first:
        joined = _JoinedStream(text, stream, marks)
        reader = None
        try:
            reader = open_reader(pa.PythonFile(joined, mode="r"), is_first)
            yield from reader
        finally:
            joined.stop_reading()
            del reader


def _read_chunk(stream: Any, tail: Text, chunk_bytes: int) -> tuple[bytearray, bool]:
    """The tail of the last chunk and up to ``chunk_bytes`` bytes more; whether the stream has ended."""
    text = bytearray(len(tail) + chunk_bytes)
    text[: len(tail)] = tail
    end = len(tail)
    with memoryview(text) as buffer:
        while end < len(text) and (n_bytes := stream.readinto(buffer[end:])):
            end += n_bytes
    is_ended = end < len(text)
    del text[end:]
    return text, is_ended


class _JoinedStream(io.RawIOBase):
    """What was read already, then the rest of the stream."""

    def __init__(self, beginning: Text, stream: Any, marks: QuotationMarks) -> None:
        super().__init__()
        self._marks = marks
        self._beginning = memoryview(beginning)
        self._stream = stream
        self._lock = Lock()

    def stop_reading(self) -> None:
        """Give nothing more. PyArrow reads ahead on a thread of its own, which may outlive its reader."""
        with self._lock:
            self._beginning, self._stream = memoryview(b""), io.BytesIO()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the room while there is text: PyArrow would take a short part for a block of its own."""
        with self._lock, memoryview(buffer).cast("B") as view:
            end = min(len(self._beginning), len(view))
            view[:end], self._beginning = self._beginning[:end], self._beginning[end:]
            while end < len(view) and (n_bytes := self._stream.readinto(view[end:])):
                end += n_bytes
            self._marks.follow(view[:end])
            return end
