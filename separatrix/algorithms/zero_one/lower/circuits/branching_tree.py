"""The tree of decisions, every leaf with its certified bound, and the proof it amounts to.

A node says of some rows whether they are right or wrong. Its bound is proven by whole multipliers m of
circuits over a denominator q, for any m ≥ 0 (weak duality): with r = q·weight − Σ m·(coefficient in circuit),
every w of the node costs at least

    (Σ m·(1 − |N|) + Σ_wrong r + Σ_free min(0, r)) / q.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.algorithms.zero_one.lower.circuits.cut_pool import EXACT, CutPool, split_circuit
from separatrix.algorithms.zero_one.lower.circuits.node_relaxation import NodeSolution, NodeState

DENOMINATOR = 2**16
MAX_MULTIPLIER_BITS = 12_000  # bits of a multiplier that is stored


@dataclass(eq=False)
class DualBound:
    """Circuits and whole multipliers over `DENOMINATOR`, and the numerator that they prove."""

    circuits: list[int]
    multipliers: list[int]
    value: int

    @property
    def ceiling(self) -> int:
        return -(-self.value // DENOMINATOR)


@dataclass(eq=False)
class Node:
    """A leaf has a bound; an inner node has a row and two children, right first."""

    fixed: np.ndarray
    bound: DualBound | None
    state: NodeState | None
    row: int = -1
    children: list[Node] = field(default_factory=list)


class Tree:
    """All nodes, and those still open, cheapest first."""

    def __init__(self, pool: CutPool) -> None:
        self.pool = pool
        self.weights = [int(w) for w in pool.problem.weights]
        self.open: list[tuple[int, int, Node]] = []
        self.root: Node | None = None
        self.working: list[Node] = []
        self.closed_leaves: list[Node] = []
        self.n_pushed = 0

    def certify(self, fixed: np.ndarray, solved: NodeSolution) -> DualBound:
        """The duals rounded down to whole multipliers, without circuits that are not exact; their value."""
        if solved.bound == np.inf:
            return self.evaluate(fixed, solved.cuts.tolist(), [DENOMINATOR * (sum(self.weights) + 1)])
        scaled = np.floor(solved.duals * DENOMINATOR).tolist()
        shift = self.pool.problem.cost_shift
        pairs = [(c, int(m) << shift) for c, m in zip(solved.cuts.tolist(), scaled, strict=True) if m > 0]
        for chosen in (self._select_needed(fixed, pairs), pairs):
            kept = [(c, m) for c, m in chosen if self.pool.is_exact(c)]
            if len(kept) == len(chosen):
                break
        return self.evaluate(fixed, [c for c, _ in kept], [m for _, m in kept])

    def _select_needed(self, fixed: np.ndarray, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Circuits known to be exact, and of the others no more than the same whole bound takes.

        To settle a circuit takes longer than all else here, and the least multipliers add next to nothing.
        """
        known = [(c, m) for c, m in pairs if self.pool.status[c] == EXACT]
        others = sorted(((c, m) for c, m in pairs if self.pool.status[c] != EXACT), key=lambda pair: -pair[1])

        def evaluate_first(count: int) -> int:
            chosen = known + others[:count]
            return self.evaluate(fixed, [c for c, _ in chosen], [m for _, m in chosen]).ceiling

        target = evaluate_first(len(others))
        low, high = 0, len(others)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if evaluate_first(middle) >= target else (middle + 1, high)
        return known + others[:high]

    def evaluate(self, fixed: np.ndarray, circuits: list[int], multipliers: list[int]) -> DualBound:
        changes: dict[int, int] = {}
        value = 0
        for c, m in zip(circuits, multipliers, strict=True):
            value += m
            for i in self.pool.circuits[c]:
                if i >= 0:
                    changes[i] = changes.get(i, 0) - m
                else:
                    value -= m
                    changes[-1 - i] = changes.get(-1 - i, 0) + m
        for i, change in changes.items():
            remainder = DENOMINATOR * self.weights[i] + change
            if fixed[i] == 0 and remainder < 0:
                value += remainder
            elif fixed[i] > 0:
                value += change
        value += DENOMINATOR * sum(self.weights[i] for i in np.flatnonzero(fixed > 0).tolist())
        return DualBound(circuits, multipliers, value)

    def push(self, node: Node) -> None:
        assert node.bound is not None
        self.n_pushed += 1
        heapq.heappush(self.open, (node.bound.value, self.n_pushed, node))

    def pop(self) -> Node:
        """The open node of least bound, no longer open."""
        return heapq.heappop(self.open)[2]

    def split(self, node: Node, row: int, children: list[Node]) -> None:
        """An inner node needs neither bound nor state."""
        node.row, node.children = row, children
        node.bound = node.state = None

    def compute_lowest(self, ceiling: int) -> int:
        """What the leaves prove in all; closed ones prove at least ``ceiling``."""
        bounds = [node.bound.ceiling for node in self.working + self.closed_leaves if node.bound is not None]
        if self.open:
            bounds.append(-(-self.open[0][0] // DENOMINATOR))
        return min([ceiling, *bounds])

    def to_proof(self, overdue: Callable[[], bool] = lambda: False) -> dict[str, Any]:
        """The tree for a reader who has only the data; see `certificates.check.errors_circuits`.

        Multipliers that are not known when it is ``overdue`` are left to the reader.
        """
        names = self.pool.problem.names
        used: dict[int, int] = {}
        tree: list[int | None] = []
        leaves: list[list[list[int] | list[str]]] = []
        stack = [self.root]
        while stack:
            node = stack.pop()
            assert node is not None
            if node.children:
                tree.append(names[node.row])
                stack += reversed(node.children)
                continue
            assert node.bound is not None
            tree.append(None)
            places = [used.setdefault(c, len(used)) for c in node.bound.circuits]
            leaves.append([places, [int(m) for m in node.bound.multipliers]])
        circuits = [self._write_circuit(c, overdue) for c in used]
        return {"circuits": circuits, "tree": tree, "leaves": leaves}

    def _write_circuit(self, number: int, overdue: Callable[[], bool]) -> list[list[int]]:
        """The rows right, the rows wrong, and multipliers in that order where they are stored: long ones are
        left to the reader, whose Python may refuse to make numbers of so many digits."""
        names = self.pool.problem.names
        circuit = self.pool.circuits[number]
        rows, signs = split_circuit(circuit)
        order = sorted(range(len(rows)), key=lambda k: (-signs[k], rows[k]))
        known = self.pool.multipliers.get(number, []) if overdue() else self.pool.keep_multipliers(number)
        if any(abs(value).bit_length() > MAX_MULTIPLIER_BITS for value in known):
            known = []
        return [
            [names[rows[k]] for k in order if signs[k] > 0],
            [names[rows[k]] for k in order if signs[k] < 0],
            [int(known[k]) for k in order] if known else [],
        ]
