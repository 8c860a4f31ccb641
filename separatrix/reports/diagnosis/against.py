"""One class against the rest, as rows of two classes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from separatrix.rows import Block, DenseRows, Rows, SparseRows


def against_the_rest(rows: Rows, code: int) -> Rows:
    """The same rows with the classes "not k" and "k"; two classes stay as they are. Nothing is copied.

    >>> from separatrix.rows import as_rows
    >>> rows = as_rows([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    >>> against_the_rest(rows, 1).classes.tolist()
    ['not b', 'b']
    """
    assert rows.classes is not None
    if len(rows.classes) == 2:
        return rows
    name = str(rows.classes[code])
    classes = np.array([f"not {name}", name])
    made: Rows
    if isinstance(rows, DenseRows) and rows.codes is not None:
        codes = (rows.codes == code).astype(np.int32)
        made = DenseRows(rows.X, codes, classes, columns=rows.columns, n_jobs=rows.n_jobs)
    elif isinstance(rows, SparseRows) and rows.codes is not None:
        codes = (rows.codes == code).astype(np.int32)
        matrix = _Matrix((rows.n_rows, rows.n_columns), rows.data, rows.indices, rows.indptr)
        made = SparseRows(matrix, codes, classes, columns=rows.columns, n_jobs=rows.n_jobs)
    else:
        made = _Recoded(rows, code, classes)
    made.name, made.label, made.known_finite = rows.name, rows.label, rows.known_finite
    return made


class _Matrix(NamedTuple):
    shape: tuple[int, int]
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


class _Recoded(Rows):
    """Rows that are read anew in every pass, their codes made two."""

    def __init__(self, rows: Rows, code: int, classes: np.ndarray) -> None:
        self._rows, self._code, self.classes = rows, code, classes
        self.n_rows, self.n_columns, self.dtype = rows.n_rows, rows.n_columns, rows.dtype
        self.columns, self.n_jobs = rows.columns, rows.n_jobs

    @property
    def in_memory(self) -> bool:
        return self._rows.in_memory

    @property
    def n_bytes(self) -> int:
        return self._rows.n_bytes

    def blocks(self) -> Iterator[Block]:
        for block in self._rows.blocks():
            assert block.codes is not None
            codes = (block.codes == self._code).astype(np.int32)
            yield Block(block.start, block.stop, partial(getattr, block, "X"), codes)

    def sample(self, k: int) -> np.ndarray:
        return self._rows.sample(k)
