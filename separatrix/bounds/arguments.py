"""Numbers that a theorem can be asked about, as floats, or one sentence on why not."""

from __future__ import annotations

import math
from typing import SupportsFloat


def positive(**arguments: SupportsFloat) -> tuple[float, ...]:
    """The arguments, if all are positive and finite."""
    for name, value in arguments.items():
        if not 0 < float(value) < math.inf:
            raise ValueError(f"{name} must be a positive number, not {value}")
    return tuple(map(float, arguments.values()))


def nonnegative(**arguments: SupportsFloat) -> tuple[float, ...]:
    """The arguments, if all are zero or positive, and finite."""
    for name, value in arguments.items():
        if not 0 <= float(value) < math.inf:
            raise ValueError(f"{name} must be zero or a positive number, not {value}")
    return tuple(map(float, arguments.values()))


def difficulty(radius: SupportsFloat, margin: SupportsFloat, norm: SupportsFloat = 1.0) -> float:
    """R‖w*‖/γ, which Cauchy and Schwarz keep at 1 or above."""
    length, scale = nonnegative(radius=radius, norm=norm)
    (gap,) = positive(margin=margin)
    # One part in 10⁹ forgives the rounding of a margin that is the length of its row.
    if gap > length * scale * (1 + 1e-9):
        raise ValueError(f"a margin of {margin} is more than the length of any row, {radius}, allows")
    return length * scale / gap
