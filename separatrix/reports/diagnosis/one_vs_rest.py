"""One class against the rest, as rows of two classes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from separatrix.rows import Block, DataError, DenseRows, Rows, SparseRows
from separatrix.rows.memory import Matrix


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
    places = (np.arange(len(rows.classes)) == code).astype(np.int32)
    return _recoded(rows, places, np.array([f"not {name}", name]))


def aligned(rows: Rows, classes: np.ndarray) -> Rows:
    """The same rows with these classes, all of which need not occur.

    >>> from separatrix.rows import as_rows
    >>> rows = aligned(as_rows([[1.0], [2.0]], ["c", "b"]), np.array(["a", "b", "c"]))
    >>> rows.codes.tolist()
    [2, 1]
    """
    if rows.classes is None:
        raise DataError("The rows held out carry no labels: say which column holds them.")
    known = [str(label) for label in classes]
    for label in rows.classes:
        if str(label) not in known:
            where = f"{rows.name}: " if rows.name else ""
            raise DataError(f"{where}no row to learn from has the class {label}, which is held out.")
    return _recoded(rows, np.array([known.index(str(label)) for label in rows.classes], np.int32), classes)


def _recoded(rows: Rows, places: np.ndarray, classes: np.ndarray) -> Rows:
    made: Rows
    if isinstance(rows, DenseRows) and rows.codes is not None:
        made = DenseRows(rows.X, places[rows.codes], classes, columns=rows.columns, n_jobs=rows.n_jobs)
    elif isinstance(rows, SparseRows) and rows.codes is not None:
        matrix = Matrix((rows.n_rows, rows.n_columns), rows.data, rows.indices, rows.indptr)
        made = SparseRows(matrix, places[rows.codes], classes, columns=rows.columns, n_jobs=rows.n_jobs)
    else:
        made = _OneAgainstRest(rows, places, classes)
    made.name, made.label, made.known_finite = rows.name, rows.label, rows.known_finite
    return made


class _OneAgainstRest(Rows):
    """Rows that are read anew in every pass, with other codes."""

    def __init__(self, rows: Rows, places: np.ndarray, classes: np.ndarray) -> None:
        self._rows, self._places, self.classes = rows, places, classes
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
            codes = self._places[block.codes]
            yield Block(block.start, block.stop, partial(getattr, block, "X"), codes)

    def sample(self, k: int) -> np.ndarray:
        return self._rows.sample(k)
