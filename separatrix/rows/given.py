"""What a user hands over, made into `Rows`."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.rows.errors import DataError
from separatrix.rows.labels import encode
from separatrix.rows.memory import DenseRows, SparseRows
from separatrix.rows.sequence import Rows


def rows_given(X: Any, y: Any, *, n_jobs: int = 1) -> Rows:
    """Rows of an array, a sparse matrix or a table; with codes when ``y`` is given."""
    classes, codes = (None, None) if y is None else encode(y)
    if hasattr(X, "tocsr"):
        return SparseRows(_sparse(X), codes, classes, n_jobs=n_jobs)
    if hasattr(X, "__arrow_c_stream__") or type(X).__module__.startswith(("pyarrow", "pandas", "polars")):
        from separatrix.rows.tables import rows_of_table

        return rows_of_table(X, codes, classes, n_jobs=n_jobs)
    return DenseRows(_dense(X), codes, classes, n_jobs=n_jobs)


def _sparse(X: Any) -> Any:
    matrix = X.tocsr()
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    return matrix


def _dense(X: Any) -> np.ndarray:
    try:
        array = np.asarray(X)
        if array.dtype not in (np.float32, np.float64):
            refuse_text(array)
            refuse_wide(array)
            array = array.astype(np.float64)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError(f"X cannot be read as a table of numbers: {error}.") from None
    if array.ndim != 2:
        raise DataError(
            f"X has {array.ndim} dimension{'s' * (array.ndim != 1)}; give a table with one row per example "
            "(for a single row use X.reshape(1, -1))."
        )
    if array.shape[0] == 0:
        raise DataError(f"X has no rows (shape {array.shape}): at least one is needed.")
    if array.shape[1] == 0:
        raise DataError(f"X has no columns (shape {array.shape}): at least one feature is needed.")
    return array


def refuse_wide(array: np.ndarray) -> None:
    """Whole numbers that doubles cannot hold would be other numbers in every verdict."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or not array.size:
        return
    if max(int(array.max()), -int(array.min())) > 2**53:
        raise DataError(
            "X holds whole numbers beyond 2**53, which doubles cannot tell apart: shift that column first."
        )


def refuse_text(array: np.ndarray, names: Any = None) -> None:
    """Name the first entry that is no number."""
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers.")
    if array.dtype.kind not in "OUS" or array.ndim != 2:
        return
    for (row, column), value in np.ndenumerate(array):
        try:
            float(value)
        except (TypeError, ValueError):
            title = f"column {column}" if names is None else f"column {column} ({names[column]})"
            raise DataError(
                f"could not convert string to float: X holds {str(value)!r} at row {row}, {title}, which is "
                "no number; encode or drop that column."
            ) from None
