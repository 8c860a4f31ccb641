"""The data of a claim about regression, read afresh: pieces of doubles with real targets.

A `RowSource` as any other, in which the number beside a row is its target where claims about sides have its
sign; so the digest of the data is that of the rows with their targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from separatrix.certificates.data.exact_doubles import exactly
from separatrix.certificates.data.preparation import Preparation
from separatrix.certificates.data.prepared_table import prepared
from separatrix.certificates.data.reading import (
    Piece,
    RowSource,
    block_values,
    chosen_columns,
    cut_of,
    pieces_of,
    refuse_damaged,
)


def read_targets(
    X: Any,
    y: Any = None,
    label: str | None = None,
    features: Sequence[str] | None = None,
    preparation: Preparation | None = None,
) -> RowSource:
    """The source behind ``X, y``, a pair ``(X, y)``, rows with targets, or a table that holds them.

    >>> source = read_targets([[1, 2], [3, 4]], [0.5, 2])
    >>> [piece.signs.tolist() for piece in source.pieces()]
    [[0.5, 2.0]]
    """
    if isinstance(X, RowSource) and y is None:
        return X
    if isinstance(X, tuple) and len(X) == 2 and y is None:
        X, y = X
    refuse_damaged(X, y)
    if hasattr(X, "each"):
        if y is not None:
            raise ValueError("These rows carry their own targets; give no second ones.")
        return _of_rows(X)
    name = getattr(y, "name", None)
    label = name if isinstance(name, str) else label
    X, y, applied = prepared(X, y, label, preparation, measured=True)
    X, y, names = chosen_columns(X, y, label, features)
    if y is None:
        raise ValueError("Targets are missing: give X and y, or rows that carry their targets.")
    cut, n_rows, n_columns, step = cut_of(X)
    targets = exact_targets(y)
    if len(targets) != n_rows:
        raise ValueError(f"The data has {n_rows} rows and {len(targets)} targets.")

    def cut_targets(start: int, stop: int) -> Any:
        return targets[start:stop]

    def pieces() -> Iterator[Piece]:
        for start in range(0, n_rows, step):
            stop = min(start + step, n_rows)
            yield Piece(start, stop, partial(cut, start, stop), partial(cut_targets, start, stop))

    return RowSource(n_rows, n_columns, None, names, label, pieces, applied)  # targets have no positive label


def _of_rows(rows: Any) -> RowSource:
    if not getattr(rows, "has_targets", False):
        raise ValueError("These rows have no real targets.")

    names = rows.columns
    return RowSource(
        rows.n_rows,
        rows.n_columns,
        None,
        None if names is None else tuple(names),
        rows.label,
        pieces_of(rows, TargetPiece()),
        rows.preparation,
    )


@dataclass(frozen=True)
class TargetPiece:
    """A block of `Rows` as a piece."""

    def __call__(self, block: Any) -> Piece:
        targets = partial(exact_targets, block.targets)
        return Piece(block.start, block.stop, partial(block_values, block), targets)


def exact_targets(y: Any) -> Any:
    """The targets as doubles, exactly, and finite."""
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim != 1:
        raise ValueError(f"The targets must be one column, not an array of shape {given.shape}.")
    targets = given if given.dtype == np.float64 else exactly(given)
    if not np.isfinite(targets).all():
        raise ValueError("A target is NaN or infinite.")
    return targets
