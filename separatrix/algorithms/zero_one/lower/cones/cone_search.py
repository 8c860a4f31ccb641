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

from separatrix.algorithms.zero_one.interval import ErrorInterval
from separatrix.algorithms.zero_one.lower.basis import find_basis
from separatrix.algorithms.zero_one.lower.cones.cone_kernels import expand_nodes, initialise_root
from separatrix.algorithms.zero_one.lower.cones.exact_cones import Abandoned, KernelTree, confirm_tree
from separatrix.algorithms.zero_one.lower.cones.stack_kernels import (
    LEVEL_TYPE,
    MAX_LEVELS,
    PAIR_TYPE,
    PROGRESS_TYPE,
    ConeRows,
    Stack,
    U,
)
from separatrix.algorithms.zero_one.problem import ReducedProblem

BUFFER_EVENTS = 1 << 18  # events in a buffer
CALL_NODES = 400  # nodes between looks at the clock
FAINTEST_SCORE = 2.0**-400
FIRST_TRY_NODES = 6000  # nodes after which nearer targets are tried first


class Cones:
    """The engine.

    Parameters
    ----------
    n_jobs : int
        Threads; the proof found depends on them only in which of equal pairs it names.
    """

    def __init__(self, n_jobs: int = 1) -> None:
        self.n_jobs = n_jobs

    def run(self, problem: ReducedProblem, interval: ErrorInterval) -> None:
        if problem.m == 0:
            return
        coordinates = BasisCoordinates(problem, interval.weights)
        if not self._sweep_cones(coordinates, interval, None, FIRST_TRY_NODES):
            for percent in (60, 80, 90):
                target = problem.offset + (interval.upper - problem.offset) * percent // 100
                if interval.should_stop():
                    return
                if target > interval.lower and not self._sweep_cones(coordinates, interval, target, None):
                    return
            if not interval.should_stop():
                self._sweep_cones(coordinates, interval, None, None)
        if coordinates.cost_shift and not interval.should_stop():
            self._sweep_cones(coordinates, interval, None, None, fine=True)

    def _sweep_cones(
        self,
        coordinates: BasisCoordinates,
        interval: ErrorInterval,
        target: int | None,
        limit: int | None,
        fine: bool = False,
    ) -> bool:
        """All cones against one target (the upper end, if None); whether the interval is closed or raised."""
        sweep = ConeSweep(coordinates, interval, target, limit, fine)
        if self.n_jobs > 1 and coordinates.roots > 4:
            with ThreadPoolExecutor(self.n_jobs) as pool:
                for worker in [pool.submit(sweep.work) for _ in range(self.n_jobs)]:
                    worker.result()
        else:
            sweep.work()
        if sweep.abandoned:
            return False
        lower, proof = sweep.to_proof()
        interval.raise_lower(lower, proof)
        return not sweep.cut_short


class BasisCoordinates:
    """The rows in coordinates of a basis around the best halfspace so far."""

    def __init__(self, problem: ReducedProblem, best: Sequence[int]) -> None:
        self.problem = problem
        self.basis, self.null = find_basis(problem, best)
        self.exact = [[sum(map(mul, z, v)) for v in self.basis] for z in problem.Z]
        # Each row in a unit of its own, so that the kernel's bounds on rounding hold: they take no account of
        # underflow. 2^-400 stands for scores that are smaller; their signs are right, and that is all the
        # kernel relies on where a score is within its error.
        self.shifts = [max(map(abs, row), default=0).bit_length() for row in self.exact]
        self.scores = np.array(
            [
                [_scale_score(s, shift) for s in row]
                for row, shift in zip(self.exact, self.shifts, strict=True)
            ]
        ).reshape(problem.m, -1)
        self.scale = abs(self.scores).max(axis=1) * 1.01
        self.names = np.array(problem.names, dtype=np.int64)
        self.places = {name: i for i, name in enumerate(problem.names)}
        # Beyond 62 bits costs lose their last bits, downwards: still a bound, no longer a tight one. A fine
        # pass makes up for that: its target is rounded up, and leaves that fall short go to whole numbers.
        self.cost_shift = max(0, problem.total.bit_length() - 62)
        self.costs = np.array([w >> self.cost_shift for w in problem.weights], dtype=np.int64)
        self.dimension = len(self.basis)
        self.roots = 1 << self.dimension

    def shift_exponent(self, first: int, second: int, e: int) -> int:
        """For ρ = a/2^e of two rows of the kernel, by name: e for the same rows in whole numbers."""
        return e + self.shifts[self.places[first]] - self.shifts[self.places[second]]

    def find_signs(self, root: int) -> list[int]:
        return [1 if root >> j & 1 else -1 for j in range(self.dimension)]

    def find_corners(self, root: int) -> list[list[int]]:
        """The vertices of a root, in whole numbers."""
        return [[s * a for a in v] for s, v in zip(self.find_signs(root), self.basis, strict=True)]

    def to_halfspace(self, root: int, point: np.ndarray) -> tuple[int, ...]:
        """Whole-number weights of a point given in coordinates of a root's vertices."""
        parts = [Fraction(float(c)) * s for c, s in zip(point, self.find_signs(root), strict=True)]
        denominator = lcm(*(part.denominator for part in parts))
        integers = [int(part * denominator) for part in parts]
        return tuple(sum(map(mul, integers, column)) for column in zip(*self.basis, strict=True))

    def make_stack(self) -> Stack:
        m, D = self.problem.m, self.dimension
        capacity = 40 * m + 2000
        n_levels = MAX_LEVELS + 2
        return Stack(
            scores=np.empty((capacity, D)),
            rows=np.empty(capacity, np.int64),
            unpaired_costs=np.empty(capacity, np.int64),
            new_scores=np.empty(capacity),
            levels=np.zeros(n_levels, LEVEL_TYPE),
            error_bounds=np.zeros((n_levels, D)),
            vertices=np.zeros((n_levels, D, D)),
            pairs=np.empty(4 * capacity, PAIR_TYPE),
            events=np.empty(BUFFER_EVENTS + 20 * m, np.int64),
            progress=np.zeros(1, PROGRESS_TYPE)[0],
            candidate=np.empty(D),
        )


