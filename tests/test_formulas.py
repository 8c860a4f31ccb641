"""Numbered formulas of a module's docstring are cited where the code uses them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import separatrix

PACKAGE = Path(separatrix.__file__).parent
MODULES = {path.relative_to(PACKAGE).as_posix(): path for path in (PACKAGE / "certificates").rglob("*.py")}
NUMBER = re.compile(r"\((\d|[a-z])\)$", re.MULTILINE)


def parts(path: Path) -> tuple[str, str]:
    """The docstring of a module, and the text behind it."""
    text = path.read_text(encoding="utf-8")
    first = ast.parse(text).body[0]
    lines = text.splitlines()
    return "\n".join(lines[: first.end_lineno]).replace('"""', ""), "\n".join(lines[first.end_lineno :])


def cited(code: str) -> set[str]:
    """The numbers in comments and docstrings; ``(2) of `name``` is that of another module."""
    comments = [line.partition("#")[2] for line in code.splitlines()]
    named = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    docstrings = [ast.get_docstring(node) or "" for node in named]
    return set(re.findall(r"\((\d|[a-z])\)(?! of `)", "\n".join(comments + docstrings)))


NUMBERED = {name: found for name, path in MODULES.items() if (found := NUMBER.findall(parts(path)[0]))}


def test_modules_with_formulas_number_them():
    assert len(NUMBERED) > 20


@pytest.mark.parametrize("name", NUMBERED)
def test_a_numbered_formula_is_cited_at_its_line(name):
    numbers = NUMBERED[name]
    assert numbers == sorted(set(numbers))
    path = MODULES[name]
    if path.name == "__init__.py":
        found = set().union(*(cited(parts(other)[1]) for other in path.parent.glob("*.py")))
    else:
        found = cited(parts(path)[1])
        for other in MODULES.values():
            found |= set(re.findall(rf"\((\d)\) of `{path.stem}`", parts(other)[1]))
    assert set(numbers) - found == set()
