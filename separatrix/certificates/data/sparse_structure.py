"""Sparse data from outside, as a CSR matrix whose indices are known to be in range.

SciPy's compiled loops trust the indices of a matrix. Arrays that were changed after the matrix was made could
lead them outside its memory, so every index is looked at before it is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def csr(data: Any, indices: Any, indptr: Any, n_columns: int) -> Any:
    """A CSR matrix of arrays that are known to be sound."""
    from scipy.sparse import csr_array

    return csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_columns))


def valid_csr(data: Any, indices: Any, indptr: Any, n_columns: int) -> Any:
    """A CSR matrix of arrays from outside, with one entry for each row and column, in order.

    >>> valid_csr(np.array([1.0]), np.array([3]), np.array([0, 1]), 3)
    Traceback (most recent call last):
        ...
    ValueError: The sparse data is damaged: a column index is outside 0 to 2. Make the matrix again.
    """
    arrays = [np.asarray(array) for array in (data, indices, indptr)]
    if any(array.ndim != 1 for array in arrays):
        raise _damaged("its arrays have more than one dimension")
    data, indices, indptr = arrays
    _require_lengths(len(data), len(indices))
    used = _entries(indptr, len(indices), max(0, len(indptr) - 1))
    data, indices = data[:used], indices[:used]
    _require_indices(indices, n_columns, "column")
    matrix = csr(data, indices, indptr, n_columns)  # a new one, which trusts no flags of the one given
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def checked(X: Any) -> Any:
    """Any SciPy sparse matrix as such a CSR matrix."""
    if len(X.shape) != 2:
        raise ValueError(f"X must be a table of rows and columns, not an array of shape {X.shape}.")
    (n_rows, n_columns), layout = X.shape, getattr(X, "format", None)
    if layout in ("csr", "csc", "bsr"):
        for name in ("data", "indices", "indptr"):
            if not isinstance(getattr(X, name, None), np.ndarray):
                raise _damaged(f"its {name} are no array")
    if layout in ("csc", "bsr"):
        if X.data.ndim != (1 if layout == "csc" else 3) or 0 in X.data.shape[1:]:
            raise _damaged(f"its values have the shape {X.data.shape}")
        if layout == "csc":
            major, minor, axis = n_columns, n_rows, "row"
        else:
            major, minor, axis = n_rows // X.data.shape[1], n_columns // X.data.shape[2], "block"
        _require_lengths(len(X.data), len(X.indices))
        used = _entries(X.indptr, len(X.indices), major)
        _require_indices(X.indices[:used], minor, axis)
    elif layout == "coo":
        rows, columns = X.coords
        _require_indices(rows, n_rows, "row")
        _require_indices(columns, n_columns, "column")
        _require_lengths(len(X.data), len(rows), len(columns))
    elif layout == "dia":
        _require_lengths(len(X.data), len(X.offsets))
    elif layout == "lil":
        _require_lengths(n_rows, len(X.rows), len(X.data))
        for indices, values in zip(X.rows, X.data, strict=True):
            _require_lengths(len(indices), len(values))
    try:
        X = X if layout == "csr" else X.tocsr()
    except TypeError:
        raise _damaged("an index is no whole number") from None
    if len(X.indptr) != n_rows + 1:
        raise _damaged(f"it has {len(X.indptr) - 1} row pointers for {n_rows} rows")
    return valid_csr(X.data, X.indices, X.indptr, n_columns)


def _entries(indptr: Any, stored: int, count: int) -> int:
    """How many of the stored entries the pointers use."""
    if len(indptr) != count + 1 or indptr.dtype.kind not in "iu":
        raise _damaged(f"it has {len(indptr)} pointers where {count + 1} whole numbers are needed")
    used = int(indptr[-1])
    if indptr[0] != 0 or used > stored or (indptr[1:] < indptr[:-1]).any():
        raise _damaged(f"its pointers do not ascend from 0 to at most {stored}, the number of entries")
    return used


def _require_indices(indices: Any, count: int, axis: str) -> None:
    if indices.dtype.kind not in "iu":
        raise _damaged(f"a {axis} index is no whole number")
    if indices.size and not 0 <= indices.min() <= indices.max() < count:
        raise _damaged(f"a {axis} index is outside 0 to {count - 1}")


def _require_lengths(*lengths: int) -> None:
    if len(set(lengths)) > 1:
        raise _damaged("its arrays differ in length")


def _damaged(what: str) -> ValueError:
    return ValueError(f"The sparse data is damaged: {what}. Make the matrix again.")
