"""A stream of rows from an adversary who sees the learner's weights.

**Theorem.** For every online learner, deterministic or not, there is a stream of rows with ‖x‖ ≤ R,
separated with margin γ, on which it errs ⌊(R/γ)²⌋ times: Novikoff's bound cannot be improved by another
rule. *Proof.* Let K = ⌊(R/γ)²⌋. Show R·e₁, …, R·e_K in turn and give each the label that the learner does
not predict. The signs themselves, u = (s₁, …, s_K)/√K, separate all that was shown with margin R/√K ≥ γ.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from separatrix.problems.known_answer import Problem

__all__ = ["AdversarialStream", "adversarial_stream"]

Pair = tuple[NDArray[np.float64], int]


class AdversarialStream:
    """An unending stream of pairs (row, sign) that forces `forced` mistakes on whoever learns from it.

    Use `next` with the learner's current weights, or `against` with a function that returns them, or
    iterate: then the labels alternate without looking, which is enough against a perceptron without
    intercept, whose score on an untouched direction is 0. Once all K rows were shown their labels stand,
    and the stream goes on with them.
    """

    def __init__(self, margin: float, radius: float = 1.0, columns: int | None = None) -> None:
        if not 0 < margin <= radius < math.inf:
            raise ValueError(
                f"The margin must be positive and at most the radius, not {margin!r} and {radius!r}."
            )
        self.margin = margin
        self.radius = radius
        self.forced = math.floor((Fraction(radius) / Fraction(margin)) ** 2)
        self.columns = self.forced if columns is None else columns
        if self.columns < self.forced:
            raise ValueError(f"{self.forced} mistakes need as many columns, not {self.columns}.")
        self._signs: list[int] = []

    def next(self, weights: ArrayLike, intercept: float = 0.0) -> Pair:
        """The pair to show a learner with these weights: a mistake, s·score ≤ 0, while rows are left."""
        current = np.asarray(weights, dtype=np.float64).ravel()
        if len(current) != self.columns:
            raise ValueError(f"The stream has {self.columns} columns, the weights {len(current)}.")
        shown = len(self._signs)
        scores = self.radius * current[: self.forced] + float(intercept)
        if shown < self.forced:
            return self._pair(shown, -1 if scores[shown] > 0 else 1)
        return self._pair(int(np.argmin(np.array(self._signs) * scores)))

    def against(self, current: Callable[[], ArrayLike | tuple[ArrayLike, float]]) -> Iterator[Pair]:
        """Pairs without end; `current()` returns the learner's weights now, or weights and intercept."""
        while True:
            state = current()
            yield self.next(*state) if isinstance(state, tuple) else self.next(state)

    def __iter__(self) -> Iterator[Pair]:
        for turn in itertools.count():
            row = turn % self.forced
            yield self._pair(row, 1 if row % 2 == 0 else -1)

    def problem(self) -> Problem:
        """The distinct rows shown so far, with the margin that all the labels given have in common."""
        shown = len(self._signs)
        if shown == 0:
            raise ValueError("The stream has shown no row yet.")
        return Problem(
            X=self.radius * np.eye(shown, self.columns),
            y=np.array(self._signs),
            name="adversarial_stream",
            description=f"{shown} orthogonal rows, labelled against the learner.",
            separable=True,
            kind="complete",
            halfspace=((*self._signs, *(0,) * (self.columns - shown)), 0),
            margin_squared=Fraction(self.radius) ** 2 / shown,
            intercept=False,
            fewest_errors=0,
            least_mistakes=shown,
        )

    def _pair(self, row: int, sign: int = 1) -> Pair:
        if row == len(self._signs):
            self._signs.append(sign)
        x = np.zeros(self.columns)
        x[row] = self.radius
        return x, self._signs[row]


def adversarial_stream(
    margin: float = 0.25, radius: float = 1.0, columns: int | None = None
) -> AdversarialStream:
    """Rows of norm `radius`, separable with `margin`, that force ⌊(radius/margin)²⌋ mistakes; no intercept.

    The number is taken of the floats as given: 0.1 is a little more than 1/10, so 1/0.1² forces 99, not
    100. For the rows (x, 1) of a learner with intercept the margin is no smaller, the radius √(radius² +
    1).

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix import problems
    >>> stream = problems.adversarial_stream(margin=0.25)
    >>> weights, mistakes = np.zeros(stream.columns), 0
    >>> for x, s in itertools.islice(stream.against(lambda: weights), 100):
    ...     if s * (weights @ x) <= 0:
    ...         weights, mistakes = weights + s * x, mistakes + 1
    >>> mistakes, stream.forced, stream.problem().margin
    (16, 16, 0.25)
    """
    return AdversarialStream(margin, radius, columns)
