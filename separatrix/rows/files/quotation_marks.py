"""Quotation marks in delimited text: PyArrow ends an open field at the end of the file, and says nothing."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from separatrix.rows.data_errors import DataError
from separatrix.rows.files.csv_lines import read_records
from separatrix.rows.files.source import InputFile, open_unpacked

MARK = ord('"')
LINE_ENDS = (ord("\n"), ord("\r"))


class QuotationMarks:
    """Follows a text in pieces; it is ``balanced`` if each mark opens or closes a whole field or is doubled.

    Every other mark closes what the one before it has opened. Text for which this is not so may still be
    well-formed, as in ``5" pipe``: then a slower reader decides.
    """

    def __init__(self, delimiter: str) -> None:
        self._borders = np.zeros(256, np.bool_)
        self._borders[[MARK, *LINE_ENDS, ord(delimiter)]] = True
        self._well_placed = True
        self._is_open = False
        self._last = LINE_ENDS[0]

    @property
    def balanced(self) -> bool:
        return self._well_placed and not self._is_open

    def follow(self, piece: Any) -> None:
        text = np.frombuffer(piece, np.uint8)
        if not len(text) or not self._well_placed:
            return
        places = np.flatnonzero(text == MARK)
        opening, closing = places[self._is_open :: 2], places[not self._is_open :: 2]
        if self._last == MARK and not self._is_open:
            self._well_placed &= bool(self._borders[text[0]])
        before = np.where(opening == 0, self._last, text[opening - 1])
        after = text[closing[closing + 1 < len(text)] + 1]
        self._well_placed &= bool(self._borders[before].all() and self._borders[after].all())
        self._is_open ^= bool(len(places) % 2)
        self._last = int(text[-1])


def is_whole_record(line: str, input_file: InputFile, delimiter: str) -> bool:
    """Whether a row begins and ends on this line, and its quotation marks fit together."""
    text = io.StringIO(line, newline="\n")
    try:
        return any(read_records(text, input_file, delimiter, strict=True))
    except csv.Error:
        return False


def require_closed_quotes(input_file: InputFile, delimiter: str) -> None:
    """Read the whole file with the standard library, and refuse it where that does."""
    line = 0
    with (
        open_unpacked(input_file) as file,
        io.TextIOWrapper(file, "utf-8-sig", "replace", newline="") as text,
    ):
        try:
            for record in read_records(text, input_file, delimiter, strict=True):
                line = record[0]
        except csv.Error as error:
            reason = "stays open" if "end of data" in str(error) else "ends a cell before other text"
            raise DataError(
                f"{input_file.name}, after line {line}: a quotation mark {reason}; double it inside a cell, "
                "and close the cell by another."
            ) from None
