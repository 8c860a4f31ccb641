"""Files with a real number to predict in each row: the label column is read as numbers, not as classes.

No wish about the columns touches the target: it is neither scaled nor filled in, and a row without one is
left out with ``missing="drop"`` and refused otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.rows.errors import DataError
from separatrix.rows.files.array_headers import require_members
from separatrix.rows.files.column_choice import LABEL_NAMES, listed
from separatrix.rows.files.npy import readable, require_array, rows_of_npy, rows_of_npz
from separatrix.rows.files.options import ColumnOptions, ReadOptions
from separatrix.rows.files.source import Place, Source
from separatrix.rows.files.streamed_table import rows_of_columns
from separatrix.rows.rows import Rows
from separatrix.rows.views.targets import CodedTargets, TargetRows, with_targets

UNLABELLED = ColumnOptions(label=False)


class Numbers:
    """Stands where the classes of a file would: numbers stay as they are."""

    classes = None

    def see(self, column: np.ndarray, start: int) -> np.ndarray:
        return column

    def settle(self, positive: Any) -> None:
        """Numbers need no sorting into classes."""

    def settled(self, places: np.ndarray) -> np.ndarray:
        return places

    def codes(self, column: np.ndarray) -> np.ndarray:
        return column


def measured_columns(source: Source, names: Sequence[str], target: str, options: ReadOptions) -> Rows:
    """The rows of a source, with the numbers of the column ``target``."""
    together = ColumnOptions(label=False, features=[*names, target])
    try:
        rows = rows_of_columns(source, replace(options, columns=together, once=False))
    except DataError as error:
        raise of_target(error, target) from None
    return TargetRows(rows, len(names))


def of_target(error: DataError, target: str) -> DataError:
    """A refusal of text, where it stands in the target: making numbers of it would make no sense."""
    where, is_text, _ = str(error).partition(" is no number; ")
    if not is_text or f"column {target!r}: " not in where:
        return error
    return DataError(
        f"{where} is no number, which a regression predicts: name another column, or fit a classifier."
    )


def measured_parts(file: Any, options: ReadOptions, *, numbered: bool = False) -> Rows:
    """The rows of a file that comes in sparse parts, each with the numbers to predict."""
    from separatrix.rows.files.svmlight_rows import rows_of_parts

    rows = rows_of_parts(file, Numbers(), options, numbered=numbered)  # type: ignore[arg-type]
    return CodedTargets(rows)


def measured_svmlight(place: Place, options: ReadOptions) -> Rows:
    """The rows of a svmlight file, whose lines begin with the numbers to predict."""
    from separatrix.rows.files.svmlight import SvmlightFile

    if options.columns.label is not None:
        raise DataError(f"{place.name}: in a svmlight file the target begins each line; leave label= out.")
    return measured_parts(SvmlightFile(place), options, numbered=True)


def measured_npy(place: Place, options: ReadOptions) -> Rows:
    """The rows of one array, a column of which is to be predicted."""
    rows = rows_of_npy(place, replace(options, columns=UNLABELLED))
    label, width = options.columns.label, rows.n_columns
    if not isinstance(label, int) or isinstance(label, bool):
        raise DataError(
            f"{place.name} has {width} columns without names: say which one to predict by its number "
            "(label=-1 is the last)."
        )
    if not -width <= label < width:
        raise DataError(f"{place.name} has no column number {label}: it has {width} columns, counted from 0.")
    return TargetRows(rows, label % width)


def measured_npz(place: Place, options: ReadOptions) -> Rows:
    """The rows of the array X, with the numbers in another array of the archive."""
    rows = rows_of_npz(place, replace(options, columns=UNLABELLED))
    label = options.columns.label
    with readable(place.name), np.load(place.path, allow_pickle=False) as archive:
        wanted = [label] if isinstance(label, str) else LABEL_NAMES
        found = next((name for name in wanted if name in archive.files), None)
        if found is None:
            raise DataError(
                f"{place.name} has no array of targets called {', '.join(map(str, wanted))}; its arrays are "
                f"{listed(sorted(archive.files))}: name it with label=."
            )
        require_members(place, archive, [found])
        y = archive[found]
    require_array(place.name, y)
    rows = with_targets(rows, y, name=found)
    rows.label = found
    return rows
