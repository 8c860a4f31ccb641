"""Rows made of other rows, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.rows.block import Block
from separatrix.rows.rows import Rows


class DerivedRows(Rows):
    """The same rows with other values, in float64; a subclass says in `_values` which, when they are used."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.n_rows, self.n_columns = rows.n_rows, rows.n_columns
        self.dtype = np.dtype(np.float64)
        self.classes, self.columns, self.label, self.name = rows.classes, rows.columns, rows.label, rows.name
        self.n_jobs = rows.n_jobs
        self.known_finite = rows.known_finite

    @property
    def in_memory(self) -> bool:
        return self.rows.in_memory

    def blocks(self) -> Iterator[Block]:
        return map(self._derived, self.rows.blocks())

    def _derived(self, block: Block) -> Block:
        signs = block.signs() if self.classes is not None and len(self.classes) == 2 else None
        return Block(block.start, block.stop, lambda: self._values(block), block.codes, signs)

    def _values(self, block: Block) -> Any:
        raise NotImplementedError
