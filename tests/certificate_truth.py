"""Whether a certificate's claim is true of a small table, found without the library and without its proof.

The table is read by the names that the certificate gives; what `about` says of it is compared; the claim
itself is decided in `certificate_truth_sides` and `certificate_truth_optima`. Written to be obviously right,
not fast.
"""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction
from hashlib import sha256
from typing import Any, NamedTuple

import certificate_truth_optima as optima
import certificate_truth_sides as sides
from certificate_corpus import LABEL, Data
from exact_numbers import Vector, number

SIGNED = {**sides.CLAIMS, **optima.SIGNED}
TRUTHS = {"false": 0, "true": 1}


class Seen(NamedTuple):
    """The table as a certificate names its parts: values of the features, texts of the labels."""

    rows: tuple[Vector, ...]
    labels: tuple[str, ...]

    @classmethod
    def by_names(cls, data: Data, label: str | None, features: list[str] | None) -> Seen | None:
        """The columns of these names; None: all others, and the last. None if there are no such columns."""
        label = LABEL if label is None else label
        names = [*data.columns, LABEL]
        features = [name for name in names if name != label] if features is None else features
        if label not in names or label in features or not set(features) <= set(names):
            return None
        cells = [
            dict(zip(names, (*row, text), strict=True))
            for row, text in zip(data.rows, data.labels, strict=True)
        ]
        rows = tuple(tuple(Fraction(float(row[name])) for name in features) for row in cells)
        return cls(rows, tuple(str(row[label]) for row in cells))

    def digest(self, signs: Any) -> str:
        """The hash of one leaf: the tests' data have fewer rows than the next one would need."""
        encoded = b"\0"
        for row, sign in zip(self.rows, signs, strict=True):
            pairs = [(column, float(value)) for column, value in enumerate(row) if value]
            encoded += struct.pack("<I", len(pairs)) + b"".join(struct.pack("<Id", *pair) for pair in pairs)
            encoded += struct.pack("<d", sign + 0.0)
        assert len(self.rows) <= 4096
        return "sha256:" + sha256(encoded).hexdigest()


def falsehood(record: dict[str, Any], data: Data, *, by_name: bool = True) -> str | None:
    """Why what a certificate says is false of the data; None if it is true.

    ``by_name``: its columns are those it names; otherwise all of them, in order.
    """
    about, kind = record["about"], record["kind"]
    names = (about["label"], about["features"]) if by_name else (None, None)
    seen = Seen.by_names(data, *names)
    if seen is None:
        return "the table has no such columns, or the label is among the features"
    said = [(about["rows"], len(seen.rows)), (about["columns"], len(seen.rows[0]))]
    said.append((None if about["features"] is None else len(about["features"]), len(seen.rows[0])))
    if any(count is not None and number(count) != true for count, true in said):
        return "the number of rows or columns"
    if kind in optima.MEASURED:
        signs: Any = tuple(Fraction(float(text)) for text in seen.labels)
    else:
        positive = larger(seen.labels) if about["positive"] is None else about["positive"]
        signs = tuple(1 if same(text, positive) else -1 for text in seen.labels)
        if 1 not in signs:
            return "no row has the positive label"
    if about["digest"] not in (None, seen.digest(signs)):
        return "the digest"
    if about["path"] is not None:
        return "a path: no data here have more than one leaf"
    if kind in optima.LABELLED:
        own = [[k for k, name in enumerate(record["classes"]) if same(text, name)] for text in seen.labels]
        if any(len(found) != 1 for found in own):
            return "a label that is none of its classes"
        return optima.LABELLED[kind](record, seen.rows, tuple(k for (k,) in own))
    return {**SIGNED, **optima.MEASURED}[kind](record, seen.rows, signs)


def same(one: Any, other: Any) -> bool:
    """Whether two labels are one: as numbers if both read as numbers , else as text."""
    first, second = _as_number(one), _as_number(other)
    return str(one) == str(other) if first is None or second is None else first == second


def larger(labels: tuple[str, ...]) -> str:
    numbers = [_as_number(text) for text in labels]
    return max(labels) if None in numbers else max(labels, key=lambda text: _as_number(text) or 0)


def _as_number(label: Any) -> Fraction | None:
    """A whole number below 2^63 in size exactly, any other the nearest double."""
    if isinstance(label, str):
        word = label.strip(" \t")
        if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", word):
            label = TRUTHS.get(label.lower(), math.inf)
        else:
            label = Fraction(word) if word.lstrip("+-").isdigit() else float(word)
    if isinstance(label, float):
        return Fraction(label) if math.isfinite(label) else None
    return Fraction(label) if abs(label) < 2**63 else None
