"""Threads that use FLINT give its memory back when they end.

FLINT keeps the large integers it has freed in a cache of each thread, for the next ones. The cache is not
freed with the thread, so a program that fits many models would grow by about 100 kB per fit.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from separatrix.certificates.arithmetic.linear_algebra import ctx


def start_thread(work: Callable[[Any], None], argument: Any, ended: Event) -> None:
    """Start ``work(argument)`` on a thread of its own, which sets ``ended`` as the last thing it does."""

    def work_then_release() -> None:
        try:
            work(argument)
        finally:
            ctx.cleanup()
            ended.set()

    Thread(target=work_then_release, daemon=True).start()
