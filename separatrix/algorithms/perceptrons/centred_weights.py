"""Weights for rows seen from their centre, and the way back.

A hyperplane (w, b) is (w, b + w·c) for rows x − c. The sum is made exactly and rounded once: far from the
origin its terms nearly cancel.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def to_centred(weights: np.ndarray, centre: np.ndarray) -> np.ndarray:
    return np.append(weights[:-1], _double(Fraction(weights[-1]) + _shift(weights, centre)))


def from_centred(weights: np.ndarray, centre: np.ndarray) -> np.ndarray:
    if not np.isfinite(weights).all():
        return np.array(weights)
    return np.append(weights[:-1], _double(exact_from_centred(weights, centre)[-1]))


def exact_from_centred(weights: np.ndarray, centre: np.ndarray) -> list[Fraction]:
    exact = [Fraction(w) for w in weights]
    exact[-1] -= _shift(weights, centre)
    return exact


def _shift(weights: np.ndarray, centre: np.ndarray) -> Fraction:
    return sum((Fraction(w) * Fraction(c) for w, c in zip(weights, centre, strict=False)), Fraction(0))


def _double(value: Fraction) -> float:
    """The nearest double, an infinity beyond the largest: such weights are reported as overflowed."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
