"""Step sizes: one number, a sequence, or a function of how many mistakes came before."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.fitting.parameters import as_doubles
from separatrix.messages import ParameterError


class Steps:
    """η_k for k = 0, 1, ...

    >>> Steps(0.5).next(0, 3).tolist()
    [0.5, 0.5, 0.5]
    >>> Steps(lambda k: 1 / (k + 1)).next(1, 2).tolist()
    [0.5, 0.3333333333333333]
    """

    def __init__(self, step: Any) -> None:
        self.step = step
        self.is_constant = not callable(step) and np.ndim(step) == 0
        # How many rows to visit before asking again: a function is called for so many mistakes ahead.
        self.max_visits = 1 << 30 if self.is_constant else 256
        self._computed = np.empty(0) if callable(step) else np.atleast_1d(_to_doubles(step))
        if not callable(step) and self._computed.size == 0:
            raise ValueError("step as a sequence needs at least one number.")
        self._check(self._computed)

    @property
    def is_unit(self) -> bool:
        return self.is_constant and self._computed[0] == 1.0

    def next(self, k: int, n: int) -> np.ndarray:
        """The steps of mistakes k to k + n - 1."""
        if self.is_constant:  # the same from any k on
            k = 0
        missing = k + n - len(self._computed)
        if missing > 0:
            first = len(self._computed)
            if callable(self.step):
                following = np.array([_to_doubles(self.step(i), 0) for i in range(first, k + n)])
                self._check(following)
            else:
                following = np.full(max(missing, 1024), self._computed[-1])
            self._computed = np.concatenate([self._computed, following])
        return self._computed[k : k + n]

    def _check(self, steps: np.ndarray) -> None:
        refused = steps[~(np.isfinite(steps) & (steps > 0))]
        if refused.size:
            raise ParameterError("step", float(refused[0]), "> 0 and finite for every mistake")


def _to_doubles(step: Any, max_dimensions: int = 1) -> np.ndarray:
    given = as_doubles(step)
    if given is None or given.ndim > max_dimensions:
        several = "a number, a sequence of numbers or a function"
        raise ParameterError("step", step, several if max_dimensions else "a function that returns numbers")
    return given
