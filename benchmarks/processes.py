"""Python processes started afresh, for what can only be measured once in a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def fresh(arguments: Sequence[str], *, cache: str | None = None) -> str:
    """Run ``python arguments`` and return what it prints; ``cache`` is the folder of compiled kernels."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH")]))
    if cache is not None:
        environment["SEPARATRIX_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    if done.returncode != 0:
        raise RuntimeError(f"A process of the benchmark ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def peak_memory() -> int:
    """The most bytes this process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would count what the parent held when it started this process
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
