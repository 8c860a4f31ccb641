"""Least squares: the closed form where that is safe, something better where it is not."""

from __future__ import annotations

from separatrix.algorithms.least_squares.model import LinearRegression

__all__ = ["LinearRegression"]
