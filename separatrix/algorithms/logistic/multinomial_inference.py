"""Standard errors of the multinomial model: every class against the first.

**Identification.** Adding the same (w, b) to all classes changes no probability, so that only differences
are determined. The table of class k is about θ_k = (w_k − w_0, b_k − b_0), the first class as reference: the
change of log P(k | x)/P(0 | x) for each unit of a column, as in statsmodels' ``MNLogit``.

**Theorem** (as for two classes). The covariance of all θ together is the inverse of the information, whose
block of classes k and l is Σ v p_k(δ_kl − p_l) z zᵀ over rows z = (x, 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.algorithms.logistic.existence import Existence, describe_span
from separatrix.algorithms.logistic.inference import MAX_COEFFICIENTS, invert_on_span
from separatrix.algorithms.logistic.multinomial_terms import sum_hessian_blocks
from separatrix.algorithms.logistic.near_dependency import find_near_dependency
from separatrix.rows import Block, Rows

RUN_ROWS = 4096  # rows


def infer_multinomial(
    rows: Rows, weights: np.ndarray, existence: Existence, *, intercept: bool
) -> dict[str, Any]:
    """The covariance of what the rows determine, the words for what they do not, and the two likelihoods."""
    n_classes, width = len(weights), rows.n_columns + intercept
    if (n_classes - 1) * width > MAX_COEFFICIENTS:
        return {}
    is_centred = intercept and not existence.normals and not rows.is_sparse
    centre = rows.preview_mean(1000) if is_centred else np.zeros(rows.n_columns)
    information, slope, class_weights, likelihood = rows.sum(
        MultinomialInformation(weights, centre, intercept)
    )
    covariance = invert_on_span(information, existence.normals)
    residual = float(np.sqrt(max(slope @ covariance @ slope, 0.0)))
    if is_centred:
        translation = np.eye(width)
        translation[-1, :-1] = -centre
        translations = np.kron(np.eye(n_classes - 1), translation)
        covariance = translations @ covariance @ translations.T
    has_words = existence.kind in ("complete", "quasi") or bool(existence.normals)
    words = existence.unbounded if has_words else ()
    mass = float(class_weights.sum())
    null_log_likelihood = (
        float(class_weights @ np.log(class_weights / mass)) if intercept else -mass * float(np.log(n_classes))
    )
    span = describe_span(rows, intercept=intercept)
    second_class = information[:width, :width]
    return {
        "covariance": covariance,
        "near_dependency": find_near_dependency(
            second_class, existence, rows.n_columns, width - span["rank"]
        ),
        "unbounded": tuple(words[k * width : (k + 1) * width] for k in range(n_classes - 1)) if words else (),
        **span,
        "mass": mass,
        "residual": residual,
        "log_likelihood": float(likelihood),
        "null_log_likelihood": null_log_likelihood,
    }


@dataclass(frozen=True)
class MultinomialInformation:
    """The information of moved rows, the slope of the log-likelihood, the weight of each class, and the
    log-likelihood."""

    weights: np.ndarray
    centre: np.ndarray
    intercept: bool

    @np.errstate(all="ignore")
    def __call__(self, block: Block) -> tuple[Any, ...]:
        X, codes, v = block.matrix(), block.codes, block.row_weights
        assert codes is not None
        runs = (slice(first, first + RUN_ROWS) for first in range(0, len(block), RUN_ROWS))
        parts = [self._sum_run(X[run], codes[run], v[run]) for run in runs]
        return tuple(sum(values[1:], start=values[0]) for values in zip(*parts, strict=True))

    def _sum_run(self, X: Any, codes: np.ndarray, v: np.ndarray) -> tuple[Any, ...]:
        n_classes, width = len(self.weights), X.shape[1] + self.intercept
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        scores = dense @ self.weights[:, :-1].T + self.weights[:, -1]
        scores -= scores.max(axis=1, keepdims=True)
        p = np.exp(scores)
        sums = p.sum(axis=1)
        p /= sums[:, None]
        likelihood = float(v @ (scores[np.arange(len(codes)), codes] - np.log(sums)))
        Z = dense - self.centre
        Z = np.column_stack([Z, np.ones(len(codes))]) if self.intercept else Z
        size = (n_classes - 1) * width
        blocks = sum_hessian_blocks(Z, p, v)[1:, :, 1:].reshape(size, size)
        p[np.arange(len(codes)), codes] -= 1.0
        slope = ((p[:, 1:] * -v[:, None]).T @ Z).ravel()
        return blocks, slope, np.bincount(codes, v, n_classes), likelihood
