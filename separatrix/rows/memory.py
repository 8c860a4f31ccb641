"""Rows in memory: dense arrays of any layout, and compressed sparse rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from separatrix.kernels.sparse_layout import INVALID_MESSAGE, is_valid
from separatrix.rows.block import Block, Csr, read_only, rows_per_block, signs_of, values_at, values_between
from separatrix.rows.data_errors import DataError
from separatrix.rows.rows import Rows

MAX_COLUMNS = 2**31  # column numbers are int32
MAX_KEPT_BLOCKS = 8
SHUFFLED_ROWS = 1024  # of a block in random order: few enough to mix the rows, enough to read them fast


class MemoryRows(Rows):
    """What dense and sparse rows share: labels, and the cutting into blocks."""

    rows_in_block: int
    codes: np.ndarray | None = None
    targets: np.ndarray | None = None
    _signs: np.ndarray | None = None

    def __init__(
        self,
        values: Any,
        codes: np.ndarray | None = None,
        classes: np.ndarray | None = None,
        *,
        columns: tuple[str, ...] | None = None,
        n_jobs: int = 1,
        rows_in_block: int | None = None,
    ) -> None:
        self.columns = columns
        self.n_jobs = n_jobs
        row_bytes = self._keep(values)
        self.rows_in_block = rows_in_block or rows_per_block(row_bytes)
        self._label(codes, classes)

    def _keep(self, values: Any, /) -> float:
        """Take the values, with their shape and type; returns about how many bytes a row has."""
        raise NotImplementedError

    def _label(self, codes: np.ndarray | None, classes: np.ndarray | None) -> None:
        if codes is not None and len(codes) != self.n_rows:
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: X has {self.n_rows} rows and y "
                f"has {len(codes)}."
            )
        self.codes = codes
        self.classes = classes
        binary = codes is not None and classes is not None and len(classes) == 2
        self._signs = signs_of(codes, 1) if binary else None

    @property
    def in_memory(self) -> bool:
        return True

    def _values(self, start: int, stop: int) -> Any:
        raise NotImplementedError

    def block(self, start: int, stop: int) -> Block:
        """Rows ``start`` to ``stop - 1``, wherever blocks are cut."""

        # Written out, because a pass over rows in small blocks makes hundreds of them.
        span, codes, signs = slice(start, stop), self.codes, self._signs
        targets, weights = self.targets, self.weights
        return Block(
            start,
            stop,
            self._values(start, stop),
            None if codes is None else codes[span],
            n_columns=self.n_columns,
            signs=None if signs is None else signs[span],
            targets=None if targets is None else targets[span],
            weights=None if weights is None else weights[span],
        )

    def open(self) -> Iterator[Block]:
        for start in range(0, self.n_rows, self.rows_in_block):
            yield self.block(start, min(start + self.rows_in_block, self.n_rows))

    def whole(self) -> Block:
        return self.block(0, self.n_rows)

    def label_codes(self) -> np.ndarray:
        assert self.codes is not None
        return self.codes.copy()

    def signs(self, positive: int) -> np.ndarray:
        return self.whole().signs(positive).copy()

    def all_targets(self) -> np.ndarray:
        assert self.targets is not None
        return self.targets.copy()

    def in_blocks_of(self, n_rows: int) -> Rows:
        return self._changed(rows_in_block=n_rows)

    def in_large_blocks(self) -> Rows:
        # An even number of equal blocks, so that two threads, or four, end together.
        count = -(-self.n_rows // (8 * self.rows_in_block))
        count += count % 2 if count > 1 else 0
        return self.in_blocks_of(max(1, -(-self.n_rows // max(1, count))))

    def with_codes(self, places: np.ndarray, classes: np.ndarray) -> Rows:
        made = self._changed()
        made._label(places[self.codes], classes)
        return made

    def with_targets(self, targets: np.ndarray) -> Self:
        """Rows with real numbers to predict."""
        return self._changed(targets=targets, has_targets=True)

    def _blocks_at_random(self, order: np.random.RandomState, *, repeated: bool) -> Iterator[Block]:
        starts = range(0, self.n_rows, SHUFFLED_ROWS)
        places = order.randint(len(starts), size=len(starts)) if repeated else order.permutation(len(starts))
        return (self.block(starts[k], min(starts[k] + SHUFFLED_ROWS, self.n_rows)) for k in places)


class DenseRows(MemoryRows):
    """Rows of a two-dimensional array, never copied whole.

    C order is read in place; Fortran order and strided views are copied a block at a time, when a block is
    used.
    """

    def _keep(self, values: np.ndarray, /) -> float:
        self.X = read_only(values)
        self.n_rows, self.n_columns = values.shape
        self.dtype = values.dtype
        self._is_contiguous = bool(values.flags.c_contiguous)
        return self.n_columns * values.itemsize

    @property
    def is_contiguous(self) -> bool:
        return self._is_contiguous

    @property
    def array(self) -> np.ndarray:
        return self.X

    def _values(self, start: int, stop: int) -> Any:
        part = self.X[start:stop]
        return part if self._is_contiguous else lambda: read_only(np.ascontiguousarray(part))

    def take(self, indices: np.ndarray) -> Rows:
        return _taken(self, values_at(self.X, indices), indices)


class Matrix(NamedTuple):
    """What `SparseRows` needs of a CSR matrix."""

    shape: tuple[int, int]
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


class SparseRows(MemoryRows):
    """Rows of a CSR matrix, read in place."""

    is_sparse = True
    _kept_blocks: list[Block] | None = None

    def _keep(self, matrix: Any, /) -> float:
        self.n_rows, self.n_columns = matrix.shape
        self.dtype = matrix.data.dtype
        if self.n_columns > MAX_COLUMNS:
            raise DataError(
                f"{self.n_columns} columns are more than the 2^31 that can be numbered: hash them."
            )
        if not is_valid(matrix.data, matrix.indices, matrix.indptr, matrix.shape):
            raise DataError(INVALID_MESSAGE)
        self._adopt(matrix)
        if not getattr(matrix, "has_canonical_format", True):
            # Entries of one place add up, and the length of a row is that of its sums.
            matrix = matrix.copy()
            matrix.sum_duplicates()
            self._adopt(matrix)
        return max(1.0, len(self.data) / max(1, self.n_rows)) * (self.dtype.itemsize + 4)

    def require_sound(self) -> None:
        # These are the user's own arrays, which may have been changed since the rows were made.
        if not is_valid(self.data, self.indices, self.indptr, (self.n_rows, self.n_columns)):
            raise DataError(INVALID_MESSAGE)

    def _adopt(self, matrix: Any) -> None:
        self.indptr = np.asarray(matrix.indptr, np.int64)
        self.data = read_only(np.ascontiguousarray(matrix.data))
        self.indices = read_only(np.ascontiguousarray(matrix.indices, np.int32))

    @property
    def n_stored(self) -> int:
        return len(self.data)

    @property
    def n_bytes(self) -> int:
        return self.data.nbytes + self.indices.nbytes

    def _values(self, start: int, stop: int) -> Any:
        return values_between(Csr(self.data, self.indices, self.indptr), start, stop)

    def open(self) -> Iterator[Block]:
        if self.n_rows > MAX_KEPT_BLOCKS * self.rows_in_block:
            return super().open()
        # Cutting a few large blocks anew would cost as much as a third of a product with them.
        if self._kept_blocks is None:
            self._kept_blocks = list(super().open())
        return iter(self._kept_blocks)

    def take(self, indices: np.ndarray) -> Rows:
        return _taken(self, values_at(Csr(self.data, self.indices, self.indptr), indices), indices)

    def _changed(self, **fields: Any) -> Self:
        return super()._changed(_kept_blocks=None, **fields)


def rows_of_block(block: Block, like: Rows) -> MemoryRows:
    """The rows of one block, described as other rows are."""
    made: MemoryRows
    if block.is_sparse:
        matrix = Matrix((len(block), block.n_columns), *block.X)
        made = SparseRows(matrix, block.codes, like.classes)
    else:
        made = DenseRows(block.X, block.codes, like.classes)
    made._describe_like(like)
    made.targets, made.weights = block.targets, block.weights
    return made


@dataclass(frozen=True)
class Unlabelled:
    """A term: the values of a block as rows of their own, without labels."""

    columns: tuple[str, ...] | None

    def __call__(self, block: Block) -> Rows:
        if block.is_sparse:
            matrix = Matrix((len(block), block.n_columns), *block.X)
            return SparseRows(matrix, columns=self.columns)
        return DenseRows(block.X, columns=self.columns)


def _taken(rows: MemoryRows, values: Any, indices: np.ndarray) -> Rows:
    def chosen(array: np.ndarray | None) -> Any:
        return None if array is None else array[indices]

    block = Block(
        0,
        len(indices),
        values,
        chosen(rows.codes),
        n_columns=rows.n_columns,
        targets=chosen(rows.targets),
        weights=chosen(rows.weights),
    )
    return rows_of_block(block, rows)
