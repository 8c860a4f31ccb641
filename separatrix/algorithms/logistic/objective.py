"""The objective of logistic regression at a moving point: loss, gradient and Hessian, in passes over rows.

½r‖w‖² + Σ c_i log(1 + exp(−s_i(w·x_i + b))) with r = 1 and c_i = C·v_i, or r = 0 and c_i = v_i where nothing
is penalised; divided by a power of two where C or weights are of an unusual size (`divided_objective`).
Scores are kept, one number a row, so that moving along a line costs no pass over the rows: scores move along
a line too.

Dense rows with an intercept are seen from a point near their mean (`convex.mean_centring`).
"""

from __future__ import annotations

from functools import cached_property
from math import inf, isfinite
from operator import add
from typing import NamedTuple

import numpy as np

from separatrix.algorithms.convex.line_search import search_line
from separatrix.algorithms.convex.mean_centring import Centring
from separatrix.algorithms.logistic.divided_objective import divide_objective
from separatrix.algorithms.logistic.objective_terms import (
    GramOfRows,
    LinearScores,
    LogisticHessianDiagonal,
    LogisticHessianProduct,
    LossDerivatives,
    RowCosts,
)
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.rows import Rows

EPSILON = 2.0**-52
MIN_RIDGE_VALUE = 2.0**-80  # a smaller penalty is lost in the rounding of the gradient, 2^-52, squared
MAX_INTERCEPT_SLOPE_SHARE = 1e-14  # of all costs: a slope along the intercept that is as good as none
CHUNK_ROWS = 8192  # scores that stay in a core's cache


class Derivatives(NamedTuple):
    """The objective, its gradient, and its Hessian where that was asked for."""

    objective: float
    gradient: np.ndarray
    hessian: np.ndarray | None


