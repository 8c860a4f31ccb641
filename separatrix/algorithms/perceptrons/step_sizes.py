"""Step sizes: one number, a sequence, or a function of how many mistakes came before."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.fitting.parameters import as_doubles, shown


class Steps:
    """η_k for k = 0, 1, ...

    >>> Steps(0.5).next(0, 3).tolist()
    [0.5, 0.5, 0.5]
    >>> Steps(lambda k: 1 / (k + 1)).next(1, 2).tolist()
    [0.5, 0.3333333333333333]
    """

    def __init__(self, step: Any) -> None:
        self.step = step
        self.fixed = not callable(step) and np.ndim(step) == 0
        # How many rows to visit before asking again: a function is called for so many mistakes ahead.
        self.at_once = 1 << 30 if self.fixed else 256
        self._known = np.empty(0) if callable(step) else np.atleast_1d(_doubles(step))
        if not callable(step) and self._known.size == 0:
            raise ValueError("step as a sequence needs at least one number.")
        self._check(self._known)

    @property
    def unit(self) -> bool:
        return self.fixed and self._known[0] == 1.0

    def next(self, k: int, n: int) -> np.ndarray:
        """The steps of mistakes k to k + n - 1."""
        if self.fixed:  # the same from any k on
            k = 0
        missing = k + n - len(self._known)
        if missing > 0:
            first = len(self._known)
            if callable(self.step):
                more = np.array([_doubles(self.step(i), 0) for i in range(first, k + n)])
                self._check(more)
            else:
                more = np.full(max(missing, 1024), self._known[-1])
            self._known = np.concatenate([self._known, more])
        return self._known[k : k + n]

    def _check(self, steps: np.ndarray) -> None:
        if not np.all(np.isfinite(steps) & (steps > 0)):
            raise ValueError("step must be positive and finite, for every mistake.")


def _doubles(step: Any, most_dimensions: int = 1) -> np.ndarray:
    given = as_doubles(step)
    if given is None or given.ndim > most_dimensions:
        what = (
            "number, sequence of numbers or function"
            if most_dimensions
            else "number, which a function has to give"
        )
        raise ValueError(f"step={shown(step)} is no {what}.")
    return given
