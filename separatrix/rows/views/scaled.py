"""The same rows in other units: every value times a power of two, a block at a time."""

from __future__ import annotations

from math import frexp
from typing import Any

import numpy as np

from separatrix.rows.block import Block, Csr, read_only
from separatrix.rows.memory import MemoryRows
from separatrix.rows.rows import Rows
from separatrix.rows.views.derived import DerivedRows

SAMPLE = 256
USUAL = 200  # a power of two: squares of values up to it, and of its inverse, are far from the end of doubles
LEAST_NORMAL = 2.0**-1022


class ScaledRows(DerivedRows):
    """Rows 2^k·x, made block by block and never kept; ``exponent`` is one k, or one for each column."""

    def __init__(self, rows: Rows, exponent: int | np.ndarray) -> None:
        super().__init__(rows)
        self.exponent = exponent

    def block(self, start: int, stop: int) -> Block:
        """Of rows in memory."""
        assert isinstance(self.rows, MemoryRows)
        return self._derived(self.rows.block(start, stop))

    def _values(self, block: Block) -> Any:
        X = block.X
        if isinstance(X, Csr):
            exponent = self.exponent
            exponent = exponent[X.indices] if isinstance(exponent, np.ndarray) else exponent
            return X._replace(data=read_only(np.ldexp(X.data, exponent)))
        return read_only(np.ldexp(X, self.exponent))

    def sample(self, k: int) -> np.ndarray:
        return np.ldexp(self.rows.sample(k), self.exponent)


def change_of_units(rows: Rows) -> int:
    """The k for which 2^k·x has sizes whose squares neither overflow nor underflow, without rounding any; 0
    where the rows are of a usual size, by a look at some of them, or where there is no such k."""
    if rows.dtype != np.float64:
        return 0
    largest = float(np.max(np.abs(rows.sample(SAMPLE)), initial=0.0))
    if largest == 0.0 or not largest < np.inf or abs(frexp(largest)[1]) <= USUAL:
        return 0
    largest, least = 0.0, np.inf
    for block in rows.blocks():
        sizes = np.abs(block.X.data if isinstance(block.X, Csr) else block.X)
        largest = max(largest, float(sizes.max(initial=0.0)))
        least = min(least, float(sizes[sizes > 0.0].min(initial=np.inf)))
    place = frexp(largest)[1]
    if not largest < np.inf or abs(place) <= USUAL:
        return 0
    exponent = -place if place < 0 else USUAL - place
    return exponent if np.ldexp(least, exponent) >= LEAST_NORMAL else 0
