"""Two rows with the same values and different labels: the shortest conflict there is.

Rows are told apart by 64 bits made of all their values; pairs that agree in those are then compared.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.separation.scan import Scanner
from separatrix.rows import Block, Csr

ENTRIES = 10**6  # of pairs that are compared, at most


def twins(scanner: Scanner) -> tuple[int, int] | None:
    """Two such rows, the first ascending; None if there are none."""
    rows = scanner.rows
    random = np.random.default_rng(rows.n_columns)
    factors = random.integers(0, 2**63, rows.n_columns, np.uint64) * np.uint64(2) + np.uint64(1)
    prints, signs = np.empty(rows.n_rows, np.uint64), np.empty(rows.n_rows, np.int8)
    for block in rows.blocks():
        prints[block.start : block.stop] = _prints(block, factors)
        signs[block.start : block.stop] = block.signs(scanner.positive)
    order = np.lexsort((signs, prints))
    same = prints[order[1:]] == prints[order[:-1]]
    last = np.flatnonzero(same & (signs[order[1:]] != signs[order[:-1]]))
    pairs = sorted(
        (min(i, j), max(i, j)) for i, j in zip(order[last].tolist(), order[last + 1].tolist(), strict=True)
    )
    pairs = pairs[: max(1, ENTRIES // rows.n_columns)]
    indices = sorted({row for pair in pairs for row in pair})
    values = dict(zip(indices, scanner.gathered(indices).X, strict=True))
    for i, j in pairs:
        if np.array_equal(values[i], values[j]) and (scanner.intercept or values[i].any()):
            return i, j
    return None


def _prints(block: Block, factors: np.ndarray) -> np.ndarray:
    if not isinstance(block.X, Csr):
        return (np.asarray(block.X, np.float64) + 0.0).view(np.uint64) @ factors
    data, columns, indptr = block.X
    terms = (np.asarray(data, np.float64) + 0.0).view(np.uint64) * factors[columns]
    ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms)])
    return ends[indptr[1:]] - ends[indptr[:-1]]
