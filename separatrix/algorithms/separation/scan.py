"""Questions to all rows: who violates this hyperplane, surely or in exact arithmetic?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.separation.coordinates import ScaledCoordinates
from separatrix.algorithms.separation.integers import to_integer_row, to_scaled_floats
from separatrix.algorithms.separation.scan_kernels import (
    COUNTS_SIZE,
    DOUBTFUL,
    FLOOR,
    FOUND,
    NEGATIVE,
    find_doubtful,
    scan_block,
)
from separatrix.algorithms.separation.subspace import Coordinates
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.fitting.exact_errors import matrix
from separatrix.rows import Block, Csr, Rows, Worst
from separatrix.rows.block import MIN_BLOCK_ROWS

MIN_BLOCK_BYTES = 2**23
CHUNK_ROWS = 1024  # rows in doubt that are looked at exactly before asking whether enough were found
MIN_FULL_PRECISION_VALUE = 2.0**-1021  # below this a float may have fewer bits


class OutOfTime(Exception):
    """The time limit was reached before the verdict."""


@dataclass(frozen=True)
class Plane:
    """Weights of length d + 1, the bias last: floats that are exact, or whole numbers."""

    weights: Sequence[float] | Sequence[int] | np.ndarray

    @property
    def is_float(self) -> bool:
        return isinstance(self.weights, np.ndarray)

    def to_numbers(self) -> list[float | int]:
        """The weights as Python numbers."""
        return [value if isinstance(value, int) else float(value) for value in self.weights]

    def to_integers(self) -> list[int]:
        """The same hyperplane in whole numbers."""
        if isinstance(self.weights, np.ndarray):
            return to_integer_row(self.weights)
        return [int(value) for value in self.weights]

    def to_margins(self) -> Margins:
        """For exact comparisons with zero."""
        weights = self.to_integers()
        return Margins(weights[:-1], weights[-1])


class ScanResult(NamedTuple):
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
    n_active: int = 0
    scaling: ScaledCoordinates | None = None
    bounds: tuple[float, float] | None = None
    spanned: np.ndarray = field(init=False)
    start_time: float = field(init=False)

    def __post_init__(self) -> None:
        # A scan is all kernel: nothing in it needs its rows in a cache.
        fitting = self.rows.n_rows * MIN_BLOCK_BYTES // max(1, self.rows.n_bytes)
        self.rows = self.rows.in_blocks_of(max(MIN_BLOCK_ROWS, fitting))
        self.spanned = np.zeros(self.rows.n_rows, np.uint8)
        self.start_time = time.perf_counter()

    def restart_clock(self) -> None:
        """Give the next question the whole time limit."""
        self.start_time = time.perf_counter()

    def check_time(self) -> None:
        """Raise when the time given is over."""
        if self.time_limit is not None and time.perf_counter() - self.start_time > self.time_limit:
            raise OutOfTime

    @property
    def width(self) -> int:
        return self.rows.n_columns + self.intercept

    @property
    def rounding_unit(self) -> float:
        """Times the sum of the terms' sizes: above the rounding of weights, products and sum."""
        return (self.rows.n_columns + 8) * 2.0**-52

    def sample(self, count: int) -> Worst:
        """About ``count`` rows, evenly spaced."""
        step = max(1, -(-self.rows.n_rows // count))

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            chosen = np.arange(-block.start % step, len(block), step)
            return chosen, np.zeros(len(chosen))

        return self.rows.worst(pick, count)

    def gather(self, indices: Sequence[int]) -> Worst:
        """These rows, their numbers ascending."""
        wanted = np.asarray(indices, np.int64)

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            places = wanted[(wanted >= block.start) & (wanted < block.stop)] - block.start
            return places, np.zeros(len(places))

        return self.rows.worst(pick, len(wanted))

    def scan(self, plane: Plane, coordinates: Coordinates, count: int, ceiling: float = np.inf) -> ScanResult:
        """One pass over all rows with this hyperplane."""
        self.check_time()
        self.scans += 1
        bounds = _SmallestMargins(count, ceiling)
        weights = self._to_scan_weights(plane)
        if weights is None:
            worst = self.find_violators(plane, coordinates, count)
            return ScanResult(len(worst.indices), 0, worst, -np.inf)
        counts = np.zeros(COUNTS_SIZE, np.int64)

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            chosen = np.empty(count, np.int64)
            margins = np.empty(count)
            block_counts = np.zeros(COUNTS_SIZE, np.int64)
            limits = np.array([self.rounding_unit, bounds.ceiling, np.inf])
            scan_block(
                self._scale_values(block),
                block.signs(self.positive),
                self.spanned[block.start : block.stop],
                weights[-1],
                weights,
                limits,
                chosen,
                margins,
                block_counts,
            )
            found = block_counts[FOUND]
            bounds.record(margins[:found], limits[FLOOR], counts, block_counts)
            return chosen[:found], margins[:found]

        worst = self.rows.worst(pick, count)
        if self.progress is not None:
            violators = int(counts[NEGATIVE])
            self.progress(Progress(self.scans, self.rows.n_rows, self.n_active, violators, self.bounds))
        return ScanResult(int(counts[NEGATIVE]), int(counts[DOUBTFUL]), worst, bounds.floor)

    def find_violators(self, plane: Plane, coordinates: Coordinates, count: int) -> Worst:
        """Rows with z·w ≤ 0 in exact arithmetic, those that every w here vanishes on left out."""
        exact = plane.to_margins()
        weights = self._to_scan_weights(plane)

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            n_wanted = count
            signs = block.signs(self.positive)
            spanned = self.spanned[block.start : block.stop]
            places = np.empty(len(block), np.int64)
            if weights is None:
                places = np.flatnonzero(spanned == 0)
            else:
                found = find_doubtful(
                    self._scale_values(block),
                    signs,
                    spanned,
                    weights[-1],
                    weights,
                    self.rounding_unit,
                    places,
                )
                places = places[:found]
            violating = [places[:0]]
            for start in range(0, len(places), CHUNK_ROWS):
                if n_wanted <= 0:
                    break
                chunk = places[start : start + CHUNK_ROWS]
                X, s = to_dense_rows(block, chunk, self.rows.n_columns), signs[chunk].astype(np.float64)
                is_inside = coordinates.find_vanishing(X, s)
                spanned[chunk[is_inside]] = 1
                chunk, X, s = chunk[~is_inside], X[~is_inside], s[~is_inside]
                wrong = chunk[exact.compare(X, s.astype(np.int8)) <= 0][:n_wanted]
                n_wanted -= len(wrong)
                violating.append(wrong)
            chosen = np.concatenate(violating)
            return chosen, np.zeros(len(chosen))

        return self.rows.worst(pick, count)

    def all_at_least(self, margins: Margins) -> bool:
        """Whether every row's margin reaches the floor of ``margins``, exactly."""

        def count_below(block: Block) -> tuple[int]:
            X = matrix(block, self.rows.n_columns)
            return (int(np.count_nonzero(margins.compare(X, block.signs(self.positive)) < 0)),)

        return self.rows.sum(count_below)[0] == 0

    def find_below(self, margins: Margins, count: int) -> Worst:
        """Rows whose margin does not reach the floor of ``margins``, exactly; the first of each block."""

        def pick(block: Block) -> tuple[np.ndarray, np.ndarray]:
            X = matrix(block, self.rows.n_columns)
            wrong = np.flatnonzero(margins.compare(X, block.signs(self.positive)) < 0)[:count]
            return wrong, np.zeros(len(wrong))

        return self.rows.worst(pick, count)

    def has_unspanned(self) -> bool:
        """Whether a row is left outside the span of the known conflicts, once there are no violators."""
        return not self.spanned.all()

    def _scale_values(self, block: Block) -> Any:
        if self.scaling is None or not self.scaling.extreme:
            return block.X
        exponents = self.scaling.exponents
        with np.errstate(over="ignore", under="ignore"):
            if isinstance(block.X, Csr):
                data = np.ldexp(np.asarray(block.X.data, np.float64), -exponents[block.X.indices])
                return Csr(data, block.X.indices, block.X.indptr)
            return np.ldexp(np.asarray(block.X, np.float64), -exponents)

    def _to_scan_weights(self, plane: Plane) -> np.ndarray | None:
        """Weights as floats, right to the rounding unit, in the scan's units; None if impossible."""
        if plane.is_float and not (self.scaling and self.scaling.extreme):
            floats = np.asarray(plane.weights, np.float64)
        else:
            integers = plane.to_integers()
            if self.scaling and self.scaling.extreme:
                low = min(0, int(self.scaling.exponents.min()))
                shifts = [int(e) - low for e in self.scaling.exponents] + [-low]
                integers = [value << shift for value, shift in zip(integers, shifts, strict=True)]
            floats = to_scaled_floats(integers)
            if any(
                value and abs(near) < MIN_FULL_PRECISION_VALUE
                for value, near in zip(integers, floats.tolist(), strict=True)
            ):
                return None
        return floats


class _SmallestMargins:
    """The smallest margins so far: no block need report a row above the worst of them."""

    def __init__(self, count: int, ceiling: float) -> None:
        self.count = count
        self.ceiling = ceiling
        self.floor = np.inf
        self.smallest = np.empty(0)
        self.lock = Lock()

    def record(self, margins: np.ndarray, floor: float, counts: np.ndarray, block_counts: np.ndarray) -> None:
        with self.lock:
            self.floor = min(self.floor, floor) if floor == floor else -np.inf
            counts += block_counts
            if len(margins):
                self.smallest = np.sort(np.concatenate([self.smallest, margins]))[: self.count]
                if len(self.smallest) == self.count:
                    self.ceiling = min(self.ceiling, np.nextafter(self.smallest[-1], np.inf))


def to_dense_rows(block: Block, places: np.ndarray, columns: int) -> np.ndarray:
    """Some rows of a block as dense float64."""
    return np.asarray(block.dense(places), np.float64)
