"""Progress of a fit, line by line: methods tell what each pass or step brought, ``verbose`` prints it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Watched = TypeVar("Watched")

listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)
"""Called with each line. The command line sets its own, to show progress."""


@contextmanager
def print_progress(verbose: int) -> Iterator[None]:
    """Have the fit inside print its lines to standard error if ``verbose`` is above 0."""
    outer = listener.get()
    if not verbose:
        yield
        return

    def write_line(line: str) -> None:
        print(line, file=sys.stderr, flush=True)
        if outer is not None:
            outer(line)

    token = listener.set(write_line)
    try:
        yield
    finally:
        listener.reset(token)


def report_pass(number: int, limit: int, mistakes: int) -> None:
    """A perceptron has passed over the rows once more; mistakes are counted from its start."""
    write_line = listener.get()
    if write_line is not None:
        write_line(f"pass {number:,} of at most {limit:,}: {mistakes:,} mistakes so far")


def report_step(number: int, limit: int, gap: float, objective: float) -> None:
    """A convex method has made so many steps, and estimates what of the objective is left to gain."""
    write_line = listener.get()
    if write_line is not None:
        left = float(gap) / float(objective) if objective else 0.0
        write_line(f"step {number:,} of at most {limit:,}: relative gap about {left:.1e}")


def change_reporter(
    get_state: Callable[[Watched], Any], format_line: Callable[[Watched], str]
) -> Callable[[Watched], None] | None:
    """A function for a search to call as often as it likes: it tells a line where the state is another.

    It tells the listener of now, for a search may call it in another thread. None: nobody listens.
    """
    write_line, last_state = listener.get(), None

    def report(watched: Watched) -> None:
        nonlocal last_state
        state = get_state(watched)
        if state != last_state and write_line is not None:
            last_state = state
            write_line(format_line(watched))

    return None if write_line is None else report
