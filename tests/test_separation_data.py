"""Every public data set gets the kind its manifest gives, with a certificate that two checkers accept.

The manifest's verdicts are those of a linear programme in floats. On these sets no exact verdict differs from
it, nor does the number of rows that a weak separator can have strictly on their side; how near it came to
erring is told in `test_margins_below_zero_in_floats_are_zero`.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import re
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

import separatrix as sx
from separatrix.certificates.check.__main__ import main as independent_check

KINDS = {
    "banknote.csv": "overlap",
    "breast_cancer_wdbc.csv": "complete",
    "endometrial.csv": "quasi",
    "haberman.csv": "overlap",
    "heart_statlog.csv": "overlap",
    "ionosphere.csv": "quasi",
    "pima_diabetes.csv": "overlap",
    "sex2.csv": "quasi",
    "sonar.csv": "complete",
    "spambase.csv": "overlap",
    "vaso.csv": "overlap",
    "voicepath.csv": "overlap",
}
AGAINST_THE_REST = {
    "iris.csv": {"setosa": "complete", "versicolor": "overlap", "virginica": "overlap"},
    "wine.csv": dict.fromkeys(("class_0", "class_1", "class_2"), "complete"),
    "digits.csv": {**dict.fromkeys(range(8), "complete"), 8: "quasi", 9: "quasi"},
}
STRICT = {
    ("endometrial.csv", None): 13,
    ("ionosphere.csv", None): 38,
    ("sex2.csv", None): 7,
    ("digits.csv", 8): 108,
    ("digits.csv", 9): 24,
}
"""Rows strictly on their side of the weak separator that the manifest's linear programme found."""

ELSEWHERE = {
    "a9a.svm.gz",
    "a9a.t.svm.gz",
    "heart_cleveland.csv",
    "heart_scale.svm",
    "lizards.csv",
    "mnist_5k.csv.gz",
    "news20_w100.svm.gz",
    "olivetti_faces_64x64.csv.gz",
    "orl_faces_112x92.csv.gz",
    "review_polarity.svm.gz",
}


def assert_proven(answer, kind, X, y=None, *, strict=None):
    """The kind, the sizes that the theorems promise, and every certificate."""
    assert answer.kind == kind
    columns = X.n_columns if y is None else np.shape(X)[1]
    if kind == "complete":
        assert answer.conflict is None
    else:
        assert len(answer.conflict.rows) <= columns + 2  # Carathéodory
        assert len(answer.certificate.rows) <= 2 * (columns + 1)  # Steinitz
    verdict = answer.certificate.verify(X, y)
    assert verdict.holds, verdict.reason
    if strict is not None:
        assert verdict.reason.startswith(f"{strict} rows are strictly on their side")


