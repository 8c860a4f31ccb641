"""The units of rows that come piece by piece: settled by the first, and changed while that rounds nothing."""

from __future__ import annotations

from collections.abc import Collection
from math import frexp
from typing import Any

import numpy as np

from separatrix.algorithms.perceptrons.learner import Learner, ldexp, split_values
from separatrix.rows.block import read_only, sum_of_squares
from separatrix.rows.views.scaled import USUAL_EXPONENT

MIN_SAFE_SUM, MAX_SAFE_SUM = 2.0 ** (-2 * USUAL_EXPONENT), 2.0 ** (2 * USUAL_EXPONENT)
MAX_PRODUCT_EXPONENT = 900  # products of values up to that power of two, and their sums, are doubles
MAX_EXPONENT = 2200  # from the least to the largest double
OUT_OF_RANGE = (
    "A row is so much longer or shorter than others that its products with the weights are no doubles: "
    "whether it was a mistake is left to rounding, here and at such rows after it."
)


def is_in_safe_range(X: Any) -> bool:
    """Whether squares of the values neither overflow nor underflow, for all that their sum shows."""
    return MIN_SAFE_SUM < sum_of_squares(split_values(X)[0]) < MAX_SAFE_SUM


def to_common_units(X: Any, learners: Collection[Learner], exponent: int) -> tuple[Any, int, bool]:
    """2^k times the rows of a block, k, and whether products of these with the weights are doubles.

    k is the exponent given, in whose units the learners are, unless the rows have unusual sizes in those and
    a change rounds neither them nor what the learners keep, which then changes too.
    """
    stored, columns = split_values(X)
    values = np.asarray(stored, np.float64)
    largest = float(np.max(np.abs(values), initial=0.0))
    if not 0.0 < largest < np.inf:  # nothing to scale, or to be refused
        return X, exponent, True
    binary_exponent = frexp(largest)[1] + exponent
    if abs(binary_exponent) > USUAL_EXPONENT and _is_exact(values, exponent - binary_exponent):
        states = [learner.rescaled_state(-binary_exponent) for learner in learners]
        if all(numbers is not None for numbers in states):
            for learner, numbers in zip(learners, states, strict=True):
                vars(learner).update(numbers or {})
            exponent, binary_exponent = exponent - binary_exponent, 0
    if not exponent:
        return X, exponent, _has_products_in_range(binary_exponent, learners)
    scaled = read_only(ldexp(values, exponent))
    is_in_range = _is_exact(values, exponent) and _has_products_in_range(binary_exponent, learners)
    return scaled if columns is None else X._replace(data=scaled), exponent, is_in_range


def _is_exact(values: np.ndarray, exponent: int) -> bool:
    return np.array_equal(ldexp(ldexp(values, exponent), -exponent), values)


def _has_products_in_range(binary_exponent: int, learners: Collection[Learner]) -> bool:
    """Whether products of the weights with values below 2^place, and not far below, are doubles."""
    largest_weights = [float(np.max(np.abs(learner.weights))) for learner in learners]
    return all(
        not largest or abs(binary_exponent + frexp(largest)[1]) <= MAX_PRODUCT_EXPONENT
        for largest in largest_weights
    )
