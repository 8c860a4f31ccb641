"""Cyclic passes over rows in memory that soon read only the rows in doubt.

**Idea.** The first pass notes how far the weights may turn before a row can go wrong, and later passes leave
out the rows that are within reach: `separatrix.kernels.reach`. Where the weights keep turning, so that too
many rows must be read, a copy in 8 bits a value, arranged by how near the plane they are, tells which:
`separatrix.kernels.shadow`.

**Theorem.** The weights, the counts and the mistakes of every pass are those of the plain passes, bit for
bit. A row is passed over only when the number that the plain sweep would have computed for it is proven
positive, rounding, overflow and underflow included, at the weights of that moment: they are looked at
anew after every mistake. The rows that are read are read in row order, by one loop that several kernels
share. That each has it compiled to the same sum is LLVM's doing; tests compare the bits.

**Several classes.** A pass that reads most rows comes in blocks (`Focus.see`), so that every learner reads a
block while it is in the cache; one that reads few is made at once (`Focus.glance`).

**Cost.** 8 bytes a row, and a pass that arranges the rows as it goes and takes twice as long as a plain one;
what it does not draw is drawn when it is needed. As a rule half of the copy is, and a later pass looks at a
tenth to all of that. It takes 8 to 8.5 bits a value that is drawn, columns in fours, and 12 bytes a row, and
is freed with the `Focus`. There is no copy of sparse rows, of rows that are not in C order, or longer than
10¹⁹.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.online.reach import Reach
from separatrix.algorithms.online.survey import Survey
from separatrix.kernels.census import LOWEST, reaching_census
from separatrix.kernels.drawing import arranging_sweep
from separatrix.kernels.reach import MOST_NOTED
from separatrix.kernels.shading import shaded_census, shaded_sweep
from separatrix.kernels.shadow import LOOKS, PLACE, WINDOW, Shadow, empty_shadow, shared_shadow, turned
from separatrix.kernels.sweep import sweep
from separatrix.rows.memory import DenseRows, MemoryRows

WELL_IN_REACH = 0.015  # a share of rows to read that no copy would improve on
OUT_OF_CACHE = 2**25  # bytes: fewer are read quickly as they are
WORTH_COMPILING = 2**31  # bytes read in all from which on even those deserve a copy, and its kernels
WORTH_A_COPY = 4  # passes still to come, or the copy does not pay
LATE_MISTAKES = 32  # in the second half of the last pass: with fewer the end may be near
MOST_COLUMNS = 4096
MOST_MISTAKES = 1 / 50  # a share of the rows: each makes a window of the shadow be looked at again
SOON = 0.9  # of the turn in half of the first pass: panels within it are drawn at once
REDRAW = 48  # looks at all of the copy after which it is made anew; then twice as many, and so on
STEPS = 4096


class Sketch:
    """What the learners of several classes share: ``squares``, ‖x‖² of every row without the constant,
    rounded up to float32 and known after the first pass, and the 8-bit copy.

    Parameters
    ----------
    rows : MemoryRows
        Read where they lie: see `in_place`.
    survey : Survey, optional
        Filled by the first pass.
    """

    def __init__(self, rows: MemoryRows, survey: Survey | None = None) -> None:
        self.rows = rows
        self.survey = Survey(rows) if survey is None else survey
        self.squares = np.empty(rows.n_rows, np.float32)
        self.learners = 0
        self.constant = 0.0
        self.shadow: Shadow | None = None

    @property
    def possible(self) -> bool:
        """Whether there can be a copy."""
        rows = self.rows
        fits = WINDOW <= rows.n_rows < 2**31 - WINDOW and 1 <= rows.n_columns <= MOST_COLUMNS
        return isinstance(rows, DenseRows) and fits and bool(self.squares.max() <= MOST_NOTED)


def in_place(rows: MemoryRows) -> bool:
    """Whether all rows can be read where they lie."""
    return not isinstance(rows, DenseRows) or bool(rows.X.flags.c_contiguous and rows.X.flags.aligned)


class Focus:
    """One learner's cyclic passes with a constant step, the same bit for bit as plain ones.

    Parameters
    ----------
    sketch : Sketch
        Shared by the learners of several classes.
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
    """

    def __init__(
        self,
        sketch: Sketch,
        positive: int,
        constant: float,
        step: float,
        counts: np.ndarray,
        weights: np.ndarray,
        *,
        passes: int = 1000,
    ) -> None:
        rows = sketch.rows
        self.sketch = sketch
        sketch.learners += 1
        self.constant = constant
        self.counts = counts
        self.weights = weights
        self.passes_left = passes
        self.passes_made = 0
        self._X = rows.block(0, rows.n_rows).X
        self._signs = rows.block(0, rows.n_rows).signs(positive)
        self._step = float(step)
        self._reach = Reach(rows, sketch.squares, constant, self._step, counts, weights)
        self._shadow: Shadow | None = None
        self._last = rows.n_rows  # the mistakes of the last pass
        self._made = 0  # those of this pass so far
        self._few = False  # whether the last pass made few
        self._middle = weights.copy()  # the weights in the middle of the first pass
        self._late = 0  # the mistakes of the last pass since its middle
        self._stale = False  # whether the copy is to be arranged anew
        self._looks = 0
        self._patience = REDRAW

    def pass_over(self) -> int:
        """Visit every row in order; returns the number of mistakes."""
        made = self.glance()
        if made is not None:
            return made
        rows, n = self.sketch.rows, len(self._signs)
        halves = ((0, n // 2), (n // 2, n)) if n > 1 else ((0, n),)
        return sum(self.see(rows.block(*half).X, *half) for half in halves)

    def glance(self) -> int | None:
        """Make the next pass, if it reads few rows; None: every block of it is to be given to `see`."""
        self._few = self._last <= MOST_MISTAKES * len(self._signs)
        self._made = 0
        if not (self.passes_made and self._few):
            if self.passes_made:
                self._reach.lose()
            return None
        if self._shadow is None:
            full = self._reach.begin_pass()
            if self._worth_a_copy():
                self._made = self._arranging_pass()
            elif full:
                return None
            else:
                self._made = self._reach.see(self._X, self._signs, 0)
        elif self._stale:
            self._made = self._arranging_pass()
        else:
            self._made = self._shaded_pass(self._shadow)
        return self._end_pass()

    def see(self, X: Any, first: int, stop: int) -> int:
        """The next block of a pass that reads most rows; returns the number of mistakes in it."""
        signs = self._signs[first:stop]
        if not self.passes_made:
            made = self._reach.note(X, signs, first, self.sketch.survey)
        elif self._few:
            made = self._reach.see(X, signs, first)
        else:
            visit, steps = np.arange(len(signs), dtype=np.int32), np.full(len(signs), self._step)
            made = int(sweep(X, signs, visit, steps, self.constant, self.counts[first:stop], self.weights))
        self._made += made
        late = first >= len(self._signs) // 2
        self._late = self._late + made if late else 0
        if not (self.passes_made or late):
            self._middle[:] = self.weights
        if stop == len(self._signs):
            self._end_pass()
        return made

    def _end_pass(self) -> int:
        self.passes_made += 1
        self.passes_left -= 1
        self._last = self._made
        return self._made

    def census(self) -> tuple[np.ndarray, float] | None:
        """The rows that floats cannot prove right, and the least margin of the others; None: not known."""
        doubtful, found = np.empty(len(self._signs), np.int32), np.full(1, np.inf)
        if self._shadow is not None:
            given = (self._X, self._signs, self.sketch.squares, self.constant, self._shadow)
            n = shaded_census(*given, self.weights, doubtful, found)
        elif self._reach.lost:
            return None
        else:
            n = reaching_census(self._X, self._signs, self._reach.sight, self.weights, doubtful, found)
        return doubtful[:n], float(found[LOWEST])

    def _worth_a_copy(self) -> bool:
        size = self.sketch.rows.n_bytes
        large = size >= OUT_OF_CACHE or self.passes_made * size >= WORTH_COMPILING
        lasting = self.passes_left >= WORTH_A_COPY and (self.passes_made > 1 or self._late >= LATE_MISTAKES)
        return lasting and large and self._reach.share > WELL_IN_REACH and self.sketch.possible

    def _arranging_pass(self) -> int:
        """A pass that reads every row; an order that others use too is kept."""
        sketch = self.sketch
        if sketch.shadow is not None and sketch.learners > 1 and sketch.constant != self.constant:
            # The copy knows the lengths of (x, constant).
            sketch = self.sketch = Sketch(self.sketch.rows, self.sketch.survey)
            sketch.squares = self._reach.sight.squares
            sketch.learners = 1
        fresh = sketch.shadow is None
        anew = fresh or (self._shadow is sketch.shadow and sketch.learners == 1)
        if sketch.shadow is None:
            shadow = empty_shadow(*self._X.shape)
        else:
            shadow = self._shadow or shared_shadow(sketch.shadow, self._signs)
        self._shadow = None  # until all of it holds
        if anew:
            sketch.shadow = None
        self._reach.lose()
        # Weights turn in a pass nearly as much as they did in the second half of the first.
        soon = SOON * float(turned(self._middle, self.weights, shadow.drift, shadow.turn))
        given = (self._X, self._signs, sketch.squares, np.full(WINDOW, self._step), self.constant)
        mistakes = int(arranging_sweep(*given, anew, soon, shadow, self.counts, self.weights))
        self._shadow = shadow
        if anew:
            sketch.shadow, sketch.constant = shadow, self.constant
        self._stale = False
        self._looks = 0
        return mistakes

    def _shaded_pass(self, shadow: Shadow) -> int:
        n = len(self._signs)
        steps = np.full(STEPS, self._step)
        shadow.progress[:] = 0
        mistakes = 0
        while shadow.progress[PLACE] < n:
            given = (self._X, self._signs, steps, self.constant, shadow)
            mistakes += int(shaded_sweep(*given, self.counts, self.weights))
        self._looks += int(shadow.progress[LOOKS])
        if self._looks > self._patience * len(shadow.slack):
            self._patience *= 2
            self._stale = True
        return mistakes
