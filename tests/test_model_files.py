"""A model file is believed only as far as it agrees with itself: types, weights, labels, columns."""

from __future__ import annotations

import json
import random
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix.cli.program import run
from separatrix.models import ModelError, from_json, to_json
from separatrix.models.agreement import find_disagreement
from separatrix.models.storage import _digest

pytestmark = [
    pytest.mark.filterwarnings("ignore::separatrix.fitting.fit_warnings.FitWarning"),
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
]

CLASSIFIERS = [
    sx.Perceptron(max_iter=2000),
    sx.Perceptron(center=True, max_iter=2000),
    sx.PocketPerceptron(max_iter=9, random_state=0),
    sx.AveragedPerceptron(max_iter=2000),
    sx.MarginPerceptron(),
    sx.BatchPerceptron(max_iter=2000),
    sx.PassiveAggressive(max_iter=2000),
    sx.MaxMargin(),
    sx.LinearSVM(),
    sx.LogisticRegression(),
    sx.LogisticRegression(multi_class="multinomial"),
    sx.ZeroOne(time_limit=2),
]
REGRESSORS = [sx.LinearRegression(), sx.Ridge(), sx.Ridge(alpha=[0.1, 1.0])]


def rows(kinds: int) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(kinds)
    X = np.round(chance.normal(size=(24, 3)), 3)
    side = X @ [1.0, 2.0, -1.0]
    if kinds == 0:
        return X, np.round(side + chance.normal(size=24), 3)
    return X, np.array(["eggs", "ham", "spam"])[3 - kinds :][np.digitize(side, [0, 1.5][: kinds - 1])]


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(line: str) -> tuple[int, str, str]:
        code = run(shlex.split(line))
        return code, *capsys.readouterr()

    return call


def written(X: np.ndarray, y: np.ndarray) -> None:
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    Path("rows.csv").write_text("\n".join(["a,b,c,label", *lines, ""]), encoding="utf-8")


def forged(model, change) -> str:
    record = json.loads(to_json(model))
    change(record["fitted"])
    return json.dumps(record | {"digest": _digest(record)})


def names_weights(model) -> bool:
    found = model.certificate_ if isinstance(model.certificate_, tuple) else (model.certificate_,)
    return any(hasattr(c, "weights") or hasattr(c, "coefficients") for c in found)


def other_coefficient(fitted) -> None:
    values = fitted["coef_"]["array"]["values"]
    values[-1] = float(np.nextafter(values[-1], 9))


def other_halfspace(fitted) -> None:
    """With the same change of halfspace_, so that only the certificate disagrees."""
    other_coefficient(fitted)
    found = fitted["halfspace_"]
    last = found["tuple"][-1] if "tuple" in found else found
    last["halfspace"][-2] = fitted["coef_"]["array"]["values"][-1]


def other_intercept(fitted) -> None:
    if isinstance(fitted["intercept_"], float):
        fitted["intercept_"] += 1.0
        return
    fitted["intercept_"]["array"]["values"][-1] += 1.0


def other_signs(fitted) -> None:
    for name in ("coef_", "intercept_"):
        if isinstance(fitted[name], float):
            fitted[name] = -fitted[name]
        else:
            fitted[name]["array"]["values"] = [-value for value in fitted[name]["array"]["values"]]


def other_order(fitted) -> None:
    fitted["classes_"]["array"]["values"].reverse()


def other_columns(fitted) -> None:
    fitted["feature_names_in_"]["array"]["values"].reverse()


def no_columns(fitted) -> None:
    del fitted["feature_names_in_"]


def classes_changed(fitted) -> None:
    certificates = fitted["certificate_"]["tuple"]
    certificates[0], certificates[1] = certificates[1], certificates[0]


@pytest.mark.parametrize("kinds", [2, 3])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_a_classifier_that_predicts_by_something_else_is_refused(cli, model, kinds):
    X, y = rows(kinds)
    written(X, y)
    model.fit(sx.read("rows.csv"))
    assert find_disagreement(model) is None
    changes = [other_coefficient, other_intercept, other_signs]
    if names_weights(model):
        changes.append(other_halfspace)
    if not all(c.kind == "undecided" for c in np.ravel(model.certificate_)):
        changes += [other_order, other_columns, no_columns]
    for change in changes:
        text = forged(model, change)
        with pytest.raises(ModelError, match=r"contradicts itself: .*\.$"):
            from_json(text)
        Path("forged.json").write_text(text, encoding="utf-8")
        code, out, err = cli("verify forged.json rows.csv")
        assert (code, out) == (4, ""), change.__name__
        assert "refused" in err
        assert "holds:" not in err
        for command in ("predict forged.json rows.csv", "evaluate forged.json rows.csv"):
            assert cli(command)[0] == 2
        assert cli("export forged.json --onnx forged.onnx")[0] == 2
        assert not Path("forged.onnx").exists()


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_a_regression_that_predicts_by_something_else_is_refused(cli, model):
    X, y = rows(0)
    written(X, y)
    model.fit(sx.read("rows.csv", regression=True))
    for change in (other_coefficient, other_intercept, other_signs, other_columns, no_columns):
        text = forged(model, change)
        with pytest.raises(ModelError, match="contradicts itself"):
            from_json(text)
        Path("forged.json").write_text(text, encoding="utf-8")
        assert cli("verify forged.json rows.csv")[0] == 4


