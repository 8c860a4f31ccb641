"""Probabilities out of scores, without overflow."""

from __future__ import annotations

import numpy as np


def compute_log_probabilities(scores: np.ndarray, *, multinomial: bool) -> np.ndarray:
    """Logarithms of P(class | x), a column a class.

    Two classes: the logistic function of the score. More: the softmax of the scores (``multinomial``), or the
    logistic function of each, divided by their sum."""
    if scores.ndim == 1:
        return np.column_stack([-np.logaddexp(0.0, scores), -np.logaddexp(0.0, -scores)])
    logarithms = scores if multinomial else -np.logaddexp(0.0, -scores)
    largest = logarithms.max(axis=1, keepdims=True)
    return np.asarray(logarithms - largest - np.log(np.exp(logarithms - largest).sum(axis=1, keepdims=True)))
