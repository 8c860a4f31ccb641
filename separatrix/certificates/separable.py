"""A halfspace that has every row strictly on its side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.exact import Margins
from separatrix.certificates.source import Source
from separatrix.certificates.witness import NumberOrNone, Numbers


@dataclass(frozen=True, repr=False)
class Separable(Certificate):
    """The rows are linearly separable: s(w·x + b) > 0 for each, in exact arithmetic.

    Parameters
    ----------
    weights
        w, doubles or whole numbers of any size.
    intercept
        b; None for a hyperplane through the origin.

    Examples
    --------
    Two rows that no two doubles separate without an intercept, and the whole numbers that do:

    >>> from separatrix.certificates import About
    >>> p = 2**53
    >>> rows, labels = [[p - 1, -(p - 2)], [-p, p - 1]], [1, 1]
    >>> proof = Separable((2 * p - 3, 2 * p - 1), intercept=None, about=About(positive=1))
    >>> proof.verify(rows, labels).holds
    True
    >>> Separable((2.0 * p - 3, 2.0 * p - 1), intercept=None, about=About(positive=1)).verify(rows, labels)
    Verdict(holds=False, reason='Row 0 (counted from 0) is not strictly on its side.')
    """

    weights: Numbers
    intercept: NumberOrNone

    @property
    def claim(self) -> str:
        return "A halfspace has every row strictly on its side: the rows are linearly separable."

    def _prove(self, source: Source) -> Verdict:
        wrong = first_wrong(source, Margins(self.weights, self.intercept))
        if wrong is not None:
            return Verdict(False, f"Row {wrong} (counted from 0) is not strictly on its side.")
        if source.n_rows == 1:
            return Verdict(True, "The row is strictly on its side.")
        return Verdict(True, f"All {source.n_rows} rows are strictly on their side.")


def first_wrong(source: Source, margins: Margins) -> int | None:
    """The first row whose margin is not above its floor, or None."""
    for piece in source.pieces():
        wrong = np.flatnonzero(margins.compare(piece.X, piece.signs, piece.start) <= 0)
        if wrong.size:
            return piece.start + int(wrong[0])
    return None
