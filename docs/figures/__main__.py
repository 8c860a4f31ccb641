"""Draw every figure of the pages into this folder."""

from __future__ import annotations

from pathlib import Path

from docs.figures import FIGURES

if __name__ == "__main__":
    for name, draw in FIGURES.items():
        Path(__file__).with_name(f"{name}.svg").write_text(draw(), encoding="utf-8")
