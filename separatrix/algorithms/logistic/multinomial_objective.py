"""The multinomial objective, and Newton's steps towards its least value.

**Idea.** ½Σ‖w_k‖² + C Σ v (log Σ exp(t_k) − t_y) with scores t_k = w_k·(x − m) + c_k, m near the mean of
dense rows: columns far from 0 would tie weights and intercepts together, and rounding would keep both from
their best. A step solves the Newton equations by Cholesky's factorisation where these are small, else by
conjugate gradients.

**Cost.** A step by factorisation takes n·(K·d)²/2 products, one by conjugate gradients 4·n·K·d for each of
theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.algorithms.logistic.newton import Course, felt_gap
from separatrix.algorithms.logistic.overflow import refuse_overflow, silence_overflow
from separatrix.algorithms.logistic.safe_units import choose_units
from separatrix.fitting.exact_errors import matrix
from separatrix.rows import Block, Rows, SparseRows

MOST_PRODUCTS = 300
FEW_COEFFICIENTS = 200  # of all classes, for which the whole Hessian is formed
LITTLE_WORK = 5e7  # products for it
POLISHING = 8  # steps at the end
FAR = 1.0  # of its spread, from 0: a mean that is taken off


class Joint:
    """The objective at a moving point: a row a class, the intercept of the moved rows last."""

    def __init__(
        self, rows: Rows, n_classes: int, C: float, intercept: bool, *, exhaustive: bool = False
    ) -> None:
        self.units = choose_units(rows, C, exhaustive=exhaustive)
        self.rows = rows = self.units.rows
        self.n_classes, self.intercept = n_classes, intercept
        self.ridge, self.C = self.units.ridge, self.units.C
        self.penalised = bool(np.any(self.ridge))
        self.weights = np.zeros((n_classes, rows.n_columns + 1))
        self.probabilities = np.empty((rows.n_rows, n_classes))
        self.centre = _far_centre(rows) if intercept else np.zeros(rows.n_columns)
        self.moved = bool(self.centre.any())
        size = n_classes * (rows.n_columns + 1)
        self.small = size <= FEW_COEFFICIENTS and rows.n_rows * size**2 <= LITTLE_WORK

    def start_at(self, weights: np.ndarray) -> None:
        """Weights of the rows as given."""
        self.weights = np.array([self.units.to_internal(row) for row in weights])
        self.weights[:, -1] += self.weights[:, :-1] @ self.centre

    def outward(self) -> np.ndarray:
        """Weights of the rows as given, of all that have these probabilities those that add up to 0."""
        outward = self.weights - self.weights.mean(axis=0)
        outward[:, -1] -= outward[:, :-1] @ self.centre
        return np.array([self.units.to_user(row) for row in outward])

    def _moved(self, block: Block) -> Any:
        X = matrix(block, self.rows.n_columns)
        return X - self.centre if self.moved else X

    def _costs(self, block: Block) -> np.ndarray:
        v = self.rows.weights
        return np.full(len(block), self.C) if v is None else self.C * v[block.start : block.stop]

    def differentiate(self, weights: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The objective, its gradient and the Hessian's diagonal at W; probabilities are kept for
        products."""

        def term(block: Block) -> tuple[float, np.ndarray, np.ndarray]:
            X, c, places = self._moved(block), self._costs(block), np.arange(len(block))
            scores = np.asarray(X @ weights[:, :-1].T) + weights[:, -1]
            best = scores.argmax(axis=1)
            top = scores[places, best]
            p = np.exp(scores - top[:, None])
            p[places, best] = 0.0
            rest = p.sum(axis=1)  # beside 1, of which rows far on their side leave nothing
            loss = float(c @ (np.log1p(rest) + top - scores[places, block.codes]))
            p[places, best] = 1.0
            p /= (1.0 + rest)[:, None]
            self.probabilities[block.start : block.stop] = p
            curved = (p * _others(p) * c[:, None]).T
            squares = X.multiply(X) if hasattr(X, "multiply") else X.astype(np.float64) ** 2
            diagonal = np.column_stack([np.asarray(curved @ squares), curved.sum(axis=1)])
            # What is left for a row's own class, without the cancellation of 1 − p.
            p[places, block.codes] = 0.0
            p[places, block.codes] = -p.sum(axis=1)
            p *= c[:, None]
            return loss, np.column_stack([np.asarray((X.T @ p).T), p.sum(axis=0)]), diagonal

        loss, gradient, diagonal = self.rows.sum(silence_overflow(term))
        gradient[:, -1] *= self.intercept
        w = weights[:, :-1]
        gradient[:, :-1] += self.ridge * w
        diagonal[:, :-1] += self.ridge
        return loss + 0.5 * float((self.ridge * w * w).sum()), gradient, diagonal

    def curved(self, direction: np.ndarray) -> np.ndarray:
        """The product of the Hessian at the last point differentiated with a direction."""

        def term(block: Block) -> tuple[np.ndarray]:
            X, c = self._moved(block), self._costs(block)
            p = self.probabilities[block.start : block.stop]
            moves = np.asarray(X @ direction[:, :-1].T) + direction[:, -1]
            moves = c[:, None] * p * (moves - (p * moves).sum(axis=1, keepdims=True))
            return (np.column_stack([np.asarray((X.T @ moves).T), moves.sum(axis=0)]),)

        total = np.asarray(self.rows.sum(silence_overflow(term))[0])
        total[:, -1] *= self.intercept
        total[:, :-1] += self.ridge * direction[:, :-1]
        return total

    def run(self, tol: float, course: Course) -> bool:
        """Newton's steps until ½‖∇_w‖² is at most ``tol`` times the objective, and the intercepts are as
        good."""
        value, gradient, diagonal = self.differentiate(self.weights)
        if not np.isfinite(value):
            refuse_overflow(self.rows)
        while True:
            course.reached(value)
            direction, solved = self._direction(gradient, diagonal)
            slope = float((gradient * direction).sum())
            gap = self._open_gap(gradient, -slope)
            # What the intercepts leave is taken from single rows in the end, so it has to be far smaller.
            ends = 1e6 * float((gradient[:, -1] ** 2 / np.maximum(diagonal[:, -1], 1e-300)).sum())
            course.tell(max(gap, ends))
            if max(gap, ends) <= tol * value:
                return True
            if not course.left or not slope < 0:
                return False
            step = 1.0
            for _ in range(40):
                ahead = self.differentiate(self.weights + step * direction)
                if np.isfinite(ahead[0]) and ahead[0] <= value + 1e-4 * step * slope + 1e-15 * abs(value):
                    break
                step *= 0.5
            else:
                return False
            self.weights = self.weights + step * direction
            course.steps += 1
            if ahead[0] >= value and solved:
                course.reached(ahead[0])
                return max(gap, ends) <= 10 * tol * value
            value, gradient, diagonal = ahead

    def _open_gap(self, gradient: np.ndarray, decrement: float) -> float:
        """What the certificate's gap will be, about."""
        g = gradient[:, :-1]
        if self.units.column_exponents is not None:
            return max(felt_gap(g, np.asarray(self.ridge)), decrement)
        return 0.5 * float((g**2).sum()) if self.penalised else decrement

    def polish(self, course: Course) -> None:
        """Whole Newton steps for as long as they make the gradient shorter, to the last digit."""
        value, gradient, diagonal = self.differentiate(self.weights)
        length = _length(gradient, diagonal)
        for _ in range(min(POLISHING, course.max_iter - course.steps)):
            direction, _ = self._direction(gradient, diagonal)
            value, gradient, diagonal = self.differentiate(self.weights + direction)
            before, length = length, _length(gradient, diagonal)
            if not length < before:
                return
            self.weights = self.weights + direction
            course.steps += 1
            course.reached(value)

    def _direction(self, gradient: np.ndarray, diagonal: np.ndarray) -> tuple[np.ndarray, bool]:
        """Newton's step, and whether its equations were solved to a thousandth."""
        if self.small:
            try:
                return self._factorised(gradient), True
            except LinAlgError:
                pass
        return self._iterated(gradient, diagonal)

    def _factorised(self, gradient: np.ndarray) -> np.ndarray:
        count, width = gradient.shape

        def term(block: Block) -> tuple[np.ndarray]:
            X = self._moved(block)
            dense = X if isinstance(X, np.ndarray) else X.toarray()
            Z = np.column_stack([dense, np.full(len(block), float(self.intercept))])
            return (joint_curvature(Z, self.probabilities[block.start : block.stop], self._costs(block)),)

        blocks = self.rows.sum(silence_overflow(term))[0]
        if not np.isfinite(blocks).all():
            raise LinAlgError
        places, own = np.arange(width - 1), np.arange(count)
        for k in own:
            blocks[k, places, k, places] += self.ridge
        # Nothing holds what is the same in all classes, nor do slopes have any of it: it is held at 0.
        for j in range(width):
            typical = float(blocks[own, j, own, j].sum())
            blocks[:, j, :, j] += (typical or 1.0) / count**2
        hessian = blocks.reshape(count * width, -1)
        scale = 1.0 / np.sqrt(np.maximum(np.diagonal(hessian), 1e-300))
        factor = cho_factor(hessian * scale * scale[:, None], lower=True, check_finite=False)
        found = scale * cho_solve(factor, -scale * gradient.ravel(), check_finite=False)
        if not np.isfinite(found).all():
            raise LinAlgError
        return found.reshape(count, width)

    def _iterated(self, gradient: np.ndarray, diagonal: np.ndarray) -> tuple[np.ndarray, bool]:
        """Conjugate gradients to a thousandth of the gradient, scaled by the diagonal; whether it got
        there."""
        scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
        found, rest = np.zeros_like(gradient), -gradient
        scaled = scale * rest
        direction, product = scaled.copy(), float((rest * scaled).sum())
        goal = 1e-6 * product
        for _ in range(MOST_PRODUCTS):
            curved = self.curved(direction)
            curvature = float((direction * curved).sum())
            if not curvature > 1e-300 or product <= 0:
                break
            found += product / curvature * direction
            rest -= product / curvature * curved
            scaled = scale * rest
            product, last = float((rest * scaled).sum()), product
            if product <= goal:
                return found, True
            direction = scaled + (product / last) * direction
        return found, False


