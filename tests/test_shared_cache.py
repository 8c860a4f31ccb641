"""Ten processes that start at once with one empty kernel cache: right answers, and a whole cache."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import separatrix as sx

ROOT = Path(__file__).resolve().parents[1]
PROCESSES = 10
compiled = pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")

# Forks of one process begin at the same moment, and need no import of their own.
FORKS = f"""
import os
from separatrix.kernels import kernel

@kernel
def increased(x):
    return x + 1

assert increased(1.0) == 2.0  # numba is ready now, and as no file holds this code, nothing was kept
from doubles import double

children = []
for _ in range({PROCESSES}):
    child = os.fork()
    if not child:
        os._exit((double(2.0), double(3)) != (4.0, 6))
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
"""


@pytest.fixture
def environment(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    return os.environ | {"PYTHONPATH": str(ROOT), "SEPARATRIX_CACHE_DIR": str(folder)}


def require_whole(environment, at_least):
    """Every file has its digest before it, and none is left of those that were being written."""
    files = sorted(Path(environment["SEPARATRIX_CACHE_DIR"]).iterdir())
    assert len(files) >= at_least
    for file in files:
        assert file.suffix == ".nbc", file.name
        content = file.read_bytes()
        assert hashlib.sha256(content[32:]).digest() == content[:32], file.name


@compiled
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forks_that_compile_at_once(environment, tmp_path):
    kernel = "from separatrix.kernels import kernel\n\n@kernel\ndef double(x):\n    return 2 * x\n"
    (tmp_path / "doubles.py").write_text(kernel)
    environment |= {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    line = [sys.executable, "-c", FORKS]
    for _ in range(2):  # the second time from the cache
        done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == f"{[0] * PROCESSES}\n"
    require_whole(environment, 2)
    assert done.stderr == ""


@compiled
@pytest.mark.deep
def test_commands_that_compile_at_once(environment, tmp_path):
    X, y = sx.problems.separable(50, 3, margin=0.1, random_state=0)
    rows = [
        ",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,c,y", *rows, ""]))
    line = [sys.executable, "-m", "separatrix", "check", "rows.csv", "--json"]

    def started():
        return subprocess.Popen(
            line, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    ended = [running.communicate() for running in [started() for _ in range(PROCESSES)]]
    again, said = started().communicate()
    assert "compiling" not in said
    for out, _ in ended:
        assert json.loads(out)["kind"] == "complete"
        assert out == again
    require_whole(environment, 5)
