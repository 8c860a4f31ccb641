"""What a user hands over, made into `Rows`."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from separatrix.kernels.sparse_layout import by_rows
from separatrix.rows.arrow_validation import refuse_damaged
from separatrix.rows.data_errors import DataError
from separatrix.rows.label_codes import encode
from separatrix.rows.memory import DenseRows, SparseRows
from separatrix.rows.rows import Rows
from separatrix.rows.threads import jobs
from separatrix.rows.views.targets import with_targets


def as_rows(X: Any, y: Any = None, *, n_jobs: int | None = None, regression: bool = False) -> Rows:
    """Rows from arrays, SciPy sparse matrices, pandas and polars frames, Arrow tables, or `Rows` already
    made. With ``regression`` the labels are real numbers to predict.

    >>> rows = as_rows([[0.0, 1.0], [1.0, 0.0]], ["no", "yes"])
    >>> rows.n_rows, rows.n_columns, rows.classes.tolist()
    (2, 2, ['no', 'yes'])
    """
    if isinstance(X, Rows):
        if y is not None:
            raise DataError("Rows carry their own labels: pass them alone, without y.")
        X.require_sound()
        return X.with_threads(
            X.n_jobs if n_jobs is None else jobs(n_jobs)
        )  # a fit changes no rows but its own
    if regression:
        return with_targets(rows_of_data(X, None, n_jobs=jobs(n_jobs)), y)
    return rows_of_data(X, y, n_jobs=jobs(n_jobs))


def rows_of_data(X: Any, y: Any, *, n_jobs: int = 1) -> Rows:
    """Rows of an array, a sparse matrix or a table; with codes when ``y`` is given."""
    refuse_damaged(y, "y")
    classes, codes = (None, None) if y is None else encode(y)
    refuse_damaged(X, "X")
    refuse_inexact(X, "O")
    if hasattr(X, "tocsr"):
        return SparseRows(_checked_csr(X), codes, classes, n_jobs=n_jobs)
    if hasattr(X, "__arrow_c_stream__") or type(X).__module__.startswith(("pyarrow", "pandas", "polars")):
        from separatrix.rows.tables import rows_of_table

        return rows_of_table(X, codes, classes, n_jobs=n_jobs)
    return DenseRows(_checked_array(X), codes, classes, n_jobs=n_jobs)


def as_csr(X: Any) -> Any:
    """A sparse matrix as CSR; a `DataError` if its parts contradict each other."""
    try:
        return by_rows(X)
    except ValueError as error:
        raise DataError(str(error)) from None


def _checked_csr(X: Any) -> Any:
    matrix = as_csr(X)
    if len(matrix.shape) != 2:
        raise DataError("X has 1 dimension; give a table with one row per example.")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    return matrix


def _checked_array(X: Any) -> np.ndarray:
    try:
        array = np.asarray(X)
        if array.dtype not in (np.float32, np.float64):
            refuse_text(array)
            refuse_inexact_array(array)
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


def refuse_inexact(X: Any, kinds: str = "iumMO") -> None:
    """Numbers that no double equals would be other numbers in every verdict, and dates are no numbers.

    Of a frame the columns of these ``kinds`` are looked at.
    """
    if hasattr(X, "tocsr"):
        refuse_inexact_array(np.asarray(as_csr(X).data))
    elif hasattr(X, "iloc") and X.ndim == 2:
        for index, name in enumerate(X.columns):
            column = X.iloc[:, index]
            if getattr(column.dtype, "kind", "O") in kinds:
                refuse_inexact_array(np.asarray(column.dropna()), f"Column {index} ({name})")
    elif isinstance(X, np.ndarray):
        refuse_inexact_array(X)
    elif isinstance(X, list | tuple):
        for row in X:
            if isinstance(row, np.ndarray):
                refuse_inexact_array(row)
            elif isinstance(row, list | tuple) and any(map(_is_inexact, row)):
                raise _inexact_error("X")


def refuse_inexact_array(array: np.ndarray, name: str = "X") -> None:
    """The same for one array."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind in "mM":
        raise DataError(f"{name} holds dates or times, which are no numbers: make numbers of them first.")
    if not array.size:
        return
    if kind in "iu" and size == 8 and max(int(array.max()), -int(array.min())) > 2**53:
        raise _inexact_error(name)
    if kind == "O" and any(map(_is_inexact, array.flat)):
        raise _inexact_error(name)
    if kind == "f" and size > 8:
        with np.errstate(over="ignore"):
            is_rounded = (array.astype(np.float64) != array) & (array == array)
        if is_rounded.any():
            raise DataError(f"{name} holds numbers with more digits than doubles have: round them first.")


def _is_inexact(value: Any) -> bool:
    return type(value) is not float and isinstance(value, Integral) and abs(int(value)) > 2**53


def _inexact_error(name: str) -> DataError:
    return DataError(
        f"{name} holds whole numbers beyond 2**53, which doubles cannot tell apart: shift that column first."
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
