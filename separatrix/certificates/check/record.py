"""The certificate: a JSON file, read with suspicion.

A whole number beyond 2^53 is written as a text of hexadecimal digits, any other number as a JSON number. Both
are exact here: Python's ``json`` reads a float back to the very double that was written.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from reprlib import repr as short
from typing import Any

from .digits import from_decimal, from_hexadecimal
from .limits import content, current, depth
from .table import Unreadable

MAX_SHOWN_BITS = 13_000  # bits of a number that messages show: Python writes no more than 4300 digits

Number = int | float
Form = Callable[[Any], Any]

VERSION = 2
HEAD = ("format", "version", "kind", "claim", "about")


class Refused(Exception):
    """The claim does not hold of the data; the message says why in one sentence."""


def read(path: str) -> dict[str, Any]:
    """The parts of the file, its head checked and its witness not yet."""
    limits = current()
    try:
        with open(path, "rb") as file:
            raw = content(file, limits.certificate_bytes)
        if len(raw) > limits.certificate_bytes:
            raise Unreadable(limits.too_much(f"{path} is too large", "certificate_bytes"))
        if depth(raw) > limits.nesting:
            raise Unreadable(limits.too_much(f"{path} nests lists too deeply", "nesting"))
        record = json.loads(
            raw.decode("utf-8"),
            parse_int=from_decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_once_each,
        )
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise Unreadable(f"{path} is not whole JSON.") from None
    if not isinstance(record, dict) or record.get("format") != "separatrix-certificate":
        raise Unreadable(f"{path} is no separatrix certificate.")
    if type(record.get("version")) is not int or record["version"] != VERSION:
        raise Unreadable(
            f"{path} is of version {short(record.get('version'))}; this checker reads version {VERSION}."
        )
    for name in HEAD:
        if name not in record:
            raise Unreadable(f"{path} lacks {name!r}.")
    if not isinstance(record["kind"], str) or not isinstance(record["claim"], str):
        raise Unreadable(f"{path} does not say what it claims.")
    record["about"] = fields(record["about"], ABOUT)
    return record


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
    value = any_number(value)
    try:
        nearest = float(value)
    except OverflowError:
        raise ValueError from None
    if nearest != value:
        raise ValueError
    return nearest


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


def positive(value: Any) -> int:
    value = any_whole(value)
    if value == 0:
        raise ValueError
    return value


def share(value: Any) -> float:
    value = double(value)
    if not 0 < value <= 1:
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


def _label(value: Any) -> Any:
    if not isinstance(value, (str, int, float)):
        raise ValueError
    if isinstance(value, str) and len(value) > current().label_characters:
        what = f"The certificate has a label of {len(value):,} characters"
        raise Unreadable(current().too_much(what, "label_characters", len(value)))
    if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
        raise ValueError
    return value


def _digest(value: Any) -> str:
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", value):
        raise ValueError
    return str(value)


ABOUT: dict[str, Form] = {
    "rows": optional(whole),
    "columns": optional(whole),
    "positive": optional(_label),
    "label": optional(text),
    "features": optional(several(text)),
    "preparation": lambda record: record,  # read in ``preparation``
    "digest": optional(_digest),
}


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
