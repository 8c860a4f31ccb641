"""Rows that prove that no hyperplane separates even weakly.

**Stiemke's theorem** (1915), the easy half. Let z = s(x, 1), or s·x without an intercept. If Σ l_i z_i = 0
with l_i > 0 over rows that span all rows, then z·w ≥ 0 on every row forces z_i·w = 0 on these and hence on
all. At most twice as many rows as dimensions are needed (Steinitz, 1913).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.exact import Margins
from separatrix.certificates.inseparable import not_zero, require_pairs
from separatrix.certificates.source import Source
from separatrix.certificates.span import Vectors, rank_at_least, signed_rows
from separatrix.certificates.witness import Counts, Flag, RowNumbers


@dataclass(frozen=True, repr=False)
class Overlapping(Certificate):
    """No hyperplane has every row on its side or on it, unless it has all of them on it.

    Parameters
    ----------
    rows, multipliers
        Numbers of rows, ascending, and a positive whole number for each: they cancel, and span all rows.
    normals
        Independent whole-number vectors that every row z is orthogonal to; none when the rows span the whole
        space.
    intercept
        Whether hyperplanes with an intercept are excluded too.

    Examples
    --------
    >>> Overlapping((0, 1), (1, 1), (), True).verify([[0.0], [0.0], [2.0]], [0, 1, 0])
    Verdict(holds=False, reason='Its rows and normals leave 1 of 2 dimensions open.')
    >>> proof = Overlapping((0, 1, 2, 3), (1, 1, 1, 1), (), True)
    >>> proof.verify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).holds
    True
    """

    rows: RowNumbers
    multipliers: Counts
    normals: Vectors
    intercept: Flag

    def __post_init__(self) -> None:
        super().__post_init__()
        require_pairs(self.rows, self.multipliers)

    @property
    def claim(self) -> str:
        through = "" if self.intercept else " through the origin"
        weak = "has every row on its side or on it, unless all are on it"
        return f"The classes overlap: no hyperplane{through} {weak}."

    def _prove(self, source: Source) -> Verdict:
        refusal = not_zero(source, self.rows, self.multipliers, self.intercept)
        refusal = refusal or dimensions_open(source, self.rows, self.normals, self.intercept)
        if refusal is not None:
            return Verdict(False, refusal)
        for normal in self.normals:
            plane = Margins(*split(normal, self.intercept))
            for piece in source.pieces():
                off = np.flatnonzero(plane.compare(piece.X, piece.signs, piece.start) != 0)
                if off.size:
                    return Verdict(
                        False,
                        f"Row {piece.start + int(off[0])} (counted from 0) is outside the span it claims.",
                    )
        return Verdict(True, f"{len(self.rows)} rows that span all rows add up to exactly zero.")


def split(vector: tuple[int, ...], intercept: bool) -> tuple[tuple[int, ...], int]:
    """Weights and intercept of a vector that may or may not end with one."""
    return (vector[:-1], vector[-1]) if intercept else (vector, 0)


def dimensions_open(
    source: Source, rows: tuple[int, ...], normals: tuple[tuple[int, ...], ...], intercept: bool
) -> str | None:
    """Why rows and normals do not account for all dimensions, or None."""
    width = source.n_columns + intercept
    if any(len(normal) != width for normal in normals):
        return f"A normal has the wrong length; rows have {width} dimensions here."
    if rank_at_least(normals) < len(normals):
        return "Its normals are not independent."
    held = rank_at_least(signed_rows(source, rows, intercept)) + len(normals)
    return None if held == width else f"Its rows and normals leave {width - held} of {width} dimensions open."
