"""Columns that are independent, but too little for the information matrix in double precision.

With a column that is the rounded sum of two others the likelihood has one maximum, at weights that doubles
cannot evaluate: the rounding of a score is as large as what the third column adds to it. The information
squares the condition of the columns, so that a difference of a millionth is lost in it already.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.logistic.existence import Existence

MAX_EIGENVALUE_SHARE = 1e-13  # an eigenvalue of the information in units of its diagonal
MIN_COLUMN_SHARE = 0.1  # a column's part in the eigenvector
MIN_DIAGONAL_VALUE = 1e-290  # an entry of the diagonal below it has lost digits to underflow, if not all


def find_near_dependency(
    information: np.ndarray, existence: Existence, n_columns: int, n_null: int = -1
) -> tuple[int, ...]:
    """The columns, by the information of (x, 1) at the maximum; without a maximum its size tells nothing.

    ``n_null`` dimensions, by default one for each normal, are exact dependencies. Columns whose squares
    underflow are never named.
    """
    if existence.kind != "overlap":
        return ()
    diagonal = np.diagonal(information)
    scale = 1.0 / np.sqrt(np.maximum(diagonal, MIN_DIAGONAL_VALUE))
    scaled = information * scale * scale[:, None]
    if not np.isfinite(scaled).all():
        return ()
    values, vectors = np.linalg.eigh(scaled)
    n_known = len(existence.normals) if n_null < 0 else n_null
    small = np.flatnonzero(values <= MAX_EIGENVALUE_SHARE * values[-1])[n_known:]
    shares = np.abs(vectors[:n_columns, small]).max(axis=1, initial=0.0)
    return tuple(
        np.flatnonzero((shares > MIN_COLUMN_SHARE) & (diagonal[:n_columns] > MIN_DIAGONAL_VALUE)).tolist()
    )
