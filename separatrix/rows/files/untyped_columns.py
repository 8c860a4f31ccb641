"""The columns of a file before they are numbers: text as text, numbers with NaN where one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from separatrix.rows.files.class_labels import MISSING, NUMBER, numpy_values
from separatrix.rows.files.csv import CsvSource
from separatrix.rows.files.source import Source
from separatrix.rows.split import Share
from separatrix.rows.tables import not_a_number

ROWS = 8192  # in a part


class Part(NamedTuple):
    """Some rows, by their numbers: a column each, lists of text or arrays of numbers, and the labels."""

    rows: np.ndarray
    columns: list[Any]
    labels: Any

    def taken(self, keep: np.ndarray) -> Part:
        """The rows where ``keep`` is true."""
        if keep.all():
            return self
        chosen = np.flatnonzero(keep)
        columns = [
            values[chosen] if isinstance(values, np.ndarray) else [values[row] for row in chosen]
            for values in self.columns
        ]
        labels = self.labels
        if isinstance(labels, np.ndarray):
            labels = labels[chosen]
        elif labels is not None:
            labels = labels.take(pa.array(chosen))
        return Part(self.rows[chosen], columns, labels)


class Raw:
    """Some columns of a source; of its rows a share, where one is given. A ``measured`` label is a number."""

    def __init__(
        self,
        source: Source,
        names: Sequence[str],
        label: str | None,
        share: Share | None = None,
        *,
        measured: bool = False,
    ) -> None:
        self.source, self.names, self.label, self.share = source, list(names), label, share
        self.measured = measured and label is not None

    def text_columns(self) -> tuple[str, ...]:
        """The columns that hold anything but numbers, in the order of the file."""
        if not isinstance(self.source, CsvSource):
            return tuple(name for name in self.names if _is_text(self.source.schema.field(name).type))
        found: set[str] = set()
        for batch in self._batches():
            for name in self.names:
                if name not in found and not _all_numbers(batch.column(name)):
                    found.add(name)
        return tuple(name for name in self.names if name in found)

    def parts(self, text: Sequence[str]) -> Iterator[Part]:
        """The rows in order, a few thousand at a time; the columns of ``text`` as text, others as numbers."""
        start = 0
        for batch in self._batches():
            columns = [
                _texts(batch.column(name)) if name in text else self._numbers(batch.column(name), name, start)
                for name in self.names
            ]
            rows = np.arange(start, start + batch.num_rows)
            labels = None if self.label is None else batch.column(self.label)
            if self.measured and self.label is not None:
                labels = self._numbers(labels, self.label, start)
            part = Part(rows, columns, labels)
            yield part if self.share is None else part.taken(self.share.chosen(rows))
            start += batch.num_rows

    def _batches(self) -> Iterator[Any]:
        if isinstance(self.source, CsvSource):
            return self.source.texts(self.names, self.label, ROWS)
        return self.source.batches(self.names, self.label, ROWS)

    def _numbers(self, column: Any, name: str, start: int) -> np.ndarray:
        if _is_text(column.type):
            column = _plain_text(column)
            try:
                column = pc.cast(pc.if_else(_absent(column), None, column), pa.float64())
            except pa.ArrowInvalid:
                row, value = next((r, v) for r, v in enumerate(column.to_pylist()) if not _readable(v))
                raise not_a_number(self.source.cell(start + row, name), value) from None
        numbers = pc.cast(column, pa.float64())
        return np.array(numpy_values(pc.fill_null(numbers, np.nan)))


def _is_text(kind: Any) -> bool:
    if kinds.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def _plain_text(column: Any) -> Any:
    text = column.cast(pa.string()) if column.type != pa.string() else column
    return pc.utf8_trim(text, " \t")


def _absent(column: Any) -> Any:
    """Where a trimmed text says that nothing is there."""
    said = pc.is_in(pc.utf8_lower(column), value_set=pa.array(["", *sorted(MISSING)]))
    return pc.or_kleene(pc.is_null(column), said)


def _all_numbers(column: Any) -> bool:
    text = _plain_text(column)
    number = pc.match_substring_regex(text, f"^(?:{NUMBER.pattern})$")
    return bool(pc.all(pc.or_kleene(_absent(text), number), min_count=0).as_py())


def _readable(value: str | None) -> bool:
    return value is None or value.lower() in MISSING | {""} or NUMBER.fullmatch(value) is not None


def _texts(column: Any) -> list[str | None]:
    """Text, numbers in such a column as they are written; nothing for an empty cell."""
    text = column if _is_text(column.type) else column.cast(pa.string())
    return [None if value is None or not value.strip() else value for value in text.to_pylist()]
