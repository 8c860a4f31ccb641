"""The search on one part of the rows: take the open node of least bound, decide a row both ways."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from separatrix.algorithms.separation.gordan import decide_alternative
from separatrix.algorithms.zero_one.lower.circuits.branching_tree import DENOMINATOR, Bound, Node, Tree
from separatrix.algorithms.zero_one.lower.circuits.cut_pool import Pool
from separatrix.algorithms.zero_one.lower.circuits.node_relaxation import LEFT_OUT, Floats, Solver, State
from separatrix.algorithms.zero_one.problem import Problem, Whole

NEAR = 0.3  # a row is the better a candidate for a decision, the further its score (at most 1) is below this
LIKELY = 1e-4
SURE = 0.8  # a row as likely as this is left out at once in a dive
SHALLOW = 40  # errors; beyond, local search is the better way to a good halfspace


class Incumbent(Protocol):
    """The best halfspace so far, and what it costs."""

    upper: int
    weights: Whole

    def offer(self, weights: Sequence[int], cost: int | None = None) -> bool: ...


class Best:
    """The best halfspace for a part of the rows."""

    def __init__(self, problem: Problem, weights: Whole) -> None:
        self.problem, self.weights = problem, weights
        self.upper = problem.cost_of(weights)

    def offer(self, weights: Sequence[int], cost: int | None = None) -> bool:
        cost = self.problem.cost_of(weights) if cost is None else cost
        better = cost < self.upper
        if better:
            self.upper, self.weights = cost, tuple(weights)
        return better


def part(problem: Problem, rows: np.ndarray) -> Problem:
    """The problem of some of the rows; nothing is paid in any case."""
    return replace(problem.part(sorted(rows.tolist())), offset=0, twins=())


def offer_beside(problem: Problem, best: Incumbent, weights: Sequence[int]) -> None:
    """Offer a halfspace, and near ones with its right answers, on no hyperplane of cancelled rows."""
    best.offer(weights)
    if problem.twins:
        aside = np.random.default_rng(0).integers(-1000, 1000, size=len(weights)).tolist()
        for shift in (16, 64, 256, 1024):
            best.offer([(a << shift) + b for a, b in zip(weights, aside, strict=True)])


class Search:
    """One problem, one tree, any number of threads."""

    def __init__(self, problem: Problem, best: Incumbent, seed: int, stop: Callable[[], bool]) -> None:
        self.problem, self.best, self.seed, self.stop = problem, best, seed, stop
        self.floats = Floats(problem)
        self.pool = Pool(problem)
        self.tree = Tree(self.pool)
        self.solvers: dict[int, Solver] = {}
        self.lock = threading.Lock()
        self.nodes = 0

    def plant(self) -> None:
        """The root alone."""
        fixed = np.zeros(self.problem.m, np.int8)
        self.tree.root = Node(
            fixed,
            Bound([], [], 0),
            State(fixed, np.zeros(0, np.int64), np.zeros(0), np.zeros(self.problem.m)),
        )
        self.tree.push(self.tree.root)

    def replant(self, proof: dict[str, Any], denominator: int) -> None:
        """The tree of an earlier proof, its leaves open where they prove too little."""
        places = {name: i for i, name in enumerate(self.problem.names)}
        numbers = [
            self.pool.add([places[name] for name in right] + [-1 - places[name] for name in wrong])
            for right, wrong, _ in proof["circuits"]
        ]
        leaves, entries = iter(proof["leaves"]), iter(proof["tree"])
        stack: list[tuple[np.ndarray, Node | None]] = [(np.zeros(self.problem.m, np.int8), None)]
        while stack:
            fixed, parent = stack.pop()
            node = Node(fixed, None, None)
            if parent is None:
                self.tree.root = node
            else:
                parent.children.append(node)
            name = next(entries)
            if name is not None:
                node.row = places[name]
                for side in (1, -1):
                    child = fixed.copy()
                    child[node.row] = side
                    stack.append((child, node))
                continue
            used, multipliers = next(leaves)
            exact = [
                (numbers[k], int(m) * DENOMINATOR // denominator)
                for k, m in zip(used, multipliers, strict=True)
                if self.pool.exact(numbers[k])
            ]
            node.bound = self.tree.valued(fixed, [c for c, _ in exact], [m for _, m in exact])
            cuts = np.array([c for c, _ in exact], np.int64)
            multiples = [self.problem.to_float_cost(m) / DENOMINATOR / self.floats.unit for _, m in exact]
            duals = np.minimum(multiples, 1e3)
            node.state = State(fixed, cuts, np.asarray(duals, np.float64), (fixed > 0).astype(np.float64))
            if not self.closed_by(node.bound):
                self.tree.push(node)

    def closed_by(self, bound: Bound) -> bool:
        return self.problem.offset + bound.whole >= self.best.upper

    @property
    def lower(self) -> int:
        """What the tree proves, the offset included."""
        with self.lock:
            return self.problem.offset + self.tree.lowest(self.best.upper - self.problem.offset)

    def written(self, overdue: Callable[[], bool] = lambda: False) -> dict[str, Any]:
        with self.lock:
            return self.tree.proof(overdue)

    @property
    def done(self) -> bool:
        with self.lock:
            return not self.tree.open and not self.tree.working

    def step(self, thread: int) -> int:
        """Expand the open node of least bound; returns how many nodes were solved, 0 where none is open."""
        solver = self.solvers.get(thread)
        if solver is None:
            solver = Solver(self.pool, self.floats, self.seed + thread, self.offer, self.stop)
            self.solvers[thread] = solver
        with self.lock:
            if not self.tree.open:
                return 0
            node = self.tree.take()
            assert node.bound is not None
            if self.closed_by(node.bound):
                self.tree.open.clear()
                return 0
            self.tree.working.append(node)
        solved = 0
        try:
            solved = self._expand(node, solver)
        finally:
            with self.lock:
                self.nodes += solved
                self.tree.working.remove(node)
                if not node.children and node.state is not None:
                    self.tree.push(node)
        return solved

    def _expand(self, node: Node, solver: Solver) -> int:
        """Solve a node met for the first time, or the two children of another."""
        assert node.state is not None
        assert node.bound is not None
        if not node.state.solved:
            self._improve(node, solver)
            self._dive(node, solver)
            return 1
        row = self._row(node)
        if row is None:
            self._settle(node, solver)
            return 1
        children = []
        for side in (-1, 1):
            fixed = node.fixed.copy()
            fixed[row] = side
            child = Node(fixed, node.bound, node.state.copy(fixed))
            self._improve(child, solver)
            children.append(child)
        with self.lock:
            self.tree.split(node, row, children)
            for child in children:
                assert child.bound is not None
                if self.closed_by(child.bound):
                    child.state = None
                    for circuit in child.bound.circuits:
                        self.pool.stored(circuit)  # part of the proof for good
                else:
                    self.tree.push(child)
        return 2

    def _improve(self, node: Node, solver: Solver) -> None:
        """Raise the bound of a leaf; what its parent proved holds here too."""
        assert node.state is not None
        assert node.bound is not None
        inherited = self.tree.valued(node.fixed, node.bound.circuits, node.bound.multipliers)
        goal = self.problem.to_float_cost(self.best.upper - self.problem.offset) - 1 + 1e-3
        solved = solver.solve(node.state, goal / self.floats.unit)
        certified = self.tree.certified(node.fixed, solved)
        node.state.drop([c for c in node.state.cuts.tolist() if self.pool.wrong(c)])
        plain = self.tree.valued(node.fixed, [], [])
        node.bound = max(inherited, certified, plain, key=lambda bound: bound.value)
        node.state.solved = True

    def _dive(self, node: Node, solver: Solver) -> None:
        """Leave out the likeliest errors, solve, and so on down to a halfspace; walks offer theirs."""
        assert node.state is not None
        assert node.bound is not None
        if node.bound.whole > SHALLOW:
            return
        state = node.state.copy(node.fixed.copy())
        while not self.stop():
            point = np.where(state.fixed == 0, state.point, 0.0)
            if point.max() >= LIKELY:
                state.fixed[point >= min(SURE, float(point.max()))] = LEFT_OUT
            else:
                circuit = self._circuit(state.fixed)
                if circuit is None:
                    break
                state.add(circuit)
            paid = sum(self.problem.weights[i] for i in np.flatnonzero(state.fixed > 0).tolist())
            if self.problem.offset + paid >= self.best.upper:
                break
            if solver.solve(state, np.inf).bound == np.inf:
                break

    def _row(self, node: Node) -> int | None:
        """Which row to decide: an error in the covering program, and a clear one of the best halfspace."""
        assert node.state is not None
        weights = np.linalg.lstsq(self.floats.back, self.problem.to_floats(self.best.weights), rcond=None)[0]
        scores = self.floats.rows @ (weights / (float(np.linalg.norm(weights)) or 1.0))
        point = np.where(node.fixed == 0, node.state.point, 0.0)
        worth = np.where(point > LIKELY, point * np.maximum(NEAR - scores, 1e-3), 0.0)
        row = int(np.argmax(worth))
        return row if worth[row] > 0 else None

    def _settle(self, node: Node, solver: Solver) -> None:
        """No free row is an error in the covering program: so says a halfspace, or a circuit is missing."""
        assert node.state is not None
        circuit = self._circuit(node.fixed)
        if circuit is None:
            node.state = None
            self.tree.settled.append(node)
        else:
            node.state.add(circuit)
            self._improve(node, solver)

    def _circuit(self, fixed: np.ndarray) -> int | None:
        """Exactly: a circuit of rows not fixed wrong; or None, and a halfspace right on them is offered."""
        rows = np.flatnonzero(fixed <= 0).tolist()
        answer = decide_alternative([self.problem.Z[i] for i in rows]) if rows else None
        if answer is None or answer.direction is not None:
            offer_beside(
                self.problem, self.best, [0] * self.problem.D if answer is None else answer.direction or []
            )
            return None
        return self.pool.add([rows[k] for k in answer.places])

    def offer(self, direction: np.ndarray) -> None:
        """A halfspace in the walk's coordinates: counted in floats first."""
        wrong = self.floats.rows @ direction <= 1e-12
        cost = float(self.problem.float_weights[wrong].sum())
        if cost < self.problem.to_float_cost(self.best.upper - self.problem.offset):
            offer_beside(self.problem, self.best, self.problem.from_floats(self.floats.back @ direction))
