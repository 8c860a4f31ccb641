"""What a fitted model is made of, as JSON values and back.

A number, text, true, false, null or list stands for itself. Everything else is an object with a single key
that says what it is: ``array``, ``tuple``, ``mapping``, ``history``, ``halfspace``, ``certificate``, ...;
``float`` for what JSON has no number for, ``whole`` for a whole number that other programs would round. An
unknown key is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import astuple
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix import limits
from separatrix.algorithms.least_squares.ridge_path import RidgePath
from separatrix.certificates import Certificate, from_dict
from separatrix.certificates.arithmetic.moments import Moments
from separatrix.certificates.fields import from_decimal, to_decimal
from separatrix.fitting import History, Pass
from separatrix.halfspace import Halfspace
from separatrix.models.model_error import ModelError
from separatrix.rows.preparation import Preparation

NUMERIC = re.compile(r"bool|u?int(8|16|32|64)|float(32|64)")
TEXT = re.compile(r"[<>]U[0-9]{1,9}")
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
MAX_EXACT_INTEGER = 2**53


def to_plain(value: Any) -> Any:
    """JSON values for ``value``; a `ModelError` where there are none.

    >>> to_plain((1, 2.5, float("inf")))
    {'tuple': [1, 2.5, {'float': 'inf'}]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_EXACT_INTEGER else {"whole": to_decimal(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": _name_of(value)}
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    for kind, (form, write, _) in TAGGED.items():
        if form is not None and isinstance(value, form):
            return {kind: write(value)}
    raise ModelError(f"{_shown(value)} has no form in JSON.")


def from_plain(value: Any) -> Any:
    """The value that `to_plain` wrote.

    >>> from_plain({"array": {"dtype": "int64", "shape": [2], "values": [3, 4]}})
    array([3, 4])
    """
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1 or next(iter(value)) not in TAGGED:
        raise ModelError(f"it holds an object of an unknown kind ({', '.join(map(str, value)) or 'empty'}).")
    ((kind, content),) = value.items()
    try:
        return TAGGED[kind][2](content)
    except ModelError:
        raise
    except KeyError as error:
        raise ModelError(f"its {kind} is wrong: it lacks {error}.") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelError(f"its {kind} is wrong: {str(error).rstrip('.')}.") from None


def _name_of(value: float) -> str:
    return "nan" if value != value else "inf" if value > 0 else "-inf"


def _shown(value: Any) -> str:
    return f"the function {value.__name__}" if hasattr(value, "__name__") else f"a {type(value).__name__}"


def _write_array(array: np.ndarray) -> dict[str, Any]:
    if array.dtype.kind == "T":
        array = array.astype(str)
    kind = array.dtype.str if array.dtype.kind == "U" else array.dtype.name
    flat = array.ravel().tolist()
    if kind == "object" and not all(isinstance(item, str) for item in flat):
        raise ModelError("an array of Python objects has no form in JSON.")
    if not (kind == "object" or NUMERIC.fullmatch(kind) or TEXT.fullmatch(kind)):
        raise ModelError(f"an array of type {kind} has no form in JSON.")
    if array.dtype.kind == "f":
        flat = [item if math.isfinite(item) else _name_of(item) for item in flat]
    return {"dtype": kind, "shape": list(array.shape), "values": flat}


def _read_array(content: dict[str, Any]) -> np.ndarray:
    kind, shape, values = content["dtype"], content["shape"], content["values"]
    if not isinstance(kind, str) or not isinstance(shape, list) or not isinstance(values, list):
        raise ValueError("its type is not text, or its shape or its values are no list")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("its shape holds something else than whole numbers from 0 up")
    if len(values) != math.prod(shape):
        raise ValueError(f"it should have {math.prod(shape)} values")
    if kind == "object" or TEXT.fullmatch(kind):
        fitting = all(isinstance(item, str) for item in values)
        size = 0 if kind == "object" else 4 * int(kind[2:]) * len(values)
        if size > limits.current().text_bytes:
            what = f"its text of type {kind} takes {size:,} bytes"
            raise ModelError(limits.current().too_much(what, "text_bytes", size))
    elif NUMERIC.fullmatch(kind):
        wanted = {"b": bool, "i": int, "u": int}.get(np.dtype(kind).kind, float)
        if wanted is float:
            values = [NOT_FINITE.get(item) if isinstance(item, str) else item for item in values]
        fitting = all(type(item) is wanted for item in values)
    else:
        raise ValueError(f"its type is {kind}")
    if not fitting:
        raise ValueError(f"not all of its values are of type {kind}")
    return np.array(values, dtype=kind).reshape(shape)


def _write_number(number: Any) -> Any:
    if isinstance(number, float):
        return number
    exact = Fraction(number)
    top = to_decimal(exact.numerator)
    return top if exact.denominator == 1 else f"{top}/{to_decimal(exact.denominator)}"


def _read_number(number: Any) -> Any:
    if isinstance(number, float):
        return number
    if not isinstance(number, str):
        raise ValueError(f"{number!r} is not a float, nor a whole number or a fraction as text")
    top, slash, bottom = number.partition("/")
    if not slash:
        return from_decimal(top)
    below = from_decimal(bottom)
    if below <= 0:
        raise ValueError(f"the fraction {number[:40]!r} has no denominator above 0")
    return Fraction(from_decimal(top), below)


def _read_float(name: Any) -> float:
    if not isinstance(name, str) or name not in NOT_FINITE:
        raise ValueError(f"{name!r} is none of {', '.join(NOT_FINITE)}")
    return NOT_FINITE[name]


def _read_history(content: dict[str, Any]) -> History:
    if content["columns"] != list(History.columns):
        raise ValueError(f"its columns are not {', '.join(History.columns)}")
    passes = [Pass(*map(from_plain, row)) for row in content["passes"]]
    for value in (value for row in passes for value in astuple(row)):
        if value is not None and type(value) not in (int, float):
            raise ValueError(f"{value!r} in it is no number")
    return History(passes)


def _read_path(content: dict[str, Any]) -> RidgePath:
    found = {name: from_plain(value) for name, value in content.items()}
    for name, value in found.items():
        proper = type(value) is int if name == "chosen" else getattr(value, "dtype", None) == np.float64
        if not proper:
            raise ValueError(f"its {name} is of another type")
    path = RidgePath(**found)
    if not 0 <= path.chosen < len(path.alphas):
        raise ValueError("its choice is none of its penalties")
    return path


def _write_mapping(mapping: dict[Any, Any]) -> list[Any]:
    """Pairs, since keys of JSON's own objects are text alone."""
    keys = [key.item() if isinstance(key, np.generic) else key for key in mapping]
    if not all(isinstance(key, str | int | float | bool) and key == key for key in keys):
        raise ModelError("a mapping has a form in JSON only if its keys are text, numbers or booleans.")
    return [[to_plain(key), to_plain(value)] for key, value in zip(keys, mapping.values(), strict=True)]


def _read_mapping(pairs: list[Any]) -> dict[Any, Any]:
    found = {}
    for key, value in pairs:
        key = from_plain(key)
        if not isinstance(key, str | int | float | bool) or key != key:
            raise ValueError("a key is neither text, a number nor a boolean")
        if key in found:
            raise ValueError(f"the key {key!r} is there twice")
        found[key] = from_plain(value)
    return found


TAGGED: dict[str, tuple[type | None, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "array": (np.ndarray, _write_array, _read_array),
    "tuple": (tuple, lambda items: [to_plain(item) for item in items], lambda c: tuple(map(from_plain, c))),
    "mapping": (dict, _write_mapping, _read_mapping),
    "history": (
        History,
        lambda history: {
            "columns": list(History.columns),
            "passes": [[to_plain(item) for item in row.values()] for row in history.to_dicts()],
        },
        _read_history,
    ),
    "halfspace": (
        Halfspace,
        lambda halfspace: [_write_number(number) for number in halfspace.numbers],
        lambda content: Halfspace([_read_number(n) for n in content[:-1]], _read_number(content[-1])),
    ),
    "certificate": (Certificate, lambda certificate: certificate.to_dict(), from_dict),
    "moments": (Moments, lambda moments: moments.to_dict(), Moments.from_dict),
    "path": (
        RidgePath,
        lambda path: {name: to_plain(value) for name, value in vars(path).items()},
        _read_path,
    ),
    "preparation": (Preparation, lambda preparation: preparation.to_dict(), Preparation.from_dict),
    "float": (None, str, _read_float),
    "whole": (None, str, from_decimal),
}
