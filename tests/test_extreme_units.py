"""Tables that are hard on doubles: every fit ends with a certificate that verifies, with a reason why it has
none, or with one sentence; nothing but the library's own warnings comes out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

import separatrix as sx
from separatrix.certificates import Undecided
from separatrix.fitting import FitWarning
from separatrix.models import ModelError
from separatrix.models.storage import to_json
from separatrix.rows import DataError

RANDOM = np.random.default_rng(17)
BASE = RANDOM.standard_normal((12, 2))
NOISY = (BASE[:, 0] + 1.5 * RANDOM.standard_normal(12) > 0).astype(int)
CLEAN = (BASE[:, 0] > 0).astype(int)
LARGEST = np.finfo(float).max

WEIGHTS = (1e-300, 1e300, 1e308, 10.0 ** np.linspace(-300, 300, 12))


def tables():
    for size in (1e-320, 1e-160, 2.0**-500, 1e150, 2.0**500, 1e300):
        yield f"noisy, {size:g}", BASE * size, NOISY
        yield f"separated, {size:g}", BASE * size, CLEAN
    yield "offset", np.round(4 * BASE) + 1e15, NOISY
    yield "offset, separated", np.round(4 * BASE) + 1e15, CLEAN
    yield "zeros", np.zeros((6, 2)), np.array([0, 1, 0, 1, 1, 0])
    yield "constant columns", np.full((6, 2), 3.0), np.array([0, 1, 0, 1, 1, 0])
    yield "one constant column", np.column_stack([BASE[:, 0], np.full(12, 7.0)]), NOISY
    for size in (1e300, 1e150, 1e-300):
        yield f"one column of {size:g}", BASE * [1.0, size], NOISY
    yield "columns of 1e300 and 1e-300", BASE * [1e300, 1e-300], NOISY
    yield "every row in both classes", np.repeat(BASE, 2, 0), np.tile([0, 1], 12)
    yield "sizes mixed", BASE * 10.0 ** RANDOM.integers(-300, 300, (12, 2)), NOISY
    for size in (1.0, 5e-324, 2.0**500):
        yield f"quasi, {size:g}", np.array([[0.0], [1.0], [1.0], [2.0]]) * size, np.array([0, 0, 1, 1])
    yield "ends of doubles", np.array([[1.0], [-1.0], [1.0], [-1.0]]) * LARGEST, np.array([0, 1, 1, 0])
    yield "least double", np.array([[0.0], [1.0], [0.0], [1.0]]) * 5e-324, np.array([0, 1, 0, 1])
    for size in (1e150, 1e-160, 1e-307):
        yield f"three classes, {size:g}", BASE * size, np.arange(12) % 3
    yield "more columns than rows", RANDOM.standard_normal((3, 5)) * 1e200, np.array([0, 1, 1])
    yield "sparse", csr_array(np.where(BASE > 0, BASE * 1e200, 0.0)), NOISY
    for name, values in (("inf", [np.inf]), ("nan", [np.nan]), ("inf and -inf", [np.inf, -np.inf])):
        X = BASE.copy()
        X[: len(values), 1] = values
        yield name, X, NOISY


TABLES = list(tables())
WEIGHTED = [table for table in TABLES if table[0] in ("noisy, 1e+150", "one constant column")]

CLASSIFIERS = [
    *(sx.LogisticRegression(C=C) for C in (1e-300, 1.0, 1e300)),
    sx.LogisticRegression(fit_intercept=False),
    sx.LogisticRegression(solver="newton-cg"),
    sx.LogisticRegression(solver="gradient-descent", max_iter=20),
    sx.LogisticRegression(penalty=None),
    sx.LogisticRegression(penalty=None, fit_intercept=False),
    sx.LogisticRegression(penalty=None, solver="newton-cg"),
    sx.LogisticRegression(penalty="firth"),
    sx.LogisticRegression(penalty="firth", fit_intercept=False),
    sx.LogisticRegression(multi_class="multinomial", C=1e300),
    sx.LogisticRegression(multi_class="multinomial", penalty=None),
    *(sx.LinearSVM(C=C) for C in (1e-300, 1.0, 1e100, 1e300, np.inf)),
    *(sx.LinearSVM(C=C, loss="squared_hinge") for C in (1e-300, 1.0, 1e100)),
    sx.LinearSVM(fit_intercept=False),
    sx.MaxMargin(),
    sx.MaxMargin(free_intercept=False),
    sx.MaxMargin(fit_intercept=False),
    sx.Perceptron(max_iter=10),
    sx.Perceptron(max_iter=10, step=1e300),
    sx.Perceptron(max_iter=10, center=True),
    sx.PocketPerceptron(max_iter=10),
    sx.AveragedPerceptron(max_iter=10),
    sx.MarginPerceptron(max_iter=10),
    sx.BatchPerceptron(max_iter=10),
    sx.PassiveAggressive(max_iter=10),
    sx.PassiveAggressive(max_iter=10, variant="PA-I", C=1e-300),
    sx.PassiveAggressive(max_iter=10, variant="PA-II", C=1e300),
]
REGRESSIONS = [
    sx.LinearRegression(),
    sx.LinearRegression(fit_intercept=False),
    *(sx.Ridge(alpha=alpha) for alpha in (0.0, 1e-300, 1.0, 1e300)),
    sx.Ridge(alpha=[1e-3, 1.0, 1e3]),
    sx.Ridge(alpha=[1e-300, 1e300]),
]


def fault(model, X, y, **weights):
    """What is wrong with the fit of these rows; None if nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", FitWarning)
            return wrong(model.fit(X, y, **weights), X, y)
    except DataError as error:
        said = str(error)
        return None if said.endswith(".") and len(said) < 250 and "\n" not in said else f"it says {said!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def wrong(model, X, y):
    if not np.isfinite(X.data if hasattr(X, "indptr") else X).all():
        return "it took what is not finite"
    proof = model.certificate_
    for each in proof if isinstance(proof, tuple) else (proof,):
        if isinstance(each, Undecided):
            if not each.reason.endswith("."):
                return f"its reason is {each.reason!r}"
        elif not each.verify(X, y).holds:
            return f"it claims {each.claim!r}; {each.verify(X, y).reason}"
    ends = getattr(proof, "upper", None), getattr(model, "objective_", None)
    if None not in ends and hasattr(proof, "C") and ends[0] != ends[1]:
        return f"its objective is {ends[1]}, and that of its certificate {ends[0]}"
    model.predict(X)
    try:
        to_json(model)
    except ModelError as error:
        return None if str(error).endswith(".") else f"it is not kept: {error}"
    return None


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_classifiers(model):
    found = {name: fault(model, X, y) for name, X, y in TABLES}
    assert not {name: what for name, what in found.items() if what}


