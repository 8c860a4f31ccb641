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
def printed(verbose: int) -> Iterator[None]:
    """Have the fit inside print its lines to standard error if ``verbose`` is above 0."""
    outer = listener.get()
    if not verbose:
        yield
        return

    def hear(line: str) -> None:
        print(line, file=sys.stderr, flush=True)
        if outer is not None:
            outer(line)

    token = listener.set(hear)
    try:
        yield
    finally:
        listener.reset(token)


def tell_pass(number: int, limit: int, mistakes: int) -> None:
    """A perceptron has passed over the rows once more; mistakes are counted from its start."""
    hear = listener.get()
    if hear is not None:
        hear(f"pass {number:,} of at most {limit:,}: {mistakes:,} mistakes so far")


def tell_step(number: int, limit: int, gap: float, objective: float) -> None:
    """A convex method has made so many steps, and estimates what of the objective is left to gain."""
    hear = listener.get()
    if hear is not None:
        left = float(gap) / float(objective) if objective else 0.0
        hear(f"step {number:,} of at most {limit:,}: relative gap about {left:.1e}")


def tell_change(
    state: Callable[[Watched], Any], line: Callable[[Watched], str]
) -> Callable[[Watched], None] | None:
    """A function for a search to call as often as it likes: it tells a line where the state is another.

    It tells the listener of now, for a search may call it in another thread. None: nobody listens.
    """
    hear, last = listener.get(), None

    def tell(watched: Watched) -> None:
        nonlocal last
        now = state(watched)
        if now != last and hear is not None:
            last = now
            hear(line(watched))

    return None if hear is None else tell
