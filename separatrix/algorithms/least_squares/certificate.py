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

SPARE = 4.0  # the bound differs a little with the way the rows are kept, and is to hold for all of them
GOOD = 1e-10  # of the coefficients' size: a gradient that proves this much needs no exact equations


def about(rows: Rows) -> About:
    return About(rows=rows.n_rows, columns=rows.n_columns, label=rows.label, features=rows.columns)


def exact_in_reach(n: int, d: int) -> bool:
    """Whether the exact solution of a problem of this size can be enclosed."""
    by_rows = n < d and n <= MAX_ROWS and n * d <= MAX_VALUES
    return by_rows or few_columns(n, d)


def within(
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
    kept = errors if intercept else errors[:-1]
    return SolutionWithin(
        weights=tuple(coefficients[:-1].tolist()),
        intercept=float(coefficients[-1]) if intercept else None,
        alpha=None if isinf(alpha) else alpha,
        distance=length(kept) if distance is None else distance,
        within=tuple(kept),
        sample_weight=None if weights is None else tuple(weights.tolist()),
        about=about,
    )


class Claim:
    """A claim yet to be made: the coefficients, without the distance."""

    def __init__(
        self, coefficients: np.ndarray, alpha: float, *, intercept: bool, weights: np.ndarray | None
    ) -> None:
        self.coefficients = coefficients
        self.weights = tuple(coefficients[:-1].tolist())
        self.intercept = float(coefficients[-1]) if intercept else None
        self.alpha = alpha
        self.sample_weight = weights

    def proven(self, rows: Rows) -> Certificate:
        """The best that can be proven: by gradient, by exact equations, or the gradient alone."""
        source = read_targets(rows)
        intercept = self.intercept is not None
        here = about(rows)

        def made(errors: list[float], distance: float | None = None) -> Any:
            proof = within(
                errors,
                self.coefficients,
                self.alpha,
                intercept=intercept,
                weights=self.sample_weight,
                about=here,
                distance=distance,
            )
            return proof.bound_to(rows)

        if not np.isfinite(self.coefficients).all():
            return Undecided("The coefficients are not finite: the columns are too large for doubles.")
        slope = None
        if self.alpha > 0:
            slope = gradient(source, self.weights, self.intercept, self.alpha, self.sample_weight)
            far, bias = (SPARE * bound for bound in slope.distance(self.alpha))
            size = float(np.linalg.norm(self.coefficients))
            near = far <= GOOD * size and bias <= GOOD * size
            known = np.isfinite(length([far, bias]))
            if known and (near or not exact_in_reach(rows.n_rows, rows.n_columns)):
                return made([far] * rows.n_columns + [bias], length([far, bias]))
        if exact_in_reach(rows.n_rows, rows.n_columns):
            errors = errors_of(exact_equations(source, self), self)
            if np.isfinite(length(errors)):
                return made(errors if intercept else [*errors, 0.0])
        if slope is None:
            slope = gradient(source, self.weights, self.intercept, self.alpha, self.sample_weight)
        norm = SPARE * slope.norm()
        if not np.isfinite(norm):
            return Undecided("The gradient overflows: divide the columns by a power of two.")
        return GradientAtMost(
            weights=self.weights,
            intercept=self.intercept,
            alpha=self.alpha,
            gradient=norm,
            sample_weight=None if self.sample_weight is None else tuple(self.sample_weight.tolist()),
            about=here,
        ).bound_to(rows)
