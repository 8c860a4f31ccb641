"""The certificate: a JSON file, read with suspicion.

A whole number beyond 2^53 is written as a text of hexadecimal digits, any other number as a JSON number. Both
are exact here: Python's ``json`` reads a float back to the very double that was written.
"""

from __future__ import annotations

import json
from reprlib import repr as short
from typing import Any

from .digits import MAX_JSON_INTEGER, from_decimal
from .field_types import Form, digest, fields, hash_digits, label, listed, names, optional, text, whole
from .limits import content, current, depth
from .table import Unreadable

VERSION = 2
WITH_PATH = ("inseparable", "margin-at-most")  # claims about the rows they name, and no others
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
    record["about"] = about = fields(record["about"], ABOUT)
    if about["path"] is not None:
        if record["kind"] not in WITH_PATH:
            raise Unreadable(f"{path} has a path, but is about all rows.")
        if None in (about["rows"], about["positive"], about["digest"]) or about["rows"] > MAX_JSON_INTEGER:
            raise Unreadable(f"{path} has a path but not rows, positive label and digest.")
    return record


ABOUT: dict[str, Form] = {
    "rows": optional(whole),
    "columns": optional(whole),
    "positive": optional(label),
    "label": optional(text),
    "features": optional(names),
    "digest": optional(digest),
    "path": optional(listed(hash_digits)),
}


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
