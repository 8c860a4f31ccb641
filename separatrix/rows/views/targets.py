"""Real numbers to predict, beside the rows or taken from one of their columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.rows.arrow_validation import refuse_damaged
from separatrix.rows.block import Block, read_only
from separatrix.rows.data_errors import DataError
from separatrix.rows.memory import MemoryRows
from separatrix.rows.rows import Rows
from separatrix.rows.views.derived import DerivedRows


def with_targets(rows: MemoryRows | Any, y: Any, *, name: str = "y") -> Rows:
    """Rows in memory, given the real numbers ``y`` to predict.

    >>> from separatrix.rows import as_rows
    >>> rows = with_targets(as_rows([[1.0], [2.0]]), [0.5, 1.5])
    >>> next(rows.blocks()).targets.tolist()
    [0.5, 1.5]
    """
    targets = numbers(y, name=name)
    if len(targets) != rows.n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {rows.n_rows} rows and "
            f"{name} has {len(targets)}."
        )
    return rows.with_targets(targets)


def numbers(y: Any, *, name: str = "y") -> np.ndarray:
    """Targets as float64; what a double does not hold is refused."""
    refuse_damaged(y, name)
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim != 1:
        raise DataError(f"{name} should be a 1d array, got an array of shape {given.shape} instead.")
    if given.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {name} holds complex numbers.")
    if given.dtype.kind in "iu" and given.size and max(int(given.max()), -int(given.min())) > 2**53:
        raise DataError(
            f"{name} holds whole numbers beyond 2**53, which doubles cannot tell apart: shift it."
        )
    try:
        targets = given.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} holds something that is no number: a regressor predicts numbers.") from None
    finite = np.isfinite(targets)
    if not finite.all():
        row = int(np.argmin(finite))
        what = "NaN" if np.isnan(targets[row]) else "infinity or a value too large for dtype('float64')."
        raise DataError(
            f"Input {name} contains {what} The target of row {row} cannot be used; drop that row."
        )
    return read_only(targets)


class TargetRows(DerivedRows):
    """Rows one column of which is the target: every block loses it as it is made."""

    def __init__(self, rows: Rows, column: int) -> None:
        if rows.n_columns < 2:
            where = rows.name or "The table"
            raise DataError(f"{where} has no feature columns besides the target: at least one is needed.")
        super().__init__(rows)
        self._column = column
        self._kept_columns = np.array([j for j in range(rows.n_columns) if j != column])
        self.n_columns, self.classes, self.has_targets = rows.n_columns - 1, None, True
        if rows.columns is not None:
            self.columns = tuple(name for j, name in enumerate(rows.columns) if j != column)
            self.label = rows.columns[column]

    @property
    def n_stored(self) -> int:
        return self.n_rows * self.n_columns

    def _derived(self, block: Block) -> Block:
        # Both are made at once: a block that has been parsed holds them side by side.
        both = block.X
        targets = read_only(both[:, self._column].astype(np.float64))
        X = read_only(np.ascontiguousarray(both[:, self._kept_columns]))
        return Block(
            block.start, block.stop, X, n_columns=self.n_columns, targets=targets, weights=block.weights
        )


class CodedTargets(DerivedRows):
    """Sparse rows whose codes are not classes but the numbers that stand before each line."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows)
        self.classes, self.has_targets = None, True

    @property
    def n_bytes(self) -> int:
        return self.rows.n_bytes

    def _derived(self, block: Block) -> Block:
        return Block(
            block.start,
            block.stop,
            block.X,
            n_columns=self.n_columns,
            targets=block.codes,
            weights=block.weights,
        )
