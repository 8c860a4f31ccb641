"""Every value of a model file that is of a wrong type is refused in a sentence, or takes no part."""

from __future__ import annotations

import json
import re
import resource

import pytest
from test_model_files import rows

import separatrix as sx
from separatrix.models import ModelError, from_json, to_json
from separatrix.models.storage import _digest

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")

WRONG = [
    None, True, 3, -1, 2.5, "x", "1/0", [], [1], {}, {"tuple": []}, {"tuple": [None, 1.0]},
    {"float": "nan"}, {"float": "inf"}, {"float": 3},
    {"whole": "x"}, {"whole": 3}, {"mapping": []}, {"halfspace": ["1/0", 1.0]},
    {"halfspace": ["1/-2", 1.0]}, {"halfspace": [1.0]},
    {"halfspace": [3, 1.0]}, {"halfspace": None}, {"moments": {}}, {"path": {}}, {"preparation": {}},
    {"certificate": []}, {"history": []},
    {"array": {"dtype": "object", "shape": [2], "values": ["a", "b"]}},
    {"array": {"dtype": "object", "shape": [1, 3], "values": ["a", "b", "c"]}},
    {"array": {"dtype": "<U1", "shape": [1, 3], "values": ["a", "b", "c"]}},
    {"array": {"dtype": "<U500000000", "shape": [2], "values": ["a", "b"]}},
    {"array": {"dtype": "<U9999999999999", "shape": [2], "values": ["a", "b"]}},
    {"array": {"dtype": "float64", "shape": [1, 3], "values": ["nan", 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": [1, 3], "values": ["inf", 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": [3], "values": [0.5, 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": [-1, -3], "values": [0.5, 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": [1.0, 3], "values": [0.5, 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": "13", "values": [0.5, 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": [1, 3], "values": [None, 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": [10**30, 3], "values": []}},
    {"array": {"dtype": "float64", "shape": [0, 10**30], "values": []}},
    {"array": {"dtype": "int8", "shape": [1, 3], "values": [300, 1, 2]}},
    {"array": {"dtype": ["float64"], "shape": [1, 3], "values": [0.5, 1.0, 2.0]}},
    {"array": {"dtype": "float64", "shape": [1, 3]}}, {"array": None},
]  # fmt: skip
ATTRIBUTES = [
    "coef_",
    "intercept_",
    "classes_",
    "halfspace_",
    "certificate_",
    "history_",
    "n_features_in_",
    "feature_names_in_",
]
ATTRIBUTES += ["margin_", "mistakes_", "mistake_run_", "radius_", "preparation_", "run_"]


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    X, y = rows(2)
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(["a,b,c,label", *lines, ""]), encoding="utf-8")
    return to_json(sx.Perceptron().fit(sx.read(path)))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_every_attribute_of_a_wrong_type_is_refused_or_harmless(text, name):
    """What loads predicts as before."""
    X, _ = rows(2)
    before = from_json(text).predict(X).tolist()
    for value in WRONG:
        record = json.loads(text)
        record["fitted"][name] = value
        record["digest"] = _digest(record)
        try:
            found = from_json(json.dumps(record), name="m.json")
        except ModelError as error:
            said = str(error)
        else:
            assert found.predict(X).tolist() == before, value
            assert name not in ("coef_", "intercept_", "classes_", "certificate_"), value
            continue
        assert re.fullmatch(r"m\.json .{,300}\.", said), value


@pytest.mark.parametrize("kinds", [2, 3])
def test_votes_and_voters_go_together(kinds):
    model = sx.VotedPerceptron(max_iter=3).fit(*rows(kinds))
    for name in ("voters_", "votes_"):
        for value in [..., *WRONG]:
            record = json.loads(to_json(model))
            if value is ...:
                del record["fitted"][name]
            else:
                record["fitted"][name] = value
            with pytest.raises(ModelError, match=r"^the file is damaged"):
                from_json(json.dumps(record | {"digest": _digest(record)}))


def test_a_width_of_text_is_refused_before_it_is_reserved(text):
    record = json.loads(text)
    record["fitted"]["classes_"] = {
        "array": {"dtype": "<U500000000", "shape": [2], "values": ["ham", "spam"]}
    }
    record["digest"] = _digest(record)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelError, match="text of type <U500000000 takes 4,000,000,000 bytes"):
        from_json(json.dumps(record))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024


@pytest.mark.parametrize("depth", [300, 900, 20_000])
def test_deep_nesting_is_refused(text, depth):
    nested = '{"tuple": [' * depth + "1" + "]}" * depth
    with pytest.raises(ModelError):
        from_json(text.replace('"n_features_in_": 3', f'"n_features_in_": {nested}'))


PARAMETERS = [
    (sx.Perceptron(), "max_iter", "many"),
    (sx.LogisticRegression(), "C", "1"),
    (sx.LinearSVM(), "loss", 3),
    (sx.Perceptron(), "fit_intercept", "no"),
    (sx.PocketPerceptron(random_state=0), "random_state", "x"),
]


@pytest.mark.parametrize(("model", "name", "value"), PARAMETERS, ids=str)
def test_parameters_that_make_no_sense_are_refused(model, name, value):
    record = json.loads(to_json(model.fit(*rows(2))))
    record["parameters"][name] = value
    with pytest.raises(ModelError, match=rf"^the file is damaged: .*{name}"):
        from_json(json.dumps(record | {"digest": _digest(record)}))


PREPARED = [
    ("fill", "x"), ("fill", {"float": "nan"}), ("shift", None), ("scale", 0.0), ("scale", -1.0),
    ("scale", "1"), ("name", 3),
    ("name", None), ("values", "abc"), ("values", [1, 2]), ("values", []), ("values", ["a", "a"]),
    ("size", 10**12), ("size", 2.0),
    ("kind", "spell"), ("kind", []),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), PREPARED, ids=str)
def test_a_preparation_that_makes_no_sense_is_refused(field, value):
    from separatrix.models.values import from_plain, to_plain
    from separatrix.rows.preparation import Categories, HashedWords, Number, Preparation

    columns = (Number("a"), Categories("b", ("x", "y", "z")), HashedWords("c", 8))
    for column in columns:
        plain = to_plain(Preparation((column,)))
        if field not in plain["preparation"]["columns"][0]:
            continue
        plain["preparation"]["columns"][0][field] = value
        with pytest.raises(ModelError, match="its preparation is wrong"):
            from_plain(plain)
