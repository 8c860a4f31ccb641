"""The same rows, moved away from the origin."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problems.planted import separable
from separatrix.problems.problem import Number, Problem

__all__ = ["shifted"]


def shifted(problem: Problem | None = None, offset: float = 100.0) -> Problem:
    """`problem` with `offset` added to every entry; what is known moves along.

    Known: a shift moves no row against another, so with an intercept the verdict, the margin and the fewest
    errors stay, and the planted intercept becomes b − offset·Σw. The radius does not stay, and the mistake
    bound explodes. If an addition rounds, the claims stay as far as the largest rounding error leaves them
    certain: the margin then is the planted one to rounding, and what could have changed is None.

    Examples
    --------
    >>> from separatrix import problems
    >>> near = problems.separable(100, 2, margin=0.25)
    >>> far = problems.shifted(near, 100.0)
    >>> far
    <separable shifted by 100.0: 100 × 2, complete, margin 0.25>
    >>> round(near.mistake_bound), round(far.mistake_bound)
    (52, 3262507624)
    """
    if problem is None:
        problem = separable()
    if not problem.intercept:
        raise ValueError(
            f"{problem.name} is about hyperplanes through the origin; a shift would change the question."
        )
    moved, error = _add(problem.X, offset)
    result = replace(
        problem,
        X=moved,
        name=f"{problem.name} shifted by {offset!r}",
        description=f"{problem.description} Moved by {offset!r} in every column.",
        halfspace=problem.halfspace and _shift(*problem.halfspace, offset),
        least_mistakes=None,
        sequence=None,
    )
    if error == 0:
        return result
    if (
        problem.separable
        and problem.margin is not None
        and problem.margin > error * math.sqrt(moved.shape[1])
    ):
        return replace(result, margin_squared=None)
    return replace(
        result,
        separable=None,
        kind=None,
        halfspace=None,
        margin=None,
        margin_squared=None,
        fewest_errors=None,
    )


def _add(X: NDArray[Any], offset: float) -> tuple[NDArray[Any], float]:
    """X + offset in the type of X, and the largest rounding error made (Knuth's two-sum, itself exact)."""
    step = X.dtype.type(offset)
    if float(step) != offset or not math.isfinite(offset):
        raise ValueError(f"The offset {offset!r} is not a finite number of type {X.dtype}.")
    total = X + step
    virtual = total - X
    error = (X - (total - virtual)) + (step - virtual)
    return total, float(np.abs(error).max())


def _shift(
    weights: tuple[Number, ...], intercept: Number, offset: float
) -> tuple[tuple[Number, ...], Number]:
    """The planted halfspace moved exactly: in floats where they hold it, else in whole numbers."""
    exact = Fraction(intercept) - Fraction(offset) * sum(map(Fraction, weights), Fraction(0))
    if exact.denominator == 1 and all(isinstance(weight, int) for weight in weights):
        return weights, int(exact)
    if Fraction(float(exact)) == exact and not any(isinstance(weight, int) for weight in weights):
        return weights, float(exact)
    scale = math.lcm(exact.denominator, *(Fraction(weight).denominator for weight in weights))
    return tuple(int(Fraction(weight) * scale) for weight in weights), int(exact * scale)
