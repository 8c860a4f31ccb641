"""Lines of text for the standard library's CSV reader, which would keep a row of any length."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import IO

from separatrix.rows.files.source import Place


def records(text: IO[str], place: Place, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its last line; refused where one is too long."""
    # The limit of a cell belongs to the whole process, so it is raised for good: other threads may read too.
    csv.field_size_limit(max(csv.field_size_limit(), place.limits.line_bytes))
    lines = _Lines(text, place)
    reader = csv.reader(lines, delimiter=delimiter)
    for fields in reader:
        lines.used = 0
        if fields:
            yield reader.line_num, fields


def too_long(place: Place, line: int) -> Exception:
    """The refusal of a row that ends on this line or later."""
    return place.too_much(f"has a row on line {line:,} that is too long", "line_bytes")


class _Lines:
    def __init__(self, text: IO[str], place: Place) -> None:
        self._text, self._place = text, place
        self._read = 0
        self.used = 0  # bytes since the last row ended

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(self._place.limits.line_bytes + 1)
        if not line:
            raise StopIteration
        self._read += 1
        self.used += len(line) if line.isascii() else len(line.encode())
        if self.used > self._place.limits.line_bytes:
            raise too_long(self._place, self._read)
        return line
