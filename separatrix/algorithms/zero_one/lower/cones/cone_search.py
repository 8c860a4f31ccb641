"""Cone branch and bound: the whole space of halfspaces, cut into cones until each one is too dear.

**Idea.** 2^r cones around a basis cover all halfspaces. In a cone most rows are decided; those that are not
are paired off where no halfspace of the cone has both right.

**Theorem.** If every cone of a cover costs at least B, every halfspace does (a halfspace lies in some cone;
rows with no positive score at a vertex are errors on the cone; of two conflicting rows one is an error).

**Certificate.** The basis, the cuts and the pairs: whole numbers, to be replayed in whole numbers.

**Cost.** Grows with the noise and fast with the number of columns; seven or so are the practical end.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import lcm
from operator import mul
from threading import Lock
from typing import Any

import numpy as np

from separatrix.algorithms.zero_one.interval import Interval
from separatrix.algorithms.zero_one.lower.basis import basis_of
from separatrix.algorithms.zero_one.lower.cones import cone_kernels as kernels
from separatrix.algorithms.zero_one.lower.cones.cone_kernels import Stack
from separatrix.algorithms.zero_one.lower.cones.exact_cones import Abandoned, Written, confirmed
from separatrix.algorithms.zero_one.problem import Problem

ROOM = 1 << 18  # events in a buffer
CALL = 400  # nodes between looks at the clock
FAINTEST = 2.0**-400
FIRST_TRY = 6000  # nodes after which nearer targets are tried first


class Cones:
    """The engine.

    Parameters
    ----------
    n_jobs : int
        Threads; the proof found depends on them only in which of equal pairs it names.
    """

    def __init__(self, n_jobs: int = 1) -> None:
        self.n_jobs = n_jobs

    def run(self, problem: Problem, interval: Interval) -> None:
        if problem.m == 0:
            return
        field = Field(problem, interval.weights)
        if not self._pass(field, interval, None, FIRST_TRY):
            for percent in (60, 80, 90):
                target = problem.offset + (interval.upper - problem.offset) * percent // 100
                if interval.should_stop():
                    return
                if target > interval.lower and not self._pass(field, interval, target, None):
                    return
            if not interval.should_stop():
                self._pass(field, interval, None, None)
        if field.coarse and not interval.should_stop():
            self._pass(field, interval, None, None, fine=True)

    def _pass(
        self, field: Field, interval: Interval, target: int | None, limit: int | None, fine: bool = False
    ) -> bool:
        """All cones against one target (the upper end, if None); whether the interval is closed or raised."""
        effort = Pass(field, interval, target, limit, fine)
        if self.n_jobs > 1 and field.roots > 4:
            with ThreadPoolExecutor(self.n_jobs) as pool:
                for worker in [pool.submit(effort.work) for _ in range(self.n_jobs)]:
                    worker.result()
        else:
            effort.work()
        if effort.abandoned:
            return False
        lower, proof = effort.outcome()
        interval.raise_lower(lower, proof)
        return not effort.cut_short


class Field:
    """The rows in coordinates of a basis around the best halfspace so far."""

    def __init__(self, problem: Problem, best: Sequence[int]) -> None:
        self.problem = problem
        self.basis, self.null = basis_of(problem, best)
        self.exact = [[sum(map(mul, z, v)) for v in self.basis] for z in problem.Z]
        # Each row in a unit of its own, so that the kernel's bounds on rounding hold: they take no account of
        # underflow. 2^-400 stands for scores that are smaller; their signs are right, and that is all the
        # kernel relies on where a score is within its error.
        self.shifts = [max(map(abs, row), default=0).bit_length() for row in self.exact]
        self.scores = np.array(
            [[_scaled(s, shift) for s in row] for row, shift in zip(self.exact, self.shifts, strict=True)]
        ).reshape(problem.m, -1)
        self.scale = abs(self.scores).max(axis=1) * 1.01
        self.names = np.array(problem.names, dtype=np.int64)
        self.place = {name: i for i, name in enumerate(problem.names)}
        # Beyond 62 bits costs lose their last bits, downwards: still a bound, no longer a tight one. A fine
        # pass makes up for that: its target is rounded up, and leaves that fall short go to whole numbers.
        self.coarse = max(0, problem.total.bit_length() - 62)
        self.costs = np.array([w >> self.coarse for w in problem.weights], dtype=np.int64)
        self.dimension = len(self.basis)
        self.roots = 1 << self.dimension

    def exponent(self, first: int, second: int, e: int) -> int:
        """For ρ = a/2^e of two rows of the kernel, by name: e for the same rows in whole numbers."""
        return e + self.shifts[self.place[first]] - self.shifts[self.place[second]]

    def signs(self, root: int) -> list[int]:
        return [1 if root >> j & 1 else -1 for j in range(self.dimension)]

    def corners(self, root: int) -> list[list[int]]:
        """The vertices of a root, in whole numbers."""
        return [[s * a for a in v] for s, v in zip(self.signs(root), self.basis, strict=True)]

    def halfspace(self, root: int, coordinates: np.ndarray) -> tuple[int, ...]:
        """Whole-number weights of a point given in coordinates of a root's vertices."""
        parts = [Fraction(float(c)) * s for c, s in zip(coordinates, self.signs(root), strict=True)]
        common = lcm(*(part.denominator for part in parts))
        wholes = [int(part * common) for part in parts]
        return tuple(sum(map(mul, wholes, column)) for column in zip(*self.basis, strict=True))

    def stack(self) -> Stack:
        m, D = self.problem.m, self.dimension
        room = 40 * m + 2000
        levels = kernels.LEVELS + 2
        return Stack(
            scores=np.empty((room, D)),
            rows=np.empty(room, np.int64),
            left=np.empty(room, np.int64),
            fresh=np.empty(room),
            levels=np.zeros((levels, 8), np.int64),
            error=np.zeros((levels, D)),
            vertices=np.zeros((levels, D, D)),
            pairs=np.empty((4 * room, 3), np.int64),
            events=np.empty(ROOM + 20 * m, np.int64),
            tally=np.zeros(7, np.int64),
            candidate=np.empty(D),
        )


