"""The normal equations of the given floats, solved in exact arithmetic and in balls.

From exact moments, of rows z = (x, 1, y) with weights s, let S = Σ s and

    C = S·Σ s x xᵀ − (Σ s x)(Σ s x)ᵀ   with an intercept,   C = Σ s x xᵀ   without,                     (1)

and c likewise with y in place of the second x: whole numbers up to powers of two. Then (without an intercept
S = 1)

    (C + α S I) w = c,   b = (Σ s y − w·Σ s x) / S.                                                     (2)

*Rank.* The rank of C modulo a prime is at most its rank. Columns beyond that are proven dependent: C is
positive semidefinite, so the columns N are combinations of the columns P just where its Schur complement has

    C_NN − C_NP C_PP⁻¹ C_PN = 0,                                                                        (3)

and that is checked in rational numbers. There the shortest solution is the one in the range of C,

    w = C_P z   with   C_Pᵀ C_P z = c_P.                                                                (4)

*Balls.* Where C (or C_PP) is regular the solution is enclosed by ball arithmetic (flint's Arb: every
operation returns a ball that is proven to hold the result), at a precision that grows until the balls are
small. No factorisation in floats takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.balls import (
    BALLS,
    MAX_PRECISION_BITS,
    NEGLIGIBLE_BITS,
    RATIONALS,
    NumberField,
    errors_from,
    grown,
    power,
)
from separatrix.certificates.arithmetic.linear_algebra import (
    arb,
    arb_mat,
    fmpq,
    fmpq_mat,
    fmpz,
    fmpz_mat,
    nmod_mat,
)
from separatrix.certificates.arithmetic.moments import Moments

PRIMES = (2**61 - 1, 2**62 - 57, 2**63 - 25)
ZERO_SEARCH_COLUMNS = 60  # columns: up to here a coefficient of exactly 0 is followed far down
ZERO_BITS = 1100


class Dependency(NamedTuple):
    """Column ``column`` is exactly ``constant`` plus the sum of ``coefficients[k]`` times ``columns[k]``."""

    column: int
    columns: tuple[int, ...]
    coefficients: tuple[fmpq, ...]
    constant: fmpq


class NormalEquations:
    """(C + αSI) w = c of exact moments.

    Parameters
    ----------
    moments
        Of rows (x, 1, y).
    intercept
        Whether there is one; it is never penalised.
    alpha
        The penalty α‖w‖², a double from 0 up.
    """

    def __init__(self, moments: Moments, *, intercept: bool, alpha: float = 0.0) -> None:
        self.moments = moments
        self.intercept = intercept
        self.alpha = alpha
        self.size = len(moments.exponents) - 2
        self._exponents = moments.exponents[: self.size]
        self._target_exponent = moments.exponents[-1]

    @cached_property
    def _wholes(self) -> Any:
        return self.moments.wholes

    @cached_property
    def _centred(self) -> Any:
        """C for the columns and the target together, in whole numbers: the target is the last."""
        whole, k = self._wholes, self.size
        kept = [*range(k), k + 1]
        inner = fmpz_mat([[whole[i, j] for j in kept] for i in kept])
        if not self.intercept:
            return inner
        sums = fmpz_mat([[whole[i, k]] for i in kept])
        return inner * whole[k, k] - sums * sums.transpose()  # (1) above

    @cached_property
    def matrix(self) -> Any:
        k, C = self.size, self._centred
        return fmpz_mat([[C[i, j] for j in range(k)] for i in range(k)])

    @cached_property
    def right(self) -> Any:
        k, C = self.size, self._centred
        return fmpz_mat([[C[i, k]] for i in range(k)])

    @cached_property
    def spread(self) -> Any:
        """S times Σ s (y − ȳ)², or Σ s y² without an intercept, in whole numbers."""
        return self._centred[self.size, self.size]

    @property
    def scale(self) -> Any:
        """What C is too large by."""
        return self.moments.total if self.intercept else fmpz(1)

    @cached_property
    def pivots(self) -> tuple[int, ...]:
        """Columns that are independent, the others being proven combinations of them."""
        for prime in PRIMES:
            reduced, rank = nmod_mat(self.matrix, prime).rref()
            if rank == self.size:
                return tuple(range(rank))
            entries = np.array([[int(reduced[i, j]) != 0 for j in range(self.size)] for i in range(rank)])
            found = tuple(int(np.argmax(row)) for row in entries)
            # Centred rows are one dimension short of their number, so that so many pivots are all there are.
            if rank == self.moments.n_rows - self.intercept or self._complete(found):
                return found
        raise ArithmeticError("The rank could not be proven.")  # three primes would have to be unlucky

    @property
    def rank(self) -> int:
        return len(self.pivots)

    def _rest(self, pivots: Sequence[int]) -> list[int]:
        return [j for j in range(self.size) if j not in set(pivots)]

    def _block(self, rows: Sequence[int], columns: Sequence[int]) -> Any:
        if not rows or not columns:
            return fmpz_mat(len(rows), len(columns))
        return fmpz_mat([[self.matrix[i, j] for j in columns] for i in rows])

    def _combinations(self, pivots: Sequence[int]) -> Any:
        rest = self._rest(pivots)
        if not pivots:
            return fmpq_mat(0, len(rest))
        return self._block(pivots, pivots).solve(self._block(pivots, rest))

    def _complete(self, pivots: Sequence[int]) -> bool:
        rest = self._rest(pivots)
        try:
            found = fmpq_mat(self._block(rest, pivots)) * self._combinations(pivots)
        except ZeroDivisionError:
            return False
        if not pivots:
            return all(self.matrix[j, j] == 0 for j in rest)
        return bool(fmpq_mat(self._block(rest, rest)) == found)  # (3) above

    @cached_property
    def dependencies(self) -> tuple[Dependency, ...]:
        """The columns that are exact combinations of others (and of the constant, with an intercept)."""
        if self.alpha:
            return NormalEquations(self.moments, intercept=self.intercept).dependencies
        if self.rank == self.size:
            return ()
        k, whole = self.size, self._wholes
        combined, found = self._combinations(self.pivots), []
        for place, column in enumerate(self._rest(self.pivots)):
            # Of the scaled columns first; the powers of two are put back.
            shares = [combined[i, place] for i in range(self.rank)]
            constant = fmpq(0)
            if self.intercept:
                constant = fmpq(whole[column, k])
                for share, pivot in zip(shares, self.pivots, strict=True):
                    constant -= share * whole[pivot, k]
                constant *= power(self._exponents[column]) / fmpq(whole[k, k])
                constant *= power(self.moments.exponents[k]) ** -1
            terms = [
                (pivot, share * power(self._exponents[column] - self._exponents[pivot]))
                for share, pivot in zip(shares, self.pivots, strict=True)
                if share != 0
            ]
            names, coefficients = zip(*terms, strict=True) if terms else ((), ())
            found.append(Dependency(column, tuple(names), tuple(coefficients), constant))
        return tuple(found)

    def solve(self) -> list[Any]:
        """Balls that hold the exact weights and, last, the exact intercept (0 without one)."""
        depth = ZERO_BITS if self.size <= ZERO_SEARCH_COLUMNS else NEGLIGIBLE_BITS
        return grown(self._regular if self._is_surely_regular() else self._shortest, depth=depth)

    def _is_surely_regular(self) -> bool:
        return self.alpha > 0 or self.rank == self.size

    def _regular(self, field: NumberField = BALLS) -> list[Any]:
        A = field.matrix(self.matrix)
        for j in range(self.size if self.alpha else 0):
            A[j, j] = A[j, j] + self.penalty(j, field)
        scaled = A.solve(field.matrix(self.right))  # (2) above
        weights = [
            scaled[j, 0] * field.power(self._target_exponent - exponent)
            for j, exponent in enumerate(self._exponents)
        ]
        return [*weights, self._intercept(weights, field)]

    def penalty(self, column: int, field: NumberField = BALLS) -> Any:
        """α S on the scale of this column."""
        shift = -self.moments.unit - 2 * self._exponents[column]
        return field.number(fmpz(self.scale)) * field.double(self.alpha) * field.power(shift)

    def _shortest(self, field: NumberField = BALLS) -> list[Any]:
        if not self.rank:
            nothing = [field.number(0)] * self.size
            return [*nothing, self._intercept(nothing, field)]
        # In w the matrix is D C D with D the powers of two of the columns; its range is that of D C_P.
        chosen = field.matrix(fmpz_mat([[self.right[i, 0]] for i in self.pivots]))
        span = field.matrix(self._block(range(self.size), self.pivots))
        for j, exponent in enumerate(self._exponents):
            size = field.power(exponent)
            for k in range(self.rank):
                span[j, k] = span[j, k] * size
        shares = (span.transpose() * span).solve(chosen)  # (4) above
        found = span * shares
        unit = field.power(self._target_exponent)
        weights = [found[j, 0] * unit for j in range(self.size)]
        return [*weights, self._intercept(weights, field)]

    def _intercept(self, weights: Sequence[Any], field: NumberField) -> Any:
        """b of (2) above; the powers of two of the weights and of the constant column cancel."""
        if not self.intercept:
            return field.number(0)
        k, whole = self.size, self._wholes
        rest = field.number(whole[k + 1, k]) * field.power(self._target_exponent)
        for j, w in enumerate(weights):
            rest -= w * field.number(whole[j, k]) * field.power(self._exponents[j])
        return rest / field.number(whole[k, k]) * field.power(-self.moments.exponents[k])

    def rational(self) -> list[Any]:
        """The exact weights and, last, the exact intercept (0 without one): for few columns."""
        return self._regular(RATIONALS) if self._is_surely_regular() else self._shortest(RATIONALS)

    def errors(self, weights: Sequence[float], intercept: float | None) -> list[float]:
        """Doubles not below |w_j − w*_j| for each weight and, last, |b − b*|."""
        return errors_from(self.solve(), [*weights, intercept or 0.0])

    def inverse_diagonal(self) -> list[Any]:
        """Balls for the diagonal of (Σ s zzᵀ)⁻¹ over rows z = (x, 1), the constant last if there is one."""
        return grown(self._inverse_diagonal)

    def _inverse_diagonal(self) -> list[Any]:
        """In the centred frame the inverse is that of G = C/S, and 1/S + mᵀG⁻¹m at the constant."""
        A = arb_mat(self.matrix)
        inverse = A.inv()
        k, whole = self.size, self._wholes
        unit = arb((1, -self.moments.unit))
        scale = arb(self.scale)
        out = [inverse[j, j] * scale * unit * arb((1, -2 * self._exponents[j])) for j in range(k)]
        if self.intercept:
            sums = arb_mat([[arb(whole[j, k])] for j in range(k)])
            inner = (sums.transpose() * inverse * sums)[0, 0] if k else arb(0)
            total = arb(whole[k, k])
            # m = sums / S, so mᵀ G⁻¹ m = inner · S / S².
            out.append((1 + inner) / total * unit * arb((1, -2 * self.moments.exponents[k])))
        return out

    def residual_sum(self) -> Any:
        """A ball for Σ s (y − ŷ)² + α‖w‖² at the solution; exactly 0 if all residuals are."""
        if self.spread == 0 or (not self.alpha and self._reproduces_target()):
            return arb(0)
        return grown(self._residual_sum, depth=MAX_PRECISION_BITS)[0]

    def _reproduces_target(self) -> bool:
        """Whether the target adds nothing to the rank, modulo a prime: wrong for one table in 10¹⁸."""
        ranks = (nmod_mat(C, PRIMES[0]).rank() for C in (self.matrix, self._centred))
        return next(ranks) == next(ranks)

    def _residual_sum(self) -> list[Any]:
        weights = (self._regular() if self._is_surely_regular() else self._shortest())[:-1]
        left = arb(self.spread) * arb((1, self.moments.unit + 2 * self._target_exponent)) / arb(self.scale)
        for j, w in enumerate(weights):
            shift = self.moments.unit + self._target_exponent + self._exponents[j]
            left -= w * arb(self.right[j, 0]) * arb((1, shift)) / arb(self.scale)
        return [left]

    def total_sum(self) -> Any:
        """A ball for Σ s (y − ȳ)², or Σ s y² without an intercept."""
        return arb(self.spread) * arb((1, self.moments.unit + 2 * self._target_exponent)) / arb(self.scale)
