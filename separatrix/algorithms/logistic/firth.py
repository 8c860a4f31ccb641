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

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.convex.mean_centring import Centring
from separatrix.algorithms.convex.newton_loop import backtrack
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.fitting.progress import report_step
from separatrix.rows import Block, DataError, Rows

MAX_HALVING_STEPS = 30
NULL_EIGENVALUE_SHARE = 1e-11  # of the largest: an eigenvalue of the correlations that counts as 0
MIN_NULL_ENTRY_SIZE = (
    1e-4  # an entry of a null vector, for columns of unit length, that counts as more than 0
)


class FirthEstimate(NamedTuple):
    """The estimate, its covariance, the penalised log-likelihood, the plain one, and how it ended."""

    weights: np.ndarray
    covariance: np.ndarray
    penalised_log_likelihood: float
    log_likelihood: float
    null_log_likelihood: float
    residual: float
    n_iter: int
    converged: bool
    determined: tuple[bool, ...]
    rank: int


class FirthProblem:
    """Sums over the rows (x − centre, 1), or x without an intercept."""

    def __init__(self, rows: Rows, positive: int, *, intercept: bool) -> None:
        self.rows, self.positive, self.intercept = rows, positive, intercept
        self.centring = Centring.none(rows.n_columns)
        self.basis: np.ndarray | None = None
        self.width = rows.n_columns + intercept
        self.user_from_internal = np.eye(self.width)
        self.determined = np.ones(self.width, bool)  # coefficients whose axis lies in the space of the rows

    @property
    def coordinates(self) -> FirthCoordinates:
        """What rows look like by now."""
        return FirthCoordinates(self.positive, self.intercept, self.centring.centre, self.basis)

    def prepare(self) -> None:
        """Move the origin to the mean of the rows, and find the space that they span."""
        if self.intercept:
            total, mass = self.rows.sum(WeightedRowSum())
            centre = total / mass
            self.centring = Centring(np.where(np.isfinite(centre), centre, 0.0))
            self.user_from_internal[-1, :-1] = -self.centring.centre
        gram = np.asarray(self.rows.sum(FirthGram(self.coordinates))[0])
        column_norms = np.sqrt(np.maximum(np.diagonal(gram), 1e-300))
        if not np.isfinite(column_norms).all():
            refuse_overflow(self.rows)
        values, vectors = np.linalg.eigh(gram / column_norms / column_norms[:, None])
        is_kept = values > NULL_EIGENVALUE_SHARE * values[-1]
        if is_kept.all():
            return
        null_vectors = vectors[:, ~is_kept] / column_norms[:, None]
        null_entries = abs(self.user_from_internal @ null_vectors) * column_norms[:, None]
        # A sum that cancels is 0 up to its rounding.
        absolute_sums = (abs(self.user_from_internal) @ abs(null_vectors)) * column_norms[:, None]
        self.determined = ~(null_entries > MIN_NULL_ENTRY_SIZE * (1.0 + absolute_sums)).any(axis=1)
        self.basis = vectors[:, is_kept] / column_norms[:, None]
        self.width = int(is_kept.sum())
        span = np.linalg.qr(vectors[:, is_kept] * column_norms[:, None])[0]
        self.user_from_internal = self.user_from_internal @ span @ (span.T @ self.basis)
        self.internal_from_user = vectors[:, is_kept].T * column_norms

    def to_internal(self, weights: np.ndarray) -> np.ndarray:
        """Weights of the rows as given, in the coordinates of the problem."""
        n_columns = len(self.centring.centre)
        internal = self.centring.to_internal(weights) if self.intercept else weights[:n_columns]
        return internal if self.basis is None else self.internal_from_user @ internal

    def compute_information(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """The log-likelihood and I."""
        likelihood, information = self.rows.sum(FirthInformation(self.coordinates, weights))
        return float(likelihood), np.asarray(information)

    def differentiate(self, weights: np.ndarray, inverse: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The gradient of the penalised likelihood, and its curvature with the leverages held fixed.

        With them fixed it is a likelihood of more rows: each with its leverage, half in either class.
        """
        slope, curvature = self.rows.sum(FirthSlope(self.coordinates, weights, inverse))
        return np.asarray(slope), np.asarray(curvature)


@dataclass(frozen=True)
class WeightedRowSum:
    """Σ v·x and Σ v."""

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[np.ndarray, float]:
        v = block.row_weights
        return np.asarray(block.matrix().T @ v), float(v.sum())


@dataclass(frozen=True)
class FirthCoordinates:
    """Rows (x − centre, 1), or x without an intercept, or their coordinates by the basis of their space."""

    positive: int
    intercept: bool
    centre: np.ndarray
    basis: np.ndarray | None

    def transform(self, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows z of a block, their weights v and their signs."""
        X = block.matrix()
        z = (X.toarray() if block.is_sparse else np.asarray(X, np.float64)) - self.centre
        z = np.column_stack([z, np.ones(len(z))]) if self.intercept else z
        z = z if self.basis is None else z @ self.basis
        return z, block.row_weights, block.signs(self.positive)


@dataclass(frozen=True)
class FirthGram:
    """Σ z zᵀ over the rows that count."""

    coordinates: FirthCoordinates

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[np.ndarray]:
        z, v, _ = self.coordinates.transform(block)
        z = z[v > 0]
        return (z.T @ z,)


@dataclass(frozen=True)
class FirthInformation:
    """The log-likelihood, and I = Σ v·p(1 − p) z zᵀ."""

    coordinates: FirthCoordinates
    weights: np.ndarray

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[float, np.ndarray]:
        z, v, signs = self.coordinates.transform(block)
        scores = z @ self.weights
        p = _compute_probabilities(scores)
        return -float(v @ np.logaddexp(0.0, -signs * scores)), (z.T * (v * p * (1 - p))) @ z


@dataclass(frozen=True)
class FirthSlope:
    """Σ (v(y − p) + h(½ − p)) z and Σ (v + h)·p(1 − p) z zᵀ with the leverages h = v·p(1 − p) zᵀ I⁻¹ z."""

    coordinates: FirthCoordinates
    weights: np.ndarray
    inverse: np.ndarray

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        z, v, signs = self.coordinates.transform(block)
        p = _compute_probabilities(z @ self.weights)
        leverage = v * p * (1 - p) * np.einsum("ij,jk,ik->i", z, self.inverse, z, optimize=True)
        slope = z.T @ (v * ((signs > 0) - p) + leverage * (0.5 - p))
        return slope, (z.T * ((v + leverage) * p * (1 - p))) @ z


def _compute_probabilities(scores: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * scores)))