def _scaled(score: int, shift: int) -> float:
    """The score over 2^shift, never rounded to 0."""
    near = score / (1 << shift)
    return near if abs(near) >= FAINTEST or not score else FAINTEST if score > 0 else -FAINTEST


class Pass:
    """One sweep over all roots against one target, shared by threads."""

    def __init__(
        self, field: Field, interval: Interval, target: int | None, limit: int | None, fine: bool
    ) -> None:
        self.field, self.interval = field, interval
        self._target, self._limit, self._fine = target, limit, fine
        self._next = iter(range(field.roots))
        self._lock = Lock()
        self._visited = 0
        self.cut_short = False
        self.abandoned = False  # it would prove nothing new, or not in time
        self.trees: dict[int, str] = {}
        self.lowest = sum(interval.problem.weights)

    @property
    def target(self) -> int:
        """In the kernel's costs: without the offset, and coarse where the problem's are too large."""
        coarse = self.field.coarse
        return max(1, -(-self.full_target >> coarse) if self._fine else self.full_target >> coarse)

    @property
    def full_target(self) -> int:
        """In whole costs without the offset."""
        top = self.interval.upper if self._target is None else min(self._target, self.interval.upper)
        return top - self.field.problem.offset

    def work(self) -> None:
        stack = self.field.stack()
        while True:
            with self._lock:
                root = next(self._next, None)
            if root is None or self.abandoned:
                return
            self._root(root, stack)

    def _root(self, root: int, stack: Stack) -> None:
        field = self.field
        stack.tally[:] = 0
        most = np.iinfo(np.int64).max
        stack.tally[kernels.LOWEST] = stack.tally[kernels.CHEAPEST] = most
        signs = np.array(field.signs(root), dtype=np.float64)
        kernels.plant(field.scores, signs, field.costs, 4 * kernels.U, stack)
        parts = []
        while stack.tally[kernels.LEVEL] >= 0:
            target = 0 if self.cut_short else self.target
            visited = kernels.grow(field.costs, field.names, field.scale, target, CALL, stack)
            self._visited += visited
            if stack.tally[kernels.EVENTS] > ROOM // 2:
                parts.append(stack.events[: stack.tally[kernels.EVENTS]].copy())
                stack.tally[kernels.EVENTS] = 0
            if stack.tally[kernels.CHEAPEST] < most:
                stack.tally[kernels.CHEAPEST] = most
                self.interval.offer(field.halfspace(root, stack.candidate))
            over = self._limit is not None and self._visited >= self._limit
            if self.interval.should_stop(visited) or over:
                self.cut_short = True
        parts.append(stack.events[: stack.tally[kernels.EVENTS]])
        lowest = int(stack.tally[kernels.LOWEST])
        doubtful = bool(stack.tally[kernels.DOUBTS] or stack.tally[kernels.GIVEN_UP])
        if self.cut_short and field.problem.offset + (lowest << field.coarse) <= self.interval.lower:
            self.abandoned = True
            return
        try:
            text, exact = confirmed(field, Written(root, np.concatenate(parts).tolist(), doubtful), self)
        except Abandoned:
            self.abandoned = True
            return
        with self._lock:
            self.trees[root] = text
            self.lowest = min(self.lowest, lowest << field.coarse, exact)

    def outcome(self) -> tuple[int, dict[str, Any]]:
        field = self.field
        proof = {
            "method": "cones",
            "basis": [list(map(str, vector)) for vector in field.basis],
            "null": [list(map(str, vector)) for vector in field.null],
            "trees": [self.trees[root] for root in range(field.roots)],
        }
        return field.problem.offset + self.lowest, proof
