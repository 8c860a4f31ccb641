"""Every public data set gets the kind its manifest gives, with a certificate that holds."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from separatrix.algorithms.separation import separate


def table(folder, name):
    path = folder / name
    with gzip.open(path, "rt") if name.endswith(".gz") else open(path) as file:
        rows = [row for row in list(csv.reader(file))[1:] if all(row)]
    return np.array([[float(v) for v in row[:-1]] for row in rows]), np.array([row[-1] for row in rows])


KINDS = {
    "banknote.csv": ("1", "overlap", None),
    "breast_cancer_wdbc.csv": ("malignant", "complete", None),
    "endometrial.csv": ("1", "quasi", 13),
    "haberman.csv": ("2", "overlap", None),
    "heart_statlog.csv": ("present", "overlap", None),
    "ionosphere.csv": ("g", "quasi", 38),
    "pima_diabetes.csv": ("1", "overlap", None),
    "sex2.csv": ("1", "quasi", 7),
    "sonar.csv": ("R", "complete", None),
    "spambase.csv": ("1", "overlap", None),
    "vaso.csv": ("1", "overlap", None),
    "voicepath.csv": ("1", "overlap", None),
}


def assert_kind(X, y, kind, strict=None):
    answer = separate(X, y)
    assert answer.kind == kind
    verdict = answer.certificate.verify(X, y)
    assert verdict.holds, verdict.reason
    if strict is not None:
        assert verdict.reason.startswith(f"{strict} rows are strictly")
    if answer.conflict is not None:
        assert len(answer.conflict.rows) <= X.shape[1] + 2
        assert len(answer._finding.face.rows) <= 2 * (X.shape[1] + 1)
    return answer


@pytest.mark.parametrize("name", KINDS)
def test_two_classes(name, data_folder):
    positive, kind, strict = KINDS[name]
    X, labels = table(data_folder, name)
    assert_kind(X, labels == positive, kind, strict)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("iris.csv", {"setosa": "complete", "versicolor": "overlap", "virginica": "overlap"}),
        ("wine.csv", {"class_0": "complete", "class_1": "complete", "class_2": "complete"}),
        ("digits.csv", {**dict.fromkeys("01234567", "complete"), "8": "quasi", "9": "quasi"}),
    ],
)
def test_one_class_against_the_rest(name, kinds, data_folder):
    X, labels = table(data_folder, name)
    for label, kind in kinds.items():
        assert_kind(X, labels == label, kind)


def test_endometrial_runs_off_in_one_coefficient(data_folder):
    """Heinze and Schemper (2002): the estimate of NV is infinite, the others are finite."""
    X, labels = table(data_folder, "endometrial.csv")
    answer = separate(X, labels)
    assert answer.unbounded == ("+inf", "finite", "finite")
    assert answer.unbounded.intercept == "finite"


def test_faces_have_more_columns_than_rows(data_folder):
    X, labels = table(data_folder, "olivetti_faces_64x64.csv.gz")
    assert_kind(X, labels == "0", "complete")


def test_sparse_words(data_folder):
    X, labels = load_svmlight_file(str(data_folder / "news20_w100.svm.gz"), zero_based=False)
    assert_kind(X, labels == 4, "quasi", 830)


@pytest.mark.deep
@pytest.mark.parametrize(("name", "strict"), [("a9a.svm.gz", 87), ("a9a.t.svm.gz", 49)])
def test_adult(name, strict, data_folder):
    X, labels = load_svmlight_file(str(data_folder / name), zero_based=False)
    assert_kind(X, labels, "quasi", strict)


@pytest.mark.deep
@pytest.mark.parametrize("digit", list("0123456789"))
def test_handwritten_digits(digit, data_folder):
    X, labels = table(data_folder, "mnist_5k.csv.gz")
    assert_kind(X, labels == digit, "complete")
