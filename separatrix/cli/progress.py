"""Progress on standard error: a line that moves on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Any

from separatrix.cli.console import Console, safe
from separatrix.kernels.disk_cache import announcing

LINE_INTERVAL_SECONDS = 1.0  # seconds between lines where there is no terminal
FIRST_LINE_SECONDS = 3.0  # seconds before the first: a short run says nothing
CLOCK_INTERVAL_SECONDS = 0.25  # seconds between looks at the clock


class ProgressDisplay:
    """Says nothing: what is shown under --quiet and --json."""

    def update(self, text: str) -> None:
        """What is being done now."""

    def note(self, text: str) -> None:
        """Something to be seen at once, such as that kernels are being compiled."""

    def stop(self) -> None:
        """Nothing more to tell."""


class PrintedProgress(ProgressDisplay):
    """At most a line a second."""

    def __init__(self) -> None:
        self._next = monotonic() + FIRST_LINE_SECONDS

    def update(self, text: str) -> None:
        if monotonic() >= self._next:
            self._next = monotonic() + LINE_INTERVAL_SECONDS
            self.note(text)

    def note(self, text: str) -> None:
        print(safe(text), file=sys.stderr, flush=True)


class AnimatedProgress(ProgressDisplay):
    """A line that changes in place, and is gone at the end."""

    def __init__(self) -> None:
        from rich.console import Console as RichConsole
        from rich.status import Status

        self._rich = RichConsole(stderr=True, highlight=False)
        self._status: Any = Status("", console=self._rich)
        self._status.start()

    def update(self, text: str) -> None:
        from rich.text import Text

        self._status.update(Text(safe(text)))

    def note(self, text: str) -> None:
        self._rich.print(safe(text), markup=False)

    def stop(self) -> None:
        self._status.stop()


@contextmanager
def progress(console: Console) -> Iterator[ProgressDisplay]:
    """The progress that suits the place it is seen in; that kernels are compiled is said there, too."""
    if not console.verbose:
        shown = ProgressDisplay()
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        shown = AnimatedProgress()
    else:
        shown = PrintedProgress()
    try:
        with announcing(shown.note):
            yield shown
    finally:
        shown.stop()


class TimedStep:
    """Tells what is being done, with the seconds since it began."""

    def __init__(self, shown: ProgressDisplay, text: str) -> None:
        self._shown, self._text, self._started = shown, text, monotonic()
        self.update(text)

    def update(self, text: str) -> None:
        """What is being done now."""
        self._text = text
        self.refresh()

    def refresh(self) -> None:
        """The same, with the seconds of now."""
        seconds = int(monotonic() - self._started)
        self._shown.update(f"{self._text} ({seconds:,} s)" if seconds else self._text)


@contextmanager
def timed(shown: ProgressDisplay, text: str) -> Iterator[TimedStep]:
    """A clock that is seen to run, also through long steps of the work."""
    clock, over = TimedStep(shown, text), Event()

    def run() -> None:
        while not over.wait(CLOCK_INTERVAL_SECONDS):
            clock.refresh()

    running = Thread(target=run, daemon=True)
    running.start()
    try:
        yield clock
    finally:
        over.set()
        running.join()
