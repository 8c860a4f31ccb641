"""Why the fewest errors are hard: a graph problem hidden in rows of zeros and ones.

**Theorem** (Johnson and Preparata 1978; Höffgen, Simon and Van Horn 1995). Given rows in {0, 1}^d with signs
and a number k, it is NP-complete to decide whether some w has s(w·x) <= 0 on at most k rows.

**Reduction, from vertex cover.** A column for each vertex. Each vertex v gives the row e_v with sign -1, each
edge uv the row e_u + e_v with sign +1. Then the fewest errors are the size of the smallest vertex cover.

- A cover C has a w with ``|C|`` errors: w = 3 on C and -2 elsewhere. An edge has an end in C, so its row
  scores 1 or more; a vertex outside C scores -2.
- Any w gives a cover of at most as many vertices as it has errors: the v with w_v >= 0, each an error, and
  one end of each edge whose row is an error. An edge that is right has w_u + w_v > 0, so an end with w >= 0.

An intercept would help to cheat: b = -1 with all w = 0.9 errs on no row. Rows (0, +), one more of them than
vertices, make b <= 0 too dear. And with b > 0 the argument stands: w_u + b < 0 and w_v + b < 0 give
w_u + w_v + b < -b < 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from separatrix.bounds.arguments import whole
from separatrix.halfspace import Halfspace

Edge = tuple[int, int]


@dataclass(frozen=True, eq=False)
class MinDisagreement:
    """Rows whose fewest errors are the size of a graph's smallest vertex cover.

    Attributes
    ----------
    X : ndarray of zeros and ones
        Vertices first, then edges, then the rows that forbid an intercept, if there are any.
    y : ndarray of ±1
    vertices : int
    edges : tuple of pairs
    intercept : bool
        Whether it is for halfspaces with an intercept.
    """

    vertices: int
    edges: tuple[Edge, ...]
    intercept: bool

    @cached_property
    def X(self) -> NDArray[np.float64]:
        unit = np.eye(self.vertices)
        pairs = [unit[u] + unit[v] for u, v in self.edges]
        guard = np.zeros((self.vertices + 1 if self.intercept else 0, self.vertices))
        return np.vstack([unit, *pairs, guard])

    @cached_property
    def y(self) -> NDArray[np.int64]:
        signs = np.ones(len(self.X), dtype=np.int64)
        signs[: self.vertices] = -1
        return signs

    def encode(self, cover: Iterable[SupportsIndex]) -> Halfspace:
        """The halfspace of a vertex cover, with as many errors as the cover has vertices."""
        (*chosen,) = whole(0, **{f"vertex {i}": v for i, v in enumerate(cover)})
        if not is_cover(chosen, self.edges):
            raise ValueError("these vertices leave an edge uncovered")
        inside = set(chosen)
        weights = [3 if v in inside else -2 for v in range(self.vertices)]
        return Halfspace(weights, 1 if self.intercept else 0)

    def decode(self, solution: Any) -> tuple[int, ...]:
        """A vertex cover no larger than the errors of a halfspace, weights or a fitted model.

        From a halfspace with the fewest errors it is a smallest vertex cover.
        """
        halfspace = self._halfspace(solution)
        wrong = self.wrong(halfspace)
        if self.intercept and wrong[self.vertices + len(self.edges) :].any():
            raise ValueError("this halfspace makes more errors than there are vertices: it encodes no cover")
        cover = set(np.flatnonzero(wrong[: self.vertices]).tolist())
        for (u, v), missed in zip(self.edges, wrong[self.vertices :], strict=False):
            if missed and u not in cover and v not in cover:
                cover.add(u)
        return tuple(sorted(cover))

    def wrong(self, solution: Any) -> NDArray[np.bool_]:
        """Which rows have s(w·x + b) <= 0."""
        halfspace = self._halfspace(solution)
        return np.atleast_1d(halfspace.functional_margins(self.X, self.y)) <= 0

    def errors(self, solution: Any) -> int:
        """How many rows have s(w·x + b) <= 0."""
        return int(np.count_nonzero(self.wrong(solution)))

    def _halfspace(self, solution: Any) -> Halfspace:
        found = getattr(solution, "halfspace_", getattr(solution, "halfspace", solution))
        if not isinstance(found, Halfspace):
            found = Halfspace(found, 0)
        if len(found.numbers) != self.vertices + 1:
            raise ValueError(f"a solution has {self.vertices} weights, not {len(found.numbers) - 1}")
        if not self.intercept and found.numbers[-1] != 0:
            raise ValueError("the instance is for halfspaces through the origin: fit without an intercept")
        return found


def vertex_cover(
    edges: Iterable[tuple[SupportsIndex, SupportsIndex]],
    vertices: SupportsIndex | None = None,
    *,
    intercept: bool = False,
) -> MinDisagreement:
    """Rows in {0, 1}^d whose fewest errors are the size of the graph's smallest vertex cover.

    Source: the problem: D. S. Johnson and F. P. Preparata, Theoretical Computer Science 6 (1978), 93-107;
    K.-U. Höffgen, H.-U. Simon and K. S. Van Horn, Journal of Computer and System Sciences 50 (1995), 114-125.
    This reduction: proven in the documentation of `separatrix.theory.hardness`.

    Parameters
    ----------
    edges : pairs of vertices, numbered from 0
    vertices : int, optional
        How many there are; by default as many as the edges name.
    intercept : bool
        Make it hold for halfspaces with an intercept too.

    Examples
    --------
    A triangle needs two of its vertices:

    >>> instance = vertex_cover([(0, 1), (1, 2), (0, 2)])
    >>> instance.X.shape, instance.errors(instance.encode([0, 2]))
    ((6, 3), 2)
    >>> instance.decode([3, -2, 3]), smallest_vertex_cover(instance.edges)
    ((0, 2), (0, 1))
    """
    pairs = set()
    for edge in edges:
        try:
            first, second = edge
        except (TypeError, ValueError):
            raise ValueError(f"an edge is a pair of vertices, not {edge!r}") from None
        u, v = whole(0, vertex=first)[0], whole(0, vertex=second)[0]
        if u == v:
            raise ValueError(f"vertex {u} has an edge to itself, which no halfspace can encode")
        pairs.add((min(u, v), max(u, v)))
    found = tuple(sorted(pairs))
    named = 1 + max((v for _, v in found), default=-1)
    (count,) = (named,) if vertices is None else whole(1, vertices=vertices)
    if count == 0:
        raise ValueError("a graph without edges needs its number of vertices: give vertices=")
    if count < named:
        raise ValueError(f"the edges name vertex {named - 1}, but there are {count} vertices")
    return MinDisagreement(count, found, bool(intercept))


def smallest_vertex_cover(edges: Iterable[Edge]) -> tuple[int, ...]:
    """A smallest vertex cover, by trying all sets of vertices, small ones first: for small graphs.

    Source: the definition.

    >>> smallest_vertex_cover([(0, 1), (1, 2), (2, 3), (3, 4)])
    (1, 3)
    """
    pairs = tuple(edges)
    ends = sorted({vertex for edge in pairs for vertex in edge})
    for size in range(len(ends) + 1):
        for chosen in combinations(ends, size):
            if is_cover(chosen, pairs):
                return chosen
    return tuple(ends)


def is_cover(vertices: Iterable[int], edges: Iterable[Edge]) -> bool:
    """Whether every edge has an end among the vertices."""
    chosen = set(vertices)
    return all(u in chosen or v in chosen for u, v in edges)


def solve(instance: MinDisagreement, **options: Any) -> tuple[int, ...]:
    """A smallest vertex cover, found by the exact solver for the fewest errors, `sx.ZeroOne`.

    Source: `vertex_cover`, both ways.
    """
    if not instance.edges:
        return ()
    from separatrix import ZeroOne  # type: ignore[attr-defined, unused-ignore]

    model = ZeroOne(fit_intercept=instance.intercept, **options).fit(instance.X, instance.y)
    if model.interrupted_:
        raise KeyboardInterrupt
    if not model.optimal_:
        raise ValueError(
            f"the solver stopped between {model.lower_bound_} and {model.errors_} errors: give it more time"
        )
    return instance.decode(model)
