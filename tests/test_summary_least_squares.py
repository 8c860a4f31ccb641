"""The table of a regression against statsmodels and published values, with weights and dependent columns."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx
from separatrix.reports.regression import render, summarise_regression

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.fitting.regressor.DependentColumns")
api = pytest.importorskip("statsmodels.api")


def drawn(n=40, d=2, seed=0):
    """Short decimals in binary, so that sums of columns are exact."""
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(n, d)) * 64) / 64
    return X, X @ np.arange(1.0, d + 1) + random.normal(size=n)


def agrees(told, theirs, kept):
    """``kept``: the places in our table of statsmodels' coefficients."""
    assert np.allclose(np.array(told.standard_errors)[kept], theirs.bse, rtol=1e-9)
    assert np.allclose(np.array(told.t_values)[kept], theirs.tvalues, rtol=1e-8)
    assert np.allclose(np.array(told.p_values)[kept], theirs.pvalues, rtol=1e-7)
    assert told.residual_df == theirs.df_resid
    assert told.residual_sd == pytest.approx(np.sqrt(theirs.scale), rel=1e-10)
    assert told.r_squared == pytest.approx(theirs.rsquared, rel=1e-10)
    assert told.adjusted_r_squared == pytest.approx(theirs.rsquared_adj, rel=1e-10)
    assert told.f_statistic == pytest.approx(theirs.fvalue, rel=1e-9)
    assert told.f_p_value == pytest.approx(theirs.f_pvalue, rel=1e-7)


@pytest.mark.parametrize("factor", [1.0, 2.0**-30, 1e6])
def test_weights_agree_with_statsmodels_whatever_their_scale(factor):
    X, y = drawn()
    weights = factor * np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    told = sx.LinearRegression().fit(X, y, weights).summary()
    agrees(told, api.WLS(y, api.add_constant(X), weights).fit(), [0, 1, 2])
    assert told.rows == len(y)
    assert told.weight == pytest.approx(weights.sum())


def test_rows_of_weight_zero_are_not_counted():
    X, y = drawn()
    weights = np.random.default_rng(2).integers(0, 3, len(y)).astype(float)
    kept = weights > 0
    told = sx.LinearRegression().fit(X, y, weights).summary()
    agrees(told, api.WLS(y[kept], api.add_constant(X[kept]), weights[kept]).fit(), [0, 1, 2])
    assert told.rows == kept.sum()


def test_weights_that_count_repetitions():
    X, y = drawn()
    times = np.random.default_rng(3).integers(0, 4, len(y))
    told = sx.LinearRegression().fit(X, y, times).summary(repetitions=True)
    agrees(told, api.OLS(np.repeat(y, times), api.add_constant(np.repeat(X, times, axis=0))).fit(), [0, 1, 2])
    with pytest.raises(sx.DataError, match=r"row 0 has weight \d\.5"):
        sx.LinearRegression().fit(X, y, times + 0.5).summary(repetitions=True)


def test_weights_that_sum_to_one():
    """They were taken for one row, with -2 degrees of freedom."""
    X, y = drawn(8)
    told = sx.LinearRegression().fit(X, y, np.full(8, 0.125)).summary()
    plain = sx.LinearRegression().fit(X, y).summary()
    assert (told.rows, told.residual_df) == (8, 5)
    assert told.standard_errors == pytest.approx(plain.standard_errors)
    assert "nan" not in str(told)


def dependent(X):
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
    X, y = drawn()
    _, given, independent, determined, aliased = next(case for case in dependent(X) if case[0] == name)
    told = sx.LinearRegression().fit(given, y).summary()
    theirs = api.OLS(y, api.add_constant(independent)).fit()
    assert np.flatnonzero(told.aliased).tolist() == aliased
    assert np.isnan(np.array(told.standard_errors)[aliased]).all()
    assert told.regression_df == theirs.df_model
    assert told.residual_df == theirs.df_resid
    assert told.f_statistic == pytest.approx(theirs.fvalue, rel=1e-9)
    assert told.adjusted_r_squared == pytest.approx(theirs.rsquared_adj, rel=1e-9)
    for place in determined:
        match = np.flatnonzero(np.isclose(theirs.params, told.estimates[place], rtol=1e-9))
        assert np.isclose(told.standard_errors[place], theirs.bse[match], rtol=1e-9).any()
    assert str(told).count("aliased") >= len(aliased)


def test_through_the_origin_all_dummies_are_determined():
    X, y = drawn()
    low = (X[:, 0] < 0).astype(float)
    table = np.column_stack([low, 1 - low, X[:, 1]])
    told = sx.LinearRegression(fit_intercept=False).fit(table, y).summary()
    theirs = api.OLS(y, table, hasconst=False).fit()
    agrees(told, theirs, [0, 1, 2])
    assert not any(told.aliased)
    whole = sx.LinearRegression(fit_intercept=False).fit(np.column_stack([table, np.ones(len(y))]), y)
    assert whole.summary().aliased == (True, True, False, True)


