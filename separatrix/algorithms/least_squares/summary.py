"""The table of a regression: estimates with their standard errors, and how much they explain.

With G = Σ s zzᵀ over rows z = (x, 1), n = Σ s, p coefficients and RSS the sum of squared residuals,
σ² = RSS/(n − p), the standard error of coefficient j is σ √(G⁻¹)_jj, t its ratio to the estimate,
R² = 1 − RSS/TSS and F = ((TSS − RSS)/q)/σ² for the q columns; TSS is about the mean if there is an intercept,
about 0 if there is none. All of it is enclosed in balls from exact moments before it is rounded.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import inf, nan
from typing import Any, NamedTuple

from flint import arb

from separatrix.certificates.balls import Precision, middles
from separatrix.certificates.moments import Moments, nearest
from separatrix.certificates.normal_equations import Dependency, NormalEquations


class Dependent(NamedTuple):
    """Column ``column`` is exactly ``constant`` plus the sum of ``coefficients[k]`` times ``columns[k]``.

    The coefficients are exact fractions rounded to doubles.
    """

    column: int
    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    constant: float

    @classmethod
    def of(cls, exact: Dependency) -> Dependent:
        coefficients = tuple(int(c.p) / int(c.q) for c in exact.coefficients)
        return cls(exact.column, exact.columns, coefficients, int(exact.constant.p) / int(exact.constant.q))


@dataclass(frozen=True)
class Summary:
    """A regression as statisticians tell it; ``print`` it, or take `to_dict`."""

    names: tuple[str, ...]
    estimates: tuple[float, ...]
    standard_errors: tuple[float, ...]
    t_values: tuple[float, ...]
    p_values: tuple[float, ...]
    rows: float
    rank: int
    residual_df: float
    residual_sum: float
    residual_sd: float
    regression_df: int
    regression_sum: float
    r_squared: float
    adjusted_r_squared: float
    f_statistic: float
    f_p_value: float
    intercept: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        head = ("", "estimate", "std. error", "t value", "P(>|t|)")
        lines = [
            (name, f"{w:.7g}", f"{e:.5g}", f"{t:.4g}", _chance(p))
            for name, w, e, t, p in zip(
                self.names, self.estimates, self.standard_errors, self.t_values, self.p_values, strict=True
            )
        ]
        wide = [max(len(row[k]) for row in (head, *lines)) for k in range(5)]
        table = [
            "  ".join([row[0].ljust(wide[0]), *(row[k].rjust(wide[k]) for k in range(1, 5))]).rstrip()
            for row in (head, *lines)
        ]
        about = "" if self.intercept else " (about 0: there is no intercept)"
        return "\n".join(
            [
                f"Least squares on {self.rows:g} rows",
                "",
                *table,
                "",
                f"Residual standard deviation: {self.residual_sd:.7g} on {self.residual_df:g} degrees of "
                "freedom",
                f"R-squared: {self.r_squared:.7g}, adjusted: {self.adjusted_r_squared:.7g}{about}",
                f"F-statistic: {self.f_statistic:.7g} on {self.regression_df} and {self.residual_df:g} "
                f"degrees of freedom, p-value: {_chance(self.f_p_value)}",
            ]
        )


def _chance(p: float) -> str:
    return "<1e-300" if p < 1e-300 else f"{p:.3g}"


def summarised(moments: Moments, names: Any, *, intercept: bool) -> Summary:
    """The summary of the rows behind these moments."""
    from scipy import stats

    equations = NormalEquations(moments, intercept=intercept)
    d, rank = equations.size, equations.rank
    estimates = middles(equations.solve()).tolist()
    n = nearest(moments.total, moments.unit + 2 * moments.exponents[moments.constant])
    df = n - rank - intercept
    with Precision(512):
        left = equations.residual_sum()
        total = equations.total_sum()
        # A perfect fit: the exact sum is 0, and only balls around it were found.
        rest = arb(0) if left.contains(0) else left
        explained = total - rest
        variance = rest / df if df > 0 else arb(nan)
        sd = float(variance.sqrt().mid()) if df > 0 else nan
        r_squared = float((explained / total).mid()) if total > 0 else nan
        adjusted = float((1 - variance / (total / (n - intercept))).mid()) if total > 0 and df > 0 else nan
        f = float((explained / max(rank, 1) / variance).mid()) if df > 0 and rest > 0 else inf
        if rank == d:
            errors = (
                [float((v * variance).sqrt().mid()) for v in equations.inverse_diagonal()] if df > 0 else []
            )
        else:
            errors = []
    errors = errors or [nan] * (d + intercept)
    order = [*range(d), *([d] if intercept else [])]
    t_values = [_ratio(estimates[k], errors[k]) for k in order]
    chances = [float(2 * stats.t.sf(abs(t), df)) if df > 0 else nan for t in t_values]
    shown = [str(name) for name in names] if names is not None else [f"x{k}" for k in range(d)]
    # The constant comes first, as it is used to.
    order = [d, *range(d)] if intercept else order
    return Summary(
        names=tuple("(intercept)" if k == d else shown[k] for k in order),
        estimates=tuple(estimates[k] for k in order),
        standard_errors=tuple(errors[k] for k in order),
        t_values=tuple(t_values[k] for k in order),
        p_values=tuple(chances[k] for k in order),
        rows=n,
        rank=rank,
        residual_df=df,
        residual_sum=float(rest.mid()),
        residual_sd=sd,
        regression_df=rank,
        regression_sum=float(explained.mid()),
        r_squared=r_squared,
        adjusted_r_squared=adjusted,
        f_statistic=f if df > 0 else nan,
        f_p_value=float(stats.f.sf(f, max(rank, 1), df)) if df > 0 else nan,
        intercept=intercept,
    )


def _ratio(estimate: float, error: float) -> float:
    if error == 0:
        return 0.0 if estimate == 0 else inf if estimate > 0 else -inf
    return estimate / error