def _scale_score(score: int, shift: int) -> float:
    """The score over 2^shift, never rounded to 0."""
    scaled = score / (1 << shift)
    if abs(scaled) >= FAINTEST_SCORE or not score:
        return scaled
    return FAINTEST_SCORE if score > 0 else -FAINTEST_SCORE


class ConeSweep:
    """One sweep over all roots against one target, shared by threads."""

    def __init__(
        self,
        coordinates: BasisCoordinates,
        interval: ErrorInterval,
        target: int | None,
        limit: int | None,
        fine: bool,
    ) -> None:
        self.coordinates, self.interval = coordinates, interval
        self._target, self._limit, self._is_fine = target, limit, fine
        self._next = iter(range(coordinates.roots))
        self._lock = Lock()
        self._visited = 0
        self.cut_short = False
        self.abandoned = False  # it would prove nothing new, or not in time
        self.trees: dict[int, str] = {}
        self.lowest = sum(interval.problem.weights)

    @property
    def target(self) -> int:
        """In the kernel's costs: without the offset, and coarse where the problem's are too large."""
        cost_shift = self.coordinates.cost_shift
        return max(1, -(-self.full_target >> cost_shift) if self._is_fine else self.full_target >> cost_shift)

    @property
    def full_target(self) -> int:
        """In whole costs without the offset."""
        top = self.interval.upper if self._target is None else min(self._target, self.interval.upper)
        return top - self.coordinates.problem.offset

    def work(self) -> None:
        stack = self.coordinates.make_stack()
        while True:
            with self._lock:
                root = next(self._next, None)
            if root is None or self.abandoned:
                return
            self._search_root(root, stack)

    def _search_root(self, root: int, stack: Stack) -> None:
        coordinates = self.coordinates
        progress, unset = stack.progress, np.iinfo(np.int64).max
        for name in PROGRESS_TYPE.names or ():
            progress[name] = 0
        progress["lowest"] = progress["cheapest"] = unset
        signs = np.array(coordinates.find_signs(root), dtype=np.float64)
        rows = ConeRows(coordinates.costs, coordinates.names, coordinates.scale)
        initialise_root(coordinates.scores, signs, rows.costs, 4 * U, stack)
        parts = []
        while progress["depth"] >= 0:
            visited = expand_nodes(stack, rows, 0 if self.cut_short else self.target, CALL_NODES)
            self._visited += visited
            if progress["n_events"] > BUFFER_EVENTS // 2:
                parts.append(stack.events[: progress["n_events"]].copy())
                progress["n_events"] = 0
            if progress["cheapest"] < unset:
                progress["cheapest"] = unset
                self.interval.offer(coordinates.to_halfspace(root, stack.candidate))
            is_over_limit = self._limit is not None and self._visited >= self._limit
            if self.interval.should_stop(visited) or is_over_limit:
                self.cut_short = True
        parts.append(stack.events[: progress["n_events"]])
        lowest = int(progress["lowest"])
        doubtful = bool(progress["n_doubtful"] or progress["n_given_up"])
        if (
            self.cut_short
            and coordinates.problem.offset + (lowest << coordinates.cost_shift) <= self.interval.lower
        ):
            self.abandoned = True
            return
        try:
            text, exact = confirm_tree(
                coordinates, KernelTree(root, np.concatenate(parts).tolist(), doubtful), self
            )
        except Abandoned:
            self.abandoned = True
            return
        with self._lock:
            self.trees[root] = text
            self.lowest = min(self.lowest, lowest << coordinates.cost_shift, exact)

    def to_proof(self) -> tuple[int, dict[str, Any]]:
        coordinates = self.coordinates
        proof = {
            "method": "cones",
            "basis": [list(map(int, vector)) for vector in coordinates.basis],
            "null": [list(map(int, vector)) for vector in coordinates.null],
            "trees": [self.trees[root] for root in range(coordinates.roots)],
        }
        return coordinates.problem.offset + self.lowest, proof
