"""What is seen before any line is drawn: equal rows, twins, constant and dependent columns."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from separatrix.algorithms.separation.coordinates import to_exact_rows
from separatrix.algorithms.separation.null_space import PRIME, multiply_modulo_prime, reduce_modulo_prime
from separatrix.algorithms.separation.subspace import find_null_basis
from separatrix.certificates.arithmetic.margin_signs import Margins
from separatrix.fitting.exact_errors import matrix
from separatrix.reports.diagnosis.diagnosis_record import Dependence, Repetition
from separatrix.rows import Csr, Rows
from separatrix.rows.rows import dense_rows

MAX_HASHED_ROWS = 2_000_000  # rows: above this equal rows are not looked for
MAX_COLUMNS = 400  # above this dependent columns are not looked for
MAX_EXACT_ROWS = 20_000  # rows times dependences that are checked one by one
MAX_GROUPS = 50


def repetition(rows: Rows) -> Repetition | None:
    """How many rows repeat earlier ones, and which equal rows carry different labels."""
    if rows.n_rows > MAX_HASHED_ROWS:
        return None
    places: dict[bytes, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, code, key in _keys(rows):
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
    low = np.full(rows.n_columns, np.inf)
    high = np.full(rows.n_columns, -np.inf)
    for block in rows.blocks():
        if isinstance(block.X, Csr):
            part = matrix(block, rows.n_columns).tocsc()
            low = np.minimum(low, part.min(axis=0).toarray().ravel())
            high = np.maximum(high, part.max(axis=0).toarray().ravel())
        else:
            low = np.minimum(low, block.X.min(axis=0))
            high = np.maximum(high, block.X.max(axis=0))
    return tuple(np.flatnonzero(low == high).tolist())


def dependences(rows: Rows, names: Sequence[str], *, intercept: bool) -> tuple[Dependence, ...] | None:
    """Columns that are exact combinations of earlier ones and the constant; None where it was not looked at.

    A combination found on some rows is tried on all of them: exactly where they are few, else modulo a prime,
    and ``exact`` says which.
    """
    d = rows.n_columns
    if d > MAX_COLUMNS:
        return None
    width = d + intercept
    some = rows.sample(4 * width)
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


def _keys(rows: Rows) -> Iterator[tuple[int, int, bytes]]:
    for block in rows.blocks():
        assert block.codes is not None
        codes = block.codes.tolist()
        if isinstance(block.X, Csr):
            part = matrix(block, rows.n_columns).copy()
            part.sum_duplicates()
            part.eliminate_zeros()
            for row, code in enumerate(codes):
                inside = slice(part.indptr[row], part.indptr[row + 1])
                key = part.indices[inside].tobytes() + part.data[inside].tobytes()
                yield block.start + row, code, _digest(key)
        else:
            plain = np.ascontiguousarray(block.X + 0.0)  # −0 and 0 are the same number
            for row, code in enumerate(codes):
                yield block.start + row, code, _digest(plain[row].tobytes())


def _digest(content: bytes) -> bytes:
    return content if len(content) <= 32 else hashlib.blake2b(content, digest_size=32).digest()


def _counterexample(rows: Rows, normals: list[list[int]], intercept: bool) -> np.ndarray | None:
    """The first row on which a combination does not vanish modulo a prime."""
    plain = np.array([[value % PRIME for value in normal] for normal in normals], np.int64).T
    for block in rows.blocks():
        X = block.X
        if isinstance(X, Csr):
            X = dense_rows(X, np.arange(len(block)), rows.n_columns)
        left = multiply_modulo_prime(reduce_modulo_prime(np.asarray(X), intercept), plain)
        odd = np.flatnonzero(left.any(axis=1))
        if len(odd):
            return np.asarray(X[odd[:1]], np.float64)
    return None


def _vanishes(rows: Rows, normal: list[int], intercept: bool) -> bool:
    plane = Margins(tuple(normal[: rows.n_columns]), normal[-1] if intercept else None)
    return all(
        not plane.compare(matrix(block, rows.n_columns), np.ones(len(block), np.int8), block.start).any()
        for block in rows.blocks()
    )


def shown_values(rows: Rows, wanted: Sequence[int]) -> dict[int, tuple[Any, tuple[float, ...]]]:
    """The label and the values of some rows, by their numbers."""
    numbers = np.array(sorted(set(wanted)), np.int64)
    labels = rows.classes
    assert labels is not None
    found: dict[int, tuple[Any, tuple[float, ...]]] = {}
    for block in rows.blocks():
        here = numbers[(numbers >= block.start) & (numbers < block.stop)] - block.start
        if not len(here):
            continue
        assert block.codes is not None
        values = dense_rows(block.X, here, rows.n_columns).tolist()
        for place, row in zip(here.tolist(), values, strict=True):
            label = labels[block.codes[place]]
            found[block.start + place] = (label.item() if hasattr(label, "item") else label, tuple(row))
    return found
