"""What a parameter may be: asked before any row is read, so that a wrong one is told by its name."""

from __future__ import annotations

from collections.abc import Container
from functools import cache
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    """Whether it is one real number; true and false are none.

    >>> is_number(0.5), is_number(np.int8(3)), is_number(True), is_number("0.5"), is_number(None)
    (True, True, False, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


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


def require_seed(model: Any) -> None:
    """Refuse a ``random_state`` that nothing can be drawn by."""
    seed = getattr(model, "random_state", None)
    if seed is None or isinstance(seed, np.random.RandomState) or seed is np.random:
        return
    if not (isinstance(seed, Integral) and 0 <= int(seed) < 2**32):
        raise ValueError(
            f"random_state={seed!r} must be a whole number from 0 to 2**32 - 1, a RandomState or None."
        )


def require_flags(model: Any) -> None:
    """Refuse anything but true and false where one of the two is the default: the text "no" would be true."""
    kind: Any = type(model)
    for name in _flags(kind):
        value = getattr(model, name)
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name}={value!r} must be True or False.")


@cache
def _flags(kind: type) -> tuple[str, ...]:
    parameters = signature(kind).parameters.values()
    return tuple(parameter.name for parameter in parameters if isinstance(parameter.default, bool))
