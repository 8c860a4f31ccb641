"""The published JSON Schema: made from the claims' fields, met by every certificate, and by little else."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import jsonschema
import pytest
from certificate_corpus import Case, corpus

from separatrix.certificates import Separable
from separatrix.certificates.schema import PATH, schema

cases = cache(corpus)


@pytest.fixture(scope="module")
def validator() -> Any:
    found = json.loads(PATH.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def test_the_file_is_what_the_fields_make_it():
    assert json.loads(PATH.read_text(encoding="utf-8")) == schema(), (
        "run python -m separatrix.certificates.schema"
    )


def test_every_certificate_is_valid(validator):
    for case in cases():
        validator.validate(case.record)


def with_field(case: Case, path: tuple[str, ...], value: Any = ...) -> dict[str, Any]:
    """The record with another value at a path, or without it."""
    record = copy.deepcopy(case.record)
    inner = record
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return record


def of_kind(kind: str) -> Any:
    """A validator of that kind alone."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema()["$defs"]})


TEXTS = {("claim",), ("reason",), ("about", "label"), ("about", "positive"), ("classes",)}
ODD: list[Any] = [{}, {"more": 1}, [[[[]]]], "text", [None], [{}], [True], "1e3", "0x1"]


def one_of_each_kind() -> list[Case]:
    return list({case.record["kind"]: case for case in cases()}.values())


def test_fields_that_are_missing_unknown_or_of_another_type_are_refused():
    for case in one_of_each_kind():
        validator = of_kind(case.record["kind"])
        validator.validate(case.record)
        objects = [(), ("about",), *([("proof",)] if "proof" in case.record else [])]
        for place in objects:
            inner = case.record[place[0]] if place else case.record
            assert not validator.is_valid(with_field(case, (*place, "more"), 1)), (case.name, place)
            for name in inner:
                path = (*place, name)
                assert not validator.is_valid(with_field(case, path)), (case.name, path)
                for value in () if path in TEXTS else ODD:
                    assert not validator.is_valid(with_field(case, path, value)), (case.name, path, value)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("weights", [[], ["1"], [2**53, None], ["0x01"], "0x20000000000001", ["+0x1"]]),
        ("errors", [-1, 0.5, 2**53 + 1, "3", "-0x20000000000001", hex(2**53), "0x" + "1" * 3251, None, True]),
        ("rows", [[0, 0], [-1], [0.5], ["1"], {"0": 1}]),
        ("multipliers", [[-1], [0.5], ["1"]]),
        ("counts", [[0], [-1], [1.5]]),
        ("C", [-1.0, 0, "0x20000000000001", [1.0]]),
        ("share", [0, 1.5, -1, "1"]),
        ("loss", ["Hinge", "", 0]),
        ("exponent", [-1, 2**16 + 1, 0.5]),
        ("quantum", [-1, 901, 0.5]),
        ("radius", [-1.0]),
        ("within", [[], [-1.0]]),
        ("sample_weight", [[], [-1.0], ["1"]]),
        ("costs", [[], [-1], ["-0x20000000000001"]]),
        ("intercept", ["text", [1.0]]),
        ("geometric", [0, 1, "true", None]),
        ("normals", [[1], [[0.5]], [["1"]]]),
    ],
)
def test_values_outside_their_type_are_refused(field, wrong, validator):
    some = [case for case in one_of_each_kind() if field in case.record]
    assert some
    for case in some:
        for value in wrong:
            assert not validator.is_valid({**case.record, field: value}), (case.name, value)


def test_a_certificate_that_a_test_writes_meets_the_schema():
    broken = Separable((1.0,), None)
    object.__setattr__(broken, "weights", ("1",))
    with pytest.raises(jsonschema.ValidationError):
        broken.to_json()
