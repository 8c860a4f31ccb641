"""The circuits met so far, each written once, and which of them are exact.

**Theorem** (Motzkin's transposition, 1936). Rows P and N with multipliers λ > 0 on P, not empty, and μ > 0 on
N have Σ_P λ_i z_i = Σ_N μ_j z_j. Then no w has z_i·w > 0 on all of P and z_j·w ≤ 0 on all of N: the left
side would be positive, the right side not. So with h = 1 for an error and 0 for a right answer,

    Σ_P h_i + Σ_N (1 − h_j) ≥ 1,

for every w. Conversely, if rows C and E admit no w that is right on C and wrong on E, there are such P in C
and N in E. The sides are those of the definition of an error: strict on P, weak on N.

A row i of P is written i, a row j of N is written −1 − j.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from separatrix.algorithms.separation.gordan import find_dependency
from separatrix.algorithms.zero_one.lower.circuits.circuit_span import CircuitSpan, find_circuit_span
from separatrix.algorithms.zero_one.lower.circuits.walk_kernels import is_certain_circuit
from separatrix.algorithms.zero_one.problem import ReducedProblem

UNKNOWN, EXACT, WRONG = 0, 1, 2
MAX_UNSTORED_COLUMNS = 20  # above, multipliers are kept: solving again would cost the reader more
MIN_SPAN_CIRCUITS = 40  # circuits solved for in whole numbers before it is worth while to look for their span


class CutPool:
    """Circuits by number: ``literals[start[c]:start[c + 1]]``."""

    def __init__(self, problem: ReducedProblem) -> None:
        self.problem = problem
        self.numbers: dict[tuple[int, ...], int] = {}
        self.circuits: list[tuple[int, ...]] = []
        self.multipliers: dict[int, list[int]] = {}
        self.status = np.zeros(1024, np.int8)
        self.start = np.zeros(1025, np.int64)
        self.literals = np.zeros(8192, np.int64)
        self._lock = threading.Lock()
        self._span: CircuitSpan | None = None
        self._n_solved = 0

    def add(self, circuit: Sequence[int]) -> int:
        """The number of a circuit, given as literals in any order."""
        key = tuple(sorted(circuit))
        with self._lock:
            number = self.numbers.get(key)
            if number is None:
                number = len(self.circuits)
                end = int(self.start[number]) + len(key)
                if number == len(self.status):
                    self.status = np.concatenate([self.status, np.zeros_like(self.status)])
                    self.start = np.concatenate([self.start, np.zeros(number, np.int64)])
                if end > len(self.literals):
                    self.literals = np.concatenate([self.literals, np.zeros(end, np.int64)])
                self.literals[end - len(key) : end] = key
                self.start[number + 1] = end
                self.circuits.append(key)
                self.numbers[key] = number
        return number

    def is_exact(self, number: int) -> bool:
        """Whether whole multipliers with the right signs exist; solved for once."""
        if self.status[number] == UNKNOWN:
            self.status[number] = EXACT if self._is_circuit(number) else WRONG
        return bool(self.status[number] == EXACT)

    def is_wrong(self, number: int) -> bool:
        """Whether it is known to be no circuit."""
        return bool(self.status[number] == WRONG)

    def _is_circuit(self, number: int) -> bool:
        rows, signs = split_circuit(self.circuits[number])
        problem = self.problem
        columns = None
        if len(rows) == problem.D + 1:
            columns = np.arange(problem.D)
        elif self._span is not None and len(rows) == self._span.dimension + 1:
            columns = self._span.columns if self._span.is_member[rows].all() else None
        if columns is not None and problem.has_exact_floats:
            points = problem.floats[rows][:, columns] * np.array(signs, np.float64)[:, None]
            if is_certain_circuit(points):
                return True
        self._n_solved += 1
        if self._n_solved == MIN_SPAN_CIRCUITS:
            self._span = find_circuit_span(problem)
        return self._solve(number) is not None

    def keep_multipliers(self, number: int) -> list[int]:
        """The multipliers of an exact circuit, in the order of its rows, where a reader is glad of them."""
        if self.problem.D <= MAX_UNSTORED_COLUMNS:
            return []
        return self.multipliers.get(number) or self._solve(number) or []

    def _solve(self, number: int) -> list[int] | None:
        """The positive multipliers, if there are."""
        rows, signs = split_circuit(self.circuits[number])
        found = find_dependency([self.problem.Z[i] for i in rows])
        if found is None:
            return None
        orientation = 1 if found[0] * signs[0] > 0 else -1
        multipliers = [orientation * sign * value for sign, value in zip(signs, found, strict=True)]
        if min(multipliers) <= 0:
            return None
        if self.problem.D > MAX_UNSTORED_COLUMNS:
            self.multipliers[number] = multipliers
        return multipliers


def split_circuit(circuit: Sequence[int]) -> tuple[list[int], list[int]]:
    """Rows and their signs: 1 in P, −1 in N."""
    return [i if i >= 0 else -1 - i for i in circuit], [1 if i >= 0 else -1 for i in circuit]
