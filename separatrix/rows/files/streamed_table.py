"""Rows of a file of named columns: kept in memory when they fit, else read again in every pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from separatrix.rows.block import MAX_BLOCK_ROWS, Block, read_only, rows_per_block
from separatrix.rows.data_errors import DataError, MissingValue
from separatrix.rows.files.class_labels import LabelEncoder
from separatrix.rows.files.column_names import choose_columns
from separatrix.rows.files.file_rows import FileRows
from separatrix.rows.files.options import ReadOptions
from separatrix.rows.files.source import InputFile, Source, read_ahead, regroup_batches
from separatrix.rows.memory import DenseRows
from separatrix.rows.rows import Rows
from separatrix.rows.tables import MAX_EXACT_INTEGER, NumericColumns

BATCH_BYTES = 2 * 2**20  # of values in a batch; three exist at once: in use, waiting, being read
WIDE_BATCH_BYTES = 16 * 2**20
MIN_BATCH_ROWS = 1024  # rows: with fewer, thousands of columns cost more to visit than to read


def read_columns(source: Source, options: ReadOptions) -> Rows:
    """The rows of a source: in memory if their matrix fits in ``memory`` bytes, else streamed.

    Rows without labels that are wanted ``once`` are read as they are used, and checked on the way.
    """
    names, label_name = choose_columns(source.input_file.name, source.schema.names, options.columns)
    columns = ChosenColumns(source, names, label_name)
    if options.once and label_name is None:
        return SinglePassRows(columns, options.n_jobs)
    encoder = None if label_name is None else columns.make_encoder(label_name)
    max_rows = options.memory // columns.row_bytes
    # A guess may be wrong by half: rows that do not fit after all are let go on the way.
    estimate = source.estimate_rows()
    expected = source.n_rows if source.n_rows is not None else estimate // 2
    X = None
    if expected <= max_rows:
        capacity = (
            expected
            if source.n_rows is not None
            else min(max_rows, estimate + estimate // 8)
            if estimate
            else max_rows
        )
        X = np.empty((capacity, len(names)), columns.numeric.dtype)
    positions: list[np.ndarray] = []
    if X is None and source.n_rows is not None:
        n_rows = source.n_rows
        columns.read_labels(encoder)
    else:
        n_rows, X, positions = columns.read_all(X, encoder, max_rows)
    columns.require_any_rows(n_rows)
    if encoder is not None:
        encoder.finish(options.columns.positive)
    if X is None:
        return StreamedRows(columns, n_rows, encoder, options.n_jobs)
    codes, classes = (
        (None, None) if encoder is None else (encoder.recode(np.concatenate(positions)), encoder.classes)
    )
    rows = DenseRows(X, codes, classes, columns=tuple(names), n_jobs=options.n_jobs)
    rows.name, rows.label, rows.known_finite = source.input_file.name, label_name, True
    return rows


class StreamedRows(FileRows):
    """Rows read from their file again in every pass, a few megabytes at a time.

    The blocks are those the same rows would have in memory, so that sums over blocks have the same bits.
    """

    def __init__(
        self, columns: ChosenColumns, n_rows: int, encoder: LabelEncoder | None, n_jobs: int
    ) -> None:
        self._columns = columns
        self._encoder = encoder
        self.n_rows, self.n_columns = n_rows, len(columns.names)
        self.dtype = columns.numeric.dtype
        self.columns = tuple(columns.names)
        self.label = columns.label
        self.classes = None if encoder is None else encoder.classes
        self.name = columns.source.input_file.name
        self.n_jobs = n_jobs
        self.rows_in_block = rows_per_block(columns.row_bytes)

    @property
    def input_file(self) -> InputFile:
        return self._columns.source.input_file

    def _read(self) -> Iterator[Block]:
        start = 0
        for parts, codes in regroup_batches(read_ahead(self._encode_batches()), self.rows_in_block):
            stop = start + sum(part.num_rows for part in parts)
            values = partial(self._columns.to_matrix, parts, start)
            joined = codes[0] if len(codes) == 1 else (np.concatenate(codes) if codes else None)
            yield Block(start, stop, values, joined, n_columns=self.n_columns)
            start = stop

    def _encode_batches(self) -> Iterator[tuple[Any, np.ndarray | None]]:
        for batch, label in self._columns.batches():
            try:
                codes = None if self._encoder is None else self._encoder.encode(label)
            except KeyError:
                raise self.input_file.changed_error() from None
            yield batch, codes


class SinglePassRows(StreamedRows):
    """Rows whose number is known once they have been read, and whose faults are found on the way."""

    def __init__(self, columns: ChosenColumns, n_jobs: int) -> None:
        super().__init__(columns, columns.source.n_rows or 0, None, n_jobs)

    def open(self) -> Iterator[Block]:
        columns = self._columns
        is_inexact = np.zeros(self.n_columns, bool)
        start = 0
        for parts, _ in regroup_batches(read_ahead(self._encode_batches()), self.rows_in_block):
            X = columns.to_matrix(parts, start)
            is_inexact |= find_inexact_columns(X)
            yield Block(start, start + len(X), read_only(X), n_columns=self.n_columns)
            start += len(X)
        columns.require_any_rows(start)
        columns.require_exact(is_inexact)
        self.n_rows = start


class ChosenColumns:
    """The chosen columns of a source: the features in their order, and perhaps a label."""

    def __init__(self, source: Source, names: Sequence[str], label: str | None) -> None:
        self.source = source
        self.names = list(names)
        self.label = label
        schema = pa.schema([source.schema.field(name) for name in names])
        self.numeric = NumericColumns(
            schema, self._describe_cell, lambda column: source.read_first_value(names[column])
        )
        self.row_bytes = len(self.names) * self.numeric.dtype.itemsize

    def _describe_cell(self, row: int, column: int) -> str:
        return self.source.describe_cell(row, self.names[column])

    def make_encoder(self, label: str) -> LabelEncoder:
        describe_row = partial(self.source.describe_cell, column=label)
        return LabelEncoder(self.source.input_file.name, describe_row, is_text=self.source.has_text_labels)

    def batches(self) -> Iterator[tuple[Any, Any]]:
        """Record batches of the features, each with its column of labels or None."""
        block_rows = rows_per_block(self.row_bytes)
        rows = max(BATCH_BYTES // self.row_bytes, min(MIN_BATCH_ROWS, WIDE_BATCH_BYTES // self.row_bytes))
        for batch in self.source.batches(self.names, self.label, max(1, rows // block_rows) * block_rows):
            has_label = self.label is not None
            yield (batch.select(self.names), batch.column(len(self.names))) if has_label else (batch, None)

    def to_matrix(self, parts: Sequence[Any], start: int) -> np.ndarray:
        """Record batches as one matrix, every value of which is finite."""
        X = self.numeric.to_matrix(parts, start)
        with np.errstate(over="ignore", invalid="ignore"):
            # A sum is finite only if all its terms are; an overflowing sum is settled by the slower test.
            if X.size == 0 or np.isfinite(X.sum()):
                return X
        invalid = np.argwhere(~np.isfinite(X))
        if len(invalid):
            row, column = map(int, invalid[0])
            value = pa.concat_arrays([part.column(column) for part in parts])[row].as_py()
            problem = (
                "the value is missing"
                if value is None
                else f"the value is {'NaN' if value != value else 'infinite'}"
            )
            error_type = DataError if value is not None and value == value else MissingValue
            raise error_type(
                f"{self._describe_cell(start + row, column)}: {problem}; drop the row or fill it in."
            )
        return X

    def require_any_rows(self, n_rows: int) -> None:
        if n_rows == 0:
            raise DataError(
                f"{self.source.input_file.name} has no rows below its column names: at least one is needed."
            )

    def require_exact(self, is_inexact: np.ndarray) -> None:
        """Look at columns again whose values are so large that a whole number may have been rounded."""
        self.source.require_exact([self.names[column] for column in np.flatnonzero(is_inexact)])

    def read_labels(self, encoder: LabelEncoder | None) -> None:
        """Gather the classes from the label column alone."""
        if encoder is None or self.label is None:
            return
        start = 0
        for batch in read_ahead(self.source.batches([], self.label, MAX_BLOCK_ROWS)):
            encoder.update(batch.column(0), start)
            start += batch.num_rows

    def read_all(
        self, X: np.ndarray | None, encoder: LabelEncoder | None, max_rows: int
    ) -> tuple[int, np.ndarray | None, list[np.ndarray]]:
        """Check all rows, and keep them in ``X`` while there are at most ``max_rows``.

        Returns how many there are, what was kept, and the positions of their labels.
        """
        positions: list[np.ndarray] = []
        is_inexact = np.zeros(len(self.names), bool)
        start = 0
        for batch, label in read_ahead(self.batches()):
            values = self.to_matrix([batch], start)
            is_inexact |= find_inexact_columns(values)
            batch_positions = None if encoder is None else encoder.update(label, start)
            stop = start + len(values)
            if X is not None and stop > max_rows:
                X, positions = None, []
            elif X is not None and stop > len(X):
                filled, X = X[:start], np.empty((min(max_rows, 2 * stop), X.shape[1]), X.dtype)
                X[:start] = filled
            if X is not None:
                X[start:stop] = values
                if batch_positions is not None:
                    positions.append(batch_positions)
            start = stop
        self.require_exact(is_inexact)
        if X is not None:
            # A small part of the room is copied out, so that the rest of it can be given back.
            X = X[:start] if 2 * start > len(X) else X[:start].copy()
        return start, X, positions


def find_inexact_columns(X: np.ndarray) -> np.ndarray | bool:
    """The columns with values beyond which doubles do not hold every whole number."""
    if not X.size or max(X.max(), -X.min()) < MAX_EXACT_INTEGER:
        return False
    return np.asarray((np.abs(X) >= MAX_EXACT_INTEGER).any(axis=0))
