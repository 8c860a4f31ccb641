"""Least squares and ridge regression: the closed form where it is safe, something better elsewhere."""

from __future__ import annotations

from separatrix.algorithms.least_squares.estimator import LinearRegression
from separatrix.algorithms.least_squares.ridge import Ridge
from separatrix.algorithms.least_squares.ridge_path import RidgePath

__all__ = ["LinearRegression", "Ridge", "RidgePath"]
