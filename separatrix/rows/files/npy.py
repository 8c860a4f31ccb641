"""NumPy files: .npy mapped into memory, .npz read; the labels are a column of the array or an array apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from separatrix.messages import Message, Parameter
from separatrix.rows.block import read_only, rows_per_block
from separatrix.rows.data_errors import DataError
from separatrix.rows.files.array_headers import require_dimensions, require_member_headers, require_npy_header
from separatrix.rows.files.class_labels import LabelEncoder
from separatrix.rows.files.column_names import LABEL_NAMES, UNLABELLED, join_names
from separatrix.rows.files.options import ReadOptions
from separatrix.rows.files.source import InputFile, damaged_file_error
from separatrix.rows.memory import DenseRows, MemoryRows, SparseRows
from separatrix.rows.rows import Rows
from separatrix.rows.tables import MAX_EXACT_INTEGER, explain_inexact_integer

SPARSE_MEMBERS = {"indices", "indptr", "format", "shape", "data"}  # what scipy.sparse.save_npz writes


def read_npy(input_file: InputFile, options: ReadOptions) -> Rows:
    """Rows of one array in a .npy file, read from the disk as they are used."""
    with explain_numpy_errors(input_file.name):
        require_npy_header(input_file)
        array = np.load(input_file.path, mmap_mode="r", allow_pickle=False)
    _require_table(input_file.name, array)
    label = options.columns.label
    if label is False:
        return _make_rows(input_file.name, array, None, None, None, options.n_jobs)
    width = array.shape[1]
    if label is None or label is True or isinstance(label, str):
        raise DataError(
            Message(
                "{file} has {columns} without names: pass the number of the label column, as {last} for the "
                "last{unlabelled}.",
                file=input_file.name,
                columns=_count_in_words(width),
                last=Parameter("label", -1),
                unlabelled=UNLABELLED,
            )
        )
    if not -width <= label < width:
        raise DataError(
            f"{input_file.name} has no column number {label}: it has {_count_in_words(width)}, counted from "
            "0."
        )
    if width == 1:
        raise DataError(
            f"{input_file.name} has no feature columns besides the label: at least one is needed."
        )
    column = label % width
    codes, encoder = _encode_labels(
        input_file.name, f"column {column}", array[:, column], options.columns.positive, has_floats_only=True
    )
    return _make_rows(input_file.name, array, column, codes, encoder, options.n_jobs)


def read_npz(input_file: InputFile, options: ReadOptions) -> Rows:
    """Rows of the array X in a .npz file, the labels in an array beside it; or of a SciPy sparse matrix."""
    name, label = input_file.name, options.columns.label
    # Opened here: NumPy leaves a broken archive open.
    with (
        explain_numpy_errors(name),
        input_file.path.open("rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        found = set(archive.files)
        if found >= SPARSE_MEMBERS:
            require_member_headers(input_file, archive, found)
            require_dimensions(input_file, archive["shape"])
            return _read_sparse(input_file, label, options.n_jobs)
        if "X" not in found:
            raise DataError(f"{name} has no array called X; its arrays are {join_names(sorted(found))}.")
        y_name = None if label is False else _find_label_array(name, found, label)
        require_member_headers(input_file, archive, ["X"] if y_name is None else ["X", y_name])
        array = archive["X"]
        y = None if y_name is None else archive[y_name]
    _require_table(name, array)
    if y is None:
        return _make_rows(name, array, None, None, None, options.n_jobs)
    assert y_name is not None
    require_array(name, y)
    if y.shape != array.shape[:1]:
        raise DataError(
            f"{name}: X has {len(array)} rows and {y_name} has shape {y.shape}; one label per row is needed."
        )
    codes, encoder = _encode_labels(
        name, f"array {y_name!r}", y, options.columns.positive, has_floats_only=False
    )
    rows = _make_rows(name, array, None, codes, encoder, options.n_jobs)
    rows.label = y_name
    return rows


@contextmanager
def explain_numpy_errors(name: str) -> Iterator[None]:
    """One sentence for whatever NumPy and SciPy raise inside a damaged file.

    They parse headers as Python text and trust what these say, so nearly every exception occurs.
    """
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as error:
        # NumPy advises to allow pickles, which run code.
        if re.search("pickle|Python objects|magic string", str(error)):
            raise DataError(
                f"{name} cannot be read: it holds Python objects, or is no NumPy file; save arrays of "
                "numbers or text."
            ) from None
        raise damaged_file_error(name, error) from None


class ArrayRows(MemoryRows):
    """Rows of an array that must be converted or lose a label column inside: done a block at a time."""

    def __init__(
        self,
        array: np.ndarray,
        label: int | None,
        codes: np.ndarray | None,
        classes: np.ndarray | None,
        n_jobs: int,
    ) -> None:
        self._array = array
        self._feature_columns = np.array([column for column in range(array.shape[1]) if column != label])
        self.n_rows, self.n_columns = len(array), len(self._feature_columns)
        self.dtype = np.dtype(np.float32 if array.dtype == np.float32 else np.float64)
        self.n_jobs = n_jobs
        self.rows_in_block = rows_per_block(self.n_columns * self.dtype.itemsize)
        self._label(codes, classes)

    def _values(self, start: int, stop: int) -> Any:
        return lambda: read_only(
            np.ascontiguousarray(self._array[start:stop][:, self._feature_columns], self.dtype)
        )


def _make_rows(
    name: str,
    array: np.ndarray,
    label: int | None,
    codes: np.ndarray | None,
    encoder: LabelEncoder | None,
    n_jobs: int,
) -> Rows:
    classes = None if encoder is None else encoder.classes
    rows: Rows
    if array.dtype in (np.float32, np.float64) and label in (None, 0, array.shape[1] - 1):
        view = array if label is None else array[:, 1:] if label == 0 else array[:, :-1]
        rows = DenseRows(view, codes, classes, n_jobs=n_jobs)
    else:
        rows = ArrayRows(array, label, codes, classes, n_jobs)
    rows.name = name
    _require_valid_values(rows, array, label)
    rows.known_finite = True
    return rows


def _require_valid_values(rows: Rows, array: np.ndarray, label: int | None) -> None:
    is_long_integer = array.dtype.kind in "iu" and array.dtype.itemsize == 8
    for block in rows.blocks():
        X = block.X
        if is_long_integer:
            # Looked at before the conversion, which rounds them.
            original = array[block.start : block.stop]
            X = original if label is None else np.delete(original, label, axis=1)
        invalid = np.argwhere(
            (X > MAX_EXACT_INTEGER) | (X < -MAX_EXACT_INTEGER) if is_long_integer else ~np.isfinite(X)
        )
        if len(invalid):
            row, column = map(int, invalid[0])
            value = X[row, column]
            where = f"{rows.name}, row {block.start + row + 1}, column {column}"
            if is_long_integer:
                raise DataError(f"{where}: {explain_inexact_integer(int(value))}")
            value_name = "NaN" if np.isnan(value) else "infinite"
            raise DataError(f"{where}: the value is {value_name}; drop the row or fill it in.")


def _encode_labels(
    name: str, description: str, y: np.ndarray, positive: Any, *, has_floats_only: bool
) -> tuple[np.ndarray, LabelEncoder]:
    encoder = LabelEncoder(
        name, lambda row: f"{name}, row {row + 1}, {description}", has_floats_only=has_floats_only
    )
    if y.dtype.kind not in "biufU":
        raise DataError(f"{name}, {description}: labels are numbers, text or booleans, not {y.dtype}.")
    native = np.ascontiguousarray(y.astype(y.dtype.newbyteorder("=")))
    positions = encoder.update(native, 0)
    encoder.finish(positive)
    return encoder.recode(positions), encoder


def _find_label_array(name: str, found: set[str], label: str | int | bool | None) -> str:
    if isinstance(label, str) and label in found:
        return label
    default_name = next((default_name for default_name in LABEL_NAMES if default_name in found), None)
    if label is None and default_name is not None:
        return default_name
    raise DataError(
        Message(
            "{file} has no array of labels called {wanted}; its arrays are {arrays}: pass its name as "
            "{label}{unlabelled}.",
            file=name,
            wanted="y" if label is None else label,
            arrays=join_names(sorted(found)),
            label=Parameter("label"),
            unlabelled=UNLABELLED,
        )
    )


def _read_sparse(input_file: InputFile, label: str | int | bool | None, n_jobs: int) -> Rows:
    if label is not False:
        problem = "{} is a sparse matrix without labels: write rows and labels as svmlight{}."
        raise DataError(Message(problem, input_file.name, UNLABELLED))
    from scipy.sparse import load_npz

    matrix = load_npz(input_file.path)
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)  # before anything follows its indices
    matrix = matrix.tocsr()
    if matrix.dtype.kind not in "biuf" or matrix.dtype.itemsize > 8:
        raise DataError(
            f"{input_file.name} holds {matrix.dtype}, not plain numbers: save floats or integers."
        )
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    rows = SparseRows(matrix, n_jobs=n_jobs)
    rows.name = input_file.name
    return rows


def require_array(name: str, array: Any) -> None:
    if not isinstance(array, np.ndarray):  # NumPy hands over bytes that are no array as they are
        raise DataError(f"{name} holds something that is no array: it may be damaged, write it again.")
    if array.dtype.kind == "U" and array.dtype.itemsize:
        code_points = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).view(np.uint32)
        if ((code_points > 0x10FFFF) | ((code_points >= 0xD800) & (code_points < 0xE000))).any():
            raise DataError(f"{name} holds text that is not Unicode: it may be damaged, write it again.")


def _count_in_words(width: int) -> str:
    return "1 column" if width == 1 else f"{width} columns"


def _require_table(name: str, array: np.ndarray) -> None:
    require_array(name, array)
    type_kind = array.dtype.kind
    if type_kind not in "biuf" or array.dtype.itemsize > 8:
        raise DataError(
            f"{name} holds {array.dtype}, not plain numbers: save an array of floats or integers."
        )
    if array.ndim != 2:
        raise DataError(
            f"{name} holds an array of shape {array.shape}: a table of rows and columns is needed."
        )
    if 0 in array.shape:
        missing = "rows" if array.shape[0] == 0 else "columns"
        raise DataError(f"{name} has no {missing} (shape {array.shape}): at least one is needed.")
