"""What the fits, `verify` and the independent checker share, as the documentation lists it."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from separatrix import certificates

ROOT = Path(__file__).resolve().parents[1]
HOME = "separatrix.certificates"
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "separatrix").rglob("*.py")
}
NOT_CLAIMS = {"About", "Certificate", "CertificateError", "Certificates", "Verdict", "Undecided"}
CLAIMS = {
    name: value.__module__
    for name in certificates.__all__
    if isinstance(value := getattr(certificates, name), type) and name not in NOT_CLAIMS
}
# One claim of each row of the table, with the folders of the fits that make it.
FITS = {
    "Separable": (),  # all that is in none of the others
    "FewestErrors": ("zero_one",),
    "SolutionWithin": ("least_squares",),
    "LikelihoodWithin": ("logistic",),
    "SoftMarginWithin": ("svm",),
}
TABLE = re.compile(r"^\| (`\w+`[^|]*) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)


@cache
def imported(module):
    """The modules of the package that the statements of a module name, wherever they stand."""
    path = MODULES[module]
    folder = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = folder.split(".")[: len(folder.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{base}.{one.name}" if f"{base}.{one.name}" in MODULES else base for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
    return {name for name in found if name in MODULES}


def reached(modules, through=lambda module: True):
    """These and all that they import; the packages load their public names on first use only."""
    found, waiting = set(), list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            if through(module):
                waiting += imported(module) - {HOME, "separatrix"}
    return found


def holds_code(module):
    """Code that decides something: not tables of constants, nor the shared size limits."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    defines = any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in ast.walk(tree))
    return defines and module != f"{HOME}.check.limits"


def table():
    """The rows of the table: claims, and the two cells about them."""
    page = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    section = page.split("## What the checkers share")[1].split("\n## ")[0]
    return [[set(re.findall(r"`([\w.]+)`", cell)) for cell in row] for row in TABLE.findall(section)]


def fits(folders):
    """The modules of the algorithms in these folders, or in none that another row has."""
    others = {folder for some in FITS.values() for folder in some}
    for module in MODULES:
        if module.startswith("separatrix.algorithms."):
            folder = module.split(".")[2]
            if folder in folders or (not folders and folder not in others):
                yield module


@pytest.mark.parametrize("claim", FITS)
def test_the_table_of_shared_code_is_what_the_imports_say(claim):
    (row,) = [row for row in table() if claim in row[0]]
    verifying = reached(CLAIMS[name] for name in row[0])
    fitting = reached(fits(FITS[claim]), through=lambda module: not module.startswith(HOME))
    checking = {name for name in verifying if name.startswith(f"{HOME}.check.")}
    found = [
        {name.removeprefix(f"{HOME}.") for name in names if name.startswith(f"{HOME}.") and holds_code(name)}
        for names in (fitting & verifying, checking)
    ]
    assert found == row[1:]


def test_the_table_of_shared_code_has_every_claim_once():
    claims = [name for row in table() for name in row[0]]
    assert sorted(claims) == sorted(CLAIMS)


def test_the_checker_imports_the_standard_library_and_itself_alone():
    for module in MODULES:
        if module.startswith(f"{HOME}.check"):
            assert {name for name in imported(module) if not name.startswith(f"{HOME}.check")} == set()


def test_the_checker_says_in_which_order_to_read_all_of_its_files():
    listed = re.findall(
        r"``(\w+)``", (certificates.check.__doc__ or "").split("in the order to read them:")[1]
    )
    files = {path.stem for path in (ROOT / "separatrix" / "certificates" / "check").glob("*.py")} - {
        "__init__"
    }
    assert len(listed) == len(set(listed))
    assert set(listed) == files


@pytest.mark.parametrize("family", ["separation", "margins", "mistakes", "errors"])
def test_a_family_of_claims_has_one_name_in_both_checkers(family):
    claims = import_module(f"{HOME}.claims.{family}")
    kinds = {
        value.kind
        for value in vars(claims).values()
        if isinstance(value, type) and value.__module__ == claims.__name__ and hasattr(value, "kind")
    }
    assert kinds == set(import_module(f"{HOME}.check.{family}").CLAIMS)
