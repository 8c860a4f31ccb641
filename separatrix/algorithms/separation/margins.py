"""The largest margin of separable rows, between two certified bounds.

**Theorem** (duality of the margin). For rows z = s·(x, 1) the largest min z·w/‖w‖ is the distance of the origin from the hull of
the z's. For the geometric margin, where the intercept is free and not in the norm, it is half the distance of the two
classes' hulls. Every w gives a lower bound, every mixture of rows an upper one; Wolfe's method on a growing active set
brings them together.

**Certificate.** `MarginAtLeast` for the lower end, `MarginAtMost` for the upper one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter

import numpy as np

from separatrix.algorithms.separation.frame import common_rows
from separatrix.algorithms.separation.scanner import Plane, Scanner
from separatrix.algorithms.separation.search import NO_SIGNS, Active, Nearest, solve
from separatrix.certificates.dyadic import dyadic, power_of_two, root
from separatrix.certificates.exact import Margins

SMALL = 2**24  # bytes of rows that may be walked once more for the last bits of a bound
STALLED = 3  # rounds without progress after which the bounds stay as they are


@dataclass(frozen=True)
class Bracket:
    """Certified bounds, the halfspace that reaches the lower, and the rows that prove the upper."""

    lower: float
    upper: float
    plane: Plane
    rows: tuple[int, ...]
    multipliers: tuple[int, ...]
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
        X = active.X
        self.middle = X.min(axis=0) / 2 + X.max(axis=0) / 2 if self.two_hulls else np.zeros(X.shape[1])

    def run(self, gap: float) -> Bracket:
        """Close the bracket to the relative gap, or as far as floats can."""
        lower, best = self._certified_floor(self.plane), self.plane
        upper, rows, multipliers = inf, (), ()
        pairs: list[tuple[int, int]] = []
        shares: list[float] = []
        stalled = 0
        while stalled < STALLED:
            self.scanner.tick()
            solved = solve(self._points(), self._signs(), gap / 4, pairs, shares)
            pairs = [(int(i), int(j)) for i, j in solved.corral]
            shares = solved.shares.tolist()
            places, whole = self._mixture(solved)
            bound = self._upper(places, whole)
            progress = bound < upper
            if progress:
                upper, rows, multipliers = bound, tuple(places), tuple(whole)
            plane = self._plane(solved.nearest)
            if plane is None or lower >= (1 - gap) * upper:
                break
            look = self.scanner.look(plane, self.scanner.frame, self._batch)
            worst = look.worst
            reached = look.floor / norm_above(plane, self.geometric)
            if reached < lower or reached < (1 - gap) * upper:
                exact = self._lowest_exactly(plane, worst.X, self._codes(worst.codes))
                reached = max(reached, exact)
            if reached > lower:
                lower, best, progress = reached, plane, True
            fresh = self.active.add(worst.indices, worst.X, self._codes(worst.codes))
            stalled = 0 if progress else stalled + 1
            if lower >= (1 - gap) * upper or (fresh == 0 and not progress):
                break
        lower = max(lower, self._sharpened(best, lower))
        indices = self.active.indices[np.array(rows, np.int64)]
        order = np.argsort(indices, kind="stable")
        return Bracket(
            min(lower, upper),
            upper,
            best,
            tuple(int(indices[i]) for i in order),
            tuple(multipliers[i] for i in order),
            self.geometric,
        )

    @property
    def _batch(self) -> int:
        return 2 * self.scanner.width + 40

    def _codes(self, codes: np.ndarray | None) -> np.ndarray:
        assert codes is not None
        return np.where(codes == self.scanner.positive, 1.0, -1.0)

    def _signs(self) -> np.ndarray:
        return self.active.signs.astype(np.int8) if self.two_hulls else NO_SIGNS

    def _points(self) -> np.ndarray:
        rows = self.active
        out = np.empty((len(rows), rows.X.shape[1] + self.constant))
        out[:, : rows.X.shape[1]] = np.ldexp(rows.X - self.middle, -self.exponent)
        if self.constant:
            out[:, -1] = np.ldexp(1.0, -self.exponent)
        if not self.two_hulls:
            out *= rows.signs[:, None]
        return out

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

    def _mixture(self, solved: Nearest) -> tuple[list[int], list[int]]:
        """The mixture in whole numbers: places in the active set, and positive multipliers."""
        total: dict[int, int] = {}
        for (i, j), share in zip(solved.corral.tolist(), solved.shares.tolist(), strict=True):
            whole = int(share * 2.0**80)
            for place in (i, j) if j >= 0 else (i,):
                total[place] = total.get(place, 0) + whole
        kept = {place: value for place, value in total.items() if value > 0}
        return list(kept), list(kept.values())

    def _upper(self, places: Sequence[int], multipliers: Sequence[int]) -> float:
        """‖Σ l z‖ / Σ l, rounded up."""
        X, signs = self.active.X[places], self.active.signs[places]
        intercept = self.scanner.intercept
        Z = [row for row in common_rows(X, signs, intercept)]
        low = _unit_of(X, intercept)
        sums = [sum(m * row[k] for m, row in zip(multipliers, Z, strict=True)) for k in range(len(Z[0]))]
        square = Fraction(sum(v * v for v in sums), sum(multipliers) ** 2) * power_of_two(2 * low)
        return root_above(square)

    def _certified_floor(self, plane: Plane) -> float:
        look = self.scanner.look(plane, self.scanner.frame, self._batch)
        self.active.add(look.worst.indices, look.worst.X, self._codes(look.worst.codes))
        if look.floor > 0 and self.scanner.frame is not None and not self.scanner.frame.extreme and plane.in_floats:
            return max(0.0, down(look.floor / norm_above(plane, self.geometric)))
        return 0.0

    def _sharpened(self, plane: Plane, lower: float) -> float:
        """On small data, the least margin of the halfspace to the last bit."""
        if self.scanner.rows.n_bytes > SMALL or not plane.in_floats:
            return lower
        worst = self.scanner.look(plane, self.scanner.frame, self._batch).worst
        return self._lowest_exactly(plane, worst.X, self._codes(worst.codes))

    def _lowest_exactly(self, plane: Plane, X: np.ndarray, signs: np.ndarray) -> float:
        """The least margin of these rows, as a bound for all rows once an exact scan agrees; else -inf."""
        weights = dyadic(np.asarray(plane.weights).tolist())
        lowest: Fraction | None = None
        for row, sign in zip(np.asarray(X, np.float64).tolist(), signs.tolist(), strict=True):
            values = dyadic([*row, 1.0])
            total = int(sign) * sum(a * b for a, b in zip(values.wholes, weights.wholes, strict=True))
            margin = total * power_of_two(values.exponent + weights.exponent)
            lowest = margin if lowest is None or margin < lowest else lowest
        if lowest is None or lowest <= 0:
            return -inf
        squared = squared_norm(plane, self.geometric)
        value = root_below(lowest * lowest / squared)
        if value <= 0:
            return -inf
        floats = np.asarray(plane.weights)
        margins = Margins(floats[:-1].tolist(), float(floats[-1]), Fraction(value) ** 2 * squared)
        return value if self.scanner.all_at_least(margins) else -inf


def _unit_of(X: np.ndarray, intercept: bool) -> int:
    """The exponent of the unit in which `common_rows` writes these rows."""
    from separatrix.algorithms.separation.whole import mantissas

    values = np.append(X.reshape(-1), 1.0) if intercept else X.reshape(-1)
    mantissa, exponent = mantissas(values)
    used = mantissa != 0
    if not used.any():
        return 0
    trailing = np.array([(int(m) & -int(m)).bit_length() - 1 for m in mantissa[used]])
    return int((exponent[used] + trailing).min())


def squared_norm(plane: Plane, geometric: bool) -> Fraction:
    """‖w‖², exactly; the intercept counts unless the margin is geometric."""
    weights = [v if isinstance(v, int) else float(v) for v in plane.weights]
    return dyadic(weights[:-1] if geometric else weights).squared_norm()


def norm_above(plane: Plane, geometric: bool) -> float:
    return root_above(squared_norm(plane, geometric))


def root_above(square: Fraction) -> float:
    """A float not below the square root."""
    value = root(square)
    while Fraction(value) ** 2 < square:
        value = nextafter(value, inf)
    return value


def root_below(square: Fraction) -> float:
    """A float not above the square root."""
    value = root(square)
    while value > 0 and Fraction(value) ** 2 > square:
        value = nextafter(value, 0.0)
    return value


def down(value: float) -> float:
    return nextafter(value, -inf) if value > 0 else value


def squared_radius(scanner: Scanner) -> Fraction:
    """R² of the rows (x, 1), or x without an intercept, exactly."""
    from separatrix.certificates.mistakes_at_most import squared_radius as largest
    from separatrix.predictor.evidence import matrix

    found = [largest(matrix(block, scanner.rows.n_columns)) for block in scanner.rows.blocks()]
    return max(found, default=Fraction(0)) + int(scanner.intercept)

