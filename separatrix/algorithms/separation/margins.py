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

from separatrix.algorithms.separation import min_norm_of_few
from separatrix.algorithms.separation.active_set import MOST, NO_SIGNS, Active, solve
from separatrix.algorithms.separation.coordinates import common_rows
from separatrix.algorithms.separation.directed_roots import (
    down,
    perhaps_lowest,
    root_above,
    root_below,
    squared_norm,
    unit_of,
)
from separatrix.algorithms.separation.gordan import Foot, combined, foot
from separatrix.algorithms.separation.integers import primitive
from separatrix.algorithms.separation.scan import Look, OutOfTime, Plane, Scanner
from separatrix.certificates.arithmetic.dyadic import dyadic, power_of_two
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.rows import Worst

SMALL = 2**24  # bytes of rows that may be walked once more for the last bits of a bound
CLOSE = 1e-9  # a lower end looser than this by the doubt of float sums alone is settled exactly
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

    def __init__(self, scanner: Scanner, active: Active, plane: Plane, geometric: bool) -> None:
        self.scanner = scanner
        self.active = active.part(np.arange(len(active)))
        self.plane = plane
        self.geometric = geometric
        self.two_hulls = geometric and scanner.intercept
        self.constant = scanner.intercept and not geometric
        largest = float(np.abs(active.X).max(initial=0.0))
        self.exponent = int(np.frexp(max(largest, float(self.constant)))[1])
        assert scanner.frame is not None
        self._frame = scanner.frame
        self.lower, self.upper = 0.0, inf
        self.best, self.last = plane, plane
        self.witness: tuple[list[int], list[int]] = ([], [])
        self.pairs: list[tuple[int, int]] = []
        self.shares: list[float] = []
        self.grew = False
        X = active.X
        self.middle = X.min(axis=0) / 2 + X.max(axis=0) / 2 if self.two_hulls else np.zeros(X.shape[1])

    def follow(self, other: MarginSearch) -> None:
        """Begin with the corral that another search over the same active rows ended with."""
        if other.two_hulls and not self.two_hulls:
            shares: dict[int, float] = {}
            for pair, share in zip(other.pairs, other.shares, strict=True):
                for place in pair:
                    shares[place] = shares.get(place, 0.0) + share / 2
            self.pairs, self.shares = [(place, -1) for place in shares], list(shares.values())
        elif other.two_hulls == self.two_hulls:
            self.pairs, self.shares = list(other.pairs), list(other.shares)

    def run(self, tol: float, canonical: bool = False) -> Bracket:
        """Close the bracket to the relative gap ``tol``: in floats, then in whole numbers if they stop short.

        ``canonical`` scales the halfspace so that the nearest rows score ±1.
        """
        # Floats only propose: where they overflow the exact checks refuse what comes of it.
        with suppress(OutOfTime), np.errstate(over="ignore", invalid="ignore"):
            self._in_floats(tol)
            if self.scanner.rows.n_bytes <= SMALL:
                for candidate in (self.best, self.last):
                    self._take(candidate, self._scan(candidate), exactly=True)
            if not self._closed(tol) and self.scanner.width <= EXACT_WIDTH:
                self._in_whole_numbers(tol)
            if canonical:
                self._canonical(tol)
        return self._bracket()

    def _in_floats(self, tol: float) -> None:
        self._take(self.plane, self._scan(self.plane))
        moving = True
        while moving and not self._closed(tol):
            self.scanner.tick()
            before = (self.lower, self.upper)
            plane = self._proposed(tol)
            if plane is None:
                break
            self._take(plane, self._scan(plane))
            moving = self.grew or (self.lower, self.upper) != before

    def _proposed(self, tol: float) -> Plane | None:
        """Wolfe's method on the active set: the upper bound of its corral, and the hyperplane to try."""
        if min_norm_of_few.COLUMNS < self.active.X.shape[1] > len(self.active):
            points = self._points_unmoved()
            solved = min_norm_of_few.nearest_of_few(points, self._signs(), tol / 4, self.pairs, self.shares)
        else:
            solved = solve(self._points(), self._signs(), tol / 4, self.pairs, self.shares)
        self.pairs = [(int(i), int(j)) for i, j in solved.corral]
        self.shares = solved.shares.tolist()
        self._bound([int(share * 2.0**80) for share in self.shares])
        return self._plane(solved.nearest)

    def _canonical(self, tol: float) -> None:
        """Scale the halfspace so that the nearest rows score 1, if that costs no more than rounding."""
        lower, plane = self.lower, self.best
        if not plane.in_floats or not lower > 0:
            return
        with np.errstate(over="ignore"):
            scaled = Plane(np.asarray(plane.weights) / (lower * root_above(self._squared_norm(plane))))
        if not (np.isfinite(scaled.weights).all() and np.abs(scaled.weights).max() > 0):
            return
        self.lower = 0.0
        self._take(scaled, self._scan(scaled), exactly=self.scanner.rows.n_bytes <= SMALL)
        if not self._closed(tol) and self.lower < lower:
            self.lower, self.best = lower, plane

    def _closed(self, tol: float) -> bool:
        return self.lower >= (1 - tol) * self.upper

    def _in_whole_numbers(self, tol: float) -> None:
        """Wolfe's method in exact arithmetic, from where floats stopped, until the bracket is closed."""
        grew = True
        while grew and not self._closed(tol):
            points = self._whole_points()
            signs = self.active.signs.astype(int).tolist() if self.two_hulls else None
            found = foot(points, signs, self.pairs, self.shares, self.scanner.tick)
            self.pairs, self.shares = found.corral, [m / found.scale for m in found.multipliers]
            self._bound(found.multipliers)
            plane = self._whole_plane(points, found)
            look = self._scan(plane)
            grew = self.grew
            self._take(plane, look, exactly=True)

    def squared(self) -> Fraction:
        """γ², a rational number: of the active rows' exact minimum-norm point, once no row is nearer."""
        self.run(CLOSE)
        while True:
            self.scanner.tick()
            points = self._whole_points()
            signs = self.active.signs.astype(int).tolist() if self.two_hulls else None
            found = foot(points, signs, self.pairs, self.shares, self.scanner.tick)
            self.pairs, self.shares = found.corral, [m / found.scale for m in found.multipliers]
            unit = power_of_two(2 * unit_of(self.active.X, self.constant))
            square = Fraction(sum(v * v for v in found.nearest), found.scale**2) * unit
            square /= 4 if self.two_hulls else 1
            plane = self._whole_plane(points, found)
            *weights, bias = plane.numbers()
            floor = Margins(weights, bias, square * self._squared_norm(plane))
            if self.scanner.all_at_least(floor):
                return square
            worst = self.scanner.below(floor, self._batch)
            self.active.add(worst.indices, worst.X, self._codes(worst.codes))

    def _bracket(self) -> Bracket:
        places, multipliers = self.witness
        indices = self.active.indices[np.array(places, np.int64)]
        order = np.argsort(indices, kind="stable")
        return Bracket(
            min(self.lower, self.upper),
            self.upper,
            self.best,
            tuple(int(indices[i]) for i in order),
            tuple(multipliers[i] for i in order),
            tuple(int(self.active.signs[places[i]]) for i in order),
            self.geometric,
        )

    def _scan(self, plane: Plane) -> Look:
        """Look at all rows and take the worst into the active set."""
        self.scanner.active, self.scanner.bounds = len(self.active), (self.lower, self.upper)
        look = self.scanner.look(plane, self._frame, self._batch)
        self.scanner.bounds = None
        worst = look.worst
        self.grew = self.active.add(worst.indices, worst.X, self._codes(worst.codes)) > 0
        return look

    def _take(self, plane: Plane, look: Look, exactly: bool = False) -> None:
        """Keep the hyperplane if its certified margin is the best so far."""
        self.last = plane
        reached = estimate = -inf
        if plane.in_floats and not self._frame.extreme and look.floor > 0:
            norm = root_above(self._squared_norm(plane))
            reached, estimate = down(look.floor / norm), float(look.worst.margins[0]) / norm
        # Where the doubt of a float sum is what keeps the ends apart, whole numbers settle it.
        if exactly or (estimate >= (1 - CLOSE) * self.upper > reached and look.negative == 0):
            reached = max(reached, self._lowest_exactly(plane, look.worst))
        if reached > self.lower:
            self.lower, self.best = reached, plane

    def _bound(self, multipliers: Sequence[int]) -> None:
        """The upper bound that these multipliers of the corral prove, if it is the best so far."""
        total: dict[int, int] = {}
        for (i, j), whole in zip(self.pairs, multipliers, strict=True):
            for place in (i, j) if j >= 0 else (i,):
                total[place] = total.get(place, 0) + whole
        kept = {place: value for place, value in total.items() if value > 0}
        if kept:
            bound = self._upper(list(kept), list(kept.values()))
            if bound < self.upper:
                self.upper, self.witness = bound, (list(kept), list(kept.values()))

    @property
    def _batch(self) -> int:
        return min(2 * self.scanner.width + 40, max(200, MOST // self.scanner.width))

    def _codes(self, codes: np.ndarray | None) -> np.ndarray:
        if codes is None:
            return np.empty(0)
        return np.where(codes == self.scanner.positive, 1.0, -1.0)

    def _signs(self) -> np.ndarray:
        return self.active.signs.astype(np.int8) if self.two_hulls else NO_SIGNS

    def _points(self) -> np.ndarray:
        rows = self.active
        out = np.empty((len(rows), rows.X.shape[1] + self.constant))
        out[:, : rows.X.shape[1]] = self._seen(rows.X)
        if self.constant:
            out[:, -1] = np.ldexp(1.0, -self.exponent)
        if not self.two_hulls:
            out *= rows.signs[:, None]
        return out

    def _points_unmoved(self) -> csr_array:
        """The same without the middle, which differences of rows do not see, so that zeros stay zeros."""
        points = csr_array(self.active.X)
        points.data = self._scaled(points.data, points.indices)
        if self.constant:
            constant = np.full((len(self.active), 1), np.ldexp(1.0, -self.exponent))
            points = hstack([points, constant], format="csr")
        return points if self.two_hulls else csr_array(points.multiply(self.active.signs[:, None]))

    def _scaled(self, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.ldexp(values, -self.exponent)

    def _seen(self, X: np.ndarray) -> np.ndarray:
        return np.ldexp(X - self.middle, -self.exponent)

    def _plane(self, nearest: np.ndarray) -> Plane | None:
        """The hyperplane with this normal; with a free intercept, halfway between the classes."""
        d = self.scanner.rows.n_columns
        weights = np.zeros(d + 1)
        weights[: len(nearest)] = nearest
        if not np.abs(weights).max() > 0:
            return None
        weights = np.ldexp(weights, -int(np.frexp(np.abs(weights).max())[1]))
        if self.two_hulls:
            scores = self.active.X @ weights[:d]
            positive = self.active.signs > 0
            weights[d] = -(scores[positive].min() / 2 + scores[~positive].max() / 2)
        return Plane(weights) if np.isfinite(weights).all() else None

    def _squared_norm(self, plane: Plane) -> Fraction:
        return squared_norm(plane, self.geometric)

    def _upper(self, places: Sequence[int], multipliers: Sequence[int]) -> float:
        """‖Σ l z‖ / Σ l, rounded up."""
        X, signs = self.active.X[places], self.active.signs[places]
        intercept = self.scanner.intercept
        if X.shape[1] > min_norm_of_few.COLUMNS:
            sums, unit = min_norm_of_few.exact_sum(X, signs, intercept, multipliers)
            return root_above(self._squared_length(sums) * unit * unit / sum(multipliers) ** 2)
        Z = common_rows(X, signs, intercept)
        low = unit_of(X, intercept)
        sums = combined(Z, multipliers)
        return root_above(self._squared_length(sums) * power_of_two(2 * low) / sum(multipliers) ** 2)

    def _squared_length(self, point: Sequence[int]) -> Fraction:
        return Fraction(sum(v * v for v in point))

    def _whole_points(self) -> list[list[int]]:
        """The active rows in whole numbers, all in one unit."""
        if self.two_hulls:
            return common_rows(self.active.X, np.ones(len(self.active)), False)
        return common_rows(self.active.X, self.active.signs, self.scanner.intercept)

    def _whole_plane(self, points: Sequence[Sequence[int]], found: Foot) -> Plane:
        weights = list(found.nearest)
        if not self.two_hulls:
            return Plane(weights if self.scanner.intercept else [*weights, 0])
        scores = [sum(map(int.__mul__, row, weights)) for row in points]
        positive = min(v for v, s in zip(scores, self.active.signs.tolist(), strict=True) if s > 0)
        negative = max(v for v, s in zip(scores, self.active.signs.tolist(), strict=True) if s < 0)
        low = unit_of(self.active.X, False)
        up = max(0, -low)
        return Plane(primitive([*(2 * w << up for w in weights), -(positive + negative) << (low + up)]))

    def _lowest_exactly(self, plane: Plane, worst: Worst) -> float:
        """The least margin of the worst rows: a bound for all once an exact scan agrees; else -inf."""
        X, signs = worst.X, self._codes(worst.codes)
        if not len(X):
            X, signs = self.active.X, self.active.signs
        numbers = plane.numbers()
        weights = dyadic(numbers)
        lowest: Fraction | None = None
        near = perhaps_lowest(X, signs, numbers)
        for row, sign in zip(np.asarray(X[near], np.float64), signs[near].tolist(), strict=True):
            used = np.flatnonzero(row)
            values = dyadic([*row[used].tolist(), 1.0])
            against = [*(weights.wholes[j] for j in used.tolist()), weights.wholes[-1]]
            total = int(sign) * sum(a * b for a, b in zip(values.wholes, against, strict=True))
            margin = total * power_of_two(values.exponent + weights.exponent)
            lowest = margin if lowest is None or margin < lowest else lowest
        if lowest is None or lowest <= 0:
            return -inf
        squared = self._squared_norm(plane)
        value = root_below(lowest * lowest / squared)
        if value <= 0:
            return -inf
        margins = Margins(numbers[:-1], numbers[-1], Fraction(value) ** 2 * squared)
        return value if self.scanner.all_at_least(margins) else -inf
