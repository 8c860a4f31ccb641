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

from separatrix.rows.data_errors import DataError
from separatrix.rows.files.class_labels import INTEGER_PATTERN, NUMBER_PATTERN, to_numpy
from separatrix.rows.files.csv_lines import long_row_error
from separatrix.rows.files.source import InputFile, damaged_file_error, open_unpacked, read_ahead
from separatrix.rows.tables import MAX_EXACT_INTEGER, explain_inexact_integer, shorten

CHUNK_BYTES = 2**20  # bytes of text parsed at a time
MIN_KERNEL_BYTES = 2**19  # bytes of text
MIN_LOADING_BYTES = 2**23  # the same before numba is loaded, which takes a third of a second
MAX_COLUMNS = 2**31 - 1
LINE_PER_TOKEN = bytes.maketrans(b" \t\r:", b"\n\n\n\n")
INDEX_PATTERN = re.compile("[0-9]{1,4000}")
TOKEN_PATTERN = re.compile(r"\S+")
COMMENT_PATTERN = re.compile(rb"#[^\n]*")
LONG_INTEGER_PATTERN = re.compile(rb":[+-]?[0-9]{16,}(?![0-9.eE])")  # perhaps beyond 2^53
GROUP_PATTERN = re.compile(rb"(?<=[ \t])qid:[0-9]+")
LEADING_GROUP_PATTERN = re.compile(rb"^[ \t]*qid:", re.MULTILINE)
# Tried where a token begins, and nowhere else: a long one would be walked again from each of its letters.
INVALID_INDEX_PATTERN = re.compile(rb"(?<![^ \t\r\n:])[0-9]*+[^0-9 \t\r\n:][^ \t\r\n:]*+:")


class SparsePart(NamedTuple):
    """Consecutive rows: their labels and their compressed sparse rows, indices as written."""

    labels: np.ndarray
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray

    @property
    def num_rows(self) -> int:
        return len(self.labels)

    def slice(self, start: int, length: int) -> SparsePart:
        stop = start + length
        first, last = self.indptr[start], self.indptr[stop]
        entries = slice(first, last)
        indptr = self.indptr[start : stop + 1] - first
        return SparsePart(self.labels[start:stop], self.data[entries], self.indices[entries], indptr)


def join_parts(parts: Sequence[SparsePart]) -> SparsePart:
    """Several parts as one."""
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0] + [len(part.data) for part in parts])
    indptr = [part.indptr[1:] + offset for part, offset in zip(parts, offsets, strict=False)]
    labels, data, indices = (np.concatenate([part[position] for part in parts]) for position in range(3))
    return SparsePart(labels, data, indices, np.concatenate([np.zeros(1, np.int64), *indptr]))


class SvmlightFile:
    """A svmlight file, read in parts."""

    def __init__(self, input_file: InputFile) -> None:
        self.input_file = input_file

    def describe_row(self, row: int) -> str:
        return f"{self.input_file.name}, row {row + 1}"

    def parts(self) -> Iterator[SparsePart]:
        """All rows in order, about a megabyte of text at a time; may be called again."""
        row = line = n_bytes = 0
        try:
            # Unpacking takes longer than parsing, so the two go side by side.
            for text in read_ahead(self._read_chunks()) if self.input_file.gzipped else self._read_chunks():
                n_bytes += len(text)
                min_bytes = MIN_KERNEL_BYTES if "numba" in sys.modules else MIN_LOADING_BYTES
                part = parse_with_kernel(text) if n_bytes >= min_bytes else None
                if part is None:
                    part = self._parse_or_refuse(text, row, line)
                yield part
                row += part.num_rows
                line += text.count(b"\n")
        except EOFError:
            raise DataError(
                f"{self.input_file.name} ends early: its gzip stream is cut off after row {row}; fetch it "
                "again."
            ) from None
        except (OSError, zlib.error) as error:
            raise damaged_file_error(self.input_file.name, error) from None

    def _read_chunks(self) -> Iterator[bytes]:
        with open_unpacked(self.input_file) as file:
            max_bytes, lines = self.input_file.limits.line_bytes, 1
            while text := file.read(CHUNK_BYTES):
                end = b"" if text.endswith(b"\n") else file.readline(max_bytes + 1)
                lines += text.count(b"\n")
                if len(end) > max_bytes:
                    raise long_row_error(self.input_file, lines)
                lines += end.endswith(b"\n")
                yield text + end

    def _parse_or_refuse(self, text: bytes, row: int, line: int) -> SparsePart:
        """The rows of a chunk that begins at this row and this line, or the sentence that refuses it."""
        part = parse_with_arrow(text)
        if part is None or LONG_INTEGER_PATTERN.search(text):
            problem = self._find_first_problem(text, row, line)
            if problem is not None:
                raise problem
        if part is None:
            raise DataError(f"{self.input_file.name} cannot be read as svmlight text near line {line + 1}.")
        return part

    def _find_first_problem(self, text: bytes, row: int, line: int) -> DataError | None:
        """The first thing wrong in a chunk that begins at this row and this line, both counted from 0."""
        for number, line_text in enumerate(text.decode("utf-8", "replace").split("\n")):
            tokens = (found[0] for found in TOKEN_PATTERN.finditer(line_text.partition("#")[0]))
            label = next(tokens, None)
            if label is not None:
                problem = _find_problem(label, tokens)
                if problem is not None:
                    return DataError(f"{self.describe_row(row)} (line {line + number + 1}): {problem}.")
                row += 1
        return None


