"""The columns of a file before they are numbers: text as text, numbers with NaN where one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as arrow_types

from separatrix.rows.data_errors import DataError
from separatrix.rows.files.class_labels import INTEGER_PATTERN, MISSING_TEXTS, NUMBER_PATTERN, to_numpy
from separatrix.rows.files.csv import CsvSource
from separatrix.rows.files.source import Source
from separatrix.rows.split import Share
from separatrix.rows.tables import MAX_EXACT_INTEGER, explain_inexact_integer, not_a_number_error

PART_ROWS = 8192  # in a part
BLANKS = " \t"
TRUTH_VALUES = dict.fromkeys(("0", "false", "False", "FALSE"), 0.0)
TRUTH_VALUES |= dict.fromkeys(("1", "true", "True", "TRUE"), 1.0)


class UntypedPart(NamedTuple):
    """Some rows, by their numbers: a column each, lists of text or arrays of numbers, and the labels."""

    rows: np.ndarray
    columns: list[Any]
    labels: Any

    def select(self, is_kept: np.ndarray) -> UntypedPart:
        """The rows where ``is_kept`` is true."""
        if is_kept.all():
            return self
        chosen = np.flatnonzero(is_kept)
        columns = [
            values[chosen] if isinstance(values, np.ndarray) else [values[row] for row in chosen]
            for values in self.columns
        ]
        labels = self.labels
        if isinstance(labels, np.ndarray):
            labels = labels[chosen]
        elif labels is not None:
            labels = labels.take(pa.array(chosen))
        return UntypedPart(self.rows[chosen], columns, labels)


class UntypedColumns:
    """Some columns of a source; of its rows a share, where one is given.

    With ``has_target`` the label is a number to predict.
    """

    def __init__(
        self,
        source: Source,
        names: Sequence[str],
        label: str | None,
        share: Share | None = None,
        *,
        has_target: bool = False,
    ) -> None:
        self.source, self.names, self.label, self.share = source, list(names), label, share
        self.has_target = has_target and label is not None

    def find_text_columns(self) -> tuple[str, ...]:
        """The columns that hold anything but numbers, in the order of the file."""
        if not isinstance(self.source, CsvSource):
            return tuple(name for name in self.names if _is_text(self.source.schema.field(name).type))
        text_names: set[str] = set()
        for batch in self._batches():
            for name in self.names:
                if name not in text_names and not _are_all_numbers(batch.column(name)):
                    text_names.add(name)
        return tuple(name for name in self.names if name in text_names)

    def parts(self, text: Sequence[str]) -> Iterator[UntypedPart]:
        """The rows in order, a few thousand at a time; the columns of ``text`` as text, others as numbers."""
        start = 0
        for batch in self._batches():
            columns = [
                _to_texts(batch.column(name))
                if name in text
                else self._to_numbers(batch.column(name), name, start)
                for name in self.names
            ]
            row_numbers = np.arange(start, start + batch.num_rows)
            labels = None if self.label is None else batch.column(self.label)
            if self.has_target and self.label is not None:
                labels = self._to_numbers(labels, self.label, start)
            part = UntypedPart(row_numbers, columns, labels)
            yield part if self.share is None else part.select(self.share.contains(row_numbers))
            start += batch.num_rows

    def _batches(self) -> Iterator[Any]:
        if isinstance(self.source, CsvSource):
            return self.source.text_batches(self.names, self.label, PART_ROWS)
        return self.source.batches(self.names, self.label, PART_ROWS)

    def _to_numbers(self, column: Any, name: str, start: int) -> np.ndarray:
        if _is_text(column.type):
            return self._read_numbers(column, name, start)
        try:
            return np.array(to_numpy(pc.fill_null(pc.cast(column, pa.float64()), np.nan)))
        except pa.ArrowInvalid:
            values = enumerate(column.to_pylist())
            row, value = next((r, v) for r, v in values if v is not None and abs(v) > MAX_EXACT_INTEGER)
            raise self._inexact_error(start + row, name, value) from None

    def _read_numbers(self, column: Any, name: str, start: int) -> np.ndarray:
        """The numbers of a column of text, each the nearest double."""
        column = _to_trimmed_text(column)
        texts = pc.if_else(_find_missing(column), None, column)
        if isinstance(self.source, CsvSource) and arrow_types.is_boolean(self.source.schema.field(name).type):
            values = texts.to_pylist()
            for row, value in enumerate(values):
                if value is not None and value not in TRUTH_VALUES:
                    raise not_a_number_error(self.source.describe_cell(start + row, name), value)
            return np.array([np.nan if value is None else TRUTH_VALUES[value] for value in values], float)
        try:
            numbers = np.array(to_numpy(pc.fill_null(pc.cast(texts, pa.float64()), np.nan)))
        except pa.ArrowInvalid:
            row, value = next((r, v) for r, v in enumerate(column.to_pylist()) if not _is_readable(v))
            raise not_a_number_error(self.source.describe_cell(start + row, name), value) from None
        # Arrow also reads words such as -nan, and rounds whole numbers that no double equals.
        for row in np.flatnonzero(~(np.abs(numbers) <= MAX_EXACT_INTEGER - 1)).tolist():
            self._require_plain(texts[row].as_py(), start + row, name)
        return numbers

    def _require_plain(self, text: str | None, row: int, name: str) -> None:
        if text is None:
            return
        if NUMBER_PATTERN.fullmatch(text) is None:
            raise not_a_number_error(self.source.describe_cell(row, name), text)
        whole = INTEGER_PATTERN.fullmatch(text)
        if whole is not None and (len(whole[2]) > 16 or int(whole[2]) > MAX_EXACT_INTEGER):
            raise self._inexact_error(row, name, text.strip())

    def _inexact_error(self, row: int, name: str, value: Any) -> DataError:
        return DataError(f"{self.source.describe_cell(row, name)}: {explain_inexact_integer(value)}")


def _is_text(arrow_type: Any) -> bool:
    if arrow_types.is_dictionary(arrow_type):
        return _is_text(arrow_type.value_type)
    return bool(arrow_types.is_string(arrow_type) or arrow_types.is_large_string(arrow_type))


def _to_trimmed_text(column: Any) -> Any:
    text = column.cast(pa.string()) if column.type != pa.string() else column
    return pc.utf8_trim(text, BLANKS)


def _find_missing(column: Any) -> Any:
    """Where a trimmed text says that nothing is there."""
    is_missing_text = pc.is_in(pc.utf8_lower(column), value_set=pa.array(["", *sorted(MISSING_TEXTS)]))
    return pc.or_kleene(pc.is_null(column), is_missing_text)


def _are_all_numbers(column: Any) -> bool:
    trimmed = _to_trimmed_text(column)
    is_number = pc.match_substring_regex(trimmed, f"^(?:{NUMBER_PATTERN.pattern})$")
    return bool(pc.all(pc.or_kleene(_find_missing(trimmed), is_number), min_count=0).as_py())


def _is_readable(value: str | None) -> bool:
    return (
        value is None or value.lower() in MISSING_TEXTS | {""} or NUMBER_PATTERN.fullmatch(value) is not None
    )


def _to_texts(column: Any) -> list[str | None]:
    """Text, numbers in such a column as they are written; nothing for an empty cell."""
    text = column if _is_text(column.type) else column.cast(pa.string())
    return [None if value is None or not value.strip(BLANKS) else value for value in text.to_pylist()]
