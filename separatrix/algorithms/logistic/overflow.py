"""Sums that leave the range of doubles: terms make them without a warning, and who uses them refuses."""

from __future__ import annotations

from typing import NoReturn

from separatrix.rows import DataError, Rows


class RangeError(DataError):
    """Sums over finite rows left the range of doubles."""


def refuse_overflow(rows: Rows) -> NoReturn:
    """Say what made a sum infinite: a NaN or an infinity among the rows, or their size."""
    rows.require_finite()
    raise RangeError(
        "The values or row weights are too large or too small for this fit: multiply them by a power of ten "
        "and fit again."
    )
