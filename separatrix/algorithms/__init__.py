"""Methods: one file or folder, one theorem each."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "stream":
        from separatrix.algorithms.online.stream import stream

        return stream
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
