"""NaN and infinity: found, and named by row and column."""

from __future__ import annotations

import numpy as np

from separatrix.rows.block import Block
from separatrix.rows.data_errors import DataError


def refuse_nonfinite(block: Block, name: str | None, columns: tuple[str, ...] | None) -> None:
    """Raise, naming row and column, if the block holds a NaN or an infinity."""
    values = block.stored
    # A sum is finite only if all its terms are; a sum that overflows is followed by the slower test.
    with np.errstate(over="ignore", invalid="ignore"):
        if values.size == 0 or np.isfinite(values.sum()):
            return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    X = block.X
    if block.is_sparse:
        place = int(np.argmax(bad))
        row, column = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
        value = X.data[place]
    else:
        row, column = (int(i) for i in np.argwhere(bad)[0])
        value = X[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    title = f"column {column}" if columns is None else f"column {column} ({columns[column]})"
    where = f" of {name}" if name else ""
    raise DataError(
        f"Input X contains {what} at row {block.start + row}, {title}{where}: drop or fill it first."
    )
