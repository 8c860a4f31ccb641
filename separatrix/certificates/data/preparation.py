"""How the columns of a file became the numbers that a certificate speaks of: the record `about.preparation`.

Two steps are simple enough to be repeated by whoever checks a certificate: a column of categories becomes
columns of 0 and 1, and rows with a missing cell are left out. Counts of words, scales and imputed values are
described and not repeated here; ``separatrix export --rows`` writes the table that they make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from separatrix.certificates.fields import ANY_WHOLE, DOUBLE, POSITIVE, TEXT, CertificateError, shown
from separatrix.certificates.forms import Form, limited, listed, object_schema, optional, some

MISSING_RULES = (None, "drop", "mean")
MAX_HASHED_COLUMNS = 2**24  # columns for the words of one text
REMEDY = (
    "its preparation (words, scales or imputed values) is not repeated here: write the prepared rows with "
    "'separatrix export CERTIFICATE DATA --rows prepared.csv' and check those"
)


_TEXTS = some(TEXT)
TEXTS = Form(_TEXTS.read, "some distinct text", {**_TEXTS.schema, "uniqueItems": True})
SIZE = limited(
    ANY_WHOLE,
    "whole from 2 to 2²⁴",
    lambda size: 2 <= size <= MAX_HASHED_COLUMNS,
    type="integer",
    minimum=2,
    maximum=MAX_HASHED_COLUMNS,
)
FIELDS: dict[str, dict[str, Form]] = {
    "number": {"name": TEXT, "fill": optional(DOUBLE), "shift": DOUBLE, "scale": POSITIVE},
    "categories": {"name": TEXT, "values": TEXTS, "fill": optional(listed(DOUBLE))},
    "words": {"name": TEXT, "values": TEXTS},
    "hashed words": {"name": TEXT, "size": SIZE},
}


@dataclass(frozen=True)
class PreparedColumn:
    """A column of the data, and the columns of numbers it becomes.

    Attributes
    ----------
    kind, name
        One of `FIELDS`, and what the column is called in the data.
    values
        Of categories and words: each value that is known.
    fill, shift, scale
        Of numbers: what a missing one becomes, then (value − shift)/scale. Of categories ``fill`` alone.
    size
        Of hashed words: the number of columns.
    """

    kind: str
    name: str
    values: tuple[str, ...] = ()
    fill: float | tuple[float, ...] | None = None
    shift: float = 0.0
    scale: float = 1.0
    size: int = 0

    @property
    def is_repeatable(self) -> bool:
        """Whether it is the number or the category that stands in a row, and nothing else."""
        is_plain = self.fill is None and self.shift == 0.0 and self.scale == 1.0
        return self.kind in ("number", "categories") and is_plain

    @property
    def encoded(self) -> tuple[str, ...]:
        """The categories that have a column: of two the second alone."""
        return self.values[1:] if len(self.values) == 2 else self.values

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it becomes."""
        if self.kind == "number":
            return (self.name,)
        if self.kind == "hashed words":
            return tuple(f"{self.name}#{place}" for place in range(self.size))
        mark, values = ("=", self.encoded) if self.kind == "categories" else (":", self.values)
        return tuple(f"{self.name}{mark}{value}" for value in values)


@dataclass(frozen=True)
class Preparation:
    """How each column of the data becomes numbers, and what happens where a cell is missing."""

    missing: str | None
    columns: tuple[PreparedColumn, ...]

    @property
    def input_names(self) -> tuple[str, ...]:
        """The columns of the data."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns of numbers."""
        return tuple(name for column in self.columns for name in column.names)

    def require_columns(self, features: tuple[str, ...] | None, label: str | None) -> None:
        """Raise if the columns of numbers are not ``features``, or one that is prepared is the label."""
        width = sum(column.size or len(column.names) for column in self.columns)
        if features is None or width != len(features) or self.names != features:
            raise CertificateError("The certificate's preparation makes other columns than its features.")
        if label in self.input_names:
            raise CertificateError("The certificate's preparation takes the label column for a feature.")

    def refusal(self, made: Any, digest: str | None) -> str | None:
        """Why numbers that were ``made`` by a preparation, or elsewhere (None), are not those spoken of.

        Those that were made elsewhere, by steps that are not repeated here, are known by their digest.
        """
        if made is not None and preparation_of(made) != self:
            return "It speaks of rows that were prepared otherwise than these."
        is_known = made is not None or self.is_repeatable or digest is not None
        return None if is_known else "It has no digest."

    def with_remedy(self, refusal: str) -> str:
        """The refusal of data that was not prepared here, and what to do if it has to be prepared."""
        return refusal if self.is_repeatable else f"{refusal.removesuffix('.')}; {REMEDY}."

    @property
    def is_repeatable(self) -> bool:
        """Whether checkers repeat it."""
        return self.missing != "mean" and all(column.is_repeatable for column in self.columns)

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        columns = []
        for column in self.columns:
            details = {name: getattr(column, name) for name in FIELDS[column.kind]}
            plain = {name: list(v) if isinstance(v, tuple) else v for name, v in details.items()}
            columns.append({"kind": column.kind, **plain})
        return {"missing": self.missing, "columns": columns}


def preparation_of(value: Any) -> Preparation:
    """The preparation of a JSON object, or of rows; ValueError for anything else.

    >>> record = {"kind": "categories", "name": "sex", "values": ["f", "m"], "fill": None}
    >>> preparation_of({"missing": "drop", "columns": [record]}).names
    ('sex=m',)
    """
    if isinstance(value, Preparation):
        return value
    value = value.to_dict() if hasattr(value, "to_dict") else value
    if not isinstance(value, Mapping) or value.keys() != {"missing", "columns"}:
        raise ValueError("it should be an object with just the fields 'missing' and 'columns'")
    missing, columns = value["missing"], value["columns"]
    if not any(missing is rule or (isinstance(missing, str) and missing == rule) for rule in MISSING_RULES):
        raise ValueError(f"its rule for missing cells is {shown(missing)}")
    if not isinstance(columns, list) or not columns:
        raise ValueError("it has no list of columns")
    made = Preparation(missing, tuple(map(_column_of, columns)))
    if len(set(made.input_names)) < len(made.columns):
        raise ValueError("it names a column twice")
    return made


def _column_of(record: Any) -> PreparedColumn:
    kind = record.get("kind") if isinstance(record, Mapping) else None
    if not isinstance(kind, str) or kind not in FIELDS:
        raise ValueError(f"a column is of the kind {shown(kind)}")
    forms = FIELDS[kind]
    if record.keys() != {"kind", *forms}:
        raise ValueError(f"a column of {kind} should have just the fields kind, {', '.join(forms)}")
    column = PreparedColumn(kind, **{name: form(record[name]) for name, form in forms.items()})
    if len(set(column.values)) < len(column.values):
        raise ValueError(f"a value of the column {shown(column.name)} occurs twice")
    if kind == "categories" and isinstance(column.fill, tuple) and len(column.fill) != len(column.encoded):
        raise ValueError(f"the column {shown(column.name)} has {len(column.fill)} means")
    return column


def _schema(kind: str) -> dict[str, Any]:
    return object_schema(
        {"kind": {"const": kind}} | {name: form.schema for name, form in FIELDS[kind].items()}
    )


PREPARATION = Form(
    preparation_of,
    "preparation",
    object_schema(
        {
            "missing": {"enum": list(MISSING_RULES)},
            "columns": {"type": "array", "items": {"oneOf": list(map(_schema, FIELDS))}, "minItems": 1},
        }
    ),
)
