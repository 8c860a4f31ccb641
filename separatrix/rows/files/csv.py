"""CSV and TSV files, plain or gzipped: PyArrow parses, and what it refuses is found again by row and line."""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from separatrix.messages import Message, Parameter
from separatrix.rows.data_errors import DataError, MissingValue
from separatrix.rows.files.class_labels import INTEGER_PATTERN, MISSING_TEXTS, NUMBER_PATTERN
from separatrix.rows.files.csv_lines import long_row_error, read_records
from separatrix.rows.files.options import CsvOptions
from separatrix.rows.files.parallel_csv import parse_in_parallel
from separatrix.rows.files.quotation_marks import QuotationMarks, is_whole_record, require_closed_quotes
from separatrix.rows.files.source import (
    InputFile,
    Source,
    UnpackedStream,
    damaged_file_error,
    open_unpacked,
    split_batch,
)
from separatrix.rows.tables import MAX_EXACT_INTEGER, explain_inexact_integer, not_a_number_error, shorten

BLOCK_BYTES = 2**20  # bytes of text parsed at a time
MIN_PARALLEL_BYTES = 4 * BLOCK_BYTES
SAMPLE_LINES = 64  # lines looked at before the file is parsed
SAMPLE_BYTES = 2**22  # no more lines are looked at, once there are the names and a row
DELIMITERS = ",;\t|"
TRUNCATION_ERRORS = (OSError, EOFError, zlib.error)
PARSE_ERRORS = (pa.ArrowException, UnicodeDecodeError, *TRUNCATION_ERRORS)
BOOLEAN_FIELDS = frozenset({"0", "1", "true", "false"})


class Record(NamedTuple):
    """One row of text: its number among the rows, the line it ends on, its fields."""

    row: int
    line: int
    fields: list[str]


