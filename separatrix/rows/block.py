"""A block: a run of consecutive rows, small enough to stay in a core's cache."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

BYTES = 1024 * 1024  # a block and its answers stay in the second- and third-level caches
ONE_THREAD = 4096  # values: BLAS has longer sums made by several, which a busy machine is late to wake up
MOST_ROWS = 65_536
FEWEST_ROWS = 32


class Csr(NamedTuple):
    """Compressed sparse rows: row ``i`` has ``data[indptr[i]:indptr[i + 1]]`` at ``indices[...]``."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


Values = np.ndarray | Csr


class Block:
    """Rows ``start`` to ``stop - 1`` with their class codes, or with their targets, which are real numbers.

    ``X`` is a read-only C-ordered array of float32 or float64, or a `Csr` of the same. It is made when it is
    asked for, so that a pass which skips every row of a block pays nothing for it.
    """

    __slots__ = ("_signs", "_values", "codes", "start", "stop", "targets")

    def __init__(
        self,
        start: int,
        stop: int,
        values: Values | Callable[[], Values],
        codes: np.ndarray | None,
        signs: np.ndarray | None = None,
        targets: Any = None,
    ) -> None:
        self.start = start
        self.stop = stop
        self.codes = codes
        self._values = values
        self._signs = signs
        self.targets = targets

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def X(self) -> Any:
        if callable(self._values):
            self._values = self._values()
        return self._values

    def signs(self, positive: int = 1) -> np.ndarray:
        """+1 for the rows of class ``positive``, -1 for all others."""
        if self._signs is not None and positive == 1:
            return self._signs
        return signs_of(self.codes, positive)


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
    return int(min(MOST_ROWS, max(FEWEST_ROWS, BYTES // max(1.0, row_bytes))))


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that kernels cannot write to: also keeps the number of compiled variants at one."""
    view = array.view()
    view.setflags(write=False)
    return view


def all_finite(array: np.ndarray) -> bool:
    """Whether no value is NaN or infinite: a sum of squares tells it, unless it overflows."""
    return isfinite(sum_of_squares(array)) or bool(np.isfinite(array).all())


def sum_of_squares(array: np.ndarray) -> float:
    """By one thread, and silent where it overflows."""
    if array.size <= ONE_THREAD:
        return float(np.vdot(array, array))
    flat = array.reshape(-1)
    return float(np.einsum("i,i->", flat, flat))


def taken(X: Any, chosen: np.ndarray) -> Any:
    """Some rows of a block's values."""
    if not isinstance(X, Csr):
        return read_only(np.ascontiguousarray(X[chosen]))
    lengths = np.diff(X.indptr)[chosen]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    # The place of every entry: its row's start, then counted on from there.
    places = np.repeat(X.indptr[chosen] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return Csr(read_only(X.data[places]), read_only(X.indices[places]), read_only(indptr))


def joined(parts: list[Any]) -> Any:
    """The values of several blocks as those of one."""
    if not isinstance(parts[0], Csr):
        return read_only(np.concatenate(parts))
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    data, indices = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
    return Csr(read_only(data), read_only(indices), read_only(np.concatenate([[0], np.cumsum(lengths)])))
