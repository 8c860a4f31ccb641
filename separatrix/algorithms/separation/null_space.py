"""The linear relations that all rows satisfy, modulo a prime.

**Idea.** Doubles are m·2ᵉ, and 2 is invertible modulo an odd prime. The null space of the rows modulo a prime
is at least as large as the true one, and is larger only if the prime divides every largest minor that is not
0. So the rank found is at most the true rank, and differs from it for one table in about 10⁹.

**Cost.** One elimination of a few rows; one pass over all rows only if columns do depend on one another.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from separatrix.certificates.arithmetic.linear_algebra import nmod_mat
from separatrix.rows import Block, Rows

PRIME = 2**31 - 1
CHUNK_ROWS = 4096


def find_null_space(rows: Rows, *, intercept: bool) -> np.ndarray:
    """Columns that span the w with z·w = 0 modulo the prime for every row z = (x, 1) of positive weight.

    >>> from separatrix.rows import as_rows
    >>> find_null_space(as_rows([[1.0, 2.0], [2.5, 5.0]]), intercept=False).shape
    (2, 1)
    """
    width = rows.n_columns + intercept
    restrict = partial(_restrict, intercept=intercept)
    null = restrict(np.eye(width, dtype=np.int64), rows.preview(2 * width).whole())
    return rows.fold(restrict, null) if null.shape[1] else null


def _restrict(null: np.ndarray, block: Block, *, intercept: bool) -> np.ndarray:
    """Columns that span those combinations of the columns of ``null`` that vanish on this block, too."""
    counted = np.arange(len(block)) if block.weights is None else np.flatnonzero(block.weights)
    for start in range(0, len(counted), CHUNK_ROWS):
        if not null.shape[1]:
            break
        Z = reduce_modulo_prime(block.dense(counted[start : start + CHUNK_ROWS]), intercept)
        products = multiply_modulo_prime(Z, null)
        is_nonzero = products.any(axis=1)
        if is_nonzero.any():
            basis, size = nmod_mat(products[is_nonzero].tolist(), PRIME).nullspace()
            kept = [[int(basis[i, j]) for j in range(size)] for i in range(null.shape[1])]
            null = multiply_modulo_prime(null, np.array(kept, np.int64).reshape(null.shape[1], size))
    return null


def reduce_modulo_prime(X: np.ndarray, intercept: bool) -> np.ndarray:
    """Doubles modulo the prime, with a column of ones if there is an intercept."""
    fractions, exponents = np.frexp(np.asarray(X, np.float64))
    integers = (fractions * 2.0**53).astype(np.int64) % PRIME
    # 2³¹ = 1 modulo this prime, so that only the exponent modulo 31 matters.
    found = integers * (np.int64(1) << ((exponents.astype(np.int64) - 53) % 31)) % PRIME
    return np.column_stack([found, np.ones(len(found), np.int64)]) if intercept else np.asarray(found)


def multiply_modulo_prime(Z: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Z·W modulo the prime, by products of 16-bit halves, whose sums are exact in doubles."""
    high, low = ((Z >> 16).astype(np.float64), (Z & 0xFFFF).astype(np.float64))
    top, rest = ((W >> 16).astype(np.float64), (W & 0xFFFF).astype(np.float64))
    parts = (high @ top, high @ rest + low @ top, low @ rest)
    powers = (2**32 % PRIME, 2**16, 1)
    total = sum(part.astype(np.int64) % PRIME * power for part, power in zip(parts, powers, strict=True))
    return np.asarray(total % PRIME)
