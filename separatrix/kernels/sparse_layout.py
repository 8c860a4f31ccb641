"""SciPy's sparse matrices, looked at before anything follows their indices.

SciPy's compiled loops and the kernels trust the indices of a matrix. Arrays that were changed after the
matrix was made would lead them outside its memory, and the process would end with a segmentation fault. The
verifier has a check of its own, `separatrix.certificates.data.sparse_structure`, since it imports nothing
from here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

INVALID_MESSAGE = (
    "The sparse matrix is broken: its indices or row pointers lie outside the data, or its arrays do not fit "
    "together. Make the matrix again."
)


def by_rows(X: Any) -> Any:
    """Any SciPy sparse matrix as a CSR matrix with every index in range; a ``ValueError`` if it is broken.

    >>> from scipy.sparse import coo_array
    >>> matrix = coo_array([[0.0, 2.0], [1.0, 0.0]])
    >>> by_rows(matrix).toarray().tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    >>> matrix.coords[0][0] = 2
    >>> by_rows(matrix)
    Traceback (most recent call last):
        ...
    ValueError: The sparse matrix is broken: its indices or row pointers lie outside the data, or its arrays
    do not fit together. Make the matrix again.
    """
    if len(X.shape) > 2:
        raise ValueError(f"X has {len(X.shape)} dimensions; give a table with one row per example.")
    valid = _VALIDITY_CHECKS.get(getattr(X, "format", ""))
    try:
        matrix = X.tocsr() if valid is None or valid(X) else None
        if matrix is not None and is_valid(matrix.data, matrix.indices, matrix.indptr, matrix.shape):
            return matrix
    except (AttributeError, TypeError, ValueError):  # a part is missing, or is no array
        pass
    raise ValueError(INVALID_MESSAGE)


def is_valid(data: Any, indices: Any, indptr: Any, shape: tuple[int, ...]) -> bool:
    """Whether these are the arrays of a CSR matrix of this shape, with every index in range."""
    n_rows, n_columns = shape if len(shape) == 2 else (1, shape[0])
    if not (isinstance(data, np.ndarray) and data.ndim == 1):
        return False
    return _points_inside(indptr, indices, n_rows, n_columns, len(data))


def _points_inside(indptr: Any, indices: Any, n_major: int, n_minor: int, n_stored: int) -> bool:
    """Whether pointers and indices of compressed rows, columns or blocks lead to stored entries alone."""
    if not (_whole(indptr) and _whole(indices) and len(indptr) == n_major + 1):
        return False
    used = int(indptr[-1])
    ascending = indptr[0] == 0 and bool((indptr[1:] >= indptr[:-1]).all())
    return ascending and used <= min(len(indices), n_stored) and _below(indices[:used], n_minor)


def _whole(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind in "iu"


def _below(places: np.ndarray, end: int) -> bool:
    """Whether all are at least 0 and below ``end``: a negative one, read without its sign, is a large one."""
    unsigned = places.view(places.dtype.str.replace("i", "u"))
    return not len(places) or int(unsigned.max()) < end


def _is_valid_csc(X: Any) -> bool:
    n_rows, n_columns = X.shape
    return X.data.ndim == 1 and _points_inside(X.indptr, X.indices, n_columns, n_rows, len(X.data))


def _is_valid_bsr(X: Any) -> bool:
    if X.data.ndim != 3 or 0 in X.data.shape[1:]:
        return False
    down, across = (divmod(whole, part) for whole, part in zip(X.shape, X.data.shape[1:], strict=True))
    whole_blocks = down[1] == 0 == across[1]
    return whole_blocks and _points_inside(X.indptr, X.indices, down[0], across[0], len(X.data))


def _is_valid_coo(X: Any) -> bool:
    inside = all(
        _whole(places) and len(places) == len(X.data) and _below(places, end)
        for places, end in zip(X.coords, X.shape, strict=True)
    )
    return inside and X.data.ndim == 1


def _is_valid_dia(X: Any) -> bool:
    return X.data.ndim == 2 and _whole(X.offsets) and len(X.data) == len(X.offsets)


def _is_valid_lil(X: Any) -> bool:
    alike = all(len(indices) == len(values) for indices, values in zip(X.rows, X.data, strict=True))
    return alike and len(X.rows) == X.shape[0]


_VALIDITY_CHECKS = {
    "csc": _is_valid_csc,
    "bsr": _is_valid_bsr,
    "coo": _is_valid_coo,
    "dia": _is_valid_dia,
    "lil": _is_valid_lil,
}