def assert_accepted(certificates, data, folder):
    """By the checker that needs the standard library alone, from the file itself."""
    for certificate in certificates:
        proof = folder / "proof.json"
        proof.write_text(certificate.to_json(), encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            assert independent_check([str(proof), str(data)]) == 0, said.getvalue()


def written(folder, X, labels):
    """A CSV file of these rows, exact."""
    path = folder / "rows.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow([*(f"x{j}" for j in range(X.shape[1])), "label"])
        table.writerows([*map(repr, row), label] for row, label in zip(X.tolist(), labels, strict=True))
    return path


def cells(path):
    """The complete rows of a table: features and labels, as text."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8") as file:
        rows = [row for row in list(csv.reader(file))[1:] if all(row)]
    return [row[:-1] for row in rows], np.array([row[-1] for row in rows])


def test_no_set_of_the_manifest_is_forgotten(data_folder):
    manifest = (data_folder / "MANIFEST.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (\S+) \|.*\| (.+) \|$", manifest, re.MULTILINE)
    with_a_verdict = {name for name, verdict in told if "separable" in verdict and "." in name}
    assert with_a_verdict == KINDS.keys() | AGAINST_THE_REST.keys() | ELSEWHERE


@pytest.mark.parametrize("name", KINDS)
def test_two_classes(name, data_folder, tmp_path):
    rows = sx.read(data_folder / name)
    answer = sx.separate(rows)
    assert_proven(answer, KINDS[name], rows, strict=STRICT.get((name, None)))
    assert_accepted(answer.certificates, data_folder / name, tmp_path)


@pytest.mark.parametrize(
    ("name", "label"), [(name, label) for name, kinds in AGAINST_THE_REST.items() for label in kinds]
)
def test_one_class_against_the_rest(name, label, data_folder, tmp_path):
    rows = sx.read(data_folder / name)
    answer = sx.separate(rows, positive=label)
    assert_proven(answer, AGAINST_THE_REST[name][label], rows, strict=STRICT.get((name, label)))
    if answer.kind == "complete":
        assert all(certificate.verify(rows).holds for certificate in answer.certificates)
    assert_accepted([answer.certificate], data_folder / name, tmp_path)


@pytest.mark.parametrize("name", ["iris.csv", "wine.csv"])
def test_one_class_against_another(name, data_folder, tmp_path):
    values, labels = cells(data_folder / name)
    X = np.array(values, float)
    for pair in combinations(np.unique(labels).tolist(), 2):
        here = np.isin(labels, pair)
        answer = sx.separate(X[here], labels[here])
        kind = "overlap" if pair == ("versicolor", "virginica") else "complete"
        assert_proven(answer, kind, X[here], labels[here])
        assert_accepted(answer.certificates, written(tmp_path, X[here], labels[here]), tmp_path)


def test_iris_is_one_row_from_separable(data_folder):
    """The manifest: without row 84, or without row 134, versicolor and virginica can be told apart."""
    values, labels = cells(data_folder / "iris.csv")
    X = np.array(values, float)
    kept = labels != "setosa"
    conflict = sx.separate(X[kept], labels[kept]).conflict
    for row in (84 - 1, 134 - 1):
        one_less = kept & (np.arange(150) != row)
        assert sx.separate(X[one_less], labels[one_less]).kind == "complete"
        # A row whose removal helps takes part in every conflict.
        assert row - 50 in conflict.rows


def test_endometrial_runs_off_in_one_coefficient(data_folder):
    """Heinze and Schemper (2002): the estimate of NV is infinite, the others are finite."""
    answer = sx.separate(sx.read(data_folder / "endometrial.csv"))
    assert answer.unbounded == ("+inf", "finite", "finite")
    assert answer.unbounded.intercept == "finite"


def test_diaphragm_runs_off_among_urinary_infections(data_folder):
    """Heinze and Schemper's second example: all users of a diaphragm are cases."""
    rows = sx.read(data_folder / "sex2.csv")
    words = sx.separate(rows).unbounded
    assert dict(zip(rows.columns, words, strict=True)) == dict.fromkeys(rows.columns, "finite") | {
        "dia": "+inf"
    }
    assert words.intercept == "finite"


def test_lizards_are_the_negative_control(data_folder, tmp_path):
    """All coefficients finite, as detectseparation's tests have it; one column too many, and none is."""
    values, labels = cells(data_folder / "lizards.csv")
    columns = list(zip(*values, strict=True))
    every = np.array(
        [[cell == level for cell in column] for column in columns for level in sorted({*column})]
    )
    assert every.shape == (9, 564)
    answer = sx.separate(every.T.astype(float), labels)
    assert_proven(answer, "overlap", every.T.astype(float), labels)
    assert_accepted([answer.certificate], written(tmp_path, every.T.astype(float), labels), tmp_path)
    assert set(answer.unbounded) == {"undetermined"}
    reference = np.array(
        [[cell == level for cell in column] for column in columns for level in sorted({*column})[1:]]
    )
    words = sx.separate(reference.T.astype(float), labels).unbounded
    assert {*words, words.intercept} == {"finite"}


def test_heart_of_cleveland_and_of_libsvm(data_folder, tmp_path):
    values, labels = cells(data_folder / "heart_cleveland.csv")
    X, ill = np.array(values, float), (labels != "0").astype(int)
    assert X.shape == (297, 13)
    answer = sx.separate(X, ill)
    assert_proven(answer, "overlap", X, ill)
    assert_accepted(answer.certificates, written(tmp_path, X, ill), tmp_path)

    rows = sx.read(data_folder / "heart_scale.svm")
    answer = sx.separate(rows)
    assert_proven(answer, "overlap", rows)
    X, labels = load_svmlight_file(str(data_folder / "heart_scale.svm"), zero_based=False)
    assert_accepted(answer.certificates, written(tmp_path, X.toarray(), labels.astype(int)), tmp_path)


def test_margins_below_zero_in_floats_are_zero(data_folder):
    """The manifest's direction for the digit 8 has margins of -1e-13: taken at its word it separates nothing.

    In whole numbers the rows in question lie on the hyperplane, and the certificate says they must.
    """
    rows = sx.read(data_folder / "digits.csv")
    answer = sx.separate(rows, positive=8)
    values, labels = cells(data_folder / "digits.csv")
    Z = np.column_stack([np.array(values, float), np.ones(len(labels))])
    Z *= np.where(labels == "8", 1.0, -1.0)[:, None]
    numbers = answer.halfspace.numbers
    exact = Z.astype(np.int64).astype(object) @ np.array([int(v) for v in numbers], object)
    assert min(exact) == 0
    assert sum(margin > 0 for margin in exact) == 108


def test_faces_have_more_columns_than_rows(data_folder):
    rows = sx.read(data_folder / "olivetti_faces_64x64.csv.gz")
    answer = sx.separate(rows, positive=0)
    assert_proven(answer, "complete", rows)


@pytest.mark.parametrize(
    ("label", "strict"),
    [
        pytest.param(1, 1576, marks=pytest.mark.deep),
        pytest.param(2, 1883, marks=pytest.mark.deep),
        (3, 574),
        pytest.param(4, 830, marks=pytest.mark.deep),
    ],
)
def test_sparse_words(label, strict, data_folder):
    rows = sx.read(data_folder / "news20_w100.svm.gz")
    assert_proven(sx.separate(rows, positive=label), "quasi", rows, strict=strict)


@pytest.mark.deep
@pytest.mark.parametrize(("name", "strict"), [("a9a.svm.gz", 87), ("a9a.t.svm.gz", 49)])
def test_adult(name, strict, data_folder):
    rows = sx.read(data_folder / name)
    assert_proven(sx.separate(rows), "quasi", rows, strict=strict)


@pytest.mark.deep
def test_handwritten_digits(data_folder, tmp_path):
    path = data_folder / "mnist_5k.csv.gz"
    rows = sx.read(path)
    for digit in range(10):
        answer = sx.separate(rows, positive=digit)
        assert_proven(answer, "complete", rows)
    assert_accepted([answer.certificate], path, tmp_path)


@pytest.mark.deep
def test_more_faces(data_folder, tmp_path):
    path = data_folder / "orl_faces_112x92.csv.gz"
    rows = sx.read(path)
    answer = sx.separate(rows, positive=1)
    assert_proven(answer, "complete", rows)
    assert_accepted([answer.certificate], path, tmp_path)
    rows = sx.read(data_folder / "olivetti_faces_64x64.csv.gz")
    for person in range(1, 10):
        assert_proven(sx.separate(rows, positive=person), "complete", rows)


@pytest.mark.deep
def test_opinions_of_films(data_folder):
    """2000 reviews in 50,920 words: every labelling is separable, and the proof is for this one."""
    rows = sx.read(data_folder / "review_polarity.svm.gz")
    assert_proven(sx.separate(rows), "complete", rows)
