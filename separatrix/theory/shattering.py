"""Can halfspaces label given points in every possible way? Decided exactly, with a proof either way.

**Theorem.** Halfspaces through the origin shatter rows z₁ ... z_n if and only if the rows are linearly
independent; with an intercept the rows are (x, 1), so that the points must be affinely independent. If they
are, z·w = s has a solution for all signs s. If Σa_i z_i = 0, not all a_i zero, then no w has the signs of the
a_i on these rows, since Σ|a_i|(s_i z_i·w) = 0. (Dudley, Annals of Probability 6 (1978), Theorem 7.2.)

**Radon's theorem** (1921). With an intercept Σa_i = 0, so both signs occur, and the points with positive a_i
and those with negative a_i have hulls that meet, in the point Σ_(a > 0) a_i x_i/Σ_(a > 0) a_i.

**Certificate.** `Separable` for each labelling of shattered points; else `Inseparable` for one labelling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import gcd, lcm
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from separatrix.certificates import About, Inseparable, Separable
from separatrix.certificates.arithmetic.linear_algebra import fmpq_mat, fmpz_mat
from separatrix.halfspace import Halfspace
from separatrix.theory.integer_points import as_points, whole_rows
from separatrix.theory.labellings import separable


@dataclass(frozen=True)
class RadonPartition:
    """Two disjoint groups of points whose convex hulls meet.

    Attributes
    ----------
    left, right : tuple of int
        Indices of points.
    left_weights, right_weights : tuple of Fraction
        Positive, adding up to 1 in each group: the weights that make the point of either group.
    point : tuple of Fraction
        A point of both hulls, exactly.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    left_weights: tuple[Fraction, ...]
    right_weights: tuple[Fraction, ...]
    point: tuple[Fraction, ...]


def radon(points: Any) -> RadonPartition:
    """Radon's theorem (1921): any d + 2 points of R^d fall into two groups whose convex hulls meet.

    So do fewer, if they are affinely dependent: three on a line, or two that are one and the same. The groups
    found are minimal: without any one of their points the rest would be affinely independent. Points that
    take no part are in neither group.

    Source: J. Radon, Mathematische Annalen 83 (1921), 113-115.

    Examples
    --------
    The diagonals of a square:

    >>> radon([[0, 0], [1, 1], [0, 1], [1, 0]]).point
    (Fraction(1, 2), Fraction(1, 2))
    >>> partition = radon([[0, 0], [6, 0], [0, 6], [1, 1]])
    >>> partition.left, partition.right
    ((3,), (0, 1, 2))
    """
    table = as_points(points)
    balance = dependence(whole_rows(table, True))
    if balance is None:
        raise ValueError(
            f"the {len(table)} points are affinely independent and have no Radon partition; "
            f"any {table.shape[1] + 2} points of R^{table.shape[1]} have one"
        )
    return _partition(table, _of_points(table, balance))


def shatters(points: Any, intercept: bool = True) -> Shattering:
    """Whether halfspaces label the points in every possible way, with its proof; true or false as it is.

    They do if and only if the points are affinely independent; linearly, without an intercept.

    Source: R. M. Dudley, Annals of Probability 6 (1978), Theorem 7.2; where they do not, J. Radon,
    Mathematische Annalen 83 (1921), 113-115.

    Parameters
    ----------
    points : table of finite numbers, one point a row
    intercept : bool
        Whether hyperplanes may miss the origin.

    Examples
    --------
    A triangle is shattered, by the classical proof a simplex in any dimension is; four points never are.

    >>> triangle = shatters([[0, 0], [1, 0], [0, 1]])
    >>> bool(triangle), len(triangle.certificates)
    (True, 8)
    >>> all(proof.verify([[0, 0], [1, 0], [0, 1]], signs).holds for signs, proof in triangle)
    True
    >>> square = shatters([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> bool(square), square.labelling, square.radon.point
    (False, (-1, -1, 1, 1), (Fraction(1, 2), Fraction(1, 2)))
    >>> square.conflict.verify([[0, 0], [1, 1], [0, 1], [1, 0]], square.labelling).holds
    True
    """
    table = as_points(points)
    return Shattering(table, bool(intercept))


