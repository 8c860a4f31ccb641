"""Exact signs of margins: floats where they are proven right, whole numbers for the few rows left.

The margin of a row is g = s(w·x + b). Asked is the sign of g − √q for a rational q ≥ 0: q = 0 asks on which
side the row lies, another q whether it keeps a distance. Weights are doubles or whole numbers of any size.
Four levels, each for the rows that the one before leaves open:

1. floats, with one error bound for the whole block, from max|x_ij| · ‖w‖₁;
2. floats, with an error bound for each row, from Σ|x_j w_j|;
3. floats that cannot have rounded: all terms of the row are multiples of one power of two 2^g, and
   Σ|x_j w_j| ≤ 2^(53+g). Ties among small whole numbers end here;
4. Python integers.

Blocks of float32 meet level 1 in float32 first, with the same bound for its unit 2^-24 and its least normal
number 2^-126, and go on as doubles where that leaves rows open.

**The bound.** Let u = 2^-53 and τ = 2^-1022. The weights (w, b) are divided by a power of two, so that none
is above 1 in size, and rounded to doubles (v, c), those below τ to 0:

    |v_j − w_j| ≤ 1.01·u|v_j| + τ,   |c − b| ≤ 1.01·u|c| + τ.                                           (a)

Let k be the largest number of products in a row, M = max|x_j|, S = Σ|x_j v_j| + |c|, and ŝ the float value
of x·v + c: summed in any order, by any tree, with or without fused multiply-add. An operation on doubles
gives (exact)(1 + δ) + ε with |δ| ≤ u and |ε| ≤ τ; with gradual underflow |ε| is far smaller, and τ allows
for a library that has switched on flush-to-zero. A subnormal x_j read as 0 then adds τ|v_j| ≤ τ. A term
meets the rounding of its product and of at most k additions, so (Higham, *Accuracy and Stability of
Numerical Algorithms*, 3.1)

    |ŝ − (x·v + c)| ≤ γ_{k+1} S + 3k(1 + γ_{k+1})τ,   γ_m = mu/(1 − mu).                                (b)

(a) and (b) together, while (k + 3)u ≤ 2^-12:

    |ŝ − (x·w + b)| ≤ (k + 2.1)uS + (5k + 4)τ·max(1, M).

The code allows, with Ŝ as computed: S, or ‖X‖‖v‖ + |c| ≥ S for the block X, where M may be ‖X‖,

    2(k + 3)uŜ + 8(k + 3)τ·max(1, M).                                                                   (c)

Ŝ is low by at most γ_{k+2}S + 3kτ and the evaluation of the bound by a relative 8u: the spare factor of
nearly 2 covers both. For √q, taken as a double t with |t − √q| ≤ 2ut + τ, 4ut + 4τ is added. The difference
ŝ − t has the right sign and a relative error of u, covered likewise.

**What is asked of the process.** Levels 1 to 3 hold with flush-to-zero switched on; level 4 reads doubles by
Python's own fractions, which then take subnormals for 0. A library that has switched it on, together with
subnormal entries in doubtful rows, is outside what is promised here.

**Overflow.** No partial sum is above S(1 + γ_{k+1}) in size; a row with Ŝ above 2^1020 is left open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import fsum, inf, isfinite, ldexp, sqrt
from operator import lshift, mul
from typing import Any

import numpy as np
import numpy.typing as npt

from separatrix.certificates.arithmetic.dyadic import Dyadic, dyadic, mantissas, power_of_two, root
from separatrix.certificates.data.labels import Signs
from separatrix.certificates.data.reading import (
    Matrix,
    cache_sized_slices,
    doubles,
    read,
    refuse_infinite,
    stored,
)

_U = 2.0**-53
_TAU = 2.0**-1022
_MAX_SIZE = 2.0**1020
_ZERO_EXPONENT = 5000  # the exponent of the last bit of 0: above that of any product of doubles
_RUN_ENTRIES = 4096  # entries: OpenBLAS divides a product of two vectors among threads from 10,000 on


class Margins:
    """The margins of one halfspace, to be compared exactly with a number, block after block.

    Parameters
    ----------
    weights, intercept
        Doubles or whole numbers; no intercept is an intercept of 0.
    floor_squared
        q: margins are compared with √q.

    Examples
    --------
    The double 0.1 is a little more than a tenth, three times it a little more than the double 0.3:

    >>> X = np.array([[0.1, 0.3], [1.0, 3.0], [1e300, -1e300]])
    >>> Margins((3, -1), None).compare(X, np.array([1, 1, -1], np.int8))
    array([ 1,  0, -1], dtype=int8)
    """

    def __init__(
        self,
        weights: Sequence[float | int],
        intercept: float | int | None,
        floor_squared: Fraction | int = 0,
    ) -> None:
        self._given = (*weights, intercept or 0.0)
        rounded, self._scale = _rounded(self._given)
        self._weights, self._bias = rounded[:-1], float(rounded[-1])
        self._sizes = abs(self._weights)
        # Entries of at most 1, so neither squares nor their sum overflow; 1.001 is for rounding and
        # underflow.
        self._two_norm = 1.001 * sqrt(fsum((self._weights**2).tolist())) + len(self._sizes) * 2.0**-500
        self.floor_squared = Fraction(floor_squared)
        self._floor = root(self.floor_squared * power_of_two(-2 * self._scale))

    @cached_property
    def exact(self) -> Dyadic:
        """The weights and the intercept as they are."""
        return dyadic(self._given)

    @cached_property
    def _rounding_free(self) -> bool:
        """Whether the rounded weights are the weights, up to the power of two."""
        rounded = dyadic((*self._weights.tolist(), self._bias))
        shift = rounded.exponent + self._scale - self.exact.exponent
        pairs = zip(rounded.wholes, self.exact.wholes, strict=True)
        return all(ours << max(shift, 0) == theirs << max(-shift, 0) for ours, theirs in pairs)

    def compare(self, X: Any, signs: Signs, start: int = 0) -> Signs:
        """The sign of s(w·x + b) − √q for each row, exactly: −1, 0 or +1.

        ``start`` is the number of the first row, for the message when an entry is not finite.
        """
        answer = np.empty(len(signs), dtype=np.int8)
        for part, exact, _ in self._parts(X, signs, start):
            answer[part] = exact
        return answer

    def count_errors(self, X: Any, signs: Signs, start: int = 0) -> tuple[int, float]:
        """How many rows have s(w·x + b) ≤ √q, exactly, and the smallest s(w·x + b) − √q, as a float."""
        wrong, smallest = 0, inf
        for _, exact, lowest in self._parts(X, signs, start):
            wrong += int(np.count_nonzero(exact <= 0))
            smallest = min(smallest, lowest)
        return wrong, _times_power(smallest, self._scale)

    def _parts(self, X: Any, signs: Signs, start: int) -> Iterator[tuple[slice, Signs, float]]:
        """Cache-sized parts, each with the signs of its rows and the least gap."""
        narrow = isinstance(X, np.ndarray) and X.dtype == np.float32 and not self.floor_squared
        X = X if narrow else doubles(X)
        look = self._narrow_block if narrow else self._block
        # Cutting sparse rows costs more than a cache saves.
        parts = cache_sized_slices(X) if isinstance(X, np.ndarray) else iter([slice(0, X.shape[0])])
        with np.errstate(all="ignore"):
            for part in parts:
                exact, lowest = look(
                    X[part] if isinstance(X, np.ndarray) else X, signs[part], start + part.start
                )
                yield part, exact, lowest

    def _narrow_block(self, X: Any, signs: Signs, start: int) -> tuple[Signs, float]:
        """For float32: the bound with u = 2^-24 and τ = 2^-126; rows near the least gap go on too."""
        largest = _length(X)
        gaps = (_scores(X, self._narrow[:-1]) + self._narrow[-1]) * signs
        size = largest * self._two_norm + abs(self._bias)
        share, tiny = 2 * (X.shape[1] + 4) * 2.0**-24, 8 * (X.shape[1] + 3) * 2.0**-126
        error_bound = share * size + tiny * max(1.0, largest)  # (c) above
        if not error_bound < 2.0**100:
            return self._block(doubles(X), signs, start)
        lowest = float(gaps.min(initial=inf))
        if lowest > error_bound:  # all are right, and only the least gap is wanted more exactly
            rows, answer = np.flatnonzero(gaps <= lowest + 2 * error_bound), np.ones(len(gaps), np.int8)
        else:  # not ">" alone: a gap that is NaN must be looked at again
            rows = np.flatnonzero(~((abs(gaps) > error_bound) & (gaps > lowest + 2 * error_bound)))
            answer = np.where(gaps > 0, np.int8(1), np.int8(-1))
        answer[rows], lowest = self._block(doubles(X[rows]), signs[rows], start)
        return answer, lowest

    @cached_property
    def _narrow(self) -> npt.NDArray[np.float32]:
        return np.append(self._weights, self._bias).astype(np.float32)

    def _block(self, X: Matrix, signs: Signs, start: int) -> tuple[Signs, float]:
        dense = isinstance(X, np.ndarray)
        values = stored(X)
        largest = _length(values)
        if not isfinite(largest):
            refuse_infinite(X, range(start, start + X.shape[0]))
        terms = X.shape[1] if dense else int(np.diff(X.indptr).max(initial=0))
        gaps = (_scores(X, self._weights) + self._bias) * signs - self._floor  # (b) above
        share = 2 * (terms + 3) * _U  # with `tiny`, (c) above
        tiny = 8 * (terms + 3) * _TAU * max(1.0, largest) + 4 * (_U * self._floor + _TAU)
        size = largest * self._two_norm + abs(self._bias)
        bound = share * size + tiny if size <= _MAX_SIZE else inf
        lowest = float(gaps.min(initial=inf))
        if lowest > bound:
            return np.ones(len(gaps), np.int8), lowest
        answer = np.sign(gaps).astype(np.int8)
        open_rows = ~(abs(gaps) > bound)
        if not open_rows.any():
            return answer, lowest

        rows = np.flatnonzero(open_rows)
        sizes = self._row_sizes(X[rows])
        rows = rows[~((abs(gaps[rows]) > share * sizes + tiny) & (sizes <= _MAX_SIZE))]
        if rows.size and self._rounding_free and not self.floor_squared:
            rows = rows[~self._cannot_round(X[rows])]
        if rows.size:
            answer[rows] = self._in_whole_numbers(X[rows], signs[rows])
        return answer, lowest

    def _row_sizes(self, X: Matrix) -> npt.NDArray[np.float64]:
        return abs(X) @ self._sizes + abs(self._bias)

    def _cannot_round(self, X: Matrix) -> npt.NDArray[np.bool_]:
        """Rows whose every term and partial sum is a multiple of 2^g that a normal double holds."""
        lowest = _lowest_exponents(X) + _lowest_exponents(self._weights[np.newaxis])
        lowest = np.minimum(lowest, _lowest_exponents(np.array([[self._bias]])))
        # 2^(51 + g), not 2^(53 + g): room for the rounding of the sizes.
        limit = np.ldexp(1.0, np.clip(lowest + 51, -1022, 1020).astype(np.intc))
        return (lowest > -1022) & (self._row_sizes(X) <= limit)

    def _in_whole_numbers(self, X: Matrix, signs: Signs) -> list[int]:
        *weights, bias = self.exact.wholes
        dense = isinstance(X, np.ndarray)
        wholes, exponents = mantissas(stored(X))
        answers = []
        for i, sign in enumerate(map(int, signs.tolist())):  # a float times a long integer overflows
            if dense:
                row, powers, chosen = wholes[i], exponents[i], weights
            else:
                part = slice(X.indptr[i], X.indptr[i + 1])
                row, powers = wholes[part], exponents[part]
                chosen = [weights[j] for j in X.indices[part].tolist()]
            low = int(powers.min(initial=0))
            terms = map(mul, map(int, row.tolist()), chosen)
            total = sum(map(lshift, terms, (powers - low).tolist())) + (bias << -low)
            answers.append(self._against_floor(sign * total, low + self.exact.exponent))
        return answers

    def _against_floor(self, whole: int, exponent: int) -> int:
        """The sign of ``whole * 2**exponent - sqrt(floor_squared)``."""
        if not self.floor_squared:
            return (whole > 0) - (whole < 0)
        if whole <= 0:
            return -1
        square = whole * whole * power_of_two(2 * exponent)
        return (square > self.floor_squared) - (square < self.floor_squared)


def _rounded(numbers: Sequence[float | int]) -> tuple[npt.NDArray[np.float64], int]:
    """The scale, and the doubles next to ``numbers / 2**scale``: none above 1 in size, those below τ as 0,
    as (a) above asks."""
    if set(map(type, numbers)) == {float}:
        doubles = np.array(numbers)
        scale = int(np.frexp(abs(doubles).max())[1])
        rounded = np.ldexp(doubles, -scale)
    else:
        exact = dyadic(numbers)
        top = max(abs(whole).bit_length() for whole in exact.wholes)
        scale = exact.exponent + top
        # True division of Python integers rounds correctly, whatever their size.
        rounded = np.array([whole / (1 << top) for whole in exact.wholes])
    rounded[abs(rounded) < _TAU] = 0.0
    return rounded, scale


def _lowest_exponents(X: Matrix) -> npt.NDArray[np.int64]:
    """For each row, the largest g such that all its entries are multiples of 2^g."""
    wholes, exponents = mantissas(stored(X))
    bits = wholes.astype(np.int64)
    exponents_of_last_bits = np.frexp((bits & -bits).astype(np.float64))[1] - 1 + exponents
    exponents_of_last_bits[bits == 0] = _ZERO_EXPONENT
    if isinstance(X, np.ndarray):
        return exponents_of_last_bits.min(axis=1, initial=_ZERO_EXPONENT)
    finest = np.full(X.shape[0], _ZERO_EXPONENT)
    np.minimum.at(finest, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), exponents_of_last_bits)
    return finest


def _scores(X: Any, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """X·w; row by row where that reads memory faster than BLAS's matrix-vector product does."""
    return np.vecdot(X, weights) if isinstance(X, np.ndarray) and X.shape[1] >= 64 else X @ weights


