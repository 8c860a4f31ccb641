"""The column names of a file: which are features, which is the label, and which are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from separatrix.messages import Message, Parameter, PythonOnly
from separatrix.rows.data_errors import DataError, MissingColumn, NoLabelColumn
from separatrix.rows.files.options import ColumnOptions
from separatrix.rows.tables import shorten

LABEL_NAMES = ("label", "y", "target", "class")
UNLABELLED = PythonOnly(", or label=False for rows without labels")


def choose_columns(name: str, columns: Sequence[str], options: ColumnOptions) -> tuple[list[str], str | None]:
    """The feature columns in order, and the label column or None.

    >>> choose_columns("heart.csv", ["age", "id", "label"], ColumnOptions(drop=["id"]))
    (['age'], 'label')
    """
    _require_distinct(name, columns)
    _require_known(name, columns, options.drop, "drop")
    label = None if options.label is False else _find_label(name, columns, options.label)
    if options.features is not None:
        _require_known(name, columns, options.features, "features")
        _require_disjoint(name, options.features, label)
        names = [column for column in options.features if column not in options.drop]
    else:
        names = [column for column in columns if column != label and column not in options.drop]
    if not names:
        besides = "" if label is None else f" besides the label {label!r}"
        raise DataError(f"{name} has no feature columns{besides}: at least one is needed.")
    if "" in names:
        number = columns.index("") + 1
        raise DataError(
            Message(
                "{}: column {} has no name (a row index?); name it, or leave it out with {}.",
                name,
                number,
                Parameter("drop", [""]),
            )
        )
    return names, label


def _require_distinct(name: str, columns: Sequence[str]) -> None:
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        again = shorten(repeated[0])
        raise DataError(f"{name} has more than one column called {again}: give each its own name.")


def _find_label(name: str, columns: Sequence[str], label: str | int | bool | None) -> str:
    if label is None:
        for candidate in LABEL_NAMES:
            if candidate in columns:
                return candidate
        raise NoLabelColumn(
            Message(
                "{file} has no column called {names}; its columns are {columns}: pass the label column as "
                "{label}{unlabelled}.",
                file=name,
                names=f"{', '.join(LABEL_NAMES[:-1])} or {LABEL_NAMES[-1]}",
                columns=join_names(columns),
                label=Parameter("label"),
                unlabelled=UNLABELLED,
            )
        )
    if isinstance(label, str):
        if label not in columns:
            raise DataError(f"{name} has no column called {label!r}; its columns are {join_names(columns)}.")
        return label
    if label is True or not -len(columns) <= label < len(columns):
        raise DataError(
            f"{name} has no column number {label}: it has {len(columns)} columns, counted from 0."
        )
    return columns[label]


def _require_known(name: str, columns: Sequence[str], requested: Sequence[str], option: str) -> None:
    for column in requested:
        if column not in columns:
            raise MissingColumn(name, column, join_names(columns), option)


def _require_disjoint(name: str, features: Sequence[str], label: str | None) -> None:
    if len(set(features)) < len(features):
        raise DataError(Message("{}: {} names a column twice.", name, Parameter("features")))
    if label in features:
        problem = "{}: the label column {!r} cannot be a feature too; take it out of {}."
        raise DataError(Message(problem, name, label, Parameter("features")))


def join_names(columns: Sequence[str]) -> str:
    """Names for a message: the first few when there are many, "none" when there are none.

    >>> join_names(["age", "weight"]), join_names([])
    ('age, weight', 'none')
    """
    if not columns:
        return "none"
    shown = ", ".join(name if len(name) <= 40 else f"{name[:37]}..." for name in columns[:12])
    return shown if len(columns) <= 12 else f"{shown}, ... ({len(columns)} in all)"
