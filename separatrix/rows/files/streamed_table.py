"""Rows of a file of named columns: kept in memory when they fit, else read again in every pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from separatrix.rows.block import MAX_BLOCK_ROWS, Block, read_only, rows_per_block
from separatrix.rows.errors import DataError, MissingValue
from separatrix.rows.files.class_labels import Classes
from separatrix.rows.files.column_choice import choose
from separatrix.rows.files.file_rows import FileRows
from separatrix.rows.files.options import ReadOptions
from separatrix.rows.files.source import Place, Source, ahead, recut
from separatrix.rows.memory import DenseRows
from separatrix.rows.rows import Rows
from separatrix.rows.tables import EXACT, Numbers

BATCH_BYTES = 2 * 2**20  # of values in a batch; three exist at once: in use, waiting, being read
WIDE_BATCH_BYTES = 16 * 2**20
WORTH_A_BATCH = 1024  # rows: with fewer, thousands of columns cost more to visit than to read


def rows_of_columns(source: Source, options: ReadOptions) -> Rows:
    """The rows of a source: in memory if their matrix fits in ``memory`` bytes, else streamed.

    Rows without labels that are wanted ``once`` are read as they are used, and checked on the way.
    """
    names, label_name = choose(source.place.name, source.schema.names, options.columns)
    columns = Columns(source, names, label_name)
    if options.once and label_name is None:
        return PassingRows(columns, options.n_jobs)
    labels = None if label_name is None else columns.classes(label_name)
    room = options.memory // columns.row_bytes
    # A guess may be wrong by half: rows that do not fit after all are let go on the way.
    guess = source.guess_rows()
    expected = source.n_rows if source.n_rows is not None else guess // 2
    X = None
    if expected <= room:
        size = expected if source.n_rows is not None else min(room, guess + guess // 8) if guess else room
        X = np.empty((size, len(names)), columns.numbers.dtype)
    places: list[np.ndarray] = []
    if X is None and source.n_rows is not None:
        n_rows = source.n_rows
        columns.see_labels(labels)
    else:
        n_rows, X, places = columns.gather(X, labels, room)
    columns.require_some(n_rows)
    if labels is not None:
        labels.settle(options.columns.positive)
    if X is None:
        return StreamedRows(columns, n_rows, labels, options.n_jobs)
    codes, classes = (
        (None, None) if labels is None else (labels.settled(np.concatenate(places)), labels.classes)
    )
    rows = DenseRows(X, codes, classes, columns=tuple(names), n_jobs=options.n_jobs)
    rows.name, rows.label, rows.known_finite = source.place.name, label_name, True
    return rows


class StreamedRows(FileRows):
    """Rows read from their file again in every pass, a few megabytes at a time.

    The blocks are those the same rows would have in memory, so that sums over blocks have the same bits.
    """

    def __init__(self, columns: Columns, n_rows: int, labels: Classes | None, n_jobs: int) -> None:
        self._columns = columns
        self._labels = labels
        self.n_rows, self.n_columns = n_rows, len(columns.names)
        self.dtype = columns.numbers.dtype
        self.columns = tuple(columns.names)
        self.label = columns.label
        self.classes = None if labels is None else labels.classes
        self.name = columns.source.place.name
        self.n_jobs = n_jobs
        self.rows_in_block = rows_per_block(columns.row_bytes)

    @property
    def place(self) -> Place:
        return self._columns.source.place

    def _read(self) -> Iterator[Block]:
        start = 0
        for parts, codes in recut(ahead(self._coded()), self.rows_in_block):
            stop = start + sum(part.num_rows for part in parts)
            values = partial(self._columns.matrix, parts, start)
            joined = codes[0] if len(codes) == 1 else (np.concatenate(codes) if codes else None)
            yield Block(start, stop, values, joined, n_columns=self.n_columns)
            start = stop

    def _coded(self) -> Iterator[tuple[Any, np.ndarray | None]]:
        for batch, label in self._columns.batches():
            try:
                codes = None if self._labels is None else self._labels.codes(label)
            except KeyError:
                raise self.place.changed() from None
            yield batch, codes


class PassingRows(StreamedRows):
    """Rows whose number is known once they have been read, and whose faults are found on the way."""

    def __init__(self, columns: Columns, n_jobs: int) -> None:
        super().__init__(columns, columns.source.n_rows or 0, None, n_jobs)

    def open(self) -> Iterator[Block]:
        columns = self._columns
        beyond = np.zeros(self.n_columns, bool)
        start = 0
        for parts, _ in recut(ahead(self._coded()), self.rows_in_block):
            X = columns.matrix(parts, start)
            beyond |= beyond_exact_floats(X)
            yield Block(start, start + len(X), read_only(X), n_columns=self.n_columns)
            start += len(X)
        columns.require_some(start)
        columns.require_exact(beyond)
        self.n_rows = start


class Columns:
    """The chosen columns of a source: the features in their order, and perhaps a label."""

    def __init__(self, source: Source, names: Sequence[str], label: str | None) -> None:
        self.source = source
        self.names = list(names)
        self.label = label
        schema = pa.schema([source.schema.field(name) for name in names])
        self.numbers = Numbers(schema, self._cell, lambda place: source.first_value(names[place]))
        self.row_bytes = len(self.names) * self.numbers.dtype.itemsize

    def _cell(self, row: int, place: int) -> str:
        return self.source.cell(row, self.names[place])

    def classes(self, label: str) -> Classes:
        where = partial(self.source.cell, column=label)
        return Classes(self.source.place.name, where, written=self.source.written)

    def batches(self) -> Iterator[tuple[Any, Any]]:
        """Record batches of the features, each with its column of labels or None."""
        block = rows_per_block(self.row_bytes)
        rows = max(BATCH_BYTES // self.row_bytes, min(WORTH_A_BATCH, WIDE_BATCH_BYTES // self.row_bytes))
        for batch in self.source.batches(self.names, self.label, max(1, rows // block) * block):
            labelled = self.label is not None
            yield (batch.select(self.names), batch.column(len(self.names))) if labelled else (batch, None)

    def matrix(self, parts: Sequence[Any], start: int) -> np.ndarray:
        """Record batches as one matrix, every value of which is finite."""
        X = self.numbers.matrix(parts, start)
        with np.errstate(over="ignore", invalid="ignore"):
            # A sum is finite only if all its terms are; an overflowing sum is settled by the slower test.
            if X.size == 0 or np.isfinite(X.sum()):
                return X
        bad = np.argwhere(~np.isfinite(X))
        if len(bad):
            row, place = map(int, bad[0])
            value = pa.concat_arrays([part.column(place) for part in parts])[row].as_py()
            what = (
                "the value is missing"
                if value is None
                else f"the value is {'NaN' if value != value else 'infinite'}"
            )
            kind = DataError if value is not None and value == value else MissingValue
            raise kind(f"{self._cell(start + row, place)}: {what}; drop the row or fill it in.")
        return X

    def require_some(self, n_rows: int) -> None:
        if n_rows == 0:
            raise DataError(
                f"{self.source.place.name} has no rows below its column names: at least one is needed."
            )

    def require_exact(self, beyond: np.ndarray) -> None:
        """Look at columns again whose values are so large that a whole number may have been rounded."""
        self.source.require_exact([name for name, over in zip(self.names, beyond, strict=True) if over])

    def see_labels(self, labels: Classes | None) -> None:
        """Gather the classes from the label column alone."""
        if labels is None or self.label is None:
            return
        start = 0
        for batch in ahead(self.source.batches([], self.label, MAX_BLOCK_ROWS)):
            labels.see(batch.column(0), start)
            start += batch.num_rows

    def gather(
        self, X: np.ndarray | None, labels: Classes | None, room: int
    ) -> tuple[int, np.ndarray | None, list[np.ndarray]]:
        """Check all rows, keeping them in ``X`` while there are at most ``room``: how many, what was kept,
        places of labels."""
        places: list[np.ndarray] = []
        beyond = np.zeros(len(self.names), bool)
        start = 0
        for batch, label in ahead(self.batches()):
            part = self.matrix([batch], start)
            beyond |= beyond_exact_floats(part)
            seen = None if labels is None else labels.see(label, start)
            stop = start + len(part)
            if X is not None and stop > room:
                X, places = None, []
            elif X is not None and stop > len(X):
                kept, X = X[:start], np.empty((min(room, 2 * stop), X.shape[1]), X.dtype)
                X[:start] = kept
            if X is not None:
                X[start:stop] = part
                if seen is not None:
                    places.append(seen)
            start = stop
        self.require_exact(beyond)
        if X is not None:
            # A small part of the room is copied out, so that the rest of it can be given back.
            X = X[:start] if 2 * start > len(X) else X[:start].copy()
        return start, X, places


def beyond_exact_floats(X: np.ndarray) -> np.ndarray | bool:
    """The columns with values beyond which doubles do not hold every whole number."""
    if not X.size or max(X.max(), -X.min()) < EXACT:
        return False
    return np.asarray((np.abs(X) >= EXACT).any(axis=0))
