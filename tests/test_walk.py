"""The walks of `docs/design.md` enter the files that the page names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import walk

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^### ", PAGE.split("## Five walks along the data")[1], flags=re.MULTILINE)[1:-1]


def named(title):
    """The files in the first column of a walk's table."""
    (section,) = [text for text in SECTIONS if text.startswith(f"`{title}`")]
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return [path for cell in cells for path in re.findall(r"`([\w/]+\.py)`", cell)]


@pytest.mark.parametrize("title", ["Perceptron().fit", "separate", "LogisticRegression().fit", "verify"])
def test_a_walk_enters_the_files_that_the_page_names(title, tmp_path):
    call = walk.walks(tmp_path)[title]
    call()
    entered = set(walk.walked(call))
    expected = set(named(title))
    compiled = {path for path in expected if path.endswith("_kernels.py") or path.startswith("kernels/")}
    assert expected - compiled <= entered


def test_every_file_that_a_walk_names_exists():
    paths = re.findall(r"`([\w/]+\.py)`", "\n".join(SECTIONS))
    assert paths
    assert [path for path in paths if not (ROOT / "separatrix" / path).is_file()] == []
