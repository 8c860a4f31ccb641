"""Cyclic passes that leave out rows which have not had time to go wrong; see
`separatrix.algorithms.perceptrons.skipping.angle_bound_kernels`."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.row_norms import Survey
from separatrix.algorithms.perceptrons.skipping.angle_bound_kernels import (
    ASTRAY,
    FULL,
    LOST,
    MADE,
    SEEN,
    TURNED,
    Sight,
    cast,
    empty_ledger,
    noting_sweep,
    reaching_sweep,
)
from separatrix.rows.memory import MemoryRows, SparseRows

WELL_IN_REACH = 0.015  # a share of rows to read that no copy would improve on


class Reach:
    """One learner's passes with a constant step: the same updates as plain ones, bit for bit.

    ``share`` is the part of the rows that the last pass expected to read. Reading a row out of order costs a
    trip to memory; where more than a few rows must be read (``full``), the pass reads all of them, and notes
    how far each one reaches. Such a pass may come in blocks, so that others read them too.
    """

    def __init__(
        self,
        rows: MemoryRows,
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
        self._worth = 0.7 * (row_bytes / 30) / (80 + row_bytes / 20)
        terms = int(np.diff(rows.indptr).max()) if isinstance(rows, SparseRows) else rows.n_columns
        ledger = empty_ledger(terms, rows.n_columns, constant, step)
        self.sight = Sight(squares, np.empty(rows.n_rows, np.float32), np.zeros(len(weights)), ledger)

    def note(self, X: Any, signs: np.ndarray, first: int, survey: Survey) -> int:
        """The next block of a first pass: read every row, and measure it on the way; refuses NaN and infinity
        in the end."""
        reach, ledger = self.sight.reach, self.sight.ledger
        if not first:
            ledger[SEEN] = ledger[MADE] = ledger[ASTRAY] = 0.0
        part, counts = self._part(first, first + len(signs))
        mistakes = int(noting_sweep(X, signs, survey.centre, part, survey.largest, counts, self.weights))
        if ledger[SEEN] == len(reach):
            reach[: int(ledger[ASTRAY])] = -np.inf
            survey.settle()
        return mistakes

    def begin_pass(self) -> bool:
        """Make the weights the anchor; returns whether all rows are to be read."""
        reach, ledger = self.sight.reach, self.sight.ledger
        last = float(cast(self.weights, self.sight))
        if not np.isfinite(last):  # weights at zero have no direction: begin anew
            reach[:] = -np.inf
            self.share = 1.0
        else:
            some = _sample(reach)
            self.share = 1.0 - float(np.count_nonzero(some > ledger[TURNED] + last)) / some.size
        ledger[FULL] = float(self.share > self._worth)
        return bool(ledger[FULL])

    def lags(self, seen: int) -> bool:
        """Whether more than a few of the rows that a first pass has seen are out of reach by now."""
        some = _sample(self.sight.reach[:seen])
        return bool(np.count_nonzero(some > self.sight.ledger[TURNED]) < (1.0 - WELL_IN_REACH) * some.size)

    def see(self, X: Any, signs: np.ndarray, first: int) -> int:
        """The next block of a pass that has begun, or all of it; returns the number of mistakes."""
        part, counts = self._part(first, first + len(signs))
        return int(reaching_sweep(X, signs, part, counts, self.weights))

    def _part(self, start: int, stop: int) -> tuple[Sight, np.ndarray]:
        """What is known of some rows, and their counts."""
        sight = self.sight
        here = sight._replace(squares=sight.squares[start:stop], reach=sight.reach[start:stop])
        return here, self.counts[start:stop]

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
