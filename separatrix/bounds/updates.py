"""How many updates a learner that sees all rows at once can make."""

from __future__ import annotations

from fractions import Fraction
from typing import SupportsFloat

from separatrix.bounds.arguments import difficulty, numbers
from separatrix.bounds.bound import Bound
from separatrix.bounds.safe_rounding import up
from separatrix.messages import require

_ROWS = ("Every row has ‖z‖ <= R.", "Some unit vector u has u·z >= γ > 0 on every row.")


def batch_perceptron(radius: SupportsFloat, margin: SupportsFloat) -> Bound:
    """The batch perceptron, normalised: at most (R/γ)² turns.

    Let every row have ‖z‖ <= R and u·z >= γ > 0, ‖u‖ = 1. From w = 0, let each turn add a convex
    combination of the rows with w·z <= 0, such as their mean, until there are none; or, at every turn, that
    combination divided by its length. Either way there are at most (R/γ)² turns.

    The proof is Novikoff's: a convex combination v of violators is itself a row with ‖v‖ <= R, u·v >= γ and
    w·v <= 0, and v/‖v‖ is one with length 1 and margin γ/R or more. The plain sum of the violators is not:
    many copies of one row can throw w far past another, which then takes as many turns to bring it back.

    Source: R. O. Duda and P. E. Hart, Pattern Classification and Scene Analysis (1973), section 5.5.

    Examples
    --------
    >>> print(batch_perceptron(radius=5.0, margin=0.5))
    batch perceptron: turns <= 100 (certain)
    """
    ratio = difficulty(radius, margin)
    turns = (
        "The weights start at zero.",
        "Each turn adds a convex combination of rows with w·z <= 0, or each turn one divided by its length.",
    )
    source = "R. O. Duda and P. E. Hart, Pattern Classification and Scene Analysis (1973), section 5.5"
    return Bound(up(ratio**2), "certain", (*_ROWS, *turns), source, "batch perceptron", "turns")


def kozinec(radius: SupportsFloat, margin: SupportsFloat, epsilon: SupportsFloat) -> Bound:
    """Schlesinger and Kozinec's algorithm: at most ((R/γ)² - 1)/ε² updates to a share 1 - ε of the margin.

    Let every row have ‖z‖ <= R, and let γ > 0 be the largest margin, min u·z over the rows at the best unit
    vector u. Start w at a row; while some row has w·z <= (1 - ε)‖w‖², 0 < ε <= 1, move w to the point
    nearest to the origin on the segment from w to z. There are at most ((R/γ)² - 1)/ε² such updates, and
    where they end min w·z/‖w‖ > (1 - ε)‖w‖ >= (1 - ε)γ.

    The proof: w stays in the convex hull of the rows, whose point nearest to the origin has length γ, so
    that γ <= ‖w‖ <= R and 1/‖w‖² only has room to grow from 1/R² to 1/γ². An update adds to it exactly
    (‖w‖² - w·z)²/(‖w‖²(‖w‖²‖z‖² - (w·z)²)), which is at least ε²/R², if the nearest point is inside the
    segment, and at least ε/R² if it is z. Orthonormal rows e₁ ... e_d attain it at ε = 1, with d - 1
    updates: counting the first row as one, that is Novikoff's bound.

    The cruder estimate ‖w - z‖ <= 2R leads to 4(R/γ)²/ε² instead.

    Source: the algorithm: M. I. Schlesinger and V. Hlaváč, Ten Lectures on Statistical and Structural Pattern
    Recognition (2002), lecture 5; the bound: proven above.

    Examples
    --------
    >>> print(kozinec(radius=1.0, margin=0.5, epsilon=0.5))
    Kozinec: updates <= 12 (certain)
    """
    ratio, (share,) = difficulty(radius, margin), numbers(epsilon=epsilon)
    require(0 < share <= 1, "epsilon", epsilon, "> 0 and <= 1")
    updates = (
        "The weights start at a row, or at any convex combination of rows.",
        "An update goes from w to the point nearest to the origin on the segment to a row z.",
        "Only rows with w·z <= (1 - ε)‖w‖² cause an update.",
    )
    source = (
        "The algorithm: M. I. Schlesinger and V. Hlaváč, Ten Lectures on Statistical and Structural Pattern "
        "Recognition (2002), lecture 5. The bound: proven here, in the documentation of kozinec."
    )
    value = up(max(Fraction(0), ratio**2 - 1) / Fraction(share) ** 2)
    return Bound(value, "certain", (*_ROWS, *updates), source, "Kozinec", "updates")
