"""What a witness is made of: numbers, row numbers, counts, each in a form that is checked on the way in.

A claim declares its fields with these types. The record checks and normalises them when it is made, from
Python, NumPy or JSON alike, so a record that exists is well formed. In JSON a whole number beyond 2^53 is a
string of hexadecimal digits (other programs would round it), any other number is a number. Weights, multipliers and normals may have any
number of digits; other numbers appear in messages and are no longer than `MAX_SHOWN_BITS` bits. Where a claim
is about doubles alone, a whole number is taken for the double that equals it, and refused if there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from math import isfinite
from operator import lt
from typing import Annotated, Any, TypeAlias

import numpy as np

from separatrix.certificates.check import limits

MAX_SHOWN_BITS = 13_000  # bits of a number that messages show: Python writes no more than 4300 digits
MAX_JSON_INTEGER = 2**53  # up to here every program reads a JSON number exactly
_HEXADECIMAL = re.compile(r"-?0x[1-9a-f][0-9a-f]*", re.ASCII)
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_PIECE_DIGITS = 1000  # digits; Python refuses to convert more than 4300 at once


class CertificateError(ValueError):
    """A certificate that cannot be made or read; the message says why in one sentence."""


def several(n: int, one: str, verbs: tuple[str, str]) -> str:
    """A count, its noun and its verb.

    >>> several(1, "row", ("is", "are")), several(4, "row", ("is", "are"))
    ('1 row is', '4 rows are')
    """
    return f"{n} {one} {verbs[0]}" if n == 1 else f"{n} {one}s {verbs[1]}"


def to_decimal(whole: int) -> str:
    """Decimal digits of a whole number of any size.

    >>> to_decimal(-(10**5000)) == "-1" + "0" * 5000
    True
    """
    if whole < 0:
        return "-" + to_decimal(-whole)
    if whole.bit_length() <= 3 * _PIECE_DIGITS:
        return str(whole)
    digits = whole.bit_length() * 3 // 20  # about half of them
    high, low = divmod(whole, 10**digits)
    return to_decimal(high) + to_decimal(low).zfill(digits)


def from_decimal(text: str) -> int:
    """The whole number that a plain decimal string writes."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a whole number")
    digits, known = text.removeprefix("-"), limits.current()
    if len(digits) > known.digits:
        what = f"The certificate has a number of {len(digits):,} digits"
        raise CertificateError(known.too_much(what, "digits", len(digits)))
    return -_digits(digits) if text.startswith("-") else _digits(digits)


def _digits(text: str) -> int:
    if len(text) <= _PIECE_DIGITS:
        return int(text)
    tail = _PIECE_DIGITS
    while 2 * tail < len(text):
        tail *= 2
    return (_digits(text[:-tail]) * _power_of_five(tail) << tail) + _digits(text[-tail:])


@cache
def _power_of_five(exponent: int) -> int:
    return int(5**exponent)


def to_json_number(whole: int) -> int | str:
    """A whole number as it is written: beyond 2^53, where many programs round, in hexadecimal digits.

    >>> to_json_number(-3), to_json_number(2**53), to_json_number(-(2**64))
    (-3, 9007199254740992, '-0x10000000000000000')
    """
    return whole if abs(whole) <= MAX_JSON_INTEGER else hex(whole)


def from_hexadecimal(text: str) -> int:
    """The whole number beyond 2^53 that a string writes."""
    if not _HEXADECIMAL.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a whole number in hexadecimal digits, as '0x20000000000001'")
    n_digits, known = len(text.removeprefix("-")) - 2, limits.current()
    if n_digits > known.digits:
        what = f"The certificate has a number of {n_digits:,} hexadecimal digits"
        raise CertificateError(known.too_much(what, "digits", n_digits))
    whole = int(text, 16)
    if abs(whole) <= MAX_JSON_INTEGER:
        raise ValueError(f"{text!r} is not beyond 2^53, so it must be a number, not a text")
    return whole


def _any_number(value: Any) -> float | int:
    if isinstance(value, str):
        return from_hexadecimal(value)
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{shown(value)} is not a number")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} is not finite")
    return value


def _number(value: Any) -> float | int:
    value = _any_number(value)
    if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
        raise ValueError(f"{shown(value)} is too long")
    return value


