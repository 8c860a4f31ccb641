"""Two sides of the multinomial likelihood, as `logistic_likelihood` has them for two classes.

**Duality.** Let row i with weight v have the class y and the scores t_k = w_k·x + b_k. For β_k ≥ 0, k ≠
y, with Σ β_k ≤ v, let q be the shares β/v and what they leave for y. By Gibbs' inequality log Σ exp(t_k)
− t_y ≥ h(q) − Σ_{k≠y} q_k(t_y − t_k), h the entropy in nats. Summed over the rows the last terms are g·w,
with g_k = Σ_{y_i=k} (Σ_j β_ij)(x_i, 1) − Σ_{y_i≠k} β_ik(x_i, 1). So no objective is below
    C Σ v h(q) − ½C²‖g‖²   penalised, if g is exactly 0 at the intercepts,                              (1)
    Σ v h(q) − ρ‖g‖        not penalised, for weights of length ρ, intercepts included.                 (2)
β are whole multiples of a power of two. What is left of the intercepts' entries flows back along pairs of
classes: β_ik of a row of class l, made smaller, lowers entry k and raises entry l, and so does β_jl of a row
of class k, made larger. Once these entries are 0 the rows may be moved: g is summed over x − centre, so that
columns far from 0 cost no digits.

**Rounding.** A share below 2^-1000, which may be no normal double and off by a factor of 2, counts as 0: that
leaves out a term of the entropy. All others have a relative error of u. The multiples of a row add up to
2^51 at most, so that their sums are exact. Scores err by twice (3) of `logistic_likelihood`, g by its (4).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import fsum, inf, nextafter
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from separatrix.certificates.arithmetic.dyadic import Doubles
from separatrix.certificates.arithmetic.enclosures import (
    _MAX_EXPONENT,
    ALLOWED_ERROR,
    LEAST_SHARE,
    U,
    _exponential,
    _log_ratio,
    sum_above,
    sum_below,
)
from separatrix.certificates.data.reading import Matrix

_RUN_ROWS = 2048
TYPICAL_SHARE = 0.1  # of the worst that rounding can do to scores, what it comes to over many
_MAX_MULTIPLES = 2**51  # multiples of a row, so that 2048 rows fit 64 bits


class AdjustableRow(NamedTuple):
    """A row whose multiples can change: those of all classes, its weight, where it is, its class."""

    multiples: tuple[int, ...]
    weight: float
    place: Doubles
    row: int
    own: int

    def slack(self, quantum: int) -> int:
        """How many more there can be."""
        return int(np.floor(np.ldexp(self.weight, quantum))) - sum(self.multiples)


@dataclass
class JointSums:
    """What some rows add up to."""

    loss: float
    entropy: float
    g: Doubles
    norm_sum: float
    flows: tuple[int, ...]  # the intercepts' entries of −g, in multiples
    adjustable: dict[tuple[int, int], AdjustableRow]
    slackest: dict[int, AdjustableRow]  # of every class the row with the most slack
    rows: int
    largest: int  # multiples of a row
    error_times_norm: float  # Σ β·δ·‖x‖, Σ β·δ and Σ β·δ², δ what rounding can change scores by
    error_sum: float
    squared_error_sum: float
    gradient_error: float  # what the rounding of scores can change g by, in length
    pieces: int = 1

    def __add__(self, other: JointSums) -> JointSums:
        adjustable = dict(self.adjustable)
        for pair, found in other.adjustable.items():
            if pair not in adjustable or found.multiples[pair[1]] > adjustable[pair].multiples[pair[1]]:
                adjustable[pair] = found
        slackest = dict(self.slackest)
        for own, found in other.slackest.items():
            if own not in slackest or _own_share(found) > _own_share(slackest[own]):
                slackest[own] = found
        return JointSums(
            nextafter(self.loss + other.loss, inf),
            nextafter(self.entropy + other.entropy, -inf),
            self.g + other.g,
            nextafter(self.norm_sum + other.norm_sum, inf),
            tuple(map(sum, zip(self.flows, other.flows, strict=True))),
            adjustable,
            slackest,
            max(self.rows, other.rows),
            max(self.largest, other.largest),
            nextafter(self.error_times_norm + other.error_times_norm, inf),
            nextafter(self.error_sum + other.error_sum, inf),
            nextafter(self.squared_error_sum + other.squared_error_sum, inf),
            nextafter(self.gradient_error + other.gradient_error, inf),
            self.pieces + other.pieces,
        )


def _own_share(adjustable: AdjustableRow) -> float:
    """The own share, or nearly."""
    return -float(sum(adjustable.multiples)) / adjustable.weight if adjustable.weight > 0 else -inf


def log_sum_above(scores: Doubles, own: Doubles) -> Doubles:
    """Not below log Σ exp(t_k) − t_y for given scores, as doubles."""
    n, count = scores.shape
    top = scores.max(axis=1)
    powers = _exponential(np.minimum(top[:, None] - scores, _MAX_EXPONENT).ravel()).reshape(n, count)
    powers[np.arange(n), scores.argmax(axis=1)] = 0.0
    rest = powers.sum(axis=1)
    near = _log_ratio(np.minimum(rest, 1.0) / (2.0 + np.minimum(rest, 1.0)))
    fraction, exponent = np.frexp(1.0 + rest)
    far = exponent * 0.6931471805599453 - _log_ratio((1.0 - fraction) / (1.0 + fraction))
    value = np.where(rest <= 1.0, near, far + ALLOWED_ERROR * (1 + abs(far)))
    return (value * (1 + ALLOWED_ERROR + count * U) + (top - own)) * (1 + 4 * U)


def _own_share_error(count: int) -> float:
    return 800.0 * (count + 4) * U


def joint_entropy_below(beta: Doubles, v: Doubles) -> Doubles:
    """Not above v·h(q): a row for each row, its β of other classes, 0 in its own place."""
    p = np.divide(beta, v[:, None], out=np.zeros_like(beta), where=v[:, None] > 0)
    p[p < LEAST_SHARE] = 0.0
    fraction, exponent = np.frexp(np.where(p > 0, p, 1.0))
    logarithm = np.where(
        p < 1.0, _log_ratio((1.0 - fraction) / (1.0 + fraction)) - exponent * 0.6931471805599453, 0.0
    )
    others = (p * logarithm).sum(axis=1)
    rest = p.sum(axis=1)
    low = np.minimum(rest, 0.5)
    small = (1.0 - low) * _log_ratio(low / (2.0 - low))
    own = np.maximum(1.0 - rest, 0.0)
    part, power = np.frexp(np.where(own > 0, own, 1.0))
    large = np.where(
        own > 0, own * (_log_ratio((1.0 - part) / (1.0 + part)) - power * 0.6931471805599453), 0.0
    )
    # Where the own share is the small one it is a difference, known to count·u: its term to 800 times that.
    error_bound = np.where(rest > 0.5, _own_share_error(beta.shape[1]), 0.0)
    value = (others + np.where(rest <= 0.5, small, large)) * (1 - ALLOWED_ERROR - 2 * beta.shape[1] * U)
    found = v * np.maximum(value - error_bound, 0.0)
    return np.where((v > 0) & (found < inf), found, 0.0)


@dataclass
class JointDuality:
    """The sums of all classes at given weights, piece by piece."""

    weights: Doubles  # one row per class
    intercepts: Doubles | None
    quantum: int
    safety_factor: float = 1.0
    centre: Doubles | None = None

    def piece(self, X: Matrix, codes: npt.NDArray[Any], v: Doubles, start: int) -> JointSums:
        """The sums over a piece of rows with weights ``v``, in runs of 2048 rows."""
        runs = (slice(at, at + _RUN_ROWS) for at in range(0, len(codes), _RUN_ROWS))
        with np.errstate(all="ignore"):
            return reduce(add, (self._run(X[run], codes[run], v[run], start + run.start) for run in runs))

    def _run(self, X: Matrix, codes: npt.NDArray[Any], v: Doubles, start: int) -> JointSums:
        n, count = len(codes), len(self.weights)
        dense = isinstance(X, np.ndarray)
        squares = np.vecdot(X, X) if dense else np.asarray(X.multiply(X).sum(axis=1)).reshape(-1)
        lengths = 1.001 * np.sqrt(squares) + 1e-150
        terms = X.shape[1] if dense else int(np.diff(X.indptr).max(initial=0))
        bias = np.zeros(count) if self.intercepts is None else self.intercepts
        scores = np.asarray(X @ self.weights.T) + bias
        norm = 1.001 * float(np.sqrt((self.weights**2).sum(axis=1).max())) + 1e-300
        # Twice (3) of `logistic_likelihood`.
        error = self.safety_factor * 4.04 * (terms + 4) * U * (lengths * norm + abs(bias).max()) + 1e-300
        moved = dense and self.centre is not None and self.intercepts is not None
        near: Any = X - self.centre if moved else X
        reaches = 1.001 * np.sqrt(np.vecdot(near, near)) + 1e-150 if moved else lengths
        places = np.arange(n)
        loss = log_sum_above(scores, scores[places, codes])
        # Differences of scores that are off by δ change log(1 + R) by δ at most, and by a factor of exp(δ).
        loss = np.minimum(loss + error, np.where(error < 0.01, loss * (1 + 1.01 * error), inf))
        losses = v * loss * (1 + 8 * U)
        multiples = self._multiples(scores, codes, v)
        beta = np.ldexp(multiples.astype(np.float64), -self.quantum)
        signed = -beta
        signed[places, codes] = beta.sum(axis=1)
        table = multiples.copy()
        table[places, codes] = -multiples.sum(axis=1)
        return JointSums(
            loss=sum_above(losses),
            entropy=sum_below(joint_entropy_below(beta, v)),
            g=np.asarray(near.T @ signed).T,
            norm_sum=2.01 * sum_above(beta.sum(axis=1) * reaches),
            flows=tuple(int(flow) for flow in table.sum(axis=0)),
            adjustable=self._adjustable_rows(multiples, codes, v, near, start),
            slackest=self._slackest_rows(multiples, codes, v, near, start),
            rows=n,
            largest=int(multiples.sum(axis=1).max(initial=0)),
            error_times_norm=sum_above(beta.sum(axis=1) * error * reaches),
            error_sum=sum_above(beta.sum(axis=1) * error),
            squared_error_sum=sum_above(beta.sum(axis=1) * error**2),
            gradient_error=sum_above(v * (error + 16 * count * U) * (lengths + 1.0)),
        )

    def _multiples(self, scores: Doubles, codes: npt.NDArray[Any], v: Doubles) -> npt.NDArray[np.int64]:
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(codes)), codes] = 0.0
        shares = np.ldexp(p * v[:, None] * (1 - 2.0**-49), self.quantum)
        # Rows that are too large for whole numbers of this unit have none: that is allowed, only weaker.
        shares[~(shares.sum(axis=1) <= _MAX_MULTIPLES)] = 0.0
        multiples = np.floor(shares).astype(np.int64)
        own = multiples.sum(axis=1)
        multiples[(own > np.floor(np.ldexp(v, self.quantum))) | (own > _MAX_MULTIPLES)] = 0
        return multiples

    def _adjustable_rows(
        self,
        multiples: npt.NDArray[np.int64],
        codes: npt.NDArray[Any],
        v: Doubles,
        near: Matrix,
        start: int,
    ) -> dict[tuple[int, int], AdjustableRow]:
        found = {}
        for own in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == own)
            for other in range(len(self.weights)):
                if other != own:
                    row = int(rows[np.argmax(multiples[rows, other])])
                    found[own, other] = _adjustable_row(multiples, v, near, row, own, start)
        return found

    def _slackest_rows(
        self,
        multiples: npt.NDArray[np.int64],
        codes: npt.NDArray[Any],
        v: Doubles,
        near: Matrix,
        start: int,
    ) -> dict[int, AdjustableRow]:
        shares = np.divide(multiples.sum(axis=1), v, out=np.full(len(v), inf), where=v > 0)
        found = {}
        for own in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == own)
            row = int(rows[np.argmin(shares[rows])])
            found[own] = _adjustable_row(multiples, v, near, row, own, start)
        return found

    def _roundings(self, total: JointSums) -> float:
        """As `Duality.roundings`."""
        run = total.rows if self.safety_factor == 1 else min(_RUN_ROWS, total.rows * total.pieces)
        return self.safety_factor * (run + total.pieces + 10)

    def balanced_entropy_and_length(self, total: JointSums, C: float) -> tuple[float, float] | None:
        """The entropies and the length of g without the intercepts' entries, once these are exactly 0;
        None if the rows at hand cannot take them up."""
        error = self._roundings(total) * U * total.norm_sum * 1.01
        if self.intercepts is None or not any(total.flows):
            return total.entropy - self._reserve(total, total.g, C), _length(total.g) + error
        changed = self._restored(total)
        if changed is None:
            return None
        parts, g = [total.entropy], total.g.copy()
        for adjustable, now in changed.values():
            table = np.ldexp(np.array([adjustable.multiples, now], np.float64), -self.quantum)
            before, after = joint_entropy_below(table, np.full(2, adjustable.weight)).tolist()
            parts += [after, -before * (1 + 1e-12)]
            if table.sum(axis=1).max() > 0.49 * adjustable.weight:  # see `joint_entropy_below`
                parts.append(-max(1e-12, 2 * _own_share_error(len(now))) * adjustable.weight)
            more = [b - a for a, b in zip(adjustable.multiples, now, strict=True)]
            more[adjustable.own] = -sum(more)
            step = np.outer(np.ldexp(np.array(more, np.float64), -self.quantum), adjustable.place)
            g -= step
            error += 8 * U * (_length(step) + _length(g))
        # `fsum` is rounded once, however many rows have changed.
        return nextafter(nextafter(fsum(parts), -inf) - self._reserve(total, g, C), -inf), _length(g) + error

    def _reserve(self, total: JointSums, g: Doubles, C: float) -> float:
        """With caution, what the bound may lose for the β of whoever rounds scores otherwise: it is
        stationary in them but for the gradient w − Cg, and for what flows back between intercepts that
        differ."""
        if self.safety_factor == 1:
            return 0.0
        apart = 0.0
        if self.intercepts is not None:
            moved = 0.0 if self.centre is None else self.weights @ self.centre
            apart = float(np.ptp(self.intercepts + moved))
        worst = _length(self.weights - C * g) * total.error_times_norm + apart * total.error_sum
        return TYPICAL_SHARE * worst + total.squared_error_sum

    def _restored(self, total: JointSums) -> dict[int, tuple[AdjustableRow, list[int]]] | None:
        """The rows that change, and their multiples once the intercepts' entries are 0."""
        flows = list(total.flows)
        changed: dict[int, tuple[AdjustableRow, list[int]]] = {}

        def multiples_of(adjustable: AdjustableRow) -> list[int]:
            return changed.setdefault(adjustable.row, (adjustable, list(adjustable.multiples)))[1]

        pairs = [(k, own) for k in range(len(flows)) for own in range(len(flows))]
        for k, own in pairs:
            back = min(flows[k], -flows[own])
            adjustable = total.adjustable.get((own, k))
            if back > 0 and adjustable is not None:
                now = multiples_of(adjustable)
                back = min(back, now[k])
                now[k] -= back
                flows[k] -= back
                flows[own] += back
        for k, own in pairs:
            more = min(flows[k], -flows[own])
            adjustable = total.slackest.get(k)
            if more > 0 and adjustable is not None:
                now = multiples_of(adjustable)
                more = min(more, adjustable.slack(self.quantum) + sum(adjustable.multiples) - sum(now))
                now[own] += more
                flows[k] -= more
                flows[own] += more
        return None if any(flows) else changed

    def full_length(self, total: JointSums) -> float:
        """The length of g with the intercepts' entries; with caution, also for the β of whoever rounds scores
        otherwise, since nothing makes up for a longer g here."""
        error = total.gradient_error if self.safety_factor > 1 else 0.0
        error += self._roundings(total) * U * total.norm_sum * 1.01
        ends = [float(np.ldexp(float(flow), -self.quantum)) for flow in total.flows]
        ends = ends if self.intercepts is not None else [0.0]
        return (
            float(np.sqrt(sum_above((total.g**2).ravel()) + fsum(e * e for e in ends))) * (1 + 1e-12) + error
        )


def _adjustable_row(
    multiples: npt.NDArray[np.int64], v: Doubles, near: Matrix, row: int, own: int, start: int
) -> AdjustableRow:
    place = near[row] if isinstance(near, np.ndarray) else near[row : row + 1].toarray()[0]
    kept = tuple(int(m) for m in multiples[row])
    return AdjustableRow(kept, float(v[row]), np.asarray(place, np.float64), start + row, own)


def _length(g: Doubles) -> float:
    """Not below the length of these doubles."""
    return float(np.sqrt(sum_above((g**2).ravel()))) * (1 + 8 * U) + 1e-150
