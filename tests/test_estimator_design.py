"""How estimators are built: abstract classes in `fitting`, hooks in the chapters, and no way back."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import separatrix
from separatrix.fitting import LinearClassifier, LinearRegressor, WeightedClassifier

PACKAGE = Path(separatrix.__file__).parent
CONTRACTS = {"LinearClassifier", "WeightedClassifier", "LinearRegressor"}


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax trees of all modules, by dotted name without the package's."""
    trees = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        trees[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text("utf-8"))
    return trees


@cache
def estimators() -> dict[str, tuple[str, ast.ClassDef]]:
    """Every class below those of `fitting`, and these, by name: its module and its definition."""
    classes = {
        node.name: (module, node)
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = set(CONTRACTS)
    while more := {name for name, (_, node) in classes.items() if bases(node) & found} - found:
        found |= more
    return {name: classes[name] for name in found}


@cache
def concrete() -> frozenset[str]:
    """The estimators that a user meets."""
    return frozenset(estimators()) & frozenset(dir(separatrix))


def bases(node: ast.ClassDef) -> set[str]:
    return {base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in node.bases}


def imports(tree: ast.Module) -> set[str]:
    """The modules that a module imports anywhere in it, also inside functions and for type checkers alone."""
    return set().union(*map(imported, ast.walk(tree)))


def imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0
        names = [f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)]
    else:
        names = []
    return {name.removeprefix("separatrix.") for name in names if name.startswith("separatrix.")}


def runtime_imports(tree: ast.Module) -> set[str]:
    """Those that are ever carried out."""
    guarded = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    return imports(tree) - {name for node in guarded for child in node.body for name in imported(child)}


def test_the_estimators_are_found():
    assert concrete() >= {"Perceptron", "LinearSVM", "LogisticRegression", "Ridge", "ZeroOne", "MaxMargin"}
    assert len(concrete()) == 13


def test_no_estimator_inherits_from_a_concrete_one():
    heirs = {name: bases(node) & concrete() for name, (_, node) in estimators().items()}
    assert {name: parents for name, parents in heirs.items() if parents} == {}


def test_fit_is_defined_in_fitting_alone():
    definers = {
        name
        for name, (_, node) in estimators().items()
        if any(isinstance(child, ast.FunctionDef) and child.name == "fit" for child in node.body)
    }
    assert definers == CONTRACTS
    assert {estimators()[name][0].split(".")[0] for name in definers} == {"fitting"}


@pytest.mark.parametrize("contract", [LinearClassifier, WeightedClassifier, LinearRegressor])
def test_fit_is_final(contract):
    assert contract.fit.__final__


def test_no_module_of_a_chapter_imports_an_estimator():
    """What an estimator needs lies below it; nothing in `algorithms` looks back at it."""
    homes = {estimators()[name][0] for name in concrete()}
    found = {
        (module, home)
        for module, tree in modules().items()
        if module.startswith("algorithms.") and module.count(".") > 1
        for home in homes.intersection(imports(tree))
    }
    assert found == set()


def test_no_modules_of_the_algorithms_import_each_other_in_a_circle():
    """Imports inside functions count: they would hide a circle."""
    graph = {
        module: {name for name in runtime_imports(tree) if name in modules() and name.count(".") > 1}
        for module, tree in modules().items()
        if module.startswith("algorithms.") and module.count(".") > 1
    }
    while leaves := {module for module, needed in graph.items() if not needed & graph.keys()}:
        graph = {module: needed for module, needed in graph.items() if module not in leaves}
    assert graph == {}
