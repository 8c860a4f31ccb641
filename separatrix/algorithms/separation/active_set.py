"""Strict separation by a growing active set: floats propose, whole numbers decide.

**Idea.** Keep a few rows (the active set). Their minimum-norm point is either away from zero, a hyperplane to
try on all rows, or zero, a conflict to solve for in whole numbers. Rows that violate the hyperplane join.
When floats cannot tell, the same question goes to `gordan.settle`, which can.

**Cost.** One scan of all rows a round; a dozen or two rounds. An exact solve of D + 1 equations for a
conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from separatrix.algorithms.separation.coordinates import Frame, exact_rows
from separatrix.algorithms.separation.gordan import circuit, levelled, settle
from separatrix.algorithms.separation.integers import primitive, rounded, row_units
from separatrix.algorithms.separation.min_norm_kernels import min_norm
from separatrix.algorithms.separation.scan import Plane, Scanner
from separatrix.algorithms.separation.subspace import Tuned, View
from separatrix.rows import Worst

MOST = 40_000_000  # entries of rows taken into the active set at once
TUNINGS = 4  # changes of coordinates before the question goes to exact arithmetic
FRESH = 3  # times floats may begin again from where they stopped
NEAR = (
    1e-11  # a float minimum-norm point shorter than this, of points of size 1, is taken to exact arithmetic
)


@dataclass
class Active:
    """The rows looked at closely, with the last corral among them."""

    indices: np.ndarray
    X: np.ndarray
    signs: np.ndarray
    corral: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.indices)

    def add(self, indices: np.ndarray, X: np.ndarray, signs: np.ndarray) -> int:
        """Take in rows not yet here; how many they were."""
        fresh = ~np.isin(indices, self.indices)
        self.indices = np.concatenate([self.indices, indices[fresh]])
        self.X = np.concatenate([self.X, np.asarray(X[fresh], np.float64)])
        self.signs = np.concatenate([self.signs, signs[fresh]])
        return int(fresh.sum())

    def part(self, chosen: np.ndarray) -> Active:
        return Active(self.indices[chosen], self.X[chosen], self.signs[chosen])


@dataclass(frozen=True)
class Outcome:
    """A hyperplane strictly right on all rows outside the face, or the rows of a conflict among them.

    The multipliers are those of the rows themselves, known where the conflict is not one modulo a face.
    """

    plane: Plane | None
    conflict: Active | None
    multipliers: list[int] | None = None


class Search:
    """The active set of one data set, asked about one view after another."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        most = max(200, MOST // scanner.width)
        self.batch = min(2 * scanner.width + 40, most)
        first = scanner.sample(min(8 * scanner.width + 100, most))
        self.active = Active(first.indices, np.asarray(first.X, np.float64), self.signs_of(first))
        self.frame = Frame.fitted(self.active.X, scanner.intercept)
        scanner.frame = self.frame

    def signs_of(self, worst: Worst) -> np.ndarray:
        assert worst.codes is not None
        return np.where(worst.codes == self.scanner.positive, 1.0, -1.0)

    def decide(self, view: View, extra: Sequence[int] | None = None) -> Outcome:
        """Strictly separable outside the face of ``view``, or not?

        ``extra`` is one more row z, in whole numbers, asked to be on the positive side as well.
        """
        self.extra = extra
        outside = self.active.part(~view.vanishing(self.active.X, self.active.signs))
        self.doubting = False
        tuned = view
        while True:
            self.scanner.tick()
            answer = self._in_floats(tuned, outside)
            for _ in range(TUNINGS):
                if answer is not None:
                    break
                tuned = self._tuned(view, outside)
                answer = self._in_floats(tuned, outside)
            if answer is None:
                answer = self._exactly(view, tuned, outside)
            if isinstance(answer, Outcome):
                return answer
            fresh = self._grow(view, answer, outside)
            if fresh is None:
                return Outcome(answer, None)
            self.doubting = fresh == 0

    def _tuned(self, view: View, outside: Active) -> View:
        """Coordinates in which the last corral is plain to see."""
        points = levelled(self._points(view, outside, outside.corral))
        outside.shares = [1.0] * len(outside.corral)
        return Tuned(view, points)

    def _grow(self, view: View, plane: Plane, outside: Active) -> int | None:
        """Add the worst rows to the active set: how many were new, or None when none violates."""
        self.scanner.active = len(self.active)
        look = self.scanner.look(plane, view, self.batch)
        worst = look.worst
        if look.negative == 0:
            if look.doubtful == 0:
                return None
            worst = self.scanner.violators(plane, view, self.batch)
            if len(worst.indices) == 0:
                return None
        signs = self.signs_of(worst)
        inside = view.vanishing(worst.X, signs)
        self.active.add(worst.indices, worst.X, signs)
        return outside.add(worst.indices[~inside], worst.X[~inside], signs[~inside])

    def _in_floats(self, view: View, outside: Active) -> Plane | Outcome | None:
        """A hyperplane that seems right on the active set, a conflict, or None: floats cannot tell."""
        if len(outside) == 0 and self.extra is None:
            return Plane(view.exact_weights([1] * view.width))
        points = view.points(outside.X, outside.signs)
        if self.extra is not None:
            points = np.vstack([points, rounded(view.seen(self.extra))])
        nearest, lowest = nearest_point(points, outside)
        if lowest <= 0:
            return self._conflict(view, outside)
        plane = self._plane(view, nearest, points)
        near = float(nearest @ nearest) < NEAR**2
        if plane is None or ((near or self.doubting) and not holds(plane, outside)):
            return self._conflict(view, outside)
        if self.extra is not None and sum(map(int.__mul__, self.extra, plane.whole())) <= 0:
            return self._conflict(view, outside)
        return plane

    def _plane(self, view: View, nearest: np.ndarray, points: np.ndarray) -> Plane | None:
        weights = view.float_weights(nearest)
        if weights is not None and self.extra is None:
            return Plane(weights)
        coarse = np.rint(np.ldexp(nearest, 40 - int(np.frexp(np.abs(nearest).max())[1])))
        if (points @ coarse).min() <= 0:
            return None
        return Plane(view.exact_weights([int(v) for v in coarse.tolist()]))

    def _conflict(self, view: View, outside: Active) -> Outcome | None:
        if isinstance(view, Frame) and self.extra is None:
            # No row is out of this view: the rows themselves have the same dependency as its points.
            rows = outside.part(np.array(outside.corral))
            found = balanced(rows, view.intercept)
            return None if found is None else Outcome(None, rows.part(np.array(found[0])), found[1])
        found = circuit(self._points(view, outside, outside.corral))
        return None if found is None else self._part(outside, [outside.corral[i] for i in found[0]])

    def _points(self, view: View, outside: Active, chosen: Sequence[int]) -> list[list[int]]:
        """Active rows as exact points; the place after the last is the extra row."""
        here = [i for i in chosen if i < len(outside)]
        seen = dict(zip(here, view.exact_points(outside.X[here], outside.signs[here]), strict=True))
        extra = [] if self.extra is None else view.seen(self.extra)
        return [seen.get(i, extra) for i in chosen]

    def _part(self, outside: Active, chosen: Sequence[int]) -> Outcome:
        return Outcome(None, outside.part(np.array([i for i in chosen if i < len(outside)], np.int64)))

    def _exactly(self, plain: View, tuned: View, outside: Active) -> Plane | Outcome:
        """In the coordinates that take shorter numbers: exact arithmetic has no other use for tuned ones."""
        every = range(len(outside) + (self.extra is not None))
        view, points = plain, levelled(self._points(plain, outside, every))
        if tuned is not plain:
            others = levelled(self._points(tuned, outside, every))
            if _bits(others) < _bits(points):
                view, points = tuned, others
        answer = settle(points, outside.corral, outside.shares, self.scanner.tick)
        if answer.direction is None:
            return self._part(outside, answer.places)
        return Plane(view.exact_weights(answer.direction))


