"""The sixteen functions of two bits, of which fourteen are halfspaces."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from separatrix.problems.known_answer import Problem

__all__ = ["BOOLEAN", "boolean", "xor"]

# Values at (0,0), (0,1), (1,0), (1,1), and a halfspace in whole numbers where there is one.
_Table = tuple[int, int, int, int]
_FUNCTIONS: dict[str, tuple[_Table, tuple[tuple[int, int], int] | None]] = {
    "false": ((0, 0, 0, 0), ((0, 0), -1)),
    "and": ((0, 0, 0, 1), ((2, 2), -3)),
    "a and not b": ((0, 0, 1, 0), ((2, -2), -1)),
    "a": ((0, 0, 1, 1), ((2, 0), -1)),
    "b and not a": ((0, 1, 0, 0), ((-2, 2), -1)),
    "b": ((0, 1, 0, 1), ((0, 2), -1)),
    "xor": ((0, 1, 1, 0), None),
    "or": ((0, 1, 1, 1), ((2, 2), -1)),
    "nor": ((1, 0, 0, 0), ((-2, -2), 1)),
    "xnor": ((1, 0, 0, 1), None),
    "not b": ((1, 0, 1, 0), ((0, -2), 1)),
    "a or not b": ((1, 0, 1, 1), ((2, -2), 1)),
    "not a": ((1, 1, 0, 0), ((-2, 0), 1)),
    "b or not a": ((1, 1, 0, 1), ((-2, 2), 1)),
    "nand": ((1, 1, 1, 0), ((-2, -2), 3)),
    "true": ((1, 1, 1, 1), ((0, 0), 1)),
}

BOOLEAN = tuple(_FUNCTIONS)
"""The names of the sixteen functions, in the order of their truth tables."""


def boolean(function: str | Sequence[int] = "and") -> Problem:
    """A function of two bits, by name or by its values at (0,0), (0,1), (1,0), (1,1).

    Known: every one is a halfspace but "xor" and "xnor". In those two the classes are the two diagonals of
    the square, which cross in their middles: the sum of s·(x, 1) over the four rows is 0 and the rows span,
    so the kind is overlap; giving up one row leaves a halfspace. The eight functions with one odd corner
    have margin 1/√8 (half the distance of a corner from the opposite diagonal), the four that copy or
    negate a bit 1/2. The two constant ones have one class only, and no largest margin.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.boolean("or")
    <boolean or: 4 × 2, complete, margin 0.353553>
    >>> problems.boolean([1, 0, 0, 1]).name
    'boolean xnor'
    >>> sum(problems.boolean(name).separable for name in problems.BOOLEAN)
    14
    """
    name = function if isinstance(function, str) else _named(function)
    if name not in _FUNCTIONS:
        raise ValueError(f"No function of two bits is called {name!r}; choose from {', '.join(BOOLEAN)}.")
    table, halfspace = _FUNCTIONS[name]
    squared = {0: None, 1: Fraction(1, 8), 2: Fraction(1, 4), 3: Fraction(1, 8), 4: None}[sum(table)]
    return Problem(
        X=np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
        y=np.array(table),
        name=f"boolean {name}",
        description=f"The function {name!r} of two bits.",
        separable=halfspace is not None,
        kind="overlap" if halfspace is None else "complete",
        halfspace=halfspace,
        margin_squared=None if halfspace is None else squared,
        fewest_errors=1 if halfspace is None else 0,
        columns=("a", "b"),
    )


def xor() -> Problem:
    """Exclusive or, the problem no halfspace solves (Minsky and Papert 1969); the fewest errors are 1.

    Examples
    --------
    >>> from separatrix import problems
    >>> X, y = problems.xor()
    >>> y
    array([0, 1, 1, 0])
    """
    return boolean("xor")


def _named(values: Sequence[int]) -> str:
    table = tuple(int(value) for value in values)
    for name, (known, _) in _FUNCTIONS.items():
        if known == table:
            return name
    raise ValueError(f"A truth table of two bits is four values 0 or 1, not {list(values)!r}.")
