"""Certificates that say more than the data does: refused by ``verify`` and by the checker alike."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, dia_array, lil_array

import separatrix as sx
from separatrix.certificates import (
    About,
    Certificate,
    CertificateError,
    ErrorsAtLeast,
    ErrorsAtMost,
    FewestErrors,
    GradientAtMost,
    Inseparable,
    JointLikelihoodWithin,
    LikelihoodWithin,
    MarginAtLeast,
    MarginAtMost,
    MarginBetween,
    MarginShare,
    MistakeRun,
    MistakesAtMost,
    Overlapping,
    Separable,
    SoftMarginWithin,
    SolutionWithin,
    WeaklySeparable,
    from_dict,
    from_json,
)
from separatrix.certificates import digest_of as digest_of_rows
from separatrix.certificates.check.__main__ import main
from separatrix.rows import as_rows
from separatrix.rows.views.recoded import recoded

APART = [[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 2.0]], [0, 0, 1, 1]
TOUCHING = [[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]
XOR = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
LINE = [[0.0], [1.0], [2.0]], [0.5, 1.0, 1.5]
THREE = [[0.0], [1.0], [2.0]], ["a", "b", "c"]

ZERO = ((0.0,), (0.0,), (0.0,))
PROOFS = [
    (Separable((1.0, 0.0), -2.0), APART),
    (ErrorsAtMost((1.0, 0.0), -2.0, 0), APART),
    (MarginAtLeast((1.0, 0.0), -2.0, 0.5, True), APART),
    (MarginAtMost((1, 2), (1, 1), 2.0, True, True), APART),
    (MarginBetween((1.0, 0.0), -2.0, (1, 2), (1, 1), 0.5, 2.0, True), APART),
    (MarginShare((1.0, 0.0), -2.0, (1, 2), (1, 1), 0.1), APART),
    (MistakesAtMost((1.0, 0.0), -2.0, 1000), APART),
    (MistakeRun((1, 2), (2, 1), 3, (1.0, 1.0), -1.0, False), APART),
    (SoftMarginWithin((2.0,), -2.0, 1.0, "hinge", 4.0, 1.0, (1, 2), (1, 1), 0), TOUCHING),
    (LikelihoodWithin((0.5,), -0.5, C=1.0, upper=9.0, lower=0.5), TOUCHING),
    (WeaklySeparable((1,), -1, (1, 2), (1, 1), ((1, -1),)), TOUCHING),
    (Inseparable((0, 1, 2, 3), (1, 1, 1, 1), True), XOR),
    (Overlapping((0, 1, 2, 3), (1, 1, 1, 1), (), True), XOR),
    (ErrorsAtLeast(1, None, {"method": "none"}, True), TOUCHING),
    (FewestErrors((1.0,), -1.0, 2, 1, None, {"method": "none"}), TOUCHING),
    (SolutionWithin((0.5,), 0.5, 0.0, 1e-9, (1e-9, 1e-9)), LINE),
    (GradientAtMost((0.5,), 0.5, 0.0, 1e-9), LINE),
    (JointLikelihoodWithin(("a", "b", "c"), ZERO, (0.0, 0.0, 0.0), C=0.1, upper=0.34, lower=0.2), THREE),
]
OF_NUMBERS = ("solution-within", "gradient-at-most")
each_proof = pytest.mark.parametrize(("proof", "data"), PROOFS, ids=lambda value: getattr(value, "kind", ""))


def table(X, y):
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(len(X[0]))]).assign(label=y)


def status_of_verify(record, *data):
    """As the commands end: 0 if it holds, 4 if it is refused, 2 if it is no certificate."""
    try:
        return 0 if from_json(json.dumps(record)).verify(*data) else 4
    except CertificateError:
        return 2


@pytest.fixture
def checked(tmp_path):
    """How the checker ends on a record and the CSV file of a frame."""

    def status(record, frame, *options):
        (tmp_path / "certificate.json").write_text(json.dumps(record))
        frame.to_csv(tmp_path / "data.csv", index=False)
        return main([str(tmp_path / "certificate.json"), str(tmp_path / "data.csv"), *options])

    return status


def sealed(proof, frame):
    """The record with all that can be said about the data."""
    said = {"label": "label", "features": [name for name in frame if name != "label"]}
    unsealed = proof.to_dict()
    record = from_dict({**unsealed, "about": {**unsealed["about"], **said}}).bound_to(frame).to_dict()
    unsaid = {name for name, value in record["about"].items() if value is None}
    assert unsaid <= {"positive", "path", "preparation"}
    return record


def test_every_claim_is_among_them():
    assert {proof.kind for proof, _ in PROOFS} == {*Certificate.kinds} - {"undecided"}


@each_proof
def test_what_is_true_is_accepted(proof, data, checked):
    frame = table(*data)
    record = sealed(proof, frame)
    assert status_of_verify(record, frame) == checked(record, frame) == 0
    for name in record["about"]:
        less = {**record, "about": {**record["about"], name: None}}
        if name not in ("label", "positive"):
            assert status_of_verify(less, frame) == checked(less, frame) == 0, name


def wrong(about, kind):
    """Changes of the description, each of which makes it that of other data."""
    features, labels = about["features"], {0: 1, 1: 0, "c": "a"}
    yield {"rows": about["rows"] + 1}
    yield {"columns": about["columns"] + 1}
    yield {"columns": about["columns"] + 1, "features": None}
    yield {"features": []}
    yield {"features": [*features, features[0]], "columns": None}
    yield {"features": [*features, "label"], "columns": None}
    yield {"features": ["label", *features[1:]]}
    yield {"features": ["other", *features[1:]]}
    if len(features) > 1:
        yield {"features": features[::-1]}
        yield {"features": features[:1], "columns": None}
        yield {"features": [features[0]] * 2}
    yield {"label": "other"}
    yield {"label": features[0]}
    yield {"digest": "sha256:" + "0" * 64}
    if kind in OF_NUMBERS:
        yield {"positive": 1}
        return
    for positive in (7, "cow", True if about["positive"] == "c" else "0.5", -1):
        yield {"positive": positive}
        yield {"positive": positive, "digest": None}
    yield {"positive": labels[about["positive"]]}


@each_proof
def test_a_description_of_other_data_is_refused(proof, data, checked, capsys):
    frame = table(*data)
    record = sealed(proof, frame)
    for change in wrong(record["about"], proof.kind):
        forged = {**record, "about": {**record["about"], **change}}
        try:
            found = status_of_verify(forged, frame)
        except ValueError:
            found = 2  # the data lacks what it names
        assert found in (2, 4), change
        assert checked(forged, frame) in (2, 4), change
        said = capsys.readouterr()
        assert (said.out + said.err).count("\n") == 1, said


# A positive label that no row has


ALL_NEGATIVE = [
    Separable((0.0, 0.0), -1.0),
    ErrorsAtMost((0.0, 0.0), -1.0, 0),
    MarginAtLeast((1.0, 0.0), -9.0, 1.0, True),
    MistakesAtMost((0.0, 0.0), -1.0, 9),
    LikelihoodWithin((0.0, 0.0), -40.0, C=1.0, upper=1e-9, lower=0.0),
    FewestErrors((0.0, 0.0), -1.0, 0, 0, None, {"method": "none"}),
    SoftMarginWithin((0.0, 0.0), -1.0, 1.0, "hinge", 0.0, 0.0),
    MistakeRun((0,), (1,), 1, (0.0, 0.0), -1.0, True),
]
"""What holds of any rows whose signs are all -1."""


@pytest.mark.parametrize("proof", ALL_NEGATIVE, ids=lambda proof: proof.kind)
@pytest.mark.parametrize("positive", [7, "cow", 1e300, True])
def test_a_positive_label_that_no_row_has_proves_nothing(proof, positive, checked, tmp_path):
    X, y = XOR
    labels = np.array(["no", "yes"])[y] if positive is True else np.array(y)
    frame = table(X, labels)
    record = proof.to_dict()
    for digest in (None, digest_of_rows(X, np.zeros(len(X)), positive=1)):
        record["about"] |= {"positive": positive, "digest": digest}
        assert checked(record, frame) == 4
        path = tmp_path / "data.csv"
        for data in [
            (X, labels),
            (np.array(X), labels.tolist()),
            (csr_array(X), labels),
            (frame[["x0", "x1"]], frame["label"]),
            (pa.table(dict(frame[["x0", "x1"]])), pa.array(labels.tolist())),
            (as_rows(np.array(X), labels),),
            (sx.read(path),),
        ]:
            verdict = from_dict(record).verify(*data)
            assert not verdict
            assert verdict.reason.startswith("No row has the label")


def test_labels_are_compared_exactly(checked):
    """Two whole numbers that one double is nearest to are two labels."""
    X, labels = XOR[0], [2**53, 2**53 + 1, 2**53 + 1, 2**53]
    forged = Separable((0.0, 0.0), 1.0).to_dict()
    forged["about"]["positive"] = 2.0**53
    assert status_of_verify(forged, X, np.array(labels)) == 4
    assert status_of_verify(forged, X, labels) == 4
    assert checked(forged, table(X, labels)) == 4
    third = np.array([0.1, 0.5, 0.5, 0.1], np.float32)
    forged["about"]["positive"] = 0.1
    assert not from_dict(forged).verify(X, third)


def test_a_class_that_no_row_has_is_not_there_because_the_rows_know_it():
    X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 1, 2, 2])
    proof = Separable((1.0,), -3.0, about=About(positive=2))
    rows = as_rows(X, y)
    assert proof.verify(rows)
    some = recoded(as_rows(X[:2], y[:2]), rows.classes)
    assert some.classes.tolist() == [0, 1, 2]
    assert not proof.verify(some)


# Features that hold the label


def test_the_label_column_is_no_feature(checked, capsys):
    frame = table(*XOR)
    record = Separable((1.0,), -0.5).to_dict()
    for label in (None, "label", "other"):
        record["about"] |= {"label": label, "features": ["label"], "columns": None}
        assert checked(record, frame) in (2, 4)
        assert checked(record, frame, "--label", "label") == 4
        assert "label column" in capsys.readouterr().out
        assert not from_dict(record).verify(frame, frame["label"])
    record["about"]["label"] = "label"
    assert not from_dict(record).verify(frame)


# Numbers that doubles do not hold


@pytest.mark.parametrize("huge", [2**53 + 1, -(2**200 + 1), 10**400])
def test_whole_numbers_are_never_rounded(huge, checked):
    X, y = TOUCHING
    frame = table(X, y)
    likelihood = sealed(LikelihoodWithin((0.5,), -0.5, C=1.0, upper=9.0, lower=0.5), frame)
    joint = sealed(
        JointLikelihoodWithin((0, 1), ((0.0,), (0.0,)), (0.0, 0.0), C=1.0, upper=9.0, lower=0.1), frame
    )
    for record, changes in (
        (likelihood, ({"weights": [hex(huge)]}, {"intercept": hex(huge)}, {"C": hex(abs(huge))})),
        (likelihood, ({"row_weights": [1, 1, 1, hex(abs(huge))]},)),
        (joint, ({"coefficients": [[hex(huge)], [0.0]]}, {"intercepts": [0.0, hex(huge)]})),
        (joint, ({"C": hex(abs(huge))}, {"row_weights": [1, 1, 1, hex(abs(huge))]})),
    ):
        for change in changes:
            assert status_of_verify(record | change, frame) == checked(record | change, frame) == 2, change


def test_centred_weights_hides_no_rounding(checked):
    """The margins of rows far from zero, at weights that would cancel if they were rounded."""
    X, y = [[2.0**60], [2.0**60 + 2**8]], [0, 1]
    record = LikelihoodWithin((1.0,), 0.0, C=None, upper=1e300, lower=0.0).to_dict()
    record |= {"weights": [hex(2**100 + 1)], "intercept": hex(-(2**160)), "upper": 1e30}
    assert status_of_verify(record, X, y) == checked(record, table(X, y)) == 2


# The grain of the dual variables


@pytest.mark.parametrize("quantum", [None, 0, 3, 20, 40, 49, 52, 100, 900])
def test_the_grain_of_the_dual_variables_counts_for_both(quantum, checked):
    X, y = [[0.0], [1.0], [2.0], [0.5]], ["a", "b", "c", "a"]
    frame = table(X, y)
    proof = JointLikelihoodWithin(("a", "b", "c"), ZERO, (0.0, 0.0, 0.0), C=0.1, upper=0.45, lower=0.2)
    record = sealed(proof, frame) | {"quantum": quantum}
    assert status_of_verify(record, frame) == checked(record, frame)
    assert checked(record, frame) == (0 if quantum in (None, 3, 20, 40, 49) else 4)


@pytest.mark.parametrize("quantum", [901, -1, 0.5, 3.0, "3", True, "x", [1], "0x" + "1" * 5000])
def test_a_grain_that_is_none_is_refused(quantum, checked):
    frame = table(*THREE)
    record = sealed(PROOFS[-1][0], frame) | {"quantum": quantum}
    assert status_of_verify(record, frame) == checked(record, frame) == 2


# Sparse data with indices out of range

ENTRIES = np.array([1.0, 2.0, 3.0, 4.0])


def compressed(layout=csr_array):
    return layout((ENTRIES.copy(), np.array([0, 1, 0, 1]), np.array([0, 2, 3, 4])), shape=(3, 3))


def spoiled(matrix, **arrays):
    for name, values in arrays.items():
        setattr(matrix, name, np.array(values))
    return matrix


SPOILED = {
    "index beyond": lambda: spoiled(compressed(), indices=[0, 1, 0, 3]),
    "index far beyond": lambda: spoiled(compressed(), indices=[0, 1, 0, 2**31 - 1]),
    "index below": lambda: spoiled(compressed(), indices=[0, 1, 0, -1]),
    "pointer beyond": lambda: spoiled(compressed(), indptr=[0, 2, 3, 10**6]),
    "pointer below": lambda: spoiled(compressed(), indptr=[0, -5, 3, 4]),
    "pointers go back": lambda: spoiled(compressed(), indptr=[0, 4, 1, 4]),
    "pointers end at 0": lambda: spoiled(compressed(), indptr=[0, 10**6, 3, 0]),
    "pointers begin late": lambda: spoiled(compressed(), indptr=[1, 2, 3, 4]),
    "too few pointers": lambda: spoiled(compressed(), indptr=[0, 2, 4]),
    "no pointers": lambda: spoiled(compressed(), indptr=np.zeros(0, np.int32)),
    "fewer values": lambda: spoiled(compressed(), data=[1.0, 2.0, 3.0]),
    "fewer indices": lambda: spoiled(compressed(), indices=[0, 1, 0]),
    "indices in halves": lambda: spoiled(compressed(), indices=[0.0, 1.0, 0.5, 1.0]),
    "a table of indices": lambda: spoiled(compressed(), indices=[[0, 1, 0, 1]]),
    "column: index beyond": lambda: spoiled(compressed(csc_array), indices=[0, 1, 0, 10**6]),
    "column: pointer beyond": lambda: spoiled(compressed(csc_array), indptr=[0, 2, 3, 10**6]),
    "coordinates beyond": lambda: spoiled(coo_array(np.eye(3)), coords=[[0, 1, 10**6], [0, 1, 2]]),
    "coordinates below": lambda: spoiled(coo_array(np.eye(3)), coords=[[0, 1, 2], [0, 1, -(10**6)]]),
    "coordinates missing": lambda: spoiled(coo_array(np.eye(3)), data=[1.0] * 1000),
    "block index beyond": lambda: spoiled(bsr_array(np.eye(4)[:3]), indices=[0, 1, 10**6]),
    "diagonals missing": lambda: spoiled(dia_array(np.eye(3)), data=np.ones((1000, 3))),
    "lists of two lengths": lambda: lengthened(lil_array(np.eye(3))),
}


def lengthened(matrix):
    matrix.data[0].extend([1.0] * 10**4)
    return matrix


@pytest.mark.parametrize("name", SPOILED)
def test_sparse_data_with_indices_out_of_range_is_refused(name):
    for proof, y in ((Separable((1.0, 1.0, 1.0), None), [0, 1, 1]), (PROOFS[-2][0], [0.5, 1.0, 2.0])):
        with pytest.raises(ValueError, match=r"^The sparse data is damaged: .*\. Make the matrix again\.$"):
            proof.verify(SPOILED[name](), y)
    with pytest.raises(ValueError, match="damaged"):
        digest_of_rows(SPOILED[name](), [0, 1, 1])


def test_sparse_data_means_the_same_however_it_is_stored():
    """Entries in any order, in parts, with more room than is used, with flags that say otherwise."""
    dense = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, -3.0, 0.5]])
    wanted = digest_of_rows(dense, [0, 1, 1])
    data, indices = np.array([2.0, 0.5, 0.5, 0.5, -3.0]), np.array([2, 0, 0, 2, 1])
    loose = csr_array((data, indices, np.array([0, 3, 3, 5])), shape=(3, 3))
    loose.has_canonical_format = True
    roomy = csr_array(dense)
    roomy.data, roomy.indices = np.append(roomy.data, 9.0), np.append(roomy.indices, 10**6)
    for X in (loose, roomy, *(layout(dense) for layout in (csc_array, coo_array, bsr_array, lil_array))):
        assert digest_of_rows(X, [0, 1, 1]) == wanted
    assert loose.indices.tolist() == indices.tolist(), "the matrix given is left as it was"


def test_blocks_of_sparse_rows_from_outside_are_looked_at_too():
    rows = SimpleNamespace(n_rows=3, n_columns=3, classes=np.array([0, 1]), has_targets=False)
    block = SimpleNamespace(start=0, stop=3, codes=np.array([0, 1, 1]), X=None, n_columns=3)
    block.X = (ENTRIES, np.array([0, 1, 0, 10**6]), np.array([0, 2, 3, 4]))
    rows.with_threads = lambda n_jobs: rows
    rows.each = lambda term, parallel_blas: map(term, [block])
    with pytest.raises(ValueError, match="sparse data is damaged"):
        Separable((1.0, 1.0, 1.0), None).verify(rows)


# What is no number, no list and no label

LONG = "0x" + "9" * 5000
ODD = {
    "separable": [{"weights": []}, {"weights": None}, {"weights": [[]]}, {"intercept": "1.5"}],
    "errors-at-most": [{"errors": "-" + LONG}, {"errors": 0.5}, {"errors": None}],
    "margin-at-least": [{"margin": LONG}, {"margin": "-" + LONG}, {"geometric": 1}],
    "margin-at-most": [
        {"rows": [0, LONG]},
        {"multipliers": [1, 0]},
        {"multipliers": [1]},
        {"rows": []},
    ],
    "margin-between": [{"upper": LONG}, {"lower": {}}],
    "margin-share": [
        {"share": "0x" + "9" * 400},
        {"share": 2},
        {"share": 1e-400},
        {"share": LONG},
        {"share": 0},
    ],
    "mistakes-at-most": [{"mistakes": "-" + LONG}, {"mistakes": LONG}],
    "mistake-run": [{"counts": [LONG, 1]}, {"mistakes": LONG}, {"mistakes": 4}, {"rows": [1, LONG]}],
    "soft-margin-within": [{"loss": LONG}, {"exponent": LONG}, {"C": "0x" + "9" * 400}, {"rows": [1, LONG]}],
    "likelihood-within": [{"direction": []}, {"direction": [1]}, {"normals": [None]}, {"row_weights": []}],
    "overlapping": [{"normals": None}, {"normals": 3}, {"normals": [3]}, {"normals": [[]]}, {"normals": 1}],
    "weakly-separable": [{"normals": [[1, -1], [0]]}, {"normals": [[0.5, 1.0]]}],
    "errors-at-least": [
        {"bound": LONG},
        {"costs": []},
        {"costs": [1] * 3 + [-1]},
        {"proof": []},
        {"proof": {"method": LONG}},
        {"proof": {"method": {LONG: LONG}}},
    ],
    "fewest-errors": [{"bound": LONG}, {"errors": -1}, {"costs": [1] * 3 + [LONG]}, {"costs": [1]}],
    "solution-within": [
        {"within": []},
        {"within": [1e-9, None]},
        {"alpha": "0x" + "9" * 400},
        {"distance": -1.0},
    ],
    "joint-likelihood-within": [
        {"classes": []},
        {"coefficients": [[], [], []]},
        {"radius": -1.0},
        {"C": 0},
    ],
}


@each_proof
def test_a_damaged_witness_is_told_in_one_sentence(proof, data, checked, capsys):
    frame = table(*data)
    record = sealed(proof, frame)
    about = record["about"]
    descriptions = [
        {"positive": LONG},
        {"positive": [1]},
        {"positive": {}},
        {"features": []},
        {"features": 1},
    ]
    descriptions += [{"rows": LONG}, {"columns": LONG}, {"rows": -1}, {"label": 1}, {"digest": 1}]
    changes = [{"about": about | change} for change in descriptions]
    for change in [*changes, *ODD.get(proof.kind, []), {"claim": None}, {"version": LONG}, {"kind": LONG}]:
        assert status_of_verify(record | change, frame) in (2, 4), change
        assert checked(record | change, frame) in (2, 4), change
        said = capsys.readouterr()
        assert (said.out + said.err).count("\n") == 1, change
        assert len(said.out + said.err) < 500, change


def test_costs_of_any_size_are_shown():
    costs = (1e308, 5e-324)
    assert "at least 5e-324." in ErrorsAtLeast(1, costs, {"method": "none"}, True).claim
    assert "at least 17976" in ErrorsAtLeast(2**2098, costs, {"method": "none"}, True).claim
    with pytest.raises(CertificateError, match=r"'costs' is wrong: -1\.0 is not a number ≥ 0 and < 2¹⁰²⁴"):
        ErrorsAtLeast(1, (1.0, -1.0), {"method": "none"}, True)


def test_nothing_that_is_proven_rests_on_an_assertion():
    """Assertions are left out by ``python -O``."""
    for path in Path(sx.certificates.__file__).parent.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        assert not any(isinstance(node, ast.Assert) for node in nodes), path