def shown(value: Any) -> str:
    """A value in a message, however long it is."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a whole number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:50]}..."


def _numbers(values: Any) -> tuple[float | int, ...]:
    # Plain doubles, by far the most common case, are checked without a call for each.
    if isinstance(values, np.ndarray) and values.dtype == np.float64 and values.ndim == 1:
        if np.isfinite(values).all():
            return tuple(values.tolist())
    elif isinstance(values, tuple) and set(map(type, values)) == {float} and all(map(isfinite, values)):
        return values
    return _tuple(_any_number)(values)


def _double(value: Any) -> float:
    value = _any_number(value)
    try:
        nearest = float(value)
    except OverflowError:
        raise ValueError("it is beyond every double") from None
    if nearest != value:
        raise ValueError(f"no double equals {shown(value)}")
    return nearest


def _doubles(values: Any) -> tuple[float, ...]:
    given = _numbers(values)
    return given if set(map(type, given)) <= {float} else tuple(map(_double, given))


def _any_whole(value: Any) -> int:
    value = _any_number(value)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{shown(value)} is not a whole number from 0 up")
    return value


def _whole(value: Any) -> int:
    value = _any_whole(value)
    if value.bit_length() > MAX_SHOWN_BITS:
        raise ValueError(f"{shown(value)} is too long")
    return value


def _flag(value: Any) -> bool:
    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, bool):
        raise ValueError(f"{shown(value)} is neither true nor false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not text")
    return str(value)


def _share(value: Any) -> float:
    value = _double(value)
    if not 0 < value <= 1:
        raise ValueError(f"{value} is not a share above 0 and at most 1")
    return value


def _nonnegative(complaint: str) -> Callable[[Any], tuple[float, ...]]:
    def weights(values: Any) -> tuple[float, ...]:
        given = _doubles(values)
        if min(given, default=0) < 0:
            raise CertificateError(complaint)
        return given

    return weights


def _optional(form: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else form(value)


def _tuple(form: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def each(values: Any) -> tuple[Any, ...]:
        if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
            raise ValueError("it is not a list")
        return tuple(map(form, values.tolist() if hasattr(values, "tolist") else values))

    return each


def _wholes(values: Any) -> tuple[int, ...]:
    # Plain integers are checked without a call for each.
    if isinstance(values, tuple) and set(map(type, values)) == {int} and min(values) >= 0:
        return values
    return _tuple(_any_whole)(values)


def _counts(values: Any) -> tuple[int, ...]:
    wholes = _wholes(values)
    if 0 in wholes:
        raise ValueError("a count of 0 has no place in a witness")
    return wholes


def _ascending(values: Any) -> tuple[int, ...]:
    rows = _wholes(values)
    if not all(map(lt, rows, rows[1:])):
        raise ValueError("row numbers must ascend, each once")
    _whole(rows[-1] if rows else 0)
    return rows


Number: TypeAlias = Annotated[float | int, _number]
Numbers: TypeAlias = Annotated[tuple[float | int, ...], _numbers]
NumberOrNone: TypeAlias = Annotated[float | int | None, _optional(_any_number)]
NumbersOrNone: TypeAlias = Annotated[tuple[float | int, ...] | None, _optional(_numbers)]
Double: TypeAlias = Annotated[float, _double]
DoubleOrNone: TypeAlias = Annotated[float | None, _optional(_double)]
Doubles: TypeAlias = Annotated[tuple[float, ...], _doubles]
DoublesOrNone: TypeAlias = Annotated[tuple[float, ...] | None, _optional(_doubles)]
RowWeights: TypeAlias = Annotated[
    tuple[float, ...] | None, _optional(_nonnegative("A row's weight is below 0."))
]
SampleWeights: TypeAlias = Annotated[
    tuple[float, ...] | None, _optional(_nonnegative("A row weight is a number from 0 up."))
]
Whole: TypeAlias = Annotated[int, _whole]
Wholes: TypeAlias = Annotated[tuple[int, ...], _wholes]
WholeOrNone: TypeAlias = Annotated[int | None, _optional(_whole)]
Counts: TypeAlias = Annotated[tuple[int, ...], _counts]
RowNumbers: TypeAlias = Annotated[tuple[int, ...], _ascending]
Share: TypeAlias = Annotated[float, _share]
Flag: TypeAlias = Annotated[bool, _flag]
Text: TypeAlias = Annotated[str, _text]
TextOrNone: TypeAlias = Annotated[str | None, _optional(_text)]
TextsOrNone: TypeAlias = Annotated[tuple[str, ...] | None, _optional(_tuple(_text))]
