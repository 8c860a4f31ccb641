"""Cyclic passes over rows in memory that soon read only the rows in doubt.

**Idea.** The first pass notes how far the weights may turn before a row can go wrong, and later passes leave
out the rows that are within their angle budget: `angle_bound_kernels`. Where
the weights keep turning, so that too many rows must be read, a copy in 8 bits a value, arranged by how near
the plane they are, tells which: `separatrix.algorithms.perceptrons.skipping.quantised_kernels`. If that is to
be seen in the middle of the first pass, the rest of that pass makes the copy of the rows it reads, and the
second pass that of the others.

**Theorem.** The weights, the counts and the mistakes of every pass are those of the plain passes, bit for
bit. A row is passed over only when the number that the plain sweep would have computed for it is proven
positive, rounding, overflow and underflow included, at the weights of that moment: they are looked at
anew after every mistake. The rows that are read are read in row order, by one loop that several kernels
share. That each has it compiled to the same sum is LLVM's doing; tests compare the bits.

**Several classes.** A pass that reads most rows comes in blocks (`SkippingPasses.see`), so that every learner
reads a block while it is in the cache; one that reads few is made at once (`SkippingPasses.make_short_pass`).

**Cost.** 8 bytes a row, and one reading that arranges the rows as it goes and takes up to twice as long as a
plain one; what it does not draw is drawn when it is needed. As a rule half of the copy is, and a later pass
looks at a tenth to all of that. It takes 8 to 8.5 bits a value that is drawn, columns in fours, and 12 bytes
a row. It goes with the `SkippingPasses`, but for memory that the next one may use (`room`). There is no copy
of sparse rows, of rows that are not in C order, or where the rows seen before it is begun are longer than
10¹⁹.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.skipping.angle_bound import WELL_WITHIN_SHARE, AngleBounds
from separatrix.algorithms.perceptrons.skipping.angle_bound_kernels import MOST_NOTED
from separatrix.algorithms.perceptrons.skipping.angle_bound_signs_kernels import skipping_certain_signs
from separatrix.algorithms.perceptrons.skipping.quantised import QuantisedRows
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import PANEL, WINDOW, QuantisedCopy
from separatrix.algorithms.perceptrons.sweep_kernels import sweep
from separatrix.kernels.certain_signs import LOWEST
from separatrix.rows.memory import DenseRows, MemoryRows

OUT_OF_CACHE = 2**25  # bytes: fewer are read quickly as they are
WORTH_COMPILING = 2**31  # bytes read in all from which on even those deserve a copy, and its kernels
WORTH_A_COPY = 4  # passes still to come, or the copy does not pay
LATE_MISTAKES = 32  # in the second half of the last pass: with fewer the end may be near
MOST_COLUMNS = 4096
MOST_MISTAKES = 1 / 50  # a share of the rows: each makes a window of the shadow be looked at again
REDRAW = 48  # looks at all of the copy after which it is made anew; then twice as many, and so on
PARTS = 32  # of a pass that reads most rows: the weights after each count in their mean
CUT = 12  # of them: there the rest of a first pass may begin to make the copy
SETTLED = 1 / 8  # of the rows: the weights count from there on


class SharedRowData:
    """What the learners of several classes share: ``squares``, ‖x‖² of every row without the constant,
    rounded up to float32 and known after the first pass, and the 8-bit copy, which may be in two parts.

    Parameters
    ----------
    rows : MemoryRows
        Read where they lie: see `in_place`.
    norms : RowNorms, optional
        Filled by the first pass.
    """

    def __init__(self, rows: MemoryRows, norms: RowNorms | None = None) -> None:
        self.rows = rows
        self.norms = RowNorms(rows) if norms is None else norms
        self.squares = np.empty(rows.n_rows, np.float32)
        self.learners = 0
        self.constant = 0.0
        self.spans = [slice(0, rows.n_rows)]
        self.packed_parts: list[QuantisedCopy | None] = [None]

    def possible(self, measured: int) -> bool:
        """Whether there can be a copy, as far as so many rows tell."""
        rows = self.rows
        fits = measured >= WINDOW and rows.n_rows < 2**31 - WINDOW and 1 <= rows.n_columns <= MOST_COLUMNS
        return isinstance(rows, DenseRows) and fits and bool(self.squares[:measured].max() <= MOST_NOTED)

    def cut(self, place: int) -> None:
        """Let the copy be in two parts; there is none yet."""
        self.spans = [slice(0, place), slice(place, self.rows.n_rows)]
        self.packed_parts = [None, None]


def in_place(rows: MemoryRows) -> bool:
    """Whether all rows can be read where they lie."""
    return not isinstance(rows, DenseRows) or bool(rows.X.flags.c_contiguous and rows.X.flags.aligned)


class SkippingPasses:
    """One learner's cyclic passes with a constant step, the same bit for bit as plain ones.

    Parameters
    ----------
    shared : SharedRowData
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
        shared: SharedRowData,
        positive: int,
        constant: float,
        step: float,
        counts: np.ndarray,
        weights: np.ndarray,
        *,
        passes: int = 1000,
    ) -> None:
        rows = shared.rows
        self.shared = shared
        shared.learners += 1
        self.constant = constant
        self.counts = counts
        self.weights = weights
        self.passes_left = passes
        self.passes_made = 0
        self._X = rows.block(0, rows.n_rows).X
        self._signs = rows.block(0, rows.n_rows).signs(positive)
        self._step = float(step)
        self._reach = AngleBounds(rows, shared.squares, constant, self._step, counts, weights)
        self._quantised_parts: list[QuantisedRows] = []
        self._last = rows.n_rows  # the mistakes of the last pass
        self._made = 0  # those of this pass so far
        self._few = False  # whether the last pass made few
        self._mean = np.zeros_like(weights)  # of the weights in the later part of the last pass
        self._points = 0  # how many of them
        self._late = 0  # the mistakes of the last pass since its middle
        self._stale = False  # whether the copy is to be arranged anew
        self._patience = REDRAW

    def make_pass(self) -> int:
        """Visit every row in order; returns the number of mistakes."""
        made = self.make_short_pass()
        if made is not None:
            return made
        rows, n = self.shared.rows, len(self._signs)
        cuts = sorted({n * k // PARTS for k in range(PARTS + 1)})
        early = 0
        for first, stop in pairwise(cuts):
            if first == n * CUT // PARTS // 2:
                early = self._made
            if first == n * CUT // PARTS and self._soon_worth_a_copy(self._made - early, first):
                self._made += self._arrange_rest(first)
                return self._end_pass()
            self.see(rows.block(first, stop).X, first, stop)
        return self._made

    def make_short_pass(self) -> int | None:
        """Make the next pass, if it reads few rows; None: every block of it is to be given to `see`."""
        self._few = self._last <= MOST_MISTAKES * len(self._signs)
        self._made = 0
        if not (self.passes_made and self._few):
            if self.passes_made:
                self._reach.lose()
            self._points = 0
            return None
        if self._quantised_parts:
            self._made = self._copied_pass()
        else:
            self._points = 0
            full = self._reach.begin_pass()
            if self._worth_a_copy():
                self._made = self._copied_pass()
            elif full:
                return None
            else:
                self._made = self._reach.see(self._X, self._signs, 0)
        return self._end_pass()

    def see(self, X: Any, first: int, stop: int) -> int:
        """The next block of a pass that reads most rows; returns the number of mistakes in it."""
        signs, n = self._signs[first:stop], len(self._signs)
        if not self.passes_made:
            made = self._reach.note(X, signs, first, self.shared.norms)
        elif self._few:
            made = self._reach.see(X, signs, first)
        else:
            visit, steps = np.arange(len(signs), dtype=np.int32), np.full(len(signs), self._step)
            made = int(sweep(X, signs, visit, steps, self.constant, self.counts[first:stop], self.weights))
        self._made += made
        self._late = self._late + made if first >= n // 2 else 0
        if first >= SETTLED * n and isinstance(self.shared.rows, DenseRows):
            self._count()
        if stop == n:
            self._end_pass()
        return made

    @np.errstate(over="ignore", invalid="ignore")
    def _count(self) -> None:
        """Let the weights as they are count in their mean."""
        self._points += 1
        self._mean += (self.weights - self._mean) / self._points

    def _end_pass(self) -> int:
        self.passes_made += 1
        self.passes_left -= 1
        self._last = self._made
        return self._made

    def rows_in_doubt(self) -> tuple[np.ndarray, float] | None:
        """The rows that floats cannot prove right, and the least margin of the others; None: not known."""
        doubtful, found = np.empty(len(self._signs), np.int32), np.full(1, np.inf)
        n = 0
        if self._quantised_parts:
            for quantised, span in zip(self._quantised_parts, self.shared.spans, strict=True):
                if quantised.packed is None:  # the rest of a first pass made too many mistakes for more
                    return None
                here = doubtful[n:]
                more = quantised.rows_in_doubt(quantised.packed, here, found)
                here[:more] += span.start
                n += more
        elif self._reach.lost:
            return None
        else:
            n = skipping_certain_signs(self._X, self._signs, self._reach.state, self.weights, doubtful, found)
        return doubtful[:n], float(found[LOWEST])

    def _worth_a_copy(self) -> bool:
        lasting = self.passes_left >= WORTH_A_COPY and (self.passes_made > 1 or self._late >= LATE_MISTAKES)
        return lasting and self._reach.share > WELL_WITHIN_SHARE and self._large_enough(len(self._signs))

    def _soon_worth_a_copy(self, late: int, seen: int) -> bool:
        """The same in the middle of a first pass: after so many rows, and mistakes in the later half of
        them."""
        few = self._made <= MOST_MISTAKES * seen
        lasting = self.passes_left > WORTH_A_COPY and 2 * late >= LATE_MISTAKES
        alone = self.shared.learners == 1 and not self.passes_made
        return alone and few and lasting and self._large_enough(seen) and self._reach.lags(seen)

    def _large_enough(self, measured: int) -> bool:
        size = self.shared.rows.n_bytes
        large = size >= OUT_OF_CACHE or self.passes_made * size >= WORTH_COMPILING
        return large and self.shared.possible(measured)

    def _open_quantised_parts(self) -> list[QuantisedRows]:
        shared = self.shared
        made = any(packed is not None for packed in shared.packed_parts)
        if made and shared.learners > 1 and shared.constant != self.constant:
            # The copy knows the lengths of (x, constant).
            squares = shared.squares
            shared = self.shared = SharedRowData(shared.rows, shared.norms)
            shared.squares = squares
            shared.learners = 1
        return [
            QuantisedRows(
                self._X[span],
                self._signs[span],
                shared.squares[span],
                self.constant,
                self._step,
                self.counts[span],
                self.weights,
            )
            for span in shared.spans
        ]

    def _arrange(self, quantised: QuantisedRows, place: int) -> int:
        """Read every row of a part; an order that others use too is kept."""
        shared = self.shared
        saved_state = shared.packed_parts[place]
        if saved_state is not None and saved_state is quantised.packed and shared.learners == 1:
            saved_state = None
        if saved_state is None:
            shared.packed_parts[place] = None  # until all of it holds
        made = quantised.arrange(self._reference(), saved_state, shared.norms)
        if saved_state is None:
            shared.packed_parts[place], shared.constant = quantised.packed, self.constant
        return made

    def _reference(self) -> np.ndarray:
        sound = self._mean.any() and np.isfinite(self._mean).all()
        return self._mean if sound else self.weights

    def _arrange_rest(self, first: int) -> int:
        """The rest of a first pass: its rows are measured as the copy of them is made."""
        self._reach.lose()
        self.shared.cut(first)
        quantised_parts = self._open_quantised_parts()
        made = self._arrange(quantised_parts[1], 1)
        self.shared.norms.inseparable_or_undecided()
        packed = quantised_parts[1].packed
        assert packed is not None
        self._mean = packed.mean.copy()
        self._late = made
        self._quantised_parts = quantised_parts
        return made

    def _copied_pass(self) -> int:
        """A pass by the copy, which is made of the parts of it that are missing or stale."""
        quantised_parts = self._quantised_parts or self._open_quantised_parts()
        self._quantised_parts = []  # until all of it holds
        self._reach.lose()
        made = 0
        for place, quantised in enumerate(quantised_parts):
            if quantised.packed is None or self._stale:
                self._points = 0
                made += self._arrange(quantised, place)
            else:
                made += quantised.make_pass(quantised.packed)
        self._count()
        panels = -(-len(self._signs) // PANEL)
        self._stale = sum(quantised.looks for quantised in quantised_parts) > self._patience * panels
        if self._stale:
            self._patience *= 2
        self._quantised_parts = quantised_parts
        return made
