"""Labelled rows as a dense table and signs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.rows import DataError, Rows, as_rows


def labelled(X: Any, y: Any = None) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """The rows, and +1 for the larger of two labels, -1 for the other."""
    rows = as_rows(X, None if isinstance(X, Rows) else y)
    classes = rows.require_two_classes()
    if len(classes) != 2:
        raise DataError(f"There are {len(classes)} classes: this is about two.")
    found = np.array(rows.whole().dense(), dtype=np.float64)
    if not np.isfinite(found).all():
        raise DataError("The rows hold numbers that are not finite.")
    return found, rows.signs(1)
