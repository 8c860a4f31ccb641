"""The tables in README.md: the text between a benchmark's two markers is what was last seen of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

README = Path(__file__).with_name("README.md")
NOT_YET = "No figures have been written yet."


def markers(name: str) -> tuple[str, str]:
    return f"<!-- {name}: figures -->", f"<!-- {name}: end -->"


def write(figures: Mapping[str, str], path: Path = README) -> None:
    """Replace the figures of these benchmarks: the whole file or nothing."""
    text = path.read_text(encoding="utf-8")
    for name, figure in figures.items():
        begin, end = markers(name)
        before, found, rest = text.partition(f"{begin}\n")
        _, closed, after = rest.partition(f"{end}\n")
        if not (found and closed):
            raise ValueError(
                f"{path.name} has no place for {name}: put {begin} and {end} in it, each on its line."
            )
        text = f"{before}{begin}\n\n{figure}\n\n{end}\n{after}"
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="\n", dir=path.parent, delete=False
    ) as part:
        try:
            part.write(text)
            part.close()
            os.chmod(part.name, path.stat().st_mode)
            os.replace(part.name, path)
        except BaseException:
            os.unlink(part.name)
            raise
