"""A power of two that all rows have in common: taken out before a fit, put back into its answer.

Squares of very large or very small values leave the range of doubles. A perceptron through the origin takes
the same steps on 2^k times the rows, and its weights are 2^(k·degree) times those of the rows given. With an
intercept the constant 1 belongs to its rows, so they are left as they are. A convex objective whose penalty
leaves the intercept out has the least value at weights of the degree −1, and at the same intercept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import frexp
from typing import Any

import numpy as np

from separatrix.certificates import Certificate, Separable, Undecided
from separatrix.fitting.history import History
from separatrix.fitting.solution import Solution
from separatrix.fitting.whole_numbers import separate_in_whole_numbers, to_whole_numbers
from separatrix.rows import Block, DataError, Rows
from separatrix.rows.views.scaled import USUAL_EXPONENT, StoredRange, change_of_units

LENGTHS = {"radius", "margin", "geometric_margin", "radius_centred", "margin_centred", "margin_at_most"}
SAMPLE_ROWS = 1000  # rows
UNEVEN_SIZES = (
    "A value is more than 2^200 times as large or small as others: divide the columns by powers of two, or "
    "leave the row out."
)
WEIGHTS_ROUND = (
    "The weights are beyond the range of doubles in the units of the rows: divide the columns by a power of "
    "two and fit again."
)
MAX_WEIGHT_VALUE = 2.0**500  # squares of weights up to it, and of its inverse, are doubles


@dataclass(frozen=True)
class CommonFactor:
    """Fits are made on 2^exponent times the rows; weights grow with the power ``degree`` of their lengths.

    Sums of rows have the degree 1, a direction has the degree 0, and weights of given scores have the degree
    −1. With ``has_intercept`` the last weight is an intercept, which stays.
    """

    exponent: int = 0
    degree: int = 1
    has_intercept: bool = False

    def scaled_rows(self, rows: Rows) -> Rows:
        return rows.scaled(self.exponent) if self.exponent else rows

    def scaled_weights(self, weights: Any) -> Any:
        """Weights for the rows given, as weights for those of the fit."""
        return self._multiply(weights, self.degree * self.exponent) if self.exponent else weights

    def given_weights(self, weights: Any) -> Any:
        """Weights for the rows of the fit, as weights for those given: 0 or infinite beyond doubles."""
        return self._multiply(weights, -self.degree * self.exponent) if self.exponent else weights

    def _multiply(self, weights: Any, exponent: int) -> Any:
        product = ldexp(weights, exponent)
        if self.has_intercept:
            product[..., -1] = weights[..., -1]
        return product

    def given_length(self, length: Any, degree: int = 1) -> float:
        return float(ldexp(length, -degree * self.exponent)) if self.exponent else length

    def restored(self, solution: Solution, rows: Rows, positive: int, norm_degree: int) -> Solution:
        """The solution of the scaled rows, as one of the rows given.

        ``norm_degree`` is the degree of the norms in its history.
        """
        if not self.exponent:
            return solution
        passes = [
            replace(
                done,
                norm=self.given_length(done.norm, norm_degree),
                margin=None if done.margin is None else self.given_length(done.margin),
            )
            for done in solution.history
        ]
        restored = replace(
            solution,
            weights=self.given_weights(solution.weights),
            certificate=self._restored_claim(solution.certificate, rows),
            history=History(passes),
            facts={name: self._restored_fact(name, value, rows) for name, value in solution.facts.items()},
        )
        if restored.certificate is not None or solution.certificate is None:
            return restored
        if isinstance(solution.certificate, Separable):
            return self._without_rounding(restored, solution, rows, positive)
        return replace(restored, certificate=Undecided(WEIGHTS_ROUND))

    def _without_rounding(
        self, restored: Solution, solution: Solution, rows: Rows, positive: int
    ) -> Solution:
        """Weights that separate the rows, and are no doubles in the user's units, as whole numbers."""
        if np.isfinite(restored.weights).all():
            witness: Any = restored.weights[:-1]
            rounded = replace(solution.certificate, weights=witness).bound_to(rows)
            if rounded.verify(rows).holds:
                return replace(restored, certificate=rounded)
        bounds = {name: None for name in solution.facts if name.startswith(("mistake_bound", "update_bound"))}
        numbers = to_whole_numbers(map(Fraction, solution.weights))
        return separate_in_whole_numbers(
            replace(restored, facts=restored.facts | bounds), rows, positive, numbers, intercept=False
        )

    def _restored_fact(self, name: str, value: Any, rows: Rows) -> Any:
        if name in LENGTHS:
            return self.given_length(value)
        if isinstance(value, Certificate):
            return self._restored_claim(value, rows)
        is_weights = isinstance(value, np.ndarray) and value.dtype == np.float64
        return self.given_weights(value) if is_weights else value

    def _restored_claim(self, claim: Any, rows: Rows) -> Any:
        """The certificate for the rows given; None where its weights would round."""
        if claim is None:
            return None
        if not hasattr(claim, "weights"):
            return claim.bound_to(rows)
        weights = np.array(claim.weights)
        given = self.given_weights(weights)
        is_exact = np.isfinite(given).all() and np.array_equal(self.scaled_weights(given), weights)
        return replace(claim, weights=given).bound_to(rows) if is_exact else None


