"""Some rows, taken out of wherever they live and turned so that both classes pull the same way.

Rows of float32 stay so where they are to be held for long: s·(x − centre) is formed in doubles, a run of rows
at a time, for every product with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.rows import Block, Rows

RUN_ROWS = 2048  # rows
FEW_COLUMNS = 1024
FLOAT32_RUN_ROWS = 512  # rows that become doubles at a time


def gather_rows(rows: Rows, positive: int, chosen: np.ndarray, centre: np.ndarray) -> tuple[Any, np.ndarray]:
    """Z = s·(x − centre) and the signs of the rows ``chosen``, ascending; sparse only if the centre is 0."""
    if not rows.is_sparse:
        return _fill_rows(rows, positive, chosen, centre)
    if not len(chosen):  # one row at least is taken
        Z, signs = gather_rows(rows, positive, np.zeros(1, np.int64), centre)
        return Z[:0], signs[:0]
    return _multiply_by_signs(rows.take(chosen).whole(), positive, centre)


def _fill_rows(
    rows: Rows, positive: int, chosen: np.ndarray, centre: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A run of rows at a time, so that float32 and float64 of all of them are never there together.

    Rows that must be read or converted are taken all at once.
    """
    Z, signs = np.empty((len(chosen), rows.n_columns)), np.empty(len(chosen))
    run_rows = RUN_ROWS if rows.is_contiguous else max(1, len(chosen))
    for first in range(0, len(chosen), run_rows):
        run = slice(first, first + run_rows)
        block = rows.take(chosen[run]).whole()
        signs[run] = block.signs(positive)
        np.subtract(block.X, centre, out=Z[run])
        Z[run] *= signs[run, None]
    return Z, signs


def _multiply_by_signs(block: Block, positive: int, centre: np.ndarray) -> tuple[Any, np.ndarray]:
    """Of a sparse block; dense where a centre is taken off."""
    Z, signs = block.matrix().astype(np.float64), block.signs(positive).astype(np.float64)
    if not centre.any():
        Z.data *= np.repeat(signs, np.diff(Z.indptr))
        return Z, signs
    dense = Z.toarray()
    dense -= centre
    dense *= signs[:, None]
    return dense, signs


def is_centred(rows: Rows) -> bool:
    """Whether a centre is taken off: of sparse rows only where so few entries are 0 that it costs no room."""
    if not rows.is_sparse:
        return True
    return rows.n_columns < FEW_COLUMNS and 2 * rows.n_stored > rows.n_rows * rows.n_columns


class Float32Rows:
    """Z = s·(x − centre) of float32 rows, in half the room; what a product or some of the rows need is formed
    in doubles."""

    def __init__(self, X: np.ndarray, signs: np.ndarray, centre: np.ndarray) -> None:
        self._X, self._signs, self._centre = X, signs, centre
        self.shape = X.shape

    def __getitem__(self, chosen: Any) -> np.ndarray:
        Z = np.subtract(self._X[chosen], self._centre)
        Z *= self._signs[chosen, None]
        return Z

    def _split_into_runs(self) -> Iterator[slice]:
        return (slice(first, first + FLOAT32_RUN_ROWS) for first in range(0, self.shape[0], FLOAT32_RUN_ROWS))

    def __matmul__(self, weights: np.ndarray) -> np.ndarray:
        return np.concatenate([self[run] @ weights for run in self._split_into_runs()] or [np.empty(0)])

    def combine(self, alpha: np.ndarray) -> np.ndarray:
        """Σ α z."""
        return np.asarray(
            sum((alpha[run] @ self[run] for run in self._split_into_runs()), np.zeros(self.shape[1]))
        )


def is_float32(rows: Rows) -> bool:
    """Whether rows held for long stay float32; those of a file do not, which would be read once more."""
    return rows.in_memory and not rows.is_sparse and bool(rows.dtype == np.float32)


def gather_float32(
    rows: Rows, positive: int, chosen: np.ndarray, centre: np.ndarray
) -> tuple[Any, np.ndarray]:
    """As `gather_rows`, of float32 in half the room."""
    if not is_float32(rows):
        return gather_rows(rows, positive, chosen, centre)
    block = rows.take(chosen).whole()
    signs = block.signs(positive).astype(np.float64)
    return Float32Rows(block.X, signs, centre), signs


def join_rows(first: Any, second: Any) -> Any:
    """Two sets of gathered rows, one under the other."""
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    from scipy.sparse import vstack

    return vstack([first, second], format="csr")
