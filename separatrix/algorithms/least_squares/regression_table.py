"""The table of a regression: estimates with their standard errors, and how much they explain.

With G = Σ s zzᵀ over rows z = (x, 1), n the number of rows with weight s > 0, r the rank of the columns (less
their means if there is an intercept), p = r + 1 with an intercept and r without, and RSS = Σ s (y − ŷ)²:

- the residual degrees of freedom are n − p, and σ² = RSS/(n − p), a variance per unit of weight;
- the standard error of coefficient j is σ √(G⁻¹)_jj, t its ratio to the estimate;
- R² = 1 − RSS/TSS and F = ((TSS − RSS)/r)/σ²; TSS is about the mean if there is an intercept, about 0 if
  there is none.

So a common factor of all weights changes no standard error and no test, as in R's `lm`. Weights that count
repetitions of rows are another model, in which n = Σ s.

If columns depend on one another, G is singular. A coefficient is *aliased* if some solutions of the normal
equations differ in it: it has no standard error. The others are those of a fit to independent columns that
span the same space. All of it is enclosed in balls from exact moments before it is rounded.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.balls import Precision, middles
from separatrix.certificates.arithmetic.linear_algebra import arb, nmod_mat
from separatrix.certificates.arithmetic.moments import Moments, nearest
from separatrix.certificates.arithmetic.normal_equations import PRIMES, Dependency, NormalEquations
from separatrix.rows import DataError

NOTE_WIDTH = 90  # characters of a line of the notes


class DependentColumn(NamedTuple):
    """Column ``column`` is exactly ``constant`` plus the sum of ``coefficients[k]`` times ``columns[k]``.

    The coefficients are exact fractions rounded to doubles.
    """

    column: int
    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    constant: float

    @classmethod
    def from_exact(cls, exact: Dependency) -> DependentColumn:
        coefficients = tuple(int(c.p) / int(c.q) for c in exact.coefficients)
        return cls(exact.column, exact.columns, coefficients, int(exact.constant.p) / int(exact.constant.q))


@dataclass(frozen=True)
class RegressionTable:
    """A regression as statisticians report it; ``print`` it, or take `to_dict`.

    Attributes
    ----------
    names, estimates, standard_errors, t_values, p_values, aliased : tuple
        One entry per coefficient, the intercept first. The estimate of an aliased coefficient is that of the
        shortest solution, and it has no standard error (nan).
    rows : int
        The rows with a weight above 0, or the sum of the weights if they count repetitions.
    weight : float
        The sum of the weights.
    rank, residual_df, regression_df : int
    residual_sum, residual_sd, regression_sum, r_squared, adjusted_r_squared, f_statistic, f_p_value : float
        nan where it is not defined; ``notes`` says why.
    perfect : bool
        Whether all residuals are exactly 0.
    """

    names: tuple[str, ...]
    estimates: tuple[float, ...]
    standard_errors: tuple[float, ...]
    t_values: tuple[float, ...]
    p_values: tuple[float, ...]
    aliased: tuple[bool, ...]
    rows: int
    weight: float
    rank: int
    residual_df: int
    residual_sum: float
    residual_sd: float
    regression_df: int
    regression_sum: float
    r_squared: float
    adjusted_r_squared: float
    f_statistic: float
    f_p_value: float
    intercept: bool
    perfect: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing that the rows do not determine."""
        return tuple(_write_notes(self))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        header = ("", "estimate", "std. error", "t value", "P(>|t|)")
        lines = [self._format_cells(k) for k in range(len(self.names))]
        widths = [max(len(row[k]) for row in (header, *lines)) for k in range(5)]
        table = [
            "  ".join([row[0].ljust(widths[0]), *(row[k].rjust(widths[k]) for k in range(1, 5))]).rstrip()
            for row in (header, *lines)
        ]
        weighted = "" if self.weight == self.rows else f" (total weight {self.weight:.7g})"
        title = f"Least squares on {self.rows:,} {'row' if self.rows == 1 else 'rows'}{weighted}"
        notes = [line for note in self.notes for line in textwrap.wrap(note, NOTE_WIDTH)]
        return "\n".join([title, "", *table, "", *self._format_statistics(), *notes])

    def _format_cells(self, k: int) -> tuple[str, ...]:
        estimate = f"{self.estimates[k]:.7g}"
        if self.aliased[k]:
            return self.names[k], estimate, "aliased", "", ""
        statistics = (self.standard_errors[k], ".5g"), (self.t_values[k], ".4g")
        shown = ("" if isnan(value) else format(value, format_spec) for value, format_spec in statistics)
        return self.names[k], estimate, *shown, _format_p_value(self.p_values[k])

    def _format_statistics(self) -> list[str]:
        lines = []
        degrees = f"{self.residual_df:,} {'degree' if self.residual_df == 1 else 'degrees'} of freedom"
        if not isnan(self.residual_sd):
            lines.append(f"Residual standard deviation: {self.residual_sd:.7g} on {degrees}")
        if not isnan(self.r_squared):
            remark = "" if self.intercept else " (about 0: there is no intercept)"
            adjusted = "" if isnan(self.adjusted_r_squared) else f", adjusted: {self.adjusted_r_squared:.7g}"
            lines.append(f"R-squared: {self.r_squared:.7g}{adjusted}{remark}")
        if not isnan(self.f_statistic):
            lines.append(
                f"F-statistic: {self.f_statistic:.7g} on {self.regression_df:,} and {degrees}, "
                f"p-value: {_format_p_value(self.f_p_value)}"
            )
        return lines


