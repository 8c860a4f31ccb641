"""Ridge at an infinite penalty: the weights are 0, and what is left is the mean of the targets.

As α grows, the minimiser of Σ s (y − w·x − b)² + α‖w‖² tends to w = 0 and b = Σ s y / Σ s (b = 0 without an
intercept): the minimiser among weights of length 0. Two exact sums are all it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from separatrix.certificates.arithmetic.balls import errors_from, grown, power
from separatrix.certificates.arithmetic.linear_algebra import arb, fmpq
from separatrix.certificates.arithmetic.moments import Moments, Part, moments_of
from separatrix.certificates.data.reading import RowSource, refuse_infinite, stored


class MeanAlone:
    """The solution at an infinite penalty, for so many columns, from exact moments of any of them."""

    def __init__(self, moments: Moments, n_columns: int, *, intercept: bool) -> None:
        self.size, self.intercept = n_columns, intercept
        place = moments.constant
        self._sum, self._total = moments.wholes[place, place + 1], moments.wholes[place, place]
        # The unit of the weights and the scale of the constant are in both sums.
        self._shift = moments.exponents[place + 1] - moments.exponents[place]

    def solve(self) -> list[Any]:
        """Balls that hold the weights, all 0, and last the intercept (0 without one)."""
        if not self.intercept:
            return [arb(0)] * (self.size + 1)
        return [arb(0)] * self.size + grown(self._mean)

    def _mean(self) -> list[Any]:
        return [arb(self._sum) / arb(self._total) * arb((1, self._shift))]

    def rational(self) -> list[Any]:
        mean = fmpq(self._sum, self._total) * power(self._shift) if self.intercept else fmpq(0)
        return [fmpq(0)] * self.size + [mean]

    def errors(self, weights: Sequence[float], intercept: float | None) -> list[float]:
        """Doubles not below |w_j| for each weight and, last, |b − b*|."""
        return errors_from(self.solve(), [*weights, intercept or 0.0])


def target_moments(parts: Any) -> Moments:
    """The moments of targets and constant, whatever the columns: matrix, targets, weights or None."""
    return moments_of(((np.empty((len(y), 0)), y, s) for _, y, s in parts), 0)


def mean_equations(source: RowSource, claim: Any) -> MeanAlone:
    """The limit for the rows of a source, which have to be numbers all the same."""
    weights = None if claim.sample_weight is None else np.asarray(claim.sample_weight, np.float64)

    def parts() -> Iterator[Part]:
        for piece in source.pieces():
            rows = range(piece.start, piece.stop)
            if not np.isfinite(stored(piece.X)).all():
                refuse_infinite(piece.X, rows)
            targets: Any = piece.signs
            yield piece.X, targets, None if weights is None else weights[piece.start : piece.stop]

    return MeanAlone(target_moments(parts()), source.n_columns, intercept=claim.intercept is not None)
