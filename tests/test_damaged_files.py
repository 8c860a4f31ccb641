"""Damaged model files: an answer or one sentence, never a crash. Data files are in `test_file_formats.py`."""

from __future__ import annotations

from collections import Counter

import pytest
from damaged_files import needs_fork, require_sound, results

pytestmark = needs_fork


def test_damaged_model_files():
    found = results(["model"], 0, 400)
    require_sound(found)
    codes = Counter(run["code"] for run in found)  # the damage is neither always seen nor never
    assert codes[0] > 20
    assert codes[2] > 100


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(1, 6))
def test_many_damaged_model_files(seed):
    require_sound(results(["model"], seed, 3000))
