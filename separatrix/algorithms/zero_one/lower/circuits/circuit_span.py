"""The subspace in which the circuits lie, exactly, so that few columns settle a circuit in floats.

A row that some w has right without making any row wrong can be in no circuit. The others span a subspace,
often of fewer dimensions than there are columns. Whatever of it vanishes in as many independent columns as it
has dimensions vanishes in all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from separatrix.algorithms.separation.integers import find_pivots, take_submatrix, to_fmpz_matrix
from separatrix.algorithms.zero_one.problem import ReducedProblem
from separatrix.certificates.arithmetic.linear_algebra import fmpq_mat


class CircuitSpan(NamedTuple):
    """Which rows lie in the subspace, and columns in which its points are told apart."""

    is_member: np.ndarray
    columns: np.ndarray

    @property
    def dimension(self) -> int:
        return len(self.columns)


def find_circuit_span(problem: ReducedProblem) -> CircuitSpan | None:
    """The span of the rows that circuits may have; None where floats proposed no such thing."""
    chosen = np.flatnonzero(_find_circuit_rows(problem.floats))
    if not len(chosen):
        return None
    points = to_fmpz_matrix([problem.Z[i] for i in chosen.tolist()], problem.D)
    columns = find_pivots(points)
    others = [j for j in range(problem.D) if j not in columns]
    if others:
        pivot_rows = find_pivots(points.transpose())
        if len(pivot_rows) != len(columns):
            return None
        square, rest = take_submatrix(points, pivot_rows, columns), take_submatrix(points, pivot_rows, others)
        try:
            solved = square.solve(rest)
        except ZeroDivisionError:
            return None
        assert isinstance(solved, fmpq_mat)
        numerators, denominator = solved.numer_denom()
        all_places = range(len(chosen))
        if (
            take_submatrix(points, all_places, columns) * numerators
            != take_submatrix(points, all_places, others) * denominator
        ):
            return None
    is_member = np.zeros(problem.m, bool)
    is_member[chosen] = True
    return CircuitSpan(is_member, np.array(columns))


def _find_circuit_rows(Z: np.ndarray) -> np.ndarray:
    """The rows that no w with Z·w ≥ 0 has right, by a linear program."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, identity

    m, D = Z.shape
    answer = linprog(
        np.concatenate((np.zeros(D), -np.ones(m))),
        A_ub=hstack([csr_array(-Z), identity(m, format="csr")], format="csr"),
        b_ub=np.zeros(m),
        bounds=[(None, None)] * D + [(0, 1)] * m,
        method="highs",
    )
    return np.zeros(m, bool) if answer.x is None else np.asarray(answer.x[D:] < 0.5)
