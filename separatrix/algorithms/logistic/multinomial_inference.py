"""Standard errors of the multinomial model: every class against the first.

**Identification.** Adding the same (w, b) to all classes changes no probability, so that only differences
are determined. The table of class k is about θ_k = (w_k − w_0, b_k − b_0), the first class as reference: the
change of log P(k | x)/P(0 | x) for each unit of a column, as in statsmodels' ``MNLogit``.

**Theorem** (as for two classes). The covariance of all θ together is the inverse of the information, whose
block of classes k and l is Σ v p_k(δ_kl − p_l) z zᵀ over rows z = (x, 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from separatrix.algorithms.logistic.existence import Existence, spanned
from separatrix.algorithms.logistic.inference import (
    MOST_COEFFICIENTS,
    Inference,
    infer,
    projected_inverse,
    shown_words,
)
from separatrix.algorithms.logistic.multinomial_objective import joint_curvature
from separatrix.algorithms.logistic.near_dependency import near_dependency
from separatrix.algorithms.logistic.overflow import silence_overflow
from separatrix.fitting.exact_errors import matrix
from separatrix.rows import Block, Rows, SparseRows

RUN = 4096  # rows


def joint_inference(rows: Rows, weights: np.ndarray, found: Existence, *, intercept: bool) -> dict[str, Any]:
    """The covariance of what the rows determine, the words for what they do not, and the two likelihoods."""
    count, width = len(weights), rows.n_columns + intercept
    if (count - 1) * width > MOST_COEFFICIENTS:
        return {}
    moved = intercept and not found.normals and not isinstance(rows, SparseRows)
    centre = rows.sample_mean(1000) if moved else np.zeros(rows.n_columns)
    information, slope, masses, likelihood = _information(rows, weights, centre, intercept)
    covariance = projected_inverse(information, found.normals)
    residual = float(np.sqrt(max(slope @ covariance @ slope, 0.0)))
    if moved:
        change = np.eye(width)
        change[-1, :-1] = -centre
        whole = np.kron(np.eye(count - 1), change)
        covariance = whole @ covariance @ whole.T
    asked = found.kind in ("complete", "quasi") or bool(found.normals)
    words = found.unbounded if asked else ()
    total = float(masses.sum())
    alone = float(masses @ np.log(masses / total)) if intercept else -total * float(np.log(count))
    span = spanned(rows, intercept=intercept)
    own = information[:width, :width]  # of the second class
    return {
        "covariance": covariance,
        "near_dependency": near_dependency(own, found, rows.n_columns, width - span["rank"]),
        "unbounded": tuple(words[k * width : (k + 1) * width] for k in range(count - 1)) if words else (),
        **span,
        "mass": total,
        "residual": residual,
        "log_likelihood": likelihood,
        "null_log_likelihood": alone,
    }


def _information(
    rows: Rows, weights: np.ndarray, centre: np.ndarray, intercept: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """The information of moved rows, the slope of the log-likelihood, the weight of each class, and the
    log-likelihood."""
    count, width = len(weights), rows.n_columns + intercept

    def run(X: Any, codes: np.ndarray, v: np.ndarray) -> tuple[Any, ...]:
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        scores = dense @ weights[:, :-1].T + weights[:, -1]
        scores -= scores.max(axis=1, keepdims=True)
        p = np.exp(scores)
        sums = p.sum(axis=1)
        p /= sums[:, None]
        likelihood = float(v @ (scores[np.arange(len(codes)), codes] - np.log(sums)))
        Z = dense - centre
        Z = np.column_stack([Z, np.ones(len(codes))]) if intercept else Z
        size = (count - 1) * width
        blocks = joint_curvature(Z, p, v)[1:, :, 1:].reshape(size, size)
        p[np.arange(len(codes)), codes] -= 1.0
        slope = ((p[:, 1:] * -v[:, None]).T @ Z).ravel()
        return blocks, slope, np.bincount(codes, v, count), likelihood

    def term(block: Block) -> tuple[Any, ...]:
        X = matrix(block, rows.n_columns)
        v = np.ones(len(block)) if rows.weights is None else rows.weights[block.start : block.stop]
        assert block.codes is not None
        parts = [
            run(X[at : at + RUN], block.codes[at : at + RUN], v[at : at + RUN])
            for at in range(0, len(block), RUN)
        ]
        return tuple(sum(values[1:], start=values[0]) for values in zip(*parts, strict=True))

    information, slope, masses, likelihood = rows.sum(silence_overflow(term))
    return information, slope, masses, float(likelihood)


def joint_summary(model: Any, names: tuple[str, ...], level: float) -> tuple[Inference, ...]:
    """A table for each class but the first, which is the reference of all."""
    count, width = len(model.classes_), model.n_features_in_ + model.fit_intercept
    table = np.column_stack([model.coef_, model.intercept_])
    told = []
    for k in range(1, count):
        own = slice((k - 1) * width, k * width)
        told.append(
            infer(
                f"Multinomial logistic regression of {model.classes_[k]} against {model.classes_[0]}, "
                "maximum likelihood",
                names,
                table[k] - table[0],
                model.covariance_[own, own],
                shown_words(model.unbounded_[k - 1] if model.unbounded_ else (), model.aliased_),
                intercept=model.fit_intercept,
                level=level,
                rows=model.counted_,
                weight=model.mass_,
                log_likelihood=model.log_likelihood_,
                null_log_likelihood=model.null_log_likelihood_,
                degrees=(count - 1) * (model.rank_ - model.fit_intercept),
            )
        )
    return tuple(told)
