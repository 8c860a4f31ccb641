"""The margin when each column is divided by its standard deviation.

Units are an accident: metres or feet, the verdict is the same and the margin is not. Here column j is
measured in units of σ_j, a double. The bounds are about the real numbers x_j / σ_j, which need not be doubles
and are never formed: by w·x = Σ (w_j σ_j)(x_j / σ_j) every hyperplane w has the margin min s(w·x + b) /
‖(w_j σ_j)‖ there, and a mixture Σ λ z of rows bounds every margin by ‖((Σ λ z)_j / σ_j)‖.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import numpy as np

from separatrix.algorithms.separation.active_set import Active
from separatrix.algorithms.separation.gordan import Foot
from separatrix.algorithms.separation.integers import dyadic
from separatrix.algorithms.separation.margins import MarginSearch
from separatrix.algorithms.separation.scan import Plane, Scanner
from separatrix.certificates.arithmetic.dyadic import power_of_two
from separatrix.rows import Block, Csr

FINE = 100  # bits below the largest term that a sum of quotients keeps


class StandardisedSearch(MarginSearch):
    """The geometric margin in units of ``scales``; floats propose, and each bound is rounded outwards."""

    def __init__(self, scanner: Scanner, active: Active, plane: Plane, scales: np.ndarray) -> None:
        super().__init__(scanner, active, plane, geometric=True)
        self.scales = scales
        self.exact = [Fraction(scale) for scale in scales.tolist()]
        self.exponent = 0
        self.exponent = int(np.frexp(np.abs(self._seen(self.active.X)).max(initial=0.0))[1])

    def _seen(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            seen = np.ldexp((X - self.middle) / self.scales, -self.exponent)
        return np.where(np.isfinite(seen), seen, 0.0)

    def _scaled(self, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            scaled = np.ldexp(values / self.scales[columns], -self.exponent)
        return np.where(np.isfinite(scaled), scaled, 0.0)

    def _plane(self, nearest: np.ndarray) -> Plane | None:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            weights = nearest / self.scales
        return super()._plane(weights) if np.isfinite(weights).all() else None

    def _in_whole_numbers(self, tol: float) -> None:
        """Floats still find the normal, since quotients are no whole numbers; its intercept is exact."""
        self.grew = True
        while self.grew and not self._closed(tol):
            plane = self._proposed(tol)
            if plane is None:
                return
            normal = Foot(dyadic(np.asarray(plane.weights[:-1])), 1, [], [])
            exact = self._whole_plane(self._whole_points(), normal)
            self._take(exact, self._scan(exact), exactly=True)

    def _squared_norm(self, plane: Plane) -> Fraction:
        return sum(
            ((Fraction(w) * s) ** 2 for w, s in zip(plane.numbers(), self.exact, strict=False)), Fraction(0)
        )

    def _squared_length(self, point: Sequence[int]) -> Fraction:
        """From above: the exact sum would have the product of all σ² below the line."""
        terms = [(v / s) ** 2 for v, s in zip(point, self.exact, strict=False)]
        largest = max(terms)
        if not largest:
            return largest
        bits = largest.numerator.bit_length() - largest.denominator.bit_length()
        unit = power_of_two(bits - FINE)
        return sum(ceil(term / unit) for term in terms) * unit


def standard_deviations(scanner: Scanner) -> np.ndarray:
    """σ of each column with 1/n, as floats have it; 1 for a constant column.

    Two passes, about the middle of each column's range and in its units: n rows have σ² of at least 1/2n
    there, so that little cancels, wherever the column lies and however large it is.
    """
    rows = scanner.rows
    low, high = np.full(rows.n_columns, np.inf), np.full(rows.n_columns, -np.inf)
    for block in rows.blocks():
        bottom, top = _ends(block, rows.n_columns)
        np.minimum(low, bottom, out=low)
        np.maximum(high, top, out=high)
    exponents = np.frexp(high / 2 - low / 2)[1]
    middle = low / 2 + high / 2
    plain = bool((abs(exponents) < 1000).all())
    units = np.ldexp(1.0, np.where(plain, -exponents, 0))  # a product is much faster than ldexp

    def moments(block: Block) -> tuple[np.ndarray, np.ndarray]:
        if not isinstance(block.X, Csr):
            seen = np.asarray(block.X, np.float64) - middle
            seen = np.multiply(seen, units, out=seen) if plain else np.ldexp(seen, -exponents)
            return seen.sum(axis=0), np.einsum("ij,ij->j", seen, seen)
        data, at, _ = block.X
        zero = np.ldexp(-middle, -exponents)
        seen = np.ldexp(np.asarray(data, np.float64) - middle[at], -exponents[at])
        absent = len(block) - np.bincount(at, minlength=rows.n_columns)
        return (
            np.bincount(at, seen, rows.n_columns) + absent * zero,
            np.bincount(at, seen * seen, rows.n_columns) + absent * zero * zero,
        )

    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        first, second = rows.sum(moments)
        variances = second / rows.n_rows - (first / rows.n_rows) ** 2
        sigmas = np.ldexp(np.sqrt(np.maximum(variances, 0.0)), exponents)
    sigmas = np.clip(sigmas, 5e-324, np.finfo(np.float64).max)
    return np.where(low == high, 1.0, sigmas)


def _ends(block: Block, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of each column."""
    if not isinstance(block.X, Csr):
        return block.X.min(axis=0), block.X.max(axis=0)
    data, at, _ = block.X
    full = np.bincount(at, minlength=columns) == len(block)
    low, high = np.where(full, np.inf, 0.0), np.where(full, -np.inf, 0.0)
    np.minimum.at(low, at, data)
    np.maximum.at(high, at, data)
    return low, high
