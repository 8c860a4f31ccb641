"""The examples print what they say, without a warning; the tutorial's picture is of the tutorial's fit."""

from __future__ import annotations

import ast
import runpy
import textwrap
from pathlib import Path

import pytest

import separatrix as sx

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def promised(path: Path) -> str:
    """The indented lines at the end of the module's docstring, after "It prints:"."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert said is not None
    _, found, lines = said.partition("It prints:\n")
    assert found, f"{path.name} does not say what it prints"
    return textwrap.dedent(lines).strip()


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_prints_what_it_promises(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip() == promised(path)


def test_picture_of_the_tutorial_tells_the_same_numbers():
    """Its drawing may change with the reports; what it says must be what the fit of the tutorial says."""
    model = sx.Perceptron().fit(*sx.problems.separable(500, 5, margin=0.0625))
    picture = (ROOT / "docs" / "figures" / "tutorial-perceptron.svg").read_text(encoding="utf-8")
    assert f"{model.mistakes_} mistakes in {model.passes_} passes" in picture
    assert model.certificate_.claim in picture
