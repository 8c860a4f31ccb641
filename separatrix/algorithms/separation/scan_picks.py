"""What a `Scanner` asks of every block of rows: picks for `Rows.worst`, and a term for `Rows.each`."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from separatrix.algorithms.separation.scan_kernels import ScanNote, find_doubtful, scan_block
from separatrix.algorithms.separation.subspace import Coordinates
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.rows import Block, Csr

CHUNK_ROWS = 1024  # rows in doubt that are looked at exactly before asking whether enough were found


@dataclass(frozen=True)
class FloatPlane:
    """A hyperplane in floats for the columns x_j / 2**exponent_j, the bias last in ``weights``.

    ``exponents`` is None where the columns are taken as they are. ``rounding_unit`` times the sum of the
    terms' sizes is above the rounding of a score.
    """

    weights: np.ndarray
    exponents: np.ndarray | None
    rounding_unit: float

    def scale_columns(self, block: Block) -> Any:
        """The values of a block in the units of the weights."""
        if self.exponents is None:
            return block.X
        with np.errstate(over="ignore", under="ignore"):
            if block.is_sparse:
                data, indices, indptr = block.X
                return Csr(np.ldexp(np.asarray(data, np.float64), -self.exponents[indices]), indices, indptr)
            return np.ldexp(np.asarray(block.X, np.float64), -self.exponents)


class MarginCeiling:
    """No block need report a margin from here on: above the ``count`` smallest that were reported before.

    It only saves work, so that copies of it in other processes need not agree.
    """

    def __init__(self, count: int, value: float) -> None:
        self.count = count
        self.value = value
        self._smallest = np.empty(0)
        self._lock = Lock()

    def update(self, margins: np.ndarray) -> None:
        """Take note of margins that were reported."""
        if not len(margins):
            return
        with self._lock:
            self._smallest = np.sort(np.concatenate([self._smallest, margins]))[: self.count]
            if len(self._smallest) == self.count:
                self.value = min(self.value, np.nextafter(self._smallest[-1], np.inf))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())


@dataclass(frozen=True)
class SmallestMargins:
    """The smallest margins s(w·x + b) of a block in floats, and a `ScanNote`; ``spanned`` rows left out."""

    plane: FloatPlane
    positive: int
    spanned: np.ndarray
    ceiling: MarginCeiling

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray, ScanNote]:
        chosen, margins = np.empty(self.ceiling.count, np.int64), np.empty(self.ceiling.count)
        found, note = scan_block(
            self.plane.scale_columns(block),
            block.signs(self.positive),
            self.spanned[block.span],
            self.plane.weights[-1],
            self.plane.weights,
            self.plane.rounding_unit,
            self.ceiling.value,
            chosen,
            margins,
        )
        self.ceiling.update(margins[:found])
        if np.isnan(note.floor):
            note = note._replace(floor=-np.inf)
        return chosen[:found], margins[:found], note


@dataclass(frozen=True)
class ExactViolators:
    """Up to ``count`` rows of a block with z·w ≤ 0, exactly; not those on which every w of ``coordinates``
    vanishes.

    Of those, the ones marked in ``spanned`` are passed over, and the note has the numbers of the others that
    were met. ``plane`` is the hyperplane in floats, where there is one.
    """

    margins: Margins
    plane: FloatPlane | None
    coordinates: Coordinates
    positive: int
    spanned: np.ndarray
    count: int

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        signs = block.signs(self.positive)
        places = self._find_doubtful(block, signs)
        violating, vanishing = [places[:0]], [places[:0]]
        n_wanted = self.count
        for start in range(0, len(places), CHUNK_ROWS):
            if n_wanted <= 0:
                break
            chunk = places[start : start + CHUNK_ROWS]
            X, s = np.asarray(block.dense(chunk), np.float64), signs[chunk].astype(np.float64)
            is_vanishing = self.coordinates.find_vanishing(X, s)
            vanishing.append(block.start + chunk[is_vanishing])
            chunk, X, s = chunk[~is_vanishing], X[~is_vanishing], s[~is_vanishing]
            wrong = chunk[self.margins.compare(X, s.astype(np.int8)) <= 0][:n_wanted]
            n_wanted -= len(wrong)
            violating.append(wrong)
        chosen = np.concatenate(violating)
        return chosen, np.zeros(len(chosen)), np.concatenate(vanishing)

    def _find_doubtful(self, block: Block, signs: np.ndarray) -> np.ndarray:
        """The places of rows outside the span whose margin floats do not prove to be positive."""
        spanned = self.spanned[block.span]
        if self.plane is None:
            return np.flatnonzero(spanned == 0)
        places = np.empty(len(block), np.int64)
        found = find_doubtful(
            self.plane.scale_columns(block),
            signs,
            spanned,
            self.plane.weights[-1],
            self.plane.weights,
            self.plane.rounding_unit,
            places,
        )
        return places[:found]


@dataclass(frozen=True)
class MarginSigns:
    """The sign of s(w·x + b) − √q of every row of a block, exactly; q is the floor of ``margins``."""

    margins: Margins
    positive: int

    def __call__(self, block: Block) -> np.ndarray:
        return self.margins.compare(block.matrix(), block.signs(self.positive), block.start)


@dataclass(frozen=True)
class RowsBelow:
    """The first ``count`` rows of a block with s(w·x + b) < √q, exactly."""

    signs: MarginSigns
    count: int

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        places = np.flatnonzero(self.signs(block) < 0)[: self.count]
        return places, np.zeros(len(places))
