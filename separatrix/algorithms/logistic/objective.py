"""The objective of logistic regression at a moving point: loss, gradient and Hessian, in passes over rows.

½r‖w‖² + Σ c_i log(1 + exp(−s_i(w·x_i + b))) with r = 1 and c_i = C·v_i, or r = 0 and c_i = v_i where nothing
is penalised; in other units where C, weights or values are of an unusual size (`safe_units`). Scores are
kept, one number a row, so that moving along a line costs no pass over the rows: scores move along a line too.

Dense rows with an intercept are seen from a point near their mean. That changes the intercept alone, and
keeps columns far from zero from spoiling the Hessian.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.logistic.overflow import refuse_overflow, silence_overflow
from separatrix.algorithms.logistic.safe_units import choose_units
from separatrix.rows import Block, Csr, DenseRows, Rows, SparseRows
from separatrix.rows.block import rows_per_block
from separatrix.rows.memory import MemoryRows
from separatrix.rows.threads import MIN_THREADED_BYTES

SAMPLE_ROWS = 1000  # rows whose mean is the origin
MAX_INTERCEPT_SLOPE_SHARE = 1e-14  # of all costs: a slope along the intercept that is as good as none
CHUNK_ROWS = 8192  # scores that stay in a core's cache


class Derivatives(NamedTuple):
    """The objective, its gradient, and its Hessian where that was asked for."""

    objective: float
    gradient: np.ndarray
    hessian: np.ndarray | None


class LogisticObjective:
    """The objective of one task on some rows.

    ``centred`` is whether rows are seen from near their mean, or the point from which they are.

    Attributes
    ----------
    weights : ndarray
        Where we are: one entry a column and the intercept last, for rows seen from ``centre``.
    scores : ndarray
        w·(x − centre) + b of every row there.
    curvatures : ndarray or None
        c·p(1 − p) of every row, kept by ``differentiate(keep_curvatures=True)``.
    """

    def __init__(
        self,
        rows: Rows,
        positive: int,
        C: float,
        *,
        intercept: bool,
        centred: bool | np.ndarray = True,
        exhaustive: bool = False,
    ) -> None:
        self.units = choose_units(rows, C, exhaustive=exhaustive)
        self.rows = rows = self.units.rows
        self.positive = positive
        self.ridge, self.C = self.units.ridge, self.units.C
        self.penalised = bool(np.any(self.ridge))
        self.intercept = intercept
        self.constant = 1.0 if intercept else 0.0
        self.n_columns = rows.n_columns
        self.sparse = isinstance(next(rows.blocks()).X, Csr)
        self.centre = np.zeros(rows.n_columns)
        if isinstance(centred, np.ndarray):
            self.centre = centred
        elif centred and intercept and not self.sparse:
            centre = rows.preview_mean(SAMPLE_ROWS)
            self.centre = np.where(np.isfinite(centre), centre, 0.0)
        self.weights = np.zeros(rows.n_columns + 1)
        self.scores = np.zeros(rows.n_rows)
        self.trial_scores: np.ndarray | None = None
        self.curvatures: np.ndarray | None = None
        self._equal_costs = np.full(1, self.C)
        # Cutting sparse rows anew in every product would cost as much as a third of it.
        self._sparse_blocks = (
            list(rows.in_blocks_of(_block_rows(rows)).blocks()) if isinstance(rows, SparseRows) else None
        )
        threads = isinstance(rows, MemoryRows) and rows.n_jobs > 1 and rows.n_bytes >= MIN_THREADED_BYTES
        self._pool = ThreadPoolExecutor(rows.n_jobs) if threads else None

    @property
    def user_weights(self) -> np.ndarray:
        """The weights for the rows as given."""
        weights = self.weights.copy()
        with np.errstate(all="ignore"):
            weights[-1] -= float(self.centre @ self.weights[:-1])
        return self.units.to_user(weights)

    def start_at(self, weights: np.ndarray) -> None:
        """Move to weights that are for the rows as given: one pass."""
        self.weights = self.units.to_internal(np.array(weights, dtype=np.float64))
        self.weights[-1] += float(self.centre @ self.weights[:-1])
        self.weights[-1] *= self.constant
        self.scores = self.compute_scores(self.weights)

    def blocks(self) -> Iterator[Block]:
        if self._sparse_blocks is not None:
            return iter(self._sparse_blocks)
        in_place = isinstance(self.rows, DenseRows) and self.rows.X.flags.c_contiguous
        return self.rows.in_large_blocks().blocks() if in_place else self.rows.blocks()

    def map_blocks(self, work: Callable[[Block], Any]) -> Iterator[Any]:
        """``work`` of every block, in order; one pool of threads serves all passes over rows in memory."""
        work = silence_overflow(work)
        if self._pool is not None:
            return self._pool.map(work, list(self.blocks()))
        if isinstance(self.rows, MemoryRows):
            return map(work, self.blocks())
        return self.rows.each(work)

    def sum(self, term: Callable[[Block], tuple[Any, ...]]) -> tuple[Any, ...]:
        """Added in block order, whoever finishes first."""
        return reduce(lambda total, part: tuple(map(add, total, part)), self.map_blocks(term))

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def costs(self, start: int, stop: int) -> np.ndarray:
        """c_i of a run of rows."""
        weights = self.rows.weights
        if weights is not None:
            return np.asarray(self.C * weights[start:stop])
        if len(self._equal_costs) < stop - start:
            self._equal_costs = np.full(stop - start, self.C)
        return self._equal_costs[: stop - start]

    def compute_scores(self, direction: np.ndarray) -> np.ndarray:
        """v·(x − centre, constant) of every row: one pass."""
        from separatrix.kernels.scores import scores

        uncentred = self._uncentre(direction)
        found = np.empty(self.rows.n_rows)
        for _ in self.map_blocks(lambda b: scores(b.X, 1.0, uncentred, found[b.start : b.stop])):
            pass
        return found

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
        if direction is not None and self.trial_scores is None:
            self.trial_scores = np.empty(self.rows.n_rows)
        uncentred = None if direction is None else self._uncentre(weights)
        parts = self.sum(lambda block: self._sum_block(block, hessian, keep_curvatures, precise, uncentred))
        w = weights[:-1]
        objective = float(parts[0]) + 0.5 * float((self.ridge * w) @ w)
        gradient = parts[1]
        gradient[:-1] -= self.centre * parts[2]
        gradient[-1] *= self.constant
        gradient[:-1] += self.ridge * w
        if direction is None and not (np.isfinite(objective) and np.isfinite(gradient).all()):
            refuse_overflow(self.rows)
        if not hessian:
            return Derivatives(objective, gradient, None)
        H = np.asarray(parts[3], np.float64)
        if self.sparse:
            H = np.triu(H) + np.triu(H, 1).T
        H[np.arange(self.n_columns), np.arange(self.n_columns)] += self.ridge
        return Derivatives(objective, gradient, H)

    def _uncentre(self, direction: np.ndarray) -> np.ndarray:
        """The same direction for the rows as given, with the constant 1."""
        uncentred = direction.copy()
        uncentred[-1] = direction[-1] * self.constant
        if not self.sparse:
            uncentred[-1] -= float(self.centre @ direction[:-1])
        return uncentred

    def _sum_block(
        self, block: Block, hessian: bool, keep_curvatures: bool, precise: bool, uncentred: np.ndarray | None
    ) -> tuple[Any, ...]:
        from separatrix.algorithms.logistic import objective_kernels as kernels
        from separatrix.kernels.scores import scores

        m, part = len(block), slice(block.start, block.stop)
        curvatures = self.curvatures[part] if keep_curvatures and self.curvatures is not None else np.empty(m)
        all_scores = self.scores if uncentred is None or self.trial_scores is None else self.trial_scores
        block_scores = all_scores[part]
        X, signs, costs = block.X, block.signs(self.positive), self.costs(block.start, block.stop)
        gradient = np.zeros(self.n_columns + 1)
        if not isinstance(X, Csr):
            has_scores, weights = uncentred is None, self.weights if uncentred is None else uncentred
            loss, mass = kernels.differentiate_dense_rows(
                X, signs, costs, weights, has_scores, block_scores, curvatures, gradient
            )
        else:
            slopes = np.empty(m)
            if uncentred is not None:
                scores(X, 1.0, uncentred, block_scores)
            powers = np.empty(m, np.int64)
            loss = kernels.differentiate_losses(block_scores, signs, costs, powers, slopes, curvatures)
            mass = kernels.add_rows(X, slopes, 1.0, gradient)
        if not hessian:
            return loss, gradient, mass
        return loss, gradient, mass, self._sum_gram(X, curvatures, precise)

    def _sum_gram(self, X: Any, curvatures: np.ndarray, precise: bool) -> np.ndarray:
        """Σ h·(x − centre, constant)(x − centre, constant)ᵀ; of sparse rows the upper part."""
        from separatrix.algorithms.logistic.objective_kernels import add_gram, scale_rows

        width, dtype = self.n_columns + 1, np.float64 if precise else np.float32
        total = np.zeros((width, width))
        if isinstance(X, Csr):
            add_gram(X, curvatures, self.constant, total)
            return total
        step = rows_per_block(np.dtype(dtype).itemsize * width)
        buffer = np.empty((min(step, len(X)), width), dtype)
        for start in range(0, len(X), step):
            rows, h = X[start : start + step], curvatures[start : start + step]
            scaled = buffer[: len(rows)]
            scale_rows(rows, self.centre, h, self.constant, scaled)
            total += np.dot(scaled.T, scaled)
        return total

    def multiply_hessian(self, direction: np.ndarray) -> np.ndarray:
        """The Hessian times a direction, with the kept curvatures: one pass, over sparse rows or dense."""
        from separatrix.algorithms.logistic.objective_kernels import add_hessian_product

        assert self.curvatures is not None
        curvatures = self.curvatures
        uncentred = self._uncentre(direction)

        def term(block: Block) -> tuple[np.ndarray, float]:
            total = np.zeros(self.n_columns + 1)
            mass = add_hessian_product(block.X, curvatures[block.start : block.stop], 1.0, uncentred, total)
            return total, mass

        total, mass = self.sum(term)
        total[:-1] += self.ridge * direction[:-1]
        if not self.sparse:
            total[:-1] -= self.centre * mass
        total[-1] = mass * self.constant
        return np.asarray(total)

    def compute_hessian_diagonal(self) -> np.ndarray:
        """The diagonal of the Hessian, with the kept curvatures; never 0."""
        from separatrix.algorithms.logistic.objective_kernels import add_squares

        assert self.curvatures is not None
        curvatures = self.curvatures

        def term(block: Block) -> tuple[np.ndarray]:
            total = np.zeros(self.n_columns + 1)
            h = curvatures[block.start : block.stop]
            if isinstance(block.X, Csr):
                add_squares(block.X, h, self.constant, total)
            else:
                total[:-1] = h @ (block.X - self.centre) ** 2
                total[-1] = self.constant * h.sum()
            return (total,)

        total = self.sum(term)[0]
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
        return np.concatenate([block.signs(self.positive) for block in self.rows.blocks()])

    def accept(self, direction: np.ndarray) -> None:
        """Move to where `differentiate` has just been."""
        assert self.trial_scores is not None
        self.weights = self.weights + direction
        self.weights[-1] *= self.constant
        self.scores, self.trial_scores = self.trial_scores, self.scores

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
        previous, tolerance = np.inf, MAX_INTERCEPT_SLOPE_SHARE * self.C * self.mass
        for _ in range(12):
            _, slope, curvature = self.evaluate_along(ones, unit, 0.0)
            if not previous > abs(slope) > tolerance or not curvature > 0:
                return
            previous, step = abs(slope), float(np.clip(-slope / curvature, -1.0, 1.0))
            self.move(ones, unit, step)
            if step * step * curvature <= tolerance:  # the third derivative is at most the second
                return

    @property
    def mass(self) -> float:
        """The weight of all rows."""
        return float(self.rows.n_rows if self.rows.weights is None else self.rows.weights.sum())


def _block_rows(rows: SparseRows) -> int:
    """Rows of a block: one block, two, four or eight, each with several values for every column."""
    n_blocks = min(8, max(1, len(rows.data) // (4 * rows.n_columns)))
    return max(1, -(-rows.n_rows // (1 << (n_blocks.bit_length() - 1))))
