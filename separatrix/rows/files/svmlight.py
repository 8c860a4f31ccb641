"""svmlight (LIBSVM) text, plain or gzipped: ``label index:value ...`` on each line, a megabyte at a time.

A line may carry a ``qid:`` group, which is ignored, and end in a ``#`` comment. Indices ascend within a line.
Large files are parsed by a compiled kernel; small ones, and what the kernel refuses, by NumPy and PyArrow,
which are ready at once.
"""

from __future__ import annotations

import math
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from separatrix.rows.errors import DataError
from separatrix.rows.files.class_labels import NUMBER, WHOLE, numpy_values
from separatrix.rows.files.csv_lines import too_long
from separatrix.rows.files.source import Place, ahead, broken, open_unpacked
from separatrix.rows.tables import EXACT, beyond_exact, shorten

CHUNK = 2**20  # bytes of text parsed at a time
WORTH_A_KERNEL = 2**19  # bytes of text
WORTH_NUMBA = 2**23  # the same before numba is loaded, which takes a third of a second
MOST_COLUMNS = 2**31 - 1
ONE_A_LINE = bytes.maketrans(b" \t\r:", b"\n\n\n\n")
INDEX = re.compile("[0-9]{1,4000}")
TOKEN = re.compile(r"\S+")
COMMENT = re.compile(rb"#[^\n]*")
LONG_WHOLE = re.compile(rb":[+-]?[0-9]{16,}(?![0-9.eE])")  # perhaps beyond 2^53
GROUP = re.compile(rb"(?<=[ \t])qid:[0-9]+")
LEADING_GROUP = re.compile(rb"^[ \t]*qid:", re.MULTILINE)
# Tried where a token begins, and nowhere else: a long one would be walked again from each of its letters.
ODD_INDEX = re.compile(rb"(?<![^ \t\r\n:])[0-9]*+[^0-9 \t\r\n:][^ \t\r\n:]*+:")


class Part(NamedTuple):
    """Consecutive rows: their labels and their compressed sparse rows, indices as written."""

    labels: np.ndarray
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray

    @property
    def num_rows(self) -> int:
        return len(self.labels)

    def slice(self, start: int, length: int) -> Part:
        stop = start + length
        first, last = self.indptr[start], self.indptr[stop]
        inside = slice(first, last)
        bounds = self.indptr[start : stop + 1] - first
        return Part(self.labels[start:stop], self.data[inside], self.indices[inside], bounds)


def join(parts: Sequence[Part]) -> Part:
    """Several parts as one."""
    if len(parts) == 1:
        return parts[0]
    sizes = np.cumsum([0] + [len(part.data) for part in parts])
    bounds = [part.indptr[1:] + size for part, size in zip(parts, sizes, strict=False)]
    labels, data, indices = (np.concatenate([part[place] for part in parts]) for place in range(3))
    return Part(labels, data, indices, np.concatenate([np.zeros(1, np.int64), *bounds]))


class SvmlightFile:
    """A svmlight file, read in parts."""

    def __init__(self, place: Place) -> None:
        self.place = place

    def row(self, row: int) -> str:
        return f"{self.place.name}, row {row + 1}"

    def parts(self) -> Iterator[Part]:
        """All rows in order, about a megabyte of text at a time; may be called again."""
        row = line = read = 0
        try:
            # Unpacking takes longer than parsing, so the two go side by side.
            for text in ahead(self._chunks()) if self.place.gzipped else self._chunks():
                read += len(text)
                enough = WORTH_A_KERNEL if "numba" in sys.modules else WORTH_NUMBA
                part = parse_plain(text) if read >= enough else None
                if part is None:
                    part = self._judged(text, row, line)
                yield part
                row += part.num_rows
                line += text.count(b"\n")
        except EOFError:
            raise DataError(
                f"{self.place.name} ends early: its gzip stream is cut off after row {row}; fetch it again."
            ) from None
        except (OSError, zlib.error) as error:
            raise broken(self.place.name, error) from None

    def _chunks(self) -> Iterator[bytes]:
        with open_unpacked(self.place) as file:
            most, lines = self.place.limits.line_bytes, 1
            while text := file.read(CHUNK):
                end = b"" if text.endswith(b"\n") else file.readline(most + 1)
                lines += text.count(b"\n")
                if len(end) > most:
                    raise too_long(self.place, lines)
                lines += end.endswith(b"\n")
                yield text + end

    def _judged(self, text: bytes, row: int, line: int) -> Part:
        """The rows of a chunk that begins at this row and this line, or the sentence that refuses it."""
        part = parse(text)
        if part is None or LONG_WHOLE.search(text):
            problem = self._first_problem(text, row, line)
            if problem is not None:
                raise problem
        if part is None:
            raise DataError(f"{self.place.name} cannot be read as svmlight text near line {line + 1}.")
        return part

    def _first_problem(self, text: bytes, row: int, line: int) -> DataError | None:
        """The first thing wrong in a chunk that begins at this row and this line, both counted from 0."""
        for number, raw in enumerate(text.decode("utf-8", "replace").split("\n")):
            tokens = (found[0] for found in TOKEN.finditer(raw.partition("#")[0]))
            label = next(tokens, None)
            if label is not None:
                problem = _problem(label, tokens)
                if problem is not None:
                    return DataError(f"{self.row(row)} (line {line + number + 1}): {problem}.")
                row += 1
        return None


