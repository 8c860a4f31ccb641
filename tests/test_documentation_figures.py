"""The figures of the pages: well-formed, described, and the ones on the pages."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.figures import FIGURES

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "figures"
SPACE = "{http://www.w3.org/2000/svg}"
OF_FORMULAS = ("growth", "phase-transition", "radon", "sample-sizes", "thresholds", "vertex-cover")


@pytest.mark.parametrize("name", FIGURES)
def test_figure_on_the_page_has_a_title_and_a_description(name):
    tree = ElementTree.fromstring((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))
    texts = [tree.findtext(f"{SPACE}{part}") for part in ("title", "desc")]
    assert all(texts)
    assert len(texts[1]) > 80
    pages = FOLDER.parent.rglob("*.md")
    assert any(f"figures/{name}.svg" in page.read_text(encoding="utf-8") for page in pages)


def test_every_figure_on_the_pages_is_drawn_by_a_program():
    assert {path.stem for path in FOLDER.glob("*.svg")} == FIGURES.keys()


@pytest.mark.parametrize("name", OF_FORMULAS)
def test_figure_on_the_page_is_what_the_code_draws(name):
    drawn = FIGURES[f"theory-{name}"]()
    assert drawn == (FOLDER / f"theory-{name}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", ["learning-curves", "margins", "mistakes", "online", "promises", "uniform-convergence"]
)
def test_figure_of_an_experiment_can_be_drawn(name):
    few = {"learning-curves": 2, "margins": 2, "uniform-convergence": 5}
    options = {"repeats": few[name]} if name in few else {}
    ElementTree.fromstring(FIGURES[f"theory-{name}"](**options))
