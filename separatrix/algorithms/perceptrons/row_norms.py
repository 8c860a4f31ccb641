"""The first look at the rows: their radius, here and around their middle, and whether every value is
finite."""

from __future__ import annotations

import numpy as np

from separatrix.rows import Block, Csr, Rows, SparseRows
from separatrix.rows.finite import refuse_nonfinite
from separatrix.rows.views.scaled import ScaledRows

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
            sparse = isinstance(rows.rows if isinstance(rows, ScaledRows) else rows, SparseRows)
            centre = np.zeros(rows.n_columns) if sparse else rows.preview_mean(SAMPLE_ROWS)
        self.centre = centre
        if not np.isfinite(self.centre).all():
            rows.require_finite()
            self.centre = np.zeros(rows.n_columns)
        self.largest = np.zeros(3)

    def measure_block(self, block: Block) -> None:
        from separatrix.kernels.scores import measure_norms

        if measure_norms(block.X, self.centre, np.empty(len(block)), self.largest):
            refuse_nonfinite(block, self.rows.name, self.rows.columns)
            self.largest[:] = np.inf  # squares that overflowed

    def refuse_nonfinite_rows(self) -> None:
        """After a pass that measured all rows in memory itself: refuse NaN and infinity."""
        if self.largest[2]:
            self.rows.require_finite()
            self.largest[:] = np.inf

    def measure_all(self) -> RowNorms:
        for block in self.rows.blocks():
            self.measure_block(block)
        return self

    def radius(self, constant: float) -> float:
        """R = max ‖(x, constant)‖."""
        if np.isinf(self.largest[0]):
            return float(np.hypot(_scaled_radius(self.rows), constant))
        return float(np.sqrt(self.largest[0] + constant * constant))

    def radius_centred(self, constant: float) -> float:
        """The same for the rows (x − c, constant)."""
        return float(np.sqrt(max(self.largest[1], 0.0) + constant * constant))


def _scaled_radius(rows: Rows) -> float:
    """‖x‖ where the squares overflow: by way of the largest entry."""
    max_norm = 0.0
    for block in rows.blocks():
        X = block.X
        table = (
            [X.data[X.indptr[i] : X.indptr[i + 1]] for i in range(len(block))] if isinstance(X, Csr) else X
        )
        for row in table:
            largest_entry = float(np.max(np.abs(row), initial=0.0))
            if largest_entry > 0.0:
                with np.errstate(over="ignore"):
                    max_norm = max(
                        max_norm,
                        largest_entry * float(np.linalg.norm(row.astype(np.float64) / largest_entry)),
                    )
    return max_norm
