"""Files whose columns are prepared before they are rows: categories, words, missing values, scales."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from separatrix.messages import Message, Parameter
from separatrix.rows.data_errors import AbsentColumn, DataError
from separatrix.rows.files.class_labels import LabelEncoder
from separatrix.rows.files.options import (
    ColumnOptions,
    PreprocessingOptions,
    ReadOptions,
    SvmlightOptions,
)
from separatrix.rows.files.regression_targets import (
    explain_target_error,
    read_columns_with_target,
    read_parts_with_target,
)
from separatrix.rows.files.source import Source
from separatrix.rows.files.streamed_table import read_columns
from separatrix.rows.files.svmlight import SparsePart
from separatrix.rows.files.svmlight_rows import read_parts
from separatrix.rows.files.untyped_columns import UntypedColumns, UntypedPart
from separatrix.rows.preparation import Categories, Column, HashedWords, Number, Preparation, Words, tokenise
from separatrix.rows.rows import Rows

MAX_CATEGORIES = 1000


def read_prepared(source: Source, names: Sequence[str], label: str | None, options: ReadOptions) -> Rows:
    """The rows of these columns, prepared as asked, or as an earlier fit has learned to.

    In a regression the label is a number to predict, which no preparation touches.
    """
    preprocessing, regression, share = options.preprocessing, options.columns.regression, options.share
    fitted = preprocessing.preparation
    preprocessing.require_sound()
    if fitted is not None:
        absent = [name for name in fitted.input_names if name not in names]
        if absent:
            raise AbsentColumn(
                f"{source.input_file.name} has no column called {absent[0]!r}, which the fit used."
            )
        untyped = UntypedColumns(source, fitted.input_names, label, share, has_target=regression)
        preparation, n_rows = fitted, None
    else:
        untyped = UntypedColumns(source, names, label, share, has_target=regression)
        try:
            preparation, n_rows = learn_preparation(untyped, preprocessing)
        except DataError as error:
            raise (explain_target_error(error, str(label)) if regression else error) from None
    prepared = PreparedSource(untyped, preparation, n_rows, without_missing=preprocessing.missing == "drop")
    if regression:
        assert label is not None
        rows = _read_with_target(prepared, preparation, label, options)
    elif preparation.is_sparse:
        encoder = None if label is None else prepared.make_encoder(label)
        rows = read_parts(prepared, encoder, _with_width(options, len(preparation.names)))
        rows.columns, rows.label = preparation.names, label
    else:
        columns = ColumnOptions(
            False if label is None else label, preparation.names, positive=options.columns.positive
        )
        rows = read_columns(prepared, replace(options, columns=columns))
    rows.preparation = preparation
    return rows


def _read_with_target(
    prepared: PreparedSource, preparation: Preparation, target: str, options: ReadOptions
) -> Rows:
    names = preparation.names
    if not preparation.is_sparse:
        return read_columns_with_target(prepared, names, target, options)
    rows = read_parts_with_target(prepared, _with_width(options, len(names)))
    rows.columns, rows.label = names, target
    return rows


def _with_width(options: ReadOptions, n_columns: int) -> ReadOptions:
    return replace(options, svmlight=SvmlightOptions(n_columns=n_columns))


class PreparedSource(Source):
    """A source of the numbers that a preparation makes of another one's columns.

    It is ``without_missing`` values where it is learned from: their rows are left out. Rows to be predicted
    stay, since each of them gets an answer.
    """

    def __init__(
        self, untyped: UntypedColumns, preparation: Preparation, n_rows: int | None, *, without_missing: bool
    ) -> None:
        self.input_file, self.has_text_labels, self.n_rows = (
            untyped.source.input_file,
            untyped.source.has_text_labels,
            n_rows,
        )
        self._untyped, self._preparation = untyped, preparation
        self._without_missing = without_missing
        self._is_subset = without_missing or untyped.share is not None
        fields = [pa.field(name, pa.float64()) for name in preparation.names]
        if untyped.label is not None:
            arrow_type = (
                pa.string() if self.has_text_labels else untyped.source.schema.field(untyped.label).type
            )
            fields.append(pa.field(untyped.label, pa.float64() if untyped.has_target else arrow_type))
        self.schema = pa.schema(fields)

    def make_encoder(self, label: str) -> LabelEncoder:
        return LabelEncoder(
            self.input_file.name, lambda row: self.describe_cell(row, label), is_text=self.has_text_labels
        )

    def describe_cell(self, row: int, column: str) -> str:
        if self._is_subset:
            return f"{self.input_file.name}, row {row + 1} of those kept, column {column!r}"
        return self._untyped.source.describe_cell(row, column)

    def estimate_rows(self) -> int:
        return self._untyped.source.estimate_rows()

    def batches(self, features: Sequence[str], label: str | None, rows: int) -> Iterator[Any]:
        target = self._untyped.label if self._untyped.has_target else None
        wanted = [name for name in features if name != target]
        positions = [self._preparation.names.index(name) for name in wanted]
        for part in self._select_parts():
            matrix = self._preparation.to_dense(part.columns, part.rows, self._untyped.source.describe_cell)
            columns = [pa.array(matrix[:, position]) for position in positions]
            if len(wanted) < len(features):
                columns.insert(features.index(target), pa.array(part.labels))
            names = list(features)
            if label is not None:
                columns.append(part.labels)
                names.append(label)
            batch = pa.RecordBatch.from_arrays(columns, names=names)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)

    def parts(self) -> Iterator[SparsePart]:
        """The rows as compressed sparse rows, with their labels."""
        for part in self._select_parts():
            n_rows = len(part.columns[0])
            labels = np.zeros(n_rows) if part.labels is None else part.labels
            if not isinstance(labels, np.ndarray):
                labels = _to_label_array(labels)
            yield SparsePart(
                labels, *self._preparation.to_csr(part.columns, part.rows, self._untyped.source.describe_cell)
            )

    def _select_parts(self) -> Iterator[UntypedPart]:
        for part in self._untyped.parts(self._preparation.text_names):
            yield (
                drop_missing_rows(part, self._preparation)
                if self._without_missing
                else self._require_complete(part)
            )

    def _require_complete(self, part: UntypedPart) -> UntypedPart:
        for column, values in zip(self._preparation.columns, part.columns, strict=True):
            if isinstance(column, Number) and column.fill is None and np.isnan(values).any():
                row = int(part.rows[np.flatnonzero(np.isnan(values))[0]])
                hint: str = "fill it in"
                if self._preparation.missing == "drop":
                    left_out = "the rows of the fit that had one were left out: fill it in, or fit with {}"
                    hint = Message(left_out, Parameter("missing", "mean"))
                location = self._untyped.source.describe_cell(row, column.name)
                raise DataError(Message("{}: the value is missing; {}.", location, hint))
        if self._untyped.has_target and np.isnan(part.labels).any():
            row = int(part.rows[np.flatnonzero(np.isnan(part.labels))[0]])
            location = self._untyped.source.describe_cell(row, str(self._untyped.label))
            problem = "{}: the target is missing; leave such rows out with {}."
            raise DataError(Message(problem, location, Parameter("missing", "drop")))
        return part


def learn_preparation(
    untyped: UntypedColumns, preprocessing: PreprocessingOptions
) -> tuple[Preparation, int]:
    """The preparation that the rows of ``untyped`` ask for, and how many rows it keeps."""
    name = untyped.source.input_file.name
    requested = tuple(preprocessing.encode) if not isinstance(preprocessing.encode, bool) else ()
    for column in (*requested, *preprocessing.text):
        if column not in untyped.names:
            raise DataError(f"{name} has no feature column called {column!r}; check the name.")
    encoded = untyped.find_text_columns() if preprocessing.encode is True else requested
    encoded = tuple(column for column in encoded if column not in preprocessing.text)
    columns: list[Column] = [
        Words(column)
        if column in preprocessing.text
        else Categories(column)
        if column in encoded
        else Number(column)
        for column in untyped.names
    ]
    unfitted = Preparation(tuple(columns), preprocessing.missing)
    all_statistics = [_ColumnStatistics(column) for column in columns]
    n_rows = 0
    for part in untyped.parts(unfitted.text_names):
        complete = drop_missing_rows(part, unfitted) if preprocessing.missing == "drop" else part
        n_rows += len(complete.columns[0])
        for statistics, values in zip(all_statistics, complete.columns, strict=True):
            statistics.update(values)
    if n_rows == 0:
        reason = "every row has a missing value" if preprocessing.missing == "drop" else "there are none"
        raise DataError(f"{name} has no rows to learn from: {reason}.")
    if preprocessing.missing is None:
        counts = [
            (statistics.column.name, statistics.missing)
            for statistics in all_statistics
            if statistics.missing
        ]
        if counts:
            raise DataError(Message("{}: {}", name, describe_missing(counts)))
    return Preparation(
        tuple(statistics.make_column(name, preprocessing) for statistics in all_statistics),
        preprocessing.missing,
    ), n_rows


def count_missing(source: Source, names: Sequence[str]) -> list[tuple[str, int]]:
    """How many values are missing in each column of numbers that lacks some."""
    untyped = UntypedColumns(source, names, None)
    total = np.zeros(len(untyped.names), np.int64)
    for part in untyped.parts(()):
        total += [int(np.isnan(values).sum()) for values in part.columns]
    return [(name, count) for name, count in zip(untyped.names, total.tolist(), strict=True) if count]


def describe_missing(counts: Sequence[tuple[str, int]]) -> str:
    """How many values are missing in which columns, and what can be done."""
    total = sum(count for _, count in counts)
    shown = ", ".join(f"{count} in {column!r}" for column, count in counts[:8])
    remainder = f" and in {len(counts) - 8} more columns" if len(counts) > 8 else ""
    values = "1 value is" if total == 1 else f"{total:,} values are"
    return Message(
        "{} missing ({}): {} leaves those rows out, {} fills in the mean of the column.",
        values,
        f"{shown}{remainder}",
        Parameter("missing", "drop"),
        Parameter("missing", "mean"),
    )


class _ColumnStatistics:
    """What one column holds: missing values, distinct ones, words, or the moments of its numbers."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.missing = 0
        self.values: Counter[str] = Counter()
        self.count, self.mean, self.squared_deviations = 0, 0.0, 0.0
        self.minimum, self.maximum = math.inf, -math.inf

    def update(self, values: Any) -> None:
        if isinstance(self.column, Words):
            for text in values:
                self.values.update(tokenise(text))
        elif isinstance(self.column, Categories):
            self.values.update(value for value in values if value is not None)
            self.missing += sum(value is None for value in values)
        else:
            numbers = values[~np.isnan(values)]
            self.missing += len(values) - len(numbers)
            if len(numbers):
                self._update_moments(numbers)

    def _update_moments(self, numbers: np.ndarray) -> None:
        # Chan, Golub and LeVeque 1983: means and squares of two groups make those of both.
        size, mean = len(numbers), float(numbers.mean())
        difference, total = mean - self.mean, self.count + size
        self.squared_deviations += (
            float(((numbers - mean) ** 2).sum()) + difference**2 * self.count * size / total
        )
        self.mean += difference * size / total
        self.count = total
        self.minimum, self.maximum = (
            min(self.minimum, float(numbers.min())),
            max(self.maximum, float(numbers.max())),
        )

    def make_column(self, file: str, preprocessing: PreprocessingOptions) -> Column:
        name = self.column.name
        if isinstance(self.column, Words):
            if preprocessing.hashed is not None:
                return HashedWords(name, preprocessing.hashed)
            if not self.values:
                raise DataError(f"{file}: the column {name!r} holds no words.")
            return Words(name, tuple(sorted(self.values)))
        if isinstance(self.column, Categories):
            return self._make_categories(file, has_fill=preprocessing.missing == "mean")
        if self.count == 0:
            raise DataError(f"{file}: every value of the column {name!r} is missing; leave it out.")
        fill = self.mean if preprocessing.missing == "mean" else None
        shift, scale = 0.0, 1.0
        if preprocessing.scale == "standard":
            shift, scale = self.mean, math.sqrt(self.squared_deviations / self.count) or 1.0
        elif preprocessing.scale == "range":
            shift, scale = self.minimum, (self.maximum - self.minimum) or 1.0
        return Number(name, fill, shift, scale)

    def _make_categories(self, file: str, *, has_fill: bool) -> Categories:
        name, found = self.column.name, sorted(self.values)
        if len(found) > MAX_CATEGORIES:
            problem = f"{len(found):,} different values, too many for categories"
            advice = Message("count its words with {}, or leave it out", Parameter("text", [name]))
            raise DataError(Message("{}: the column {!r} has {}: {}.", file, name, problem, advice))
        if not found:
            raise DataError(f"{file}: every value of the column {name!r} is missing; leave it out.")
        encoded = found[1:] if len(found) == 2 else found
        total = self.values.total()
        fill = tuple(self.values[value] / total for value in encoded) if has_fill else None
        return Categories(name, tuple(found), fill)


def drop_missing_rows(part: UntypedPart, preparation: Preparation) -> UntypedPart:
    """The rows that have every value; words may be absent."""
    is_kept = np.ones(len(part.columns[0]), bool)
    for column, values in zip(preparation.columns, part.columns, strict=True):
        if isinstance(column, Number):
            is_kept &= ~np.isnan(values)
        elif isinstance(column, Categories):
            is_kept &= np.array([value is not None for value in values], bool)
    if isinstance(part.labels, np.ndarray):
        is_kept &= ~np.isnan(part.labels)
    elif part.labels is not None:
        is_kept &= ~np.asarray(part.labels.is_null().to_pylist(), bool)
    return part.select(is_kept)


def _to_label_array(column: Any) -> np.ndarray:
    values = column.to_pylist()
    is_text = any(isinstance(value, str) or value is None for value in values)
    return np.array(values, object if is_text else None)