def test_a_label_that_the_data_does_not_have_is_refused(cli):
    """The certificate names the label of +1 alone; the other one is seen in the data."""
    X, y = rows(2)
    written(X, y)
    model = sx.Perceptron().fit(sx.read("rows.csv"))

    def relabelled(fitted):
        fitted["classes_"]["array"]["values"][0] = "eggs"

    Path("forged.json").write_text(forged(model, relabelled), encoding="utf-8")
    code, _, err = cli("verify forged.json rows.csv")
    assert code == 4
    assert "The data has the label 'ham', which this model never predicts." in err


def test_a_class_against_the_rest_verifies_where_the_rest_has_many_labels(cli):
    written(*rows(3))
    assert cli("fit rows.csv --positive spam --model svm -o model.json -q")[0] == 0
    assert cli("verify model.json rows.csv")[0] == 0


def test_exchanged_certificates_of_classes_are_refused():
    model = sx.LinearSVM().fit(*rows(3))
    with pytest.raises(ModelError, match="contradicts itself: its certificate_ takes 'ham' for"):
        from_json(forged(model, classes_changed))


def test_what_a_proof_does_not_cover_is_said(cli):
    """A conflict among the rows is proven whatever the weights are."""
    X, y = sx.problems.xor()
    written(np.column_stack([X, X[:, 0]]), y)
    cli("fit rows.csv --model perceptron --max-iter 5 -o model.json -q")
    code, _, err = cli("verify model.json rows.csv")
    assert code == 0
    assert "it says nothing about the weights" in err
    record = json.loads(cli("verify model.json rows.csv --json")[1])
    assert [found["covers_weights"] for found in record["certificates"]] == [False, True]


def test_a_model_changed_by_hand_is_not_stored():
    model = sx.Perceptron().fit(*rows(2))
    model.coef_ = 2 * model.coef_
    with pytest.raises(ModelError, match=r"cannot be stored: its coef_ .* Fit it again\.$"):
        to_json(model)


@pytest.mark.parametrize("exponent", [-500, -30, 0, 30, 500])
@pytest.mark.parametrize(
    "model", [*CLASSIFIERS[:2], sx.PocketPerceptron(random_state=0), sx.ZeroOne(time_limit=2)], ids=repr
)
def test_models_of_extreme_rows_agree_with_their_certificates(model, exponent):
    X, y = rows(2)
    X = np.ldexp(X, exponent)
    for moved in (X, X + np.ldexp(1e9, exponent)) if exponent < 500 else (X,):
        assert (
            from_json(to_json(model.fit(moved, y))).predict(moved).tolist() == model.predict(moved).tolist()
        )


@pytest.mark.parametrize(
    "model", [sx.LogisticRegression(), sx.LinearSVM(), sx.ZeroOne(time_limit=2)], ids=repr
)
def test_whole_numbers_do_not_let_the_scale_change(model):
    """Only a claim of separation is true of every positive multiple of its weights."""
    model.fit(*rows(2))
    model.certificate_ = replace(model.certificate_, weights=(2.0, 4.0, 6.0), intercept=8.0)
    model.halfspace_ = sx.Halfspace([2, 4, 6], 8)
    model.coef_, model.intercept_ = np.array([[1.0, 2.0, 3.0]]), np.array([4.0])
    assert find_disagreement(model) is not None


PROVEN = [model for model in CLASSIFIERS if not isinstance(model, sx.AveragedPerceptron)]


@pytest.mark.parametrize("model", [*PROVEN, *REGRESSORS], ids=repr)
def test_a_damaged_model_that_loads_predicts_as_before(model):
    """Where its certificates speak of weights: every value in turn is changed at random."""
    from damage import inside_model

    X, y = rows(0 if model in REGRESSORS else 2)
    model.fit(X, y)
    assert names_weights(model)
    new = np.random.default_rng(1).normal(size=(200, 3))
    text, loaded = to_json(model).encode(), 0
    for number in range(150):
        try:
            found = from_json(inside_model(text, random.Random(number)))
        except ModelError:
            continue
        loaded += 1
        assert found.predict(new).tolist() == model.predict(new).tolist(), number
        if hasattr(model, "predict_proba"):
            assert np.array_equal(found.predict_proba(new), model.predict_proba(new)), number
    assert loaded > 5
