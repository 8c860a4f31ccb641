"""The gradient of least squares, in the longest floats there are, with a proven bound on its error.

Half the gradient of Σ s (y − w·x − b)² + α‖w‖² is g = (αw − Σ s r x, −Σ s r) with r = y − w·x − b. Let u be
the unit of the floats used (2^-64 where C's long double has 64 bits, 2^-53 where it is a double), k the most
entries of a row, m the most rows of a part and p the number of parts. As in
:mod:`separatrix.certificates.arithmetic.margin_signs`, whatever the order of the sums,

    |r̂ − r| ≤ 2(k + 4) u (|y| + Σ|x_j w_j| + |b|) =: ρ,                                                (1)
    |ĝ_j − g_j| ≤ 2(m + p + 6) u (Σ s|r̂||x_j| + α|w_j|) + Σ s ρ |x_j|,                                 (2)

where a factor of nearly 2 is spare for the rounding of the bounds themselves, which are summed in doubles,
and underflow adds less than the tiny number that the code puts on top.

**Distance.** With α > 0 the problem is α-strongly convex in w once b is optimal: e = w − w* solves
(G + αI) e = g_w − m g_b, m the mean row and G ≽ 0, so

    ‖e‖ ≤ ‖g_w − m g_b‖ / α,   and the intercept is off by at most |g_b|/S + ‖m‖‖e‖.                    (3)
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from separatrix.certificates.data.reading import RowSource, refuse_infinite, stored

Long = np.longdouble
_U = 2.0**-53
_LONG_U = float(np.finfo(Long).eps) / 2 if np.finfo(Long).nmant < 100 else _U  # no trust in pairs of doubles
_UNDERFLOW = 2.0**-960
_PART_ROWS = 1024

Doubles = npt.NDArray[np.float64]


class Gradient(NamedTuple):
    """Half the gradient at some weights, the intercept's last, with bounds on the error of each entry; the
    sums Σ s x and Σ s with theirs; and whether there is an intercept.
    """

    value: npt.NDArray[np.longdouble]
    error: Doubles
    sums: npt.NDArray[np.longdouble]
    sums_error: Doubles
    constant: bool

    def norm(self) -> float:
        """Not below the length of the exact one."""
        return _length(abs(self.value) + self.error)

    def shortest(self) -> float:
        """Not above the length of the exact one."""
        return float(np.max(abs(self.value) - self.error, initial=0.0)) * (1 - 4 * _U)

    def distance(self, alpha: float) -> tuple[float, float]:
        """Not below the distance of the weights, and of the intercept, from the exact solution."""
        if not np.isfinite(self.error).all():
            return inf, inf
        total, slack = self.sums[-1], self.sums_error[-1]
        if not self.constant:
            return _raised(_length(abs(self.value[:-1]) + self.error[:-1]) / alpha), 0.0
        if not total > 2 * slack:  # the rows weigh nothing, or too little to tell
            return inf, inf
        mean = self.sums[:-1] / total
        mean_error = (self.sums_error[:-1] + abs(mean) * (slack + 2 * _LONG_U * total)) / (total - slack)
        intercept_slope, intercept_slope_error = self.value[-1], self.error[-1]
        moved = self.value[:-1] - mean * intercept_slope
        error = (
            self.error[:-1]
            + abs(mean) * intercept_slope_error
            + mean_error * (abs(intercept_slope) + intercept_slope_error)
        )
        error += 4 * _LONG_U * (abs(self.value[:-1]) + abs(mean * intercept_slope)) + _UNDERFLOW
        weights_distance = _raised(_length(abs(moved) + error) / alpha)  # (3) above, and so is `bias`
        bias = (
            float((abs(intercept_slope) + intercept_slope_error) / (total - slack))
            + _length(abs(mean) + mean_error) * weights_distance
        )
        return weights_distance, _raised(bias)


def gradient(
    source: RowSource,
    weights: Any,
    intercept: float | None,
    alpha: float,
    sample_weight: Any = None,
) -> Gradient:
    """Half the gradient at these weights, with its error bound: one walk over the data."""
    w = np.asarray(weights, np.float64)
    b = intercept or 0.0
    k = len(w)
    value, sums = np.zeros(k + 1, Long), np.zeros(k + 1, Long)
    size, residual_errors, sizes = (np.zeros(k + 1) for _ in range(3))
    parts, largest = 0, 0.0
    # A bound that overflows is no bound, and said to be infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        for X, y, start in _row_parts(source):
            values = stored(X)
            if not np.isfinite(values).all():
                refuse_infinite(X, range(start, start + len(y)))
            s = (
                np.ones(len(y))
                if sample_weight is None
                else np.asarray(sample_weight[start : start + len(y)])
            )
            entries = k if isinstance(X, np.ndarray) else int(np.diff(X.indptr).max(initial=0))
            long_X, absolute_X = X.astype(Long), abs(X)
            r = (y.astype(Long) - b - long_X @ w.astype(Long)) * s
            # (1) above, times s
            rho = s * (2 * (entries + 5) * _LONG_U * (abs(y) + absolute_X @ abs(w) + abs(b)) + _UNDERFLOW)
            residual_sizes = abs(r.astype(np.float64))
            value -= np.append(long_X.T @ r, r.sum())
            sums += np.append(long_X.T @ s.astype(Long), s.astype(Long).sum())
            size += np.append(absolute_X.T @ residual_sizes, residual_sizes.sum())
            residual_errors += np.append(absolute_X.T @ rho, rho.sum())
            sizes += np.append(absolute_X.T @ s, s.sum())
            parts += 1
            largest = max(largest, float(abs(values).max(initial=0.0)), float(s.max(initial=0.0)))
        value[:-1] += Long(alpha) * w
        size[:-1] += alpha * abs(w)
        share = 2 * (_PART_ROWS + parts + 6) * _LONG_U
        tiny = _UNDERFLOW * source.n_rows * (1.0 + largest)
        error = share * size + 1.001 * residual_errors + tiny * (1.0 + largest)  # (2) above
        if intercept is None:
            value[-1] = error[-1] = 0.0
            sums, sizes = np.zeros(k + 1, Long), np.zeros(k + 1)
        sums_error = share * sizes + tiny
    if not (np.isfinite(value).all() and np.isfinite(error).all()):
        error = np.full(k + 1, inf)
    return Gradient(np.nan_to_num(value), error, sums, sums_error, intercept is not None)


def _row_parts(source: RowSource) -> Iterator[tuple[Any, Any, int]]:
    """Parts of at most 1024 rows, so that the bound hangs little on how the data is kept."""
    for piece in source.pieces():
        for first in range(0, piece.stop - piece.start, _PART_ROWS):
            some = slice(first, first + _PART_ROWS)
            yield piece.X[some], piece.signs[some], piece.start + first


def _raised(bound: float) -> float:
    """A bound raised by what its last few operations may have rounded off, underflow included."""
    return bound * (1 + 32 * _U) + 2.0**-1070


def _length(entries: npt.NDArray[Any]) -> float:
    """Not below the length.

    The k entries are rounded up; quotients, squares, their sum, the root and the product have a relative
    (k + 4)u together.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        entries = np.nextafter(entries.astype(np.float64), inf)
        largest = float(entries.max(initial=0.0))
        if not isfinite(largest):
            return inf
        if largest == 0.0:
            return 0.0
        scaled = entries / largest
        return largest * float(np.sqrt(scaled @ scaled)) * (1 + 4 * (len(entries) + 4) * _U)
