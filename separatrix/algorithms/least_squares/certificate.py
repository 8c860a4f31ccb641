"""What can be proven of coefficients, from the rows: how far they are from the exact ones."""

from __future__ import annotations

from math import isinf
from typing import Any

import numpy as np

from separatrix.certificates import About, Certificate, GradientAtMost, SolutionWithin, Undecided
from separatrix.certificates.arithmetic.gradient import gradient
from separatrix.certificates.arithmetic.interpolation import MAX_ROWS, MAX_VALUES
from separatrix.certificates.claims.optimality.solution_within import (
    errors_of,
    exact_equations,
    few_columns,
    length,
)
from separatrix.certificates.data.measured_targets import read_targets
from separatrix.rows import Rows

# The bound differs a little with the way the rows are kept, and is to hold for all of them.
SAFETY_FACTOR = 4.0
# Of the coefficients' size: a gradient that proves this much needs no exact equations.
NEGLIGIBLE_DISTANCE_SHARE = 1e-10


def describe_rows(rows: Rows) -> About:
    return About(rows=rows.n_rows, columns=rows.n_columns, label=rows.label, features=rows.columns)


def is_exactly_solvable(n: int, d: int) -> bool:
    """Whether the exact solution of a problem of this size can be enclosed."""
    by_rows = n < d and n <= MAX_ROWS and n * d <= MAX_VALUES
    return by_rows or few_columns(n, d)


def certify_distance(
    errors: list[float],
    coefficients: np.ndarray,
    alpha: float,
    *,
    intercept: bool,
    weights: np.ndarray | None,
    about: About,
    distance: float | None = None,
) -> SolutionWithin:
    """The certificate for errors that are known; the last is the intercept's."""
    stated_errors = errors if intercept else errors[:-1]
    return SolutionWithin(
        weights=tuple(coefficients[:-1].tolist()),
        intercept=float(coefficients[-1]) if intercept else None,
        alpha=None if isinf(alpha) else alpha,
        distance=length(stated_errors) if distance is None else distance,
        within=tuple(stated_errors),
        sample_weight=None if weights is None else tuple(weights.tolist()),
        about=about,
    )


class DeferredCertificate:
    """A certificate yet to be made: the coefficients, without the distance."""

    def __init__(
        self, coefficients: np.ndarray, alpha: float, *, intercept: bool, weights: np.ndarray | None
    ) -> None:
        self.coefficients = coefficients
        self.weights = tuple(coefficients[:-1].tolist())
        self.intercept = float(coefficients[-1]) if intercept else None
        self.alpha = alpha
        self.sample_weight = weights

    def prove(self, rows: Rows) -> Certificate:
        """The best that can be proven: by gradient, by exact equations, or the gradient alone."""
        source = read_targets(rows)
        has_intercept = self.intercept is not None
        row_description = describe_rows(rows)

        def certify(errors: list[float], distance: float | None = None) -> Any:
            proof = certify_distance(
                errors,
                self.coefficients,
                self.alpha,
                intercept=has_intercept,
                weights=self.sample_weight,
                about=row_description,
                distance=distance,
            )
            return proof.bound_to(rows)

        if not np.isfinite(self.coefficients).all():
            return Undecided("The coefficients are not finite: the columns are too large for doubles.")
        gradient_bound = None
        if self.alpha > 0:
            gradient_bound = gradient(source, self.weights, self.intercept, self.alpha, self.sample_weight)
            weights_distance, intercept_distance = (
                SAFETY_FACTOR * bound for bound in gradient_bound.distance(self.alpha)
            )
            coefficients_norm = float(np.linalg.norm(self.coefficients))
            is_close = (
                weights_distance <= NEGLIGIBLE_DISTANCE_SHARE * coefficients_norm
                and intercept_distance <= NEGLIGIBLE_DISTANCE_SHARE * coefficients_norm
            )
            is_finite = np.isfinite(length([weights_distance, intercept_distance]))
            if is_finite and (is_close or not is_exactly_solvable(rows.n_rows, rows.n_columns)):
                return certify(
                    [weights_distance] * rows.n_columns + [intercept_distance],
                    length([weights_distance, intercept_distance]),
                )
        if is_exactly_solvable(rows.n_rows, rows.n_columns):
            errors = errors_of(exact_equations(source, self), self)
            if np.isfinite(length(errors)):
                return certify(errors if has_intercept else [*errors, 0.0])
        if gradient_bound is None:
            gradient_bound = gradient(source, self.weights, self.intercept, self.alpha, self.sample_weight)
        gradient_norm = SAFETY_FACTOR * gradient_bound.norm()
        if not np.isfinite(gradient_norm):
            return Undecided("The gradient overflows: divide the columns by a power of two.")
        return GradientAtMost(
            weights=self.weights,
            intercept=self.intercept,
            alpha=self.alpha,
            gradient=gradient_norm,
            sample_weight=None if self.sample_weight is None else tuple(self.sample_weight.tolist()),
            about=row_description,
        ).bound_to(rows)
