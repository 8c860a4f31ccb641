"""The exact way: whole-number moments in one pass, the solution in balls, coefficients rounded once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.least_squares.gram import limit_threads
from separatrix.certificates.arithmetic.balls import Precision, errors_from, middles
from separatrix.certificates.arithmetic.interpolation import RowEquations
from separatrix.certificates.arithmetic.linear_algebra import arb, arb_mat
from separatrix.certificates.arithmetic.moments import Moments, Part, moments_of, nearest
from separatrix.certificates.arithmetic.normal_equations import NormalEquations
from separatrix.certificates.claims.optimality.mean_alone import MeanAlone
from separatrix.rows import Block, Rows

MIN_EIGENVALUE_SHARE = 1e-12  # of the trace: the smallest eigenvalue that floats distinguish from 0
MAX_PIVOT_COLUMNS = 120  # columns, of which a pivoted factorisation in balls is made


@dataclass(frozen=True)
class MomentPart:
    """A block as exact moments are made of it: rows, targets, weights."""

    def __call__(self, block: Block) -> Part:
        return block.matrix(), block.targets, block.weights


def iterate_parts(rows: Rows) -> Iterator[Part]:
    """Rows, targets and weights, block by block."""
    return rows.each(MomentPart(), parallel_blas=True)


def sum_exact_moments(rows: Rows) -> Moments:
    """One pass over the rows."""
    rows.require_finite()
    return moments_of(iterate_parts(rows), rows.n_columns)


def form_row_equations(rows: Rows, *, intercept: bool, alpha: float) -> RowEquations:
    """The equations by rows, for more columns than rows."""
    rows.require_finite()
    whole = rows.whole()
    X = whole.dense().astype(np.float64, copy=False)
    return RowEquations(X, whole.targets, intercept=intercept, alpha=alpha, sample_weight=rows.weights)


class RoundedSolution(NamedTuple):
    """Coefficients next to the exact ones, the intercept last, and how far they may be from them."""

    coefficients: np.ndarray
    errors: list[float]


def solve_and_round(equations: NormalEquations | RowEquations | MeanAlone) -> RoundedSolution:
    exact = equations.solve()
    coefficients = middles(exact)
    if not np.isfinite(coefficients).all():
        return RoundedSolution(coefficients, [inf] * len(coefficients))
    return RoundedSolution(coefficients, errors_from(exact, coefficients.tolist()))


class ColumnRanks(NamedTuple):
    """How independent the columns are: the rank of the floats given, the rank that a computation in doubles
    could see, and the condition of the scaled columns.
    """

    rank: int
    numerical_rank: int
    condition: float


def measure_ranks(equations: NormalEquations) -> ColumnRanks:
    """Of least squares, from the exact moments.

    A column counts as numerically independent if its distance from the span of those before it, in units of
    its own spread, is more than max(n, d)·2⁻⁵²; the columns come in order of that distance, as in a QR
    factorisation with pivoting.
    """
    d = equations.size
    scaled = scale_to_unit_diagonal(equations.matrix)
    with limit_threads(d):
        eigenvalues = np.linalg.eigvalsh(scaled)
    if eigenvalues[0] > MIN_EIGENVALUE_SHARE * d:
        return ColumnRanks(d, d, sqrt(float(eigenvalues[-1] / eigenvalues[0])))
    limit = (max(equations.moments.n_rows, d) * 2.0**-52) ** 2
    if d > MAX_PIVOT_COLUMNS:
        numerical_rank = int(np.count_nonzero(eigenvalues > max(limit, d * 2.0**-52)))
        return ColumnRanks(equations.rank, numerical_rank, inf)
    pivots = _find_pivots(equations.matrix)
    numerical_rank = sum(pivot > limit for pivot in pivots)
    rank = equations.rank
    least_pivot = min((pivot for pivot in pivots[:rank]), default=0.0)
    condition = sqrt(float(eigenvalues[-1]) / least_pivot) if rank == d and least_pivot > 0 else inf
    return ColumnRanks(rank, numerical_rank, condition)


def scale_to_unit_diagonal(integers: Any) -> np.ndarray:
    """A positive semidefinite matrix of whole numbers, scaled to a unit diagonal, in doubles."""
    d = integers.nrows()
    mantissas, exponents = np.zeros((d, d)), np.zeros((d, d))
    for i in range(d):
        for j in range(i, d):
            integer = int(integers[i, j])
            dropped_bits = max(0, abs(integer).bit_length() - 60)
            mantissas[i, j] = mantissas[j, i] = float(integer >> dropped_bits)
            exponents[i, j] = exponents[j, i] = dropped_bits
    diagonal, diagonal_exponents = np.diag(mantissas), np.diag(exponents)
    roots = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = mantissas / np.outer(roots, roots)
    return np.asarray(scaled * np.exp2(exponents - np.add.outer(diagonal_exponents, diagonal_exponents) / 2))


def compute_centred_gram(moments: Moments, *, intercept: bool) -> np.ndarray:
    """Σ s (x − x̄)(x − x̄)ᵀ, or Σ s x xᵀ without an intercept, each entry next to the exact one."""
    equations = NormalEquations(moments, intercept=intercept)
    d, integers = equations.size, equations.matrix
    unit, exponents = moments.unit, moments.exponents
    weight_exponent = unit + 2 * exponents[d]
    exponent, total = (
        (unit + weight_exponent, nearest(moments.total, weight_exponent)) if intercept else (unit, 1.0)
    )
    rows = [
        [nearest(integers[i, j], exponent + exponents[i] + exponents[j]) / total for j in range(d)]
        for i in range(d)
    ]
    return np.array(rows)


def _find_pivots(integers: Any) -> list[float]:
    """Squared distances of scaled columns from the span of those taken before, the largest first."""
    d = integers.nrows()
    with Precision(512):
        roots = [arb(integers[j, j]).sqrt() if integers[j, j] else arb(1) for j in range(d)]
        correlations = arb_mat(
            [[arb(integers[i, j]) / (roots[i] * roots[j]) for j in range(d)] for i in range(d)]
        )
        rows = [[correlations[i, j] for j in range(d)] for i in range(d)]
        pivots: list[float] = []
        while rows:
            largest = max(range(len(rows)), key=lambda k: float(rows[k][k].mid()))
            pivot = rows[largest][largest]
            if not pivot > 0 or float(pivot.mid()) < 2.0**-400:
                break
            pivots.append(float(pivot.mid()))
            pivot_row = rows[largest]
            remaining = [k for k in range(len(rows)) if k != largest]
            rows = [
                [rows[i][j] - rows[i][largest] * pivot_row[j] / pivot for j in remaining] for i in remaining
            ]
    return pivots
