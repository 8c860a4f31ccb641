"""Doubles cut into slices of 21 bits, whole numbers that BLAS can multiply and add without rounding.

The slices of a column lie on a grid of its own:

    x = Σ_l q_l · 2^(a − 21 l),   |q_l| ≤ 2^20.                                                         (1)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

SLICE_BITS = 21
ZERO_EXPONENT = -2000  # the grid of a column of zeros: below that of any double
SPARSE_SHARE = 0.5  # a slice with fewer rows in use than this share is multiplied by those rows alone

Doubles: TypeAlias = npt.NDArray[np.float64]
Levels: TypeAlias = dict[int, Any]


def values_of(Z: Any) -> Doubles:
    return Z if isinstance(Z, np.ndarray) else Z.data


def tops_of(Z: Any) -> npt.NDArray[np.int64]:
    """For each column, the least a with |z| ≤ 2^(a − 1)."""
    if isinstance(Z, np.ndarray):
        largest = np.maximum(Z.max(axis=0), -Z.min(axis=0))
    else:
        largest = np.asarray(abs(Z).max(axis=0).todense()).ravel()
    exponents = np.frexp(largest)[1].astype(np.int64)
    return np.where(largest > 0, exponents + 1, ZERO_EXPONENT)


def grids_of(tops: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.where(tops == ZERO_EXPONENT, 0, tops)


def slices_of(Z: Any, tops: npt.NDArray[np.int64]) -> Iterator[tuple[int, Any]]:
    """The levels and the slices of whole numbers, as doubles; slices that are all zero are left out."""
    dense = isinstance(Z, np.ndarray)
    rest = np.array(values_of(Z), copy=True)
    bits = grids_of(tops if dense else tops[Z.indices])
    level = 0
    while rest.any():
        level += 1
        shift = (SLICE_BITS * level - bits).astype(
            np.intc
        )  # `whole` is the q of (1), `rest` what is left of x
        if abs(shift).max() < 1000:  # then the powers of two are doubles, and multiplying is faster
            whole = np.rint(rest * np.ldexp(1.0, shift))
            rest -= whole * np.ldexp(1.0, -shift)
        else:
            whole = np.rint(np.ldexp(rest, shift))
            rest = _less(rest, whole, shift)
        if not whole.any():
            continue
        if dense:
            yield level, whole
        else:
            cut = Z.copy()
            cut.data = whole
            cut.eliminate_zeros()
            yield level, cut


def _less(rest: Doubles, whole: Doubles, shift: npt.NDArray[np.intc]) -> Doubles:
    """rest − whole·2^−shift, exactly; of halves, where the largest doubles were rounded up to 2^1024."""
    with np.errstate(over="ignore", invalid="ignore"):
        halves = (0.5 * rest - np.ldexp(whole, -shift - 1)) * 2.0
        return np.where(
            (shift < 0) & (whole != 0.0), halves, rest - np.ldexp(whole, np.minimum(-shift, 1000))
        )


def symmetric_products(slices: Levels) -> Iterator[tuple[int, Doubles]]:
    levels = sorted(slices)
    for place, one in enumerate(levels):
        for other in levels[place:]:
            product = product_of(slices[one], slices[other])
            yield one + other, product if one == other else product + product.T


def weighted_slices(slices: Levels, weights: Levels) -> Levels:
    """The slices of weight times value: products of slices, carried into 21 bits again."""
    products: defaultdict[int, Any] = defaultdict(lambda: 0)
    for level, some in slices.items():
        for depth, weight in weights.items():
            scaled = some * weight if isinstance(some, np.ndarray) else _scaled(some, weight)
            products[level + depth] = products[level + depth] + scaled
    out: Levels = {}
    if not products:
        return out
    carry: Any = 0
    level, last = max(products), min(products)
    while level >= last or _any(carry):
        value = products[level] + carry if level in products else carry
        if not isinstance(value, int):
            carry = _rounded(value)
            kept = value - carry * 2.0**SLICE_BITS
            if _any(kept):
                out[level] = kept
        level -= 1
    return out


def _rounded(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.rint(np.ldexp(value, -SLICE_BITS))
    carry = value.copy()
    carry.data = np.rint(np.ldexp(carry.data, -SLICE_BITS))
    return carry


def _scaled(matrix: Any, weight: Any) -> Any:
    from scipy.sparse import diags_array

    return (diags_array(weight[:, 0]) @ matrix).tocsr()


def _any(value: Any) -> bool:
    if isinstance(value, int):
        return value != 0
    return bool(values_of(value).any())


def product_of(left: Any, right: Any) -> Doubles:
    """leftᵀ·right; rows that are zero in the thinner of both are left out."""
    if not isinstance(left, np.ndarray):
        return np.asarray((left.T @ right).toarray())
    if left is right:
        return np.dot(left.T, left)
    rows = right.any(axis=1)
    if np.count_nonzero(rows) < SPARSE_SHARE * len(rows):
        left, right = left[rows], right[rows]
    return np.dot(left.T, right)