def fit_firth(
    rows: Rows, positive: int, *, intercept: bool, max_iter: int, start: np.ndarray | None
) -> FirthEstimate:
    """Newton's steps with the leverages held fixed, halved until the penalised likelihood does not fall."""
    with np.errstate(all="ignore"):
        return _fit(FirthProblem(rows, positive, intercept=intercept), rows, max_iter, start)


def _fit(problem: FirthProblem, rows: Rows, max_iter: int, start: np.ndarray | None) -> FirthEstimate:
    problem.prepare()
    w = np.zeros(problem.width) if start is None else problem.to_internal(start)
    likelihood, inverse, penalised = _evaluate(problem, w)
    if not np.isfinite(penalised):
        raise DataError(
            "Some columns nearly depend on one another, too nearly for Firth's penalty in doubles: drop "
            "one of them, or use the L2 penalty."
        )
    steps = 0
    while True:
        slope, curvature = problem.differentiate(w, inverse)
        residual = float(np.sqrt(max(slope @ inverse @ slope, 0.0)))
        if not np.isfinite(residual) or not np.isfinite(curvature).all():
            refuse_overflow(rows)
        converged = residual <= 1e-10
        report_step(steps, max_iter, 0.5 * residual**2, abs(penalised))
        if converged or steps == max_iter:
            break
        direction = np.linalg.lstsq(curvature, slope, rcond=None)[0]
        accepted = _find_step(problem, w, direction, penalised)
        if accepted is None:
            converged = residual <= 1e-6
            break
        step, (likelihood, inverse, penalised) = accepted
        w = w + step * direction
        steps += 1
    weights = problem.user_from_internal @ w
    weights = weights if problem.intercept else np.append(weights, 0.0)
    covariance = problem.user_from_internal @ inverse @ problem.user_from_internal.T
    if not np.isfinite(weights).all():
        refuse_overflow(rows)
    return FirthEstimate(
        weights,
        covariance,
        penalised,
        likelihood,
        _compute_null_log_likelihood(problem),
        residual,
        steps,
        converged,
        tuple(problem.determined.tolist()),
        problem.width,
    )


def _find_step(
    problem: FirthProblem, w: np.ndarray, direction: np.ndarray, penalised: float
) -> tuple[float, tuple[float, np.ndarray, float]] | None:
    """The longest step, halved again and again, at which the penalised likelihood does not fall."""
    return backtrack(
        lambda step: _evaluate(problem, w + step * direction),
        lambda _, trial: trial[2] >= penalised - 1e-12 * abs(penalised),
        MAX_HALVING_STEPS,
    )


def _compute_null_log_likelihood(problem: FirthProblem) -> float:
    """The penalised likelihood where only the intercept is free, the information being that of all columns.

    With one probability p for all rows its slope is n₁ − np + D(½ − p), D counting the constant.
    """
    w = np.zeros(len(problem.user_from_internal))
    if problem.intercept:
        negatives, positives = sum_class_weights(problem.rows, problem.positive)
        w[-1] = np.log((positives + 0.5 * problem.width) / (negatives + 0.5 * problem.width))
    return _evaluate(problem, problem.to_internal(w))[2]


def _evaluate(problem: FirthProblem, w: np.ndarray) -> tuple[float, np.ndarray, float]:
    likelihood, information = problem.compute_information(w)
    scale = np.sqrt(np.maximum(np.diagonal(information), 1e-300))
    scaled = information / scale / scale[:, None]
    if not scaled.size:  # no row spans anything: the penalty is a constant
        return likelihood, scaled, likelihood
    if not np.isfinite(scaled).all():
        return likelihood, information, -np.inf
    sign, log_determinant = np.linalg.slogdet(scaled)
    if not sign > 0 or not np.isfinite(log_determinant) or np.linalg.cond(scaled) > 1e14:
        return likelihood, information, -np.inf
    inverse = np.linalg.inv(scaled) / scale / scale[:, None]
    return likelihood, inverse, likelihood + 0.5 * float(log_determinant) + float(np.log(scale).sum())


def sum_class_weights(rows: Rows, positive: int) -> tuple[float, float]:
    """The weight of the negative rows, and of the positive ones."""
    negatives, positives = rows.sum(ClassWeights(positive))
    return negatives, positives


@dataclass(frozen=True)
class ClassWeights:
    """Σ v over the negative rows, and over the positive ones."""

    positive: int

    def __call__(self, block: Block) -> tuple[float, float]:
        v, is_positive = block.row_weights, block.signs(self.positive) > 0
        return float(v[~is_positive].sum()), float(v[is_positive].sum())
