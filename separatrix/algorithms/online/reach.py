"""Cyclic passes that leave out rows which have not had time to go wrong; see `separatrix.kernels.reach`."""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.online.survey import Survey
from separatrix.kernels.reach import (
    FULL,
    LOST,
    TURNED,
    Sight,
    cast,
    empty_ledger,
    noting_sweep,
    reaching_sweep,
)
from separatrix.rows.memory import MemoryRows, SparseRows


class Reach:
    """One learner's passes with a constant step: the same updates as plain ones, bit for bit.

    ``share`` is the part of the rows that the last pass expected to read. Reading a row out of order costs a
    trip to memory; where more than a few rows must be read, the pass reads all of them, and notes how far
    each one reaches.
    """

    def __init__(
        self,
        rows: MemoryRows,
        signs: np.ndarray,
        squares: np.ndarray,
        constant: float,
        step: float,
        counts: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self.X = rows.block(0, rows.n_rows).X
        self.signs = signs
        self.counts = counts
        self.weights = weights
        self.share = 1.0
        # Nanoseconds of a row read in a run, over those of one fetched alone: measured, and on the careful
        # side.
        row_bytes = rows.n_bytes / rows.n_rows
        self._worth = 0.7 * (row_bytes / 30) / (80 + row_bytes / 20)
        terms = int(np.diff(rows.indptr).max()) if isinstance(rows, SparseRows) else rows.n_columns
        ledger = empty_ledger(terms, rows.n_columns, constant, step)
        self.sight = Sight(squares, np.empty(len(signs)), np.zeros(len(weights)), ledger)

    def first_pass(self, survey: Survey) -> int:
        """Read every row, and measure it on the way; refuses NaN and infinity."""
        mistakes = int(
            noting_sweep(
                self.X, self.signs, survey.centre, self.sight, survey.largest, self.counts, self.weights
            )
        )
        survey.settle()
        return mistakes

    def pass_over(self) -> int:
        reach, ledger = self.sight.reach, self.sight.ledger
        last = float(cast(self.weights, self.sight))
        if not np.isfinite(last):  # weights at zero have no direction: begin anew
            reach[:] = -np.inf
            self.share = 1.0
        else:
            some = _sample(reach)
            self.share = 1.0 - float(np.count_nonzero(some > ledger[TURNED] + last)) / some.size
        ledger[FULL] = float(self.share > self._worth)
        return int(reaching_sweep(self.X, self.signs, self.sight, self.counts, self.weights))

    @property
    def lost(self) -> bool:
        """Whether nothing that was noted counts, at the weights as they are."""
        return bool(self.sight.ledger[LOST])

    def lose(self) -> None:
        """The weights are moved by other hands: what was noted does not count any more."""
        self.sight.ledger[LOST] = 1.0


def _sample(reach: np.ndarray) -> np.ndarray:
    """Runs of it, a sixteenth in all where it is long: to guess by, at the price of a glance."""
    whole = len(reach) - len(reach) % 16384
    return reach[:whole].reshape(-1, 16384)[:, :1024] if whole else reach