@pytest.mark.parametrize("model", [m for m in CLASSIFIERS if hasattr(m, "class_weight")], ids=repr)
def test_row_weights(model):
    for name, X, y in WEIGHTED:
        found = [fault(model, X, y, sample_weight=np.broadcast_to(v, 12)) for v in WEIGHTS]
        assert not any(found), (name, found)


@pytest.mark.parametrize("model", REGRESSIONS, ids=repr)
def test_regressions(model):
    targets = np.linspace(-1.0, 2.0, 24), np.linspace(-1e300, 1e300, 24)
    found = {
        name: fault(model, X, targets[place % 2][: X.shape[0]]) for place, (name, X, _) in enumerate(TABLES)
    }
    assert not {name: what for name, what in found.items() if what}


def fitted(model, X, y, **weights):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FitWarning)
        return model.fit(X, y, **weights)


def overlapping(n=60, d=2, seed=1):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    return X, (X[:, 0] + 2 * random.standard_normal(n) > 0).astype(int)


@pytest.mark.parametrize("places", [(500, 500), (-500, -500), (900, 900)])
@pytest.mark.parametrize("penalty", [None, "firth"])
def test_powers_of_two_change_no_unpenalised_fit(places, penalty):
    X, y = overlapping()
    places = np.array(places)
    one = fitted(sx.LogisticRegression(penalty=penalty), X, y)
    two = fitted(sx.LogisticRegression(penalty=penalty), np.ldexp(X, places), y)
    assert np.allclose(np.ldexp(two.coef_, places), one.coef_, rtol=1e-9)
    assert np.allclose(two.intercept_, one.intercept_, rtol=1e-9)
    if penalty == "firth":
        assert two.objective_ == pytest.approx(one.objective_ - places.sum() * np.log(2.0), rel=1e-9)
        assert two.summary().p_value_of_ratio == pytest.approx(one.summary().p_value_of_ratio, rel=1e-6)
    if penalty is None and abs(places).max() <= 500 and len(set(places)) == 1:
        assert two.gap_ <= 1e-8
        assert two.certificate_.verify(np.ldexp(X, places), y).holds
        errors = one.summary().standard_error[1:], two.summary().standard_error[1:]
        assert np.allclose(np.ldexp(errors[1], places), errors[0], rtol=1e-6)


