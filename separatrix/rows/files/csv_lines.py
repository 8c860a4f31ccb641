"""Lines of text for the standard library's CSV reader, which would keep a row of any length."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import IO

from separatrix.rows.files.source import InputFile


def read_records(
    text: IO[str], input_file: InputFile, delimiter: str, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its last line; refused where one is too long.

    ``strict`` raises `csv.Error` at a quotation mark that stays open, or that text follows.
    """
    # The limit of a cell belongs to the whole process, so it is raised for good: other threads may read too.
    csv.field_size_limit(max(csv.field_size_limit(), input_file.limits.line_bytes))
    lines = _BoundedLines(text, input_file)
    reader = csv.reader(lines, delimiter=delimiter, strict=strict)
    for fields in reader:
        lines.row_bytes = 0
        if fields:
            yield reader.line_num, fields


def long_row_error(input_file: InputFile, line: int) -> Exception:
    """The refusal of a row that ends on this line or later."""
    return input_file.limit_error(f"has a row on line {line:,} that is too long", "line_bytes")


class _BoundedLines:
    def __init__(self, text: IO[str], input_file: InputFile) -> None:
        self._text, self._input_file = text, input_file
        self._n_lines = 0
        self.row_bytes = 0  # bytes since the last row ended

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(self._input_file.limits.line_bytes + 1)
        if not line:
            raise StopIteration
        self._n_lines += 1
        self.row_bytes += len(line) if line.isascii() else len(line.encode())
        if self.row_bytes > self._input_file.limits.line_bytes:
            raise long_row_error(self._input_file, self._n_lines)
        return line