class Shattering:
    """The answer of `shatters`; it is true if the points are shattered.

    Attributes
    ----------
    shattered : bool
    certificates : sequence of Separable
        If shattered, one for each labelling, made when asked for; in the order of `labellings`. Else empty.
    labellings : sequence of tuples of ±1
        All 2^n of them if shattered. Else empty.
    labelling : tuple of ±1, or None
        A labelling that no halfspace has; None if shattered.
    conflict : Inseparable or None
        The proof of that.
    radon : RadonPartition or None
        The same conflict as two hulls that meet, for halfspaces with an intercept.
    reason : str
        One sentence.
    """

    def __init__(self, table: NDArray[np.float64], intercept: bool) -> None:
        self._table, self._intercept = table, intercept
        self._rows = whole_rows(table, intercept)
        balance = dependence(self._rows)
        self.shattered = balance is None
        self._balance = None if balance is None else _of_points(table, balance)
        self.labelling: tuple[int, ...] | None = None
        if self._balance is not None:
            self.labelling = tuple(-1 if a < 0 else 1 for a in self._balance)

    def __bool__(self) -> bool:
        return self.shattered

    def __repr__(self) -> str:
        return f"<Shattering: {self.reason}>"

    @property
    def reason(self) -> str:
        n = len(self._table)
        kind = "affinely" if self._intercept else "linearly"
        if self.shattered:
            who = "The point is" if n == 1 else f"The {n} points are"
            return f"{who} {kind} independent, so all {2**n} labellings can be separated."
        if self.radon is not None:
            left, right = self.radon.left, self.radon.right
            return f"The hulls of points {list(left)} and of points {list(right)} meet."
        assert self.conflict is not None
        return f"Points {list(self.conflict.rows)} cancel with positive weights under one labelling."

    @cached_property
    def conflict(self) -> Inseparable | None:
        if self._balance is None or self.labelling is None:
            return None
        rows = tuple(i for i, a in enumerate(self._balance) if a)
        weights = tuple(abs(self._balance[i]) for i in rows)
        positive = max(self.labelling)
        proof = Inseparable(rows, weights, self._intercept, about=About(positive=positive))
        return proof.bound_to(self._table, np.array(self.labelling)).sealed()

    @cached_property
    def radon(self) -> RadonPartition | None:
        if self._balance is None or not self._intercept:
            return None
        return _partition(self._table, self._balance)

    @property
    def labellings(self) -> Labellings:
        return Labellings(len(self._table) if self.shattered else None)

    @property
    def certificates(self) -> LabellingCertificates:
        return LabellingCertificates(self)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Separable]]:
        """Labellings with their certificates."""
        return zip(self.labellings, self.certificates, strict=True)

    def halfspace(self, signs: Sequence[int]) -> Halfspace:
        """A halfspace in whole numbers with the points on the sides that the signs say, if shattered."""
        wanted = [int(sign) for sign in signs]
        if len(wanted) != len(self._table) or not set(wanted) <= {-1, 1}:
            raise ValueError(f"signs must be {len(self._table)} times -1 or +1")
        if not self.shattered:
            raise ValueError(f"the points are not shattered: {self.reason}")
        weights = self._solution(wanted)
        return Halfspace(weights[:-1], weights[-1]) if self._intercept else Halfspace(weights, 0)

    def certificate(self, signs: Sequence[int]) -> Separable:
        """The proof that these signs can be had, if shattered."""
        return separable(self.halfspace(signs), signs, self._table, self._intercept)

    @cached_property
    def _inverse(self) -> list[list[int]]:
        """Column i times a positive number has product δ_ij with row j: Zᵀ(ZZᵀ)⁻¹, in whole numbers."""
        matrix = fmpz_mat(self._rows)
        gram = matrix * matrix.transpose()
        solved = gram.solve(matrix)
        unit = lcm(*(int(entry.q) for entry in solved.entries()))
        return [[int((entry * unit).p) for entry in row] for row in solved.tolist()]

    def _solution(self, signs: list[int]) -> list[int]:
        columns = zip(*self._inverse, strict=True)
        vector = [sum(sign * entry for sign, entry in zip(signs, column, strict=True)) for column in columns]
        divisor = gcd(*vector) or 1
        return [number // divisor for number in vector]


class Labellings(Sequence[tuple[int, ...]]):
    """All labellings of n points by ±1, without a list of them; none where n is None.

    From 63 points on there are more than `len` can return; indices and slices still work.
    """

    def __init__(self, n: int | None) -> None:
        self._n = n

    def __len__(self) -> int:
        try:
            return len(self._places)
        except OverflowError:
            raise OverflowError(f"There are 2**{self._n} labellings, more than len() can return.") from None

    def __bool__(self) -> bool:
        return bool(self._places)

    @property
    def _places(self) -> range:
        """Their numbers: a range may be longer than `len` can return."""
        return range(0 if self._n is None else 2**self._n)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in self._places[index]]
        place = self._places[index]
        assert self._n is not None
        return tuple(1 if place >> (self._n - 1 - i) & 1 else -1 for i in range(self._n))

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(()) if self._n is None else iter(product((-1, 1), repeat=self._n))


