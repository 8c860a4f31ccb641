"""When a method ends without a separating halfspace: ask whether there is one."""

from __future__ import annotations

from typing import Any

from separatrix.certificates import Undecided
from separatrix.rows import Rows


def settle(rows: Rows, positive: int, *, intercept: bool, reason: str) -> Any:
    """A certificate that there is no separating halfspace, or `Undecided` with the reason."""
    return Undecided(reason)
