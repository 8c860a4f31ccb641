"""A first Gram matrix in single precision, at half the price, for rows that refinement will set right.

Columns are taken about their mean and in units of their spread, as a sample has them, so that float32 keeps
six digits of every product. Each correction by a gradient from the rows then leaves about a millionth of the
error before it, times the condition: two bring all digits where that is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.algorithms.least_squares.gram import (
    SAMPLE_ROWS,
    Gram,
    InsufficientPrecision,
    centre_gram,
    split_into_runs,
)
from separatrix.rows import Block, Rows

MIN_COLUMNS = 32  # from which on half the price of the products is more than a pass of residuals
MIN_VALUES = 1_000_000
MAX_SINGLE_CONDITION = 1e3  # of the scaled Gram matrix, up to which two corrections or three are enough


def is_single_precision_worthwhile(rows: Rows) -> bool:
    is_large = rows.n_columns >= MIN_COLUMNS and rows.n_rows * rows.n_columns >= MIN_VALUES
    return is_large and rows.weights is None and rows.array is not None


def form_single_gram(rows: Rows, *, intercept: bool) -> Gram:
    """One pass over the rows; `InsufficientPrecision` where float32 does not hold the sums."""
    n_columns = rows.n_columns
    with np.errstate(all="ignore"):
        sample = rows.preview(SAMPLE_ROWS).whole().dense().astype(np.float64)
        targets = rows.all_targets()[:: max(1, rows.n_rows // SAMPLE_ROWS)]
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
    with np.errstate(all="ignore"):
        products, sums = rows.in_large_blocks().sum(SinglePrecisionMoments(centre, units))
    if not (np.isfinite(products).all() and np.isfinite(sums).all()):
        raise InsufficientPrecision("float32 overflows")
    G, columns_and_target = np.empty((n_columns + 2, n_columns + 2)), [*range(n_columns), n_columns + 1]
    G[np.ix_(columns_and_target, columns_and_target)] = products[: n_columns + 1, : n_columns + 1] / np.outer(
        units, units
    )
    G[columns_and_target, n_columns] = G[n_columns, columns_and_target] = sums
    G[n_columns, n_columns] = rows.n_rows
    return centre_gram(G, centre, intercept=intercept, sparse=False)


@dataclass(frozen=True)
class SinglePrecisionMoments:
    """Σ zzᵀ in float32 and Σ v in float64, with v = (x, y) − centre and z = v·units."""

    centre: np.ndarray
    units: np.ndarray

    def __call__(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        from separatrix.algorithms.least_squares.residual_kernels import scale_to_float32

        size = -(-len(self.units) // 4) * 4  # BLAS is up to a sixth slower on an odd number of columns
        total, sums = np.zeros((size, size)), np.zeros(len(self.units))
        buffer: np.ndarray | None = None
        for run in split_into_runs(block, block.n_columns):
            X, y = block.X[run], block.targets[run]
            buffer = np.zeros((len(X), size), np.float32) if buffer is None else buffer[: len(X)]
            scale_to_float32(X, y, self.centre, self.units, buffer, sums)
            total += np.dot(buffer.T, buffer)
        return total, sums
