"""What must hold of the project's files: versions, names, sizes, and no trace of a machine."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import sklearn

import separatrix

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGE_FILES = sorted((ROOT / "separatrix").rglob("*.py"))

EXTRAS_OF_USERS = ("plot", "onnx")
IMPORT_NAMES = {"python-flint": "flint", "scikit-learn": "sklearn"}
COMES_WITH = {"PIL": "matplotlib", "llvmlite": "numba", "markupsafe": "jinja2"}

OF_A_MACHINE = re.compile(
    r"/(?:home|root|work|tmp|farm|opt|Users)/[A-Za-z0-9_.]"
    r"|(?:extra[-_])?index[-_]url\b"
    r"|\b(?:pip_)?find[-_]links\b"
    r"|\bpypi\.(?:org|python)",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def project_files() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("which files belong to the project is known in a git checkout only")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_version_is_written_once_and_told_everywhere():
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "separatrix/__init__.py"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [separatrix.__version__]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changes, re.MULTILINE)
    assert newest
    assert newest.group(1) == separatrix.__version__


def test_licence_agrees():
    assert PROJECT["project"]["license"] == "BSD-3-Clause"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("BSD 3-Clause License")
    assert "license: BSD-3-Clause" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_dependencies_are_bounded_and_pinned_for_development():
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [*PROJECT["project"]["dependencies"], *(need for needs in extras.values() for need in needs)]
    pins = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
    pinned = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pins.items()}
    for need in wanted:
        match = re.fullmatch(r"([A-Za-z0-9_-]+)(?:\[[a-z,]+\])?(>=[\d.]+,<[\d.]+)?", need)
        assert match, need
        name, bounds = match.groups()
        if name != "separatrix":
            assert bounds, f"{need} has no lower and upper bound"
            assert name.lower() in pinned, f"{name} has no pin in constraints.txt"


def imports_of(files: list[Path]) -> set[str]:
    """The third-party packages that the files import, by the names that are imported."""
    found = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(node.module.split(".")[0])
    return found - sys.stdlib_module_names - {"separatrix"}


def names_needed(requirements: list[str]) -> set[str]:
    """The packages of these requirements, by the names that are imported."""
    needed = {re.split(r"[\[<>=]", requirement)[0] for requirement in requirements}
    return {IMPORT_NAMES.get(name, name) for name in needed}


def test_dependencies_are_what_the_package_imports():
    extras = PROJECT["project"]["optional-dependencies"]
    assert set(extras) == {*EXTRAS_OF_USERS, "test", "docs", "bench", "dev"}
    needed = names_needed(PROJECT["project"]["dependencies"])
    needed |= names_needed([name for extra in EXTRAS_OF_USERS for name in extras[extra]])
    checker = ROOT / "separatrix" / "certificates" / "check"
    own = {path.stem for path in checker.rglob("*.py")}  # copied alone, the checker imports its own files
    imported = imports_of([path for path in PACKAGE_FILES if not path.is_relative_to(checker)])
    assert imports_of(sorted(checker.rglob("*.py"))) <= own
    assert imported - COMES_WITH.keys() - {"pandas"} == needed  # pandas is the caller's: to_pandas
    assert {COMES_WITH[name] for name in imported & COMES_WITH.keys()} <= needed


def test_no_trace_of_a_machine(project_files):
    found = []
    for path in project_files:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {hit.group()}" for hit in OF_A_MACHINE.finditer(text)]
    assert found == []


def test_file_names_say_what_is_inside(project_files):
    vague = re.compile(r"_*(utils?|helpers?|common|misc|core|base|manager)", re.IGNORECASE)
    named = [path.relative_to(ROOT).with_suffix("") for path in project_files]
    assert [path.as_posix() for path in named if any(vague.fullmatch(part) for part in path.parts)] == []


def test_one_file_imports_flint():
    """So that another library for exact linear algebra could take its place in one file."""
    importing = [
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE_FILES
        if re.search(r"^\s*(from|import) flint", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert importing == ["separatrix/certificates/arithmetic/linear_algebra.py"]


def test_no_module_has_outgrown_one_idea():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE_FILES}
    assert {path.relative_to(ROOT).as_posix(): n for path, n in lengths.items() if n > 350} == {}


def test_checker_imports_the_standard_library_alone():
    """The import contract names third-party packages; here all but the checker's own files is refused."""
    folder = ROOT / "separatrix" / "certificates" / "check"
    files = sorted(folder.rglob("*.py"))
    assert files
    allowed = sys.stdlib_module_names | {path.stem for path in files}
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed, path
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module.split(".")[0] in allowed, path
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 1, f"{path} reaches outside its folder"


def test_array_api_checks_are_switched_on():
    assert os.environ["SCIPY_ARRAY_API"] == "1"
    with sklearn.config_context(array_api_dispatch=True):
        pass


def test_every_noun_of_the_design_has_a_page():
    design = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    told = design.partition("## The nouns")[2].partition("\n## ")[0]
    nouns = re.findall(r"\n\n\*\*(\w+)\*\*", told)
    assert len(nouns) == 8
    overview = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listing = overview.partition(":caption: The nouns")[2].partition("```")[0]
    for noun in nouns:
        listed = re.search(rf"^{noun.lower()}s?$", listing, re.MULTILINE)
        assert listed, noun
        assert f"]({listed.group()}.md)" in overview
        assert (ROOT / "docs" / f"{listed.group()}.md").is_file()


def test_asserts_only_narrow_types():
    """`python -O` drops them, so nothing that could be false may depend on one."""
    for path in PACKAGE_FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assert):
                claim = ast.unparse(node.test)
                narrow = re.fullmatch(r"[\w.\[\]]+ is not None|(not )?isinstance\([\w.]+, [\w.]+\)", claim)
                assert narrow, f"{path.relative_to(ROOT)}:{node.lineno}: assert {claim}"
