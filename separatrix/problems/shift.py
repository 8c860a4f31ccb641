"""The same rows, moved away from the origin."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from separatrix.problems.known_answer import Number, Problem, lowest, square_root
from separatrix.problems.planted import separable

__all__ = ["shifted"]


def shifted(problem: Problem | None = None, offset: float = 100.0) -> Problem:
    """`problem` with `offset` added to every entry; what is known moves along.

    Known: a shift moves no row against another, so with an intercept the verdict, the margin and the fewest
    errors stay, and the planted intercept becomes b − offset·Σw. The radius does not stay, and the mistake
    bound explodes. If an addition rounds, the planted direction is measured anew on the rows as they are,
    with the intercept in the middle: the margin is what it attains where two rows are exactly, or to
    rounding, twice as far apart, and None where they are not; nothing is claimed where it separates no more.

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
    return result if error == 0 else _measured(result, problem)


def _measured(moved: Problem, before: Problem) -> Problem:
    """What is still known of rows that rounding has moved against each other."""
    nothing = replace(
        moved,
        separable=None,
        kind=None,
        halfspace=None,
        margin=None,
        margin_squared=None,
        fewest_errors=None,
    )
    if not before.separable or before.halfspace is None or len(np.unique(before.signs)) < 2:
        return nothing
    weights, _ = before.halfspace
    (above, _), (below, _) = lowest(moved, weights, 1), lowest(moved, weights, -1)
    if above + below <= 0:
        return nothing
    attained = (above + below) ** 2 / (4 * sum(Fraction(weight) ** 2 for weight in weights))
    # No margin is above half a distance; rounding keeps the order of a column, so a nearest pair stays one.
    nearest = [lowest(before, weights, sign)[1][:100].tolist() for sign in (1, -1)]
    most = min(_squared_distance(moved.X[i], moved.X[j]) for i in nearest[0] for j in nearest[1]) / 4
    return replace(
        moved,
        halfspace=_in_numbers(weights, (below - above) / 2),
        margin=square_root(attained) if most <= attained * (1 + Fraction(1, 2**40)) else None,
        margin_squared=attained if most == attained else None,
    )


def _squared_distance(x: NDArray[Any], z: NDArray[Any]) -> Fraction:
    pairs = zip(x.tolist(), z.tolist(), strict=True)
    return sum(((Fraction(a) - Fraction(b)) ** 2 for a, b in pairs), Fraction())


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
    """The planted halfspace moved exactly."""
    return _in_numbers(
        weights, Fraction(intercept) - Fraction(offset) * sum(map(Fraction, weights), Fraction(0))
    )


def _in_numbers(weights: tuple[Number, ...], exact: Fraction) -> tuple[tuple[Number, ...], Number]:
    """A halfspace with this intercept: in floats where they hold it, else in whole numbers."""
    if exact.denominator == 1 and all(isinstance(weight, int) for weight in weights):
        return weights, int(exact)
    if Fraction(float(exact)) == exact and not any(isinstance(weight, int) for weight in weights):
        return weights, float(exact)
    scale = math.lcm(exact.denominator, *(Fraction(weight).denominator for weight in weights))
    return tuple(int(Fraction(weight) * scale) for weight in weights), int(exact * scale)
