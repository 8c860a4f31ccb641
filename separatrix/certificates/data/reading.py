"""The data a certificate speaks of, read afresh: pieces of doubles with their signs.

Arrays, nested lists, pandas, polars and Arrow tables, SciPy sparse matrices, and any object whose
``blocks()`` yields blocks with ``X`` and ``codes``. Nothing is copied as a whole; every piece becomes
float64, exactly or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from separatrix.certificates.data.exact_doubles import exactly
from separatrix.certificates.data.labels import Label, Signs, larger_of, plain, same_label, signs_of
from separatrix.certificates.data.preparation import Preparation
from separatrix.certificates.data.prepared_table import prepared
from separatrix.certificates.data.sparse_structure import checked, csr, valid_csr

Matrix: TypeAlias = Any  # a float64 ndarray or csr_array
Cut: TypeAlias = Callable[[int, int], Any]

CACHE_VALUES = 262144


class Piece:
    """Rows ``start`` to ``stop - 1``: float64 values (dense or CSR) and signs, made when asked for."""

    def __init__(self, start: int, stop: int, values: Callable[[], Any], signs: Callable[[], Signs]) -> None:
        self.start = start
        self.stop = stop
        self._values = values
        self._signs = signs

    @cached_property
    def X(self) -> Matrix:
        return doubles(self._values())

    @cached_property
    def signs(self) -> Signs:
        return self._signs()


@dataclass(frozen=True)
class RowSource:
    """Signed rows that can be walked again and again.

    Attributes
    ----------
    n_rows, n_columns
    positive
        The label that is +1; None where the rows have real targets.
    names, label
        Names of the columns and of the label column, where there are any.
    pieces
        Starts a new walk.
    preparation
        How the numbers were made of other columns, where this is known: a record with ``to_dict``.
    """

    n_rows: int
    n_columns: int
    positive: Label | None
    names: tuple[str, ...] | None
    label: str | None
    pieces: Callable[[], Iterator[Piece]]
    preparation: Any = None

    @property
    def distinct_names(self) -> tuple[str, ...] | None:
        """The names of the columns, unless two have the same."""
        names = self.names or ()
        return self.names if len(set(names)) == len(names) else None

    def has_positive(self) -> bool:
        """Whether some row has the positive label."""
        return any((piece.signs > 0).any() for piece in self.pieces())

    def gather(self, rows: Sequence[int]) -> Iterator[tuple[Matrix, Signs, slice]]:
        """The given ascending rows, piece by piece: values, signs, and which part of ``rows`` they are."""
        wanted = np.asarray(rows, dtype=np.int64)
        for piece in self.pieces():
            first, last = np.searchsorted(wanted, (piece.start, piece.stop)).tolist()
            if first < last:
                local = wanted[first:last] - piece.start
                X = piece.X[local]
                refuse_infinite(X, wanted[first:last])
                yield X, piece.signs[local], slice(first, last)


def read(
    X: Any,
    y: Any = None,
    positive: Any = None,
    label: str | None = None,
    features: Sequence[str] | None = None,
    preparation: Preparation | None = None,
) -> RowSource:
    """The source behind ``X, y``, a pair ``(X, y)``, labelled rows, or a table that holds its label column.

    >>> source = read([[1, 2], [3, 4]], ["no", "yes"])
    >>> source.positive, [piece.signs.tolist() for piece in source.pieces()]
    ('yes', [[-1, 1]])
    """
    if isinstance(X, RowSource) and y is None:
        return X
    if isinstance(X, tuple) and len(X) == 2 and y is None:
        X, y = X
    refuse_damaged(X, y)
    if hasattr(X, "each"):
        if y is not None:
            raise ValueError("These rows carry their own labels; give no second ones.")
        return _labelled(X, positive)
    name = getattr(y, "name", None)
    label = name if isinstance(name, str) else label
    X, y, applied = prepared(X, y, label, preparation)
    X, y, names = chosen_columns(X, y, label, features)
    if y is None:
        raise ValueError("Labels are missing: give X and y, or rows that carry their labels.")
    cut, n_rows, n_columns, step = cut_of(X)
    signs, positive = signs_of(y, positive)
    if len(signs) != n_rows:
        raise ValueError(f"The data has {n_rows} rows and {len(signs)} labels.")

    def cut_signs(start: int, stop: int) -> Signs:
        return signs[start:stop]

    def pieces() -> Iterator[Piece]:
        for start in range(0, n_rows, step):
            stop = min(start + step, n_rows)
            yield Piece(start, stop, partial(cut, start, stop), partial(cut_signs, start, stop))

    return RowSource(n_rows, n_columns, positive, names, label, pieces, applied)


def _labelled(rows: Any, positive: Any) -> RowSource:
    if rows.classes is None:
        raise ValueError("These rows have no labels.")
    classes = [plain(label) for label in rows.classes]
    if positive is None:
        larger_of(classes)  # exactly two, or a sentence
        codes = [1]
    else:
        codes = [k for k, label in enumerate(classes) if same_label(label, positive)]

    names = getattr(rows, "columns", None)
    return RowSource(
        n_rows=rows.n_rows,
        n_columns=rows.n_columns,
        positive=classes[1] if positive is None else positive,
        names=None if names is None else tuple(names),
        label=getattr(rows, "label", None),
        pieces=pieces_of(rows, SignedPiece(tuple(codes))),
        preparation=getattr(rows, "preparation", None),
    )


@dataclass(frozen=True)
class SignedPiece:
    """A block of `Rows` as a piece; the classes ``codes`` are +1 in it."""

    codes: tuple[int, ...]

    def __call__(self, block: Any) -> Piece:
        signs = partial(_signs_of, block.codes, self.codes)
        return Piece(block.start, block.stop, partial(block_values, block), signs)


def pieces_of(rows: Any, term: Callable[[Any], Piece]) -> Callable[[], Iterator[Piece]]:
    """The pieces of `Rows`, in order, on one thread: what a piece holds is made when it is used."""
    return partial(rows.with_threads(1).each, term, parallel_blas=True)


def block_values(block: Any) -> Any:
    """The values of a block, its sparse layout checked."""
    X = block.X
    return valid_csr(X[0], X[1], X[2], block.n_columns) if isinstance(X, tuple) else X


def _signs_of(codes: Any, positive: tuple[int, ...]) -> Signs:
    is_positive = codes == positive[0] if len(positive) == 1 else np.isin(codes, positive)
    return np.where(is_positive, np.int8(1), np.int8(-1))


def chosen_columns(
    X: Any, y: Any, label: str | None, features: Sequence[str] | None
) -> tuple[Any, Any, tuple[str, ...] | None]:
    """Of a table with named columns: its features by name, and its label column where ``y`` is not given."""
    names = getattr(X, "column_names", getattr(X, "columns", None))
    if names is None or not all(isinstance(name, str) for name in names):
        return X, y, None
    names = tuple(names)
    wanted = names if features is None else tuple(features)
    if y is None and label in names:
        y = X[label]
        if features is None:
            wanted = tuple(name for name in wanted if name != label)
    if wanted != names and len(set(wanted)) == len(wanted) and set(wanted) <= set(names):
        X = X.select(list(wanted)) if hasattr(X, "select") else X[list(wanted)]
        names = wanted
    return X, y, names


def refuse_damaged(*data: Any) -> None:
    """Raise a ``ValueError`` for Arrow data with an offset or an index that leads outside its buffers.

    Arrow itself does not look, and reading such data would end the process.
    """
    for part in (part for given in data for part in _arrow_parts(given)):
        try:
            part.validate(full=True)
        except Exception as error:  # of PyArrow, which this package does not import
            first = str(error).strip().split("\n", 1)[0].rstrip(". ")
            raise ValueError(f"The data is damaged Arrow data: {first}. Make or read it again.") from None
        if "union" in str(getattr(part, "type", "")).split("<")[0]:
            raise ValueError("The data is an Arrow union, which is neither numbers nor text: give one type.")


def _arrow_parts(data: Any) -> Iterator[Any]:
    """The PyArrow table or array that ``data`` is, or those behind a pandas object and its column names."""
    if any(kind.__module__.startswith("pyarrow") for kind in type(data).__mro__):
        if hasattr(data, "validate"):
            yield data
    elif hasattr(data, "iloc") and data.ndim == 2:
        yield from _behind(data.columns)
        for place in range(data.shape[1]):
            yield from _behind(data.iloc[:, place])
    elif hasattr(data, "dtype"):
        yield from _behind(data)


def _behind(values: Any) -> Iterator[Any]:
    """The Arrow array of a pandas series, index or extension array, or of its categories."""
    kind = values.dtype
    if type(kind).__name__ == "CategoricalDtype":
        if kind.categories is not None:
            yield from _behind(kind.categories)
    elif type(kind).__name__ == "ArrowDtype" or getattr(kind, "storage", "") == "pyarrow":
        yield getattr(values, "array", values).__arrow_array__()


def cut_of(X: Any) -> tuple[Cut, int, int, int]:
    """How to take rows ``start:stop`` out of X, its shape, and the rows of a piece that fits the cache."""
    if hasattr(X, "tocsr"):
        X = checked(X)
        data, indices, indptr = X.data, X.indices, X.indptr

        def cut(start: int, stop: int) -> Any:
            part = slice(indptr[start], indptr[stop])
            return csr(data[part], indices[part], indptr[start : stop + 1] - indptr[start], X.shape[1])
    elif hasattr(X, "iloc"):

        def cut(start: int, stop: int) -> Any:
            return X.iloc[start:stop]
    elif hasattr(X, "slice"):

        def cut(start: int, stop: int) -> Any:
            return X.slice(start, stop - start)
    else:
        X = doubles(X) if isinstance(X, (list, tuple)) else np.asarray(X)

        def cut(start: int, stop: int) -> Any:
            return X[start:stop]

    if len(X.shape) != 2:
        raise ValueError(f"X must be a table of rows and columns, not an array of shape {X.shape}.")
    n_rows, n_columns = X.shape
    if n_rows == 0:
        raise ValueError("The data has no rows.")
    if n_columns == 0:
        raise ValueError("The data has no columns.")
    return cut, n_rows, n_columns, _cache_rows(X)


def _cache_rows(X: Any) -> int:
    values = X.nnz / max(1, X.shape[0]) if hasattr(X, "nnz") else X.shape[1]
    return max(1, int(CACHE_VALUES / max(1, values)))


def cache_sized_slices(X: Matrix) -> Iterator[slice]:
    """Slices of rows of about 2 MB."""
    n_rows, step = X.shape[0], _cache_rows(X)
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def stored(X: Matrix) -> npt.NDArray[np.float64]:
    """The values that are stored: all of a dense matrix, the non-zeros of a sparse one."""
    values: npt.NDArray[np.float64] = X if isinstance(X, np.ndarray) else X.data
    return values


def doubles(X: Any) -> Matrix:
    """The same numbers as float64, dense or CSR; a ``ValueError`` where a double does not hold one.

    Dense ones come in C order: sums over the same numbers are to round alike however these lie in memory.
    """
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        return X if X.dtype == np.float64 else csr(exactly(X.data), X.indices, X.indptr, X.shape[1])
    if isinstance(X, (list, tuple)):
        if len({np.shape(row) for row in X}) > 1:
            raise ValueError("The rows of X differ in length.")
        X = np.array(X, dtype=object)
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X must be a table of rows and columns, not an array of shape {X.shape}.")
    return np.ascontiguousarray(X if X.dtype == np.float64 else exactly(X))


def refuse_infinite(X: Matrix, rows: Sequence[int] | npt.NDArray[np.int64]) -> None:
    """Raise a ``ValueError`` that names the first NaN or infinity; ``rows`` are the numbers of the rows."""
    wrong = np.argwhere(~np.isfinite(stored(X)))
    if wrong.size:
        row, column = wrong[0].tolist() if isinstance(X, np.ndarray) else _place(X, int(wrong[0, 0]))
        raise ValueError(
            f"Row {rows[row]}, column {column} (counted from 0) holds {X[row, column]}; "
            "a verdict needs finite numbers."
        )


def _place(X: Matrix, entry: int) -> tuple[int, int]:
    """Row and column of a stored entry of a sparse matrix."""
    return int(np.searchsorted(X.indptr, entry, side="right")) - 1, int(X.indices[entry])
