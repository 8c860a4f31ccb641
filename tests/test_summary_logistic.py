"""The table of a logistic regression against statsmodels and published values.

Columns depend on one another, rows have weights, and some fits have no maximum.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import separatrix as sx

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.FitWarning")
api = pytest.importorskip("statsmodels.api")

FITS = {
    "plain": {"penalty": None},
    "firth": {"penalty": "firth"},
    "origin": {"penalty": None, "fit_intercept": False},
    "multinomial": {"penalty": None, "multi_class": "multinomial"},
    "ovr": {"penalty": None},
}


def drawn(n=80, classes=2, seed=0):
    """Short decimals in binary, so that sums of columns are exact."""
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(n, 2)) * 64) / 64
    heights = X @ [1.0, -0.5] + random.logistic(size=n)
    return X, np.digitize(heights, [0.0] if classes == 2 else [-0.7, 0.7])


def tables(name, X, y, weights=None):
    told = sx.LogisticRegression(**FITS[name]).fit(X, y, weights).summary()
    return told if isinstance(told, tuple) else (told,)


def added(X):
    """Columns that add nothing to those of X, the places in the table that they alias, and whether they need
    an intercept for that."""
    one = np.ones(len(X))
    low = (X[:, 0] < 0).astype(float)
    return {
        "ones": (np.column_stack([X, one]), X, [0, 3], True),
        "zero": (np.column_stack([X, 0 * one]), X, [3], False),
        "duplicate": (np.column_stack([X, X[:, 0]]), X, [1, 3], False),
        "shifted": (np.column_stack([X, X[:, 1] + 2]), X, [0, 2, 3], True),
        "difference": (np.column_stack([X, X[:, 0] - X[:, 1]]), X, [1, 2, 3], False),
        "dummies": (
            np.column_stack([low, 1 - low, X[:, 1]]),
            np.column_stack([low, X[:, 1]]),
            [0, 1, 2],
            True,
        ),
    }


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("case", ["ones", "zero", "duplicate", "shifted", "difference", "dummies"])
def test_dependent_columns_change_no_test_and_are_aliased(case, fit):
    X, y = drawn(classes=3 if fit in ("multinomial", "ovr") else 2)
    given, independent, aliased, needs_intercept = added(X)[case]
    if fit == "origin" and needs_intercept:
        pytest.skip("independent without an intercept")
    told, plain = tables(fit, given, y), tables(fit, independent, y)
    shift = int(fit == "origin")
    for ours, theirs in zip(told, plain, strict=True):
        assert ours.degrees == theirs.degrees
        assert ours.likelihood_ratio == pytest.approx(theirs.likelihood_ratio, abs=1e-6)
        assert ours.p_value_of_ratio == pytest.approx(theirs.p_value_of_ratio, rel=1e-5)
        assert [k + shift for k, word in enumerate(ours.words) if word == "aliased"] == aliased
        assert str(ours).count("aliased") == len(aliased)
        for k, word in enumerate(ours.words):
            assert np.isnan(ours.standard_error[k]) == (word == "aliased")
            if word == "finite":
                same = np.isclose(theirs.estimate, ours.estimate[k], rtol=1e-5)
                assert np.isclose(theirs.standard_error[same], ours.standard_error[k], rtol=1e-5).any()


@pytest.mark.parametrize("weighted", [False, True])
def test_a_column_of_ones_leaves_statsmodels_test(weighted):
    """Degrees of freedom counted columns: df 2 instead of 1."""
    X, y = drawn()
    v = np.random.default_rng(1).integers(0, 4, len(y)) if weighted else np.ones(len(y), int)
    (told,) = tables("plain", np.column_stack([X, np.ones(len(X))]), y, v if weighted else None)
    theirs = api.Logit(np.repeat(y, v), api.add_constant(np.repeat(X, v, axis=0))).fit(disp=0, tol=1e-13)
    assert told.degrees == theirs.df_model
    assert told.likelihood_ratio == pytest.approx(theirs.llr, rel=1e-8)
    assert told.p_value_of_ratio == pytest.approx(theirs.llr_pvalue, rel=1e-7)
    assert np.allclose(told.standard_error[1:3], theirs.bse[1:], rtol=1e-6)


@pytest.mark.parametrize("fit", ["plain", "firth", "multinomial"])
def test_the_table_names_what_the_ratio_is_against(fit):
    """Without an intercept the ratio is against all coefficients 0, not against it alone."""
    X, y = drawn(classes=3 if fit == "multinomial" else 2)
    assert "of the intercept alone" in str(tables(fit, X, y)[0])
    model = sx.LogisticRegression(**FITS[fit], fit_intercept=False).fit(X, y)
    table = str(model.summary()[0] if fit == "multinomial" else model.summary())
    assert "with all coefficients 0" in table
    assert "intercept" not in table


def test_multinomial_degrees_are_statsmodels():
    X, y = drawn(120, classes=3)
    theirs = api.MNLogit(y, api.add_constant(X)).fit(disp=0, tol=1e-13)
    for told in tables("multinomial", np.column_stack([X, X.sum(axis=1), np.ones(len(X))]), y):
        assert told.degrees == theirs.df_model
        assert told.p_value_of_ratio == pytest.approx(theirs.llr_pvalue, rel=1e-6)


def test_columns_that_a_weight_of_zero_makes_equal_are_aliased():
    X, y = drawn()
    twin = X[:, 0].copy()
    twin[:5] += 1.0
    weights = np.r_[np.zeros(5), np.ones(len(y) - 5)]
    (told,) = tables("plain", np.column_stack([X, twin]), y, weights)
    assert (told.rows, told.weight, told.degrees) == (len(y) - 5, len(y) - 5, 2)
    assert told.words == ("finite", "aliased", "finite", "aliased")


def test_weights_are_repetitions_and_rows_are_counted_once():
    X, y = drawn()
    v = np.random.default_rng(2).integers(0, 3, len(y))
    (told,), (whole,) = tables("plain", X, y, v), tables("plain", np.repeat(X, v, axis=0), np.repeat(y, v))
    assert (told.rows, told.weight) == ((v > 0).sum(), v.sum())
    assert np.allclose(told.standard_error, whole.standard_error, rtol=1e-7)
    assert told.likelihood_ratio == pytest.approx(whole.likelihood_ratio)
    assert f"total weight {v.sum()}" in str(told)
    theirs = api.GLM(y, api.add_constant(X), family=api.families.Binomial(), freq_weights=v).fit(tol=1e-13)
    assert np.allclose(told.standard_error, theirs.bse, rtol=1e-6)


def test_separated_rows_have_the_degrees_of_all_columns(data_folder):
    """Endometrial, R: null deviance 104.903, residual deviance 55.393 on 3 degrees of freedom fewer."""
    table = np.genfromtxt(data_folder / "endometrial.csv", delimiter=",", names=True)
    X, y = np.column_stack([table["NV"], table["PI"], table["EH"]]), table["label"].astype(int)
    for given in (X, np.column_stack([X, np.ones(len(X))]), np.column_stack([X, X[:, 2]])):
        (told,) = tables("plain", given, y)
        assert told.degrees == 3
        assert told.likelihood_ratio == pytest.approx(104.903 - 55.393, abs=1e-3)
        assert told.words[1] == "+inf"
    assert told.words == ("finite", "+inf", "finite", "aliased", "aliased")
    assert told.standard_error[[0, 2]] == pytest.approx([1.63729861, 0.04433196], abs=1e-6)


def test_lizards_with_a_dummy_for_every_level(data_folder):
    table = np.genfromtxt(data_folder / "lizards.csv", delimiter=",", dtype=str, skip_header=1)
    y = (table[:, -1] == "opalinus").astype(int)
    levels = [(table[:, j] == level).astype(float) for j in range(4) for level in np.unique(table[:, j])]
    first = np.cumsum([0] + [len(np.unique(table[:, j])) for j in range(3)])
    kept = [level for k, level in enumerate(levels) if k not in first]
    theirs = api.Logit(y, api.add_constant(np.column_stack(kept))).fit(disp=0, tol=1e-13)
    (told,) = tables("plain", np.column_stack(levels), y)
    (coded,) = tables("plain", np.column_stack(kept), y)
    assert told.degrees == coded.degrees == theirs.df_model == 5
    for ours in (told, coded):
        assert ours.likelihood_ratio == pytest.approx(theirs.llr, rel=1e-8)
        assert ours.p_value_of_ratio == pytest.approx(theirs.llr_pvalue, rel=1e-6)
    assert set(told.words) == {"aliased"}
    assert np.allclose(coded.standard_error, theirs.bse, rtol=1e-6)


def test_vaso_is_published(data_folder):
    """Pregibon (1981) on the logarithms, with each column in other units beside it."""
    table = np.genfromtxt(data_folder / "vaso.csv", delimiter=",", skip_header=1)
    X, y = np.log(table[:, :2]), table[:, 2].astype(int)
    (told,) = tables("plain", X, y)
    assert told.estimate == pytest.approx([-2.875, 5.179, 4.562], abs=1e-3)
    assert told.standard_error == pytest.approx([1.321, 1.865, 1.838], abs=1e-3)
    (twice,) = tables("plain", np.column_stack([X, 4 * X]), y)
    assert (twice.degrees, told.degrees) == (2, 2)
    assert -2 * twice.log_likelihood == pytest.approx(29.227, abs=1e-3)


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_firth_far_from_the_origin(offset):
    """Columns far from 0 nearly depend on the constant, but not once they are centred."""
    X, y = drawn()
    (near,), (far,) = tables("firth", X, y), tables("firth", X + offset, y)
    assert set(far.words) == {"finite"}
    assert far.degrees == 2
    assert far.estimate[1:] == pytest.approx(near.estimate[1:], rel=1e-5)
    assert far.likelihood_ratio == pytest.approx(near.likelihood_ratio, rel=1e-6)
    (twice,) = tables("firth", np.column_stack([X, X[:, 1]]) + offset, y)
    assert twice.words == ("finite", "finite", "aliased", "aliased")


def test_no_table_without_a_maximum():
    X, y = drawn()
    with pytest.raises(ValueError, match="completely separated"):
        tables("plain", X, X[:, 0] > 0)
    corner = np.where(X[:, 0] > 1, 2, y)
    with pytest.raises(ValueError, match="standard error"):
        tables("multinomial", X, np.digitize(X[:, 0], [-0.5, 0.5]))
    with pytest.raises(ValueError, match="fit of 2 against the rest has no finite maximum"):
        tables("ovr", X, corner)


@pytest.mark.parametrize("seed", range(4))
def test_no_invented_table_where_a_column_is_a_rounded_difference(seed):
    """The exact maximum has huge coefficients: they are found, or there is no table."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 2))
    y = (X[:, 0] + random.logistic(size=60) > 0).astype(int)
    model = sx.LogisticRegression(penalty=None).fit(np.column_stack([X, X[:, 0] - X[:, 1]]), y)
    if model.gap_ <= 1e-6:
        assert model.summary().degrees == 3
    else:
        with pytest.raises(ValueError, match="nearly depend"):
            model.summary()


