"""Arrow tables, polars and pandas frames as `Rows`: columns become a row-major matrix one block at a time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as arrow_types

from separatrix.messages import Message, Parameter
from separatrix.rows.arrow_validation import refuse_damaged
from separatrix.rows.block import read_only
from separatrix.rows.data_errors import DataError, NotANumber
from separatrix.rows.memory import DenseRows, MemoryRows
from separatrix.rows.rows import Rows

MAX_EXACT_INTEGER = 2**53  # every whole number up to here is a double
FORMATTED_NUMBER_PATTERN = re.compile(
    r"\W*[0-9][0-9.,'\s\u2019_]*\s*[%\u20ac$\u00a3\u00a5]?\s*"
)  # 1,5 or $1 000 or 10%
PLAIN_NUMBER_PATTERN = re.compile(r"\s*[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
MAX_FORMATTED_CHARACTERS = 100  # characters; longer text is no such number, and would take long to match
DescribeCell = Callable[[int, int], str]  # row and column, counted from 0, in words


class NumericColumns:
    """How the columns of a table become a matrix: float32 when all of them are, else float64.

    Integers, booleans, decimals and dictionaries of these become floats; whole numbers beyond 2^53, which
    doubles would round, are refused. A missing value becomes NaN, for the finiteness check to find.

    Parameters
    ----------
    schema : pyarrow.Schema
        The feature columns, in the order of the matrix.
    describe_cell : callable
        Names a row and a column in messages.
    read_first_value : callable
        The first value of a column, to show when the column holds no numbers.
    """

    def __init__(
        self, schema: Any, describe_cell: DescribeCell, read_first_value: Callable[[int], Any]
    ) -> None:
        self.describe_cell = describe_cell
        self.names = schema.names
        for place, field in enumerate(schema):
            if not _is_numeric(field.type):
                raise not_a_number_error(describe_cell(0, place), read_first_value(place))
        is_single_precision = all(arrow_types.is_float32(field.type) for field in schema)
        self.dtype = np.dtype(np.float32 if is_single_precision else np.float64)
        self._type = pa.float32() if is_single_precision else pa.float64()
        self._is_ready = all(field.type == self._type for field in schema)

    def to_matrix(self, parts: Sequence[Any], start: int) -> np.ndarray:
        """Consecutive record batches, the first beginning at row ``start``, as one array in C order."""
        arrays = []
        for part in parts:
            arrays.append(self._convert_batch(part, start))
            start += part.num_rows
        return read_only(arrays[0] if len(arrays) == 1 else np.concatenate(arrays))

    def _convert_batch(self, batch: Any, start: int) -> np.ndarray:
        if not self._is_ready:
            columns = [self._to_floats(column, start, place) for place, column in enumerate(batch.columns)]
            batch = pa.RecordBatch.from_arrays(columns, names=self.names)
        # Three times faster than stacking NumPy columns when there are many of them, and never slower.
        return batch.to_tensor(null_to_nan=True, row_major=True).to_numpy()

    def _to_floats(self, column: Any, start: int, place: int) -> Any:
        if arrow_types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if column.type == self._type:
            return column
        if arrow_types.is_decimal(column.type):
            # By way of text: the nearest double, as the same digits in a CSV file would give.
            floats = column.cast(pa.string()).cast(pa.float64())
            if column.type.scale <= 0:
                self._refuse_inexact(column, start, place)
            return floats
        try:
            return column.cast(self._type)
        except pa.ArrowInvalid:
            pass
        self._refuse_inexact(column, start, place)
        return column.cast(self._type, safe=False)

    def _refuse_inexact(self, column: Any, start: int, place: int) -> None:
        for row, value in enumerate(column.to_pylist()):
            if value is not None and abs(value) > MAX_EXACT_INTEGER:
                raise DataError(f"{self.describe_cell(start + row, place)}: {explain_inexact_integer(value)}")


def not_a_number_error(location: str, value: Any) -> DataError:
    """The refusal of text, dates and other things in a column of numbers."""
    if isinstance(value, str) and PLAIN_NUMBER_PATTERN.fullmatch(value):
        return DataError(f"{location}: {shorten(value)} is text; store this column as numbers.")
    if (
        isinstance(value, str)
        and len(value) <= MAX_FORMATTED_CHARACTERS
        and FORMATTED_NUMBER_PATTERN.fullmatch(value)
    ):
        advice: str = "write it as digits with a decimal point, as 1234.5"
    else:
        advice = Message(
            "encode the column as numbers (for files: {}), or leave it out", Parameter("encode", True)
        )
    problem = Message("{}: {} is no number; {}.", location, shorten(value), advice)
    return NotANumber(problem, location=location, value=shorten(value))


def explain_inexact_integer(value: Any) -> str:
    """Why a whole number beyond 2^53 is refused, and what to do."""
    number = shorten(value).replace("'", "")
    return (
        f"the whole number {number} is beyond 2^53, where doubles skip whole numbers; "
        "rescale the column, or store it as floating point."
    )


def shorten(value: Any) -> str:
    """A value as it stands in the data, cut to a length that fits a message."""
    text = repr(value if isinstance(value, str) else str(value))
    return text if len(text) <= 42 else f"{text[:38]}...'"


def _is_numeric(arrow_type: Any) -> bool:
    if arrow_types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    predicates = (
        arrow_types.is_floating,
        arrow_types.is_integer,
        arrow_types.is_boolean,
        arrow_types.is_decimal,
        arrow_types.is_null,
    )
    return any(has_type(arrow_type) for has_type in predicates)


class TableRows(MemoryRows):
    """Rows of an Arrow table, kept in its columns; a block becomes a matrix when it is used."""

    def _keep(self, table: Any, /) -> float:
        self.n_rows, self.n_columns = table.num_rows, table.num_columns
        self._numeric = NumericColumns(
            table.schema, self._describe_cell, lambda place: table.column(place)[0].as_py()
        )
        self.dtype = self._numeric.dtype
        self._batches = [batch for batch in table.to_batches() if batch.num_rows]
        self._starts = np.cumsum([0] + [batch.num_rows for batch in self._batches]).tolist()
        return self.n_columns * self.dtype.itemsize

    def _describe_cell(self, row: int, place: int) -> str:
        title = "" if self.columns is None else f" ({self.columns[place]})"
        return f"Row {row}, column {place}{title}"

    def _values(self, start: int, stop: int) -> Any:
        return lambda: self._numeric.to_matrix(self._slice_batches(start, stop), start)

    def _slice_batches(self, start: int, stop: int) -> list[Any]:
        parts = []
        number = bisect_right(self._starts, start) - 1
        while start < stop:
            batch_start, end = self._starts[number], min(stop, self._starts[number + 1])
            parts.append(self._batches[number].slice(start - batch_start, end - start))
            start, number = end, number + 1
        return parts


def rows_of_table(
    X: Any, codes: np.ndarray | None = None, classes: np.ndarray | None = None, *, n_jobs: int = 1
) -> Rows:
    """Rows of an Arrow table, a polars or pandas frame, or anything that exports Arrow record batches.

    >>> table = pa.table({"height": [1.5, 1.8], "children": [0, 2]})
    >>> rows = rows_of_table(table)
    >>> rows.columns, next(rows.blocks()).X.tolist()
    (('height', 'children'), [[1.5, 0.0], [1.8, 2.0]])
    """
    shape = getattr(X, "shape", (0, 0))
    if len(shape) != 2 or isinstance(X, pa.Array | pa.ChunkedArray):
        raise DataError(
            "X is a single column; give a table with one row per example (for one feature, of one column)."
        )
    if hasattr(X, "iloc"):
        names = tuple(X.columns)
        columns = names if all(isinstance(name, str) for name in names) else None
        _require_not_empty(*X.shape)
        array = _find_float_array(X)
        if array is not None:
            return DenseRows(array, codes, classes, columns=columns, n_jobs=n_jobs)
        return TableRows(_convert_pandas(X), codes, classes, columns=columns, n_jobs=n_jobs)
    table = _to_arrow_table(X)
    _require_not_empty(table.num_rows, table.num_columns)
    return TableRows(table, codes, classes, columns=tuple(table.column_names), n_jobs=n_jobs)


def _to_arrow_table(X: Any) -> Any:
    if isinstance(X, pa.Table):
        return X
    if type(X).__name__ == "LazyFrame":
        raise DataError("X is a lazy frame: call .collect() on it first.")
    try:
        table = X.to_arrow() if type(X).__module__.startswith("polars") else pa.table(X)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise DataError(f"X cannot be read as a table of numbers: {str(error).splitlines()[0]}.") from None
    refuse_damaged(table, "X")
    return table


def _find_float_array(frame: Any) -> np.ndarray | None:
    """The one array behind a frame of floats, or None when its columns were made apart."""
    dtype = frame.dtypes.iloc[0]
    if dtype not in (np.float32, np.float64) or not (frame.dtypes == dtype).all():
        return None
    first, last = frame.iloc[:, 0].to_numpy(), frame.iloc[:, -1].to_numpy()
    if first.base is None or first.base is not last.base:
        return None
    return frame.to_numpy()


def _convert_pandas(frame: Any) -> Any:
    columns = []
    for place in range(frame.shape[1]):
        series = frame.iloc[:, place]
        values = (
            series.to_numpy()
            if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf"
            else series
        )
        try:
            columns.append(pa.array(values))
        except (TypeError, ValueError, pa.ArrowException):
            row = next((row for row, value in enumerate(series) if not isinstance(value, int | float)), 0)
            location = f"Row {row}, column {place} ({frame.columns[place]})"
            raise not_a_number_error(location, series.iloc[row]) from None
    return pa.table(columns, names=[str(name) for name in frame.columns])


def _require_not_empty(n_rows: int, n_columns: int) -> None:
    if n_rows == 0:
        raise DataError(f"X has no rows (shape {(n_rows, n_columns)}): at least one is needed.")
    if n_columns == 0:
        raise DataError(f"X has no columns (shape {(n_rows, n_columns)}): at least one feature is needed.")
