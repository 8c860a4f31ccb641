"""Draw every figure of the theory pages into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from separatrix.reports.theory_figures import FIGURES

if __name__ == "__main__":
    (folder,) = sys.argv[1:]
    for name, draw in FIGURES.items():
        (Path(folder) / f"{name}.svg").write_text(draw(), encoding="utf-8")
