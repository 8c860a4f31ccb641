"""Rows on which a cyclic perceptron makes few mistakes and yet needs exactly five passes.

All rows but a few lie far on their side along the first column, and the first row alone puts the weights
right for them. The `HARD` few, spread evenly, live in eight columns of their own and are learned in four
passes with mistakes and a fifth without. Their entries are sixteenths, so every sum that decides about them
is exact: the run is the same in float32 and float64, on any machine and in any library, and the fit ends
with a proof instead of a question.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix

PASSES = 5
MISTAKES = 50
HARD = 256
SPAN = slice(1, 9)  # the columns of the hard rows
FAR = 64.0
CHUNK = 2**25  # values made at a time


def dense(n: int, d: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """X and labels 0 and 1."""
    X, y = np.empty((n, d), dtype), np.empty(n, np.int64)
    at = 0
    for part, labels in chunks(n, d, max(1, CHUNK // d)):
        X[at : at + len(part)], y[at : at + len(part)] = part, labels
        at += len(part)
    return X, y


def chunks(n: int, d: int, rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The same, some rows at a time."""
    random = np.random.default_rng(0)
    places, entries, labels = _hard_rows(n)
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        X = random.standard_normal((stop - start, d))
        y = random.integers(0, 2, stop - start)
        X[:, 0] = np.where(y == 1, 1.0, -1.0) * (FAR + np.abs(X[:, 0]))
        if start == 0:
            X[0], y[0] = np.where(X[0] > 0, 0.25, -0.25), 1
            X[0, 0], X[0, SPAN] = FAR, 0.0
        here = (places >= start) & (places < stop)
        at = places[here] - start
        X[at], y[at] = 0.0, labels[here]
        X[at, SPAN] = entries[here]
        yield X, y


def sparse(n: int, d: int, dtype: str, *, hard: bool = True) -> tuple[csr_matrix, np.ndarray]:
    """Rows with 40 to 75 values each; without hard rows the first pass puts everything right."""
    random = np.random.default_rng(0)
    stored = random.integers(40, 76, n)
    y = random.integers(0, 2, n)
    y[0] = 1
    indptr = np.concatenate([[0], np.cumsum(stored)])
    indices = random.integers(SPAN.stop, d, indptr[-1])
    data = np.round(random.standard_normal(indptr[-1]) * 16) / 16
    indices[indptr[:-1]] = 0
    data[indptr[:-1]] = np.where(y == 1, FAR, -FAR)
    if hard:
        places, entries, labels = _hard_rows(n)
        y[places] = labels
        for place, entry in zip(places, entries, strict=True):
            span = slice(indptr[place], indptr[place + 1])
            data[span] = 0.0
            data[span][: entry.size] = entry
            indices[span][: entry.size] = np.arange(SPAN.start, SPAN.stop)
    X = csr_matrix((data.astype(dtype), indices.astype(np.int32), indptr.astype(np.int32)), shape=(n, d))
    X.sum_duplicates()
    return X, y


def _hard_rows(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where they stand, their entries in `SPAN`, and their labels."""
    random = np.random.default_rng(8)
    entries = random.integers(-16, 17, (400, SPAN.stop - SPAN.start)) / 16
    normal = random.standard_normal(entries.shape[1:])
    normal = normal / np.linalg.norm(normal)
    entries = entries[np.abs(entries @ normal) > 0.1][:HARD]
    if n < 2 * HARD:
        raise ValueError(f"{n} rows do not hold {HARD} hard ones: at least {2 * HARD} are needed.")
    places = np.linspace(1, n - 1, HARD).astype(np.int64)
    return places, entries, (entries @ normal > 0).astype(np.int64)
