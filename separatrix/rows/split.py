"""A share of the rows held out: a hash of their numbers says which, so that any reading of a file agrees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from separatrix.rows.block import Block, rows_per_block, taken
from separatrix.rows.data_errors import DataError
from separatrix.rows.memory import DenseRows, Matrix, MemoryRows, SparseRows
from separatrix.rows.rows import Rows


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
        raise DataError(f"A share of {share.fraction:g} makes no sense: say something between 0 and 1.")
    row_numbers = np.flatnonzero(share.contains(np.arange(rows.n_rows)))
    if not len(row_numbers):
        purpose = "held out" if share.held_out else "to learn from"
        raise DataError(f"A share of {share.fraction:g} of {rows.n_rows} rows leaves none {purpose}.")
    if isinstance(rows, MemoryRows) and rows.codes is not None and rows.classes is not None:
        _require_every_class(rows.classes, rows.codes[row_numbers], share)
    chosen: Rows
    if isinstance(rows, DenseRows):
        codes = None if rows.codes is None else rows.codes[row_numbers]
        chosen = DenseRows(rows.X[row_numbers], codes, rows.classes, columns=rows.columns, n_jobs=rows.n_jobs)
    elif isinstance(rows, SparseRows):
        selected = rows.take(row_numbers)
        matrix = Matrix((len(row_numbers), rows.n_columns), *selected.X)
        chosen = SparseRows(matrix, selected.codes, rows.classes, columns=rows.columns, n_jobs=rows.n_jobs)
    else:
        chosen = _ChosenRows(rows, share, len(row_numbers))
    if isinstance(chosen, MemoryRows) and isinstance(rows, MemoryRows) and rows.targets is not None:
        chosen.targets, chosen.has_targets = rows.targets[row_numbers], True
    chosen.name, chosen.label, chosen.known_finite = rows.name, rows.label, rows.known_finite
    chosen.preparation = rows.preparation
    return chosen


def _require_every_class(classes: np.ndarray, codes: np.ndarray, share: Share) -> None:
    absent = np.flatnonzero(np.bincount(codes, minlength=len(classes)) == 0)
    if len(absent) and not share.held_out:
        raise DataError(
            f"A share of {share.fraction:g} leaves no row of the class {classes[absent[0]]} to learn from: "
            "hold out less, or draw with another seed."
        )


class _ChosenRows(Rows):
    """Some rows of others, chosen anew in every pass."""

    def __init__(self, rows: Rows, share: Share, n_rows: int) -> None:
        self._rows, self._share = rows, share
        self.n_rows, self.n_columns, self.dtype = n_rows, rows.n_columns, rows.dtype
        self.classes, self.columns, self.n_jobs = rows.classes, rows.columns, rows.n_jobs
        self.has_targets = getattr(rows, "has_targets", False)
        self.rows_in_block = rows_per_block(rows.n_bytes / max(1, rows.n_rows))

    def blocks(self) -> Iterator[Block]:
        start = 0
        for block in self._rows.blocks():
            chosen = np.flatnonzero(self._share.contains(np.arange(block.start, block.stop)))
            if not len(chosen):
                continue
            codes = None if block.codes is None else block.codes[chosen]
            targets = getattr(block, "targets", None)
            yield Block(
                start,
                start + len(chosen),
                taken(block.X, chosen),
                codes,
                targets=None if targets is None else targets[chosen],
            )
            start += len(chosen)
