"""Interrupts that come while LLVM is at work.

LLVM calls back into Python when it has compiled or loaded something, and that is where a signal that came
meanwhile is noticed; but an exception is lost in such a call. So signals wait until LLVM is done.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

DELAYED_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def delayed_signals() -> Iterator[None]:
    """Handle interrupts at the end; only the main thread is told of any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in DELAYED_SIGNALS}
    for number, handler in before.items():
        if callable(handler):
            signal.signal(number, lambda one, _: came.append(one))
    try:
        yield
    finally:
        for number, handler in before.items():
            if callable(handler):
                signal.signal(number, handler)
        for one in dict.fromkeys(came):
            signal.raise_signal(one)


def delay_signals(dispatcher: Any) -> None:
    """Have a numba dispatcher compile and load with signals held back."""
    dispatcher.compile = _with_delayed_signals(dispatcher.compile)


def _with_delayed_signals(compile: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(compile)
    def compiled(*given: Any, **named: Any) -> Any:
        with delayed_signals():
            return compile(*given, **named)

    return compiled
