"""What a certificate may hold, field by field: ``docs/certificate-format.md``, as both readers have it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from certificate_corpus import DEPENDENT, NOISY, PLANE, THREE, Data
from certificate_verdicts import Verdicts, parsed

import separatrix as sx
from separatrix.certificates import (
    About,
    Certificate,
    ErrorsAtLeast,
    ErrorsAtMost,
    GradientAtMost,
    Inseparable,
    JointLikelihoodWithin,
    Separable,
    SoftMarginWithin,
)

ZERO = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
TWICE = Data("twice", ((0.0,), (1.0,), (1.0,)), (0, 0, 1))
PROOFS: dict[str, tuple[Certificate, Data]] = {
    "halfspace": (Separable((1.0, 1.0), -0.75, about=About(positive=1)), PLANE),
    "errors": (ErrorsAtMost((1.0, 1.0), -0.75, 3, about=About(positive=1)), PLANE),
    "conflict": (Inseparable((1, 2), (1, 1), True), TWICE),
    "costs": (ErrorsAtLeast(0, (1.0, 2.0, 1.0), {"method": "none"}, True), TWICE),
    "soft": (SoftMarginWithin((0.0, 0.0, 0.0), None, 1.0, "hinge", 9.5, -1e3, (0, 1), (0, 0), 0), NOISY),
    "joint": (JointLikelihoodWithin(("a", "b", "c"), ZERO, None, C=0.1, upper=9.0, lower=0.0), THREE),
    "measured": (GradientAtMost((0.0, 0.0, 0.0), None, 0.0, 1e3), DEPENDENT),
}
WIDE = hex(2**53 + 1)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory) -> Verdicts:
    return Verdicts(tmp_path_factory.mktemp("readings"))


def readings(text: str, data: Data, verdicts: Verdicts) -> tuple[bool, bool]:
    certificate = parsed(text)
    ours = certificate is not None and verdicts.by_names(certificate, data)
    return ours, verdicts.by_check(text, data)


def changed(name: str, change: dict[str, Any]) -> str:
    """The certificate as JSON text, with other values; those of ``about`` by their own names."""
    record = PROOFS[name][0].to_dict()
    for field, value in change.items():
        (record if field in record else record["about"])[field] = value
    return json.dumps(record)


TAKEN: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in PROOFS),
    # A number without point and exponent is a double where one is asked for.
    ("soft", {"weights": [0, 0.0, -0.0], "C": 1, "upper": 10, "lower": -1000}),
    ("soft", {"upper": 2.0**60}),
    ("soft", {"exponent": 2**16, "multipliers": [0, 0]}),
    ("soft", {"rows": [], "multipliers": [], "row_weights": [1] * 9}),
    ("halfspace", {"weights": [2**53, 2**53], "intercept": -(3 * 2**51)}),
    ("halfspace", {"weights": [hex(2**60), hex(2**60)], "intercept": hex(-(3 * 2**58))}),
    ("halfspace", {"weights": [2.0**60, 2.0**60], "intercept": -(3 * 2.0**58)}),
    ("halfspace", {"rows": 7, "columns": 2, "features": ["x0", "x1"], "label": "y"}),
    ("halfspace", {"positive": "1"}),
    ("halfspace", {"positive": 1.0}),
    ("halfspace", {"positive": True}),
    ("errors", {"errors": 0}),
    ("errors", {"errors": WIDE}),
    ("errors", {"errors": "0x" + "1" * 200}),
    ("conflict", {"multipliers": [WIDE, WIDE]}),
    ("costs", {"costs": [0, 0.5, WIDE]}),
    ("joint", {"classes": ["a", "b", "c"], "quantum": 900}),
    ("joint", {"radius": 0}),
    ("measured", {"alpha": 0, "gradient": 1000, "sample_weight": [0, 1, 1.0, 0.5, 0.0]}),
]
REFUSED: list[tuple[str, dict[str, Any]]] = [
    # A text is no double, even where a double equals the number.
    ("soft", {"upper": hex(2**60)}),
    ("soft", {"weights": [hex(2**60), 0.0, 0.0], "upper": 1e300}),
    ("soft", {"C": hex(2**60), "upper": 1e300}),
    ("soft", {"row_weights": [hex(2**60)] * 9, "upper": 1e300}),
    ("soft", {"upper": 2**60}),
    ("soft", {"C": 0}),
    ("soft", {"C": -1.0}),
    ("soft", {"row_weights": []}),
    ("soft", {"row_weights": [1.0] * 8 + [-1.0]}),
    ("soft", {"weights": []}),
    ("soft", {"loss": ["hinge"]}),
    ("soft", {"exponent": 0.0}),
    ("soft", {"exponent": 2**16 + 1}),
    ("soft", {"multipliers": [0, 0.0]}),
    ("soft", {"multipliers": [0, hex(-(2**60))]}),
    ("soft", {"rows": [0.0, 1.0]}),
    ("soft", {"rows": [1, 0]}),
    ("soft", {"rows": [1, 1]}),
    ("soft", {"rows": [0], "multipliers": [0, 0]}),
    # A whole number that a JSON number holds is no text, and no JSON number goes beyond.
    ("errors", {"errors": 3.0}),
    ("errors", {"errors": "3"}),
    ("errors", {"errors": "0x3"}),
    ("errors", {"errors": hex(2**53)}),
    ("errors", {"errors": 2**53 + 1}),
    ("errors", {"errors": "-" + WIDE}),
    ("errors", {"errors": -1}),
    ("errors", {"errors": True}),
    ("errors", {"errors": "0x1" + "1" * 3250}),
    ("errors", {"errors": WIDE.upper()}),
    ("errors", {"errors": "0x0" + WIDE[2:]}),
    ("errors", {"errors": WIDE[:-4] + "_" + WIDE[-4:]}),
    ("errors", {"errors": WIDE + "\n"}),
    ("halfspace", {"weights": [2**60, 2**60], "intercept": 0}),
    ("halfspace", {"weights": [True, True]}),
    ("halfspace", {"weights": {"0": 1.0, "1": 1.0}}),
    ("halfspace", {"rows": 7.0}),
    ("halfspace", {"rows": "7"}),
    ("halfspace", {"rows": True}),
    ("halfspace", {"columns": 2.0}),
    ("halfspace", {"features": []}),
    ("halfspace", {"features": ["x0", "x0"], "weights": [1.0, 1.0]}),
    ("halfspace", {"features": ["x0", 1]}),
    ("halfspace", {"features": "x0"}),
    ("halfspace", {"label": 3}),
    ("halfspace", {"positive": [1]}),
    ("halfspace", {"positive": {}}),
    ("halfspace", {"positive": 2**60}),
    ("halfspace", {"positive": "x" * 10_001}),
    ("halfspace", {"digest": "sha256:" + "0" * 63}),
    ("halfspace", {"digest": 1}),
    ("conflict", {"intercept": 1}),
    ("conflict", {"intercept": None}),
    ("conflict", {"multipliers": [1, 0]}),
    ("conflict", {"multipliers": [1.0, 1.0]}),
    ("costs", {"costs": []}),
    ("costs", {"costs": [1.0, 2.0, -1.0]}),
    ("costs", {"costs": [1.0, 2.0, hex(2**1024)]}),
    ("costs", {"proof": {"method": "none", "more": 0}}),
    ("costs", {"proof": {}}),
    ("costs", {"proof": {"method": ["none"]}}),
    ("joint", {"classes": ["a"], "coefficients": [[0.0, 0.0]]}),
    ("joint", {"classes": ["a", "b", "c", "a"], "coefficients": [[0.0, 0.0]] * 4}),
    ("joint", {"classes": ["a", "b", ["c"]]}),
    ("joint", {"coefficients": [[], [], []]}),
    ("joint", {"intercepts": []}),
    ("joint", {"quantum": 901}),
    ("joint", {"radius": -1}),
    ("measured", {"alpha": None}),
    ("measured", {"alpha": -0.5}),
    ("measured", {"sample_weight": []}),
]


@pytest.mark.parametrize(("name", "change"), TAKEN)
def test_what_the_format_allows_both_readers_take(name, change, verdicts):
    assert readings(changed(name, change), PROOFS[name][1], verdicts) == (True, True)


@pytest.mark.parametrize(("name", "change"), REFUSED)
def test_what_the_format_does_not_allow_both_readers_refuse(name, change, verdicts):
    assert readings(changed(name, change), PROOFS[name][1], verdicts) == (False, False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"errors": 3', '"errors": 3e0'),
        ('"errors": 3', '"errors": 1e999'),
        ('"errors": 3', '"errors": 03'),
        ('"errors": 3', '"errors": 3, "errors": 3'),
        ('"errors": 3', '"errors": 3, "more": 0'),
        ('"errors": 3', '"errors": 3, "": 0'),
        ('"weights": [1.0,', '"weights": [1e400,'),
        ('"weights": [1.0,', '"weights": [NaN,'),
        ('"weights": [1.0,', '"weights": [Infinity,'),
        ('"positive": 1', '"positive": 1e400'),
        ('"positive": 1', '"positive": 9007199254740993'),
        ('"positive": 1', '"positive": 1, "positive": 1'),
        ('"version": 2', '"version": 2.0'),
        ('"version": 2', '"version": 1'),
        ('"version": 2', '"version": 3'),
    ],
)
def test_numbers_and_names_in_the_text(before, after, verdicts):
    text, data = changed("errors", {}), PROOFS["errors"][1]
    assert before in text
    assert readings(text, data, verdicts) == (True, True)
    assert readings(text.replace(before, after), data, verdicts) == (False, False)


def test_a_label_beyond_2_53_is_written_in_decimal_digits(verdicts):
    data = Data("long labels", ((0.0,), (1.0,)), (2**53 + 1, 2**53 + 2))
    record = Separable((1.0,), -0.5).bound_to(*data.arrays).to_dict()
    assert record["about"]["positive"] == "9007199254740994"
    assert readings(json.dumps(record), data, verdicts) == (True, True)


def test_names_that_two_columns_share_are_not_written():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[0.0, 1.0], [1.0, 2.0]], columns=["a", "a"])
    certificate = sx.separate(frame.to_numpy(), [0, 1]).certificate.bound_to(frame, [0, 1])
    assert certificate.to_dict()["about"]["features"] is None