@pytest.mark.parametrize("places", [(300, -300), (-1000, 40), (0, -900)])
@pytest.mark.parametrize(
    "model",
    [
        sx.LogisticRegression(penalty=None),
        sx.LogisticRegression(penalty="firth"),
        sx.LogisticRegression(penalty=None, multi_class="multinomial"),
    ],
    ids=repr,
)
def test_columns_of_very_different_sizes_are_refused_without_a_penalty(model, places):
    X, _ = overlapping()
    with pytest.raises(DataError, match=r"more than 2\^200 times as large or small as others"):
        model.fit(np.ldexp(X, np.array(places)), np.arange(60) % 3)


@pytest.mark.parametrize("k", [400, -400])
@pytest.mark.parametrize("multi_class", ["ovr", "multinomial"])
def test_a_common_factor_with_its_cost_changes_no_penalised_fit(multi_class, k):
    X, y = overlapping()
    y = y if multi_class == "ovr" else y + (X[:, 1] > 0.5)
    one = fitted(sx.LogisticRegression(C=2.0, multi_class=multi_class), X, y)
    two = fitted(sx.LogisticRegression(C=np.ldexp(2.0, -2 * k), multi_class=multi_class), np.ldexp(X, k), y)
    assert np.allclose(np.ldexp(two.coef_, k), one.coef_, rtol=1e-9)
    assert np.allclose(two.intercept_, one.intercept_, rtol=1e-9)
    assert np.allclose(np.ldexp(two.objectives_, 2 * k), one.objectives_, rtol=1e-9)
    assert two.certificate_.verify(np.ldexp(X, k), y).holds
    assert two.gap_ <= 1e-8


@pytest.mark.parametrize("k", [480, -480])
def test_a_common_factor_changes_no_covariance_of_a_multinomial_fit(k):
    X, _ = overlapping()
    model = sx.LogisticRegression(penalty=None, multi_class="multinomial")
    one = fitted(model, X, np.arange(60) % 3).covariance_
    two = fitted(model, np.ldexp(X, k), np.arange(60) % 3).covariance_
    places = np.array([k, k, 0, k, k, 0])
    assert np.allclose(np.ldexp(two, places + places[:, None]), one, rtol=1e-6)


@pytest.mark.parametrize("k", [480, -480, 900])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_common_factor_changes_no_quasi_separation(intercept, k):
    """The last column depends on the others, and rows of the first one are separated."""
    X, y = overlapping()
    X = np.round(64 * X) / 64
    X = np.column_stack([X, X[:, 0] + X[:, 1], y * (np.arange(60) % 2)])
    model = sx.LogisticRegression(penalty=None, fit_intercept=intercept)
    one = fitted(model, X, y)
    seen = one.separation_, one.unbounded_, one.separated_rows_.tolist(), one.aliased_
    recession, lower = one.recession_, one.lower_bound_
    two = fitted(model, np.ldexp(X, k), y)
    assert seen == (two.separation_, two.unbounded_, two.separated_rows_.tolist(), two.aliased_)
    assert seen[0] == "quasi"
    assert (np.ldexp(X, k) @ (two.recession_[:-1] / abs(two.recession_).max()) * (2 * y - 1) >= 0).all()
    assert np.count_nonzero(two.recession_) == np.count_nonzero(recession)
    if k < 900:
        assert two.lower_bound_ == pytest.approx(lower, rel=1e-6)
        assert two.certificate_.normals
        assert two.certificate_.verify(np.ldexp(X, k), y).holds


@pytest.mark.parametrize("C", [1e20, 1e100, 1e300])
def test_a_huge_cost_is_as_good_as_no_penalty(C):
    X, y = overlapping()
    free = fitted(sx.LogisticRegression(penalty=None), X, y)
    with pytest.warns(FitWarning, match=r"lower C=1e\+"):
        dear = sx.LogisticRegression(C=C).fit(X, y)
    assert np.allclose(dear.coef_, free.coef_, rtol=1e-4)
    for loss in ("hinge", "squared_hinge"):
        moderate = fitted(sx.LinearSVM(C=1e8, loss=loss), X, y)
        dear = fitted(sx.LinearSVM(C=C, loss=loss), X, y)
        assert np.allclose(dear.coef_, moderate.coef_, rtol=1e-6)
        assert dear.certificate_.verify(X, y).holds
        assert 0.0 <= dear.lower_bound_ <= dear.objective_