def _length(values: npt.NDArray[Any]) -> float:
    """A bound from above on the Frobenius norm of a block, read at memory speed; not finite if an entry is
    not.

    The sum of N squares is low by at most a share Nu of it, and by N least normal numbers: the square root is
    raised by a tenth for the former, N being at most 2^20, and not trusted where the latter count.
    """
    if not values.size:
        return 0.0
    flat = values.reshape(-1) if values.flags.c_contiguous else values.ravel()
    small, large = (2.0**-50, 2.0**60) if values.dtype == np.float32 else (2.0**-450, 2.0**500)
    length = 1.1 * sqrt(max(_square(flat), 0.0)) if flat.size <= 1 << 20 else 0.0
    if small < length < large:
        return length
    largest = max(float(values.max()), -float(values.min()))
    return largest * sqrt(values.size) * 1.001 if isfinite(largest) else inf


def _square(flat: npt.NDArray[Any]) -> float:
    """flat·flat in runs so short that no BLAS splits them among threads: on a busy machine one such split
    takes longer than the block.
    """
    whole = flat.size - flat.size % _RUN_ENTRIES
    runs = flat[:whole].reshape(-1, _RUN_ENTRIES)
    rest = flat[whole:]
    return float(np.vecdot(runs, runs).sum(dtype=np.float64)) + float(rest @ rest)


def _times_power(value: float, exponent: int) -> float:
    try:
        return ldexp(value, exponent)
    except OverflowError:
        return inf if value > 0 else -inf


def errors_of(
    source: Any, weights: Sequence[float | int], intercept: float | int | None, positive: Any = None
) -> int:
    """How many rows have s(w·x + b) ≤ 0, exactly.

    ``source`` is a pair ``(X, y)`` or labelled rows with ``.each()``.

    >>> errors_of(([[0.0], [1.0], [2.0]], [-1, 1, 1]), (1.0,), -1.0)
    1
    """
    margins = Margins(weights, intercept)
    errors = 0
    for piece in read(source, positive=positive).pieces():
        errors += int(np.count_nonzero(margins.compare(piece.X, piece.signs, piece.start) <= 0))
    return errors