def _write_notes(table: RegressionTable) -> Iterator[str]:
    if any(table.aliased):
        yield (
            "The rows do not determine aliased coefficients, since columns depend on one another; the "
            "estimates shown are those of the shortest solution."
        )
    if table.residual_df == 0:
        yield (
            f"The rows determine as many coefficients as there are rows ({table.rows:,}), so no degrees of "
            "freedom are left for standard errors and tests. Add rows, or drop columns."
        )
    elif isnan(table.r_squared):
        yield "The target is constant, and the fit reproduces it: R-squared and the tests are not defined."
    elif table.perfect:
        yield "The fit is perfect: all residuals are exactly 0, and so are the standard errors."
    if table.rank == 0:
        yield "No column varies: there is no F test."


def _format_p_value(p: float) -> str:
    return "" if isnan(p) else "<1e-300" if p < 1e-300 else f"{p:.3g}"


def count_rows(moments: Moments, weights: np.ndarray | None, *, repetitions: bool) -> int:
    """How many rows the degrees of freedom count."""
    if weights is None:
        return moments.n_rows
    if not repetitions:
        return int(np.count_nonzero(weights))
    fractional = np.flatnonzero(weights != np.floor(weights))
    if len(fractional):
        raise DataError(
            f"repetitions=True needs whole-number weights; row {fractional[0]} has weight "
            f"{weights[fractional[0]]:g}."
        )
    return int(weights.sum())


