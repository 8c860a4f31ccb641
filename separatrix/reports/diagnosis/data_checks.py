"""What is seen before any line is drawn: equal rows, twins, constant and dependent columns."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from separatrix.algorithms.separation.coordinates import to_exact_rows
from separatrix.algorithms.separation.null_space import PRIME, multiply_modulo_prime, reduce_modulo_prime
from separatrix.algorithms.separation.subspace import find_null_basis
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.reports.diagnosis.diagnosis_record import Dependence, Repetition
from separatrix.rows import Block, Rows

MAX_HASHED_ROWS = 2_000_000  # rows: above this equal rows are not looked for
MAX_COLUMNS = 400  # above this dependent columns are not looked for
MAX_EXACT_ROWS = 20_000  # rows times dependences that are checked one by one
MAX_GROUPS = 50


def repetition(rows: Rows) -> Repetition | None:
    """How many rows repeat earlier ones, and which equal rows carry different labels."""
    if rows.n_rows > MAX_HASHED_ROWS:
        return None
    places: dict[bytes, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    keys = chain.from_iterable(rows.each(RowKeys()))
    for row, (code, key) in enumerate(zip(rows.label_codes().tolist(), keys, strict=True)):
        places[key][code].append(row)
    repeated = sum(sum(map(len, found.values())) - 1 for found in places.values())
    tangled = [found for found in places.values() if len(found) > 1]
    groups = sorted(tuple(sorted(row for rows in found.values() for row in rows)) for found in tangled)
    # Of a group every label but the most frequent one is wrong, wherever the line runs.
    forced = sum(
        sum(map(len, found.values())) - max(len(rows) for rows in found.values()) for found in tangled
    )
    return Repetition(repeated, len(groups), sum(map(len, groups)), forced, tuple(groups[:MAX_GROUPS]))


def constant_columns(rows: Rows) -> tuple[int, ...]:
    """Columns with one value."""
    lowest, highest = zip(*rows.each(ColumnRanges()), strict=True)
    return tuple(np.flatnonzero(np.min(lowest, axis=0) == np.max(highest, axis=0)).tolist())


def dependences(rows: Rows, names: Sequence[str], *, intercept: bool) -> tuple[Dependence, ...] | None:
    """Columns that are exact combinations of earlier ones and the constant; None where it was not looked at.

    A combination found on some rows is tried on all of them: exactly where they are few, else modulo a prime,
    and ``exact`` says which.
    """
    d = rows.n_columns
    if d > MAX_COLUMNS:
        return None
    width = d + intercept
    some = rows.sample(4 * width).whole().dense()
    while True:
        basis = find_null_basis(to_exact_rows(some, np.ones(len(some)), intercept), width)
        normals = [[int(basis[i, k]) for i in range(width)] for k in range(basis.ncols())]
        against = _counterexample(rows, normals, intercept) if normals else None
        if against is None:
            break
        some = np.vstack([some, against])
    exact = rows.n_rows * len(normals) <= MAX_EXACT_ROWS
    if exact and not all(_vanishes(rows, normal, intercept) for normal in normals):
        return None  # the prime divided what it should not: say nothing rather than something wrong
    found = []
    for normal in normals:
        inside = [j for j in range(d) if normal[j]]
        if not inside:
            continue
        on = tuple(names[j] for j in inside[:-1])
        constant = bool(intercept and normal[-1])
        found.append(Dependence(names[inside[-1]], on, constant, exact))
    return tuple(found)


@dataclass(frozen=True)
class ColumnRanges:
    """The least and the largest value of every column of a block."""

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        if not block.is_sparse:
            return block.X.min(axis=0), block.X.max(axis=0)
        columns = block.matrix().tocsc()
        return columns.min(axis=0).toarray().ravel(), columns.max(axis=0).toarray().ravel()


@dataclass(frozen=True)
class RowKeys:
    """For every row of a block a key that equal rows share, and others all but certainly do not."""

    def __call__(self, block: Block) -> list[bytes]:
        if not block.is_sparse:
            plain = np.ascontiguousarray(block.X + 0.0)  # −0 and 0 are the same number
            return [_digest(row.tobytes()) for row in plain]
        part = block.matrix().copy()
        part.sum_duplicates()
        part.eliminate_zeros()
        inside = map(slice, part.indptr[:-1], part.indptr[1:])
        return [_digest(part.indices[entries].tobytes() + part.data[entries].tobytes()) for entries in inside]


def _digest(content: bytes) -> bytes:
    return content if len(content) <= 32 else hashlib.blake2b(content, digest_size=32).digest()


def _counterexample(rows: Rows, normals: list[list[int]], intercept: bool) -> np.ndarray | None:
    """The first row on which a combination does not vanish modulo a prime."""
    plain = np.array([[value % PRIME for value in normal] for normal in normals], np.int64).T
    found = rows.each(FirstCounterexample(plain, intercept))
    return next((row for row in found if row is not None), None)


@dataclass(frozen=True)
class FirstCounterexample:
    """The first row of a block on which some combination is not 0 modulo a prime."""

    normals: np.ndarray
    intercept: bool

    def __call__(self, block: Block) -> np.ndarray | None:
        X = block.dense()
        odd = np.flatnonzero(
            multiply_modulo_prime(reduce_modulo_prime(X, self.intercept), self.normals).any(axis=1)
        )
        return np.asarray(X[odd[:1]], np.float64) if len(odd) else None


def _vanishes(rows: Rows, normal: list[int], intercept: bool) -> bool:
    vanishes = Vanishes(tuple(normal[: rows.n_columns]), normal[-1] if intercept else None)
    return all(rows.each(vanishes))


@dataclass(frozen=True)
class Vanishes:
    """Whether a combination of the columns is 0 on every row of a block."""

    weights: tuple[int, ...]
    constant: int | None

    def __call__(self, block: Block) -> bool:
        sides = Margins(self.weights, self.constant).compare(
            block.matrix(), np.ones(len(block), np.int8), block.start
        )
        return not sides.any()


def shown_values(rows: Rows, wanted: Sequence[int]) -> dict[int, tuple[Any, tuple[float, ...]]]:
    """The label and the values of some rows, by their numbers."""
    numbers = np.unique(np.array(wanted, np.int64))
    if not len(numbers):
        return {}
    block = rows.take(numbers).whole()
    labels = rows.require_labels()[block.codes].tolist()
    values = zip(labels, map(tuple, block.dense().tolist()), strict=True)
    return dict(zip(numbers.tolist(), values, strict=True))
