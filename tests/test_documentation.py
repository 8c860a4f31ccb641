"""The documentation as a whole: every page has one place in it, and every public name a description."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
AUTOSUMMARY = re.compile(
    r"^\.\. currentmodule:: (\S+)\n\n\.\. autosummary::\n(?:   :toctree: \S+\n)?\n((?:   \w+\n)+)",
    re.MULTILINE,
)
MODULES = ["bounds", "certificates", "losses", "plot", "problems", "theory"]


def entries(page):
    """The pages that the toctrees of a page list, by `name` or `Title <name>`, relative to docs/."""
    for listing in TOCTREE.findall(page.read_text(encoding="utf-8")):
        for line in listing.splitlines():
            if line and not line.startswith(":"):
                name = re.sub(r"^.* <(\S+)>$", r"\1", line)
                yield (page.parent / f"{name}.md").relative_to(DOCS).as_posix()


def test_every_page_is_in_exactly_one_toctree():
    pages = sorted(DOCS.rglob("*.md"))
    listed = [entry for page in pages for entry in entries(page)]
    assert sorted(["index.md", *listed]) == sorted(page.relative_to(DOCS).as_posix() for page in pages)


@pytest.mark.parametrize("module", ["separatrix", *(f"separatrix.{name}" for name in MODULES)])
def test_every_public_name_is_in_the_reference(module):
    """Names that a module has from another are described there."""
    page = (DOCS / "api" / f"{module.rpartition('.')[2]}.md").read_text(encoding="utf-8")
    described = []
    for home, names in AUTOSUMMARY.findall(page):
        described += names.split()
        assert all(name in import_module(home).__all__ for name in names.split())
    public = set(import_module(module).__all__)
    assert sorted(described) == sorted(public - set(MODULES) if module == "separatrix" else public)
