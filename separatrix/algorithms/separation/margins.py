"""The largest margin of separable rows, between two certified bounds.

**Theorem** (duality of the margin). For rows z = s·(x, 1) the largest min z·w/‖w‖ is the distance of the
origin from the hull of the z's. For the geometric margin, where the intercept is free and not in the norm, it
is half the distance of the two classes' hulls. Every w gives a lower bound, every mixture of rows an upper
one; Wolfe's method on a growing active set brings them together.

**Certificate.** `MarginAtLeast` for the lower end, `MarginAtMost` for the upper one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np
from scipy.sparse import csr_array, hstack

from separatrix.algorithms.separation import wide_min_norm
from separatrix.algorithms.separation.active_set import MAX_ENTRIES, NO_SIGNS, ActiveRows, solve_min_norm
from separatrix.algorithms.separation.coordinates import to_common_rows
from separatrix.algorithms.separation.directed_roots import (
    find_lowest_candidates,
    find_unit_exponent,
    round_down,
    round_root_down,
    round_root_up,
    square_norm,
)
from separatrix.algorithms.separation.gordan import ExactNearestPoint, combine, find_exact_nearest_point
from separatrix.algorithms.separation.integers import divide_by_gcd
from separatrix.algorithms.separation.scan import OutOfTime, Plane, Scanner, ScanResult
from separatrix.certificates.arithmetic.dyadic import dyadic, power_of_two
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.rows import Worst

RESCAN_BYTES = 2**24  # bytes of rows that may be walked once more for the last bits of a bound
GAP_TOLERANCE = 1e-9  # a lower end looser than this by the doubt of float sums alone is computed exactly
EXACT_WIDTH = 150  # dimensions up to which whole numbers take over where floats stop


@dataclass(frozen=True)
class Bracket:
    """Certified bounds, the halfspace that reaches the lower, and the rows that prove the upper."""

    lower: float
    upper: float
    plane: Plane
    rows: tuple[int, ...]
    multipliers: tuple[int, ...]
    signs: tuple[int, ...]
    geometric: bool

    @property
    def gap(self) -> float:
        """(upper - lower) / upper."""
        return (self.upper - self.lower) / self.upper if self.upper > 0 else 0.0


class MarginSearch:
    """Wolfe's method on a growing active set, in the user's units up to one power of two."""

    def __init__(self, scanner: Scanner, active: ActiveRows, plane: Plane, geometric: bool) -> None:
        self.scanner = scanner
        self.active = active.take(np.arange(len(active)))
        self.plane = plane
        self.geometric = geometric
        self.has_two_hulls = geometric and scanner.intercept
        self.has_constant = scanner.intercept and not geometric
        largest = float(np.abs(active.X).max(initial=0.0))
        self.exponent = int(np.frexp(max(largest, float(self.has_constant)))[1])
        assert scanner.scaling is not None
        self._scaling = scanner.scaling
        self.lower, self.upper = 0.0, inf
        self.best_plane, self.last_plane = plane, plane
        self.witness: tuple[list[int], list[int]] = ([], [])
        self.pairs: list[tuple[int, int]] = []
        self.shares: list[float] = []
        self.has_grown = False
        X = active.X
        self.middle = X.min(axis=0) / 2 + X.max(axis=0) / 2 if self.has_two_hulls else np.zeros(X.shape[1])

    def warm_start(self, other: MarginSearch) -> None:
        """Begin with the corral that another search over the same active rows ended with."""
        if other.has_two_hulls and not self.has_two_hulls:
            shares: dict[int, float] = {}
            for pair, share in zip(other.pairs, other.shares, strict=True):
                for place in pair:
                    shares[place] = shares.get(place, 0.0) + share / 2
            self.pairs, self.shares = [(place, -1) for place in shares], list(shares.values())
        elif other.has_two_hulls == self.has_two_hulls:
            self.pairs, self.shares = list(other.pairs), list(other.shares)

    def run(self, tol: float, canonical: bool = False) -> Bracket:
        """Close the bracket to the relative gap ``tol``: in floats, then in whole numbers if they stop short.

        ``canonical`` scales the halfspace so that the nearest rows score ±1.
        """
        # Floats only propose: where they overflow the exact checks refuse what comes of it.
        with suppress(OutOfTime), np.errstate(over="ignore", invalid="ignore"):
            self._run_in_floats(tol)
            if self.scanner.rows.n_bytes <= RESCAN_BYTES:
                for candidate in (self.best_plane, self.last_plane):
                    self._update_lower(candidate, self._scan(candidate), exactly=True)
            if not self._is_closed(tol) and self.scanner.width <= EXACT_WIDTH:
                self._run_exactly(tol)
            if canonical:
                self._make_canonical(tol)
        return self._make_bracket()

    def _run_in_floats(self, tol: float) -> None:
        self._update_lower(self.plane, self._scan(self.plane))
        moving = True
        while moving and not self._is_closed(tol):
            self.scanner.check_time()
            previous = (self.lower, self.upper)
            plane = self._propose(tol)
            if plane is None:
                break
            self._update_lower(plane, self._scan(plane))
            moving = self.has_grown or (self.lower, self.upper) != previous

    def _propose(self, tol: float) -> Plane | None:
        """Wolfe's method on the active set: the upper bound of its corral, and the hyperplane to try."""
        if wide_min_norm.MIN_COLUMNS < self.active.X.shape[1] > len(self.active):
            points = self._to_unshifted_points()
            solved = wide_min_norm.solve_wide(
                points, self._get_hull_signs(), tol / 4, self.pairs, self.shares
            )
        else:
            solved = solve_min_norm(
                self._to_points(), self._get_hull_signs(), tol / 4, self.pairs, self.shares
            )
        self.pairs = [(int(i), int(j)) for i, j in solved.corral]
        self.shares = solved.shares.tolist()
        self._update_upper([int(share * 2.0**80) for share in self.shares])
        return self._to_plane(solved.nearest)

    def _make_canonical(self, tol: float) -> None:
        """Scale the halfspace so that the nearest rows score 1, if that costs no more than rounding."""
        lower, plane = self.lower, self.best_plane
        if not plane.is_float or not lower > 0:
            return
        with np.errstate(over="ignore"):
            scaled = Plane(np.asarray(plane.weights) / (lower * round_root_up(self._square_norm(plane))))
        if not (np.isfinite(scaled.weights).all() and np.abs(scaled.weights).max() > 0):
            return
        self.lower = 0.0
        self._update_lower(scaled, self._scan(scaled), exactly=self.scanner.rows.n_bytes <= RESCAN_BYTES)
        if not self._is_closed(tol) and self.lower < lower:
            self.lower, self.best_plane = lower, plane

    def _is_closed(self, tol: float) -> bool:
        return self.lower >= (1 - tol) * self.upper

    def _run_exactly(self, tol: float) -> None:
        """Wolfe's method in exact arithmetic, from where floats stopped, until the bracket is closed."""
        has_grown = True
        while has_grown and not self._is_closed(tol):
            points = self._to_exact_points()
            signs = self.active.signs.astype(int).tolist() if self.has_two_hulls else None
            found = find_exact_nearest_point(points, signs, self.pairs, self.shares, self.scanner.check_time)
            self.pairs, self.shares = found.corral, [m / found.scale for m in found.multipliers]
            self._update_upper(found.multipliers)
            plane = self._to_exact_plane(points, found)
            scanned = self._scan(plane)
            has_grown = self.has_grown
            self._update_lower(plane, scanned, exactly=True)

    def compute_squared(self) -> Fraction:
        """γ², a rational number: of the active rows' exact minimum-norm point, once no row is nearer."""
        self.run(GAP_TOLERANCE)
        while True:
            self.scanner.check_time()
            points = self._to_exact_points()
            signs = self.active.signs.astype(int).tolist() if self.has_two_hulls else None
            found = find_exact_nearest_point(points, signs, self.pairs, self.shares, self.scanner.check_time)
            self.pairs, self.shares = found.corral, [m / found.scale for m in found.multipliers]
            unit = power_of_two(2 * find_unit_exponent(self.active.X, self.has_constant))
            square = Fraction(sum(v * v for v in found.nearest), found.scale**2) * unit
            square /= 4 if self.has_two_hulls else 1
            plane = self._to_exact_plane(points, found)
            *weights, bias = plane.to_numbers()
            floor = Margins(weights, bias, square * self._square_norm(plane))
            if self.scanner.all_at_least(floor):
                return square
            worst = self.scanner.find_below(floor, self._batch_rows)
            self.active.add(worst.indices, worst.X, self._to_signs(worst.codes))

    def _make_bracket(self) -> Bracket:
        places, multipliers = self.witness
        indices = self.active.indices[np.array(places, np.int64)]
        order = np.argsort(indices, kind="stable")
        return Bracket(
            min(self.lower, self.upper),
            self.upper,
            self.best_plane,
            tuple(int(indices[i]) for i in order),
            tuple(multipliers[i] for i in order),
            tuple(int(self.active.signs[places[i]]) for i in order),
            self.geometric,
        )

    def _scan(self, plane: Plane) -> ScanResult:
        """Look at all rows and take the worst into the active set."""
        self.scanner.n_active, self.scanner.bounds = len(self.active), (self.lower, self.upper)
        scanned = self.scanner.scan(plane, self._scaling, self._batch_rows)
        self.scanner.bounds = None
        worst = scanned.worst
        self.has_grown = self.active.add(worst.indices, worst.X, self._to_signs(worst.codes)) > 0
        return scanned

    def _update_lower(self, plane: Plane, scanned: ScanResult, exactly: bool = False) -> None:
        """Keep the hyperplane if its certified margin is the best so far."""
        self.last_plane = plane
        certified = estimate = -inf
        if plane.is_float and not self._scaling.extreme and scanned.floor > 0:
            norm = round_root_up(self._square_norm(plane))
            certified, estimate = round_down(scanned.floor / norm), float(scanned.worst.margins[0]) / norm
        # Where the doubt of a float sum is what keeps the ends apart, whole numbers decide.
        if exactly or (estimate >= (1 - GAP_TOLERANCE) * self.upper > certified and scanned.negative == 0):
            certified = max(certified, self._prove_lower(plane, scanned.worst))
        if certified > self.lower:
            self.lower, self.best_plane = certified, plane

    def _update_upper(self, multipliers: Sequence[int]) -> None:
        """The upper bound that these multipliers of the corral prove, if it is the best so far."""
        row_multipliers: dict[int, int] = {}
        for (i, j), multiplier in zip(self.pairs, multipliers, strict=True):
            for place in (i, j) if j >= 0 else (i,):
                row_multipliers[place] = row_multipliers.get(place, 0) + multiplier
        positive = {place: value for place, value in row_multipliers.items() if value > 0}
        if positive:
            bound = self._prove_upper(list(positive), list(positive.values()))
            if bound < self.upper:
                self.upper, self.witness = bound, (list(positive), list(positive.values()))

    @property
    def _batch_rows(self) -> int:
        return min(2 * self.scanner.width + 40, max(200, MAX_ENTRIES // self.scanner.width))

    def _to_signs(self, codes: np.ndarray | None) -> np.ndarray:
        if codes is None:
            return np.empty(0)
        return np.where(codes == self.scanner.positive, 1.0, -1.0)

    def _get_hull_signs(self) -> np.ndarray:
        return self.active.signs.astype(np.int8) if self.has_two_hulls else NO_SIGNS

    def _to_points(self) -> np.ndarray:
        X = self.active.X
        out = np.empty((len(X), X.shape[1] + self.has_constant))
        out[:, : X.shape[1]] = self._to_coordinates(X)
        if self.has_constant:
            out[:, -1] = np.ldexp(1.0, -self.exponent)
        if not self.has_two_hulls:
            out *= self.active.signs[:, None]
        return out

    def _to_unshifted_points(self) -> csr_array:
        """The same without the middle, which differences of rows do not see, so that zeros stay zeros."""
        points = csr_array(self.active.X)
        points.data = self._scale_entries(points.data, points.indices)
        if self.has_constant:
            constant = np.full((len(self.active), 1), np.ldexp(1.0, -self.exponent))
            points = hstack([points, constant], format="csr")
        return points if self.has_two_hulls else csr_array(points.multiply(self.active.signs[:, None]))

    def _scale_entries(self, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.ldexp(values, -self.exponent)

    def _to_coordinates(self, X: np.ndarray) -> np.ndarray:
        return np.ldexp(X - self.middle, -self.exponent)

    def _to_plane(self, nearest: np.ndarray) -> Plane | None:
        """The hyperplane with this normal; with a free intercept, halfway between the classes."""
        d = self.scanner.rows.n_columns
        weights = np.zeros(d + 1)
        weights[: len(nearest)] = nearest
        if not np.abs(weights).max() > 0:
            return None
        weights = np.ldexp(weights, -int(np.frexp(np.abs(weights).max())[1]))
        if self.has_two_hulls:
            scores = self.active.X @ weights[:d]
            positive = self.active.signs > 0
            weights[d] = -(scores[positive].min() / 2 + scores[~positive].max() / 2)
        return Plane(weights) if np.isfinite(weights).all() else None

    def _square_norm(self, plane: Plane) -> Fraction:
        return square_norm(plane, self.geometric)

    def _prove_upper(self, places: Sequence[int], multipliers: Sequence[int]) -> float:
        """‖Σ l z‖ / Σ l, rounded up."""
        X, signs = self.active.X[places], self.active.signs[places]
        intercept = self.scanner.intercept
        if X.shape[1] > wide_min_norm.MIN_COLUMNS:
            sums, unit = wide_min_norm.sum_exactly(X, signs, intercept, multipliers)
        else:
            sums = combine(to_common_rows(X, signs, intercept), multipliers)
            unit = power_of_two(find_unit_exponent(X, intercept))
        return round_root_up(self._square_length(sums) * unit * unit / sum(multipliers) ** 2)

    def _square_length(self, point: Sequence[int]) -> Fraction:
        return Fraction(sum(v * v for v in point))

    def _to_exact_points(self) -> list[list[int]]:
        """The active rows in whole numbers, all in one unit."""
        if self.has_two_hulls:
            return to_common_rows(self.active.X, np.ones(len(self.active)), False)
        return to_common_rows(self.active.X, self.active.signs, self.scanner.intercept)

    def _to_exact_plane(self, points: Sequence[Sequence[int]], found: ExactNearestPoint) -> Plane:
        weights = list(found.nearest)
        if not self.has_two_hulls:
            return Plane(weights if self.scanner.intercept else [*weights, 0])
        scores = [sum(map(int.__mul__, row, weights)) for row in points]
        positive = min(v for v, s in zip(scores, self.active.signs.tolist(), strict=True) if s > 0)
        negative = max(v for v, s in zip(scores, self.active.signs.tolist(), strict=True) if s < 0)
        exponent = find_unit_exponent(self.active.X, False)
        shift = max(0, -exponent)
        bias = -(positive + negative) << (exponent + shift)
        return Plane(divide_by_gcd([*(2 * w << shift for w in weights), bias]))

    def _prove_lower(self, plane: Plane, worst: Worst) -> float:
        """The least margin of the worst rows: a bound for all once an exact scan agrees; else -inf."""
        X, signs = worst.X, self._to_signs(worst.codes)
        if not len(X):
            X, signs = self.active.X, self.active.signs
        numbers = plane.to_numbers()
        weights = dyadic(numbers)
        lowest: Fraction | None = None
        candidates = find_lowest_candidates(X, signs, numbers)
        for row, sign in zip(np.asarray(X[candidates], np.float64), signs[candidates].tolist(), strict=True):
            columns = np.flatnonzero(row)
            values = dyadic([*row[columns].tolist(), 1.0])
            coefficients = [*(weights.wholes[j] for j in columns.tolist()), weights.wholes[-1]]
            total = int(sign) * sum(a * b for a, b in zip(values.wholes, coefficients, strict=True))
            margin = total * power_of_two(values.exponent + weights.exponent)
            lowest = margin if lowest is None or margin < lowest else lowest
        if lowest is None or lowest <= 0:
            return -inf
        squared_norm = self._square_norm(plane)
        value = round_root_down(lowest * lowest / squared_norm)
        if value <= 0:
            return -inf
        margins = Margins(numbers[:-1], numbers[-1], Fraction(value) ** 2 * squared_norm)
        return value if self.scanner.all_at_least(margins) else -inf
