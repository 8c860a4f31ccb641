"""Some rows in place of all: where a search starts, and how it scales.

`Rows.sample` takes some of all rows. Here numbers of rows are chosen that are known already, such as those of
the rows with a weight.
"""

from __future__ import annotations

import numpy as np

from separatrix.rows import Rows


def draw_evenly(numbers: np.ndarray, size: int, random: np.random.Generator) -> np.ndarray:
    """One of each of ``size`` runs of equal length, at random: as many in each part of the data."""
    edges = np.linspace(0, len(numbers), size + 1).astype(np.int64)
    return np.asarray(numbers[edges[:-1] + (random.random(size) * np.diff(edges)).astype(np.int64)])


def thin_out(values: np.ndarray, size: int) -> np.ndarray:
    """Every k-th value, with the largest k that leaves ``size`` or more of them."""
    return values[:: max(1, len(values) // size)]


def select_counted_rows(rows: Rows) -> tuple[Rows, np.ndarray | None]:
    """The rows of a weight above 0, each counting once, and their numbers where some have none."""
    if rows.weights is None or (rows.weights > 0).all():
        return rows, None
    numbers = np.flatnonzero(rows.weights > 0)
    return rows.weighted(None).take(numbers), numbers
