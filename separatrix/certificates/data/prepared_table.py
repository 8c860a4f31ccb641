"""A table as it was before its columns were numbers, read as the prepared rows a certificate speaks of.

**Missing.** None, NaN and what pandas puts in their place; a text of blanks alone; in a column of numbers
also a text such as NA. With the rule "drop" a row with a missing cell, or label, is left out before its
categories are looked at; else it is refused.

**Categories.** A text is the value that it equals. Any other cell, and a text that equals none, is the only
value that means the same as a label: 1, 1.0 and True mean the same as "1.0".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from separatrix.certificates.data.exact_doubles import BLANKS, exactly, is_missing, read_number
from separatrix.certificates.data.labels import meaning, plain
from separatrix.certificates.data.preparation import Preparation, PreparedColumn
from separatrix.certificates.fields import shown


class PreparedTable:
    """The kept rows: numbers, and for each category its place. A slice of them is a matrix."""

    def __init__(self, preparation: Preparation, columns: Sequence[npt.NDArray[Any]]) -> None:
        self.column_names = preparation.names
        self.shape = len(columns[0]), len(preparation.names)
        self._columns = columns
        self._encoded = [len(column.encoded) for column in preparation.columns]
        self._values = [len(column.values) for column in preparation.columns]

    def slice(self, start: int, length: int) -> npt.NDArray[np.float64]:
        """Rows ``start`` to ``start + length - 1``."""
        stop = min(start + length, self.shape[0])
        matrix = np.zeros((stop - start, self.shape[1]))
        offset = 0
        for values, n_encoded, n_values in zip(self._columns, self._encoded, self._values, strict=True):
            part = values[start:stop]
            if n_values == 0:
                matrix[:, offset] = part
                offset += 1
                continue
            places = part - (n_values - n_encoded)
            rows = np.flatnonzero(places >= 0)
            matrix[rows, offset + places[rows]] = 1.0
            offset += n_encoded
        return matrix


def prepared(
    X: Any, y: Any, label: str | None, preparation: Preparation | None, *, measured: bool = False
) -> tuple[Any, Any, Preparation | None]:
    """The prepared table, its labels (or targets) and the preparation; what is given, and None, where nothing
    is done: to data that has other columns than those to be prepared, and by steps that are not repeated."""
    names = getattr(X, "column_names", getattr(X, "columns", None))
    if preparation is None or names is None or not preparation.is_repeatable:
        return X, y, None
    counts = Counter(names)
    if any(counts[name] != 1 for name in preparation.input_names) or (y is None and counts[label] != 1):
        return X, y, None
    y = _values_of(X[label] if y is None else y)
    columns = [_cells_of(X[column.name], column) for column in preparation.columns]
    if len(y) != len(columns[0]):
        raise ValueError(
            f"The data has {len(columns[0])} rows and {len(y)} {'targets' if measured else 'labels'}."
        )
    if measured:
        y = _numbers(y, "the target")
    is_complete = np.ones(len(y), bool)
    for column, cells in zip(preparation.columns, columns, strict=True):
        is_present = _is_present(cells)
        if preparation.missing is None and not is_present.all():
            row = int(np.argmin(is_present))
            raise ValueError(
                f"Row {row} (counted from 0), column {shown(column.name)}: the value is missing, and the "
                "certificate leaves no row out."
            )
        is_complete &= is_present
    if preparation.missing == "drop":
        is_complete &= _is_present(y)
    rows = np.flatnonzero(is_complete)
    kept = [
        cells[rows] if column.kind == "number" else _places(cells, rows, column)
        for column, cells in zip(preparation.columns, columns, strict=True)
    ]
    return PreparedTable(preparation, kept), y[rows], preparation


def _cells_of(values: Any, column: PreparedColumn) -> npt.NDArray[Any]:
    """The cells of a column: doubles, or what is to be a category, None where it is missing."""
    values = _values_of(values)
    if column.kind == "number":
        return _numbers(values, f"column {shown(column.name)}")
    if values.dtype == object:
        for row, value in enumerate(values.tolist()):
            if isinstance(value, str) and not value.strip(BLANKS):
                values[row] = None
    return values


def _values_of(column: Any) -> npt.NDArray[Any]:
    """A column as an array: numbers as they are, anything else as Python's objects."""
    count = getattr(column, "null_count", None)  # of polars a method
    count = count() if callable(count) else count
    if isinstance(getattr(column, "dtype", None), np.dtype) or count == 0:
        array = np.asarray(column)
        if array.dtype.kind in "biuf" and array.ndim == 1:
            return array
    to_list = next(
        (getattr(column, n) for n in ("to_pylist", "to_list", "tolist") if hasattr(column, n)), None
    )
    found = list(column) if to_list is None else to_list()
    values = np.empty(len(found), object)
    values[:] = found
    return values


def _numbers(values: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    if values.dtype != object:
        return exactly(values)
    cells = values.tolist()
    truth_values = str(cells[0]).strip().lower() in ("true", "false") if cells else False
    numbers = np.empty(len(cells))
    for row, value in enumerate(cells):
        try:
            numbers[row] = read_number(value, truth_values=truth_values)
        except ValueError as error:
            problem = str(error).removeprefix("The data holds ").rstrip(".")
            raise ValueError(f"Row {row} (counted from 0), {name}: {problem}.") from None
    return numbers


def _places(
    cells: npt.NDArray[Any], rows: npt.NDArray[np.int64], column: PreparedColumn
) -> npt.NDArray[np.int64]:
    """The places of the cells of these rows among the values of a column of categories."""
    counts = Counter(map(meaning, column.values))
    places = {value: place for place, value in enumerate(column.values)}
    by_meaning = {meaning(value): place for value, place in places.items() if counts[meaning(value)] == 1}
    known: dict[Any, int] = {}
    found = np.empty(len(rows), np.int64)
    for number, (row, cell) in enumerate(zip(rows.tolist(), cells[rows].tolist(), strict=True)):
        value = cell if isinstance(cell, str) else plain(cell)
        if value not in known:
            place = places.get(value) if isinstance(value, str) else None
            place = by_meaning.get(meaning(value)) if place is None else place
            if place is None:
                values = ", ".join(value[:40] for value in column.values[:8])
                more = ", ..." if len(column.values) > 8 else ""
                raise ValueError(
                    f"Row {row} (counted from 0), column {shown(column.name)}: {shown(value)} is none of the "
                    f"categories of the certificate, which are {values}{more}."
                )
            known[value] = place
        found[number] = known[value]
    return found


def _is_present(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if values.dtype == object:
        return np.array([not is_missing(value) for value in values.tolist()], bool)
    return ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), bool)
