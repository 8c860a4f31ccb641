"""Few rows with many columns: the same problem in as many columns as there are rows.

With Z Zᵀ = L Lᵀ there is a Q of orthonormal columns such that Z = L Qᵀ, and the best weights lie in their
span: w = Qu has the norm of u and the margins Lu + sb. So L stands for Z, and Q is never formed: w = Σ αz
at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from separatrix.algorithms.svm.augmented_lagrangian import Near
from separatrix.algorithms.svm.working_rows import FEW_COLUMNS

MOST_ROWS = 4000


class Wide(NamedTuple):
    """Rows as given, and as rows of L."""

    given: Near
    near: Near

    @classmethod
    def of(cls, given: Near) -> Wide | None:
        """None where the rows are many or the columns few."""
        n, d = given.Z.shape
        if n > MOST_ROWS or d < max(n, FEW_COLUMNS):
            return None
        product = given.Z @ given.Z.T
        kernel = product if isinstance(product, np.ndarray) else product.toarray()
        places = np.arange(n)
        jitter = 1e-14 * float(kernel.diagonal().max(initial=0.0)) + 1e-300
        for _ in range(8):
            try:
                lifted = kernel.copy()
                lifted[places, places] += jitter
                factor = cholesky(lifted, lower=True, overwrite_a=True, check_finite=False)
            except LinAlgError:
                jitter *= 100.0
                continue
            return cls(given, Near(given.numbers, factor, given.signs, given.caps, given.shares, kernel))
        return None

    def unfolded(self, weights: np.ndarray) -> np.ndarray:
        """The weights of the columns as given; the multipliers move over."""
        self.given.shares = self.near.shares
        return np.append(self.given.Z.T @ self.given.alpha, weights[-1])
