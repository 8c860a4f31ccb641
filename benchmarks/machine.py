"""Where figures were seen: processor, memory and versions; no name of a machine, no path."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import separatrix

LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "python-flint",
    "highspy",
    "pyarrow",
    "river",
    "vowpalwabbit",
    "firthmodels",
)


def facts() -> str:
    """One paragraph."""
    versions = [f"Python {platform.python_version()}", f"separatrix {separatrix.__version__}"]
    for name in LIBRARIES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return f"Seen on {', '.join(_hardware())}; {', '.join(versions)}."


def _hardware() -> list[str]:
    cores = os.cpu_count() or 1
    told = [_processor(), f"{cores} core{'s' * (cores != 1)}"]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        told.append(f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GB")
    told.append(platform.system())
    if hasattr(os, "getloadavg"):
        told.append(f"load {os.getloadavg()[0]:.1f} before the run")
    return told


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
