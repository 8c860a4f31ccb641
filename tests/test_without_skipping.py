"""The folder of the optional speed-up can be left out: every fit has the same result without it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import separatrix

TESTS = Path(__file__).parent
FITS = """
import json
import sys
import numpy as np
import separatrix as sx

found = []
for n in (12, 5000):
    random = np.random.default_rng(n)
    X = random.standard_normal((n, 4))
    y = (X @ [1.0, -2.0, 0.5, 3.0] > 0.2).astype(int)
    X[y == 1, 0] += 0.3
    model = sx.Perceptron(max_iter=40).fit(X, y)
    weights = [value.hex() for value in (*model.coef_[0].tolist(), float(model.intercept_[0]))]
    run = [model.mistakes_, model.passes_, list(model.history_["mistakes"])]
    found.append([weights, run, model.certificate_.verify(X, y).holds])
print(json.dumps([found, any("skipping" in name for name in sys.modules)]))
"""


@pytest.fixture
def incomplete(tmp_path):
    """A folder with the package, but for the speed-up."""
    package = Path(separatrix.__file__).parent
    shutil.copytree(
        package, tmp_path / "separatrix", ignore=shutil.ignore_patterns("skipping", "__pycache__")
    )
    return tmp_path


def run(folder, *command):
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "PYTHONWARNINGS": "ignore"},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_fits_without_the_folder_have_the_same_results(incomplete):
    found, has_skipped = json.loads(run(Path(separatrix.__file__).parents[1], "-c", FITS))
    assert has_skipped
    assert json.loads(run(incomplete, "-c", FITS)) == [found, False]
    assert all(holds for *_, holds in found)


@pytest.mark.deep
def test_the_tests_of_perceptrons_pass_without_the_folder(incomplete):
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(TESTS.parent / name, incomplete)
    shutil.copytree(TESTS, incomplete / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    passed = run(incomplete, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_perceptrons.py")
    assert " passed" in passed
    assert not (incomplete / "separatrix" / "algorithms" / "perceptrons" / "skipping").exists()
