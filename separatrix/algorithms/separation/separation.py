"""The answer: one record with the kind, its witnesses and its proof."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from separatrix.algorithms.separation.kinds import Finding
from separatrix.algorithms.separation.recession import unbounded
from separatrix.algorithms.separation.scanner import Plane, Scanner
from separatrix.algorithms.separation.search import Search
from separatrix.halfspace import Halfspace


class Conflict(NamedTuple):
    """Rows, by index, whose signed sum with these positive whole-number weights is exactly zero."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]


class Interval(NamedTuple):
    """Two certified bounds."""

    lower: float
    upper: float


class Unbounded(tuple[str, ...]):
    """A word for each column's coefficient; ``intercept`` is the word for the intercept, or None."""

    intercept: str | None

    def __new__(cls, words: list[str], intercept: bool) -> Unbounded:
        new = super().__new__(cls, words[:-1] if intercept else words)
        new.intercept = words[-1] if intercept else None
        return new


class Separation:
    """What `separate` found.

    Attributes
    ----------
    kind : str
        "complete", "quasi" or "overlap"; "undecided" only when a time limit was reached.
    separable : bool
    halfspace : Halfspace or None
        Strictly separating (complete) or weakly, with as few rows as possible on it (quasi).
    conflict : Conflict or None
        Irreducible: drop any of its rows and the rest of it is separable.
    """

    def __init__(self, scanner: Scanner, search: Search | None, finding: Finding | None) -> None:
        self._scanner = scanner
        self._search = search
        self._finding = finding
        self.kind = "undecided" if finding is None else finding.kind

    def __repr__(self) -> str:
        rows = self._scanner.rows
        return f"<Separation: {self.kind}, {rows.n_rows} x {rows.n_columns}>"

    @property
    def separable(self) -> bool:
        return self.kind == "complete"

    @property
    def halfspace(self) -> Halfspace | None:
        plane = self._plane
        if plane is None:
            return None
        *weights, bias = plane.weights
        return Halfspace([_plain(w) for w in weights], _plain(bias))

    @property
    def _plane(self) -> Plane | None:
        return None if self._finding is None else self._finding.plane

    @property
    def conflict(self) -> Conflict | None:
        if self._finding is None or self._finding.conflict is None:
            return None
        return Conflict(*self._finding.conflict.sorted())

    @cached_property
    def unbounded(self) -> Unbounded | None:
        """Per coefficient "+inf", "-inf", "finite" or "undetermined": where the logistic fit runs to."""
        if self._finding is None or self._search is None:
            return None
        return Unbounded(unbounded(self._search, self._finding), self._scanner.intercept)


def _plain(value: float | int) -> float | int:
    return value if isinstance(value, int) else float(value)
