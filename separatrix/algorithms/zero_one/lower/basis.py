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
from separatrix.algorithms.zero_one.problem import Problem, Whole, primitive
from separatrix.certificates.arithmetic.linear_algebra import fmpz_mat, nmod_mat

BITS = 26
PRIME = 2**61 - 1


def basis_of(problem: Problem, best: Sequence[int]) -> tuple[list[Whole], list[Whole]]:
    """Vectors for ``problem.Z``: a basis, and a basis of the directions in which every row scores 0.

    Together they span the space.
    """
    null = null_space(problem)
    independent = find_pivots(fmpz_mat(_gram(problem))) if null else list(range(problem.D))
    rounded = _round_basis(problem, best, independent)
    if rounded is not None and rank([*rounded, *null]) == problem.D:
        return rounded, null
    units: list[Whole] = []
    for j in range(problem.D):
        unit = tuple(int(k == j) for k in range(problem.D))
        if rank([*null, *units, unit]) == len(null) + len(units) + 1:
            units.append(unit)
    return units, null


def null_space(problem: Problem) -> list[Whole]:
    """A basis of {u : Z u = 0}, exactly."""
    D = problem.D
    vectors, nullity = fmpz_mat(_gram(problem)).nullspace()
    return [primitive([int(vectors[i, k]) for i in range(D)]) for k in range(nullity)]


def _gram(problem: Problem) -> list[list[int]]:
    columns = list(zip(*problem.Z, strict=True))
    return [[sum(map(mul, a, b)) for b in columns] for a in columns]


def rank(vectors: Sequence[Sequence[int]]) -> int:
    """The rank modulo a large prime: never above the rank."""
    if not vectors:
        return 0
    return int(nmod_mat([[a % PRIME for a in v] for v in vectors], PRIME).rank())


def stepped(problem: Problem) -> np.ndarray:
    """Columns in which some value comes more often than there are dimensions, the constant aside.

    Many hyperplanes then meet in the ray that looks at this column alone. A cone with that ray in its inside
    is never settled; one with an edge through it is cut there.
    """
    several = np.zeros(problem.D, dtype=bool)
    for j in range(problem.D - problem.intercept):
        _, counts = np.unique(abs(problem.values[:, j]), return_counts=True)
        several[j] = counts.max(initial=0) > problem.D + 2
    return several


def _round_basis(problem: Problem, best: Sequence[int], independent: Sequence[int]) -> list[Whole] | None:
    """Vectors that are zero but for some independent columns, as many as those."""
    fixed = stepped(problem)
    (floats, units), count = problem.levelled, len(independent)
    standing = [j for j in independent if fixed[j]]
    loose = [j for j in independent if not fixed[j]]
    with np.errstate(all="ignore"):
        basis = np.zeros((problem.D, count))
        for at, j in enumerate(standing):
            basis[j, at] = 1.0 / np.sqrt(np.mean(floats[:, j] ** 2))
        try:
            scores, sizes, directions = np.linalg.svd(floats[:, loose], full_matrices=False)
        except np.linalg.LinAlgError:
            return None
        if len(sizes) < len(loose) or (sizes.size and not sizes[-1] > 1e-13 * sizes[0]):
            return None
        turned = directions.T / sizes * np.sqrt(problem.m)
        weights = units * problem.to_floats(best)
        weights[standing] = 0.0
        middle = scores.T @ (floats @ weights)
        size = np.linalg.norm(middle)
        if size > 0 and np.isfinite(size):
            mirror = middle / size - np.full(len(loose), len(loose) ** -0.5)
            length = np.linalg.norm(mirror)
            if length > 1e-6:
                mirror /= length
                turned = turned - 2 * np.outer(turned @ mirror, mirror)
        basis[loose, count - len(loose) :] = turned
        if not np.isfinite(basis).all():
            return None
        largest = abs(basis).max(axis=0)
        grain = np.ldexp(1.0, np.frexp(largest)[1] - BITS)
        basis = np.rint(basis / grain) * grain / units[:, None]  # units are powers of two
    shifts = [int(-h) - e for h, e in zip(problem.halvings, problem.exponents, strict=True)]
    exact = [
        [Fraction(float(a)) * (Fraction(2) ** k) for a, k in zip(vector, shifts, strict=True)]
        for vector in basis.T
    ]
    common = lcm(*(a.denominator for vector in exact for a in vector))
    wholes = [[int(a * common) for a in vector] for vector in exact]
    divisor = gcd(*(a for vector in wholes for a in vector)) or 1
    return [tuple(a // divisor for a in vector) for vector in wholes]