def test_longley_with_a_column_twice_has_the_certified_values(data_folder):
    table = np.genfromtxt(data_folder / "nist" / "Longley.csv", delimiter=",", skip_header=1)
    X, y = table[:, :-1], table[:, -1]
    plain = sx.LinearRegression().fit(X, y).summary()
    told = sx.LinearRegression().fit(np.column_stack([X, X[:, 3]]), y).summary()
    assert told.aliased == (False, False, False, False, True, False, False, True)
    for name in ("residual_df", "regression_df", "residual_sd", "f_statistic", "adjusted_r_squared"):
        assert getattr(told, name) == pytest.approx(getattr(plain, name), rel=1e-13)
    kept = [0, 1, 2, 3, 5, 6]
    assert np.array(told.standard_errors)[kept] == pytest.approx(np.array(plain.standard_errors)[kept])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weights", [None, np.r_[np.ones(10), np.zeros(30)]])
def test_a_constant_target_has_no_f_test(intercept, weights):
    X, _ = drawn()
    y = np.full(40, 0.1 if intercept else 0.0)
    if weights is not None:
        y[weights == 0] = 7.0  # rows that do not count may differ
    model = sx.LinearRegression(fit_intercept=intercept).fit(X, y, weights)
    told = model.summary()
    assert np.isnan([told.f_statistic, told.f_p_value, told.r_squared, told.adjusted_r_squared]).all()
    assert np.isnan(told.t_values).all()
    assert "The target is" in str(told)
    assert "nan" not in str(told)
    if weights is None:
        said = render(summarise_regression(model, sx.as_rows(X, y, regression=True)))
        assert "The target is" in said
        assert "F = " not in said
        assert "nan" not in said


@pytest.mark.parametrize("value", [1.0, 0.1, -1e-300, 1e300, 5e-324])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weights", [None, np.linspace(0.1, 1.3, 12)])
def test_no_test_of_a_constant_target_is_defined(value, intercept, weights):
    """Least squares reproduces it without an error: neither F = inf, nor p = 0 for the intercept."""
    X, _ = drawn(12)
    dummies = np.eye(3)[np.arange(12) % 3]
    Z = X if intercept else np.column_stack([dummies, X])
    told = sx.LinearRegression(fit_intercept=intercept).fit(Z, np.full(12, value), weights).summary()
    assert np.isnan([*told.t_values, *told.p_values, told.f_statistic, told.f_p_value]).all()
    assert np.isnan([told.r_squared, told.adjusted_r_squared]).all()
    assert told.residual_sum == 0.0
    assert "inf" not in str(told)
    assert "1e-300" not in str(told).replace("-1e-300", "")
    assert "The target is constant" in str(told)


def test_a_perfect_fit_says_so():
    X, _ = drawn()
    told = sx.LinearRegression().fit(X, X @ [1.0, 2.0]).summary()
    assert (told.residual_sd, told.f_statistic, told.f_p_value) == (0.0, np.inf, 0.0)
    assert "The fit is perfect" in str(told)


@pytest.mark.parametrize("unit", [1e-300, 1e-312, 1e250])
def test_residuals_whose_squares_leave_the_doubles_are_not_called_0(unit):
    """The sum of squares was rounded before it was compared with 0, and t was a ratio of rounded numbers."""
    X, y = drawn(20)
    plain = sx.LinearRegression().fit(X, np.round(y * 1000)).summary()
    told = sx.LinearRegression().fit(X, np.round(y * 1000) * unit).summary()
    assert told.t_values == pytest.approx(plain.t_values, rel=1e-6)
    assert told.p_values == pytest.approx(plain.p_values, rel=1e-4)
    assert "perfect" not in str(told)


@pytest.mark.parametrize("size", [1e20, 1e50, 1e100, 1e150])
def test_small_residuals_beside_a_large_target_are_not_called_0(size):
    told = sx.LinearRegression().fit([[0.0], [0.0], [1.0], [1.0]], [0.0, 1 / size, size, size]).summary()
    assert told.t_values[0] == pytest.approx(2**0.5)
    assert told.p_values[0] == pytest.approx(1 - 0.5**0.5)  # 1 - t/sqrt(2 + t^2): two degrees of freedom
    assert told.residual_sum == pytest.approx(0.5 / size**2)
    assert "perfect" not in str(told)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_without_degrees_of_freedom_there_are_no_tests_and_a_sentence(rows):
    X, y = drawn(rows)
    told = sx.LinearRegression().fit(X, y).summary()
    assert told.residual_df == 0
    assert np.isnan([*told.standard_errors, *told.p_values, told.f_statistic, told.residual_sd]).all()
    assert "no degrees of freedom" in " ".join(str(told).split())
    assert "nan" not in str(told)


def test_columns_that_never_vary_leave_the_mean():
    _, y = drawn()
    told = sx.LinearRegression().fit(np.zeros((40, 2)), y).summary()
    assert told.standard_errors[0] == pytest.approx(y.std(ddof=1) / np.sqrt(40))
    assert (told.r_squared, told.adjusted_r_squared) == (0.0, 0.0)
    assert np.isnan(told.f_statistic)
    assert "No column varies" in str(told)
    none = sx.LinearRegression(fit_intercept=False).fit(np.zeros((40, 2)), y).summary()
    assert all(none.aliased)
