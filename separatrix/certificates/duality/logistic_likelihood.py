"""Two sides of the logistic likelihood: the objective of given weights from above, and of any from below.

**Duality.** Let z = s(x, 1), or s·x without an intercept, m = z·w, and 0 ≤ β_i ≤ v_i. For each row
log(1 + exp(−m)) ≥ h(p) − p·m with the entropy h, for every p in [0, 1] (Fenchel and Young), hence

    Σ v_i log(1 + exp(−m_i)) ≥ Σ v_i h(β_i/v_i) − g·w   for every w,   with g = Σ β_i z_i.              (1)

*Penalised, C finite.* If the last entry of g, the intercept's, is exactly 0, then ½‖w‖² − C g·w ≥ −½C²‖g‖²
gives

    ½‖w‖² + C Σ v_i log(…) ≥ C Σ v_i h(β_i/v_i) − ½C²‖g‖².                                              (2)

*Not penalised.* The bound is Σ v_i h(β_i/v_i) where g is exactly 0. See `Restoration`.

Equality holds at the optimum with β_i = v_i/(1 + exp(m_i)); so this is the β that given weights propose,
rounded to whole multiples of a power of two, whose sums are exact.

**Feasibility restored.** Where the multiples of the two classes do not add up to the same number, the heavier
class is scaled down, and what rounding leaves is taken from its largest β. Any β that satisfies the
constraints proves its bound, however it was found.

**Rounding.** The loss changes by no more than its margin, and a score summed from k products (see
`margin_signs`), and the length of g, with M ≤ 4096 the rows of a run and P the number of runs, err by at most

    2(k + 3)u(Σ|x_j w_j| + |b|),                                                                        (3)
    (M + P + 8)u·‖Σ β_i|x_i|‖ ≤ (M + P + 8)u·Σ β_i‖x_i‖.                                                (4)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from math import ceil, fsum, inf, isfinite, log2, nextafter, sqrt
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from separatrix.certificates.arithmetic.dyadic import Doubles
from separatrix.certificates.arithmetic.enclosures import (
    U,
    entropy_below,
    softplus_above,
    sum_above,
    sum_below,
)
from separatrix.certificates.data.labels import Signs
from separatrix.certificates.data.reading import Matrix

RUN_ROWS = 4096  # rows whose sums are made by a product of matrices

Keep = Callable[[Matrix, Signs], npt.NDArray[np.bool_]]


class LargestMultiple(NamedTuple):
    """The largest multiple among the rows of a class: what it is, the row's weight and length, and its
    number."""

    multiple: int
    weight: float
    length: float
    row: int


NO_MULTIPLE = LargestMultiple(0, 0.0, 0.0, -1)


@dataclass
class LikelihoodSums:
    """What some rows add: an upper bound of the loss, a lower one of the entropies, and g with its error."""

    loss: float
    entropy: float
    g: Doubles
    sizes: Doubles | None
    norm_sum: float  # Σ β‖x‖, from above
    multiples: tuple[int, int]  # Σ of the multiples of each class: −1, +1
    largest: tuple[LargestMultiple, LargestMultiple]
    rows: int
    recorded: tuple[tuple[int, float], ...] = ()  # multiples and weights of the rows asked for
    pieces: int = 1

    def __add__(self, other: LikelihoodSums) -> LikelihoodSums:
        both = zip(self.largest, other.largest, strict=True)
        sizes = None if self.sizes is None or other.sizes is None else self.sizes + other.sizes
        return LikelihoodSums(
            nextafter(self.loss + other.loss, inf),
            nextafter(self.entropy + other.entropy, -inf),
            self.g + other.g,
            sizes,
            nextafter(self.norm_sum + other.norm_sum, inf),
            (self.multiples[0] + other.multiples[0], self.multiples[1] + other.multiples[1]),
            tuple(max(a, b, key=lambda one: one.multiple) for a, b in both),  # type: ignore[arg-type]
            max(self.rows, other.rows),
            self.recorded + other.recorded,
            self.pieces + other.pieces,
        )


@dataclass
class Duality:
    """The sums of one task at given weights, piece by piece.

    Parameters
    ----------
    weights, intercept
        Doubles; None for no intercept.
    quantum
        β are whole multiples of 2**-quantum; see `default_quantum`.
    keep
        Which rows of a piece may have β above 0; None: all.
    entries
        Whether to bound the error of g entry by entry.
    wanted
        Numbers of rows, ascending, whose multiples are noted.
    centre
        For dense rows and a free intercept: the point from which rows are seen. The intercept's entry of
        g being 0, g is the same from everywhere, and its rounding is least from nearby.
    caution
        A factor, at least 1, on all allowances for rounding: whoever states a bound takes 2, so that it is
        found again where rows are cut elsewhere.
    softplus, entropy
        `enclosures.softplus_above` and `entropy_below`, or what gives the same numbers faster.
    """

    weights: Doubles
    intercept: float | None
    quantum: int
    keep: Keep | None = None
    entries: bool = False
    recorded_rows: tuple[int, ...] = ()
    safety_factor: float = 1.0
    centre: Doubles | None = None
    scales: tuple[float, float] = (1.0, 1.0)
    softplus: Callable[[Doubles], Doubles] = softplus_above
    entropy: Callable[[Doubles, Doubles], Doubles] = entropy_below
    norm: float = field(init=False)
    bias: float = field(init=False)

    def __post_init__(self) -> None:
        exact = Fraction(self.intercept or 0.0)
        if self.centre is not None:
            pairs = zip(self.weights.tolist(), self.centre.tolist(), strict=True)
            exact += sum(Fraction(w) * Fraction(c) for w, c in pairs)
        self.bias = float(exact)
        self.norm = 1.001 * float(np.sqrt(np.sum(self.weights**2))) + 1e-150

    def piece(self, X: Matrix, signs: Signs, v: Doubles, start: int) -> LikelihoodSums:
        """The sums over a piece of rows with weights ``v``, in runs of 4096 rows."""
        runs = (slice(at, at + RUN_ROWS) for at in range(0, len(signs), RUN_ROWS))
        with np.errstate(all="ignore"):
            if len(signs) <= RUN_ROWS:
                return self._piece(X, signs, v, start)
            return added(self._piece(X[run], signs[run], v[run], start + run.start) for run in runs)

    def _piece(self, X: Matrix, signs: Signs, v: Doubles, start: int) -> LikelihoodSums:
        dense = isinstance(X, np.ndarray)
        X = X if self.centre is None else X - self.centre
        squares = np.vecdot(X, X) if dense else _squares(X)
        sizes = None if dense else _absolute(X)
        terms = X.shape[1] if dense else int(np.diff(X.indptr).max(initial=0))
        margins = signs * (X @ self.weights + self.bias)
        multiples = self._multiples(X, signs, v, margins)
        beta = multiples * 2.0**-self.quantum
        wholes = multiples.astype(np.int64)
        positive = signs > 0
        above, both = int(wholes[positive].sum()), int(wholes.sum())
        return LikelihoodSums(
            loss=(sum_above(v * self.softplus(margins)) + self._rounding_errors(sizes, v, squares, terms))
            * (1 + 8 * U),
            entropy=sum_below(self.entropy(beta, v)),
            g=np.asarray(X.T @ (beta * signs)).reshape(-1),  # of (1)
            sizes=_absolute_sums(X if sizes is None else sizes, beta) if self.entries or not dense else None,
            norm_sum=norm_sum_bound(float(beta.sum()), float(beta @ squares)),
            multiples=(both - above, above),
            largest=(
                _largest(np.where(positive, -1.0, multiples), v, squares, start),
                _largest(np.where(positive, multiples, -1.0), v, squares, start),
            ),
            rows=len(signs),
            recorded=self._recorded(wholes, v, start),
        )

    def _rounding_errors(self, sizes: Any, v: Doubles, squares: Doubles, terms: int) -> float:
        """`rounding_error`; ``sizes`` are |X|, of sparse rows alone."""
        mass = float(v.sum())
        if sizes is None:
            return self.rounding_error(mass, float(v @ squares), terms)
        # Sparse rows are cheap to read again, and their sums of sizes are well below products of lengths.
        return self._rounding_allowance(float(v @ (sizes @ abs(self.weights))), mass, terms)

    def rounding_error(self, mass: float, spread: float, terms: int) -> float:
        """What the rounding of margins can add to Σ v·loss, for Σ v and Σ v‖x‖²; Σ v‖x‖‖w‖ by Cauchy."""
        return self._rounding_allowance(self.norm * float(np.sqrt(mass) * np.sqrt(spread)), mass, terms)

    def _rounding_allowance(self, absolute_sum: float, mass: float, terms: int) -> float:
        # (3) above, over all rows
        return self.safety_factor * 2.03 * (terms + 6) * U * (absolute_sum + abs(self.bias) * mass) + 1e-300

    def _recorded(
        self, multiples: npt.NDArray[np.int64], v: Doubles, start: int
    ) -> tuple[tuple[int, float], ...]:
        first, last = bisect_left(self.recorded_rows, start), bisect_left(self.recorded_rows, start + len(v))
        places = [row - start for row in self.recorded_rows[first:last]]
        return tuple((int(multiples[place]), float(v[place])) for place in places)

    def _multiples(self, X: Matrix, signs: Signs, v: Doubles, margins: Doubles) -> Doubles:
        """β as whole multiples, still as doubles: what the weights propose, never above the row's weight."""
        unit = 2.0**self.quantum
        proposed = v / (1.0 + np.exp(margins))
        if self.scales != (1.0, 1.0):
            proposed *= np.where(signs > 0, self.scales[1], self.scales[0])
        proposed *= unit
        multiples = np.minimum(np.rint(proposed), np.floor(v * unit))
        if self.keep is not None:
            multiples[~self.keep(X, signs)] = 0.0
        return np.nan_to_num(multiples, copy=False)

    def roundings(self, total: LikelihoodSums) -> float:
        """How many units of rounding an entry of g may be off by, as a share of its Σ β|x|; with caution,
        also where the rows are cut into the longest runs there are."""
        run = total.rows if self.safety_factor == 1 else min(RUN_ROWS, total.rows * total.pieces)
        return self.safety_factor * (run + total.pieces + 10)  # M + P + 8 of (4), with 2 to spare

    def balanced(self, total: LikelihoodSums) -> Duality | None:
        """With a free intercept: scales that make both classes weigh the same, or None if one row can
        mend it."""
        light, heavy = sorted(total.multiples)
        side = int(total.multiples[1] > total.multiples[0])
        if self.intercept is None or 2 * (heavy - light) <= total.largest[side].multiple:
            return None
        scales = list(self.scales)
        scales[side] *= light / heavy
        return replace(self, scales=(scales[0], scales[1]))

    def entropy_and_length(self, total: LikelihoodSums) -> tuple[float, float] | None:
        """The entropies and the length of g (without its last entry) once the intercept's entry is exactly 0;
        None if that cannot be had."""
        entropy = total.entropy
        spread = total.norm_sum
        if total.sizes is not None:
            spread = min(spread, 1.01 * float(np.sqrt(sum_above(total.sizes**2))) + 1e-150)
        error = self.roundings(total) * U * spread * 1.01  # (4) above
        length = float(np.sqrt(sum_above(total.g**2))) * (1 + 8 * U) + error + 1e-150
        surplus = total.multiples[1] - total.multiples[0]
        if self.intercept is None or surplus == 0:
            return entropy, length
        row = total.largest[int(surplus > 0)]
        if abs(surplus) > row.multiple:
            return None
        before = np.ldexp(np.array([float(row.multiple), float(row.multiple - abs(surplus))]), -self.quantum)
        old, new = entropy_below(before, np.full(2, row.weight)).tolist()
        entropy = nextafter(entropy + new - old * (1 + 1e-12), -inf)
        entropy -= 4 * U * abs(total.entropy)
        return entropy, length + float(np.ldexp(float(abs(surplus)), -self.quantum)) * row.length * 1.001


