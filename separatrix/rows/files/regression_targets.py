"""Files with a real number to predict in each row: the label column is read as numbers, not as classes.

No wish about the columns touches the target: it is neither scaled nor filled in, and a row without one is
left out with ``missing="drop"`` and refused otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.messages import Message, Parameter
from separatrix.rows.data_errors import DataError, NotANumber
from separatrix.rows.files.array_headers import require_member_headers
from separatrix.rows.files.column_names import LABEL_NAMES, join_names
from separatrix.rows.files.npy import explain_numpy_errors, read_npy, read_npz, require_array
from separatrix.rows.files.options import ColumnOptions, ReadOptions
from separatrix.rows.files.source import InputFile, Source
from separatrix.rows.files.streamed_table import read_columns
from separatrix.rows.rows import Rows
from separatrix.rows.views.targets import CodedTargets, TargetRows, with_targets

UNLABELLED = ColumnOptions(label=False)


class UnchangedTargets:
    """Stands where the classes of a file would: numbers stay as they are."""

    classes = None

    def update(self, column: np.ndarray, start: int) -> np.ndarray:
        return column

    def finish(self, positive: Any) -> None:
        """Numbers need no sorting into classes."""

    def recode(self, positions: np.ndarray) -> np.ndarray:
        return positions

    def encode(self, column: np.ndarray) -> np.ndarray:
        return column


def read_columns_with_target(source: Source, names: Sequence[str], target: str, options: ReadOptions) -> Rows:
    """The rows of a source, with the numbers of the column ``target``."""
    all_columns = ColumnOptions(label=False, features=[*names, target])
    try:
        rows = read_columns(source, replace(options, columns=all_columns, once=False))
    except DataError as error:
        raise explain_target_error(error, target) from None
    return TargetRows(rows, len(names))


def explain_target_error(error: DataError, target: str) -> DataError:
    """A refusal of text, where it stands in the target: making numbers of it would make no sense."""
    if not (isinstance(error, NotANumber) and error.location.endswith(f"column {target!r}")):
        return error
    return DataError(
        f"{error.location}: {error.value} is no number, which a regression predicts: name another column, or "
        "fit a classifier."
    )


def read_parts_with_target(file: Any, options: ReadOptions, *, is_numbered: bool = False) -> Rows:
    """The rows of a file that comes in sparse parts, each with the numbers to predict."""
    from separatrix.rows.files.svmlight_rows import read_parts

    rows = read_parts(file, UnchangedTargets(), options, is_numbered=is_numbered)  # type: ignore[arg-type]
    return CodedTargets(rows)


def read_svmlight_with_target(input_file: InputFile, options: ReadOptions) -> Rows:
    """The rows of a svmlight file, whose lines begin with the numbers to predict."""
    from separatrix.rows.files.svmlight import SvmlightFile

    if options.columns.label is not None:
        raise DataError(
            Message(
                "{}: in a svmlight file the target begins each line; leave {} out.",
                input_file.name,
                Parameter("label"),
            )
        )
    return read_parts_with_target(SvmlightFile(input_file), options, is_numbered=True)


def read_npy_with_target(input_file: InputFile, options: ReadOptions) -> Rows:
    """The rows of one array, a column of which is to be predicted."""
    rows = read_npy(input_file, replace(options, columns=UNLABELLED))
    label, width = options.columns.label, rows.n_columns
    if not isinstance(label, int) or isinstance(label, bool):
        raise DataError(
            Message(
                "{} has {} columns without names: pass the number of the target column, as {} for the last.",
                input_file.name,
                width,
                Parameter("label", -1),
            )
        )
    if not -width <= label < width:
        raise DataError(
            f"{input_file.name} has no column number {label}: it has {width} columns, counted from 0."
        )
    return TargetRows(rows, label % width)


def read_npz_with_target(input_file: InputFile, options: ReadOptions) -> Rows:
    """The rows of the array X, with the numbers in another array of the archive."""
    rows = read_npz(input_file, replace(options, columns=UNLABELLED))
    label = options.columns.label
    with explain_numpy_errors(input_file.name), np.load(input_file.path, allow_pickle=False) as archive:
        names = [label] if isinstance(label, str) else LABEL_NAMES
        name = next((name for name in names if name in archive.files), None)
        if name is None:
            raise DataError(
                Message(
                    "{} has no array of targets called {}; its arrays are {}: pass its name as {}.",
                    input_file.name,
                    ", ".join(map(str, names)),
                    join_names(sorted(archive.files)),
                    Parameter("label"),
                )
            )
        require_member_headers(input_file, archive, [name])
        y = archive[name]
    require_array(input_file.name, y)
    rows = with_targets(rows, y, name=name)
    rows.label = name
    return rows
