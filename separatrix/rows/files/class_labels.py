"""The labels of a file: distinct values gathered in one pass, then a code for each label."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as arrow_types

from separatrix import limits
from separatrix.messages import Message, Parameter
from separatrix.rows.data_errors import DataError

MAX_CLASSES = 100_000
MISSING_TEXTS = frozenset({"na", "n/a", "nan", "null", "none", "?"})
BOOLEAN_TEXTS = {"true": 1, "false": 0}
INTEGER_PATTERN = re.compile(r"[ \t]*([+-]?)0*(0|[1-9][0-9]*)[ \t]*")
NUMBER_PATTERN = re.compile(r"[ \t]*[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")


class LabelEncoder:
    """The classes of a label column: sorted distinct labels, numbers as numbers.

    `update` each part of the column in order, `finish` once, then `encode` any part again.

    Parameters
    ----------
    name : str
        The name of the file, for messages.
    describe_row : callable
        Names the label of a row in messages.
    is_text : bool
        The labels stand in the file as text (CSV): they are numbers if all of them are.
    has_floats_only : bool
        The file knows no integers (svmlight, a column of a float array): whole numbers become integers.
    """

    classes: np.ndarray

    def __init__(
        self,
        name: str,
        describe_row: Callable[[int], str],
        *,
        is_text: bool = False,
        has_floats_only: bool = False,
    ) -> None:
        self._name = name
        self._describe_row = describe_row
        self._is_text = is_text
        self._has_floats_only = has_floats_only
        self._limits = limits.current()
        self._positions: dict[Any, int] = {}
        self._first_rows: list[int] = []
        self._codes = np.empty(0, np.int32)

    def update(self, column: Any, start: int) -> np.ndarray:
        """Positions of the labels in order of first appearance.

        ``column`` is an Arrow or a NumPy array, ``start`` the row of its first label.
        """
        self._refuse_missing(column, start)
        positions = self._find_positions_of_two(column)
        if positions is not None:
            return positions
        try:
            positions, values = _find_distinct(column)
        except pa.ArrowException:
            raise DataError(
                f"{self._describe_row(start)}: a label is a number, text or a boolean, not {column.type}."
            ) from None
        for value, position in values:
            if value not in self._positions:
                row = start + int(np.argmax(positions == position))
                if value is None:
                    raise self._missing_label_error(row)
                self._refuse_continuous(value, row)
                self._refuse_long(value, row)
                self._positions[value] = len(self._first_rows)
                self._first_rows.append(row)
        if len(self._positions) > MAX_CLASSES:
            raise DataError(
                f"{self._describe_row(start)}: the labels take more than {MAX_CLASSES} different values; "
                "is this the label column?"
            )
        return self._find_positions(positions, values)

    def finish(self, positive: Any = None) -> None:
        """Sort what was seen into classes; ``positive`` becomes the second of two."""
        values = list(self._positions)
        self._refuse_wide(values)
        labels = (
            self._convert_texts(values) if self._is_text else _convert_floats(values, self._has_floats_only)
        )
        if labels.dtype.kind == "f":
            for label, row in zip(labels.tolist(), self._first_rows, strict=True):
                self._refuse_continuous(label, row)
        self.classes, rank = np.unique(labels, return_inverse=True)
        self._codes = rank.astype(np.int32)
        if positive is not None:
            self._recode_against_the_rest(positive)

    def recode(self, positions: np.ndarray) -> np.ndarray:
        """Codes of labels whose positions `update` gave."""
        return self._codes[positions]

    def encode(self, column: Any) -> np.ndarray:
        """Codes of labels seen before; a label that was not raises KeyError."""
        if getattr(column, "null_count", 0):
            raise KeyError
        positions = self._find_positions_of_two(column)
        return self._codes[self._find_positions(*_find_distinct(column)) if positions is None else positions]

    def _find_positions_of_two(self, column: Any) -> np.ndarray | None:
        """Positions where only the two numbers seen so far occur: ten times faster than by hashing."""
        if len(self._positions) != 2:
            return None
        if isinstance(column, np.ndarray):
            labels = column
        elif arrow_types.is_integer(column.type) or arrow_types.is_floating(column.type):
            labels = to_numpy(column)
        else:
            return None
        first, second = self._positions
        is_second = labels == second
        return is_second.view(np.int8) if np.all(is_second | (labels == first)) else None

    def _find_positions(self, positions: np.ndarray, values: list[tuple[Any, int]]) -> np.ndarray:
        table = np.empty(1 + max((position for _, position in values), default=0), np.int32)
        for value, position in values:
            table[position] = self._positions[value]
        return table[positions]

    def _refuse_missing(self, column: Any, start: int) -> None:
        if getattr(column, "null_count", 0):
            raise self._missing_label_error(start + column.is_null().to_pylist().index(True))

    def _missing_label_error(self, row: int) -> DataError:
        return DataError(f"{self._describe_row(row)}: the label is missing; drop the row or fill it in.")

    def _refuse_continuous(self, value: Any, row: int) -> None:
        if not isinstance(value, float) or value.is_integer():
            return
        if value != value:
            raise self._missing_label_error(row)
        raise DataError(
            f"{self._describe_row(row)}: Unknown label type: continuous. The label {value} is no class; "
            "fit a regression to such a target."
        )

    def _refuse_long(self, value: Any, row: int) -> None:
        if isinstance(value, str) and len(value) > self._limits.label_characters:
            description = f"{self._describe_row(row)}: the label has {len(value):,} characters"
            raise DataError(self._limits.too_much(description, "label_characters", len(value)))

    def _refuse_wide(self, values: list[Any]) -> None:
        n_bytes = 4 * len(values) * max((len(value) for value in values if isinstance(value, str)), default=0)
        if n_bytes > self._limits.text_bytes:
            description = f"{self._name}: its {len(values):,} different labels take {n_bytes:,} bytes"
            raise DataError(self._limits.too_much(description, "text_bytes", n_bytes))

    def _convert_texts(self, values: list[str]) -> np.ndarray:
        present = [text for text in values if text.strip().lower() not in MISSING_TEXTS]
        numbers: list[Any] = [as_number(text) for text in present]
        if numbers and None not in numbers:
            if len(present) < len(values):
                missing = next(text for text in values if text not in present)
                raise self._missing_label_error(self._first_rows[self._positions[missing]])
            if all(isinstance(number, int) for number in numbers):
                return np.array(numbers, np.int64)
            if all(float(number) == number for number in numbers):
                return np.array(numbers, np.float64)
        elif all(text.lower() in BOOLEAN_TEXTS for text in values):
            return np.array([text.lower() == "true" for text in values])
        self._refuse_equivalent(values)
        return np.array(values)

    def _refuse_equivalent(self, values: list[str]) -> None:
        seen: dict[Any, str] = {}
        for text in sorted(values, key=lambda text: self._first_rows[self._positions[text]]):
            if (other := seen.setdefault(meaning(text.strip()), text)) != text:
                if text.strip() == other.strip():
                    difference = f"differs from {other!r} by spaces alone"
                else:
                    difference = f"means the same as {other!r}"
                location = self._describe_row(self._first_rows[self._positions[text]])
                raise DataError(f"{location}: the label {text!r} {difference}; write both alike.")

    def _recode_against_the_rest(self, positive: Any) -> None:
        labels = self.classes.tolist()
        code = next((code for code, label in enumerate(labels) if _is_same_label(label, positive)), None)
        if code is None:
            shown = ", ".join(map(str, labels[:10])) + (", ..." if len(labels) > 10 else "")
            raise DataError(
                Message(
                    "{}: {} must be one of the labels {}; got {!r}",
                    self._name,
                    Parameter("positive"),
                    shown,
                    positive,
                )
            )
        if len(labels) == 1:
            return
        if len(labels) == 2:
            self.classes = self.classes[[1 - code, code]]
        else:
            self.classes = np.array([f"not {labels[code]}", str(labels[code])])
        self._codes = (self._codes == code).astype(np.int32)


def as_number(label: Any) -> int | float | None:
    """The number that a label is: a whole one below 2^63 in size exactly, any other the nearest double."""
    if isinstance(label, str):
        integer = INTEGER_PATTERN.fullmatch(label)
        if integer is not None:
            sign, digits = integer.groups()
            label = int(sign + digits) if len(digits) < 20 else inf
        elif NUMBER_PATTERN.fullmatch(label):
            label = float(label)
        else:
            return None
    if isinstance(label, float):
        return label if isfinite(label) else None
    return label if isinstance(label, int) and abs(label) < 1 << 63 else None


def meaning(label: Any) -> int | float | str:
    """What is compared of a label, as certificates compare it."""
    number = as_number(label)
    return number if number is not None else BOOLEAN_TEXTS.get(str(label).lower(), str(label))


def _is_same_label(label: Any, positive: Any) -> bool:
    return meaning(label) == meaning(positive)


def _find_distinct(column: Any) -> tuple[np.ndarray, list[tuple[Any, int]]]:
    """Positions in a dictionary, and its entries that occur, each with its position."""
    if isinstance(column, np.ndarray):
        distinct, positions = np.unique(column, return_inverse=True)
        return positions, [(value, position) for position, value in enumerate(distinct.tolist())]
    if arrow_types.is_decimal(column.type):
        column = column.cast(pa.string()).cast(pa.float64())
    elif not _is_plain(column.type):
        column = column.cast(pa.string())
    encoded = column if arrow_types.is_dictionary(column.type) else column.dictionary_encode()
    positions = to_numpy(encoded.indices)
    values = encoded.dictionary.to_pylist()
    occurring = np.flatnonzero(np.bincount(positions, minlength=len(values))).tolist()
    return positions, [(values[position], position) for position in occurring]


def to_numpy(column: Any) -> np.ndarray:
    """The numbers of an Arrow array without nulls; its ``to_numpy`` would import pandas where it is found."""
    return np.from_dlpack(column)


def _is_plain(arrow_type: Any) -> bool:
    if arrow_types.is_dictionary(arrow_type):
        return _is_plain(arrow_type.value_type)
    is_text = arrow_types.is_string(arrow_type) or arrow_types.is_large_string(arrow_type)
    return (
        is_text
        or arrow_types.is_integer(arrow_type)
        or arrow_types.is_floating(arrow_type)
        or arrow_types.is_boolean(arrow_type)
    )


def _convert_floats(values: list[Any], has_floats_only: bool) -> np.ndarray:
    labels = np.array(values)
    if (
        has_floats_only
        and labels.dtype.kind == "f"
        and np.all(np.abs(labels) <= 2**53)
        and np.all(labels == np.trunc(labels))
    ):
        return labels.astype(np.int64)
    return labels