def _squares(X: Any) -> Doubles:
    """‖x‖² of sparse rows."""
    filled = np.diff(X.indptr) > 0
    found = np.zeros(X.shape[0])
    if filled.any():
        found[filled] = np.add.reduceat(X.data * X.data, X.indptr[:-1][filled])
    return found


def _absolute(X: Any) -> Any:
    return type(X)((abs(X.data), X.indices, X.indptr), shape=X.shape)


def _absolute_sums(X: Matrix, beta: Doubles) -> Doubles:
    """Σ β|x|, entry by entry."""
    sizes = abs(X) if isinstance(X, np.ndarray) else X
    return np.asarray(sizes.T @ beta).reshape(-1)


def _largest(multiples: Doubles, v: Doubles, squares: Doubles, start: int) -> LargestMultiple:
    place = int(np.argmax(multiples))
    if not multiples[place] > 0:
        return NO_MULTIPLE
    return LargestMultiple(
        int(multiples[place]), float(v[place]), length_above(float(squares[place])), start + place
    )


def length_above(square: float) -> float:
    """Not below ‖x‖, for a rounded ‖x‖²."""
    return 1.001 * sqrt(square) + 1e-150


def norm_sum_bound(beta: float, weighed: float) -> float:
    """Σ β‖x‖ ≤ √(Σ β · Σ β‖x‖²); squares below 1e-308 are gone, and lengths below 1e-154 with them."""
    return 1.001 * (sqrt(beta) * sqrt(weighed) + 1e-150 * beta) + 1e-150


