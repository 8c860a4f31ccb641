"""Cyclic passes over rows in memory that soon read only the rows in doubt.

**Idea.** After a few passes the weights hardly turn any more, and all but a few rows lie safely on their
side. A copy of the rows in 16 bits a value, arranged by how near the plane they are, tells which: see
`separatrix.kernels.shadow` for what it can vouch for, and why.

**Theorem.** The weights, the counts and the mistakes of every pass are those of the plain passes, bit for
bit. A row is passed over only when the number that the plain sweep would have computed for it is proven
positive, rounding, overflow and underflow included, at the weights of that moment: they are looked at
anew after every mistake. The rows that are read are read in row order, by the same compiled loop.

**Cost.** Two plain passes, and the copy, for the price of five to seven more; from then on a pass looks
at a tenth to a half of the copy. It takes 2 bytes a value (a quarter of float64 rows, half of float32
ones) and 9 bytes a row, and is freed with the `Focus`. Sparse rows, rows that are not in C order and rows
longer than 10¹⁰⁰ are always read.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.online.reach import Reach
from separatrix.kernels.drawing import draw
from separatrix.kernels.shadow import LOOKS, PLACE, WINDOW, Shadow, anchor_at, empty_shadow, shared_shadow
from separatrix.kernels.survey import survey
from separatrix.kernels.sweep import shaded_sweep, sweep
from separatrix.rows.memory import DenseRows, MemoryRows

PLAIN_PASSES = 2
WELL_IN_REACH = 0.015  # a share of rows to read that no copy would improve on
WORTH_A_COPY = 8  # passes still to come, or the copy does not pay
MOST_COLUMNS = 4096
MOST_MISTAKES = 1 / 50  # a share of the rows: each makes a window of the shadow be looked at again
AT_ONCE = 64 * WINDOW  # rows swept by one call
REDRAW = 32  # looks at all of the copy after which it is made anew; then twice as many, and so on
STEPS = 4096


class Sketch:
    """What the learners of several classes share: the squares of the rows, and their 16-bit copy.

    Parameters
    ----------
    rows : MemoryRows
    squares : ndarray of shape (n_rows,), optional
        ‖x_i‖² of every row, of rows known to be finite; found in the first pass where it is not given.
    """

    def __init__(self, rows: MemoryRows, squares: np.ndarray | None = None) -> None:
        self.rows = rows
        self.measured = squares is not None
        self.squares = np.zeros(rows.n_rows) if squares is None else squares
        self.learners = 0
        self.constant = 0.0
        self.drawn: Shadow | None = None
        self.visit = np.empty(0, np.int32)

    @property
    def possible(self) -> bool:
        rows = self.rows
        in_place = isinstance(rows, DenseRows) and rows.X.flags.c_contiguous and rows.X.flags.aligned
        fits = WINDOW <= rows.n_rows < 2**31 - WINDOW and 1 <= rows.n_columns <= MOST_COLUMNS
        return in_place and fits and bool(self.squares.max() <= 1e200)

    def measure(self, X: object, start: int, stop: int) -> None:
        """Squares of a block; refuses NaN and infinity."""
        squares = self.squares[start:stop]
        if survey(X, np.zeros(self.rows.n_columns), squares, np.zeros(2)):
            self.rows.require_finite()
        self.measured = self.measured or stop == self.rows.n_rows

    def draw(self, signs: np.ndarray, constant: float, weights: np.ndarray) -> Shadow:
        """Make the copy, arranged by the slack of the rows at these weights."""
        n = self.rows.n_rows
        if self.drawn is None:
            self.drawn = empty_shadow(n, self.rows.n_columns)
            self.visit = np.empty(n, np.int32)
        self.constant = constant
        draw(self.rows.block(0, n).X, signs, self.squares, constant, weights, self.visit, self.drawn)
        return self.drawn


class Focus:
    """One learner's cyclic passes with a constant step, the same bit for bit as plain ones.

    Parameters
    ----------
    rows : MemoryRows
    positive : int
        The code of the class that counts as +1.
    constant : float
        The constant feature: 1.0 with intercept, 0.0 without.
    step : float
    counts : ndarray of int32, shape (n_rows,)
        Mistakes at every row; changed in place.
    weights : ndarray of float64, shape (n_columns + 1,)
        Changed in place.
    passes : int, optional
        How many passes may be made at most: the copy is not made for a few.
    sketch : Sketch, optional
        Shared by the learners of several classes.
    """

    def __init__(
        self,
        rows: MemoryRows,
        positive: int,
        constant: float,
        step: float,
        counts: np.ndarray,
        weights: np.ndarray,
        *,
        passes: int = 1000,
        sketch: Sketch | None = None,
    ) -> None:
        self.rows = rows
        self.constant = constant
        self.counts = counts
        self.weights = weights
        self.passes_left = passes
        self.passes_made = 0
        self.sketch = Sketch(rows) if sketch is None else sketch
        self.sketch.learners += 1
        self._signs = rows.block(0, rows.n_rows).signs(positive)
        self._in_place = self.in_place(rows)
        most = max(rows.rows_in_block, min(AT_ONCE, rows.n_rows))
        self._visit = np.arange(most, dtype=np.int32)
        self._steps = np.full(most, float(step))
        self._shadow: Shadow | None = None
        self._reach: Reach | None = None
        self._last = rows.n_rows
        self._looks = 0
        self._patience = REDRAW

    @staticmethod
    def in_place(rows: MemoryRows) -> bool:
        """Whether all rows can be read where they lie."""
        return not isinstance(rows, DenseRows) or bool(rows.X.flags.c_contiguous)

    @property
    def squares(self) -> np.ndarray:
        """‖x_i‖² of every row, without the constant; known after the first pass."""
        return self.sketch.squares

    def pass_over(self) -> int:
        """Visit every row in order; returns the number of mistakes."""
        if self._shadow is None and self._worth_a_copy():
            self._take_shadow()
            self._reach = None
        few = self._last <= MOST_MISTAKES * self.rows.n_rows
        if self._shadow is not None and few:
            mistakes = self._shaded_pass(self._shadow)
        elif self._shadow is None and self.sketch.measured and self._in_place:
            mistakes = self._reaching_pass()
        else:
            mistakes = self._plain_pass()
        self.passes_made += 1
        self.passes_left -= 1
        self._last = mistakes
        return mistakes

    def _worth_a_copy(self) -> bool:
        few = self._last <= MOST_MISTAKES * self.rows.n_rows
        time = self.passes_made >= PLAIN_PASSES and self.passes_left >= WORTH_A_COPY
        wanted = self._reach is None or self._reach.share > WELL_IN_REACH
        return few and time and wanted and self.sketch.possible

    def see(self, X: object, start: int, stop: int) -> int:
        """A block of the first pass, whose squares the caller has just measured; returns the mistakes."""
        return self._reaching().see(X, start, stop)

    def _reaching_pass(self) -> int:
        return self._reaching().pass_over()

    def _reaching(self) -> Reach:
        if self._reach is None:
            rows = self.rows
            self._reach = Reach(
                rows.block(0, rows.n_rows).X,
                rows.n_bytes / rows.n_rows,
                self._signs,
                self.sketch.squares,
                self.constant,
                float(self._steps[0]),
                self.counts,
                self.weights,
            )
        return self._reach

    def _sweep(self, start: int, stop: int, X: object) -> int:
        visit = self._visit[: stop - start]
        signs, counts = self._signs[start:stop], self.counts[start:stop]
        return int(sweep(X, signs, visit, self._steps, self.constant, counts, self.weights))

    def _plain_pass(self) -> int:
        mistakes = 0
        if self.sketch.measured and self._in_place:
            for start in range(0, self.rows.n_rows, len(self._visit)):
                stop = min(start + len(self._visit), self.rows.n_rows)
                mistakes += self._sweep(start, stop, self.rows.block(start, stop).X)
            return mistakes
        measured = self.sketch.measured
        for block in self.rows.blocks():
            X = block.X
            if not measured:
                self.sketch.measure(X, block.start, block.stop)
            mistakes += self._sweep(block.start, block.stop, X)
        return mistakes

    def _take_shadow(self) -> None:
        """Draw the rows as they lie now; a copy that others use too stays as it is, with a new anchor."""
        sketch = self.sketch
        if sketch.drawn is not None and sketch.learners > 1 and sketch.constant != self.constant:
            # The copy knows the lengths of (x, constant).
            sketch = self.sketch = Sketch(self.rows, sketch.squares)
            sketch.learners = 1
        if sketch.drawn is None or sketch.learners == 1:
            self._shadow = sketch.draw(self._signs, self.constant, self.weights)
        elif self._shadow is None:
            self._shadow = shared_shadow(sketch.drawn, self._signs[sketch.visit])
        assert self._shadow is not None
        anchor_at(self.constant, self.weights, self._shadow)
        self._looks = 0

    def _shaded_pass(self, shadow: Shadow) -> int:
        n = self.rows.n_rows
        X = self.rows.block(0, n).X
        visit, steps = self.sketch.visit, self._steps[:STEPS]
        shadow.progress[PLACE] = shadow.progress[LOOKS] = 0
        mistakes = 0
        while shadow.progress[PLACE] < n:
            mistakes += int(
                shaded_sweep(X, self._signs, visit, steps, self.constant, shadow, self.counts, self.weights)
            )
        self._looks += int(shadow.progress[LOOKS])
        if self._looks > self._patience * len(shadow.slack):
            self._patience *= 2
            self._take_shadow()
        return mistakes
