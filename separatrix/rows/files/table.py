"""Rows of a file of named columns: kept in memory when they fit, else read again in every pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from separatrix.rows.block import MOST_ROWS, Block, rows_per_block
from separatrix.rows.errors import DataError, MissingValue
from separatrix.rows.files.choice import choose
from separatrix.rows.files.labels import Classes
from separatrix.rows.files.source import Source, ahead, recut
from separatrix.rows.memory import DenseRows
from separatrix.rows.sequence import Rows
from separatrix.rows.tables import EXACT, Numbers

BATCH_BYTES = 2 * 2**20  # of values in a batch; three exist at once: in use, waiting, being read
WIDE_BATCH_BYTES = 16 * 2**20
WORTH_A_BATCH = 1024  # rows: with fewer, thousands of columns cost more to visit than to read


def rows_of_columns(
    source: Source,
    label: str | int | bool | None,
    *,
    features: Sequence[str] | None,
    drop: Sequence[str],
    positive: Any,
    memory: int,
    n_jobs: int,
) -> Rows:
    """The rows of a source: in memory if their matrix fits in ``memory`` bytes, else streamed."""
    names, label_name = choose(source.place.name, source.schema.names, label, features, drop)
    columns = Columns(source, names, label_name)
    labels = None if label_name is None else columns.classes(label_name)
    room = memory // columns.row_bytes
    # A guess may be wrong by half: rows that do not fit after all are let go on the way.
    expected = source.n_rows if source.n_rows is not None else source.guess_rows() // 2
    X = None
    if expected <= room:
        X = np.empty((room if source.n_rows is None else expected, len(names)), columns.numbers.dtype)
    places: list[np.ndarray] = []
    if X is None and source.n_rows is not None:
        n_rows = source.n_rows
        columns.see_labels(labels)
    else:
        n_rows, X, places = columns.gather(X, labels)
    if n_rows == 0:
        raise DataError(f"{source.place.name} has no rows below its column names: at least one is needed.")
    if labels is not None:
        labels.settle(positive)
    if X is None:
        return StreamedRows(columns, n_rows, labels, n_jobs)
    codes, classes = (
        (None, None) if labels is None else (labels.settled(np.concatenate(places)), labels.classes)
    )
    rows = DenseRows(X, codes, classes, columns=tuple(names), n_jobs=n_jobs)
    rows.name, rows.label, rows.known_finite = source.place.name, label_name, True
    return rows


class StreamedRows(Rows):
    """Rows read from their file again in every pass, a few megabytes at a time.

    The blocks are those the same rows would have in memory, so that sums over blocks have the same bits.
    """

    known_finite = True  # every block is checked as it is made

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

    def blocks(self) -> Iterator[Block]:
        place = self._columns.source.place
        place.require_unchanged()
        start = 0
        for parts, codes in recut(ahead(self._coded()), self.rows_in_block):
            stop = start + sum(part.num_rows for part in parts)
            values = partial(self._columns.matrix, parts, start)
            joined = codes[0] if len(codes) == 1 else (np.concatenate(codes) if codes else None)
            yield Block(start, stop, values, joined)
            start = stop
        if start != self.n_rows:
            raise place.changed()

    def _coded(self) -> Iterator[tuple[Any, np.ndarray | None]]:
        for batch, label in self._columns.batches():
            try:
                codes = None if self._labels is None else self._labels.codes(label)
            except KeyError:
                raise self._columns.source.place.changed() from None
            yield batch, codes


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

    def see_labels(self, labels: Classes | None) -> None:
        """Gather the classes from the label column alone."""
        if labels is None or self.label is None:
            return
        start = 0
        for batch in ahead(self.source.batches([], self.label, MOST_ROWS)):
            labels.see(batch.column(0), start)
            start += batch.num_rows

    def gather(
        self, X: np.ndarray | None, labels: Classes | None
    ) -> tuple[int, np.ndarray | None, list[np.ndarray]]:
        """Check all rows, keeping them in ``X`` while they fit: how many, what was kept, places of labels."""
        places: list[np.ndarray] = []
        beyond = np.zeros(len(self.names), bool)
        start = 0
        for batch, label in ahead(self.batches()):
            part = self.matrix([batch], start)
            if part.size and max(part.max(), -part.min()) >= EXACT:
                beyond |= (np.abs(part) >= EXACT).any(axis=0)
            seen = None if labels is None else labels.see(label, start)
            stop = start + len(part)
            if X is not None and stop > len(X):
                X, places = None, []
            if X is not None:
                X[start:stop] = part
                if seen is not None:
                    places.append(seen)
            start = stop
        self.source.require_exact([name for name, over in zip(self.names, beyond, strict=True) if over])
        if X is not None:
            # A small part of the room is copied out, so that the rest of it can be given back.
            X = X[:start] if 2 * start > len(X) else X[:start].copy()
        return start, X, places
