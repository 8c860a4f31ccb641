"""The table of a regression against statsmodels and published values, with weights and dependent columns."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx
from separatrix.reports.regression import render, summarise_regression

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.fitting.regressor.DependentColumns")
api = pytest.importorskip("statsmodels.api")


def make_sample(n=40, d=2, seed=0):
    """Short decimals in binary, so that sums of columns are exact."""
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(n, d)) * 64) / 64
    return X, X @ np.arange(1.0, d + 1) + random.normal(size=n)


def assert_agrees(summary, theirs, kept):
    """``kept``: the places in our table of statsmodels' coefficients."""
    assert np.allclose(np.array(summary.standard_errors)[kept], theirs.bse, rtol=1e-9)
    assert np.allclose(np.array(summary.t_values)[kept], theirs.tvalues, rtol=1e-8)
    assert np.allclose(np.array(summary.p_values)[kept], theirs.pvalues, rtol=1e-7)
    assert summary.residual_df == theirs.df_resid
    assert summary.residual_sd == pytest.approx(np.sqrt(theirs.scale), rel=1e-10)
    assert summary.r_squared == pytest.approx(theirs.rsquared, rel=1e-10)
    assert summary.adjusted_r_squared == pytest.approx(theirs.rsquared_adj, rel=1e-10)
    assert summary.f_statistic == pytest.approx(theirs.fvalue, rel=1e-9)
    assert summary.f_p_value == pytest.approx(theirs.f_pvalue, rel=1e-7)


@pytest.mark.parametrize("factor", [1.0, 2.0**-30, 1e6])
def test_weights_agree_with_statsmodels_whatever_their_scale(factor):
    X, y = make_sample()
    weights = factor * np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    summary = sx.LinearRegression().fit(X, y, weights).summary()
    assert_agrees(summary, api.WLS(y, api.add_constant(X), weights).fit(), [0, 1, 2])
    assert summary.rows == len(y)
    assert summary.weight == pytest.approx(weights.sum())


def test_rows_of_weight_zero_are_not_counted():
    X, y = make_sample()
    weights = np.random.default_rng(2).integers(0, 3, len(y)).astype(float)
    kept = weights > 0
    summary = sx.LinearRegression().fit(X, y, weights).summary()
    assert_agrees(summary, api.WLS(y[kept], api.add_constant(X[kept]), weights[kept]).fit(), [0, 1, 2])
    assert summary.rows == kept.sum()


def test_weights_that_count_repetitions():
    X, y = make_sample()
    times = np.random.default_rng(3).integers(0, 4, len(y))
    summary = sx.LinearRegression().fit(X, y, times).summary(repetitions=True)
    assert_agrees(
        summary, api.OLS(np.repeat(y, times), api.add_constant(np.repeat(X, times, axis=0))).fit(), [0, 1, 2]
    )
    with pytest.raises(sx.DataError, match=r"row 0 has weight \d\.5"):
        sx.LinearRegression().fit(X, y, times + 0.5).summary(repetitions=True)


def test_weights_that_sum_to_one():
    """They were taken for one row, with -2 degrees of freedom."""
    X, y = make_sample(8)
    summary = sx.LinearRegression().fit(X, y, np.full(8, 0.125)).summary()
    plain = sx.LinearRegression().fit(X, y).summary()
    assert (summary.rows, summary.residual_df) == (8, 5)
    assert summary.standard_errors == pytest.approx(plain.standard_errors)
    assert "nan" not in str(summary)


def make_dependent_cases(X):
    """Name, matrix, columns of the same span, places of determined coefficients in the table."""
    first, second = X.T
    low, high = (first < 0).astype(float), (first >= 0).astype(float)
    one = np.ones(len(X))
    yield "ones", np.column_stack([X, one]), X, [1, 2], [0, 3]
    yield "constant", np.column_stack([3 * one, X]), X, [2, 3], [0, 1]
    yield "zero", np.column_stack([X, 0 * one]), X, [0, 1, 2], [3]
    yield "duplicate", np.column_stack([X, first]), X, [0, 2], [1, 3]
    yield "shifted", np.column_stack([X, first + 1]), X, [2], [0, 1, 3]
    yield "sum", np.column_stack([X, first + second]), X, [0], [1, 2, 3]
    both = np.column_stack([low, high, second])
    yield "dummies", both, both[:, 1:], [3], [0, 1, 2]


