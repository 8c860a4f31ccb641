"""Both values of the soft margin, primal and dual, enclosed in doubles or exact.

The primal value of weights (w, b), with m = s(w·x + b), c = C·v and loss(t) = max(0, t), or its square, is

    ½‖w‖² + Σ c·loss(1 − m).                                                                            (1)

The dual value of multipliers α bounds it from below if 0 ≤ α (≤ c for the hinge) and, with an intercept,
Σ αs = 0. It is

    Σ α − ½‖Σ αsx‖²,   less Σ α²/(4c) for the square.                                                   (2)

**Multipliers** follow from the weights: α = c where m < 1 and 0 elsewhere for the hinge; α = c·2k/2^30 with
k = ⌊2^30·max(0, 1 − m)⌋ for the square. So k (0 or 1 for the hinge) is a whole number for every row,
settled exactly, and their sum is balanced exactly by the few rows whose multipliers are listed instead.

**The bounds.** u = 2^-53, τ = 2^-1022. As in `margin_signs`, the float score of a row with n products is off
by at most

    2(n + 3)u(‖x‖‖w‖ + |b|) + 8(n + 3)τ·max(1, ‖x‖);                                                    (3)

the norms are as computed, for which the factor 2 has room. To it 4u(1 + |m|) is added for the subtraction
from 1. A loss that lies between two doubles is multiplied by its cost and summed in runs of 256, each run
with a relative error below 256u, the runs by `math.fsum`; 300u is allowed. Multipliers as doubles have a
relative error of 4u. Σ αsx is summed in runs of 256 rows: its error has a norm of at most

    (256 + runs + 16)u·Σ α‖x‖,   and twice that is allowed.                                             (4)

An operation that underflows is off by at most τ, which later factors enlarge: a loss by its cost, a cost by
its loss, a multiplier by both and by ‖x‖. With n rows of d columns, none of them above a cost c, a loss ℓ or
a length N, 8nτ(1 + c)(1 + ℓ) is allowed for each sum of losses, and d(1 + N) times that for ‖Σ αsx‖. A value
that is not finite, or too large for these bounds, is settled exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import fsum, hypot, inf, isfinite, nextafter
from typing import Any

import numpy as np
import numpy.typing as npt

from separatrix.certificates.arithmetic.dyadic import Doubles, Dyadic, dyadic, power_of_two
from separatrix.certificates.arithmetic.row_sums import weighted_sum
from separatrix.certificates.data.reading import Matrix, Piece, RowSource, refuse_infinite, stored

MULTIPLIER_BITS = 30
RUN_ROWS = 256
_U = 2.0**-53
_TAU = 2.0**-1022
_MAX_COUNT = 2.0**50  # k as a double is exact up to here, with room


@dataclass(frozen=True)
class Objective:
    """½‖w‖² + Σ C·v·loss, for weights (w, b), with the multipliers of the rows listed."""

    weights: tuple[float, ...]
    intercept: float | None
    C: float
    squared: bool
    row_weights: tuple[float, ...] | None
    listed: dict[int, Fraction]

    def cost(self, row: int) -> Fraction:
        """c of a row, exactly."""
        return Fraction(self.C) * (1 if self.row_weights is None else Fraction(self.row_weights[row]))

    @property
    def unit(self) -> Fraction:
        """What a multiplier is for k = 1 and c = 1."""
        return power_of_two(1 - MULTIPLIER_BITS) if self.squared else Fraction(1)

    def half_norm(self) -> Fraction:
        return dyadic(self.weights).squared_norm() / 2


@dataclass
class Enclosure:
    """What one walk over the rows finds: sums of the primal and the dual, enclosed."""

    low: float = 0.0
    high: float = 0.0
    mass: Fraction = Fraction(0)  # Σ α, exact
    balance: Fraction = Fraction(0)  # Σ αs, exact
    size: float = 0.0  # not below ‖Σ αsx‖
    squares: float = 0.0  # not below Σ α²/(4c)
    trusted: bool = True
    _low: list[float] = field(default_factory=list)
    _high: list[float] = field(default_factory=list)
    _squares: list[float] = field(default_factory=list)
    _norm_sums: list[float] = field(default_factory=list)  # Σ α‖x‖
    _largest: dict[str, float] = field(default_factory=lambda: dict.fromkeys(("cost", "loss", "norm"), 0.0))
    runs: int = 0

    def upper(self, objective: Objective) -> Fraction | float:
        """Not below the primal value."""
        high = Fraction(self.high) if self.trusted and isfinite(self.high) else None
        return inf if high is None else objective.half_norm() + high  # (1) above

    def below(self, objective: Objective) -> Fraction | float:
        """Not above the primal value."""
        return objective.half_norm() + Fraction(self.low) if self.trusted and isfinite(self.low) else -inf

    def lower(self) -> Fraction | float:
        """Not above the dual value."""
        if not (self.trusted and isfinite(self.size) and isfinite(self.squares)):
            return -inf
        return self.mass - Fraction(self.size) ** 2 / 2 - Fraction(self.squares)  # (2) above


def enclosed(source: RowSource, objective: Objective) -> Enclosure:
    """One walk: primal and dual value between bounds, the sums over multipliers exact."""
    found = Enclosure()
    weights = np.array(objective.weights)
    bias = objective.intercept or 0.0
    length = 1.001 * hypot(*objective.weights) + 1e-300
    found.trusted = length < 2.0**500 and abs(bias) < 2.0**500 and objective.C < 2.0**500
    rows = np.array(sorted(objective.listed), dtype=np.int64)
    multipliers = np.array([nearest(objective.listed[i]) for i in rows.tolist()])
    given = None if objective.row_weights is None else np.array(objective.row_weights)
    total = np.zeros(source.n_columns)
    with np.errstate(all="ignore"):
        for piece in source.pieces():
            place = slice(*np.searchsorted(rows, (piece.start, piece.stop)).tolist())
            local = rows[place] - piece.start
            v = None if given is None else given[piece.start : piece.stop]
            total += _piece(found, piece, objective, weights, bias, length, v, local, multipliers[place])
    for row, alpha in objective.listed.items():
        found.mass += alpha
        if objective.squared and alpha:
            cost = objective.cost(row)
            found._squares.append(rounded(alpha**2 / (4 * cost), up=True) if cost else inf)
    slip, largest = 1 + 300 * _U, found._largest
    tiny = 8 * source.n_rows * _TAU * (1 + largest["cost"]) * (1 + largest["loss"])
    found.low = max(0.0, _total(found._low) * (1 - 300 * _U) - tiny)
    found.high = _total(found._high) * slip + tiny
    found.squares = _total(found._squares) * slip + tiny
    norm_sum = _total(found._norm_sums) * slip
    # (4) above, twice, and what underflows
    off = 2 * (RUN_ROWS + found.runs + 16) * _U * norm_sum + tiny * source.n_columns * (1 + largest["norm"])
    norm = hypot(*total.tolist())
    found.size = (norm * (1 + (source.n_columns + 4) * _U) + off) * (1 + 8 * _U)
    found.trusted &= isfinite(found.size) and norm < 2.0**500 and norm_sum < 2.0**500
    return found


def _piece(
    found: Enclosure,
    piece: Piece,
    objective: Objective,
    weights: Doubles,
    bias: float,
    length: float,
    v: Doubles | None,
    local: npt.NDArray[np.int64],
    multipliers: Doubles,
) -> Doubles:
    """Add what a piece contributes; returns its part of Σ αsx."""
    X, signs = piece.X, piece.signs
    norms, terms = _norms(X)
    if not np.isfinite(norms).all():
        refuse_infinite(X, range(piece.start, piece.stop))
    margins = signs * (X @ weights + bias)
    error_bound = 2 * (terms + 3) * _U * (1.001 * norms * length + abs(bias)) + 4 * _U * (1 + abs(margins))
    error_bound += 8 * (terms + 3) * _TAU * (1 + norms)  # (3) above, and the subtraction from 1
    short = 1.0 - margins
    costs = objective.C * (np.ones(len(signs)) if v is None else v)
    worst = np.maximum(short + error_bound, 1.0)
    _enlarge(found, "cost", costs)
    _enlarge(found, "loss", worst * worst if objective.squared else worst)
    _enlarge(found, "norm", norms)
    for place, ends in ((found._low, short - error_bound), (found._high, short + error_bound)):
        least = np.maximum(ends, 0.0)
        place += _summed(costs * (least * least if objective.squared else least))
    counts = _counts(objective, X, signs, short, error_bound, local)
    _count(found, objective, counts, signs, v)
    if counts.dtype == object:
        counts = np.array([nearest(Fraction(count)) for count in counts])
    shares = float(objective.unit) * counts.astype(np.float64)  # α/c
    alpha = costs * shares
    if objective.squared:
        found._squares += _summed(alpha * (shares * 0.25))  # α²/(4c)
    alpha[local] = multipliers
    found.balance += sum(
        (int(signs[i]) * objective.listed[piece.start + i] for i in local.tolist()), Fraction(0)
    )
    found._norm_sums += _summed(alpha * norms)
    forces = alpha * signs
    total = np.zeros(X.shape[1])
    for first in range(0, len(signs), RUN_ROWS):
        total += X[first : first + RUN_ROWS].T @ forces[first : first + RUN_ROWS]
        found.runs += 1
    return total


def _counts(
    objective: Objective, X: Matrix, signs: Any, short: Doubles, error_bound: Doubles, local: Any
) -> Any:
    """k of every row that is not listed; rows in doubt are settled in whole numbers."""
    scale = 2.0**MULTIPLIER_BITS if objective.squared else 1.0
    if objective.squared:
        scaled = np.maximum(short, 0.0) * scale
        counts = np.floor(scaled)
        # An edge of k is a whole number over `scale`: the error must not reach one.
        low, high = np.maximum(short - error_bound, 0.0) * scale, np.maximum(short + error_bound, 0.0) * scale
        open_rows = ~((np.floor(low) == np.floor(high)) & (high < _MAX_COUNT))
    else:
        counts = (short > 0.0).astype(np.float64)
        open_rows = ~(abs(short) > error_bound)
    counts[local], open_rows[local] = 0.0, False
    numbers = np.flatnonzero(open_rows)
    answer: Any = counts
    if len(numbers):
        exact = [exact_short(objective, X[i : i + 1], int(signs[i])) for i in numbers.tolist()]
        exact_counts = [_whole_count(objective, t) for t in exact]
        if max(exact_counts, default=0) >= 1 << 53:
            answer = counts.astype(object)
        answer[numbers] = exact_counts
    return answer if answer.dtype == object else answer.astype(np.int64)


def _whole_count(objective: Objective, short: Fraction) -> int:
    if short <= 0:
        return 0
    return (short.numerator << MULTIPLIER_BITS) // short.denominator if objective.squared else 1


def exact_short(objective: Objective, x: Any, sign: int) -> Fraction:
    """1 − m of one row."""
    row = dyadic(np.ravel(stored(x)).tolist())
    chosen = (
        objective.weights if isinstance(x, np.ndarray) else [objective.weights[j] for j in x.indices.tolist()]
    )
    weights = dyadic(chosen)
    score = sum(a * b for a, b in zip(row.wholes, weights.wholes, strict=True))
    return 1 - sign * (
        score * power_of_two(row.exponent + weights.exponent) + Fraction(objective.intercept or 0)
    )


def _count(found: Enclosure, objective: Objective, kept: Any, signs: Any, v: Doubles | None) -> None:
    """Add Σ α and Σ αs of the rows that are not listed, exactly."""
    if v is None:
        if kept.dtype == object or float(abs(kept).max(initial=0)) * len(kept) > 2.0**62:
            mass, balance = (
                sum(map(int, kept)),
                sum(int(k) * int(s) for k, s in zip(kept, signs, strict=True)),
            )
        else:
            mass, balance = int(kept.sum()), int((kept * signs).sum())
        found.mass += objective.unit * Fraction(objective.C) * mass
        found.balance += objective.unit * Fraction(objective.C) * balance
        return
    some = np.flatnonzero(kept)
    exact = dyadic(v[some].tolist())
    unit = objective.unit * Fraction(objective.C) * power_of_two(exact.exponent)
    parts = [int(k) * w for k, w in zip(kept[some].tolist(), exact.wholes, strict=True)]
    found.mass += unit * sum(parts)
    found.balance += unit * sum(p * s for p, s in zip(parts, signs[some].tolist(), strict=True))


def exact_primal(source: RowSource, objective: Objective) -> Fraction:
    """The primal value, row by row in whole numbers."""
    total = Fraction(0)
    for row, short, _, _ in _exact_rows(source, objective):
        if short > 0:
            total += objective.cost(row) * (short**2 if objective.squared else short)
    return objective.half_norm() + total  # (1) above


def exact_dual(source: RowSource, objective: Objective) -> Fraction | None:
    """The dual value; None where it is minus infinity."""
    value, total = Fraction(0), Dyadic((0,) * source.n_columns, 0)
    for row, short, sign, x in _exact_rows(source, objective):
        cost = objective.cost(row)
        alpha = objective.listed.get(row)
        if alpha is None:
            alpha = objective.unit * cost * _whole_count(objective, short)
        if not alpha:
            continue
        value += alpha
        if objective.squared:
            if not cost:
                return None
            value -= alpha**2 / (4 * cost)
        shift = alpha.denominator.bit_length() - 1
        part = weighted_sum(x, (sign * alpha.numerator,))
        total += Dyadic(part.wholes, part.exponent - shift)
    return value - total.squared_norm() / 2  # (2) above


def _exact_rows(source: RowSource, objective: Objective) -> Iterator[tuple[int, Fraction, int, Matrix]]:
    for piece in source.pieces():
        refuse_infinite(piece.X, range(piece.start, piece.stop))
        for i, sign in enumerate(piece.signs.tolist()):
            x = piece.X[i : i + 1]
            yield piece.start + i, exact_short(objective, x, sign), sign, x


def _norms(X: Matrix) -> tuple[Doubles, int]:
    """‖x‖ of every row as computed, and the most products in one."""
    if isinstance(X, np.ndarray):
        return np.sqrt(np.vecdot(X, X)) + 2.0**-500, X.shape[1]
    lengths = np.diff(X.indptr)
    rows = np.repeat(np.arange(X.shape[0]), lengths)
    squares = np.bincount(rows, stored(X) ** 2, X.shape[0])
    return np.sqrt(squares) + 2.0**-500, int(lengths.max(initial=0))


def _summed(values: Doubles) -> list[float]:
    """Sums of runs."""
    whole = len(values) - len(values) % RUN_ROWS
    sums: list[float] = values[:whole].reshape(-1, RUN_ROWS).sum(axis=1).tolist()
    return [*sums, float(values[whole:].sum())]


def _total(sums: list[float]) -> float:
    """Their sum, rounded once; infinite where it overflows."""
    try:
        return fsum(sums)
    except OverflowError:
        return inf


def _enlarge(found: Enclosure, what: str, values: Doubles) -> None:
    # NumPy's maximum is NaN where an entry is, and Python's of a number and NaN the first: order matters.
    largest = float(values.max(initial=0.0))
    found._largest[what] = max(found._largest[what], largest) if isfinite(largest) else inf


def nearest(value: Fraction | float) -> float:
    """The double next to a value, infinite where there is none."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def rounded(value: Fraction | float, *, up: bool) -> float:
    """The double next to a value on the side asked for."""
    near = nearest(value)
    if not isfinite(near) or (Fraction(near) >= value if up else Fraction(near) <= value):
        return near
    return nextafter(near, inf if up else -inf)
