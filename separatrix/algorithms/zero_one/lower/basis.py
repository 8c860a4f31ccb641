"""A basis of the space of halfspaces, in whole numbers: round in shape, with the best halfspace in a middle.

Any basis serves a proof. A good one makes the 2^r cones around it even: in coordinates in which the rows'
second moments are 1, turned so that the best halfspace so far is the middle of one cone and not on a wall
between several.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from operator import mul

import numpy as np

from separatrix.algorithms.separation.integers import find_pivots
from separatrix.algorithms.zero_one.problem import IntegerVector, ReducedProblem, to_primitive_vector
from separatrix.certificates.arithmetic.linear_algebra import fmpz_mat, nmod_mat

BITS = 26
PRIME = 2**61 - 1


def find_basis(
    problem: ReducedProblem, best: Sequence[int]
) -> tuple[list[IntegerVector], list[IntegerVector]]:
    """Vectors for ``problem.Z``: a basis, and a basis of the directions in which every row scores 0.

    Together they span the space.
    """
    null = find_exact_null_space(problem)
    independent = find_pivots(fmpz_mat(_compute_gram(problem))) if null else list(range(problem.D))
    round_basis = _find_round_basis(problem, best, independent)
    if round_basis is not None and compute_rank([*round_basis, *null]) == problem.D:
        return round_basis, null
    units: list[IntegerVector] = []
    for j in range(problem.D):
        unit = tuple(int(k == j) for k in range(problem.D))
        if compute_rank([*null, *units, unit]) == len(null) + len(units) + 1:
            units.append(unit)
    return units, null


def find_exact_null_space(problem: ReducedProblem) -> list[IntegerVector]:
    """A basis of {u : Z u = 0}, exactly."""
    D = problem.D
    vectors, nullity = fmpz_mat(_compute_gram(problem)).nullspace()
    return [to_primitive_vector([int(vectors[i, k]) for i in range(D)]) for k in range(nullity)]


def _compute_gram(problem: ReducedProblem) -> list[list[int]]:
    columns = list(zip(*problem.Z, strict=True))
    return [[sum(map(mul, a, b)) for b in columns] for a in columns]


def compute_rank(vectors: Sequence[Sequence[int]]) -> int:
    """The rank modulo a large prime: never above the rank."""
    if not vectors:
        return 0
    return int(nmod_mat([[a % PRIME for a in v] for v in vectors], PRIME).rank())


def find_stepped_columns(problem: ReducedProblem) -> np.ndarray:
    """Columns in which some value comes more often than there are dimensions, the constant aside.

    Many hyperplanes then meet in the ray that looks at this column alone. A cone with that ray in its inside
    is never settled; one with an edge through it is cut there.
    """
    is_stepped = np.zeros(problem.D, dtype=bool)
    for j in range(problem.D - problem.intercept):
        _, counts = np.unique(abs(problem.values[:, j]), return_counts=True)
        is_stepped[j] = counts.max(initial=0) > problem.D + 2
    return is_stepped


def _find_round_basis(
    problem: ReducedProblem, best: Sequence[int], independent: Sequence[int]
) -> list[IntegerVector] | None:
    """Vectors that are zero but for some independent columns, as many as those."""
    is_fixed = find_stepped_columns(problem)
    (floats, units), count = problem.equilibrated, len(independent)
    fixed_columns = [j for j in independent if is_fixed[j]]
    free_columns = [j for j in independent if not is_fixed[j]]
    with np.errstate(all="ignore"):
        basis = np.zeros((problem.D, count))
        for place, j in enumerate(fixed_columns):
            basis[j, place] = 1.0 / np.sqrt(np.mean(floats[:, j] ** 2))
        try:
            scores, sizes, directions = np.linalg.svd(floats[:, free_columns], full_matrices=False)
        except np.linalg.LinAlgError:
            return None
        if len(sizes) < len(free_columns) or (sizes.size and not sizes[-1] > 1e-13 * sizes[0]):
            return None
        rotated = directions.T / sizes * np.sqrt(problem.m)
        weights = units * problem.to_floats(best)
        weights[fixed_columns] = 0.0
        middle = scores.T @ (floats @ weights)
        size = np.linalg.norm(middle)
        if size > 0 and np.isfinite(size):
            mirror = middle / size - np.full(len(free_columns), len(free_columns) ** -0.5)
            length = np.linalg.norm(mirror)
            if length > 1e-6:
                mirror /= length
                rotated = rotated - 2 * np.outer(rotated @ mirror, mirror)
        basis[free_columns, count - len(free_columns) :] = rotated
        if not np.isfinite(basis).all():
            return None
        largest = abs(basis).max(axis=0)
        step = np.ldexp(1.0, np.frexp(largest)[1] - BITS)
        basis = np.rint(basis / step) * step / units[:, None]  # units are powers of two
    shifts = [int(-h) - e for h, e in zip(problem.scale_exponents, problem.exponents, strict=True)]
    exact = [
        [Fraction(float(a)) * (Fraction(2) ** k) for a, k in zip(vector, shifts, strict=True)]
        for vector in basis.T
    ]
    denominator = lcm(*(a.denominator for vector in exact for a in vector))
    integers = [[int(a * denominator) for a in vector] for vector in exact]
    divisor = gcd(*(a for vector in integers for a in vector)) or 1
    return [tuple(a // divisor for a in vector) for vector in integers]