def default_quantum(n_rows: int, row_weights: Any) -> int:
    """The quantum: multiples of 2**-q up to any row's weight are doubles, and their sum fits 64 bits."""
    largest, total = (1.0, float(n_rows)) if row_weights is None else (float(np.max(row_weights)), 0.0)
    if not largest > 0:
        return 0
    if row_weights is not None:
        # As shares of the largest, which cannot overflow.
        total = 1.001 * float(np.sum(np.asarray(row_weights) / largest))
        return min(51 - ceil(log2(largest)), 60 - ceil(log2(total)) - ceil(log2(largest)), 900)
    return min(51, 61 - ceil(log2(total)))


def added(parts: Iterable[LikelihoodSums]) -> LikelihoodSums:
    return reduce(add, parts)


def penalised_bounds(
    C: float | int, weights: Doubles, loss: float, entropy: float, length: float
) -> tuple[Any, Any]:
    """The objective from above and below, as fractions; `fsum` of the squares is rounded once."""
    square = fsum((weights**2).tolist())
    if not (isfinite(loss) and isfinite(square)):
        return None, Fraction(0)
    half = Fraction(square) / 2 * (1 + Fraction(1, 2**50)) + Fraction(1, 2**1000)
    upper = half + Fraction(C) * Fraction(loss)
    if not (isfinite(entropy) and isfinite(length)):
        return upper, Fraction(0)
    lower = Fraction(C) * Fraction(entropy) - (Fraction(C) * Fraction(length)) ** 2 / 2  # (2) above
    return upper, max(lower, Fraction(0))
