"""The exact way: whole-number moments in one pass, the solution in balls, coefficients rounded once."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from separatrix.algorithms.least_squares.gram import quietly
from separatrix.certificates.arithmetic.balls import Precision, errors_from, middles
from separatrix.certificates.arithmetic.interpolation import RowEquations
from separatrix.certificates.arithmetic.linear_algebra import arb, arb_mat
from separatrix.certificates.arithmetic.moments import Moments, Part, moments_of, nearest
from separatrix.certificates.arithmetic.normal_equations import NormalEquations
from separatrix.certificates.claims.optimality.mean_alone import MeanAlone
from separatrix.fitting.exact_errors import matrix
from separatrix.rows import Rows

SURE = 1e-12  # smallest eigenvalue of the scaled matrix that floats tell apart from 0
MOST_PIVOTS = 120  # columns, of which a pivoted factorisation in balls is made


def parts_of(rows: Rows, weights: np.ndarray | None) -> Iterator[Part]:
    """Rows, targets and weights, block by block."""
    for block in rows.blocks():
        some = None if weights is None else weights[block.start : block.stop]
        assert block.targets is not None
        yield matrix(block, rows.n_columns), block.targets, some


def exact_moments(rows: Rows, weights: np.ndarray | None) -> Moments:
    """One pass over the rows."""
    rows.require_finite()
    return moments_of(parts_of(rows, weights), rows.n_columns)


def exact_rows(rows: Rows, weights: np.ndarray | None, *, intercept: bool, alpha: float) -> RowEquations:
    """The equations by rows, for more columns than rows."""
    rows.require_finite()
    parts = list(parts_of(rows, None))
    X = np.concatenate([X if isinstance(X, np.ndarray) else X.toarray() for X, _, _ in parts])
    y = np.concatenate([targets for _, targets, _ in parts])
    X = X.astype(np.float64, copy=False)
    return RowEquations(X, y, intercept=intercept, alpha=alpha, sample_weight=weights)


class Solved(NamedTuple):
    """Coefficients next to the exact ones, the intercept last, and how far they may be from them."""

    coefficients: np.ndarray
    errors: list[float]


def solved(equations: NormalEquations | RowEquations | MeanAlone) -> Solved:
    exact = equations.solve()
    coefficients = middles(exact)
    if not np.isfinite(coefficients).all():
        return Solved(coefficients, [inf] * len(coefficients))
    return Solved(coefficients, errors_from(exact, coefficients.tolist()))


class Standing(NamedTuple):
    """How independent the columns are: the rank of the floats given, the rank that a computation in doubles
    could see, and the condition of the scaled columns.
    """

    rank: int
    numerical_rank: int
    condition: float


def standing(equations: NormalEquations) -> Standing:
    """Of least squares, from the exact moments.

    A column counts as numerically independent if its distance from the span of those before it, in units of
    its own spread, is more than max(n, d)·2⁻⁵²; the columns come in order of that distance, as in a QR
    factorisation with pivoting.
    """
    d = equations.size
    scaled = correlations(equations.matrix)
    with quietly(d):
        values = np.linalg.eigvalsh(scaled)
    if values[0] > SURE * d:
        return Standing(d, d, sqrt(float(values[-1] / values[0])))
    limit = (max(equations.moments.n_rows, d) * 2.0**-52) ** 2
    if d > MOST_PIVOTS:
        seen = int(np.count_nonzero(values > max(limit, d * 2.0**-52)))
        return Standing(equations.rank, seen, inf)
    pivots = _pivots(equations.matrix)
    seen = sum(pivot > limit for pivot in pivots)
    rank = equations.rank
    least = min((pivot for pivot in pivots[:rank]), default=0.0)
    condition = sqrt(float(values[-1]) / least) if rank == d and least > 0 else inf
    return Standing(rank, seen, condition)


def correlations(whole: Any) -> np.ndarray:
    """A positive semidefinite matrix of whole numbers, scaled to a unit diagonal, in doubles."""
    d = whole.nrows()
    mantissas, exponents = np.zeros((d, d)), np.zeros((d, d))
    for i in range(d):
        for j in range(i, d):
            number = int(whole[i, j])
            spare = max(0, abs(number).bit_length() - 60)
            mantissas[i, j] = mantissas[j, i] = float(number >> spare)
            exponents[i, j] = exponents[j, i] = spare
    diagonal, powers = np.diag(mantissas), np.diag(exponents)
    sizes = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = mantissas / np.outer(sizes, sizes)
    return np.asarray(scaled * np.exp2(exponents - np.add.outer(powers, powers) / 2))


def centred_gram(moments: Moments, *, intercept: bool) -> np.ndarray:
    """Σ s (x − x̄)(x − x̄)ᵀ, or Σ s x xᵀ without an intercept, each entry next to the exact one."""
    equations = NormalEquations(moments, intercept=intercept)
    k, whole = equations.size, equations.matrix
    unit, powers = moments.unit, moments.exponents
    own = unit + 2 * powers[k]
    shift, total = (unit + own, nearest(moments.total, own)) if intercept else (unit, 1.0)
    rows = [[nearest(whole[i, j], shift + powers[i] + powers[j]) / total for j in range(k)] for i in range(k)]
    return np.array(rows)


def _pivots(whole: Any) -> list[float]:
    """Squared distances of scaled columns from the span of those taken before, the largest first."""
    d = whole.nrows()
    with Precision(512):
        sizes = [arb(whole[j, j]).sqrt() if whole[j, j] else arb(1) for j in range(d)]
        left = arb_mat([[arb(whole[i, j]) / (sizes[i] * sizes[j]) for j in range(d)] for i in range(d)])
        rows = [[left[i, j] for j in range(d)] for i in range(d)]
        found: list[float] = []
        while rows:
            place = max(range(len(rows)), key=lambda k: float(rows[k][k].mid()))
            pivot = rows[place][place]
            if not pivot > 0 or float(pivot.mid()) < 2.0**-400:
                break
            found.append(float(pivot.mid()))
            head = rows[place]
            kept = [k for k in range(len(rows)) if k != place]
            rows = [[rows[i][j] - rows[i][place] * head[j] / pivot for j in kept] for i in kept]
    return found
