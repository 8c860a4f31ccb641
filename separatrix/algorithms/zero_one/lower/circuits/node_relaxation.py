"""One node: rows fixed right or wrong, and what circuits prove of the others, in floats.

The bound is a covering program over the circuits known here; circuits that its solution violates are found by
a walk (`kernels.circuit_walk`) in which a row fixed right costs nothing and a row fixed wrong is there
reversed, at no cost either. The more rows are fixed, the fewer free ones a circuit needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from separatrix.algorithms.zero_one.lower.circuits.covering_kernels import ascend
from separatrix.algorithms.zero_one.lower.circuits.cut_pool import Pool
from separatrix.algorithms.zero_one.lower.circuits.walk_kernels import circuit_walk
from separatrix.algorithms.zero_one.problem import Problem

SHIFT = 1e-10  # of the equations, at random, so that no step of the walk is of length zero
FIXED_SHARE = 0.05  # of a row fixed right in the sum that is kept at 1
RISE = 0.1  # of the cost of a row whenever a circuit with it is noted
STEPS = 4000
LEFT_OUT = 2  # instead of 1, wrong: an error in the count, on either side of the hyperplane
RUN = 80  # steps of the covering program between two walks
NOTED = 100  # circuits at most from one walk
ROUNDS = 60
WINDOW = 6  # rounds in which the bound must rise by GAIN of itself
GAIN = 0.002


@dataclass(eq=False)
class State:
    """Where a node's solution starts from: its fixed rows, circuits, duals and point."""

    fixed: np.ndarray
    cuts: np.ndarray
    duals: np.ndarray
    point: np.ndarray
    balance: float = 0.5
    solved: bool = False

    def copy(self, fixed: np.ndarray) -> State:
        """For a child with these rows fixed."""
        return State(fixed, self.cuts.copy(), self.duals.copy(), self.point.copy(), self.balance)

    def add(self, cut: int) -> None:
        self.cuts = np.append(self.cuts, cut)
        self.duals = np.append(self.duals, 0.0)

    def drop(self, cuts: list[int]) -> None:
        keep = ~np.isin(self.cuts, cuts)
        self.cuts, self.duals = self.cuts[keep], self.duals[keep]


@dataclass(eq=False)
class Solved:
    """What was reached: the bound in floats, with the circuits and duals that prove it."""

    bound: float
    cuts: np.ndarray
    duals: np.ndarray
    state: State
    complete: bool


class Floats:
    """The rows in coordinates fit for floats, shared by all nodes."""

    def __init__(self, problem: Problem) -> None:
        left, sizes, right = np.linalg.svd(problem.floats, full_matrices=False)
        rank = int((sizes > sizes[0] * 1e-11).sum())
        points = left[:, :rank] * np.sqrt(len(left))
        lengths = np.linalg.norm(points, axis=1)
        self.lengths = np.where(lengths > 0, lengths, 1.0)
        self.rows = np.ascontiguousarray(points / self.lengths[:, None])
        self.back = right[:rank].T / sizes[:rank]
        self.count, self.width = self.rows.shape
        weights = problem.float_weights
        self.unit = float(weights.mean()) or 1.0
        self.weights = weights / self.unit

    def columns(self, fixed: np.ndarray) -> np.ndarray:
        columns = np.column_stack((self.rows, np.ones(self.count)))
        columns[fixed < 0, -1] = FIXED_SHARE
        columns[fixed > 0] *= -1.0
        columns[fixed > 0, -1] = 0.0
        columns[fixed == LEFT_OUT] = 0.0
        return np.ascontiguousarray(columns)


