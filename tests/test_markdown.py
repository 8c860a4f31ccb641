"""Formulas on the pages are shown as they are written: Markdown takes `*` and `_` for emphasis."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md")),
]

FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2[^\n]*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)(?: {4,}[^\n]*(?:\n|$))+")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\([^)\s]*\)|https?://\S+|<[^>\s]+>")
ESCAPED = re.compile(r"\\.")
BULLET = re.compile(r"^ *\* ", re.MULTILINE)
# Begins after a space or a bracket, ends before a space or punctuation, within one paragraph.
EMPHASIS = re.compile(r"(?<![^\s(\[|*“\"—])(\*{1,3})(?=[^\s*])((?:(?!\n\n)[^*])+?)(?<=\S)\1(?![\w‖*])")


def strays(text):
    """What is left of `*` and `_` that Markdown may eat, with what stands around it."""
    for pattern in (FENCE, INDENTED, CODE, LINK, ESCAPED, BULLET):
        text = pattern.sub(lambda found: " " if "\n" not in found[0] else "\n", text)
    for _ in range(2):  # emphasis within emphasis
        text = EMPHASIS.sub(lambda found: found[2], text)
    stray = re.compile(r"\*|(?<!\w)_|_(?![\w(])")
    return [text[max(0, found.start() - 30) : found.end() + 30] for found in stray.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_formula_loses_its_asterisks(page):
    """Write w\\* in a formula, or put it in backticks."""
    assert strays(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("R²‖w*‖²/γ² for w* of any length", 2),
        ("s·w*·x = |w*·x| ≥ γ", 2),
        ("2 * 3 * 4", 2),
        ("a_i and _x_", 2),
        (r"w\*·z and `w*` and\n\n```\nw* w*\n```", 0),
        ("a *word*, **two words** (*and* ***more***), *over\ntwo lines*.", 0),
        ("Σ_(k < D) a_k x_i", 0),
    ],
)
def test_what_is_found(text, found):
    assert len(strays(text)) == found
