"""Models go to JSON and come back the same, and every other file is refused in a sentence."""

from __future__ import annotations

import json
import math
import os
import stat
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron as Foreign

import separatrix as sx
from separatrix.certificates import Certificate
from separatrix.models import ModelError, from_json, to_json
from separatrix.models.storage import _digest
from separatrix.models.values import from_plain, to_plain
from separatrix.models.whole_file import atomic_write

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.fitting.fit_warnings.FitWarning")

MODELS = [
    sx.Perceptron(),
    sx.Perceptron(center=True),
    sx.Perceptron(fit_intercept=False, max_iter=20),
    sx.Perceptron(step=[1.0, 0.5], order=[3, 1, 2, 0], start=[0.1, 0.2, 0.3, 0.4, 0.5], max_iter=9),
    sx.PocketPerceptron(max_iter=9, random_state=0),
    sx.AveragedPerceptron(),
    sx.VotedPerceptron(),
    sx.MarginPerceptron(),
    sx.BatchPerceptron(),
    sx.PassiveAggressive(),
]


def flowers(several: bool) -> tuple[np.ndarray, np.ndarray]:
    X, y = sx.problems.iris("setosa")
    if not several:
        return X, np.where(y > 0, "setosa", "other")
    return X, np.repeat(["setosa", "versicolor", "virginica"], 50)


def same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray):
        return (
            isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
            if one.dtype != object
            else list(one) == list(other)
        )
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Certificate):
        return one.sealed() == other
    if isinstance(one, float) and one != one:
        return other != other
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("several", [False, True], ids=["two classes", "three classes"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_loaded_model_is_the_saved_one(model, several, tmp_path):
    X, y = flowers(several)
    model.fit(X, y)
    sx.save(model, tmp_path / "model.json")
    loaded = sx.load(tmp_path / "model.json")
    assert type(loaded) is type(model)
    assert loaded.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert np.array_equal(loaded.predict(X), model.predict(X))
    learned = {name for name in vars(model) if name.endswith("_")}
    assert learned == {name for name in vars(loaded) if name.endswith("_")}
    for name in learned:
        assert same(getattr(model, name), getattr(loaded, name)), name
    assert to_json(loaded) == (tmp_path / "model.json").read_text(encoding="utf-8")
    if hasattr(loaded, "certificate_"):
        for certificate in np.atleast_1d(np.array(loaded.certificate_, dtype=object)):
            assert certificate.verify(X, y).holds is (certificate.kind != "undecided")


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [-1, 1], [False, True], [1.0, 2.0], ["a", "bb"], np.array([3, 7], np.int8), ["ja", "nein – ß"]],
    ids=repr,
)
def test_labels_keep_their_type(labels):
    y = np.asarray(labels)[[0, 0, 1, 1]]
    model = sx.Perceptron().fit([[0.0], [1.0], [2.0], [3.0]], y)
    loaded = from_json(to_json(model))
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.predict([[0.0], [3.0]]).tolist() == y[[0, 3]].tolist()


def test_fit_on_rows_of_a_file_keeps_names_and_verifies(tmp_path):
    table = tmp_path / "birds.csv"
    table.write_text(
        "wing,weight,bird\n11.5,20,wren\n12,25,wren\n30,400,crow\n33,420,crow\n", encoding="utf-8"
    )
    model = sx.Perceptron(center=True).fit(sx.read(table, label="bird"))
    sx.save(model, tmp_path / "model.json")
    loaded = sx.load(tmp_path / "model.json")
    assert loaded.feature_names_in_.tolist() == ["wing", "weight"]
    about = loaded.certificate_.about
    assert (about.label, about.positive, about.rows) == ("bird", "wren", 4)
    assert about.digest.startswith("sha256:")
    assert loaded.certificate_.verify(sx.read(table, label="bird")).holds
    table.write_text(table.read_text(encoding="utf-8").replace("33", "34"), encoding="utf-8")
    assert not loaded.certificate_.verify(sx.read(table, label="bird")).holds


def test_sparse_fit_and_partial_fit_are_stored():
    from scipy.sparse import csr_array

    X, y = flowers(False)
    model = sx.Perceptron().fit(csr_array(X), y)
    assert np.array_equal(from_json(to_json(model)).coef_, model.coef_)
    online = sx.Perceptron().partial_fit(X[:60], y[:60], classes=["other", "setosa"])
    resumed = from_json(to_json(online)).partial_fit(X[60:], y[60:])
    assert np.array_equal(resumed.coef_, online.partial_fit(X[60:], y[60:]).coef_)


