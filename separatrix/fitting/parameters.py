"""What a parameter may be, asked before any row is read."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cache
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np

from separatrix.messages import Message, ParameterError, PythonOnly


def is_number(value: Any) -> bool:
    """Whether it is one real number in the range of doubles; true and false are none.

    >>> is_number(0.5), is_number(np.int8(3)), is_number(True), is_number("0.5"), is_number(10**400)
    (True, True, False, False, False)
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_between(value: Any, low: float, high: float) -> bool:
    """Whether it is one real number strictly between the two, as a double.

    >>> is_between(0.5, 0, 1), is_between(1, 0, 1), is_between(float("nan"), 0, 1)
    (True, False, False)
    """
    return is_number(value) and low < float(value) < high


def as_doubles(value: Any) -> np.ndarray | None:
    """A number or numbers as an array of doubles; None for anything else, as complex numbers, text and dates.

    >>> as_doubles([1, 0.5]), as_doubles("1"), as_doubles(1 + 2j), as_doubles(True)
    (array([1. , 0.5]), None, None, None)
    """
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    if array.dtype.kind not in "iufO" or not (array.dtype.kind != "O" or all(map(is_number, array.flat))):
        return None
    with np.errstate(over="ignore"):
        return array.astype(np.float64)


def is_whole(value: Any) -> bool:
    """Whether it is one whole number, of a type that says so.

    >>> is_whole(3), is_whole(np.int8(3)), is_whole(3.0), is_whole(True)
    (True, True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_one_of(value: Any, known: Container[Any]) -> bool:
    """Whether it is one of these words; an array, which would answer for each of its entries, is none.

    >>> is_one_of("l2", ("l1", "l2")), is_one_of(None, ("l1", None)), is_one_of(np.ones(2), ("l1", "l2"))
    (True, True, False)
    """
    return (value is None or isinstance(value, str)) and value in known


def require_positive(name: str, value: Any, *, finite: bool = False) -> None:
    """Refuse what is not a number above 0; infinity is one unless ``finite``."""
    is_positive = is_number(value) and float(value) > 0
    if not (is_positive and (float(value) < float("inf") or not finite)):
        raise ParameterError(name, value, "> 0 and finite" if finite else "> 0")


def require_between(name: str, value: Any, low: float, high: float) -> None:
    """Refuse what is not a number strictly between the two."""
    if not is_between(value, low, high):
        raise ParameterError(name, value, f"strictly between {low} and {high}")


def require_count(name: str, value: Any, *, least: int = 1, optional: bool = False) -> None:
    """Refuse what is not an integer from ``least`` up, or None where it is ``optional``."""
    if not ((optional and value is None) or (is_whole(value) and value >= least)):
        requirement = f"an integer >= {least}"
        raise ParameterError(name, value, _or_none(requirement) if optional else requirement)


def require_one_of(name: str, value: Any, known: Sequence[str | None]) -> None:
    """Refuse what is not one of these words.

    >>> require_one_of("penalty", "l1", ("l2", "firth", None))
    Traceback (most recent call last):
        ...
    separatrix.messages.ParameterError: penalty must be 'l2', 'firth' or None; got 'l1'
    """
    if not is_one_of(value, known):
        *others, last = map(repr, known)
        raise ParameterError(name, value, f"{', '.join(others)} or {last}")


def require_time_limit(seconds: Any, *, zero: bool = False) -> None:
    """Refuse a time limit that is neither None nor a number of seconds above 0, or from 0 up."""
    is_allowed = is_number(seconds) and (seconds > 0 or (zero and seconds == 0))
    if not (seconds is None or is_allowed):
        raise ParameterError("time_limit", seconds, _or_none(">= 0" if zero else "> 0"))


def require_random_state(seed: Any) -> None:
    """Refuse what nothing can be drawn by."""
    if seed is None or isinstance(seed, np.random.RandomState) or seed is np.random:
        return
    if not (is_whole(seed) and 0 <= int(seed) < 2**32):
        others = PythonOnly(", a RandomState or None")
        raise ParameterError("random_state", seed, Message("an integer between 0 and 2**32 - 1{}", others))


def require_common_parameters(model: Any) -> None:
    """Refuse what no estimator takes for a flag, as ``random_state`` or as ``verbose``.

    A flag is a parameter whose default is true or false, and nothing else: the text "no" would be true.
    """
    estimator_class: Any = type(model)
    for name in _flags(estimator_class):
        value = getattr(model, name)
        if not isinstance(value, bool | np.bool_):
            raise ParameterError(name, value, "True or False")
    require_random_state(getattr(model, "random_state", None))
    verbose = getattr(model, "verbose", 0)
    if not isinstance(verbose, bool | np.bool_):
        require_count("verbose", verbose, least=0)


def _or_none(requirement: str) -> Message:
    return Message("{}{}", requirement, PythonOnly(" or None"))


@cache
def _flags(estimator_class: type) -> tuple[str, ...]:
    parameters = signature(estimator_class).parameters.values()
    return tuple(parameter.name for parameter in parameters if isinstance(parameter.default, bool))
