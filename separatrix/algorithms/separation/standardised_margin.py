"""The margin when each column is divided by its standard deviation.

Units are an accident: metres or feet, the verdict is the same and the margin is not. Here column j is
measured in units of σ_j, a double. The bounds are about the real numbers x_j / σ_j, which need not be doubles
and are never formed: by w·x = Σ (w_j σ_j)(x_j / σ_j) every hyperplane w has the margin min s(w·x + b) /
‖(w_j σ_j)‖ there, and a mixture Σ λ z of rows bounds every margin by ‖((Σ λ z)_j / σ_j)‖.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from separatrix.algorithms.separation.active_set import ActiveRows
from separatrix.algorithms.separation.gordan import ExactNearestPoint
from separatrix.algorithms.separation.integers import to_integer_row
from separatrix.algorithms.separation.margins import MarginSearch
from separatrix.algorithms.separation.scan import Plane, Scanner
from separatrix.certificates.arithmetic.dyadic import power_of_two
from separatrix.rows import Block

QUOTIENT_BITS = 100  # bits below the largest term that a sum of quotients keeps


class StandardisedSearch(MarginSearch):
    """The geometric margin in units of ``scales``; floats propose, and each bound is rounded outwards."""

    def __init__(self, scanner: Scanner, active: ActiveRows, plane: Plane, scales: np.ndarray) -> None:
        super().__init__(scanner, active, plane, geometric=True)
        self.scales = scales
        self.exact_scales = [Fraction(scale) for scale in scales.tolist()]
        self.exponent = 0
        self.exponent = int(np.frexp(np.abs(self._to_coordinates(self.active.X)).max(initial=0.0))[1])

    def _to_coordinates(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            points = np.ldexp((X - self.middle) / self.scales, -self.exponent)
        return np.where(np.isfinite(points), points, 0.0)

    def _scale_entries(self, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            scaled = np.ldexp(values / self.scales[columns], -self.exponent)
        return np.where(np.isfinite(scaled), scaled, 0.0)

    def _to_plane(self, nearest: np.ndarray) -> Plane | None:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            weights = nearest / self.scales
        return super()._to_plane(weights) if np.isfinite(weights).all() else None

    def _run_exactly(self, tol: float) -> None:
        """Floats still find the normal, since quotients are no whole numbers; its intercept is exact."""
        self.has_grown = True
        while self.has_grown and not self._is_closed(tol):
            plane = self._propose(tol)
            if plane is None:
                return
            normal = ExactNearestPoint(to_integer_row(np.asarray(plane.weights[:-1])), 1, [], [])
            exact = self._to_exact_plane(self._to_exact_points(), normal)
            self._update_lower(exact, self._scan(exact), exactly=True)

    def _square_norm(self, plane: Plane) -> Fraction:
        return sum(
            ((Fraction(w) * s) ** 2 for w, s in zip(plane.to_numbers(), self.exact_scales, strict=False)),
            Fraction(0),
        )

    def _square_length(self, point: Sequence[int]) -> Fraction:
        """From above: the exact sum would have the product of all σ² below the line."""
        terms = [(v / s) ** 2 for v, s in zip(point, self.exact_scales, strict=False)]
        largest = max(terms)
        if not largest:
            return largest
        bits = largest.numerator.bit_length() - largest.denominator.bit_length()
        unit = power_of_two(bits - QUOTIENT_BITS)
        return sum(ceil(term / unit) for term in terms) * unit


def compute_standard_deviations(scanner: Scanner) -> np.ndarray:
    """σ of each column with 1/n, as floats have it; 1 for a constant column.

    Two passes, about the middle of each column's range and in its units: n rows have σ² of at least 1/2n
    there, so that little cancels, wherever the column lies and however large it is.
    """
    rows = scanner.rows
    low, high = np.full(rows.n_columns, np.inf), np.full(rows.n_columns, -np.inf)
    for block_low, block_high in rows.each(BlockRanges()):
        np.minimum(low, block_low, out=low)
        np.maximum(high, block_high, out=high)
    exponents = np.frexp(high / 2 - low / 2)[1]
    middle = low / 2 + high / 2
    is_moderate = bool((abs(exponents) < 1000).all())
    units = np.ldexp(1.0, -exponents) if is_moderate else None
    first, second = rows.sum(StandardisedMoments(middle, exponents, units))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        variances = second / rows.n_rows - (first / rows.n_rows) ** 2
        sigmas = np.ldexp(np.sqrt(np.maximum(variances, 0.0)), exponents)
    sigmas = np.clip(sigmas, 5e-324, np.finfo(np.float64).max)
    return np.where(low == high, 1.0, sigmas)


@dataclass(frozen=True)
class BlockRanges:
    """The smallest and the largest value of each column of a block."""

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        if not block.is_sparse:
            return block.X.min(axis=0), block.X.max(axis=0)
        data, indices, _ = block.X
        full = np.bincount(indices, minlength=block.n_columns) == len(block)
        low, high = np.where(full, np.inf, 0.0), np.where(full, -np.inf, 0.0)
        np.minimum.at(low, indices, data)
        np.maximum.at(high, indices, data)
        return low, high


@dataclass(frozen=True)
class StandardisedMoments:
    """Σ z and Σ z² of each column of a block, for z = (x − middle) / 2**exponent.

    ``units`` are 2**-exponent, by which a product is much faster than ldexp; None where doubles do not hold
    them.
    """

    middle: np.ndarray
    exponents: np.ndarray
    units: np.ndarray | None

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return self._sum_entries(block) if block.is_sparse else self._sum_rows(block.X)

    def _sum_rows(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.asarray(X, np.float64) - self.middle
        if self.units is None:
            values = np.ldexp(values, -self.exponents)
        else:
            values *= self.units
        return values.sum(axis=0), np.einsum("ij,ij->j", values, values)

    def _sum_entries(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """The entries that are stored, and the zeros that are not."""
        data, indices, _ = block.X
        zero = np.ldexp(-self.middle, -self.exponents)
        values = np.ldexp(np.asarray(data, np.float64) - self.middle[indices], -self.exponents[indices])
        absent = len(block) - np.bincount(indices, minlength=block.n_columns)
        return (
            np.bincount(indices, values, block.n_columns) + absent * zero,
            np.bincount(indices, values * values, block.n_columns) + absent * zero * zero,
        )