class CsvSource(Source):
    """A file of delimited text, its first line the column names unless the option ``header`` is False."""

    has_text_labels = True

    def __init__(self, input_file: InputFile, options: CsvOptions) -> None:
        self.input_file = input_file
        header = options.header
        lines = self._read_sample()
        self._block_bytes = max(BLOCK_BYTES, 4 * min(max(map(len, lines)), input_file.limits.line_bytes // 2))
        self._mean_line_bytes = sum(map(len, lines)) / len(lines)
        header_line = _strip_quoted(next(line for line in lines if line.strip()))
        self._delimiter = options.delimiter or max(DELIMITERS, key=header_line.count)
        input_file.require_columns(header_line.count(self._delimiter) + 1)
        first, second = self._parse_first_records(lines)
        input_file.require_columns(len(first))
        if header is None and (evidence := _find_data_in_header(first, second)):
            said = (
                "{} seems to begin without column names (its first line holds {}): pass {} to call them x1, "
                "x2, ..., or {} if these are the names."
            )
            header_options = Parameter("header", False), Parameter("header", True)
            raise DataError(Message(said, input_file.name, evidence, *header_options))
        self._header = header is not False
        line = next(number for number, text in enumerate(lines) if text.strip())
        is_one_line = self._header and is_whole_record(lines[line], input_file, self._delimiter)
        self._header_text = "".join(lines[: line + 1]).encode() if is_one_line else b""
        names = first if self._header else [f"x{number + 1}" for number in range(len(first))]
        values = zip(names, second if self._header else first, strict=False)
        self._boolean_names = {name for name, text in values if text.strip().lower() in ("true", "false")}
        self.schema = pa.schema(
            [(name, pa.bool_() if name in self._boolean_names else pa.float64()) for name in names]
        )

    def _open(self) -> Any:
        return open_unpacked(self.input_file)

    def _read_sample(self) -> list[str]:
        lines: list[bytes] = []
        max_bytes = self.input_file.limits.line_bytes
        try:
            with self._open() as file:
                while len(lines) < SAMPLE_LINES and (len(lines) < 3 or sum(map(len, lines)) < SAMPLE_BYTES):
                    line = file.readline(max_bytes + 1)
                    if len(line) > max_bytes:
                        raise long_row_error(self.input_file, len(lines) + 1)
                    if not line:
                        break
                    lines.append(line)
        except TRUNCATION_ERRORS as error:
            raise self._truncation_error(error, max(0, len(lines) - 1)) from None
        try:
            text = [line.decode("utf-8-sig") for line in lines]
        except UnicodeDecodeError:
            raise self._encoding_error() from None
        if not any(line.strip() for line in text):
            raise DataError(
                f"{self.input_file.name} holds no text but blank lines: there is nothing to read."
            )
        for number, line in enumerate(text, 1):
            if "\0" in line:
                raise self._null_character_error(number)
        return text

    def _parse_first_records(self, lines: list[str]) -> tuple[list[str], list[str]]:
        try:
            text = io.StringIO("".join(lines), newline="\n")
            found = [fields for _, fields in islice(read_records(text, self.input_file, self._delimiter), 2)]
        except csv.Error as error:
            if "new-line" in str(error):
                raise DataError(
                    f"{self.input_file.name} ends lines with a carriage return alone: save it with line "
                    "feeds."
                ) from None
            raise damaged_file_error(self.input_file.name, error) from None
        return found[0], found[1] if len(found) > 1 else []

    def estimate_rows(self) -> int:
        return 0 if self.input_file.gzipped else int(self.input_file.size / self._mean_line_bytes)

    def _parse(self, convert_options: Any) -> Iterator[Any]:
        """All record batches. Where a row is longer than a block, the rest is read in larger ones."""
        n_read = 0
        while True:
            try:
                for batch in _skip_rows(n_read, self._parse_blocks(convert_options, self._block_bytes)):
                    n_read += batch.num_rows
                    yield batch
                return
            except pa.ArrowInvalid as error:
                max_bytes = 2 * self.input_file.limits.line_bytes
                if "straddling" not in str(error) or self._block_bytes >= max_bytes:
                    raise
                self._block_bytes = min(8 * self._block_bytes, max_bytes)

    def _parse_blocks(self, convert_options: Any, block_bytes: int) -> Iterator[Any]:

        def make_options(is_beginning: bool, *, in_parallel: bool) -> dict[str, Any]:
            has_names = self._header and is_beginning
            return {
                "read_options": arrow_csv.ReadOptions(
                    use_threads=in_parallel,
                    block_size=block_bytes if in_parallel else 2 * block_bytes,
                    column_names=None if has_names else self.schema.names,
                ),
                "parse_options": arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                "convert_options": convert_options,
            }

        def parse_chunk(text: Any, is_beginning: bool) -> Any:
            return arrow_csv.read_csv(pa.BufferReader(text), **make_options(is_beginning, in_parallel=False))

        def open_reader(file: Any, is_beginning: bool) -> Any:
            return arrow_csv.open_csv(file, **make_options(is_beginning, in_parallel=True))

        marks = QuotationMarks(self._delimiter)
        with pa.OSFile(str(self.input_file.path)) as file:
            if self.input_file.gzipped:
                stream = pa.CompressedInputStream(file, "gzip")
                yield from parse_in_parallel(
                    UnpackedStream(self.input_file, file, stream),
                    block_bytes,
                    self._header_text,
                    parse_chunk,
                    open_reader,
                    marks,
                )
            elif self.input_file.size < MIN_PARALLEL_BYTES:
                text = file.read_buffer()
                marks.follow(text)
                with open_reader(pa.BufferReader(text), True) as reader:
                    yield from reader
            else:
                yield from parse_in_parallel(
                    file, block_bytes, self._header_text, parse_chunk, open_reader, marks
                )
        if not marks.balanced:
            require_closed_quotes(self.input_file, self._delimiter)

    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        types = {name: self.schema.field(name).type for name in features}
        if label is not None:
            types[label] = pa.dictionary(pa.int32(), pa.string())
        for batch in self._read_typed(types, features):
            yield from split_batch(batch, rows)

    def text_batches(self, names: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        """Record batches of these columns and the label as text, as it is written."""
        wanted = [*names] if label is None else [*names, label]
        for batch in self._read_typed(dict.fromkeys(wanted, pa.string()), []):
            yield from split_batch(batch, rows)

    def _read_typed(self, types: dict[str, Any], numeric_names: Sequence[str]) -> Iterator[Any]:
        convert_options = arrow_csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=[""], strings_can_be_null=True
        )
        start = 0
        try:
            for batch in self._parse(convert_options):
                yield batch
                start += batch.num_rows
        except PARSE_ERRORS as error:
            raise self._find_error(error, numeric_names, start) from None

    def require_exact(self, names: Sequence[str]) -> None:
        if not names:
            return
        start = 0
        for batch in self._read_typed({name: pa.string() for name in names}, []):
            for name, column in zip(names, batch.columns, strict=True):
                is_long = pc.match_substring_regex(column, r"^[ \t]*[+-]?[0-9]{16,}[ \t]*$")
                for row in pc.indices_nonzero(is_long).to_pylist():
                    sign, digits = INTEGER_PATTERN.fullmatch(column[row].as_py()).groups()  # type: ignore[union-attr]
                    value = int(sign + digits)
                    if abs(value) > MAX_EXACT_INTEGER:
                        raise DataError(
                            f"{self.describe_cell(start + row, name)}: {explain_inexact_integer(value)}"
                        )
            start += batch.num_rows

    def describe_cell(self, row: int, column: str) -> str:
        try:
            record = next(self._read_records(row), None)
        except (*PARSE_ERRORS, csv.Error):
            record = None
        return super().describe_cell(row, column) if record is None else self._describe_cell(record, column)

    def _describe_cell(self, record: Record, column: str) -> str:
        return f"{self._describe_row(record)}, column {column!r}"

    def _describe_row(self, record: Record) -> str:
        return f"{self.input_file.name}, row {record.row + 1} (line {record.line})"

    def _read_records(self, start: int) -> Iterator[Record]:
        """The rows from ``start`` on, read by the standard library: slower, but it knows the lines."""
        with self._open() as file, io.TextIOWrapper(file, "utf-8-sig", "replace", newline="") as lines:
            for row, (line, fields) in enumerate(
                read_records(lines, self.input_file, self._delimiter), -self._header
            ):
                if row >= start:
                    yield Record(row, line, fields)

    def _find_error(self, error: BaseException, numeric_names: Sequence[str], start: int) -> DataError:
        """What PyArrow could not read, found again: the first thing wrong from row ``start`` on."""
        row = start
        try:
            names = self.schema.names
            index_of = {name: position for position, name in enumerate(names)}
            positions = [(name, index_of[name]) for name in numeric_names]
            records = self._read_records(start)
            for record in records:
                if len(record.fields) != len(names):
                    return self._width_error(record, len(names), is_last=next(records, None) is None)
                for name, position in positions:
                    if not self._is_readable(name, record.fields[position]):
                        return self._unreadable_value_error(record, name, record.fields[position])
                row = record.row + 1
        except TRUNCATION_ERRORS as truncation:
            return self._truncation_error(truncation, row)
        except csv.Error as csv_error:
            error = csv_error
        if isinstance(error, UnicodeDecodeError) or "UTF8" in str(error):
            return self._encoding_error()
        if isinstance(error, pa.ArrowInvalid):  # it counts rows from the beginning of a chunk
            error = pa.ArrowInvalid(re.sub(r"Row #[0-9]+: ", "", str(error)))
        return damaged_file_error(self.input_file.name, error)

    def _null_character_error(self, line: int) -> DataError:
        return DataError(
            f"{self.input_file.name}, line {line}, holds a null character (UTF-16, or not a text file?): "
            "save it as UTF-8 text."
        )

    def _encoding_error(self) -> DataError:
        return DataError(f"{self.input_file.name} is not written in UTF-8: save it as UTF-8 text.")

    def _is_readable(self, name: str, text: str) -> bool:
        if name in self._boolean_names:
            return text.lower() in BOOLEAN_FIELDS
        return NUMBER_PATTERN.fullmatch(text) is not None

    def _unreadable_value_error(self, record: Record, name: str, text: str) -> DataError:
        location = self._describe_cell(record, name)
        if text.strip() == "" or text.strip().lower() in MISSING_TEXTS:
            quoted = f" ({text!r})" if text else ""
            return MissingValue(f"{location}: the value is missing{quoted}; drop the row or fill it in.")
        if name in self._boolean_names:
            return DataError(f"{location}: {shorten(text)} is neither true nor false, as the first value is.")
        return not_a_number_error(location, text)

    def _width_error(self, record: Record, width: int, *, is_last: bool) -> DataError:
        fields = (
            f"{len(record.fields)} field{'s' * (len(record.fields) != 1)} where there are {width} columns"
        )
        if is_last and len(record.fields) < width:
            return DataError(
                f"{self._describe_row(record)}: the file ends in the middle of this row ({fields}); fetch it "
                "again."
            )
        return DataError(
            f"{self._describe_row(record)}: {fields}; check this row for a missing or an extra delimiter."
        )

    def _truncation_error(self, error: BaseException, row: int) -> DataError:
        if isinstance(error, EOFError):
            return DataError(
                f"{self.input_file.name} ends early: its gzip stream is cut off after row {row}; fetch it "
                "again."
            )
        return damaged_file_error(self.input_file.name, error)


def _find_data_in_header(first: list[str], second: list[str]) -> str:
    """What of the first line can hardly be a column name, or nothing; names like 0, 1, 2 are common."""
    numbers = [field.strip() for field in first if NUMBER_PATTERN.fullmatch(field)]
    if len(numbers) == len(first):
        return "numbers only"
    not_ordinal = [number for number in numbers if not number.isdecimal()]
    not_ordinal += [number for number, times in Counter(numbers).items() if times > 1]
    repeated = [
        field for field, second_field in zip(first, second, strict=False) if field == second_field != ""
    ]
    if not_ordinal or (numbers and repeated):
        return f"values such as {shorten((not_ordinal or repeated)[0])}"
    return ""


def _strip_quoted(header: str) -> str:
    return "".join(header.split('"')[::2])


def _skip_rows(rows: int, batches: Iterable[Any]) -> Iterator[Any]:
    """The batches without so many rows at their beginning."""
    for batch in batches:
        if rows < batch.num_rows:
            yield batch.slice(rows)
        rows = max(0, rows - batch.num_rows)
