"""More columns than rows, in floats: the weights are a combination of rows, found from their products.

With X the rows less their mean, D the row weights and K = D^½ X Xᵀ D^½ = U Λ Uᵀ, the ridge weights are
w = Xᵀt, t = D^½ U (Λ + α)⁻¹ Uᵀ D^½ y; for α = 0 the inverse of Λ is taken where Λ is not 0, which gives the
shortest solution.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from separatrix.algorithms.convex.centring import Centring
from separatrix.algorithms.least_squares.gram import InsufficientPrecision, limit_threads
from separatrix.rows import Rows

CHUNK_VALUES = 4_000_000  # values of moved rows that exist at a time
REFINEMENT_STEPS = 3


class RowGram:
    """Rows in memory as one matrix, moved to their mean without a copy of it."""

    def __init__(self, rows: Rows, *, intercept: bool) -> None:
        rows.require_finite()
        self.is_sparse = rows.is_sparse
        self.X: Any = rows.whole().matrix() if rows.array is None else rows.array
        self.y = rows.all_targets()
        self.weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        self.intercept = intercept
        self.n_rows, self.n_columns = self.X.shape
        total_weight = self.weights.sum()
        self.mean = (
            np.asarray(self.X.T @ self.weights) / total_weight if intercept else np.zeros(self.n_columns)
        )
        self.target_mean = float(self.weights @ self.y) / total_weight if intercept else 0.0
        self.weight_roots = np.sqrt(self.weights)

    @cached_property
    def products(self) -> np.ndarray:
        """X Xᵀ of the moved rows."""
        if self.is_sparse:
            exact = self.X.astype(np.float64, copy=False)  # SciPy would multiply float32 in float32
            raw = (exact @ exact.T).toarray()
            mean_products = np.asarray(self.X @ self.mean)
            return np.asarray(raw - mean_products[:, np.newaxis] - mean_products + self.mean @ self.mean)
        K = np.zeros((self.n_rows, self.n_rows))
        step = max(1, CHUNK_VALUES // self.n_rows)
        for start in range(0, self.n_columns, step):
            part = self.X[:, start : start + step] - self.mean[start : start + step]
            K += np.dot(part, part.T)
        return K

    @cached_property
    def spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """Λ and U, the eigenvalues ascending; those that rounding alone explains are 0."""
        weighted = self.products * np.outer(self.weight_roots, self.weight_roots)
        if not np.isfinite(weighted).all():
            raise InsufficientPrecision("products of rows overflow")
        with limit_threads(self.n_rows):
            eigenvalues, eigenvectors = np.linalg.eigh(weighted)
        eigenvalues[eigenvalues < eigenvalues[-1] * max(self.n_rows, self.n_columns) * 2.0**-52] = 0.0
        return eigenvalues, eigenvectors

    def predict(self, w: np.ndarray) -> np.ndarray:
        """w·(x − mean) of each row."""
        return np.asarray(self.X @ w) - float(self.mean @ w)

    def combine(self, t: np.ndarray) -> np.ndarray:
        """Xᵀt of the moved rows."""
        return np.asarray(self.X.T @ t) - self.mean * t.sum()

    def invert(self, alpha: float) -> np.ndarray:
        shifted = self.spectrum[0] + alpha
        return np.divide(1.0, shifted, out=np.zeros_like(shifted), where=shifted > 0)

    def solve(self, alpha: float) -> np.ndarray:
        """The weights and the intercept, refined."""
        _, U = self.spectrum
        inverse = self.invert(alpha)
        centred_targets = self.y - self.target_mean
        t = np.zeros(self.n_rows)
        positive_weights = np.where(self.weights > 0, self.weights, 1.0)
        w = np.zeros(self.n_columns)
        for _ in range(REFINEMENT_STEPS):
            residuals = centred_targets - self.predict(w) - alpha * t / positive_weights
            t = t + self.weight_roots * (U @ (inverse * (U.T @ (self.weight_roots * residuals))))
            w = self.combine(t)
        return Centring(self.mean).to_user(np.append(w, self.target_mean))