def parse(text: bytes) -> Part | None:
    """Whole lines of svmlight text as arrays; None when anything in them is out of order.

    >>> part = parse(b"+1 1:0.5 3:2 # first\\n-1 2:1\\n")
    >>> part.labels.tolist(), part.data.tolist(), part.indices.tolist(), part.indptr.tolist()
    ([1.0, -1.0], [0.5, 2.0, 1.0], [1, 3, 2], [0, 2, 3])
    """
    if b"#" in text:
        text = COMMENT.sub(b"", text)
    if b"qid:" in text:
        if LEADING_GROUP.search(text):
            return None
        text = GROUP.sub(b"", text)
    if ODD_INDEX.search(text):
        return None
    letters = np.frombuffer(text, np.uint8)
    blank = letters <= ord(" ")
    begins = ~blank
    begins[1:] &= blank[:-1]
    starts = np.flatnonzero(begins)
    if len(starts) == 0:
        return Part(np.empty(0), np.empty(0), np.empty(0, np.int32), np.zeros(1, np.int64))
    first = np.ones(len(starts), bool)  # the first token of a line is its label, the others are pairs
    first[1:] = np.add.reduceat(letters == ord("\n"), starts, dtype=np.int32)[:-1] > 0
    colons = np.add.reduceat(letters == ord(":"), starts, dtype=np.int32)
    numbers = _numbers(text)
    if not np.array_equal(colons, ~first) or numbers is None or len(numbers) != len(starts) + colons.sum():
        return None
    places = np.arange(len(starts)) + np.cumsum(colons) - colons
    pairs = places[~first]
    labels, indices, data = numbers[places[first]], numbers[pairs], numbers[pairs + 1]
    line_starts = np.append(np.flatnonzero(first), len(starts))
    indptr = np.concatenate([[0], np.cumsum(np.diff(line_starts) - 1)])
    sound = np.isfinite(numbers).all() and np.all((indices >= 0) & (indices < MOST_COLUMNS))
    if not sound or not np.all(indices == np.trunc(indices)) or not _ascending(indices, indptr):
        return None
    return Part(labels, data, indices.astype(np.int32), indptr)


def parse_plain(text: bytes) -> Part | None:
    """The same by a compiled kernel, several times as fast; None also where it leaves the text to `parse`.

    >>> parse_plain(b"+1 1:0.5 3:2 # first\\n-1 2:1\\n").indices.tolist()
    [1, 3, 2]
    >>> parse_plain(b"1 1:4.9e-324")
    """
    from separatrix.rows.files.svmlight_kernels import REFUSED, parse_lines

    letters = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
    # A row takes two bytes at least, a pair four.
    labels, indptr = np.empty(len(letters) // 2), np.empty(len(letters) // 2 + 1, np.int64)
    data, indices = np.empty(len(letters) // 4), np.empty(len(letters) // 4, np.int32)
    rows = parse_lines(letters, labels, data, indices, indptr)
    if rows == REFUSED:
        return None
    stored = indptr[rows]
    return Part(
        labels[:rows].copy(), data[:stored].copy(), indices[:stored].copy(), indptr[: rows + 1].copy()
    )


def _numbers(text: bytes) -> np.ndarray | None:
    """Every number in the text, parsed by PyArrow: six times faster than NumPy, and rounded the same."""
    try:
        table = arrow_csv.read_csv(
            pa.py_buffer(text.translate(ONE_A_LINE)),
            read_options=arrow_csv.ReadOptions(column_names=["number"]),
            parse_options=arrow_csv.ParseOptions(quote_char=False),
            convert_options=arrow_csv.ConvertOptions(column_types={"number": pa.float64()}, null_values=[]),
        )
    except pa.ArrowException:
        return None
    return np.concatenate([numpy_values(chunk) for chunk in table.column(0).chunks])


def _ascending(indices: np.ndarray, indptr: np.ndarray) -> bool:
    rising = np.append(np.diff(indices) > 0, True)
    rising[indptr[1:] - 1] = True  # the last pair of a line has no successor
    return bool(rising.all())


def _problem(label: str, pairs: Iterator[str]) -> str | None:
    """What is wrong with one line."""
    if ":" in label:
        return (
            f"the line begins with the pair {shorten(label)}, not with a label; write 0 where it is unknown"
        )
    if not _finite(label):
        several = "; one label a row is needed" if "," in label else ""
        return f"the label {shorten(label)} is no number{several}"
    last = -1
    for number, token in enumerate(pairs):
        if number == 0 and re.fullmatch("qid:[0-9]+", token):
            continue
        index, _, value = token.partition(":")
        if not index or not value:
            return f"{shorten(token)} is no index:value pair; the line may be cut short"
        if not INDEX.fullmatch(index) or int(index) >= MOST_COLUMNS:
            return f"{shorten(index)} in {shorten(token)} is no column index"
        if int(index) <= last:
            return f"the index {index} comes after {last}; sort the pairs of a line and write each index once"
        if not _finite(value):
            return (
                f"the value {shorten(value)} at index {index} is no finite number; drop the row or fill it in"
            )
        whole = WHOLE.fullmatch(value)
        if whole is not None and int(whole[2]) > EXACT:
            return f"index {index}: {beyond_exact(value).rstrip('.')}"
        last = int(index)
    return None


def _finite(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None and math.isfinite(float(text))
