"""A block: a run of consecutive rows, small enough to stay in a core's cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

BLOCK_BYTES = 1024 * 1024  # a block and its results stay in the second- and third-level caches
MAX_BLOCK_ROWS = 65_536
MIN_BLOCK_ROWS = 32
ONE_THREAD_VALUES = 4096  # BLAS starts threads for longer sums, and a busy machine is late to wake them


class Csr(NamedTuple):
    """Compressed sparse rows: row ``i`` has ``data[indptr[i]:indptr[i + 1]]`` at ``indices[...]``."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


Values = np.ndarray | Csr


class Block:
    """Rows ``start`` to ``stop - 1`` with their class codes, or with their targets, which are real numbers.

    Attributes
    ----------
    start, stop : int
    X : ndarray or Csr
        The values, read-only: a C-ordered array of float32 or float64, or a `Csr` of the same. Made on first
        use, so that a pass which skips every row of a block does not pay for it.
    codes : ndarray or None
        The places of the labels among ``classes`` of the rows.
    targets : ndarray or None
    weights : ndarray or None
        How often each row counts; None: once.
    n_columns : int
    """

    __slots__ = ("_signs", "_values", "codes", "n_columns", "start", "stop", "targets", "weights")

    def __init__(
        self,
        start: int,
        stop: int,
        values: Values | Callable[[], Values],
        codes: np.ndarray | None = None,
        *,
        n_columns: int,
        signs: np.ndarray | None = None,
        targets: Any = None,
        weights: np.ndarray | None = None,
    ) -> None:
        self.start = start
        self.stop = stop
        self.codes = codes
        self.n_columns = n_columns
        self.targets = targets
        self.weights = weights
        self._values = values
        self._signs = signs

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def span(self) -> slice:
        """The places of these rows among all rows."""
        return slice(self.start, self.stop)

    @property
    def X(self) -> Any:
        if callable(self._values):
            self._values = self._values()
        return self._values

    @property
    def is_sparse(self) -> bool:
        return isinstance(self.X, Csr)

    @property
    def stored(self) -> np.ndarray:
        """The stored values, in any layout: zeros of sparse rows are not among them."""
        X = self.X
        return X.data if isinstance(X, Csr) else X

    @property
    def row_weights(self) -> np.ndarray:
        """How often each row counts."""
        return np.ones(len(self)) if self.weights is None else self.weights

    def signs(self, positive: int = 1) -> np.ndarray:
        """+1 for the rows of class ``positive``, -1 for all others."""
        if self._signs is not None and positive == 1:
            return self._signs
        return signs_of(self.codes, positive)

    def matrix(self) -> Any:
        """The values as an array or as a SciPy sparse array."""
        X = self.X
        if not isinstance(X, Csr):
            return X
        from scipy.sparse import csr_array

        # Both index arrays of one type, or SciPy copies the longer one.
        indptr = X.indptr.astype(np.int32)
        return csr_array((X.data, X.indices, indptr), shape=(len(self), self.n_columns))

    def dense(self, places: np.ndarray | None = None) -> np.ndarray:
        """The rows, or those at ``places``, as a dense array."""
        X = self.X
        if not isinstance(X, Csr):
            return X if places is None else X[places]
        return dense_rows(X, np.arange(len(self)) if places is None else places, self.n_columns)

    def mean(self) -> np.ndarray:
        """The mean of the rows, in float64; of equal values that value, which a sum over them may miss."""
        if self.is_sparse:
            return np.bincount(self.X.indices, self.X.data, self.n_columns) / len(self)
        X = self.X.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where((X[:1] == X).all(axis=0), X[0], X.mean(axis=0))

    def weighted(self, weights: np.ndarray) -> Block:
        """The same rows, each counting as often as ``weights`` says."""
        made = self.moved(self.start)
        made.weights = weights
        return made

    def moved(self, start: int) -> Block:
        """The same rows, the first of them with the number ``start``."""
        return Block(
            start,
            start + len(self),
            self._values if not callable(self._values) else lambda: self.X,
            self.codes,
            n_columns=self.n_columns,
            signs=self._signs,
            targets=self.targets,
            weights=self.weights,
        )

    def part(self, first: int, stop: int) -> Block:
        """The rows at the places ``first`` to ``stop - 1``, not copied."""

        def chosen(array: np.ndarray | None) -> Any:
            return None if array is None else array[first:stop]

        return Block(
            self.start + first,
            self.start + stop,
            values_between(self.X, first, stop),
            chosen(self.codes),
            n_columns=self.n_columns,
            signs=chosen(self._signs),
            targets=chosen(self.targets),
            weights=chosen(self.weights),
        )

    def at(self, places: np.ndarray) -> Block:
        """The rows at ``places`` as a block of their own."""

        def chosen(array: np.ndarray | None) -> Any:
            return None if array is None else array[places]

        return Block(
            0,
            len(places),
            values_at(self.X, places),
            chosen(self.codes),
            n_columns=self.n_columns,
            targets=chosen(self.targets),
            weights=chosen(self.weights),
        )


