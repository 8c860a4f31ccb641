"""What code outside `rows/` may know about rows: the six requests and the views, not where the rows are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import separatrix

PACKAGE = Path(separatrix.__file__).parent
OWNERS = ("rows/", "scale/")
REQUESTS = {"each", "sum", "worst"}
POOLS = {"concurrent.futures", "multiprocessing", "multiprocessing.pool"}

# One function per chapter may choose a kernel by the storage of a block.
DISPATCHES: dict[str, str] = {
    "algorithms/perceptrons/learner.py: split_values": "a row of a stream comes without a block around it",
}
# {file: {function: why no request fits}}
LOOPS: dict[str, dict[str, str]] = {}
THREADS = {
    "certificates/data/digest.py": "certificates import no rows, and hash what a verification reads",
    "algorithms/zero_one/lower/cones/cone_search.py": "workers search a tree of cones; there are no blocks",
}


@cache
def modules() -> dict[str, ast.Module]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


@cache
def storage_classes() -> frozenset[str]:
    """`Csr`, and the classes below `Rows`."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for path, tree in modules().items()
        if path.startswith(OWNERS)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {"Rows"}
    while more := {name for name, parents in bases.items() if parents & found} - found:
        found |= more
    return frozenset(found - {"Rows"} | {"Csr"})


def visited(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Every node with the dotted name of the function or class around it."""

    def walk(node: ast.AST, place: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            inside = place
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inside = f"{place}.{child.name}".lstrip(".")
            yield inside, child
            yield from walk(child, inside)

    return walk(tree, "")


def users() -> Iterator[tuple[str, str, ast.AST]]:
    for path, tree in modules().items():
        if not path.startswith(OWNERS):
            yield from ((path, place, node) for place, node in visited(tree))


def names_in(node: ast.AST) -> set[str]:
    found = (child for child in ast.walk(node) if isinstance(child, ast.Name | ast.Attribute))
    return {child.id if isinstance(child, ast.Name) else child.attr for child in found}


def is_rows(node: ast.AST) -> bool:
    """Whether an expression is called rows."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name == "rows" or name.endswith("_rows")


def test_storage_is_told_apart_in_one_function_per_chapter():
    found = {
        f"{path}: {place}"
        for path, place, node in users()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("isinstance", "issubclass")
        and names_in(node.args[1]) & storage_classes()
    }
    assert found == set(DISPATCHES)


def test_views_are_asked_for_by_their_methods():
    views = {name for name in storage_classes() if name not in ("Csr", "DenseRows", "SparseRows")}
    found = [
        f"{path}: {alias.name}"
        for path, _, node in users()
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in views
    ]
    assert found == []


def test_private_names_of_rows_stay_in_rows():
    found = [
        f"{path}: {place}: {node.attr}"
        for path, place, node in users()
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and is_rows(node.value)
    ]
    assert found == []


def test_rows_are_not_changed():
    found = [
        f"{path}: {place}: {target.attr}"
        for path, place, node in users()
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
        for top in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for target in ast.walk(top)
        if isinstance(target, ast.Attribute) and is_rows(target.value)
    ]
    assert found == []


def test_blocks_are_visited_by_requests():
    found: dict[str, set[str]] = {}
    for path, place, node in users():
        if isinstance(node, ast.Attribute) and (
            node.attr == "blocks" or (node.attr == "open" and is_rows(node.value))
        ):
            found.setdefault(path, set()).add(place)
    assert found == {path: set(places) for path, places in LOOPS.items()}


def test_terms_are_objects_that_can_be_pickled():
    found = []
    for path, tree in modules().items():
        nested = {
            inner.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            for inner in ast.walk(node)
            if isinstance(inner, ast.FunctionDef) and inner is not node
        }
        for place, node in visited(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            if node.func.attr in REQUESTS and "rows" in names_in(node.func.value):
                term = node.args[0]
                closures = [name for name in names_in(term) if name in nested]
                if isinstance(term, ast.Lambda) or closures:
                    found.append(f"{path}: {place}: {closures or 'lambda'}")
    assert found == []


def test_rows_own_the_threads():
    found = {path for path, _, node in users() if isinstance(node, ast.ImportFrom) and node.module in POOLS}
    assert found == set(THREADS)
