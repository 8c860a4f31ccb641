"""Rows of a svmlight file: kept in memory when they fit, else read again in every pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.messages import Message, Parameter, PythonOnly
from separatrix.rows.block import Block, Csr, read_only, rows_per_block
from separatrix.rows.data_errors import DataError
from separatrix.rows.files.class_labels import LabelEncoder
from separatrix.rows.files.file_rows import FileRows
from separatrix.rows.files.options import ReadOptions
from separatrix.rows.files.source import InputFile, read_ahead, regroup_batches
from separatrix.rows.files.svmlight import SparsePart, SvmlightFile, join_parts
from separatrix.rows.memory import Matrix, SparseRows
from separatrix.rows.rows import Rows

PAIR_BYTES = 12  # a double and an int32
ROW_BYTES = 20  # a pointer, a label and its code


def read_svmlight(input_file: InputFile, options: ReadOptions) -> Rows:
    """The rows of a svmlight file: in memory if their pairs fit in ``memory`` bytes, else streamed."""
    name, label = input_file.name, options.columns.label
    if label is not None and label is not False:
        problem = "{}: in a svmlight file the label begins each line; leave {} out{}."
        raise DataError(Message(problem, name, Parameter("label"), PythonOnly(", or pass False")))
    file = SvmlightFile(input_file)
    encoder = None if label is False else LabelEncoder(name, file.describe_row, has_floats_only=True)
    return read_parts(file, encoder, options, is_numbered=True)


def read_parts(
    file: Any, encoder: LabelEncoder | None, options: ReadOptions, *, is_numbered: bool = False
) -> Rows:
    """The rows of a file that comes in sparse parts, kept while they fit in ``memory`` bytes.

    ``is_numbered``: the file itself numbers the columns, so that its indices have to be checked.
    """
    name = file.input_file.name
    kept: list[SparsePart] | None = []
    positions: list[np.ndarray] = []
    n_rows = n_stored = 0
    lowest_index, highest_index = 1, -1
    for part in read_ahead(file.parts()):
        if encoder is not None:
            positions.append(encoder.update(part.labels, n_rows))
        if part.indices.size:
            lowest_index = min(lowest_index, int(part.indices.min()))
            highest_index = max(highest_index, int(part.indices.max()))
        n_rows, n_stored = n_rows + part.num_rows, n_stored + len(part.data)
        if kept is not None:
            kept.append(part)
            if n_stored * PAIR_BYTES + n_rows * ROW_BYTES > options.memory:
                kept = None
        if kept is None:
            positions.clear()
    if n_rows == 0:
        raise DataError(f"{name} has no rows: at least one is needed.")
    lowest_index = _find_first_index(name, lowest_index, options.svmlight.zero_based) if is_numbered else 0
    shape = (
        n_rows,
        _find_width(file.input_file, max(0, highest_index + 1 - lowest_index), options.svmlight.n_columns),
    )
    if encoder is not None:
        encoder.finish(options.columns.positive)
    if kept is None:
        return StreamedSparseRows(
            file, encoder, shape, n_stored=n_stored, lowest_index=lowest_index, n_jobs=options.n_jobs
        )
    codes, classes = (
        (None, None) if encoder is None else (encoder.recode(np.concatenate(positions)), encoder.classes)
    )
    joined = join_parts(kept)
    kept.clear()
    if lowest_index:
        np.subtract(joined.indices, np.int32(lowest_index), out=joined.indices)
    matrix = Matrix(shape, joined.data, joined.indices, joined.indptr)
    rows = SparseRows(matrix, codes, classes, n_jobs=options.n_jobs)
    rows.name, rows.known_finite = name, True
    return rows


def _find_first_index(name: str, lowest_index: int, zero_based: bool | None) -> int:
    if zero_based is False and lowest_index == 0:
        raise DataError(
            f"{name} holds the index 0, so its indices do not begin at one: pass zero_based=True."
        )
    return 0 if zero_based or lowest_index == 0 else 1


def _find_width(input_file: InputFile, n_found: int, n_requested: int | None) -> int:
    name = input_file.name
    if n_requested is None:
        input_file.require("sparse_columns", n_found, f"has {n_found:,} columns")
    if n_requested is not None and n_found > n_requested:
        raise DataError(
            f"{name} has {n_found} columns, n_columns={n_requested} are asked for: these rows do not fit."
        )
    if not (n_requested or n_found):
        raise DataError(f"{name} has no feature columns (no index:value pair in it): at least one is needed.")
    return n_requested or n_found


class StreamedSparseRows(FileRows):
    """Rows of a file of sparse parts, read again in every pass, in the blocks they would have in memory."""

    is_sparse = True

    def __init__(
        self,
        file: Any,
        encoder: LabelEncoder | None,
        shape: tuple[int, int],
        *,
        n_stored: int,
        lowest_index: int,
        n_jobs: int,
    ) -> None:
        self._file = file
        self._encoder = encoder
        self._lowest_index = np.int32(lowest_index)
        self._n_stored = n_stored
        self.n_rows, self.n_columns = shape
        self.dtype = np.dtype(np.float64)
        self.classes = None if encoder is None else encoder.classes
        self.name = file.input_file.name
        self.n_jobs = n_jobs
        self.rows_in_block = rows_per_block(max(1.0, n_stored / self.n_rows) * PAIR_BYTES)

    @property
    def n_stored(self) -> int:
        return self._n_stored

    @property
    def n_bytes(self) -> int:
        return self._n_stored * PAIR_BYTES

    @property
    def input_file(self) -> InputFile:
        return self._file.input_file

    def _read(self) -> Iterator[Block]:
        start = 0
        for parts, codes in regroup_batches(read_ahead(self._encode_parts()), self.rows_in_block):
            part = join_parts(parts)
            stop = start + part.num_rows
            X = Csr(
                read_only(part.data), read_only(part.indices - self._lowest_index), read_only(part.indptr)
            )
            yield Block(start, stop, X, np.concatenate(codes) if codes else None, n_columns=self.n_columns)
            start = stop

    def _encode_parts(self) -> Iterator[tuple[SparsePart, np.ndarray | None]]:
        for part in self._file.parts():
            try:
                codes = None if self._encoder is None else self._encoder.encode(part.labels)
            except KeyError:
                raise self.input_file.changed_error() from None
            yield part, codes
