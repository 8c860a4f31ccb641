"""Files with a real number to predict in each row: the label column is read as numbers, not as classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.rows.errors import DataError
from separatrix.rows.files import _format, read
from separatrix.rows.files.choice import LABEL_NAMES, listed
from separatrix.rows.files.source import Place
from separatrix.rows.sequence import Rows
from separatrix.rows.targets import CodedTargets, TargetRows, with_targets


def read_measured(path: Any, label: Any = None, *, features: Any = None, **options: Any) -> Rows:
    """Rows with real targets from a file; the options are those of `separatrix.rows.files.read`."""
    if label is False:
        raise DataError("regression=True needs the column to predict: name it with label=.")
    for option in ("positive", "scale", "preparation"):
        if options.pop(option, None) is not None:
            raise DataError(f"{option}= has no meaning for the real targets of regression=True.")
    kind = options.get("format") or _kind(path)
    if kind == "svmlight":
        return _of_svmlight(path, label, **options)
    if kind == "npz":
        return _of_npz(path, label, **options)
    if features is not None:
        features = [features] if isinstance(features, str) else list(features)
        if not isinstance(label, str):
            raise DataError("features= with regression=True needs the target by name: pass label=.")
        features = [name for name in features if name != label] + [label]
    extra = {} if features is None else {"features": features}
    rows = read(path, False, **extra, **options)
    return TargetRows(rows, _column(rows, label))


def _kind(path: Any) -> str:
    if hasattr(path, "read") or path == "-":
        return ""
    return _format(Place(path), None)[0]


def _column(rows: Rows, label: Any) -> int:
    where, width = rows.name or "The file", rows.n_columns
    if isinstance(label, int) and not isinstance(label, bool):
        if not -width <= label < width:
            raise DataError(f"{where} has no column number {label}: it has {width} columns, counted from 0.")
        return label % width
    if rows.columns is None:
        raise DataError(
            f"{where} has {width} columns without names: say which one to predict by its number (label=-1 is "
            "the last)."
        )
    wanted = [label] if isinstance(label, str) else LABEL_NAMES
    found = next((name for name in wanted if name in rows.columns), None)
    if found is None:
        raise DataError(
            f"{where} has no column called {', '.join(map(str, wanted))}; its columns are "
            f"{listed(rows.columns)}: say which one to predict with label=."
        )
    return rows.columns.index(found)


class _Numbers:
    """Stands where the classes of a svmlight file would: the numbers before the lines stay as they are."""

    classes = None

    def see(self, column: np.ndarray, start: int) -> np.ndarray:
        return column

    def settle(self, positive: Any) -> None:
        """Numbers need no sorting into classes."""

    def settled(self, places: np.ndarray) -> np.ndarray:
        return places

    def codes(self, column: np.ndarray) -> np.ndarray:
        return column


def _of_svmlight(
    path: Any,
    label: Any,
    *,
    memory: int = 256 * 2**20,
    n_jobs: int | None = None,
    zero_based: bool | None = None,
    n_columns: int | None = None,
    format: str | None = None,
) -> Rows:
    from separatrix.rows.files.sparse import rows_of_parts
    from separatrix.rows.files.svmlight import SvmlightFile
    from separatrix.rows.sequence import jobs

    place = Place(path)
    if label is not None:
        raise DataError(f"{place.name}: in a svmlight file the target begins each line; leave label= out.")
    rows = rows_of_parts(
        SvmlightFile(place, _format(place, format)[1]),
        _Numbers(),  # type: ignore[arg-type]
        positive=None,
        memory=memory,
        n_jobs=jobs(n_jobs),
        n_columns=n_columns,
        zero_based=zero_based,
        numbered=True,
    )
    return CodedTargets(rows)


def _of_npz(path: Any, label: Any, **options: Any) -> Rows:
    rows: Any = read(path, False, **options)
    with np.load(path, allow_pickle=False) as archive:
        wanted = [label] if isinstance(label, str) else LABEL_NAMES
        found = next((name for name in wanted if name in archive.files), None)
        if found is None:
            raise DataError(
                f"{rows.name} has no array of targets called {', '.join(map(str, wanted))}; its arrays are "
                f"{listed(sorted(archive.files))}: name it with label=."
            )
        y = archive[found]
    rows = with_targets(rows, y, name=found)
    rows.label = found
    return rows
