"""From nothing to an answer, in fresh processes: the command line, the import, the first fit."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from tempfile import TemporaryDirectory

from benchmarks.harness import Bar, Clocked, Spread, Table, alternate, clocked
from benchmarks.processes import fresh

BAR = Bar(0.15, " s", most=True)
HELP = "import sys; from separatrix.cli import main; sys.argv = ['separatrix', '--help']; sys.exit(main())"
FIT = """
import numpy as np
from {library} import Perceptron
X = np.random.default_rng(0).standard_normal((1000, 5))
y = X @ [1.0, -2.0, 3.0, -4.0, 5.0] > 0
X[:, 0] += np.where(y, 1.0, -1.0)
Perceptron({limit}).fit(X, y)
"""
OURS = FIT.format(library="separatrix", limit="")
THEIRS = FIT.format(library="sklearn.linear_model", limit="tol=None, shuffle=False, max_iter=50")


def run(*, quick: bool, repeats: int) -> Table:
    with TemporaryDirectory() as warm:
        works: dict[str, Callable[[], object]] = {
            "Python alone": lambda: fresh(["-c", "pass"]),
            "`separatrix --help`": lambda: fresh(["-c", HELP]),
            "`import separatrix`": lambda: fresh(["-c", "import separatrix"]),
            "`separatrix.Perceptron`, imported": lambda: fresh(["-c", "from separatrix import Perceptron"]),
            "first fit, kernels not yet compiled": _cold,
            "first fit, kernels kept on disk": lambda: fresh(["-c", OURS], cache=warm),
            "scikit-learn's first fit": lambda: fresh(["-c", THEIRS]),
        }
        notes: tuple[str, ...] = ()
        if find_spec("separatrix.cli") is None:
            del works["`separatrix --help`"]
            notes = ("`separatrix --help` was not measured: this checkout has no command line.",)
        sides: dict[str, Clocked] = {name: clocked(work) for name, work in works.items()}
        seconds = alternate(sides, repeats)
    rows = []
    for name, taken in seconds.items():
        asked = BAR if name == "`separatrix --help`" else None
        spread = Spread.of(taken)
        rows.append((name, spread, asked or "", asked.judged(spread.middle, quick=quick) if asked else ""))
    return Table(columns=("process", "seconds", "bar", "met"), rows=rows, notes=notes)


def _cold() -> None:
    with TemporaryDirectory() as folder:
        fresh(["-c", OURS], cache=folder)
