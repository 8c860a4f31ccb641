"""Rows with a copy in 8 bits a value, and one learner's passes over them; see
`separatrix.algorithms.perceptrons.skipping.quantised_kernels`."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.skipping.buffer_pool import borrowed
from separatrix.algorithms.perceptrons.skipping.quantise_kernels import arranging_pass
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import (
    LOOKS,
    PLACE,
    WINDOW,
    QuantisedCopy,
    empty_copy,
    shared_copy,
    turned,
    words_of,
)
from separatrix.algorithms.perceptrons.skipping.quantised_pass_kernels import (
    quantised_certain_signs,
    quantised_pass,
)

SOON = 1.2  # of how far the weights are from the anchor: panels within it are drawn at once
STEPS = 4096  # mistakes between two calls of the kernel


class QuantisedRows:
    """Some of the rows, and what a learner with a constant step knows of them.

    ``squares`` are ‖x‖² without the constant, rounded up to float32; `arrange` fills them. ``looks`` are the
    panels that passes have looked at since then. ``packed`` is None until a pass has arranged all of them.
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
        self.packed: QuantisedCopy | None = None
        self.looks = 0

    def arrange(self, reference: np.ndarray, saved_state: QuantisedCopy | None, norms: RowNorms) -> int:
        """A pass that reads every row and makes the copy, or leaves one that others use too in its order;
        returns the number of mistakes."""
        anew = saved_state is None
        packed, self.packed = self.packed, None  # until all of it holds
        if packed is None and saved_state is not None:
            packed = shared_copy(saved_state, self.signs)
        elif packed is None:
            n_rows, n_columns = self.X.shape
            packed = empty_copy(n_rows, n_columns, borrowed(*words_of(n_rows, n_columns)))
        packed.reference[:] = reference
        soon = SOON * float(turned(packed.reference, self.weights, packed.drift, packed.turn))
        given = (self.X, self.signs, self.squares, np.full(WINDOW, self.step), self.constant)
        found = (norms.centre, norms.largest, anew, soon, packed)
        mistakes = int(arranging_pass(*given, *found, self.counts, self.weights))
        self.packed = packed
        self.looks = 0
        return mistakes

    def make_pass(self, packed: QuantisedCopy) -> int:
        """Visit every row in order, by the copy; returns the number of mistakes."""
        packed.progress[:] = 0
        mistakes = 0
        while packed.progress[PLACE] < len(self.signs):
            given = (self.X, self.signs, self.steps, self.constant, packed)
            mistakes += int(quantised_pass(*given, self.counts, self.weights))
        self.looks += int(packed.progress[LOOKS])
        return mistakes

    def rows_in_doubt(self, packed: QuantisedCopy, doubtful: np.ndarray, found: np.ndarray) -> int:
        """The rows that floats cannot prove right, into ``doubtful``; returns how many."""
        given = (self.X, self.signs, self.squares, self.constant, packed)
        return int(quantised_certain_signs(*given, self.weights, doubtful, found))
