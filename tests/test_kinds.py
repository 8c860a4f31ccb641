"""Every kind of claim is in every place that has something about each of them."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import certificate_truth as truth
import pytest
from certificate_corpus import corpus
from certificate_mutation import mutants

from separatrix import certificates
from separatrix.certificates import About, Certificate
from separatrix.certificates.certificate import forms_of
from separatrix.certificates.check.__main__ import CLAIMS
from separatrix.certificates.check.record import ABOUT
from separatrix.certificates.schema import PATH, kinds_table

DOCS = Path(__file__).resolve().parents[1] / "docs"
certificates.from_json  # noqa: B018  (which adds every kind)
KINDS: dict[str, Any] = Certificate.kinds
PROVEN = sorted(KINDS.keys() - {"undecided"})
cases = cache(corpus)

each_kind = pytest.mark.parametrize("kind", sorted(KINDS))
each_proven = pytest.mark.parametrize("kind", PROVEN)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@each_kind
def test_its_class_says_what_reports_need(kind):
    claim = KINDS[kind]
    assert isinstance(vars(claim)["title"], str)
    assert claim.speaks_of in ("labels", "targets")
    assert claim.leaves_open is None or isinstance(claim.leaves_open, str)
    assert claim.__name__ in certificates.__all__


@each_proven
def test_the_checker_reads_the_same_fields(kind):
    _, forms = CLAIMS[kind]
    assert forms.keys() == forms_of(KINDS[kind]).keys()


def test_the_checker_knows_no_other_kind_and_the_same_description():
    assert set(CLAIMS) == set(PROVEN)
    assert ABOUT.keys() == forms_of(About).keys()
    described = page("certificate-format.md").split("### `about`")[1].split("\n\n")[1]
    rows = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in described.splitlines()[2:]]
    assert {name for row in rows for name in row} == ABOUT.keys()


@each_kind
def test_the_schema_has_it(kind):
    schema = json.loads(PATH.read_text(encoding="utf-8"))
    assert {"$ref": f"#/$defs/{kind}"} in schema["oneOf"]
    assert schema["$defs"][kind]["properties"]["kind"] == {"const": kind}


@each_kind
def test_the_specification_says_what_it_claims_and_why(kind):
    sections = re.findall(rf"^### `{kind}`\n\n(.*?)(?=^##)", page("certificate-format.md"), re.M | re.S)
    assert len(sections) == 1
    assert len(sections[0]) > 30


def test_the_table_in_the_specification_is_what_the_classes_declare():
    assert kinds_table() in page("certificate-format.md"), (
        "run python -m separatrix.certificates.schema --table"
    )


@each_kind
def test_the_documentation_names_its_class(kind):
    name = KINDS[kind].__name__
    proven = page("certificates.md").split("## What is proven, and by what")[1].split("\n\nWeights")[0]
    trusted, shared = page("trust.md").split("## What the checkers share")
    for table in (proven, trusted, shared) if kind != "undecided" else (proven,):
        cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
        assert sum(f"`{name}`" in cell for cell in cells) == 1
    assert re.search(rf"^   {name}$", page("api/certificates.md"), re.M)


@each_kind
def test_the_tests_issue_it_and_change_it(kind):
    some = [case for case in cases() if case.record["kind"] == kind]
    assert some
    changed = mutants(some[0], cases(), random.Random(kind), 100)
    assert len({mutant.what for mutant in changed}) > 50


@each_proven
def test_its_truth_is_known_to_the_tests(kind):
    assert kind in {**truth.SIGNED, **truth.optima.MEASURED, **truth.optima.LABELLED}
