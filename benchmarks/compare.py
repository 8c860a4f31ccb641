"""Our own speed in two source trees, cell by cell of the tables.

    python -m benchmarks.compare OLD_TREE [--tables dense sparse] [--repeats 5] [--out FILE]

Two processes live as long as the comparison: one imports `separatrix` from the old tree, one from this tree.
Both get the same data from files, do the work of a cell once unmeasured, and then take turns (see
`harness.alternate`), so that a machine that slows down slows both. A cell is slower if its median takes a
tenth longer and its fastest turn longer than the slowest of the old tree. The exit status is 1 if a cell is
slower or could not be compared.

The tables and their data are those of this tree. Parameters that have other names in the old tree are
renamed by `compare_worker`. Compiled kernels have a digest of their sources in the cache, so that each tree
loads its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np
from scipy import sparse

from benchmarks import machine
from benchmarks.compare_cases import TABLES, Case, Work
from benchmarks.harness import Clocked, Spread, alternate, number, table_line
from benchmarks.processes import ROOT

REPEATS = 5
SLOWER_RATIO = 1.1
COLUMNS = ("table", "cell", "old, s", "new, s", "new / old", "slower")
NO, YES, FAILED = "no", "**yes**", "not compared"


class WorkerError(RuntimeError):
    """A worker could not do what it was asked to."""


class Worker:
    """A process that times work with the package of one source tree."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        paths = [str(tree), os.environ.get("PYTHONPATH")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        # -P keeps the folder of the file, whose modules have names such as `sparse`, off the import path.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("compare_worker.py"))],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def start(self) -> None:
        """Wait until the package is loaded, and require that it is that of the tree."""
        package = Path(self._read()["package"])
        if package != (self.tree / "separatrix").resolve():
            raise WorkerError(f"The worker imported {package} instead of the package in {self.tree}.")

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the missing answer says it better
            print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WorkerError(f"The worker ended with {self._process.wait()}; standard error says why.")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkerError(answer["error"])
        return answer

    def clocked(self, calls: int) -> Clocked:
        return lambda: float(self.ask(time=calls)["seconds"])

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def is_slower(old: Spread, new: Spread) -> bool:
    """Whether the new turns take a tenth longer, and none as short as an old one.

    >>> is_slower(Spread(1.0, 0.9, 1.1), Spread(1.3, 1.2, 1.4))
    True
    >>> is_slower(Spread(1.0, 0.9, 1.3), Spread(1.3, 1.2, 1.4))
    False
    """
    return new.middle > SLOWER_RATIO * old.middle and new.least > old.most


def compare_cell(old: Worker, new: Worker, work: Work, *, calls: int, repeats: int) -> tuple[Spread, Spread]:
    """The seconds of both sides on the data they have loaded."""
    for worker in (old, new):
        worker.ask(prepare=work)
    seconds = alternate({"old": old.clocked(calls), "new": new.clocked(calls)}, repeats)
    return Spread.of(seconds["old"]), Spread.of(seconds["new"])


def compare_case(
    old: Worker, new: Worker, case: Case, *, wanted: str, repeats: int
) -> Iterator[tuple[str, ...]]:
    """A line of the table for each cell of a case whose title has ``wanted`` in it."""
    cells = {title: work for title, work in case.cells().items() if wanted in title}
    if not cells:
        return
    with TemporaryDirectory(prefix="separatrix-compare-") as folder:
        _write(Path(folder), *case.make())
        for worker in (old, new):
            worker.ask(load=folder)
    for title, work in cells.items():
        try:
            before, after = compare_cell(old, new, work, calls=case.calls, repeats=repeats)
        except WorkerError as error:
            print(f"{case.table}, {title}: {error}", file=sys.stderr)
            yield case.table, title, "", "", "", FAILED
            continue
        verdict = YES if is_slower(before, after) else NO
        yield case.table, title, str(before), str(after), number(after.middle / before.middle), verdict


def _write(folder: Path, X: Any, y: np.ndarray) -> None:
    if sparse.issparse(X):
        sparse.save_npz(folder / "X.npz", X, compressed=False)
    else:
        np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.repeats < 1:
        parser.error("--repeats must be at least 1")
    if not (given.old_tree / "separatrix" / "__init__.py").is_file():
        parser.error(f"{given.old_tree} holds no source of separatrix")
    facts = machine.facts()  # before our own work makes the load
    with ExitStack() as stack:
        outputs: list[IO[str]] = [sys.stdout]
        if given.out is not None:
            outputs.append(stack.enter_context(given.out.open("w", encoding="utf-8")))

        def show(line: str) -> None:
            for output in outputs:
                print(line, file=output, flush=True)

        old, new = Worker(given.old_tree.resolve()), Worker(ROOT)
        for worker in (old, new):
            stack.callback(worker.close)
        for worker in (old, new):
            worker.start()
        show(table_line(COLUMNS))
        show(table_line(["---"] * len(COLUMNS)))
        verdicts = []
        for table in given.tables:
            for case in TABLES[table](given.quick):
                for line in compare_case(old, new, case, wanted=given.cell, repeats=given.repeats):
                    show(table_line(line))
                    verdicts.append(line[-1])
        if not verdicts:
            parser.error(f"no cell of these tables has {given.cell!r} in its title")
        show(f"\n{_summary(verdicts)} {facts} Repeats: {given.repeats}.")
    return int(any(verdict != NO for verdict in verdicts))


def _summary(verdicts: Sequence[str]) -> str:
    failed = verdicts.count(FAILED)
    rest = f", and {failed} could not be compared" if failed else ""
    return f"{verdicts.count(YES)} of {len(verdicts)} cells are slower{rest}."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare", description="Our own speed in two source trees."
    )
    add = parser.add_argument
    add("old_tree", metavar="OLD_TREE", type=Path, help="a checkout, as `git worktree add` makes")
    names = ", ".join(TABLES)
    add("--tables", nargs="+", choices=TABLES, default=list(TABLES), metavar="TABLE", help=f"some of {names}")
    add("--cell", default="", metavar="TEXT", help="only cells with this text in their title")
    add("--repeats", type=int, default=REPEATS, help=f"turns of each side; {REPEATS} when not given")
    add("--quick", action="store_true", help="small sizes: a smoke test, no figures")
    add("--out", type=Path, metavar="FILE", help="write the lines to a file, too, as they come")
    return parser


if __name__ == "__main__":
    sys.exit(main())
