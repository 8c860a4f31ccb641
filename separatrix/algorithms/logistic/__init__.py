"""Logistic regression, its solvers, and what is proven of it; see `estimator`."""

from __future__ import annotations

from separatrix.algorithms.logistic.estimator import LogisticRegression

__all__ = ["LogisticRegression"]
