"""Which label is +1: labels compare as numbers when both are numbers, or text that reads as one.

So a certificate made from an array of integers holds for a CSV file of the same data, where they are text.

>>> same_label(1, "1.0"), same_label("a", "b"), same_label(True, "true")
(True, False, True)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Label: TypeAlias = str | int | float | bool
Signs = npt.NDArray[np.int8]

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def plain(label: Any) -> Label:
    """The label as a Python value that JSON can hold; anything unusual as its text."""
    label = label.item() if isinstance(label, np.generic) else label
    if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
        raise ValueError("A label is missing.")
    return label if isinstance(label, (str, int, float)) else str(label)


def as_number(label: Label) -> int | float | None:
    if isinstance(label, str):
        if not _NUMBER.fullmatch(label):
            return None
        label = int(label) if label.strip().lstrip("+-").isdigit() else float(label)
    return label if isinstance(label, int) or isfinite(label) else None


def same_label(one: Label, other: Label) -> bool:
    first, second = as_number(one), as_number(other)
    if first is not None and second is not None:
        return first == second
    if isinstance(one, bool) or isinstance(other, bool):
        return str(one).lower() == str(other).lower()
    return str(one) == str(other)


def larger(labels: Iterable[Label]) -> Label:
    """The larger of exactly two labels."""
    distinct: list[Label] = []
    for label in labels:
        if not any(same_label(label, known) for known in distinct):
            distinct.append(label)
        if len(distinct) > 2:
            raise ValueError("The labels have more than two values; say which one is positive.")
    if len(distinct) < 2:
        known = f"only the value {distinct[0]!r}" if distinct else "no value"
        raise ValueError(f"The labels have {known}; say which label is positive.")
    first, second = map(as_number, distinct)
    if first is not None and second is not None:
        return distinct[0] if first > second else distinct[1]
    return max(distinct, key=str)


def signs_of(y: Any, positive: Label | None) -> tuple[Signs, Label]:
    """Signs of the labels, and the label that is +1."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"The labels must be one column, not an array of shape {labels.shape}.")
    if labels.dtype.kind in "biuf":
        return _signs_of_numbers(labels, positive)
    values = [plain(label) for label in labels.tolist()]
    distinct = set(values)
    positive = larger(distinct) if positive is None else positive
    chosen = {label for label in distinct if same_label(label, positive)}
    signs = np.fromiter((1 if value in chosen else -1 for value in values), np.int8, len(values))
    return signs, positive


def _signs_of_numbers(labels: npt.NDArray[Any], positive: Label | None) -> tuple[Signs, Label]:
    if labels.size == 0:
        raise ValueError("The data has no rows.")
    low, high = labels.min(), labels.max()
    if not isfinite(high) or not isfinite(low):
        raise ValueError("A label is NaN or infinite.")
    if positive is None:
        positive = larger(plain(label) for label in (low, high))
        chosen = labels == high
        if not (chosen | (labels == low)).all():
            raise ValueError("The labels have more than two values; say which one is positive.")
    else:
        number = as_number(positive)
        if number is None and labels.dtype.kind == "b":
            number = {"false": 0, "true": 1}.get(str(positive).lower())
        chosen = np.zeros(len(labels), dtype=bool) if number is None else _equal(labels, number)
    return np.where(chosen, np.int8(1), np.int8(-1)), positive


def _equal(labels: npt.NDArray[Any], number: int | float) -> npt.NDArray[np.bool_]:
    """Where a label is this number: NumPy would round one to the type of the other before it compares."""
    try:
        with np.errstate(over="ignore"):
            same = labels.dtype.type(number)
    except OverflowError:
        return np.zeros(len(labels), dtype=bool)
    return labels == same if same.item() == number else np.zeros(len(labels), dtype=bool)
