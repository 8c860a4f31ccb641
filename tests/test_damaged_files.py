"""Damaged models and certificates: an answer or one sentence, never a crash. Data files are in
`test_file_formats.py`.

The forks run more than 10^5 files in `make test-deep`; 200 others are read by commands of their own.
"""

from __future__ import annotations

from collections import Counter

import pytest
from damaged_files import needs_fork, require_sound, results
from whole_files import MAKERS

pytestmark = needs_fork
KINDS = ["model", "certificate"]


def test_damaged_models_and_certificates():
    found = results(KINDS, 0, 400)
    require_sound(found)
    for kind in KINDS:
        codes = Counter(run["code"] for run in found if run["kind"] == kind)
        assert codes[0] > 15, kind  # the damage is neither always seen nor never
        assert codes[2] > 100, kind


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(1, 6))
def test_many_damaged_files(seed, kind):
    require_sound(results([kind], seed, 3000))


@pytest.mark.deep
def test_damaged_files_as_real_commands():
    require_sound(results([*MAKERS], 7, -(-200 // len(MAKERS)), "real"))
