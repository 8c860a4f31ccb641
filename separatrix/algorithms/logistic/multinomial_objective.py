"""The multinomial objective, and Newton's steps towards its least value.

**Idea.** ½Σ‖w_k‖² + C Σ v (log Σ exp(t_k) − t_y) with scores t_k = w_k·(x − m) + c_k, m near the mean of
dense rows: columns far from 0 would tie weights and intercepts together, and rounding would keep both from
their best. A step solves the Newton equations by Cholesky's factorisation where these are small, else by
conjugate gradients.

**Cost.** A step by factorisation takes n·(K·d)²/2 products, one by conjugate gradients 4·n·K·d for each of
theirs.
"""

from __future__ import annotations

from operator import add

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.algorithms.logistic.multinomial_terms import (
    JointInputs,
    MultinomialDerivatives,
    MultinomialHessian,
    MultinomialHessianProduct,
)
from separatrix.algorithms.logistic.newton import Iterations, estimate_penalised_gap
from separatrix.algorithms.logistic.objective_terms import RowCosts
from separatrix.algorithms.logistic.overflow import refuse_overflow
from separatrix.algorithms.logistic.safe_units import choose_units
from separatrix.rows import Rows

MAX_PRODUCTS = 300
MAX_HESSIAN_COEFFICIENTS = 200  # of all classes, for which the whole Hessian is formed
MAX_HESSIAN_PRODUCTS = 5e7  # products for it
POLISHING_STEPS = 8  # steps at the end
CENTRING_FACTOR = 1.0  # of its spread, from 0: a mean that is taken off


