"""Rows with a copy in 8 bits a value, and one learner's passes over them; see
`separatrix.algorithms.perceptrons.skipping.quantised_kernels`."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.perceptrons.measured_margins import RowNorms
from separatrix.algorithms.perceptrons.skipping.buffer_pool import borrow
from separatrix.algorithms.perceptrons.skipping.quantise_kernels import arranging_pass
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import measure_drift
from separatrix.algorithms.perceptrons.skipping.quantised_pass_kernels import (
    quantised_certain_signs,
    quantised_pass,
)
from separatrix.algorithms.perceptrons.skipping.quantised_state_kernels import (
    WINDOW_ROWS,
    QuantisedCopy,
    allocate_copy,
    codes_shape,
    share_panels,
)

EARLY_SLACK_FACTOR = (
    1.2  # of how far the weights are from the reference: panels within it are quantised at once
)
MAX_CALL_MISTAKES = 4096  # mistakes between two calls of the kernel


class QuantisedRows:
    """Some of the rows, and what a learner with a constant step knows of them.

    ``squares`` are ‖x‖² without the constant, rounded up to float32; `arrange` fills them. ``panels_read``
    counts the panels that passes have read since then. ``packed`` is None until a pass has arranged all rows.
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
        self.steps = np.full(MAX_CALL_MISTAKES, step)
        self.counts = counts
        self.weights = weights
        self.packed: QuantisedCopy | None = None
        self.panels_read = 0

    def arrange(self, reference: np.ndarray, existing: QuantisedCopy | None, norms: RowNorms) -> int:
        """A pass that reads every row and makes the copy, or leaves one that others use too in its order;
        returns the number of mistakes."""
        is_new = existing is None
        packed, self.packed = self.packed, None  # until all of it holds
        if packed is None and existing is not None:
            packed = share_panels(existing, self.signs)
        elif packed is None:
            n_rows, n_columns = self.X.shape
            packed = allocate_copy(n_rows, n_columns, borrow(*codes_shape(n_rows, n_columns)))
        packed.reference.weights[:] = reference
        max_slack = EARLY_SLACK_FACTOR * float(measure_drift(reference, self.weights, packed.drift))
        given = (self.X, self.signs, self.squares, np.full(WINDOW_ROWS, self.step), self.constant)
        found = (norms.centre, norms.largest, is_new, max_slack, packed)
        mistakes = int(arranging_pass(*given, *found, self.counts, self.weights))
        self.packed = packed
        self.panels_read = 0
        return mistakes

    def make_pass(self, packed: QuantisedCopy) -> int:
        """Visit every row in order, by the copy; returns the number of mistakes."""
        packed.progress["next_row"] = packed.progress["panels_read"] = 0
        mistakes = 0
        while packed.progress["next_row"] < len(self.signs):
            given = (self.X, self.signs, self.steps, self.constant, packed)
            mistakes += int(quantised_pass(*given, self.counts, self.weights))
        self.panels_read += int(packed.progress["panels_read"])
        return mistakes

    def find_doubtful_rows(self, packed: QuantisedCopy, doubtful: np.ndarray, min_margin: np.ndarray) -> int:
        """The rows that floats cannot prove right, into ``doubtful``; returns how many."""
        given = (self.X, self.signs, self.squares, self.constant, packed)
        return int(quantised_certain_signs(*given, self.weights, doubtful, min_margin))
