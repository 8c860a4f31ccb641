"""A first Gram matrix in single precision, at half the price, for rows that refinement will set right.

Columns are taken about their mean and in units of their spread, as a sample has them, so that float32 keeps
six digits of every product. Each correction by a gradient from the rows then leaves about a millionth of the
error before it, times the condition: two bring all digits where that is small.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.least_squares.gram import (
    SAMPLE_ROWS,
    Gram,
    InsufficientPrecision,
    centre_gram,
    split_into_runs,
)
from separatrix.rows import Block, DenseRows, Rows

MIN_COLUMNS = 32  # from which on half the price of the products is more than a pass of residuals
MIN_VALUES = 1_000_000
MAX_SINGLE_CONDITION = 1e3  # of the scaled Gram matrix, up to which two corrections or three are enough


def is_single_precision_worthwhile(rows: Rows, weights: np.ndarray | None) -> bool:
    is_large = rows.n_columns >= MIN_COLUMNS and rows.n_rows * rows.n_columns >= MIN_VALUES
    return is_large and weights is None and isinstance(rows, DenseRows)


def form_single_gram(rows: Rows, *, intercept: bool) -> Gram:
    """One pass over the rows; `InsufficientPrecision` where float32 does not hold the sums."""
    from separatrix.algorithms.least_squares.residual_kernels import scale_to_float32

    assert isinstance(rows, DenseRows)
    n_columns = rows.n_columns
    with np.errstate(all="ignore"):
        sample = rows.preview(SAMPLE_ROWS).whole().dense().astype(np.float64)
        targets = np.asarray(rows.targets)[:: max(1, rows.n_rows // SAMPLE_ROWS)].astype(np.float64)
        centre = np.append(sample.mean(axis=0), targets.mean()) if intercept else np.zeros(n_columns + 1)
        deviations = np.append(sample.std(axis=0), targets.std()) + abs(
            np.append(sample.mean(axis=0), 0.0) - centre
        )
    if not (np.isfinite(centre).all() and np.isfinite(deviations).all()):
        raise InsufficientPrecision("the sample is not finite")
    exponents = np.where(deviations > 0, np.frexp(deviations)[1], 0)
    if (abs(exponents) > 500).any():
        raise InsufficientPrecision("the columns are far from 1 in size")
    units = np.ldexp(1.0, -exponents)
    padded_columns = -(-(n_columns + 1) // 4) * 4  # BLAS is up to a sixth slower on an odd number of columns

    def multiply_block(block: Block) -> tuple[np.ndarray, np.ndarray]:
        total, sums = np.zeros((padded_columns, padded_columns)), np.zeros(n_columns + 1)
        buffer: np.ndarray | None = None
        for run in split_into_runs(block, n_columns):
            X, y = block.X[run], block.targets[run]
            buffer = np.zeros((len(X), padded_columns), np.float32) if buffer is None else buffer[: len(X)]
            scale_to_float32(X, y, centre, units, buffer, sums)
            total += np.dot(buffer.T, buffer)
        return total, sums

    with np.errstate(all="ignore"):
        products, sums = rows.in_large_blocks().sum(multiply_block)
    if not (np.isfinite(products).all() and np.isfinite(sums).all()):
        raise InsufficientPrecision("float32 overflows")
    G, columns_and_target = np.empty((n_columns + 2, n_columns + 2)), [*range(n_columns), n_columns + 1]
    G[np.ix_(columns_and_target, columns_and_target)] = products[: n_columns + 1, : n_columns + 1] / np.outer(
        units, units
    )
    G[columns_and_target, n_columns] = G[n_columns, columns_and_target] = sums
    G[n_columns, n_columns] = rows.n_rows
    return centre_gram(G, centre, intercept=intercept, sparse=False)
