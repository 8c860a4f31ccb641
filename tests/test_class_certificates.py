"""With several classes ``certificate_`` is a sequence with a verdict of its own."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import separatrix as sx
from separatrix.certificates import Certificate, Certificates, Separable, Undecided
from separatrix.fitting import FitWarning

ESTIMATORS = [
    sx.Perceptron(),
    sx.PocketPerceptron(max_iter=30),
    sx.AveragedPerceptron(),
    sx.MarginPerceptron(),
    sx.BatchPerceptron(),
    sx.PassiveAggressive(),
    sx.MaxMargin(),
    sx.LinearSVM(),
    sx.LinearSVM(C=np.inf),
    sx.LinearSVM(loss="squared_hinge"),
    sx.LogisticRegression(),
    sx.LogisticRegression(penalty=None),
    sx.LogisticRegression(multi_class="multinomial"),
    sx.ZeroOne(time_limit=5),
]


def corners(seed=0):
    """Three classes around corners, each of which a plane tells from the others."""
    random = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], 8)
    return 3.0 * np.eye(3)[y] + 0.2 * random.standard_normal((24, 3)), np.array(["a", "b", "c"])[y]


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        return model.fit(X, y)


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_a_verdict_over_all_classes(model):
    X, y = corners()
    proof = fitted(model, X, y).certificate_
    assert proof.verify(X, y).holds
    other = np.roll(y, 1)
    assert not proof.verify(X, other).holds
    if isinstance(proof, Certificate):  # one for all classes
        return
    assert isinstance(proof, tuple)
    assert len(proof) == 3
    assert all(isinstance(each, Certificate) and each.verify(X, y).holds for each in proof)
    assert [each.about.positive for each in proof] == ["a", "b", "c"]
    assert proof.verify(sx.as_rows(X, y)).holds


def test_the_verdict_names_the_class_that_is_refused():
    X, y = corners()
    proofs = fitted(sx.MaxMargin(), X, y).certificate_
    swapped = Certificates((proofs[0], Separable((1.0, 1.0, 1.0), 0.0, about=proofs[1].about), proofs[2]))
    verdict = swapped.verify(X, y)
    assert not verdict.holds
    assert verdict.reason.startswith("Class b against the rest: ")
    nothing = Certificates((Undecided("No time."), *proofs[1:])).verify(X, y)
    assert nothing.reason == "certificate_[0]: No time."


def test_rows_one_by_one_prove_nothing_yet():
    X, y = corners()
    model = sx.Perceptron().partial_fit(X, y, classes=["a", "b", "c"])
    assert not model.certificate_.verify(X, y).holds


def test_kept_by_pickle_and_by_files(tmp_path):
    X, y = corners()
    model = fitted(sx.MaxMargin(), X, y)
    sx.save(model, tmp_path / "model.json")
    for other in (pickle.loads(pickle.dumps(model)), sx.load(tmp_path / "model.json")):
        assert isinstance(other.certificate_, Certificates)
        assert other.certificate_.verify(X, y).holds
        assert repr(other.certificate_) == repr(model.certificate_)
    assert repr(model.certificate_).startswith("(<MarginBetween")


def test_a_fit_forgets_what_only_the_last_one_said():
    X, y = corners()
    y = np.where(y == "a", 1, 0)
    y[:3] = 0
    model = fitted(sx.LogisticRegression(penalty=None), X, y)
    assert hasattr(model, "covariance_")
    fitted(model.set_params(penalty="l2"), X, y)
    assert not hasattr(model, "covariance_")
    with pytest.raises(ValueError, match="penalty"):
        model.summary()
