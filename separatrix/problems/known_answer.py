"""The record of a problem: rows, labels, and what is known about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Kind", "Number", "Problem"]

Kind = Literal["complete", "quasi", "overlap"]
Number = int | float


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """Rows, labels, and what is known about them. ``None`` always means "not known".

    ``X, y = problem`` unpacks it.

    Attributes
    ----------
    X, y
        The rows and their labels: two values, the larger (sorted) being +1, or numbers for a regression.
    name, description
        The function that made it, and what it is in a sentence.
    separable
        Whether some hyperplane has every row strictly on its own side; through the origin where
        `intercept` is False.
    kind
        "complete", "quasi" or "overlap", after Albert and Anderson (1984).
    halfspace
        ``(weights, intercept)``, the planted halfspace, in floats or whole numbers. Where `margin` is
        known it attains it; in a quasi problem it is weak; in a noisy one it errs on the flipped rows alone.
    margin
        The largest geometric margin: max over (w, b) of min s(w·x + b)/‖w‖, with b not in the norm, and with
        b = 0 where `intercept` is False. It is about the rows x, never about the rows (x, 1).
    margin_squared
        The square of that margin as an exact fraction of the floats in `X`. None while `margin` is a number
        means that the margin was planted to rounding only.
    intercept
        Whether the claims are about hyperplanes with an intercept.
    fewest_errors
        The fewest rows with s(w·x + b) ≤ 0 that any hyperplane leaves.
    least_mistakes
        What a perceptron from zero with unit steps makes at least before it stops, whatever the order;
        where a `sequence` is given, exactly what it makes in that order.
    sequence
        Row indices in the order of presentation, the whole to be repeated; None: any order.
    columns
        Names of the columns.
    flipped
        Indices of the rows whose label is not that of the planted halfspace.
    step
        The step of the k-th mistake, k = 0, 1, ..., where the problem is about steps.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    name: str
    description: str
    separable: bool | None = None
    kind: Kind | None = None
    halfspace: tuple[tuple[Number, ...], Number] | None = None
    margin: float | None = None
    margin_squared: Fraction | None = None
    intercept: bool = True
    fewest_errors: int | None = None
    least_mistakes: int | None = None
    sequence: tuple[int, ...] | None = None
    columns: tuple[str, ...] | None = None
    flipped: NDArray[np.intp] | None = None
    step: Callable[[int], float] | None = None

    def __post_init__(self) -> None:
        if self.margin is None and self.margin_squared is not None:
            object.__setattr__(self, "margin", square_root(self.margin_squared))

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.X, self.y))

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        known = [f"{rows} × {columns}"]
        if self.separable is not None:
            known.append(self.kind or ("separable" if self.separable else "inseparable"))
        if self.margin is not None:
            known.append(
                f"margin {self.margin:.6g}" + ("" if self.margin_squared is not None else " to rounding")
            )
        if self.fewest_errors is not None and not self.separable:
            known.append(f"fewest errors {self.fewest_errors}")
        if not self.intercept:
            known.append("no intercept")
        return f"<{self.name}: {', '.join(known)}>"

    @property
    def signs(self) -> NDArray[np.int8]:
        """+1 where the label is the larger of the two, −1 elsewhere."""
        classes = np.unique(self.y)
        if len(classes) > 2:
            raise ValueError(f"{self.name} has {len(classes)} distinct labels; signs are for two.")
        positive = self.y == classes[-1] if len(classes) == 2 else self.y > 0
        return np.where(positive, 1, -1).astype(np.int8)

    @cached_property
    def radius_squared(self) -> float:
        """max ‖x‖², rows x without the constant; exact for whole numbers whose squares add up below 2⁵³."""
        return float(np.einsum("ij,ij->i", self.X, self.X, dtype=np.float64).max())

    @property
    def radius(self) -> float:
        """R = max ‖x‖, rows x without the constant."""
        return math.sqrt(self.radius_squared)

    @property
    def mistake_bound(self) -> float | None:
        """What Novikoff's theorem allows a perceptron from zero with unit steps; None where nothing is known.

        Without intercept (R/γ)². With one, the rows are (x, 1) and the planted (w, b) separates those with
        margin γ‖w‖/‖(w, b)‖, so (R² + 1)(1 + b²/‖w‖²)/γ². γ is what the planted halfspace attains on the rows
        as they are. Evaluated in fractions and rounded once, up.
        """
        if not self.separable or self.halfspace is None:
            return None
        weights, intercept = self.halfspace
        norm = sum((Fraction(w) ** 2 for w in weights), Fraction(0))
        squared = self.margin_squared
        if squared is None:
            signs = np.unique(self.signs).tolist()
            least = min(Fraction(sign * intercept) + lowest(self, weights, sign)[0] for sign in signs)
            if least <= 0:
                return None
            squared = least**2 / norm
        bound = self._longest() / squared
        if self.intercept:
            bound = (self._longest() + 1) * (1 + Fraction(intercept) ** 2 / norm) / squared
        return rounded_up(bound)

    def _longest(self) -> Fraction:
        """max ‖x‖², exactly: of the rows that doubles cannot tell from the longest."""
        squares = np.einsum("ij,ij->i", self.X, self.X, dtype=np.float64)
        near = squares >= squares.max() * (1 - 2.0**-50 * (self.X.shape[1] + 2)) - 2.0**-1000
        return max(sum((Fraction(x) ** 2 for x in row), Fraction(0)) for row in self.X[near].tolist())


def lowest(problem: Problem, weights: Sequence[Number], sign: int) -> tuple[Fraction, NDArray[np.intp]]:
    """The least s(w·x) of the rows of this sign, exactly, and which rows have it."""
    rows = np.flatnonzero(problem.signs == sign)
    unit = max(map(abs, weights)) or 1
    w = np.array([float(Fraction(weight) / Fraction(unit)) for weight in weights])
    X = problem.X[rows].astype(np.float64)
    # Doubles choose the rows that can have it: a sum of d products is off by less than this.
    value, error = sign * (X @ w), 2.0**-51 * (len(w) + 2) * (np.abs(X) @ np.abs(w)) + 2.0**-1000
    near = rows[value - error <= (value + error).min()]
    exact = [
        sign
        * sum((Fraction(weight) * Fraction(x) for weight, x in zip(weights, row, strict=True)), Fraction())
        for row in problem.X[near].tolist()
    ]
    least = min(exact)
    return least, near[[number == least for number in exact]]


def rounded_up(value: Fraction) -> float:
    try:
        near = float(value)
    except OverflowError:
        return math.inf
    return near if near >= value else math.nextafter(near, math.inf)


def square_root(value: Fraction) -> float:
    """√value, also where the value itself is too small or too large for a double."""
    if value == 0:
        return 0.0
    half = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(value / Fraction(4) ** half), half)