class LabellingCertificates(Sequence[Separable]):
    """A certificate for each labelling of shattered points, made when it is asked for."""

    def __init__(self, answer: Shattering) -> None:
        self._answer = answer

    def __len__(self) -> int:
        return len(self._answer.labellings)

    def __bool__(self) -> bool:
        return bool(self._answer.labellings)

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        chosen = self._answer.labellings[index]
        if isinstance(index, slice):
            return [self._answer.certificate(signs) for signs in chosen]
        return self._answer.certificate(chosen)


def dependence(rows: list[list[int]]) -> list[int] | None:
    """Whole numbers a, not all zero, with Σa_i·row_i = 0, on a minimal set of rows, or None."""
    echelon, rank = fmpq_mat(fmpz_mat(rows).transpose()).rref()
    if rank == len(rows):
        return None
    entries = echelon.tolist()
    pivots = [next(j for j, entry in enumerate(row) if entry != 0) for row in entries[:rank]]
    free = next(j for j in range(len(rows)) if j not in pivots)
    numbers = [Fraction(0)] * len(rows)
    numbers[free] = Fraction(1)
    for pivot, row in zip(pivots, entries, strict=False):
        numbers[pivot] = -Fraction(int(row[free].p), int(row[free].q))
    return _primitive(numbers)


def _of_points(table: NDArray[np.float64], balance: list[int]) -> list[int]:
    """The dependence of the rows (x, 1), or x, behind that of their whole-number multiples."""
    numbers = []
    for point, weight in zip(table.tolist(), balance, strict=True):
        unit = lcm(*(Fraction(value).denominator for value in point), 1)
        numbers.append(Fraction(weight * unit))
    return _primitive(numbers)


def _primitive(numbers: list[Fraction]) -> list[int]:
    unit = lcm(*(number.denominator for number in numbers))
    wholes = [int(number * unit) for number in numbers]
    divisor = gcd(*wholes)
    return [number // divisor for number in wholes]


def _partition(table: NDArray[np.float64], balance: list[int]) -> RadonPartition:
    left = tuple(i for i, a in enumerate(balance) if a > 0)
    right = tuple(i for i, a in enumerate(balance) if a < 0)
    total = sum(balance[i] for i in left)
    shares = [Fraction(abs(a), total) for a in balance]
    point = tuple(
        sum((shares[i] * Fraction(table[i, j].item()) for i in left), Fraction(0))
        for j in range(table.shape[1])
    )
    return RadonPartition(left, right, tuple(shares[i] for i in left), tuple(shares[i] for i in right), point)
