"""Few rows with many columns: the same problem in as many columns as there are rows.

With Z Zᵀ = L Lᵀ there is a Q of orthonormal columns such that Z = L Qᵀ, and the best weights lie in their
span: w = Qu has the norm of u and the margins Lu + sb. So L stands for Z, and Q is never formed: w = Σ αz
at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from separatrix.algorithms.svm.augmented_lagrangian import WorkingSet
from separatrix.algorithms.svm.working_rows import FEW_COLUMNS

MAX_ROWS = 4000


class RowSpaceProblem(NamedTuple):
    """Rows as given, and as rows of L."""

    original: WorkingSet
    reduced: WorkingSet

    @classmethod
    def from_working_set(cls, original: WorkingSet) -> RowSpaceProblem | None:
        """None where the rows are many or the columns few."""
        n, d = original.Z.shape
        if n > MAX_ROWS or d < max(n, FEW_COLUMNS):
            return None
        product = original.Z @ original.Z.T
        kernel = product if isinstance(product, np.ndarray) else product.toarray()
        indices = np.arange(n)
        jitter = 1e-14 * float(kernel.diagonal().max(initial=0.0)) + 1e-300
        for _ in range(8):
            try:
                regularised = kernel.copy()
                regularised[indices, indices] += jitter
                factor = cholesky(regularised, lower=True, overwrite_a=True, check_finite=False)
            except LinAlgError:
                jitter *= 100.0
                continue
            return cls(
                original,
                WorkingSet(original.indices, factor, original.signs, original.costs, original.shares, kernel),
            )
        return None

    def recover_weights(self, weights: np.ndarray) -> np.ndarray:
        """The weights of the columns as given; the multipliers move over."""
        self.original.shares = self.reduced.shares
        return np.append(self.original.Z.T @ self.original.alpha, weights[-1])
