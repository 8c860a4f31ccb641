"""How many of our files a call enters, and how often it crosses from one of them to another.

Run it with the just-in-time compiler off, so that kernels are ordinary functions and are counted too:

    NUMBA_DISABLE_JIT=1 python tests/walk.py

Each walk is made twice and the second one is counted, so that imports and caches are not. A crossing is a
call from a function in one file of the package to a function in another, as Python's profiler reports it.
Calls into other packages and back count as calls from the last file of ours. `docs/design.md` tells the five
walks and has the counts.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import separatrix as sx

PACKAGE = str(Path(sx.__file__).parent) + os.sep
X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [3.0, 3.0]])
OVERLAPPING = np.array([0, 1, 1, 0])
SEPARABLE = np.array([0, 0, 0, 1])


def walked(call: Callable[[], Any]) -> list[str]:
    """The files of the package that a call enters, in order, one entry per crossing."""
    visited: list[str] = []
    within: list[str] = []

    def follow(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if not file.startswith(PACKAGE):
            return
        if event == "call":
            if not within or within[-1] != file:
                visited.append(file.removeprefix(PACKAGE))
            within.append(file)
        elif event == "return" and within:
            within.pop()

    sys.setprofile(follow)
    try:
        call()
    finally:
        sys.setprofile(None)
    return visited


def command(*arguments: str) -> None:
    """One command of the command line, in this process."""
    from separatrix.cli import main

    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), contextlib.suppress(SystemExit):
        main(list(arguments))


def walks(folder: Path) -> dict[str, Callable[[], Any]]:
    """The five walks of `docs/design.md`."""
    data, proof, page = folder / "rows.csv", folder / "proof.json", folder / "page.html"
    lines = (f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), OVERLAPPING, strict=True))
    data.write_text("\n".join(["a,b,label", *lines]) + "\n", encoding="utf-8")
    proof.write_text(sx.separate(X, SEPARABLE).certificate.to_json(), encoding="utf-8")
    certificate = sx.certificates.from_json(proof.read_text(encoding="utf-8"))
    return {
        "Perceptron().fit": lambda: sx.Perceptron().fit(X, SEPARABLE),
        "separate": lambda: sx.separate(X, SEPARABLE),
        "LogisticRegression().fit": lambda: sx.LogisticRegression().fit(X, OVERLAPPING),
        "report": lambda: command("report", str(data), "--label", "label", "--output", str(page)),
        "verify": lambda: certificate.verify(X, SEPARABLE),
    }


def main() -> None:
    """Print the table, and with the argument ``files`` the files of each walk in the order first entered."""
    print("| walk | files | crossings | entered most often |")
    print("|---|--:|--:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, call in walks(Path(folder)).items():
            call()
            visited = walked(call)
            often = max(set(visited), key=visited.count)
            counts = f"{len(set(visited))} | {len(visited)}"
            print(f"| `{name}` | {counts} | `{often}` {visited.count(often)} times |")
            if sys.argv[1:] == ["files"]:
                print("  " + "\n  ".join(dict.fromkeys(visited)))


if __name__ == "__main__":
    main()
