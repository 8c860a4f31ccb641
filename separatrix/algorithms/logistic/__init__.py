"""Logistic regression, its solvers, and what is proven of it; see `classifier`."""

from __future__ import annotations

from separatrix.algorithms.logistic.estimator import LogisticRegression

__all__ = ["LogisticRegression"]
