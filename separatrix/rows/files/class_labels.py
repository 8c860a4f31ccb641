"""The labels of a file: distinct values gathered in one pass, then a code for each label."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from separatrix import limits
from separatrix.rows.errors import DataError

MOST_CLASSES = 100_000
MISSING = frozenset({"na", "n/a", "nan", "null", "none", "?"})
TRUTH = {"true": 1, "false": 0}
WHOLE = re.compile(r"[ \t]*([+-]?)0*(0|[1-9][0-9]*)[ \t]*")
NUMBER = re.compile(r"[ \t]*[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")


class Classes:
    """The classes of a label column: sorted distinct labels, numbers as numbers.

    `see` each part of the column in order, `settle` once, then ask for `codes` of any part again.

    Parameters
    ----------
    name : str
        The name of the file, for messages.
    where : callable
        Names the label of a row in messages.
    written : bool
        The labels stand in the file as text (CSV): they are numbers if all of them are.
    untyped : bool
        The file knows no integers (svmlight, a column of a float array): whole numbers become integers.
    """

    classes: np.ndarray

    def __init__(
        self, name: str, where: Callable[[int], str], *, written: bool = False, untyped: bool = False
    ) -> None:
        self._name = name
        self._where = where
        self._written = written
        self._untyped = untyped
        self._limits = limits.current()
        self._found: dict[Any, int] = {}
        self._first_rows: list[int] = []
        self._rank = np.empty(0, np.int32)

    def see(self, column: Any, start: int) -> np.ndarray:
        """Places of the labels in order of first appearance.

        ``column`` is an Arrow or a NumPy array, ``start`` the row of its first label.
        """
        self._refuse_missing(column, start)
        either = self._one_of_two(column)
        if either is not None:
            return either
        try:
            places, values = _distinct(column)
        except pa.ArrowException:
            raise DataError(
                f"{self._where(start)}: a label is a number, text or a boolean, not {column.type}."
            ) from None
        for value, place in values:
            if value not in self._found:
                row = start + int(np.argmax(places == place))
                if value is None:
                    raise self._missing(row)
                self._refuse_continuous(value, row)
                self._refuse_long(value, row)
                self._found[value] = len(self._first_rows)
                self._first_rows.append(row)
        if len(self._found) > MOST_CLASSES:
            raise DataError(
                f"{self._where(start)}: the labels take more than {MOST_CLASSES} different values; "
                "is this the label column?"
            )
        return self._lookup(places, values)

    def settle(self, positive: Any = None) -> None:
        """Sort what was seen into classes; ``positive`` becomes the second of two."""
        values = list(self._found)
        self._refuse_wide(values)
        labels = self._from_text(values) if self._written else _typed(values, self._untyped)
        if labels.dtype.kind == "f":
            for label, row in zip(labels.tolist(), self._first_rows, strict=True):
                self._refuse_continuous(label, row)
        self.classes, rank = np.unique(labels, return_inverse=True)
        self._rank = rank.astype(np.int32)
        if positive is not None:
            self._against_the_rest(positive)

    def settled(self, places: np.ndarray) -> np.ndarray:
        """Codes of labels whose places `see` gave."""
        return self._rank[places]

    def codes(self, column: Any) -> np.ndarray:
        """Codes of labels seen before; a label that was not raises KeyError."""
        if getattr(column, "null_count", 0):
            raise KeyError
        either = self._one_of_two(column)
        return self._rank[self._lookup(*_distinct(column)) if either is None else either]

    def _one_of_two(self, column: Any) -> np.ndarray | None:
        """Places without hashing, which is ten times slower, where only the two numbers seen so far occur."""
        if len(self._found) != 2:
            return None
        if isinstance(column, np.ndarray):
            labels = column
        elif kinds.is_integer(column.type) or kinds.is_floating(column.type):
            labels = numpy_values(column)
        else:
            return None
        first, second = self._found
        is_second = labels == second
        return is_second.view(np.int8) if np.all(is_second | (labels == first)) else None

    def _lookup(self, places: np.ndarray, values: list[tuple[Any, int]]) -> np.ndarray:
        table = np.empty(1 + max((place for _, place in values), default=0), np.int32)
        for value, place in values:
            table[place] = self._found[value]
        return table[places]

    def _refuse_missing(self, column: Any, start: int) -> None:
        if getattr(column, "null_count", 0):
            raise self._missing(start + column.is_null().to_pylist().index(True))

    def _missing(self, row: int) -> DataError:
        return DataError(f"{self._where(row)}: the label is missing; drop the row or fill it in.")

    def _refuse_continuous(self, value: Any, row: int) -> None:
        if not isinstance(value, float) or value.is_integer():
            return
        if value != value:
            raise self._missing(row)
        raise DataError(
            f"{self._where(row)}: Unknown label type: continuous. The label {value} is no class; "
            "a classifier needs classes, a regressor takes such a target."
        )

    def _refuse_long(self, value: Any, row: int) -> None:
        if isinstance(value, str) and len(value) > self._limits.label_characters:
            what = f"{self._where(row)}: the label has {len(value):,} characters"
            raise DataError(self._limits.too_much(what, "label_characters", len(value)))

    def _refuse_wide(self, values: list[Any]) -> None:
        size = 4 * len(values) * max((len(value) for value in values if isinstance(value, str)), default=0)
        if size > self._limits.text_bytes:
            what = f"{self._name}: its {len(values):,} different labels take {size:,} bytes"
            raise DataError(self._limits.too_much(what, "text_bytes", size))

    def _from_text(self, values: list[str]) -> np.ndarray:
        present = [text for text in values if text.strip().lower() not in MISSING]
        numbers: list[Any] = [as_number(text) for text in present]
        if numbers and None not in numbers:
            if len(present) < len(values):
                absent = next(text for text in values if text not in present)
                raise self._missing(self._first_rows[self._found[absent]])
            if all(isinstance(number, int) for number in numbers):
                return np.array(numbers, np.int64)
            if all(float(number) == number for number in numbers):
                return np.array(numbers, np.float64)
        elif all(text.lower() in TRUTH for text in values):
            return np.array([text.lower() == "true" for text in values])
        self._refuse_alike(values)
        return np.array(values)

    def _refuse_alike(self, values: list[str]) -> None:
        seen: dict[Any, str] = {}
        for text in sorted(values, key=lambda text: self._first_rows[self._found[text]]):
            if (other := seen.setdefault(meaning(text.strip()), text)) != text:
                if text.strip() == other.strip():
                    same = f"differs from {other!r} by spaces alone"
                else:
                    same = f"means the same as {other!r}"
                where = self._where(self._first_rows[self._found[text]])
                raise DataError(f"{where}: the label {text!r} {same}; write both alike.")

    def _against_the_rest(self, positive: Any) -> None:
        labels = self.classes.tolist()
        code = next((code for code, label in enumerate(labels) if _same(label, positive)), None)
        if code is None:
            shown = ", ".join(map(str, labels[:10])) + (", ..." if len(labels) > 10 else "")
            raise DataError(f"{self._name}: positive={positive!r} is none of the labels {shown}.")
        if len(labels) == 1:
            return
        if len(labels) == 2:
            self.classes = self.classes[[1 - code, code]]
        else:
            self.classes = np.array([f"not {labels[code]}", str(labels[code])])
        self._rank = (self._rank == code).astype(np.int32)


def as_number(label: Any) -> int | float | None:
    """The number that a label is: a whole one below 2^63 in size exactly, any other the nearest double."""
    if isinstance(label, str):
        whole = WHOLE.fullmatch(label)
        if whole is not None:
            sign, digits = whole.groups()
            label = int(sign + digits) if len(digits) < 20 else inf
        elif NUMBER.fullmatch(label):
            label = float(label)
        else:
            return None
    if isinstance(label, float):
        return label if isfinite(label) else None
    return label if isinstance(label, int) and abs(label) < 1 << 63 else None


def meaning(label: Any) -> int | float | str:
    """What is compared of a label, as certificates compare it."""
    number = as_number(label)
    return number if number is not None else TRUTH.get(str(label).lower(), str(label))


def _same(label: Any, positive: Any) -> bool:
    return meaning(label) == meaning(positive)


def _distinct(column: Any) -> tuple[np.ndarray, list[tuple[Any, int]]]:
    """Places in a dictionary, and the entries of the dictionary that occur, each with its place."""
    if isinstance(column, np.ndarray):
        found, places = np.unique(column, return_inverse=True)
        return places, [(value, place) for place, value in enumerate(found.tolist())]
    if kinds.is_decimal(column.type):
        column = column.cast(pa.string()).cast(pa.float64())
    elif not _plain(column.type):
        column = column.cast(pa.string())
    encoded = column if kinds.is_dictionary(column.type) else column.dictionary_encode()
    places = numpy_values(encoded.indices)
    values = encoded.dictionary.to_pylist()
    occurring = np.flatnonzero(np.bincount(places, minlength=len(values))).tolist()
    return places, [(values[place], place) for place in occurring]


def numpy_values(column: Any) -> np.ndarray:
    """The numbers of an Arrow array without nulls; its ``to_numpy`` would import pandas where it is found."""
    return np.from_dlpack(column)


def _plain(kind: Any) -> bool:
    if kinds.is_dictionary(kind):
        return _plain(kind.value_type)
    text = kinds.is_string(kind) or kinds.is_large_string(kind)
    return text or kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_boolean(kind)


def _typed(values: list[Any], untyped: bool) -> np.ndarray:
    labels = np.array(values)
    if (
        untyped
        and labels.dtype.kind == "f"
        and np.all(np.abs(labels) <= 2**53)
        and np.all(labels == np.trunc(labels))
    ):
        return labels.astype(np.int64)
    return labels
