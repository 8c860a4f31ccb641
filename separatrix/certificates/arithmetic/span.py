"""The span of some rows, pinned from both sides.

Rows F span a space of dimension at least their rank modulo a prime. If ``normals`` are k independent
vectors and every row of a set G ⊇ F is orthogonal to all of them, G spans a space of dimension at most D -
k. When the two numbers agree, every row of G lies in the span of F.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from separatrix.certificates.arithmetic.dyadic import dyadic
from separatrix.certificates.data.reading import RowSource
from separatrix.certificates.fields import Number

PRIMES = (2**31 - 1, 10**9 + 7, 998244353)


def rank_at_least(vectors: Sequence[Sequence[int]]) -> int:
    """A lower bound on the rank, nearly always the rank.

    >>> rank_at_least([(1, 2, 3), (2, 4, 6), (0, 1, 0)])
    2
    """
    best = 0
    for prime in PRIMES if vectors else ():
        best = max(best, _rank_modulo(vectors, prime))
        if best == min(len(vectors), len(vectors[0])):
            break
    return best


def _rank_modulo(vectors: Sequence[Sequence[int]], prime: int) -> int:
    # Below 2^31 a product of two residues fits 64 bits.
    left = np.array([[value % prime for value in vector] for vector in vectors], np.int64)
    rank = 0
    for column in range(left.shape[1]):
        places = np.flatnonzero(left[rank:, column])
        if not places.size:
            continue
        pivot = rank + int(places[0])
        left[[rank, pivot]] = left[[pivot, rank]]
        inverse = pow(int(left[rank, column]), -1, prime)
        factors = left[rank + 1 :, column] * inverse % prime
        left[rank + 1 :] = (left[rank + 1 :] - factors[:, np.newaxis] * left[rank] % prime) % prime
        rank += 1
        if rank == len(left):
            break
    return rank


def signed_rows(source: RowSource, rows: Sequence[int], constant: bool) -> list[tuple[int, ...]]:
    """Rows z = s(x, 1), each times a power of two of its own, as whole numbers."""
    found: list[tuple[int, ...]] = []
    for X, signs, _ in source.gather(rows):
        dense = X.toarray() if hasattr(X, "toarray") else X
        for values, sign in zip(dense.tolist(), signs.tolist(), strict=True):
            numbers: Iterable[Number] = chain(values, (1,)) if constant else values
            found.append(tuple(sign * whole for whole in dyadic(numbers).wholes))
    return found
