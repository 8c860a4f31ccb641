"""Rows seen from a point near their mean: x − m in place of x.

**Idea.** (1) w·x + b = w·(x − m) + (b + w·m): an intercept that is not penalised takes up the shift, and no
other weight changes. Columns far from 0 would make the Hessian nearly singular, and rounding would keep both
weights and intercept from their best.

**Certificate.** None is needed: claims are about the weights of the rows as given, `to_user`.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from separatrix.rows import Rows

SAMPLE_ROWS = 1000  # rows whose mean is the centre
FAR_FACTOR = 1.0  # of its spread: a mean that far from 0 is worth taking off


class Centring(NamedTuple):
    """The change of coordinates by a centre m; weights have the intercept last, one row per class."""

    centre: np.ndarray

    @classmethod
    def none(cls, n_columns: int) -> Self:
        return cls(np.zeros(n_columns))

    @classmethod
    def near_mean(cls, rows: Rows, *, only_far: bool = False) -> Self:
        """The mean of some rows; with ``only_far`` 0, which is faster, unless a column lies far from 0."""
        sample = rows.preview(SAMPLE_ROWS).whole()
        centre = sample.mean()
        if only_far and not (abs(centre) > FAR_FACTOR * sample.dense().std(axis=0, dtype=np.float64)).any():
            return cls.none(rows.n_columns)
        return cls(np.where(np.isfinite(centre), centre, 0.0))

    def to_internal(self, weights: np.ndarray) -> np.ndarray:
        """Weights for the moved rows."""
        moved = np.array(weights, dtype=np.float64)
        moved[..., -1] += moved[..., :-1] @ self.centre  # (1) above
        return moved

    def to_user(self, weights: np.ndarray) -> np.ndarray:
        """Weights for the rows as given."""
        moved = np.array(weights, dtype=np.float64)
        moved[..., -1] -= moved[..., :-1] @ self.centre
        return moved

    def covariance_to_user(self, covariance: np.ndarray) -> np.ndarray:
        """The covariance for the rows as given, of one class or of several classes together."""
        width = len(self.centre) + 1
        translation = np.eye(width)
        translation[-1, :-1] = -self.centre
        translations = np.kron(np.eye(len(covariance) // width), translation)
        return np.asarray(translations @ covariance @ translations.T)
