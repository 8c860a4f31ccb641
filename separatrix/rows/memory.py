"""Rows in memory: dense arrays of any layout, and compressed sparse rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from separatrix.kernels.sparse_layout import INVALID_MESSAGE, is_valid
from separatrix.rows.block import Block, Csr, read_only, rows_per_block, signs_of, taken
from separatrix.rows.data_errors import DataError
from separatrix.rows.rows import Rows, dense_rows


class MemoryRows(Rows):
    """What dense and sparse rows share: labels, and the cutting into blocks."""

    rows_in_block: int
    targets: np.ndarray | None = None

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
        codes = None if self.codes is None else self.codes[start:stop]
        signs = None if self._signs is None else self._signs[start:stop]
        targets = None if self.targets is None else self.targets[start:stop]
        return Block(start, stop, self._values(start, stop), codes, signs, targets)

    def blocks(self) -> Iterator[Block]:
        return self._cut(self.rows_in_block)

    def _large_blocks(self) -> Iterator[Block]:
        return self._cut(self._long)

    @property
    def _long(self) -> int:
        """Rows of a large block: an even number of equal ones, so that two threads, or four, end together."""
        count = -(-self.n_rows // (8 * self.rows_in_block))
        count += count % 2 if count > 1 else 0
        return max(1, -(-self.n_rows // max(1, count)))

    def _each_large(self, work: Callable[[Block], Any]) -> Iterator[Any]:
        """As many runs of large blocks as there are threads, one task each: the parts and their order are
        those of single blocks."""
        starts = range(0, self.n_rows, self._long)
        share = -(-len(starts) // self.n_jobs)

        def run(first: int) -> list[Any]:
            ends = [(start, min(start + self._long, self.n_rows)) for start in starts[first : first + share]]
            return [work(self.block(*end)) for end in ends]

        return chain.from_iterable(self._each(run, iter(range(0, len(starts), share))))

    def _cut(self, n: int) -> Iterator[Block]:
        for start in range(0, self.n_rows, n):
            yield self.block(start, min(start + n, self.n_rows))


class DenseRows(MemoryRows):
    """Rows of a two-dimensional array, never copied whole.

    C order is read in place; Fortran order and strided views are copied a block at a time, when a block is
    used.
    """

    def __init__(
        self,
        X: np.ndarray,
        codes: np.ndarray | None = None,
        classes: np.ndarray | None = None,
        *,
        columns: tuple[str, ...] | None = None,
        n_jobs: int = 1,
        rows_in_block: int | None = None,
    ) -> None:
        self.X = read_only(X)
        self.n_rows, self.n_columns = X.shape
        self.dtype = X.dtype
        self.columns = columns
        self.n_jobs = n_jobs
        self.rows_in_block = rows_in_block or rows_per_block(self.n_columns * X.itemsize)
        self._in_place = X.flags.c_contiguous
        self._label(codes, classes)

    def _values(self, start: int, stop: int) -> Any:
        part = self.X[start:stop]
        return part if self._in_place else lambda: read_only(np.ascontiguousarray(part))

    def take(self, chosen: np.ndarray) -> Block:
        codes = None if self.codes is None else self.codes[chosen]
        return Block(0, len(chosen), taken(self.X, chosen), codes)

    def sample(self, k: int) -> np.ndarray:
        return np.asarray(self.take(_spread(self.n_rows, k)).X)


class Matrix(NamedTuple):
    """What `SparseRows` needs of a CSR matrix."""

    shape: tuple[int, int]
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


class SparseRows(MemoryRows):
    """Rows of a CSR matrix, read in place."""

    def __init__(
        self,
        matrix: Any,
        codes: np.ndarray | None = None,
        classes: np.ndarray | None = None,
        *,
        columns: tuple[str, ...] | None = None,
        n_jobs: int = 1,
        rows_in_block: int | None = None,
    ) -> None:
        self.n_rows, self.n_columns = matrix.shape
        self.dtype = matrix.data.dtype
        self.columns = columns
        self.n_jobs = n_jobs
        if self.n_columns > 2**31:
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
        stored = max(1.0, len(self.data) / max(1, self.n_rows))
        self.rows_in_block = rows_in_block or rows_per_block(stored * (self.dtype.itemsize + 4))
        self._label(codes, classes)

    def require_sound(self) -> None:
        # These are the user's own arrays, which may have been changed since the rows were made.
        if not is_valid(self.data, self.indices, self.indptr, (self.n_rows, self.n_columns)):
            raise DataError(INVALID_MESSAGE)

    def _adopt(self, matrix: Any) -> None:
        self.indptr = np.asarray(matrix.indptr, np.int64)
        self.data = read_only(np.ascontiguousarray(matrix.data))
        self.indices = read_only(np.ascontiguousarray(matrix.indices, np.int32))

    @property
    def n_bytes(self) -> int:
        return self.data.nbytes + self.indices.nbytes

    def _values(self, start: int, stop: int) -> Any:
        first, last = self.indptr[start], self.indptr[stop]
        part = slice(first, last)
        return Csr(self.data[part], self.indices[part], read_only(self.indptr[start : stop + 1] - first))

    def take(self, chosen: np.ndarray) -> Block:
        values = taken(Csr(self.data, self.indices, self.indptr), chosen)
        return Block(0, len(chosen), values, None if self.codes is None else self.codes[chosen])

    def sample(self, k: int) -> np.ndarray:
        some = self.take(_spread(self.n_rows, k))
        return dense_rows(some.X, np.arange(len(some)), self.n_columns)

    def sample_mean(self, k: int) -> np.ndarray:
        some = self.take(_spread(self.n_rows, k))
        return np.bincount(some.X.indices, some.X.data, self.n_columns) / len(some)


def _spread(n: int, k: int) -> np.ndarray:
    """At most ``k`` row numbers, evenly spaced."""
    return np.linspace(0, n - 1, min(k, n)).astype(np.int64)
