"""The order in which rows are visited: what one pass is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.messages import ParameterError, require
from separatrix.rows import Block, DataError, Rows

Visit = Callable[[Block, np.ndarray], None]


def parse_order(order: Any) -> str | np.ndarray:
    """One of the four words, or the given sequence of row numbers."""
    if isinstance(order, str):
        word = order.replace("_", " ").replace("-", " ").removesuffix(" violator")
        if word in ("cyclic", "shuffled", "drawn", "first", "worst"):
            return word
        words = "'cyclic', 'shuffled', 'drawn', 'first violator', 'worst violator' or a list of row numbers"
        raise ParameterError("order", order, words)
    sequence = np.asarray(order)
    is_list = sequence.ndim == 1 and sequence.size > 0 and sequence.dtype.kind in "iu"
    require(is_list, "order", order, "a word or a non-empty list of row numbers, counted from 0")
    return sequence


def visit_in_order(rows: Rows, order: str | np.ndarray, random: np.random.RandomState, visit: Visit) -> None:
    """Hand the blocks of one pass to ``visit``, each with the places to visit in it."""
    if isinstance(order, np.ndarray):
        places = _check_sequence(rows, order)
        visit(rows.whole(), places)
    elif order == "cyclic":
        _visit_from_first_to_last(rows, visit)
    else:
        _visit_at_random(rows, random, visit, with_replacement=order == "drawn")


def _visit_from_first_to_last(rows: Rows, visit: Visit) -> None:
    def visit_block(places: np.ndarray, block: Block) -> np.ndarray:
        n = len(block)
        if len(places) < n:
            places = np.arange(n, dtype=np.int32)
        visit(block, places[:n])
        return places

    rows.fold(visit_block, np.empty(0, np.int32))


def _visit_at_random(
    rows: Rows, random: np.random.RandomState, visit: Visit, *, with_replacement: bool
) -> None:
    """Every row once, in random order; or as many draws, in which a row may come again."""

    def visit_block(state: None, block: Block) -> None:
        n = len(block)
        places = random.randint(n, size=n) if with_replacement else random.permutation(n)
        visit(block, places.astype(np.int32))

    rows.fold(visit_block, None, random, repeated=with_replacement)


def _check_sequence(rows: Rows, sequence: np.ndarray) -> np.ndarray:
    outside = sequence[(sequence < 0) | (sequence >= rows.n_rows)]
    if outside.size:
        raise DataError(f"order names row {outside[0]}, but there are {rows.n_rows} rows, counted from 0.")
    if not rows.in_memory:
        raise DataError(
            "order as a sequence of row numbers needs rows in memory; these are read from a file."
        )
    return sequence.astype(np.int32)
