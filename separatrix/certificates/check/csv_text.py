"""The text of a CSV file, plain or gzipped: its rows as lists of cells, and no row longer than the limit."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from typing import IO

from .limits import current


class Unreadable(Exception):
    """A file that cannot be read as what it should be; the message is one sentence."""


class Text:
    """A CSV file that can be read again and again."""

    def __init__(self, path: str) -> None:
        self.path, self.limits = path, current()
        # The limit of a cell belongs to the whole process, so it is raised for good.
        csv.field_size_limit(max(csv.field_size_limit(), self.limits.line_bytes))
        try:
            with open(path, "rb") as file:
                self._packed = file.read(2) == b"\x1f\x8b"
            if self._packed:
                self._require_proportion()
        except (OSError, EOFError, zlib.error) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise Unreadable(f"{path} cannot be read: {reason}.") from None

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The cells of each row that is not blank, with the number of its last line."""
        with self._open() as file:
            lines = LimitedLines(self, file)
            reader = csv.reader(lines, strict=True)
            try:
                for cells in reader:
                    lines.used = 0
                    if cells:
                        yield reader.line_num, cells
            except (csv.Error, UnicodeDecodeError, EOFError, OSError, zlib.error) as error:
                raise Unreadable(f"{self.path}, after line {reader.line_num}: {error}.") from None

    def too_much(self, what: str, limit: str, needed: int | None = None) -> Unreadable:
        return Unreadable(self.limits.too_much(f"{self.path} {what}", limit, needed))

    def _open(self) -> IO[str]:
        if self._packed:
            return gzip.open(self.path, "rt", encoding="utf-8-sig", newline="\n")
        return open(self.path, encoding="utf-8-sig", newline="\n")

    def _require_proportion(self) -> None:
        """Refuse gzip data that unpacks out of proportion, before any of it is parsed."""
        with open(self.path, "rb") as packed, gzip.GzipFile(fileobj=packed) as file:
            start = size = 0
            while text := file.read(2**20):
                size += len(text)
                if size > self.limits.unpacked_bytes:
                    times = size // max(packed.tell() - start, 1)
                    if times > self.limits.ratio:
                        raise self.too_much(f"unpacks to {times:,} times its size", "ratio", 2 * times)
                    start, size = packed.tell(), 0


class LimitedLines:
    """Lines of text, refused where a row has too many bytes; the CSV reader itself would keep any."""

    def __init__(self, text: Text, file: IO[str]) -> None:
        self._text, self._file = text, file
        self._read = 0
        self.used = 0  # bytes since the last row ended

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        most = self._text.limits.line_bytes
        line = self._file.readline(most + 1)
        if not line:
            raise StopIteration
        self._read += 1
        if "\0" in line:
            raise Unreadable(
                f"{self._text.path}, line {self._read}: it holds a zero byte, so it is not text."
            )
        self.used += len(line) if line.isascii() else len(line.encode())
        if self.used > most:
            raise self._text.too_much(f"has a row on line {self._read:,} that is too long", "line_bytes")
        return line
