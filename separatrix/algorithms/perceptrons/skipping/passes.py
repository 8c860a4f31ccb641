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

**Several classes.** A pass that reads most rows comes in blocks (`SkippingPasses.visit_block`), so that every
learner reads a block while it is in the cache; one that reads few is made at once
(`SkippingPasses.next_pass`).

**Cost.** 8 bytes a row, and one reading that arranges the rows as it goes and takes up to twice as long as a
plain one; what it does not draw is drawn when it is needed. As a rule half of the copy is, and a later pass
looks at a tenth to all of that. It takes 8 to 8.5 bits a value that is drawn, columns in fours, and 12 bytes
a row. It goes with the `SkippingPasses`, but for memory that the next one may use (`buffer_pool`). There is
no copy of sparse rows, of rows that are not in C order, or where the rows seen before it is begun are longer
than 10¹⁹."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner
from separatrix.algorithms.perceptrons.perceptron import RosenblattLearner
from separatrix.algorithms.perceptrons.row_norms import RowNorms
from separatrix.algorithms.perceptrons.skipping.angle_bound import WELL_WITHIN_SHARE, AngleBounds
from separatrix.algorithms.perceptrons.skipping.angle_bound_signs_kernels import skipping_certain_signs
from separatrix.algorithms.perceptrons.skipping.quantised import QuantisedRows
from separatrix.algorithms.perceptrons.skipping.quantised_kernels import PANEL_ROWS
from separatrix.algorithms.perceptrons.skipping.shared_rows import SharedRowData, is_readable_in_place
from separatrix.algorithms.perceptrons.sweep_kernels import sweep
from separatrix.kernels.certain_signs import LOWEST
from separatrix.rows import Rows

MIN_COPY_BYTES = 2**25  # bytes: fewer are read quickly as they are
MIN_READ_BYTES = 2**31  # bytes read in all from which on even those deserve a copy, and its kernels
MIN_REMAINING_PASSES = 4  # passes still to come, or the copy does not pay
MIN_LATE_MISTAKES = 32  # in the second half of the last pass: with fewer the end may be near
MAX_MISTAKES_SHARE = 1 / 50  # a share of the rows: each makes a window of the copy be read again
REARRANGING_PASSES = 48  # looks at all of the copy after which it is made anew; then twice as many, and so on
PASS_INTERVALS = 32  # of a pass that reads most rows: the weights after each count in their mean
INTERVALS_BEFORE_COPY = 12  # of them: there the rest of a first pass may begin to make the copy
AVERAGING_START_SHARE = 1 / 8  # of the rows: the weights count from there on


def make_skipping_passes(
    rows: Rows, learners: Mapping[int, Learner], norms: RowNorms, max_iter: int
) -> dict[int, SkippingPasses]:
    """The passes of those learners that follow Rosenblatt's rule with a constant step, by class; none where
    rows cannot be read in place. The first pass measures the rows into ``norms``."""
    if not is_readable_in_place(rows):
        return {}
    shared = SharedRowData(rows, norms)
    return {
        positive: SkippingPasses(shared, positive, learner, passes=max_iter)
        for positive, learner in learners.items()
        if isinstance(learner, RosenblattLearner) and learner.steps.is_constant
    }


