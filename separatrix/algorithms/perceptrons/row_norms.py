"""The first look at the rows: their radius, here and around their middle, and whether every value is
finite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.rows import Block, Rows
from separatrix.rows.finite import refuse_nonfinite

SAMPLE_ROWS = 1000


class RowNorms:
    """The longest of the rows, found while a first pass reads them.

    ``centre`` is the point that ``center=True`` moved the origin to, or the mean of a sample of rows, near
    which it would move it; the figures of the moved rows tell whether that is worth it. Sparse rows in memory
    are not moved, which would fill them: their centre is the origin. ``largest`` holds the largest ‖x‖² and
    ‖x − centre‖², and the number of squares that are not finite.
    """

    def __init__(self, rows: Rows, centre: np.ndarray | None = None) -> None:
        self.rows = rows
        if centre is None:
            is_sparse_in_memory = rows.is_sparse and rows.in_memory
            centre = np.zeros(rows.n_columns) if is_sparse_in_memory else rows.preview_mean(SAMPLE_ROWS)
        self.centre = centre
        if not np.isfinite(self.centre).all():
            rows.require_finite()
            self.centre = np.zeros(rows.n_columns)
        self.largest = np.zeros(3)

    def measure_block(self, block: Block) -> RowNorms:
        """A step of `Rows.fold`: take the rows of a block into account."""
        from separatrix.kernels.scores import measure_norms

        if measure_norms(block.X, self.centre, np.empty(len(block)), self.largest):
            refuse_nonfinite(block, self.rows.name, self.rows.columns)
            self.largest[:] = np.inf  # squares that overflowed
        return self

    def refuse_nonfinite_rows(self) -> None:
        """After a pass that measured all rows in memory itself: refuse NaN and infinity."""
        if self.largest[2]:
            self.rows.require_finite()
            self.largest[:] = np.inf

    def measure_all(self) -> RowNorms:
        return self.rows.fold(RowNorms.measure_block, self)

    def radius(self, constant: float) -> float:
        """R = max ‖(x, constant)‖."""
        if np.isinf(self.largest[0]):
            return float(np.hypot(_find_overflowing_radius(self.rows), constant))
        return float(np.sqrt(self.largest[0] + constant * constant))

    def radius_centred(self, constant: float) -> float:
        """The same for the rows (x − c, constant)."""
        return float(np.sqrt(max(self.largest[1], 0.0) + constant * constant))


def _find_overflowing_radius(rows: Rows) -> float:
    """max ‖x‖ where the squares overflow."""
    return max(rows.each(LargestNorm(), parallel_blas=True))


@dataclass(frozen=True)
class LargestNorm:
    """max ‖x‖ of the rows of a block, by way of the largest entry of each."""

    def __call__(self, block: Block) -> float:
        rows = np.split(block.stored, block.X.indptr[1:-1]) if block.is_sparse else block.X
        return max(_norm_by_largest_entry(row) for row in rows)


def _norm_by_largest_entry(row: np.ndarray) -> float:
    largest = float(np.max(np.abs(row), initial=0.0))
    if not largest > 0.0:
        return 0.0
    with np.errstate(over="ignore"):
        return largest * float(np.linalg.norm(row.astype(np.float64) / largest))
