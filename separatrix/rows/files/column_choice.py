"""Which columns of a file are features, and which one is the label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from separatrix.rows.errors import DataError
from separatrix.rows.files.options import ColumnOptions
from separatrix.rows.tables import shorten

LABEL_NAMES = ("label", "y", "target", "class")


def choose(name: str, columns: Sequence[str], asked: ColumnOptions) -> tuple[list[str], str | None]:
    """The feature columns in order, and the label column or None.

    >>> choose("heart.csv", ["age", "id", "label"], ColumnOptions(drop=["id"]))
    (['age'], 'label')
    """
    twice = [column for column, count in Counter(columns).items() if count > 1]
    if twice:
        raise DataError(
            f"{name} has more than one column called {shorten(twice[0])}: give each its own name."
        )
    _require_known(name, columns, asked.drop, "drop")
    chosen = None if asked.label is False else _label(name, columns, asked.label)
    if asked.features is not None:
        _require_known(name, columns, asked.features, "features")
        _require_apart(name, asked.features, chosen)
        names = [column for column in asked.features if column not in asked.drop]
    else:
        names = [column for column in columns if column != chosen and column not in asked.drop]
    if not names:
        but = "" if chosen is None else f" besides the label {chosen!r}"
        raise DataError(f"{name} has no feature columns{but}: at least one is needed.")
    if "" in names:
        number = columns.index("") + 1
        raise DataError(
            f"{name}: column {number} has no name (a row index?); name it, or leave it out with drop=['']."
        )
    return names, chosen


def _label(name: str, columns: Sequence[str], label: str | int | bool | None) -> str:
    if label is None:
        for usual in LABEL_NAMES:
            if usual in columns:
                return usual
        raise DataError(
            f"{name} has no column called {', '.join(LABEL_NAMES[:-1])} or {LABEL_NAMES[-1]}; its columns "
            f"are {listed(columns)}: say which one holds the labels with label=, or label=False for none."
        )
    if isinstance(label, str):
        if label not in columns:
            raise DataError(f"{name} has no column called {label!r}; its columns are {listed(columns)}.")
        return label
    if label is True or not -len(columns) <= label < len(columns):
        raise DataError(
            f"{name} has no column number {label}: it has {len(columns)} columns, counted from 0."
        )
    return columns[label]


def _require_known(name: str, columns: Sequence[str], asked: Sequence[str], option: str) -> None:
    for column in asked:
        if column not in columns:
            raise DataError(
                f"{name} has no column called {column!r} ({option}=); its columns are {listed(columns)}."
            )


def _require_apart(name: str, features: Sequence[str], label: str | None) -> None:
    if len(set(features)) < len(features):
        raise DataError(f"{name}: features= names a column twice.")
    if label in features:
        raise DataError(
            f"{name}: the label column {label!r} cannot be a feature too; take it out of features=."
        )


def listed(columns: Sequence[str]) -> str:
    """Names for a message: the first few when there are many, "none" when there are none.

    >>> listed(["age", "weight"]), listed([])
    ('age, weight', 'none')
    """
    if not columns:
        return "none"
    shown = ", ".join(name if len(name) <= 40 else f"{name[:37]}..." for name in columns[:12])
    return shown if len(columns) <= 12 else f"{shown}, ... ({len(columns)} in all)"
