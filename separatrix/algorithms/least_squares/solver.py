"""Which way a least-squares problem is solved: chosen by its size and by its measured condition.

==================  ======================================================================================
small, or a stream  exact moments in one pass, the solution in ball arithmetic, rounded once
tall                the Gram matrix in floats and refinement, while its condition allows; else the exact way
wide                products of rows: exactly where they are few, else in floats
large both ways     conjugate gradients
infinite penalty    the mean of the targets, exactly
==================  ======================================================================================
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from math import isinf
from typing import Any

import numpy as np

from separatrix.algorithms.least_squares.certificate import Claim, about, exact_in_reach, within
from separatrix.algorithms.least_squares.exact_solution import (
    exact_moments,
    exact_rows,
    parts_of,
    solved,
    standing,
)
from separatrix.algorithms.least_squares.gram import (
    LARGEST_CONDITION,
    Gram,
    Refined,
    Unsuited,
    gram_of,
    refined,
    with_blas_threads,
)
from separatrix.algorithms.least_squares.iterative import SMALL, conjugate_gradients
from separatrix.algorithms.least_squares.row_gram import Wide
from separatrix.algorithms.least_squares.single_precision_gram import CONDITION, single_gram, worth_single
from separatrix.certificates import Undecided
from separatrix.certificates.arithmetic.moments import Moments
from separatrix.certificates.arithmetic.normal_equations import NormalEquations
from separatrix.certificates.claims.optimality.mean_alone import MeanAlone, target_moments
from separatrix.rows import DataError, Rows

DIRECT = 3000  # columns, or rows, up to which a matrix of their products is made
SMALL_WORK = 1e6
SMALL_COLUMNS = 64
AFFORDABLE = 1e9  # multiplications in whole numbers, about half a second
SAFE_CONDITION = 1e4
STREAM_COLUMNS = 500
WIDE_ROWS, WIDE_VALUES = 100, 200_000


@dataclass
class Fit:
    """A solved problem: coefficients (intercept last), certificate or a way to it, and what is known."""

    coefficients: np.ndarray
    certificate: Any
    method: str
    passes: int
    condition: float | None = None
    rank: int | None = None
    numerical_rank: int | None = None
    dependencies: tuple[Any, ...] = ()
    moments: Moments | None = None
    gram: Gram | None = None
    single: Gram | None = None
    doubt: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def solve(
    rows: Rows, weights: np.ndarray | None, alpha: float, *, intercept: bool, n_jobs: int | None
) -> Fit:
    """The exact way where it is cheap, else floats where they are safe."""
    n, d = rows.n_rows, rows.n_columns
    if isinf(alpha):
        rows.require_finite()
        mean = target_moments(parts_of(rows, weights))
        fit = from_moments(mean, weights, alpha, intercept=intercept, rows=rows)
        fit.moments = None  # those of the columns are worked out if they are asked for
        return fit
    if n < d and n <= WIDE_ROWS and n * d <= WIDE_VALUES and d > SMALL_COLUMNS:
        return _by_rows(rows, weights, alpha, intercept)
    small = n * (d + 2) ** 2 <= SMALL_WORK and d <= SMALL_COLUMNS
    if small or (not rows.in_memory and d <= STREAM_COLUMNS and n >= d):
        return from_moments(exact_moments(rows, weights), weights, alpha, intercept=intercept, rows=rows)
    rows = with_blas_threads(rows, n_jobs)
    if d <= n and d <= DIRECT:
        try:
            return _by_gram(rows, weights, alpha, intercept)
        except Unsuited as reason:
            if exact_in_reach(n, d):
                moments = exact_moments(rows, weights)
                return from_moments(moments, weights, alpha, intercept=intercept, rows=rows)
            return _by_steps(rows, weights, alpha, intercept, f"{reason}, and ")
    if n <= DIRECT:
        try:
            return _by_products(rows, weights, alpha, intercept)
        except Unsuited as reason:
            raise DataError(f"The fit leaves the range of doubles: {reason}. Rescale the columns.") from None
    return _by_steps(rows, weights, alpha, intercept, "")


def from_moments(
    moments: Moments,
    weights: np.ndarray | None,
    alpha: float,
    *,
    intercept: bool,
    rows: Rows | None = None,
    here: Any = None,
) -> Fit:
    """The exact way."""
    said: Any = about(rows) if rows is not None else here
    equations: Any
    if isinf(alpha):
        equations = MeanAlone(moments, said.columns, intercept=intercept)
    else:
        equations = NormalEquations(moments, intercept=intercept, alpha=alpha)
    coefficients, errors = solved(equations)
    certificate: Any
    if np.isfinite(coefficients).all():
        certificate = within(errors, coefficients, alpha, intercept=intercept, weights=weights, about=said)
        certificate = certificate if rows is None else certificate.bound_to(rows)
        doubt = None
    else:
        doubt = "The exact coefficients are too large for doubles: multiply the columns by a power of two."
        certificate = Undecided(doubt)
    fit = Fit(coefficients, certificate, "exact", 1, moments=moments, doubt=doubt)
    if not alpha:  # a penalty makes up for any lack of rank
        told = standing(equations)
        fit.condition, fit.rank, fit.numerical_rank = told.condition, told.rank, told.numerical_rank
        # With fewer rows than columns there is nothing to name: any so many columns determine the others.
        lacking = told.rank < equations.size < moments.n_rows
        fit.dependencies = equations.dependencies if lacking else ()
    return fit


def _by_rows(rows: Rows, weights: np.ndarray | None, alpha: float, intercept: bool) -> Fit:
    equations = exact_rows(rows, weights, intercept=intercept, alpha=alpha)
    coefficients, errors = solved(equations)
    if not np.isfinite(coefficients).all():
        doubt = "The exact coefficients are too large for doubles: multiply the columns by a power of two."
        return Fit(coefficients, Undecided(doubt), "rows, exact", 1, doubt=doubt)
    proof = within(errors, coefficients, alpha, intercept=intercept, weights=weights, about=about(rows))
    rank = None if alpha else equations.rank
    return Fit(coefficients, proof.bound_to(rows), "rows, exact", 1, rank=rank)


def _lazily(
    rows: Rows, weights: np.ndarray | None, coefficients: np.ndarray, alpha: float, *, intercept: bool
) -> Any:
    claim = Claim(coefficients, alpha, intercept=intercept, weights=weights)
    return lambda: claim.proven(rows)


def _by_gram(rows: Rows, weights: np.ndarray | None, alpha: float, intercept: bool) -> Fit:
    gram: Gram | None = None
    single: Gram | None = None
    found: Refined | None = None
    if worth_single(rows, weights):
        with suppress(Unsuited):
            single = single_gram(rows, intercept=intercept)
            # The first correction tells nothing yet of how fast they shrink.
            found = refined(rows, weights, single, alpha, intercept=intercept, limit=CONDITION, least=2)
    # Refinement in doubles loses as many digits as the condition has; the exact way loses none.
    within_reach = rows.n_rows * (rows.n_columns + 2) ** 2 <= AFFORDABLE and exact_in_reach(
        rows.n_rows, rows.n_columns
    )
    limit = SAFE_CONDITION if within_reach else LARGEST_CONDITION
    if found is None:
        gram = gram_of(rows, weights, intercept=intercept)
        found = refined(rows, weights, gram, alpha, intercept=intercept, limit=limit)
    full = rows.n_columns if not alpha else None  # the condition is far from what rounding could hide
    return Fit(
        found.weights,
        _lazily(rows, weights, found.weights, alpha, intercept=intercept),
        "normal equations",
        1 + found.passes,
        condition=float(np.sqrt(found.condition)) if not alpha else None,
        rank=full,
        numerical_rank=full,
        gram=gram,
        single=single,
    )


def _by_products(rows: Rows, weights: np.ndarray | None, alpha: float, intercept: bool) -> Fit:
    wide = Wide(rows, weights, intercept=intercept)
    with np.errstate(all="ignore"):
        coefficients = wide.solve(alpha)
    if not np.isfinite(coefficients).all():
        raise Unsuited("products of rows overflow")
    seen = int(np.count_nonzero(wide.spectrum[0]))
    doubt = None
    if not alpha and not exact_in_reach(rows.n_rows, rows.n_columns):
        doubt = (
            f"{rows.n_rows} rows and {rows.n_columns} columns are too many for the exact shortest solution; "
            "certificate_ bounds the gradient only."
        )
    proof = _lazily(rows, weights, coefficients, alpha, intercept=intercept)
    return Fit(coefficients, proof, "rows", 3, numerical_rank=seen, doubt=doubt)


def _by_steps(rows: Rows, weights: np.ndarray | None, alpha: float, intercept: bool, why: str) -> Fit:
    found = conjugate_gradients(rows, weights, alpha, intercept=intercept)
    if not np.isfinite(found.coefficients).all():
        raise DataError("The fit leaves the range of doubles: rescale the columns.")
    doubt = None
    if found.left > SMALL:
        doubt = (
            f"{why}conjugate gradients left {found.left:.1e} of the gradient after {found.passes} passes; "
            "certificate_ says how much that means."
        )
    elif not alpha:
        doubt = f"{why}without a penalty certificate_ bounds the gradient, not the distance."
    proof = _lazily(rows, weights, found.coefficients, alpha, intercept=intercept)
    return Fit(found.coefficients, proof, "conjugate gradients", found.passes, doubt=doubt)
