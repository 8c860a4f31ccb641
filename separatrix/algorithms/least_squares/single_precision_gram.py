"""A first Gram matrix in single precision, at half the price, for rows that refinement will set right.

Columns are taken about their mean and in units of their spread, as a sample has them, so that float32 keeps
six digits of every product. Each correction by a gradient from the rows then leaves about a millionth of the
error before it, times the condition: two bring all digits where that is small.
"""

from __future__ import annotations

import numpy as np

from separatrix.algorithms.least_squares.gram import SAMPLE, Gram, Unsuited, about_mean, runs
from separatrix.rows import Block, DenseRows, Rows

COLUMNS = 32  # from which on half the price of the products is more than a pass of residuals
VALUES = 1_000_000
CONDITION = 1e3  # of the scaled Gram matrix, up to which two corrections or three are enough


def worth_single(rows: Rows, weights: np.ndarray | None) -> bool:
    large = rows.n_columns >= COLUMNS and rows.n_rows * rows.n_columns >= VALUES
    return large and weights is None and isinstance(rows, DenseRows)


def single_gram(rows: Rows, *, intercept: bool) -> Gram:
    """One pass over the rows; `Unsuited` where float32 does not hold the sums."""
    from separatrix.algorithms.least_squares.residual_kernels import single_rows

    assert isinstance(rows, DenseRows)
    d = rows.n_columns
    with np.errstate(all="ignore"):
        some = rows.preview(SAMPLE).whole().dense().astype(np.float64)
        heights = np.asarray(rows.targets)[:: max(1, rows.n_rows // SAMPLE)].astype(np.float64)
        centre = np.append(some.mean(axis=0), heights.mean()) if intercept else np.zeros(d + 1)
        spreads = np.append(some.std(axis=0), heights.std()) + abs(np.append(some.mean(axis=0), 0.0) - centre)
    if not (np.isfinite(centre).all() and np.isfinite(spreads).all()):
        raise Unsuited("the sample is not finite")
    exponents = np.where(spreads > 0, np.frexp(spreads)[1], 0)
    if (abs(exponents) > 500).any():
        raise Unsuited("the columns are far from 1 in size")
    units = np.ldexp(1.0, -exponents)
    width = -(-(d + 1) // 4) * 4  # BLAS is up to a sixth slower on an odd number of columns

    def term(block: Block) -> tuple[np.ndarray, np.ndarray]:
        total, sums = np.zeros((width, width)), np.zeros(d + 1)
        room: np.ndarray | None = None
        for run in runs(block, d):
            X, y = block.X[run], block.targets[run]
            room = np.zeros((len(X), width), np.float32) if room is None else room[: len(X)]
            single_rows(X, y, centre, units, room, sums)
            total += np.dot(room.T, room)
        return total, sums

    with np.errstate(all="ignore"):
        products, sums = rows.in_large_blocks().sum(term)
    if not (np.isfinite(products).all() and np.isfinite(sums).all()):
        raise Unsuited("float32 overflows")
    G, kept = np.empty((d + 2, d + 2)), [*range(d), d + 1]
    G[np.ix_(kept, kept)] = products[: d + 1, : d + 1] / np.outer(units, units)
    G[kept, d] = G[d, kept] = sums
    G[d, d] = rows.n_rows
    return about_mean(G, centre, intercept=intercept, sparse=False)
