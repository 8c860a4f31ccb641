"""Coefficients at which the gradient of a least-squares problem is short."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from separatrix.certificates.arithmetic.gradient import gradient
from separatrix.certificates.certificate import Certificate, Verdict
from separatrix.certificates.data.reading import RowSource, refuse_infinite, stored
from separatrix.certificates.fields import DoubleOrNone, Doubles, Nonnegative, RowWeights


@dataclass(frozen=True, repr=False)
class GradientAtMost(Certificate):
    """Half the gradient of Σ s (y − w·x − b)² + α‖w‖² at the coefficients is no longer than a number.

    What can be said where the exact solution is out of reach: thousands of columns and no penalty that would
    bound the distance.

    Parameters
    ----------
    weights, intercept, alpha, sample_weight
        As in `SolutionWithin`.
    gradient
        A bound on ‖(αw − Σ s r x, −Σ s r)‖ with r = y − w·x − b.

    Examples
    --------
    >>> GradientAtMost((0.3,), 0.1, alpha=0.0, gradient=1e-14).verify([[0.0], [1.0]], [0.1, 0.4]).holds
    True
    """

    title = "least-squares gradient"
    speaks_of = "targets"

    weights: Doubles
    intercept: DoubleOrNone
    alpha: Nonnegative
    gradient: Nonnegative
    sample_weight: RowWeights = None

    @property
    def claim(self) -> str:
        return f"Half the gradient of the squared error is at most {self.gradient!r} long here."

    def _prove(self, source: RowSource) -> Verdict:
        if self.sample_weight is not None and len(self.sample_weight) != source.n_rows:
            weights = len(self.sample_weight)
            return Verdict(False, f"It has weights for {weights} rows; this data has {source.n_rows}.")
        found = gradient(source, self.weights, self.intercept, self.alpha, self.sample_weight)
        if not found.norm() <= self.gradient:
            clear = found.shortest() > self.gradient
            if clear or exact_square(source, self) > Fraction(self.gradient) ** 2:
                return Verdict(False, f"Half the gradient is longer than the {self.gradient!r} claimed.")
        return Verdict(True, f"Half the gradient is at most {self.gradient!r} long.")


def exact_square(source: RowSource, claim: GradientAtMost) -> Fraction:
    """The squared length of half the gradient, in whole numbers."""
    whole, bias = [Fraction(w) for w in claim.weights], Fraction(claim.intercept or 0.0)
    half = [Fraction(claim.alpha) * w for w in whole]
    pull = Fraction(0)
    for piece in source.pieces():
        refuse_infinite(piece.X, range(piece.start, piece.stop))
        for i, target in enumerate(piece.signs.tolist()):
            x = piece.X[i : i + 1]
            places = range(len(whole)) if isinstance(x, np.ndarray) else x.indices.tolist()
            values = [Fraction(value) for value in np.ravel(stored(x)).tolist()]
            rest = Fraction(target) - bias
            rest -= sum((v * whole[j] for j, v in zip(places, values, strict=True)), Fraction(0))
            if claim.sample_weight is not None:
                rest *= Fraction(claim.sample_weight[piece.start + i])
            for j, value in zip(places, values, strict=True):
                half[j] -= rest * value
            pull -= rest
    return sum((g * g for g in half), Fraction(0)) + (0 if claim.intercept is None else pull * pull)
