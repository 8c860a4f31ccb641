"""Commands end to end, as processes, beside PyArrow parsing the same file.

Start-up is what the same command takes on a file of four rows, in the same repeat; it is taken off before a
command is compared with parsing, which is timed inside a process of its own.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from pyarrow import csv
from sklearn.datasets import load_breast_cancer

from benchmarks.harness import Bar, Clocked, Spread, Table, alternate, clocked, require
from benchmarks.processes import fresh

CHECK = Bar(1.5, "×", most=True)
PREDICT = Bar(2.0, "×", most=True)
REPORT = Bar(5.0, " s", most=True)
COLUMNS = 50
PARSE = """
import sys, time
from pyarrow import csv
started = time.perf_counter()
table = csv.read_csv(sys.argv[1])
print(time.perf_counter() - started)
"""
TINY = "a,b,label\n0,1,0\n1,3,0\n2,0,1\n3,1,1\n"


def run(*, quick: bool, repeats: int) -> Table:
    n = 2000 if quick else 100_000
    with TemporaryDirectory() as folder:
        big, tiny, cancer = (Path(folder, f"{name}.csv") for name in ("rows", "tiny", "cancer"))
        kernels = str(Path(folder, "kernels"))
        _write(big, n)
        tiny.write_text(TINY, encoding="utf-8")
        _write_cancer(cancer)

        def command(*words: str) -> str:
            return fresh(["-m", "separatrix.cli", *words], cache=kernels)

        for path, model in ((big, "big.json"), (tiny, "tiny.json")):
            command("fit", str(path), "--model", "averaged", "--max-iter", "1", "-o", _in(folder, model))
        require('"separable": true' in command("check", str(big), "--json"), "The rows are separable.")
        answers = _in(folder, "answers.csv")
        sides: dict[str, Clocked] = {
            "parse": lambda: float(fresh(["-c", PARSE, str(big)])),
            "check": clocked(lambda: command("check", str(big), "-q")),
            "check, start": clocked(lambda: command("check", str(tiny), "-q")),
            "predict": clocked(
                lambda: command("predict", _in(folder, "big.json"), str(big), "-q", "-o", answers)
            ),
            "predict, start": clocked(
                lambda: command("predict", _in(folder, "tiny.json"), str(tiny), "-q", "-o", answers)
            ),
            "report": clocked(lambda: command("report", str(cancer), "-q", "-o", _in(folder, "cancer.html"))),
        }
        seconds = alternate(sides, repeats)
        size = big.stat().st_size / 10**6
    rows: list[tuple[object, ...]] = [
        ("PyArrow parses the file, s", Spread.of(seconds["parse"]), "", ""),
    ]
    for name, bar in (("check", CHECK), ("predict", PREDICT)):
        net = [
            (whole - start) / parse
            for whole, start, parse in zip(
                seconds[name], seconds[f"{name}, start"], seconds["parse"], strict=True
            )
        ]
        spread = Spread.of(net)
        rows += [
            (f"`separatrix {name}`, s", Spread.of(seconds[name]), "", ""),
            ("of which start-up, s", Spread.of(seconds[f"{name}, start"]), "", ""),
            (f"`{name}` without start-up, over parsing", spread, bar, bar.judged(spread.middle, quick=quick)),
        ]
    page = Spread.of(seconds["report"])
    rows.append(
        ("`separatrix report`, breast cancer, s", page, REPORT, REPORT.judged(page.middle, quick=quick))
    )
    return Table(
        columns=("what", "figure", "bar", "met"),
        rows=rows,
        notes=(f"{n} rows of {COLUMNS} columns and label: {size:.0f} MB of CSV. Kernels kept on disk.",),
    )


def _in(folder: str, name: str) -> str:
    return str(Path(folder, name))


def _write(path: Path, n: int) -> None:
    """Gaussian rows, moved away from a hyperplane by one half."""
    random = np.random.default_rng(0)
    X, w = random.standard_normal((n, COLUMNS)), random.standard_normal(COLUMNS)
    signs = np.where(X @ w > 0, 1.0, -1.0)
    X += 0.5 * signs[:, None] * (w / np.linalg.norm(w))
    columns = {f"x{j}": X[:, j] for j in range(COLUMNS)}
    csv.write_csv(pa.table({**columns, "label": (signs > 0).astype(int)}), path)


def _write_cancer(path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    csv.write_csv(pa.table({**columns, "label": y}), path)
