"""Strict separation by a growing active set: floats propose, whole numbers decide.

**Idea.** Keep a few rows (the active set). Their minimum-norm point is either away from zero, a hyperplane to
try on all rows, or zero, a conflict to solve for in whole numbers. Rows that violate the hyperplane join.
When floats cannot tell, the same question goes to `gordan.decide_alternative`, which can.

**Cost.** One scan of all rows a round; a dozen or two rounds. An exact solve of D + 1 equations for a
conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from separatrix.algorithms.separation.coordinates import ScaledCoordinates, to_exact_rows
from separatrix.algorithms.separation.gordan import decide_alternative, equalise_bits, find_circuit
from separatrix.algorithms.separation.integers import compute_row_units, divide_by_gcd, to_scaled_floats
from separatrix.algorithms.separation.min_norm_kernels import minimise_norm
from separatrix.algorithms.separation.scan import Plane, Scanner
from separatrix.algorithms.separation.subspace import Coordinates, PreconditionedCoordinates
from separatrix.rows import Rows, Worst

MAX_ENTRIES = 40_000_000  # entries of rows taken into the active set at once
MAX_PRECONDITIONING_STEPS = 4  # changes of coordinates before the question goes to exact arithmetic
MAX_RESTARTS = 3  # times floats may begin again from where they stopped
ZERO_NORM = 1e-11  # a shorter float minimum-norm point, of points of size 1, goes to exact arithmetic


@dataclass
class ActiveRows:
    """The rows looked at closely, with the last corral among them."""

    indices: np.ndarray
    X: np.ndarray
    signs: np.ndarray
    corral: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    @classmethod
    def from_rows(cls, rows: Rows, indices: np.ndarray, positive: int) -> ActiveRows:
        """Copies of the rows with these numbers."""
        taken = rows.take(indices).whole()
        return cls(indices, np.array(taken.dense(), np.float64), taken.signs(positive).astype(np.float64))

    def __len__(self) -> int:
        return len(self.indices)

    def add(self, indices: np.ndarray, X: np.ndarray, signs: np.ndarray) -> int:
        """Take in rows not yet here; how many they were."""
        is_new = ~np.isin(indices, self.indices)
        self.indices = np.concatenate([self.indices, indices[is_new]])
        self.X = np.concatenate([self.X, np.asarray(X[is_new], np.float64)])
        self.signs = np.concatenate([self.signs, signs[is_new]])
        return int(is_new.sum())

    def take(self, chosen: np.ndarray) -> ActiveRows:
        return ActiveRows(self.indices[chosen], self.X[chosen], self.signs[chosen])


@dataclass(frozen=True)
class PlaneOrConflict:
    """A hyperplane strictly right on all rows outside the face, or the rows of a conflict among them.

    The multipliers are those of the rows themselves, known where the conflict is not one modulo a face.
    """

    plane: Plane | None
    conflict: ActiveRows | None
    multipliers: list[int] | None = None


class ActiveSetSearch:
    """The active set of one data set, asked in one system of coordinates after another."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        max_rows = max(200, MAX_ENTRIES // scanner.width)
        self.batch_rows = min(2 * scanner.width + 40, max_rows)
        step = -(-scanner.rows.n_rows // min(8 * scanner.width + 100, max_rows))
        self.active = ActiveRows.from_rows(
            scanner.rows, np.arange(0, scanner.rows.n_rows, step), scanner.positive
        )
        self.scaling = ScaledCoordinates.from_rows(self.active.X, scanner.intercept)
        scanner.scaling = self.scaling

    def to_signs(self, worst: Worst) -> np.ndarray:
        assert worst.codes is not None
        return np.where(worst.codes == self.scanner.positive, 1.0, -1.0)

    def decide(self, coordinates: Coordinates, extra_row: Sequence[int] | None = None) -> PlaneOrConflict:
        """Strictly separable outside the face of ``coordinates``, or not?

        ``extra_row`` is one more row z, in whole numbers, asked to be on the positive side as well.
        """
        self.extra_row = extra_row
        outside = self.active.take(~coordinates.find_vanishing(self.active.X, self.active.signs))
        self.stalled = False
        preconditioned = coordinates
        while True:
            self.scanner.check_time()
            proposal = self._decide_in_floats(preconditioned, outside)
            for _ in range(MAX_PRECONDITIONING_STEPS):
                if proposal is not None:
                    break
                preconditioned = self._precondition(coordinates, outside)
                proposal = self._decide_in_floats(preconditioned, outside)
            if proposal is None:
                proposal = self._decide_exactly(coordinates, preconditioned, outside)
            if isinstance(proposal, PlaneOrConflict):
                return proposal
            n_new = self._grow(coordinates, proposal, outside)
            if n_new is None:
                return PlaneOrConflict(proposal, None)
            self.stalled = n_new == 0

    def _precondition(self, coordinates: Coordinates, outside: ActiveRows) -> Coordinates:
        """Coordinates in which the last corral is plain to see."""
        points = equalise_bits(self._to_exact_points(coordinates, outside, outside.corral))
        outside.shares = [1.0] * len(outside.corral)
        return PreconditionedCoordinates(coordinates, points)

    def _grow(self, coordinates: Coordinates, plane: Plane, outside: ActiveRows) -> int | None:
        """Add the worst rows to the active set: how many were new, or None when none violates."""
        self.scanner.n_active = len(self.active)
        scanned = self.scanner.scan(plane, coordinates, self.batch_rows)
        worst = scanned.worst
        if scanned.negative == 0:
            if scanned.doubtful == 0:
                return None
            worst = self.scanner.find_violators(plane, coordinates, self.batch_rows)
            if len(worst.indices) == 0:
                return None
        signs = self.to_signs(worst)
        is_inside = coordinates.find_vanishing(worst.X, signs)
        self.active.add(worst.indices, worst.X, signs)
        return outside.add(worst.indices[~is_inside], worst.X[~is_inside], signs[~is_inside])

    def _decide_in_floats(
        self, coordinates: Coordinates, outside: ActiveRows
    ) -> Plane | PlaneOrConflict | None:
        """A hyperplane that seems right on the active set, a conflict, or None: floats cannot tell."""
        if len(outside) == 0 and self.extra_row is None:
            return Plane(coordinates.to_exact_weights([1] * coordinates.width))
        points = coordinates.to_points(outside.X, outside.signs)
        if self.extra_row is not None:
            points = np.vstack([points, to_scaled_floats(coordinates.transform_row(self.extra_row))])
        nearest, lowest = find_nearest_point(points, outside)
        if lowest <= 0:
            return self._find_conflict(coordinates, outside)
        plane = self._to_plane(coordinates, nearest, points)
        is_near_zero = float(nearest @ nearest) < ZERO_NORM**2
        if plane is None or ((is_near_zero or self.stalled) and not is_strict_on(plane, outside)):
            return self._find_conflict(coordinates, outside)
        if self.extra_row is not None and sum(map(int.__mul__, self.extra_row, plane.to_integers())) <= 0:
            return self._find_conflict(coordinates, outside)
        return plane

    def _to_plane(self, coordinates: Coordinates, nearest: np.ndarray, points: np.ndarray) -> Plane | None:
        weights = coordinates.to_float_weights(nearest)
        if weights is not None and self.extra_row is None:
            return Plane(weights)
        coarse = np.rint(np.ldexp(nearest, 40 - int(np.frexp(np.abs(nearest).max())[1])))
        if (points @ coarse).min() <= 0:
            return None
        return Plane(coordinates.to_exact_weights([int(v) for v in coarse.tolist()]))

    def _find_conflict(self, coordinates: Coordinates, outside: ActiveRows) -> PlaneOrConflict | None:
        if isinstance(coordinates, ScaledCoordinates) and self.extra_row is None:
            # No row vanishes in these coordinates: the rows have the dependency of the points.
            rows = outside.take(np.array(outside.corral))
            found = find_row_circuit(rows, coordinates.intercept)
            return None if found is None else PlaneOrConflict(None, rows.take(np.array(found[0])), found[1])
        found = find_circuit(self._to_exact_points(coordinates, outside, outside.corral))
        return None if found is None else self._make_conflict(outside, [outside.corral[i] for i in found[0]])

    def _to_exact_points(
        self, coordinates: Coordinates, outside: ActiveRows, chosen: Sequence[int]
    ) -> list[list[int]]:
        """Active rows as exact points; the place after the last is the extra row."""
        rows = [i for i in chosen if i < len(outside)]
        row_points = dict(
            zip(rows, coordinates.to_exact_points(outside.X[rows], outside.signs[rows]), strict=True)
        )
        extra_point = [] if self.extra_row is None else coordinates.transform_row(self.extra_row)
        return [row_points.get(i, extra_point) for i in chosen]

    def _make_conflict(self, outside: ActiveRows, chosen: Sequence[int]) -> PlaneOrConflict:
        return PlaneOrConflict(
            None, outside.take(np.array([i for i in chosen if i < len(outside)], np.int64))
        )

    def _decide_exactly(
        self, original: Coordinates, preconditioned: Coordinates, outside: ActiveRows
    ) -> Plane | PlaneOrConflict:
        """In the coordinates with shorter numbers: exact arithmetic has no other use for new ones."""
        all_places = range(len(outside) + (self.extra_row is not None))
        coordinates, points = original, equalise_bits(self._to_exact_points(original, outside, all_places))
        if preconditioned is not original:
            other_points = equalise_bits(self._to_exact_points(preconditioned, outside, all_places))
            if _count_bits(other_points) < _count_bits(points):
                coordinates, points = preconditioned, other_points
        alternative = decide_alternative(points, outside.corral, outside.shares, self.scanner.check_time)
        if alternative.direction is None:
            return self._make_conflict(outside, alternative.places)
        return Plane(coordinates.to_exact_weights(alternative.direction))


def _count_bits(points: Sequence[Sequence[int]]) -> int:
    return max((abs(value).bit_length() for point in points for value in point), default=0)


def find_row_circuit(rows: ActiveRows, intercept: bool) -> tuple[list[int], list[int]] | None:
    """`find_circuit` of these rows, solved with each in a unit of its own: shorter numbers."""
    found = find_circuit(to_exact_rows(rows.X, rows.signs, intercept))
    if found is None:
        return None
    places, multipliers = found
    units = compute_row_units(rows.X[places], intercept)
    shifts = (units.max() - units).tolist()
    return places, divide_by_gcd([value << shift for value, shift in zip(multipliers, shifts, strict=True)])


def is_strict_on(plane: Plane, rows: ActiveRows) -> bool:
    """Whether the hyperplane is strictly right on these rows, exactly."""
    return bool((plane.to_margins().compare(rows.X, rows.signs.astype(np.int8)) > 0).all())


def find_nearest_point(
    points: np.ndarray, outside: ActiveRows, tol: float = 1e-2
) -> tuple[np.ndarray, float]:
    """The minimum-norm point in floats, and the least p·x; the corral is left in ``outside``."""
    count, width = points.shape
    if width > count:
        reduced, equidistant = reduce_dimension(points)
        if equidistant is not None:
            outside.corral, outside.shares = list(range(count)), [1.0] * count
            return equidistant, float((points @ equidistant).min())
        find_nearest_point(reduced, outside, tol)
        nearest = points[outside.corral].T @ np.array(outside.shares)
        return nearest, float((points @ nearest).min())
    solved = solve_min_norm(points, NO_SIGNS, tol, [(i, -1) for i in outside.corral], outside.shares)
    lowest = float((points @ solved.nearest).min())
    for _ in range(MAX_RESTARTS):
        if lowest > 0:
            break
        # A new factorisation of the same corral is free of the rounding that the old one has gathered.
        solved = solve_min_norm(points, NO_SIGNS, tol, solved.corral, solved.shares)
        previous, lowest = lowest, float((points @ solved.nearest).min())
        if lowest == previous:
            break
    outside.corral = solved.corral[:, 0].tolist()
    outside.shares = solved.shares.tolist()
    return solved.nearest, lowest


def reduce_dimension(points: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Points in as many dimensions as there are of them, with the same inner products.

    Where the points are plainly independent, also a direction in which all are equally far.
    """
    is_dense = np.count_nonzero(points) > points.size // 20
    if is_dense:
        gram = points @ points.T
    else:
        sparse = csr_array(points)
        gram = (sparse @ sparse.T).toarray()
    try:
        factor = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        return np.ascontiguousarray(np.asarray(np.linalg.qr(points.T, mode="r")).T), None
    shares = np.linalg.solve(factor.T, np.linalg.solve(factor, np.ones(len(points))))
    equidistant = points.T @ shares
    return factor, equidistant if (points @ equidistant).min() > 0.5 else None


NO_SIGNS = np.empty(0, np.int8)


class NearestPoint(NamedTuple):
    """The point nearest to the origin, and the vertices (pairs of rows) that it is a mixture of."""

    nearest: np.ndarray
    corral: np.ndarray
    shares: np.ndarray


def solve_min_norm(
    points: np.ndarray,
    signs: np.ndarray,
    tol: float,
    corral: Sequence[tuple[int, int]] | np.ndarray = (),
    shares: Sequence[float] | np.ndarray = (),
) -> NearestPoint:
    """Call the kernel with room to work in."""
    count, width = points.shape
    capacity = min(count, width + 1) + 1
    n_known = min(len(corral), capacity)
    pairs = np.full((capacity, 2), -1, np.int64)
    mixture = np.zeros(capacity)
    if n_known:
        pairs[:n_known] = corral[:n_known]
        mixture[:n_known] = shares[:n_known]
    nearest, vertices = np.zeros(width), np.zeros((capacity, width))
    basis, triangle = np.zeros((capacity, width + 1)), np.zeros((capacity, capacity))
    size = minimise_norm(
        points, signs, tol, 50 * capacity + 1000, basis, triangle, pairs, vertices, mixture, nearest
    )
    return NearestPoint(nearest, pairs[:size], mixture[:size])