def tabulate(moments: Moments, names: Any, *, intercept: bool, rows: int) -> RegressionTable:
    """The table of the rows behind these moments, ``rows`` of them by the degrees of freedom."""
    from scipy import stats

    equations = NormalEquations(moments, intercept=intercept)
    n_columns, rank = equations.size, equations.rank
    weights = equations.solve()
    residual_df = rows - rank - intercept
    aliased = _find_aliased(equations)
    with Precision(512):
        total_sum = equations.total_sum()
        residual_sum = arb(0) if residual_df == 0 else equations.residual_sum()
        is_perfect = bool(residual_sum == 0)
        # What reproduces a constant exactly leaves 0/0 for R² and for every test.
        has_tests = residual_df > 0 and not (is_perfect and _is_constant(moments))
        regression_sum = total_sum - residual_sum if rank else arb(0)
        variance = residual_sum / residual_df if residual_df > 0 else arb(nan)
        r_squared = (
            regression_sum / total_sum if total_sum > 0 and (has_tests or not residual_df) else arb(nan)
        )
        adjusted = 1 - (1 - r_squared) * (rows - intercept) / residual_df if has_tests else arb(nan)
        f_statistic = _divide(regression_sum / rank, variance) if rank and has_tests else nan
        standard_errors = _enclose_standard_errors(equations, aliased, variance)
        t_values = [
            _divide(w, e) if has_tests else nan for w, e in zip(weights, standard_errors, strict=False)
        ]
    estimates, error_values = middles(weights).tolist(), [float(e.mid()) for e in standard_errors]
    column_names = [str(name) for name in names] if names is not None else [f"x{k}" for k in range(n_columns)]
    # The constant comes first, as it is used to.
    order = [n_columns, *range(n_columns)] if intercept else list(range(n_columns))
    return RegressionTable(
        names=tuple("(intercept)" if k == n_columns else column_names[k] for k in order),
        estimates=tuple(estimates[k] for k in order),
        standard_errors=tuple(error_values[k] for k in order),
        t_values=tuple(t_values[k] for k in order),
        p_values=tuple(float(2 * stats.t.sf(abs(t_values[k]), max(residual_df, 1))) for k in order),
        aliased=tuple(aliased[k] for k in order),
        rows=rows,
        weight=nearest(moments.total, moments.unit + 2 * moments.exponents[moments.constant]),
        rank=rank,
        residual_df=residual_df,
        residual_sum=float(residual_sum.mid()),
        residual_sd=float(variance.sqrt().mid()),
        regression_df=rank,
        regression_sum=float(regression_sum.mid()),
        r_squared=float(r_squared.mid()),
        adjusted_r_squared=float(adjusted.mid()),
        f_statistic=f_statistic,
        f_p_value=float(stats.f.sf(f_statistic, max(rank, 1), max(residual_df, 1))),
        intercept=intercept,
        perfect=is_perfect,
    )


def _is_constant(moments: Moments) -> bool:
    """Whether all rows of positive weight have the same target."""
    return bool(NormalEquations(moments, intercept=True).spread == 0)


def _enclose_standard_errors(equations: NormalEquations, aliased: list[bool], variance: Any) -> list[Any]:
    """Balls for those of independent columns that span the same space; nan for aliased coefficients."""
    errors = [arb(nan)] * len(aliased)
    if all(aliased):
        return errors
    pivots = list(equations.pivots)
    if equations.rank < equations.size:
        moments = equations.moments.of_columns(pivots)
        equations = NormalEquations(moments, intercept=equations.intercept)
    places = [*pivots, len(aliased) - 1] if equations.intercept else pivots
    for place, value in zip(places, equations.inverse_diagonal(), strict=True):
        if not aliased[place]:
            errors[place] = (value * variance).sqrt()
    return errors


def _find_aliased(equations: NormalEquations) -> list[bool]:
    """Whether some null vector of G has an entry here, for each column and last for the intercept.

    The null vectors are taken modulo a prime near 2⁶¹, which would have to divide an entry to hide it.
    """
    n_columns, integers = equations.size, equations.moments.wholes
    aliased = [False] * (n_columns + equations.intercept)
    if equations.rank == n_columns:
        return aliased
    reduced, rank = nmod_mat(equations.matrix, PRIMES[0]).rref()
    rows = [[int(reduced[i, j]) for j in range(n_columns)] for i in range(rank)]
    pivots = [next(j for j in range(n_columns) if row[j]) for row in rows]
    for free in sorted(set(range(n_columns)) - set(pivots)):
        null_vector = {free: 1} | {
            pivot: -row[free] for pivot, row in zip(pivots, rows, strict=True) if row[free]
        }
        for j in null_vector:
            aliased[j] = True
        if (
            equations.intercept
            and sum(v * int(integers[j, n_columns]) for j, v in null_vector.items()) % PRIMES[0]
        ):
            aliased[n_columns] = True
    return aliased


def _divide(numerator: Any, denominator: Any) -> float:
    """The quotient of two balls; infinite where only the lower one is 0."""
    if denominator == 0:
        return nan if numerator.contains(0) else inf if numerator > 0 else -inf
    return float((numerator / denominator).mid())
