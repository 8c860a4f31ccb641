"""What a witness is made of: numbers, row numbers, counts, each in a form that is checked on the way in.

A claim declares its fields with these types. The record checks and normalises them when it is made, from
Python, NumPy or JSON alike, so a record that exists is well formed. In JSON a whole number beyond 2^53 is a
string of hexadecimal digits (other programs would round it), any other number is a number. Weights,
multipliers and normals may have any number of digits; other numbers appear in messages and are no longer than
`MAX_SHOWN_BITS` bits. Where a claim is about doubles alone, a whole number is taken for the double that
equals it, and refused if there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from math import isfinite
from operator import lt
from typing import Annotated, Any, TypeAlias

import numpy as np

from separatrix.certificates.check import limits
from separatrix.certificates.forms import Form, limited, listed, optional, some
from separatrix.certificates.forms import shown as shown

MAX_SHOWN_BITS = 13_000  # bits of a number that messages show: Python writes no more than 4300 digits
MAX_JSON_INTEGER = 2**53  # up to here every program reads a JSON number exactly
_HEXADECIMAL = re.compile("-?0x[1-9a-f][0-9a-f]*", re.ASCII)
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


def _short(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read_short(value: Any) -> Any:
        value = read(value)
        if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
            raise ValueError(f"{shown(value)} is too long")
        return value

    return read_short


def _double(value: Any) -> float:
    if isinstance(value, str):
        raise ValueError(f"{shown(value)} is text, not a double")
    value = _any_number(value)
    try:
        nearest = float(value)
    except OverflowError:
        raise ValueError("it is beyond every double") from None
    if nearest != value:
        raise ValueError(f"no double equals {shown(value)}")
    return nearest


def _integer(value: Any) -> int:
    value = _any_number(value)
    if not isinstance(value, int):
        raise ValueError(f"{shown(value)} is not a whole number")
    return value


def _whole(value: Any) -> int:
    value = _any_number(value)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{shown(value)} is not a whole number from 0 up")
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


def _ascending(values: Any) -> tuple[int, ...]:
    rows: tuple[int, ...] = _WHOLES(values)
    if not all(map(lt, rows, rows[1:])):
        raise ValueError("row numbers must ascend, each once")
    SHORT_WHOLE(rows[-1] if rows else 0)
    return rows


# Lists of plain numbers, by far the most common ones, are read without a call for each.


def _plain_doubles(values: Any) -> Sequence[float] | None:
    if isinstance(values, np.ndarray) and values.dtype == np.float64 and values.ndim == 1:
        return values.tolist() if np.isfinite(values).all() else None
    return values if _all_are(float, values) and all(map(isfinite, values)) else None


def _nonnegative_doubles(values: Any) -> Sequence[float] | None:
    found = _plain_doubles(values)
    return found if found and min(found) >= 0 else None


def _plain_wholes(values: Any) -> Sequence[int] | None:
    return values if _all_are(int, values) and min(values) >= 0 else None


def _plain_counts(values: Any) -> Sequence[int] | None:
    return values if _all_are(int, values) and min(values) > 0 else None


def _all_are(kind: type, values: Any) -> bool:
    return isinstance(values, (tuple, list)) and set(map(type, values)) == {kind}


_BEYOND = "0x(?!20{13}$)([2-9a-f][0-9a-f]{13}|[1-9a-f][0-9a-f]{14,})"  # 2^53


def _hexadecimal(sign: str, bits: int | None) -> dict[str, Any]:
    size = {} if bits is None else {"maxLength": len(sign) // 2 + len("0x") + bits // 4}
    return {"type": "string", "pattern": f"^{sign}{_BEYOND}$", **size}


def _whole_schema(least: int, sign: str, bits: int | None = None) -> dict[str, Any]:
    plain = {"type": "integer", "minimum": least, "maximum": MAX_JSON_INTEGER}
    return {"anyOf": [plain, _hexadecimal(sign, bits)]}


def _number_schema(bits: int | None = None) -> dict[str, Any]:
    return {"anyOf": [{"type": "number"}, _hexadecimal("-?", bits)]}


DEFINITIONS: dict[str, Any] = {
    "double": {"type": "number"},
    "number": _number_schema(),
    "short-number": _number_schema(MAX_SHOWN_BITS),
    "integer": _whole_schema(-MAX_JSON_INTEGER, "-?"),
    "whole": _whole_schema(0, ""),
    "short-whole": _whole_schema(0, "", MAX_SHOWN_BITS),
    "rows": {"type": "array", "items": {"$ref": "#/$defs/short-whole"}, "uniqueItems": True},
}
"""Schemas of the types that many fields have."""


def _reference(entry: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{entry}"}


DOUBLE = Form(_double, "double", _reference("double"))
NONNEGATIVE = limited(DOUBLE, "double ≥ 0", lambda value: value >= 0, minimum=0)
POSITIVE = limited(DOUBLE, "double > 0", lambda value: value > 0, exclusiveMinimum=0)
ANY_NUMBER = Form(_any_number, "number", _reference("number"))
SHORT_NUMBER = Form(_short(_any_number), "number†", _reference("short-number"))
INTEGER = Form(_integer, "integer", _reference("integer"))
ANY_WHOLE = Form(_whole, "whole", _reference("whole"))
SHORT_WHOLE = Form(_short(_whole), "whole†", _reference("short-whole"))
POSITIVE_WHOLE = limited(ANY_WHOLE, "whole > 0", lambda value: value > 0, **{"not": {"const": 0}})
TEXT = Form(_text, "text", {"type": "string"})
FLAG = Form(_flag, "flag", {"type": "boolean"})
_WHOLES = listed(ANY_WHOLE, _plain_wholes)


Number: TypeAlias = Annotated[float | int, SHORT_NUMBER]
Numbers: TypeAlias = Annotated[tuple[float | int, ...], some(ANY_NUMBER, _plain_doubles)]
NumberOrNone: TypeAlias = Annotated[float | int | None, optional(ANY_NUMBER)]
NumbersOrNone: TypeAlias = Annotated[
    tuple[float | int, ...] | None, optional(some(ANY_NUMBER, _plain_doubles))
]
Double: TypeAlias = Annotated[float, DOUBLE]
DoubleOrNone: TypeAlias = Annotated[float | None, optional(DOUBLE)]
Doubles: TypeAlias = Annotated[tuple[float, ...], some(DOUBLE, _plain_doubles)]
DoublesOrNone: TypeAlias = Annotated[tuple[float, ...] | None, optional(some(DOUBLE, _plain_doubles))]
Nonnegative: TypeAlias = Annotated[float, NONNEGATIVE]
NonnegativeOrNone: TypeAlias = Annotated[float | None, optional(NONNEGATIVE)]
Nonnegatives: TypeAlias = Annotated[tuple[float, ...], some(NONNEGATIVE, _nonnegative_doubles)]
RowWeights: TypeAlias = Annotated[tuple[float, ...] | None, optional(some(NONNEGATIVE, _nonnegative_doubles))]
Positive: TypeAlias = Annotated[float, POSITIVE]
PositiveOrNone: TypeAlias = Annotated[float | None, optional(POSITIVE)]
Share: TypeAlias = Annotated[
    float, limited(POSITIVE, "double > 0 and ≤ 1", lambda share: share <= 1, maximum=1)
]
Vectors: TypeAlias = Annotated[tuple[tuple[int, ...], ...], listed(listed(INTEGER))]
Whole: TypeAlias = Annotated[int, SHORT_WHOLE]
Wholes: TypeAlias = Annotated[tuple[int, ...], _WHOLES]
WholeOrNone: TypeAlias = Annotated[int | None, optional(SHORT_WHOLE)]
Counts: TypeAlias = Annotated[tuple[int, ...], listed(POSITIVE_WHOLE, _plain_counts)]
RowNumbers: TypeAlias = Annotated[tuple[int, ...], Form(_ascending, "rows", _reference("rows"))]
Flag: TypeAlias = Annotated[bool, FLAG]
Text: TypeAlias = Annotated[str, TEXT]
TextOrNone: TypeAlias = Annotated[str | None, optional(TEXT)]
