"""Ours and the peer in turns, in one process: how every figure of the tables is made.

Both sides get the same data and do the same number of passes. Each is called once, unmeasured, so that
compiling and first touches of memory are paid; then they alternate, the one that goes first changing with
every repeat. A ratio is taken within each repeat, where both sides saw the same machine, and told as the
median with the smallest and the largest.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, sleep
from typing import Any

import numpy as np

Clocked = Callable[[], float]


class Mismatch(RuntimeError):
    """The two sides did not do the same work, or an answer is wrong: there is nothing to compare."""


def require(holds: object, otherwise: str) -> None:
    if not holds:
        raise Mismatch(otherwise)


def clocked(work: Callable[[], object], calls: int = 1) -> Clocked:
    """Work as a function that returns the seconds it takes; ``calls`` for work too short to time alone."""

    def seconds() -> float:
        gc.collect()
        started = perf_counter()
        for _ in range(calls):
            work()
        return (perf_counter() - started) / calls

    return seconds


QUIET = 0.1  # seconds


def alternate(sides: Mapping[str, Clocked], repeats: int) -> dict[str, list[float]]:
    """The seconds of each side, repeat by repeat, with a pause before each.

    The threads of OpenBLAS go on spinning for some hundredths of a second after their last product, on the
    cores that the next side needs.
    """
    for side in sides.values():
        side()
    names = list(sides)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for repeat in range(repeats):
        for name in names if repeat % 2 == 0 else reversed(names):
            sleep(QUIET)
            seconds[name].append(sides[name]())
    return seconds


@dataclass(frozen=True)
class Spread:
    """A median with the smallest and the largest."""

    middle: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(median(values), min(values), max(values))

    def __str__(self) -> str:
        return f"{number(self.middle)} ({number(self.least)} to {number(self.most)})"


def ratio(peer: Sequence[float], ours: Sequence[float]) -> Spread:
    """How many times as long the peer takes."""
    return Spread.of([theirs / mine for theirs, mine in zip(peer, ours, strict=True)])


def plain_sum(X: np.ndarray) -> Clocked:
    """The memory reference: one sum over the bytes of an array, eight at a time, by one thread."""
    words = X.reshape(-1).view(np.int64)
    return clocked(lambda: words.sum())


def number(value: float) -> str:
    """Three digits, without an exponent for the sizes met here."""
    size = abs(value)
    if size == 0 or size >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if 1 <= size < 10 else f"{value:.1f}" if size >= 10 else f"{value:.3g}"


@dataclass
class Table:
    """What a benchmark returns: named columns, and notes on what a reader must know."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        lines = [table_line(self.columns), table_line(["---"] * len(self.columns))]
        lines += [table_line(row) for row in self.rows]
        lines += [line for note in self.notes for line in ("", note)]
        return "\n".join(lines)


def table_line(cells: Sequence[Any]) -> str:
    """One line of a Markdown table."""
    return "| " + " | ".join(number(cell) if isinstance(cell, float) else str(cell) for cell in cells) + " |"


@dataclass(frozen=True)
class Bar:
    """What a figure is asked to reach: at least, or at most."""

    value: float
    unit: str = "×"
    most: bool = False

    def __str__(self) -> str:
        return f"{'≤' if self.most else '≥'} {self.value:g}{self.unit}"

    def judged(self, figure: float, *, quick: bool) -> str:
        """Whether the figure reaches it; a smoke test is too small to say."""
        if quick:
            return "not asked"
        return "yes" if (figure <= self.value if self.most else figure >= self.value) else "no"
