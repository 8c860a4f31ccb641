"""The same rows seen from another origin, a block at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.messages import Message, Parameter
from separatrix.rows.block import Block, read_only
from separatrix.rows.data_errors import DataError
from separatrix.rows.rows import Rows
from separatrix.rows.views.derived import NewValues


class CentredRows(NewValues):
    """Rows x − c."""

    def __init__(self, rows: Rows, centre: np.ndarray) -> None:
        super().__init__(rows)
        self.centre = centre

    def _values(self, X: Any) -> Any:
        return read_only(X - self.centre)

    def preview_mean(self, k: int) -> np.ndarray:
        return self.rows.preview_mean(k) - self.centre


@dataclass(frozen=True)
class ColumnSums:
    """A term: the sum of the rows of a block."""

    def __call__(self, block: Block) -> tuple[np.ndarray]:
        return (block.X.sum(axis=0, dtype=np.float64),)


def mean_of(rows: Rows) -> np.ndarray:
    """The mean row, summed in block order; a sparse matrix is refused, since centring would fill it."""
    if rows.is_sparse:
        problem = "{} would fill every zero of a sparse matrix: leave it off, or pass a dense array."
        raise DataError(Message(problem, Parameter("center", True)))
    with np.errstate(over="ignore", invalid="ignore"):
        mean = rows.sum(ColumnSums())[0] / rows.n_rows
    if not np.isfinite(mean).all():
        rows.require_finite()
        raise DataError(
            "The columns are too large to be averaged: divide them by a power of two and fit again."
        )
    return mean
