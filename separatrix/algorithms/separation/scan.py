"""Questions to all rows: who violates this hyperplane, surely or in exact arithmetic?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.separation.coordinates import Frame
from separatrix.algorithms.separation.integers import dyadic, rounded
from separatrix.algorithms.separation.scan_kernels import (
    DOUBTFUL,
    FLOOR,
    FOUND,
    NEGATIVE,
    TALLY,
    doubtful,
    scan,
)
from separatrix.algorithms.separation.subspace import View
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.fitting.exact_errors import matrix
from separatrix.rows import Block, Csr, Rows, Worst
from separatrix.rows.block import MIN_BLOCK_ROWS

WIDE = 2**23  # bytes
CHUNK = 1024  # rows in doubt that are looked at exactly before asking whether enough were found
SMALLEST = 2.0**-1021  # below this a float may have fewer bits


class OutOfTime(Exception):
    """The time limit was reached before the verdict."""


@dataclass(frozen=True)
class Plane:
    """Weights of length d + 1, the bias last: floats that are exact, or whole numbers."""

    weights: Sequence[float] | Sequence[int] | np.ndarray

    @property
    def in_floats(self) -> bool:
        return isinstance(self.weights, np.ndarray)

    def numbers(self) -> list[float | int]:
        """The weights as Python numbers."""
        return [value if isinstance(value, int) else float(value) for value in self.weights]

    def whole(self) -> list[int]:
        """The same hyperplane in whole numbers."""
        if isinstance(self.weights, np.ndarray):
            return dyadic(self.weights)
        return [int(value) for value in self.weights]

    def margins(self) -> Margins:
        """For exact comparisons with zero."""
        weights = self.whole()
        return Margins(weights[:-1], weights[-1])


class Look(NamedTuple):
    """What a scan saw: rows surely negative, rows in doubt, the smallest margins, and what none is below."""

    negative: int
    doubtful: int
    worst: Worst
    floor: float


class Progress(NamedTuple):
    """Where the search stands after a scan of all rows; the bounds of the margin once that is measured."""

    scans: int
    rows: int
    active: int
    violators: int
    bounds: tuple[float, float] | None = None


@dataclass
class Scanner:
    """All rows, asked through `Rows.worst`; remembers which lie in the span of the known conflicts."""

    rows: Rows
    positive: int
    intercept: bool
    time_limit: float | None = None
    progress: Callable[[Progress], None] | None = None
    scans: int = 0
    active: int = 0
    frame: Frame | None = None
    bounds: tuple[float, float] | None = None
    settled: np.ndarray = field(init=False)
    started: float = field(init=False)

    def __post_init__(self) -> None:
        # A scan is all kernel: nothing in it needs its rows in a cache.
        fitting = self.rows.n_rows * WIDE // max(1, self.rows.n_bytes)
        self.rows = self.rows.in_blocks_of(max(MIN_BLOCK_ROWS, fitting))
        self.settled = np.zeros(self.rows.n_rows, np.uint8)
        self.started = time.perf_counter()

    def restart(self) -> None:
        """Give the next question the whole time limit."""
        self.started = time.perf_counter()

    def tick(self) -> None:
        """Raise when the time given is over."""
        if self.time_limit is not None and time.perf_counter() - self.started > self.time_limit:
            raise OutOfTime

    @property
    def width(self) -> int:
        return self.rows.n_columns + self.intercept

    @property
    def unit(self) -> float:
        """Times the sum of the terms' sizes: above the rounding of weights, products and sum."""
        return (self.rows.n_columns + 8) * 2.0**-52

    def sample(self, count: int) -> Worst:
        """About ``count`` rows, evenly spaced."""
        step = max(1, -(-self.rows.n_rows // count))

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            chosen = np.arange(-block.start % step, len(block), step)
            return chosen, np.zeros(len(chosen))

        return self.rows.worst(pick, count)

    def gathered(self, indices: Sequence[int]) -> Worst:
        """These rows, their numbers ascending."""
        wanted = np.asarray(indices, np.int64)

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            here = wanted[(wanted >= block.start) & (wanted < block.stop)] - block.start
            return here, np.zeros(len(here))

        return self.rows.worst(pick, len(wanted))

    def look(self, plane: Plane, view: View, count: int, ceiling: float = np.inf) -> Look:
        """One pass over all rows with this hyperplane."""
        self.tick()
        self.scans += 1
        bounds = _Bounds(count, ceiling)
        weights = self._scan_weights(plane)
        if weights is None:
            worst = self.violators(plane, view, count)
            return Look(len(worst.indices), 0, worst, -np.inf)
        tally = np.zeros(TALLY, np.int64)

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            chosen = np.empty(count, np.int64)
            margins = np.empty(count)
            seen = np.zeros(TALLY, np.int64)
            limits = np.array([self.unit, bounds.ceiling, np.inf])
            scan(
                self._values(block),
                block.signs(self.positive),
                self.settled[block.start : block.stop],
                weights[-1],
                weights,
                limits,
                chosen,
                margins,
                seen,
            )
            found = seen[FOUND]
            bounds.note(margins[:found], limits[FLOOR], tally, seen)
            return chosen[:found], margins[:found]

        worst = self.rows.worst(pick, count)
        if self.progress is not None:
            violators = int(tally[NEGATIVE])
            self.progress(Progress(self.scans, self.rows.n_rows, self.active, violators, self.bounds))
        return Look(int(tally[NEGATIVE]), int(tally[DOUBTFUL]), worst, bounds.floor)

    def violators(self, plane: Plane, view: View, count: int) -> Worst:
        """Rows with z·w ≤ 0 in exact arithmetic, those that every w of the view vanishes on left out."""
        exact = plane.margins()
        weights = self._scan_weights(plane)

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            left = count
            signs = block.signs(self.positive)
            settled = self.settled[block.start : block.stop]
            places = np.empty(len(block), np.int64)
            if weights is None:
                places = np.flatnonzero(settled == 0)
            else:
                found = doubtful(self._values(block), signs, settled, weights[-1], weights, self.unit, places)
                places = places[:found]
            found_here = [places[:0]]
            for start in range(0, len(places), CHUNK):
                if left <= 0:
                    break
                part = places[start : start + CHUNK]
                X, s = dense(block, part, self.rows.n_columns), signs[part].astype(np.float64)
                inside = view.vanishing(X, s)
                settled[part[inside]] = 1
                part, X, s = part[~inside], X[~inside], s[~inside]
                wrong = part[exact.compare(X, s.astype(np.int8)) <= 0][:left]
                left -= len(wrong)
                found_here.append(wrong)
            chosen = np.concatenate(found_here)
            return chosen, np.zeros(len(chosen))

        return self.rows.worst(pick, count)

    def all_at_least(self, margins: Margins) -> bool:
        """Whether every row's margin reaches the floor of ``margins``, exactly."""

        def below(block: Block) -> tuple[int]:
            X = matrix(block, self.rows.n_columns)
            return (int(np.count_nonzero(margins.compare(X, block.signs(self.positive)) < 0)),)

        return self.rows.sum(below)[0] == 0

    def below(self, margins: Margins, count: int) -> Worst:
        """Rows whose margin does not reach the floor of ``margins``, exactly; the first of each block."""

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            X = matrix(block, self.rows.n_columns)
            wrong = np.flatnonzero(margins.compare(X, block.signs(self.positive)) < 0)[:count]
            return wrong, np.zeros(len(wrong))

        return self.rows.worst(pick, count)

    def any_unsettled(self) -> bool:
        """Whether a row is left outside the span of the known conflicts, once `violators` has found none."""
        return not self.settled.all()

    def _values(self, block: Block) -> Any:
        if self.frame is None or not self.frame.extreme:
            return block.X
        exponents = self.frame.exponents
        with np.errstate(over="ignore", under="ignore"):
            if isinstance(block.X, Csr):
                data = np.ldexp(np.asarray(block.X.data, np.float64), -exponents[block.X.indices])
                return Csr(data, block.X.indices, block.X.indptr)
            return np.ldexp(np.asarray(block.X, np.float64), -exponents)

    def _scan_weights(self, plane: Plane) -> np.ndarray | None:
        """Weights as floats, right to the rounding unit, in the units of `_values`; None if impossible."""
        if plane.in_floats and not (self.frame and self.frame.extreme):
            floats = np.asarray(plane.weights, np.float64)
        else:
            whole = plane.whole()
            if self.frame and self.frame.extreme:
                low = min(0, int(self.frame.exponents.min()))
                shifts = [int(e) - low for e in self.frame.exponents] + [-low]
                whole = [value << shift for value, shift in zip(whole, shifts, strict=True)]
            floats = rounded(whole)
            if any(
                value and abs(near) < SMALLEST for value, near in zip(whole, floats.tolist(), strict=True)
            ):
                return None
        return floats


class _Bounds:
    """The smallest margins so far: no block need report a row above the worst of them."""

    def __init__(self, count: int, ceiling: float) -> None:
        self.count = count
        self.ceiling = ceiling
        self.floor = np.inf
        self.best = np.empty(0)
        self.lock = Lock()

    def note(self, margins: np.ndarray, floor: float, tally: np.ndarray, seen: np.ndarray) -> None:
        with self.lock:
            self.floor = min(self.floor, floor) if floor == floor else -np.inf
            tally += seen
            if len(margins):
                self.best = np.sort(np.concatenate([self.best, margins]))[: self.count]
                if len(self.best) == self.count:
                    self.ceiling = min(self.ceiling, np.nextafter(self.best[-1], np.inf))


def dense(block: Block, places: np.ndarray, columns: int) -> np.ndarray:
    """Some rows of a block as dense float64."""
    return np.asarray(block.dense(places), np.float64)
