"""What a parameter may be: asked before any row is read, so that a wrong one is told by its name."""

from __future__ import annotations

from collections.abc import Container
from functools import cache
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np

MAX_SHOWN_CHARACTERS = 80  # characters


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


def shown(value: Any) -> str:
    """The value as a message shows it: on one line, and no longer than a line.

    >>> shown("firth"), len(shown(10**10_000))
    ("'firth'", 17)
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # whole numbers of more digits than Python writes
        return "a number too long"
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}..."


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


def require_time_limit(seconds: Any, *, zero: bool = False) -> None:
    """Refuse a time limit that is not a number of seconds above 0, or from 0 up."""
    if seconds is not None and not (is_number(seconds) and (seconds > 0 or (zero and seconds == 0))):
        raise ValueError(f"time_limit={shown(seconds)} makes no sense: give seconds, or None.")


def require_node_limit(nodes: Any) -> None:
    """Refuse a limit that is not a whole number from 1 up."""
    if nodes is not None and not (is_whole(nodes) and nodes >= 1):
        raise ValueError(f"node_limit={shown(nodes)} makes no sense: give a number of nodes, or None.")


def require_seed(model: Any) -> None:
    """Refuse a ``random_state`` that nothing can be drawn by."""
    require_random_state(getattr(model, "random_state", None))


def require_random_state(seed: Any) -> None:
    """Refuse what nothing can be drawn by."""
    if seed is None or isinstance(seed, np.random.RandomState) or seed is np.random:
        return
    if not (is_whole(seed) and 0 <= int(seed) < 2**32):
        raise ValueError(
            f"random_state={shown(seed)} must be a whole number from 0 to 2**32 - 1, a RandomState or None."
        )


def require_verbosity(model: Any) -> None:
    """Refuse a ``verbose`` that is neither a whole number from 0 up nor true or false."""
    value = getattr(model, "verbose", 0)
    if not (isinstance(value, bool | np.bool_) or (is_whole(value) and value >= 0)):
        raise ValueError(f"verbose={shown(value)} must be a whole number of at least 0.")


def require_flags(model: Any) -> None:
    """Refuse anything but true and false where one of the two is the default: the text "no" would be true."""
    estimator_class: Any = type(model)
    for name in _flags(estimator_class):
        value = getattr(model, name)
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name}={shown(value)} must be True or False.")


@cache
def _flags(estimator_class: type) -> tuple[str, ...]:
    parameters = signature(estimator_class).parameters.values()
    return tuple(parameter.name for parameter in parameters if isinstance(parameter.default, bool))
