"""The labellings that a hyperplane can give to the points at hand, all of them and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from separatrix.bounds.arguments import whole
from separatrix.certificates import About, Separable
from separatrix.halfspace import Halfspace
from separatrix.theory.arrangement import cells
from separatrix.theory.integer_points import as_points, whole_rows

MAX_LABELLINGS = 1_000_000  # labellings


def separable(
    halfspace: Halfspace, signs: Sequence[int], table: NDArray[np.float64], intercept: bool
) -> Separable:
    """The certificate that a halfspace in whole numbers gives the points these signs.

    The larger sign is the positive label. Where all are -1, that is -1, and the halfspace is turned round.
    """
    positive = int(max(signs))
    *weights, bias = (positive * int(number) for number in halfspace.numbers)
    proof = Separable(tuple(weights), bias if intercept else None, about=About(positive=positive))
    return proof.bound_to(table, np.array(signs)).sealed()


@dataclass(frozen=True, eq=False, repr=False)
class Dichotomy:
    """One labelling that a hyperplane separates strictly.

    Attributes
    ----------
    signs : tuple of ±1, one for each point
    halfspace : Halfspace
        In whole numbers, with every point strictly on its side.
    certificate : Separable
        Made when asked for.
    """

    signs: tuple[int, ...]
    halfspace: Halfspace
    _table: NDArray[np.float64]
    _intercept: bool

    @property
    def certificate(self) -> Separable:
        return separable(self.halfspace, self.signs, self._table, self._intercept)

    def __repr__(self) -> str:
        return f"<Dichotomy {''.join('+' if sign > 0 else '-' for sign in self.signs)}>"


class Dichotomies(Sequence[Dichotomy]):
    """All dichotomies of some points, in lexicographic order with -1 before +1.

    ``signs`` is the table of them, one row each; ``in`` asks for a labelling.
    """

    def __init__(
        self, table: NDArray[np.float64], intercept: bool, watch: Callable[[int, int], None] | None = None
    ) -> None:
        self._table, self._intercept = table, intercept
        width = table.shape[1] + intercept
        # Bit i of a pattern is for the i-th row given: backwards, so that patterns sort as their signs do.
        rows = whole_rows(table, intercept)[::-1]
        self._vectors = dict(sorted(cells(rows, width, watch).items()))
        self._patterns = tuple(self._vectors)

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        n = len(self._table)
        found = np.empty((len(self), n), dtype=np.int8)
        for place, pattern in enumerate(self._patterns):
            found[place] = _signs(pattern, n)
        return found

    def __len__(self) -> int:
        return len(self._patterns)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._dichotomy(pattern) for pattern in self._patterns[index]]
        return self._dichotomy(self._patterns[index])

    def __iter__(self) -> Iterator[Dichotomy]:
        return map(self._dichotomy, self._patterns)

    def __contains__(self, labelling: Any) -> bool:
        signs = getattr(labelling, "signs", labelling)
        n = len(self._table)
        if len(signs) != n or not set(map(int, signs)) <= {-1, 1}:
            return False
        return sum(1 << (n - 1 - i) for i, sign in enumerate(signs) if sign > 0) in self._vectors

    def __repr__(self) -> str:
        n, d = self._table.shape
        return f"<Dichotomies: {len(self)} of {n} points in R^{d}>"

    def _dichotomy(self, pattern: int) -> Dichotomy:
        vector = self._vectors[pattern]
        divisor = gcd(*vector) or 1
        whole = [number // divisor for number in vector]
        weights, bias = (whole[:-1], whole[-1]) if self._intercept else (whole, 0)
        return Dichotomy(
            _signs(pattern, len(self._table)), Halfspace(weights, bias), self._table, self._intercept
        )


def dichotomies_of(
    points: Any,
    intercept: bool = True,
    *,
    limit: SupportsIndex | None = MAX_LABELLINGS,
    progress: Callable[[str], None] | None = None,
) -> Dichotomies:
    """The labellings of the points that some hyperplane separates strictly, each with its halfspace.

    Exact for doubles in any position: collinear, repeated, or with more columns than points. In general
    position there are `dichotomies(n, d)` of them, and never more. The time is proportional to their number,
    not to 2^n. A point at the origin is on every hyperplane through it, so without an intercept it leaves no
    labelling at all.

    Source: the recursion of T. M. Cover, IEEE Transactions on Electronic Computers EC-14 (1965), Theorem 1,
    followed cell by cell; see `separatrix.theory.arrangement`.

    Parameters
    ----------
    points : table of finite numbers, one point a row
    intercept : bool
        Whether hyperplanes may miss the origin.
    limit : int or None
        Raise ValueError once there are more labellings than this. A million take minutes and about 1 GB.
    progress : callable, optional
        Called with a line of text as points are added.

    Examples
    --------
    The corners of a square, and three points on a line, of which the middle one cannot stand alone:

    >>> square = dichotomies_of([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> len(square), (1, -1, -1, 1) in square
    (14, False)
    >>> line = [[0, 0], [1, 1], [2, 2]]
    >>> dichotomies_of(line)[:3]
    [<Dichotomy --->, <Dichotomy --+>, <Dichotomy -++>]
    >>> all(one.certificate.verify(line, one.signs).holds for one in dichotomies_of(line))
    True
    """
    table = as_points(points)
    most = None if limit is None else whole(1, limit=limit)[0]

    def watch(points: int, found: int) -> None:
        if progress is not None:
            progress(f"{points:,} of {len(table):,} points: {found:,} labellings")
        if most is not None and found > most:
            raise ValueError(
                f"{points:,} of the {len(table):,} points already have more than {most:,} labellings; "
                "raise limit, or give fewer points"
            )

    return Dichotomies(table, bool(intercept), watch)


def _signs(pattern: int, n: int) -> tuple[int, ...]:
    return tuple(1 if pattern >> (n - 1 - i) & 1 else -1 for i in range(n))
