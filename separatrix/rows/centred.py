"""The same rows seen from another origin, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from separatrix.rows.block import Block, Csr, read_only
from separatrix.rows.errors import DataError
from separatrix.rows.sequence import Rows


class CentredRows(Rows):
    """Rows x − c, in float64, made block by block and never kept."""

    def __init__(self, rows: Rows, centre: np.ndarray) -> None:
        self.rows = rows
        self.centre = centre
        self.n_rows, self.n_columns = rows.n_rows, rows.n_columns
        self.dtype = np.dtype(np.float64)
        self.classes, self.columns, self.label, self.name = rows.classes, rows.columns, rows.label, rows.name
        self.n_jobs = rows.n_jobs
        self.known_finite = rows.known_finite

    @property
    def in_memory(self) -> bool:
        return self.rows.in_memory

    def blocks(self) -> Iterator[Block]:
        for block in self.rows.blocks():
            signs = block.signs() if self.classes is not None and len(self.classes) == 2 else None
            yield Block(block.start, block.stop, self._moved(block), block.codes, signs)

    def _moved(self, block: Block):  # type: ignore[no-untyped-def]
        return lambda: read_only(block.X - self.centre)

    def sample_mean(self, k: int) -> np.ndarray:
        return self.rows.sample_mean(k) - self.centre

    def sample(self, k: int) -> np.ndarray:
        return self.rows.sample(k) - self.centre


def mean_of(rows: Rows) -> np.ndarray:
    """The mean row, summed in block order; a sparse matrix is refused, since centring would fill it."""

    def column_sums(block: Block) -> tuple[np.ndarray]:
        if isinstance(block.X, Csr):
            raise DataError(
                "center=True would fill every zero of a sparse matrix: leave it off, or pass a dense array."
            )
        return (block.X.sum(axis=0, dtype=np.float64),)

    with np.errstate(over="ignore", invalid="ignore"):
        mean = rows.sum(column_sums)[0] / rows.n_rows
    if not np.isfinite(mean).all():
        rows.require_finite()
        raise DataError(
            "The columns are too large to be averaged: divide them by a power of two and fit again."
        )
    return mean
