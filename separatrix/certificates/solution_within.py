"""Coefficients within a distance of the exact solution of a least-squares problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from .certificate import Certificate, Verdict
from .gradient import gradient
from .interpolation import row_equations
from .measured import read_measured
from .moments import Part, moments_of
from .normal_equations import NormalEquations
from .source import Source
from .witness import CertificateError, Number, NumberOrNone, Numbers, NumbersOrNone

MOST_COLUMNS = 1000  # of exact equations
MOST_DEPENDENT = 200  # where there are fewer rows than columns, so that the columns depend on one another
MOST_WORK = 5e12  # products of columns, over all rows


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
        The penalty, 0 for least squares.
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

    weights: Numbers
    intercept: NumberOrNone
    alpha: Number
    distance: Number
    within: Numbers
    sample_weight: NumbersOrNone = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha < 0 or self.distance < 0 or min(self.within, default=0) < 0:
            raise CertificateError("A penalty and a distance are numbers from 0 up.")
        if len(self.within) != len(self.weights) + (self.intercept is not None):
            raise CertificateError("It needs one bound for each coefficient.")
        if self.sample_weight is not None and min(self.sample_weight, default=0) < 0:
            raise CertificateError("A row weight is a number from 0 up.")

    @property
    def claim(self) -> str:
        what = "least-squares" if not self.alpha else f"ridge (alpha = {self.alpha!r})"
        return f"The coefficients are within {self.distance!r} of the exact {what} solution of these numbers."

    def _read(self, X: Any, y: Any) -> Source:
        return read_measured(X, y, label=self.about.label, features=self.about.features)

    def _prove(self, source: Source) -> Verdict:
        if self.sample_weight is not None and len(self.sample_weight) != source.n_rows:
            weights = len(self.sample_weight)
            return Verdict(False, f"It has weights for {weights} rows; this data has {source.n_rows}.")
        if self.alpha > 0 and self._by_gradient(source):
            return self._holds("by the length of the gradient")
        errors = exact_errors(source, self)
        if errors is None:
            return Verdict(False, "The problem is too large for its exact solution to be enclosed here.")
        for place, (error, allowed) in enumerate(zip(errors, self.within, strict=True)):
            if not error <= allowed:
                what = f"Weight {place}" if place < len(self.weights) else "The intercept"
                return Verdict(
                    False,
                    f"{what} is {error:.3g} away from the exact one, more than the {allowed!r} claimed.",
                )
        if not length(errors) <= self.distance:
            return Verdict(False, f"The distance is {length(errors):.3g}, more than is claimed.")
        return self._holds("in exact arithmetic")

    def _by_gradient(self, source: Source) -> bool:
        if not all(isinstance(number, float) for number in (*self.weights, self.intercept or 0.0)):
            return False
        far, bias = gradient_distance(source, self)
        bounds = [far] * len(self.weights) + [bias] * (self.intercept is not None)
        fits = all(bound <= allowed for bound, allowed in zip(bounds, self.within, strict=True))
        return fits and length([far, bias]) <= self.distance

    def _holds(self, how: str) -> Verdict:
        return Verdict(True, f"Every coefficient is as close to the exact one as claimed ({how}).")


def length(errors: list[float]) -> float:
    """Not below the Euclidean length."""
    largest = max(errors)
    if largest in (0.0, inf):
        return largest
    scaled = np.array(errors) / largest
    return largest * float(np.sqrt(scaled @ scaled)) * (1 + (len(errors) + 8) * 2.0**-52)


def gradient_distance(source: Source, claim: Any) -> tuple[float, float]:
    """Bounds on the distance of weights and intercept, for a penalty above 0."""
    found = gradient(source, claim.weights, claim.intercept, claim.alpha, claim.sample_weight)
    return found.distance(float(claim.alpha))


def parts_of(source: Source, sample_weight: Any) -> Iterator[Part]:
    """Rows, targets and weights, piece by piece."""
    weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    for piece in source.pieces():
        targets: Any = piece.signs
        yield piece.X, targets, None if weights is None else weights[piece.start : piece.stop]


def few_columns(n: int, d: int) -> bool:
    """Whether exact equations for the columns are within reach."""
    return d <= (MOST_COLUMNS if n > d else MOST_DEPENDENT) and n * (d + 2) ** 2 <= MOST_WORK


def exact_errors(source: Source, claim: Any) -> list[float] | None:
    """How far each coefficient may be from the exact one; None where the problem is too large for that."""
    n = source.n_rows
    equations: Any
    by_rows = row_equations(source, claim)
    if by_rows is not None:
        equations = by_rows
    elif few_columns(n, source.n_columns):
        moments = moments_of(parts_of(source, claim.sample_weight), source.n_columns)
        equations = NormalEquations(moments, intercept=claim.intercept is not None, alpha=claim.alpha)
    else:
        return None
    try:
        errors: list[float] = equations.errors(claim.weights, claim.intercept)
    except ArithmeticError:
        return None
    return errors if claim.intercept is not None else errors[:-1]
