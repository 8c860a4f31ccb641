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
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.logistic.overflow import quiet, refuse_overflow
from separatrix.algorithms.logistic.safe_units import units_of
from separatrix.rows import Block, Csr, DenseRows, Rows, SparseRows
from separatrix.rows.block import rows_per_block
from separatrix.rows.memory import MemoryRows
from separatrix.rows.threads import MIN_THREADED_BYTES

SAMPLE = 1000  # rows whose mean is the origin
SETTLED = 1e-14  # the slope along the intercept, as a share of all costs, that is as good as none
CHUNK = 8192  # scores that stay in a core's cache


class Derivatives(NamedTuple):
    """The objective, its gradient, and its Hessian where that was asked for."""

    objective: float
    gradient: np.ndarray
    hessian: np.ndarray | None


class Likelihood:
    """The objective of one task on some rows.

    ``centred`` is whether rows are seen from near their mean, or the point from which they are.

    Attributes
    ----------
    weights : ndarray
        Where we are: one entry a column and the intercept last, for rows seen from ``centre``.
    scores : ndarray
        w·(x − centre) + b of every row there.
    curvatures : ndarray or None
        c·p(1 − p) of every row, kept by ``differentiate(keep=True)``.
    """

    def __init__(
        self,
        rows: Rows,
        positive: int,
        C: float,
        *,
        intercept: bool,
        centred: bool | np.ndarray = True,
        careful: bool = False,
    ) -> None:
        self.units = units_of(rows, C, careful=careful)
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
            centre = rows.preview_mean(SAMPLE)
            self.centre = np.where(np.isfinite(centre), centre, 0.0)
        self.weights = np.zeros(rows.n_columns + 1)
        self.scores = np.zeros(rows.n_rows)
        self.tried: np.ndarray | None = None
        self.curvatures: np.ndarray | None = None
        self._same = np.full(1, self.C)
        # Cutting sparse rows anew in every product would cost as much as a third of it.
        self._cut = (
            list(rows.in_blocks_of(self._long(rows)).blocks()) if isinstance(rows, SparseRows) else None
        )
        threads = isinstance(rows, MemoryRows) and rows.n_jobs > 1 and rows.n_bytes >= MIN_THREADED_BYTES
        self._pool = ThreadPoolExecutor(rows.n_jobs) if threads else None

    @staticmethod
    def _long(rows: SparseRows) -> int:
        """Rows of a block: one block, two, four or eight, each with several values for every column."""
        blocks = min(8, max(1, len(rows.data) // (4 * rows.n_columns)))
        return max(1, -(-rows.n_rows // (1 << (blocks.bit_length() - 1))))

    def outward(self) -> np.ndarray:
        """The weights for the rows as given."""
        out = self.weights.copy()
        with np.errstate(all="ignore"):
            out[-1] -= float(self.centre @ self.weights[:-1])
        return self.units.outward(out)

    def start_at(self, weights: np.ndarray) -> None:
        """Move to weights that are for the rows as given: one pass."""
        self.weights = self.units.inward(np.array(weights, dtype=np.float64))
        self.weights[-1] += float(self.centre @ self.weights[:-1])
        self.weights[-1] *= self.constant
        self.scores = self.scores_of(self.weights)

    def blocks(self) -> Iterator[Block]:
        if self._cut is not None:
            return iter(self._cut)
        in_place = isinstance(self.rows, DenseRows) and self.rows.X.flags.c_contiguous
        return self.rows.in_large_blocks().blocks() if in_place else self.rows.blocks()

    def each(self, work: Callable[[Block], Any]) -> Iterator[Any]:
        """``work`` of every block, in order; one pool of threads serves all passes over rows in memory."""
        work = quiet(work)
        if self._pool is not None:
            return self._pool.map(work, list(self.blocks()))
        if isinstance(self.rows, MemoryRows):
            return map(work, self.blocks())
        return self.rows.each(work)

    def sum(self, term: Callable[[Block], tuple[Any, ...]]) -> tuple[Any, ...]:
        """Added in block order, whoever finishes first."""
        return reduce(lambda total, part: tuple(map(add, total, part)), self.each(term))

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def costs(self, start: int, stop: int) -> np.ndarray:
        """c_i of a run of rows."""
        weights = self.rows.weights
        if weights is not None:
            return np.asarray(self.C * weights[start:stop])
        if len(self._same) < stop - start:
            self._same = np.full(stop - start, self.C)
        return self._same[: stop - start]

    def scores_of(self, direction: np.ndarray) -> np.ndarray:
        """v·(x − centre, constant) of every row: one pass."""
        from separatrix.kernels.scores import scores

        moved = self._uncentred(direction)
        out = np.empty(self.rows.n_rows)
        for _ in self.each(lambda block: scores(block.X, 1.0, moved, out[block.start : block.stop])):
            pass
        return out

    def differentiate(
        self,
        *,
        hessian: bool = False,
        keep: bool = False,
        precise: bool = True,
        direction: np.ndarray | None = None,
    ) -> Derivatives:
        """The objective and its derivatives here, or one full step along ``direction``: one pass.

        With a direction the scores there are left in ``tried``, and nothing moves.
        """
        keep = keep and not hessian
        if keep and self.curvatures is None:
            self.curvatures = np.empty(self.rows.n_rows)
        weights = self.weights if direction is None else self.weights + direction
        if direction is not None and self.tried is None:
            self.tried = np.empty(self.rows.n_rows)
        moved = None if direction is None else self._uncentred(weights)
        parts = self.sum(lambda block: self._terms(block, hessian, keep, precise, moved))
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

    def _uncentred(self, direction: np.ndarray) -> np.ndarray:
        """The same direction for the rows as given, with the constant 1."""
        moved = direction.copy()
        moved[-1] = direction[-1] * self.constant
        if not self.sparse:
            moved[-1] -= float(self.centre @ direction[:-1])
        return moved

    def _terms(
        self, block: Block, hessian: bool, keep: bool, precise: bool, moved: np.ndarray | None
    ) -> tuple[Any, ...]:
        from separatrix.algorithms.logistic.objective_kernels import add_rows, logistic_sums, logistic_terms
        from separatrix.kernels.scores import scores

        m, here = len(block), slice(block.start, block.stop)
        curvatures = self.curvatures[here] if keep and self.curvatures is not None else np.empty(m)
        found = self.scores[here] if moved is None or self.tried is None else self.tried[here]
        X, signs, costs = block.X, block.signs(self.positive), self.costs(block.start, block.stop)
        gradient = np.zeros(self.n_columns + 1)
        if not isinstance(X, Csr):
            known, weights = moved is None, self.weights if moved is None else moved
            loss, mass = logistic_sums(X, signs, costs, weights, known, found, curvatures, gradient)
        else:
            slopes = np.empty(m)
            if moved is not None:
                scores(X, 1.0, moved, found)
            loss = logistic_terms(found, signs, costs, np.empty(m, np.int64), slopes, curvatures)
            mass = add_rows(X, slopes, 1.0, gradient)
        if not hessian:
            return loss, gradient, mass
        return loss, gradient, mass, self._gram(X, curvatures, precise)

    def _gram(self, X: Any, curvatures: np.ndarray, precise: bool) -> np.ndarray:
        """Σ h·(x − centre, constant)(x − centre, constant)ᵀ; of sparse rows the upper part."""
        from separatrix.algorithms.logistic.objective_kernels import add_gram, scale_rows

        width, dtype = self.n_columns + 1, np.float64 if precise else np.float32
        total = np.zeros((width, width))
        if isinstance(X, Csr):
            add_gram(X, curvatures, self.constant, total)
            return total
        step = rows_per_block(np.dtype(dtype).itemsize * width)
        room = np.empty((min(step, len(X)), width), dtype)
        for start in range(0, len(X), step):
            rows, h = X[start : start + step], curvatures[start : start + step]
            scaled = room[: len(rows)]
            scale_rows(rows, self.centre, h, self.constant, scaled)
            total += np.dot(scaled.T, scaled)
        return total

    def curved(self, direction: np.ndarray) -> np.ndarray:
        """The Hessian times a direction, with the kept curvatures: one pass, over sparse rows or dense."""
        from separatrix.algorithms.logistic.objective_kernels import add_curved

        assert self.curvatures is not None
        kept = self.curvatures
        inner = self._uncentred(direction)

        def term(block: Block) -> tuple[np.ndarray, float]:
            total = np.zeros(self.n_columns + 1)
            mass = add_curved(block.X, kept[block.start : block.stop], 1.0, inner, total)
            return total, mass

        total, mass = self.sum(term)
        total[:-1] += self.ridge * direction[:-1]
        if not self.sparse:
            total[:-1] -= self.centre * mass
        total[-1] = mass * self.constant
        return np.asarray(total)

    def diagonal(self) -> np.ndarray:
        """The diagonal of the Hessian, with the kept curvatures; never 0."""
        from separatrix.algorithms.logistic.objective_kernels import add_squares

        assert self.curvatures is not None
        kept = self.curvatures

        def term(block: Block) -> tuple[np.ndarray]:
            total = np.zeros(self.n_columns + 1)
            h = kept[block.start : block.stop]
            if isinstance(block.X, Csr):
                add_squares(block.X, h, self.constant, total)
            else:
                total[:-1] = h @ (block.X - self.centre) ** 2
                total[-1] = self.constant * h.sum()
            return (total,)

        total = self.sum(term)[0]
        total[:-1] += self.ridge
        return np.where(total > 0, total, 1.0)

    def along(self, moves: np.ndarray, direction: np.ndarray, step: float) -> tuple[float, float, float]:
        """The objective and its first two derivatives at ``step`` along a line; no pass over the rows."""
        from separatrix.algorithms.logistic.objective_kernels import logistic_terms

        objective = slope = curvature = 0.0
        signs = self.signs
        room = np.empty(CHUNK, np.int64)
        slopes, curvatures = np.empty(CHUNK), np.empty(CHUNK)
        for start in range(0, len(moves), CHUNK):
            stop = min(start + CHUNK, len(moves))
            m, t = stop - start, moves[start:stop]
            objective += logistic_terms(
                self.scores[start:stop] + step * t,
                signs[start:stop],
                self.costs(start, stop),
                room[:m],
                slopes[:m],
                curvatures[:m],
            )
            slope += float(slopes[:m] @ t)
            curvature += float(curvatures[:m] @ (t * t))
        w, v = self.weights[:-1], direction[:-1]
        heavy, moved = self.ridge * w, self.ridge * v
        objective += 0.5 * float(heavy @ w + step * (2.0 * (heavy @ v) + step * (moved @ v)))
        slope += float(heavy @ v + step * (moved @ v))
        return objective, slope, curvature + float(moved @ v)

    @property
    def signs(self) -> np.ndarray:
        """The signs of all rows, one byte each."""
        if not hasattr(self, "_signs"):
            self._signs = np.concatenate([block.signs(self.positive) for block in self.rows.blocks()])
        return self._signs

    def accept(self, direction: np.ndarray) -> None:
        """Move to where `differentiate` has just been."""
        assert self.tried is not None
        self.weights = self.weights + direction
        self.weights[-1] *= self.constant
        self.scores, self.tried = self.tried, self.scores

    def move(self, moves: np.ndarray, direction: np.ndarray, step: float) -> None:
        self.weights = self.weights + step * direction
        self.weights[-1] *= self.constant
        for start in range(0, len(moves), CHUNK):
            self.scores[start : start + CHUNK] += step * moves[start : start + CHUNK]

    def settle_intercept(self) -> None:
        """The best intercept for these weights, to the last bit that counts: no pass over the rows.

        Then Σ s_i α_i = 0 up to rounding, which is what a free intercept asks of the dual variables.
        """
        if not self.intercept:
            return
        ones, unit = np.broadcast_to(1.0, len(self.scores)), np.zeros_like(self.weights)
        self.tried = None
        unit[-1] = 1.0
        last, none = np.inf, SETTLED * self.C * self.mass
        for _ in range(12):
            _, slope, curvature = self.along(ones, unit, 0.0)
            if not last > abs(slope) > none or not curvature > 0:
                return
            last, step = abs(slope), float(np.clip(-slope / curvature, -1.0, 1.0))
            self.move(ones, unit, step)
            if step * step * curvature <= none:  # the third derivative is at most the second
                return

    @property
    def mass(self) -> float:
        """The weight of all rows."""
        return float(self.rows.n_rows if self.rows.weights is None else self.rows.weights.sum())
