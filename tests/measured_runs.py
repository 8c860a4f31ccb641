"""Runs command lines in forks of a process that has loaded the library, and measures each.

``python tests/measured_runs.py`` reads a JSON list of command lines from standard input and prints a JSON
list of results. A command line that begins with ``checker`` is for the independent checker.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import Any


def megabytes(field: str) -> float:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def measured(command: list[str]) -> dict[str, Any]:
    said, answer = Path("said").absolute(), Path("answer").absolute()
    child = os.fork()
    if not child:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(said, os.O_RDWR | os.O_CREAT | os.O_TRUNC), 2)
            Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
            before = megabytes("VmRSS")
            code = ended(command)
            spent = resource.getrusage(resource.RUSAGE_SELF)
            found = {
                "code": code,
                "cpu": spent.ru_utime + spent.ru_stime,
                "megabytes": megabytes("VmHWM") - before,
            }
            answer.write_text(json.dumps(found))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    found = json.loads(answer.read_text())
    answer.unlink()
    return {"command": command, "said": said.read_text(), **found}


def ended(command: list[str]) -> int:
    from separatrix.certificates.check.__main__ import main as checker
    from separatrix.cli.program import main

    try:
        if command[0] == "checker":
            return checker(command[1:])
        main(command)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 98
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 99


if __name__ == "__main__":
    import numpy as np

    import separatrix as sx

    sx.read("healthy.csv")
    sx.separate(np.eye(2), [0, 1])
    print(json.dumps([measured(command) for command in json.load(sys.stdin)]))
