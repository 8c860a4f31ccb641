"""Cyclic passes that leave out rows which have not had time to go wrong; see
`separatrix.algorithms.perceptrons.skipping.angle_bound_kernels`."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.measured_margins import RowNorms
from separatrix.algorithms.perceptrons.skipping.angle_bound_kernels import recording_pass, skipping_pass
from separatrix.algorithms.perceptrons.skipping.angle_state_kernels import (
    AngleState,
    make_angle_state,
    set_reference,
)
from separatrix.rows import Rows

WELL_WITHIN_SHARE = 0.015  # a share of rows to read that no copy would improve on


class AngleBounds:
    """One learner's passes with a constant step: the same updates as plain ones, bit for bit.

    ``share`` is the part of the rows that the last pass expected to read. Reading a row out of order costs a
    trip to memory; where more than a few rows must be read (``full``), the pass reads all of them, and notes
    how far each one reaches. Such a pass may come in blocks, so that others read them too.
    """

    def __init__(
        self,
        rows: Rows,
        squares: np.ndarray,
        constant: float,
        step: float,
        counts: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self.counts = counts
        self.weights = weights
        self.share = 1.0
        # Nanoseconds of a row read in a run, over those of one fetched alone: measured, and on the careful
        # side.
        row_bytes = rows.n_bytes / rows.n_rows
        self._max_skipping_share = 0.7 * (row_bytes / 30) / (80 + row_bytes / 20)
        terms = int(np.diff(rows.whole().X.indptr).max()) if rows.is_sparse else rows.n_columns
        self.state = make_angle_state(squares, terms, rows.n_columns, constant, step)
        self._reads_all = True

    def record_block(self, X: Any, signs: np.ndarray, first: int, norms: RowNorms) -> int:
        """The next block of a first pass: read every row, and measure it on the way; refuses NaN and infinity
        in the end."""
        angle_budgets, first_pass = self.state.angle_budgets, self.state.first_pass
        if not first:
            first_pass["rows"] = first_pass["mistakes"] = first_pass["invalid_rows"] = 0
        part_state, counts = self._part_state(first, first + len(signs))
        mistakes = int(
            recording_pass(X, signs, norms.centre, part_state, norms.largest, counts, self.weights)
        )
        if first_pass["rows"] == len(angle_budgets):
            angle_budgets[: first_pass["invalid_rows"]] = -np.inf
            norms.refuse_nonfinite_rows()
        return mistakes

    def begin_pass(self) -> bool:
        """Make the weights the reference; returns whether all rows are to be read."""
        angle_budgets = self.state.angle_budgets
        last_turn = float(set_reference(self.weights, self.state))
        if not np.isfinite(last_turn):  # weights at zero have no direction: start again
            angle_budgets[:] = -np.inf
            self.share = 1.0
        else:
            sample = _sample(angle_budgets)
            limit = self.state.turn["total"] + last_turn
            self.share = 1.0 - float(np.count_nonzero(sample > limit)) / sample.size
        self._reads_all = self.share > self._max_skipping_share
        return self._reads_all

    def is_lagging(self, seen: int) -> bool:
        """Whether more than a few of the rows that a first pass has seen have no angle budget left."""
        sample = _sample(self.state.angle_budgets[:seen])
        return bool(
            np.count_nonzero(sample > self.state.turn["total"]) < (1.0 - WELL_WITHIN_SHARE) * sample.size
        )

    def visit_block(self, X: Any, signs: np.ndarray, first: int) -> int:
        """The next block of a pass that has begun, or all of it; returns the number of mistakes."""
        part_state, counts = self._part_state(first, first + len(signs))
        return int(skipping_pass(X, signs, self._reads_all, part_state, counts, self.weights))

    def _part_state(self, start: int, stop: int) -> tuple[AngleState, np.ndarray]:
        """What is known of some rows, and their counts."""
        state = self.state
        part = state._replace(
            squares=state.squares[start:stop], angle_budgets=state.angle_budgets[start:stop]
        )
        return part, self.counts[start:stop]

    @property
    def is_invalid(self) -> bool:
        """Whether nothing that was noted counts, at the weights as they are."""
        return bool(self.state.turn["is_unknown"])

    def invalidate(self) -> None:
        """The weights are moved by other hands: what was noted does not count any more."""
        self.state.turn["is_unknown"] = True


def _sample(angle_budgets: np.ndarray) -> np.ndarray:
    """Runs of it, a sixteenth in all where it is long: to guess by, at the price of a glance."""
    n_sampled = len(angle_budgets) - len(angle_budgets) % 16384
    return angle_budgets[:n_sampled].reshape(-1, 16384)[:, :1024] if n_sampled else angle_budgets