@pytest.mark.parametrize("name", ["ones", "constant", "zero", "duplicate", "shifted", "sum", "dummies"])
def test_dependent_columns_are_aliased_and_the_rest_agrees_with_statsmodels(name):
    X, y = make_sample()
    _, given, independent, determined, aliased = next(
        case for case in make_dependent_cases(X) if case[0] == name
    )
    summary = sx.LinearRegression().fit(given, y).summary()
    theirs = api.OLS(y, api.add_constant(independent)).fit()
    assert np.flatnonzero(summary.aliased).tolist() == aliased
    assert np.isnan(np.array(summary.standard_errors)[aliased]).all()
    assert summary.regression_df == theirs.df_model
    assert summary.residual_df == theirs.df_resid
    assert summary.f_statistic == pytest.approx(theirs.fvalue, rel=1e-9)
    assert summary.adjusted_r_squared == pytest.approx(theirs.rsquared_adj, rel=1e-9)
    for place in determined:
        match = np.flatnonzero(np.isclose(theirs.params, summary.estimates[place], rtol=1e-9))
        assert np.isclose(summary.standard_errors[place], theirs.bse[match], rtol=1e-9).any()
    assert str(summary).count("aliased") >= len(aliased)


def test_through_the_origin_all_dummies_are_determined():
    X, y = make_sample()
    low = (X[:, 0] < 0).astype(float)
    table = np.column_stack([low, 1 - low, X[:, 1]])
    summary = sx.LinearRegression(fit_intercept=False).fit(table, y).summary()
    theirs = api.OLS(y, table, hasconst=False).fit()
    assert_agrees(summary, theirs, [0, 1, 2])
    assert not any(summary.aliased)
    whole = sx.LinearRegression(fit_intercept=False).fit(np.column_stack([table, np.ones(len(y))]), y)
    assert whole.summary().aliased == (True, True, False, True)


def test_longley_with_a_column_twice_has_the_certified_values(data_folder):
    table = np.genfromtxt(data_folder / "nist" / "Longley.csv", delimiter=",", skip_header=1)
    X, y = table[:, :-1], table[:, -1]
    plain = sx.LinearRegression().fit(X, y).summary()
    summary = sx.LinearRegression().fit(np.column_stack([X, X[:, 3]]), y).summary()
    assert summary.aliased == (False, False, False, False, True, False, False, True)
    for name in ("residual_df", "regression_df", "residual_sd", "f_statistic", "adjusted_r_squared"):
        assert getattr(summary, name) == pytest.approx(getattr(plain, name), rel=1e-13)
    kept = [0, 1, 2, 3, 5, 6]
    assert np.array(summary.standard_errors)[kept] == pytest.approx(np.array(plain.standard_errors)[kept])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weights", [None, np.r_[np.ones(10), np.zeros(30)]])
def test_a_constant_target_has_no_f_test(intercept, weights):
    X, _ = make_sample()
    y = np.full(40, 0.1 if intercept else 0.0)
    if weights is not None:
        y[weights == 0] = 7.0  # rows that do not count may differ
    model = sx.LinearRegression(fit_intercept=intercept).fit(X, y, weights)
    summary = model.summary()
    assert np.isnan(
        [summary.f_statistic, summary.f_p_value, summary.r_squared, summary.adjusted_r_squared]
    ).all()
    assert np.isnan(summary.t_values).all()
    assert "The target is" in str(summary)
    assert "nan" not in str(summary)
    if weights is None:
        rendered = render(summarise_regression(model, sx.as_rows(X, y, regression=True)))
        assert "The target is" in rendered
        assert "F = " not in rendered
        assert "nan" not in rendered