def test_a_huge_cost_on_separated_rows_is_the_hard_margin():
    X, y = overlapping(40, 60)
    hard = fitted(sx.MaxMargin(), X, y)
    soft = fitted(sx.LinearSVM(C=1e100), X, y)
    assert soft.gap_ <= 1e-8
    assert np.allclose(soft.coef_, hard.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("solver", ["newton", "newton-cg"])
@pytest.mark.parametrize("C", [1e15, 1e20, 1e22, 1e100, 1e300])
def test_every_solver_finds_the_weights_of_a_huge_cost(solver, C):
    """Conjugate gradients stopped at 0; a last line search must not follow rounding away from the best."""
    X, y = overlapping(270, 6)
    X[:, 0] = np.round(100 * X[:, 0]) + 250.0
    free = fitted(sx.LogisticRegression(penalty=None), X, y)
    dear = fitted(sx.LogisticRegression(C=C, solver=solver), X, y)
    assert np.allclose(dear.coef_, free.coef_, rtol=1e-3, atol=1e-5)
    assert (np.diff(dear.objectives_) <= 1e-9 * dear.objectives_[1:]).all()
    assert dear.objectives_[-1] >= C * free.lower_bound_ * (1 - 1e-9)


def test_a_large_cost_is_not_given_up_before_doubles_are():
    """With values in the hundreds the proof of C=1e14 said only that the objective is not below 0."""
    X, y = overlapping(100)
    assert fitted(sx.LogisticRegression(C=1e20), X, y).gap_ <= 1e-3
    for loss in ("hinge", "squared_hinge"):
        model = fitted(sx.LinearSVM(C=1e14, loss=loss), np.round(200 * X), y)
        assert model.gap_ <= 1e-3
        assert model.certificate_.verify(np.round(200 * X), y).holds


@pytest.mark.parametrize("C", [1e12, 1e14, 1e100, 1e300])
def test_the_squared_hinge_of_separated_rows_at_a_huge_cost(C):
    """Weights of a moderate cost are a little short of the margin, which a large cost makes dear."""
    X, y = overlapping()
    y = (X[:, 0] > 0).astype(int)
    model = fitted(sx.LinearSVM(C=C, loss="squared_hinge"), X, y)
    assert model.gap_ <= 1e-5
    assert model.certificate_.verify(X, y).holds


def test_soft_margins_in_other_units():
    X, y = overlapping()
    for places in (450, -450):
        one = fitted(sx.LinearSVM(C=1.0), X, y)
        two = fitted(sx.LinearSVM(C=np.ldexp(1.0, -2 * places)), np.ldexp(X, places), y)
        assert np.allclose(np.ldexp(two.coef_, places), one.coef_, rtol=1e-9)
        assert two.gap_ <= 1e-4


def test_a_margin_below_the_least_double():
    X, y = np.array([[1.0, 3.0], [2.0, 5.0], [3.0, 1.0]]) * 5e-324, [0, 0, 1]
    for free in (True, False):
        model = fitted(sx.MaxMargin(free_intercept=free), X, y)
        assert model.certificate_.verify(X, y).holds
        assert model.halfspace_.predict(X).tolist() == [-1, -1, 1]
    # Its margin exceeds 0 and rounds to it.
    close = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]) * 5e-324
    model = fitted(sx.MaxMargin(), close, y)
    assert model.certificate_.verify(close, y).holds
    assert model.upper_bound_ > 0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_rounded_sum_of_columns_is_named(sign):
    random = np.random.default_rng(3)
    a, b = random.standard_normal((2, 60))
    X, y = np.column_stack([a, b, a + sign * b]), (a + 2 * random.standard_normal(60) > 0).astype(int)
    with pytest.warns(FitWarning, match="column 0, column 1, column 2 nearly depend on one another"):
        model = sx.LogisticRegression(penalty=None).fit(X, y)
    assert model.near_dependency_ == (0, 1, 2)
    without = fitted(sx.LogisticRegression(penalty=None), X[:, :2], y)
    assert without.near_dependency_ == ()
    assert model.objective_ == pytest.approx(without.objective_, rel=1e-9)
    three = sx.LogisticRegression(penalty=None, multi_class="multinomial")
    fitted(three, X, np.arange(60) % 3)
    for each in (model, three):
        with pytest.raises(ValueError, match="column 0, column 1, column 2 nearly depend on one another"):
            each.summary()


