"""Every issued certificate verifies, from any kind of data; every forged or damaged one is refused."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
import subprocess
import sys
from dataclasses import fields, replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix

import separatrix.certificates as certificates
from separatrix.certificates import (
    About,
    Certificate,
    CertificateError,
    ErrorsAtMost,
    MarginShare,
    MistakeRun,
    Separable,
    Undecided,
    certificate,
    digest_of,
    from_json,
)
from separatrix.certificates.data.digest import leaves_of
from separatrix.certificates.fields import from_decimal, to_decimal

X = np.array([[0.5, -0.0], [1.5, 1.0], [-2.0, 3.0], [0.0, -1.0], [2.0, 2.0]])
y = np.array([0, 1, 1, 0, 1])
SEPARATOR = Separable((1.0, 1.0), intercept=-0.75)


def run_perceptron(X, signs, passes, constant=True):
    """The textbook loop, in doubles, from zero with unit steps."""
    Z = np.column_stack((X, np.ones(len(X)))) if constant else X
    w, counts = np.zeros(Z.shape[1]), np.zeros(len(X), dtype=int)
    for _ in range(passes):
        before = counts.sum()
        for i, (z, s) in enumerate(zip(Z, signs, strict=True)):
            if s * sum((a * b for a, b in zip(z, w, strict=True)), 0.0) <= 0:
                w += s * z
                counts[i] += 1
        if counts.sum() == before:
            break
    return w, counts


def mistake_run(X, signs, passes=100, constant=True, **about):
    w, counts = run_perceptron(X, signs, passes, constant)
    rows = np.flatnonzero(counts)
    weights, intercept = (w[:-1], w[-1]) if constant else (w, None)
    unsure = MistakeRun(rows, counts[rows], counts.sum(), weights, intercept, True, about=About(**about))
    sure = unsure.verify(X, signs).holds
    return unsure if sure else replace(unsure, converged=False)


def largest_share(X, signs, weights, intercept):
    """The share that equal multipliers on all rows prove, rounded down to a double."""
    Z = [[Fraction(v) * int(s) for v in (*x, 1)] for x, s in zip(X.tolist(), signs, strict=True)]
    w = [Fraction(v) for v in (*weights, intercept)]
    least = min(sum(a * b for a, b in zip(z, w, strict=True)) for z in Z)
    total = sum(sum(column) ** 2 for column in zip(*Z, strict=True))
    square = least**2 * len(Z) ** 2 / (sum(v * v for v in w) * total)
    share = math.sqrt(square)
    near = [math.nextafter(share, 0), share, math.nextafter(share, 2)]
    return max((each for each in near if Fraction(each) ** 2 <= square), default=0.0)


def every_kind() -> list[Certificate]:
    share = MarginShare(
        (1.0, 1.0), -0.75, (0, 1, 2, 3, 4), (1,) * 5, largest_share(X, 2 * y - 1, (1.0, 1.0), -0.75)
    )
    run = mistake_run(X, 2 * y - 1)
    return [SEPARATOR, ErrorsAtMost((1.0, 1.0), -0.25, 1), run, share]


class Blocks:
    """Labelled rows as the library has them, two at a time."""

    def __init__(self, X, y, sparse=False):
        self.classes, codes = np.unique(y, return_inverse=True)
        self.n_rows, self.n_columns = X.shape
        self.columns = self.label = None
        self._blocks = []
        for start in range(0, len(X), 2):
            part = X[start : start + 2]
            matrix = csr_array(part)
            values = (matrix.data, matrix.indices, matrix.indptr) if sparse else part
            stop = min(start + 2, len(X))
            codes_here = codes[start:stop]
            self._blocks.append(
                SimpleNamespace(start=start, stop=stop, X=values, codes=codes_here, n_columns=self.n_columns)
            )

    def with_threads(self, n_jobs):
        return self

    def each(self, term, parallel_blas=False):
        return map(term, self._blocks)


FRAME = pd.DataFrame(X, columns=["a", "b"])
SOURCES = {
    "array": (X, y),
    "list": (X.tolist(), y.tolist()),
    "fortran": (np.asfortranarray(X), y),
    "strided": (np.repeat(X, 2, axis=0)[::2], y),
    "float32": (X.astype(np.float32), y.astype(np.float32)),
    "text labels": (X, np.array(["no", "yes"])[y]),
    "bool labels": (X, y.astype(bool)),
    "column of labels": (X, y[:, None]),
    "pandas": (FRAME, pd.Series(y, name="y")),
    "pandas with label": (FRAME.assign(y=y), None),
    "polars": (pl.DataFrame(X, schema=["a", "b"]), pl.Series("y", y)),
    "polars with label": (pl.DataFrame(FRAME.assign(y=y).to_dict("list")), None),
    "arrow": (pa.table({"a": X[:, 0], "b": X[:, 1]}), pa.chunked_array([y])),
    "arrow with label": (pa.table({"a": X[:, 0], "y": y, "b": X[:, 1]}), None),
    "csr": (csr_array(X), y),
    "csr matrix": (csr_matrix(X), y),
    "csc": (csc_array(X), y),
    "coo, repeated": (coo_array((np.append(X.ravel(), [1, -1]), np.divmod([*range(10), 0, 0], 2))), y),
    "blocks": (Blocks(X, y), None),
    "sparse blocks": (Blocks(X, y, sparse=True), None),
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("proof", every_kind(), ids=lambda proof: proof.kind)
def test_every_issued_certificate_verifies_from_any_kind_of_data(name, proof):
    proof = replace(proof, about=replace(proof.about, label="y"))
    given_X, given_y = SOURCES[name]
    verdict = proof.verify(given_X, given_y)
    assert verdict.holds, verdict.reason
    assert proof.bound_to(given_X, given_y).sealed().about.digest == digest_of(X, y)
    sealed = from_json(proof.bound_to(X, y).to_json())
    if "labels" not in name or name == "column of labels":
        assert sealed.verify(given_X, given_y)


@pytest.mark.parametrize("proof", every_kind(), ids=lambda proof: proof.kind)
def test_json_gives_back_the_same_record(proof):
    assert from_json(proof.to_json()) == proof
    bound = proof.bound_to(X, y)
    again = from_json(bound.to_json())
    assert again == bound.sealed()
    assert (again.about.rows, again.about.columns, again.about.positive) == (5, 2, 1)
    assert again.to_json() == bound.to_json()
    assert json.loads(bound.to_json())["claim"] == proof.claim
    assert hash(again) == hash(bound.sealed())


def test_a_process_that_only_reads_knows_every_kind():
    """A certificate may come from elsewhere: no fit has imported the module of its claim before."""
    code = "from separatrix.certificates import Certificate, from_json; print(*Certificate.kinds)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {claim.kind for claim in CLAIMS}


CLAIMS = [
    value
    for name in certificates.__all__
    if isinstance(value := getattr(certificates, name), type)
    and issubclass(value, Certificate)
    and value is not Certificate
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.kind)
def test_every_claim_describes_itself(claim):
    assert re.fullmatch(r"[a-z][a-z -]+", vars(claim)["title"])
    assert claim.speaks_of == ("targets" if "alpha" in {item.name for item in fields(claim)} else "labels")
    assert claim.leaves_open is None or claim.leaves_open.startswith(("that no ", "anything "))


def test_titles_of_claims_differ():
    assert len({claim.title for claim in CLAIMS}) == len(CLAIMS)


def forgeries(record):
    """The record with one thing changed, named by what it is."""
    for field in ("weights", "counts", "multipliers", "rows"):
        if field in record:
            forged = copy.deepcopy(record)
            if field == "weights":
                forged[field][0] -= 3.0
            elif field == "rows":
                others = (i for i in range(99) if i not in record["rows"])
                forged[field] = sorted([next(others), *record["rows"][1:]])
            else:
                forged[field][-1] += 1
            yield field, forged
    yield "digest", record | {"about": record["about"] | {"digest": "sha256:" + "0" * 64}}
    last = record["about"]["digest"][-1]
    digit = record["about"]["digest"][:-1] + ("1" if last == "0" else "0")
    yield "digit", record | {"about": record["about"] | {"digest": digit}}
    yield "shape", record | {"about": record["about"] | {"rows": 6}}
    yield "label", record | {"about": record["about"] | {"positive": 0}}
    if "errors" in record:
        yield "errors", record | {"errors": record["errors"] - 1}
    if "mistakes" in record:
        yield "mistakes", record | {"mistakes": record["mistakes"] - 1}
    if "share" in record:
        yield "share", record | {"share": math.nextafter(record["share"], 2)}


FORGERIES = [
    pytest.param(forged, id=f"{proof.kind} {name}")
    for proof in every_kind()
    for name, forged in forgeries(proof.bound_to(X, y).to_dict())
]


@pytest.mark.parametrize("forged", FORGERIES)
def test_every_forged_certificate_is_refused(forged):
    verdict = certificates.from_dict(forged).verify(X, y)
    assert not verdict
    assert verdict.reason.endswith(".")


@pytest.mark.parametrize("proof", every_kind(), ids=lambda proof: proof.kind)
def test_other_data_is_refused_in_a_sentence(proof):
    sealed = proof.bound_to(X, y).sealed()
    changed, flipped = X.copy(), y.copy()
    changed[4, 1] = math.nextafter(2.0, 3.0)
    flipped[0] = 1
    for other_X, other_y, said in [
        (changed, y, "digest"),
        (X, flipped, "digest"),
        (X[::-1], y[::-1], "digest"),
        (X[:4], y[:4], "speaks of 5 rows"),
        (np.column_stack((X, X[:, 0])), y, "speaks of 2 columns"),
        (FRAME.rename(columns={"a": "c"}), y, "columns a, b"),
    ]:
        named = replace(sealed, about=replace(sealed.about, features=("a", "b")))
        verdict = named.verify(other_X, other_y)
        assert not verdict
        assert said in verdict.reason


def test_columns_are_found_by_name():
    named = replace(SEPARATOR, about=About(features=("a", "b"), label="y"))
    shuffled = FRAME.assign(y=y, more="text")[["y", "b", "more", "a"]]
    assert named.verify(shuffled)
    assert named.verify(pa.Table.from_pandas(shuffled))
    assert named.bound_to(shuffled).sealed().about.digest == digest_of(X, y)


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (X, y[:3], "5 rows and 3 labels"),
        (X, [0, 1, 2, 0, 1], "more than two values"),
        (X, ["a", "b", "c", "a", "a"], "more than two values"),
        (X, [1, 1, 1, 1, 1], "only the value 1"),
        (X, [0, 1, float("nan"), 0, 1], "label"),
        (X, ["a", None, "b", "a", "a"], "missing"),
        (X, np.ones((5, 2)), "one column"),
        (X, None, "Labels are missing"),
        (X[:0], y[:0], "no rows"),
        (X[0], y, "table of rows and columns"),
        (np.where(X == 3.0, np.nan, X), y, "Row 2, column 1 .* nan"),
        (np.where(X == 3.0, -np.inf, X), y, "Row 2, column 1 .* -inf"),
        (X.astype(str), y, "no numbers"),
        (FRAME.assign(b="text"), y, "no number"),
        (Blocks(X, y), y, "own labels"),
    ],
)
def test_data_that_cannot_be_read_raises_one_sentence(X, y, said):
    with pytest.raises(ValueError, match=said):
        SEPARATOR.verify(X, y)


def test_one_class_against_the_rest_needs_its_name():
    labels = np.array(["cat", "dog", "dog", "emu", "dog"])
    assert replace(SEPARATOR, about=About(positive="dog")).verify(X, labels)
    assert replace(SEPARATOR, about=About(positive="dog")).verify(Blocks(X, labels))
    refused = replace(SEPARATOR, about=About(positive="cow")).verify(X, labels)
    assert refused.reason == "No row has the label 'cow', which it calls positive."
    assert not replace(SEPARATOR, about=About(positive="cow")).verify(Blocks(X, labels))


@pytest.mark.parametrize("labels", [y, 1.0 * y, y.astype(str), y == 1, (y == 1).astype(str), y.astype("O")])
def test_labels_compare_as_numbers_where_they_are_numbers(labels):
    sealed = SEPARATOR.bound_to(X, labels).sealed()
    assert sealed.verify(X, labels)
    if str(labels[0]) != "False":
        for other in (y, y.astype(float), y.astype(str)):
            assert sealed.verify(X, other), sealed.about


def test_the_larger_label_is_positive():
    assert digest_of(X, y) == digest_of(X, 2 * y - 1) == digest_of(X, np.array(["9", "10"])[y])
    assert digest_of(X, y) == digest_of(X, np.array(["a", "b"])[y]) != digest_of(X, 1 - y)


def test_the_digest_is_canonical():
    assert digest_of(X, y) == digest_of(abs(X) * np.sign(X), y)
    assert digest_of(np.repeat(X, 30000, axis=0), np.repeat(y, 30000)) == digest_of(
        csr_array(np.repeat(X, 30000, axis=0)), np.repeat(y, 30000)
    )


def test_data_is_hashed_only_when_written_pickled_or_already_sealed(monkeypatch):
    hashed = []
    monkeypatch.setattr(certificate, "leaves_of", lambda source: hashed.append(1) or leaves_of(source))
    bound = SEPARATOR.bound_to(X, y)
    assert bound.verify(X, y)
    assert copy.deepcopy(bound) is bound
    assert repr(bound).startswith("<Separable: ")
    assert not hashed
    text = bound.to_json()
    assert text == bound.to_json()
    assert hashed == [1]
    again = pickle.loads(pickle.dumps(bound))
    assert hashed == [1]
    assert again.about.digest == digest_of(X, y)
    assert not hasattr(again, "_data")
    assert from_json(text).verify(X, y)
    assert hashed == [1, 1]


# Files


def edited(**changes):
    record = SEPARATOR.bound_to(X, y).to_dict() | changes
    return json.dumps({name: value for name, value in record.items() if value is not ...})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not whole JSON"),
        (SEPARATOR.to_json()[:-20], "not whole JSON"),
        ("[" * 100000, "nests lists too deeply"),
        ("\ufeff" + SEPARATOR.to_json(), "not whole JSON"),
        (SEPARATOR.to_json().encode("utf-16"), "not whole JSON"),
        (SEPARATOR.to_json().encode("utf-8-sig"), "not whole JSON"),
        ("[]", "no certificate"),
        ('{"format": "onnx"}', "no certificate"),
        (edited(version=1), "version 1"),
        (edited(version=3), "version 3"),
        (edited(version="1"), "'version' is wrong"),
        (edited(version=True), "'version' is wrong"),
        (edited(kind="optimal"), "kind 'optimal'"),
        (edited(kind=["separable"]), "kind"),
        (edited(claim=...), "lacks its 'claim'"),
        (edited(about=None), "lacks its 'claim' or its 'about'"),
        (edited(about={}), "lacks 'columns'"),
        (edited(weights=...), "lacks 'weights'"),
        (edited(margin=1.0), "has 'margin'"),
        (edited(weights="1"), "'weights' is wrong: it is not a list"),
        (edited(weights=[1.0, "x"]), "'weights' is wrong: 'x' is not a whole number"),
        (edited(weights=[1.0, "1e5"]), "is not a whole number"),
        (edited(weights=[1.0, None]), "None is not a number"),
        (edited(weights=[1.0, True]), "True is not a number"),
        (edited(weights=[1.0]), "1 weights but speaks of 2 columns"),
        (
            edited(weights=[], about=json.loads(edited())["about"] | {"columns": 0}),
            "'weights' is wrong: it is an empty list",
        ),
        (edited().replace("-0.75", "NaN"), "NaN"),
        (edited().replace("-0.75", "1e999"), "inf is not finite"),
        (edited().replace('"kind"', '"format"'), "twice"),
        (edited(about=json.loads(edited())["about"] | {"digest": "sha256:12"}), "'digest' is wrong"),
        (edited(about=json.loads(edited())["about"] | {"rows": -1}), "'rows' is wrong"),
        (edited(about=json.loads(edited())["about"] | {"features": ["a"]}), "names 1 features, not 2"),
    ],
)
def test_a_damaged_foreign_or_future_file_is_refused_in_a_sentence(text, said):
    with pytest.raises(CertificateError, match=said) as error:
        from_json(text)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: MistakeRun((1, 0), (1, 1), 2, (1.0,), None, True),
        lambda: MistakeRun((0, 0), (1, 1), 2, (1.0,), None, True),
        lambda: MistakeRun((0, 1), (1,), 1, (1.0,), None, True),
        lambda: MistakeRun((0,), (0,), 0, (1.0,), None, True),
        lambda: MistakeRun((0,), (1,), 1, (1.0,), None, 1),
        lambda: MarginShare((1.0,), None, (), (), 0.5),
        lambda: MarginShare((1.0,), None, (0,), (1,), 1.5),
        lambda: MarginShare((1.0,), None, (0,), (1,), 0.0),
        lambda: ErrorsAtMost((1.0,), None, -1),
        lambda: ErrorsAtMost((1.0,), None, 1.0),
        lambda: Separable((float("inf"),), None),
        lambda: Separable(("1.5",), None),
        lambda: Separable(1.5, None),
        lambda: Undecided(None),
    ],
)
def test_a_record_that_exists_is_well_formed(make):
    with pytest.raises(CertificateError):
        make()


@given(st.integers(-(10**40), 10**40), st.integers(0, 30000))
def test_whole_numbers_of_any_size_are_written_and_read(small, digits):
    for whole in (small, 10**digits - 1, -(10**digits)):
        assert from_decimal(to_decimal(whole)) == whole


def test_whole_numbers_beyond_2_53_are_hexadecimal_texts():
    record = Separable((2**64, 0.1), 3).to_dict()
    assert record["weights"] == ["0x10000000000000000", 0.1]
    assert record["intercept"] == 3


def test_nothing_proven_never_verifies():
    nothing = Undecided("The passes ran out.")
    assert nothing.verify(X, y).reason == "The passes ran out."
    assert not nothing.verify(X, y)
    assert from_json(nothing.to_json()) == nothing
    assert from_json(nothing.bound_to(X, y).to_json()).about.digest == digest_of(X, y)


# Claims

whole_rows = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.lists(st.integers(-4, 4), min_size=d, max_size=d), min_size=2, max_size=8)
)


@st.composite
def labelled(draw):
    rows = np.array(draw(whole_rows), dtype=float) * draw(st.sampled_from([1.0, 0.1, 2.0**-1070, 2.0**900]))
    signs = draw(st.lists(st.sampled_from([-1, 1]), min_size=len(rows), max_size=len(rows)))
    assume(len(set(signs)) == 2)
    return rows, np.array(signs)


def naive_margins(X, signs, weights, intercept):
    def score(row):
        return sum(Fraction(a) * Fraction(b) for a, b in zip(row, weights, strict=True)) + intercept

    return [s * score(row) for row, s in zip(X.tolist(), signs.tolist(), strict=True)]


@given(labelled(), st.data())
def test_errors_are_counted_exactly(data, draw):
    rows, signs = data
    weights = draw.draw(st.lists(st.integers(-3, 3), min_size=rows.shape[1], max_size=rows.shape[1]))
    errors = sum(margin <= 0 for margin in naive_margins(rows, signs, weights, 1))
    assert ErrorsAtMost(weights, 1, errors).verify(rows, signs)
    assert Separable(weights, 1).verify(rows, signs).holds == (errors == 0)
    if errors:
        assert not ErrorsAtMost(weights, 1, errors - 1).verify(rows, signs)


@given(labelled(), st.integers(0, 30), st.booleans())
def test_every_run_of_a_perceptron_verifies(data, passes, constant):
    rows, signs = data
    with np.errstate(over="ignore", invalid="ignore"):
        assume(np.isfinite(run_perceptron(rows, signs, passes, constant)[0]).all())
        run = mistake_run(rows, signs, passes, constant)
    assert run.verify(rows, signs), run.verify(rows, signs).reason
    assert run.verify(csr_array(rows), signs)


def test_a_mistake_decided_by_a_rounding_is_allowed_for():
    rows = np.array([[1.0, 2.0**-30, 1.0], [1.0, 2.0**-60, -1.0]])
    w, counts = run_perceptron(rows, [1, 1], 1, constant=False)
    assert counts.tolist() == [1, 1]
    exact = [Fraction(a) + Fraction(b) for a, b in zip(*rows.tolist(), strict=True)]
    squares = sum(Fraction(v) ** 2 for v in rows.ravel().tolist())
    assert sum(v * v for v in exact) > squares
    run = MistakeRun((0, 1), (1, 1), 2, w, None, converged=False, about=About(positive=1))
    assert run.verify(rows, [1, 1])


def test_a_sum_that_no_run_makes_breaks_novikoffs_inequality():
    rows, labels = np.array([[1.0], [-1.0]]), [1, 0]
    lean = MistakeRun((0,), (5,), 5, (5.0,), 5.0, converged=False)
    assert "Novikoff" in lean.verify(rows, labels).reason


def test_a_converged_run_is_about_the_exact_sum():
    run = mistake_run(X, 2 * y - 1)
    assert run.converged
    short = mistake_run(X, 2 * y - 1, passes=1)
    assert not short.converged
    assert "not on its side of the exact sum" in replace(short, converged=True).verify(X, y).reason
    assert "row 9" in replace(run, rows=(*run.rows[:-1], 9)).verify(X, y).reason


@given(labelled(), st.data())
def test_a_margin_share_is_exact_to_the_last_bit(data, draw):
    rows, _ = data
    weights = draw.draw(st.lists(st.integers(-3, 3), min_size=rows.shape[1], max_size=rows.shape[1]))
    scores = [Fraction(1, 3) + margin for margin in naive_margins(rows, np.ones(len(rows), int), weights, 0)]
    signs = np.array([1 if score > 0 else -1 for score in scores])
    assume(len(set(signs.tolist())) == 2)
    assume(min(naive_margins(rows, signs, weights, Fraction(1, 4))) > 0)
    share = largest_share(rows, signs, weights, 0.25)
    assume(1e-100 < share < 1)
    proof = MarginShare(weights, 0.25, range(len(rows)), (7,) * len(rows), share)
    assert proof.verify(rows, signs)
    assert not replace(proof, share=math.nextafter(share, 2)).verify(rows, signs)


def test_multipliers_that_cancel_prove_no_share():
    proof = MarginShare((1.0,), None, (0, 1), (1, 1), 0.5)
    assert "no halfspace separates" in proof.verify([[1.0], [1.0]], [0, 1]).reason
    zero = MarginShare((0.0,), None, (0, 1), (1, 1), 0.5)
    assert "all zero" in zero.verify([[1.0], [-1.0]], [1, 0]).reason


def test_all_names_are_there_and_sorted():
    assert certificates.__all__ == sorted(certificates.__all__)
    for name in certificates.__all__:
        assert getattr(certificates, name) is not None
    assert set(certificates.__all__) <= set(dir(certificates))
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        certificates.Nonsense  # noqa: B018
