"""Two rows with the same values and different labels: the shortest conflict there is.

Rows are told apart by 64 bits made of all their values; pairs that agree in those are then compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.algorithms.separation.scan import Scanner
from separatrix.rows import Block

MAX_COMPARED_ENTRIES = 10**6  # of pairs that are compared, at most


def find_contradicting_pair(scanner: Scanner) -> tuple[int, int] | None:
    """Two such rows, the first ascending; None if there are none."""
    rows = scanner.rows
    random = np.random.default_rng(rows.n_columns)
    factors = random.integers(0, 2**63, rows.n_columns, np.uint64) * np.uint64(2) + np.uint64(1)
    fingerprints = np.concatenate(list(rows.each(Fingerprints(factors))))
    signs = rows.signs(scanner.positive)
    order = np.lexsort((signs, fingerprints))
    is_equal = fingerprints[order[1:]] == fingerprints[order[:-1]]
    places = np.flatnonzero(is_equal & (signs[order[1:]] != signs[order[:-1]]))
    pairs = sorted(
        (min(i, j), max(i, j))
        for i, j in zip(order[places].tolist(), order[places + 1].tolist(), strict=True)
    )
    pairs = pairs[: max(1, MAX_COMPARED_ENTRIES // rows.n_columns)]
    if not pairs:
        return None
    indices = sorted({row for pair in pairs for row in pair})
    values = dict(zip(indices, rows.take(np.array(indices)).whole().dense(), strict=True))
    for i, j in pairs:
        if np.array_equal(values[i], values[j]) and (scanner.intercept or values[i].any()):
            return i, j
    return None


@dataclass(frozen=True)
class Fingerprints:
    """Σ_j bits(x_j)·f_j modulo 2^64 of every row of a block, where −0 and 0 have the bits of 0."""

    factors: np.ndarray

    def __call__(self, block: Block) -> np.ndarray:
        bits = (np.asarray(block.stored, np.float64) + 0.0).view(np.uint64)
        if not block.is_sparse:
            return bits @ self.factors
        _, columns, indptr = block.X
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(bits * self.factors[columns])])
        return sums[indptr[1:]] - sums[indptr[:-1]]
