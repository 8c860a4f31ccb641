"""The search on one part of the rows: take the open node of least bound, decide a row both ways."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from separatrix.algorithms.separation.gordan import decide_alternative
from separatrix.algorithms.zero_one.lower.circuits.branching_tree import DENOMINATOR, DualBound, Node, Tree
from separatrix.algorithms.zero_one.lower.circuits.cut_pool import CutPool
from separatrix.algorithms.zero_one.lower.circuits.node_relaxation import (
    LEFT_OUT,
    FloatRows,
    NodeSolver,
    NodeState,
)
from separatrix.algorithms.zero_one.problem import IntegerVector, ReducedProblem

NEAR_SCORE = 0.3  # the further below this its score, at most 1, the better a row is for a decision
MIN_ERROR_SHARE = 1e-4
SURE_ERROR_SHARE = 0.8  # a row as likely as this is left out at once in a dive
MAX_DIVE_ERRORS = 40  # errors; beyond, local search is the better way to a good halfspace


class Incumbent(Protocol):
    """The best halfspace so far, and what it costs."""

    upper: int
    weights: IntegerVector

    def offer(self, weights: Sequence[int], cost: int | None = None) -> bool: ...


class PartIncumbent:
    """The best halfspace for a part of the rows."""

    def __init__(self, problem: ReducedProblem, weights: IntegerVector) -> None:
        self.problem, self.weights = problem, weights
        self.upper = problem.compute_cost(weights)

    def offer(self, weights: Sequence[int], cost: int | None = None) -> bool:
        cost = self.problem.compute_cost(weights) if cost is None else cost
        is_better = cost < self.upper
        if is_better:
            self.upper, self.weights = cost, tuple(weights)
        return is_better


def restrict_problem(problem: ReducedProblem, rows: np.ndarray) -> ReducedProblem:
    """The problem of some of the rows; nothing is paid in any case."""
    return replace(problem.take(sorted(rows.tolist())), offset=0, contradictions=())


def offer_perturbed(problem: ReducedProblem, best: Incumbent, weights: Sequence[int]) -> None:
    """Offer a halfspace, and near ones with its right answers, on no hyperplane of cancelled rows."""
    best.offer(weights)
    if problem.contradictions:
        perturbation = np.random.default_rng(0).integers(-1000, 1000, size=len(weights)).tolist()
        for shift in (16, 64, 256, 1024):
            best.offer([(a << shift) + b for a, b in zip(weights, perturbation, strict=True)])


class BestFirstSearch:
    """One problem, one tree, any number of threads."""

    def __init__(self, problem: ReducedProblem, best: Incumbent, seed: int, stop: Callable[[], bool]) -> None:
        self.problem, self.best, self.seed, self.stop = problem, best, seed, stop
        self.floats = FloatRows(problem)
        self.pool = CutPool(problem)
        self.tree = Tree(self.pool)
        self.solvers: dict[int, NodeSolver] = {}
        self.lock = threading.Lock()
        self.nodes = 0

    def add_root(self) -> None:
        """The root alone."""
        fixed = np.zeros(self.problem.m, np.int8)
        self.tree.root = Node(
            fixed,
            DualBound([], [], 0),
            NodeState(fixed, np.zeros(0, np.int64), np.zeros(0), np.zeros(self.problem.m)),
        )
        self.tree.push(self.tree.root)

    def restore(self, proof: dict[str, Any], denominator: int) -> None:
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
            cuts_used, multipliers = next(leaves)
            exact = [
                (numbers[k], int(m) * DENOMINATOR // denominator)
                for k, m in zip(cuts_used, multipliers, strict=True)
                if self.pool.is_exact(numbers[k])
            ]
            node.bound = self.tree.evaluate(fixed, [c for c, _ in exact], [m for _, m in exact])
            cuts = np.array([c for c, _ in exact], np.int64)
            multiples = [self.problem.to_float_cost(m) / DENOMINATOR / self.floats.unit for _, m in exact]
            duals = np.minimum(multiples, 1e3)
            node.state = NodeState(fixed, cuts, np.asarray(duals, np.float64), (fixed > 0).astype(np.float64))
            if not self.is_closed_by(node.bound):
                self.tree.push(node)

    def is_closed_by(self, bound: DualBound) -> bool:
        return self.problem.offset + bound.ceiling >= self.best.upper

    @property
    def lower(self) -> int:
        """What the tree proves, the offset included."""
        with self.lock:
            return self.problem.offset + self.tree.compute_lowest(self.best.upper - self.problem.offset)

    def to_proof(self, overdue: Callable[[], bool] = lambda: False) -> dict[str, Any]:
        with self.lock:
            return self.tree.to_proof(overdue)

    @property
    def is_done(self) -> bool:
        with self.lock:
            return not self.tree.open and not self.tree.working

    def step(self, thread: int) -> int:
        """Expand the open node of least bound; returns how many nodes were solved, 0 where none is open."""
        solver = self.solvers.get(thread)
        if solver is None:
            solver = NodeSolver(self.pool, self.floats, self.seed + thread, self.offer, self.stop)
            self.solvers[thread] = solver
        with self.lock:
            if not self.tree.open:
                return 0
            node = self.tree.pop()
            assert node.bound is not None
            if self.is_closed_by(node.bound):
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

    def _expand(self, node: Node, solver: NodeSolver) -> int:
        """Solve a node met for the first time, or the two children of another."""
        assert node.state is not None
        assert node.bound is not None
        if not node.state.solved:
            self._improve(node, solver)
            self._dive(node, solver)
            return 1
        row = self._choose_row(node)
        if row is None:
            self._close_or_cut(node, solver)
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
                if self.is_closed_by(child.bound):
                    child.state = None
                    for circuit in child.bound.circuits:
                        self.pool.keep_multipliers(circuit)  # part of the proof for good
                else:
                    self.tree.push(child)
        return 2

    def _improve(self, node: Node, solver: NodeSolver) -> None:
        """Raise the bound of a leaf; what its parent proved holds here too."""
        assert node.state is not None
        assert node.bound is not None
        inherited = self.tree.evaluate(node.fixed, node.bound.circuits, node.bound.multipliers)
        goal = self.problem.to_float_cost(self.best.upper - self.problem.offset) - 1 + 1e-3
        solved = solver.solve(node.state, goal / self.floats.unit)
        certified = self.tree.certify(node.fixed, solved)
        node.state.drop([c for c in node.state.cuts.tolist() if self.pool.is_wrong(c)])
        trivial = self.tree.evaluate(node.fixed, [], [])
        node.bound = max(inherited, certified, trivial, key=lambda bound: bound.value)
        node.state.solved = True

    def _dive(self, node: Node, solver: NodeSolver) -> None:
        """Leave out the likeliest errors, solve, and so on down to a halfspace; walks offer theirs."""
        assert node.state is not None
        assert node.bound is not None
        if node.bound.ceiling > MAX_DIVE_ERRORS:
            return
        state = node.state.copy(node.fixed.copy())
        while not self.stop():
            point = np.where(state.fixed == 0, state.point, 0.0)
            if point.max() >= MIN_ERROR_SHARE:
                state.fixed[point >= min(SURE_ERROR_SHARE, float(point.max()))] = LEFT_OUT
            else:
                circuit = self._find_circuit(state.fixed)
                if circuit is None:
                    break
                state.add(circuit)
            cost = sum(self.problem.weights[i] for i in np.flatnonzero(state.fixed > 0).tolist())
            if self.problem.offset + cost >= self.best.upper:
                break
            if solver.solve(state, np.inf).bound == np.inf:
                break

    def _choose_row(self, node: Node) -> int | None:
        """Which row to decide: an error in the covering program, and a clear one of the best halfspace."""
        assert node.state is not None
        weights = np.linalg.lstsq(
            self.floats.back_transform, self.problem.to_floats(self.best.weights), rcond=None
        )[0]
        scores = self.floats.rows @ (weights / (float(np.linalg.norm(weights)) or 1.0))
        point = np.where(node.fixed == 0, node.state.point, 0.0)
        priorities = np.where(point > MIN_ERROR_SHARE, point * np.maximum(NEAR_SCORE - scores, 1e-3), 0.0)
        row = int(np.argmax(priorities))
        return row if priorities[row] > 0 else None

    def _close_or_cut(self, node: Node, solver: NodeSolver) -> None:
        """No free row is an error in the covering program: so says a halfspace, or a circuit is missing."""
        assert node.state is not None
        circuit = self._find_circuit(node.fixed)
        if circuit is None:
            node.state = None
            self.tree.closed_leaves.append(node)
        else:
            node.state.add(circuit)
            self._improve(node, solver)

    def _find_circuit(self, fixed: np.ndarray) -> int | None:
        """Exactly: a circuit of rows not fixed wrong; or None, and a halfspace right on them is offered."""
        rows = np.flatnonzero(fixed <= 0).tolist()
        alternative = decide_alternative([self.problem.Z[i] for i in rows]) if rows else None
        if alternative is None or alternative.direction is not None:
            offer_perturbed(
                self.problem,
                self.best,
                [0] * self.problem.D if alternative is None else alternative.direction or [],
            )
            return None
        return self.pool.add([rows[k] for k in alternative.places])

    def offer(self, direction: np.ndarray) -> None:
        """A halfspace in the walk's coordinates: counted in floats first."""
        is_wrong = self.floats.rows @ direction <= 1e-12
        cost = float(self.problem.float_weights[is_wrong].sum())
        if cost < self.problem.to_float_cost(self.best.upper - self.problem.offset):
            offer_perturbed(
                self.problem, self.best, self.problem.from_floats(self.floats.back_transform @ direction)
            )
