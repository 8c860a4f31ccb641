"""Whether points cancel with positive multipliers: the test of `check.dependency`, in arrays."""

from __future__ import annotations

import numpy as np

from .check.dependency import cancel as _cancel
from .check.dependency import in_doubles

_TINY = 1e-290


def cancel(points: list[list[int]]) -> bool:
    """Whether the multipliers that cancel the points are unique up to a factor, and all positive."""
    return _surely_cancel(points) or _cancel(points)


def _surely_cancel(points: list[list[int]]) -> bool:
    """Whether doubles prove it, by the bounds in `check.dependency`; False decides nothing."""
    equations = in_doubles(points)
    if equations is None:
        return False
    A, c = np.array(equations)[:, :-1], np.array(equations)[:, -1]
    unit = (len(c) + 4) * 2.0**-52
    with np.errstate(all="ignore"):
        try:
            R = np.linalg.inv(A)
        except np.linalg.LinAlgError:
            return False
        a = -(R @ c)
        sizes = abs(R) @ abs(A)
        off = (abs(R @ A - np.eye(len(c))) + 2 * unit * sizes + _TINY).sum(axis=1)
        left = abs(A @ a + c) + 3 * unit * (abs(A) @ abs(a) + abs(c)) + _TINY
        far = float((abs(R) @ left).max())
        return bool((off < 0.49).all() and far < np.inf and (a > 5 * far + _TINY).all())
