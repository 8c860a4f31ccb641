"""Rosenblatt's rule, with every weight vector that it had."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels import kernel
from separatrix.kernels.row import row_add, row_dot


@kernel
def voted_sweep(
    X: Any,
    signs: np.ndarray,
    places: np.ndarray,
    constant: float,
    votes: np.ndarray,
    voters: np.ndarray,
    last: int,
) -> int:
    """Rosenblatt's rule from voter ``last``; each mistake adds a voter, ``votes`` counts the rows
    each one was there for, the one that made it included.

    Returns the place of the last voter. The caller makes room for one voter per row.
    """
    for k in range(places.shape[0]):
        i = places[k]
        s = float(signs[i])
        if s * (row_dot(X, i, voters[last]) + voters[last, -1] * constant) > 0.0:
            votes[last] += 1
        else:
            last += 1
            votes[last] = 1
            voters[last] = voters[last - 1]
            row_add(X, i, s, voters[last])
            voters[last, -1] += s * constant
    return last