def _bits(points: Sequence[Sequence[int]]) -> int:
    return max((abs(value).bit_length() for point in points for value in point), default=0)


def balanced(rows: Active, intercept: bool) -> tuple[list[int], list[int]] | None:
    """`circuit` of these rows, solved with each in a unit of its own: shorter numbers."""
    found = circuit(exact_rows(rows.X, rows.signs, intercept))
    if found is None:
        return None
    places, multipliers = found
    units = row_units(rows.X[places], intercept)
    shifts = (units.max() - units).tolist()
    return places, primitive([value << shift for value, shift in zip(multipliers, shifts, strict=True)])


def holds(plane: Plane, rows: Active) -> bool:
    """Whether the hyperplane is strictly right on these rows, exactly."""
    return bool((plane.margins().compare(rows.X, rows.signs.astype(np.int8)) > 0).all())


def nearest_point(points: np.ndarray, outside: Active, tol: float = 1e-2) -> tuple[np.ndarray, float]:
    """The minimum-norm point in floats, and the least p·x; the corral is left in ``outside``."""
    count, width = points.shape
    if width > count:
        low, even = low_dimensional(points)
        if even is not None:
            outside.corral, outside.shares = list(range(count)), [1.0] * count
            return even, float((points @ even).min())
        nearest_point(low, outside, tol)
        nearest = points[outside.corral].T @ np.array(outside.shares)
        return nearest, float((points @ nearest).min())
    solved = solve(points, NO_SIGNS, tol, [(i, -1) for i in outside.corral], outside.shares)
    lowest = float((points @ solved.nearest).min())
    for _ in range(FRESH):
        if lowest > 0:
            break
        # A new factorisation of the same corral is free of the rounding that the old one has gathered.
        solved = solve(points, NO_SIGNS, tol, solved.corral, solved.shares)
        before, lowest = lowest, float((points @ solved.nearest).min())
        if lowest == before:
            break
    outside.corral = solved.corral[:, 0].tolist()
    outside.shares = solved.shares.tolist()
    return solved.nearest, lowest


