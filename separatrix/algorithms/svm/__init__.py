"""Soft-margin support vector machines: the hinge and its square, the intercept free."""

from __future__ import annotations

from separatrix.algorithms.svm.estimator import LinearSVM

__all__ = ["LinearSVM"]
