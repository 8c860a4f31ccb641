"""Firth's penalty: the likelihood times the root of the information's determinant, finite on any rows.

**Idea.** Maximise ℓ(w) + ½ log det I(w), I = Σ v_i p_i(1 − p_i) z_i z_iᵀ over rows z = (x, 1). Its
gradient is Σ (v_i(y_i − p_i) + h_i(½ − p_i)) z_i, with the leverages h_i = v_i p_i(1 − p_i) z_iᵀ I⁻¹ z_i,
p the probability of the positive class.

**Theorem** (Firth, *Bias reduction of maximum likelihood estimates*, 1993; Kosmidis and Firth, 2021). The
penalty removes the bias of order 1/n, and is Jeffreys' prior for this model. If the columns and the
constant are independent, the penalised likelihood has a finite maximum, also on separated rows. Where
they depend on one another, the determinant is that of the space which the rows span (moved to their mean if
there is an intercept), and the weights are the shortest there.

**Certificate.** None: the penalised likelihood need not be concave, so a point without slope is all that
is found. ``residual_`` has the length of the slope, in units of standard errors.

**Cost.** Two passes for a step, and memory for columns squared.
"""

from __future__ import annotations

from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.logistic.overflow import refuse_overflow, silence_overflow
from separatrix.algorithms.logistic.safe_units import choose_units
from separatrix.fitting.exact_errors import matrix
from separatrix.fitting.progress import report_step
from separatrix.rows import Block, DataError, Rows

HALVINGS = 30
DEPENDENT = 1e-11  # an eigenvalue of the columns' correlations, as a share of the largest, that counts as 0
LOOSE = 1e-4  # an entry of a null vector, for columns of unit length, that counts as more than 0


class Firth(NamedTuple):
    """The estimate, its covariance, the penalised log-likelihood, the plain one, and how it ended."""

    weights: np.ndarray
    covariance: np.ndarray
    penalised: float
    log_likelihood: float
    null: float
    residual: float
    iterations: int
    converged: bool
    determined: tuple[bool, ...]
    rank: int


