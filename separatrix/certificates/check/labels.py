"""Labels: which of them are the same, and which of two is the larger.

A text that reads as a number is that number: a whole number below 2^63 in size exactly, any other the nearest
double. ``true`` and ``false``, in any case, are 1 and 0. Any other label is its text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection

Label = str | int | float | bool

NUMBER = re.compile(r"[ \t]*[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*")
WHOLE = re.compile(r"[ \t]*([+-]?)0*(0|[1-9][0-9]*)[ \t]*")
TRUTH = {"true": 1, "false": 0}
TRUTH_VALUES = dict.fromkeys(("0", "false", "False", "FALSE"), "0")  # cells of a column of truth values
TRUTH_VALUES |= dict.fromkeys(("1", "true", "True", "TRUE"), "1")
MAX_EXACT_INTEGER = 1 << 53  # every whole number up to here is a double
MISSING = frozenset({"na", "n/a", "nan", "null", "none", "?"})


def as_number(label: Label) -> int | float | None:
    if isinstance(label, str):
        whole = WHOLE.fullmatch(label)
        if whole is not None:
            sign, digits = whole.groups()
            label = int(sign + digits) if len(digits) < 20 else math.inf
        elif NUMBER.fullmatch(label):
            label = float(label)
        else:
            return None
    if isinstance(label, float):
        return label if math.isfinite(label) else None
    return label if abs(label) < 1 << 63 else None


def as_truth(label: Label) -> int | None:
    return TRUTH.get(str(label).lower())


def meaning(label: Label) -> int | float | str:
    """What is compared of a label."""
    for read in (as_number, as_truth):
        value = read(label)
        if value is not None:
            return value
    return str(label)


def same_label(one: Label, other: Label) -> bool:
    return meaning(one) == meaning(other)


def larger(one: Label, other: Label) -> Label:
    """Of two numbers or truth values the larger, else the text that comes later."""
    for read in (as_number, as_truth):
        first, second = read(one), read(other)
        if first is not None and second is not None:
            return one if first > second else other
    return max(one, other, key=str)


def ambiguity(texts: Collection[str]) -> str | None:
    """What is wrong with the labels of a file, or None.

    Where all others are numbers, a word such as ``NA`` stands for a missing one. Where they are texts, none
    may differ from another in spaces, case of a truth value, or spelling of a number alone.
    """
    present = [text for text in texts if text.strip().lower() not in MISSING]
    if present and all(as_number(text) is not None for text in present):
        missing = [text for text in texts if text not in present]
        return f"the label {missing[0]!r} is missing" if missing else None
    if all(as_truth(text) is not None for text in texts):
        return None
    met: dict[int | float | str, str] = {}
    for text in texts:
        other = met.setdefault(meaning(text.strip()), text)
        if other != text:
            return f"the labels {other!r} and {text!r} mean the same"
    return None
