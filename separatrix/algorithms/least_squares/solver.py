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
from dataclasses import dataclass
from math import isinf
from typing import Any

import numpy as np

from separatrix.algorithms.least_squares.certificate import (
    DeferredCertificate,
    certify_distance,
    describe_rows,
    is_exactly_solvable,
)
from separatrix.algorithms.least_squares.conjugate_gradients import (
    MAX_GRADIENT_SHARE,
    solve_by_conjugate_gradients,
)
from separatrix.algorithms.least_squares.exact_solution import (
    form_row_equations,
    iterate_parts,
    measure_ranks,
    solve_and_round,
    sum_exact_moments,
)
from separatrix.algorithms.least_squares.gram import (
    MAX_CONDITION,
    Gram,
    InsufficientPrecision,
    RefinedSolution,
    form_gram,
    refine,
    with_blas_threads,
)
from separatrix.algorithms.least_squares.row_gram import RowGram
from separatrix.algorithms.least_squares.single_precision_gram import (
    MAX_SINGLE_CONDITION,
    form_single_gram,
    is_single_precision_worthwhile,
)
from separatrix.certificates import Undecided
from separatrix.certificates.arithmetic.moments import Moments
from separatrix.certificates.arithmetic.normal_equations import NormalEquations
from separatrix.certificates.claims.optimality.mean_alone import MeanAlone, target_moments
from separatrix.rows import DataError, Rows

MAX_DIRECT_SIZE = 3000  # columns, or rows, up to which a matrix of their products is made
MAX_SMALL_PRODUCTS = 1e6
MAX_SMALL_COLUMNS = 64
MAX_EXACT_PRODUCTS = 1e9  # multiplications in whole numbers, about half a second
SAFE_CONDITION = 1e4
MAX_STREAM_COLUMNS = 500
MAX_WIDE_ROWS, MAX_WIDE_VALUES = 100, 200_000


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
    single_gram: Gram | None = None
    warning: str | None = None


def solve(rows: Rows, alpha: float, *, intercept: bool, n_jobs: int | None) -> Fit:
    """The exact way where it is cheap, else floats where they are safe."""
    n, d = rows.n_rows, rows.n_columns
    if isinf(alpha):
        rows.require_finite()
        mean = target_moments(iterate_parts(rows))
        fit = solve_moments(mean, rows.weights, alpha, intercept=intercept, rows=rows)
        fit.moments = None  # those of the columns are worked out if they are asked for
        return fit
    if n < d and n <= MAX_WIDE_ROWS and n * d <= MAX_WIDE_VALUES and d > MAX_SMALL_COLUMNS:
        return _solve_by_rows(rows, alpha, intercept)
    is_small = n * (d + 2) ** 2 <= MAX_SMALL_PRODUCTS and d <= MAX_SMALL_COLUMNS
    if is_small or (not rows.in_memory and d <= MAX_STREAM_COLUMNS and n >= d):
        return solve_moments(sum_exact_moments(rows), rows.weights, alpha, intercept=intercept, rows=rows)
    rows = with_blas_threads(rows, n_jobs)
    if d <= n and d <= MAX_DIRECT_SIZE:
        try:
            return _solve_by_gram(rows, alpha, intercept)
        except InsufficientPrecision as reason:
            if is_exactly_solvable(n, d):
                moments = sum_exact_moments(rows)
                return solve_moments(moments, rows.weights, alpha, intercept=intercept, rows=rows)
            return _solve_by_steps(rows, alpha, intercept, f"{reason}, and ")
    if n <= MAX_DIRECT_SIZE:
        try:
            return _solve_by_products(rows, alpha, intercept)
        except InsufficientPrecision as reason:
            raise DataError(f"The fit leaves the range of doubles: {reason}. Rescale the columns.") from None
    return _solve_by_steps(rows, alpha, intercept, "")


def solve_moments(
    moments: Moments,
    weights: np.ndarray | None,
    alpha: float,
    *,
    intercept: bool,
    rows: Rows | None = None,
    about: Any = None,
) -> Fit:
    """The exact way."""
    description: Any = describe_rows(rows) if rows is not None else about
    equations: Any
    if isinf(alpha):
        equations = MeanAlone(moments, description.columns, intercept=intercept)
    else:
        equations = NormalEquations(moments, intercept=intercept, alpha=alpha)
    coefficients, errors = solve_and_round(equations)
    certificate: Any
    if np.isfinite(coefficients).all():
        certificate = certify_distance(
            errors, coefficients, alpha, intercept=intercept, weights=weights, about=description
        )
        certificate = certificate if rows is None else certificate.bound_to(rows)
        warning = None
    else:
        warning = "The exact coefficients are too large for doubles: multiply the columns by a power of two."
        certificate = Undecided(warning)
    fit = Fit(coefficients, certificate, "exact", 1, moments=moments, warning=warning)
    if not alpha:  # a penalty makes up for any lack of rank
        ranks = measure_ranks(equations)
        fit.condition, fit.rank, fit.numerical_rank = ranks.condition, ranks.rank, ranks.numerical_rank
        # With fewer rows than columns there is nothing to name: any so many columns determine the others.
        is_deficient = ranks.rank < equations.size < moments.n_rows
        fit.dependencies = equations.dependencies if is_deficient else ()
    return fit