class FirthProblem:
    """Sums over the rows (x − centre, 1), or x without an intercept."""

    def __init__(self, rows: Rows, positive: int, *, intercept: bool) -> None:
        self.units = choose_units(rows, inf)
        self.rows, self.positive, self.intercept = self.units.rows, positive, intercept
        self.weights = rows.weights  # as given: unlike the likelihood alone, the penalised one has no units
        self.centre = np.zeros(rows.n_columns)
        self.frame: np.ndarray | None = None
        self.width = rows.n_columns + intercept
        self.outward = np.eye(self.width)
        self.determined = np.ones(self.width, bool)  # coefficients whose axis lies in the space of the rows

    def prepare(self) -> None:
        """Move the origin to the mean of the rows, and find the space that they span."""
        if self.intercept:
            total, mass = self.rows.sum(silence_overflow(self._weighted))
            centre = total / mass
            self.centre = np.where(np.isfinite(centre), centre, 0.0)
            self.outward[-1, :-1] = -self.centre
        gram = np.asarray(self.rows.sum(silence_overflow(lambda block: (self._gram(block),)))[0])
        size = np.sqrt(np.maximum(np.diagonal(gram), 1e-300))
        if not np.isfinite(size).all():
            refuse_overflow(self.rows)
        values, vectors = np.linalg.eigh(gram / size / size[:, None])
        kept = values > DEPENDENT * values[-1]
        if kept.all():
            return
        null = vectors[:, ~kept] / size[:, None]
        loose = abs(self.outward @ null) * size[:, None]
        # A sum that cancels is 0 up to its rounding.
        reach = (abs(self.outward) @ abs(null)) * size[:, None]
        self.determined = ~(loose > LOOSE * (1.0 + reach)).any(axis=1)
        self.frame = vectors[:, kept] / size[:, None]
        self.width = int(kept.sum())
        span = np.linalg.qr(vectors[:, kept] * size[:, None])[0]
        self.outward = self.outward @ span @ (span.T @ self.frame)
        self.inward = vectors[:, kept].T * size

    def at(self, weights: np.ndarray) -> np.ndarray:
        """Weights of the rows as given, in the coordinates of the problem."""
        moved = weights[: len(self.outward)].copy()
        if self.intercept:
            moved[-1] += self.centre @ moved[:-1]
        return moved if self.frame is None else self.inward @ moved

    def _weighted(self, block: Block) -> tuple[np.ndarray, float]:
        v = np.ones(len(block)) if self.weights is None else self.weights[block.start : block.stop]
        return np.asarray(matrix(block, self.rows.n_columns).T @ v), float(v.sum())

    def _gram(self, block: Block) -> np.ndarray:
        z, v, *_ = self._block(block, np.zeros(self.width))
        z = z[v > 0]
        return np.asarray(z.T @ z)

    def _block(self, block: Block, weights: np.ndarray) -> tuple[Any, ...]:
        X = matrix(block, self.rows.n_columns)
        z = (X.toarray() if hasattr(X, "toarray") else np.asarray(X, np.float64)) - self.centre
        z = np.column_stack([z, np.ones(len(z))]) if self.intercept else z
        z = z if self.frame is None else z @ self.frame
        v = np.ones(len(z)) if self.weights is None else self.weights[block.start : block.stop]
        scores = z @ weights
        p = 0.5 * (1.0 + np.tanh(0.5 * scores))
        return z, v, block.signs(self.positive), scores, p

    def information(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """The log-likelihood and I."""

        def term(block: Block) -> tuple[float, np.ndarray]:
            z, v, signs, scores, p = self._block(block, weights)
            return -float(v @ np.logaddexp(0.0, -signs * scores)), (z.T * (v * p * (1 - p))) @ z

        likelihood, information = self.rows.sum(silence_overflow(term))
        return float(likelihood), np.asarray(information)

    def score(self, weights: np.ndarray, inverse: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The gradient of the penalised likelihood, and its curvature with the leverages held fixed.

        With them fixed it is a likelihood of more rows: each with its leverage, half in either class.
        """

        def term(block: Block) -> tuple[np.ndarray, np.ndarray]:
            z, v, signs, _, p = self._block(block, weights)
            leverage = v * p * (1 - p) * np.einsum("ij,jk,ik->i", z, inverse, z, optimize=True)
            slope = z.T @ (v * ((signs > 0) - p) + leverage * (0.5 - p))
            return slope, (z.T * ((v + leverage) * p * (1 - p))) @ z

        slope, curvature = self.rows.sum(silence_overflow(term))
        return np.asarray(slope), np.asarray(curvature)


def firth(rows: Rows, positive: int, *, intercept: bool, max_iter: int, start: np.ndarray | None) -> Firth:
    """Newton's steps with the leverages held fixed, halved until the penalised likelihood does not fall."""
    with np.errstate(all="ignore"):
        return _firth(FirthProblem(rows, positive, intercept=intercept), rows, max_iter, start)


def _firth(problem: FirthProblem, rows: Rows, max_iter: int, start: np.ndarray | None) -> Firth:
    intercept = problem.intercept
    problem.prepare()
    w = np.zeros(problem.width) if start is None else problem.at(problem.units.to_internal(start))
    likelihood, inverse, penalised = _value(problem, w)
    if not np.isfinite(penalised):
        raise DataError(
            "Some columns nearly depend on one another, too nearly for Firth's penalty in doubles: drop "
            "one of them, or use the L2 penalty."
        )
    steps = 0
    while True:
        slope, curvature = problem.score(w, inverse)
        residual = float(np.sqrt(max(slope @ inverse @ slope, 0.0)))
        if not np.isfinite(residual) or not np.isfinite(curvature).all():
            refuse_overflow(rows)
        converged = residual <= 1e-10
        report_step(steps, max_iter, 0.5 * residual**2, abs(penalised))
        if converged or steps == max_iter:
            break
        direction = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        step = 1.0
        for _ in range(HALVINGS):
            trial = w + step * direction
            value = _value(problem, trial)
            if value[2] >= penalised - 1e-12 * abs(penalised):
                break
            step *= 0.5
        else:
            converged = residual <= 1e-6
            break
        w, (likelihood, inverse, penalised) = trial, value
        steps += 1
    out = np.zeros(rows.n_columns + 1)
    out[: rows.n_columns + intercept] = problem.outward @ w
    covariance = problem.outward @ inverse @ problem.outward.T
    shift = 0.0
    if problem.units.column_exponents is not None:
        if problem.frame is None:  # the determinant is that of the rows as given
            shift = float(problem.units.column_exponents.sum()) * log(2.0)
        powers = -np.append(problem.units.column_exponents, np.zeros(int(intercept), np.int64))
        covariance = np.ldexp(covariance, powers + powers[:, None])
    out = problem.units.to_user(out)
    if not np.isfinite(out).all():
        refuse_overflow(rows)
    return Firth(
        out,
        covariance,
        penalised + shift,
        likelihood,
        _null(problem) + shift,
        residual,
        steps,
        converged,
        tuple(problem.determined.tolist()),
        problem.width,
    )


def _null(problem: FirthProblem) -> float:
    """The penalised likelihood where only the intercept is free, the information being that of all columns.

    With one probability p for all rows its slope is n₁ − np + D(½ − p), D counting the constant.
    """
    w = np.zeros(len(problem.outward))
    if problem.intercept:
        negatives, positives = masses(problem.rows, problem.weights, problem.positive)
        w[-1] = np.log((positives + 0.5 * problem.width) / (negatives + 0.5 * problem.width))
    return _value(problem, problem.at(w))[2]


def _value(problem: FirthProblem, w: np.ndarray) -> tuple[float, np.ndarray, float]:
    likelihood, information = problem.information(w)
    scale = np.sqrt(np.maximum(np.diagonal(information), 1e-300))
    unit = information / scale / scale[:, None]
    if not unit.size:  # no row spans anything: the penalty is a constant
        return likelihood, unit, likelihood
    if not np.isfinite(unit).all():
        return likelihood, information, -np.inf
    sign, logarithm = np.linalg.slogdet(unit)
    if not sign > 0 or not np.isfinite(logarithm) or np.linalg.cond(unit) > 1e14:
        return likelihood, information, -np.inf
    inverse = np.linalg.inv(unit) / scale / scale[:, None]
    return likelihood, inverse, likelihood + 0.5 * float(logarithm) + float(np.log(scale).sum())


def uncentred(covariance: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """The covariance of (w, b) from that of (w, b + w·centre)."""
    change = np.eye(len(covariance))
    change[-1, :-1] = -centre
    return change @ covariance @ change.T


def masses(rows: Rows, weights: np.ndarray | None, positive: int) -> tuple[float, float]:
    """The weight of the negative rows, and of the positive ones."""
    negatives = positives = 0.0
    for block in rows.blocks():
        v = np.ones(len(block)) if weights is None else weights[block.start : block.stop]
        above = block.signs(positive) > 0
        negatives, positives = negatives + float(v[~above].sum()), positives + float(v[above].sum())
    return negatives, positives
