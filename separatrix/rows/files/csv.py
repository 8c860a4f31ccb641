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

from separatrix.rows.errors import DataError, MissingValue
from separatrix.rows.files.class_labels import MISSING, NUMBER, WHOLE
from separatrix.rows.files.csv_lines import records, too_long
from separatrix.rows.files.options import CsvOptions
from separatrix.rows.files.parallel_csv import parsed
from separatrix.rows.files.source import Place, Source, Unpacked, broken, open_unpacked, pieces
from separatrix.rows.tables import EXACT, beyond_exact, not_a_number, shorten

BLOCK = 2**20  # bytes of text parsed at a time
WORTH_THREADS = 4 * BLOCK
BEGINNING = 64  # lines looked at before the file is parsed
BEGINNING_BYTES = 2**22  # no more lines are looked at, once there are the names and a row
DELIMITERS = ",;\t|"
CUT_SHORT = (OSError, EOFError, zlib.error)
FAILURES = (pa.ArrowException, UnicodeDecodeError, *CUT_SHORT)
BOOLEANS = frozenset({"0", "1", "true", "false"})


class Record(NamedTuple):
    """One row of text: its number among the rows, the line it ends on, its fields."""

    row: int
    line: int
    fields: list[str]


class CsvSource(Source):
    """A file of delimited text, its first line the column names unless the option ``header`` is False."""

    written = True

    def __init__(self, place: Place, options: CsvOptions) -> None:
        self.place = place
        header = options.header
        lines = self._beginning()
        self._block = max(BLOCK, 4 * min(max(map(len, lines)), place.limits.line_bytes // 2))
        self._mean = sum(map(len, lines)) / len(lines)
        header_line = _unquoted(next(line for line in lines if line.strip()))
        self._delimiter = options.delimiter or max(DELIMITERS, key=header_line.count)
        place.require_columns(header_line.count(self._delimiter) + 1)
        first, second = self._first_records(lines)
        place.require_columns(len(first))
        if header is None and (sign := _no_names(first, second)):
            raise DataError(
                f"{place.name} seems to begin without column names (its first line holds {sign}): pass "
                "header=False to call them x1, x2, ..., or header=True if these are the names."
            )
        self._header = header is not False
        line = next(place for place, text in enumerate(lines) if text.strip())
        one_line = self._header and self._first_records([lines[line]])[0] == first
        self._head = "".join(lines[: line + 1]).encode() if one_line else b""
        names = first if self._header else [f"x{number + 1}" for number in range(len(first))]
        values = zip(names, second if self._header else first, strict=False)
        self._logical = {name for name, text in values if text.strip().lower() in ("true", "false")}
        self.schema = pa.schema(
            [(name, pa.bool_() if name in self._logical else pa.float64()) for name in names]
        )

    def _open(self) -> Any:
        return open_unpacked(self.place)

    def _beginning(self) -> list[str]:
        lines: list[bytes] = []
        most = self.place.limits.line_bytes
        try:
            with self._open() as file:
                while len(lines) < BEGINNING and (len(lines) < 3 or sum(map(len, lines)) < BEGINNING_BYTES):
                    line = file.readline(most + 1)
                    if len(line) > most:
                        raise too_long(self.place, len(lines) + 1)
                    if not line:
                        break
                    lines.append(line)
        except CUT_SHORT as error:
            raise self._cut_short(error, max(0, len(lines) - 1)) from None
        try:
            text = [line.decode("utf-8-sig") for line in lines]
        except UnicodeDecodeError:
            raise self._not_utf8() from None
        if not any(line.strip() for line in text):
            raise DataError(f"{self.place.name} holds no text but blank lines: there is nothing to read.")
        for number, line in enumerate(text, 1):
            if "\0" in line:
                raise self._with_null(number)
        return text

    def _first_records(self, lines: list[str]) -> tuple[list[str], list[str]]:
        try:
            text = io.StringIO("".join(lines), newline="\n")
            found = [fields for _, fields in islice(records(text, self.place, self._delimiter), 2)]
        except csv.Error as error:
            if "new-line" in str(error):
                raise DataError(
                    f"{self.place.name} ends lines with a carriage return alone: save it with line feeds."
                ) from None
            raise broken(self.place.name, error) from None
        return found[0], found[1] if len(found) > 1 else []

    def guess_rows(self) -> int:
        return 0 if self.place.gzipped else int(self.place.size / self._mean)

    def _parsed(self, convert: Any) -> Iterator[Any]:
        """All record batches. Where a row is longer than a block, the rest is read in larger ones."""
        taken = 0
        while True:
            try:
                for batch in _after(taken, self._in_blocks(convert, self._block)):
                    taken += batch.num_rows
                    yield batch
                return
            except pa.ArrowInvalid as error:
                most = 2 * self.place.limits.line_bytes
                if "straddling" not in str(error) or self._block >= most:
                    raise
                self._block = min(8 * self._block, most)

    def _in_blocks(self, convert: Any, size: int) -> Iterator[Any]:

        def options(beginning: bool, *, threads: bool) -> dict[str, Any]:
            named = self._header and beginning
            return {
                "read_options": arrow_csv.ReadOptions(
                    use_threads=threads,
                    block_size=size if threads else 2 * size,
                    column_names=None if named else self.schema.names,
                ),
                "parse_options": arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
                "convert_options": convert,
            }

        def passage(text: Any, beginning: bool) -> Any:
            return arrow_csv.read_csv(pa.BufferReader(text), **options(beginning, threads=False))

        def rest(file: Any, beginning: bool) -> Any:
            return arrow_csv.open_csv(file, **options(beginning, threads=True))

        with pa.OSFile(str(self.place.path)) as file:
            if self.place.gzipped:
                stream = pa.CompressedInputStream(file, "gzip")
                yield from parsed(Unpacked(self.place, file, stream), size, self._head, passage, rest)
            elif self.place.size < WORTH_THREADS:
                with rest(file, True) as reader:
                    yield from reader
            else:
                yield from parsed(file, size, self._head, passage, rest)

    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        types = {name: self.schema.field(name).type for name in features}
        if label is not None:
            types[label] = pa.dictionary(pa.int32(), pa.string())
        for batch in self._typed(types, features):
            yield from pieces(batch, rows)

    def texts(self, names: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        """Record batches of these columns and the label as text, as it is written."""
        wanted = [*names] if label is None else [*names, label]
        for batch in self._typed(dict.fromkeys(wanted, pa.string()), []):
            yield from pieces(batch, rows)

    def _typed(self, types: dict[str, Any], numbers: Sequence[str]) -> Iterator[Any]:
        convert = arrow_csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=[""], strings_can_be_null=True
        )
        start = 0
        try:
            for batch in self._parsed(convert):
                yield batch
                start += batch.num_rows
        except FAILURES as error:
            raise self._explain(error, numbers, start) from None

    def require_exact(self, names: Sequence[str]) -> None:
        if not names:
            return
        start = 0
        for batch in self._typed({name: pa.string() for name in names}, []):
            for name, column in zip(names, batch.columns, strict=True):
                long = pc.match_substring_regex(column, r"^[ \t]*[+-]?[0-9]{16,}[ \t]*$")
                for row in pc.indices_nonzero(long).to_pylist():
                    sign, digits = WHOLE.fullmatch(column[row].as_py()).groups()  # type: ignore[union-attr]
                    value = int(sign + digits)
                    if abs(value) > EXACT:
                        raise DataError(f"{self.cell(start + row, name)}: {beyond_exact(value)}")
            start += batch.num_rows

    def cell(self, row: int, column: str) -> str:
        try:
            record = next(self._records(row), None)
        except (*FAILURES, csv.Error):
            record = None
        return super().cell(row, column) if record is None else self._cell(record, column)

    def _cell(self, record: Record, column: str) -> str:
        return f"{self._row(record)}, column {column!r}"

    def _row(self, record: Record) -> str:
        return f"{self.place.name}, row {record.row + 1} (line {record.line})"

    def _records(self, start: int) -> Iterator[Record]:
        """The rows from ``start`` on, read by the standard library: slower, but it knows the lines."""
        with self._open() as raw, io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="") as lines:
            for row, (line, fields) in enumerate(records(lines, self.place, self._delimiter), -self._header):
                if row >= start:
                    yield Record(row, line, fields)

    def _explain(self, error: BaseException, numbers: Sequence[str], start: int) -> DataError:
        """What PyArrow could not read, found again: the first thing wrong from row ``start`` on."""
        row = start
        try:
            names = self.schema.names
            place_of = {name: place for place, name in enumerate(names)}
            places = [(name, place_of[name]) for name in numbers]
            records = self._records(start)
            for record in records:
                if len(record.fields) != len(names):
                    return self._wrong_width(record, len(names), last=next(records, None) is None)
                for name, place in places:
                    if not self._readable(name, record.fields[place]):
                        return self._unreadable(record, name, record.fields[place])
                row = record.row + 1
        except CUT_SHORT as cut:
            return self._cut_short(cut, row)
        except csv.Error as said:
            error = said
        if isinstance(error, UnicodeDecodeError) or "UTF8" in str(error):
            return self._not_utf8()
        if isinstance(error, pa.ArrowInvalid):  # it counts rows from the beginning of a passage
            error = pa.ArrowInvalid(re.sub(r"Row #[0-9]+: ", "", str(error)))
        return broken(self.place.name, error)

    def _with_null(self, line: int) -> DataError:
        return DataError(
            f"{self.place.name}, line {line}, holds a null character (UTF-16, or not a text file?): save it "
            "as UTF-8 text."
        )

    def _not_utf8(self) -> DataError:
        return DataError(f"{self.place.name} is not written in UTF-8: save it as UTF-8 text.")

    def _readable(self, name: str, text: str) -> bool:
        if name in self._logical:
            return text.lower() in BOOLEANS
        return NUMBER.fullmatch(text) is not None

    def _unreadable(self, record: Record, name: str, text: str) -> DataError:
        where = self._cell(record, name)
        if text.strip() == "" or text.strip().lower() in MISSING:
            shown = f" ({text!r})" if text else ""
            return MissingValue(f"{where}: the value is missing{shown}; drop the row or fill it in.")
        if name in self._logical:
            return DataError(f"{where}: {shorten(text)} is neither true nor false, as the first value is.")
        return not_a_number(where, text)

    def _wrong_width(self, record: Record, width: int, *, last: bool) -> DataError:
        fields = (
            f"{len(record.fields)} field{'s' * (len(record.fields) != 1)} where there are {width} columns"
        )
        if last and len(record.fields) < width:
            return DataError(
                f"{self._row(record)}: the file ends in the middle of this row ({fields}); fetch it again."
            )
        return DataError(
            f"{self._row(record)}: {fields}; check this row for a missing or an extra delimiter."
        )

    def _cut_short(self, error: BaseException, row: int) -> DataError:
        if isinstance(error, EOFError):
            return DataError(
                f"{self.place.name} ends early: its gzip stream is cut off after row {row}; fetch it again."
            )
        return broken(self.place.name, error)


def _no_names(first: list[str], second: list[str]) -> str:
    """What of the first line can hardly be a column name, or nothing; names like 0, 1, 2 are common."""
    numbers = [field.strip() for field in first if NUMBER.fullmatch(field)]
    if len(numbers) == len(first):
        return "numbers only"
    odd = [number for number in numbers if not number.isdecimal()]
    odd += [number for number, times in Counter(numbers).items() if times > 1]
    again = [field for field, below in zip(first, second, strict=False) if field == below != ""]
    if odd or (numbers and again):
        return f"values such as {shorten((odd or again)[0])}"
    return ""


def _unquoted(header: str) -> str:
    return "".join(header.split('"')[::2])


def _after(rows: int, batches: Iterable[Any]) -> Iterator[Any]:
    """The batches without so many rows at their beginning."""
    for batch in batches:
        if rows < batch.num_rows:
            yield batch.slice(rows)
        rows = max(0, rows - batch.num_rows)