@pytest.mark.parametrize("fit", ["plain", "firth", "multinomial"])
def test_no_table_of_a_fit_that_ended_early(fit):
    X, y = drawn(classes=3 if fit == "multinomial" else 2)
    model = sx.LogisticRegression(**FITS[fit], max_iter=1).fit(3 * X, y)
    with pytest.raises(ValueError, match="standard errors away"):
        model.summary()


def test_a_penalised_fit_forgets_the_table_of_the_fit_before():
    X, y = drawn()
    model = sx.LogisticRegression(penalty=None).fit(X, y)
    model.summary()
    model.set_params(penalty="l2").fit(X, y)
    with pytest.raises(ValueError, match="needs a fit with penalty=None"):
        model.summary()


def test_loaded_tables_are_the_same(tmp_path):
    X, y = drawn(classes=3)
    for fit in ("ovr", "multinomial"):
        model = sx.LogisticRegression(**FITS[fit]).fit(np.column_stack([X, X[:, 0]]), y)
        sx.save(model, tmp_path / "model.json")
        assert list(map(str, sx.load(tmp_path / "model.json").summary())) == list(map(str, model.summary()))


def test_one_degree_of_freedom_is_singular():
    X, y = drawn()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (told,) = tables("plain", X[:, :1], y)
    assert "on 1 degree of freedom," in str(told)
