"""The preparation: how the columns of the data became the numbers that a certificate speaks of.

Categories and rows with missing cells are repeated (``prepared_text``). Words, scales and imputed values are
not: the numbers that they made are known by their digest, in a file that holds them.
"""

from __future__ import annotations

from reprlib import repr as short
from typing import Any

from .csv_text import Text
from .field_types import Form, above_zero, double, fields, listed, names, optional, several, text, whole
from .prepared_text import PreparedText
from .record import Refused
from .table import Unreadable

MAX_HASHED_COLUMNS = 1 << 24
REMEDY = (
    "its preparation (words, scales or imputed values) is not repeated here: write the prepared rows with "
    "'separatrix export CERTIFICATE DATA --rows prepared.csv' and check those"
)


def _size(value: Any) -> int:
    if not 2 <= whole(value) <= MAX_HASHED_COLUMNS:
        raise ValueError
    return whole(value)


KIND: dict[str, Form] = {"kind": text, "name": text}
COLUMNS: dict[str, dict[str, Form]] = {
    "number": {**KIND, "fill": optional(double), "shift": double, "scale": above_zero},
    "categories": {**KIND, "values": names, "fill": optional(listed(double))},
    "words": {**KIND, "values": names},
    "hashed words": {**KIND, "size": _size},
}


class Preparation:
    """What became of each column, read from the certificate."""

    def __init__(self, record: Any) -> None:
        found = fields(record, {"missing": optional(text), "columns": several(_column)})
        self.missing, self.columns = found["missing"], found["columns"]
        if self.missing not in (None, "drop", "mean"):
            raise Unreadable("The certificate's 'missing' is damaged.")
        self.inputs = [column["name"] for column in self.columns]
        if len(set(self.inputs)) < len(self.inputs):
            raise Unreadable("The certificate's preparation names a column twice.")

    @property
    def repeatable(self) -> bool:
        """Whether its steps are those that are repeated here."""
        return self.missing != "mean" and all(map(_is_plain, self.columns))

    @property
    def names(self) -> list[str]:
        """The columns that it makes."""
        return [name for column in self.columns for name in _names(column)]

    def require_features(self, about: dict[str, Any]) -> None:
        """Refuse a preparation that makes other columns than the certificate speaks of."""
        if sum(map(_width, self.columns)) != len(about["features"] or ()) or self.names != about["features"]:
            raise Unreadable("The certificate's preparation makes other columns than its features.")
        if about["label"] in self.inputs:
            raise Unreadable("The certificate's preparation takes the label column for a feature.")
        if not self.repeatable and about["digest"] is None:
            raise Refused(f"It has no digest, and {REMEDY}.")

    def repeated(self, given: Text, header: list[str], label: str, measured: bool) -> PreparedText | None:
        """The prepared rows of a file with this header; None if it holds prepared rows already."""
        if not self.repeatable or not set(self.inputs) <= set(header):
            return None
        if label in self.inputs:
            raise Refused(f"It counts the label column {short(label)} among the features.")
        if len(self.names) >= given.limits.columns:
            what = f"has {len(self.names) + 1:,} columns once it is prepared"
            raise given.too_much(what, "columns", len(self.names) + 1)
        values = {column["name"]: column.get("values") for column in self.columns}
        return PreparedText(given, header, values, self.names, label, self.missing == "drop", measured)


def _column(record: Any) -> dict[str, Any]:
    kind = record.get("kind") if isinstance(record, dict) else None
    if not isinstance(kind, str) or kind not in COLUMNS:
        raise Unreadable(f"The certificate's preparation has a column of the kind {short(kind)}.")
    column = fields(record, COLUMNS[kind])
    if kind == "categories" and column["fill"] is not None and len(column["fill"]) != len(_encoded(column)):
        raise Unreadable("The certificate's 'fill' is damaged.")
    return column


def _is_plain(column: dict[str, Any]) -> bool:
    if column["kind"] == "number":
        return (column["fill"], column["shift"], column["scale"]) == (None, 0.0, 1.0)
    return column["kind"] == "categories" and column["fill"] is None


def _encoded(column: dict[str, Any]) -> list[str]:
    """The categories that have a column: of two the second alone."""
    values: list[str] = column["values"]
    return values[1:] if len(values) == 2 else values


def _width(column: dict[str, Any]) -> int:
    return int(column["size"]) if column["kind"] == "hashed words" else len(_names(column))


def _names(column: dict[str, Any]) -> list[str]:
    name, kind = column["name"], column["kind"]
    if kind == "number":
        return [name]
    if kind == "hashed words":
        return [f"{name}#{place}" for place in range(column["size"])]
    mark, values = ("=", _encoded(column)) if kind == "categories" else (":", column["values"])
    return [f"{name}{mark}{value}" for value in values]
