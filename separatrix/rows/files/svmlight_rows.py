"""Rows of a svmlight file: kept in memory when they fit, else read again in every pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.rows.block import Block, Csr, read_only, rows_per_block
from separatrix.rows.errors import DataError
from separatrix.rows.files.class_labels import Classes
from separatrix.rows.files.file_rows import FileRows
from separatrix.rows.files.options import ReadOptions
from separatrix.rows.files.source import Place, ahead, recut
from separatrix.rows.files.svmlight import Part, SvmlightFile, join
from separatrix.rows.memory import Matrix, SparseRows
from separatrix.rows.rows import Rows

PAIR_BYTES = 12  # a double and an int32
ROW_BYTES = 20  # a pointer, a label and its code


def rows_of_svmlight(place: Place, options: ReadOptions) -> Rows:
    """The rows of a svmlight file: in memory if their pairs fit in ``memory`` bytes, else streamed."""
    name, label = place.name, options.columns.label
    if label is not None and label is not False:
        raise DataError(
            f"{name}: in a svmlight file the label begins each line; leave label= out, or pass False."
        )
    file = SvmlightFile(place)
    labels = None if label is False else Classes(name, file.row, untyped=True)
    return rows_of_parts(file, labels, options, numbered=True)


def rows_of_parts(file: Any, labels: Classes | None, options: ReadOptions, *, numbered: bool = False) -> Rows:
    """The rows of a file that comes in sparse parts, kept while they fit in ``memory`` bytes.

    ``numbered``: the file itself numbers the columns, so that its indices have to be checked.
    """
    name = file.place.name
    kept: list[Part] | None = []
    places: list[np.ndarray] = []
    n_rows = stored = 0
    lowest, highest = 1, -1
    for part in ahead(file.parts()):
        if labels is not None:
            places.append(labels.see(part.labels, n_rows))
        if part.indices.size:
            lowest = min(lowest, int(part.indices.min()))
            highest = max(highest, int(part.indices.max()))
        n_rows, stored = n_rows + part.num_rows, stored + len(part.data)
        if kept is not None:
            kept.append(part)
            if stored * PAIR_BYTES + n_rows * ROW_BYTES > options.memory:
                kept = None
        if kept is None:
            places.clear()
    if n_rows == 0:
        raise DataError(f"{name} has no rows: at least one is needed.")
    lowest = _first_index(name, lowest, options.svmlight.zero_based) if numbered else 0
    shape = n_rows, _width(file.place, max(0, highest + 1 - lowest), options.svmlight.n_columns)
    if labels is not None:
        labels.settle(options.columns.positive)
    if kept is None:
        return StreamedSparseRows(file, labels, shape, stored=stored, lowest=lowest, n_jobs=options.n_jobs)
    codes, classes = (
        (None, None) if labels is None else (labels.settled(np.concatenate(places)), labels.classes)
    )
    whole = join(kept)
    kept.clear()
    if lowest:
        np.subtract(whole.indices, np.int32(lowest), out=whole.indices)
    matrix = Matrix(shape, whole.data, whole.indices, whole.indptr)
    rows = SparseRows(matrix, codes, classes, n_jobs=options.n_jobs)
    rows.name, rows.known_finite = name, True
    return rows


def _first_index(name: str, lowest: int, zero_based: bool | None) -> int:
    if zero_based is False and lowest == 0:
        raise DataError(
            f"{name} holds the index 0, so its indices do not begin at one: pass zero_based=True."
        )
    return 0 if zero_based or lowest == 0 else 1


def _width(place: Place, found: int, asked: int | None) -> int:
    name = place.name
    if asked is None:
        place.require("sparse_columns", found, f"has {found:,} columns")
    if asked is not None and found > asked:
        raise DataError(
            f"{name} has {found} columns, n_columns={asked} are asked for: these rows do not fit."
        )
    if not (asked or found):
        raise DataError(f"{name} has no feature columns (no index:value pair in it): at least one is needed.")
    return asked or found


class StreamedSparseRows(FileRows):
    """Rows of a file of sparse parts, read again in every pass, in the blocks they would have in memory."""

    is_sparse = True

    def __init__(
        self,
        file: Any,
        labels: Classes | None,
        shape: tuple[int, int],
        *,
        stored: int,
        lowest: int,
        n_jobs: int,
    ) -> None:
        self._file = file
        self._labels = labels
        self._lowest = np.int32(lowest)
        self._stored = stored
        self.n_rows, self.n_columns = shape
        self.dtype = np.dtype(np.float64)
        self.classes = None if labels is None else labels.classes
        self.name = file.place.name
        self.n_jobs = n_jobs
        self.rows_in_block = rows_per_block(max(1.0, stored / self.n_rows) * PAIR_BYTES)

    @property
    def n_stored(self) -> int:
        return self._stored

    @property
    def n_bytes(self) -> int:
        return self._stored * PAIR_BYTES

    @property
    def place(self) -> Place:
        return self._file.place

    def _read(self) -> Iterator[Block]:
        start = 0
        for parts, codes in recut(ahead(self._coded()), self.rows_in_block):
            part = join(parts)
            stop = start + part.num_rows
            X = Csr(read_only(part.data), read_only(part.indices - self._lowest), read_only(part.indptr))
            yield Block(start, stop, X, np.concatenate(codes) if codes else None, n_columns=self.n_columns)
            start = stop

    def _coded(self) -> Iterator[tuple[Part, np.ndarray | None]]:
        for part in self._file.parts():
            try:
                codes = None if self._labels is None else self._labels.codes(part.labels)
            except KeyError:
                raise self.place.changed() from None
            yield part, codes
