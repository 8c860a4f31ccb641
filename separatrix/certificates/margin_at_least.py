"""A halfspace with a margin of at least a given number."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.dyadic import dyadic
from separatrix.certificates.exact import Margins
from separatrix.certificates.source import Source
from separatrix.certificates.witness import Flag, Number, NumberOrNone, Numbers


@dataclass(frozen=True, repr=False)
class MarginAtLeast(Certificate):
    """Every row has s(w·x + b)/‖w‖ ≥ margin, in exact arithmetic.

    Parameters
    ----------
    weights, intercept
        The halfspace; None for one through the origin.
    margin
        Above 0.
    geometric
        True: the distance of the rows from the hyperplane, b not in the norm. False: the margin of the rows
        (x, 1), b in the norm, which is the one of the mistake bound.

    Examples
    --------
    >>> MarginAtLeast((1.0,), -2.5, margin=0.5, geometric=True).verify([[1.0], [2.0], [3.0]], [0, 0, 1]).holds
    True
    >>> MarginAtLeast((1.0,), -2.5, margin=0.5, geometric=False).verify([[1.0], [2.0], [3.0]], [0, 0, 1])
    Verdict(holds=False, reason='Row 1 (counted from 0) has a smaller margin than that.')
    """

    weights: Numbers
    intercept: NumberOrNone
    margin: Number
    geometric: Flag

    @property
    def claim(self) -> str:
        return f"A halfspace has a margin of at least {self.margin!r}{of_what(self.geometric)}."

    def _prove(self, source: Source) -> Verdict:
        if self.margin <= 0:
            return Verdict(False, "A margin is a number above 0.")
        normal = self.weights if self.geometric else (*self.weights, self.intercept or 0)
        floor = Fraction(self.margin) ** 2 * dyadic(normal).squared_norm()
        if not floor:
            return Verdict(False, "Its weights are all zero.")
        margins = Margins(self.weights, self.intercept, floor)
        for piece in source.pieces():
            wrong = np.flatnonzero(margins.compare(piece.X, piece.signs, piece.start) < 0)
            if wrong.size:
                row = piece.start + int(wrong[0])
                return Verdict(False, f"Row {row} (counted from 0) has a smaller margin than that.")
        return Verdict(True, f"All {source.n_rows} rows have a margin of at least {self.margin!r}.")


def of_what(geometric: bool) -> str:
    return "" if geometric else " for the rows (x, 1)"
