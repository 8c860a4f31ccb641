"""Standard streams that were closed before the program began (`<&-`, `>&-`), which Python has as None."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any


class _Closed(io.RawIOBase):
    """Standard output that refuses what is written; once, since what is buffered comes again at exit."""

    _refused = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if self._refused:
            return len(data)
        self._refused = True
        raise OSError(errno.EBADF, "it is closed, so that nothing can be written", "standard output")


def require_streams() -> None:
    """Stand-ins: nothing comes in, data that would go out is an error, words go unheard.

    Each takes the number of its stream, so that no file opened later is written to by mistake.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8", closefd=False)
    if sys.stdout is None:
        os.open(os.devnull, os.O_RDONLY)
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed()), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8", closefd=False)
