"""Whether, and how, a hyperplane can separate the rows: four claims.

Let z = s(x, 1), or s·x without an intercept, and let some rows have

    Σ l_i z_i = 0,   l_i > 0.                                                                           (1)

**Gordan's theorem** (1873), the easy half, for `Inseparable`. (1) gives Σ l_i z_i·w = 0 for every w, so that
z_i·w > 0 for all these i is impossible. With an intercept the same numbers describe a point that lies in the
convex hulls of both classes.

**Albert and Anderson's theorem** (1984), for `WeaklySeparable`. Let w have z·w ≥ 0 on every row, not always
0. If the rows of (1) span all rows with z·w = 0, then no hyperplane separates strictly, and every hyperplane
that has each row on its side or on it has those rows on it.

**Stiemke's theorem** (1915), the easy half, for `Overlapping`. If the rows of (1) span all rows, then z·w ≥ 0
on every row forces z_i·w = 0 on these and hence on all. At most twice as many rows as dimensions are needed
(Steinitz, 1913).

Rows span all those that are orthogonal to k independent normals, in D dimensions, if

    (their rank) + k = D.                                                                               (2)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.certificates.arithmetic.dyadic import Dyadic
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.certificates.arithmetic.row_sums import weighted_sum
from separatrix.certificates.arithmetic.span import rank_at_least, signed_rows
from separatrix.certificates.certificate import NO_FEWER_ERRORS, Certificate, Verdict
from separatrix.certificates.claims.named_rows import NamedRows
from separatrix.certificates.data.reading import RowSource
from separatrix.certificates.fields import (
    CertificateError,
    Counts,
    Flag,
    NumberOrNone,
    Numbers,
    RowNumbers,
    Vectors,
    several,
)


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

    title = "separation"
    leaves_open = "that no halfspace has a larger margin"

    weights: Numbers
    intercept: NumberOrNone

    @property
    def claim(self) -> str:
        return "A halfspace has every row strictly on its side: the rows are linearly separable."

    def _prove(self, source: RowSource) -> Verdict:
        wrong = first_wrong(source, Margins(self.weights, self.intercept))
        if wrong is not None:
            return Verdict(False, f"Row {wrong} (counted from 0) is not strictly on its side.")
        if source.n_rows == 1:
            return Verdict(True, "The row is strictly on its side.")
        return Verdict(True, f"All {source.n_rows} rows are strictly on their side.")


def first_wrong(source: RowSource, margins: Margins, fits: Any = np.greater) -> int | None:
    """The first row whose margin is not above its floor, or not as ``fits`` compares it with the floor."""
    for piece in source.pieces():
        wrong = np.flatnonzero(~fits(margins.compare(piece.X, piece.signs, piece.start), 0))
        if wrong.size:
            return piece.start + int(wrong[0])
    return None


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

    title = "quasi-complete separation"
    leaves_open = NO_FEWER_ERRORS

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

    def _prove(self, source: RowSource) -> Verdict:
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
        summary = f"{several(strict, 'row', ('is', 'are'))} strictly on {side}, {on} on the hyperplane"
        return Verdict(True, f"{summary}, where they must be.")


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

    title = "overlap"
    leaves_open = NO_FEWER_ERRORS

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

    def _prove(self, source: RowSource) -> Verdict:
        refusal = not_zero(source, self.rows, self.multipliers, self.intercept)
        refusal = refusal or dimensions_open(source, self.rows, self.normals, self.intercept)
        if refusal is not None:
            return Verdict(False, refusal)
        for normal in self.normals:
            off = first_wrong(source, Margins(*split(normal, self.intercept)), np.equal)
            if off is not None:
                return Verdict(False, f"Row {off} (counted from 0) is outside the span it claims.")
        return Verdict(True, f"{len(self.rows)} rows that span all rows add up to exactly zero.")


def split(vector: tuple[int, ...], intercept: bool) -> tuple[tuple[int, ...], int]:
    """Weights and intercept of a vector that may or may not end with one."""
    return (vector[:-1], vector[-1]) if intercept else (vector, 0)


def dimensions_open(
    source: RowSource, rows: tuple[int, ...], normals: tuple[tuple[int, ...], ...], intercept: bool
) -> str | None:
    """Why rows and normals do not account for all dimensions, or None."""
    width = source.n_columns + intercept
    if any(len(normal) != width for normal in normals):
        return f"A normal has the wrong length; rows have {width} dimensions here."
    if rank_at_least(normals) < len(normals):
        return "Its normals are not independent."
    held = rank_at_least(signed_rows(source, rows, intercept)) + len(normals)  # (2) above
    return None if held == width else f"Its rows and normals leave {width - held} of {width} dimensions open."


@dataclass(frozen=True, repr=False)
class Inseparable(NamedRows):
    """The rows are not linearly separable: some of them, with positive multipliers, cancel exactly.

    Parameters
    ----------
    rows, multipliers
        Numbers of rows, ascending, and a positive whole number for each.
    intercept
        Whether halfspaces with an intercept are excluded too.

    Examples
    --------
    >>> proof = Inseparable(rows=(0, 1, 2, 3), multipliers=(1, 1, 1, 1), intercept=True)
    >>> proof.verify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).holds
    True
    >>> proof.verify([[0, 0], [0, 1], [1, 0], [1, 2]], [0, 1, 1, 0])
    Verdict(holds=False, reason='The combination of its rows is not zero.')
    """

    title = "conflict"
    leaves_open = NO_FEWER_ERRORS

    rows: RowNumbers
    multipliers: Counts
    intercept: Flag

    def __post_init__(self) -> None:
        super().__post_init__()
        require_pairs(self.rows, self.multipliers)

    @property
    def claim(self) -> str:
        through = "" if self.intercept else " through the origin"
        rows = f"{len(self.rows)} rows contradict each other" if len(self.rows) > 1 else "one row is zero"
        return f"No hyperplane{through} has every row strictly on its side: {rows}."

    def _prove(self, source: RowSource) -> Verdict:
        refusal = not_zero(source, self.rows, self.multipliers, self.intercept)
        if refusal is not None:
            return Verdict(False, refusal)
        added = several(len(self.rows), "row", ("is", "with positive multipliers add up to"))
        return Verdict(True, f"{added} exactly zero.")


def require_pairs(
    rows: Sequence[int], multipliers: Sequence[int], if_empty: str = "It names no rows."
) -> None:
    if len(rows) != len(multipliers):
        raise CertificateError(f"It has {len(rows)} rows but {len(multipliers)} multipliers.")
    if not rows:
        raise CertificateError(if_empty)


def combination(source: RowSource, rows: Sequence[int], multipliers: Sequence[int], constant: bool) -> Dyadic:
    """Σ l_i z_i, exactly."""
    total = Dyadic((0,) * (source.n_columns + constant), 0)
    for X, signs, part in source.gather(rows):
        pairs = zip(multipliers[part], signs.tolist(), strict=True)
        total += weighted_sum(X, [multiplier * sign for multiplier, sign in pairs], constant)
    return total


def missing_row(source: RowSource, rows: Sequence[int]) -> str | None:
    """Why the data does not have all of these rows, or None."""
    if rows and rows[-1] >= source.n_rows:
        return f"It names row {rows[-1]}; this data has {source.n_rows} rows."
    return None


def not_zero(
    source: RowSource, rows: Sequence[int], multipliers: Sequence[int], constant: bool
) -> str | None:
    """Why these rows do not cancel, or None."""
    missing = missing_row(source, rows)
    if missing is not None:
        return missing
    if any(combination(source, rows, multipliers, constant).wholes):  # against (1) above
        return "The combination of its rows is not zero."
    return None
