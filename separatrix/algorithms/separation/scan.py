"""Questions to all rows: who violates this hyperplane, surely or in exact arithmetic?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.separation.coordinates import ScaledCoordinates
from separatrix.algorithms.separation.integers import to_integer_row, to_scaled_floats
from separatrix.algorithms.separation.scan_kernels import ScanNote
from separatrix.algorithms.separation.scan_picks import (
    ExactViolators,
    FloatPlane,
    MarginCeiling,
    MarginSigns,
    RowsBelow,
    SmallestMargins,
)
from separatrix.algorithms.separation.subspace import Coordinates
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.kernels.disk_cache import seconds_compiling
from separatrix.rows import Rows, Worst
from separatrix.rows.block import MIN_BLOCK_ROWS

MIN_BLOCK_BYTES = 2**23
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
    """All rows, asked block by block; remembers which lie in the span of the known conflicts."""

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
        self.restart_clock()

    def restart_clock(self) -> None:
        """Give the next question the whole time limit."""
        self.start_time = time.perf_counter() - seconds_compiling()

    def check_time(self) -> None:
        """Raise when the time given is over."""
        if self.time_limit is None:
            return
        # A first run compiles kernels, and must not answer less for it.
        if time.perf_counter() - seconds_compiling() - self.start_time > self.time_limit:
            raise OutOfTime

    @property
    def width(self) -> int:
        return self.rows.n_columns + self.intercept

    @property
    def rounding_unit(self) -> float:
        """Times the sum of the terms' sizes: above the rounding of weights, products and sum."""
        return (self.rows.n_columns + 8) * 2.0**-52

    def scan(self, plane: Plane, coordinates: Coordinates, count: int, ceiling: float = np.inf) -> ScanResult:
        """One pass over all rows with this hyperplane."""
        self.check_time()
        self.scans += 1
        float_plane = self._to_float_plane(plane)
        if float_plane is None:
            worst = self.find_violators(plane, coordinates, count)
            return ScanResult(len(worst.indices), 0, worst, -np.inf)
        pick = SmallestMargins(float_plane, self.positive, self.spanned, MarginCeiling(count, ceiling))
        worst = self.rows.worst(pick, count)
        notes: tuple[ScanNote, ...] = worst.notes
        negative = sum(note.negative for note in notes)
        if self.progress is not None:
            self.progress(Progress(self.scans, self.rows.n_rows, self.n_active, negative, self.bounds))
        doubtful = sum(note.doubtful for note in notes)
        return ScanResult(negative, doubtful, worst, min(note.floor for note in notes))

    def find_violators(self, plane: Plane, coordinates: Coordinates, count: int) -> Worst:
        """Rows with z·w ≤ 0 in exact arithmetic, those that every w here vanishes on left out."""
        float_plane = self._to_float_plane(plane)
        pick = ExactViolators(
            plane.to_margins(), float_plane, coordinates, self.positive, self.spanned, count
        )
        worst = self.rows.worst(pick, count)
        self.spanned[np.concatenate(worst.notes)] = 1
        return worst

    def all_at_least(self, margins: Margins) -> bool:
        """Whether every row's margin reaches the floor of ``margins``, exactly."""
        return all((signs >= 0).all() for signs in self.rows.each(MarginSigns(margins, self.positive)))

    def find_below(self, margins: Margins, count: int) -> Worst:
        """Rows whose margin does not reach the floor of ``margins``, exactly; the first of each block."""
        return self.rows.worst(RowsBelow(MarginSigns(margins, self.positive), count), count)

    def has_unspanned(self) -> bool:
        """Whether a row is left outside the span of the known conflicts, once there are no violators."""
        return not self.spanned.all()

    def _to_float_plane(self, plane: Plane) -> FloatPlane | None:
        """Weights as floats, right to the rounding unit, in the scan's units; None if impossible."""
        exponents = self.scaling.exponents if self.scaling and self.scaling.extreme else None
        if plane.is_float and exponents is None:
            floats = np.asarray(plane.weights, np.float64)
        else:
            integers = plane.to_integers()
            if exponents is not None:
                low = min(0, int(exponents.min()))
                shifts = [int(e) - low for e in exponents] + [-low]
                integers = [value << shift for value, shift in zip(integers, shifts, strict=True)]
            floats = to_scaled_floats(integers)
            if any(
                value and abs(near) < MIN_FULL_PRECISION_VALUE
                for value, near in zip(integers, floats.tolist(), strict=True)
            ):
                return None
        return FloatPlane(floats, exponents, self.rounding_unit)