ONLINE = [model for model in MODELS if hasattr(model, "partial_fit")]


def noisy(several: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows that no halfspace separates, so that a run goes on moving."""
    X, y = flowers(several)
    random = np.random.default_rng(0)
    y = y.copy()
    wrong = random.choice(len(y), 12, replace=False)
    y[wrong] = random.permutation(y[wrong])
    order = random.permutation(len(y))
    return X[order], y[order]


def go_on(model, X, y):
    """Learn more in each way there is, then tell all that the model knows."""
    model.partial_fit(X[:40], y[:40])
    list(sx.stream(model, zip(X[40:60], y[40:60], strict=True)))
    model.partial_fit(sx.as_rows(X[60:], y[60:]))
    return {key: value for key, value in vars(model).items() if key.endswith("_")}


@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
@pytest.mark.parametrize("several", [False, True], ids=["two classes", "three classes"])
@pytest.mark.parametrize("model", ONLINE, ids=repr)
def test_a_loaded_model_goes_on_as_the_saved_one_does(model, several, begin):
    """The weights bit for bit, and nothing left of what the fit had told."""
    X, y = noisy(several)
    model = getattr(clone(model), begin)(X, y)
    loaded = from_json(to_json(model))
    straight, around = go_on(model, X, y), go_on(loaded, X, y)
    assert straight.keys() == around.keys()
    for name, value in straight.items():
        assert same(value, around[name]), name
    assert not {"margin_", "mistake_bound_", "mistake_run_", "radius_", "errors_"} & around.keys()
    assert to_json(from_json(to_json(loaded))) == to_json(loaded) == to_json(model)


def without_run(text: str) -> str:
    record = json.loads(text)
    record["fitted"].pop("run_", None)
    record["digest"] = _digest(record)
    return json.dumps(record)


@pytest.mark.parametrize("model", ONLINE, ids=repr)
def test_files_of_a_version_that_kept_no_run(model):
    """They load and predict; what cannot go on as it would have says so, and stays as it was."""
    X, y = noisy(False)
    model = clone(model).fit(X, y)
    old = from_json(without_run(to_json(model)))
    assert old.predict(X).tolist() == model.predict(X).tolist()
    if "run_" in json.loads(to_json(model))["fitted"]:
        before = dict(vars(old))
        with pytest.raises(ValueError, match="saved by an earlier version, without the run behind") as caught:
            old.partial_fit(X, y)
        assert str(caught.value).count(". ") == 0
        assert vars(old) == before
        return
    assert go_on(old, X, y).keys() == go_on(model, X, y).keys()
    assert np.array_equal(old.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    "change",
    [
        lambda runs: runs.append(runs[0]),
        lambda runs: runs[0]["mapping"].pop(),
        lambda runs: runs[0]["mapping"][0].__setitem__(1, 3),
        lambda runs: runs.clear(),
    ],
)
def test_a_run_that_does_not_fit_is_refused(change):
    record = json.loads(to_json(sx.AveragedPerceptron().fit(*noisy(False))))
    change(record["fitted"]["run_"]["tuple"])
    record["digest"] = _digest(record)
    with pytest.raises(ModelError, match="is damaged"):
        from_json(json.dumps(record))


@given(st.floats(allow_nan=True, allow_infinity=True) | st.integers() | st.booleans() | st.text() | st.none())
def test_every_plain_value_round_trips(value):
    back = from_plain(json.loads(json.dumps(to_plain(value), allow_nan=False)))
    assert type(back) is type(value)
    assert back == value or (value != value and back != back)
    if isinstance(value, float):
        assert math.copysign(1.0, back) == math.copysign(1.0, value) or value != value


KEYS = st.text(max_size=3) | st.integers() | st.floats(allow_nan=False) | st.booleans()


@given(st.dictionaries(KEYS, st.floats(allow_nan=False) | st.integers() | st.text(max_size=3), max_size=5))
def test_every_mapping_round_trips(mapping):
    back = from_plain(json.loads(json.dumps(to_plain(mapping), allow_nan=False)))
    assert back == mapping
    assert [*map(type, back)] == [*map(type, mapping)]


@pytest.mark.parametrize("pairs", [[[None, 1]], [[[1], 1]], [["a", 1], ["a", 2]], [["a"]], 3, {"a": 1}])
def test_forged_mappings_are_refused(pairs):
    with pytest.raises(ModelError, match="its mapping is wrong"):
        from_plain({"mapping": pairs})


@pytest.mark.parametrize("estimator", [sx.LinearSVM, sx.LogisticRegression])
@pytest.mark.parametrize(
    "labels",
    [("other", "setosa"), (0, 7), (False, True), (-1.0, 2.0)],
    ids=lambda pair: type(pair[0]).__name__,
)
def test_class_weights_are_stored(estimator, labels):
    X, y = flowers(False)
    y = np.where(y == "setosa", labels[1], labels[0])
    model = estimator(class_weight={labels[0]: 2.0, np.array(labels)[1]: 0.5}).fit(X, y)
    loaded = from_json(to_json(model))
    assert loaded.class_weight == model.class_weight
    assert np.array_equal(clone(loaded).fit(X, y).coef_, model.coef_)


@given(
    st.lists(st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.fractions(), min_size=2)
)
def test_every_halfspace_round_trips(numbers):
    halfspace = sx.Halfspace(numbers[:-1], numbers[-1])
    back = from_plain(json.loads(json.dumps(to_plain(halfspace))))
    assert back == halfspace
    assert list(map(type, back.numbers)) == [
        int if isinstance(n, Fraction) and n.denominator == 1 else type(n) for n in halfspace.numbers
    ]


def test_whole_numbers_of_any_size_round_trip():
    halfspace = sx.Halfspace([2**70, -(10**5000)], 3)
    assert from_plain(json.loads(json.dumps(to_plain(halfspace)))) == halfspace


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("step", lambda k: 1.0), ("random_state", np.random.RandomState(0)), ("step", max)],
    ids=["function", "generator", "built-in"],
)
def test_what_json_cannot_hold_is_said_and_nothing_written(parameter, value, tmp_path):
    X, y = flowers(False)
    model = sx.Perceptron(max_iter=2).fit(X, y).set_params(**{parameter: value})
    with pytest.raises(ModelError, match=f"The parameter {parameter} cannot be stored: .*set_params"):
        sx.save(model, tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


class Mine(sx.Perceptron):
    pass


def test_only_fitted_models_of_this_library_are_stored(tmp_path):
    X, y = flowers(False)
    with pytest.raises(ModelError, match="not one of this library's models"):
        sx.save(Foreign().fit(X, y), tmp_path / "model.json")
    with pytest.raises(ModelError, match="A Mine is not one of"):
        sx.save(Mine().fit(X, y), tmp_path / "model.json")
    with pytest.raises(NotFittedError):
        sx.save(sx.Perceptron(), tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def text() -> str:
    X, y = flowers(False)
    return to_json(sx.Perceptron().fit(X, y))


def forged(text: str, **changes: object) -> str:
    """The file with other content, and a digest that matches it."""
    record = json.loads(text)
    for path, value in changes.items():
        place, *rest = path.split("__", 1)
        if rest:
            record[place] = {key: item for key, item in record[place].items() if key != rest[0]}
            if value is not ...:
                record[place][rest[0]] = value
        else:
            record[place] = value
    return json.dumps(record | {"digest": _digest(record)})


def test_cut_short_anywhere_it_is_refused(text):
    for length in range(0, len(text.rstrip()), 97):
        with pytest.raises(ModelError, match=r"^m\.json is .*(damaged|no model)"):
            from_json(text[:length], name="m.json")


def test_one_changed_digit_is_noticed(text):
    place = text.index("coef_") + 80
    digit = next(i for i in range(place, len(text)) if text[i].isdigit())
    other = text[:digit] + str((int(text[digit]) + 1) % 10) + text[digit + 1 :]
    with pytest.raises(ModelError, match="does not match its digest"):
        from_json(other)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "not whole JSON"),
        ("[1, 2]", "is no model of this library"),
        ('{"format": "separatrix-certificate", "version": 1}', "is no model of this library"),
        ('{"format": "separatrix-model", "version": 2}', "of version 2 .* reads up to 1: update it"),
        ('{"format": "separatrix-model", "version": true}', "its 'version' is True"),
        ('{"format": "separatrix-model", "version": 1}', "it lacks 'digest'"),
        ('{"format": "separatrix-model", "format": "separatrix-model"}', "not whole JSON"),
        ('{"format": NaN}', "not whole JSON"),
        ('{"format": 1e999}', "not whole JSON"),
        ("[" * 100_000, "nests lists too deeply"),
        ("\x80\x04\x95 a pickle", "not whole JSON"),
    ],
)
def test_damaged_foreign_and_future_files_get_one_sentence(content, sentence, tmp_path):
    path = tmp_path / "m.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(ModelError, match=f"^m.json .*{sentence}.*\\.$") as caught:
        sx.load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"estimator": "Oracle"}, "holds a Oracle, which this library does not have"),
        ({"estimator": "read"}, "holds a read"),
        ({"estimator": "__builtins__"}, "does not have"),
        ({"estimator": None}, "does not have"),
        ({"parameters": []}, "no objects"),
        ({"parameters__magic": 1}, "unexpected keyword argument 'magic'"),
        ({"fitted__coef_": ...}, "is damaged"),
        ({"fitted__classes_": ...}, "is damaged"),
        ({"fitted__predict": 1}, "'predict', which is nothing that a model learns"),
        ({"fitted____class__": 1}, "nothing that a model learns"),
        (
            {"fitted__intercept_": {"array": {"dtype": "float64", "shape": [2], "values": [1.0, 2.0]}}},
            "weights",
        ),
        ({"fitted__intercept_": {"array": {"dtype": "float64", "shape": [2], "values": [1.0]}}}, "2 values"),
        ({"fitted__intercept_": {"array": {"dtype": "object", "shape": [1], "values": [1]}}}, "type object"),
        (
            {"fitted__intercept_": {"array": {"dtype": "float64", "shape": [1], "values": [1]}}},
            "type float64",
        ),
        ({"fitted__intercept_": {"array": {"dtype": "complex64", "shape": [1], "values": [1]}}}, "complex64"),
        ({"fitted__intercept_": {"pickle": "gASV"}}, "an object of an unknown kind"),
        ({"fitted__intercept_": {}}, "an object of an unknown kind"),
        ({"fitted__n_features_in_": 0}, "n_features_in_ should be a whole number above 0"),
        ({"fitted__certificate_": {"certificate": {"format": "x"}}}, "its certificate is wrong"),
        ({"fitted__history_": {"history": {"columns": [], "passes": []}}}, "its history is wrong"),
        ({"extra": 1}, "should not have 'extra'"),
    ],
    ids=str,
)
def test_forged_content_is_refused_even_with_a_matching_digest(text, change, sentence):
    with pytest.raises(ModelError, match=sentence):
        from_json(forged(text, **change))


def half_written(path: Path, failure: type[BaseException]) -> None:
    with atomic_write(path) as file:
        file.write("half")
        raise failure


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "answer.txt"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    for failure in (RuntimeError, KeyboardInterrupt, SystemExit):
        with pytest.raises(failure):
            half_written(path, failure)
        assert [p.name for p in tmp_path.iterdir()] == ["answer.txt"]
        assert path.read_text(encoding="utf-8") == "old"
    with atomic_write(path) as file:
        file.write("new")
    assert path.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write("newer")
    assert link.is_symlink()
    assert path.read_text(encoding="utf-8") == "newer"


def test_a_new_file_has_the_permissions_of_the_users_mask(tmp_path):
    with (tmp_path / "plain").open("w") as file:
        file.write("x")
    with atomic_write(tmp_path / "whole") as file:
        file.write("x")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs a device to write to")
def test_a_device_is_written_to_as_it_is():
    with atomic_write(os.devnull) as file:
        file.write("x")
    assert not Path(os.devnull).is_file()


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(OSError, match="directory"), atomic_write(tmp_path):
        pass
    with pytest.raises(FileNotFoundError, match=r"absent'$"), atomic_write(tmp_path / "absent" / "name"):
        pass


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs a name for standard output")
def test_a_model_goes_into_a_pipe():
    """The name /dev/stdout leads to no file that could be replaced."""
    program = (
        "import separatrix as sx; X, y = sx.problems.xor(); "
        "sx.save(sx.BatchPerceptron(max_iter=2).fit(X, y), '/dev/stdout')"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, check=True)
    assert json.loads(done.stdout)["estimator"] == "BatchPerceptron"
