"""The order in which rows are visited: what one pass is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.rows import Block, DataError, Rows

SHUFFLED_ROWS = 1024  # rows of a shuffled block: random inside and outside, yet read at memory speed

Visits = Iterator[tuple[Block, np.ndarray]]


def parse_order(order: Any) -> str | np.ndarray:
    """One of the four words, or the given sequence of row numbers."""
    if isinstance(order, str):
        word = order.replace("_", " ").replace("-", " ").removesuffix(" violator")
        if word in ("cyclic", "shuffled", "drawn", "first", "worst"):
            return word
        raise ValueError(
            f"order={order!r} is none of 'cyclic', 'shuffled', 'drawn', 'first violator', 'worst violator' "
            "or a sequence of row numbers."
        )
    sequence = np.asarray(order)
    if sequence.ndim != 1 or sequence.size == 0 or sequence.dtype.kind not in "iu":
        raise ValueError(
            "order as a sequence must be a non-empty list of row numbers (whole numbers from 0)."
        )
    return sequence


def iterate_visits(rows: Rows, order: str | np.ndarray, random: np.random.RandomState) -> Visits:
    """The blocks of a pass that does not go from the first row to the last, with the places to visit."""
    if isinstance(order, np.ndarray):
        yield from _visit_sequence(rows, order)
    else:
        yield from _visit_at_random(rows, random, with_replacement=order == "drawn")


def _visit_at_random(rows: Rows, random: np.random.RandomState, *, with_replacement: bool) -> Visits:
    """Every row once, in random order; or as many draws, in which a row may come again."""
    # A true shuffle of a large array costs 3 to 7 times the time of a pass; blocks in random order,
    # shuffled inside, cost nothing. A file is read in its own order and shuffled within each block.
    for block in rows._blocks_at_random(random, repeated=with_replacement):
        n = len(block)
        yield (
            block,
            (random.randint(n, size=n) if with_replacement else random.permutation(n)).astype(np.int32),
        )


def _visit_sequence(rows: Rows, sequence: np.ndarray) -> Visits:
    outside = sequence[(sequence < 0) | (sequence >= rows.n_rows)]
    if outside.size:
        raise DataError(f"order names row {outside[0]}, but there are {rows.n_rows} rows, counted from 0.")
    if not rows.in_memory:
        raise DataError(
            "order as a sequence of row numbers needs rows in memory; these are read from a file."
        )
    yield rows.whole(), sequence.astype(np.int32)


def find_violator(
    rows: Rows, positive: int, weights: np.ndarray, constant: float, order: str
) -> tuple[Block, int] | None:
    """The first or the worst row with s·score ≤ 0 (ties: the first), as a block and a place, or None."""
    from separatrix.kernels.scores import scores

    worst: tuple[Block, int] | None = None
    lowest = 0.0
    for block in rows.blocks():
        out = np.empty(len(block))
        scores(block.X, constant, weights, out)
        margins = out * block.signs(positive)
        if order == "first":
            wrong_places = np.flatnonzero(~(margins > 0.0))
            if wrong_places.size:
                return block, int(wrong_places[0])
        else:
            place = int(np.argmin(margins))
            if margins[place] < lowest or (worst is None and not margins[place] > 0.0):
                worst, lowest = (block, place), margins[place]
    return worst
