"""Probabilities out of scores, without overflow."""

from __future__ import annotations

import numpy as np


def log_probabilities(scores: np.ndarray, *, joint: bool) -> np.ndarray:
    """Logarithms of P(class | x), a column a class.

    Two classes: the logistic function of the score. More: the softmax of the scores (``joint``), or the
    logistic function of each, divided by their sum."""
    if scores.ndim == 1:
        return np.column_stack([-np.logaddexp(0.0, scores), -np.logaddexp(0.0, -scores)])
    logarithms = scores if joint else -np.logaddexp(0.0, -scores)
    top = logarithms.max(axis=1, keepdims=True)
    return np.asarray(logarithms - top - np.log(np.exp(logarithms - top).sum(axis=1, keepdims=True)))
