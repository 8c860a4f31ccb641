"""A hyperplane with every row on its side or on it, as few on it as can be, and the proof that those must be.

**Theorem** (Albert and Anderson, 1984). Let z = s(x, 1), or s·x without an intercept. Let w have z·w ≥ 0 on
every row, not always 0. If Σ l_i z_i = 0 with l_i > 0 over rows that span all rows with z·w = 0, then no
hyperplane separates strictly, and every hyperplane that has each row on its side or on it has those rows on
it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.exact import Margins
from separatrix.certificates.inseparable import not_zero, require_pairs
from separatrix.certificates.overlapping import dimensions_open, split
from separatrix.certificates.source import Source
from separatrix.certificates.span import Vectors
from separatrix.certificates.witness import Counts, NumberOrNone, Numbers, RowNumbers, several


@dataclass(frozen=True, repr=False)
class WeaklySeparable(Certificate):
    """Quasi-complete separation: weakly separable, not strictly, with as few rows as possible on the
    hyperplane.

    Parameters
    ----------
    weights, intercept
        The hyperplane; None for one through the origin.
    rows, multipliers
        Rows on it, ascending, and a positive whole number for each: they cancel, and span all rows on it.
    normals
        Independent whole-number vectors that every row on it is orthogonal to.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]
    >>> proof = WeaklySeparable((1,), -1, rows=(1, 2), multipliers=(1, 1), normals=((1, -1),))
    >>> proof.verify(X, y)
    Verdict(holds=True, reason='2 rows are strictly on their side, 2 on the hyperplane, where they must be.')
    """

    weights: Numbers
    intercept: NumberOrNone
    rows: RowNumbers
    multipliers: Counts
    normals: Vectors

    def __post_init__(self) -> None:
        super().__post_init__()
        require_pairs(self.rows, self.multipliers)

    @property
    def claim(self) -> str:
        return "Some hyperplane has every row on its side or on it, not all on it; none separates strictly."

    def _prove(self, source: Source) -> Verdict:
        constant = self.intercept is not None
        refusal = not_zero(source, self.rows, self.multipliers, constant)
        refusal = refusal or dimensions_open(source, self.rows, self.normals, constant)
        if refusal is not None:
            return Verdict(False, refusal)
        plane = Margins(self.weights, self.intercept)
        normals = [Margins(*split(normal, constant)) for normal in self.normals]
        strict = on = 0
        for piece in source.pieces():
            sides = plane.compare(piece.X, piece.signs, piece.start)
            wrong = np.flatnonzero(sides < 0)
            if wrong.size:
                return Verdict(
                    False, f"Row {piece.start + int(wrong[0])} (counted from 0) is on the wrong side."
                )
            tied = np.flatnonzero(sides == 0)
            for normal in normals if tied.size else ():
                off = np.flatnonzero(normal.compare(piece.X[tied], piece.signs[tied]) != 0)
                if off.size:
                    row = piece.start + int(tied[off[0]])
                    return Verdict(False, f"Row {row} (counted from 0) is on the hyperplane and need not be.")
            strict += int(np.count_nonzero(sides > 0))
            on += tied.size
        if not strict:
            return Verdict(False, "It has every row on the hyperplane.")
        side = "its side" if strict == 1 else "their side"
        told = f"{several(strict, 'row', ('is', 'are'))} strictly on {side}, {on} on the hyperplane"
        return Verdict(True, f"{told}, where they must be.")