def low_dimensional(points: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Points in as many dimensions as there are of them, with the same inner products.

    Where the points are plainly independent, also a direction in which all are equally far.
    """
    dense = np.count_nonzero(points) > points.size // 20
    if dense:
        gram = points @ points.T
    else:
        sparse = csr_array(points)
        gram = (sparse @ sparse.T).toarray()
    try:
        low = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        return np.ascontiguousarray(np.asarray(np.linalg.qr(points.T, mode="r")).T), None
    shares = np.linalg.solve(low.T, np.linalg.solve(low, np.ones(len(points))))
    even = points.T @ shares
    return low, even if (points @ even).min() > 0.5 else None


NO_SIGNS = np.empty(0, np.int8)


class Nearest(NamedTuple):
    """The point nearest to the origin, and the vertices (pairs of rows) that it is a mixture of."""

    nearest: np.ndarray
    corral: np.ndarray
    shares: np.ndarray


def solve(
    points: np.ndarray,
    signs: np.ndarray,
    tol: float,
    corral: Sequence[tuple[int, int]] | np.ndarray = (),
    shares: Sequence[float] | np.ndarray = (),
) -> Nearest:
    """Call the kernel with room to work in."""
    count, width = points.shape
    room = min(count, width + 1) + 1
    known = min(len(corral), room)
    places = np.full((room, 2), -1, np.int64)
    mixture = np.zeros(room)
    if known:
        places[:known] = corral[:known]
        mixture[:known] = shares[:known]
    nearest, held = np.zeros(width), np.zeros((room, width))
    basis, triangle = np.zeros((room, width + 1)), np.zeros((room, room))
    size = min_norm(points, signs, tol, 50 * room + 1000, basis, triangle, places, held, mixture, nearest)
    return Nearest(nearest, places[:size], mixture[:size])
