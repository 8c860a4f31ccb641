"""Cyclic passes that leave out rows which have not had time to go wrong; see `separatrix.kernels.reach`."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.kernels.reach import (
    ALONG,
    ANCHOR,
    CONSTANT,
    FULL,
    LARGEST,
    LEDGER,
    SQUARE,
    STEP,
    TURNED,
    UNIT,
    Sight,
    reaching_sweep,
    turn,
)

MOST_MISTAKES = 10**6  # of a pass: so far the error of the recurrence is accounted for


class Reach:
    """One learner's passes with a constant step: the same updates as plain ones, bit for bit.

    ``share`` is the part of the rows that the last pass expected to read. Reading a row out of order costs a
    trip to memory; where more than a few rows must be read, the pass reads all of them, and notes how far
    each one reaches.
    """

    def __init__(
        self,
        X: Any,
        row_bytes: float,
        signs: np.ndarray,
        squares: np.ndarray,
        constant: float,
        step: float,
        counts: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self.X = X
        self.signs = signs
        self.counts = counts
        self.weights = weights
        self.share = 1.0
        # Nanoseconds of a row read in a run, over those of one fetched alone: measured, and on the careful
        # side.
        self._worth = 0.7 * (row_bytes / 30) / (80 + row_bytes / 20)
        self._sight = Sight(squares, np.full(len(signs), -np.inf), weights.copy(), np.zeros(LEDGER))
        self._turn = 0.0
        ledger = self._sight.ledger
        ledger[CONSTANT], ledger[STEP] = constant, step
        ledger[UNIT] = (len(weights) + 8) * 2.0**-52

    def see(self, X: Any, start: int, stop: int) -> int:
        """Read a block of the first pass, in which the weights still turn a lot: each has an anchor of its
        own."""
        squares, reach, anchor, ledger = self._sight
        if not np.array_equal(anchor, self.weights) or not ledger[ANCHOR]:
            self._cast_anchor()
        ledger[FULL] = 1.0
        part = slice(start, stop)
        sight = Sight(squares[part], reach[part], anchor, ledger)
        mistakes = int(reaching_sweep(X, self.signs[part], sight, self.counts[part], self.weights))
        if mistakes:
            self._take_turn()
        return mistakes

    def pass_over(self) -> int:
        reach, ledger = self._sight.reach, self._sight.ledger
        self._cast_anchor()
        expected = ledger[TURNED] + self._turn
        self.share = float(np.count_nonzero(~(reach > expected))) / len(reach)
        ledger[FULL] = float(self.share > self._worth or self.share * len(reach) > MOST_MISTAKES)
        mistakes = int(reaching_sweep(self.X, self.signs, self._sight, self.counts, self.weights))
        self._take_turn()
        if mistakes > MOST_MISTAKES:  # what was noted on the way is worth less than it says
            reach[:] = -np.inf
        return mistakes

    def _cast_anchor(self) -> None:
        ledger = self._sight.ledger
        self._sight.anchor[:] = self.weights
        with np.errstate(over="ignore"):
            ledger[[ALONG, SQUARE, ANCHOR, LARGEST]] = self.weights @ self.weights

    def _take_turn(self) -> None:
        ledger = self._sight.ledger
        self._turn = float(turn(ledger))
        ledger[TURNED] += self._turn
        if not np.isfinite(ledger[TURNED]):  # weights at zero have no direction: begin anew
            self._sight.reach[:] = -np.inf
            ledger[TURNED] = self._turn = 0.0