def parse_with_arrow(text: bytes) -> SparsePart | None:
    """Whole lines of svmlight text as arrays; None when anything in them is out of order.

    >>> part = parse_with_arrow(b"+1 1:0.5 3:2 # first\\n-1 2:1\\n")
    >>> part.labels.tolist(), part.data.tolist(), part.indices.tolist(), part.indptr.tolist()
    ([1.0, -1.0], [0.5, 2.0, 1.0], [1, 3, 2], [0, 2, 3])
    """
    if b"#" in text:
        text = COMMENT_PATTERN.sub(b"", text)
    if b"qid:" in text:
        if LEADING_GROUP_PATTERN.search(text):
            return None
        text = GROUP_PATTERN.sub(b"", text)
    if INVALID_INDEX_PATTERN.search(text):
        return None
    characters = np.frombuffer(text, np.uint8)
    is_blank = characters <= ord(" ")
    is_start = ~is_blank
    is_start[1:] &= is_blank[:-1]
    starts = np.flatnonzero(is_start)
    if len(starts) == 0:
        return SparsePart(np.empty(0), np.empty(0), np.empty(0, np.int32), np.zeros(1, np.int64))
    is_label = np.ones(len(starts), bool)  # the first token of a line is its label, the others are pairs
    is_label[1:] = np.add.reduceat(characters == ord("\n"), starts, dtype=np.int32)[:-1] > 0
    colons = np.add.reduceat(characters == ord(":"), starts, dtype=np.int32)
    numbers = _parse_numbers(text)
    if not np.array_equal(colons, ~is_label) or numbers is None or len(numbers) != len(starts) + colons.sum():
        return None
    positions = np.arange(len(starts)) + np.cumsum(colons) - colons
    pairs = positions[~is_label]
    labels, indices, data = numbers[positions[is_label]], numbers[pairs], numbers[pairs + 1]
    line_starts = np.append(np.flatnonzero(is_label), len(starts))
    indptr = np.concatenate([[0], np.cumsum(np.diff(line_starts) - 1)])
    is_valid = np.isfinite(numbers).all() and np.all((indices >= 0) & (indices < MAX_COLUMNS))
    if not is_valid or not np.all(indices == np.trunc(indices)) or not _are_ascending(indices, indptr):
        return None
    return SparsePart(labels, data, indices.astype(np.int32), indptr)


def parse_with_kernel(text: bytes) -> SparsePart | None:
    """The same by a compiled kernel, several times as fast; None also where it leaves text to the other.

    >>> parse_with_kernel(b"+1 1:0.5 3:2 # first\\n-1 2:1\\n").indices.tolist()
    [1, 3, 2]
    >>> parse_with_kernel(b"1 1:4.9e-324")
    """
    from separatrix.rows.files.svmlight_kernels import REFUSED, parse_lines

    characters = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
    # A row takes two bytes at least, a pair four.
    labels, indptr = np.empty(len(characters) // 2), np.empty(len(characters) // 2 + 1, np.int64)
    data, indices = np.empty(len(characters) // 4), np.empty(len(characters) // 4, np.int32)
    rows = parse_lines(characters, labels, data, indices, indptr)
    if rows == REFUSED:
        return None
    stored = indptr[rows]
    return SparsePart(
        labels[:rows].copy(), data[:stored].copy(), indices[:stored].copy(), indptr[: rows + 1].copy()
    )


def _parse_numbers(text: bytes) -> np.ndarray | None:
    """Every number in the text, parsed by PyArrow: six times faster than NumPy, and rounded the same."""
    try:
        table = arrow_csv.read_csv(
            pa.py_buffer(text.translate(LINE_PER_TOKEN)),
            read_options=arrow_csv.ReadOptions(column_names=["number"]),
            parse_options=arrow_csv.ParseOptions(quote_char=False),
            convert_options=arrow_csv.ConvertOptions(column_types={"number": pa.float64()}, null_values=[]),
        )
    except pa.ArrowException:
        return None
    return np.concatenate([to_numpy(chunk) for chunk in table.column(0).chunks])


def _are_ascending(indices: np.ndarray, indptr: np.ndarray) -> bool:
    is_rising = np.append(np.diff(indices) > 0, True)
    is_rising[indptr[1:] - 1] = True  # the last pair of a line has no successor
    return bool(is_rising.all())


def _find_problem(label: str, pairs: Iterator[str]) -> str | None:
    """What is wrong with one line."""
    if ":" in label:
        return (
            f"the line begins with the pair {shorten(label)}, not with a label; write 0 where it is unknown"
        )
    if not _is_finite(label):
        hint = "; one label a row is needed" if "," in label else ""
        return f"the label {shorten(label)} is no number{hint}"
    last = -1
    for number, token in enumerate(pairs):
        if number == 0 and re.fullmatch("qid:[0-9]+", token):
            continue
        index, _, value = token.partition(":")
        if not index or not value:
            return f"{shorten(token)} is no index:value pair; the line may be cut short"
        if not INDEX_PATTERN.fullmatch(index) or int(index) >= MAX_COLUMNS:
            return f"{shorten(index)} in {shorten(token)} is no column index"
        if int(index) <= last:
            return f"the index {index} comes after {last}; sort the pairs of a line and write each index once"
        if not _is_finite(value):
            return (
                f"the value {shorten(value)} at index {index} is no finite number; drop the row or fill it in"
            )
        integer = INTEGER_PATTERN.fullmatch(value)
        if integer is not None and int(integer[2]) > MAX_EXACT_INTEGER:
            return f"index {index}: {explain_inexact_integer(value).rstrip('.')}"
        last = int(index)
    return None


def _is_finite(text: str) -> bool:
    return NUMBER_PATTERN.fullmatch(text) is not None and math.isfinite(float(text))
