"""Whole numbers of many digits, read in much less than quadratic time."""

from __future__ import annotations

import re
from functools import cache

from .csv_text import Unreadable
from .limits import current

PIECE_DIGITS = 1000  # digits; Python converts at most 4,300 at once, in quadratic time


def from_decimal(text: str) -> int:
    """The whole number that a plain decimal string writes."""
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)", text, re.ASCII):
        raise ValueError
    digits = text.removeprefix("-")
    if len(digits) > current().digits:
        what = f"The certificate has a number of {len(digits):,} digits"
        raise Unreadable(current().too_much(what, "digits", len(digits)))
    return -_by_halves(digits) if text.startswith("-") else _by_halves(digits)


def _by_halves(digits: str) -> int:
    if len(digits) <= PIECE_DIGITS:
        return int(digits)
    tail = PIECE_DIGITS
    while 2 * tail < len(digits):
        tail *= 2
    return (_by_halves(digits[:-tail]) * _power_of_five(tail) << tail) + _by_halves(digits[-tail:])


@cache
def _power_of_five(exponent: int) -> int:
    return int(5**exponent)
