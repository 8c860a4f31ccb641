"""Arrow data from elsewhere: checked in full before anything reads it."""

from __future__ import annotations

from typing import Any

from separatrix.kernels.arrow_layout import fault_of
from separatrix.rows.data_errors import DataError


def refuse_damaged(data: Any, name: str) -> None:
    """Raise a `DataError` for PyArrow data, or pandas data backed by it, that cannot be read."""
    fault = fault_of(data)
    if fault:
        raise DataError(f"{name} {fault}")