NO_FACTOR = CommonFactor()


def find_common_factor(
    rows: Rows, degree: int | None, starts: Iterable[np.ndarray | None] = ()
) -> CommonFactor:
    """The factor to fit these rows with: none where their sizes are usual, or where it would round a value
    or a start.

    ``degree`` is that of the weights, None where a factor changes more than lengths.
    """
    if degree is None:
        return CommonFactor()
    exponent = change_of_units(rows)
    if exponent and not all(start is None or _is_exact(start, degree * exponent) for start in starts):
        exponent = 0
    return CommonFactor(exponent, degree)


def find_size_exponent(rows: Rows, *, in_every_column: bool) -> int:
    """The k with 2^(k−1) ≤ max |x| < 2^k; 0 where sizes are usual, by a look at some rows.

    With ``in_every_column`` the largest size of each column is to be usual.

    Raises
    ------
    DataError
        If sizes are not usual, and so different that no factor brings all of them near 1.
    """
    sizes = _find_column_sizes(rows.preview(SAMPLE_ROWS).whole())
    exponents = np.frexp(sizes[sizes > 0.0] if in_every_column else sizes.max(initial=0.0, keepdims=True))[1]
    if sizes.any() and np.isfinite(sizes).all() and abs(exponents).max() <= USUAL_EXPONENT:
        return 0
    rows.require_finite()
    ranges = list(rows.each(StoredRange()))
    largest, least = max(high for high, _ in ranges), min(low for _, low in ranges)
    exponent = frexp(largest)[1]
    if not sizes.any() and abs(exponent) <= USUAL_EXPONENT:
        return 0
    if largest > 0.0 and exponent - frexp(least)[1] > USUAL_EXPONENT:
        raise DataError(UNEVEN_SIZES)
    return exponent


def _find_column_sizes(block: Block) -> np.ndarray:
    """The largest size in each column."""
    X = block.X
    if not block.is_sparse:
        return np.asarray(np.abs(X).max(axis=0, initial=0.0), np.float64)
    largest = np.zeros(block.n_columns)
    np.maximum.at(largest, X.indices, np.abs(X.data).astype(np.float64))
    return largest


@np.errstate(over="ignore", under="ignore")
def ldexp(values: Any, exponent: int | np.ndarray) -> Any:
    """2^exponent times the values: 0 or infinite beyond the range of doubles."""
    return np.ldexp(values, exponent)


def _is_exact(values: np.ndarray, exponent: int) -> bool:
    """Whether the factor rounds none of these weights, and the squares of all are doubles still."""
    changed = ldexp(values, exponent)
    is_in_range = bool(
        np.all(np.abs(changed) < MAX_WEIGHT_VALUE)
        and np.all((np.abs(changed) > 1 / MAX_WEIGHT_VALUE) | (values == 0))
    )
    return is_in_range and np.array_equal(ldexp(changed, -exponent), values)