def joint_curvature(Z: np.ndarray, p: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Σ cost p_k(δ_kl − p_l) z zᵀ, one block for every two classes k and l."""
    count, width, others = p.shape[1], Z.shape[1], _others(p)
    blocks = np.empty((count, width, count, width))
    for k in range(count):
        for other in range(k + 1):
            curved = costs * p[:, k] * (others[:, k] if k == other else -p[:, other])
            blocks[k, :, other] = (Z * curved[:, None]).T @ Z
            blocks[other, :, k] = blocks[k, :, other]
    return blocks


def _far_centre(rows: Rows) -> np.ndarray:
    """The mean of dense rows, where it is far from 0: rows that are not moved are faster."""
    if isinstance(rows, SparseRows):
        return np.zeros(rows.n_columns)
    sample = rows.sample(1000).astype(np.float64)
    centre = sample.mean(axis=0)
    far = (abs(centre) > FAR * sample.std(axis=0)).any()
    return centre if far and np.isfinite(centre).all() else np.zeros(rows.n_columns)


def _others(p: np.ndarray) -> np.ndarray:
    """1 − p, without its cancellation."""
    return np.asarray(p @ (1.0 - np.eye(p.shape[1])))


def _length(gradient: np.ndarray, diagonal: np.ndarray) -> float:
    return float((gradient**2 / np.maximum(diagonal, 1e-300)).sum())
