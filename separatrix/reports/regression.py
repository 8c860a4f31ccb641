"""A regression in one frozen record: coefficients with their standard errors, errors, and what was proven."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from separatrix.reports.evaluation import RegressionEvaluation, evaluate
from separatrix.reports.evidence import Evidence, evidence_of
from separatrix.reports.formatting import Line, all_rows, named, number, several, table, wrap_lines
from separatrix.rows import Rows

FORMAT = "separatrix-regression"
VERSION = 1
MAX_SHOWN_COEFFICIENTS = 40


class Coefficient(NamedTuple):
    """One coefficient; ``standard_error``, ``t`` and ``p`` where least squares gives them.

    An ``aliased`` coefficient is not determined by the rows, since columns depend on one another.
    """

    name: str
    estimate: float
    standard_error: float | None = None
    t: float | None = None
    p: float | None = None
    aliased: bool = False


@dataclass(frozen=True)
class RegressionSummary:
    """A regression: its data, its coefficients (the intercept first), its errors on the rows, the proof.

    ``residual_sd``, ``adjusted_r_squared``, ``f_statistic`` and ``f_p_value`` are of least squares alone;
    ``alpha`` of ridge. ``held_out`` is how it did on rows that it has not seen, where there are such.
    """

    estimator: str
    parameters: dict[str, Any]
    intercept: bool
    name: str | None
    rows: int
    columns: int
    target: str | None
    coefficients: tuple[Coefficient, ...]
    alpha: float | None
    residual_sd: float | None
    residual_df: int | None
    adjusted_r_squared: float | None
    f_statistic: float | None
    f_p_value: float | None
    errors: RegressionEvaluation
    evidence: Evidence
    notes: tuple[str, ...] = ()
    held_out: RegressionEvaluation | None = None

    @property
    def proven(self) -> bool:
        """Whether there is a proof that was not refused."""
        return self.evidence.proven


def summarise_regression(
    model: Any, rows: Rows, *, notes: Sequence[str] = (), held_out: RegressionEvaluation | None = None
) -> RegressionSummary:
    """The summary of a fitted regression on the rows of its fit.

    >>> import separatrix as sx
    >>> rows = sx.as_rows([[1.0], [2.0], [3.0], [4.0]], [1.9, 4.1, 6.0, 8.1], regression=True)
    >>> summary = summarise_regression(sx.LinearRegression().fit(rows), rows)
    >>> [(c.name, round(c.estimate, 6)) for c in summary.coefficients], summary.proven
    ([('(intercept)', -0.1), ('x0', 2.05)], True)
    """
    table_of_fit = model.summary() if hasattr(model, "summary") and hasattr(model, "moments_") else None
    errors = evaluate(model, rows)
    assert isinstance(errors, RegressionEvaluation)
    return RegressionSummary(
        estimator=type(model).__name__,
        parameters=dict(model.get_params(deep=False)),
        intercept=bool(model.fit_intercept),
        name=rows.name,
        rows=rows.n_rows,
        columns=rows.n_columns,
        target=rows.label,
        coefficients=tuple(_plain(model) if table_of_fit is None else _inferred(table_of_fit)),
        alpha=getattr(model, "alpha_", None),
        residual_sd=None if table_of_fit is None else table_of_fit.residual_sd,
        residual_df=None if table_of_fit is None else table_of_fit.residual_df,
        adjusted_r_squared=None if table_of_fit is None else table_of_fit.adjusted_r_squared,
        f_statistic=None if table_of_fit is None else table_of_fit.f_statistic,
        f_p_value=None if table_of_fit is None else table_of_fit.f_p_value,
        errors=errors,
        evidence=evidence_of(model.certificate_, rows),
        notes=(*notes, *([] if table_of_fit is None else table_of_fit.notes)),
        held_out=held_out,
    )


def _plain(model: Any) -> Iterator[Coefficient]:
    if model.fit_intercept:
        yield Coefficient("(intercept)", float(model.intercept_))
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(model.coef_))])
    for name, estimate in zip(names, model.coef_.tolist(), strict=True):
        yield Coefficient(str(name), estimate)


def _inferred(table_of_fit: Any) -> Iterator[Coefficient]:
    for found in zip(
        table_of_fit.names,
        table_of_fit.estimates,
        table_of_fit.standard_errors,
        table_of_fit.t_values,
        table_of_fit.p_values,
        table_of_fit.aliased,
        strict=True,
    ):
        yield Coefficient(*found)


def to_dict(summary: RegressionSummary) -> dict[str, Any]:
    """JSON values; what is not a finite number is null."""
    fields = asdict(summary)
    fields["coefficients"] = [found._asdict() for found in summary.coefficients]
    fields["evidence"]["proven"] = summary.evidence.proven
    return {"format": FORMAT, "version": VERSION, **_finite(fields), "proven": summary.proven}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def render(summary: RegressionSummary, width: int = 100) -> str:
    """Lines of at most ``width`` characters."""
    return wrap_lines(_lines(summary), width)


def errors_in_words(seen: RegressionEvaluation) -> str:
    """The errors in one sentence."""
    explained = "" if seen.r_squared is None else f"; R² = {number(seen.r_squared)}"
    return (
        f"{number(seen.root_mean_squared_error)} root mean squared, {number(seen.mean_absolute_error)} mean "
        f"absolute, on {several(seen.rows, 'row')}{explained}"
    )


def _lines(summary: RegressionSummary) -> Iterator[Line]:
    size = f"{several(summary.rows, 'row')}, {several(summary.columns, 'column')}"
    where = f"{summary.name} ({size})" if summary.name else size
    of = "" if summary.target is None else f": {named(summary.target)} is predicted"
    yield f"{summary.estimator}{'' if summary.intercept else ' (through the origin)'} on {where}{of}"
    yield ""
    yield from _table(summary.coefficients)
    yield ""
    if summary.alpha is not None:
        several_given = isinstance(summary.parameters.get("alpha"), list | tuple)
        how = ", the best of those given on rows left out" if several_given else ""
        yield "penalty", f"alpha = {number(summary.alpha)}{how}"
    yield "errors", errors_in_words(summary.errors)
    if summary.residual_sd is not None and math.isfinite(summary.residual_sd):
        yield "residuals", "; ".join(_residuals(summary))
    if summary.held_out is not None:
        yield "held out", errors_in_words(summary.held_out)
    yield ""
    evidence = summary.evidence
    if not evidence.proven:
        yield "proven", f"nothing. {evidence.reason or evidence.claim}"
    else:
        yield "proven", evidence.claim
        if evidence.holds:
            yield "", f"Checked again on {all_rows(summary.rows)}, in exact arithmetic: it holds."
    for note in summary.notes:
        if note != evidence.claim:
            yield "note", note
    yield "not proven", "that the target is a linear function of the columns; " + "; ".join(evidence.open)


def _residuals(summary: RegressionSummary) -> Iterator[str]:
    freedom = several(summary.residual_df, "degree")
    yield f"standard deviation {number(summary.residual_sd or 0.0)} on {freedom} of freedom"
    for name, value in (("adjusted R²", summary.adjusted_r_squared), ("F", summary.f_statistic)):
        if value is not None and math.isfinite(value):
            tested = f", p {_p_relation(summary.f_p_value)}" if name == "F" else ""
            yield f"{name} = {number(value)}{tested}"


def _table(coefficients: Sequence[Coefficient]) -> Iterator[str]:
    shown = coefficients[:MAX_SHOWN_COEFFICIENTS]
    if any(found.standard_error is not None for found in shown):
        yield from table(
            ("column", "estimate", "std. error", "t", "p", ""),
            [
                (
                    named(found.name),
                    f"{found.estimate:.6g}",
                    "aliased" if found.aliased else _number_or_blank(found.standard_error),
                    _number_or_blank(found.t),
                    _p_value(found.p),
                    "",
                )
                for found in shown
            ],
        )
    else:
        yield from table(
            ("column", "estimate", ""), [(named(found.name), f"{found.estimate:.6g}", "") for found in shown]
        )
    if len(coefficients) > len(shown):
        yield f"  and {several(len(coefficients) - len(shown), 'more column')}"


def _number_or_blank(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else number(value)


def _p_value(p: float | None) -> str:
    if p is None or math.isnan(p):
        return ""
    return "< 1e-300" if p < 1e-300 else f"{p:.3g}"


def _p_relation(p: float | None) -> str:
    table_of_fit = _p_value(p)
    return table_of_fit if table_of_fit.startswith("<") else f"= {table_of_fit}"