class SkippingPasses:
    """One learner's cyclic passes with a constant step, the same bit for bit as plain ones.

    The training loop calls `next_pass`. Where that returns False, it gives every block to `visit_block`.

    Parameters
    ----------
    shared : SharedRowData
        Shared by the learners of several classes.
    positive : int
        The code of the class that counts as +1.
    learner : RosenblattLearner
        Its weights and the mistakes at every row are changed in place.
    passes : int, optional
        How many passes may be made at most: the copy is not made for a few.
    """

    def __init__(
        self,
        shared: SharedRowData,
        positive: int,
        learner: RosenblattLearner,
        *,
        passes: int = 1000,
    ) -> None:
        rows = shared.rows
        self.shared = shared
        shared.n_learners += 1
        self._learner = learner
        self.constant = constant = learner.constant
        self.counts = counts = learner.counts
        self.weights = weights = learner.weights
        self.passes_left = passes
        self.passes_made = 0
        self._whole = rows.whole()
        self._X = self._whole.X
        self._signs = self._whole.signs(positive)
        self._step = float(learner.steps.next(0, 1)[0])
        self._angle_bounds = AngleBounds(rows, shared.squares, constant, self._step, counts, weights)
        self._quantised_parts: list[QuantisedRows] = []
        self._last_mistakes = rows.n_rows  # the mistakes of the last pass
        self._mistakes = 0  # those of this pass so far
        self._had_few_mistakes = False  # whether the last pass made few
        self._mean = np.zeros_like(weights)  # of the weights in the later part of the last pass
        self._n_averaged = 0  # how many of them
        self._late_mistakes = 0  # the mistakes of the last pass since its middle
        self._is_stale = False  # whether the copy is to be arranged anew
        self._max_panel_reads = REARRANGING_PASSES

    def next_pass(self, *, is_only_learner: bool) -> bool:
        """Make the next pass if it reads few rows, or if no other learner has to read the rows; False:
        `visit_block` is to be given every block."""
        if self._make_short_pass():
            return True
        if is_only_learner:
            self._make_long_pass()
        return is_only_learner

    def _make_long_pass(self) -> None:
        """Visit every row in order, and make the copy on the way of the rows of a first pass that need it."""
        n = len(self._signs)
        cuts = sorted({n * k // PASS_INTERVALS for k in range(PASS_INTERVALS + 1)})
        copied_from = n * INTERVALS_BEFORE_COPY // PASS_INTERVALS
        early = 0
        for first, stop in pairwise(cuts):
            if first == copied_from // 2:
                early = self._mistakes
            if first == copied_from and self._is_early_copy_worthwhile(self._mistakes - early, first):
                self._count_mistakes(self._arrange_rest(first))
                self._end_pass()
                return
            self.visit_block(self._whole.part(first, stop).X, first, stop)

    def _make_short_pass(self) -> bool:
        """Make the next pass, if it reads few rows; returns whether it does."""
        self._had_few_mistakes = self._last_mistakes <= MAX_MISTAKES_SHARE * len(self._signs)
        self._mistakes = 0
        if not (self.passes_made and self._had_few_mistakes):
            if self.passes_made:
                self._angle_bounds.invalidate()
            self._n_averaged = 0
            return False
        if self._quantised_parts:
            mistakes = self._copied_pass()
        else:
            self._n_averaged = 0
            reads_all = self._angle_bounds.begin_pass()
            if self._is_copy_worthwhile():
                mistakes = self._copied_pass()
            elif reads_all:
                return False
            else:
                mistakes = self._angle_bounds.visit_block(self._X, self._signs, 0)
        self._count_mistakes(mistakes)
        self._end_pass()
        return True

    def visit_block(self, X: Any, first: int, stop: int) -> None:
        """Visit the rows of the next block of a pass that reads most rows."""
        signs, n = self._signs[first:stop], len(self._signs)
        if not self.passes_made:
            mistakes = self._angle_bounds.record_block(X, signs, first, self.shared.norms)
        elif self._had_few_mistakes:
            mistakes = self._angle_bounds.visit_block(X, signs, first)
        else:
            visit, steps = np.arange(len(signs), dtype=np.int32), np.full(len(signs), self._step)
            counts = self.counts[first:stop]
            mistakes = int(sweep(X, signs, visit, steps, self.constant, counts, self.weights))
        self._count_mistakes(mistakes)
        self._late_mistakes = self._late_mistakes + mistakes if first >= n // 2 else 0
        if first >= AVERAGING_START_SHARE * n and not self.shared.rows.is_sparse:
            self._add_to_mean()
        if stop == n:
            self._end_pass()

    def _count_mistakes(self, mistakes: int) -> None:
        self._mistakes += self._learner.count_mistakes(mistakes)

    @np.errstate(over="ignore", invalid="ignore")
    def _add_to_mean(self) -> None:
        """Let the weights as they are count in their mean."""
        self._n_averaged += 1
        self._mean += (self.weights - self._mean) / self._n_averaged

    def _end_pass(self) -> None:
        self.passes_made += 1
        self.passes_left -= 1
        self._last_mistakes = self._mistakes

    def find_doubtful_rows(self) -> tuple[np.ndarray, float] | None:
        """The rows that floats cannot prove right, and the least margin of the others; None: not known."""
        doubtful, found = np.empty(len(self._signs), np.int32), np.full(1, np.inf)
        n = 0
        if self._quantised_parts:
            for quantised, span in zip(self._quantised_parts, self.shared.spans, strict=True):
                if quantised.packed is None:  # the rest of a first pass made too many mistakes for more
                    return None
                part = doubtful[n:]
                n_part = quantised.find_doubtful_rows(quantised.packed, part, found)
                part[:n_part] += span.start
                n += n_part
        elif self._angle_bounds.is_invalid:
            return None
        else:
            state = self._angle_bounds.state
            n = skipping_certain_signs(self._X, self._signs, state, self.weights, doubtful, found)
        return doubtful[:n], float(found[LOWEST])

    def _is_copy_worthwhile(self) -> bool:
        has_late_mistakes = self.passes_made > 1 or self._late_mistakes >= MIN_LATE_MISTAKES
        is_lasting = has_late_mistakes and self.passes_left >= MIN_REMAINING_PASSES
        reads_many = self._angle_bounds.share > WELL_WITHIN_SHARE
        return is_lasting and reads_many and self._is_large_enough(len(self._signs))

    def _is_early_copy_worthwhile(self, late_mistakes: int, rows_seen: int) -> bool:
        """The same in the middle of a first pass: after so many rows, and mistakes in the later half of
        them."""
        has_few_mistakes = self._mistakes <= MAX_MISTAKES_SHARE * rows_seen
        is_lasting = self.passes_left > MIN_REMAINING_PASSES and 2 * late_mistakes >= MIN_LATE_MISTAKES
        is_only_learner = self.shared.n_learners == 1 and not self.passes_made
        if not (is_only_learner and has_few_mistakes and is_lasting and self._is_large_enough(rows_seen)):
            return False
        return self._angle_bounds.is_lagging(rows_seen)

    def _is_large_enough(self, measured: int) -> bool:
        n_bytes = self.shared.rows.n_bytes
        is_large = n_bytes >= MIN_COPY_BYTES or self.passes_made * n_bytes >= MIN_READ_BYTES
        return is_large and self.shared.is_quantisable(measured)

    def _make_quantised_parts(self) -> list[QuantisedRows]:
        shared = self.shared
        has_copy = any(packed is not None for packed in shared.packed_parts)
        if has_copy and shared.n_learners > 1 and shared.constant != self.constant:
            # The copy knows the lengths of (x, constant).
            squares = shared.squares
            shared = self.shared = SharedRowData(shared.rows, shared.norms)
            shared.squares = squares
            shared.n_learners = 1
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
        existing = shared.packed_parts[place]
        if existing is not None and existing is quantised.packed and shared.n_learners == 1:
            existing = None
        if existing is None:
            shared.packed_parts[place] = None  # until all of it holds
        mistakes = quantised.arrange(self._choose_reference(), existing, shared.norms)
        if existing is None:
            shared.packed_parts[place], shared.constant = quantised.packed, self.constant
        return mistakes

    def _choose_reference(self) -> np.ndarray:
        is_usable = self._mean.any() and np.isfinite(self._mean).all()
        return self._mean if is_usable else self.weights

    def _arrange_rest(self, first: int) -> int:
        """The rest of a first pass: its rows are measured as the copy of them is made."""
        self._angle_bounds.invalidate()
        self.shared.split(first)
        quantised_parts = self._make_quantised_parts()
        mistakes = self._arrange(quantised_parts[1], 1)
        self.shared.norms.refuse_nonfinite_rows()
        packed = quantised_parts[1].packed
        assert packed is not None
        self._mean = packed.mean_weights.copy()
        self._late_mistakes = mistakes
        self._quantised_parts = quantised_parts
        return mistakes

    def _copied_pass(self) -> int:
        """A pass by the copy, which is made of the parts of it that are missing or stale."""
        quantised_parts = self._quantised_parts or self._make_quantised_parts()
        self._quantised_parts = []  # until all of it holds
        self._angle_bounds.invalidate()
        mistakes = 0
        for place, quantised in enumerate(quantised_parts):
            if quantised.packed is None or self._is_stale:
                self._n_averaged = 0
                mistakes += self._arrange(quantised, place)
            else:
                mistakes += quantised.make_pass(quantised.packed)
        self._add_to_mean()
        panels = -(-len(self._signs) // PANEL_ROWS)
        self._is_stale = (
            sum(quantised.panels_read for quantised in quantised_parts) > self._max_panel_reads * panels
        )
        if self._is_stale:
            self._max_panel_reads *= 2
        self._quantised_parts = quantised_parts
        return mistakes
