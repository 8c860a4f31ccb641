"""Sums that leave the range of doubles: silent where they are made, and refused where they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from separatrix.rows import Block, DataError, Rows


class RangeError(DataError):
    """Sums over finite rows left the range of doubles."""


def refuse_overflow(rows: Rows) -> NoReturn:
    """Say what made a sum infinite: a NaN or an infinity among the rows, or their size."""
    rows.require_finite()
    raise RangeError(
        "The values or row weights are too large or too small for this fit: multiply them by a power of ten "
        "and fit again."
    )


def silence_overflow(work: Callable[[Block], Any]) -> Callable[[Block], Any]:
    """The same work without NumPy's warnings of overflow, in whatever thread it is done."""

    def silenced_work(block: Block) -> Any:
        with np.errstate(all="ignore"):
            return work(block)

    return silenced_work
