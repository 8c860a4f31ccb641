"""The same rows with their labels coded by classes that were known before."""

from __future__ import annotations

import numpy as np

from separatrix.rows.block import Block
from separatrix.rows.data_errors import DataError
from separatrix.rows.label_codes import places_among
from separatrix.rows.memory import MemoryRows
from separatrix.rows.rows import Rows
from separatrix.rows.views.derived import DerivedRows


def recoded(rows: Rows, classes: np.ndarray) -> Rows:
    """The rows, their codes counted in ``classes``; a label that is none of these is refused.

    >>> from separatrix.rows import as_rows
    >>> next(recoded(as_rows([[1.0], [2.0]], ["b", "c"]), np.array(["a", "b", "c"])).blocks()).codes.tolist()
    [1, 2]
    """
    own = rows.require_labels()
    places = places_among(own, classes)
    _refuse_unknown(rows, own, places, classes)
    return rows if np.array_equal(places, np.arange(len(classes))) else rows.with_codes(places, classes)


class RecodedRows(DerivedRows):
    """Rows whose codes are looked up in a table, a block at a time."""

    def __init__(self, rows: Rows, places: np.ndarray, classes: np.ndarray) -> None:
        super().__init__(rows)
        self._places, self.classes = places, classes

    def _derived(self, block: Block) -> Block:
        return Block(
            block.start,
            block.stop,
            lambda: block.X,
            self._places[block.codes],
            n_columns=self.n_columns,
            weights=block.weights,
        )


def _refuse_unknown(rows: Rows, own: np.ndarray, places: np.ndarray, classes: np.ndarray) -> None:
    unknown = places < 0
    if not unknown.any():
        return
    if isinstance(rows, MemoryRows):
        strange = unknown[rows.codes]
        if not strange.any():
            return
        row = int(np.argmax(strange))
        label = own[rows.codes[row]]  # type: ignore[index]
        where = f"The label of row {row} of {rows.name}" if rows.name else f"y[{row}]"
    else:  # its rows would have to be read to find the one
        label = own[unknown][0]
        where = f"A label of {rows.name}" if rows.name else "A label"
    shown = label.item() if hasattr(label, "item") else label
    raise DataError(
        f"{where} is {shown!r}, which is not one of the classes {classes.tolist()}: name every class in the "
        "first call (classes=...)."
    )
