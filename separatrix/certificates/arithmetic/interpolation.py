"""More columns than rows: the shortest solution is a combination of rows, found from their products.

Let X be the rows less their (weighted) mean m, or as they are without an intercept, y likewise, and K = X Xᵀ.
The shortest solution is w = Xᵀt. For α > 0, with D the row weights,

    (K + α D⁻¹) t = y;                                                                                  (1)

for α = 0, any t with support on rows P whose K_PP is regular and of the rank of K, that minimises the
weighted ‖y − K_P t‖²:

    K_Pᵀ D K_P t = K_Pᵀ D y.                                                                            (2)

Then Xw = K_P t is the projection of y on the span of the columns, and w lies in the span of the rows. K and
these equations are exact; they are solved, and w is multiplied out, in balls or in fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from separatrix.certificates.arithmetic.balls import (
    BALLS,
    RATIONALS,
    NumberField,
    errors_from,
    fraction,
    grown,
    power,
)
from separatrix.certificates.arithmetic.linear_algebra import fmpq, fmpq_mat, fmpz, fmpz_mat, nmod_mat
from separatrix.certificates.arithmetic.moments import products_of
from separatrix.certificates.arithmetic.normal_equations import PRIMES
from separatrix.certificates.arithmetic.slices import Doubles

MAX_ROWS = 200
MAX_VALUES = 1_000_000


class RowEquations:
    """The exact solution by way of K, for few rows and many columns."""

    def __init__(
        self, X: Doubles, y: Doubles, *, intercept: bool, alpha: float, sample_weight: Doubles | None
    ) -> None:
        self.n_columns = X.shape[1]
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        used = weights > 0  # a row of weight 0 is as good as absent
        self.X, self.y, self.weights = X[used], y[used], weights[used]
        self.intercept = intercept
        self.alpha = alpha

    @cached_property
    def _shares(self) -> list[Any]:
        """What share of the mean each row has; nothing without an intercept."""
        exact = [fraction(s) for s in self.weights.tolist()]
        total = sum(exact, fmpq(0))
        return [s / total for s in exact] if self.intercept else []

    @cached_property
    def products(self) -> Any:
        """K exactly: (I − 1pᵀ) XXᵀ (I − p1ᵀ), p the shares."""
        exponents, wholes = products_of(np.ascontiguousarray(self.X.T))
        n = len(exponents)
        K = fmpq_mat(
            [[fmpq(wholes[i, j]) * power(exponents[i] + exponents[j]) for j in range(n)] for i in range(n)]
        )
        return self._moved * K * self._moved.transpose() if self.intercept else K

    @cached_property
    def _moved(self) -> Any:
        n = len(self.y)
        return fmpq_mat([[fmpq(int(i == j)) - self._shares[j] for j in range(n)] for i in range(n)])

    @cached_property
    def targets(self) -> Any:
        y = fmpq_mat([[fraction(value)] for value in self.y.tolist()])
        return self._moved * y if self.intercept else y

    def solve(self) -> list[Any]:
        """Balls that hold the exact weights and, last, the exact intercept (0 without one)."""
        return grown(self._solution)

    def rational(self) -> list[Any]:
        """The exact weights and, last, the exact intercept (0 without one): for few rows."""
        return self._solution(RATIONALS)

    def _solution(self, field: NumberField = BALLS) -> list[Any]:
        n, d = self.X.shape
        if not n:  # no row counts, so nothing is shorter than 0
            return [field.number(0)] * (d + 1)
        t = self._combination(field)
        if self.intercept:
            # Xᵀt of the moved rows is that of the rows as given with t less its sum's shares.
            total = sum(t, field.number(0))
            t = [value - field.number(share) * total for value, share in zip(t, self._shares, strict=True)]
        rows = field.matrix(d, n, [field.double(value) for value in self.X.T.ravel().tolist()])
        w = rows * field.matrix([[value] for value in t])
        weights = [w[j, 0] for j in range(d)]
        if not self.intercept:
            return [*weights, field.number(0)]
        mean = fmpq_mat([self._shares]) * fmpq_mat([[fraction(v)] for v in self.y.tolist()])
        at_mean = field.matrix([[field.number(s) for s in self._shares]]) * rows.transpose() * w
        return [*weights, field.number(mean[0, 0]) - at_mean[0, 0]]

    def _combination(self, field: NumberField) -> list[Any]:
        n = len(self.y)
        if self.alpha:
            K = fmpq_mat(self.products)
            for i, s in enumerate(self.weights.tolist()):
                K[i, i] = K[i, i] + fraction(self.alpha) / fraction(s)
            found = field.matrix(K).solve(field.matrix(self.targets))  # (1) above
            return [found[i, 0] for i in range(n)]
        A, c, pivots = self._projection
        t = [field.number(0)] * n
        if pivots:
            found = field.matrix(A).solve(field.matrix(c))  # (2) above
            for place, row in enumerate(pivots):
                t[row] = found[place, 0]
        return t

    @cached_property
    def _projection(self) -> tuple[Any, Any, tuple[int, ...]]:
        pivots = self.pivots
        n = len(self.y)
        if not pivots:
            return None, None, ()
        some = fmpq_mat([[self.products[i, j] for j in pivots] for i in range(n)])
        weighted = fmpq_mat(
            [[fraction(s) * self.products[i, j] for i, s in enumerate(self.weights.tolist())] for j in pivots]
        )
        return weighted * some, weighted * self.targets, pivots

    @cached_property
    def pivots(self) -> tuple[int, ...]:
        """Independent rows, as many as the rank."""
        n = len(self.y)
        common = fmpz(1)
        for i in range(n):
            for j in range(n):
                common = common.lcm(self.products[i, j].q)
        K = fmpz_mat([[(self.products[i, j] * common).p for j in range(n)] for i in range(n)])
        for prime in PRIMES:
            reduced, rank = nmod_mat(K, prime).rref()
            entries = [[int(reduced[i, j]) != 0 for j in range(n)] for i in range(rank)]
            found = tuple(row.index(True) for row in entries)
            if _complete(K, found):
                return found
        raise ArithmeticError("The rank could not be proven.")

    @property
    def rank(self) -> int:
        return len(self.pivots)

    def errors(self, weights: Sequence[float | int], intercept: float | int | None) -> list[float]:
        """Doubles not below |w_j − w*_j| for each weight and, last, |b − b*|."""
        return errors_from(self.solve(), [*weights, intercept or 0.0])


def row_equations(source: Any, claim: Any) -> RowEquations | None:
    """The way by rows, where there are few rows and more columns; else None."""
    n, d = source.n_rows, source.n_columns
    if not (n < d and n <= MAX_ROWS and n * d <= MAX_VALUES):
        return None
    pieces = list(source.pieces())
    X = np.concatenate([p.X if isinstance(p.X, np.ndarray) else p.X.toarray() for p in pieces])
    if not np.isfinite(X).all():
        raise ValueError("A verdict needs finite numbers.")
    y = np.concatenate([p.signs for p in pieces])
    s = None if claim.sample_weight is None else np.asarray(claim.sample_weight, np.float64)
    return RowEquations(X, y, intercept=claim.intercept is not None, alpha=claim.alpha, sample_weight=s)


def _complete(K: Any, pivots: Sequence[int]) -> bool:
    """Whether the rows beyond these are proven combinations of them: their Schur complement is zero."""
    n = K.nrows()
    rest = [j for j in range(n) if j not in set(pivots)]
    if not rest:
        return True
    if not pivots:
        return all(K[j, j] == 0 for j in rest)
    inner = fmpz_mat([[K[i, j] for j in pivots] for i in pivots])
    side = fmpz_mat([[K[i, j] for j in rest] for i in pivots])
    corner = fmpq_mat(fmpz_mat([[K[i, j] for j in rest] for i in rest]))
    try:
        combined: Any = inner.solve(side)
        return bool(corner == fmpq_mat(side.transpose()) * combined)
    except ZeroDivisionError:
        return False
