"""Rows that lie in several places, one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from separatrix.rows.block import Block
from separatrix.rows.data_errors import DataError
from separatrix.rows.rows import Part, Rows


class JoinedRows(Rows):
    """Rows of several parts of one kind: of equal columns, types and classes.

    >>> from separatrix.rows import as_rows
    >>> rows = JoinedRows([as_rows([[1.0], [2.0]], [0, 1]), as_rows([[3.0]], [1]).recoded(np.array([0, 1]))])
    >>> [(block.start, block.stop) for block in rows.blocks()], rows.label_codes().tolist()
    ([(0, 2), (2, 3)], [0, 1, 1])
    """

    def __init__(self, parts: Sequence[Rows]) -> None:
        first = parts[0]
        for number, part in enumerate(parts):
            if _kind(part) != _kind(first):
                where = part.name or f"Part {number}"
                raise DataError(f"{where} has other columns, types or classes than the parts before it.")
        self._parts = tuple(parts)
        self._describe_like(first)
        *self._starts, self.n_rows = np.cumsum([0, *(part.n_rows for part in parts)]).tolist()
        self.n_columns, self.dtype, self.is_sparse = first.n_columns, first.dtype, first.is_sparse
        self.in_memory = all(part.in_memory for part in parts)
        self.known_finite = all(part.known_finite for part in parts)
        if any(part.weights is not None for part in parts):
            self.weights = np.concatenate(
                [np.ones(part.n_rows) if part.weights is None else part.weights for part in parts]
            )

    @property
    def parts(self) -> tuple[Part, ...]:
        return self._parts

    @property
    def n_stored(self) -> int:
        return sum(part.n_stored for part in self._parts)

    def open(self) -> Iterator[Block]:
        for part, start in zip(self._parts, self._starts, strict=True):
            yield from (block.moved(start + block.start) for block in part.weighted(None).open())

    def _blocks_at_random(self, order: np.random.RandomState, *, repeated: bool) -> Iterator[Block]:
        n = len(self._parts)
        for k in order.randint(n, size=n) if repeated else order.permutation(n):
            part, start = self._parts[k], self._starts[k]
            weighted = part.weighted(
                None if self.weights is None else self.weights[start : start + part.n_rows]
            )
            for block in weighted._blocks_at_random(order, repeated=repeated):
                yield block.moved(start + block.start)

    def require_sound(self) -> None:
        for part in self._parts:
            part.require_sound()


def _kind(rows: Rows) -> tuple[object, ...]:
    classes = None if rows.classes is None else tuple(rows.classes.tolist())
    return rows.n_columns, rows.dtype, rows.is_sparse, rows.has_targets, rows.columns, classes