def test_a_column_that_nearly_is_the_intercept_is_named_with_it():
    random = np.random.default_rng(3)
    x = random.standard_normal(60)
    X = csr_array(np.column_stack([1 + 1e-8 * random.standard_normal(60), x]))
    y = (x + 2 * random.standard_normal(60) > 0).astype(int)
    with pytest.warns(FitWarning, match="column 0, the intercept nearly depend on one another"):
        sx.LogisticRegression(penalty=None).fit(X, y)


def test_normals_of_overlapping_rows_may_be_longer_than_doubles():
    """The rows lie on a plane whose normal has whole numbers beyond the largest double."""
    tiny = 2.15941e-318
    X = np.array([[1, 0], [0, -tiny], [0, 0], [-1, tiny], [-tiny, -1], [0, -3 * tiny], [-tiny, -1], [-1, 0]])
    y = np.array([-1, 1, 1, 1, 1, -1, -1, 1])
    model = fitted(sx.LogisticRegression(penalty=None), X, y)
    assert model.certificate_.verify(X, y)
    with pytest.raises(ValueError, match="not proven to be near the maximum"):
        model.summary()


@pytest.mark.parametrize("solver", ["newton", "newton-cg", "gradient-descent"])
@pytest.mark.parametrize("penalty", ["l2", None])
def test_max_iter_counts_steps(solver, penalty):
    X, y = overlapping(200, 3)
    model = sx.LogisticRegression(penalty=penalty, solver=solver)
    for k in (1, 2, 3):
        fitted(model.set_params(max_iter=k), X, y)
        assert model.n_iter_ == k
        assert len(model.objectives_) == k + 1
        assert (np.diff(model.objectives_) < 0).all()
    steps = sx.LogisticRegression(penalty=penalty, solver=solver, max_iter=1, warm_start=True)
    objectives = [fitted(steps, X, y).objective_ for _ in range(3)]
    assert objectives[2] < objectives[1] < objectives[0]


def test_max_iter_of_the_other_fits():
    X, y = overlapping(200, 3)
    classes = y + (X[:, 1] > 0.5)
    for model, labels in (
        (sx.LogisticRegression(penalty="firth"), y),
        (sx.LogisticRegression(multi_class="multinomial"), classes),
        (sx.LogisticRegression(multi_class="multinomial", penalty=None), classes),
        (sx.LinearSVM(), y),
        (sx.LinearSVM(loss="squared_hinge"), y),
    ):
        model.set_params(warm_start=True, max_iter=1)
        first = fitted(model, X, labels)
        before = first.coef_.copy(), first.objective_
        assert model.n_iter_ == 1
        assert fitted(model, X, labels).n_iter_ == 1
        assert not np.array_equal(model.coef_, before[0])
        assert fitted(model.set_params(max_iter=1000), X, labels).n_iter_ < 1000


def test_separated_rows_stay_within_max_iter():
    X, y = overlapping()
    y = (X[:, 0] > 0).astype(int)
    for multi_class, labels in (("ovr", y), ("multinomial", y + (X[:, 0] > 1))):
        model = sx.LogisticRegression(penalty=None, multi_class=multi_class, max_iter=5)
        assert np.max(fitted(model, X, labels).n_iter_) <= 5


def test_a_pocket_whose_weights_overflow_in_the_units_given_proves_nothing():
    a, b = [1, 1], [1, -1.5]
    X = np.array([a, b] * 5 + [a]) * 1e308
    X, y = np.vstack([X, -X[:2]]), np.array([1, 1] * 5 + [0, 0, 0])
    with pytest.warns(FitWarning, match="beyond the range of doubles"):
        model = sx.PocketPerceptron(order="cyclic", fit_intercept=False, max_iter=1).fit(X, y)
    assert isinstance(model.certificate_, sx.certificates.Undecided)


@pytest.mark.parametrize("C", [1e15, 1e16])
def test_a_hinge_of_huge_cost_closes_its_gap(C):
    random = np.random.default_rng(4)
    X = random.normal(size=(60, 4))
    y = X @ [1, 2, 3, 4] + 0.3 > 0
    y = np.where(random.random(60) < 0.15, ~y, y)
    assert sx.LinearSVM(C=C, fit_intercept=False).fit(X, y).gap_ < 1e-6