@pytest.mark.parametrize("value", [1.0, 0.1, -1e-300, 1e300, 5e-324])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weights", [None, np.linspace(0.1, 1.3, 12)])
def test_no_test_of_a_constant_target_is_defined(value, intercept, weights):
    """Least squares reproduces it without an error: neither F = inf, nor p = 0 for the intercept."""
    X, _ = make_sample(12)
    dummies = np.eye(3)[np.arange(12) % 3]
    Z = X if intercept else np.column_stack([dummies, X])
    summary = sx.LinearRegression(fit_intercept=intercept).fit(Z, np.full(12, value), weights).summary()
    assert np.isnan([*summary.t_values, *summary.p_values, summary.f_statistic, summary.f_p_value]).all()
    assert np.isnan([summary.r_squared, summary.adjusted_r_squared]).all()
    assert summary.residual_sum == 0.0
    assert "inf" not in str(summary)
    assert "1e-300" not in str(summary).replace("-1e-300", "")
    assert "The target is constant" in str(summary)


def test_a_perfect_fit_says_so():
    X, _ = make_sample()
    summary = sx.LinearRegression().fit(X, X @ [1.0, 2.0]).summary()
    assert (summary.residual_sd, summary.f_statistic, summary.f_p_value) == (0.0, np.inf, 0.0)
    assert "The fit is perfect" in str(summary)


@pytest.mark.parametrize("unit", [1e-300, 1e-312, 1e250])
def test_residuals_whose_squares_leave_the_doubles_are_not_called_0(unit):
    """The sum of squares was rounded before it was compared with 0, and t was a ratio of rounded numbers."""
    X, y = make_sample(20)
    plain = sx.LinearRegression().fit(X, np.round(y * 1000)).summary()
    summary = sx.LinearRegression().fit(X, np.round(y * 1000) * unit).summary()
    assert summary.t_values == pytest.approx(plain.t_values, rel=1e-6)
    assert summary.p_values == pytest.approx(plain.p_values, rel=1e-4)
    assert "perfect" not in str(summary)


@pytest.mark.parametrize("size", [1e20, 1e50, 1e100, 1e150])
def test_small_residuals_beside_a_large_target_are_not_called_0(size):
    summary = sx.LinearRegression().fit([[0.0], [0.0], [1.0], [1.0]], [0.0, 1 / size, size, size]).summary()
    assert summary.t_values[0] == pytest.approx(2**0.5)
    assert summary.p_values[0] == pytest.approx(1 - 0.5**0.5)  # 1 - t/sqrt(2 + t^2): two degrees of freedom
    assert summary.residual_sum == pytest.approx(0.5 / size**2)
    assert "perfect" not in str(summary)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_without_degrees_of_freedom_there_are_no_tests_and_a_sentence(rows):
    X, y = make_sample(rows)
    summary = sx.LinearRegression().fit(X, y).summary()
    assert summary.residual_df == 0
    assert np.isnan(
        [*summary.standard_errors, *summary.p_values, summary.f_statistic, summary.residual_sd]
    ).all()
    assert "no degrees of freedom" in " ".join(str(summary).split())
    assert "nan" not in str(summary)


def test_columns_that_never_vary_leave_the_mean():
    _, y = make_sample()
    summary = sx.LinearRegression().fit(np.zeros((40, 2)), y).summary()
    assert summary.standard_errors[0] == pytest.approx(y.std(ddof=1) / np.sqrt(40))
    assert (summary.r_squared, summary.adjusted_r_squared) == (0.0, 0.0)
    assert np.isnan(summary.f_statistic)
    assert "No column varies" in str(summary)
    without_intercept = sx.LinearRegression(fit_intercept=False).fit(np.zeros((40, 2)), y).summary()
    assert all(without_intercept.aliased)
