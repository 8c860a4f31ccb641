"""What users install: the wheel's files, and that it works where nothing else is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.deep


def run(*command):
    finished = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT)
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture
def empty_environment(tmp_path):
    """The Python of a new virtual environment, removed afterwards: it grows to several hundred megabytes."""
    folder = tmp_path / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    yield folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    shutil.rmtree(folder)


def test_the_wheel_has_the_tracked_files_and_no_others(wheel):
    if not (ROOT / ".git").exists():
        pytest.skip("which files are tracked is known in a git checkout only")
    tracked = run("git", "-C", ROOT, "ls-files", "-z", "separatrix").split("\0")[:-1]
    packed = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert sorted(packed) == sorted(tracked)


def test_the_source_distribution_has_the_test_vectors(tmp_path):
    run(sys.executable, "-m", "build", "--sdist", "--outdir", tmp_path, ROOT)
    [path] = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as packed:
        names = {name.split("/", 1)[1] for name in packed.getnames() if "/" in name}
    vectors = {f"tests/vectors/{found.name}" for found in (ROOT / "tests" / "vectors").iterdir()}
    assert vectors <= names
    assert any(name.endswith(".json") for name in vectors)


def test_the_first_example_of_the_readme_runs_in_an_empty_environment(wheel, empty_environment, tmp_path):
    pip = [sys.executable, "-m", "pip", "--python", empty_environment, "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel)
    # -I: neither this checkout nor PYTHONPATH is on the path.
    where = run(empty_environment, "-I", "-c", "import separatrix; print(separatrix.__file__)")
    assert Path(where.strip()).is_relative_to(empty_environment.parents[1])
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [example] = re.search(r"^```python\n(>>> .*?)^```", readme, re.MULTILINE | re.DOTALL).groups()
    page = tmp_path / "example.txt"
    page.write_text(example, encoding="utf-8")
    run(empty_environment, "-I", "-m", "doctest", page)
