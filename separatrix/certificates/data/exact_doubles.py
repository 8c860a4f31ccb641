"""Numbers as the doubles that equal them, and texts as the nearest doubles."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from separatrix.certificates.fields import shown

MAX_EXACT_INTEGER = 2**53  # every whole number up to here is a double
BLANKS = " \t"
MISSING_TEXTS = frozenset(("", "na", "n/a", "nan", "null", "none", "?"))  # in lower case
TRUTH_VALUES = dict.fromkeys(("0", "false", "False", "FALSE"), 0.0)
TRUTH_VALUES |= dict.fromkeys(("1", "true", "True", "TRUE"), 1.0)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?0*([0-9]+)")


def exactly(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The doubles that equal these numbers; a ``ValueError`` where there is none."""
    if values.dtype.kind not in "biufO":
        raise ValueError(f"The data holds values of type {values.dtype}, which are no numbers.")
    if values.dtype.kind == "O":
        with np.errstate(invalid="ignore"):  # a NaN is refused later, by its place
            return np.frompyfunc(exact_double, 1, 1)(values).astype(np.float64)
    converted = values.astype(np.float64)
    if values.dtype.kind in "iu":
        # NumPy would round before it compares; Python compares whole numbers with floats exactly.
        for value in values[abs(converted) >= 2.0**53].tolist():
            exact_double(value)
    elif values.dtype.itemsize > 8:
        for value in values[(converted != values) & ~np.isnan(values)]:
            raise ValueError(f"No double equals {value}.")
    return converted


def exact_double(value: Any) -> float:
    """The double that equals a number."""
    try:
        double = float("no number" if isinstance(value, (str, bytes)) else value)
    except (TypeError, ValueError):
        raise ValueError(f"The data holds {shown(value)}, which is no number.") from None
    except OverflowError:
        double = float("inf")
    if double != value and double == double:
        raise ValueError(f"No double equals {shown(value)}.")
    return double


def read_number(value: Any, *, truth_values: bool = False) -> float:
    """The number of a cell, NaN where it is missing; a text as the nearest double, as in a CSV file, or as a
    truth value.

    >>> read_number(" 0.5"), read_number("N/A"), read_number(None), read_number(True)
    (0.5, nan, nan, 1.0)
    """
    if is_missing(value):
        return float("nan")
    if not isinstance(value, str):
        return exact_double(value)
    text = value.strip(BLANKS)
    if text.lower() in MISSING_TEXTS:
        return float("nan")
    if truth_values:
        if text not in TRUTH_VALUES:
            raise ValueError(f"{shown(value)} is neither true nor false")
        return TRUTH_VALUES[text]
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{shown(value)} is no number")
    whole = _WHOLE.fullmatch(text)
    if whole is not None and (len(whole[1]) > 16 or int(whole[1]) > MAX_EXACT_INTEGER):
        raise ValueError(f"the whole number {shown(value)} is beyond 2^53")
    return float(text)


def is_missing(value: Any) -> bool:
    """Whether nothing is there: None, NaN, or what pandas puts in its place."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return value is None or (isinstance(value, float) and value != value)
