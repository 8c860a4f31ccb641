"""The types of a certificate's fields: each function returns the value of a field, or raises."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from .digits import from_hexadecimal
from .limits import current
from .table import Unreadable

MAX_SHOWN_BITS = 13_000  # bits of a number that messages show: Python writes no more than 4300 digits

Number = int | float
Form = Callable[[Any], Any]


def fields(found: Any, forms: dict[str, Form]) -> dict[str, Any]:
    """Exactly the fields expected, each in its form."""
    if not isinstance(found, dict) or found.keys() != forms.keys():
        raise Unreadable(f"The certificate should have just the fields {', '.join(forms)}.")
    values = {}
    for name, form in forms.items():
        try:
            values[name] = form(found[name])
        except (TypeError, ValueError):
            raise Unreadable(f"The certificate's {name!r} is damaged.") from None
    return values


def any_number(value: Any) -> Number:
    if isinstance(value, str):
        return from_hexadecimal(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError
    return value


def number(value: Any) -> Number:
    """A number that may appear in a message."""
    value = any_number(value)
    if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
        raise ValueError
    return value


def double(value: Any) -> float:
    if isinstance(value, str):
        raise ValueError
    return float(any_number(value))  # exact: a whole number that is no text is at most 2^53


def nonnegative(value: Any) -> float:
    value = double(value)
    if value < 0:
        raise ValueError
    return value


def above_zero(value: Any) -> float:
    value = double(value)
    if value <= 0:
        raise ValueError
    return value


def whole(value: Any) -> int:
    value = number(value)
    if isinstance(value, float) or value < 0:
        raise ValueError
    return value


def any_whole(value: Any) -> int:
    value = any_number(value)
    if isinstance(value, float) or value < 0:
        raise ValueError
    return value


def at_most(limit: int) -> Form:
    def read_small(value: Any) -> int:
        found = any_whole(value)
        if found > limit:
            raise ValueError
        return found

    return read_small


def positive(value: Any) -> int:
    value = any_whole(value)
    if value == 0:
        raise ValueError
    return value


def share(value: Any) -> float:
    value = above_zero(value)
    if value > 1:
        raise ValueError
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def listed(form: Form) -> Form:
    def read_list(values: Any) -> list[Any]:
        if not isinstance(values, list):
            raise ValueError
        return [form(value) for value in values]

    return read_list


def several(form: Form) -> Form:
    """A list of at least one."""

    def read_some(values: Any) -> list[Any]:
        found = listed(form)(values)
        if not found:
            raise ValueError
        return list(found)

    return read_some


def ascending(values: Any) -> list[int]:
    rows = listed(whole)(values)
    if sorted(set(rows)) != rows:
        raise ValueError
    return rows


def optional(form: Form) -> Form:
    return lambda value: None if value is None else form(value)


def label(value: Any) -> Any:
    if not isinstance(value, (str, int, float)) or value in (math.inf, -math.inf):
        raise ValueError
    if isinstance(value, str) and len(value) > current().label_characters:
        what = f"The certificate has a label of {len(value):,} characters"
        raise Unreadable(current().too_much(what, "label_characters", len(value)))
    return value


def names(values: Any) -> list[str]:
    found = several(text)(values)
    if len(set(found)) < len(found):
        raise ValueError
    return list(found)


def hash_digits(value: Any) -> str:
    if not re.fullmatch("[0-9a-f]{64}", value):
        raise ValueError
    return str(value)


def digest(value: Any) -> str:
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", value):
        raise ValueError
    return str(value)
