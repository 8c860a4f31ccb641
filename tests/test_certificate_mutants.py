"""Changed certificates: whatever is changed, the library and the checker agree, and accept no false claim."""

from __future__ import annotations

import json
import os
import random
from functools import cache
from pathlib import Path

import pytest
from certificate_corpus import LABEL, Case, corpus
from certificate_mutation import Mutant, every_change, joint_changes, mutants, rebound
from certificate_truth import falsehood
from certificate_verdicts import Verdicts, parsed

MUTANTS = 20_000
PARTS = 10
READINGS = ("by_names", "by_file")
DEEP_SEEDS, DEEP_MUTANTS = 100, 10_000  # of each seed

# `make test-deep` can be stopped and started again: seeds that the file names are done, and left out.
SEEDS = os.environ.get("SEPARATRIX_MUTANT_SEEDS", f"0:{DEEP_SEEDS}")  # the first, and the first beyond
DONE = os.environ.get("SEPARATRIX_MUTANTS_DONE")  # a file with a seed in each line

cases = cache(corpus)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory) -> Verdicts:
    return Verdicts(tmp_path_factory.mktemp("mutants"))


def judged(mutant: Mutant, verdicts: Verdicts, readings: tuple[str, ...] = READINGS) -> bool:
    """Whether the checker accepts it; the library says the same, and an accepted claim is true."""
    data, text = mutant.data, mutant.text
    accepted = verdicts.by_check(text, data)
    certificate = parsed(text)
    if certificate is None:
        assert not accepted
        return False
    about = certificate.about
    for reading in readings:
        assert getattr(verdicts, reading)(certificate, data) in (accepted, None), reading
    if accepted:
        assert falsehood(json.loads(text), data) is None
    by_arrays = verdicts.by_arrays(certificate, data)
    if by_arrays:
        assert falsehood(json.loads(text), data, by_name=False) is None
    # Arrays have no names; what a certificate says of them is then left aside.
    if about.features in (None, tuple(data.columns)) and about.label in (None, LABEL):
        assert by_arrays == accepted
    return accepted


def assert_judged(some: list[Mutant], verdicts: Verdicts, case: Case) -> int:
    """How many are accepted; all that go wrong are told together."""
    accepted, wrong = 0, []
    for place, mutant in enumerate(some):
        try:
            accepted += judged(mutant, verdicts, READINGS[place % 2 : place % 2 + 1])
        except Exception as error:
            wrong.append(f"{mutant.what}: {error!r:.300}")
    assert not wrong, f"{case.name}: {len(wrong)} of {len(some)}\n" + "\n".join(wrong[:20])
    return accepted


def test_what_is_not_changed_holds_in_every_reading(verdicts):
    for case in cases():
        expected = case.record["kind"] != "undecided"
        assert judged(Mutant("as it is", case.record, case.data), verdicts) is expected, case.name


@pytest.mark.parametrize("part", range(PARTS))
def test_changed_certificates(part, verdicts):
    """Numbers, lists, types, every field of `about`, other kinds and other data, one or two at a time."""
    each = -(-MUTANTS // len(cases()))
    accepted = 0
    for case in cases()[part::PARTS]:
        some = mutants(case, cases(), random.Random(case.name), each)
        assert len(some) == each
        accepted += assert_judged(some, verdicts, case)
    assert accepted > MUTANTS // PARTS // 100  # so that something is left for the truth to decide


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
def test_all_changes_of_one_part(part, verdicts):
    for case in cases()[part::PARTS]:
        assert_judged(
            [*every_change(case, cases()), *rebound(case, cases()), *joint_changes(case, cases())],
            verdicts,
            case,
        )


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(*map(int, SEEDS.split(":"))))
def test_a_million_changes_of_several_parts(seed, verdicts):
    done = Path(DONE or os.devnull)
    if done.exists() and str(seed) in done.read_text(encoding="utf-8").split():
        pytest.skip("done before")
    chance = random.Random(seed)
    for place, case in enumerate(cases()):
        count = len(range(place, DEEP_MUTANTS, len(cases())))
        assert_judged(mutants(case, cases(), chance, count, several=0.9), verdicts, case)
    with done.open("a", encoding="utf-8") as file:
        file.write(f"{seed}\n")
