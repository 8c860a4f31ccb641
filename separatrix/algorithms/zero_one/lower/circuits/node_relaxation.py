"""One node: rows fixed right or wrong, and what circuits prove of the others, in floats.

The bound is a covering program over the circuits known here; circuits that its solution violates are found by
a walk (`walk_kernels`) in which a row fixed right costs nothing and a row fixed wrong is there
reversed, at no cost either. The more rows are fixed, the fewer free ones a circuit needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from separatrix.algorithms.zero_one.lower.circuits.covering_kernels import ascend
from separatrix.algorithms.zero_one.lower.circuits.cut_pool import CutPool
from separatrix.algorithms.zero_one.lower.circuits.walk_kernels import (
    Tableau,
    WalkLimits,
    walk_circuits,
)
from separatrix.algorithms.zero_one.problem import ReducedProblem

PERTURBATION_SIZE = 1e-10  # of the equations, at random, so that no step of the walk is of length zero
FIXED_SHARE = 0.05  # of a row fixed right in the sum that is kept at 1
COST_RISE_SHARE = 0.1  # of the cost of a row whenever a circuit with it is noted
WALK_STEPS = 4000
LEFT_OUT = 2  # instead of 1, wrong: an error in the count, on either side of the hyperplane
COVERING_STEPS = 80  # steps of the covering program between two walks
MAX_CIRCUITS = 100  # circuits at most from one walk
MAX_ROUNDS = 60
STALL_ROUNDS = 6  # rounds in which the bound must rise by MIN_GAIN_SHARE of itself
MIN_GAIN_SHARE = 0.002


@dataclass(eq=False)
class NodeState:
    """Where a node's solution starts from: its fixed rows, circuits, duals and point."""

    fixed: np.ndarray
    cuts: np.ndarray
    duals: np.ndarray
    point: np.ndarray
    step_ratio: float = 0.5
    solved: bool = False

    def copy(self, fixed: np.ndarray) -> NodeState:
        """For a child with these rows fixed."""
        return NodeState(fixed, self.cuts.copy(), self.duals.copy(), self.point.copy(), self.step_ratio)

    def add(self, cut: int) -> None:
        self.cuts = np.append(self.cuts, cut)
        self.duals = np.append(self.duals, 0.0)

    def drop(self, cuts: list[int]) -> None:
        keep = ~np.isin(self.cuts, cuts)
        self.cuts, self.duals = self.cuts[keep], self.duals[keep]


@dataclass(eq=False)
class NodeSolution:
    """What was reached: the bound in floats, with the circuits and duals that prove it."""

    bound: float
    cuts: np.ndarray
    duals: np.ndarray
    state: NodeState
    complete: bool


class FloatRows:
    """The rows in coordinates fit for floats, shared by all nodes."""

    def __init__(self, problem: ReducedProblem) -> None:
        left, sizes, right = np.linalg.svd(problem.floats, full_matrices=False)
        rank = int((sizes > sizes[0] * 1e-11).sum())
        points = left[:, :rank] * np.sqrt(len(left))
        row_norms = np.linalg.norm(points, axis=1)
        self.row_norms = np.where(row_norms > 0, row_norms, 1.0)
        self.rows = np.ascontiguousarray(points / self.row_norms[:, None])
        self.back_transform = right[:rank].T / sizes[:rank]
        self.count, self.width = self.rows.shape
        weights = problem.float_weights
        self.unit = float(weights.mean()) or 1.0
        self.weights = weights / self.unit

    def build_columns(self, fixed: np.ndarray) -> np.ndarray:
        columns = np.column_stack((self.rows, np.ones(self.count)))
        columns[fixed < 0, -1] = FIXED_SHARE
        columns[fixed > 0] *= -1.0
        columns[fixed > 0, -1] = 0.0
        columns[fixed == LEFT_OUT] = 0.0
        return np.ascontiguousarray(columns)


