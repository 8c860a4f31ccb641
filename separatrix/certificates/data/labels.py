"""Which label is +1: labels compare as numbers where they read as numbers.

A whole number below 2^63 in size is exact, any other number the nearest double; ``true`` and ``false``, in
any case, are 1 and 0; any other label is its text.

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

from separatrix.certificates.check import limits
from separatrix.certificates.fields import MAX_JSON_INTEGER, MAX_SHOWN_BITS, CertificateError, shown
from separatrix.certificates.forms import Form

Label: TypeAlias = str | int | float | bool
Signs = npt.NDArray[np.int8]

_NUMBER = re.compile(r"[ \t]*[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")
_WHOLE = re.compile(r"[ \t]*([+-]?)0*([0-9]+)[ \t]*")
_TRUTH = {"true": 1, "false": 0}


def plain(label: Any) -> Label:
    """The label as a Python value that JSON can hold; anything unusual as its text."""
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, (list, tuple, dict, np.ndarray)):
        raise ValueError("A label is a number or a text, not a list of several values.")
    if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
        raise ValueError("A label is missing.")
    if isinstance(label, int) and label.bit_length() > MAX_SHOWN_BITS:
        raise ValueError(f"A label is a whole number of {label.bit_length()} bits; give it a shorter name.")
    if isinstance(label, int) and abs(label) > MAX_JSON_INTEGER:
        return str(label)  # the same label, and no JSON reader rounds it
    return label if isinstance(label, (str, int, float)) else str(label)


def _written(value: Any) -> Label:
    """A label as a certificate names it."""
    label, known = plain(value), limits.current()
    if isinstance(label, float) and not isfinite(label):
        raise ValueError(f"{label} is not finite")
    if isinstance(label, str) and len(label) > known.label_characters:
        what = f"The certificate has a label of {len(label):,} characters"
        raise CertificateError(known.too_much(what, "label_characters", len(label)))
    return label


LABEL = Form(_written, "label", {"type": ["string", "number", "boolean"], "maxLength": 10_000})


def as_number(label: Label) -> int | float | None:
    if isinstance(label, str):
        if not _NUMBER.fullmatch(label):
            return None
        whole = _WHOLE.fullmatch(label)
        if whole is None:
            label = float(label)
        elif len(whole[2]) > 19:  # more than 64 bits, and perhaps more digits than Python converts
            return None
        else:
            label = int(whole[1] + whole[2])
    if isinstance(label, int):
        return label if abs(label) < 2**63 else None
    return label if isfinite(label) else None


def _as_truth(label: Label) -> int | None:
    return _TRUTH.get(str(label).lower())


def meaning(label: Label) -> int | float | str:
    """What is compared of a label."""
    number = as_number(label)
    number = _as_truth(label) if number is None else number
    return str(label) if number is None else number


def same_label(one: Label, other: Label) -> bool:
    return meaning(one) == meaning(other)


def _larger(one: Label, other: Label) -> Label:
    """Of two numbers or truth values the larger, else the text that comes later."""
    for read in (as_number, _as_truth):
        first, second = read(one), read(other)
        if first is not None and second is not None:
            return one if first > second else other
    return max(one, other, key=str)


def larger_of(labels: Iterable[Label]) -> Label:
    """The larger of exactly two labels."""
    distinct: dict[int | float | str, Label] = {}
    for label in labels:
        distinct.setdefault(meaning(label), label)
        if len(distinct) > 2:
            raise ValueError("The labels have more than two values; say which one is positive.")
    if len(distinct) < 2:
        known = f"only the value {shown(next(iter(distinct.values())))}" if distinct else "no value"
        raise ValueError(f"The labels have {known}; say which label is positive.")
    return _larger(*distinct.values())


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
    positive = larger_of(distinct) if positive is None else positive
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
        larger_of(plain(label) for label in (low, high))  # two, or a sentence
        positive = plain(high)
        chosen = labels == high
        if not (chosen | (labels == low)).all():
            raise ValueError("The labels have more than two values; say which one is positive.")
    else:
        number = meaning(positive) if isinstance(positive, str) else positive
        chosen = np.zeros(len(labels), dtype=bool) if isinstance(number, str) else _equal(labels, number)
    return np.where(chosen, np.int8(1), np.int8(-1)), positive


def _equal(labels: npt.NDArray[Any], number: int | float) -> npt.NDArray[np.bool_]:
    """Where a label is this number: NumPy would round one to the type of the other before it compares."""
    try:
        with np.errstate(over="ignore"):
            same = labels.dtype.type(number)
    except OverflowError:
        return np.zeros(len(labels), dtype=bool)
    return labels == same if same.item() == number else np.zeros(len(labels), dtype=bool)
