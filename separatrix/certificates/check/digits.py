"""Whole numbers in a certificate: JSON numbers up to 2^53, and texts of hexadecimal digits beyond."""

from __future__ import annotations

import re

from .csv_text import Unreadable
from .limits import current

MAX_JSON_INTEGER = 1 << 53  # up to here every program reads a JSON number exactly
MAX_DECIMAL_CHARACTERS = 17  # of -2^53


def from_decimal(text: str) -> int:
    """A JSON number without point and exponent."""
    if len(text) > MAX_DECIMAL_CHARACTERS or abs(int(text)) > MAX_JSON_INTEGER:
        raise ValueError
    return int(text)


def from_hexadecimal(text: str) -> int:
    """The whole number beyond 2^53 that a text writes."""
    if not re.fullmatch(r"-?0x[1-9a-f][0-9a-f]*", text, re.ASCII):
        raise ValueError
    n_digits = len(text.removeprefix("-")) - 2
    if n_digits > current().digits:
        what = f"The certificate has a number of {n_digits:,} hexadecimal digits"
        raise Unreadable(current().too_much(what, "digits", n_digits))
    whole = int(text, 16)
    if abs(whole) <= MAX_JSON_INTEGER:
        raise ValueError
    return whole
