"""Small sets typed by hand, each with one lesson."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from separatrix.problems.known_answer import Problem

__all__ = ["beyond_doubles", "incomes", "near_ties"]


def incomes() -> Problem:
    """Four incomes in one column, far from the origin: easy to see, long for a perceptron.

    Known: the gap is from 30000 to 60000, so the margin is 15000 around 45000. For the rows (x, 1)
    the bound on mistakes is 7.3·10¹⁰; with the column measured from 45000 it is 9.

    Examples
    --------
    >>> from separatrix import problems
    >>> problem = problems.incomes()
    >>> problem.margin, f"{problem.mistake_bound:.1e}"
    (15000.0, '7.3e+10')
    """
    return Problem(
        X=np.array([[20000.0], [30000.0], [60000.0], [90000.0]]),
        y=np.array([0, 0, 1, 1]),
        name="incomes",
        description="Who earns more than about 45000.",
        separable=True,
        kind="complete",
        halfspace=((1,), -45000),
        margin_squared=Fraction(15000) ** 2,
        fewest_errors=0,
        columns=("income",),
    )


def near_ties(separable: bool = False) -> Problem:
    """Four numbers, the middle two so close that a tolerance gets the verdict wrong.

    By default 0, 1, 1 + 10⁻⁷, 2 with labels 0, 1, 0, 1: the classes' intervals overlap, and by less than
    the usual feasibility tolerance of a solver. The kind is overlap and the fewest errors 1 (give up one of
    the middle two). With ``separable=True``, 0, 1, 1 + 10⁻¹⁰, 2 with labels −1, −1, 1, 1: separable, the
    margin half of the gap between the floats 1 and 1 + 10⁻¹⁰.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.near_ties()
    <near_ties: 4 × 1, overlap, fewest errors 1>
    >>> problems.near_ties(separable=True)
    <near_ties: 4 × 1, complete, margin 5e-11>
    """
    if not separable:
        return Problem(
            X=np.array([[0.0], [1.0], [1 + 1e-7], [2.0]]),
            y=np.array([0, 1, 0, 1]),
            name="near_ties",
            description="Two intervals that overlap by 1e-7.",
            separable=False,
            kind="overlap",
            fewest_errors=1,
        )
    upper = 1 + 1e-10
    gap = Fraction(upper) - 1
    # The halfway point of the two floats needs one bit more than either; twice it does not.
    return Problem(
        X=np.array([[0.0], [1.0], [upper], [2.0]]),
        y=np.array([-1, -1, 1, 1]),
        name="near_ties",
        description="Two intervals that a gap of 1e-10 separates.",
        separable=True,
        kind="complete",
        halfspace=((2 * 2**52,), -int((2 + gap) * 2**52)),
        margin_squared=(gap / 2) ** 2,
        fewest_errors=0,
    )


def beyond_doubles() -> Problem:
    """Two rows of doubles, separable without intercept, but by no pair of doubles.

    The signed rows are (p − 1, −(p − 2)) and (−p, p − 1) with p = 2⁵³. Weights (a, b) separate them exactly
    when a > 0 and b/a lies strictly between p/(p − 1) and (p − 1)/(p − 2). These are neighbouring fractions
    (their cross product is 1), so a fraction between them has, in lowest terms, a denominator of at least
    2p − 3. But of two doubles 0 < a < b, divided by the power of two of a, both are whole and a < 2⁵³ = p.
    The whole numbers (2p − 3, 2p − 1) separate with every z·w = 1; since w = α₁z₁ + α₂z₂ with α > 0, they
    attain the largest margin, 1/‖w‖.

    Examples
    --------
    >>> from separatrix import problems
    >>> problems.beyond_doubles().halfspace
    ((18014398509481981, 18014398509481983), 0)
    """
    p = 2**53
    weights = (2 * p - 3, 2 * p - 1)
    return Problem(
        X=np.array([[p - 1, -(p - 2)], [p, -(p - 1)]], dtype=np.float64),
        y=np.array([1, -1]),
        name="beyond_doubles",
        description="Separable, though no weights in double precision show it.",
        separable=True,
        kind="complete",
        halfspace=(weights, 0),
        margin_squared=Fraction(1, weights[0] ** 2 + weights[1] ** 2),
        intercept=False,
        fewest_errors=0,
    )