class LogisticObjective:
    """The objective of one task on some rows. In its passes BLAS has as many threads as in the whole fit.

    ``centring`` says from where dense rows are seen; None: from near their mean, if there is an intercept.

    Attributes
    ----------
    weights : ndarray
        Where we are: one entry a column and the intercept last, for rows seen from ``centre``.
    scores : ndarray
        w·(x − centre) + b of every row there.
    curvatures : ndarray or None
        c·p(1 − p) of every row, kept by ``differentiate(keep_curvatures=True)``.
    smoothness : float
        L of `gradient_descent`, once it is known.
    """

    def __init__(
        self,
        rows: Rows,
        positive: int,
        C: float,
        *,
        intercept: bool,
        centring: Centring | None = None,
    ) -> None:
        self.divided = divide_objective(rows, C)
        self.rows = rows = _cut_for_passes(self.divided.rows)
        self.positive = positive
        self.ridge, self.C = self.divided.ridge, self.divided.C
        self.row_costs = RowCosts(self.C)
        self.penalised = self.ridge > MIN_RIDGE_VALUE
        self.intercept = intercept
        self.constant = 1.0 if intercept else 0.0
        self.n_columns = rows.n_columns
        self.sparse = rows.is_sparse
        if centring is None and intercept and not self.sparse:
            centring = Centring.near_mean(rows)
        self.centring = centring or Centring.none(rows.n_columns)
        self.centre = self.centring.centre
        self.weights = np.zeros(rows.n_columns + 1)
        self.scores = np.zeros(rows.n_rows)
        self.trial_scores: np.ndarray | None = None
        self.curvatures: np.ndarray | None = None
        self.smoothness = 0.0

    @property
    def user_weights(self) -> np.ndarray:
        """The weights for the rows as given."""
        with np.errstate(all="ignore"):
            return self.centring.to_user(self.weights)

    def start_at(self, weights: np.ndarray) -> None:
        """Move to weights that are for the rows as given: one pass."""
        self.weights = self.centring.to_internal(weights)
        self.weights[-1] *= self.constant
        self.scores = self.compute_scores(self.weights)

    def costs(self, start: int, stop: int) -> np.ndarray:
        """c_i of a run of rows."""
        weights = self.rows.weights
        return self.row_costs.compute(None if weights is None else weights[start:stop], stop - start)

    def compute_scores(self, direction: np.ndarray) -> np.ndarray:
        """v·(x − centre, constant) of every row: one pass."""
        term = LinearScores(self._uncentre(direction))
        return np.concatenate(list(self.rows.each(term, parallel_blas=True)))

    def differentiate(
        self,
        *,
        hessian: bool = False,
        keep_curvatures: bool = False,
        precise: bool = True,
        direction: np.ndarray | None = None,
    ) -> Derivatives:
        """The objective and its derivatives here, or one full step along ``direction``: one pass.

        With a direction the scores there are left in ``trial_scores``, and nothing moves.
        """
        keep_curvatures = keep_curvatures and not hessian
        if keep_curvatures and self.curvatures is None:
            self.curvatures = np.empty(self.rows.n_rows)
        weights = self.weights if direction is None else self.weights + direction
        self.trial_scores = None  # makes room for those of the blocks
        term = LossDerivatives(
            self.positive,
            self.row_costs,
            self._uncentre(weights),
            self.scores if direction is None else None,
            GramOfRows(self.centre, self.constant, precise) if hessian else None,
            keep_curvatures,
        )
        sums, scores = None, []
        for part in self.rows.each(term, parallel_blas=True):
            sums = part.sums if sums is None else tuple(map(add, sums, part.sums))
            if part.scores is not None:
                scores.append(part.scores)
            if part.curvatures is not None and self.curvatures is not None:
                self.curvatures[part.span] = part.curvatures
        assert sums is not None
        if direction is not None:
            self.trial_scores = np.concatenate(scores)
        w = weights[:-1]
        objective = float(sums[0]) + 0.5 * float((self.ridge * w) @ w)
        gradient = sums[1]
        gradient[:-1] -= self.centre * sums[2]
        gradient[-1] *= self.constant
        gradient[:-1] += self.ridge * w
        if direction is None and not (np.isfinite(objective) and np.isfinite(gradient).all()):
            refuse_overflow(self.rows)
        if not hessian:
            return Derivatives(objective, gradient, None)
        H = np.asarray(sums[3], np.float64)
        if self.sparse:
            H = np.triu(H) + np.triu(H, 1).T
        H[np.arange(self.n_columns), np.arange(self.n_columns)] += self.ridge
        return Derivatives(objective, gradient, H)

    def _uncentre(self, direction: np.ndarray) -> np.ndarray:
        """The same direction for the rows as given, with the constant 1."""
        scaled = direction.copy()
        scaled[-1] *= self.constant
        return scaled if self.sparse else self.centring.to_user(scaled)

    def multiply_hessian(self, direction: np.ndarray) -> np.ndarray:
        """The Hessian times a direction, with the kept curvatures: one pass, over sparse rows or dense."""
        assert self.curvatures is not None
        term = LogisticHessianProduct(self.curvatures, self._uncentre(direction))
        total, mass = self.rows.sum(term, parallel_blas=True)
        total[:-1] += self.ridge * direction[:-1]
        if not self.sparse:
            total[:-1] -= self.centre * mass
        total[-1] = mass * self.constant
        return np.asarray(total)

    def compute_hessian_diagonal(self) -> np.ndarray:
        """The diagonal of the Hessian, with the kept curvatures; never 0."""
        assert self.curvatures is not None
        term = LogisticHessianDiagonal(self.curvatures, self.centre, self.constant)
        total = self.rows.sum(term, parallel_blas=True)[0]
        total[:-1] += self.ridge
        return np.where(total > 0, total, 1.0)

    def evaluate_along(
        self, score_changes: np.ndarray, direction: np.ndarray, step: float
    ) -> tuple[float, float, float]:
        """The objective and its first two derivatives at ``step`` along a line; no pass over the rows."""
        from separatrix.algorithms.logistic.objective_kernels import differentiate_losses

        objective = slope = curvature = 0.0
        signs = self.signs
        powers = np.empty(CHUNK_ROWS, np.int64)
        slopes, curvatures = np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS)
        for start in range(0, len(score_changes), CHUNK_ROWS):
            stop = min(start + CHUNK_ROWS, len(score_changes))
            m, changes = stop - start, score_changes[start:stop]
            trial_scores, outputs = self.scores[start:stop] + step * changes, (slopes[:m], curvatures[:m])
            costs = self.costs(start, stop)
            objective += differentiate_losses(trial_scores, signs[start:stop], costs, powers[:m], *outputs)
            slope += float(slopes[:m] @ changes)
            curvature += float(curvatures[:m] @ (changes * changes))
        w, v = self.weights[:-1], direction[:-1]
        ridge_w, ridge_v = self.ridge * w, self.ridge * v
        objective += 0.5 * float(ridge_w @ w + step * (2.0 * (ridge_w @ v) + step * (ridge_v @ v)))
        slope += float(ridge_w @ v + step * (ridge_v @ v))
        return objective, slope, curvature + float(ridge_v @ v)

    @cached_property
    def signs(self) -> np.ndarray:
        """The signs of all rows, one byte each."""
        return self.rows.signs(self.positive)

    def estimate_gap(self, current: Derivatives, decrement: float) -> float:
        """About what the certificate's gap will be."""
        return estimate_gap(current.gradient[:-1], self.ridge, decrement)

    def search_line(self, direction: np.ndarray, slope: float, objective: float) -> bool:
        """Move along a direction whose full step `differentiate` has just tried; False if it does not
        descend. The scores of the full step are still there, so that no row is read.
        """
        if -0.5 * slope <= EPSILON * objective:
            return False  # the direction is rounding: a line search would follow it far away
        assert self.trial_scores is not None
        score_changes = self.trial_scores - self.scores

        def slope_at(step: float) -> tuple[float, float]:
            value, slope_there, curvature = self.evaluate_along(score_changes, direction, step)
            return slope_there if isfinite(value) else inf, curvature

        step = search_line(slope_at, slope)
        if step > 0.0:
            self.move(score_changes, direction, step)
        return step > 0.0

    def accept(self, direction: np.ndarray) -> None:
        """Move to where `differentiate` has just been."""
        assert self.trial_scores is not None
        self.weights = self.weights + direction
        self.weights[-1] *= self.constant
        self.scores, self.trial_scores = self.trial_scores, None

    def move(self, score_changes: np.ndarray, direction: np.ndarray, step: float) -> None:
        self.weights = self.weights + step * direction
        self.weights[-1] *= self.constant
        for start in range(0, len(score_changes), CHUNK_ROWS):
            self.scores[start : start + CHUNK_ROWS] += step * score_changes[start : start + CHUNK_ROWS]

    def optimise_intercept(self) -> None:
        """The best intercept for these weights, to the last bit that counts: no pass over the rows.

        Then Σ s_i α_i = 0 up to rounding, which is what a free intercept asks of the dual variables.
        """
        if not self.intercept:
            return
        ones, unit = np.broadcast_to(1.0, len(self.scores)), np.zeros_like(self.weights)
        self.trial_scores = None
        unit[-1] = 1.0
        previous, tolerance = np.inf, MAX_INTERCEPT_SLOPE_SHARE * self.C * self.rows.mass
        for _ in range(12):
            _, slope, curvature = self.evaluate_along(ones, unit, 0.0)
            if not previous > abs(slope) > tolerance or not curvature > 0:
                return
            previous, step = abs(slope), float(np.clip(-slope / curvature, -1.0, 1.0))
            self.move(ones, unit, step)
            if step * step * curvature <= tolerance:  # the third derivative is at most the second
                return


def _cut_for_passes(rows: Rows) -> Rows:
    """The rows in blocks for many passes: large ones, where nothing is copied to make them."""
    if rows.is_contiguous:
        return rows.in_large_blocks()
    if rows.is_sparse and rows.in_memory:
        # One block, two, four or eight, each with several values for every column.
        n_blocks = min(8, max(1, rows.n_stored // (4 * rows.n_columns)))
        return rows.in_blocks_of(max(1, -(-rows.n_rows // (1 << (n_blocks.bit_length() - 1)))))
    return rows


def estimate_gap(gradient: np.ndarray, ridge: float, decrement: float) -> float:
    """About what a certificate's gap will be: ½ Σ g²/ρ for a penalty ρ that the rounding of the gradient does
    not hide, and what is left to gain; without a penalty the latter alone."""
    if not ridge > MIN_RIDGE_VALUE:
        return decrement
    return max(0.5 * float(np.sum(gradient**2 / ridge)), decrement)
