"""Columns that are independent, but too little for the information matrix in double precision.

With a column that is the rounded sum of two others the likelihood has one maximum, at weights that doubles
cannot evaluate: the rounding of a score is as large as what the third column adds to it. The information
squares the condition of the columns, so that a difference of a millionth is lost in it already.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.logistic.existence import Existence

SMALL = 1e-13  # an eigenvalue of the information in units of its diagonal
FELT = 0.1  # a column's part in the eigenvector
LEAST = 1e-290  # an entry of the diagonal below it has lost digits to underflow, if not all


def near_dependency(
    information: np.ndarray, found: Existence, n_columns: int, n_null: int = -1
) -> tuple[int, ...]:
    """The columns, by the information of (x, 1) at the maximum; without a maximum its size tells nothing.

    ``n_null`` dimensions, by default one for each normal, are exact dependencies. Columns whose squares
    underflow are never named.
    """
    if found.kind != "overlap":
        return ()
    diagonal = np.diagonal(information)
    scale = 1.0 / np.sqrt(np.maximum(diagonal, LEAST))
    unit = information * scale * scale[:, None]
    if not np.isfinite(unit).all():
        return ()
    values, vectors = np.linalg.eigh(unit)
    known = len(found.normals) if n_null < 0 else n_null
    small = np.flatnonzero(values <= SMALL * values[-1])[known:]
    shares = np.abs(vectors[:n_columns, small]).max(axis=1, initial=0.0)
    return tuple(np.flatnonzero((shares > FELT) & (diagonal[:n_columns] > LEAST)).tolist())
