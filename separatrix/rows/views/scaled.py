"""The same rows in other units: every value times a power of two, a block at a time."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp
from typing import Any

import numpy as np

from separatrix.rows.block import Block, Csr, read_only
from separatrix.rows.rows import Rows
from separatrix.rows.views.derived import NewValues

SAMPLE_ROWS = 256
USUAL_EXPONENT = 200  # squares of values up to 2^200, and of their inverses, are far from the end of doubles
MIN_NORMAL_VALUE = 2.0**-1022


class ScaledRows(NewValues):
    """Rows 2^k·x."""

    def __init__(self, rows: Rows, exponent: int) -> None:
        super().__init__(rows)
        self.exponent = exponent

    def _values(self, X: Any) -> Any:
        if not isinstance(X, Csr):
            return read_only(np.ldexp(X, self.exponent))
        return X._replace(data=read_only(np.ldexp(X.data, self.exponent)))


@dataclass(frozen=True)
class StoredRange:
    """A term: the largest size of a stored value, and the least that is not 0."""

    def __call__(self, block: Block) -> tuple[float, float]:
        sizes = np.abs(block.stored)
        return float(sizes.max(initial=0.0)), float(sizes[sizes > 0.0].min(initial=np.inf))


def change_of_units(rows: Rows) -> int:
    """The k for which 2^k·x has sizes whose squares neither overflow nor underflow, without rounding any; 0
    where the rows are of a usual size, by a look at some of them, or where there is no such k."""
    if rows.dtype != np.float64:
        return 0
    largest = float(np.max(np.abs(rows.preview(SAMPLE_ROWS).whole().stored), initial=0.0))
    if largest == 0.0 or not largest < np.inf or abs(frexp(largest)[1]) <= USUAL_EXPONENT:
        return 0
    ranges = list(rows.each(StoredRange()))
    largest, least = max(high for high, _ in ranges), min(low for _, low in ranges)
    place = frexp(largest)[1]
    if not largest < np.inf or abs(place) <= USUAL_EXPONENT:
        return 0
    exponent = -place if place < 0 else USUAL_EXPONENT - place
    return exponent if np.ldexp(least, exponent) >= MIN_NORMAL_VALUE else 0
