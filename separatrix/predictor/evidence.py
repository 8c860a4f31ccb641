"""What a fit may claim about its weights: counted exactly, then put on record."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import About, Separable
from separatrix.certificates.exact import Margins
from separatrix.rows import Block, Csr, Rows


class Tally(NamedTuple):
    """Errors (rows with s·score ≤ 0, exact) and the smallest s·score (a float) of some weights."""

    errors: int
    smallest: float


def about(rows: Rows, positive: int) -> About:
    """Which data a certificate speaks of, and which class is +1 in it."""
    assert rows.classes is not None
    label = rows.classes[positive]
    return About(
        rows=rows.n_rows,
        columns=rows.n_columns,
        positive=label.item() if hasattr(label, "item") else label,
        label=rows.label,
        features=rows.columns,
    )


def tally(rows: Rows, positive: int, numbers: Any, intercept: Any) -> Tally:
    """Count the errors of a halfspace in exact arithmetic: one pass, in blocks."""
    plain = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
    bias = float(intercept) if isinstance(intercept, np.floating) else intercept
    margins = Margins(tuple(plain), bias)
    smallest = []

    def errors_in(block: Block) -> tuple[int]:
        wrong, lowest = margins.census(matrix(block, rows.n_columns), block.signs(positive), block.start)
        smallest.append(lowest)
        return (wrong,)

    return Tally(rows.count(errors_in)[0], min(smallest))


def matrix(block: Block, n_columns: int) -> Any:
    """A block as NumPy or SciPy has it."""
    X = block.X
    if not isinstance(X, Csr):
        return X
    from scipy.sparse import csr_array

    # Both index arrays of one type, or SciPy copies the longer one.
    return csr_array((X.data, X.indices, X.indptr.astype(np.int32)), shape=(len(block), n_columns))


def separable(rows: Rows, positive: int, weights: np.ndarray, *, intercept: bool) -> Separable:
    """The certificate for weights that `tally` found to make no error."""
    bias = float(weights[-1]) if intercept else None
    witness = tuple(weights[:-1].tolist())
    return Separable(weights=witness, intercept=bias, about=about(rows, positive)).bound_to(rows)
