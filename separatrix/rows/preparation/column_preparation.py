"""The preparation of a file's columns, and its JSON form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from separatrix.rows.block import Csr
from separatrix.rows.data_errors import DataError
from separatrix.rows.preparation.column import Categories, Column, HashedWords, Number, Words

COLUMN_TYPES: dict[str, type[Column]] = {
    column.kind: column for column in (Number, Categories, Words, HashedWords)
}
MISSING_RULES = ("drop", "mean")
DescribeCell = Callable[[int, str], str]  # a row and a column of the file, in words


@dataclass(frozen=True)
class Preparation:
    """How each column of a file becomes numbers, and what happens to missing values.

    >>> preparation = Preparation((Number("age", fill=40.0), Categories("sex", ("f", "m"))), missing="mean")
    >>> preparation.names
    ('age', 'sex=m')
    >>> preparation.to_dense([[None, 7.0], ["m", "f"]]).tolist()
    [[40.0, 1.0], [7.0, 0.0]]
    >>> Preparation.from_dict(preparation.to_dict()) == preparation
    True
    """

    columns: tuple[Column, ...]
    missing: str | None = None

    @property
    def input_names(self) -> tuple[str, ...]:
        """The columns of the file."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of numbers."""
        return tuple(name for column in self.columns for name in column.names)

    @property
    def text_names(self) -> tuple[str, ...]:
        """The columns of the file that are read as text."""
        return tuple(column.name for column in self.columns if not isinstance(column, Number))

    @property
    def is_sparse(self) -> bool:
        """Whether most values are 0, as word counts are."""
        return any(isinstance(column, Words | HashedWords) for column in self.columns)

    def to_dense(
        self,
        values: Sequence[Any],
        rows: Sequence[int] | np.ndarray | None = None,
        describe_cell: DescribeCell | None = None,
    ) -> np.ndarray:
        """Columns of values, None where one is missing, as a matrix; ``rows`` are their numbers."""
        n_rows = len(values[0])
        matrix = np.zeros((n_rows, len(self.names)))
        offset = 0
        for column, cells in zip(self.columns, values, strict=True):
            width = len(column.names)
            if isinstance(column, Number):
                is_array = isinstance(cells, np.ndarray)
                matrix[:, offset] = column.fill_and_scale(
                    cells if is_array else np.array([np.nan if v is None else v for v in cells], float)
                )
            else:
                for row, value in enumerate(cells):
                    for index, number in self._encode(column, value, row, rows, describe_cell):
                        matrix[row, offset + index] = number
            offset += width
        return matrix

    def to_csr(
        self,
        values: Sequence[Any],
        rows: Sequence[int] | np.ndarray | None = None,
        describe_cell: DescribeCell | None = None,
    ) -> Csr:
        """The same as compressed sparse rows."""
        data: list[float] = []
        indices: list[int] = []
        indptr = [0]
        offsets = np.cumsum([0, *(len(column.names) for column in self.columns)]).tolist()
        for row, cells in enumerate(zip(*values, strict=True)):
            for column, offset, value in zip(self.columns, offsets, cells, strict=False):
                for index, number in self._encode(column, value, row, rows, describe_cell):
                    indices.append(offset + index)
                    data.append(number)
            indptr.append(len(data))
        return Csr(np.array(data, float), np.array(indices, np.int32), np.array(indptr, np.int64))

    def _encode(
        self, column: Column, value: Any, index: int, rows: Any, describe_cell: DescribeCell | None
    ) -> list[tuple[int, float]]:
        try:
            return column.encode(value)
        except KeyError:
            assert isinstance(column, Categories)
            row = index if rows is None else int(rows[index])
            location = (
                f"row {row + 1}, column {column.name!r}"
                if describe_cell is None
                else describe_cell(row, column.name)
            )
            categories = ", ".join(column.values[:8]) + (", ..." if len(column.values) > 8 else "")
            problem = "the value is missing" if value is None else f"{value!r} was not seen in the fit"
            raise DataError(f"{location}: {problem}; the categories are {categories}.") from None

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "missing": self.missing,
            "columns": [{"kind": column.kind} | asdict(column) for column in self.columns],
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Preparation:
        """What `to_dict` wrote; ValueError for anything else."""
        missing = record["missing"]
        if missing is not None and (not isinstance(missing, str) or missing not in MISSING_RULES):
            raise ValueError(f"missing values are {missing!r}")
        columns = []
        for entry in record["columns"]:
            fields = dict(entry)
            column_type = COLUMN_TYPES.get(fields.pop("kind"))
            if column_type is None:
                raise ValueError("a column is of no known kind")
            lists = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
            column = column_type(**(fields | lists))
            column.require_sound()
            columns.append(column)
        if not columns:
            raise ValueError("it has no columns")
        return cls(tuple(columns), missing)
