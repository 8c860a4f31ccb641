"""Rows with a copy in 8 bits a value, and one learner's passes over them; see
`separatrix.algorithms.perceptrons.skipping.quantised_kernels`."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.perceptrons.row_norms import Survey
from separatrix.algorithms.perceptrons.skipping.buffer_pool import lent
from separatrix.algorithms.perceptrons.skipping.quantise_kernels import arranging_sweep
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import (
    LOOKS,
    PLACE,
    WINDOW,
    Shadow,
    empty_shadow,
    shared_shadow,
    turned,
    words_of,
)
from separatrix.algorithms.perceptrons.skipping.quantised_pass_kernels import shaded_census, shaded_sweep

SOON = 1.2  # of how far the weights are from the anchor: panels within it are drawn at once
STEPS = 4096  # mistakes between two calls of the kernel


class Shade:
    """Some of the rows, and what a learner with a constant step knows of them.

    ``squares`` are ‖x‖² without the constant, rounded up to float32; `arrange` fills them. ``looks`` are the
    panels that passes have looked at since then. ``shadow`` is None until a pass has arranged all of them.
    """

    def __init__(
        self,
        X: np.ndarray,
        signs: np.ndarray,
        squares: np.ndarray,
        constant: float,
        step: float,
        counts: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self.X = X
        self.signs = signs
        self.squares = squares
        self.constant = constant
        self.step = step
        self.steps = np.full(STEPS, step)
        self.counts = counts
        self.weights = weights
        self.shadow: Shadow | None = None
        self.looks = 0

    def arrange(self, anchor: np.ndarray, kept: Shadow | None, survey: Survey) -> int:
        """A pass that reads every row and makes the copy, or leaves one that others use too in its order;
        returns the number of mistakes."""
        anew = kept is None
        shadow, self.shadow = self.shadow, None  # until all of it holds
        if shadow is None and kept is not None:
            shadow = shared_shadow(kept, self.signs)
        elif shadow is None:
            n_rows, n_columns = self.X.shape
            shadow = empty_shadow(n_rows, n_columns, lent(*words_of(n_rows, n_columns)))
        shadow.anchor[:] = anchor
        soon = SOON * float(turned(shadow.anchor, self.weights, shadow.drift, shadow.turn))
        given = (self.X, self.signs, self.squares, np.full(WINDOW, self.step), self.constant)
        found = (survey.centre, survey.largest, anew, soon, shadow)
        mistakes = int(arranging_sweep(*given, *found, self.counts, self.weights))
        self.shadow = shadow
        self.looks = 0
        return mistakes

    def pass_over(self, shadow: Shadow) -> int:
        """Visit every row in order, by the copy; returns the number of mistakes."""
        shadow.progress[:] = 0
        mistakes = 0
        while shadow.progress[PLACE] < len(self.signs):
            given = (self.X, self.signs, self.steps, self.constant, shadow)
            mistakes += int(shaded_sweep(*given, self.counts, self.weights))
        self.looks += int(shadow.progress[LOOKS])
        return mistakes

    def census(self, shadow: Shadow, doubtful: np.ndarray, found: np.ndarray) -> int:
        """The rows that floats cannot prove right, into ``doubtful``; returns how many."""
        given = (self.X, self.signs, self.squares, self.constant, shadow)
        return int(shaded_census(*given, self.weights, doubtful, found))