def _solve_by_rows(rows: Rows, alpha: float, intercept: bool) -> Fit:
    equations = form_row_equations(rows, intercept=intercept, alpha=alpha)
    coefficients, errors = solve_and_round(equations)
    if not np.isfinite(coefficients).all():
        warning = "The exact coefficients are too large for doubles: multiply the columns by a power of two."
        return Fit(coefficients, Undecided(warning), "rows, exact", 1, warning=warning)
    certificate = certify_distance(
        errors, coefficients, alpha, intercept=intercept, weights=rows.weights, about=describe_rows(rows)
    )
    rank = None if alpha else equations.rank
    return Fit(coefficients, certificate.bound_to(rows), "rows, exact", 1, rank=rank)


def _defer_certificate(rows: Rows, coefficients: np.ndarray, alpha: float, *, intercept: bool) -> Any:
    deferred = DeferredCertificate(coefficients, alpha, intercept=intercept, weights=rows.weights)
    return lambda: deferred.prove(rows)


def _solve_by_gram(rows: Rows, alpha: float, intercept: bool) -> Fit:
    gram: Gram | None = None
    single_gram: Gram | None = None
    solution: RefinedSolution | None = None
    if is_single_precision_worthwhile(rows):
        with suppress(InsufficientPrecision):
            single_gram = form_single_gram(rows, intercept=intercept)
            # The first correction tells nothing yet of how fast they shrink.
            solution = refine(
                rows,
                single_gram,
                alpha,
                intercept=intercept,
                max_condition=MAX_SINGLE_CONDITION,
                min_passes=2,
            )
    # Refinement in doubles loses as many digits as the condition has; the exact way loses none.
    n_products = rows.n_rows * (rows.n_columns + 2) ** 2
    is_exact_affordable = n_products <= MAX_EXACT_PRODUCTS and is_exactly_solvable(
        rows.n_rows, rows.n_columns
    )
    max_condition = SAFE_CONDITION if is_exact_affordable else MAX_CONDITION
    if solution is None:
        gram = form_gram(rows, intercept=intercept)
        solution = refine(rows, gram, alpha, intercept=intercept, max_condition=max_condition)
    full_rank = rows.n_columns if not alpha else None  # the condition is far from what rounding could hide
    return Fit(
        solution.weights,
        _defer_certificate(rows, solution.weights, alpha, intercept=intercept),
        "normal equations",
        1 + solution.passes,
        condition=float(np.sqrt(solution.condition)) if not alpha else None,
        rank=full_rank,
        numerical_rank=full_rank,
        gram=gram,
        single_gram=single_gram,
    )


def _solve_by_products(rows: Rows, alpha: float, intercept: bool) -> Fit:
    row_gram = RowGram(rows, intercept=intercept)
    with np.errstate(all="ignore"):
        coefficients = row_gram.solve(alpha)
    if not np.isfinite(coefficients).all():
        raise InsufficientPrecision("products of rows overflow")
    numerical_rank = int(np.count_nonzero(row_gram.spectrum[0]))
    warning = None
    if not alpha and not is_exactly_solvable(rows.n_rows, rows.n_columns):
        warning = (
            f"{rows.n_rows} rows and {rows.n_columns} columns are too many for the exact shortest solution; "
            "certificate_ bounds the gradient only."
        )
    certificate = _defer_certificate(rows, coefficients, alpha, intercept=intercept)
    return Fit(coefficients, certificate, "rows", 3, numerical_rank=numerical_rank, warning=warning)


def _solve_by_steps(rows: Rows, alpha: float, intercept: bool, reason: str) -> Fit:
    solution = solve_by_conjugate_gradients(rows, alpha, intercept=intercept)
    if not np.isfinite(solution.coefficients).all():
        raise DataError("The fit leaves the range of doubles: rescale the columns.")
    warning = None
    if solution.gradient_share > MAX_GRADIENT_SHARE:
        warning = (
            f"{reason}conjugate gradients left {solution.gradient_share:.1e} of the gradient after "
            f"{solution.passes} passes; certificate_ says how much that means."
        )
    elif not alpha:
        warning = f"{reason}without a penalty certificate_ bounds the gradient, not the distance."
    certificate = _defer_certificate(rows, solution.coefficients, alpha, intercept=intercept)
    return Fit(solution.coefficients, certificate, "conjugate gradients", solution.passes, warning=warning)