class Solver:
    """Solves nodes, one after another, for one thread."""

    def __init__(
        self,
        pool: Pool,
        floats: Floats,
        seed: int,
        offer: Callable[[np.ndarray], None],
        stop: Callable[[], bool],
    ) -> None:
        self.pool, self.floats, self.offer, self.stop = pool, floats, offer, stop
        self.random = np.random.default_rng(seed)
        width = floats.width + 1
        self.found = np.zeros((NOTED, width + 1), np.int64)
        self.price = np.zeros(width)
        self.basis = np.zeros(width, np.int64)
        self.inverse, self.values, self.right = np.eye(width), np.zeros(width), np.zeros(width)

    def solve(self, state: State, goal: float) -> Solved:
        """Raise the bound until it passes ``goal``, or hardly rises any more."""
        floats, fixed = self.floats, state.fixed
        self.state = state
        self.columns = floats.columns(fixed)
        self.warm = False
        self.free_weights = np.where(fixed == 0, floats.weights, 0.0)
        self._usable()
        self.known = set(state.cuts.tolist())
        best, held = self._run(1) if len(state.cuts) else (float(floats.weights[fixed > 0].sum()), None)
        proof = held or (state.cuts[:0], state.duals[:0])
        bounds, violation, complete = [best], 0.15, False
        for turn in range(ROUNDS):
            if best > goal or (turn > 0 and self.stop()):
                break
            fresh = self._walk(violation)
            if self.impossible is not None:
                one = np.array([self.impossible])
                return Solved(np.inf, one, np.array([np.inf]), state, True)
            if fresh < 10:
                if fresh == 0 and violation <= 0.01:
                    complete = True
                violation = max(violation / 2, 0.01)
            bound, held = self._run(5 if complete else 1)
            if bound > best:
                best, proof = bound, held
            bounds.append(best)
            if turn % 5 == 4:
                self._purge(0.2)
            if complete or (turn >= WINDOW and best - bounds[-1 - WINDOW] < GAIN * abs(best)):
                break
        self._purge(0.1)
        return Solved(best * floats.unit, proof[0], proof[1] * floats.unit, state, complete)

    def _run(self, times: int) -> tuple[float, tuple[np.ndarray, np.ndarray]]:
        """Some runs of the covering program; the bound, with what rows fixed wrong cost, and its proof."""
        state = self.state
        start, places = self._sets()
        balance = np.array([state.balance])
        paid = float(self.floats.weights[state.fixed > 0].sum())
        for _ in range(times):
            bound = ascend(start, places, self.free_weights, RUN, balance, state.point, state.duals)
        state.balance = float(balance[0])
        used = state.duals > 0
        return paid + bound, (state.cuts[used], state.duals[used])

    def _sets(self) -> tuple[np.ndarray, np.ndarray]:
        """The free rows of each circuit: the others are fixed against it."""
        pool, cuts = self.pool, self.state.cuts
        first, last = pool.start[cuts], pool.start[cuts + 1]
        start = np.concatenate([[0], np.cumsum(last - first)])
        literals = pool.literals[np.arange(start[-1]) + np.repeat(first - start[:-1], last - first)]
        rows = np.where(literals < 0, -1 - literals, literals)
        free = self.state.fixed[rows] == 0
        return np.concatenate([[0], np.cumsum(free)])[start], rows[free]

    def _usable(self) -> None:
        """Leave out the circuits that a fixed row satisfies."""
        pool, state = self.pool, self.state
        sides = np.where(state.fixed > 0, -1, 1)
        keep = [
            all(sides[i] > 0 if i >= 0 else sides[-1 - i] < 0 for i in pool.circuits[c]) for c in state.cuts
        ]
        state.cuts, state.duals = state.cuts[keep], state.duals[keep]

    def _purge(self, slack: float) -> None:
        """Forget the circuits that neither prove anything nor nearly do."""
        state = self.state
        if not len(state.cuts):
            return
        start, places = self._sets()
        sums = np.concatenate([[0.0], np.cumsum(state.point[places])])
        covered = sums[start[1:]] - sums[start[:-1]] - 1.0
        keep = (state.duals > 1e-6) | (covered < slack)
        state.cuts, state.duals = state.cuts[keep], state.duals[keep]
        self.known = set(state.cuts.tolist())

    def _walk(self, violation: float) -> int:
        """Add circuits that the point violates; returns how many."""
        state, count, width = self.state, self.floats.count, self.floats.width + 1
        self.impossible: int | None = None
        point = np.where(state.fixed != 0, 0.0, state.point)
        cost = point + 1e-3 * self.random.random(count)
        cost[state.fixed != 0] = 0.0
        self._enter(count, width)
        limits = np.array([RISE, violation, STEPS])
        noted = circuit_walk(
            self.columns, point, limits, cost, self.basis, self.inverse, self.values, self.price, self.found
        )
        self.offer(-self.price[:-1])
        fresh = []
        for line in self.found[:noted].tolist():
            rows = line[: line.index(-1)]
            literals = [-1 - i if state.fixed[i] > 0 else i for i in rows]
            if all(i < 0 for i in literals):
                continue
            number = self.pool.add(literals)
            if number in self.known:
                continue
            if all(state.fixed[i] != 0 for i in rows) and self.pool.exact(number):
                self.impossible = number
            self.known.add(number)
            fresh.append(number)
        state.cuts = np.concatenate([state.cuts, np.array(fresh, np.int64)])
        state.duals = np.concatenate([state.duals, np.zeros(len(fresh))])
        return len(fresh)

    def _enter(self, count: int, width: int) -> None:
        """The last basis of this node with a fresh inverse, or the unit vectors."""
        if self.warm:
            square = np.zeros((width, width))
            for r, i in enumerate(self.basis.tolist()):
                if i < count:
                    square[:, r] = self.columns[i]
                else:
                    square[i - count, r] = 1.0
            try:
                self.inverse = np.ascontiguousarray(np.linalg.inv(square))
                self.values = self.inverse @ self.right
                if self.values.min() > -1e-9:
                    np.maximum(self.values, 0.0, out=self.values)
                    return
            except np.linalg.LinAlgError:
                pass
        self.right = np.concatenate([SHIFT * (0.5 + 0.5 * self.random.random(width - 1)), [1.0]])
        self.warm = True
        self.basis = np.arange(count, count + width)
        self.inverse, self.values = np.eye(width), self.right.copy()