def signs_of(codes: np.ndarray | None, positive: int) -> np.ndarray:
    """Class codes as signs, one byte each."""
    if codes is None:
        raise ValueError("These rows carry no labels: pass y, or read the file with its label column.")
    signs = (codes == positive).view(np.int8)
    signs += signs  # in place, in one byte: 0 and 1 become -1 and +1
    signs -= 1
    return signs


def rows_per_block(row_bytes: float) -> int:
    """How many rows of this size make one block."""
    return int(min(MAX_BLOCK_ROWS, max(MIN_BLOCK_ROWS, BLOCK_BYTES // max(1.0, row_bytes))))


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that kernels cannot write to: also keeps the number of compiled variants at one."""
    view = array.view()
    view.setflags(write=False)
    return view


def all_finite(array: np.ndarray) -> bool:
    """Whether no value is NaN or infinite: a finite sum of squares proves it."""
    return isfinite(sum_of_squares(array)) or bool(np.isfinite(array).all())


def sum_of_squares(array: np.ndarray) -> float:
    """By one thread, and silent where it overflows."""
    if array.size <= ONE_THREAD_VALUES:
        return float(np.vdot(array, array))
    flat = array.reshape(-1)
    return float(np.einsum("i,i->", flat, flat))


def dense_rows(X: Csr, places: np.ndarray, n_columns: int) -> np.ndarray:
    """Some sparse rows as a dense array; entries of one place add up."""
    out = np.zeros((len(places), n_columns), X.data.dtype)
    for row, place in enumerate(places):
        span = slice(X.indptr[place], X.indptr[place + 1])
        np.add.at(out[row], X.indices[span], X.data[span])
    return out


def values_between(X: Any, first: int, stop: int) -> Any:
    """The rows at the places ``first`` to ``stop - 1`` of a block's values, not copied."""
    if not isinstance(X, Csr):
        return X[first:stop]
    begin, end = X.indptr[first], X.indptr[stop]
    return Csr(X.data[begin:end], X.indices[begin:end], read_only(X.indptr[first : stop + 1] - begin))


def values_at(X: Any, places: np.ndarray) -> Any:
    """The rows at ``places`` of a block's values."""
    if not isinstance(X, Csr):
        return read_only(np.ascontiguousarray(X[places]))
    lengths = np.diff(X.indptr)[places]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    # The place of every entry: its row's start, then counted on from there.
    entries = np.repeat(X.indptr[places] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return Csr(read_only(X.data[entries]), read_only(X.indices[entries]), read_only(indptr))


def joined(parts: Sequence[Any]) -> Any:
    """The values of several blocks as those of one."""
    if len(parts) == 1:
        return parts[0]
    if not isinstance(parts[0], Csr):
        return read_only(np.concatenate(parts))
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    data, indices = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
    return Csr(read_only(data), read_only(indices), read_only(np.concatenate([[0], np.cumsum(lengths)])))


def joined_blocks(blocks: Sequence[Block]) -> Block:
    """Several blocks as one that begins at row 0."""
    if len(blocks) == 1:
        return blocks[0].moved(0)

    def chained(arrays: list[np.ndarray | None]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays)  # type: ignore[arg-type]

    return Block(
        0,
        sum(map(len, blocks)),
        joined([block.X for block in blocks]),
        chained([block.codes for block in blocks]),
        n_columns=blocks[0].n_columns,
        targets=chained([block.targets for block in blocks]),
        weights=chained([block.weights for block in blocks]),
    )
