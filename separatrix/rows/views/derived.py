"""Rows made of other rows, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from separatrix.rows.block import Block
from separatrix.rows.rows import Rows


class DerivedRows(Rows):
    """Other rows, changed in `_derived`; their codes, targets, row weights and names stay as they are.

    A view of rows in memory is cut into blocks as they are, and keeps none of the blocks that it makes.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.n_rows, self.n_columns, self.dtype = rows.n_rows, rows.n_columns, rows.dtype
        self.is_sparse, self.in_memory, self.weights = rows.is_sparse, rows.in_memory, rows.weights
        self._describe_like(rows)

    def _derived(self, block: Block) -> Block:
        raise NotImplementedError

    def open(self) -> Iterator[Block]:
        return map(self._derived, self.rows.open())

    @property
    def n_stored(self) -> int:
        return self.rows.n_stored

    def take(self, indices: np.ndarray) -> Rows:
        if not self.in_memory:
            return super().take(indices)
        taken = self._changed(rows=self.rows.take(indices), n_rows=len(indices))
        taken.weights = None if self.weights is None else self.weights[indices]
        return taken

    def weighted(self, weights: np.ndarray | None) -> Self:
        return self._changed(rows=self.rows.weighted(weights), weights=weights)

    def in_blocks_of(self, n_rows: int) -> Rows:
        return self._changed(rows=self.rows.in_blocks_of(n_rows))

    def in_large_blocks(self) -> Rows:
        return self._changed(rows=self.rows.in_large_blocks())

    def _blocks_at_random(self, order: np.random.RandomState, *, repeated: bool) -> Iterator[Block]:
        return map(self._derived, self.rows._blocks_at_random(order, repeated=repeated))


class NewValues(DerivedRows):
    """The same rows with other values, in float64, which a subclass makes when they are used."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows)
        self.dtype = np.dtype(np.float64)

    def _values(self, X: Any) -> Any:
        raise NotImplementedError

    def _derived(self, block: Block) -> Block:
        return Block(
            block.start,
            block.stop,
            lambda: self._values(block.X),
            block.codes,
            n_columns=self.n_columns,
            signs=block.signs() if self.classes is not None and len(self.classes) == 2 else None,
            targets=block.targets,
            weights=block.weights,
        )
