"""Rows that are read from their file again in every pass."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from separatrix.rows.block import Block
from separatrix.rows.files.source import Place
from separatrix.rows.rows import Rows


class FileRows(Rows):
    """Rows of a file that must not change between two passes.

    A sample is kept, because drawing it takes a pass.
    """

    known_finite = True  # every block is checked as it is made

    @property
    @abstractmethod
    def place(self) -> Place:
        """The file."""

    @abstractmethod
    def _read(self) -> Iterator[Block]:
        """The blocks, whatever became of the file meanwhile."""

    def open(self) -> Iterator[Block]:
        self.place.require_unchanged()
        stop = 0
        for block in self._read():
            stop = block.stop
            yield block
        if stop != self.n_rows:
            raise self.place.changed()
        self.place.require_unchanged()

    def sample(self, k: int, seed: int | None = None) -> Rows:
        numbers = self._sampled_numbers(k, seed)
        kept: dict[Any, Rows] = vars(self).setdefault("_samples", {})
        if (k, seed) not in kept:
            kept[k, seed] = self.weighted(None).take(numbers)
        return kept[k, seed].weighted(None if self.weights is None else self.weights[numbers])
