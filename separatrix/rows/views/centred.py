"""The same rows seen from another origin, a block at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.rows.block import Block, Csr, read_only
from separatrix.rows.data_errors import DataError
from separatrix.rows.rows import Rows
from separatrix.rows.views.derived import DerivedRows


class CentredRows(DerivedRows):
    """Rows x − c, made block by block and never kept."""

    def __init__(self, rows: Rows, centre: np.ndarray) -> None:
        super().__init__(rows)
        self.centre = centre

    def _values(self, block: Block) -> Any:
        return read_only(block.X - self.centre)

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
