"""The subspace in which the circuits lie, exactly, so that few columns settle a circuit in floats.

A row that some w has right without making any row wrong can be in no circuit. The others span a subspace,
often of fewer dimensions than there are columns. Whatever of it vanishes in as many independent columns as it
has dimensions vanishes in all.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from separatrix.algorithms.separation.integers import find_pivots, take_submatrix, to_fmpz_matrix
from separatrix.algorithms.zero_one.problem import Problem
from separatrix.certificates.arithmetic.linear_algebra import fmpq_mat


class Flat(NamedTuple):
    """Which rows lie in the subspace, and columns in which its points are told apart."""

    member: np.ndarray
    columns: np.ndarray

    @property
    def dimension(self) -> int:
        return len(self.columns)


def flat(problem: Problem) -> Flat | None:
    """The span of the rows that circuits may have; None where floats proposed no such thing."""
    chosen = np.flatnonzero(_entangled(problem.floats))
    if not len(chosen):
        return None
    points = to_fmpz_matrix([problem.Z[i] for i in chosen.tolist()], problem.D)
    columns = find_pivots(points)
    others = [j for j in range(problem.D) if j not in columns]
    if others:
        base = find_pivots(points.transpose())
        if len(base) != len(columns):
            return None
        square, rest = take_submatrix(points, base, columns), take_submatrix(points, base, others)
        try:
            above, below = cast(fmpq_mat, square.solve(rest)).numer_denom()
        except ZeroDivisionError:
            return None
        every = range(len(chosen))
        if take_submatrix(points, every, columns) * above != take_submatrix(points, every, others) * below:
            return None
    member = np.zeros(problem.m, bool)
    member[chosen] = True
    return Flat(member, np.array(columns))


def _entangled(Z: np.ndarray) -> np.ndarray:
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
