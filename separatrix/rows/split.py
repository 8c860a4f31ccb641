"""A share of the rows held out: a hash of their numbers says which, so that any reading of a file agrees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from separatrix.messages import Message, Parameter
from separatrix.rows.block import Block
from separatrix.rows.data_errors import DataError, DataParameterError
from separatrix.rows.memory import MemoryRows
from separatrix.rows.rows import Rows
from separatrix.rows.views.derived import DerivedRows


class Share(NamedTuple):
    """The held-out rows, or all others."""

    fraction: float
    seed: int = 0
    held_out: bool = False

    def contains(self, rows: np.ndarray) -> np.ndarray:
        """Which rows, by their numbers, belong to it.

        >>> numbers = np.arange(1000)
        >>> int(Share(0.2, held_out=True).contains(numbers).sum()), int(Share(0.2).contains(numbers).sum())
        (196, 804)
        """
        hashed = rows.astype(np.uint64) + np.uint64(self.seed * 0xD1B54A32D192ED03 % 2**64)
        # Steele, Lea and Flood's SplitMix64 (2014): the bits of a row's number, well mixed.
        with np.errstate(over="ignore"):
            hashed = hashed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
            hashed = (hashed ^ (hashed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            hashed = (hashed ^ (hashed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            hashed ^= hashed >> np.uint64(31)
        return np.asarray((hashed < np.uint64(self.fraction * 2.0**64)) == self.held_out)


def split(rows: Rows, share: float, seed: int = 0) -> tuple[Rows, Rows]:
    """The rows to learn from and the rows held out.

    >>> from separatrix.rows import as_rows
    >>> learned, held_out = split(as_rows([[float(i)] for i in range(10)], [0, 1] * 5), 0.3)
    >>> learned.n_rows, held_out.n_rows
    (6, 4)
    """
    return select_share(rows, Share(share, seed)), select_share(rows, Share(share, seed, held_out=True))


def select_share(rows: Rows, share: Share) -> Rows:
    """The rows of that share, in their order."""
    if not 0 < share.fraction < 1:
        raise DataParameterError("share", share.fraction, "between 0 and 1")
    row_numbers = np.flatnonzero(share.contains(np.arange(rows.n_rows)))
    if not len(row_numbers):
        purpose = "held out" if share.held_out else "to learn from"
        raise DataError(f"A share of {share.fraction:g} of {rows.n_rows} rows leaves none {purpose}.")
    if isinstance(rows, MemoryRows) and rows.codes is not None and rows.classes is not None:
        _require_every_class(rows.classes, rows.codes[row_numbers], share)
    return rows.take(row_numbers) if rows.in_memory else _ChosenRows(rows, share, len(row_numbers))


def _require_every_class(classes: np.ndarray, codes: np.ndarray, share: Share) -> None:
    absent = np.flatnonzero(np.bincount(codes, minlength=len(classes)) == 0)
    if len(absent) and not share.held_out:
        raise DataError(
            Message(
                "A share of {:g} leaves no row of the class {} to learn from: hold out less, or change {}.",
                share.fraction,
                classes[absent[0]],
                Parameter("seed"),
            )
        )


class _ChosenRows(DerivedRows):
    """Some rows of a file, chosen again in every pass."""

    def __init__(self, rows: Rows, share: Share, n_rows: int) -> None:
        super().__init__(rows)
        self._share, self.n_rows = share, n_rows

    @property
    def n_stored(self) -> int:
        return self.rows.n_stored * self.n_rows // max(1, self.rows.n_rows)

    def open(self) -> Iterator[Block]:
        start = 0
        for block in self.rows.open():
            chosen = np.flatnonzero(self._share.contains(np.arange(block.start, block.stop)))
            if len(chosen):
                yield block.at(chosen).moved(start)
                start += len(chosen)
