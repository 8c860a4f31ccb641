"""Sparse rows in more columns than there are rows, where plainly no row depends on the others.

**Theorem.** Independent rows are separable whatever their labels: some w has z·w = 1 on each of them. It is a
mixture of the rows, w = Σ a z, with G a = 1 for their Gram matrix G.

So a verdict on thousands of texts in many more words takes one linear system with a row for each text, and no
row is ever written out. What floats propose is checked on the rows as given; where they are not sure, the
usual search decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from separatrix.algorithms.separation.coordinates import MAX_COLUMN_EXPONENT, ScaledCoordinates
from separatrix.algorithms.separation.scan import Plane, Scanner

MAX_ROWS = 10_000  # a Gram matrix of 800 MB


def find_equidistant_plane(scanner: Scanner) -> tuple[Plane, ScaledCoordinates] | None:
    """A hyperplane from which all rows are about equally far, surely strict; None where this is not plain."""
    rows = scanner.rows
    if not (rows.is_sparse and rows.in_memory and rows.n_rows <= min(rows.n_columns, MAX_ROWS)):
        return None
    signs = rows.signs(scanner.positive).astype(np.float64)
    X = rows.whole().matrix().copy()
    X.sum_duplicates()
    largest = np.zeros(rows.n_columns)
    np.maximum.at(largest, X.indices, np.abs(X.data))
    exponents = np.where(largest > 0, np.frexp(largest)[1], 0).astype(np.int64)
    if np.abs(exponents).max() > MAX_COLUMN_EXPONENT:
        return None
    data = np.ldexp(np.asarray(X.data, np.float64), -exponents[X.indices])
    Z = csr_array((data * np.repeat(signs, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
    shares = solve_gram(compute_gram(Z) + scanner.intercept * np.outer(signs, signs))
    if shares is None:
        return None
    weights = np.append(np.ldexp(Z.T @ shares, -exponents), scanner.intercept * float(signs @ shares))
    scaling = ScaledCoordinates(exponents, np.zeros(rows.n_columns), scanner.intercept)
    if not np.isfinite(weights).all():
        return None
    plane = Plane(weights)
    scanned = scanner.scan(plane, scaling, 1)
    return (plane, scaling) if scanned.negative == scanned.doubtful == 0 else None


def compute_gram(Z: Any) -> np.ndarray:
    """Z·Zᵀ: columns that many rows share as a dense product, the others as a sparse one."""
    is_common = np.bincount(Z.indices, minlength=Z.shape[1]) > Z.shape[0] // 20
    common, rare = Z[:, is_common].toarray(), Z[:, ~is_common]
    return np.asarray(common @ common.T + (rare @ rare.T).toarray())


def solve_gram(products: np.ndarray) -> np.ndarray | None:
    """a with G a = (‖z‖) for the Gram matrix G; None when it is not plainly of full rank."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    norms = np.sqrt(np.diag(products))
    if not (norms > 0).all():
        return None
    try:
        factor = cho_factor(products / np.outer(norms, norms), lower=True, overwrite_a=True)
    except LinAlgError:
        return None
    return np.asarray(cho_solve(factor, np.ones(len(norms)))) / norms
