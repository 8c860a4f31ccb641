"""Data with a known answer, and small real sets.

Every function returns a `Problem`: rows, labels, and what is known about them with the reason why. ``X, y =
problem`` unpacks it. `ALL` maps names to functions that need no argument.

>>> from separatrix import problems
>>> X, y = problems.separable(100, 3, margin=0.25)
>>> problems.xor()
<boolean xor: 4 × 2, overlap, fewest errors 1>
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from separatrix.problems.boolean import BOOLEAN, boolean, xor
from separatrix.problems.classic import breast_cancer, diabetes, digits, iris, wine
from separatrix.problems.hard import (
    exponential,
    greater_than,
    orthonormal,
    planar_half,
    shrinking_margin,
    variable_steps,
)
from separatrix.problems.inseparable import noisy, quasi
from separatrix.problems.known_answer import Problem
from separatrix.problems.lookalikes import faces, spam_words
from separatrix.problems.planted import barely_separable, separable
from separatrix.problems.shift import shifted
from separatrix.problems.streams import AdversarialStream, adversarial_stream
from separatrix.problems.textbook import beyond_doubles, incomes, near_ties

__all__ = [
    "ALL",
    "BOOLEAN",
    "AdversarialStream",
    "Problem",
    "adversarial_stream",
    "barely_separable",
    "beyond_doubles",
    "boolean",
    "breast_cancer",
    "diabetes",
    "digits",
    "exponential",
    "faces",
    "greater_than",
    "incomes",
    "iris",
    "names",
    "near_ties",
    "noisy",
    "orthonormal",
    "planar_half",
    "quasi",
    "separable",
    "shifted",
    "shrinking_margin",
    "spam_words",
    "variable_steps",
    "wine",
    "xor",
]

ALL: Mapping[str, Callable[[], Problem]] = MappingProxyType(
    {
        "and": partial(boolean, "and"),
        "barely_separable": barely_separable,
        "beyond_doubles": beyond_doubles,
        "breast_cancer": breast_cancer,
        "diabetes": diabetes,
        "digits": digits,
        "digits_8": partial(digits, 8),
        "exponential": exponential,
        "faces": faces,
        "greater_than": greater_than,
        "incomes": incomes,
        "iris": iris,
        "iris_overlap": partial(iris, "virginica", "versicolor"),
        "near_ties": near_ties,
        "near_ties_separable": partial(near_ties, separable=True),
        "noisy": noisy,
        "or": partial(boolean, "or"),
        "orthonormal": orthonormal,
        "planar_half": planar_half,
        "quasi": quasi,
        "separable": separable,
        "separable_diagonal": partial(separable, d=4, direction="diagonal"),
        "separable_rotated": partial(separable, direction="random"),
        "shifted": shifted,
        "spam_words": spam_words,
        "variable_steps": variable_steps,
        "wine": wine,
        "xor": xor,
    }
)
"""One problem of every kind, by name, each made by a function without arguments."""


def names() -> tuple[str, ...]:
    """The names in `ALL`, sorted."""
    return tuple(sorted(ALL))


def __dir__() -> list[str]:
    return sorted(__all__)
