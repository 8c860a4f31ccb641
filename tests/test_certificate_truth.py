"""The truth that changed certificates are held against: it knows true claims from false ones by itself."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from certificate_corpus import LABEL, ORIGIN, corpus
from certificate_truth import falsehood
from certificate_verdicts import soon
from exact_numbers import number

from separatrix.certificates import Certificate

cases = cache(corpus)
KINDS = sorted(Certificate.kinds)
NOTHING = dict.fromkeys(("rows", "columns", "positive", "label", "features", "digest", "path"))


def far(record: dict[str, Any]) -> dict[str, Any]:
    return {"weights": [1000.0] * len(record["weights"])}


def nowhere(record: dict[str, Any]) -> dict[str, Any]:
    return {"weights": [0.0] * len(record["weights"]), "intercept": record["intercept"] and 0.0}


FALSE: dict[str, list[Any]] = {
    "separable": [nowhere],
    "errors-at-most": [lambda record: nowhere(record) | {"errors": 0}],
    "errors-at-least": [{"bound": 1000}],
    "fewest-errors": [{"bound": 1000, "errors": 1000}, nowhere],
    "weakly-separable": [nowhere],
    "margin-at-least": [{"margin": 100.0}, {"margin": 0.0}],
    "margin-at-most": [{"margin": 0.0}, {"margin": -1.0}],
    "margin-between": [{"lower": 100.0, "upper": 1e3}, {"upper": 0.0}],
    "margin-share": [nowhere, {"share": 1.0, "weights": [1.0, 0.5], "intercept": 0.0}],
    "mistake-run": [{"mistakes": 100}, far],
    "mistakes-at-most": [{"mistakes": 0}],
    "soft-margin-within": [{"lower": 100.0, "upper": 1e3}, {"upper": 0.1, "lower": 0.0}],
    "likelihood-within": [{"lower": 200.0, "upper": 1e3}, {"upper": 1e-12, "lower": 0.0}],
    "joint-likelihood-within": [{"lower": 200.0, "upper": 1e3}, {"upper": 0.1, "lower": 0.0}],
    "solution-within": [far, {"distance": 0.0, "within": [0.0, 0.0, 0.0]}],
    "gradient-at-most": [far],
    "undecided": [{}],
}
OF_OTHER_DATA = ("inseparable", "overlapping", "weakly-separable", "fewest-errors")


@pytest.mark.parametrize("kind", KINDS)
def test_a_false_claim_is_called_false_and_a_true_one_true(kind):
    some = [case for case in cases() if case.record["kind"] == kind]
    for case in some:
        assert kind == "undecided" or falsehood(case.record, case.data) is None, case.name
        for change in FALSE.get(kind, []):
            more = change(case.record) if callable(change) else change
            assert falsehood(case.record | more, case.data) is not None, (case.name, more)
        if kind in OF_OTHER_DATA and len(case.record.get("weights", [0, 0])) == 2:
            assert falsehood(case.record | {"about": NOTHING, "bound": 1}, ORIGIN) is not None
    assert kind in FALSE or kind in OF_OTHER_DATA


@pytest.mark.parametrize("end", ["lower", "upper"])
def test_an_end_beyond_the_optimum_is_false_by_little(end):
    """The ends of an issued claim are close: what the truth finds lies between them."""
    for case in cases():
        if case.record["kind"].endswith(("margin-within", "likelihood-within")) and case.record["lower"] > 0:
            ends = {name: number(case.record[name]) for name in ("lower", "upper")}
            other = ends["upper"] if end == "lower" else ends["lower"]
            moved = float(other) * (1 + 1e-3 if end == "lower" else 1 - 1e-3)
            assert falsehood(case.record | {end: moved}, case.data) is not None, case.name


def test_what_is_said_about_the_data_is_compared():
    for case in cases():
        about, n = case.record["about"], len(case.data.rows)
        wrong = [
            {"rows": n + 1},
            {"columns": 7},
            {"digest": "sha256:" + "0" * 64},
            {"features": [LABEL]},
        ]
        wrong += [] if case.data.measured else [{"positive": "none of them"}]
        for more in wrong:
            assert falsehood(case.record | {"about": about | more}, case.data) is not None


def test_a_slow_answer_is_a_fault(monkeypatch):
    asked = []
    monkeypatch.setattr("certificate_verdicts.MOST_SECONDS", -1.0)
    with pytest.raises(AssertionError, match="processor time: sum"):
        soon(lambda: asked.append(1) or "sum")
    assert len(asked) == 2
