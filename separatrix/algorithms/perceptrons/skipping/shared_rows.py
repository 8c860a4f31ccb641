"""What the learners of several classes know of the rows together."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.skipping.angle_bound_kernels import MAX_SQUARE_VALUE
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import WINDOW_ROWS, QuantisedCopy
from separatrix.rows import Rows

MAX_COLUMNS = 4096


class SharedRowData:
    """What the learners of several classes share: ``squares``, ‖x‖² of every row without the constant,
    rounded up to float32 and known after the first pass, and the 8-bit copy, which may be in two parts.

    Parameters
    ----------
    rows : Rows
        Read where they lie: see `is_readable_in_place`.
    norms : RowNorms, optional
        Filled by the first pass.
    """

    def __init__(self, rows: Rows, norms: RowNorms | None = None) -> None:
        self.rows = rows
        self.norms = RowNorms(rows) if norms is None else norms
        self.squares = np.empty(rows.n_rows, np.float32)
        self.n_learners = 0
        self.constant = 0.0
        self.spans = [slice(0, rows.n_rows)]
        self.packed_parts: list[QuantisedCopy | None] = [None]

    def is_quantisable(self, measured: int) -> bool:
        """Whether there can be a copy, as far as so many rows tell."""
        rows = self.rows
        has_valid_shape = (
            measured >= WINDOW_ROWS
            and rows.n_rows < 2**31 - WINDOW_ROWS
            and 1 <= rows.n_columns <= MAX_COLUMNS
        )
        return (
            not rows.is_sparse and has_valid_shape and bool(self.squares[:measured].max() <= MAX_SQUARE_VALUE)
        )

    def split(self, place: int) -> None:
        """Let the copy be in two parts; there is none yet."""
        self.spans = [slice(0, place), slice(place, self.rows.n_rows)]
        self.packed_parts = [None, None]


def is_readable_in_place(rows: Rows) -> bool:
    """Whether all rows, which are no view of others, can be read where they lie."""
    if rows.is_sparse:
        return rows.in_memory
    return rows.is_contiguous and bool(rows.whole().X.flags.aligned)
