"""Run benchmarks and print their tables as Markdown.

python -m benchmarks [name ...] [--quick] [--repeats N] [--write]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from benchmarks import machine, record
from benchmarks.harness import Mismatch

MODULES = {
    "dense": "benchmarks.dense",
    "convergence": "benchmarks.until_separated",
    "sparse": "benchmarks.sparse",
    "online": "benchmarks.online",
    "files": "benchmarks.files",
    "separation": "benchmarks.separation",
    "max-margin": "benchmarks.max_margin",
    "svm": "benchmarks.svm",
    "least-squares": "benchmarks.least_squares",
    "nist": "benchmarks.nist",
    "greater-than": "benchmarks.greater_than",
    "fewest-errors": "benchmarks.fewest_errors",
    "dichotomies": "benchmarks.dichotomies",
    "logistic": "benchmarks.logistic",
    "tiny": "benchmarks.tiny",
    "startup": "benchmarks.startup",
    "commands": "benchmarks.commands",
}
REPEATS = 5
QUICK_REPEATS = 1


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.repeats is not None and given.repeats < 1:
        parser.error("--repeats must be at least 1")
    if unknown := sorted(set(given.names) - set(MODULES)):
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(MODULES)}")
    if given.quick and given.write:
        print("--quick is a smoke test: its figures are not written.", file=sys.stderr)
        return 2
    repeats = given.repeats or (QUICK_REPEATS if given.quick else REPEATS)
    facts = machine.facts()  # before our own work makes the load
    figures, failed = {}, False
    for name in given.names or MODULES:
        try:
            table = import_module(MODULES[name]).run(quick=given.quick, repeats=repeats)
        except ModuleNotFoundError as missing:
            print(
                f"{name}: not run, {missing.name} is not installed (the extra 'bench' has it).",
                file=sys.stderr,
            )
            failed = True
            continue
        except Mismatch as mismatch:
            print(f"{name}: {mismatch}", file=sys.stderr)
            failed = True
            continue
        figures[name] = f"{table.markdown()}\n\n{facts} Repeats: {repeats}."
        print(f"## {name}\n\n{figures[name]}\n", flush=True)
    if given.write:
        record.write(figures)
    return int(failed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Speed and memory beside other libraries."
    )
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"which of {', '.join(MODULES)}; all when none is named"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes: a smoke test, no figures")
    parser.add_argument("--repeats", type=int, help=f"turns of each side; {REPEATS} when not given")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/README.md")
    return parser


if __name__ == "__main__":
    sys.exit(main())
