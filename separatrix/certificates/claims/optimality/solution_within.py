"""Coefficients within a distance of the exact solution of a least-squares problem.

Each coefficient's distance e_j from the exact one is bounded by a double, from balls or from the gradient, or
is an exact fraction. The length of n doubles e, divided by the largest first, is computed with a relative
error below (n + 4)u, u = 2^-53, underflow included: the sum of squares is at least 1. So

    ‖e‖ ≤ (computed length)(1 + (n + 8) 2^-52).                                                         (1)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from separatrix.certificates.arithmetic.gradient import gradient
from separatrix.certificates.arithmetic.interpolation import row_equations
from separatrix.certificates.arithmetic.moments import Part, moments_of
from separatrix.certificates.arithmetic.normal_equations import NormalEquations
from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.claims.optimality.mean_alone import mean_equations
from separatrix.certificates.data.reading import RowSource
from separatrix.certificates.fields import (
    CertificateError,
    DoubleOrNone,
    Doubles,
    Nonnegative,
    NonnegativeOrNone,
    Nonnegatives,
    RowWeights,
)

MAX_COLUMNS = 1000  # of exact equations
MAX_DEPENDENT_COLUMNS = (
    200  # where there are fewer rows than columns, so that the columns depend on one another
)
MAX_PRODUCTS = 5e12  # products of columns, over all rows
MAX_RATIONAL_EQUATIONS = 60  # rows or columns, whichever are fewer, of a solution in fractions


@dataclass(frozen=True, repr=False)
class SolutionWithin(Certificate):
    """No coefficient is further than a given number from that of the exact solution.

    The exact solution is that of the floats given: the w and b that minimise Σ s (y − w·x − b)² + α‖w‖², of
    several the one with the shortest w. It is enclosed afresh, in exact arithmetic, from the rows alone: by
    whole-number moments and ball arithmetic; for α > 0 also by the length of the gradient, which is cheaper
    and needs no equations to be solved.

    Parameters
    ----------
    weights, intercept
        The coefficients; None for a fit through the origin.
    alpha
        The penalty, 0 for least squares; None for an infinite one, whose exact solution is the limit: weights
        0, and the mean of the targets as intercept.
    distance
        A bound on the Euclidean distance of (w, b) from the exact ones.
    within
        A bound for each weight and, with an intercept, for it last.
    sample_weight
        The weights of the rows; None: each counts once.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0]], [0.1, 0.4, 0.7]
    >>> proof = SolutionWithin((0.3,), 0.1, alpha=0.0, distance=1e-15, within=(1e-15, 1e-15))
    >>> proof.verify(X, y).holds
    True
    >>> SolutionWithin((0.31,), 0.1, alpha=0.0, distance=1e-15, within=(1e-15, 1e-15)).verify(X, y)
    Verdict(holds=False, reason='Weight 0 is 0.01 away from the exact one, more than the 1e-15 claimed.')
    """

    title = "least-squares solution"
    speaks_of = "targets"

    weights: Doubles
    intercept: DoubleOrNone
    alpha: NonnegativeOrNone
    distance: Nonnegative
    within: Nonnegatives
    sample_weight: RowWeights = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.within) != len(self.weights) + (self.intercept is not None):
            raise CertificateError("It needs one bound for each coefficient.")

    @property
    def claim(self) -> str:
        penalty = "infinite" if self.alpha is None else f"= {self.alpha!r}"
        what = "least-squares" if self.alpha == 0 else f"ridge (alpha {penalty})"
        return f"The coefficients are within {self.distance!r} of the exact {what} solution of these numbers."

    def _prove(self, source: RowSource) -> Verdict:
        if self.sample_weight is not None and len(self.sample_weight) != source.n_rows:
            weights = len(self.sample_weight)
            return Verdict(False, f"It has weights for {weights} rows; this data has {source.n_rows}.")
        if self.intercept is not None and self.sample_weight is not None and not any(self.sample_weight):
            return Verdict(False, "Every row has weight 0, so that any intercept is as good.")
        if self.alpha is not None and self.alpha > 0 and self._by_gradient(source):
            return self._holds("by the length of the gradient")
        equations = exact_equations(source, self)
        if equations is None:
            return Verdict(False, "The problem is too large for its exact solution to be enclosed here.")
        errors: list[Any] = errors_of(equations, self)
        few = self.alpha is None or min(source.n_rows, source.n_columns) <= MAX_RATIONAL_EQUATIONS
        if few and not self._allows(errors):
            errors = rational_errors(equations, self)  # a bound that is met exactly, or missed by a hair
        for place, (error, allowed) in enumerate(zip(errors, self.within, strict=True)):
            if not error <= allowed:
                what = f"Weight {place}" if place < len(self.weights) else "The intercept"
                shown = nearest_double(error)
                return Verdict(
                    False,
                    f"{what} is {shown:.3g} away from the exact one, more than the {allowed!r} claimed.",
                )
        if not self._allows(errors):
            return Verdict(False, "The distance is more than is claimed.")
        return self._holds("in exact arithmetic")

    def _allows(self, errors: list[Any]) -> bool:
        """Whether errors, doubles or fractions, are within the bounds."""
        fits = all(error <= allowed for error, allowed in zip(errors, self.within, strict=True))
        if fits and isinstance(errors[0], Fraction):
            return sum(error**2 for error in errors) <= Fraction(self.distance) ** 2
        return fits and length(errors) <= self.distance

    def _by_gradient(self, source: RowSource) -> bool:
        weights_distance, bias = gradient_distance(source, self)
        bounds = [weights_distance] * len(self.weights) + [bias] * (self.intercept is not None)
        fits = all(bound <= allowed for bound, allowed in zip(bounds, self.within, strict=True))
        return fits and length([weights_distance, bias]) <= self.distance

    def _holds(self, how: str) -> Verdict:
        return Verdict(True, f"Every coefficient is as close to the exact one as claimed ({how}).")


def length(errors: list[float]) -> float:
    """Not below the Euclidean length."""
    largest = max(errors)
    if largest in (0.0, inf):
        return largest
    scaled = np.array(errors) / largest
    return largest * float(np.sqrt(scaled @ scaled)) * (1 + (len(errors) + 8) * 2.0**-52)  # (1) above


def gradient_distance(source: RowSource, claim: Any) -> tuple[float, float]:
    """Bounds on the distance of weights and intercept, for a penalty above 0."""
    found = gradient(source, claim.weights, claim.intercept, claim.alpha, claim.sample_weight)
    return found.distance(claim.alpha)


def parts_of(source: RowSource, sample_weight: Any) -> Iterator[Part]:
    """Rows, targets and weights, piece by piece."""
    weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    for piece in source.pieces():
        targets: Any = piece.signs
        yield piece.X, targets, None if weights is None else weights[piece.start : piece.stop]


def few_columns(n: int, d: int) -> bool:
    """Whether exact equations for the columns are within reach."""
    return d <= (MAX_COLUMNS if n > d else MAX_DEPENDENT_COLUMNS) and n * (d + 2) ** 2 <= MAX_PRODUCTS


def exact_equations(source: RowSource, claim: Any) -> Any:
    """The equations of the exact solution; None where the problem is too large for them."""
    if claim.alpha is None:
        return mean_equations(source, claim)
    by_rows = row_equations(source, claim)
    if by_rows is not None or not few_columns(source.n_rows, source.n_columns):
        return by_rows
    moments = moments_of(parts_of(source, claim.sample_weight), source.n_columns)
    return NormalEquations(moments, intercept=claim.intercept is not None, alpha=claim.alpha)


def errors_of(equations: Any, claim: Any) -> list[float]:
    """How far each coefficient may be from the exact one; infinite where they are too close to singular."""
    count = len(claim.weights) + (claim.intercept is not None)
    try:
        errors: list[float] = equations.errors(claim.weights, claim.intercept)
    except ArithmeticError:
        return [inf] * count
    return errors[:count]


def rational_errors(equations: Any, claim: Any) -> list[Fraction]:
    """How far each coefficient is from the exact one."""
    given = [*claim.weights, *([] if claim.intercept is None else [claim.intercept])]
    exact = [Fraction(int(value.p), int(value.q)) for value in equations.rational()[: len(given)]]
    return [abs(Fraction(ours) - theirs) for ours, theirs in zip(given, exact, strict=True)]


def nearest_double(error: Fraction | float) -> float:
    try:
        return float(error)
    except OverflowError:
        return inf
