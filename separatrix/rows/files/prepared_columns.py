"""Files whose columns are prepared before they are rows: categories, words, missing values, scales."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from separatrix.rows.errors import DataError
from separatrix.rows.files.class_labels import Classes
from separatrix.rows.files.options import (
    ColumnOptions,
    PreprocessingOptions,
    ReadOptions,
    SvmlightOptions,
)
from separatrix.rows.files.regression_targets import measured_columns, measured_parts, of_target
from separatrix.rows.files.source import Source
from separatrix.rows.files.streamed_table import rows_of_columns
from separatrix.rows.files.svmlight import Part as SparsePart
from separatrix.rows.files.svmlight_rows import rows_of_parts
from separatrix.rows.files.untyped_columns import Part, Raw
from separatrix.rows.preparation import Categories, Column, HashedWords, Number, Preparation, Words, tokens
from separatrix.rows.rows import Rows

MOST_CATEGORIES = 1000


def rows_prepared(source: Source, names: Sequence[str], label: str | None, options: ReadOptions) -> Rows:
    """The rows of these columns, prepared as asked, or as an earlier fit has learned to.

    In a regression the label is a number to predict, which no preparation touches.
    """
    how, regression, share = options.preprocessing, options.columns.regression, options.share
    known = how.preparation
    how.require_sound()
    if known is not None:
        absent = [name for name in known.inputs if name not in names]
        if absent:
            raise DataError(
                f"{source.place.name} has no column called {absent[0]!r}, which the model was fitted with."
            )
        raw = Raw(source, known.inputs, label, share, measured=regression)
        preparation, n_rows = known, None
    else:
        raw = Raw(source, names, label, share, measured=regression)
        try:
            preparation, n_rows = learned(raw, how)
        except DataError as error:
            raise (of_target(error, str(label)) if regression else error) from None
    prepared = PreparedSource(raw, preparation, n_rows, drops=how.missing == "drop")
    if regression:
        assert label is not None
        rows = _measured(prepared, preparation, label, options)
    elif preparation.sparse:
        labels = None if label is None else prepared.classes(label)
        rows = rows_of_parts(prepared, labels, _of_width(options, len(preparation.names)))
        rows.columns, rows.label = preparation.names, label
    else:
        columns = ColumnOptions(
            False if label is None else label, preparation.names, positive=options.columns.positive
        )
        rows = rows_of_columns(prepared, replace(options, columns=columns))
    rows.preparation = preparation
    return rows


def _measured(prepared: PreparedSource, preparation: Preparation, target: str, options: ReadOptions) -> Rows:
    names = preparation.names
    if not preparation.sparse:
        return measured_columns(prepared, names, target, options)
    rows = measured_parts(prepared, _of_width(options, len(names)))
    rows.columns, rows.label = names, target
    return rows


def _of_width(options: ReadOptions, n_columns: int) -> ReadOptions:
    return replace(options, svmlight=SvmlightOptions(n_columns=n_columns))


class PreparedSource(Source):
    """A source of the numbers that a preparation makes of another one's columns.

    It ``drops`` rows with a missing value where they are learned from; rows to be predicted stay, for every
    one of them wants an answer.
    """

    def __init__(self, raw: Raw, preparation: Preparation, n_rows: int | None, *, drops: bool) -> None:
        self.place, self.written, self.n_rows = raw.source.place, raw.source.written, n_rows
        self._raw, self._preparation = raw, preparation
        self._drops = drops
        self._some = drops or raw.share is not None
        fields = [pa.field(name, pa.float64()) for name in preparation.names]
        if raw.label is not None:
            kind = pa.string() if self.written else raw.source.schema.field(raw.label).type
            fields.append(pa.field(raw.label, pa.float64() if raw.measured else kind))
        self.schema = pa.schema(fields)

    def classes(self, label: str) -> Classes:
        return Classes(self.place.name, lambda row: self.cell(row, label), written=self.written)

    def cell(self, row: int, column: str) -> str:
        if self._some:
            return f"{self.place.name}, row {row + 1} of those kept, column {column!r}"
        return self._raw.source.cell(row, column)

    def guess_rows(self) -> int:
        return self._raw.source.guess_rows()

    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        measured = self._raw.label if self._raw.measured else None
        wanted = [name for name in features if name != measured]
        places = [self._preparation.names.index(name) for name in wanted]
        for part in self._kept():
            matrix = self._preparation.dense(part.columns, part.rows, self._raw.source.cell)
            columns = [pa.array(matrix[:, place]) for place in places]
            if len(wanted) < len(features):
                columns.insert(features.index(measured), pa.array(part.labels))
            named = list(features)
            if label is not None:
                columns.append(part.labels)
                named.append(label)
            batch = pa.RecordBatch.from_arrays(columns, names=named)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)

    def parts(self) -> Iterator[SparsePart]:
        """The rows as compressed sparse rows, with their labels."""
        for part in self._kept():
            n_rows = len(part.columns[0])
            labels = np.zeros(n_rows) if part.labels is None else part.labels
            if not isinstance(labels, np.ndarray):
                labels = _label_array(labels)
            yield SparsePart(
                labels, *self._preparation.compressed(part.columns, part.rows, self._raw.source.cell)
            )

    def _kept(self) -> Iterator[Part]:
        for part in self._raw.parts(self._preparation.text):
            yield dropped(part, self._preparation) if self._drops else self._whole(part)

    def _whole(self, part: Part) -> Part:
        for column, values in zip(self._preparation.columns, part.columns, strict=True):
            if isinstance(column, Number) and column.fill is None and np.isnan(values).any():
                row = int(part.rows[np.flatnonzero(np.isnan(values))[0]])
                hint = (
                    "the rows of the fit that had one were left out: fill it in, or fit with missing='mean'"
                    if self._preparation.missing == "drop"
                    else "fill it in"
                )
                raise DataError(f"{self._raw.source.cell(row, column.name)}: the value is missing; {hint}.")
        if self._raw.measured and np.isnan(part.labels).any():
            row = int(part.rows[np.flatnonzero(np.isnan(part.labels))[0]])
            where = self._raw.source.cell(row, str(self._raw.label))
            raise DataError(
                f"{where}: the number to predict is missing; leave such rows out with missing='drop'."
            )
        return part


def learned(raw: Raw, how: PreprocessingOptions) -> tuple[Preparation, int]:
    """The preparation that the rows of ``raw`` ask for, and how many rows it keeps."""
    name = raw.source.place.name
    asked = tuple(how.encode) if not isinstance(how.encode, bool) else ()
    for column in (*asked, *how.text):
        if column not in raw.names:
            raise DataError(f"{name} has no feature column called {column!r}; check the name.")
    encoded = raw.text_columns() if how.encode is True else asked
    encoded = tuple(column for column in encoded if column not in how.text)
    kinds: list[Column] = [
        Words(column) if column in how.text else Categories(column) if column in encoded else Number(column)
        for column in raw.names
    ]
    first = Preparation(tuple(kinds), how.missing)
    seen = [_Seen(column) for column in kinds]
    n_rows = 0
    for part in raw.parts(first.text):
        kept = dropped(part, first) if how.missing == "drop" else part
        n_rows += len(kept.columns[0])
        for notes, values in zip(seen, kept.columns, strict=True):
            notes.see(values)
    if n_rows == 0:
        why = "every row has a missing value" if how.missing == "drop" else "there are none"
        raise DataError(f"{name} has no rows to learn from: {why}.")
    if how.missing is None:
        counts = [(notes.column.name, notes.missing) for notes in seen if notes.missing]
        if counts:
            raise DataError(f"{name}: {missing_told(counts)}")
    return Preparation(tuple(notes.column_for(name, how) for notes in seen), how.missing), n_rows


def missing_counts(source: Source, names: Sequence[str]) -> list[tuple[str, int]]:
    """How many values are missing in each column of numbers that lacks some."""
    raw = Raw(source, names, None)
    total = np.zeros(len(raw.names), np.int64)
    for part in raw.parts(()):
        total += [int(np.isnan(values).sum()) for values in part.columns]
    return [(name, count) for name, count in zip(raw.names, total.tolist(), strict=True) if count]


def missing_told(counts: Sequence[tuple[str, int]]) -> str:
    """How many values are missing in which columns, and what can be done."""
    total = sum(count for _, count in counts)
    shown = ", ".join(f"{count} in {column!r}" for column, count in counts[:8])
    more = f" and in {len(counts) - 8} more columns" if len(counts) > 8 else ""
    values = "1 value is" if total == 1 else f"{total:,} values are"
    return (
        f"{values} missing ({shown}{more}): missing='drop' leaves those rows out, missing='mean' fills in "
        "the mean of the column."
    )


class _Seen:
    """What one column holds: missing values, distinct ones, words, or the moments of its numbers."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.missing = 0
        self.values: Counter[str] = Counter()
        self.count, self.mean, self.squares = 0, 0.0, 0.0
        self.least, self.most = math.inf, -math.inf

    def see(self, values: Any) -> None:
        if isinstance(self.column, Words):
            for text in values:
                self.values.update(tokens(text))
        elif isinstance(self.column, Categories):
            self.values.update(value for value in values if value is not None)
            self.missing += sum(value is None for value in values)
        else:
            numbers = values[~np.isnan(values)]
            self.missing += len(values) - len(numbers)
            if len(numbers):
                self._moments(numbers)

    def _moments(self, numbers: np.ndarray) -> None:
        # Chan, Golub and LeVeque 1983: means and squares of two groups make those of both.
        size, mean = len(numbers), float(numbers.mean())
        away, total = mean - self.mean, self.count + size
        self.squares += float(((numbers - mean) ** 2).sum()) + away**2 * self.count * size / total
        self.mean += away * size / total
        self.count = total
        self.least, self.most = min(self.least, float(numbers.min())), max(self.most, float(numbers.max()))

    def column_for(self, file: str, how: PreprocessingOptions) -> Column:
        name = self.column.name
        if isinstance(self.column, Words):
            if how.hashed is not None:
                return HashedWords(name, how.hashed)
            if not self.values:
                raise DataError(f"{file}: the column {name!r} holds no words.")
            return Words(name, tuple(sorted(self.values)))
        if isinstance(self.column, Categories):
            return self._categories(file, fills=how.missing == "mean")
        if self.count == 0:
            raise DataError(f"{file}: every value of the column {name!r} is missing; leave it out.")
        fill = self.mean if how.missing == "mean" else None
        shift, scale = 0.0, 1.0
        if how.scale == "standard":
            shift, scale = self.mean, math.sqrt(self.squares / self.count) or 1.0
        elif how.scale == "range":
            shift, scale = self.least, (self.most - self.least) or 1.0
        return Number(name, fill, shift, scale)

    def _categories(self, file: str, *, fills: bool) -> Categories:
        name, found = self.column.name, sorted(self.values)
        if len(found) > MOST_CATEGORIES:
            raise DataError(
                f"{file}: the column {name!r} has {len(found):,} different values, too many for categories: "
                f"count its words with text=[{name!r}], or leave it out."
            )
        if not found:
            raise DataError(f"{file}: every value of the column {name!r} is missing; leave it out.")
        shown = found[1:] if len(found) == 2 else found
        total = self.values.total()
        fill = tuple(self.values[value] / total for value in shown) if fills else None
        return Categories(name, tuple(found), fill)


def dropped(part: Part, preparation: Preparation) -> Part:
    """The rows that have every value; words may be absent."""
    keep = np.ones(len(part.columns[0]), bool)
    for column, values in zip(preparation.columns, part.columns, strict=True):
        if isinstance(column, Number):
            keep &= ~np.isnan(values)
        elif isinstance(column, Categories):
            keep &= np.array([value is not None for value in values], bool)
    if isinstance(part.labels, np.ndarray):
        keep &= ~np.isnan(part.labels)
    elif part.labels is not None:
        keep &= ~np.asarray(part.labels.is_null().to_pylist(), bool)
    return part.taken(keep)


def _label_array(column: Any) -> np.ndarray:
    values = column.to_pylist()
    text = any(isinstance(value, str) or value is None for value in values)
    return np.array(values, object if text else None)