class NodeSolver:
    """Solves nodes, one after another, for one thread."""

    def __init__(
        self,
        pool: CutPool,
        floats: FloatRows,
        seed: int,
        offer: Callable[[np.ndarray], None],
        stop: Callable[[], bool],
    ) -> None:
        self.pool, self.floats, self.offer, self.stop = pool, floats, offer, stop
        self.random = np.random.default_rng(seed)
        width = floats.width + 1
        self.found = np.zeros((MAX_CIRCUITS, width + 1), np.int64)
        self.prices = np.zeros(width)
        self.basis = np.zeros(width, np.int64)
        self.inverse, self.values, self.right_side = np.eye(width), np.zeros(width), np.zeros(width)

    def solve(self, state: NodeState, goal: float) -> NodeSolution:
        """Raise the bound until it passes ``goal``, or hardly rises any more."""
        floats, fixed = self.floats, state.fixed
        self.state = state
        self.columns = floats.build_columns(fixed)
        self.is_warm = False
        self.free_weights = np.where(fixed == 0, floats.weights, 0.0)
        self._drop_satisfied()
        self.known_cuts = set(state.cuts.tolist())
        best, dual_proof = self._run(1) if len(state.cuts) else (float(floats.weights[fixed > 0].sum()), None)
        proof = dual_proof or (state.cuts[:0], state.duals[:0])
        bounds, violation, complete = [best], 0.15, False
        for round_ in range(MAX_ROUNDS):
            if best > goal or (round_ > 0 and self.stop()):
                break
            n_new = self._walk(violation)
            if self.impossible_cut is not None:
                one = np.array([self.impossible_cut])
                return NodeSolution(np.inf, one, np.array([np.inf]), state, True)
            if n_new < 10:
                if n_new == 0 and violation <= 0.01:
                    complete = True
                violation = max(violation / 2, 0.01)
            bound, dual_proof = self._run(5 if complete else 1)
            if bound > best:
                best, proof = bound, dual_proof
            bounds.append(best)
            if round_ % 5 == 4:
                self._purge(0.2)
            if complete or (
                round_ >= STALL_ROUNDS and best - bounds[-1 - STALL_ROUNDS] < MIN_GAIN_SHARE * abs(best)
            ):
                break
        self._purge(0.1)
        return NodeSolution(best * floats.unit, proof[0], proof[1] * floats.unit, state, complete)

    def _run(self, times: int) -> tuple[float, tuple[np.ndarray, np.ndarray]]:
        """Some runs of the covering program; the bound, with what rows fixed wrong cost, and its proof."""
        state = self.state
        start, places = self._build_sets()
        step_ratio = np.array([state.step_ratio])
        paid = float(self.floats.weights[state.fixed > 0].sum())
        for _ in range(times):
            bound = ascend(
                start, places, self.free_weights, COVERING_STEPS, step_ratio, state.point, state.duals
            )
        state.step_ratio = float(step_ratio[0])
        used = state.duals > 0
        return paid + bound, (state.cuts[used], state.duals[used])

    def _build_sets(self) -> tuple[np.ndarray, np.ndarray]:
        """The free rows of each circuit: the others are fixed against it."""
        pool, cuts = self.pool, self.state.cuts
        first, last = pool.start[cuts], pool.start[cuts + 1]
        start = np.concatenate([[0], np.cumsum(last - first)])
        literals = pool.literals[np.arange(start[-1]) + np.repeat(first - start[:-1], last - first)]
        rows = np.where(literals < 0, -1 - literals, literals)
        free = self.state.fixed[rows] == 0
        return np.concatenate([[0], np.cumsum(free)])[start], rows[free]

    def _drop_satisfied(self) -> None:
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
        start, places = self._build_sets()
        sums = np.concatenate([[0.0], np.cumsum(state.point[places])])
        covered = sums[start[1:]] - sums[start[:-1]] - 1.0
        keep = (state.duals > 1e-6) | (covered < slack)
        state.cuts, state.duals = state.cuts[keep], state.duals[keep]
        self.known_cuts = set(state.cuts.tolist())

    def _walk(self, violation: float) -> int:
        """Add circuits that the point violates; returns how many."""
        state, count, width = self.state, self.floats.count, self.floats.width + 1
        self.impossible_cut: int | None = None
        point = np.where(state.fixed != 0, 0.0, state.point)
        cost = point + 1e-3 * self.random.random(count)
        cost[state.fixed != 0] = 0.0
        self._restart_basis(count, width)
        limits = WalkLimits(COST_RISE_SHARE, violation, WALK_STEPS)
        tableau = Tableau(self.basis, self.inverse, self.values)
        n_found = walk_circuits(self.columns, point, cost, limits, tableau, self.prices, self.found)
        self.offer(-self.prices[:-1])
        new_cuts = []
        for line in self.found[:n_found].tolist():
            rows = line[: line.index(-1)]
            literals = [-1 - i if state.fixed[i] > 0 else i for i in rows]
            if all(i < 0 for i in literals):
                continue
            number = self.pool.add(literals)
            if number in self.known_cuts:
                continue
            if all(state.fixed[i] != 0 for i in rows) and self.pool.is_exact(number):
                self.impossible_cut = number
            self.known_cuts.add(number)
            new_cuts.append(number)
        state.cuts = np.concatenate([state.cuts, np.array(new_cuts, np.int64)])
        state.duals = np.concatenate([state.duals, np.zeros(len(new_cuts))])
        return len(new_cuts)

    def _restart_basis(self, count: int, width: int) -> None:
        """The last basis of this node with a fresh inverse, or the unit vectors."""
        if self.is_warm:
            square = np.zeros((width, width))
            for r, i in enumerate(self.basis.tolist()):
                if i < count:
                    square[:, r] = self.columns[i]
                else:
                    square[i - count, r] = 1.0
            try:
                self.inverse = np.ascontiguousarray(np.linalg.inv(square))
                self.values = self.inverse @ self.right_side
                if self.values.min() > -1e-9:
                    np.maximum(self.values, 0.0, out=self.values)
                    return
            except np.linalg.LinAlgError:
                pass
        self.right_side = np.concatenate(
            [PERTURBATION_SIZE * (0.5 + 0.5 * self.random.random(width - 1)), [1.0]]
        )
        self.is_warm = True
        self.basis = np.arange(count, count + width)
        self.inverse, self.values = np.eye(width), self.right_side.copy()