class MultinomialObjective:
    """The objective at a moving point: one row per class, the intercept of the moved rows last."""

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
        self.centre = _choose_centre(rows) if intercept else np.zeros(rows.n_columns)
        self.inputs = JointInputs(RowCosts(self.C), self.centre if self.centre.any() else None)
        size = n_classes * (rows.n_columns + 1)
        self.has_small_hessian = (
            size <= MAX_HESSIAN_COEFFICIENTS and rows.n_rows * size**2 <= MAX_HESSIAN_PRODUCTS
        )

    def start_at(self, weights: np.ndarray) -> None:
        """Weights of the rows as given."""
        self.weights = np.array([self.units.to_internal(row) for row in weights])
        self.weights[:, -1] += self.weights[:, :-1] @ self.centre

    @property
    def user_weights(self) -> np.ndarray:
        """Weights of the rows as given, of all that have these probabilities those that add up to 0."""
        uncentred = self.weights - self.weights.mean(axis=0)
        uncentred[:, -1] -= uncentred[:, :-1] @ self.centre
        return np.array([self.units.to_user(row) for row in uncentred])

    def differentiate(self, weights: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The objective, its gradient and the Hessian's diagonal at W; probabilities are kept for
        products."""
        sums = None
        for part in self.rows.each(MultinomialDerivatives(self.inputs, weights)):
            sums = part.sums if sums is None else tuple(map(add, sums, part.sums))
            self.probabilities[part.span] = part.probabilities
        assert sums is not None
        loss, gradient, diagonal = sums
        gradient[:, -1] *= self.intercept
        w = weights[:, :-1]
        gradient[:, :-1] += self.ridge * w
        diagonal[:, :-1] += self.ridge
        return loss + 0.5 * float((self.ridge * w * w).sum()), gradient, diagonal

    def multiply_hessian(self, direction: np.ndarray) -> np.ndarray:
        """The product of the Hessian at the last point differentiated with a direction."""
        term = MultinomialHessianProduct(self.inputs, self.probabilities, direction)
        total = np.asarray(self.rows.sum(term)[0])
        total[:, -1] *= self.intercept
        total[:, :-1] += self.ridge * direction[:, :-1]
        return total

    def minimise(self, tol: float, iterations: Iterations) -> bool:
        """Newton's steps until ½‖∇_w‖² is at most ``tol`` times the objective, and the intercepts are as
        good."""
        objective, gradient, diagonal = self.differentiate(self.weights)
        if not np.isfinite(objective):
            refuse_overflow(self.rows)
        while True:
            iterations.record(objective)
            direction, is_solved = self._find_direction(gradient, diagonal)
            slope = float((gradient * direction).sum())
            gap = self._estimate_gap(gradient, -slope)
            # What the intercepts leave is taken from single rows in the end, so it has to be far smaller.
            intercept_gap = 1e6 * float((gradient[:, -1] ** 2 / np.maximum(diagonal[:, -1], 1e-300)).sum())
            iterations.report(max(gap, intercept_gap))
            if max(gap, intercept_gap) <= tol * objective:
                return True
            if not iterations.has_steps_left or not slope < 0:
                return False
            step = 1.0
            for _ in range(40):
                trial = self.differentiate(self.weights + step * direction)
                allowed = objective + 1e-4 * step * slope + 1e-15 * abs(objective)
                if np.isfinite(trial[0]) and trial[0] <= allowed:
                    break
                step *= 0.5
            else:
                return False
            self.weights = self.weights + step * direction
            iterations.n_steps += 1
            if trial[0] >= objective and is_solved:
                iterations.record(trial[0])
                return max(gap, intercept_gap) <= 10 * tol * objective
            objective, gradient, diagonal = trial

    def _estimate_gap(self, gradient: np.ndarray, decrement: float) -> float:
        """What the certificate's gap will be, about."""
        g = gradient[:, :-1]
        if self.units.column_exponents is not None:
            return max(estimate_penalised_gap(g, np.asarray(self.ridge)), decrement)
        return 0.5 * float((g**2).sum()) if self.penalised else decrement

    def polish(self, iterations: Iterations) -> None:
        """Whole Newton steps for as long as they make the gradient shorter, to the last digit."""
        objective, gradient, diagonal = self.differentiate(self.weights)
        gradient_size = _measure_gradient(gradient, diagonal)
        for _ in range(min(POLISHING_STEPS, iterations.max_iter - iterations.n_steps)):
            direction, _ = self._find_direction(gradient, diagonal)
            objective, gradient, diagonal = self.differentiate(self.weights + direction)
            previous_size, gradient_size = gradient_size, _measure_gradient(gradient, diagonal)
            if not gradient_size < previous_size:
                return
            self.weights = self.weights + direction
            iterations.n_steps += 1
            iterations.record(objective)

    def _find_direction(self, gradient: np.ndarray, diagonal: np.ndarray) -> tuple[np.ndarray, bool]:
        """Newton's step, and whether its equations were solved to a thousandth."""
        if self.has_small_hessian:
            try:
                return self._solve_by_cholesky(gradient), True
            except LinAlgError:
                pass
        return self._solve_by_conjugate_gradients(gradient, diagonal)

    def _solve_by_cholesky(self, gradient: np.ndarray) -> np.ndarray:
        n_classes, width = gradient.shape
        blocks = self.rows.sum(MultinomialHessian(self.inputs, self.probabilities, self.intercept))[0]
        if not np.isfinite(blocks).all():
            raise LinAlgError
        places, classes = np.arange(width - 1), np.arange(n_classes)
        for k in classes:
            blocks[k, places, k, places] += self.ridge
        # Nothing holds what is the same in all classes, nor do slopes have any of it: it is held at 0.
        for j in range(width):
            typical = float(blocks[classes, j, classes, j].sum())
            blocks[:, j, :, j] += (typical or 1.0) / n_classes**2
        hessian = blocks.reshape(n_classes * width, -1)
        scale = 1.0 / np.sqrt(np.maximum(np.diagonal(hessian), 1e-300))
        factor = cho_factor(hessian * scale * scale[:, None], lower=True, check_finite=False)
        solution = scale * cho_solve(factor, -scale * gradient.ravel(), check_finite=False)
        if not np.isfinite(solution).all():
            raise LinAlgError
        return solution.reshape(n_classes, width)

    def _solve_by_conjugate_gradients(
        self, gradient: np.ndarray, diagonal: np.ndarray
    ) -> tuple[np.ndarray, bool]:
        """Conjugate gradients to a thousandth of the gradient, scaled by the diagonal; whether it got
        there."""
        scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
        solution, residual = np.zeros_like(gradient), -gradient
        scaled = scale * residual
        direction, product = scaled.copy(), float((residual * scaled).sum())
        target = 1e-6 * product
        for _ in range(MAX_PRODUCTS):
            hessian_product = self.multiply_hessian(direction)
            curvature = float((direction * hessian_product).sum())
            if not curvature > 1e-300 or product <= 0:
                break
            solution += product / curvature * direction
            residual -= product / curvature * hessian_product
            scaled = scale * residual
            product, previous_product = float((residual * scaled).sum()), product
            if product <= target:
                return solution, True
            direction = scaled + (product / previous_product) * direction
        return solution, False


def _choose_centre(rows: Rows) -> np.ndarray:
    """The mean of dense rows, where it is far from 0: rows that are not moved are faster."""
    if rows.is_sparse:
        return np.zeros(rows.n_columns)
    sample = rows.preview(1000).whole().dense().astype(np.float64)
    centre = sample.mean(axis=0)
    is_far = (abs(centre) > CENTRING_FACTOR * sample.std(axis=0)).any()
    return centre if is_far and np.isfinite(centre).all() else np.zeros(rows.n_columns)


def _measure_gradient(gradient: np.ndarray, diagonal: np.ndarray) -> float:
    return float((gradient**2 / np.maximum(diagonal, 1e-300)).sum())
