"""Rows that every halfspace can have right at no price, and the problem of the others.

**Theorem.** Let u have z·u ≥ 0 on every row (quasi-separated rows have such a u; Albert and Anderson 1984),
and let w be any halfspace. For t large enough w + t·u is right on every row with z·u > 0, and has the scores
of w on the others. So the fewest errors of all rows are the fewest of those with z·u = 0.

A lower bound for the others is one for all rows, as it stands. A halfspace is counted on all rows, with the t
that doubles propose.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

import numpy as np

from separatrix.algorithms.zero_one.problem import IntegerVector, ReducedProblem


class Recession:
    """A direction u, for ``problem.Z``, and the ``remaining``, the problem of the rows with z·u = 0."""

    def __init__(self, problem: ReducedProblem, direction: Sequence[int]) -> None:
        heights = [sum(map(mul, z, direction)) for z in problem.Z]
        if min(heights, default=0) < 0:
            raise ValueError("A direction of recession is wrong on no row.")
        self.problem, self.direction = problem, tuple(direction)
        self.remaining = problem.take([i for i, height in enumerate(heights) if height == 0])
        self._free = np.flatnonzero([height > 0 for height in heights])
        self._rows = problem.floats[self._free]
        self._heights = self._rows @ problem.to_floats(self.direction)

    def lift(self, weights: Sequence[int]) -> IntegerVector:
        """w + t·u, with t twice what the row needs most that doubles take for the one to need most."""
        if not len(self._free):
            return tuple(weights)
        with np.errstate(all="ignore"):
            ratios = -(self._rows @ self.problem.to_floats(weights)) / self._heights
        z = self.problem.Z[self._free[int(np.argmax(np.nan_to_num(ratios, nan=-np.inf)))]]
        needed = -sum(map(mul, z, weights)) // sum(map(mul, z, self.direction)) + 1
        return tuple(w + 2 * max(0, needed) * u for w, u in zip(weights, self.direction, strict=True))
